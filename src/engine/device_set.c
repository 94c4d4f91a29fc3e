#include "engine/device_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"

enum { GPU_WORKERS = 2 }; /* one prepares and verifies while the other's proof is on the device */

static void add(device_set *set, backend_device described, proving_device *opened) {
    set->devices = reallocate(set->devices, set->count + 1, sizeof *set->devices);
    set->opened = reallocate(set->opened, set->count + 1, sizeof *set->opened);
    set->devices[set->count] = described;
    set->opened[set->count++] = opened;
}

static void add_cpu(device_set *set) {
    bool stands_in = set->count > 0;
    add(set,
        (backend_device){
            .ordinal = stands_in ? CPU_BESIDE_DEVICES : 0, .name = "CPU", .default_workers = 1, .stands_in = stands_in},
        NULL);
}

static cuzk_status add_gpu(device_set *set, unsigned ordinal, const cuzk_engine_options *options, cuzk_error *error) {
    proving_device *opened;
    TRY(set->driver->open(&opened, ordinal, &(device_options){.b_g2_on_host = options->b_g2_on_cpu}, error));
    backend_device described = {
        .ordinal = ordinal, .is_gpu = true, .default_workers = GPU_WORKERS, .memory_total = set->driver->memory_total(opened)};
    snprintf(described.name, sizeof described.name, "%s", set->driver->name(opened));
    add(set, described, opened);
    log_info("device %u proves: %s, %.1f GiB", ordinal, described.name, (double)described.memory_total / (1 << 30));
    return CUZK_OK;
}

static bool is_open(const device_set *set, unsigned ordinal) {
    for (size_t i = 0; i < set->count; i++)
        if (set->devices[i].ordinal == ordinal)
            return true;
    return false;
}

static cuzk_status add_named(device_set *set, const cuzk_engine_options *options, cuzk_error *error) {
    unsigned there = set->driver->count();
    for (size_t i = 0; i < options->device_count; i++) {
        unsigned ordinal = options->devices[i];
        if (there == 0)
            return failure(
                error, CUZK_BAD_INPUT,
                "gpus.devices: found %u, but no %s device is there, or its driver is not loaded; leave the key out to prove on "
                "the CPU",
                ordinal, set->driver->kind);
        if (ordinal >= there)
            return failure(error, CUZK_BAD_INPUT, "gpus.devices: found %u, expected ordinals of the %u %s devices, 0 ... %u",
                           ordinal, there, set->driver->kind, there - 1);
        if (is_open(set, ordinal))
            return failure(error, CUZK_BAD_INPUT, "gpus.devices: found %u twice", ordinal);
        cuzk_status status = add_gpu(set, ordinal, options, error);
        if (status != CUZK_OK)
            return failure_within(error, status, "gpus.devices: device %u: ", ordinal);
    }
    return CUZK_OK;
}

/* The environment's options are the same for all: if they are wrong, that is not the device's fault. */
static cuzk_status add_all(device_set *set, const cuzk_engine_options *options, cuzk_error *error) {
    for (unsigned ordinal = 0; ordinal < set->driver->count(); ordinal++) {
        cuzk_error own = {0};
        cuzk_status status = add_gpu(set, ordinal, options, &own);
        if (status == CUZK_BAD_INPUT)
            return failure(error, status, "%s", own.message);
        if (status != CUZK_OK)
            log_warn("device %u is left out: %s", ordinal, own.message);
    }
    return CUZK_OK;
}

static cuzk_status choose(device_set *set, const cuzk_engine_options *options, cuzk_error *error) {
    if (options->device_count == 0)
        return set->driver ? add_all(set, options, error) : CUZK_OK;
    if (!set->driver)
        return failure(
            error, CUZK_BAD_INPUT,
            "gpus.devices: found %u%s, but this program was built without CUDA; build it with -DCUZK_CUDA=ON, or leave the key "
            "out to prove on the CPU",
            options->devices[0], options->device_count > 1 ? " and others" : "");
    return add_named(set, options, error);
}

cuzk_status device_set_open(device_set *set, const cuzk_engine_options *options, cuzk_error *error) {
    *set = (device_set){.driver = options->device_driver};
    cuzk_status status = choose(set, options, error);
    if (status == CUZK_OK)
        add_cpu(set);
    else
        device_set_close(set);
    return status;
}

void device_set_close(device_set *set) {
    for (size_t i = 0; i < set->count; i++)
        if (set->opened[i])
            set->driver->close(set->opened[i]);
    free(set->devices);
    free(set->opened);
    *set = (device_set){0};
}

proving_device *device_set_find(const device_set *set, unsigned ordinal) {
    for (size_t i = 0; i < set->count; i++)
        if (set->devices[i].ordinal == ordinal)
            return set->opened[i];
    return NULL;
}

size_t device_set_gpus(const device_set *set) { return set->count - 1; }
