/* The protobuf wire format, as far as protobuf-c leaves checks to us, and bounded unpacking. */
#ifndef RPC_WIRE_H
#define RPC_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/error.h"

/* One field of a message. Source of the format: https://protobuf.dev/programming-guides/encoding/. */
typedef struct {
    uint32_t number;
    unsigned type;       /* wire type: 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes */
    const uint8_t *data; /* of a length-delimited field, borrowed */
    size_t length;
    uint64_t value; /* of a varint */
} wire_field;

typedef struct {
    const uint8_t *at, *end;
    bool malformed;
} wire_reader;

/* A reader of length bytes; data may be NULL when there are none. */
wire_reader wire_read(const uint8_t *data, size_t length);

/* Moves to the next field. False at the end, and when the bytes are no message (then malformed is set). */
bool wire_next(wire_reader *reader, wire_field *field);

/* True if the bytes are UTF-8 as RFC 3629 has it: no surrogates, no overlong forms, nothing above U+10FFFF. */
bool utf8_valid(const uint8_t *bytes, size_t length);

/* What unpacking may allocate: protobuf-c turns 2 bytes of a hostile message into 50 of memory, so it is counted. */
typedef struct {
    ProtobufCAllocator base;
    size_t left;  /* bytes that may still be allocated */
    bool refused; /* an allocation was turned down */
} bounded_allocator;

/* Unpacks a message after checking every string in it: valid UTF-8 (proto3 asks for it) without NUL (protobuf-c would cut
 * it there). Memory for at most length + 2 MiB is given. CUZK_BAD_INPUT names what is wrong and repeats nothing of the
 * bytes. Free with message_free. */
cuzk_status message_unpack(ProtobufCMessage **message, bounded_allocator *allocator, const ProtobufCMessageDescriptor *descriptor,
                           const uint8_t *data, size_t length, cuzk_error *error);
void message_free(ProtobufCMessage *message, bounded_allocator *allocator);

#endif
