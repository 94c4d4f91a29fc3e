#include "filecoin/job.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "filecoin/challenges.h"
#include "filecoin/hashes.h"
#include "filecoin/vanilla_bincode.h"

/* --- Fields --- */

/* Another kind that has this number, for the message. */
static const registered_proof *namesake(proof_kind kind, uint64_t value) {
    static const proof_kind alike[PROOF_KIND_COUNT] = {PROOF_SNAP, PROOF_WINDOW, PROOF_WINNING, PROOF_POREP};
    return registered_proof_find(alike[kind], value);
}

static cuzk_status find_proof(proof_job *result, const proof_request *request, cuzk_error *error) {
    result->proof = registered_proof_find(request->kind, request->registered_proof);
    const char *kind = proof_kind_request_name(request->kind);
    if (result->proof == NULL) {
        static const char *const ranges[PROOF_KIND_COUNT] = {"0 to 19", "0 to 4", "5 to 14", "0 to 4"};
        const registered_proof *other = namesake(request->kind, request->registered_proof);
        return failure(error, CUZK_BAD_INPUT, "registered_proof: found %" PRIu64 "%s%s%s, expected %s as proof_kind is %s",
                       request->registered_proof, other ? " (" : "", other ? other->name : "", other ? ")" : "",
                       ranges[request->kind], kind);
    }
    if (request->sector_size != 0 && request->sector_size != result->proof->shape->bytes)
        return failure(error, CUZK_BAD_INPUT,
                       "sector_size: found %" PRIu64 ", expected %" PRIu64 " as registered_proof is %" PRIu64 " (%s)",
                       request->sector_size, result->proof->shape->bytes, request->registered_proof, result->proof->name);
    result->sector_number = request->sector_number.value;
    result->miner_id = request->miner_id.value;
    result->partition_count = registered_proof_partitions(result->proof);
    return CUZK_OK;
}

/* A field that must be there and be a field element. */
static cuzk_status read_element(fr *value, const char *field, const optional_bytes32 *bytes, cuzk_error *error) {
    if (!bytes->given)
        return failure(error, CUZK_BAD_INPUT, "%s: found nothing, expected 32 bytes", field);
    if (!fr_from_bytes(value, bytes->bytes))
        return failure(error, CUZK_BAD_INPUT, "%s: found a value that is not below the field's order", field);
    return CUZK_OK;
}

/* 32 bytes that may be stated and must then agree. */
static cuzk_status check_bytes(const char *field, const optional_bytes32 *found, const uint8_t expected[32], const char *origin,
                               cuzk_error *error) {
    if (!found->given || memcmp(found->bytes, expected, 32) == 0)
        return CUZK_OK;
    char found_text[65], expected_text[65];
    hex_encode(found_text, found->bytes, 32);
    hex_encode(expected_text, expected, 32);
    return failure(error, CUZK_BAD_INPUT, "%s: found %s, expected %s, which %s", field, found_text, expected_text, origin);
}

static cuzk_status check_prover_id(const proof_request *request, cuzk_error *error) {
    uint8_t prover_id[32];
    if (!request->miner_id.given)
        return CUZK_OK;
    prover_id_of_miner(prover_id, request->miner_id.value);
    return check_bytes("prover_id", &request->prover_id, prover_id, "miner_id gives", error);
}

/* Puts the name of what an error is about in front of it. */
static cuzk_status within(const char *name, cuzk_status status, cuzk_error *error) {
    return status == CUZK_OK || name == NULL ? status : failure_within(error, status, "%s: ", name);
}

static cuzk_status within_proof(const proof_request *request, size_t index, cuzk_status status, cuzk_error *error) {
    const char *name = request->vanilla_name ? request->vanilla_name : "vanilla_proofs";
    return status == CUZK_OK ? CUZK_OK : failure_within(error, status, "%s[%zu]: ", name, index);
}

