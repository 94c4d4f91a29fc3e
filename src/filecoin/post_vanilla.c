#include "filecoin/post_vanilla.h"

#include <stdlib.h>

#include "filecoin/challenges.h"
#include "filecoin/parallel_try.h"
#include "filecoin/trusted_element.h"

unsigned post_sector_challenge_count(proof_kind kind) { return kind == PROOF_WINNING ? WINNING_CHALLENGES : WINDOW_CHALLENGES; }

void post_sector_challenges(uint64_t *challenges, const registered_proof *proof, const uint8_t randomness[32],
                            uint64_t sector_number, uint64_t position) {
    for (unsigned i = 0; i < post_sector_challenge_count(proof->kind); i++)
        challenges[i] = post_leaf_challenge(proof->shape, randomness, sector_number, post_challenge_index(proof, position, i));
}

typedef struct {
    post_sector_proof *proof;
    const sector_view *view;
    const uint64_t *challenges;
} sector_prove;

static cuzk_status prove_challenge(void *context, size_t index, cuzk_error *error) {
    const sector_prove *prove = context;
    return sector_view_path(&prove->proof->paths[index], prove->view, prove->view->replica_tree, prove->challenges[index],
                            "tree-r-last", error);
}

cuzk_status post_prove_sector(post_sector_proof **proof, const sector_view *view, uint64_t sector_number,
                              const uint64_t *challenges, unsigned challenge_count, thread_pool *pool, cuzk_error *error) {
    post_sector_proof *made = post_sector_proof_create(view->shape, challenge_count);
    uint8_t comm_r[32];
    sector_view_comm_r(comm_r, view);
    trusted_element(&made->comm_r, comm_r);
    made->sector_number = sector_number;
    made->comm_c = view->comm_c;
    made->comm_r_last = view->comm_r_last;
    sector_prove prove = {.proof = made, .view = view, .challenges = challenges};
    cuzk_status status = parallel_try(pool, challenge_count, prove_challenge, &prove, error);
    if (status != CUZK_OK)
        free(made);
    *proof = status == CUZK_OK ? made : NULL;
    return status;
}
