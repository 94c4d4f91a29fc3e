#include "stages.h"

#include <assert.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/memory.h"
#include "config/address.h"

enum { REPLY_MAXIMUM = 64 << 20, TIMEOUT_SECONDS = 30 };

/* ---- GET ------------------------------------------------------------------------------------------------------------ */

static int connect_tcp(const socket_address *address) {
    char port[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list = NULL;
    struct timeval timeout = {.tv_sec = TIMEOUT_SECONDS};
    snprintf(port, sizeof port, "%u", address->port);
    if (getaddrinfo(address->host, port, &hints, &list) != 0)
        return -1;
    int descriptor = socket(list->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    if (descriptor >= 0 && connect(descriptor, list->ai_addr, list->ai_addrlen) != 0) {
        close(descriptor);
        descriptor = -1;
    }
    freeaddrinfo(list);
    return descriptor;
}

/* Everything until the server closes, with a NUL behind it; NULL if that is too much or fails. */
static char *read_all(int descriptor, size_t *length) {
    char *text = NULL;
    size_t capacity = 0;
    *length = 0;
    for (;;) {
        if (capacity - *length < 65536) {
            capacity = capacity ? 2 * capacity : 1 << 17;
            text = reallocate(text, capacity, 1);
        }
        ssize_t got = read(descriptor, text + *length, capacity - *length - 1);
        if (got == 0 && *length < REPLY_MAXIMUM) {
            text[*length] = 0;
            return text;
        }
        if (got <= 0 || *length >= REPLY_MAXIMUM) {
            free(text);
            return NULL;
        }
        *length += (size_t)got;
    }
}

/* The body of a GET with HTTP/1.0: the connection's end is the body's. */
static cuzk_status http_get(char **body, const char *address, const char *path, cuzk_error *error) {
    socket_address parsed;
    char request[512], name[2 * ADDRESS_CAPACITY];
    if (parse_client_address(&parsed, address, error) != CUZK_OK)
        return failure_within(error, CUZK_BAD_INPUT, "--status-addr: ");
    if (parsed.is_unix || parsed.is_tls)
        return failure(error, CUZK_BAD_INPUT, "--status-addr: found %s, expected HOST:PORT", address);
    format_address(name, &parsed);
    int descriptor = connect_tcp(&parsed);
    if (descriptor < 0)
        return failure_errno(error, CUZK_UNAVAILABLE, "--status-addr: cannot reach %s", name);
    int written = snprintf(request, sizeof request, "GET %s HTTP/1.0\r\nHost: %s\r\n\r\n", path, name);
    size_t length = 0;
    char *reply = write(descriptor, request, (size_t)written) == written ? read_all(descriptor, &length) : NULL;
    close(descriptor);
    char *end = reply ? strstr(reply, "\r\n\r\n") : NULL;
    if (!end || strncmp(reply, "HTTP/1.", 7) != 0 || strncmp(reply + 8, " 200", 4) != 0) {
        free(reply);
        return failure(error, CUZK_BAD_INPUT, "--status-addr: %s%s: found no status page of cuzk-daemon there", name, path);
    }
    *body = duplicate_string(end + 4);
    free(reply);
    return CUZK_OK;
}

/* ---- The timeline's JSON -------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t now_ns, last_sequence;
    stage_span *spans;
    size_t count, capacity;
    uint64_t mark_ns;
} timeline;

static cuzk_status read_span(timeline *t, json_reader *reader, cuzk_error *error) {
    static const char *const names[] = {"sequence", "job_id", "circuit_id", "partition", "stage", "worker", "start_ns", "end_ns"};
    json_members members = json_members_of(names, 8);
    members.skip_unknown = true;
    stage_span span = {0};
    uint64_t sequence = 0, start = 0, end = 0;
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            break;
        switch (member) {
        case 0: TRY(json_read_unsigned(reader, UINT64_MAX, &sequence, error)); break;
        case 1: TRY(json_read_text(reader, span.job_id, sizeof span.job_id, error)); break;
        case 2: TRY(json_read_text(reader, span.circuit_id, sizeof span.circuit_id, error)); break;
        case 3: TRY(json_read_unsigned(reader, UINT32_MAX, &span.partition, error)); break;
        case 4: TRY(json_read_text(reader, span.stage, sizeof span.stage, error)); break;
        case 5: TRY(json_read_unsigned(reader, UINT32_MAX, &span.worker, error)); break;
        case 6: TRY(json_read_unsigned(reader, INT64_MAX, &start, error)); break;
        default: TRY(json_read_unsigned(reader, INT64_MAX, &end, error)); break;
        }
    }
    if (sequence > t->last_sequence)
        t->last_sequence = sequence;
    span.start_ns = (int64_t)start - (int64_t)t->mark_ns;
    span.end_ns = (int64_t)end - (int64_t)t->mark_ns;
    t->spans = grow_array(t->spans, t->count, &t->capacity, sizeof *t->spans);
    t->spans[t->count++] = span;
    return CUZK_OK;
}

static cuzk_status read_timeline(timeline *t, json_reader *reader, cuzk_error *error) {
    static const char *const names[] = {"now_ns", "spans"};
    json_members members = json_members_of(names, 2);
    members.skip_unknown = true;
    TRY(json_enter_object(reader, error));
    for (int member;;) {
        TRY(json_next_member(reader, &members, &member, error));
        if (member < 0)
            return json_read_end(reader, error);
        if (member == 0) {
            TRY(json_read_unsigned(reader, UINT64_MAX, &t->now_ns, error));
            continue;
        }
        TRY(json_enter_array(reader, error));
        for (bool more;;) {
            TRY(json_next_element(reader, &more, error));
            if (!more)
                break;
            TRY(read_span(t, reader, error));
        }
    }
}

static cuzk_status fetch_timeline(timeline *t, const char *address, uint64_t after, cuzk_error *error) {
    char path[64], *body = NULL;
    snprintf(path, sizeof path, "/timeline?after=%llu", (unsigned long long)after);
    TRY(http_get(&body, address, path, error));
    assert(body);
    json_reader *reader = json_reader_create_memory((const uint8_t *)body, strlen(body), NULL);
    cuzk_status status = read_timeline(t, reader, error);
    json_reader_destroy(reader);
    free(body);
    return status == CUZK_OK ? CUZK_OK : failure_within(error, status, "%s%s: ", address, path);
}

cuzk_status stages_mark(stage_mark *mark, const char *address, cuzk_error *error) {
    timeline t = {0};
    cuzk_status status = fetch_timeline(&t, address, 0, error);
    *mark = (stage_mark){.sequence = t.last_sequence, .now_ns = t.now_ns};
    free(t.spans);
    return status;
}

static int by_start(const void *a, const void *b) {
    const stage_span *x = a, *y = b;
    return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

/* The union of the stretches of proving, as a share of the whole. Spans are sorted by their start. */
static double prover_share(const stage_list *list) {
    int64_t first = INT64_MAX, last = INT64_MIN, covered = 0, end = INT64_MIN;
    for (size_t i = 0; i < list->count; i++) {
        const stage_span *span = &list->spans[i];
        if (strcmp(span->stage, "prove") != 0)
            continue;
        if (span->start_ns < first)
            first = span->start_ns;
        if (span->end_ns > last)
            last = span->end_ns;
        int64_t from = span->start_ns > end ? span->start_ns : end;
        if (span->end_ns > from)
            covered += span->end_ns - from;
        if (span->end_ns > end)
            end = span->end_ns;
    }
    return last > first ? (double)covered / (double)(last - first) : 0;
}

cuzk_status stages_since(stage_list *list, const char *address, const stage_mark *mark, cuzk_error *error) {
    timeline t = {.mark_ns = mark->now_ns};
    *list = (stage_list){0};
    cuzk_status status = fetch_timeline(&t, address, mark->sequence, error);
    *list = (stage_list){.spans = t.spans, .count = t.count};
    if (list->count)
        qsort(list->spans, list->count, sizeof *list->spans, by_start);
    list->prover_busy = prover_share(list);
    return status;
}

void stages_free(stage_list *list) {
    free(list->spans);
    *list = (stage_list){0};
}
