#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/cpu.h"
#include "algebra/kernels.h"

static void preferred_by_default(void **state) {
    (void)state;
    cuzk_error error = {0};
    unsetenv("CUZK_CPU");
    ASSERT_OK(cpu_level_choose(&error));
    assert_int_equal(cpu_level_in_use(), cpu_level_preferred());
    setenv("CUZK_CPU", "", 1);
    ASSERT_OK(cpu_level_choose(&error));
    assert_int_equal(cpu_level_in_use(), cpu_level_preferred());
}

static void forced(void **state) {
    (void)state;
    cuzk_error error = {0};
    setenv("CUZK_CPU", "portable", 1);
    ASSERT_OK(cpu_level_choose(&error));
    assert_int_equal(cpu_level_in_use(), CPU_PORTABLE);
    assert_ptr_equal(kernels_in_use(), &kernels_portable);
    for (cpu_level level = CPU_PORTABLE; level <= CPU_IFMA; level++) {
        setenv("CUZK_CPU", cpu_level_name(level), 1);
        if (level <= cpu_level_available()) {
            ASSERT_OK(cpu_level_choose(&error));
            assert_int_equal(cpu_level_in_use(), level);
            continue;
        }
        cpu_level before = cpu_level_in_use();
        char found[32], highest[64];
        snprintf(found, sizeof found, "found %s, which needs", cpu_level_name(level));
        snprintf(highest, sizeof highest, "highest level is %s", cpu_level_name(cpu_level_available()));
        assert_int_equal(cpu_level_choose(&error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, found));
        assert_non_null(strstr(error.message, highest));
        assert_int_equal(cpu_level_in_use(), before);
    }
}

static void unknown(void **state) {
    (void)state;
    cuzk_error error = {0};
    const char *const names[] = {"avx512", "IFMA", "portable ", "ifm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setenv("CUZK_CPU", names[i], 1);
        assert_int_equal(cpu_level_choose(&error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, names[i]));
        assert_non_null(strstr(error.message, "expected portable, avx2 or ifma"));
    }
}

/* A library's user who never chose: the preferred level, whatever CUZK_CPU holds. */
static void chosen_late(void **state) {
    (void)state;
    setenv("CUZK_CPU", "nonsense", 1);
    kernels_use(NULL);
    assert_int_equal(cpu_level_in_use(), cpu_level_preferred());
    setenv("CUZK_CPU", "portable", 1);
    kernels_use(NULL);
    assert_int_equal(cpu_level_in_use(), CPU_PORTABLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preferred_by_default),
        cmocka_unit_test(forced),
        cmocka_unit_test(unknown),
        cmocka_unit_test(chosen_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
