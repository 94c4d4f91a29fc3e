/* Vanilla proofs of a PoRep as JSON: what serde writes for storage-proofs-porep's stacked Proof. */
#ifndef FILECOIN_VANILLA_JSON_H
#define FILECOIN_VANILLA_JSON_H

#include "base/json_reader.h"
#include "filecoin/vanilla_proof.h"

/* An array of 32 bytes: an integer below the field's order, little-endian. */
cuzk_status read_json_fr(json_reader *reader, fr *value, cuzk_error *error);

/* Fills a challenge of porep_partition_proof_create's. All lengths must be as the shape demands, and the proof must speak
 * of one node throughout: its paths, columns and labels. Unknown members are skipped. */
cuzk_status read_json_porep_challenge(json_reader *reader, porep_challenge_proof *proof, const sector_shape *shape,
                                      cuzk_error *error);

#endif
