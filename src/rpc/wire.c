#include "rpc/wire.h"

#include <stdlib.h>
#include <string.h>

enum { ALLOWANCE = 2 << 20, ALLOCATION_OVERHEAD = 16, MAX_DEPTH = 8 };

static bool read_varint(wire_reader *reader, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && reader->at < reader->end; shift += 7) {
        uint8_t byte = *reader->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool read_bytes(wire_reader *reader, wire_field *field, uint64_t length) {
    if (length > (size_t)(reader->end - reader->at))
        return false;
    field->data = reader->at;
    field->length = (size_t)length;
    reader->at += length;
    return true;
}

static bool read_field(wire_reader *reader, wire_field *field) {
    uint64_t tag, length;
    *field = (wire_field){0};
    if (!read_varint(reader, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
        return false;
    field->number = (uint32_t)(tag >> 3);
    field->type = (unsigned)(tag & 7);
    switch (field->type) {
    case 0: return read_varint(reader, &field->value);
    case 1: return read_bytes(reader, field, 8);
    case 2: return read_varint(reader, &length) && read_bytes(reader, field, length);
    case 5: return read_bytes(reader, field, 4);
    default: return false; /* groups: proto3 has none */
    }
}

wire_reader wire_read(const uint8_t *data, size_t length) {
    static const uint8_t nothing[1];
    const uint8_t *start = length ? data : nothing;
    return (wire_reader){.at = start, .end = start + length};
}

bool wire_next(wire_reader *reader, wire_field *field) {
    if (reader->malformed || reader->at == reader->end)
        return false;
    reader->malformed = !read_field(reader, field);
    return !reader->malformed;
}

bool utf8_valid(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length;) {
        uint8_t first = bytes[i++];
        if (first < 0x80)
            continue;
        size_t more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : 1;
        if (first < 0xc2 || first > 0xf4 || length - i < more)
            return false;
        uint8_t second = bytes[i];
        uint8_t lowest = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
        uint8_t highest = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
        if (second < lowest || second > highest)
            return false;
        for (size_t k = 1; k < more; k++)
            if ((bytes[i + k] & 0xc0) != 0x80)
                return false;
        i += more;
    }
    return true;
}

static cuzk_status check_string(const ProtobufCFieldDescriptor *field, const wire_field *found, cuzk_error *error) {
    if (!utf8_valid(found->data, found->length))
        return failure(error, CUZK_BAD_INPUT, "%s: found %zu bytes that are not UTF-8, expected text", field->name,
                       found->length);
    if (found->length && memchr(found->data, 0, found->length))
        return failure(error, CUZK_BAD_INPUT, "%s: found a NUL character, expected text without", field->name);
    return CUZK_OK;
}

static cuzk_status check_strings(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t length, int depth,
                                 cuzk_error *error) {
    wire_reader reader = wire_read(data, length);
    wire_field found;
    if (depth > MAX_DEPTH)
        return failure(error, CUZK_BAD_INPUT, "found messages nested deeper than %d", MAX_DEPTH);
    while (wire_next(&reader, &found)) {
        if (found.type != 2)
            continue;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(descriptor, found.number);
        if (field && field->type == PROTOBUF_C_TYPE_STRING)
            TRY(check_string(field, &found, error));
        else if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
            TRY(check_strings(field->descriptor, found.data, found.length, depth + 1, error));
    }
    if (reader.malformed)
        return failure(error, CUZK_BAD_INPUT, "found bytes that are not a %s message", descriptor->short_name);
    return CUZK_OK;
}

static void *bounded_alloc(void *data, size_t size) {
    bounded_allocator *allocator = data;
    size_t charge = size + ALLOCATION_OVERHEAD;
    if (charge < size || charge > allocator->left) {
        allocator->refused = true;
        return NULL;
    }
    allocator->left -= charge;
    return malloc(size);
}

static void bounded_free(void *data, void *memory) {
    (void)data;
    free(memory);
}

cuzk_status message_unpack(ProtobufCMessage **message, bounded_allocator *allocator, const ProtobufCMessageDescriptor *descriptor,
                           const uint8_t *data, size_t length, cuzk_error *error) {
    static const uint8_t nothing[1];
    *message = NULL;
    TRY(check_strings(descriptor, data, length, 0, error));
    *allocator = (bounded_allocator){.base = {.alloc = bounded_alloc, .free = bounded_free}, .left = length + ALLOWANCE};
    allocator->base.allocator_data = allocator;
    *message = protobuf_c_message_unpack(descriptor, &allocator->base, length, length ? data : nothing);
    if (*message)
        return CUZK_OK;
    if (allocator->refused)
        return failure(error, CUZK_BAD_INPUT, "found %s with more fields than %zu bytes of it may hold", descriptor->short_name,
                       length);
    return failure(error, CUZK_BAD_INPUT, "found bytes that are not a %s message", descriptor->short_name);
}

void message_free(ProtobufCMessage *message, bounded_allocator *allocator) {
    if (message)
        protobuf_c_message_free_unpacked(message, &allocator->base);
}
