/* The vector arithmetic of level ifma by itself: its instructions, products and reductions, on the model and, where the CPU has
 * them, on the instructions themselves. */
#include "support/support.h"

#include <string.h>

#include "algebra/cpu.h"
#include "algebra/field.h"
#include "algebra/ifma/probe.h"

enum { LIMB_BITS = 52, RANDOM_PRODUCTS_OF_THE_MODEL = 1000000, RANDOM_PRODUCTS_OF_THE_CPU = 10000000 };
static const uint64_t LIMB_MASK = (UINT64_C(1) << LIMB_BITS) - 1;
static const uint64_t P[6] = {0xb9feffffffffaaabULL, 0x1eabfffeb153ffffULL, 0x6730d2a0f6b0f624ULL,
                              0x64774b84f38512bfULL, 0x4b1ba7b6434bacd7ULL, 0x1a0111ea397fe69aULL};
static const uint64_t R[4] = {0xffffffff00000001ULL, 0x53bda402fffe5bfeULL, 0x3339d80809a1d805ULL, 0x73eda753299d7d48ULL};

static const probe *under_test;
static size_t random_products;

/* Integers of seven words, modulo 2^448: signed where that is said. */
typedef struct {
    uint64_t word[7];
} integer;

static void add_multiple(integer *a, const uint64_t *b, size_t words, int64_t factor) {
    for (; factor != 0; factor += factor > 0 ? -1 : 1) {
        uint64_t carry = factor < 0;
        for (size_t i = 0; i < 7; i++) {
            uint64_t term = i < words ? b[i] : 0;
            if (factor < 0)
                term = ~term;
            uint64_t sum = a->word[i] + carry;
            carry = sum < carry;
            a->word[i] = sum + term;
            carry += a->word[i] < term;
        }
    }
}

static uint64_t limb_of(const integer *a, size_t i) {
    size_t bit = LIMB_BITS * i, word = bit / 64, shift = bit % 64;
    uint64_t low = a->word[word] >> shift;
    if (shift > 64 - LIMB_BITS && word < 6)
        low |= a->word[word + 1] << (64 - shift);
    return low & LIMB_MASK;
}

static uint64_t product_part(uint64_t a, uint64_t b, bool high) {
    /* By halves of 26 bits, unlike the model. */
    a &= LIMB_MASK;
    b &= LIMB_MASK;
    const uint64_t half = (UINT64_C(1) << 26) - 1;
    uint64_t a0 = a & half, a1 = a >> 26, b0 = b & half, b1 = b >> 26;
    uint64_t middle = a0 * b1 + a1 * b0;
    uint64_t low = a0 * b0 + ((middle & half) << 26);
    return high ? a1 * b1 + (middle >> 26) + (low >> LIMB_BITS) : low & LIMB_MASK;
}

static uint64_t edge_or_random(test_random *random) {
    static const uint64_t edges[] = {
        0, 1, UINT64_MAX, UINT64_C(1) << 63, (UINT64_C(1) << 52) - 1, UINT64_C(1) << 52, 7, UINT64_C(1) << 51};
    uint64_t choice = test_random_u64(random);
    return choice % 3 == 0 ? edges[choice / 3 % (sizeof edges / sizeof *edges)] : test_random_u64(random);
}

static void instructions_on_a_lane(const probe_vector out[PROBE_INSTRUCTIONS], const probe_vector in[3], size_t lane) {
    const uint64_t a = in[0][lane], b = in[1][lane], c = in[2][lane], sign = a >> 63 ? ~(UINT64_MAX >> 52) : 0;
    unsigned equal = 0, at_least = 0;
    for (unsigned i = 0; i < PROBE_LANES; i++) {
        equal |= (unsigned)(in[0][i] == in[1][i]) << i;
        at_least |= (unsigned)(in[0][i] >= in[1][i]) << i;
    }
    const uint64_t expected[] = {a + b,
                                 a - b,
                                 a & b,
                                 a | b,
                                 a >= b ? a - b : c,
                                 a >= b ? a : b,
                                 a << 12,
                                 a >> 52,
                                 a >> 52 | sign,
                                 b >> 40 | a << 24,
                                 a << 16 | b >> 48,
                                 c + product_part(a, b, false),
                                 c + product_part(a, b, true),
                                 equal,
                                 at_least,
                                 in[0][b & 7]};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (out[i][lane] != expected[i])
            fail_msg("operation %zu: %#lx, %#lx, %#lx give %#lx, not %#lx", i, a, b, c, out[i][lane], expected[i]);
}

