/* Base64 as RFC 4648 section 4 defines it: the standard alphabet, padded, no line breaks. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that length characters can decode to, at most. */
static inline size_t base64_capacity(size_t length) { return length / 4 * 3; }

/* Decodes a whole text: its length must be a multiple of 4, padding may stand only at its end, and the bits that padding
 * leaves unused must be zero. On success *count is the number of bytes; otherwise *bad is the position of the first
 * character that does not fit (length if the text is cut short). bytes holds base64_capacity(length). */
bool base64_decode(uint8_t *bytes, size_t *count, const char *text, size_t length, size_t *bad);

/* The same for a part of a longer text: length is a multiple of 4 and there is no padding. */
bool base64_decode_part(uint8_t *bytes, const char *text, size_t length, size_t *bad);

#endif
