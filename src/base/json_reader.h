/* JSON input (RFC 8259), read value by value as a format demands it: no tree is built, and memory does not grow with the
 * document. Over yajl.
 *
 *     json_members members = json_members_of(NAMES, COUNT);
 *     TRY(json_enter_object(reader, error));
 *     for (int member; ;) {
 *         TRY(json_next_member(reader, &members, &member, error));
 *         if (member < 0)
 *             break;
 *         switch (member) { case 0: TRY(json_read_unsigned(reader, UINT64_MAX, &value, error)); ...
 *     }
 *
 * Every error is CUZK_BAD_INPUT (or what the source returned) with the path of the value, what was found and expected,
 * and the position: "sectors[3].comm_r: found 31 bytes, expected 32 (byte 4711)". After an error a reader can only be
 * destroyed. */
#ifndef BASE_JSON_READER_H
#define BASE_JSON_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum {
    JSON_READER_DEPTH = 32, /* objects and arrays inside each other; a deeper document is refused */
    JSON_KEY_CAPACITY = 256 /* with the NUL; a longer key is refused */
};

typedef struct json_reader json_reader;

/* Where a document comes from, piece by piece: sets *data and *size to the next one (size 0: the end). A piece stays
 * valid until the next call, has at most JSON_PIECE_BYTES, and may end anywhere. */
enum { JSON_PIECE_BYTES = 1 << 16 };
typedef cuzk_status (*json_source)(void *context, const uint8_t **data, size_t *size, cuzk_error *error);

/* Never NULL. `what` (static text, or NULL) says of which document positions are, where there are several. */
json_reader *json_reader_create(json_source source, void *context, const char *what);
/* Over a document in memory, which must outlive the reader. Long strings are not copied (unless they have escapes). */
json_reader *json_reader_create_memory(const uint8_t *data, size_t size, const char *what);
void json_reader_destroy(json_reader *reader);

/* Objects. The next key (valid until the object's next key is read), or NULL when the object has ended and is left. */
cuzk_status json_enter_object(json_reader *reader, cuzk_error *error);
cuzk_status json_next_key(json_reader *reader, const char **key, cuzk_error *error);

/* The members that a format knows. Each may occur once. */
typedef struct {
    const char *const *names;
    unsigned count;      /* at most 32 */
    uint32_t optional;   /* bit i: names[i] may be missing */
    bool skip_unknown;   /* others are skipped; else they are errors */
    uint32_t seen;       /* bit i: names[i] has occurred */
} json_members;

/* All of them required, no others allowed. */
static inline json_members json_members_of(const char *const *names, unsigned count) {
    return (json_members){.names = names, .count = count};
}
/* The next member's position in names, or -1 at the object's end, which is left: then all required ones have occurred. */
cuzk_status json_next_member(json_reader *reader, json_members *members, int *member, cuzk_error *error);

/* Arrays. *more says whether there is another element to be read; when false the array has been left. */
cuzk_status json_enter_array(json_reader *reader, cuzk_error *error);
cuzk_status json_next_element(json_reader *reader, bool *more, cuzk_error *error);
/* The same for an array that must have exactly count elements, `read` of which have been read. */
cuzk_status json_next_of(json_reader *reader, uint64_t read, uint64_t count, bool *more, cuzk_error *error);

/* Values. An integer is digits alone (no sign, fraction or exponent), at most maximum. */
cuzk_status json_read_unsigned(json_reader *reader, uint64_t maximum, uint64_t *value, cuzk_error *error);
cuzk_status json_read_bool(json_reader *reader, bool *value, cuzk_error *error);
/* UTF-8 without a NUL behind it; valid until the reader's next call. It may contain NULs. */
cuzk_status json_read_string(json_reader *reader, const char **text, size_t *length, cuzk_error *error);
/* Copies a string and a NUL to text; one that is longer than capacity - 1, or contains a NUL, is an error. */
cuzk_status json_read_text(json_reader *reader, char *text, size_t capacity, cuzk_error *error);
/* An array of exactly count integers from 0 to 255. */
cuzk_status json_read_bytes(json_reader *reader, uint8_t *bytes, size_t count, cuzk_error *error);
/* A string of exactly 2 * count hexadecimal digits, with or without "0x" in front. */
cuzk_status json_read_hex(json_reader *reader, uint8_t *bytes, size_t count, cuzk_error *error);
/* Any value. */
cuzk_status json_skip(json_reader *reader, cuzk_error *error);
/* Nothing may follow but white space. */
cuzk_status json_read_end(json_reader *reader, cuzk_error *error);

/* An error about the value that was read last (or is being read): its path, ": ", the message (printf format) and the
 * position. Returns CUZK_BAD_INPUT. */
cuzk_status json_failure(const json_reader *reader, cuzk_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
