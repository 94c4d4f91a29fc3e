/* cuzk-bench ab A -- B */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_reader.h"
#include "base/memory.h"
#include "command.h"
#include "statistics.h"

enum { MAX_ROUNDS = 200, OUTPUT_BYTES = 1 << 20 };

/* One of the two configurations: arguments of synth-only or prove. */
typedef struct {
    const char *name, *command;
    char **arguments;
    size_t count;
    double us[MAX_ROUNDS];
} configuration;

typedef struct {
    uint64_t rounds;
    const char *metric; /* "cpu" or "wall" */
    bool json;
} ab_options;

/* ---- One run, in a process of its own ----------------------------------------------------------------------------------- */

extern char **environ;

static cuzk_status start(pid_t *child, int output, const configuration *c, cuzk_error *error) {
    static char program[] = "cuzk-bench", json[] = "--json";
    char **argv = allocate(c->count + 4, sizeof *argv);
    argv[0] = program;
    argv[1] = (char *)(uintptr_t)c->command; /* which does not change it */
    for (size_t i = 0; i < c->count; i++)
        argv[2 + i] = c->arguments[i];
    argv[2 + c->count] = json;
    argv[3 + c->count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    int failed = posix_spawn(child, "/proc/self/exe", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    free(argv);
    errno = failed;
    return failed ? failure_errno(error, CUZK_INPUT_OUTPUT, "cannot start a run") : CUZK_OK;
}

static size_t read_all(int input, uint8_t *bytes, size_t capacity) {
    size_t length = 0;
    for (;;) {
        ssize_t got = length < capacity ? read(input, bytes + length, capacity - length) : 0;
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return length;
        length += (size_t)got;
    }
}

static cuzk_status read_median(double *us, const char *metric, const uint8_t *text, size_t length, cuzk_error *error) {
    static const char *const names[] = {"median_cpu_us", "median_wall_us"};
    json_reader *reader = json_reader_create_memory(text, length, NULL);
    json_members members = {.names = names, .count = 2, .skip_unknown = true};
    uint64_t values[2] = {0};
    int member = 0;
    cuzk_status status = json_enter_object(reader, error);
    while (status == CUZK_OK && member >= 0) {
        status = json_next_member(reader, &members, &member, error);
        if (status == CUZK_OK && member >= 0)
            status = json_read_unsigned(reader, UINT64_MAX, &values[member], error);
    }
    json_reader_destroy(reader);
    *us = (double)values[strcmp(metric, "wall") == 0];
    if (status == CUZK_OK && *us == 0)
        return failure(error, CUZK_BAD_INPUT, "a run took less than a microsecond: nothing to compare");
    return status;
}

static cuzk_status run_once(double *us, const configuration *c, const char *metric, cuzk_error *error) {
    int ends[2], state = 0;
    pid_t child;
    if (pipe(ends) != 0)
        return failure_errno(error, CUZK_INPUT_OUTPUT, "pipe");
    cuzk_status status = start(&child, ends[1], c, error);
    close(ends[1]);
    if (status == CUZK_OK) {
        uint8_t *text = allocate(OUTPUT_BYTES, 1);
        size_t length = read_all(ends[0], text, OUTPUT_BYTES);
        while (waitpid(child, &state, 0) < 0 && errno == EINTR) {
        }
        if (!WIFEXITED(state) || WEXITSTATUS(state) != EXIT_DONE)
            status = failure(error, CUZK_BAD_INPUT, "configuration %s failed: see above", c->name);
        else
            status = read_median(us, metric, text, length, error);
        free(text);
    }
    close(ends[0]);
    return status;
}

/* ---- What came out ------------------------------------------------------------------------------------------------------- */

static void write_arguments(FILE *stream, const configuration *c) {
    for (size_t i = 0; i < c->count; i++)
        fprintf(stream, "%s%s", i ? " " : "", c->arguments[i]);
}

static bool has_argument(const configuration *c, const char *argument) {
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->arguments[i], argument) == 0)
            return true;
    return false;
}

