#include "filecoin/vectors.h"

#include "filecoin/challenges.h"
#include "filecoin/hashes.h"

/* One of the sets of a sector: kind, partition, challenges. */
typedef struct {
    char kind[32];
    uint64_t partition, challenges[MAX_POREP_CHALLENGES];
    size_t count;
} challenge_set;

static void read_set(json_reader *reader, challenge_set *set) {
    const char *key;
    vectors_object(reader);
    while ((key = vectors_key(reader)) != NULL) {
        if (strcmp(key, "kind") == 0)
            vectors_text(reader, set->kind, sizeof set->kind);
        else if (strcmp(key, "partition") == 0)
            set->partition = vectors_unsigned(reader);
        else if (strcmp(key, "challenges") == 0)
            set->count = vectors_integers(reader, set->challenges, MAX_POREP_CHALLENGES);
        else
            vectors_skip(reader);
    }
}

static const registered_proof *proof_for(const sector_shape *shape, const char *kind) {
    porep_feature feature = strcmp(kind, "interactive") == 0 ? POREP_INTERACTIVE
                            : strcmp(kind, "synthetic") == 0 ? POREP_SYNTHETIC
                                                             : POREP_NON_INTERACTIVE;
    for (unsigned i = 0; i < REGISTERED_PROOF_COUNT; i++) {
        const registered_proof *proof = &REGISTERED_PROOFS[i];
        if (proof->kind == PROOF_POREP && proof->shape == shape && proof->feature == feature)
            return proof;
    }
    fail();
    return NULL;
}

static void check_porep_challenges(json_reader *reader) {
    challenge_set sets[16];
    size_t count = 0;
    uint8_t comm_r[32], replica_id[32], seed[32];
    const sector_shape *shape = NULL;
    const char *key;
    vectors_object(reader);
    while ((key = vectors_key(reader)) != NULL) {
        if (strcmp(key, "comm_r") == 0) {
            vectors_hex(reader, comm_r);
        } else if (strcmp(key, "replica_id") == 0) {
            vectors_hex(reader, replica_id);
        } else if (strcmp(key, "seed") == 0) {
            vectors_hex(reader, seed);
        } else if (strcmp(key, "sector_size") == 0) {
            shape = sector_shape_of_size(vectors_unsigned(reader));
        } else {
            vectors_array(reader);
            for (; vectors_more(reader); count++) {
                assert_true(count < 16);
                read_set(reader, &sets[count]);
            }
        }
    }
    assert_non_null(shape);
    for (size_t i = 0; i < count; i++) {
        uint64_t challenges[MAX_POREP_CHALLENGES];
        const registered_proof *proof = proof_for(shape, sets[i].kind);
        assert_int_equal(sets[i].count, shape->porep_challenges);
        porep_challenges(challenges, proof, replica_id, comm_r, seed, (unsigned)sets[i].partition);
        for (size_t j = 0; j < sets[i].count; j++)
            assert_int_equal(challenges[j], sets[i].challenges[j]);
    }
}

static void porep_challenges_are_the_references(void **state) {
    (void)state;
    vector_file file = vectors_open(data_path("vectors/porep_challenges.json"));
    unsigned count = 0;
    vectors_array(file.reader);
    for (; vectors_more(file.reader); count++)
        check_porep_challenges(file.reader);
    assert_int_equal(count, 5);
    vectors_close(&file);
}

static void check_snap(json_reader *reader) {
    enum { SHOWN = 20 };
    uint64_t first[SHOWN], last[SHOWN], numbers[3] = {0};
    size_t shown = 0;
    fr comm_d_new, comm_r_new, comm_r_old, phi, expected_phi, expected_rho[4];
    const sector_shape *shape = NULL;
    const char *key;
    vectors_object(reader);
    while ((key = vectors_key(reader)) != NULL) {
        if (strcmp(key, "comm_d_new") == 0) {
            vectors_fr(reader, &comm_d_new);
        } else if (strcmp(key, "comm_r_new") == 0) {
            vectors_fr(reader, &comm_r_new);
        } else if (strcmp(key, "comm_r_old") == 0) {
            vectors_fr(reader, &comm_r_old);
        } else if (strcmp(key, "phi") == 0) {
            vectors_fr(reader, &expected_phi);
        } else if (strcmp(key, "sector_size") == 0) {
            shape = sector_shape_of_size(vectors_unsigned(reader));
        } else if (strcmp(key, "apex_leaf_count") == 0) {
            numbers[0] = vectors_unsigned(reader);
        } else if (strcmp(key, "challenge_count") == 0) {
            numbers[1] = vectors_unsigned(reader);
        } else if (strcmp(key, "partition_count") == 0) {
            numbers[2] = vectors_unsigned(reader);
        } else if (strcmp(key, "rho_for_high_0_1_2_7") == 0) {
            vectors_array(reader);
            for (unsigned i = 0; vectors_more(reader); i++) {
                assert_true(i < 4);
                vectors_fr(reader, &expected_rho[i]);
            }
        } else {
            assert_string_equal(key, "first_challenges_of_first_and_last_partition");
            vectors_array(reader);
            assert_true(vectors_more(reader));
            shown = vectors_integers(reader, first, SHOWN);
            assert_true(vectors_more(reader));
            assert_int_equal(vectors_integers(reader, last, SHOWN), shown);
            assert_false(vectors_more(reader));
        }
    }
    assert_non_null(shape);
    assert_int_equal(shape->snap_apex_leaves, numbers[0]);
    assert_int_equal(shape->snap_challenges, numbers[1]);
    assert_int_equal(shape->snap_partitions, numbers[2]);
    snap_phi(&phi, &comm_d_new, &comm_r_old);
    assert_true(fr_equal(&phi, &expected_phi));
    for (unsigned i = 0; i < 4; i++) {
        fr rho;
        snap_rho(&rho, &phi, i < 3 ? i : 7);
        assert_true(fr_equal(&rho, &expected_rho[i]));
    }
    uint64_t challenges[MAX_SNAP_CHALLENGES];
    snap_challenges(challenges, shape, &comm_r_new, 0);
    for (size_t i = 0; i < shown; i++)
        assert_int_equal(challenges[i], first[i]);
    snap_challenges(challenges, shape, &comm_r_new, shape->snap_partitions - 1);
    for (size_t i = 0; i < shown; i++)
        assert_int_equal(challenges[i], last[i]);
}

