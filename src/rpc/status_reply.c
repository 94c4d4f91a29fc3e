#include "rpc/status_reply.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"
#include "rpc/proving_service.h"

/* protobuf-c's texts are char * throughout; packing does not write to them. */
static char *text(const char *borrowed) { return (char *)(uintptr_t)borrowed; }

/* count elements of size behind count pointers to them: one block for each repeated field, freed by its pointer array. */
static void *pointer_array(size_t count, size_t size, void *elements_out) {
    void **pointers = allocate(count + 1, sizeof *pointers);
    char *elements = allocate_zeroed(count + 1, size);
    for (size_t i = 0; i < count; i++)
        pointers[i] = elements + i * size;
    pointers[count] = elements;
    *(void **)elements_out = elements;
    return pointers;
}

static void free_pointer_array(void *pointers, size_t count) {
    free(((void **)pointers)[count]);
    free(pointers);
}

static void fill_devices(Cuzk__V1__GetStatusResponse *reply, const cuzk_engine_status *status) {
    Cuzk__V1__GPUStatus *devices;
    reply->n_gpus = status->device_count;
    reply->gpus = pointer_array(status->device_count, sizeof *devices, &devices);
    for (size_t i = 0; i < status->device_count; i++) {
        const cuzk_device_status *device = &status->devices[i];
        devices[i] = (Cuzk__V1__GPUStatus)CUZK__V1__GPUSTATUS__INIT;
        devices[i].ordinal = device->ordinal;
        devices[i].name = text(device->name);
        devices[i].vram_total_bytes = device->memory_total;
        devices[i].vram_free_bytes = device->memory_free;
        for (size_t w = status->worker_count; w-- > 0;) {
            if (!status->workers[w].busy || status->workers[w].device != device->ordinal)
                continue;
            devices[i].current_job_id = text(status->workers[w].job_id);
            devices[i].current_proof_kind = text(proof_kind_label(status->workers[w].kind));
        }
    }
}

static Cuzk__V1__SRSStatus__Tier tier_number(cuzk_tier tier) {
    switch (tier) {
    case CUZK_TIER_HOT: return CUZK__V1__SRSSTATUS__TIER__HOT;
    case CUZK_TIER_WARM: return CUZK__V1__SRSSTATUS__TIER__WARM;
    case CUZK_TIER_COLD: break;
    }
    return CUZK__V1__SRSSTATUS__TIER__COLD;
}

static void fill_parameters(Cuzk__V1__GetStatusResponse *reply, const cuzk_engine_status *status) {
    Cuzk__V1__SRSStatus *list;
    reply->n_loaded_srs = status->srs_count;
    reply->loaded_srs = pointer_array(status->srs_count, sizeof *list, &list);
    for (size_t i = 0; i < status->srs_count; i++) {
        list[i] = (Cuzk__V1__SRSStatus)CUZK__V1__SRSSTATUS__INIT;
        list[i].circuit_id = text(status->srs[i].circuit_id);
        list[i].tier = tier_number(status->srs[i].tier);
        list[i].size_bytes = status->srs[i].bytes;
        list[i].ref_count = status->srs[i].references;
    }
}

static void fill_queues(Cuzk__V1__GetStatusResponse *reply, const cuzk_engine_status *status) {
    Cuzk__V1__QueueStatus *queues;
    reply->n_queues = CUZK_PROOF_KIND_COUNT - 1;
    reply->queues = pointer_array(CUZK_PROOF_KIND_COUNT - 1, sizeof *queues, &queues);
    for (unsigned kind = 1; kind < CUZK_PROOF_KIND_COUNT; kind++) {
        queues[kind - 1] = (Cuzk__V1__QueueStatus)CUZK__V1__QUEUE_STATUS__INIT;
        queues[kind - 1].proof_kind = text(proof_kind_label((cuzk_proof_kind)kind));
        queues[kind - 1].pending = status->pending[kind];
        queues[kind - 1].in_progress = status->in_progress[kind];
    }
}

Cuzk__V1__GetStatusResponse *status_reply_create(const cuzk_engine_status *status) {
    Cuzk__V1__GetStatusResponse *reply = allocate(1, sizeof *reply);
    *reply = (Cuzk__V1__GetStatusResponse)CUZK__V1__GET_STATUS_RESPONSE__INIT;
    fill_devices(reply, status);
    fill_parameters(reply, status);
    fill_queues(reply, status);
    reply->total_proofs_completed = status->total_completed;
    reply->total_proofs_failed = status->total_failed;
    reply->uptime_seconds = status->uptime_ms / 1000;
    reply->pinned_memory_bytes = status->memory.used_bytes;
    reply->pinned_memory_limit_bytes = status->memory.total_bytes;
    return reply;
}

void status_reply_free(Cuzk__V1__GetStatusResponse *reply) {
    free_pointer_array(reply->gpus, reply->n_gpus);
    free_pointer_array(reply->loaded_srs, reply->n_loaded_srs);
    free_pointer_array(reply->queues, reply->n_queues);
    free(reply);
}
