#include "config/address.h"

#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#include "base/options.h"

static const char EXPECTED[] = "expected host:port or unix:///path";

static cuzk_status parse_unix(socket_address *address, const char *text, const char *path, cuzk_error *error) {
    if (strncmp(path, "//", 2) == 0)
        path += 2;
    if (path[0] != '/')
        return failure(error, CUZK_BAD_INPUT, "found %s, %s with an absolute path", text, EXPECTED);
    size_t limit = sizeof((struct sockaddr_un *)0)->sun_path - 1;
    if (strlen(path) > limit)
        return failure(error, CUZK_BAD_INPUT, "found a socket path of %zu bytes, expected at most %zu", strlen(path), limit);
    address->is_unix = true;
    snprintf(address->path, sizeof address->path, "%s", path);
    return CUZK_OK;
}

static cuzk_status parse_host_and_port(socket_address *address, const char *text, uint64_t lowest_port, cuzk_error *error) {
    const char *host = text, *host_end, *port;
    if (*text == '[') {
        host = text + 1;
        host_end = strchr(host, ']');
        if (!host_end || host_end[1] != ':')
            return failure(error, CUZK_BAD_INPUT, "found %s, %s", text, EXPECTED);
        port = host_end + 2;
    } else {
        host_end = strrchr(text, ':');
        if (!host_end)
            return failure(error, CUZK_BAD_INPUT, "found %s, %s", text, EXPECTED);
        if (memchr(text, ':', (size_t)(host_end - text)))
            return failure(error, CUZK_BAD_INPUT, "found %s, expected brackets around an IPv6 address: [%.*s]:port", text,
                           (int)(host_end - text), text);
        port = host_end + 1;
    }
    uint64_t number;
    if (!parse_unsigned(port, &number) || number > UINT16_MAX || number < lowest_port)
        return failure(error, CUZK_BAD_INPUT, "found port %s, expected a number from %llu to 65535", port,
                       (unsigned long long)lowest_port);
    size_t length = (size_t)(host_end - host);
    if (length == 0 || length >= sizeof address->host || strcspn(host, " \t/@") < length)
        return failure(error, CUZK_BAD_INPUT, "found %s, %s", text, EXPECTED);
    memcpy(address->host, host, length);
    address->port = (uint16_t)number;
    return CUZK_OK;
}

cuzk_status parse_listen_address(socket_address *address, const char *text, cuzk_error *error) {
    *address = (socket_address){0};
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(address, text, text + 5, error);
    return parse_host_and_port(address, text, 0, error);
}

cuzk_status parse_client_address(socket_address *address, const char *text, cuzk_error *error) {
    *address = (socket_address){0};
    if (strncmp(text, "unix:", 5) == 0)
        return parse_unix(address, text, text + 5, error);
    bool tls = strncmp(text, "https://", 8) == 0;
    const char *rest = tls ? text + 8 : strncmp(text, "http://", 7) == 0 ? text + 7 : text;
    char copy[ADDRESS_CAPACITY + 16];
    size_t length = strlen(rest);
    if (length > 0 && rest != text && rest[length - 1] == '/')
        length--;
    if (length >= sizeof copy)
        return failure(error, CUZK_BAD_INPUT, "found an address of %zu bytes, %s", length, EXPECTED);
    memcpy(copy, rest, length);
    copy[length] = 0;
    TRY(parse_host_and_port(address, copy, 1, error));
    address->is_tls = tls;
    return CUZK_OK;
}

void format_address(char *text, const socket_address *address) {
    const size_t capacity = 2 * (size_t)ADDRESS_CAPACITY;
    if (address->is_unix)
        snprintf(text, capacity, "unix://%s", address->path);
    else
        snprintf(text, capacity, strchr(address->host, ':') ? "[%s]:%u" : "%s:%u", address->host, address->port);
}
