/* The device that cuzk-bench prove measures, and what can be compared on it. */
#ifndef CUZK_BENCH_DEVICE_H
#define CUZK_BENCH_DEVICE_H

#include "base/options.h"
#include "groth16/device_driver.h"

#define NO_DEVICE UINT64_MAX

/* As on the command line. Initialize with DEVICE_CHOICE_DEFAULTS: the CPU. */
typedef struct {
    uint64_t ordinal;
    const char *pinning, *presize, *keep, *b_g2, *windows; /* NULL: not given */
} device_choice;
#define DEVICE_CHOICE_DEFAULTS {.ordinal = NO_DEVICE}

/* Its options. */
#define DEVICE_CHOICE_OPTIONS(c)                                                                                                   \
    {"device", 0, OPTION_NUMBER, &(c)->ordinal, "N", "prove on device N (needs a build with CUDA)", 0, 1023},                      \
    {"pinning", 0, OPTION_TEXT, &(c)->pinning, "HOW", "points go there staged in locked memory, mapped, or registered", 0, 0},     \
    {"presize", 0, OPTION_TEXT, &(c)->presize, "on|off", "keep locked memory from proof to proof (default), or do not", 0, 0},     \
    {"keep", 0, OPTION_TEXT, &(c)->keep, "on|off", "points stay on the device where there is room (default), or do not", 0, 0},    \
    {"windows", 0, OPTION_TEXT, &(c)->windows, "LIST", "bits of the sums' windows: h=20,l=16,a=16,b_g1=16,b_g2=14", 0, 0},         \
    {"b-g2", 0, OPTION_TEXT, &(c)->b_g2, "WHERE", "the sum over B in G2 is the device's (default) or the host's", 0, 0}

/* CUZK_BAD_INPUT for words that are not known, for options of a device without one, and in a build without CUDA. */
cuzk_status device_choice_check(const device_choice *choice, device_options *options, cuzk_error *error);

/* What this build drives devices with; NULL: nothing. */
const cuzk_device_driver *bench_device_driver(void);

/* NULL where none was chosen. Close it with bench_device_driver()->close. */
cuzk_status device_choice_open(proving_device **opened, const device_choice *choice, cuzk_error *error);

#endif
