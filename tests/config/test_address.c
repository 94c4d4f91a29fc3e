#include "support/support.h"

#include <string.h>

#include "config/address.h"

static void test_good(void **state) {
    (void)state;
    socket_address a;
    cuzk_error error = {0};
    char text[2 * ADDRESS_CAPACITY];
    static const struct {
        const char *text, *host, *path;
        uint16_t port;
        bool tls, client_only;
    } cases[] = {
        {"127.0.0.1:9820", "127.0.0.1", "", 9820, false, false},
        {"[::1]:1", "::1", "", 1, false, false},
        {"localhost:65535", "localhost", "", 65535, false, false},
        {"unix:///run/a.sock", "", "/run/a.sock", 0, false, false},
        {"unix:/run/a.sock", "", "/run/a.sock", 0, false, false},
        {"http://h:80", "h", "", 80, false, true},
        {"http://h:80/", "h", "", 80, false, true},
        {"https://h:443", "h", "", 443, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (!cases[i].client_only)
            ASSERT_OK(parse_listen_address(&a, cases[i].text, &error));
        ASSERT_OK(parse_client_address(&a, cases[i].text, &error));
        assert_string_equal(a.host, cases[i].host);
        assert_string_equal(a.path, cases[i].path);
        assert_int_equal(a.port, cases[i].port);
        assert_int_equal(a.is_tls, cases[i].tls);
        assert_int_equal(a.is_unix, *cases[i].path != 0);
    }
    ASSERT_OK(parse_listen_address(&a, "[fe80::1]:0", &error));
    format_address(text, &a);
    assert_string_equal(text, "[fe80::1]:0");
    ASSERT_OK(parse_listen_address(&a, "unix:/x", &error));
    format_address(text, &a);
    assert_string_equal(text, "unix:///x");
}

static void test_bad(void **state) {
    (void)state;
    socket_address a;
    cuzk_error error = {0};
    static const char *const texts[] = {
        "",       ":",      ":80",       "h",       "h:",       "h:x",           "h:-1",  "h:65536", "[::1]",  "[::1]80",
        "::1:80", "a b:80", "user@h:80", "http://", "http://h", "http://h:80/x", "unix:", "unix://", "unix:x", "unix://x/y"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_int_equal(parse_client_address(&a, texts[i], &error), CUZK_BAD_INPUT);
        assert_int_equal(parse_listen_address(&a, texts[i], &error), CUZK_BAD_INPUT);
    }
    assert_int_equal(parse_client_address(&a, "h:0", &error), CUZK_BAD_INPUT);
    char longest[400] = "unix:///";
    memset(longest + 8, 'a', 300);
    assert_int_equal(parse_listen_address(&a, longest, &error), CUZK_BAD_INPUT);
    memset(longest, 'a', 398);
    longest[300] = ':';
    longest[301] = '1';
    longest[302] = 0;
    assert_int_equal(parse_listen_address(&a, longest, &error), CUZK_BAD_INPUT);
    assert_int_equal(parse_client_address(&a, longest, &error), CUZK_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_good), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
