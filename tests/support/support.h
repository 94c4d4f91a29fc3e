/* What every test program shares. Includes cmocka in the order it wants. */
#ifndef TESTS_SUPPORT_H
#define TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"

/* Fails the test with the error's message unless the expression gives CUZK_OK; `error` must be in scope. */
#define ASSERT_OK(expression)                                       \
    do {                                                            \
        if ((expression) != CUZK_OK)                                \
            fail_msg("%s: %s", #expression, error.message);         \
    } while (0)

/* Path of a file under tests/data (static buffer, valid until the eighth next call). */
const char *data_path(const char *name);

/* Path of a file of the reference data that lies beside the repository (or in $CUZK_SHARED), or NULL where it is not
 * there: then the test calls skip(). */
const char *shared_path(const char *name);

/* Whole file with a NUL behind it; the test fails if it cannot be read. Free with free(). */
uint8_t *read_test_file(const char *path, size_t *size);

/* Numbers that are equal in every run: splitmix64. */
typedef struct {
    uint64_t state;
} test_random;
uint64_t test_random_u64(test_random *random);
void test_random_bytes(test_random *random, void *bytes, size_t count);

#endif
