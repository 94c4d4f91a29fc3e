#include "daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "allocator.h"
#include "arguments.h"
#include "base/progress.h"
#include "certificates.h"
#include "notify.h"
#include "rpc/health.h"
#include "rpc/reflection.h"
#include "rpc/status_page.h"

enum {
    EXIT_STOPPED_WELL = 0,
    EXIT_INPUT = 2,
    EXIT_FAILED = 3,
    METHOD_COUNT = PROVING_METHOD_COUNT + HEALTH_METHOD_COUNT + REFLECTION_METHOD_COUNT,
    MESSAGE_ENVELOPE = 64 << 10, /* room for the fields around a proof input of the largest size */
    DRAIN_NOTICE_MS = 500,       /* health says NOT_SERVING for at least so long before connections are refused */
    CLOSING_GRACE_MS = 2000,     /* for answers that are being written */
    REQUEST_SHARE = 4,           /* one request takes at most a fourth of the memory budget */
    UPLOAD_BUDGET_SHARE = 16,    /* and all in transit a sixteenth, if that is enough for one */
    UPLOAD_PLACES_MAXIMUM = 8,
    PROCESS_BYTES = 24 << 20 /* libraries, threads, connections and the journal's cache */
};

typedef struct {
    const configuration *config;
    cuzk_engine *engine;
    proving_service *service;
    health *health;
    rpc_server *server;
    http_server *http;
    rpc_method methods[METHOD_COUNT];
    status_page page;
    uint64_t max_request_bytes;
    size_t upload_places; /* requests received at once */
    certificates tls;
    sigset_t signals;
} daemon_state;

/* ---- Signals -------------------------------------------------------------------------------------------------------- */

static void block_signals(daemon_state *d) {
    sigemptyset(&d->signals);
    sigaddset(&d->signals, SIGTERM);
    sigaddset(&d->signals, SIGINT);
    sigaddset(&d->signals, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &d->signals, NULL); /* before any thread starts: all inherit it */
    signal(SIGPIPE, SIG_IGN);
}

static rpc_certificates pem_texts(const certificates *c) {
    return (rpc_certificates){.certificate = c->certificate, .key = c->key, .client_authorities = c->client_authorities};
}

/* SIGHUP: certificates are renewed every few weeks, and a prover should not stop for that. Bad ones change nothing. */
static void renew_certificates(daemon_state *d) {
    certificates renewed;
    cuzk_error error = {0};
    if (!d->server || !d->tls.certificate) {
        log_info("SIGHUP: there are no certificates to read; the rest of the configuration is read at the start only");
        return;
    }
    if (certificates_read(&renewed, d->config, &error) != CUZK_OK) {
        log_error("SIGHUP: %s; the certificates stay as they were", error.message);
        certificates_free(&renewed);
        return;
    }
    rpc_certificates texts = pem_texts(&renewed);
    rpc_server_renew_certificates(d->server, &texts);
    certificates_free(&d->tls);
    d->tls = renewed;
    log_info("SIGHUP: certificates read anew, for connections from now on; the rest of the configuration is read at the start only");
}

/* True if a signal to stop came within the time; milliseconds < 0 waits for one. */
static bool wait_for_stop(daemon_state *d, int64_t milliseconds) {
    int64_t end = monotonic_ns() + milliseconds * 1000000;
    for (;;) {
        int64_t left = milliseconds < 0 ? 3600000000000ll : end - monotonic_ns();
        if (left < 0)
            return false;
        struct timespec timeout = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
        int number = sigtimedwait(&d->signals, NULL, &timeout);
        if (number == SIGTERM || number == SIGINT)
            return true;
        if (number == SIGHUP)
            renew_certificates(d);
    }
}

static bool stop_requested(void *context) { return wait_for_stop(context, 0); }

/* ---- Start ---------------------------------------------------------------------------------------------------------- */

