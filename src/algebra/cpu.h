/* Which level of arithmetic this process uses. Results are the same bytes on each. */
#ifndef ALGEBRA_CPU_H
#define ALGEBRA_CPU_H

#include <stdbool.h>

#include "base/error.h"

typedef enum {
    CPU_PORTABLE, /* C over blst's assembly, which itself takes ADX where the CPU has it */
    CPU_AVX2,     /* AVX2, FMA, MULX and ADX: Intel since Broadwell, AMD since Zen. As portable but for sums in G1 */
    CPU_IFMA      /* AVX-512 F, DQ, IFMA and VBMI2: Intel since Ice Lake, AMD since Zen 4 */
} cpu_level;

/* "portable", "avx2" or "ifma": how CUZK_CPU spells it. */
const char *cpu_level_name(cpu_level level);

/* The highest level of this CPU (and of an operating system that saves its registers). */
cpu_level cpu_level_available(void);

/* The fastest level of this CPU: the highest, but level avx2 only on AMD's since Zen 2, which multiply doubles and integers in
 * units of their own. Intel's have one for both, and Zen 1 takes vectors by halves. */
cpu_level cpu_level_preferred(void);

/* MULX, ADCX, ADOX and ANDN, which code of the portable level takes where the CPU has them. */
bool cpu_has_mulx_and_adx(void);

/* For tests: from now on as if the CPU had none; false: as it is. No sum or transform may be under way. */
void cpu_forgo_mulx_and_adx(bool forgo);

/* Takes the level that the environment's CUZK_CPU names, or else the preferred one. For the start of a program: a name that is
 * no level, or a level that the CPU does not have, is CUZK_BAD_INPUT and names both. Without this call the first sum or
 * transform chooses, and takes the preferred level where CUZK_CPU is wrong. */
cuzk_status cpu_level_choose(cuzk_error *error);

/* The level in use. */
cpu_level cpu_level_in_use(void);

#endif
