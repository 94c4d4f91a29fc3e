/* systemd's readiness protocol, against a socket of our own. */
#include "support/support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/log.h"
#include "notify.h"

static void assert_delivered(const struct sockaddr_un *address, socklen_t size, const char *variable) {
    static const char text[] = "READY=1\nSTATUS=serving on 127.0.0.1:9820";
    char received[256];
    int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(listener, (const struct sockaddr *)address, size), 0);
    setenv("NOTIFY_SOCKET", variable, 1);
    notify_service_manager(text);
    ssize_t length = recv(listener, received, sizeof received, MSG_DONTWAIT);
    assert_int_equal(length, strlen(text));
    assert_memory_equal(received, text, (size_t)length);
    close(listener);
}

static void test_path(void **state) {
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/cuzk-notify-%d", (int)getpid());
    assert_delivered(&address, sizeof address, address.sun_path);
    unlink(address.sun_path);
}

static void test_abstract(void **state) {
    (void)state;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char variable[64];
    int length = snprintf(variable, sizeof variable, "@cuzk-notify-%d", (int)getpid());
    memcpy(address.sun_path + 1, variable + 1, (size_t)length - 1);
    assert_delivered(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)length), variable);
}

/* None of these may do harm. */
static void test_nobody_listens(void **state) {
    (void)state;
    static char too_long[300] = "/";
    memset(too_long + 1, 'x', 250);
    const char *const values[] = {"/nonexistent/notify", "", "relative", "@", too_long};
    log_set_level(LOG_ERROR);
    unsetenv("NOTIFY_SOCKET");
    notify_service_manager("READY=1");
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        setenv("NOTIFY_SOCKET", values[i], 1);
        notify_service_manager("READY=1");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_path), cmocka_unit_test(test_abstract),
                                       cmocka_unit_test(test_nobody_listens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