static void instructions_by_definition(void **state) {
    (void)state;
    static const char *const moved[] = {"a0 b0 a2 b2 a4 b4 a6 b6", "a1 b1 a3 b3 a5 b5 a7 b7", "a0 a1 a4 a5 b0 b1 b4 b5",
                                        "a2 a3 a6 a7 b2 b3 b6 b7", "a0 a1 b0 b1 a2 a3 b2 b3", "a4 a5 b4 b5 a6 a7 b6 b7"};
    test_random random = {1};
    for (int round = 0; round < 3000; round++) {
        probe_vector in[3], out[PROBE_INSTRUCTIONS];
        for (size_t i = 0; i < 3 * PROBE_LANES; i++)
            in[i / PROBE_LANES][i % PROBE_LANES] = edge_or_random(&random);
        under_test->instructions(out, (const probe_vector *)in);
        for (size_t lane = 0; lane < PROBE_LANES; lane++) {
            instructions_on_a_lane((const probe_vector *)out, (const probe_vector *)in, lane);
            for (size_t i = 0; i < 6; i++)
                assert_int_equal(out[16 + i][lane], in[moved[i][3 * lane] - 'a'][moved[i][3 * lane + 1] - '0']);
            assert_int_equal(out[22][lane], 0);
            size_t pair = 3 - lane / 2; /* loaded from four places, stored in opposite order */
            assert_int_equal(out[23][lane], in[pair == 3 ? 0 : pair][2 * pair + lane % 2]);
        }
    }
}

/* Any integer of limbs below 2^384, modulo p, as it stands. */
static void fp_from_integer(fp *out, const integer *a) {
    static const fp plain_one = {{1}};
    blst_fp_from_uint64(out, a->word);
    blst_fp_mul(out, out, &plain_one);
}

/* An operand for one lane: limbs of ones, zeros, p - 1, p, small and random ones, below 2^384. */
static void make_operand(test_random *random, integer *a) {
    memset(a, 0, sizeof *a);
    uint64_t kind = test_random_u64(random) % 8;
    test_random_bytes(random, a->word, kind < 4 ? 48 : 0);
    if (kind == 4)
        memset(a->word, 0xff, 48);
    if (kind >= 5)
        memcpy(a->word, P, sizeof P);
    if (kind == 6)
        a->word[0]--;
    if (kind == 7) /* each limb ones or zeros */
        for (size_t i = 0; i < 6; i++)
            a->word[i] = test_random_u64(random) % 2 ? UINT64_MAX : 0;
    if (kind == 3)
        a->word[5] >>= test_random_u64(random) % 64;
}

static void put_limbs(probe_vector *limbs, size_t count, size_t lane, const integer *a) {
    for (size_t i = 0; i < count; i++)
        limbs[i][lane] = limb_of(a, i);
}

static void check_fp(const uint64_t found[6], const fp *expected, const char *what) {
    if (memcmp(found, expected->l, sizeof expected->l) != 0)
        fail_msg("%s differs from blst's", what);
}

