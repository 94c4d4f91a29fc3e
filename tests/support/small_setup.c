#include "support/small_setup.h"

#include <stdio.h>

#include "support/scratch.h"
#include "support/support.h"

toxic_waste waste_of(uint8_t number) {
    uint8_t seed[32] = {number};
    toxic_waste waste;
    toxic_waste_from_seed(&waste, seed);
    return waste;
}

void small_setup(parameters *p, const char *name, const circuit *c, const toxic_waste *waste) {
    static const setup_description description = {.version = "0.0.0", .circuit = "test", .sector_size = 2048, .seeded = true};
    char parameters_name[64], key_name[64];
    snprintf(parameters_name, sizeof parameters_name, "%s.params", name);
    snprintf(key_name, sizeof key_name, "%s.vk", name);
    cuzk_error error = {0};
    ASSERT_OK(groth16_setup(c, waste, scratch_path(parameters_name), scratch_path(key_name), &description, NULL, NULL, &error));
    ASSERT_OK(parameters_open(p, scratch_path(parameters_name), NULL, &error));
}
