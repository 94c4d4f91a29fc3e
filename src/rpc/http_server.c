#include "rpc/http_server.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <microhttpd.h>

#include "base/memory.h"
#include "config/address.h"

enum { BACKLOG = 64, CONNECTION_LIMIT = 64, CONNECTION_TIMEOUT_SECONDS = 30, CONNECTION_MEMORY = 32 << 10 };

struct http_server {
    struct MHD_Daemon *daemon;
    http_documents documents;
    socket_address address;
    char name[2 * ADDRESS_CAPACITY];
};

/* Scripts and styles of the page itself only; nothing may be loaded from elsewhere, nor the page be framed. */
static const char CONTENT_POLICY[] =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status, const char *content_type, size_t length,
                             char *text) {
    struct MHD_Response *response = MHD_create_response_from_buffer(length, text, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        free(text);
        return MHD_NO;
    }
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Content-Security-Policy", CONTENT_POLICY);
    if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
        MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
    enum MHD_Result result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result queue_text(struct MHD_Connection *connection, unsigned status, const char *text) {
    return queue(connection, status, "text/plain; charset=utf-8", strlen(text), duplicate_string(text));
}

/* libmicrohttpd calls this first without a body: then *state is NULL. Returning MHD_NO would cut the connection. */
static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_length, void **state) {
    static int seen;
    (void)version;
    (void)upload;
    http_server *server = context;
    if (!*state) {
        *state = &seen;
        return MHD_YES;
    }
    if (*upload_length > 0) { /* a body that nobody reads */
        *upload_length = 0;
        return MHD_YES;
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return queue_text(connection, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are served here\n");
    size_t length = 0;
    const char *content_type = "text/plain; charset=utf-8";
    const char *after = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, "after");
    char *text = server->documents.document(server->documents.context, url, after, &length, &content_type);
    if (!text)
        return queue_text(connection, MHD_HTTP_NOT_FOUND, "served here: / /status /timeline /metrics /healthz\n");
    return queue(connection, MHD_HTTP_OK, content_type, length, text);
}

static void fill_port(socket_address *address, int descriptor) {
    struct sockaddr_storage bound;
    socklen_t length = sizeof bound;
    char port[16];
    if (getsockname(descriptor, (struct sockaddr *)&bound, &length) == 0 &&
        getnameinfo((struct sockaddr *)&bound, length, NULL, 0, port, sizeof port, NI_NUMERICSERV) == 0)
        address->port = (uint16_t)strtoul(port, NULL, 10);
}

static cuzk_status bind_tcp(int *descriptor, socket_address *address, const char *name, cuzk_error *error) {
    char port[8];
    struct addrinfo hints = {.ai_flags = AI_PASSIVE, .ai_socktype = SOCK_STREAM}, *list = NULL;
    snprintf(port, sizeof port, "%u", address->port);
    int problem = getaddrinfo(address->host, port, &hints, &list);
    if (problem != 0)
        return failure(error, CUZK_BAD_INPUT, "cannot listen on %s: %s", name, gai_strerror(problem));
    *descriptor = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    setsockopt(*descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    int bound = *descriptor < 0 ? -1 : bind(*descriptor, list->ai_addr, list->ai_addrlen);
    freeaddrinfo(list);
    if (bound != 0 || listen(*descriptor, BACKLOG) != 0)
        return failure_errno(error, CUZK_UNAVAILABLE, "cannot listen on %s", name);
    fill_port(address, *descriptor);
    return CUZK_OK;
}

static cuzk_status bind_unix(int *descriptor, const socket_address *address, const char *name, cuzk_error *error) {
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    memcpy(path.sun_path, address->path, strlen(address->path) + 1);
    *descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct stat status;
    if (lstat(address->path, &status) == 0 && S_ISSOCK(status.st_mode) && *descriptor >= 0) {
        if (connect(*descriptor, (struct sockaddr *)&path, sizeof path) == 0)
            return failure(error, CUZK_UNAVAILABLE, "another program serves %s", name);
        unlink(address->path); /* left behind by a daemon that was killed: nobody answers */
    }
    mode_t mask = umask(0117);
    int bound = *descriptor < 0 ? -1 : bind(*descriptor, (struct sockaddr *)&path, sizeof path);
    umask(mask);
    if (bound != 0 || listen(*descriptor, BACKLOG) != 0)
        return failure_errno(error, CUZK_UNAVAILABLE, "cannot listen on %s", name);
    return CUZK_OK;
}

static cuzk_status open_socket(http_server *server, int *descriptor, const char *name, cuzk_error *error) {
    *descriptor = -1;
    if (parse_listen_address(&server->address, name, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "daemon.status_listen: ");
    return server->address.is_unix ? bind_unix(descriptor, &server->address, name, error)
                                   : bind_tcp(descriptor, &server->address, name, error);
}

cuzk_status http_server_start(http_server **out, const char *address, const http_documents *documents, cuzk_error *error) {
    int descriptor;
    http_server *server = allocate_zeroed(1, sizeof *server);
    *out = NULL;
    server->documents = *documents;
    cuzk_status status = open_socket(server, &descriptor, address, error);
    if (status == CUZK_OK) {
        format_address(server->name, &server->address);
        server->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, server, MHD_OPTION_LISTEN_SOCKET,
                                          descriptor, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTION_LIMIT,
                                          MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)CONNECTION_TIMEOUT_SECONDS,
                                          MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_END);
        if (!server->daemon)
            status = failure(error, CUZK_INTERNAL, "cannot start the HTTP server on %s", address);
    }
    if (status != CUZK_OK) {
        if (descriptor >= 0)
            close(descriptor);
        free(server);
        return status;
    }
    *out = server;
    return CUZK_OK;
}

const char *http_server_address(const http_server *server) { return server->name; }

void http_server_stop(http_server *server) {
    if (!server)
        return;
    MHD_stop_daemon(server->daemon); /* closes the socket */
    if (server->address.is_unix)
        unlink(server->address.path);
    free(server);
}
