#include "cuda/kept_points.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
    CIRCUITS_MAXIMUM = 16, /* more than a daemon proves; the next takes the place of the least recently used */
    MARGIN_SHARE = 8       /* of a proof's own memory, kept free beyond it: assignments differ a little */
};

struct kept_circuit {
    kept_points *owner;
    char *path;
    uint64_t file_bytes;
    int64_t modified_ns;
    uint8_t key_digest[VERIFYING_KEY_DIGEST_BYTES];
    kept_part parts[KEPT_PARTS];
    uint64_t *bitmaps[DENSITIES];
    uint64_t own_bytes; /* the most that a proof with it took besides; 0: not known yet */
    uint64_t last_used; /* 0: nobody's */
};

struct kept_points {
    device *device;
    kept_circuit circuits[CIRCUITS_MAXIMUM];
    uint64_t bytes; /* of all parts */
    uint64_t turns;
    uint64_t spare; /* of the running proof: what may still be kept */
    bool grown;     /* something was added in it */
};

/* ---- Giving up ------------------------------------------------------------------------------------------------------ */

static void give_up_part(kept_circuit *c, kept_part *part) {
    device_free(c->owner->device, part->memory);
    c->owner->bytes -= part->bytes;
    *part = (kept_part){0};
}

static uint64_t circuit_bytes(const kept_circuit *c) {
    uint64_t bytes = 0;
    for (int i = 0; i < KEPT_PARTS; i++)
        bytes += c->parts[i].bytes;
    return bytes;
}

static void give_up_parts(kept_circuit *c) {
    for (int i = 0; i < KEPT_PARTS; i++)
        if (c->parts[i].memory)
            give_up_part(c, &c->parts[i]);
    for (int i = 0; i < DENSITIES; i++) {
        free(c->bitmaps[i]);
        c->bitmaps[i] = NULL;
    }
}

static void forget_circuit(kept_circuit *c) {
    kept_points *owner = c->owner;
    give_up_parts(c);
    free(c->path);
    *c = (kept_circuit){.owner = owner};
}

/* The least recently used that keeps something, but not `spared`; NULL if there is none. */
static kept_circuit *least_recent(kept_points *kept, const kept_circuit *spared) {
    kept_circuit *oldest = NULL;
    for (size_t i = 0; i < CIRCUITS_MAXIMUM; i++) {
        kept_circuit *c = &kept->circuits[i];
        if (c != spared && circuit_bytes(c) > 0 && (!oldest || c->last_used < oldest->last_used))
            oldest = c;
    }
    return oldest;
}

kept_points *kept_points_create(device *d) {
    kept_points *kept = allocate_zeroed(1, sizeof *kept);
    kept->device = d;
    for (size_t i = 0; i < CIRCUITS_MAXIMUM; i++)
        kept->circuits[i].owner = kept;
    return kept;
}

void kept_points_destroy(kept_points *kept) {
    if (!kept)
        return;
    for (size_t i = 0; i < CIRCUITS_MAXIMUM; i++)
        forget_circuit(&kept->circuits[i]);
    free(kept);
}

/* ---- Circuits ------------------------------------------------------------------------------------------------------- */

static bool is_of(const kept_circuit *c, const parameters *p, const uint8_t digest[VERIFYING_KEY_DIGEST_BYTES]) {
    return c->last_used > 0 && c->file_bytes == p->file.size && c->modified_ns == p->file.modified_ns &&
           memcmp(c->key_digest, digest, sizeof c->key_digest) == 0 && strcmp(c->path, p->path) == 0;
}

static kept_circuit *find(kept_points *kept, const parameters *p, const uint8_t digest[VERIFYING_KEY_DIGEST_BYTES]) {
    for (size_t i = 0; i < CIRCUITS_MAXIMUM; i++)
        if (is_of(&kept->circuits[i], p, digest))
            return &kept->circuits[i];
    return NULL;
}

