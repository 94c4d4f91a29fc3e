/* WindowPoSt under both versions of its challenges: partitions beyond the first, and lists of sectors in any order. */
#include "circuit_fixtures.h"

#include "filecoin/generate.h"
#include "filecoin/job.h"
#include "job_fixtures.h"
#include "sealing_fixtures.h"
#include "pool_fixture.h"

/* The job's circuit holds, and states the public inputs that a verifier computes, which are returned; free with free(). */
static fr *assert_job_satisfied(const char *path) {
    cuzk_error error = {0};
    proof_job job;
    filecoin_circuit synthesized;
    ASSERT_OK(job_load(&job, path, &error));
    ASSERT_OK(job_circuit(&synthesized, &job, 0, &error));
    unsigned count = job_public_input_count(&job);
    fr *inputs = calloc(count, sizeof *inputs);
    job_public_inputs(inputs, &job, 0);
    assert_circuit_satisfied(&synthesized.circuit, inputs, count);
    job_free(&job);
    return inputs;
}

static void make_job_in(const char *directory, unsigned registered, uint64_t sectors, uint64_t partition) {
    cuzk_error error = {0};
    const generate_options options = {.proof = registered_proof_find(PROOF_WINDOW, registered),
                                      .sparse = registered % 5 > 0, /* above 2 KiB */
                                      .seed = 4,
                                      .miner_id = 1000,
                                      .sector_number = 30,
                                      .sector_count = sectors,
                                      .partition_index = partition,
                                      .directory = directory};
    ASSERT_OK(generate_job(&options, pool, NULL, &error));
}

static const char *make_job(unsigned registered, uint64_t sectors, uint64_t partition, char path[200]) {
    const char *directory = new_directory();
    make_job_in(directory, registered, sectors, partition);
    snprintf(path, 200, "%s/job.json", directory);
    return directory;
}

static void partitions_of_both_versions(void **state) {
    (void)state;
    static const uint64_t partitions[] = {0, 1, 7, UINT32_MAX};
    for (unsigned registered = 5; registered <= 10; registered += 5)
        for (size_t i = 0; i < sizeof partitions / sizeof *partitions; i++)
            for (uint64_t sectors = 1; sectors <= 2; sectors++) {
                char path[200];
                const char *directory = make_job(registered, sectors, partitions[i], path);
                free(assert_job_satisfied(path));
                remove_directory(directory);
            }
}

/* Challenges depend on a sector's position among all of the miner's under version 1.0, and not under 1.2. */
static void a_partition_under_another_number(void **state) {
    (void)state;
    for (unsigned registered = 5; registered <= 10; registered += 5) {
        char path[200];
        const char *directory = make_job(registered, 2, 7, path);
        fr *inputs = assert_job_satisfied(path);
        char *text = (char *)read_test_file(path, NULL);
        char *changed = replace(text, "\"partition_index\": 7", "\"partition_index\": 8");
        write_file(directory, "job.json", changed);
        free(text);
        free(changed);
        if (registered == 5) {
            cuzk_error error = {0};
            proof_job job;
            assert_int_equal(job_load(&job, path, &error), CUZK_BAD_INPUT);
            assert_non_null(strstr(error.message, "vanilla.json[0]: inclusion_proofs[0]: found leaf "));
            assert_non_null(strstr(error.message, "which randomness, sector 30 and its position give"));
        } else {
            fr *others = assert_job_satisfied(path);
            assert_memory_equal(inputs, others, 22 * sizeof(fr));
            free(others);
        }
        free(inputs);
        remove_directory(directory);
    }
}

/* The index-th string of a list of vanilla proofs; free with free(). */
static char *list_string(const char *list, unsigned index) {
    for (unsigned i = 0; i <= 2 * index; i++)
        list = strchr(list, '"') + 1;
    return strndup(list, strcspn(list, "\""));
}

/* The job without what it states of its sectors: clients leave it out. */
static void leave_sectors_out(const char *directory) {
    char path[200];
    snprintf(path, sizeof path, "%s/job.json", directory);
    char *text = (char *)read_test_file(path, NULL);
    char *begin = strstr(text, "\"sectors\": ["), *end = strstr(text, "\"vanilla_proofs\"");
    assert_true(begin && end && begin < end);
    memmove(begin, end, strlen(end) + 1);
    write_file(directory, "job.json", text);
    free(text);
}

/* A job's list of vanilla proofs; free with free(). */
static char *read_list(const char *directory) {
    char path[200];
    snprintf(path, sizeof path, "%s/vanilla.json", directory);
    return (char *)read_test_file(path, NULL);
}

/* What the referee takes, unsorted and repeated sectors among it (tools/interop.sh asks it), satisfies the circuit. */
static void lists_satisfy_the_circuit(void **state) {
    (void)state;
    static const char *const orders[] = {"12", "21", "11", "22", "1", "2"};
    char path[200];
    const char *directory = make_job(10, 2, 3, path);
    leave_sectors_out(directory);
    char *list = read_list(directory), *proofs[2] = {list_string(list, 0), list_string(list, 1)};
    fr *by_order[sizeof orders / sizeof *orders];
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char *changed = calloc(1, strlen(list) + 64);
        for (const char *c = orders[i]; *c; c++)
            sprintf(changed + strlen(changed), "%s\"%s\"", c == orders[i] ? "[" : ",", proofs[*c - '1']);
        strcat(changed, "]");
        write_file(directory, "vanilla.json", changed);
        free(changed);
        by_order[i] = assert_job_satisfied(path);
    }
    /* Order shows in the inputs; a short list is filled with its last sector. */
    assert_memory_equal(by_order[0], by_order[1] + 11, 11 * sizeof(fr));
    assert_memory_equal(by_order[0] + 11, by_order[1], 11 * sizeof(fr));
    assert_memory_equal(by_order[2], by_order[4], 22 * sizeof(fr));
    assert_memory_equal(by_order[3], by_order[5], 22 * sizeof(fr));
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        free(by_order[i]);
    for (unsigned i = 0; i < 2; i++)
        free(proofs[i]);
    free(list);
    remove_directory(directory);
}

/* A sector of another size among those of the request's. */
static void mixed_sizes_are_refused(void **state) {
    (void)state;
    char path[200];
    const char *directory = make_job(10, 2, 0, path);
    leave_sectors_out(directory);
    char *list = read_list(directory), *own = list_string(list, 0);
    char *job = (char *)read_test_file(path, NULL);
    make_job_in(directory, 11, 1, 0);
    char *larger_list = read_list(directory), *larger = list_string(larger_list, 0);
    char *mixed = malloc(strlen(own) + strlen(larger) + 16);
    sprintf(mixed, "[\"%s\",\"%s\"]", own, larger);
    write_file(directory, "job.json", job);
    write_file(directory, "vanilla.json", mixed);
    cuzk_error error = {0};
    proof_job read;
    assert_int_equal(job_load(&read, path, &error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "vanilla.json[1]: sectors[0].inclusion_proofs[0].path: found 6 elements, expected 2"));
    char *texts[] = {list, own, job, larger_list, larger, mixed};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    remove_directory(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(partitions_of_both_versions),
        cmocka_unit_test(a_partition_under_another_number),
        cmocka_unit_test(lists_satisfy_the_circuit),
        cmocka_unit_test(mixed_sizes_are_refused),
    };
    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
