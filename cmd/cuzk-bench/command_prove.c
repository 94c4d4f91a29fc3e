/* cuzk-bench prove chain --log2 K | JOB.json */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algebra/cpu.h"
#include "base/memory.h"
#include "command.h"
#include "chain.h"
#include "proving.h"
#include "statistics.h"

static double seconds(uint64_t microseconds) { return 1e-6 * (double)microseconds; }

static int by_cpu(const void *a, const void *b) {
    uint64_t x = (*(const proving_iteration *const *)a)->all.cpu_us, y = (*(const proving_iteration *const *)b)->all.cpu_us;
    return (x > y) - (x < y);
}

/* The iteration that took the median of the processor times (the lower one of two): the phases shown are its. */
static const proving_iteration *median_iteration(const proving_result *result, uint64_t iterations) {
    const proving_iteration **sorted = allocate((size_t)iterations, sizeof *sorted);
    for (size_t i = 0; i < iterations; i++)
        sorted[i] = &result->iterations[i];
    qsort(sorted, (size_t)iterations, sizeof *sorted, by_cpu);
    const proving_iteration *median = sorted[(iterations - 1) / 2];
    free(sorted);
    return median;
}

static uint64_t median_us(const proving_result *result, uint64_t iterations, bool wall) {
    uint64_t *values = allocate((size_t)iterations, sizeof *values);
    for (size_t i = 0; i < iterations; i++)
        values[i] = wall ? result->iterations[i].all.wall_us : result->iterations[i].all.cpu_us;
    uint64_t median = median_of_unsigned(values, (size_t)iterations);
    free(values);
    return median;
}

static uint64_t most_memory(const proving_result *result, uint64_t iterations) {
    uint64_t most = 0;
    for (size_t i = 0; i < iterations; i++)
        most = result->iterations[i].peak_resident > most ? result->iterations[i].peak_resident : most;
    return most;
}

/* Bytes of the five queries, which one proof reads. */
static uint64_t query_bytes(const proving_result *result) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < PROVE_SUMS; i++)
        bytes += result->sizes.points[i] * (i + PHASE_MSM_H == PHASE_MSM_B_G2 ? G2_BYTES : G1_BYTES);
    return bytes;
}

/* The work of one partition counts once; the sums' own counts are those of all partitions already. */
static work_amounts work_of(prove_phase phase, const proving_result *result, const prove_profile *profile) {
    work_amounts work = phase_work(phase, &result->sizes, profile);
    bool is_sum = phase >= PHASE_MSM_H && phase <= PHASE_MSM_B_G2;
    for (int i = 0; !is_sum && i < WORK_KINDS; i++)
        work.of[i] *= result->partitions;
    return work;
}

/* ---- Text ---------------------------------------------------------------------------------------------------------------- */

static void print_head(const proving_result *result) {
    printf("setup        %8.3f s wall %8.3f s CPU\n", seconds(result->setup.wall_us), seconds(result->setup.cpu_us));
    fflush(stdout);
}

/* Lines appear as the work is done: bench/peers/run.sh lets provers take turns by them. */
static void report(const proving_result *result, uint64_t done) {
    if (done == 0) {
        print_head(result);
        return;
    }
    const proving_iteration *i = &result->iterations[done - 1];
    printf("prove        %8.3f s wall %8.3f s CPU\n", seconds(i->all.wall_us), seconds(i->all.cpu_us));
    fflush(stdout);
}

static void print_share(double part, double whole) {
    if (part > 0 && whole > 0)
        printf(" %8.0f", 100 * part / whole);
    else
        printf(" %8s", "-");
}

static void print_amount(uint64_t amount) {
    if (amount)
        printf(" %9.3f", 1e-6 * (double)amount);
    else
        printf(" %9s", "-");
}

static void print_row(const char *name, const phase_seconds *taken, const work_amounts *work, const proving_result *result) {
    printf("%-18s %8.3f %8.3f", name, taken->wall, taken->cpu);
    print_amount(work->of[WORK_FR_PRODUCT]);
    print_amount(work->of[WORK_FP_PRODUCT] + work->of[WORK_FP_SQUARE]);
    print_amount(work->of[WORK_FP2_PRODUCT] + work->of[WORK_FP2_SQUARE]);
    print_amount(work->of[WORK_BYTES]);
    print_share(product_seconds(&result->rates, work), taken->cpu);
    print_share(traffic_seconds(&result->rates, work), taken->cpu);
    putchar('\n');
}

