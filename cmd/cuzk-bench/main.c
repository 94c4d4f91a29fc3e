/* cuzk-bench: measures a running cuzk-daemon, and asks it things. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/cpu.h"
#include "base/log.h"
#include "base/memory.h"
#include "command.h"

static const command COMMANDS[] = {
    {"single", "prove once and say how long each stage took", command_single},
    {"batch", "prove many times: proofs per minute, latencies, a chart", command_batch},
    {"stress", "many clients with mixed jobs, priorities and cancellations; counts what is lost", command_stress},
    {"status", "what the daemon is doing", command_status},
    {"preload", "load a circuit's parameters", command_preload},
    {"evict", "drop a circuit's parameters", command_evict},
    {"metrics", "the daemon's metrics, as Prometheus reads them", command_metrics},
    {"gen-vanilla", "vanilla proofs of existing sectors; needs no daemon", command_gen_vanilla},
    {"synth-only", "measure synthesis alone; needs no daemon", command_synth_only},
    {"prove", "measure proving, phase by phase; needs no daemon", command_prove},
    {"ab", "compare two ways of synthesis or proving, run in turns", command_ab},
    {"report", "draw results of synth-only, prove and ab", command_report},
};
static int exit_code_of(cuzk_status status) {
    switch (status) {
    case CUZK_OK: return EXIT_DONE;
    case CUZK_BAD_INPUT:
    case CUZK_NOT_FOUND:
    case CUZK_FAILED_PRECONDITION: return EXIT_INPUT;
    case CUZK_UNSATISFIED: return EXIT_UNPROVED;
    default: return EXIT_FAILED;
    }
}

static const char *arithmetic(void) { return cpu_level_name(cpu_level_in_use()); }

static const command_table TABLE = {
    .program = "cuzk-bench",
    .head = "cuzk-bench " CUZK_VERSION ": measures a running cuzk-daemon\n\nusage: cuzk-bench [--addr ADDRESS] COMMAND ...\n\n",
    .tail = "\n'cuzk-bench COMMAND --help' tells more. With a daemon running, for example:\n"
            "  cuzk-bench single tests/data/jobs/window-post-v1/job.json\n"
            "  cuzk-bench batch -t porep --c1 c1.json -n 10 -j 2 --timeline chart.svg\n"
            "Exit codes: 0 done, 1 a proof failed or was lost, 2 wrong input, 3 the daemon is not reachable or something broke.\n",
    .commands = COMMANDS,
    .count = sizeof COMMANDS / sizeof *COMMANDS,
    .exit_code_of = exit_code_of,
    .arithmetic = arithmetic,
};

/* Where the command's name stands: scripts write the connection's options, which all take a value, in front of it too. */
static int command_position(int argc, char **argv) {
    int at = 1;
    while (at < argc && argv[at][0] == '-')
        at += strchr(argv[at], '=') ? 1 : 2;
    return at;
}

int main(int argc, char **argv) {
    cuzk_error error = {0};
    log_init_from_environment();
    if (cpu_level_choose(&error) != CUZK_OK) {
        fprintf(stderr, "cuzk-bench: %s\n", error.message);
        return EXIT_INPUT;
    }
    int exit_code;
    if (command_table_answers(&TABLE, argc, argv, &exit_code))
        return exit_code;
    int at = command_position(argc, argv);
    if (at >= argc) {
        fputs("cuzk-bench: no command; 'cuzk-bench --help' lists them\n", stderr);
        return EXIT_INPUT;
    }
    const command *chosen = command_table_find(&TABLE, argv[at]);
    if (!chosen)
        return EXIT_INPUT;
    char **arguments = allocate((size_t)argc, sizeof *arguments); /* what stood in front, and what stands behind the name */
    int count = 0;
    for (int i = 1; i < argc; i++)
        if (i != at)
            arguments[count++] = argv[i];
    exit_code = command_table_run(&TABLE, chosen, count, arguments);
    free(arguments);
    return exit_code;
}