static cuzk_engine_options engine_options(const configuration *c, uint64_t max_request_bytes) {
    cuzk_engine_options o;
    cuzk_engine_options_init(&o);
    o.parameter_directory = c->srs.param_cache;
    o.parameter_directory_origin = c->srs.param_cache_origin;
    o.state_directory = c->daemon.state_dir;
    o.total_budget = c->memory.total_budget;
    o.safety_margin = c->memory.safety_margin;
    o.eviction_min_idle_ms = c->memory.eviction_min_idle;
    o.scratch_directory = *c->memory.scratch_dir ? c->memory.scratch_dir : NULL;
    o.scratch_memory = c->memory.scratch_memory;
    o.pipeline_enabled = c->pipeline.enabled;
    o.synthesis_lookahead = (unsigned)c->pipeline.synthesis_lookahead;
    o.synthesis_concurrency = (unsigned)c->pipeline.synthesis_concurrency;
    o.max_parallel_synthesis = (unsigned)c->pipeline.max_parallel_synthesis;
    o.max_prover_queue_depth = (unsigned)c->pipeline.max_gpu_queue_depth;
    o.synthesis_strategy = c->synthesis.classic ? CUZK_SYNTHESIS_CLASSIC : CUZK_SYNTHESIS_COMPACT;
    o.synthesis_threads = (unsigned)c->synthesis.threads;
    o.prover_threads = (unsigned)c->gpus.gpu_threads;
    o.prover_workers_per_device = (unsigned)c->gpus.gpu_workers_per_device;
    o.devices = c->gpus.devices.items;
    o.device_count = c->gpus.devices.count;
    o.b_g2_on_cpu = c->gpus.b_g2_on_cpu;
    o.max_batch_size = (unsigned)c->scheduler.max_batch_size;
    o.max_batch_wait_ms = c->scheduler.max_batch_wait_ms;
    o.sort_by_type = c->scheduler.sort_by_type;
    o.starvation_limit_ms = c->scheduler.starvation_limit;
    o.max_queued_jobs = (unsigned)c->scheduler.max_queued_jobs;
    o.max_request_bytes = max_request_bytes + 2 * MESSAGE_ENVELOPE; /* the gRPC server's limit is met first */
    o.max_journal_bytes = c->journal.max_size;
    o.retention_ms = c->journal.retention;
    o.retention_jobs = (unsigned)c->journal.retention_jobs;
    return o;
}

/* How much memory is kept for requests in transit, and how large one may be. */
static void size_uploads(daemon_state *d) {
    cuzk_engine_status status;
    cuzk_engine_status_get(d->engine, &status);
    uint64_t budget = status.memory.total_bytes;
    cuzk_engine_status_free(&status);
    if (d->max_request_bytes > budget / REQUEST_SHARE) {
        d->max_request_bytes = budget / REQUEST_SHARE;
        log_warn("daemon.max_request_size: lowered to %llu bytes, as memory.total_budget is %llu",
                 (unsigned long long)d->max_request_bytes, (unsigned long long)budget);
    }
    uint64_t request = d->max_request_bytes + MESSAGE_ENVELOPE, bytes = d->config->daemon.upload_budget;
    if (!bytes)
        bytes = budget / UPLOAD_BUDGET_SHARE;
    d->upload_places = bytes > RPC_TAKE_SLACK ? (size_t)((bytes - RPC_TAKE_SLACK) / request) : 0;
    if (d->upload_places < 1)
        d->upload_places = 1;
    if (!d->config->daemon.upload_budget && d->upload_places > UPLOAD_PLACES_MAXIMUM)
        d->upload_places = UPLOAD_PLACES_MAXIMUM;
}

/* Takes that memory, and what the process itself takes, out of the jobs' reach. */
static cuzk_status set_memory_aside(daemon_state *d, cuzk_error *error) {
    size_uploads(d);
    uint64_t bytes = d->upload_places * (d->max_request_bytes + MESSAGE_ENVELOPE) + RPC_TAKE_SLACK + PROCESS_BYTES;
    if (cuzk_engine_set_aside(d->engine, bytes, stop_requested, d, error) != CUZK_OK)
        return failure_within(error, error->status, "daemon.upload_budget: ");
    return CUZK_OK;
}

static void create_services(daemon_state *d) {
    d->page.engine = d->engine;
    proving_service_options options = {
        .upload_places = d->upload_places,
        .upload_timeout_ms = d->config->daemon.upload_timeout,
        .abandon_grace_ms = d->config->daemon.abandon_grace,
        .metrics_text = status_page_metrics,
        .metrics_context = &d->page,
    };
    d->service = proving_service_create(d->engine, &options);
    d->health = health_create(PROVING_SERVICE_NAME);
    proving_service_methods(d->service, d->methods);
    health_methods(d->health, d->methods + PROVING_METHOD_COUNT);
    reflection_methods(d->methods + PROVING_METHOD_COUNT + HEALTH_METHOD_COUNT);
    d->page.sources.methods = d->methods;
    d->page.sources.method_count = METHOD_COUNT;
    d->page.sources.service = d->service;
    log_info("requests of at most %llu MiB, %zu received at once", (unsigned long long)(d->max_request_bytes >> 20),
             d->upload_places);
}

