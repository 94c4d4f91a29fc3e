/* The PoSt circuit against the digests of the reference implementation, and with sectors made here. */
#include "circuit_fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "filecoin/post_vanilla.h"
#include "filecoin/sparse_sector.h"

static void test_blank_winning_circuits_match_the_reference(void **state) {
    (void)state;
    assert_blank_circuits_match(PROOF_WINNING, "64GiB");
}

static void test_blank_window_circuits_match_the_reference(void **state) {
    (void)state;
    assert_blank_circuits_match(PROOF_WINDOW, "1GiB");
}

static const uint8_t RANDOMNESS[32] = {1, 4, 9, 16, 25};

/* Sparse sectors and their proofs. */
typedef struct {
    registered_proof registered;
    uint64_t challenges[2][WINNING_CHALLENGES];
    fr empty[MAX_NODE_BITS + 1];
    sparse_post_sector sectors[2];
    post_sector_proof *proofs[2];
    size_t count;
} sparse_proofs;

static void build_and_prove(sparse_proofs *p, proof_kind kind, const char *size, size_t count) {
    cuzk_error error = {0};
    *p = (sparse_proofs){.registered = *registered_proof_find(kind, kind == PROOF_WINNING ? 0 : 10), .count = count};
    p->registered.shape = sector_shape_parse(size);
    unsigned challenges = post_sector_challenge_count(kind);
    merkle_shape tree = replica_tree_shape(p->registered.shape);
    sparse_tree_empty_nodes(p->empty, &tree);
    for (size_t i = 0; i < count; i++) {
        post_sector_challenges(p->challenges[i], &p->registered, RANDOMNESS, 100 + i, i);
        sparse_post_build(&p->sectors[i], p->registered.shape, p->empty, 100 + i, p->challenges[i], challenges, 5);
        ASSERT_OK(post_prove_sector(&p->proofs[i], &p->sectors[i].view, 100 + i, p->challenges[i], challenges, NULL, &error));
    }
}

static void sparse_proofs_free(sparse_proofs *p) {
    for (size_t i = 0; i < p->count; i++) {
        free(p->proofs[i]);
        sparse_post_free(&p->sectors[i]);
    }
}

static post_circuit open_circuit(const sparse_proofs *p, size_t count) {
    cuzk_error error = {0};
    post_circuit c;
    ASSERT_OK(post_circuit_init(&c, p->registered.kind, (const post_sector_proof *const *)p->proofs, count, &error));
    return c;
}

/* The inputs are comm_r and challenges of each of the circuit's sectors: the i-th is that at positions[i] in p, or, without
 * positions, the first one with its i-th challenge alone. */
static void check_sectors(const sparse_proofs *p, size_t given, const size_t *positions, size_t sectors, size_t challenges) {
    size_t count = sectors * (1 + challenges), at = 0;
    fr *inputs = calloc(count, sizeof *inputs);
    for (size_t i = 0; i < sectors; i++) {
        size_t sector = positions ? positions[i] : 0;
        inputs[at++] = p->proofs[sector]->comm_r;
        for (size_t j = 0; j < challenges; j++)
            fr_from_u64(&inputs[at++], p->challenges[sector][positions ? j : i]);
    }
    post_circuit c = open_circuit(p, given);
    assert_circuit_satisfied(&c.circuit, inputs, count);
    free(inputs);
}

static void test_winning_sector_stands_once_for_each_challenge(void **state) {
    (void)state;
    static const char *const sizes[] = {"2KiB", "16MiB", "32GiB", "64GiB"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sparse_proofs p;
        build_and_prove(&p, PROOF_WINNING, sizes[i], 1);
        check_sectors(&p, 1, NULL, WINNING_CHALLENGES, 1);
        sparse_proofs_free(&p);
    }
}

