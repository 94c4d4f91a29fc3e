/* What the commands of cuzk-bench share. */
#ifndef CUZK_BENCH_COMMAND_H
#define CUZK_BENCH_COMMAND_H

#include "base/commands.h"
#include "base/json_writer.h"
#include "rpc/client.h"

enum {
    EXIT_DONE = 0,
    EXIT_UNPROVED = 1, /* the daemon answered, and a proof failed or was lost */
    EXIT_INPUT = 2,    /* something is wrong with what was given; one line on stderr says what */
    EXIT_FAILED = 3    /* the daemon is not reachable, or the machine failed */
};

cuzk_status command_single(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_batch(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_stress(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_status(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_preload(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_evict(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_metrics(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_synth_only(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_prove(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_ab(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_gen_vanilla(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_report(int argc, char **argv, int *exit_code, cuzk_error *error);

/* How to reach the daemon. Initialize with CONNECTION_DEFAULTS. */
typedef struct {
    const char *address, *log_level;
    const char *authorities, *certificate, *key; /* paths of PEM files, or NULL */
} connection_options;
#define CONNECTION_DEFAULTS {.address = "http://127.0.0.1:9820"}

/* Options that every command has. */
#define CONNECTION_OPTIONS(c)                                                                                                       \
    {"addr", 'a', OPTION_TEXT, &(c)->address, "ADDRESS", "daemon: http://HOST:PORT (the default: http://127.0.0.1:9820), https://..., unix:///PATH", 0, 0},  \
    {"log-level", 0, OPTION_TEXT, &(c)->log_level, "LEVEL", "trace, debug, info, warn or error", 0, 0},                             \
    {"tls-ca", 0, OPTION_TEXT, &(c)->authorities, "FILE", "authorities that the daemon's certificate is checked against (PEM)", 0, 0}, \
    {"tls-cert", 0, OPTION_TEXT, &(c)->certificate, "FILE", "our certificate, for mutual TLS (PEM)", 0, 0},                         \
    {"tls-key", 0, OPTION_TEXT, &(c)->key, "FILE", "its private key (PEM)", 0, 0}

/* Sets the log level and makes a client, to be destroyed with rpc_client_destroy. */
cuzk_status connect_daemon(rpc_client **client, const connection_options *options, cuzk_error *error);

/* "1.50 GiB" in a static buffer, valid until the eighth next call. */
const char *readable_bytes(uint64_t bytes);

#endif
