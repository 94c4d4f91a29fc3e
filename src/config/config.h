/* The daemon's configuration: one table of keys (config_keys.c) makes the parser, docs/configuration.md and the sample. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/log.h"

/* Texts, owned. */
typedef struct {
    char **items;
    size_t count;
} text_list;

/* Numbers, owned. */
typedef struct {
    uint32_t *items;
    size_t count;
} number_list;

/* Every key by its name in the file: the table stands in front. All strings are owned and never NULL. */
typedef struct {
    struct {
        text_list listen;    /* host:port or unix:///path, checked by parse_listen_address */
        char *status_listen; /* the same, or empty: off */
        char *state_dir;
        char *tls_certificate, *tls_key, *tls_client_ca;       /* paths of PEM files, or empty */
        uint64_t max_request_size;                             /* bytes */
        uint64_t upload_budget;                                /* bytes; 0: auto */
        uint64_t upload_timeout, drain_timeout, abandon_grace; /* milliseconds */
    } daemon;
    struct {
        char *param_cache;
        const char *param_cache_origin; /* which setting named it, for messages: "srs.param_cache"; static */
    } srs;
    struct {
        uint64_t total_budget;      /* bytes; 0: auto */
        uint64_t safety_margin;     /* bytes */
        uint64_t eviction_min_idle; /* milliseconds */
        char *scratch_dir;          /* empty: none */
        uint64_t scratch_memory;    /* bytes */
    } memory;
    struct {
        number_list devices; /* empty: all */
        uint64_t gpu_threads, gpu_workers_per_device;
        bool b_g2_on_cpu;
    } gpus;
    struct {
        uint64_t max_batch_size, max_batch_wait_ms, max_queued_jobs;
        uint64_t starvation_limit; /* milliseconds */
        bool sort_by_type;
    } scheduler;
    struct {
        bool classic;     /* strategy */
        uint64_t threads; /* 0: all */
    } synthesis;
    struct {
        bool enabled;
        uint64_t synthesis_lookahead, synthesis_concurrency;
        uint64_t max_gpu_queue_depth, max_parallel_synthesis; /* 0: chosen from the budget */
    } pipeline;
    struct {
        uint64_t retention; /* milliseconds */
        uint64_t retention_jobs;
        uint64_t max_size; /* bytes */
    } journal;
    struct {
        log_level level;
        bool json;
    } logging;
} configuration;

/* Sets every key to its default, with what the environment gives (FIL_PROOFS_PARAMETER_CACHE, CUZK_STATE_DIR or the XDG
 * state directory, CUZK_LOG or RUST_LOG). Free with configuration_free. */
void configuration_defaults(configuration *config);

/* Defaults, then the keys of a TOML text; name (the file's path) begins each error. Unknown keys are CUZK_BAD_INPUT with the
 * nearest name, wrong values with the key, what was found and what was expected. Keys that are accepted and ignored add a
 * line to warnings (may be NULL). On failure config is freed and zeroed. */
cuzk_status configuration_parse(configuration *config, const char *name, const char *text, size_t length, text_list *warnings,
                                cuzk_error *error);

/* The same from a file; path NULL: the defaults. */
cuzk_status configuration_load(configuration *config, const char *path, text_list *warnings, cuzk_error *error);

void configuration_free(configuration *config);
void text_list_append(text_list *list, const char *text);
void text_list_free(text_list *list);

/* What the table makes: docs/configuration.md and packaging/cuzk-daemon.toml. */
void configuration_write_documentation(FILE *stream);
void configuration_write_sample(FILE *stream);

/* Reads "500ms", "30s", "5m", "2h", "7d" into milliseconds; false if it is anything else or exceeds 64 bits. */
bool parse_duration(const char *text, uint64_t *milliseconds);

#endif
