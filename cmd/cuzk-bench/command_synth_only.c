/* cuzk-bench synth-only JOB.json | --c1 FILE */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "command.h"
#include "statistics.h"
#include "synthesis.h"

static uint64_t median_over(const synthesis_result *result, uint64_t iterations, uint64_t (*part)(const synthesis_iteration *)) {
    uint64_t *values = allocate((size_t)iterations, sizeof *values);
    for (size_t i = 0; i < iterations; i++)
        values[i] = part(&result->iterations[i]);
    uint64_t median = median_of_unsigned(values, (size_t)iterations);
    free(values);
    return median;
}

static uint64_t wall_of(const synthesis_iteration *i) { return i->all.wall_us; }
static uint64_t cpu_of(const synthesis_iteration *i) { return i->all.cpu_us; }
static uint64_t witness_of(const synthesis_iteration *i) { return i->witness_cpu_us; }
static uint64_t evaluation_of(const synthesis_iteration *i) { return i->evaluation_cpu_us; }

static double seconds(uint64_t microseconds) { return 1e-6 * (double)microseconds; }

static uint64_t per_second(const synthesis_result *result, uint64_t wall_us) {
    return wall_us ? (uint64_t)((double)(result->constraints * result->partitions) / seconds(wall_us)) : 0;
}

/* ---- Text ---------------------------------------------------------------------------------------------------------------- */

static void print_iteration(const char *name, const synthesis_result *result, const synthesis_iteration *i, bool compact) {
    printf("%-12s %8.3f s wall %8.3f s CPU %9.2f M constraints/s", name, seconds(i->all.wall_us), seconds(i->all.cpu_us),
           1e-6 * (double)per_second(result, i->all.wall_us));
    if (compact)
        printf("   witness %.3f s, A B C %.3f s", seconds(i->witness_cpu_us), seconds(i->evaluation_cpu_us));
    putchar('\n');
}

static void print_counters(const synthesis_result *result, const synthesis_iteration *last) {
    for (int i = 0; i < COUNTER_COUNT; i++) {
        if (result->counters.files[i] >= 0)
            printf("%-18s %llu\n", COUNTER_NAMES[i], (unsigned long long)last->all.counters[i]);
        else
            printf("%-18s not available here: %s\n", COUNTER_NAMES[i], result->counters.reason[i]);
    }
}

