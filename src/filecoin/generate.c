#include "filecoin/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "filecoin/fr32.h"
#include "filecoin/hashes.h"
#include "filecoin/job_write.h"
#include "filecoin/output_directory.h"
#include "filecoin/parallel_try.h"
#include "filecoin/porep_vanilla.h"
#include "filecoin/post_vanilla.h"
#include "filecoin/sector_files.h"
#include "filecoin/sparse_sector.h"
#include "filecoin/update_vanilla.h"
#include "filecoin/vanilla_encode.h"
#include "filecoin/xorshift.h"

/* A run under way. */
typedef struct {
    const generate_options *options;
    const registered_proof *proof;
    xorshift generator;
    thread_pool *pool;
    progress *job;
} generation;

const registered_proof *default_registered_proof(proof_kind kind, const sector_shape *shape) {
    api_version wanted = kind == PROOF_POREP ? API_V1_1 : API_V1_2;
    const registered_proof *chosen = NULL;
    for (size_t i = 0; i < REGISTERED_PROOF_COUNT; i++) {
        const registered_proof *proof = &REGISTERED_PROOFS[i];
        bool fits = proof->kind == kind && proof->shape == shape && proof->feature == POREP_INTERACTIVE;
        if (fits && (!chosen || proof->api == wanted))
            chosen = proof;
    }
    return chosen;
}

/* Sectors under a PoSt or an update were sealed as this. */
static const registered_proof *seal_proof_of(const registered_proof *proof) {
    return proof->kind == PROOF_POREP ? proof : default_registered_proof(PROOF_POREP, proof->shape);
}

/* A freshly sealed sector with what it was sealed from. */
typedef struct {
    uint64_t sector_number;
    uint8_t ticket[32], seed[32];
    big_buffer data; /* before padding */
    sealed_sector sealed;
    stored_sector stored;
    sector_view view;
} made_sector;

static void free_made_sector(made_sector *made) {
    big_buffer_free(&made->data);
    sealed_sector_free(&made->sealed);
}

static cuzk_status draw_data(big_buffer *data, generation *run, cuzk_error *error) {
    TRY(big_buffer_allocate(data, fr32_unpadded_size(run->proof->shape->bytes), 1, "data", error));
    xorshift_bytes(&run->generator, data->data, data->bytes);
    return CUZK_OK;
}

/* Seals the sector that the generator draws next; its address must stay. Free with free_made_sector, after a failure too. */
static cuzk_status make_sector(made_sector *made, generation *run, uint64_t sector_number, cuzk_error *error) {
    const registered_proof *proof = seal_proof_of(run->proof);
    *made = (made_sector){.sector_number = sector_number};
    if (proof->shape->bytes > SEALING_MAX_BYTES)
        return failure(error, CUZK_BAD_INPUT, "a sector of %s cannot be sealed here (1GiB at most); ask for a sparse one",
                       proof->shape->name);
    xorshift_element(&run->generator, made->ticket);
    xorshift_element(&run->generator, made->seed);
    TRY(draw_data(&made->data, run, error));

    seal_parameters parameters = {.shape = proof->shape, .api = proof->api, .sector_number = sector_number};
    registered_proof_porep_id(parameters.porep_id, proof);
    prover_id_of_miner(parameters.prover_id, run->options->miner_id);
    memcpy(parameters.ticket, made->ticket, 32);
    TRY(seal_sector(&made->sealed, &parameters, made->data.data, run->pool, run->job, error));
    return sealed_sector_view(&made->view, &made->stored, &made->sealed, error);
}

/* DIRECTORY/sector-NUMBER, to be freed with free(). */
static char *sector_directory(const generation *run, uint64_t sector_number) {
    char name[32];
    snprintf(name, sizeof name, "sector-%llu", (unsigned long long)sector_number);
    return path_join(run->options->directory, name);
}

