/* The SnapDeals circuit against the digests of the reference implementation, and with sectors made here. */
#include "circuit_fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "filecoin/fr32.h"
#include "filecoin/job.h"
#include "filecoin/sparse_sector.h"
#include "filecoin/update_vanilla.h"
#include "filecoin/vanilla_encode.h"

static void test_blank_circuits_match_the_reference(void **state) {
    (void)state;
    assert_blank_circuits_match(PROOF_SNAP, "16MiB");
}

/* A sealed sector whose data was replaced. */
typedef struct {
    small_sector old;
    updated_sector updated;
    stored_sector stored;
    sector_view view;
    snap_partition_proof **proofs;
    fr comm_r_old, comm_d_new, comm_r_new;
} sealed_update;

/* With zeros as new data the replica stays as it is. */
typedef enum { RANDOM_DATA, ZERO_DATA } update_data;

static void seal_update_and_prove(sealed_update *u, const char *size, update_data kind) {
    cuzk_error error = {0};
    test_random random = {9};
    small_sector_seal(&u->old, size, 3, POREP_INTERACTIVE);
    size_t data_size = fr32_unpadded_size(u->old.view.shape->bytes);
    uint8_t *data = calloc(data_size, 1);
    assert_non_null(data);
    if (kind == RANDOM_DATA)
        test_random_bytes(&random, data, data_size);
    ASSERT_OK(update_sector(&u->updated, &u->old.view, data, NULL, NULL, &error));
    free(data);
    ASSERT_OK(updated_sector_view(&u->view, &u->stored, &u->updated, &error));
    ASSERT_OK(update_prove(&u->proofs, &u->old.view, &u->view, NULL, &error));
    u->comm_r_old = canonical(u->old.sealed.comm_r);
    u->comm_d_new = canonical(u->updated.comm_d);
    u->comm_r_new = canonical(u->updated.comm_r);
}

static void sealed_update_free(sealed_update *u) {
    update_proofs_free(u->proofs, u->old.view.shape->snap_partitions);
    updated_sector_free(&u->updated);
    small_sector_free(&u->old);
}

static void check_partition(const snap_partition_proof *proof, unsigned k, const fr *comm_r_old, const fr *comm_d_new,
                            const fr *comm_r_new, uint64_t k_and_h_select) {
    cuzk_error error = {0};
    update_circuit c;
    ASSERT_OK(update_circuit_init(&c, proof, k, comm_r_old, comm_d_new, comm_r_new, &error));
    fr inputs[4] = {FR_ZERO, *comm_r_old, *comm_d_new, *comm_r_new};
    fr_from_u64(&inputs[0], k_and_h_select);
    assert_circuit_satisfied(&c.circuit, inputs, 4);
}

static void check_sealed_update(const char *size) {
    sealed_update u;
    seal_update_and_prove(&u, size, RANDOM_DATA);
    unsigned partitions = u.old.view.shape->snap_partitions;
    for (unsigned k = 0; k < partitions; k++) /* small sectors take the first of six equal choices */
        check_partition(u.proofs[k], k, &u.comm_r_old, &u.comm_d_new, &u.comm_r_new, k | partitions);
    sealed_update_free(&u);
}

static void test_sealed_updates_of_all_tree_shapes_satisfy(void **state) {
    (void)state;
    check_sealed_update("4KiB");
    check_sealed_update("16KiB");
    check_sealed_update("32KiB");
}

/* From 8 MiB on ten high bits of a challenge, the fourth choice, select rho. */
static void test_large_updates_take_ten_high_bits(void **state) {
    (void)state;
    cuzk_error error = {0};
    xorshift generator = xorshift_seeded(8);
    sparse_update_sector sector;
    sparse_update_build(&sector, sector_shape_parse("8MiB"), &generator, NULL);
    uint8_t comm_r_old[32], comm_r_new[32];
    sector_view_comm_r(comm_r_old, &sector.old);
    sector_view_comm_r(comm_r_new, &sector.updated);
    fr old = canonical(comm_r_old), data = canonical(sector.comm_d_new), new = canonical(comm_r_new);
    snap_partition_proof *proof;
    ASSERT_OK(update_prove_partition(&proof, &sector.old, &sector.updated, 2, NULL, &error));
    check_partition(proof, 2, &old, &data, &new, 2 | 8 << 2);
    free(proof);
    sparse_update_free(&sector);
}

static void increment(fr *value) {
    fr_add(value, value, &FR_ONE);
}