static void print_phases(const proving_result *result, const proving_iteration *iteration) {
    phase_seconds total = {0};
    work_amounts all = {{0}};
    printf("\n%-18s %8s %8s %9s %9s %9s %9s %8s %8s\n", "phase", "wall s", "CPU s", "Fr M", "Fp M", "Fp2 M", "MB", "products%",
           "traffic%");
    for (prove_phase phase = 0; phase < PROVE_PHASES; phase++) {
        const phase_seconds *taken = &iteration->profile.phases[phase];
        if (phase > PHASE_VERIFICATION && !*result->device)
            continue;
        work_amounts work = work_of(phase, result, &iteration->profile);
        print_row(prove_phase_name(phase), taken, &work, result);
        total.wall += taken->wall;
        total.cpu += taken->cpu;
        for (int i = 0; i < WORK_KINDS; i++)
            all.of[i] += work.of[i];
    }
    print_row("all", &total, &all, result);
    puts("Fr, Fp, Fp2: millions of products and squares; MB: memory read and written, each point of an addition counted;\n"
         "products%, traffic%: how much of the CPU time these alone would take at the rates below");
}

static void print_sums(const prove_profile *profile) {
    puts("\nscalars             0          1, -1       wide  window   additions  an inversion");
    for (int i = 0; i < PROVE_SUMS; i++) {
        const msm_counts *c = &profile->sums[i];
        printf("%-12s %9llu      %9llu  %9llu  %6u  %10llu  %12.0f\n", prove_phase_name(PHASE_MSM_H + (prove_phase)i),
               (unsigned long long)c->zeros, (unsigned long long)c->ones, (unsigned long long)c->wide, c->window_bits,
               (unsigned long long)c->additions, c->inversions ? (double)c->additions / (double)c->inversions : 0);
    }
}

static void print_rates(const roofline *rates) {
    puts("\nmeasured rates      a core-second       a second on all threads");
    for (work_kind kind = 0; kind < WORK_KINDS; kind++)
        printf("%-18s %10.1f M %17.1f M\n", WORK_NAMES[kind], 1e-6 * rates->per_core_second[kind], 1e-6 * rates->per_second[kind]);
}

static void print_text(const proving_result *result, uint64_t iterations) {
    const proving_iteration *median = median_iteration(result, iterations);
    uint64_t peak = most_memory(result, iterations), limit = peak_limit_bytes(result->sizes.domain_log_size);
    printf("median       %8.3f s wall %8.3f s CPU\n", seconds(median_us(result, iterations, true)),
           seconds(median_us(result, iterations, false)));
    printf("%s: %llu partition%s of %llu constraints, domain 2^%u, %llu thread%s, %s arithmetic; proofs verified\n",
           result->circuit, (unsigned long long)result->partitions, result->partitions == 1 ? "" : "s",
           (unsigned long long)result->constraints, result->sizes.domain_log_size, (unsigned long long)result->threads, result->threads == 1 ? "" : "s",
           cpu_level_name(cpu_level_in_use()));
    printf("shape %s in %.3f s, assignment %s\n", readable_bytes(result->shape_bytes), seconds(result->shape.cpu_us),
           readable_bytes(result->sizes.assignment_bytes));
    if (*result->device)
        printf("proved by %s; times of phases are with a wait behind each\n", result->device);
    print_phases(result, median);
    print_sums(&median->profile);
    print_rates(&result->rates);
    printf("\nparameters: %s of points for each proof, %s from disk; page faults: %llu minor, %llu major\n",
           readable_bytes(query_bytes(result)), readable_bytes(median->disk_bytes), (unsigned long long)median->all.minor_faults,
           (unsigned long long)median->all.major_faults);
    if (median->profile.scratch_bytes_written)
        printf("scratch files: %s read, %s written for each proof\n",
               readable_bytes(median->profile.scratch_bytes_read / result->partitions),
               readable_bytes(median->profile.scratch_bytes_written / result->partitions));
    printf("peak memory %s; two buffers over the domain and 512 MiB are %s: %s\n", readable_bytes(peak), readable_bytes(limit),
           peak <= limit ? "within" : "EXCEEDED");
}

/* ---- JSON ---------------------------------------------------------------------------------------------------------------- */

static uint64_t microseconds(double value) { return (uint64_t)(1e6 * value + 0.5); }