/* Writes a sector's files below its directory: data, replica and cache, named as given. sealed or updated is NULL. */
static cuzk_status keep_files(const generation *run, uint64_t sector_number, const sealed_sector *sealed,
                              const updated_sector *updated, const big_buffer *data, cuzk_error *error) {
    if (!run->options->keep_sectors)
        return CUZK_OK;
    char *directory = sector_directory(run, sector_number), *cache = path_join(directory, "cache");
    char *new_cache = path_join(directory, "new-cache"), *replica = path_join(directory, sealed ? "sealed" : "new-sealed");
    cuzk_status status = output_directory_create(directory, error);
    if (status == CUZK_OK)
        status = write_whole_file(directory, sealed ? "piece.data" : "new-piece.data", data->data, data->bytes, error);
    if (status == CUZK_OK && sealed)
        status = sealed_sector_write(sealed, replica, cache, error);
    if (status == CUZK_OK && updated)
        status = updated_sector_write(updated, replica, new_cache, cache, error);
    free(directory);
    free(cache);
    free(new_cache);
    free(replica);
    return status;
}

static cuzk_status keep_sector(const generation *run, const made_sector *made, cuzk_error *error) {
    return keep_files(run, made->sector_number, &made->sealed, NULL, &made->data, error);
}

/* PoRep. */

static cuzk_status write_porep(const generation *run, c1_contents contents, const sector_view *view, cuzk_error *error) {
    porep_partition_proof **partitions;
    TRY(porep_prove(&partitions, run->proof, view, contents.replica_id, contents.seed, run->pool, error));
    contents.proof = run->proof;
    contents.sector_number = run->options->sector_number;
    contents.partitions = partitions;
    cuzk_status status = job_write_porep(run->options->directory, &contents, run->options->miner_id, run->options->sparse, error);
    porep_proofs_free(partitions, registered_proof_partitions(run->proof));
    return status;
}

static cuzk_status generate_sealed_porep(generation *run, cuzk_error *error) {
    made_sector made;
    cuzk_status status = make_sector(&made, run, run->options->sector_number, error);
    if (status == CUZK_OK) {
        const c1_contents contents = {.comm_r = made.sealed.comm_r,
                                      .comm_d = made.sealed.comm_d,
                                      .replica_id = made.sealed.replica_id,
                                      .seed = made.seed,
                                      .ticket = made.ticket};
        status = write_porep(run, contents, &made.view, error);
    }
    if (status == CUZK_OK)
        status = keep_sector(run, &made, error);
    free_made_sector(&made);
    return status;
}

static cuzk_status generate_sparse_porep(generation *run, cuzk_error *error) {
    const generate_options *options = run->options;
    sparse_porep_parameters parameters = {
        .proof = run->proof, .sector_number = options->sector_number, .label_seed = options->seed};
    prover_id_of_miner(parameters.prover_id, options->miner_id);
    xorshift_element(&run->generator, parameters.ticket);
    xorshift_element(&run->generator, parameters.seed);
    sparse_porep_sector sector;
    TRY(sparse_porep_build(&sector, &parameters, run->pool, error));
    const c1_contents contents = {.comm_r = sector.comm_r,
                                  .comm_d = sector.comm_d,
                                  .replica_id = sector.replica_id,
                                  .seed = parameters.seed,
                                  .ticket = parameters.ticket};
    cuzk_status status = write_porep(run, contents, &sector.view, error);
    sparse_porep_free(&sector);
    return status;
}

/* PoSt. */

typedef struct {
    const generation *run;
    uint8_t randomness[32];
    uint64_t sector_count;
    post_job_sector *sectors;
    byte_buffer *proofs;         /* one for each sector, encoded */
    fr empty[MAX_NODE_BITS + 1]; /* of sparse sectors: nodes above zeros */
} post_generation;

static cuzk_status prove_post_sector(post_generation *post, uint64_t index, const sector_view *view, thread_pool *pool,
                                     cuzk_error *error) {
    post_job_sector *sector = &post->sectors[index];
    sector_view_comm_r(sector->comm_r, view);
    post_sector_proof *proof;
    TRY(post_prove_sector(&proof, view, sector->sector_number, sector->challenges,
                          post_sector_challenge_count(post->run->proof->kind), pool, error));
    encode_post_sector_proof(&post->proofs[index], proof);
    free(proof);
    return CUZK_OK;
}

static void set_post_challenges(post_generation *post) {
    const generation *run = post->run;
    uint64_t first = run->options->partition_index * run->proof->shape->window_sectors;
    for (uint64_t i = 0; i < post->sector_count; i++) {
        post_job_sector *sector = &post->sectors[i];
        sector->sector_number = run->options->sector_number + i;
        post_sector_challenges(sector->challenges, run->proof, post->randomness, sector->sector_number, first + i);
    }
}

