/* cuzk gen-vanilla KIND --sector-size SIZE --out DIR */
#include <string.h>

#include "command.h"
#include "filecoin/generate.h"

typedef struct {
    const char *size, *directory;
    uint64_t registered_proof, seed, miner_id, sector_number, sectors, partition, threads;
    bool sparse, keep_sectors, quiet, json;
} generate_arguments;

enum { NO_REGISTERED_PROOF = 1000 };

/* The names that gen-vanilla commands have elsewhere too. */
static const struct {
    const char *word;
    proof_kind kind;
} KIND_WORDS[] = {
    {"porep", PROOF_POREP}, {"winning-post", PROOF_WINNING}, {"window-post", PROOF_WINDOW}, {"snap-prove", PROOF_SNAP}};

static cuzk_status parse_kind(const char *word, proof_kind *kind, cuzk_error *error) {
    for (size_t i = 0; i < sizeof KIND_WORDS / sizeof *KIND_WORDS; i++) {
        if (strcmp(word, KIND_WORDS[i].word) == 0) {
            *kind = KIND_WORDS[i].kind;
            return CUZK_OK;
        }
    }
    return failure(error, CUZK_BAD_INPUT, "KIND: found %s, expected porep, winning-post, window-post or snap-prove", word);
}

/* From --registered-proof, --sector-size, or both, which must agree then. NULL, with the error filled, if they do not. */
static const registered_proof *choose_proof(proof_kind kind, const generate_arguments *arguments, cuzk_error *error) {
    const registered_proof *of_size = NULL, *of_number = NULL;
    bool numbered = arguments->registered_proof != NO_REGISTERED_PROOF;
    if (arguments->size) {
        const sector_shape *shape = sector_shape_parse(arguments->size);
        of_size = shape ? default_registered_proof(kind, shape) : NULL;
    }
    if (numbered)
        of_number = registered_proof_find(kind, arguments->registered_proof);

    if (arguments->size && !of_size)
        failure(error, CUZK_BAD_INPUT, "--sector-size: found %s, expected 2KiB, 8MiB, 512MiB, 32GiB or 64GiB", arguments->size);
    else if (numbered && !of_number)
        failure(error, CUZK_BAD_INPUT, "--registered-proof: found %llu, which is no %s proof",
                (unsigned long long)arguments->registered_proof, proof_kind_word(kind));
    else if (of_size && of_number && of_size->shape != of_number->shape)
        failure(error, CUZK_BAD_INPUT, "--registered-proof: found %s, expected one of --sector-size %s", of_number->name,
                arguments->size);
    else if (of_number || of_size)
        return of_number ? of_number : of_size;
    else
        failure(error, CUZK_BAD_INPUT, "--sector-size: found nothing, expected 2KiB, 8MiB, 512MiB, 32GiB or 64GiB");
    return NULL;
}

static void print_result(const generate_options *options, bool json) {
    if (json) {
        json_writer writer;
        json_writer_init(&writer, stdout, 2);
        json_begin_object(&writer);
        json_member_string(&writer, "directory", options->directory);
        json_member_string(&writer, "registered_proof", options->proof->actor_name);
        json_member_unsigned(&writer, "partitions", registered_proof_partitions(options->proof));
        json_member_bool(&writer, "sparse", options->sparse);
        json_end_object(&writer);
        return;
    }
    printf("%s/job.json: %s, to be proved in %u partition%s%s\n", options->directory, options->proof->actor_name,
           registered_proof_partitions(options->proof), registered_proof_partitions(options->proof) == 1 ? "" : "s",
           options->sparse ? " (a sparse sector: it satisfies the circuit, but nothing was sealed)" : "");
}

static cuzk_status run_generate(const char *kind_word, const generate_arguments *arguments, cuzk_error *error) {
    proof_kind kind = PROOF_POREP;
    TRY(parse_kind(kind_word, &kind, error));
    const registered_proof *proof = choose_proof(kind, arguments, error);
    if (!proof)
        return error->status;
    if (!arguments->directory)
        return failure(error, CUZK_BAD_INPUT, "--out: found nothing, expected the folder for the job");
    generate_options options = {.proof = proof,
                                .sparse = arguments->sparse,
                                .seed = arguments->seed,
                                .miner_id = arguments->miner_id,
                                .sector_number = arguments->sector_number,
                                .sector_count = arguments->sectors,
                                .partition_index = arguments->partition,
                                .keep_sectors = arguments->keep_sectors,
                                .directory = arguments->directory};
    thread_pool *pool = thread_pool_create(arguments->threads);
    cuzk_status status = generate_job(&options, pool, job_progress(arguments->quiet, arguments->json), error);
    thread_pool_destroy(pool);
    if (status == CUZK_OK)
        print_result(&options, arguments->json);
    return status;
}

cuzk_status command_generate(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    generate_arguments arguments = {.registered_proof = NO_REGISTERED_PROOF, .miner_id = 1000, .sector_number = 1};
    const option options[] = {
        {"sector-size", 0, OPTION_TEXT, &arguments.size, "SIZE", "2KiB, 8MiB, 512MiB, 32GiB or 64GiB", 0, 0},
        {"registered-proof", 0, OPTION_NUMBER, &arguments.registered_proof, "N",
         "the actors' number (default: the newest interactive)", 0, 99},
        {"out", 'o', OPTION_TEXT, &arguments.directory, "DIR", "where to write job.json and its vanilla proofs", 0, 0},
        {"seed", 0, OPTION_NUMBER, &arguments.seed, "N", "what everything random comes from (default 0)", 0, 0},
        {"miner-id", 0, OPTION_NUMBER, &arguments.miner_id, "N", "default 1000", 0, 0},
        {"sector-num", 0, OPTION_NUMBER, &arguments.sector_number, "N", "of the first sector (default 1)", 0, INT64_MAX},
        {"sectors", 0, OPTION_NUMBER, &arguments.sectors, "N", "window-post: how many (default: all that fit)", 1, 2349},
        {"partition", 0, OPTION_NUMBER, &arguments.partition, "N", "window-post: which partition (default 0)", 0, UINT32_MAX},
        {"sparse", 0, OPTION_FLAG, &arguments.sparse, NULL, "seal nothing: any size in seconds, but interactive PoRep only", 0,
         0},
        {"keep-sectors", 0, OPTION_FLAG, &arguments.keep_sectors, NULL, "write the sealed sectors and their caches too", 0, 0},
        OPTION_THREADS(&arguments.threads),
        OPTION_QUIET(&arguments.quiet),
        OPTION_JSON(&arguments.json),
    };
    const command_line line = {
        .usage = "cuzk gen-vanilla KIND --sector-size SIZE --out DIR",
        .summary = "Seals test sectors, or makes sparse ones, and writes a job that proves them.\n"
                   "KIND is porep, winning-post, window-post or snap-prove. Sectors up to 512MiB are sealed.",
        .example = "cuzk gen-vanilla window-post --sector-size 2KiB --out job",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = done ? CUZK_OK : run_generate(parsed.positional[0], &arguments, error);
    parsed_command_line_free(&parsed);
    return status;
}
