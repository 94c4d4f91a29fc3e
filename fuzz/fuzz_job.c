/* Requests for proofs of any kind: what is accepted has a circuit and public inputs. The first bytes are the request's fields,
 * the rest its vanilla proofs, all of one length. */
#include <stdlib.h>
#include <string.h>

#include "filecoin/job.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { KIND, REGISTERED_PROOF, PARTITION, PROOF_COUNT, GIVEN, FIRST_HASH = 8, HASHES = 3, PROOFS = FIRST_HASH + HASHES * 32 };

static optional_bytes32 hash_at(const uint8_t *data, unsigned i) {
    optional_bytes32 hash = {.given = (data[GIVEN] >> i & 1) == 0};
    memcpy(hash.bytes, data + FIRST_HASH + i * 32, 32);
    return hash;
}

static void use_job(const proof_job *job) {
    unsigned count = job_public_input_count(job);
    fr *inputs = calloc(count, sizeof *inputs);
    for (unsigned k = 0; k < job->partition_count; k++) {
        cuzk_error error = {0};
        filecoin_circuit c;
        job_public_inputs(inputs, job, k);
        if (job_circuit(&c, job, k, &error) != CUZK_OK && error.message[0] == 0)
            __builtin_trap();
    }
    free(inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < PROOFS)
        return 0;
    size_t count = data[PROOF_COUNT] % 4, length = count > 0 ? (size - PROOFS) / count : 0;
    byte_view proofs[4] = {0};
    for (size_t i = 0; i < count; i++)
        proofs[i] = (byte_view){data + PROOFS + i * length, length};
    const proof_request request = {.kind = (proof_kind)(data[KIND] % PROOF_KIND_COUNT),
                                   .registered_proof = data[REGISTERED_PROOF],
                                   .partition_index = data[PARTITION],
                                   .sector_number = {data[GIVEN] & 0x40, 16},
                                   .miner_id = {data[GIVEN] & 0x80, 1001},
                                   .randomness = hash_at(data, 0),
                                   .comm_r_old = hash_at(data, 0),
                                   .comm_r_new = hash_at(data, 1),
                                   .comm_d_new = hash_at(data, 2),
                                   .vanilla_proof = {data + PROOFS, size - PROOFS},
                                   .vanilla_proofs = proofs,
                                   .vanilla_proof_count = count};
    cuzk_error error = {0};
    proof_job job;
    if (job_from_request(&job, &request, &error) == CUZK_OK) {
        use_job(&job);
        job_free(&job);
    } else if (error.message[0] == 0) {
        __builtin_trap();
    }
    return 0;
}
