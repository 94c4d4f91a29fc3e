#include "support/support.h"

#include <stdlib.h>
#include <string.h>

#include "algebra/cpu.h"
#include "algebra/kernels.h"

static void highest_by_default(void **state) {
    (void)state;
    cuzk_error error = {0};
    unsetenv("CUZK_CPU");
    ASSERT_OK(cpu_level_choose(&error));
    assert_int_equal(cpu_level_in_use(), cpu_level_available());
    setenv("CUZK_CPU", "", 1);
    ASSERT_OK(cpu_level_choose(&error));
    assert_int_equal(cpu_level_in_use(), cpu_level_available());
}

static void forced(void **state) {
    (void)state;
    cuzk_error error = {0};
    setenv("CUZK_CPU", "portable", 1);
    ASSERT_OK(cpu_level_choose(&error));
    assert_int_equal(cpu_level_in_use(), CPU_PORTABLE);
    assert_ptr_equal(kernels_in_use(), &kernels_portable);
    setenv("CUZK_CPU", "ifma", 1);
    if (cpu_level_available() == CPU_IFMA) {
        ASSERT_OK(cpu_level_choose(&error));
        assert_int_equal(cpu_level_in_use(), CPU_IFMA);
        return;
    }
    assert_int_equal(cpu_level_choose(&error), CUZK_BAD_INPUT);
    assert_non_null(strstr(error.message, "found ifma"));
    assert_non_null(strstr(error.message, "highest level is portable"));
    assert_int_equal(cpu_level_in_use(), CPU_PORTABLE);
}

static void unknown(void **state) {
    (void)state;
    cuzk_error error = {0};
    const char *const names[] = {"avx2", "IFMA", "portable ", "ifm"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        setenv("CUZK_CPU", names[i], 1);
        assert_int_equal(cpu_level_choose(&error), CUZK_BAD_INPUT);
        assert_non_null(strstr(error.message, names[i]));
        assert_non_null(strstr(error.message, "expected portable or ifma"));
    }
}

/* A library's user who never chose: the highest level, whatever CUZK_CPU holds. */
static void chosen_late(void **state) {
    (void)state;
    setenv("CUZK_CPU", "nonsense", 1);
    kernels_use(NULL);
    assert_int_equal(cpu_level_in_use(), cpu_level_available());
    setenv("CUZK_CPU", "portable", 1);
    kernels_use(NULL);
    assert_int_equal(cpu_level_in_use(), CPU_PORTABLE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(highest_by_default),
        cmocka_unit_test(forced),
        cmocka_unit_test(unknown),
        cmocka_unit_test(chosen_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
