/* The PoRep circuit against the digests of the reference implementation, and with sectors sealed here. */
#include "circuit_fixtures.h"

#include <stdlib.h>
#include <string.h>

#include "filecoin/porep_public_inputs.h"
#include "filecoin/porep_vanilla.h"

static void test_blank_circuits_match_the_reference(void **state) {
    (void)state;
    assert_blank_circuits_match(PROOF_POREP, "1GiB");
}

static void open_circuit(porep_circuit *c, const porep_partition_proof *proof, const porep_statement *statement) {
    cuzk_error error = {0};
    fr replica_id = canonical(statement->replica_id), comm_d = canonical(statement->comm_d);
    fr comm_r = canonical(statement->comm_r);
    ASSERT_OK(porep_circuit_init(c, proof, &replica_id, &comm_d, &comm_r, &error));
}

/* A sealed sector, its proofs and what they state. */
typedef struct {
    small_sector sector;
    porep_partition_proof **proofs;
    unsigned count;
    porep_statement statement;
} sealed_proofs;

static void seal_and_prove(sealed_proofs *p, const char *size, porep_feature feature) {
    cuzk_error error = {0};
    small_sector_seal(&p->sector, size, 77, feature);
    p->count = registered_proof_partitions(&p->sector.proof);
    memcpy(p->statement.replica_id, p->sector.sealed.replica_id, 32);
    memcpy(p->statement.comm_d, p->sector.sealed.comm_d, 32);
    memcpy(p->statement.comm_r, p->sector.sealed.comm_r, 32);
    memcpy(p->statement.seed, p->sector.seed, 32);
    ASSERT_OK(porep_prove(&p->proofs, &p->sector.proof, &p->sector.view, p->statement.replica_id, p->statement.seed, NULL,
                          &error));
}

static void sealed_proofs_free(sealed_proofs *p) {
    porep_proofs_free(p->proofs, p->count);
    small_sector_free(&p->sector);
}

static void check_sealed_sector(const char *size, porep_feature feature, unsigned partition) {
    sealed_proofs p;
    seal_and_prove(&p, size, feature);
    unsigned count = porep_public_input_count(p.sector.proof.shape);
    fr *inputs = calloc(count, sizeof *inputs);
    porep_public_inputs(inputs, &p.sector.proof, &p.statement, partition);
    porep_circuit c;
    open_circuit(&c, p.proofs[partition], &p.statement);
    assert_circuit_satisfied(&c.circuit, inputs, count);
    free(inputs);
    sealed_proofs_free(&p);
}

static void test_sealed_sectors_of_all_tree_shapes_satisfy(void **state) {
    (void)state;
    check_sealed_sector("4KiB", POREP_INTERACTIVE, 0);
    check_sealed_sector("16KiB", POREP_NON_INTERACTIVE, 12);
    check_sealed_sector("32KiB", POREP_SYNTHETIC, 0);
}

static void increment(fr *value) {
    fr_add(value, value, &FR_ONE);
}

static void test_wrong_values_break_constraints_that_say_where(void **state) {
    (void)state;
    sealed_proofs p;
    seal_and_prove(&p, "2KiB", POREP_INTERACTIVE);
    porep_partition_proof *proof = p.proofs[0];
    porep_circuit c;
    open_circuit(&c, proof, &p.statement);
    porep_challenge_proof *challenge = &proof->challenges[1];
    struct {
        fr *value;
        const char *name;
    } cases[] = {
        {&challenge->data_path.leaf, "challenge 1/inclusion in tree D/"},
        {&challenge->data_path.siblings[5], "challenge 1/inclusion in tree D/"},
        {&challenge->drg_parents[3].rows[1], "challenge 1/drg parent 3/inclusion in tree C/"},
        {&challenge->drg_parents[0].path.siblings[13], "challenge 1/drg parent 0/inclusion in tree C/"},
        {&challenge->expander_parents[7].rows[0], "challenge 1/expander parent 7/inclusion in tree C/"},
        {&challenge->replica_path.siblings[0], "challenge 1/inclusion in tree R/"},
        {&challenge->column.path.siblings[0], "challenge 1/inclusion in tree C/"},
        {&c.comm_d, "challenge 0/inclusion in tree D/"},
        {&c.comm_r, "comm_r = H(comm_c, comm_r_last)"},
        {&c.replica_id, "challenge 0/inclusion in tree R/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fr right = *cases[i].value;
        increment(cases[i].value);
        assert_circuit_broken(&c.circuit, cases[i].name);
        *cases[i].value = right;
    }
    /* Labels are not witnessed but computed: one of another node is not that of the column. */
    challenge->labels[0].node ^= 1;
    assert_circuit_broken(&c.circuit, "challenge 1/inclusion in tree R/");
    challenge->labels[0].node ^= 1;
    assert_circuit_satisfied(&c.circuit, NULL, 0);
    sealed_proofs_free(&p);
}

static void test_different_roots_are_refused(void **state) {
    (void)state;
    cuzk_error error = {0};
    porep_circuit c;
    porep_partition_proof *proof = porep_partition_proof_create(sector_shape_parse("2KiB"));
    proof->challenges[1].replica_path.root = FR_ONE;
    assert_int_equal(porep_circuit_init(&c, proof, &FR_ZERO, &FR_ZERO, &FR_ZERO, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "challenge 1: comm_r_last_proof's root differs from that of challenge 0");
    proof->challenges[1].replica_path.root = FR_ZERO;
    proof->challenges[0].column.path.root = FR_ONE;
    assert_int_equal(porep_circuit_init(&c, proof, &FR_ZERO, &FR_ZERO, &FR_ZERO, &error), CUZK_BAD_INPUT);
    assert_string_equal(error.message, "challenge 1: c_x.inclusion_proof's root differs from that of challenge 0");
    free(proof);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blank_circuits_match_the_reference),
        JOB_TEST("porep-StackedDrg2KiBV1"),
        JOB_TEST("porep-StackedDrg2KiBV1_1"),
        JOB_TEST("porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep"),
        JOB_TEST("porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"),
        JOB_TEST("sparse-8MiB"),
        JOB_TEST("sparse-512MiB"),
        cmocka_unit_test(test_sealed_sectors_of_all_tree_shapes_satisfy),
        cmocka_unit_test(test_wrong_values_break_constraints_that_say_where),
        cmocka_unit_test(test_different_roots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
