/* Commitments as people write them: 64 hexadecimal digits, or a CID ("bagboea4b5abc..."), whose multihash has the 32 bytes. */
#ifndef FILECOIN_COMMITMENT_TEXT_H
#define FILECOIN_COMMITMENT_TEXT_H

#include "base/error.h"

#include <stdint.h>

typedef enum {
    COMMITMENT_DATA,   /* comm_d: codec fil-commitment-unsealed (0xf101), hash sha2-256-trunc254-padded (0x1012) */
    COMMITMENT_REPLICA /* comm_r: codec fil-commitment-sealed (0xf102), hash poseidon-bls12_381-a2-fc1 (0xb401) */
} commitment_kind;

/* Reads hexadecimal digits, with or without "0x", or a CID of version 1 in base32 lower case, of this kind.
 * CUZK_BAD_INPUT, beginning with name, for anything else. */
cuzk_status commitment_parse(uint8_t commitment[32], commitment_kind kind, const char *text, const char *name, cuzk_error *error);

/* Reads a file of two words, "d:<CID>" and "r:<CID>" (commdr.txt). comm_d or comm_r may be NULL. CUZK_NOT_FOUND, or
 * CUZK_BAD_INPUT naming the file. */
cuzk_status commitments_read(uint8_t comm_d[32], uint8_t comm_r[32], const char *path, cuzk_error *error);

/* What a command line gives: a commitment as commitment_parse reads it, or the path of a file as commitments_read does. */
cuzk_status commitment_argument(uint8_t commitment[32], commitment_kind kind, const char *text, const char *name,
                                cuzk_error *error);

/* Writes the CID, whose length is below COMMITMENT_CID_CAPACITY. */
enum { COMMITMENT_CID_CAPACITY = 72 };
void commitment_cid(char text[COMMITMENT_CID_CAPACITY], commitment_kind kind, const uint8_t commitment[32]);

#endif
