#include "groth16/prove_profile.h"

#include <time.h>

static const char *const NAMES[PROVE_PHASES] = {
    [PHASE_SYNTHESIS] = "synthesis",     [PHASE_EVALUATE_A] = "evaluate A", [PHASE_INTERPOLATE_A] = "interpolate A",
    [PHASE_TO_COSET_A] = "A to coset",   [PHASE_EVALUATE_B] = "evaluate B", [PHASE_INTERPOLATE_B] = "interpolate B",
    [PHASE_TO_COSET_B] = "B to coset",   [PHASE_MULTIPLY] = "A * B",        [PHASE_FROM_COSET] = "A * B from coset",
    [PHASE_EVALUATE_C] = "evaluate C",   [PHASE_INTERPOLATE_C] = "interpolate C", [PHASE_DIVIDE] = "less C, by Z",
    [PHASE_MSM_H] = "MSM h",             [PHASE_MSM_L] = "MSM l",           [PHASE_MSM_A] = "MSM a",
    [PHASE_MSM_B_G1] = "MSM b_g1",       [PHASE_MSM_B_G2] = "MSM b_g2",     [PHASE_COMBINE] = "combine",
    [PHASE_VERIFICATION] = "verification", [PHASE_ENCODE] = "encode",       [PHASE_UPLOAD] = "upload",
    [PHASE_DOWNLOAD] = "download",
};

const char *prove_phase_name(prove_phase phase) { return NAMES[phase]; }

bool prove_phase_is_transform(prove_phase phase) {
    switch (phase) {
    case PHASE_INTERPOLATE_A:
    case PHASE_TO_COSET_A:
    case PHASE_INTERPOLATE_B:
    case PHASE_TO_COSET_B:
    case PHASE_FROM_COSET:
    case PHASE_INTERPOLATE_C:
        return true;
    default:
        return false;
    }
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

phase_clock phase_clock_start(void) {
    return (phase_clock){{.wall = seconds_of(CLOCK_MONOTONIC), .cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID)}};
}

void phase_clock_lap(phase_clock *clock, prove_profile *profile, prove_phase phase) {
    phase_clock now = phase_clock_start();
    if (profile) {
        profile->phases[phase].wall += now.started.wall - clock->started.wall;
        profile->phases[phase].cpu += now.started.cpu - clock->started.cpu;
    }
    *clock = now;
}
