/* The one-block BLAKE2b against the library's. */
#include "base/bytes.h"
#include "filecoin/blake2b.h"
#include "filecoin/hashes.h"
#include "support/support.h"

static void test_first_word_equals_library(void **state) {
    (void)state;
    test_random random = {5};
    for (size_t length = 0; length <= BLAKE2B_BLOCK_BYTES; length++) {
        for (unsigned i = 0; i < 8; i++) {
            uint8_t message[BLAKE2B_BLOCK_BYTES], hash[64];
            test_random_bytes(&random, message, sizeof message);
            blake2b_512(hash, message, length);
            assert_true(blake2b_512_first_word(message, length) == load_u64_le(hash));
        }
    }
}

/* RFC 7693, appendix A: BLAKE2b-512 of "abc" begins with ba80a53f981c4d0d. */
static void test_first_word_of_rfc_example(void **state) {
    (void)state;
    assert_true(blake2b_512_first_word("abc", 3) == UINT64_C(0x0d4d1c983fa580ba));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_word_equals_library),
        cmocka_unit_test(test_first_word_of_rfc_example),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
