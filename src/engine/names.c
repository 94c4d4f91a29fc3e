/* The words of the public API. */
#include "cuzk/engine.h"

const char *cuzk_proof_kind_name(uint32_t kind) {
    switch (kind) {
    case CUZK_POREP_SEAL_COMMIT: return "POREP_SEAL_COMMIT";
    case CUZK_SNAP_DEALS_UPDATE: return "SNAP_DEALS_UPDATE";
    case CUZK_WINDOW_POST_PARTITION: return "WINDOW_POST_PARTITION";
    case CUZK_WINNING_POST: return "WINNING_POST";
    default: return "PROOF_KIND_UNSPECIFIED";
    }
}

const char *cuzk_priority_name(uint32_t priority) {
    switch (priority) {
    case CUZK_PRIORITY_LOW: return "LOW";
    case CUZK_PRIORITY_NORMAL: return "NORMAL";
    case CUZK_PRIORITY_HIGH: return "HIGH";
    case CUZK_PRIORITY_CRITICAL: return "CRITICAL";
    default: return "PRIORITY_UNSPECIFIED";
    }
}

cuzk_priority cuzk_default_priority(cuzk_proof_kind kind) {
    switch (kind) {
    case CUZK_WINNING_POST: return CUZK_PRIORITY_CRITICAL;
    case CUZK_WINDOW_POST_PARTITION: return CUZK_PRIORITY_HIGH;
    case CUZK_SNAP_DEALS_UPDATE: return CUZK_PRIORITY_LOW;
    case CUZK_POREP_SEAL_COMMIT:
    case CUZK_KIND_UNSPECIFIED: break;
    }
    return CUZK_PRIORITY_NORMAL;
}

const char *cuzk_job_state_name(cuzk_job_state state) {
    static const char *const names[] = {"queued", "running", "completed", "failed", "cancelled"};
    return names[state];
}

const char *cuzk_tier_name(cuzk_tier tier) {
    static const char *const names[] = {"hot", "warm", "cold"};
    return names[tier];
}

const char *cuzk_partition_state_name(cuzk_partition_state state) {
    static const char *const names[] = {"pending", "synthesizing", "synth_done", "gpu", "done", "failed"};
    return names[state];
}

const char *cuzk_memory_owner_name(cuzk_memory_owner owner) {
    static const char *const names[] = {"parameters", "assignments", "buffers", "requests"};
    return names[owner];
}

const char *cuzk_stage_name(cuzk_stage stage) {
    static const char *const names[] = {"prepare", "srs_load", "synthesis", "prove", "verify"};
    return names[stage];
}

const char *cuzk_latency_name(cuzk_latency latency) {
    static const char *const names[] = {"queue_wait", "srs_load", "synthesis", "compute", "total"};
    return names[latency];
}
