/* Phases of a proof on a device, for its profile. */
#ifndef CUDA_DEVICE_PHASE_H
#define CUDA_DEVICE_PHASE_H

#include "cuda/device.h"
#include "groth16/prove_profile.h"

/* Ends a phase once the stream has done what it was given. Without a profile nothing is waited for, and phases overlap. */
static inline cuzk_status device_phase_end(phase_clock *clock, prove_profile *profile, prove_phase phase, device_stream *stream,
                                           cuzk_error *error) {
    if (!profile)
        return CUZK_OK;
    TRY(device_synchronize(stream, error));
    phase_clock_lap(clock, profile, phase);
    return CUZK_OK;
}

#endif
