#include "support/reference_digest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

yajl_val read_json(const char *path) {
    uint8_t *text = read_test_file(path, NULL);
    char message[512];
    yajl_val value = yajl_tree_parse((const char *)text, message, sizeof message);
    if (!value)
        fail_msg("%s: %s", path, message);
    free(text);
    return value;
}

/* Fails unless every member, element and value of `ours` is equal in `theirs`. */
static void compare(yajl_val ours, yajl_val theirs, const char *what, const char *where) {
    char place[256];
    if (!theirs || ours->type != theirs->type)
        fail_msg("%s: %s: missing in the reference or of another type", what, where);
    switch (ours->type) {
    case yajl_t_string:
        if (strcmp(ours->u.string, theirs->u.string) != 0)
            fail_msg("%s: %s: %s, expected %s", what, where, ours->u.string, theirs->u.string);
        break;
    case yajl_t_number:
        if (strcmp(ours->u.number.r, theirs->u.number.r) != 0)
            fail_msg("%s: %s: %s, expected %s", what, where, ours->u.number.r, theirs->u.number.r);
        break;
    case yajl_t_object:
        for (size_t i = 0; i < YAJL_GET_OBJECT(ours)->len; i++) {
            const char *key = YAJL_GET_OBJECT(ours)->keys[i];
            snprintf(place, sizeof place, "%s/%s", where, key);
            yajl_val counterpart = yajl_tree_get(theirs, (const char *[]){key, NULL}, yajl_t_any);
            compare(YAJL_GET_OBJECT(ours)->values[i], counterpart, what, place);
        }
        break;
    case yajl_t_array:
        for (size_t i = 0; i < YAJL_GET_ARRAY(ours)->len && i < YAJL_GET_ARRAY(theirs)->len; i++) {
            snprintf(place, sizeof place, "%s[%zu]", where, i);
            compare(YAJL_GET_ARRAY(ours)->values[i], YAJL_GET_ARRAY(theirs)->values[i], what, place);
        }
        if (YAJL_GET_ARRAY(ours)->len != YAJL_GET_ARRAY(theirs)->len)
            fail_msg("%s: %s: length %zu, expected %zu", what, where, YAJL_GET_ARRAY(ours)->len, YAJL_GET_ARRAY(theirs)->len);
        break;
    default: /* true, false, null: equal by type */
        break;
    }
}

void assert_digest_equals(const circuit_digest *digest, yajl_val reference, const char *what) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    json_writer writer;
    json_writer_init(&writer, stream, 0);
    json_begin_object(&writer);
    circuit_digest_write(digest, &writer);
    json_end_object(&writer);
    fclose(stream);

    char message[512];
    yajl_val ours = yajl_tree_parse(text, message, sizeof message);
    if (!ours)
        fail_msg("%s: our own digest does not parse: %s", what, message);
    /* Digests first say where constraints differ when blocks are compared before their total. */
    static const char *const order[] = {"inputs", "aux", "constraints", "first_unsatisfied", "block_first_aux", "r1cs_blocks",
                                        "public_inputs", "aux_blocks", "abc_blocks"};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        const char *path[] = {order[i], NULL};
        yajl_val value = yajl_tree_get(ours, path, yajl_t_any);
        if (value)
            compare(value, yajl_tree_get(reference, path, yajl_t_any), what, order[i]);
    }
    compare(ours, reference, what, "");
    yajl_tree_free(ours);
    free(text);
}

bool assert_blank_circuit_matches(const circuit *c, const char *name) {
    char relative[64];
    snprintf(relative, sizeof relative, "circuits/%s.json", name);
    const char *path = data_path(relative);
    if (access(path, R_OK) != 0)
        path = shared_path(relative);
    if (!path)
        return false;
    yajl_val reference = read_json(path);
    cuzk_error error = {0};
    circuit_digest digest = {0};
    ASSERT_OK(circuit_digest_create(&digest, c, false, &error));
    assert_digest_equals(&digest, reference, name);
    circuit_digest_free(&digest);
    yajl_tree_free(reference);
    return true;
}
