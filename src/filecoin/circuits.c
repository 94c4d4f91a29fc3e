#include "filecoin/circuits.h"

filecoin_circuit filecoin_circuit_blank(proof_kind kind, const sector_shape *shape) {
    switch (kind) {
    case PROOF_POREP: return (filecoin_circuit){.porep = porep_circuit_blank(shape)};
    case PROOF_SNAP: return (filecoin_circuit){.update = update_circuit_blank(shape)};
    case PROOF_WINNING:
    case PROOF_WINDOW: break;
    }
    return (filecoin_circuit){.post = post_circuit_blank(kind, shape)};
}
