/* What one proof took, phase by phase: for measuring. */
#ifndef GROTH16_PROVE_PROFILE_H
#define GROTH16_PROVE_PROFILE_H

#include "algebra/msm.h"

/* In the order in which a proof goes through them. */
typedef enum {
    PHASE_SYNTHESIS,
    PHASE_EVALUATE_A,    /* the values on the domain */
    PHASE_INTERPOLATE_A, /* a transform to coefficients */
    PHASE_TO_COSET_A,    /* a transform to the values on the coset */
    PHASE_EVALUATE_B,
    PHASE_INTERPOLATE_B,
    PHASE_TO_COSET_B,
    PHASE_MULTIPLY, /* A * B */
    PHASE_FROM_COSET, /* a transform to coefficients again */
    PHASE_EVALUATE_C,
    PHASE_INTERPOLATE_C,
    PHASE_DIVIDE, /* less C, by Z */
    PHASE_MSM_H,
    PHASE_MSM_L,
    PHASE_MSM_A,
    PHASE_MSM_B_G1,
    PHASE_MSM_B_G2,
    PHASE_COMBINE, /* the proof's three points from the sums */
    PHASE_VERIFICATION,
    PHASE_ENCODE, /* from here on only where a device proves: the assignment, in the host's memory */
    PHASE_UPLOAD, /* of the assignment; points go up within the sums */
    PHASE_DOWNLOAD, /* of the sums */
    PROVE_PHASES
} prove_phase;

enum { PROVE_SUMS = PHASE_MSM_B_G2 - PHASE_MSM_H + 1 };

typedef struct {
    double wall, cpu; /* seconds; CPU time is the whole process's */
} phase_seconds;

typedef struct {
    phase_seconds phases[PROVE_PHASES];
    msm_counts sums[PROVE_SUMS]; /* of PHASE_MSM_H + i */
    uint64_t scratch_bytes_read, scratch_bytes_written; /* of scratch files (quotient_file.h), if there were any */
} prove_profile;

/* "synthesis", "evaluate A", ..., "MSM b_g2", "combine", "verification". */
const char *prove_phase_name(prove_phase phase);
/* True for the six transforms. */
bool prove_phase_is_transform(prove_phase phase);

/* A clock of one phase. */
typedef struct {
    phase_seconds started;
} phase_clock;

phase_clock phase_clock_start(void);
/* Adds what has passed to the phase's seconds and starts again; profile may be NULL. */
void phase_clock_lap(phase_clock *clock, prove_profile *profile, prove_phase phase);

#endif
