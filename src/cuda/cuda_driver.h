/* The device driver (groth16/device_driver.h) over this room: NVIDIA devices, or emulated ones, whichever a program links. */
#ifndef CUDA_CUDA_DRIVER_H
#define CUDA_CUDA_DRIVER_H

#include "cuda/cuda_prover.h"

extern const cuzk_device_driver CUDA_DRIVER;

/* For tests: what is behind one of its devices. */
cuda_prover *cuda_driver_prover(proving_device *d);

#endif
