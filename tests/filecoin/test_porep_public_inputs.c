#include "filecoin/vectors.h"

#include <stdio.h>

#include "filecoin/porep_public_inputs.h"

/* Reads what a job states. */
static const registered_proof *read_job(const char *path, porep_statement *statement) {
    const registered_proof *proof = NULL;
    const char *key;
    vector_file file = vectors_open(path);
    vectors_object(file.reader);
    while ((key = vectors_key(file.reader)) != NULL) {
        if (strcmp(key, "comm_d") == 0)
            vectors_hex(file.reader, statement->comm_d);
        else if (strcmp(key, "comm_r") == 0)
            vectors_hex(file.reader, statement->comm_r);
        else if (strcmp(key, "replica_id") == 0)
            vectors_hex(file.reader, statement->replica_id);
        else if (strcmp(key, "seed") == 0)
            vectors_hex(file.reader, statement->seed);
        else if (strcmp(key, "registered_proof") == 0)
            proof = registered_proof_find(PROOF_POREP, vectors_unsigned(file.reader));
        else
            vectors_skip(file.reader);
    }
    vectors_close(&file);
    assert_non_null(proof);
    return proof;
}

/* Compares the inputs of the digest's partitions, of which there are as many as expected, with those that the
 * reference's circuits had. */
static void check_digest(const char *path, const registered_proof *proof, const porep_statement *statement, unsigned partitions) {
    unsigned count = porep_public_input_count(proof->shape), digests = 0;
    fr *inputs = calloc(count, sizeof *inputs);
    vector_file file = vectors_open(path);
    vectors_array(file.reader);
    for (; vectors_more(file.reader); digests++) {
        const char *key;
        bool found = false;
        unsigned partition = 0;
        vectors_object(file.reader);
        while ((key = vectors_key(file.reader)) != NULL) {
            if (strcmp(key, "partition") == 0) { /* comes before the inputs */
                partition = (unsigned)vectors_unsigned(file.reader);
                porep_public_inputs(inputs, proof, statement, partition);
                continue;
            }
            if (strcmp(key, "public_inputs") != 0) {
                vectors_skip(file.reader);
                continue;
            }
            unsigned i = 0;
            vectors_array(file.reader);
            for (; vectors_more(file.reader); i++) {
                fr expected;
                vectors_big_endian_fr(file.reader, &expected);
                assert_true(i < count);
                if (!fr_equal(&inputs[i], &expected))
                    fail_msg("%s: partition %u, input %u differs", path, partition, i);
            }
            assert_int_equal(i, count);
            found = true;
        }
        assert_true(found);
    }
    assert_int_equal(digests, partitions);
    vectors_close(&file);
    free(inputs);
}

static void inputs_are_the_references(void **state) {
    (void)state;
    const char *const jobs[] = {"porep-StackedDrg2KiBV1", "porep-StackedDrg2KiBV1_1",
                                "porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep"};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char name[128];
        porep_statement statement;
        snprintf(name, sizeof name, "jobs/%s/job.json", jobs[i]);
        const registered_proof *proof = read_job(data_path(name), &statement);
        snprintf(name, sizeof name, "jobs/%s/digest.json", jobs[i]);
        check_digest(data_path(name), proof, &statement, 1);
    }
}

static void inputs_of_large_jobs_are_the_references(void **state) {
    (void)state;
    const struct {
        const char *name;
        unsigned digests;
    } jobs[] = {{"porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep", 13}, {"sparse-8MiB", 1}, {"sparse-512MiB", 1},
                {"sparse-32GiB", 1}, {"sparse-64GiB", 1}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char name[128];
        porep_statement statement;
        snprintf(name, sizeof name, "jobs/%s/job.json", jobs[i].name);
        const char *path = shared_path(name);
        if (path == NULL)
            skip();
        const registered_proof *proof = read_job(path, &statement);
        snprintf(name, sizeof name, "jobs/%s/digest.json", jobs[i].name);
        check_digest(shared_path(name), proof, &statement, jobs[i].digests);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs_are_the_references),
        cmocka_unit_test(inputs_of_large_jobs_are_the_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