static cuzk_status start_servers(daemon_state *d, cuzk_error *error) {
    rpc_server_options options = {
        .addresses = (const char *const *)d->config->daemon.listen.items,
        .address_count = d->config->daemon.listen.count,
        .certificates = pem_texts(&d->tls),
        .max_message_bytes = d->max_request_bytes + MESSAGE_ENVELOPE,
        .methods = d->methods,
        .method_count = METHOD_COUNT,
    };
    TRY(rpc_server_start(&d->server, &options, error));
    atomic_store(&d->page.sources.server, d->server);
    http_documents documents = status_page_documents(&d->page);
    if (*d->config->daemon.status_listen)
        TRY(http_server_start(&d->http, d->config->daemon.status_listen, &documents, error));
    return CUZK_OK;
}

static cuzk_status start(daemon_state *d, engine_starter start_engine, cuzk_error *error) {
    d->max_request_bytes = d->config->daemon.max_request_size;
    TRY(certificates_read(&d->tls, d->config, error));
    cuzk_engine_options options = engine_options(d->config, d->max_request_bytes);
    TRY(start_engine(&d->engine, &options, error));
    TRY(set_memory_aside(d, error));
    create_services(d);
    return start_servers(d, error);
}

static void announce(const daemon_state *d) {
    const char *addresses = rpc_server_addresses(d->server);
    char state[1024];
    if (d->http)
        log_info("status page on http://%s", http_server_address(d->http));
    log_info("cuzk-daemon ready, serving on %s", addresses);
    snprintf(state, sizeof state, "READY=1\nSTATUS=serving on %s", addresses);
    notify_service_manager(state);
}

/* ---- Stop ----------------------------------------------------------------------------------------------------------- */

/* Lets running calls end: until none is left, the time is over or a second signal comes. */
static void drain(daemon_state *d) {
    int64_t end = monotonic_ns() + (int64_t)d->config->daemon.drain_timeout * 1000000;
    health_stop(d->health);
    cuzk_engine_drain(d->engine, 0);
    notify_service_manager("STOPPING=1\nSTATUS=draining");
    log_info("stopping: new requests are refused, %zu calls run; a second signal ends them", rpc_server_long_calls(d->server));
    bool hurry = wait_for_stop(d, DRAIN_NOTICE_MS);
    while (!hurry && rpc_server_long_calls(d->server) > 0 && monotonic_ns() < end)
        hurry = wait_for_stop(d, 50);
    if (hurry)
        log_info("second signal: ending %zu calls", rpc_server_long_calls(d->server));
}

/* Unfinished jobs stay in the journal. */
static void stop(daemon_state *d) {
    pthread_sigmask(SIG_UNBLOCK, &d->signals, NULL); /* a further signal ends the process as it would any other */
    if (d->service)
        proving_service_stopping(d->service);
    if (d->engine)
        cuzk_engine_interrupt(d->engine);
    http_server_stop(d->http);
    rpc_server_stop(d->server, CLOSING_GRACE_MS);
    proving_service_destroy(d->service);
    health_destroy(d->health);
    cuzk_engine_stop(d->engine);
    certificates_free(&d->tls);
}

static int exit_code_of(cuzk_status status) {
    switch (status) {
    case CUZK_OK: return EXIT_STOPPED_WELL;
    case CUZK_BAD_INPUT:
    case CUZK_NOT_FOUND: return EXIT_INPUT;
    default: return EXIT_FAILED;
    }
}

static cuzk_status run(const configuration *config, engine_starter start_engine, cuzk_error *error) {
    daemon_state d = {.config = config};
    block_signals(&d);
    rpc_library_init();
    cuzk_status status = start(&d, start_engine, error);
    if (status == CUZK_OK) {
        announce(&d);
        wait_for_stop(&d, -1);
        drain(&d);
    }
    stop(&d);
    rpc_library_shutdown();
    if (status == CUZK_OK)
        log_info("cuzk-daemon stopped");
    return status;
}

int daemon_main(int argc, char **argv, engine_starter start_engine) {
    daemon_arguments arguments;
    cuzk_error error = {0};
    allocator_without_thread_caches(argv);
    log_init_from_environment();
    cuzk_status status = daemon_arguments_parse(&arguments, argc, argv, &error);
    if (status == CUZK_OK && arguments.run) {
        status = run(&arguments.config, start_engine, &error);
        configuration_free(&arguments.config);
    }
    if (status != CUZK_OK)
        fprintf(stderr, "cuzk-daemon: %s\n", error.message);
    return exit_code_of(status);
}
