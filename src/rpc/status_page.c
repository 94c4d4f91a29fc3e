#include "rpc/status_page.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/options.h"
#include "rpc/status_json.h"

/* web/dashboard.html, embedded at build time. */
extern const char embedded_dashboard[], embedded_dashboard_end[];

static char *dashboard(size_t *length) {
    *length = (size_t)(embedded_dashboard_end - embedded_dashboard);
    char *copy = allocate(*length, 1);
    memcpy(copy, embedded_dashboard, *length);
    return copy;
}

typedef enum { PAGE_STATUS, PAGE_TIMELINE, PAGE_METRICS, PAGE_HEALTH } page_kind;

static void write_page(FILE *stream, status_page *page, page_kind kind, const char *after) {
    uint64_t sequence = 0;
    switch (kind) {
    case PAGE_STATUS: status_json_write(stream, page->engine); break;
    case PAGE_TIMELINE:
        if (after && !parse_unsigned(after, &sequence))
            sequence = 0;
        timeline_json_write(stream, page->engine, sequence);
        break;
    case PAGE_METRICS: metrics_write(stream, page->engine, &page->sources); break;
    case PAGE_HEALTH: fputs("alive\n", stream); break;
    }
}

static char *written(status_page *page, page_kind kind, const char *after, size_t *length) {
    char *text = NULL;
    FILE *stream = open_memstream(&text, length);
    if (!stream)
        return NULL;
    write_page(stream, page, kind, after);
    fclose(stream);
    return text;
}

static char *document(void *context, const char *path, const char *after, size_t *length, const char **content_type) {
    static const struct {
        const char *path, *content_type;
        page_kind kind;
    } pages[] = {
        {"/status", "application/json", PAGE_STATUS},
        {"/timeline", "application/json", PAGE_TIMELINE},
        {"/metrics", "text/plain; version=0.0.4; charset=utf-8", PAGE_METRICS},
        {"/healthz", "text/plain; charset=utf-8", PAGE_HEALTH},
    };
    if (strcmp(path, "/") == 0) {
        *content_type = "text/html; charset=utf-8";
        return dashboard(length);
    }
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        if (strcmp(path, pages[i].path) != 0)
            continue;
        *content_type = pages[i].content_type;
        return written(context, pages[i].kind, after, length);
    }
    return NULL;
}

http_documents status_page_documents(status_page *page) { return (http_documents){.document = document, .context = page}; }

char *status_page_metrics(void *page) {
    size_t length;
    return written(page, PAGE_METRICS, NULL, &length);
}