/* Frees what a PoSt does not open: all but the replica and tree R. */
static void drop_labels(made_sector *made) {
    for (unsigned i = 0; i < MAX_LAYERS; i++)
        big_buffer_free(&made->sealed.layers[i]);
    big_buffer_free(&made->data);
    big_buffer_free(&made->sealed.data_tree);
    big_buffer_free(&made->sealed.column_tree);
    made->view.data_tree = made->view.column_tree = NULL;
    made->view.label = NULL;
}

/* Challenges need the randomness, which is drawn behind all sectors: these are sealed and their views kept until then. */
static cuzk_status generate_sealed_post(generation *run, post_generation *post, cuzk_error *error) {
    made_sector *made = allocate_zeroed(post->sector_count, sizeof *made);
    cuzk_status status = CUZK_OK;
    for (uint64_t i = 0; i < post->sector_count && status == CUZK_OK; i++) {
        status = make_sector(&made[i], run, run->options->sector_number + i, error);
        if (status == CUZK_OK)
            status = keep_sector(run, &made[i], error);
        if (status == CUZK_OK)
            drop_labels(&made[i]);
    }
    xorshift_element(&run->generator, post->randomness);
    set_post_challenges(post);
    for (uint64_t i = 0; i < post->sector_count && status == CUZK_OK; i++)
        status = prove_post_sector(post, i, &made[i].view, run->pool, error);
    for (uint64_t i = 0; i < post->sector_count; i++)
        free_made_sector(&made[i]);
    free(made);
    return status;
}

static cuzk_status make_sparse_post_sector(void *context, size_t index, cuzk_error *error) {
    post_generation *post = context;
    const generation *run = post->run;
    TRY(progress_check(run->job, error));
    const post_job_sector *sector = &post->sectors[index];
    sparse_post_sector sparse;
    sparse_post_build(&sparse, run->proof->shape, post->empty, sector->sector_number, sector->challenges,
                      post_sector_challenge_count(run->proof->kind), run->options->seed);
    cuzk_status status = prove_post_sector(post, index, &sparse.view, NULL, error);
    sparse_post_free(&sparse);
    progress_advance(run->job, 1);
    return status;
}

static cuzk_status generate_sparse_post(generation *run, post_generation *post, cuzk_error *error) {
    xorshift_element(&run->generator, post->randomness);
    set_post_challenges(post);
    merkle_shape tree = replica_tree_shape(run->proof->shape);
    sparse_tree_empty_nodes(post->empty, &tree);
    progress_begin(run->job, "sectors", post->sector_count);
    cuzk_status status = parallel_try(run->pool, post->sector_count, make_sparse_post_sector, post, error);
    progress_end(run->job);
    return status;
}

static cuzk_status write_post(const generation *run, const post_generation *post, cuzk_error *error) {
    byte_buffer list = {0};
    begin_proof_list(&list);
    for (uint64_t i = 0; i < post->sector_count; i++)
        append_to_proof_list(&list, &post->proofs[i]);
    end_proof_list(&list);
    post_job job = {.proof = run->proof,
                    .miner_id = run->options->miner_id,
                    .partition_index = (unsigned)run->options->partition_index,
                    .sectors = post->sectors,
                    .sector_count = post->sector_count,
                    .vanilla_proofs = &list};
    memcpy(job.randomness, post->randomness, 32);
    cuzk_status status = job_write_post(run->options->directory, &job, error);
    byte_buffer_free(&list);
    return status;
}

static cuzk_status generate_post(generation *run, cuzk_error *error) {
    uint64_t count = run->options->sector_count;
    if (run->proof->kind == PROOF_WINNING)
        count = 1;
    else if (count == 0)
        count = run->proof->shape->window_sectors;
    post_generation post = {.run = run,
                            .sector_count = count,
                            .sectors = allocate_zeroed(count, sizeof *post.sectors),
                            .proofs = allocate_zeroed(count, sizeof *post.proofs)};
    cuzk_status status = run->options->sparse ? generate_sparse_post(run, &post, error) : generate_sealed_post(run, &post, error);
    if (status == CUZK_OK)
        status = write_post(run, &post, error);
    for (uint64_t i = 0; i < count; i++)
        byte_buffer_free(&post.proofs[i]);
    free(post.proofs);
    free(post.sectors);
    return status;
}

/* SnapDeals. */

