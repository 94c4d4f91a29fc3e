/* Choosing among numbers: the part of number.h that follows storage-proofs-core's insertion.rs. */
#include <assert.h>

#include "gadgets/number.h"

enum { SELECT_MAX = 128 };

number number_pick(constraint_system *cs, boolean condition, const number *a, const number *b) {
    number result = number_allocate(cs, condition.value ? &a->value : &b->value);
    linear_combination_add_one(&cs->a, b->variable);
    linear_combination_subtract_one(&cs->a, a->variable);
    boolean_add_to(&cs->b, &FR_ONE, condition);
    linear_combination_add_one(&cs->c, b->variable);
    linear_combination_subtract_one(&cs->c, result.variable);
    constraint_system_enforce(cs, "pick");
    return result;
}

/* number_pick under a name. */
static number pick(constraint_system *cs, const char *name, boolean condition, const number *a, const number *b) {
    namespace_push(cs, name);
    number result = number_pick(cs, condition, a, b);
    namespace_pop(cs);
    return result;
}

number number_select(constraint_system *cs, const number *from, size_t count, const boolean *index_bits) {
    assert(count >= 1 && count <= SELECT_MAX && (count & (count - 1)) == 0);
    number candidates[SELECT_MAX];
    memcpy(candidates, from, count * sizeof *from);
    size_t bit = 0;
    while ((size_t)1 << bit < count)
        bit++;
    for (size_t half = count / 2; half > 0; half /= 2) {
        bit--;
        for (size_t i = 0; i < half; i++)
            candidates[i] = pick(cs, "select", index_bits[bit], &candidates[half + i], &candidates[i]);
    }
    return candidates[0];
}

void number_conditionally_reverse(constraint_system *cs, const number *a, const number *b, boolean condition, number *first,
                                  number *second) {
    number result[2] = {pick(cs, "conditional reversal result 1", condition, b, a),
                        pick(cs, "conditional reversal result 2", condition, a, b)};
    *first = result[0];
    *second = result[1];
}

static void insert_2(constraint_system *cs, const number *element, const boolean *bits, const number *siblings, number *out) {
    out[0] = pick(cs, "binary insert 0", bits[0], &siblings[0], element);
    out[1] = pick(cs, "binary insert 1", bits[0], element, &siblings[0]);
}

/* In the names below pI_x1 means: what is at position I when bit 0 is unknown and bit 1 is 1. */
static void insert_4(constraint_system *cs, const number *element, const boolean *bits, const number *siblings, number *out) {
    boolean b0 = bits[0], b1 = bits[1];
    const number *a = element, *b = &siblings[0], *c = &siblings[1], *d = &siblings[2];

    number p0_x0 = pick(cs, "p0_x0", b0, b, a);
    out[0] = pick(cs, "p0", b1, b, &p0_x0);
    number p1_x0 = pick(cs, "p1_x0", b0, a, b);
    out[1] = pick(cs, "p1", b1, c, &p1_x0);
    number p2_x1 = pick(cs, "p2_x1", b0, d, a);
    out[2] = pick(cs, "p2", b1, &p2_x1, c);
    number p3_x1 = pick(cs, "p3_x1", b0, a, d);
    out[3] = pick(cs, "p3", b1, &p3_x1, d);
}

static void insert_8(constraint_system *cs, const number *element, const boolean *bits, const number *siblings, number *out) {
    boolean b0 = bits[0], b1 = bits[1], b2 = bits[2];
    const number *a = element, *b = &siblings[0], *c = &siblings[1], *d = &siblings[2], *e = &siblings[3], *f = &siblings[4],
                 *g = &siblings[5], *h = &siblings[6];

    namespace_push(cs, "b0 nor b1");
    boolean b0_nor_b1 = boolean_nor(cs, b0, b1);
    namespace_pop(cs);
    namespace_push(cs, "b0 and b1");
    boolean b0_and_b1 = boolean_and(cs, b0, b1);
    namespace_pop(cs);

    number p0_xx0 = pick(cs, "p0_xx0", b0_nor_b1, a, b);
    out[0] = pick(cs, "p0", b2, b, &p0_xx0);

    number p1_x00 = pick(cs, "p1_x00", b0, a, b);
    number p1_xx0 = pick(cs, "p1_xx0", b1, c, &p1_x00);
    out[1] = pick(cs, "p1", b2, c, &p1_xx0);

    number p2_x10 = pick(cs, "p2_x10", b0, d, a);
    number p2_xx0 = pick(cs, "p2_xx0", b1, &p2_x10, c);
    out[2] = pick(cs, "p2", b2, d, &p2_xx0);

    number p3_xx0 = pick(cs, "p3_xx0", b0_and_b1, a, d);
    out[3] = pick(cs, "p3", b2, e, &p3_xx0);

    number p4_xx1 = pick(cs, "p4_xx1", b0_nor_b1, a, f);
    out[4] = pick(cs, "p4", b2, &p4_xx1, e);

    number p5_x01 = pick(cs, "p5_x01", b0, a, f);
    number p5_xx1 = pick(cs, "p5_xx1", b1, g, &p5_x01);
    out[5] = pick(cs, "p5", b2, &p5_xx1, f);

    number p6_x11 = pick(cs, "p6_x11", b0, h, a);
    number p6_xx1 = pick(cs, "p6_xx1", b1, &p6_x11, g);
    out[6] = pick(cs, "p6", b2, &p6_xx1, g);

    number p7_xx1 = pick(cs, "p7_xx1", b0_and_b1, a, h);
    out[7] = pick(cs, "p7", b2, &p7_xx1, h);
}

void number_insert(constraint_system *cs, const number *element, const boolean *index_bits, const number *siblings, size_t size,
                   number *out) {
    assert(size == 2 || size == 4 || size == 8);
    for (size_t i = 0; (size_t)1 << i < size; i++)
        assert(index_bits[i].kind == BOOLEAN_IS);
    if (size == 2)
        insert_2(cs, element, index_bits, siblings, out);
    else if (size == 4)
        insert_4(cs, element, index_bits, siblings, out);
    else
        insert_8(cs, element, index_bits, siblings, out);
}