static cuzk_status check_proof_count(const proof_request *request, size_t least, size_t most, cuzk_error *error) {
    const char *name = request->vanilla_name ? request->vanilla_name : "vanilla_proofs";
    size_t found = request->vanilla_proof_count;
    if (found >= least && found <= most)
        return CUZK_OK;
    if (least == most)
        return failure(error, CUZK_BAD_INPUT, "%s: found %zu proofs, expected %zu", name, found, most);
    return failure(error, CUZK_BAD_INPUT, "%s: found %zu proofs, expected %zu to %zu", name, found, least, most);
}

/* --- PoRep --- */

/* What request and C1 output say twice must be equal. */
static cuzk_status check_porep(proof_job *result, const proof_request *request, cuzk_error *error) {
    const c1_output *c1 = &result->c1;
    static const char origin[] = "the C1 output has";
    if (c1->proof != result->proof)
        return failure(error, CUZK_BAD_INPUT, "registered_proof: found %u (%s), expected %u (%s), which %s",
                       result->proof->number, result->proof->name, c1->proof->number, c1->proof->name, origin);
    if (c1->has_sector_number && request->sector_number.given && c1->sector_number != request->sector_number.value)
        return failure(error, CUZK_BAD_INPUT, "sector_number: found %" PRIu64 ", expected %" PRIu64 ", which %s as SectorNum",
                       request->sector_number.value, c1->sector_number, origin);
    if (!request->sector_number.given)
        result->sector_number = c1->sector_number;
    uint8_t porep_id[32], prover_id[32], replica_id[32];
    registered_proof_porep_id(porep_id, c1->proof);
    TRY(check_bytes("comm_r", &request->comm_r, c1->statement.comm_r, origin, error));
    TRY(check_bytes("comm_d", &request->comm_d, c1->statement.comm_d, origin, error));
    TRY(check_bytes("replica_id", &request->replica_id, c1->statement.replica_id, origin, error));
    TRY(check_bytes("seed", &request->seed, c1->statement.seed, origin, error));
    TRY(check_bytes("ticket", &request->ticket, c1->ticket, origin, error));
    TRY(check_bytes("porep_id", &request->porep_id, porep_id, "registered_proof gives", error));
    if (!request->miner_id.given || !(request->sector_number.given || c1->has_sector_number))
        return CUZK_OK;
    prover_id_of_miner(prover_id, result->miner_id);
    compute_replica_id(replica_id, prover_id, result->sector_number, c1->ticket, c1->statement.comm_d, porep_id);
    if (memcmp(replica_id, c1->statement.replica_id, 32) != 0)
        return failure(error, CUZK_BAD_INPUT,
                       "miner_id: found %" PRIu64 " with sector_number %" PRIu64 ", which do not give the C1 output's replica_id",
                       result->miner_id, result->sector_number);
    return CUZK_OK;
}

static cuzk_status read_porep(proof_job *result, const proof_request *request, cuzk_error *error) {
    const char *name = request->vanilla_name ? request->vanilla_name : "vanilla_proof";
    TRY(within(name, c1_parse(&result->c1, request->vanilla_proof.bytes, request->vanilla_proof.size, error), error));
    return within(request->name, check_porep(result, request, error), error);
}

/* --- PoSt --- */

/* The sector's place in what the job file states, if it states sectors. */
static cuzk_status check_stated_sector(const post_sector_proof *proof, const stated_sector *stated, cuzk_error *error) {
    uint8_t comm_r[32];
    fr_to_bytes(comm_r, &proof->comm_r);
    if (stated->number != proof->sector_number)
        return failure(error, CUZK_BAD_INPUT, "found sector %" PRIu64 ", expected %" PRIu64 ", which the job states",
                       proof->sector_number, stated->number);
    if (memcmp(comm_r, stated->comm_r, 32) != 0)
        return failure(error, CUZK_BAD_INPUT, "comm_r: found another value than the job states");
    for (unsigned i = 0; i < stated->challenge_count; i++)
        if (i >= proof->path_count || stated->challenges[i] != proof->paths[i].index)
            return failure(error, CUZK_BAD_INPUT, "found challenges that differ from those that the job states");
    return CUZK_OK;
}

