/* A request as one string of bytes: what its digest is taken of, and what is kept until the job has ended.
 *
 * "cuzkreq1", then in this order: u32 proof_kind, u32 priority, u64 sector_size, u64 registered_proof, u64 sector_number,
 * u64 miner_id, u32 partition_index, then request_id, randomness, comm_r_old, comm_r_new, comm_d_new, vanilla_proof as u64
 * length and bytes each, u64 vanilla_proof_count and that many vanilla_proofs in the same way. All little-endian. Equal
 * requests have equal bytes and different ones different bytes. */
#ifndef ENGINE_REQUEST_CODEC_H
#define ENGINE_REQUEST_CODEC_H

#include <stdbool.h>

#include "base/error.h"
#include "cuzk/request.h"

enum { REQUEST_DIGEST_BYTES = 32 };

/* Takes the next bytes; false stops the encoding. */
typedef bool (*byte_sink)(void *context, const void *bytes, size_t length);

/* Hands the encoding to sink piece by piece; false as soon as sink says so. */
bool request_encode(const cuzk_request *request, byte_sink sink, void *context);
/* Bytes of the encoding. */
uint64_t request_encoded_bytes(const cuzk_request *request);
/* SHA-256 of the encoding. */
void request_digest(uint8_t digest[REQUEST_DIGEST_BYTES], const cuzk_request *request);
void bytes_digest(uint8_t digest[REQUEST_DIGEST_BYTES], const void *bytes, size_t length);

/* Reads an encoding. request points into bytes, except for the array vanilla_proofs, which request_decoded_free frees.
 * CUZK_BAD_INPUT unless it is one, whole. */
cuzk_status request_decode(cuzk_request *request, const uint8_t *bytes, size_t length, cuzk_error *error);
void request_decoded_free(cuzk_request *request);

/* Checks what does not depend on the kind's formats: known enum numbers, lengths of request_id and of 32-byte fields (that
 * or empty), number and sum of sizes (at most maximum_bytes). CUZK_BAD_INPUT names the field, found and expected. */
cuzk_status request_check(const cuzk_request *request, uint64_t maximum_bytes, cuzk_error *error);

/* A request_id for eyes: at most capacity - 1 printable ASCII characters, without those that SQL, HTML and shells
 * interpret; "..." at the end if it was cut. */
void request_label(char *label, size_t capacity, cuzk_bytes request_id);

#endif