static void fp_products(void **state) {
    (void)state;
    test_random random = {2};
    fp over_2_32, shift = {{UINT64_C(1) << 16}}; /* as factors for blst: 2^-32, and 2^16 as a plain number times 2^384 */
    blst_fp_from_uint64(&over_2_32, (const uint64_t[6]){UINT64_C(1) << 32});
    blst_fp_eucl_inverse(&over_2_32, &over_2_32);
    blst_fp_from_uint64(&shift, shift.l);
    for (size_t done = 0; done < random_products; done += PROBE_LANES) {
        integer operand[4][PROBE_LANES];
        probe_vector limbs[4][8];
        probe_fp_results out;
        for (size_t i = 0; i < 4 * PROBE_LANES; i++) {
            make_operand(&random, &operand[i / PROBE_LANES][i % PROBE_LANES]);
            put_limbs(limbs[i / PROBE_LANES], 8, i % PROBE_LANES, &operand[i / PROBE_LANES][i % PROBE_LANES]);
        }
        under_test->fp_products(&out, (const probe_vector(*)[8])limbs);
        for (size_t lane = 0; lane < PROBE_LANES; lane++) {
            fp value[4], product, other;
            for (size_t i = 0; i < 4; i++)
                fp_from_integer(&value[i], &operand[i][lane]);
            blst_fp_mul(&product, &value[0], &value[1]);
            blst_fp_mul(&product, &product, &over_2_32);
            check_fp(out.product[lane], &product, "product");
            blst_fp_mul(&other, &product, &shift);
            check_fp(out.shifted_product[lane], &other, "product with a shifted factor");
            blst_fp_mul(&other, &value[2], &value[3]);
            blst_fp_mul(&other, &other, &over_2_32);
            blst_fp_add(&other, &other, &product);
            check_fp(out.sum_of_products[lane], &other, "sum of products");
            blst_fp_sqr(&other, &value[0]);
            blst_fp_mul(&other, &other, &over_2_32);
            check_fp(out.square[lane], &other, "square");
        }
    }
}

/* value = multiple of the modulus plus a little, in limbs that are loose: what is added to one is taken from the next. */
static void put_loose_limbs(test_random *random, probe_vector *limbs, size_t count, size_t lane, const integer *value,
                            bool negative) {
    put_limbs(limbs, count, lane, value);
    size_t top_bit = LIMB_BITS * (count - 1);
    limbs[count - 1][lane] =
        value->word[top_bit / 64] >> top_bit % 64 | (top_bit % 64 ? value->word[top_bit / 64 + 1] << (64 - top_bit % 64) : 0);
    for (size_t i = 0; i + 1 < count; i++) {
        int64_t moved = (int64_t)(test_random_u64(random) % 64);
        if (negative && test_random_u64(random) % 2)
            moved = -moved;
        if (!negative && limbs[i + 1][lane] < (uint64_t)moved)
            moved = 0;
        limbs[i][lane] += (uint64_t)moved << LIMB_BITS;
        limbs[i + 1][lane] -= (uint64_t)moved;
    }
}

/* Multiples of p and their neighbours, and numbers around multiples of 2^364: all that fp8_reduced has to tell apart. */
static void fp_reductions(void **state) {
    (void)state;
    test_random random = {3};
    for (int round = 0; round < 40000; round++) {
        probe_vector limbs[8];
        uint64_t out[PROBE_LANES][6];
        fp expected[PROBE_LANES];
        for (size_t lane = 0; lane < PROBE_LANES; lane++) {
            /* rest is what has to come out: 0, 1, p - 1, near p, random, or near a multiple of 2^364. */
            integer rest = {{0}}, value;
            uint64_t kind = test_random_u64(&random) % 6;
            if (kind == 1)
                rest.word[0] = 1;
            if (kind == 2 || kind == 3) {
                memcpy(rest.word, P, sizeof P);
                rest.word[0] -= kind == 2 ? 1 : 1 + (test_random_u64(&random) & 0xffff);
            }
            if (kind >= 4) {
                test_random_bytes(&random, rest.word, 48);
                rest.word[5] = test_random_u64(&random) % P[5];
            }
            if (kind == 5) {
                memset(rest.word, test_random_u64(&random) % 2 ? 0xff : 0, 40);
                rest.word[5] &= ~((UINT64_C(1) << 44) - 1);
                if (rest.word[0])
                    rest.word[5] |= (UINT64_C(1) << 44) - 1;
            }
            memcpy(expected[lane].l, rest.word, sizeof expected[lane].l);
            bool zero = true;
            for (size_t i = 0; i < 6; i++)
                zero &= rest.word[i] == 0;
            value = rest;
            int64_t multiples = (int64_t)(test_random_u64(&random) % 6) - 2; /* -2p + rest to 3p + rest */
            add_multiple(&value, P, 6, zero && multiples == -2 ? -1 : multiples);
            put_loose_limbs(&random, limbs, 8, lane, &value, true);
        }
        under_test->fp_reduced(out, (const probe_vector *)limbs);
        for (size_t lane = 0; lane < PROBE_LANES; lane++)
            check_fp(out[lane], &expected[lane], "reduced value");
    }
}