static void write_phases(json_writer *writer, const proving_result *result, const prove_profile *profile) {
    json_key(writer, "phases");
    json_begin_array(writer);
    for (prove_phase phase = 0; phase < PROVE_PHASES; phase++) {
        const phase_seconds *taken = &profile->phases[phase];
        if (phase > PHASE_VERIFICATION && !*result->device)
            continue;
        work_amounts work = work_of(phase, result, profile);
        json_begin_object(writer);
        json_member_string(writer, "name", prove_phase_name(phase));
        json_member_unsigned(writer, "wall_us", microseconds(taken->wall));
        json_member_unsigned(writer, "cpu_us", microseconds(taken->cpu));
        for (int i = 0; i < WORK_KINDS; i++)
            json_member_unsigned(writer, WORK_NAMES[i], work.of[i]);
        json_member_unsigned(writer, "products_us", microseconds(product_seconds(&result->rates, &work)));
        json_member_unsigned(writer, "traffic_us", microseconds(traffic_seconds(&result->rates, &work)));
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void write_sums(json_writer *writer, const prove_profile *profile) {
    json_key(writer, "sums");
    json_begin_array(writer);
    for (int i = 0; i < PROVE_SUMS; i++) {
        const msm_counts *c = &profile->sums[i];
        json_begin_object(writer);
        json_member_string(writer, "name", prove_phase_name(PHASE_MSM_H + (prove_phase)i));
        json_member_unsigned(writer, "zeros", c->zeros);
        json_member_unsigned(writer, "ones", c->ones);
        json_member_unsigned(writer, "wide", c->wide);
        json_member_unsigned(writer, "window_bits", c->window_bits);
        json_member_unsigned(writer, "additions", c->additions);
        json_member_unsigned(writer, "inversions", c->inversions);
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void write_iteration(json_writer *writer, const proving_result *result, const proving_iteration *i) {
    json_begin_object(writer);
    write_times(writer, &i->all);
    json_member_unsigned(writer, "minor_faults", i->all.minor_faults);
    json_member_unsigned(writer, "major_faults", i->all.major_faults);
    json_member_unsigned(writer, "disk_bytes", i->disk_bytes);
    json_member_unsigned(writer, "peak_resident_bytes", i->peak_resident);
    json_member_unsigned(writer, "scratch_bytes_read", i->profile.scratch_bytes_read);
    json_member_unsigned(writer, "scratch_bytes_written", i->profile.scratch_bytes_written);
    json_key(writer, "counters");
    write_counters(writer, &i->all, &result->counters);
    write_phases(writer, result, &i->profile);
    write_sums(writer, &i->profile);
    json_end_object(writer);
}

static void write_rates(json_writer *writer, const roofline *rates) {
    json_key(writer, "rates");
    json_begin_object(writer);
    for (work_kind kind = 0; kind < WORK_KINDS; kind++) {
        json_key(writer, WORK_NAMES[kind]);
        json_begin_object(writer);
        json_member_unsigned(writer, "per_core_second", (uint64_t)rates->per_core_second[kind]);
        json_member_unsigned(writer, "per_second", (uint64_t)rates->per_second[kind]);
        json_end_object(writer);
    }
    json_end_object(writer);
}

static void write_usage(json_writer *writer, const char *key, const usage *u) {
    json_key(writer, key);
    json_begin_object(writer);
    write_times(writer, u);
    json_end_object(writer);
}

static void write_json(const proving_result *result, uint64_t iterations) {
    uint64_t peak = most_memory(result, iterations), limit = peak_limit_bytes(result->sizes.domain_log_size);
    json_writer writer;
    json_writer_init(&writer, stdout, 2);
    json_begin_object(&writer);
    json_member_string(&writer, "benchmark", "prove");
    json_member_string(&writer, "circuit", result->circuit);
    json_member_unsigned(&writer, "partitions", result->partitions);
    json_member_unsigned(&writer, "threads", result->threads);
    json_member_string(&writer, "arithmetic", cpu_level_name(cpu_level_in_use()));
    if (*result->device)
        json_member_string(&writer, "device", result->device);
    json_member_unsigned(&writer, "constraints", result->constraints);
    json_member_unsigned(&writer, "aux", result->aux);
    json_member_unsigned(&writer, "domain_log_size", result->sizes.domain_log_size);
    if (result->set_up)
        write_usage(&writer, "setup", &result->setup);
    write_usage(&writer, "shape", &result->shape);
    json_member_unsigned(&writer, "shape_bytes", result->shape_bytes);
    json_member_unsigned(&writer, "assignment_bytes", result->sizes.assignment_bytes);
    json_member_unsigned(&writer, "parameter_file_bytes", result->parameter_bytes);
    json_member_unsigned(&writer, "parameter_bytes_read", query_bytes(result));
    write_rates(&writer, &result->rates);
    json_key(&writer, "iterations");
    json_begin_array(&writer);
    for (uint64_t i = 0; i < iterations; i++)
        write_iteration(&writer, result, &result->iterations[i]);
    json_end_array(&writer);
    json_member_unsigned(&writer, "median_wall_us", median_us(result, iterations, true));
    json_member_unsigned(&writer, "median_cpu_us", median_us(result, iterations, false));
    json_member_unsigned(&writer, "peak_resident_bytes", peak);
    json_member_unsigned(&writer, "peak_limit_bytes", limit);
    json_member_bool(&writer, "within_limit", peak <= limit);
    json_member_bool(&writer, "verified", true); /* a proof that is not ends the run */
    json_key(&writer, "proof");
    json_hex(&writer, "", result->proof, sizeof result->proof);
    json_end_object(&writer);
}

/* ---- The command --------------------------------------------------------------------------------------------------------- */

static cuzk_status run(const proving_options *options, bool json, cuzk_error *error) {
    proving_result result;
    cuzk_status status = measure_proving(&result, options, error);
    if (status == CUZK_OK && json)
        write_json(&result, options->iterations);
    else if (status == CUZK_OK)
        print_text(&result, options->iterations);
    proving_result_free(&result);
    return status;
}

static cuzk_status choose_statement(proving_options *o, const char *name, uint64_t log_size, cuzk_error *error) {
    bool chain = strcmp(name, "chain") == 0;
    if (chain && log_size == 0)
        return failure(error, CUZK_BAD_INPUT, "--log2: found nothing, expected the size of the chain: 2^K squarings");
    if (!chain && log_size != 0)
        return failure(error, CUZK_BAD_INPUT, "--log2: found a job; it is the chain's size");
    o->job_path = chain ? NULL : name;
    o->chain_log_size = (unsigned)log_size;
    return CUZK_OK;
}

cuzk_status command_prove(int argc, char **argv, int *exit_code, cuzk_error *error) {
    (void)exit_code;
    proving_options o = {.partitions = 1, .iterations = 1, .device = DEVICE_CHOICE_DEFAULTS};
    uint64_t log_size = 0;
    bool json = false;
    const option options[] = {
        {"log2", 'k', OPTION_NUMBER, &log_size, "K", "a chain of 2^K constraints (3 ... 27)", CHAIN_MIN_LOG_SIZE,
         CHAIN_MAX_LOG_SIZE},
        {"params", 0, OPTION_TEXT, &o.directory, "DIR",
         "parameters (a job: default $FIL_PROOFS_PARAMETER_CACHE; the chain's are made, and kept if a DIR is given)", 0, 0},
        {"partitions", 'p', OPTION_NUMBER, &o.partitions, "N", "partitions to prove (default: 1; 0: all)", 0, UINT32_MAX},
        {"iterations", 'i', OPTION_NUMBER, &o.iterations, "N", "iterations that count (default: 1)", 1, 1000},
        {"warm-up", 0, OPTION_NUMBER, &o.warm_up, "N", "iterations before them (default: 0)", 0, 1000},
        {"scratch", 0, OPTION_TEXT, &o.scratch.directory, "DIR", "keep the vectors of the transforms in files there", 0, 0},
        {"memory", 0, OPTION_BYTES, &o.scratch.memory_bytes, "SIZE", "memory for the transforms with --scratch (default: 1GiB)",
         0, 0},
        {"threads", 't', OPTION_NUMBER, &o.threads, "N", "threads (default: one for each CPU)", 0, 4096},
        DEVICE_CHOICE_OPTIONS(&o.device),
        {"json", 0, OPTION_FLAG, &json, NULL, "print the result as JSON", 0, 0},
    };
    const command_line line = {
        .usage = "cuzk-bench prove chain --log2 K | JOB.json",
        .summary = "Measures proofs without a daemon: every phase beside the products and the memory traffic that it takes, and\n"
                   "this machine's rates for them. The chain is 2^K squarings of a dense witness, as other provers measure.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .positional_minimum = 1,
        .positional_maximum = 1,
    };
    parsed_command_line parsed;
    bool done;
    cuzk_status status = parse_arguments(&line, argc, argv, &parsed, &done, error);
    if (status == CUZK_OK && !done) {
        o.report = json ? NULL : report;
        status = choose_statement(&o, parsed.positional[0], log_size, error);
        if (status == CUZK_OK && o.scratch.memory_bytes && !o.scratch.directory)
            status = failure(error, CUZK_BAD_INPUT, "--memory: found it without --scratch; it says how much is not in files there");
        if (status == CUZK_OK && o.scratch.directory && o.device.ordinal != NO_DEVICE)
            status = failure(error, CUZK_BAD_INPUT, "--scratch: found it with --device; a device's transforms are in its own memory");
        if (status == CUZK_OK)
            status = run(&o, json, error);
    }
    parsed_command_line_free(&parsed);
    return status;
}
