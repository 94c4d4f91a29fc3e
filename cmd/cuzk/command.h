/* What the commands of cuzk share. A command reads its arguments, calls the rooms of src/ and prints: no more. */
#ifndef CUZK_COMMAND_H
#define CUZK_COMMAND_H

#include "base/commands.h"
#include "base/json_writer.h"
#include "base/progress.h"
#include "base/threads.h"
#include "filecoin/registered_proof.h"
#include "groth16/verifier.h"

enum {
    EXIT_VALID = 0,
    EXIT_INVALID = 1,  /* verify: a well-formed question with the answer no */
    EXIT_INPUT = 2,    /* something is wrong with what was given; one line on stderr says what */
    EXIT_FAILED = 3,   /* the machine failed: input/output, memory, a bug of ours */
    EXIT_STOPPED = 130 /* Ctrl-C */
};

cuzk_status command_circuit(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_digest(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_memory(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_setup(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_prove(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_verify(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_verify_raw(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_inspect(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_check(int argc, char **argv, int *exit_code, cuzk_error *error);
cuzk_status command_generate(int argc, char **argv, int *exit_code, cuzk_error *error);

/* Options that many commands have. */
#define OPTION_THREADS(target) {"threads", 't', OPTION_NUMBER, target, "N", "worker threads (default: one for each CPU)", 1, 1024}
#define OPTION_JSON(target) {"json", 0, OPTION_FLAG, target, NULL, "print the result as JSON", 0, 0}
#define OPTION_QUIET(target) {"quiet", 'q', OPTION_FLAG, target, NULL, "no phases and progress", 0, 0}
#define OPTION_CLASSIC(target) \
    {"classic", 0, OPTION_FLAG, target, NULL, "make every constraint by itself, without templates (slow)", 0, 0}
#define OPTION_PARAMETERS(target) \
    {"params", 'p', OPTION_TEXT, target, "DIR", "parameter directory (default: $FIL_PROOFS_PARAMETER_CACHE)", 0, 0}

/* KIND and SIZE as words; the errors list what is accepted. */
cuzk_status parse_circuit_name(const char *kind_word, const char *size_word, proof_kind *kind, const sector_shape **shape,
                               cuzk_error *error);

/* The progress of this process's one job: stops on Ctrl-C and SIGTERM. Phases go to stdout, unless JSON does: then to a
 * terminal's stderr or nowhere. So stderr of a script holds errors alone. Silent if quiet. */
progress *job_progress(bool quiet, bool json);

/* That of a command whose output is JSON and takes long for large circuits only: phases of more than two seconds are shown on
 * stderr. Ctrl-C ends the process. */
progress *stderr_progress(bool quiet);

/* The parameter directory: given (--params), else $FIL_PROOFS_PARAMETER_CACHE; *origin says which ("--params"). */
cuzk_status parameter_directory(const char *given, const char **directory, const char **origin, cuzk_error *error);

/* Path of the .params ("params") or .vk ("vk") file of a circuit in a directory; owned by the caller. */
char *parameter_path(const char *directory, proof_kind kind, const sector_shape *shape, const char *extension);

/* A file of the directory that is absent or cannot be read is reported with what it was for and what set the directory. Passes
 * other outcomes on. what: "parameters" or "verifying key". */
cuzk_status explain_missing(cuzk_status status, const char *what, const registered_proof *proof, const char *directory,
                            const char *origin, cuzk_error *error);

/* Prints "valid", or "INVALID" and the reason on stderr, or both as JSON; returns the exit code. */
int print_verdict(const verification *verdict, bool json, bool development);

/* --partition: all of a job's partitions, or one. */
#define OPTION_PARTITION(target) {"partition", 0, OPTION_NUMBER, target, "K", "only this partition, counted from 0", 0, 0}

typedef struct {
    unsigned first, end;
} partition_range;

/* only: what --partition gave, or UINT64_MAX. Fails where the job has no such partition. */
cuzk_status select_partitions(partition_range *range, unsigned partition_count, uint64_t only, cuzk_error *error);

#endif
