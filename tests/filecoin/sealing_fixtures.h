/* The reference sectors and jobs (tests/data/sectors, tests/data/jobs): what they were sealed from. The reference program
 * seeds its generator with 100, 105, 110 and 115 for the PoRep sectors, and with 2 for s0, s1 and a third one together. */
#ifndef TESTS_SEALING_FIXTURES_H
#define TESTS_SEALING_FIXTURES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filecoin/fr32.h"
#include "filecoin/hashes.h"
#include "filecoin/sealing.h"
#include "filecoin/xorshift.h"
#include "support/support.h"

enum { SMALL_SECTOR = 2048, SMALL_PIECE = 2032 };

typedef struct {
    const registered_proof *proof;
    uint64_t miner_id, sector_number;
    uint8_t ticket[32], seed[32], data[SMALL_PIECE];
} reference_sector;

static inline reference_sector draw_reference_sector(xorshift *generator, unsigned registered, uint64_t miner_id,
                                                     uint64_t sector_number) {
    reference_sector reference = {
        .proof = registered_proof_find(PROOF_POREP, registered), .miner_id = miner_id, .sector_number = sector_number};
    xorshift_element(generator, reference.ticket);
    xorshift_element(generator, reference.seed);
    xorshift_bytes(generator, reference.data, sizeof reference.data);
    return reference;
}

static inline reference_sector porep_reference(unsigned registered) {
    xorshift generator = xorshift_seeded(100 + registered);
    return draw_reference_sector(&generator, registered, 1001, 11 + registered);
}

/* s0 and s1; then the generator stands before the PoSt's randomness, behind which s0's new data come. */
static inline void post_references(reference_sector references[2], xorshift *generator) {
    *generator = xorshift_seeded(2);
    references[0] = draw_reference_sector(generator, 5, 1002, 21);
    references[1] = draw_reference_sector(generator, 5, 1002, 24);
    draw_reference_sector(generator, 5, 1002, 27);
}

static inline void seal_reference(sealed_sector *sector, const reference_sector *reference, thread_pool *pool) {
    cuzk_error error = {0};
    seal_parameters parameters = {
        .shape = reference->proof->shape, .api = reference->proof->api, .sector_number = reference->sector_number};
    registered_proof_porep_id(parameters.porep_id, reference->proof);
    prover_id_of_miner(parameters.prover_id, reference->miner_id);
    memcpy(parameters.ticket, reference->ticket, 32);
    ASSERT_OK(seal_sector(sector, &parameters, reference->data, pool, NULL, &error));
}

/* Fails unless the bytes are those of a file under tests/data. */
static inline void assert_equals_file(const void *bytes, size_t count, const char *name) {
    size_t size;
    uint8_t *expected = read_test_file(data_path(name), &size);
    if (size != count || memcmp(bytes, expected, size) != 0)
        fail_msg("%s: its %zu bytes differ from the %zu made", name, size, count);
    free(expected);
}

static inline void assert_equals_sector_file(const big_buffer *buffer, const char *sector, const char *file) {
    char name[200];
    snprintf(name, sizeof name, "sectors/%s/%s", sector, file);
    assert_equals_file(buffer->data, buffer->bytes, name);
}

/* A new directory, to be removed with remove_directory; static buffer. */
static inline const char *new_directory(void) {
    static char path[64];
    strcpy(path, "/tmp/cuzk-test-XXXXXX");
    assert_non_null(mkdtemp(path));
    return path;
}

static inline void remove_directory(const char *path) {
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", path);
    assert_int_equal(system(command), 0);
}

#endif
