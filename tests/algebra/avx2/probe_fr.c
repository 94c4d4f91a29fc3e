#include "algebra/avx2/probe_fr.h"

#include "algebra/avx2_fr.h"

_Static_assert(sizeof(probe_element) == sizeof(fr4), "probe_fr.h");

static fr4 element_of(const probe_element *a) {
    fr4 element;
    memcpy(&element, a, sizeof element);
    return element;
}

void probe_avx2_fr_product(probe_element *out, const probe_element *x, const probe_element *root) {
    const fr4 a = element_of(x), value = element_of(root);
    fr4_root prepared;
    fr4 product;
    fr4_prepare_root(&prepared, &value);
    fr4_product(&product, &a, &prepared);
    memcpy(out, &product, sizeof product);
}

void probe_avx2_fr_settle(probe_element *a) {
    fr4 element = element_of(a);
    fr4_settle(&element);
    memcpy(a, &element, sizeof element);
}

void probe_avx2_fr_load(probe_element *out, const fr *from, size_t stride) {
    fr4 element;
    fr4_load(&element, from, stride);
    memcpy(out, &element, sizeof element);
}

void probe_avx2_fr_store(fr *to, size_t stride, const probe_element *a) {
    const fr4 element = element_of(a);
    fr4_store(to, stride, &element);
}

void probe_avx2_fr_transpose(probe_element elements[PROBE_LANES]) {
    fr4 vectors[PROBE_LANES];
    memcpy(vectors, elements, sizeof vectors);
    fr4_transpose(vectors);
    memcpy(elements, vectors, sizeof vectors);
}
