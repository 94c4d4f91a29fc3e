/* cuzk-bench gen-vanilla KIND: vanilla proofs of sectors that exist on disk. Test sectors are cuzk gen-vanilla's business. */
#include <string.h>

#include "base/bytes.h"
#include "base/mapped_file.h"
#include "command.h"
#include "filecoin/commitment_text.h"
#include "filecoin/sector_proofs.h"

typedef struct {
    uint64_t registered_proof, sector_number, position, miner_id, threads;
    const char *randomness, *comm_r, *replica, *cache;       /* PoSt */
    const char *original, *updated, *key, *key_cache, *new_replica, *new_cache; /* SnapDeals */
    const char *out;
} gen_vanilla_arguments;

static cuzk_status require(const char *value, const char *name, cuzk_error *error) {
    return value ? CUZK_OK : failure(error, CUZK_BAD_INPUT, "--%s: found nothing, expected a value; see --help", name);
}

static cuzk_status prove_post(byte_buffer *json, const registered_proof *proof, const gen_vanilla_arguments *a, thread_pool *pool,
                              cuzk_error *error) {
    uint8_t randomness[32], comm_r[32];
    TRY(require(a->randomness, "randomness", error));
    TRY(require(a->comm_r, "comm-r", error));
    TRY(require(a->replica, "sealed", error));
    TRY(require(a->cache, "cache", error));
    if (!hex_decode(randomness, sizeof randomness, a->randomness))
        return failure(error, CUZK_BAD_INPUT, "--randomness: found %s, expected 64 hexadecimal digits", a->randomness);
    /* The chain clears the two top bits, so that the randomness is a field element. */
    randomness[31] &= 0x3f;
    TRY(commitment_argument(comm_r, COMMITMENT_REPLICA, a->comm_r, "--comm-r", error));
    const sector_location sector = {.replica_path = a->replica, .cache_directory = a->cache, .comm_r = comm_r};
    return sector_post_proof(json, proof, a->sector_number, a->position, randomness, &sector, pool, error);
}

static cuzk_status prove_update(byte_buffer *json, const registered_proof *proof, const gen_vanilla_arguments *a, thread_pool *pool,
                                cuzk_error *error) {
    uint8_t comm_r_old[32], comm_r_new[32], comm_d_new[32];
    TRY(require(a->original, "orig-commdr", error));
    TRY(require(a->updated, "update-commdr", error));
    TRY(require(a->key, "sector-key", error));
    TRY(require(a->key_cache, "sector-key-cache", error));
    TRY(require(a->new_replica, "replica", error));
    TRY(require(a->new_cache, "replica-cache", error));
    TRY(commitments_read(NULL, comm_r_old, a->original, error));
    TRY(commitments_read(comm_d_new, comm_r_new, a->updated, error));
    const sector_location old = {.replica_path = a->key, .cache_directory = a->key_cache, .comm_r = comm_r_old};
    const sector_location updated = {.replica_path = a->new_replica, .cache_directory = a->new_cache, .comm_r = comm_r_new};
    return sector_update_proofs(json, proof, &old, &updated, comm_d_new, pool, error);
}

static cuzk_status find_kind(proof_kind *kind, const char *word, cuzk_error *error) {
    static const struct {
        const char *word;
        proof_kind kind;
    } kinds[] = {{"winning-post", PROOF_WINNING}, {"window-post", PROOF_WINDOW}, {"snap-prove", PROOF_SNAP}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(word, kinds[i].word) == 0) {
            *kind = kinds[i].kind;
            return CUZK_OK;
        }
    return failure(error, CUZK_BAD_INPUT, "KIND: found %s, expected winning-post, window-post or snap-prove", word);
}

static cuzk_status write_output(const char *path, const byte_buffer *json, cuzk_error *error) {
    output_file file;
    TRY(output_file_create(&file, path, error));
    fwrite(json->bytes, 1, json->count, file.stream);
    return output_file_commit(&file, error);
}