static void print_text(const synthesis_result *result, const synthesis_options *options) {
    bool compact = options->strategy == STRATEGY_COMPACT;
    const synthesis_iteration *last = &result->iterations[options->iterations - 1];
    printf("%s: %llu partition%s of %llu constraints, strategy %s%s%s, %llu thread%s\n", result->circuit,
           (unsigned long long)result->partitions, result->partitions == 1 ? "" : "s", (unsigned long long)result->constraints,
           STRATEGY_NAMES[options->strategy], options->presize ? ", presized" : "", options->arena ? ", arena" : "",
           (unsigned long long)result->threads, result->threads == 1 ? "" : "s");
    printf("%-12s %8.3f s wall %8.3f s CPU\n", "load", seconds(result->load.wall_us), seconds(result->load.cpu_us));
    if (result->shape_bytes)
        printf("%-12s %8.3f s wall %8.3f s CPU   %s, %llu pieces of %llu templates\n", "shape", seconds(result->shape.wall_us),
               seconds(result->shape.cpu_us), readable_bytes(result->shape_bytes), (unsigned long long)result->pieces,
               (unsigned long long)result->templates);
    for (uint64_t i = 0; i < options->iterations; i++) {
        char name[32];
        snprintf(name, sizeof name, "iteration %llu", (unsigned long long)i + 1);
        print_iteration(name, result, &result->iterations[i], compact);
    }
    synthesis_iteration median = {.all = {.wall_us = median_over(result, options->iterations, wall_of),
                                          .cpu_us = median_over(result, options->iterations, cpu_of)},
                                  .witness_cpu_us = median_over(result, options->iterations, witness_of),
                                  .evaluation_cpu_us = median_over(result, options->iterations, evaluation_of)};
    print_iteration("median", result, &median, compact);
    printf("assignment of a partition %s; resident %s before synthesis, %s at most\n", readable_bytes(result->assignment_bytes),
           readable_bytes(result->resident_before), readable_bytes(result->resident_peak));
    printf("page faults of the last iteration: %llu minor, %llu major", (unsigned long long)last->all.minor_faults,
           (unsigned long long)last->all.major_faults);
    if (!compact)
        printf("; allocations of terms: %llu", (unsigned long long)result->term_allocations);
    putchar('\n');
    print_counters(result, last);
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

static void write_iteration(json_writer *writer, const synthesis_result *result, const synthesis_iteration *i, bool compact) {
    json_begin_object(writer);
    write_times(writer, &i->all);
    if (compact) {
        json_member_unsigned(writer, "witness_cpu_us", i->witness_cpu_us);
        json_member_unsigned(writer, "evaluation_cpu_us", i->evaluation_cpu_us);
    }
    json_member_unsigned(writer, "constraints_per_second", per_second(result, i->all.wall_us));
    json_member_unsigned(writer, "minor_faults", i->all.minor_faults);
    json_member_unsigned(writer, "major_faults", i->all.major_faults);
    json_key(writer, "counters");
    write_counters(writer, &i->all, &result->counters);
    json_end_object(writer);
}

static void write_times_object(json_writer *writer, const char *key, const usage *u) {
    json_key(writer, key);
    json_begin_object(writer);
    write_times(writer, u);
    json_end_object(writer);
}

static void write_json(const synthesis_result *result, const synthesis_options *options) {
    bool compact = options->strategy == STRATEGY_COMPACT;
    json_writer writer;
    json_writer_init(&writer, stdout, 2);
    json_begin_object(&writer);
    json_member_string(&writer, "benchmark", "synth-only");
    json_member_string(&writer, "circuit", result->circuit);
    json_member_string(&writer, "strategy", STRATEGY_NAMES[options->strategy]);
    json_member_bool(&writer, "presize", options->presize);
    json_member_string(&writer, "allocator", options->arena ? "arena" : "malloc");
    json_member_unsigned(&writer, "partitions", result->partitions);
    json_member_unsigned(&writer, "threads", result->threads);
    json_member_unsigned(&writer, "constraints", result->constraints);
    json_member_unsigned(&writer, "aux", result->aux);
    write_times_object(&writer, "load", &result->load);
    if (result->shape_bytes) {
        write_times_object(&writer, "shape", &result->shape);
        json_member_unsigned(&writer, "shape_bytes", result->shape_bytes);
    }
    json_key(&writer, "iterations");
    json_begin_array(&writer);
    for (uint64_t i = 0; i < options->iterations; i++)
        write_iteration(&writer, result, &result->iterations[i], compact);
    json_end_array(&writer);
    json_member_unsigned(&writer, "median_wall_us", median_over(result, options->iterations, wall_of));
    json_member_unsigned(&writer, "median_cpu_us", median_over(result, options->iterations, cpu_of));
    if (compact) {
        json_member_unsigned(&writer, "median_witness_cpu_us", median_over(result, options->iterations, witness_of));
        json_member_unsigned(&writer, "median_evaluation_cpu_us", median_over(result, options->iterations, evaluation_of));
    } else {
        json_member_unsigned(&writer, "term_allocations", result->term_allocations);
    }
    json_member_unsigned(&writer, "assignment_bytes", result->assignment_bytes);
    json_member_unsigned(&writer, "resident_before_bytes", result->resident_before);
    json_member_unsigned(&writer, "resident_peak_bytes", result->resident_peak);
    json_end_object(&writer);
}

/* ---- The command --------------------------------------------------------------------------------------------------------- */

static cuzk_status check_options(const synthesis_options *options, cuzk_error *error) {
    if (!options->job_path && !options->c1_path)
        return failure(error, CUZK_BAD_INPUT, "found no job; give JOB.json or --c1 FILE");
    if (options->job_path && options->c1_path)
        return failure(error, CUZK_BAD_INPUT, "found JOB.json and --c1; give one of them");
    if (options->strategy == STRATEGY_COMPACT && (options->presize || options->arena))
        return failure(error, CUZK_BAD_INPUT,
                       "--presize and --allocator: found strategy compact, expected one of the classic ones");
    if (options->strategy == STRATEGY_KEPT && options->arena)
        return failure(error, CUZK_BAD_INPUT, "--allocator: found strategy kept, which allocates nothing");
    return CUZK_OK;
}

static cuzk_status parse_allocator(const char *name, bool *arena, cuzk_error *error) {
    *arena = strcmp(name, "arena") == 0;
    if (!*arena && strcmp(name, "malloc") != 0)
        return failure(error, CUZK_BAD_INPUT, "--allocator: found %s, expected malloc or arena", name);
    return CUZK_OK;
}

static cuzk_status run(const synthesis_options *options, bool json, cuzk_error *error) {
    TRY(check_options(options, error));
    synthesis_result result;
    cuzk_status status = measure_synthesis(&result, options, error);
    if (status == CUZK_OK && json)
        write_json(&result, options);
    else if (status == CUZK_OK)
        print_text(&result, options);
    synthesis_result_free(&result);
    return status;
}

cuzk_status command_synth_only(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    synthesis_options o = {.partitions = 1, .iterations = 3, .warm_up = 1, .block_rows = 2048};
    const char *strategy = STRATEGY_NAMES[STRATEGY_COMPACT], *allocator = "malloc";
    bool json = false;
    const option options[] = {
        {"c1", 0, OPTION_TEXT, &o.c1_path, "FILE", "a C1 output instead of a job", 0, 0},
        {"partitions", 'p', OPTION_NUMBER, &o.partitions, "N", "partitions to synthesize (default: 1; 0: all)", 0, UINT32_MAX},
        {"iterations", 'i', OPTION_NUMBER, &o.iterations, "N", "iterations that count (default: 3)", 1, 1000},
        {"warm-up", 0, OPTION_NUMBER, &o.warm_up, "N", "iterations before them (default: 1)", 0, 1000},
        {"strategy", 's', OPTION_TEXT, &strategy, "NAME",
         "compact (the default), or classic: kept, vec, inline1, inline2, inline4", 0, 0},
        {"presize", 0, OPTION_FLAG, &o.presize, NULL, "classic: vectors in their final size from the start", 0, 0},
        {"allocator", 0, OPTION_TEXT, &allocator, "NAME", "classic: terms from malloc (the default) or arena", 0, 0},
        {"threads", 't', OPTION_NUMBER, &o.threads, "N", "threads, a partition each (default: one for each CPU)", 1, 1024},
        {"block-rows", 0, OPTION_NUMBER, &o.block_rows, "N", "compact: rows of A, B, C evaluated at a time (default: 2048)", 1,
         1 << 24},
        {"json", 0, OPTION_FLAG, &json, NULL, "print the result as JSON", 0, 0},
    };
    const command_line line = {
        .usage = "cuzk-bench synth-only JOB.json | --c1 FILE",
        .summary = "Measures synthesis alone, without daemon, device and parameters: witness and the values of A, B, C.\n"
                   "The classic strategies make every constraint from linear combinations and keep all values in full.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 0,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    cuzk_status status = parse_arguments(&line, argc, argv, &parsed, &done, error);
    if (status == CUZK_OK && !done) {
        o.job_path = parsed.positional_count > 0 ? parsed.positional[0] : NULL;
        status = parse_strategy(strategy, &o.strategy, error);
        if (status == CUZK_OK)
            status = parse_allocator(allocator, &o.arena, error);
        if (status == CUZK_OK)
            status = run(&o, json, error);
    }
    parsed_command_line_free(&parsed);
    return status;
}
