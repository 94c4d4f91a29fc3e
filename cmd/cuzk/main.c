/* cuzk: sets up, proves, verifies and inspects. */
#include <stdio.h>
#include <string.h>

#include "algebra/cpu.h"
#include "base/log.h"
#include "command.h"

static const command COMMANDS[] = {
    {"circuit", "counts and digests of a circuit, as JSON", command_circuit},
    {"digest", "digests of a job's circuits with their witness, as JSON", command_digest},
    {"memory", "how much memory a proof takes, by kind and size", command_memory},
    {"setup", "make development parameters for a circuit", command_setup},
    {"prove", "prove a job", command_prove},
    {"verify", "verify a job's proof", command_verify},
    {"verify-raw", "verify proofs against a key and lists of inputs", command_verify_raw},
    {"inspect", "say what a file holds", command_inspect},
    {"check", "check every point of a parameter file, and its digest", command_check},
    {"gen-vanilla", "make a job to prove: seal test sectors, or sparse ones of any size", command_generate},
};
static int exit_code_of(cuzk_status status) {
    switch (status) {
    case CUZK_OK: return EXIT_VALID;
    case CUZK_BAD_INPUT:
    case CUZK_NOT_FOUND:
    case CUZK_UNSATISFIED: return EXIT_INPUT;
    case CUZK_CANCELLED: return EXIT_STOPPED;
    case CUZK_INPUT_OUTPUT:
    case CUZK_NO_MEMORY:
    case CUZK_INTERNAL:
    case CUZK_FAILED_PRECONDITION:
    case CUZK_EXHAUSTED:
    case CUZK_UNAVAILABLE:
    case CUZK_DEADLINE: break;
    }
    return EXIT_FAILED;
}

static const char *arithmetic(void) { return cpu_level_name(cpu_level_in_use()); }

static const command_table TABLE = {
    .program = "cuzk",
    .head = "cuzk " CUZK_VERSION ": Groth16 proofs for Filecoin\n\nusage: cuzk COMMAND ...\n\n",
    .tail = "\n'cuzk COMMAND --help' tells more. Exit codes: 0 done or valid, 1 INVALID, 2 wrong input, 3 failure, 130 stopped.\n"
            "A first proof, in the source folder: 'make demo', or\n"
            "  cuzk setup window 2KiB --out params\n"
            "  cuzk prove tests/data/jobs/window-post-v1/job.json --params params --out proof.bin\n"
            "  cuzk verify tests/data/jobs/window-post-v1/job.json proof.bin --params params\n",
    .commands = COMMANDS,
    .count = sizeof COMMANDS / sizeof *COMMANDS,
    .exit_code_of = exit_code_of,
    .arithmetic = arithmetic,
};

int main(int argc, char **argv) {
    cuzk_error error = {0};
    log_init_from_environment();
    if (cpu_level_choose(&error) != CUZK_OK) {
        fprintf(stderr, "cuzk: %s\n", error.message);
        return EXIT_INPUT;
    }
    int exit_code;
    if (command_table_answers(&TABLE, argc, argv, &exit_code))
        return exit_code;
    const command *chosen = command_table_find(&TABLE, argv[1]);
    return chosen ? command_table_run(&TABLE, chosen, argc - 2, argv + 2) : EXIT_INPUT;
}