/* The paths must open the leaves that a verifier will ask for, of the tree that the sector states. */
static cuzk_status check_post_paths(const proof_job *job, const post_sector_proof *proof, size_t position, cuzk_error *error) {
    bool winning = job->proof->kind == PROOF_WINNING;
    position += job->partition_index * post_circuit_sectors(job->proof->kind, job->proof->shape);
    for (unsigned i = 0; i < proof->path_count; i++) {
        uint64_t index = winning ? post_challenge_index(job->proof, i, 0) : post_challenge_index(job->proof, position, i);
        uint64_t leaf = post_leaf_challenge(job->proof->shape, job->randomness, proof->sector_number, index);
        if (proof->paths[i].index != leaf)
            return failure(error, CUZK_BAD_INPUT,
                           "inclusion_proofs[%u]: found leaf %" PRIu64 ", expected %" PRIu64
                           ", which randomness, sector %" PRIu64 "%s give",
                           i, proof->paths[i].index, leaf, proof->sector_number,
                           winning || job->proof->api == API_V1_2 ? "" : " and its position");
        if (!fr_equal(&proof->paths[i].root, &proof->comm_r_last))
            return failure(error, CUZK_BAD_INPUT, "inclusion_proofs[%u].root: found another value than in comm_r_last", i);
    }
    return CUZK_OK;
}

/* A sector may stand twice where its challenges do not depend on its position (the reference takes the first proof). */
static cuzk_status check_repetition(const proof_job *job, size_t position, cuzk_error *error) {
    const post_sector_proof *proof = job->sectors[position];
    for (size_t i = 0; i < position; i++) {
        if (job->sectors[i]->sector_number != proof->sector_number)
            continue;
        if (job->proof->api != API_V1_2)
            return failure(error, CUZK_BAD_INPUT, "found sector %" PRIu64 " again, which %s does not allow", proof->sector_number,
                           job->proof->name);
        if (!fr_equal(&job->sectors[i]->comm_r, &proof->comm_r))
            return failure(error, CUZK_BAD_INPUT, "found sector %" PRIu64 " again with another comm_r", proof->sector_number);
        return CUZK_OK;
    }
    return CUZK_OK;
}

static cuzk_status read_sector(proof_job *result, const proof_request *request, size_t position, cuzk_error *error) {
    const byte_view *bytes = &request->vanilla_proofs[position];
    post_sector_proof *proof;
    TRY(decode_post_sector_proof(&proof, result->proof->kind, result->proof->shape, bytes->bytes, bytes->size, error));
    result->sectors[result->sector_count++] = proof;
    result->public_sectors[position] = (post_public_sector){.number = proof->sector_number, .comm_r = proof->comm_r};
    if (request->sectors != NULL)
        TRY(check_stated_sector(proof, &request->sectors[position], error));
    TRY(check_post_paths(result, proof, position, error));
    return check_repetition(result, position, error);
}

static cuzk_status read_post_fields(proof_job *result, const proof_request *request, cuzk_error *error) {
    fr randomness;
    TRY(read_element(&randomness, "randomness", &request->randomness, error));
    memcpy(result->randomness, request->randomness.bytes, 32);
    if (result->proof->kind == PROOF_WINNING && request->partition_index != 0)
        return failure(error, CUZK_BAD_INPUT, "partition_index: found %" PRIu64 ", expected 0 as proof_kind is WINNING_POST",
                       request->partition_index);
    if (request->partition_index > UINT32_MAX)
        return failure(error, CUZK_BAD_INPUT, "partition_index: found %" PRIu64 ", expected at most %" PRIu32,
                       request->partition_index, UINT32_MAX);
    result->partition_index = request->partition_index;
    if (request->sectors != NULL && request->sector_count != request->vanilla_proof_count)
        return failure(error, CUZK_BAD_INPUT, "sectors: found %zu, expected %zu, one for each vanilla proof",
                       request->sector_count, request->vanilla_proof_count);
    return check_prover_id(request, error);
}

