/* What tests tell emulated devices. */
#ifndef CUDA_DEVICE_EMULATED_H
#define CUDA_DEVICE_EMULATED_H

#include <stdbool.h>

#include "cuda/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How many devices there are from now on, with how much memory each; at the beginning 2 with 1 GiB. No device may be open. */
void emulated_devices_set(unsigned count, uint64_t memory_bytes);

/* device_host_register fails from now on, or does not: some systems cannot lock pages of a mapped file. */
void emulated_devices_refuse_registration(bool refuse);

/* The device of that number that was opened last and is open; NULL if there is none. */
device *emulated_device_opened(unsigned ordinal);

/* The device fails with CUZK_UNAVAILABLE, now and for as long as it is open, once it has been given `operations` copies, fills
 * and launches more. UINT64_MAX: never. */
void emulated_device_fail_after(device *d, uint64_t operations);

/* Turns one bit of what a later download delivers: the bit of number `bit` modulo its length in the download of number
 * `download` (0: the next). */
void emulated_device_flip_bit(device *d, uint64_t download, uint64_t bit);

/* Copies, fills and launches so far, and bytes that went up. */
uint64_t emulated_device_operations(const device *d);
uint64_t emulated_device_uploaded_bytes(const device *d);

#ifdef __cplusplus
}
#endif

#endif
