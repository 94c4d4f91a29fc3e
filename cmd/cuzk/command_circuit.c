/* cuzk circuit KIND SIZE */
#include "command.h"
#include "filecoin/circuits.h"
#include "r1cs/compact_digest.h"

static void write_circuit(FILE *stream, proof_kind kind, const sector_shape *shape, const circuit_digest *digest) {
    char id[CACHE_ID_CAPACITY];
    circuit_cache_id(id, kind, shape);
    json_writer writer;
    json_writer_init(&writer, stream, 2);
    json_begin_object(&writer);
    json_member_string(&writer, "kind", proof_kind_word(kind));
    json_member_string(&writer, "sector_size", shape->name);
    json_member_string(&writer, "cache_id", id);
    circuit_digest_write(digest, &writer);
    json_end_object(&writer);
}

static cuzk_status digest_blank(circuit_digest *digest, const circuit *c, bool classic, uint64_t threads, progress *job,
                                cuzk_error *error) {
    if (classic)
        return circuit_digest_create(digest, c, false, error);
    thread_pool *pool = thread_pool_create(threads);
    circuit_shape shape;
    circuit_shape_create(&shape, c);
    compact_digest_create(digest, &shape, NULL, pool, job);
    circuit_shape_free(&shape);
    thread_pool_destroy(pool);
    return CUZK_OK;
}

cuzk_status command_circuit(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    bool json = false, classic = false, quiet = false;
    uint64_t threads = 0;
    const option options[] = {OPTION_JSON(&json), OPTION_CLASSIC(&classic), OPTION_QUIET(&quiet), OPTION_THREADS(&threads)};
    const command_line line = {
        .usage = "cuzk circuit KIND SIZE",
        .summary = "Prints counts, densities and digests of a circuit as JSON.\n"
                   "KIND is porep, winning, window or snap; SIZE is 2KiB ... 64GiB.",
        .example = "cuzk circuit porep 2KiB",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 2,
        .positional_maximum = 2,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    proof_kind kind;
    const sector_shape *shape;
    cuzk_status status = CUZK_OK;
    if (!done)
        status = parse_circuit_name(parsed.positional[0], parsed.positional[1], &kind, &shape, error);
    parsed_command_line_free(&parsed);
    if (status != CUZK_OK || done)
        return status;

    filecoin_circuit blank = filecoin_circuit_blank(kind, shape);
    circuit_digest digest;
    TRY(digest_blank(&digest, &blank.circuit, classic, threads, stderr_progress(quiet), error));
    write_circuit(stdout, kind, shape, &digest);
    circuit_digest_free(&digest);
    return CUZK_OK;
}
