/* cuzk check FILE.params */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "command.h"
#include "groth16/development.h"
#include "groth16/parameters_check.h"

typedef struct {
    const char *list;
    uint64_t threads;
    bool quiet, force, json;
} check_arguments;

/* The entry of the list under the file's own name, which must be there. */
static cuzk_status find_published(published_file *entry, const char *path, const char *list, cuzk_error *error) {
    char *copy = duplicate_string(path);
    cuzk_status status = published_file_find(entry, list, basename(copy), error);
    if (status == CUZK_OK && !entry->found)
        status = failure(error, CUZK_BAD_INPUT, "%s: %s is not listed, expected an entry with its digest", list, basename(copy));
    free(copy);
    return status;
}

static void print_check(const check_result *result, bool development, bool json) {
    static const char *const outcomes[] = {"remembered", "same-content", "published", "checked"};
    if (json) {
        json_writer writer;
        json_writer_init(&writer, stdout, 2);
        json_begin_object(&writer);
        json_member_string(&writer, "outcome", outcomes[result->outcome]);
        json_member_bool(&writer, "recorded", result->recorded);
        json_member_bool(&writer, "development", development);
        json_key(&writer, "blake2b_512");
        json_hex(&writer, "", result->digest, FILE_DIGEST_BYTES);
        json_end_object(&writer);
        return;
    }
    static const char *const words[] = {"checked before, unchanged since", "checked before, same content",
                                        "the published file", "every point is good"};
    char digest[2 * FILE_DIGEST_BYTES + 1];
    hex_encode(digest, result->digest, FILE_DIGEST_BYTES);
    printf("%s\nBLAKE2b-512 %s\n", words[result->outcome], digest);
    if (development)
        puts("development parameters: not from a trusted setup");
    if (!result->recorded)
        puts("the result could not be kept beside the file");
}

static cuzk_status check_file(const char *path, const check_arguments *arguments, cuzk_error *error) {
    progress *job = job_progress(arguments->quiet, arguments->json);
    published_file published = {0};
    if (arguments->list)
        TRY(find_published(&published, path, arguments->list, error));
    thread_pool *pool = thread_pool_create(arguments->threads);
    parameters p;
    cuzk_status status = parameters_open(&p, path, pool, error);
    if (status == CUZK_OK) {
        check_result result;
        status = parameters_check(&result, &p, arguments->list ? &published : NULL, arguments->force, pool, job, error);
        if (status == CUZK_OK)
            print_check(&result, parameters_are_development(path, &p.vk), arguments->json);
        parameters_close(&p);
    }
    thread_pool_destroy(pool);
    return status;
}

cuzk_status command_check(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    check_arguments arguments = {0};
    const option options[] = {
        {"published", 0, OPTION_TEXT, &arguments.list, "FILE", "parameters.json: compare the file's digest with it", 0, 0},
        {"force", 'f', OPTION_FLAG, &arguments.force, NULL, "check all points even if that was done before", 0, 0},
        OPTION_THREADS(&arguments.threads),
        OPTION_QUIET(&arguments.quiet),
        OPTION_JSON(&arguments.json),
    };
    const command_line line = {
        .usage = "cuzk check FILE.params [--published parameters.json]",
        .summary = "Checks that every point of a parameter file is on its curve and in its subgroup. The result is kept beside the\n"
                   "file, so that an unchanged file is checked once.",
        .example = "cuzk setup window 2KiB --out params && cuzk check params/*.params",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, argc, argv, &parsed, &done, error));
    cuzk_status status = done ? CUZK_OK : check_file(parsed.positional[0], &arguments, error);
    parsed_command_line_free(&parsed);
    return status;
}