static cuzk_status write_update(const generation *run, const sector_view *old, const sector_view *updated,
                                const uint8_t comm_d_new[32], cuzk_error *error) {
    snap_partition_proof **proofs;
    size_t partitions = run->proof->shape->snap_partitions;
    TRY(update_prove(&proofs, old, updated, run->pool, error));
    byte_buffer list = {0};
    encode_update_proof_list(&list, proofs, partitions);
    update_proofs_free(proofs, partitions);

    uint8_t comm_r_old[32], comm_r_new[32];
    sector_view_comm_r(comm_r_old, old);
    sector_view_comm_r(comm_r_new, updated);
    const update_job job = {.proof = run->proof,
                            .miner_id = run->options->miner_id,
                            .sector_number = run->options->sector_number,
                            .comm_r_old = comm_r_old,
                            .comm_r_new = comm_r_new,
                            .comm_d_new = comm_d_new,
                            .vanilla_proofs = &list};
    cuzk_status status = job_write_update(run->options->directory, &job, error);
    byte_buffer_free(&list);
    return status;
}

static cuzk_status update_made_sector(generation *run, const made_sector *made, cuzk_error *error) {
    big_buffer data;
    updated_sector updated;
    stored_sector stored;
    sector_view view;
    TRY(draw_data(&data, run, error));
    cuzk_status status = update_sector(&updated, &made->view, data.data, run->pool, run->job, error);
    if (status == CUZK_OK)
        status = updated_sector_view(&view, &stored, &updated, error);
    if (status == CUZK_OK)
        status = write_update(run, &made->view, &view, updated.comm_d, error);
    if (status == CUZK_OK)
        status = keep_files(run, made->sector_number, NULL, &updated, &data, error);
    updated_sector_free(&updated);
    big_buffer_free(&data);
    return status;
}

static cuzk_status generate_sealed_update(generation *run, cuzk_error *error) {
    made_sector made;
    cuzk_status status = make_sector(&made, run, run->options->sector_number, error);
    if (status == CUZK_OK)
        status = keep_sector(run, &made, error);
    if (status == CUZK_OK)
        status = update_made_sector(run, &made, error);
    free_made_sector(&made);
    return status;
}

static cuzk_status generate_sparse_update(generation *run, cuzk_error *error) {
    sparse_update_sector sector;
    sparse_update_build(&sector, run->proof->shape, &run->generator, run->pool);
    cuzk_status status = write_update(run, &sector.old, &sector.updated, sector.comm_d_new, error);
    sparse_update_free(&sector);
    return status;
}

static cuzk_status check_options(const generate_options *options, cuzk_error *error) {
    const sector_shape *shape = options->proof->shape;
    bool window = options->proof->kind == PROOF_WINDOW;
    if (window && options->sector_count > shape->window_sectors)
        return failure(error, CUZK_BAD_INPUT,
                       "found %llu sectors, expected at most %u: a WindowPoSt partition of %s holds no more",
                       (unsigned long long)options->sector_count, shape->window_sectors, shape->name);
    if (!window && options->sector_count > 1)
        return failure(error, CUZK_BAD_INPUT, "found %llu sectors, expected one: only WindowPoSt proves several",
                       (unsigned long long)options->sector_count);
    if (!window && options->partition_index > 0)
        return failure(error, CUZK_BAD_INPUT, "found partition %llu, expected none: only WindowPoSt is made by partition",
                       (unsigned long long)options->partition_index);
    if (options->partition_index > UINT32_MAX)
        return failure(error, CUZK_BAD_INPUT, "found partition %llu, expected one below 2^32",
                       (unsigned long long)options->partition_index);
    if (options->sparse && options->keep_sectors)
        return failure(error, CUZK_BAD_INPUT, "a sparse sector cannot be kept: it has no files");
    return CUZK_OK;
}

cuzk_status generate_job(const generate_options *options, thread_pool *pool, progress *job, cuzk_error *error) {
    TRY(check_options(options, error));
    generation run = {
        .options = options, .proof = options->proof, .generator = xorshift_seeded(options->seed), .pool = pool, .job = job};
    switch (options->proof->kind) {
    case PROOF_POREP:
        return options->sparse ? generate_sparse_porep(&run, error) : generate_sealed_porep(&run, error);
    case PROOF_SNAP:
        return options->sparse ? generate_sparse_update(&run, error) : generate_sealed_update(&run, error);
    case PROOF_WINNING:
    case PROOF_WINDOW:
        break;
    }
    return generate_post(&run, error);
}
