/* Addresses as configurations and command lines write them. */
#ifndef CONFIG_ADDRESS_H
#define CONFIG_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum { ADDRESS_CAPACITY = 256 };

typedef struct {
    bool is_unix;
    bool is_tls;                 /* written as https:// (clients only) */
    char host[ADDRESS_CAPACITY]; /* name, IPv4 or IPv6 without brackets; empty for unix */
    uint16_t port;               /* 0: let the system choose (listeners only) */
    char path[ADDRESS_CAPACITY]; /* absolute path of a unix socket, short enough for the kernel; empty for TCP */
} socket_address;

/* "127.0.0.1:9820", "[::1]:9820", "localhost:0", "unix:///run/cuzk.sock" (also "unix:/run/cuzk.sock"). The error says what
 * was found and expected, without a name in front. */
cuzk_status parse_listen_address(socket_address *address, const char *text, cuzk_error *error);

/* The same with "http://" or "https://" in front allowed, a port of at least 1, and nothing behind but a "/". */
cuzk_status parse_client_address(socket_address *address, const char *text, cuzk_error *error);

/* Writes "host:port", "[::1]:port" or "unix:///path" to text of capacity 2 * ADDRESS_CAPACITY. */
void format_address(char *text, const socket_address *address);

#endif
