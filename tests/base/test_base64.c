#include "support/support.h"

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"

static void round_trips_with_openssl(void **state) {
    (void)state;
    test_random random = {7};
    for (size_t length = 0; length < 200; length++) {
        uint8_t bytes[200], decoded[204];
        char text[300];
        test_random_bytes(&random, bytes, length);
        size_t text_length = (size_t)EVP_EncodeBlock((unsigned char *)text, bytes, (int)length), count, bad;
        assert_true(base64_decode(decoded, &count, text, text_length, &bad));
        assert_int_equal(count, length);
        assert_memory_equal(decoded, bytes, length);
        assert_true(base64_capacity(text_length) >= length);
    }
}

static void expect_bad(const char *text, size_t position) {
    uint8_t decoded[64];
    size_t count, bad = 99;
    assert_false(base64_decode(decoded, &count, text, strlen(text), &bad));
    assert_int_equal(bad, position);
}

static void malformed_text_is_refused_where_it_is_wrong(void **state) {
    (void)state;
    expect_bad("Z", 1);
    expect_bad("Zm9vY", 5);
    expect_bad("Zm9vYg", 6);
    expect_bad("Zm9vYm=", 6);
    expect_bad("Zm9v\nYmFy", 4);
    expect_bad("Zm9-", 3);
    expect_bad("Zm=v", 2);
    expect_bad("Zg==Zg==", 2);
    expect_bad("====", 0);
    expect_bad("Z===", 1);
    expect_bad("Zh==", 1); /* unused bits */
    expect_bad("Zm9=", 2);
    expect_bad("Zm9v\x80mFy", 4);
}

static void every_character_outside_the_alphabet_is_refused(void **state) {
    (void)state;
    unsigned accepted = 0;
    for (unsigned c = 1; c < 256; c++) {
        uint8_t decoded[8];
        size_t bad;
        char text[5] = {'A', 'A', (char)c, 'A', 0};
        accepted += base64_decode_part(decoded, text, 4, &bad);
    }
    assert_int_equal(accepted, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trips_with_openssl),
        cmocka_unit_test(malformed_text_is_refused_where_it_is_wrong),
        cmocka_unit_test(every_character_outside_the_alphabet_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
