/* Jobs for tests: where they lie, and copies of them to change. */
#ifndef TESTS_JOB_FIXTURES_H
#define TESTS_JOB_FIXTURES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/support.h"

/* Path of a file of a job in tests/data or beside the repository; NULL if it is in neither. */
static inline const char *job_path(const char *name, const char *file) {
    char relative[200];
    snprintf(relative, sizeof relative, "jobs/%s/%s", name, file);
    const char *path = data_path(relative);
    return access(path, R_OK) == 0 ? path : shared_path(relative);
}

/* The text with the first `old` in it, which must be there, replaced by `new`. Free with free(). */
static inline char *replace(const char *text, const char *old, const char *new) {
    const char *at = strstr(text, old);
    if (at == NULL)
        fail_msg("no %s", old);
    char *result = malloc(strlen(text) + strlen(new) + 1);
    sprintf(result, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
    return result;
}

/* A copy of a job in a temporary directory. */
typedef struct {
    char directory[64], path[80]; /* path: of its job.json */
} job_copy;

static inline void write_file(const char *directory, const char *name, const char *text) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* vanilla: the name of the file with its vanilla proofs. */
static inline void copy_job(job_copy *copy, const char *name, const char *vanilla) {
    strcpy(copy->directory, "/tmp/cuzk-test-job-XXXXXX");
    assert_non_null(mkdtemp(copy->directory));
    snprintf(copy->path, sizeof copy->path, "%s/job.json", copy->directory);
    char *job = (char *)read_test_file(job_path(name, "job.json"), NULL);
    char *proofs = (char *)read_test_file(job_path(name, vanilla), NULL);
    write_file(copy->directory, "job.json", job);
    write_file(copy->directory, vanilla, proofs);
    free(job);
    free(proofs);
}

static inline void remove_job(const job_copy *copy, const char *vanilla) {
    char path[160];
    snprintf(path, sizeof path, "%s/%s", copy->directory, vanilla);
    unlink(path);
    unlink(copy->path);
    assert_int_equal(rmdir(copy->directory), 0);
}

#endif