static kept_circuit *place_for(kept_points *kept, const parameters *p, const uint8_t digest[VERIFYING_KEY_DIGEST_BYTES]) {
    kept_circuit *place = &kept->circuits[0];
    for (size_t i = 1; i < CIRCUITS_MAXIMUM; i++)
        if (kept->circuits[i].last_used < place->last_used)
            place = &kept->circuits[i];
    forget_circuit(place);
    place->path = duplicate_string(p->path);
    place->file_bytes = p->file.size;
    place->modified_ns = p->file.modified_ns;
    memcpy(place->key_digest, digest, sizeof place->key_digest);
    return place;
}

kept_circuit *kept_points_begin(kept_points *kept, const parameters *p) {
    uint8_t digest[VERIFYING_KEY_DIGEST_BYTES];
    verifying_key_digest(digest, &p->vk);
    kept_circuit *c = find(kept, p, digest), *other;
    if (!c)
        c = place_for(kept, p, digest);
    c->last_used = ++kept->turns;
    while (device_memory_free_bytes(kept->device) < c->own_bytes && (other = least_recent(kept, c)))
        give_up_parts(other);
    if (device_memory_free_bytes(kept->device) < c->own_bytes)
        give_up_parts(c);
    uint64_t left = device_memory_free_bytes(kept->device), own = c->own_bytes + c->own_bytes / MARGIN_SHARE;
    kept->spare = own > 0 && left > own ? left - own : 0;
    kept->grown = false;
    (void)device_memory_peak_bytes(kept->device);
    return c;
}

void kept_points_end(kept_circuit *c, bool whole) {
    kept_points *kept = c->owner;
    for (int i = 0; i < KEPT_PARTS; i++)
        if (c->parts[i].memory && !c->parts[i].filled)
            give_up_part(c, &c->parts[i]);
    uint64_t peak = device_memory_peak_bytes(kept->device);
    if (whole && !kept->grown && peak > kept->bytes && peak - kept->bytes > c->own_bytes)
        c->own_bytes = peak - kept->bytes;
}

/* ---- Parts ---------------------------------------------------------------------------------------------------------- */

static bool make_spare(kept_circuit *c, size_t bytes) {
    kept_points *kept = c->owner;
    kept_circuit *other;
    while (c->own_bytes > 0 && kept->spare < bytes && (other = least_recent(kept, c))) {
        kept->spare += circuit_bytes(other);
        give_up_parts(other);
    }
    return kept->spare >= bytes;
}

kept_part *kept_part_take(kept_circuit *c, unsigned part, size_t bytes) {
    kept_points *kept = c->owner;
    kept_part *taken = &c->parts[part];
    if (taken->memory && taken->bytes == bytes)
        return taken;
    if (taken->memory)
        give_up_part(c, taken);
    if (bytes == 0 || !make_spare(c, bytes) ||
        device_allocate(kept->device, &taken->memory, bytes, "points to keep", NULL) != CUZK_OK)
        return NULL;
    taken->bytes = bytes;
    kept->bytes += bytes;
    kept->spare -= bytes;
    kept->grown = true;
    return taken;
}

uint64_t *kept_host_bitmap(kept_circuit *c, int which) {
    if (!c->bitmaps[which])
        c->bitmaps[which] = allocate_zeroed(c->parts[KEPT_DENSE + which].bytes, 1);
    return c->bitmaps[which];
}

/* ---- All ------------------------------------------------------------------------------------------------------------ */

void kept_points_forget(kept_points *kept, const parameters *p) {
    uint8_t digest[VERIFYING_KEY_DIGEST_BYTES];
    verifying_key_digest(digest, &p->vk);
    kept_circuit *c = find(kept, p, digest);
    if (c)
        give_up_parts(c);
}

bool kept_points_forget_all(kept_points *kept) {
    bool any = kept->bytes > 0;
    for (size_t i = 0; i < CIRCUITS_MAXIMUM; i++)
        give_up_parts(&kept->circuits[i]);
    return any;
}

uint64_t kept_points_bytes(const kept_points *kept) { return kept->bytes; }
