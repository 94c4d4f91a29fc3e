/* The documents that http_server.h serves, from a running engine. */
#ifndef RPC_STATUS_PAGE_H
#define RPC_STATUS_PAGE_H

#include "rpc/http_server.h"
#include "rpc/metrics_text.h"

typedef struct {
    cuzk_engine *engine;
    metrics_sources sources;
} status_page;

/* The documents of a page, which must outlive the server. */
http_documents status_page_documents(status_page *page);

/* The text of /metrics and GetMetrics, malloc'd. */
char *status_page_metrics(void *page);

#endif
