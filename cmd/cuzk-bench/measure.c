#include "measure.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *const COUNTER_NAMES[COUNTER_COUNT] = {"cycles",       "instructions", "cache_references",
                                                  "cache_misses", "branches",     "branch_misses"};
static const uint64_t counter_events[COUNTER_COUNT] = {PERF_COUNT_HW_CPU_CYCLES,          PERF_COUNT_HW_INSTRUCTIONS,
                                                       PERF_COUNT_HW_CACHE_REFERENCES,    PERF_COUNT_HW_CACHE_MISSES,
                                                       PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES};

static const char *reason_of(int number) {
    if (number == ENOENT || number == EOPNOTSUPP || number == ENODEV)
        return "this machine has none, or hides it";
    if (number == EACCES || number == EPERM)
        return "the kernel forbids it (perf_event_paranoid)";
    return strerror(number);
}

void hardware_counters_open(hardware_counters *counters) {
    for (int i = 0; i < COUNTER_COUNT; i++) {
        struct perf_event_attr attributes = {.type = PERF_TYPE_HARDWARE,
                                             .size = sizeof attributes,
                                             .config = counter_events[i],
                                             .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
                                             .inherit = 1,
                                             .exclude_kernel = 1,
                                             .exclude_hv = 1};
        counters->files[i] = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
        counters->reason[i][0] = '\0';
        if (counters->files[i] < 0)
            snprintf(counters->reason[i], sizeof counters->reason[i], "%s", reason_of(errno));
    }
}

void hardware_counters_close(hardware_counters *counters) {
    for (int i = 0; i < COUNTER_COUNT; i++)
        if (counters->files[i] >= 0)
            close(counters->files[i]);
}

/* Where there are fewer counters than events, the kernel takes turns and says for how long each has run. */
static uint64_t read_counter(int file) {
    struct {
        uint64_t value, enabled, running;
    } state;
    if (file < 0 || read(file, &state, sizeof state) != sizeof state || state.running == 0)
        return 0;
    return (uint64_t)((double)state.value * ((double)state.enabled / (double)state.running));
}

static uint64_t clock_us(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

uint64_t thread_cpu_us(void) { return clock_us(CLOCK_THREAD_CPUTIME_ID); }

usage usage_now(const hardware_counters *counters) {
    struct rusage taken;
    getrusage(RUSAGE_SELF, &taken);
    usage u = {.wall_us = clock_us(CLOCK_MONOTONIC),
               .cpu_us = clock_us(CLOCK_PROCESS_CPUTIME_ID),
               .minor_faults = (uint64_t)taken.ru_minflt,
               .major_faults = (uint64_t)taken.ru_majflt};
    for (int i = 0; counters && i < COUNTER_COUNT; i++)
        u.counters[i] = read_counter(counters->files[i]);
    return u;
}

usage usage_since(const usage *begin, const hardware_counters *counters) {
    usage u = usage_now(counters);
    u.wall_us -= begin->wall_us;
    u.cpu_us -= begin->cpu_us;
    u.minor_faults -= begin->minor_faults;
    u.major_faults -= begin->major_faults;
    for (int i = 0; i < COUNTER_COUNT; i++)
        u.counters[i] -= begin->counters[i];
    return u;
}

size_t resident_bytes(void) {
    unsigned long size, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lu %lu", &size, &resident) != 2)
        resident = 0;
    fclose(file);
    return resident * (size_t)sysconf(_SC_PAGESIZE);
}

void peak_resident_reset(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file)
        return;
    fputs("5", file);
    fclose(file);
}

/* The number behind a word of one of the kernel's "word: number" files; 0 if it is not there. */
static uint64_t kernel_number(const char *path, const char *word) {
    char line[256];
    unsigned long long number = 0;
    size_t length = strlen(word);
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        if (strncmp(line, word, length) == 0 && sscanf(line + length, "%llu", &number) == 1)
            break;
    fclose(file);
    return number;
}

size_t peak_resident_since_reset(void) { return (size_t)kernel_number("/proc/self/status", "VmHWM:") * 1024; }

uint64_t disk_bytes_read(void) { return kernel_number("/proc/self/io", "read_bytes:"); }

void write_times(json_writer *writer, const usage *u) {
    json_member_unsigned(writer, "wall_us", u->wall_us);
    json_member_unsigned(writer, "cpu_us", u->cpu_us);
}

void write_counters(json_writer *writer, const usage *u, const hardware_counters *counters) {
    json_begin_object(writer);
    for (int i = 0; i < COUNTER_COUNT; i++) {
        json_key(writer, COUNTER_NAMES[i]);
        if (counters->files[i] >= 0)
            json_unsigned(writer, u->counters[i]);
        else
            json_null(writer);
    }
    json_end_object(writer);
}
