#include "engine/circuit_shapes.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory.h"

typedef struct {
    pthread_mutex_t making;
    circuit_shape *shape; /* NULL: not asked for yet */
} shape_slot;

struct circuit_shapes {
    shape_slot slots[PROOF_KIND_COUNT][SECTOR_SHAPE_COUNT];
    _Atomic uint64_t bytes;
};

circuit_shapes *circuit_shapes_create(void) {
    circuit_shapes *shapes = allocate_zeroed(1, sizeof *shapes);
    for (size_t kind = 0; kind < PROOF_KIND_COUNT; kind++)
        for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++)
            pthread_mutex_init(&shapes->slots[kind][i].making, NULL);
    return shapes;
}

void circuit_shapes_destroy(circuit_shapes *shapes) {
    for (size_t kind = 0; kind < PROOF_KIND_COUNT; kind++)
        for (size_t i = 0; i < SECTOR_SHAPE_COUNT; i++) {
            shape_slot *slot = &shapes->slots[kind][i];
            if (slot->shape)
                circuit_shape_free(slot->shape);
            free(slot->shape);
            pthread_mutex_destroy(&slot->making);
        }
    free(shapes);
}

const circuit_shape *circuit_shapes_get(circuit_shapes *shapes, proof_kind kind, const sector_shape *sector) {
    shape_slot *slot = &shapes->slots[kind][sector - SECTOR_SHAPES];
    pthread_mutex_lock(&slot->making);
    if (!slot->shape) {
        filecoin_circuit blank = filecoin_circuit_blank(kind, sector);
        slot->shape = allocate(1, sizeof *slot->shape);
        circuit_shape_create(slot->shape, &blank.circuit);
        atomic_fetch_add(&shapes->bytes, circuit_shape_bytes(slot->shape));
    }
    pthread_mutex_unlock(&slot->making);
    return slot->shape;
}

uint64_t circuit_shapes_bytes(const circuit_shapes *shapes) { return atomic_load(&shapes->bytes); }