static cuzk_status read_post(proof_job *result, const proof_request *request, cuzk_error *error) {
    size_t most = result->proof->kind == PROOF_WINNING ? 1 : result->proof->shape->window_sectors;
    TRY(check_proof_count(request, 1, most, error));
    TRY(within(request->name, read_post_fields(result, request, error), error));
    result->sectors = allocate(request->vanilla_proof_count, sizeof *result->sectors);
    result->public_sectors = allocate(request->vanilla_proof_count, sizeof *result->public_sectors);
    for (size_t i = 0; i < request->vanilla_proof_count; i++)
        TRY(within_proof(request, i, read_sector(result, request, i, error), error));
    return CUZK_OK;
}

/* --- SnapDeals --- */

/* What a path of a challenge must be. */
typedef struct {
    unsigned challenge;
    uint64_t leaf;
    const char *name;  /* of the path */
    const fr *root;
    const char *origin; /* of the root */
} expected_path;

static cuzk_status check_snap_path(const merkle_path *path, const expected_path *expected, cuzk_error *error) {
    if (path->index != expected->leaf)
        return failure(error, CUZK_BAD_INPUT,
                       "challenge_proofs[%u].%s: found leaf %" PRIu64 ", expected %" PRIu64
                       ", which comm_r_new and the partition give",
                       expected->challenge, expected->name, path->index, expected->leaf);
    if (!fr_equal(&path->root, expected->root))
        return failure(error, CUZK_BAD_INPUT, "challenge_proofs[%u].%s.root: found another value than expected, %s",
                       expected->challenge, expected->name, expected->origin);
    return CUZK_OK;
}

static cuzk_status check_snap_partition(const proof_job *job, unsigned partition, cuzk_error *error) {
    static const char first_root[] = "that of the first challenge";
    const snap_partition_proof *proof = job->partitions[partition];
    const snap_challenge_proof *first = &job->partitions[0]->challenges[0];
    uint64_t leaves[MAX_SNAP_CHALLENGES];
    if (!fr_equal(&proof->comm_c, &job->partitions[0]->comm_c))
        return failure(error, CUZK_BAD_INPUT, "comm_c: found another value than in the first partition");
    snap_challenges(leaves, job->proof->shape, &job->comm_r_new, partition);
    for (unsigned i = 0; i < job->proof->shape->snap_challenges; i++) {
        const snap_challenge_proof *challenge = &proof->challenges[i];
        const expected_path old = {i, leaves[i], "proof_r_old", &first->replica_old_path.root, first_root};
        const expected_path data = {i, leaves[i], "proof_d_new", &job->comm_d_new, "comm_d_new"};
        const expected_path new = {i, leaves[i], "proof_r_new", &first->replica_new_path.root, first_root};
        TRY(check_snap_path(&challenge->replica_old_path, &old, error));
        TRY(check_snap_path(&challenge->data_new_path, &data, error));
        TRY(check_snap_path(&challenge->replica_new_path, &new, error));
    }
    return CUZK_OK;
}

static cuzk_status read_partition(proof_job *result, const proof_request *request, unsigned partition, cuzk_error *error) {
    const byte_view *bytes = &request->vanilla_proofs[partition];
    TRY(decode_snap_partition_proof(&result->partitions[partition], result->proof->shape, bytes->bytes, bytes->size, error));
    return check_snap_partition(result, partition, error);
}

static cuzk_status read_snap_fields(proof_job *result, const proof_request *request, cuzk_error *error) {
    TRY(read_element(&result->comm_r_old, "comm_r_old", &request->comm_r_old, error));
    TRY(read_element(&result->comm_r_new, "comm_r_new", &request->comm_r_new, error));
    TRY(read_element(&result->comm_d_new, "comm_d_new", &request->comm_d_new, error));
    return check_prover_id(request, error);
}