static cuzk_status run_gen_vanilla(const char *kind_word, const gen_vanilla_arguments *a, cuzk_error *error) {
    proof_kind kind = PROOF_WINNING;
    TRY(find_kind(&kind, kind_word, error));
    TRY(require(a->out, "out", error));
    if (a->registered_proof == UINT64_MAX)
        return require(NULL, "registered-proof", error);
    const registered_proof *proof = registered_proof_find(kind, a->registered_proof);
    if (!proof)
        return failure(error, CUZK_BAD_INPUT, "--registered-proof: found %llu, expected a number of a %s proof",
                       (unsigned long long)a->registered_proof, kind_word);
    thread_pool *pool = thread_pool_create(a->threads);
    byte_buffer json = {0};
    cuzk_status status = kind == PROOF_SNAP ? prove_update(&json, proof, a, pool, error) : prove_post(&json, proof, a, pool, error);
    thread_pool_destroy(pool);
    if (status == CUZK_OK)
        status = write_output(a->out, &json, error);
    if (status == CUZK_OK)
        printf("%s: %zu bytes\n", a->out, json.count);
    byte_buffer_free(&json);
    return status;
}

cuzk_status command_gen_vanilla(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    gen_vanilla_arguments a = {.registered_proof = UINT64_MAX};
    const option options[] = {
        {"registered-proof", 0, OPTION_NUMBER, &a.registered_proof, "N", "the actors' number of the proof", 0, 0},
        {"sector-num", 0, OPTION_NUMBER, &a.sector_number, "N", "PoSt: the sector's number", 0, 0},
        {"miner-id", 0, OPTION_NUMBER, &a.miner_id, "N", "accepted for scripts; no vanilla proof depends on it", 0, 0},
        {"position", 0, OPTION_NUMBER, &a.position, "N", "window-post of API 1.0: the sector's place among those proved (default 0)", 0, 0},
        {"randomness", 0, OPTION_TEXT, &a.randomness, "HEX", "PoSt: 32 bytes", 0, 0},
        {"comm-r", 0, OPTION_TEXT, &a.comm_r, "CID", "PoSt: CID, hexadecimal digits, or a commdr.txt", 0, 0},
        {"sealed", 0, OPTION_TEXT, &a.replica, "FILE", "PoSt: the sealed sector", 0, 0},
        {"cache", 0, OPTION_TEXT, &a.cache, "DIR", "PoSt: its cache", 0, 0},
        {"orig-commdr", 0, OPTION_TEXT, &a.original, "FILE", "snap-prove: commdr.txt of the sector before", 0, 0},
        {"update-commdr", 0, OPTION_TEXT, &a.updated, "FILE", "snap-prove: commdr.txt of the update", 0, 0},
        {"sector-key", 0, OPTION_TEXT, &a.key, "FILE", "snap-prove: the sealed sector before", 0, 0},
        {"sector-key-cache", 0, OPTION_TEXT, &a.key_cache, "DIR", "snap-prove: its cache", 0, 0},
        {"replica", 0, OPTION_TEXT, &a.new_replica, "FILE", "snap-prove: the updated sector", 0, 0},
        {"replica-cache", 0, OPTION_TEXT, &a.new_cache, "DIR", "snap-prove: its cache", 0, 0},
        {"out", 'o', OPTION_TEXT, &a.out, "FILE", "the vanilla proofs, a JSON list of base64 strings", 0, 0},
        {"threads", 't', OPTION_NUMBER, &a.threads, "N", "worker threads (default: one for each CPU)", 1, 1024},
    };
    const command_line line = {
        .usage = "cuzk-bench gen-vanilla winning-post|window-post|snap-prove --registered-proof N ... -o FILE",
        .summary = "Makes the vanilla proofs of existing sealed sectors. Paths that a cache's t_aux records are not used: the given ones are.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = done ? CUZK_OK : run_gen_vanilla(parsed.positional[0], &a, error);
    parsed_command_line_free(&parsed);
    return status;
}
