/* Bytes that grow: serialized proofs before they go to a file. */
#ifndef FILECOIN_BYTE_BUFFER_H
#define FILECOIN_BYTE_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* {0} is empty. Free with byte_buffer_free. */
typedef struct {
    uint8_t *bytes;
    size_t count, capacity;
} byte_buffer;

/* Makes room for count more bytes and returns where they go; they count as appended. */
uint8_t *byte_buffer_extend(byte_buffer *buffer, size_t count);

void byte_buffer_append(byte_buffer *buffer, const void *bytes, size_t count);
void byte_buffer_append_text(byte_buffer *buffer, const char *text);
void byte_buffer_append_u32_le(byte_buffer *buffer, uint32_t value);
void byte_buffer_append_u64_le(byte_buffer *buffer, uint64_t value);
/* In decimal. */
void byte_buffer_append_decimal(byte_buffer *buffer, uint64_t value);
/* RFC 4648's standard alphabet, padded. */
void byte_buffer_append_base64(byte_buffer *buffer, const uint8_t *bytes, size_t count);

/* Frees the bytes and leaves the buffer empty. */
void byte_buffer_free(byte_buffer *buffer);

#endif
