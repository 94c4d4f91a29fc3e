/* The transforms over blst, for any processor: elements are reduced throughout. */
#include "algebra/field.h"

typedef fr roots;

#define lanes_store(to, stride, a, reduced) ((void)(reduced), *(to) = *(a))
#define lanes_product fr_mul
#define lanes_sum fr_add
#define lanes_difference fr_sub
#define roots_of_values(out, values) ((void)(*(out) = *(values)))
#define roots_product fr_mul
#include "algebra/ntt_scalar_template.h"

const ntt_kernel ntt_kernel_portable = NTT_KERNEL;