/* rest < r for a lane. */
static void make_fr_rest(test_random *random, integer *rest) {
    memset(rest, 0, sizeof *rest);
    uint64_t kind = test_random_u64(random) % 6;
    if (kind == 1)
        rest->word[0] = 1;
    if (kind == 2)
        memcpy(rest->word, R, sizeof R), rest->word[0]--;
    if (kind == 3)
        memset(rest->word, 0xff, 24), rest->word[3] = test_random_u64(random) % R[3];
    if (kind >= 4) {
        test_random_bytes(random, rest->word, 32);
        rest->word[3] %= R[3];
    }
}

static void check_fr(const uint64_t found[4], const uint64_t *expected, const char *what) {
    if (memcmp(found, expected, 32) != 0)
        fail_msg("%s differs from what it should be", what);
}

static void fr_products(void **state) {
    (void)state;
    test_random random = {4};
    fr sixteenth;
    fr_from_u64(&sixteenth, 16);
    fr_invert(&sixteenth, &sixteenth);
    for (size_t done = 0; done < random_products; done += PROBE_LANES) {
        integer rest[2][PROBE_LANES];
        probe_vector limbs[2][5];
        probe_fr_results out;
        for (size_t lane = 0; lane < PROBE_LANES; lane++)
            for (size_t i = 0; i < 2; i++) {
                make_fr_rest(&random, &rest[i][lane]);
                integer value = rest[i][lane];
                add_multiple(&value, R, 4, (int64_t)(test_random_u64(&random) % (i == 0 ? 32 : 16)));
                put_limbs(limbs[i], 5, lane, &value);
            }
        under_test->fr_products(&out, (const probe_vector(*)[5])limbs);
        for (size_t lane = 0; lane < PROBE_LANES; lane++) {
            fr a, b;
            memcpy(a.l, rest[0][lane].word, sizeof a.l);
            memcpy(b.l, rest[1][lane].word, sizeof b.l);
            check_fr(out.nearly_reduced[lane], a.l, "nearly reduced value");
            fr_mul(&a, &a, &b);
            fr_mul(&a, &a, &sixteenth);
            check_fr(out.product[lane], a.l, "product");
        }
    }
}

static void fr_reductions(void **state) {
    (void)state;
    test_random random = {5};
    for (int round = 0; round < 40000; round++) {
        integer rest[PROBE_LANES];
        probe_vector limbs[5];
        uint64_t out[PROBE_LANES][4], memory[PROBE_LANES][4], back[PROBE_LANES][4];
        for (size_t lane = 0; lane < PROBE_LANES; lane++) {
            make_fr_rest(&random, &rest[lane]);
            memcpy(memory[lane], rest[lane].word, sizeof memory[lane]);
            integer value = rest[lane];
            add_multiple(&value, R, 4, (int64_t)(test_random_u64(&random) % 33));
            put_loose_limbs(&random, limbs, 5, lane, &value, false);
        }
        under_test->fr_reduced(out, (const probe_vector *)limbs);
        under_test->fr_round_trip(back[0], memory[0]);
        for (size_t lane = 0; lane < PROBE_LANES; lane++) {
            check_fr(out[lane], rest[lane].word, "reduced value");
            check_fr(back[lane], memory[lane], "value after a round trip");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_by_definition),
        cmocka_unit_test(fp_products),
        cmocka_unit_test(fp_reductions),
        cmocka_unit_test(fr_products),
        cmocka_unit_test(fr_reductions),
    };
    under_test = &probe_ifma_model;
    random_products = RANDOM_PRODUCTS_OF_THE_MODEL;
    int failed = cmocka_run_group_tests_name("model of ifma", tests, NULL, NULL);
#ifdef __x86_64__
    if (cpu_level_available() >= CPU_IFMA) {
        under_test = &probe_ifma;
        random_products = RANDOM_PRODUCTS_OF_THE_CPU;
        failed += cmocka_run_group_tests_name("ifma", tests, NULL, NULL);
    }
#endif
    return failed;
}
