/* What a circuit talks to. A circuit is written once against this interface; what a run wants of it (counts, digests,
 * the matrices at a point, an assignment) is the choice of constraint system.
 *
 * A gadget allocates variables, fills the three linear combinations of the next constraint and enforces it:
 *
 *     linear_combination_add_one(&cs->a, x);
 *     linear_combination_add_one(&cs->b, x);
 *     linear_combination_add_one(&cs->c, x_squared);
 *     constraint_system_enforce(cs, "squaring");            A * B = C
 *
 * Values: when cs->has_witness is set every allocation takes the variable's value and gadgets compute with real values;
 * otherwise values are ignored (pass NULL) and gadgets must not depend on them: the shape is the same either way. */
#ifndef R1CS_CONSTRAINT_SYSTEM_H
#define R1CS_CONSTRAINT_SYSTEM_H

#include "r1cs/linear_combination.h"

typedef struct constraint_system constraint_system;

struct block_kind;

typedef struct {
    /* The variable of the given index was allocated. value is NULL without a witness. */
    void (*allocated)(constraint_system *cs, variable v, const fr *value);
    /* Constraint number cs->constraint_count with cs->a, cs->b, cs->c was enforced. name is the gadget's word for it. */
    void (*enforced)(constraint_system *cs, const char *name);

    /* What follows may be NULL. */

    /* Instead of `allocated` for a variable that can only be 0 or 1. value is meaningless without a witness. */
    void (*allocated_bit)(constraint_system *cs, variable v, bool value);
    /* Takes a gadget as a whole: see constraint_system_block. */
    bool (*block)(constraint_system *cs, const struct block_kind *kind, void *request);
} constraint_system_class;

enum { NAMESPACE_DEPTH = 32 };

typedef struct {
    const char *name; /* static text */
    int64_t index;    /* -1: none */
} namespace_entry;

/* The head of every constraint system; implementations embed it as their first member. */
struct constraint_system {
    const constraint_system_class *class;
    bool has_witness;
    uint32_t input_count;      /* ONE included */
    uint32_t aux_count;
    uint64_t constraint_count;
    linear_combination a, b, c; /* of the next constraint; empty between constraints */
    unsigned namespace_depth;
    namespace_entry namespaces[NAMESPACE_DEPTH];
};

/* Sets a zeroed head up (implementations call it), with ONE as input 0: `allocated` is called for it. */
void constraint_system_init(constraint_system *cs, const constraint_system_class *class, bool has_witness);
/* Frees what the head holds. */
void constraint_system_free(constraint_system *cs);

/* A new auxiliary variable or input with its value (Montgomery), which may be NULL only without a witness. */
variable constraint_system_allocate(constraint_system *cs, const fr *value);
variable constraint_system_allocate_input(constraint_system *cs, const fr *value);
/* A new auxiliary variable that is 0 or 1, which the caller's constraints must see to. */
variable constraint_system_allocate_bit(constraint_system *cs, bool value);

/* Offers a gadget as a whole (block.h) before it makes its variables and constraints one by one. True: they have been
 * made, cs's counts have moved on, and with a witness the request holds the results. False: nothing has happened. */
static inline bool constraint_system_block(constraint_system *cs, const struct block_kind *kind, void *request) {
    return cs->class->block && cs->class->block(cs, kind, request);
}

/* Enforces a * b = c of cs->a, cs->b, cs->c and empties them. name must be static text. */
void constraint_system_enforce(constraint_system *cs, const char *name);

/* Namespaces give constraints their names ("challenge 3/labeling proof 1/..."). Names are static text; index -1 is left
 * out. Push and pop are cheap: the path is only written when it is asked for. */
void namespace_push(constraint_system *cs, const char *name);
void namespace_push_index(constraint_system *cs, const char *name, size_t index);
void namespace_pop(constraint_system *cs);
/* Writes the path, names joined by '/', and then "/" and `last`, cut at capacity. */
void namespace_path(const constraint_system *cs, const char *last, char *text, size_t capacity);

/* Anything that can synthesize itself. */
typedef struct circuit {
    /* Allocates and enforces everything in the one order that the parameters were made for. Without a witness the
     * circuit must not look at its private data, which may be absent. */
    void (*synthesize)(const struct circuit *self, constraint_system *cs);
} circuit;

#endif
