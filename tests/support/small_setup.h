/* Parameters of small circuits for tests: made in the program's scratch folder, opened, and gone with it. */
#ifndef TESTS_SMALL_SETUP_H
#define TESTS_SMALL_SETUP_H

#include "groth16/parameters.h"
#include "groth16/setup.h"

/* Secrets that are equal in every run. */
toxic_waste waste_of(uint8_t number);

/* Runs the setup for NAME.params and NAME.vk in the scratch folder and opens the parameters; the test fails if it cannot. */
void small_setup(parameters *p, const char *name, const circuit *c, const toxic_waste *waste);

#endif
