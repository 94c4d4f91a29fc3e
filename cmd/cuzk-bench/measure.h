/* What the operating system and the processor say about a stretch of work. */
#ifndef CUZK_BENCH_MEASURE_H
#define CUZK_BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json_writer.h"

enum { COUNTER_COUNT = 6 };
extern const char *const COUNTER_NAMES[COUNTER_COUNT];

/* Hardware counters of this process, its later threads included. */
typedef struct {
    int files[COUNTER_COUNT]; /* -1: not available */
    char reason[COUNTER_COUNT][64];
} hardware_counters;

/* Opens what the kernel gives. Call before threads are made. */
void hardware_counters_open(hardware_counters *counters);
void hardware_counters_close(hardware_counters *counters);

/* Taken so far by this process. */
typedef struct {
    uint64_t wall_us, cpu_us;
    uint64_t minor_faults, major_faults;
    uint64_t counters[COUNTER_COUNT];
} usage;

/* counters may be NULL. */
usage usage_now(const hardware_counters *counters);
usage usage_since(const usage *begin, const hardware_counters *counters);

/* Processor time of this thread. */
uint64_t thread_cpu_us(void);
/* Resident memory now, in bytes. */
size_t resident_bytes(void);
/* The most of it since the last reset, where the kernel allows that, else since the start (VmHWM). */
void peak_resident_reset(void);
size_t peak_resident_since_reset(void);
/* Bytes that this process had read from disk so far; 0 where the kernel does not say. */
uint64_t disk_bytes_read(void);

/* Members of the open object: wall_us, cpu_us. */
void write_times(json_writer *writer, const usage *u);
/* An object with a member for each counter, null where it is not available. */
void write_counters(json_writer *writer, const usage *u, const hardware_counters *counters);

#endif
