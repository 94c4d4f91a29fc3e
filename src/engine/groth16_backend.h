/* The proving backend of real proofs: filecoin's parsers and circuits, groth16's prover and verifier. */
#ifndef ENGINE_GROTH16_BACKEND_H
#define ENGINE_GROTH16_BACKEND_H

#include "engine/proving_backend.h"

/* Of options it looks at the parameter directory, devices and threads. Fails as device_set_open does. */
cuzk_status groth16_backend_create(proving_backend **backend, const cuzk_engine_options *options, cuzk_error *error);

#endif
