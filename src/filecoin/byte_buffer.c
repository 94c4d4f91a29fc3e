#include "filecoin/byte_buffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"

uint8_t *byte_buffer_extend(byte_buffer *buffer, size_t count) {
    size_t needed = buffer->count + count;
    if (needed > buffer->capacity) {
        buffer->capacity = needed > 2 * buffer->capacity ? needed : 2 * buffer->capacity;
        buffer->bytes = reallocate(buffer->bytes, buffer->capacity, 1);
    }
    uint8_t *added = buffer->bytes + buffer->count;
    buffer->count = needed;
    return added;
}

void byte_buffer_append(byte_buffer *buffer, const void *bytes, size_t count) {
    if (count > 0)
        memcpy(byte_buffer_extend(buffer, count), bytes, count);
}

void byte_buffer_append_text(byte_buffer *buffer, const char *text) { byte_buffer_append(buffer, text, strlen(text)); }

void byte_buffer_append_u32_le(byte_buffer *buffer, uint32_t value) { store_u32_le(byte_buffer_extend(buffer, 4), value); }

void byte_buffer_append_u64_le(byte_buffer *buffer, uint64_t value) { store_u64_le(byte_buffer_extend(buffer, 8), value); }

void byte_buffer_append_decimal(byte_buffer *buffer, uint64_t value) {
    enum { MAX_DIGITS = 20 };
    uint8_t digits[MAX_DIGITS];
    size_t first = MAX_DIGITS;
    do
        digits[--first] = (uint8_t)('0' + value % 10);
    while (value /= 10);
    byte_buffer_append(buffer, digits + first, MAX_DIGITS - first);
}

void byte_buffer_append_base64(byte_buffer *buffer, const uint8_t *bytes, size_t count) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint8_t *text = byte_buffer_extend(buffer, (count + 2) / 3 * 4);
    for (; count > 0; text += 4) {
        size_t taken = count < 3 ? count : 3;
        uint32_t bits = (uint32_t)bytes[0] << 16 | (taken > 1 ? (uint32_t)bytes[1] << 8 : 0) | (taken > 2 ? bytes[2] : 0);
        for (unsigned i = 0; i < 4; i++)
            text[i] = i <= taken ? (uint8_t)alphabet[bits >> (18 - 6 * i) & 63] : '=';
        bytes += taken;
        count -= taken;
    }
}

void byte_buffer_free(byte_buffer *buffer) {
    free(buffer->bytes);
    *buffer = (byte_buffer){0};
}
