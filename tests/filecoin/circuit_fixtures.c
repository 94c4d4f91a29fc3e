#include "circuit_fixtures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filecoin/fr32.h"

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

const char *job_path(const char *job, const char *file) {
    char relative[128];
    snprintf(relative, sizeof relative, "jobs/%s/%s", job, file);
    const char *path = data_path(relative);
    return access(path, R_OK) == 0 ? path : shared_path(relative);
}

yajl_val job_digests(const char *job) {
    const char *path = job_path(job, "digest.json");
    return path ? read_json(path) : NULL;
}

void assert_job_circuit_matches(const circuit *c, yajl_val digests, size_t index, const char *job) {
    char what[128];
    snprintf(what, sizeof what, "%s, digest %zu", job, index);
    assert_true(index < YAJL_GET_ARRAY(digests)->len);
    assert_circuit_matches(c, true, YAJL_GET_ARRAY(digests)->values[index], what);
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
