#include "filecoin/circuit_label.h"

#include <stdlib.h>

#include "base/memory.h"
#include "gadgets/multipack.h"
#include "gadgets/sha256.h"

enum { NODE_BITS = 8 * NODE_BYTES, HEADER_BITS = 2 * NODE_BITS, PREIMAGE_BITS = HEADER_BITS + LABEL_PARENTS * NODE_BITS };

void node_octets_of_number(constraint_system *cs, const number *a, node_octets *octets) {
    boolean bits[FR_BITS];
    number_to_bits_le(cs, a, bits);
    reverse_bit_numbering(octets->bits, bits, FR_BITS);
}

/* replica id | layer | node | zeros */
static void write_header(boolean header[HEADER_BITS], const node_octets *replica_id, unsigned layer, const uint64 *node) {
    memcpy(header, replica_id->bits, sizeof replica_id->bits);
    uint32 layer_word = uint32_constant(layer);
    uint32_to_bits_be(&layer_word, header + NODE_BITS);
    uint64_to_bits_be(node, header + NODE_BITS + 32);
    for (size_t i = NODE_BITS + 32 + 64; i < HEADER_BITS; i++)
        header[i] = boolean_constant(false);
}

number circuit_label(constraint_system *cs, const node_octets *replica_id, unsigned layer, const uint64 *node,
                     const node_octets *parents, size_t parent_count) {
    boolean *preimage = allocate(PREIMAGE_BITS, sizeof *preimage);
    write_header(preimage, replica_id, layer, node);
    for (size_t i = 0; i < LABEL_PARENTS; i++)
        memcpy(preimage + HEADER_BITS + i * NODE_BITS, parents[i % parent_count].bits, sizeof parents->bits);

    boolean digest[SHA256_DIGEST_BITS], bits[SHA256_DIGEST_BITS];
    sha256_circuit(cs, preimage, PREIMAGE_BITS, digest);
    free(preimage);
    reverse_bit_numbering(bits, digest, SHA256_DIGEST_BITS);
    return pack_bits(cs, bits, MULTIPACK_CAPACITY);
}
