#include "support/reference_digest.h"

#include "filecoin/porep_circuit.h"

/* Name of a size's reference file: "porep-2KiB". */
static void test_blank_circuit(void **state) {
    const sector_shape *shape = *state;
    char name[32];
    snprintf(name, sizeof name, "porep-%s", shape->name);
    porep_circuit c = porep_circuit_blank(shape);
    if (!assert_blank_circuit_matches(&c.circuit, name))
        skip();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_blank_circuit, (void *)&SECTOR_SHAPES[0]),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
