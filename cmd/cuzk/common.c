#include "command.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

cuzk_status parse_circuit_name(const char *kind_word, const char *size_word, proof_kind *kind, const sector_shape **shape,
                               cuzk_error *error) {
    if (!proof_kind_from_word(kind, kind_word))
        return failure(error, CUZK_BAD_INPUT, "KIND: found %s, expected porep, winning, window or snap", kind_word);
    *shape = sector_shape_parse(size_word);
    if (!*shape) {
        char sizes[200] = "";
        for (int i = 0; i < SECTOR_SHAPE_COUNT; i++) {
            strcat(sizes, i ? ", " : "");
            strcat(sizes, SECTOR_SHAPES[i].name);
        }
        return failure(error, CUZK_BAD_INPUT, "SIZE: found %s, expected one of %s", size_word, sizes);
    }
    return CUZK_OK;
}

static progress the_progress;

static void stop_job(int number) {
    (void)number;
    progress_cancel(&the_progress);
}

progress *job_progress(bool quiet, bool json) {
    FILE *stream = json ? (isatty(STDERR_FILENO) ? stderr : NULL) : stdout;
    progress_init(&the_progress, quiet ? NULL : stream);
    struct sigaction action = {.sa_handler = stop_job, .sa_flags = (int)SA_RESETHAND}; /* a second Ctrl-C ends at once */
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &the_progress;
}

progress *stderr_progress(bool quiet) {
    progress_init(&the_progress, quiet ? NULL : stderr);
    the_progress.only_long = true;
    return &the_progress;
}

cuzk_status parameter_directory(const char *given, const char **directory, const char **origin, cuzk_error *error) {
    *origin = given ? "--params" : "FIL_PROOFS_PARAMETER_CACHE";
    *directory = given ? given : getenv(*origin);
    if (!*directory || !**directory)
        return failure(error, CUZK_BAD_INPUT, "no parameter directory: give --params DIR or set FIL_PROOFS_PARAMETER_CACHE");
    struct stat status;
    if (stat(*directory, &status) != 0)
        return failure_errno(error, CUZK_NOT_FOUND, "parameter directory %s (from %s)", *directory, *origin);
    if (!S_ISDIR(status.st_mode))
        return failure(error, CUZK_BAD_INPUT, "parameter directory %s (from %s): found a file, expected a directory", *directory, *origin);
    return CUZK_OK;
}

char *parameter_path(const char *directory, proof_kind kind, const sector_shape *shape, const char *extension) {
    char id[CACHE_ID_CAPACITY];
    circuit_cache_id(id, kind, shape);
    size_t capacity = strlen(directory) + strlen(id) + strlen(extension) + 16;
    char *path = allocate(capacity, 1);
    snprintf(path, capacity, "%s/v%d-%s.%s", directory, PARAMETER_VERSION, id, extension);
    return path;
}

cuzk_status explain_missing(cuzk_status status, const char *what, const registered_proof *proof, const char *directory,
                            const char *origin, cuzk_error *error) {
    if (status != CUZK_NOT_FOUND && status != CUZK_INPUT_OUTPUT)
        return status;
    error->status = CUZK_NOT_FOUND;
    return failure_within(error, CUZK_NOT_FOUND, "no %s for %s %s in %s (from %s): ", what, proof_kind_word(proof->kind),
                          proof->shape->name, directory, origin);
}

int print_verdict(const verification *verdict, bool json, bool development) {
    if (json) {
        json_writer writer;
        json_writer_init(&writer, stdout, 2);
        json_begin_object(&writer);
        json_member_bool(&writer, "valid", verdict->valid);
        if (!verdict->valid) {
            json_member_unsigned(&writer, "proof", verdict->index);
            json_member_string(&writer, "reason", verdict->reason);
        }
        json_member_bool(&writer, "development_parameters", development);
        json_end_object(&writer);
    } else {
        puts(verdict->valid ? "valid" : "INVALID");
        if (!verdict->valid)
            fprintf(stderr, "proof %zu: %s\n", verdict->index, verdict->reason);
    }
    return verdict->valid ? EXIT_VALID : EXIT_INVALID;
}

cuzk_status select_partitions(partition_range *range, unsigned partition_count, uint64_t only, cuzk_error *error) {
    *range = (partition_range){.end = partition_count};
    if (only == UINT64_MAX)
        return CUZK_OK;
    if (only >= partition_count)
        return failure(error, CUZK_BAD_INPUT, "--partition: found %llu, expected a number below %u, the job's number of partitions",
                       (unsigned long long)only, partition_count);
    *range = (partition_range){.first = (unsigned)only, .end = (unsigned)only + 1};
    return CUZK_OK;
}
