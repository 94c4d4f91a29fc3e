#include "circuit_fixtures.h"

#include "filecoin/fr32.h"
#include "filecoin/job.h"
#include "job_fixtures.h"

void assert_blank_circuits_match(proof_kind kind, const char *largest) {
    const sector_shape *last = sector_shape_parse(largest);
    for (const sector_shape *shape = SECTOR_SHAPES; shape <= last; shape++) {
        char name[32];
        snprintf(name, sizeof name, "%s-%s", proof_kind_word(kind), shape->name);
        filecoin_circuit c = filecoin_circuit_blank(kind, shape);
        if (!assert_blank_circuit_matches(&c.circuit, name))
            print_message("no reference for %s\n", name);
    }
}

static void check_partition(const proof_job *job, unsigned partition, yajl_val reference, const char *name) {
    cuzk_error error = {0};
    filecoin_circuit c;
    circuit_digest digest = {0};
    char what[128];
    snprintf(what, sizeof what, "%s, partition %u", name, partition);
    ASSERT_OK(job_circuit(&c, job, partition, &error));
    ASSERT_OK(circuit_digest_create(&digest, &c.circuit, true, &error));
    assert_digest_equals(&digest, reference, what);

    unsigned count = job_public_input_count(job);
    fr *inputs = calloc(count, sizeof *inputs);
    job_public_inputs(inputs, job, partition);
    assert_int_equal(count, digest.counts.inputs - 1);
    assert_memory_equal(inputs, digest.public_inputs, count * sizeof *inputs);
    free(inputs);
    circuit_digest_free(&digest);
}

void test_job_matches_the_reference(void **state) {
    const char *name = *state;
    cuzk_error error = {0};
    const char *path = job_path(name, "job.json");
    if (!path)
        skip();
    proof_job job;
    ASSERT_OK(job_load(&job, path, &error));
    yajl_val digests = read_json(job_path(name, "digest.json"));
    assert_int_equal(YAJL_GET_ARRAY(digests)->len, job.partition_count);
    unsigned last = job.partition_count - 1;
    check_partition(&job, 0, YAJL_GET_ARRAY(digests)->values[0], name);
    if (last > 0)
        check_partition(&job, last, YAJL_GET_ARRAY(digests)->values[last], name);
    yajl_tree_free(digests);
    job_free(&job);
}

void assert_circuit_satisfied(const circuit *c, const fr *expected, size_t count) {
    cuzk_error error = {0};
    circuit_digest digest = {0};
    ASSERT_OK(circuit_digest_create(&digest, c, true, &error));
    if (digest.broken.found)
        fail_msg("constraint %llu does not hold: %s", (unsigned long long)digest.broken.number, digest.broken.name);
    if (expected) {
        assert_int_equal(digest.counts.inputs - 1, count);
        assert_memory_equal(digest.public_inputs, expected, count * sizeof *expected);
    }
    circuit_digest_free(&digest);
}

void assert_circuit_broken(const circuit *c, const char *name) {
    cuzk_error error = {0};
    assignment values = {0};
    assert_int_equal(assignment_create(&values, c, &error), CUZK_UNSATISFIED);
    if (!strstr(error.message, name))
        fail_msg("%s: expected %s", error.message, name);
}

void small_sector_seal(small_sector *sector, const char *size, uint64_t sector_number, porep_feature feature) {
    cuzk_error error = {0};
    test_random random = {sector_number};
    *sector = (small_sector){.proof = *registered_proof_find(PROOF_POREP, 5)};
    sector->proof.shape = sector_shape_parse(size);
    sector->proof.feature = feature;
    seal_parameters parameters = {.shape = sector->proof.shape, .api = sector->proof.api, .sector_number = sector_number};
    registered_proof_porep_id(parameters.porep_id, &sector->proof);
    test_random_bytes(&random, parameters.ticket, sizeof parameters.ticket);
    test_random_bytes(&random, sector->seed, sizeof sector->seed);
    size_t data_size = fr32_unpadded_size(sector->proof.shape->bytes);
    uint8_t *data = malloc(data_size);
    assert_non_null(data);
    test_random_bytes(&random, data, data_size);
    ASSERT_OK(seal_sector(&sector->sealed, &parameters, data, NULL, NULL, &error));
    ASSERT_OK(sealed_sector_view(&sector->view, &sector->stored, &sector->sealed, &error));
    free(data);
}

void small_sector_free(small_sector *sector) {
    sealed_sector_free(&sector->sealed);
}

fr canonical(const uint8_t bytes[32]) {
    fr value;
    assert_true(fr_from_bytes(&value, bytes));
    return value;
}