static void snap_values_are_the_references(void **state) {
    (void)state;
    vector_file file = vectors_open(data_path("vectors/snap.json"));
    unsigned count = 0;
    vectors_array(file.reader);
    for (; vectors_more(file.reader); count++)
        check_snap(file.reader);
    assert_int_equal(count, 8);
    vectors_close(&file);
}

static void snap_challenges_stay_in_their_partition(void **state) {
    (void)state;
    fr comm_r_new;
    fr_from_u64(&comm_r_new, 99);
    for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++) {
        const sector_shape *shape = &SECTOR_SHAPES[i];
        for (unsigned partition = 0; partition < shape->snap_partitions; partition++) {
            uint64_t challenges[MAX_SNAP_CHALLENGES], share = sector_nodes(shape) / shape->snap_partitions;
            snap_challenges(challenges, shape, &comm_r_new, partition);
            for (unsigned j = 0; j < shape->snap_challenges; j++)
                assert_int_equal(challenges[j] / share, partition);
        }
    }
}

/* The sectors of a PoSt job state their challenges, made by the reference. */
static void check_post_job(const char *name) {
    vector_file file = vectors_open(data_path(name));
    uint8_t randomness[32];
    const registered_proof *proof = NULL;
    proof_kind kind = PROOF_WINDOW;
    uint64_t position = 0;
    const char *key;
    vectors_object(file.reader); /* proof_kind, randomness and registered_proof come before sectors */
    while ((key = vectors_key(file.reader)) != NULL) {
        if (strcmp(key, "proof_kind") == 0) {
            char text[32];
            vectors_text(file.reader, text, sizeof text);
            assert_true(proof_kind_from_request_name(&kind, text));
        } else if (strcmp(key, "randomness") == 0) {
            vectors_hex(file.reader, randomness);
        } else if (strcmp(key, "registered_proof") == 0) {
            proof = registered_proof_find(kind, vectors_unsigned(file.reader));
        } else if (strcmp(key, "sectors") == 0) {
            vectors_array(file.reader);
            for (; vectors_more(file.reader); position++) {
                uint64_t expected[WINNING_CHALLENGES], number = 0;
                size_t count = 0;
                vectors_object(file.reader);
                while ((key = vectors_key(file.reader)) != NULL) {
                    if (strcmp(key, "challenges") == 0)
                        count = vectors_integers(file.reader, expected, WINNING_CHALLENGES);
                    else if (strcmp(key, "sector_number") == 0)
                        number = vectors_unsigned(file.reader);
                    else
                        vectors_skip(file.reader);
                }
                assert_non_null(proof);
                assert_int_equal(count, kind == PROOF_WINNING ? WINNING_CHALLENGES : WINDOW_CHALLENGES);
                for (size_t i = 0; i < count; i++) {
                    /* The one sector of a WinningPoSt stands at all its positions. */
                    uint64_t index = kind == PROOF_WINNING ? post_challenge_index(proof, i, 0)
                                                           : post_challenge_index(proof, position, (unsigned)i);
                    assert_int_equal(post_leaf_challenge(proof->shape, randomness, number, index), expected[i]);
                }
            }
        } else {
            vectors_skip(file.reader);
        }
    }
    assert_true(position > 0);
    vectors_close(&file);
}

static void post_challenges_are_the_references(void **state) {
    (void)state;
    check_post_job("jobs/winning-post/job.json");
    check_post_job("jobs/window-post-v1/job.json");
    check_post_job("jobs/window-post-v1_2/job.json");
    check_post_job("jobs/window-post-short/job.json");
}

static void winning_sectors_are_in_range(void **state) {
    (void)state;
    uint8_t randomness[32] = {1}, prover_id[32];
    prover_id_of_miner(prover_id, 1000);
    bool seen[7] = {false};
    for (uint64_t n = 0; n < 200; n++) {
        uint64_t sector = winning_sector_challenge(randomness, prover_id, n, 7);
        assert_true(sector < 7);
        seen[sector] = true;
    }
    for (unsigned i = 0; i < 7; i++)
        assert_true(seen[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(porep_challenges_are_the_references),
        cmocka_unit_test(snap_values_are_the_references),
        cmocka_unit_test(snap_challenges_stay_in_their_partition),
        cmocka_unit_test(post_challenges_are_the_references),
        cmocka_unit_test(winning_sectors_are_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