static void test_last_window_sector_stands_in_for_missing_ones(void **state) {
    (void)state;
    static const char *const sizes[] = {"4KiB", "32KiB", "1GiB"};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sparse_proofs p;
        build_and_prove(&p, PROOF_WINDOW, sizes[i], 2);
        check_sectors(&p, 2, (const size_t[]){0, 1}, 2, WINDOW_CHALLENGES);
        check_sectors(&p, 1, (const size_t[]){0, 0}, 2, WINDOW_CHALLENGES);
        sparse_proofs_free(&p);
    }
}

static void increment(fr *value) {
    fr_add(value, value, &FR_ONE);
}

static void test_wrong_values_break_constraints_that_say_where(void **state) {
    (void)state;
    sparse_proofs p;
    build_and_prove(&p, PROOF_WINDOW, "32KiB", 2);
    post_circuit c = open_circuit(&p, 2);
    struct {
        fr *value;
        const char *name;
    } cases[] = {
        {&p.proofs[0]->comm_r, "sector 0/comm_r = H(comm_c, comm_r_last)"},
        {&p.proofs[1]->comm_c, "sector 1/comm_r = H(comm_c, comm_r_last)"},
        {&p.proofs[1]->comm_r_last, "sector 1/comm_r = H(comm_c, comm_r_last)"},
        {&p.proofs[0]->paths[3].leaf, "sector 0/challenge 3/inclusion in tree R/"},
        {&p.proofs[1]->paths[9].siblings[0], "sector 1/challenge 9/inclusion in tree R/"},
        {&p.proofs[1]->paths[9].siblings[21], "sector 1/challenge 9/inclusion in tree R/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fr right = *cases[i].value;
        increment(cases[i].value);
        assert_circuit_broken(&c.circuit, cases[i].name);
        *cases[i].value = right;
    }
    p.proofs[0]->paths[0].index ^= 512;
    assert_circuit_broken(&c.circuit, "sector 0/challenge 0/inclusion in tree R/");
    sparse_proofs_free(&p);
}

static void expect_refusal(proof_kind kind, const post_sector_proof *const *sectors, size_t count, const char *message) {
    cuzk_error error = {0};
    post_circuit c;
    assert_int_equal(post_circuit_init(&c, kind, sectors, count, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, message);
}

static void test_sectors_that_do_not_fit_are_refused(void **state) {
    (void)state;
    const sector_shape *small = sector_shape_parse("2KiB"), *large = sector_shape_parse("4KiB");
    post_sector_proof *window = post_sector_proof_create(small, WINDOW_CHALLENGES),
                      *winning = post_sector_proof_create(small, WINNING_CHALLENGES),
                      *other = post_sector_proof_create(large, WINDOW_CHALLENGES);
    const post_sector_proof *const three[] = {window, window, window}, *const mixed[] = {window, other},
                                  *const two[] = {winning, winning}, *const short_winning[] = {window};
    expect_refusal(PROOF_WINDOW, three, 0, "vanilla proofs: found none, expected at least one sector");
    expect_refusal(PROOF_WINDOW, three, 3, "vanilla proofs: found 3 sectors, expected at most 2");
    expect_refusal(PROOF_WINNING, two, 2, "vanilla proofs: found 2 sectors, expected at most 1");
    expect_refusal(PROOF_WINDOW, mixed, 2, "vanilla proof 1: sector size is 4KiB, that of the first 2KiB");
    expect_refusal(PROOF_WINNING, short_winning, 1, "vanilla proof 0: found 10 inclusion proofs, expected 66");
    free(window);
    free(winning);
    free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blank_winning_circuits_match_the_reference),
        cmocka_unit_test(test_blank_window_circuits_match_the_reference),
        JOB_TEST("winning-post"),
        JOB_TEST("window-post-v1"),
        JOB_TEST("window-post-v1_2"),
        JOB_TEST("window-post-short"),
        cmocka_unit_test(test_winning_sector_stands_once_for_each_challenge),
        cmocka_unit_test(test_last_window_sector_stands_in_for_missing_ones),
        cmocka_unit_test(test_wrong_values_break_constraints_that_say_where),
        cmocka_unit_test(test_sectors_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
