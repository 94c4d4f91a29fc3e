#include "base/json_writer.h"

#include <assert.h>

void json_writer_init(json_writer *writer, FILE *stream, int indent) {
    *writer = (json_writer){.stream = stream, .indent = indent};
}

static void new_line(json_writer *writer) {
    if (writer->indent)
        fprintf(writer->stream, "\n%*s", writer->indent * writer->depth, "");
}

/* Comma and layout before a value or key. */
static void separate(json_writer *writer) {
    if (writer->after_key) {
        writer->after_key = false;
        return;
    }
    if (writer->depth == 0)
        return;
    if (writer->has_members[writer->depth])
        fputs(writer->indent ? "," : ", ", writer->stream);
    writer->has_members[writer->depth] = true;
    new_line(writer);
}

static void begin(json_writer *writer, char bracket) {
    separate(writer);
    fputc(bracket, writer->stream);
    writer->depth++;
    assert(writer->depth < JSON_WRITER_DEPTH);
    writer->has_members[writer->depth] = false;
}

static void end(json_writer *writer, char bracket) {
    bool had_members = writer->has_members[writer->depth];
    writer->depth--;
    if (had_members)
        new_line(writer);
    fputc(bracket, writer->stream);
    if (writer->depth == 0)
        fputc('\n', writer->stream);
}

void json_begin_object(json_writer *writer) { begin(writer, '{'); }
void json_end_object(json_writer *writer) { end(writer, '}'); }
void json_begin_array(json_writer *writer) { begin(writer, '['); }
void json_end_array(json_writer *writer) { end(writer, ']'); }

static void write_escaped(FILE *stream, const char *text) {
    fputc('"', stream);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(stream, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            fprintf(stream, "\\u%04x", c);
        else
            fputc(c, stream);
    }
    fputc('"', stream);
}

void json_key(json_writer *writer, const char *key) {
    separate(writer);
    write_escaped(writer->stream, key);
    fputs(": ", writer->stream);
    writer->after_key = true;
}

void json_string(json_writer *writer, const char *text) {
    if (!text) {
        json_null(writer);
        return;
    }
    separate(writer);
    write_escaped(writer->stream, text);
}

void json_unsigned(json_writer *writer, uint64_t value) {
    separate(writer);
    fprintf(writer->stream, "%llu", (unsigned long long)value);
}

void json_double(json_writer *writer, double value) {
    separate(writer);
    fprintf(writer->stream, "%.6g", value);
}

void json_bool(json_writer *writer, bool value) {
    separate(writer);
    fputs(value ? "true" : "false", writer->stream);
}

void json_null(json_writer *writer) {
    separate(writer);
    fputs("null", writer->stream);
}

void json_hex(json_writer *writer, const char *prefix, const uint8_t *bytes, size_t length) {
    separate(writer);
    fprintf(writer->stream, "\"%s", prefix);
    for (size_t i = 0; i < length; i++)
        fprintf(writer->stream, "%02x", bytes[i]);
    fputc('"', writer->stream);
}

void json_member_string(json_writer *writer, const char *key, const char *text) {
    json_key(writer, key);
    json_string(writer, text);
}
void json_member_unsigned(json_writer *writer, const char *key, uint64_t value) {
    json_key(writer, key);
    json_unsigned(writer, value);
}
void json_member_double(json_writer *writer, const char *key, double value) {
    json_key(writer, key);
    json_double(writer, value);
}
void json_member_bool(json_writer *writer, const char *key, bool value) {
    json_key(writer, key);
    json_bool(writer, value);
}