/* How many arguments of a are not among b's. */
static size_t arguments_apart(const configuration *a, const configuration *b) {
    size_t apart = 0;
    for (size_t i = 0; i < a->count; i++)
        apart += !has_argument(b, a->arguments[i]);
    return apart;
}

static void print_configuration(const configuration *c, size_t rounds) {
    double least = c->us[0], most = c->us[0];
    for (size_t i = 1; i < rounds; i++) {
        least = c->us[i] < least ? c->us[i] : least;
        most = c->us[i] > most ? c->us[i] : most;
    }
    printf("%s  median %.4f s (%.4f ... %.4f)  ", c->name, 1e-6 * median_of(c->us, rounds), 1e-6 * least, 1e-6 * most);
    write_arguments(stdout, c);
    putchar('\n');
}

static void print_text(const configuration *a, const configuration *b, const ab_options *options, const paired_ratio *ratio) {
    size_t rounds = (size_t)options->rounds;
    printf("%zu rounds, %s seconds\n", rounds, options->metric);
    print_configuration(a, rounds);
    print_configuration(b, rounds);
    printf("B takes %.4f times as long as A; %.*f %% confidence: %.4f ... %.4f\n", ratio->estimate,
           ratio->confidence < 0.95 ? 1 : 0, 100 * ratio->confidence, ratio->low, ratio->high);
    if (ratio->confidence < 0.95)
        puts("too few rounds for 95 % confidence: 6 are the least");
    else
        puts(ratio->differs ? "the difference is real" : "no difference is shown");
    if (arguments_apart(a, b) > 1 || arguments_apart(b, a) > 1)
        puts("note: A and B differ in more than one argument; one change at a time tells more");
}

static void write_configuration(json_writer *writer, const char *key, const configuration *c, size_t rounds) {
    json_key(writer, key);
    json_begin_object(writer);
    json_key(writer, "arguments");
    json_begin_array(writer);
    for (size_t i = 0; i < c->count; i++)
        json_string(writer, c->arguments[i]);
    json_end_array(writer);
    json_key(writer, "us");
    json_begin_array(writer);
    for (size_t i = 0; i < rounds; i++)
        json_unsigned(writer, (uint64_t)c->us[i]);
    json_end_array(writer);
    json_member_unsigned(writer, "median_us", (uint64_t)median_of(c->us, rounds));
    json_end_object(writer);
}

static void write_json(const configuration *a, const configuration *b, const ab_options *options, const paired_ratio *ratio) {
    json_writer writer;
    json_writer_init(&writer, stdout, 2);
    json_begin_object(&writer);
    json_member_string(&writer, "benchmark", "ab");
    json_member_string(&writer, "metric", options->metric);
    json_member_unsigned(&writer, "rounds", options->rounds);
    write_configuration(&writer, "a", a, (size_t)options->rounds);
    write_configuration(&writer, "b", b, (size_t)options->rounds);
    json_key(&writer, "b_to_a");
    json_begin_object(&writer);
    json_member_double(&writer, "estimate", ratio->estimate);
    json_member_double(&writer, "low", ratio->low);
    json_member_double(&writer, "high", ratio->high);
    json_member_double(&writer, "confidence", ratio->confidence);
    json_end_object(&writer);
    json_member_bool(&writer, "differs", ratio->differs);
    json_end_object(&writer);
}

/* ---- The command --------------------------------------------------------------------------------------------------------- */

/* A, B, B, A, A, B, ...: what drifts over time falls on both alike. */
static cuzk_status run_rounds(configuration *a, configuration *b, const ab_options *options, cuzk_error *error) {
    for (size_t i = 0; i < options->rounds; i++) {
        configuration *first = i % 2 ? b : a, *second = i % 2 ? a : b;
        TRY(run_once(&first->us[i], first, options->metric, error));
        TRY(run_once(&second->us[i], second, options->metric, error));
    }
    return CUZK_OK;
}

