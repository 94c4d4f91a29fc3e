/* The mark of parameters that come from no trusted setup: a note in JSON beside the file, FILE.development. */
#ifndef GROTH16_DEVELOPMENT_H
#define GROTH16_DEVELOPMENT_H

#include "groth16/verifying_key.h"

/* What the caller of a setup knows about it. */
typedef struct {
    const char *version;  /* of cuzk */
    const char *circuit;  /* its kind, such as "porep" */
    uint64_t sector_size; /* bytes */
    bool seeded;          /* made from a seed that somebody knows */
} setup_description;

/* Writes the note for the parameters or key at path: who made it, when, for which circuit, the digest of its verifying
 * key, and that it must not be trusted. */
cuzk_status development_note_write(const char *path, const verifying_key *vk, const setup_description *description,
                                   cuzk_error *error);

/* True if there is a note beside the file at path and it is not one of another file that was replaced (its digest differs
 * from that of vk). A note that cannot be read counts. */
bool parameters_are_development(const char *path, const verifying_key *vk);

#endif
