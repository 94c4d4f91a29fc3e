/* cuzk setup KIND SIZE --out DIR */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "command.h"
#include "filecoin/circuits.h"
#include "groth16/setup.h"

typedef struct {
    const char *directory, *seed;
    uint64_t threads;
    bool quiet, force, json;
} setup_arguments;

/* A published name in a user's parameter directory must not be replaced by accident. */
static cuzk_status refuse_existing(const char *path, bool force, cuzk_error *error) {
    if (!force && access(path, F_OK) == 0)
        return failure(error, CUZK_BAD_INPUT, "%s: exists already; give --force to replace it", path);
    return CUZK_OK;
}

static void print_result(const setup_arguments *arguments, const char *parameters_path, const char *key_path) {
    struct stat status = {0};
    stat(parameters_path, &status);
    if (arguments->json) {
        json_writer writer;
        json_writer_init(&writer, stdout, 2);
        json_begin_object(&writer);
        json_member_string(&writer, "params", parameters_path);
        json_member_unsigned(&writer, "params_bytes", (uint64_t)status.st_size);
        json_member_string(&writer, "vk", key_path);
        json_member_bool(&writer, "development", true);
        json_end_object(&writer);
        return;
    }
    printf("%s (%.1f MiB)\n%s\nThese are development parameters: whoever made them can forge proofs, and no chain accepts them.\n",
           parameters_path, (double)status.st_size / (1 << 20), key_path);
}

static cuzk_status run_setup(proof_kind kind, const sector_shape *shape, const setup_arguments *arguments, cuzk_error *error) {
    toxic_waste waste;
    if (arguments->seed) {
        uint8_t seed[32];
        if (!hex_decode(seed, sizeof seed, arguments->seed))
            return failure(error, CUZK_BAD_INPUT, "--seed: found %s, expected 64 hexadecimal digits", arguments->seed);
        toxic_waste_from_seed(&waste, seed);
    }
    if (mkdir(arguments->directory, 0777) != 0 && access(arguments->directory, W_OK) != 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "--out %s", arguments->directory);
    char *parameters_file = parameter_path(arguments->directory, kind, shape, "params");
    char *key_file = parameter_path(arguments->directory, kind, shape, "vk");
    cuzk_status status = refuse_existing(parameters_file, arguments->force, error);
    if (status == CUZK_OK)
        status = refuse_existing(key_file, arguments->force, error);
    if (status == CUZK_OK) {
        thread_pool *pool = thread_pool_create(arguments->threads);
        filecoin_circuit blank = filecoin_circuit_blank(kind, shape);
        const setup_description description = {
            .version = CUZK_VERSION, .circuit = proof_kind_word(kind), .sector_size = shape->bytes, .seeded = arguments->seed != NULL};
        status = groth16_setup(&blank.circuit, arguments->seed ? &waste : NULL, parameters_file, key_file, &description, pool,
                               job_progress(arguments->quiet, arguments->json), error);
        thread_pool_destroy(pool);
    }
    if (status == CUZK_OK)
        print_result(arguments, parameters_file, key_file);
    free(parameters_file);
    free(key_file);
    return status;
}

cuzk_status command_setup(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    setup_arguments arguments = {0};
    const option options[] = {
        {"out", 'o', OPTION_TEXT, &arguments.directory, "DIR", "where to write (default: $FIL_PROOFS_PARAMETER_CACHE)", 0, 0},
        {"seed", 0, OPTION_TEXT, &arguments.seed, "HEX", "32 bytes that the secrets come from: reproducible", 0, 0},
        {"force", 'f', OPTION_FLAG, &arguments.force, NULL, "replace existing files", 0, 0},
        OPTION_THREADS(&arguments.threads),
        OPTION_QUIET(&arguments.quiet),
        OPTION_JSON(&arguments.json),
    };
    const command_line line = {
        .usage = "cuzk setup KIND SIZE --out DIR",
        .summary = "Makes development parameters (.params and .vk, named as the parameter cache does) for a circuit.\n"
                   "KIND is porep, winning, window or snap; SIZE is 2KiB ... 64GiB.",
        .example = "cuzk setup window 2KiB --out params",
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
    if (!done) {
        status = parse_circuit_name(parsed.positional[0], parsed.positional[1], &kind, &shape, error);
        if (status == CUZK_OK && !arguments.directory)
            arguments.directory = getenv("FIL_PROOFS_PARAMETER_CACHE");
        if (status == CUZK_OK && !arguments.directory)
            status = failure(error, CUZK_BAD_INPUT, "--out: found nothing, expected the folder for the parameters");
        if (status == CUZK_OK)
            status = run_setup(kind, shape, &arguments, error);
    }
    parsed_command_line_free(&parsed);
    return status;
}