static cuzk_status compare(configuration *a, configuration *b, const ab_options *options, cuzk_error *error) {
    if (strcmp(options->metric, "cpu") != 0 && strcmp(options->metric, "wall") != 0)
        return failure(error, CUZK_BAD_INPUT, "--metric: found %s, expected cpu or wall", options->metric);
    TRY(run_rounds(a, b, options, error));
    paired_ratio ratio = paired_ratio_of(a->us, b->us, (size_t)options->rounds);
    if (options->json)
        write_json(a, b, options, &ratio);
    else
        print_text(a, b, options, &ratio);
    return CUZK_OK;
}

/* How many of the first arguments are this command's own. */
static int own_arguments(int argc, char **argv) {
    static const char *const with_value[] = {"--rounds", "-n", "--metric"}, *const alone[] = {"--json", "--help", "-h"};
    int i = 0;
    while (i < argc) {
        int taken = 0;
        for (size_t k = 0; k < 3; k++) {
            size_t length = strlen(with_value[k]);
            if (strcmp(argv[i], with_value[k]) == 0)
                taken = 2;
            else if (strncmp(argv[i], with_value[k], length) == 0 && argv[i][length] == '=')
                taken = 1;
            else if (strcmp(argv[i], alone[k]) == 0)
                taken = 1;
        }
        if (taken == 0)
            break;
        i += taken;
    }
    return i < argc ? i : argc;
}

/* Splits what is behind them at "--". The command's name may stand in front of either. */
static cuzk_status split(configuration *a, configuration *b, int argc, char **argv, cuzk_error *error) {
    int middle = 0;
    while (middle < argc && strcmp(argv[middle], "--") != 0)
        middle++;
    if (middle == argc)
        return failure(error, CUZK_BAD_INPUT, "found no --; expected the arguments of A, --, and the arguments of B");
    *a = (configuration){.name = "A", .arguments = argv, .count = (size_t)middle};
    *b = (configuration){.name = "B", .arguments = argv + middle + 1, .count = (size_t)(argc - middle - 1)};
    configuration *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        const char *first = both[i]->count > 0 ? both[i]->arguments[0] : "";
        both[i]->command = strcmp(first, "prove") == 0 ? "prove" : "synth-only";
        if (strcmp(first, both[i]->command) == 0) {
            both[i]->arguments++;
            both[i]->count--;
        }
    }
    return CUZK_OK;
}

cuzk_status command_ab(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    ab_options o = {.rounds = 10, .metric = "cpu"};
    const option options[] = {
        {"rounds", 'n', OPTION_NUMBER, &o.rounds, "N", "runs of each (default: 10; 6 are the least for 95 % confidence)", 1,
         MAX_ROUNDS},
        {"metric", 0, OPTION_TEXT, &o.metric, "NAME", "cpu (the default) or wall", 0, 0},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print the result as JSON", 0, 0},
    };
    const command_line line = {
        .usage = "cuzk-bench ab [OPTIONS] A -- B",
        .summary = "Runs two configurations in turns and says whether they differ. A and B are arguments of synth-only, or of\n"
                   "prove with its name in front:\n"
                   "  cuzk-bench ab job.json --strategy vec -- job.json --strategy inline4\n"
                   "  cuzk-bench ab prove job.json --threads 1 -- prove job.json --threads 2\n"
                   "Each run is a process of its own, of which the median over its iterations counts.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    int own = own_arguments(argc, argv);
    parsed_command_line parsed;
    bool done;
    TRY(parse_arguments(&line, own, argv, &parsed, &done, error));
    parsed_command_line_free(&parsed);
    if (done)
        return CUZK_OK;
    configuration *both = allocate(2, sizeof *both);
    cuzk_status status = split(&both[0], &both[1], argc - own, argv + own, error);
    if (status == CUZK_OK)
        status = compare(&both[0], &both[1], &o, error);
    free(both);
    return status;
}