static cuzk_status read_snap(proof_job *result, const proof_request *request, cuzk_error *error) {
    TRY(check_proof_count(request, result->partition_count, result->partition_count, error));
    TRY(within(request->name, read_snap_fields(result, request, error), error));
    result->partitions = allocate_zeroed(result->partition_count, sizeof *result->partitions);
    for (unsigned i = 0; i < result->partition_count; i++)
        TRY(within_proof(request, i, read_partition(result, request, i, error), error));
    return CUZK_OK;
}

/* --- All kinds --- */

static cuzk_status read_request(proof_job *result, const proof_request *request, cuzk_error *error) {
    TRY(within(request->name, find_proof(result, request, error), error));
    switch (request->kind) {
    case PROOF_POREP: return read_porep(result, request, error);
    case PROOF_SNAP: return read_snap(result, request, error);
    case PROOF_WINNING:
    case PROOF_WINDOW: break;
    }
    return read_post(result, request, error);
}

cuzk_status job_from_request(proof_job *result, const proof_request *request, cuzk_error *error) {
    *result = (proof_job){0};
    cuzk_status status = read_request(result, request, error);
    if (status != CUZK_OK)
        job_free(result);
    return status;
}

void job_free(proof_job *job) {
    c1_free(&job->c1);
    for (size_t i = 0; i < job->sector_count; i++)
        free(job->sectors[i]);
    free(job->sectors);
    free(job->public_sectors);
    for (unsigned i = 0; job->partitions != NULL && i < job->partition_count; i++)
        free(job->partitions[i]);
    free(job->partitions);
    memset(job, 0, sizeof *job);
}

cuzk_status job_circuit(filecoin_circuit *result, const proof_job *job, unsigned partition, cuzk_error *error) {
    fr replica_id, comm_d, comm_r;
    switch (job->proof->kind) {
    case PROOF_POREP:
        /* Canonical, as c1_parse has found. */
        fr_from_bytes(&replica_id, job->c1.statement.replica_id);
        fr_from_bytes(&comm_d, job->c1.statement.comm_d);
        fr_from_bytes(&comm_r, job->c1.statement.comm_r);
        return porep_circuit_init(&result->porep, job->c1.partitions[partition], &replica_id, &comm_d, &comm_r, error);
    case PROOF_SNAP:
        return update_circuit_init(&result->update, job->partitions[partition], partition, &job->comm_r_old, &job->comm_d_new,
                                   &job->comm_r_new, error);
    case PROOF_WINNING:
    case PROOF_WINDOW: break;
    }
    return post_circuit_init(&result->post, job->proof->kind, (const post_sector_proof *const *)job->sectors,
                             job->sector_count, error);
}

unsigned job_public_input_count(const proof_job *job) {
    switch (job->proof->kind) {
    case PROOF_POREP: return porep_public_input_count(job->proof->shape);
    case PROOF_SNAP: return SNAP_PUBLIC_INPUTS;
    case PROOF_WINNING:
    case PROOF_WINDOW: break;
    }
    return post_public_input_count(job->proof->kind, job->proof->shape);
}

void job_public_inputs(fr *inputs, const proof_job *job, unsigned partition) {
    switch (job->proof->kind) {
    case PROOF_POREP: porep_public_inputs(inputs, job->proof, &job->c1.statement, partition); break;
    case PROOF_SNAP:
        snap_public_inputs(inputs, job->proof->shape, partition, &job->comm_r_old, &job->comm_d_new, &job->comm_r_new);
        break;
    case PROOF_WINNING:
    case PROOF_WINDOW:
        post_public_inputs(inputs, job->proof, job->randomness, job->partition_index, job->public_sectors, job->sector_count);
        break;
    }
}
