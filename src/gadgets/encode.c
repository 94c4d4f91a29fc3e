#include "gadgets/encode.h"

number encode_circuit(constraint_system *cs, const number *key, const number *value) {
    namespace_push(cs, "encode_add");
    number encoded = number_add(cs, key, value);
    namespace_pop(cs);
    return encoded;
}
