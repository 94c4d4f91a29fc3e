#include "filecoin/sector_proofs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "filecoin/c1_encode.h"
#include "filecoin/hashes.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/post_vanilla.h"
#include "filecoin/sector_files.h"
#include "filecoin/update_vanilla.h"
#include "filecoin/vanilla_encode.h"

static cuzk_status check_commitment(const uint8_t found[32], const uint8_t *expected, const char *name, const char *where,
                                    cuzk_error *error) {
    if (!expected || memcmp(found, expected, 32) == 0)
        return CUZK_OK;
    char found_text[65], expected_text[65];
    hex_encode(found_text, found, 32);
    hex_encode(expected_text, expected, 32);
    return failure(error, CUZK_BAD_INPUT, "%s: its %s is %s, expected %s", where, name, found_text, expected_text);
}

/* Opens into memory of its own, for its address must stay. Free with close_sector. */
static cuzk_status open_sector(sector_files **files, const sector_shape *shape, const sector_location *location, unsigned parts,
                               cuzk_error *error) {
    *files = allocate(1, sizeof **files);
    cuzk_status status = sector_files_open(*files, shape, location->replica_path, location->cache_directory, parts, error);
    if (status != CUZK_OK) {
        free(*files);
        *files = NULL;
        return status;
    }
    uint8_t comm_r[32];
    sector_view_comm_r(comm_r, &(*files)->view);
    return check_commitment(comm_r, location->comm_r, "comm_r", location->cache_directory, error);
}

static void close_sector(sector_files *files) {
    if (files)
        sector_files_close(files);
    free(files);
}

static cuzk_status prove_post(byte_buffer *json, const registered_proof *proof, uint64_t sector_number, uint64_t position,
                              const uint8_t randomness[32], const sector_view *view, thread_pool *pool, cuzk_error *error) {
    uint64_t challenges[WINNING_CHALLENGES];
    post_sector_challenges(challenges, proof, randomness, sector_number, position);
    post_sector_proof *vanilla;
    TRY(post_prove_sector(&vanilla, view, sector_number, challenges, post_sector_challenge_count(proof->kind), pool, error));
    byte_buffer encoded = {0};
    encode_post_sector_proof(&encoded, vanilla);
    begin_proof_list(json);
    append_to_proof_list(json, &encoded);
    end_proof_list(json);
    byte_buffer_free(&encoded);
    free(vanilla);
    return CUZK_OK;
}

cuzk_status sector_post_proof(byte_buffer *json, const registered_proof *proof, uint64_t sector_number, uint64_t position,
                              const uint8_t randomness[32], const sector_location *sector, thread_pool *pool, cuzk_error *error) {
    sector_files *files;
    cuzk_status status = open_sector(&files, proof->shape, sector, 0, error);
    if (status == CUZK_OK)
        status = prove_post(json, proof, sector_number, position, randomness, &files->view, pool, error);
    close_sector(files);
    return status;
}

static cuzk_status prove_update(byte_buffer *json, const sector_view *old, const sector_view *updated, const uint8_t *comm_d_new,
                                const char *where, thread_pool *pool, cuzk_error *error) {
    if (!fr_equal(&old->comm_c, &updated->comm_c))
        return failure(error, CUZK_BAD_INPUT, "%s: the comm_c of its p_aux is not that of the old sector", where);
    fr root;
    uint8_t comm_d[32];
    if (!merkle_source_root(&root, updated->data_tree))
        return failure(error, CUZK_BAD_INPUT, "%s: tree-d: its root is not a field element", where);
    fr_to_bytes(comm_d, &root);
    TRY(check_commitment(comm_d, comm_d_new, "comm_d", where, error));

    snap_partition_proof **proofs;
    TRY(update_prove(&proofs, old, updated, pool, error));
    encode_update_proof_list(json, proofs, old->shape->snap_partitions);
    update_proofs_free(proofs, old->shape->snap_partitions);
    return CUZK_OK;
}

cuzk_status sector_update_proofs(byte_buffer *json, const registered_proof *proof, const sector_location *old,
                                 const sector_location *updated, const uint8_t *comm_d_new, thread_pool *pool,
                                 cuzk_error *error) {
    sector_files *old_files, *updated_files = NULL;
    cuzk_status status = open_sector(&old_files, proof->shape, old, 0, error);
    if (status == CUZK_OK)
        status = open_sector(&updated_files, proof->shape, updated, SECTOR_DATA_TREE, error);
    if (status == CUZK_OK)
        status = prove_update(json, &old_files->view, &updated_files->view, comm_d_new, updated->cache_directory, pool, error);
    close_sector(old_files);
    close_sector(updated_files);
    return status;
}

static cuzk_status prove_c1(byte_buffer *json, const registered_proof *proof, uint64_t miner_id, uint64_t sector_number,
                            const uint8_t ticket[32], const uint8_t seed[32], const sector_view *view, thread_pool *pool,
                            cuzk_error *error) {
    uint8_t comm_d[32], comm_r[32], prover_id[32], porep_id[32], replica_id[32];
    fr root;
    if (!merkle_source_root(&root, view->data_tree))
        return failure(error, CUZK_BAD_INPUT, "tree-d: its root is not a field element");
    fr_to_bytes(comm_d, &root);
    sector_view_comm_r(comm_r, view);
    prover_id_of_miner(prover_id, miner_id);
    registered_proof_porep_id(porep_id, proof);
    compute_replica_id(replica_id, prover_id, sector_number, ticket, comm_d, porep_id);

    porep_partition_proof **partitions;
    TRY(porep_prove(&partitions, proof, view, replica_id, seed, pool, error));
    const c1_contents contents = {.proof = proof,
                                  .sector_number = sector_number,
                                  .comm_r = comm_r,
                                  .comm_d = comm_d,
                                  .replica_id = replica_id,
                                  .seed = seed,
                                  .ticket = ticket,
                                  .partitions = partitions};
    encode_c1_wrapper(json, &contents);
    porep_proofs_free(partitions, registered_proof_partitions(proof));
    return CUZK_OK;
}

cuzk_status sector_c1(byte_buffer *json, const registered_proof *proof, uint64_t miner_id, uint64_t sector_number,
                      const uint8_t ticket[32], const uint8_t seed[32], const sector_location *sector, thread_pool *pool,
                      cuzk_error *error) {
    sector_files *files;
    cuzk_status status = open_sector(&files, proof->shape, sector, SECTOR_DATA_TREE | SECTOR_LABELS, error);
    if (status == CUZK_OK)
        status = prove_c1(json, proof, miner_id, sector_number, ticket, seed, &files->view, pool, error);
    close_sector(files);
    return status;
}
