/* Binding the server's addresses. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "rpc/server_internal.h"

static grpc_server_credentials *create_credentials(const rpc_server *server, listener *l) {
    if (l->address.is_unix || !server->tls)
        return grpc_insecure_server_credentials_create();
    return tls_store_credentials(server->tls, &l->tls);
}

/* True if somebody accepts connections on the path. */
static bool socket_is_served(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    memcpy(name.sun_path, path, strlen(path) + 1);
    int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool served = descriptor >= 0 && connect(descriptor, (struct sockaddr *)&name, sizeof name) == 0;
    if (descriptor >= 0)
        close(descriptor);
    return served;
}

/* gRPC unlinks whatever lies at a socket's path, a living daemon's socket included. So a lock comes first. */
static cuzk_status guard_socket(listener *l, cuzk_error *error) {
    const char *path = l->address.path;
    char lock_path[ADDRESS_CAPACITY + 8];
    snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    l->lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (l->lock < 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "%s", lock_path);
    if (flock(l->lock, LOCK_EX | LOCK_NB) != 0)
        return failure_errno(error, CUZK_UNAVAILABLE, "another daemon serves unix://%s (it holds %s)", path, lock_path);
    struct stat status;
    if (lstat(path, &status) == 0 && !S_ISSOCK(status.st_mode))
        return failure(error, CUZK_BAD_INPUT, "%s: found another kind of file, expected a socket or nothing", path);
    if (socket_is_served(path))
        return failure(error, CUZK_UNAVAILABLE, "another program serves unix://%s", path);
    return CUZK_OK;
}

/* Why a TCP address could not be bound: the core only says that. */
static cuzk_status explain_tcp(const socket_address *address, const char *name, cuzk_error *error) {
    char port[8];
    struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM}, *list = NULL;
    snprintf(port, sizeof port, "%u", address->port);
    int problem = getaddrinfo(address->host, port, &hints, &list);
    if (problem != 0)
        return failure(error, CUZK_BAD_INPUT, "cannot listen on %s: %s", name, gai_strerror(problem));
    int descriptor = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    bool bound = bind(descriptor, list->ai_addr, list->ai_addrlen) == 0 && listen(descriptor, 1) == 0;
    int number = errno;
    freeaddrinfo(list);
    if (descriptor >= 0)
        close(descriptor);
    errno = number;
    if (bound)
        return failure(error, CUZK_UNAVAILABLE, "cannot listen on %s", name);
    return failure_errno(error, CUZK_UNAVAILABLE, "cannot listen on %s", name);
}

static cuzk_status bind_listener(rpc_server *server, listener *l, cuzk_error *error) {
    char name[2 * ADDRESS_CAPACITY], target[2 * ADDRESS_CAPACITY];
    format_address(name, &l->address);
    snprintf(target, sizeof target, l->address.is_unix ? "unix:%s" : "%s", l->address.is_unix ? l->address.path : name);
    if (l->address.is_unix)
        TRY(guard_socket(l, error));
    grpc_server_credentials *credentials = create_credentials(server, l);
    if (!credentials)
        return failure(error, CUZK_BAD_INPUT,
                       "daemon.tls_certificate, daemon.tls_key: found no usable certificate and key in PEM");
    mode_t mask = umask(0117);
    int port = grpc_server_add_http2_port(server->server, target, credentials);
    umask(mask);
    grpc_server_credentials_release(credentials);
    if (port == 0 && l->address.is_unix)
        return failure(error, CUZK_INPUT_OUTPUT, "cannot listen on %s", name);
    if (port == 0)
        return explain_tcp(&l->address, name, error);
    if (!l->address.is_unix)
        l->address.port = (uint16_t)port;
    return CUZK_OK;
}

static void append_address(rpc_server *server, const socket_address *address) {
    char name[2 * ADDRESS_CAPACITY];
    format_address(name, address);
    size_t length = server->addresses ? strlen(server->addresses) : 0;
    server->addresses = reallocate(server->addresses, length + strlen(name) + 3, 1);
    memcpy(server->addresses + length, ", ", 2);
    memcpy(server->addresses + length + (length ? 2 : 0), name, strlen(name) + 1);
}

cuzk_status rpc_listen(rpc_server *server, const rpc_server_options *options, cuzk_error *error) {
    if (options->certificates.certificate)
        server->tls = tls_store_create(&options->certificates);
    server->listeners = allocate_zeroed(options->address_count, sizeof *server->listeners);
    for (size_t i = 0; i < options->address_count; i++) {
        listener *l = &server->listeners[server->listener_count++];
        l->lock = -1;
        TRY(parse_listen_address(&l->address, options->addresses[i], error));
        TRY(bind_listener(server, l, error));
        append_address(server, &l->address);
    }
    return CUZK_OK;
}

/* The lock files stay: removing one while another daemon opens it would let two in. */
void rpc_listeners_free(rpc_server *server) {
    for (size_t i = 0; i < server->listener_count; i++)
        if (server->listeners[i].lock >= 0)
            close(server->listeners[i].lock);
    free(server->listeners);
    tls_store_free(server->tls);
}
