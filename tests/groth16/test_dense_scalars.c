#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "groth16/dense_scalars.h"

enum { VARIABLES = 5000 };

/* Every range that begins and ends near begin and end, against the list of all present variables. */
static void assert_ranges(const density *present, const fr *values, test_random *random) {
    fr_canonical *expected = calloc(VARIABLES, sizeof *expected), *found = calloc(VARIABLES, sizeof *found);
    size_t count = 0;
    for (uint32_t i = 0; i < VARIABLES; i++)
        if (density_get(present, i))
            fr_to_canonical(&expected[count++], &values[i]);
    assert_int_equal(count, present->ones);
    dense_scalars scalars;
    dense_scalars_create(&scalars, values, present);
    for (size_t round = 0; round < 300; round++) {
        size_t begin = test_random_u64(random) % (count + 1), end = begin + test_random_u64(random) % (count - begin + 1);
        if (round == 0)
            begin = 0, end = count;
        memset(found, 0xee, VARIABLES * sizeof *found);
        dense_scalars_source(&scalars, begin, end, found);
        assert_memory_equal(found, expected + begin, (end - begin) * sizeof *found);
        if (end - begin < VARIABLES) /* nothing is written behind the range */
            assert_int_equal(found[end - begin].bytes[0], 0xee);
    }
    dense_scalars_free(&scalars);
    free(expected);
    free(found);
}

static void selects_the_present_variables(void **state) {
    (void)state;
    test_random random = {7};
    fr *values = calloc(VARIABLES, sizeof *values);
    for (size_t i = 0; i < VARIABLES; i++)
        fr_from_u64(&values[i], i + 1);
    /* Of each 1 / spread variables one is present, in all, in alternate blocks of 700, or only at the ends. */
    static const uint32_t spreads[] = {1, 2, 3, 64, 511, 1300};
    for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++)
        for (int gaps = 0; gaps < 2; gaps++) {
            density present = {0};
            for (uint32_t v = 0; v < VARIABLES; v++)
                if (test_random_u64(&random) % spreads[i] == 0 && (!gaps || v / 700 % 2 == 1))
                    density_set(&present, v);
            assert_ranges(&present, values, &random);
            density_free(&present);
        }
    density empty = {0};
    assert_ranges(&empty, values, &random);
    density last = {0};
    density_set(&last, VARIABLES - 1);
    assert_ranges(&last, values, &random);
    density_free(&last);
    free(values);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(selects_the_present_variables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
