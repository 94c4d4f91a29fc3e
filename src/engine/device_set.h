/* The devices that the engine proves on: those of the program's driver that gpus.devices chooses, and the CPU, which stands in
 * for them. Without a driver or a device it is the CPU alone. */
#ifndef ENGINE_DEVICE_SET_H
#define ENGINE_DEVICE_SET_H

#include "engine/proving_backend.h"
#include "groth16/device_driver.h"

enum { CPU_BESIDE_DEVICES = 1024 /* the CPU's ordinal where there are devices: gpus.devices knows none so high */ };

typedef struct {
    const cuzk_device_driver *driver;
    backend_device *devices; /* the CPU last */
    proving_device **opened; /* of each; NULL for the CPU */
    size_t count;
} device_set;

/* Of options it looks at device_driver, devices, device_count and b_g2_on_cpu. CUZK_BAD_INPUT: gpus.devices names one that is
 * not there, or one twice, or any where the program has no driver. CUZK_UNAVAILABLE: a device that was named does not work;
 * where none is named, those that do not are left out with a warning. Close it with device_set_close. */
cuzk_status device_set_open(device_set *set, const cuzk_engine_options *options, cuzk_error *error);
void device_set_close(device_set *set);

/* NULL for the CPU. */
proving_device *device_set_find(const device_set *set, unsigned ordinal);
/* How many are not the CPU. */
size_t device_set_gpus(const device_set *set);

#endif
