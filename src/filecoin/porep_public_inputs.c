#include "filecoin/porep_public_inputs.h"

#include <assert.h>

#include "filecoin/challenges.h"
#include "filecoin/graph.h"

static void append_commitment(fr **inputs, const uint8_t bytes[32]) {
    bool canonical = fr_from_bytes((*inputs)++, bytes);
    assert(canonical);
    (void)canonical;
}

/* A path's public input is its leaf's index: the packed bits of the way. */
static void append_indices(fr **inputs, const uint32_t *nodes, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        fr_from_u64((*inputs)++, nodes[i]);
}

void porep_public_inputs(fr *inputs, const registered_proof *proof, const porep_statement *statement, unsigned partition) {
    uint8_t porep_id[32];
    stacked_graph graph;
    registered_proof_porep_id(porep_id, proof);
    stacked_graph_init(&graph, proof->shape, porep_id, proof->api);

    append_commitment(&inputs, statement->replica_id);
    append_commitment(&inputs, statement->comm_d);
    append_commitment(&inputs, statement->comm_r);
    uint64_t challenges[MAX_POREP_CHALLENGES];
    porep_challenges(challenges, proof, statement->replica_id, statement->comm_r, statement->seed, partition);
    for (unsigned i = 0; i < proof->shape->porep_challenges; i++) {
        uint32_t challenge = (uint32_t)challenges[i], drg[DRG_DEGREE], expander[EXPANDER_DEGREE];
        stacked_graph_drg_parents(&graph, challenge, drg);
        stacked_graph_expander_parents(&graph, challenge, expander);
        append_indices(&inputs, &challenge, 1); /* in tree D */
        append_indices(&inputs, drg, DRG_DEGREE);
        append_indices(&inputs, expander, EXPANDER_DEGREE);
        append_indices(&inputs, &challenge, 1); /* the node that the labels hash */
        append_indices(&inputs, &challenge, 1); /* in tree R */
        append_indices(&inputs, &challenge, 1); /* in tree C */
    }
}
