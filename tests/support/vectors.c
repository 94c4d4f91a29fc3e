#include "support/vectors.h"

#include <stdio.h>

#include "base/bytes.h"

yajl_val read_vectors(const char *name) {
    char path[256];
    snprintf(path, sizeof path, "vectors/%s", name);
    yajl_val vectors = read_json(data_path(path));
    if (!YAJL_IS_ARRAY(vectors))
        fail_msg("%s: not an array", name);
    return vectors;
}

size_t vector_count(yajl_val vectors) { return YAJL_GET_ARRAY(vectors)->len; }

yajl_val vector_at(yajl_val vectors, size_t i) { return YAJL_GET_ARRAY(vectors)->values[i]; }

yajl_val vector_member(yajl_val object, const char *key) {
    yajl_val member = yajl_tree_get(object, (const char *[]){key, NULL}, yajl_t_any);
    if (!member)
        fail_msg("a vector has no member %s", key);
    return member;
}

uint64_t vector_unsigned(yajl_val object, const char *key) {
    yajl_val member = vector_member(object, key);
    assert_true(YAJL_IS_INTEGER(member));
    return (uint64_t)YAJL_GET_INTEGER(member);
}

void vector_fr(fr *out, yajl_val text) {
    uint8_t bytes[FR_BYTES];
    assert_true(YAJL_IS_STRING(text));
    assert_true(hex_decode(bytes, FR_BYTES, YAJL_GET_STRING(text)));
    assert_true(fr_from_bytes(out, bytes));
}
