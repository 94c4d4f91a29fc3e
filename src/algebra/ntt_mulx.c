/* The transforms with MULX, ADCX and ADOX, for processors of which cpu_has_mulx_and_adx() is true: elements are loose. */
#include "algebra/fr_butterfly.h"

#ifdef FR_LOOSE
typedef fr_root roots;

#define lanes_store(to, stride, a, reduced) (*(to) = (reduced) ? loose_reduced(*(a)) : *(a))
#define lanes_product(out, a, root) (*(out) = loose_product(a, root))
#define lanes_sum(out, a, b) (*(out) = loose_sum(a, b))
#define lanes_difference(out, a, b) (*(out) = loose_difference(a, b))
#define roots_of_values fr_prepare_root

static void roots_product(roots *out, const roots *a, const roots *b) {
    const fr factor = fr_of_root(b), product = loose_reduced(loose_product(&factor, a));
    fr_prepare_root(out, &product);
}

#include "algebra/ntt_scalar_template.h"

const ntt_kernel ntt_kernel_mulx = NTT_KERNEL;
#endif
