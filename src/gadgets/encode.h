/* How a replica's node hides its data (storage-proofs-core, gadgets/encode.rs). */
#ifndef GADGETS_ENCODE_H
#define GADGETS_ENCODE_H

#include "gadgets/number.h"

/* key + value: one variable, one constraint. */
number encode_circuit(constraint_system *cs, const number *key, const number *value);

#endif
