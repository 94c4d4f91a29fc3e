/* JSON output, streamed: no tree is built. */
#ifndef BASE_JSON_WRITER_H
#define BASE_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_WRITER_DEPTH = 32 };

typedef struct {
    FILE *stream;
    int indent; /* spaces for each level; 0: everything on one line */
    int depth;
    bool has_members[JSON_WRITER_DEPTH];
    bool after_key;
} json_writer;

/* Writes to stream, which the caller owns. Errors stay in the stream (ferror). */
void json_writer_init(json_writer *writer, FILE *stream, int indent);

void json_begin_object(json_writer *writer);
void json_end_object(json_writer *writer);
void json_begin_array(json_writer *writer);
void json_end_array(json_writer *writer);
/* The key of the next value, inside an object. */
void json_key(json_writer *writer, const char *key);

/* Text is escaped as RFC 8259 asks; NULL becomes null. Bytes above 0x7f are passed through. */
void json_string(json_writer *writer, const char *text);
void json_unsigned(json_writer *writer, uint64_t value);
void json_double(json_writer *writer, double value);
void json_bool(json_writer *writer, bool value);
void json_null(json_writer *writer);
/* A string of hexadecimal digits, with prefix ("0x" or "") in front. */
void json_hex(json_writer *writer, const char *prefix, const uint8_t *bytes, size_t length);

/* Key and value at once. */
void json_member_string(json_writer *writer, const char *key, const char *text);
void json_member_unsigned(json_writer *writer, const char *key, uint64_t value);
void json_member_double(json_writer *writer, const char *key, double value);
void json_member_bool(json_writer *writer, const char *key, bool value);

#endif
