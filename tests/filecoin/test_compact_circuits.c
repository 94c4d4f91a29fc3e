/* The compact path over the four circuits: shapes, assignments and all that is made from them have the digests of the
 * reference implementation. */
#include "circuit_fixtures.h"

#include "filecoin/job.h"
#include "job_fixtures.h"
#include "pool_fixture.h"
#include "r1cs/compact_digest.h"
#include "support/compact_check.h"

static void assert_shape_matches(const circuit *c, const char *name) {
    char relative[64];
    snprintf(relative, sizeof relative, "circuits/%s.json", name);
    const char *path = shared_path(relative);
    if (!path)
        return;
    circuit_shape shape;
    circuit_digest digest;
    circuit_shape_create(&shape, c);
    compact_digest_create(&digest, &shape, NULL, pool, NULL);
    yajl_val reference = read_json(path);
    assert_digest_equals(&digest, reference, name);
    yajl_tree_free(reference);
    circuit_digest_free(&digest);
    circuit_shape_free(&shape);
}

static void test_shapes_match_the_reference(void **state) {
    (void)state;
    if (!shared_path("circuits/porep-2KiB.json"))
        skip();
    static const char *const sizes[] = {"2KiB", "4KiB", "32KiB"};
    for (int k = 0; k < PROOF_KIND_COUNT; k++) {
        proof_kind kind = (proof_kind)k;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s-%s", proof_kind_word(kind), sizes[i]);
            filecoin_circuit c = filecoin_circuit_blank(kind, sector_shape_parse(sizes[i]));
            assert_shape_matches(&c.circuit, name);
        }
    }
}

static void check_partition(const proof_job *job, const circuit_shape *shape, unsigned partition, yajl_val reference,
                            const char *what) {
    cuzk_error error = {0};
    filecoin_circuit c;
    compact_assignment witness;
    circuit_digest digest;
    ASSERT_OK(job_circuit(&c, job, partition, &error));
    ASSERT_OK(compact_assignment_create(&witness, shape, &c.circuit, &error));
    compact_digest_create(&digest, shape, &witness, pool, NULL);
    assert_digest_equals(&digest, reference, what);
    circuit_digest_free(&digest);
    compact_assignment_free(&witness);
}

/* The first partition and the last. */
static void test_compact_job(void **state) {
    const char *name = *state;
    cuzk_error error = {0};
    const char *path = job_path(name, "job.json");
    if (!path)
        skip();
    proof_job job;
    ASSERT_OK(job_load(&job, path, &error));
    yajl_val digests = read_json(job_path(name, "digest.json"));
    filecoin_circuit blank = filecoin_circuit_blank(job.proof->kind, job.proof->shape);
    circuit_shape shape;
    circuit_shape_create(&shape, &blank.circuit);
    unsigned step = job.partition_count > 1 ? job.partition_count - 1 : 1;
    for (unsigned k = 0; k < job.partition_count; k += step)
        check_partition(&job, &shape, k, YAJL_GET_ARRAY(digests)->values[k], name);
    circuit_shape_free(&shape);
    yajl_tree_free(digests);
    job_free(&job);
}

/* Everything that the two paths say of a circuit of each kind, value by value. */
static void test_compact_equals_classic(void **state) {
    (void)state;
    static const char *const names[] = {"porep-StackedDrg2KiBV1_1", "winning-post", "window-post-short", "snap-deals"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        cuzk_error error = {0};
        proof_job job;
        filecoin_circuit c;
        ASSERT_OK(job_load(&job, job_path(names[i], "job.json"), &error));
        ASSERT_OK(job_circuit(&c, &job, 0, &error));
        assert_compact_equals_classic(&c.circuit);
        job_free(&job);
    }
}

/* A wrong value somewhere: both paths name the same constraint. */
static void test_wrong_witnesses_are_refused_alike(void **state) {
    (void)state;
    cuzk_error error = {0};
    proof_job job;
    filecoin_circuit c;
    ASSERT_OK(job_load(&job, job_path("porep-StackedDrg2KiBV1_1", "job.json"), &error));
    ASSERT_OK(job_circuit(&c, &job, 0, &error));
    porep_challenge_proof *challenge = &job.c1.partitions[0]->challenges[1];
    struct {
        fr *value;
        const char *name;
    } cases[] = {
        {&challenge->data_path.siblings[5], "challenge 1/inclusion in tree D/"},
        {&challenge->drg_parents[3].rows[1], "challenge 1/drg parent 3/inclusion in tree C/"},
        {&challenge->replica_path.siblings[0], "challenge 1/inclusion in tree R/"},
        {&c.porep.comm_r, "comm_r = H(comm_c, comm_r_last)"},
        {&c.porep.replica_id, "challenge 0/inclusion in tree R/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fr right = *cases[i].value;
        fr_add(cases[i].value, cases[i].value, &FR_ONE);
        assert_compact_refuses(&c.circuit, cases[i].name);
        *cases[i].value = right;
    }
    job_free(&job);
}

#define COMPACT_TEST(job)                                                                                                        \
    { "test_compact_job: " job, test_compact_job, NULL, NULL, (void *)(uintptr_t)(job) }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes_match_the_reference),
        cmocka_unit_test(test_compact_equals_classic),
        cmocka_unit_test(test_wrong_witnesses_are_refused_alike),
        COMPACT_TEST("porep-StackedDrg2KiBV1"),
        COMPACT_TEST("porep-StackedDrg2KiBV1_1"),
        COMPACT_TEST("porep-StackedDrg2KiBV1_1_Feat_SyntheticPoRep"),
        COMPACT_TEST("porep-StackedDrg2KiBV1_2_Feat_NonInteractivePoRep"),
        COMPACT_TEST("winning-post"),
        COMPACT_TEST("window-post-v1"),
        COMPACT_TEST("window-post-v1_2"),
        COMPACT_TEST("window-post-short"),
        COMPACT_TEST("snap-deals"),
        COMPACT_TEST("sparse-8MiB"),
        COMPACT_TEST("sparse-512MiB"),
    };
    return cmocka_run_group_tests(tests, make_pool, drop_pool);
}