static void test_wrong_values_break_constraints_that_say_where(void **state) {
    (void)state;
    cuzk_error error = {0};
    sealed_update u;
    seal_update_and_prove(&u, "4KiB", RANDOM_DATA);
    snap_partition_proof *proof = u.proofs[0];
    update_circuit c;
    ASSERT_OK(update_circuit_init(&c, proof, 0, &u.comm_r_old, &u.comm_d_new, &u.comm_r_new, &error));
    snap_challenge_proof *challenge = &proof->challenges[7];
    struct {
        fr *value;
        const char *name;
    } cases[] = {
        {&proof->comm_c, "old replica/H(comm_c, root) = comm_r"},
        {&c.comm_r_old, "old replica/H(comm_c, root) = comm_r"},
        {&c.comm_r_new, "new replica/H(comm_c, root) = comm_r"},
        {&c.comm_d_new, "apex tree/path to comm_d_new/"},
        {&proof->apex_leaves[3], "apex tree/path to comm_d_new/"},
        {&challenge->replica_old_path.leaf, "challenge 7/old tree R/"},
        {&challenge->replica_old_path.siblings[0], "challenge 7/old tree R/"},
        {&challenge->replica_new_path.siblings[14], "challenge 7/new tree R/"},
        {&challenge->data_new_path.leaf, "challenge 7/new tree R/"},
        {&challenge->data_new_path.siblings[3], "challenge 7/new tree D to apex leaf/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fr right = *cases[i].value;
        increment(cases[i].value);
        assert_circuit_broken(&c.circuit, cases[i].name);
        *cases[i].value = right;
    }
    sealed_update_free(&u);
}

/* Another partition's proof, or another choice of high bits, does not pass. */
static void test_proof_is_bound_to_its_partition(void **state) {
    (void)state;
    cuzk_error error = {0};
    sealed_update u;
    seal_update_and_prove(&u, "16KiB", RANDOM_DATA);
    update_circuit c;
    ASSERT_OK(update_circuit_init(&c, u.proofs[0], 1, &u.comm_r_old, &u.comm_d_new, &u.comm_r_new, &error));
    assert_circuit_broken(&c.circuit, "apex tree/path to comm_d_new/");
    sealed_update_free(&u);
}

static void test_partitions_that_do_not_fit_are_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    update_circuit c;
    snap_partition_proof *proof = snap_partition_proof_create(sector_shape_parse("32KiB"));
    assert_int_equal(update_circuit_init(&c, proof, 2, &FR_ZERO, &FR_ZERO, &FR_ZERO, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "partition: found 2, expected less than 2");
    proof->challenges[4].data_new_path.siblings[8] = FR_ONE;
    ASSERT_OK(update_circuit_init(&c, proof, 1, &FR_ZERO, &FR_ZERO, &FR_ZERO, &error));
    proof->challenges[4].data_new_path.siblings[9] = FR_ONE;
    assert_int_equal(update_circuit_init(&c, proof, 1, &FR_ZERO, &FR_ZERO, &FR_ZERO, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "challenge 4: proof_d_new differs from that of challenge 0 in level 9, which a "
                                       "partition's challenges share");
    free(proof);
}

/* comm_r_old = comm_r_new: the reference takes it, as a request and in the circuit. */
static void test_an_update_may_change_nothing(void **state) {
    (void)state;
    cuzk_error error = {0};
    sealed_update u;
    seal_update_and_prove(&u, "2KiB", ZERO_DATA);
    assert_true(fr_equal(&u.comm_r_old, &u.comm_r_new));
    check_partition(u.proofs[0], 0, &u.comm_r_old, &u.comm_d_new, &u.comm_r_new, 1);

    byte_buffer encoded = {0};
    encode_snap_partition_proof(&encoded, u.proofs[0]);
    const byte_view proof = {encoded.bytes, encoded.count};
    proof_request request = {.kind = PROOF_SNAP,
                             .comm_r_old = {.given = true},
                             .comm_r_new = {.given = true},
                             .comm_d_new = {.given = true},
                             .vanilla_proofs = &proof,
                             .vanilla_proof_count = 1};
    memcpy(request.comm_r_old.bytes, u.old.sealed.comm_r, 32);
    memcpy(request.comm_r_new.bytes, u.updated.comm_r, 32);
    memcpy(request.comm_d_new.bytes, u.updated.comm_d, 32);
    proof_job job;
    ASSERT_OK(job_from_request(&job, &request, &error));
    job_free(&job);
    byte_buffer_free(&encoded);
    sealed_update_free(&u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blank_circuits_match_the_reference),
        JOB_TEST("snap-deals"),
        cmocka_unit_test(test_sealed_updates_of_all_tree_shapes_satisfy),
        cmocka_unit_test(test_large_updates_take_ten_high_bits),
        cmocka_unit_test(test_wrong_values_break_constraints_that_say_where),
        cmocka_unit_test(test_an_update_may_change_nothing),
        cmocka_unit_test(test_proof_is_bound_to_its_partition),
        cmocka_unit_test(test_partitions_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
