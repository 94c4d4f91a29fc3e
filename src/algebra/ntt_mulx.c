/* The transforms with MULX, ADCX and ADOX, for processors of which cpu_has_mulx_and_adx() is true: elements are loose. */
#include <stdlib.h>

#include "algebra/fr_butterfly.h"

#ifdef FR_LOOSE
enum { LANES = 1, LOG_LANES = 0, LOG_TILE_COLUMNS = 3, LOG_STORED = 17, LOG_CACHED = 9, MOST_LAYERS = 64 };
typedef fr lanes;
typedef fr roots;

#define lanes_load(out, from, stride) ((void)(*(out) = *(from)))
#define lanes_store(to, stride, a, reduced) (*(to) = (reduced) ? loose_reduced(*(a)) : *(a))
#define lanes_load_row(out, from) lanes_load(out, from, 1)
#define lanes_store_row(to, a, reduced) lanes_store(to, 1, a, reduced)
#define lanes_product(out, a, root) (*(out) = loose_product(*(a), root))
#define lanes_sum(out, a, b) (*(out) = loose_sum(*(a), *(b)))
#define lanes_difference(out, a, b) (*(out) = loose_difference(*(a), *(b)))
#define lanes_settle(a) ((void)(a))
#define lanes_normalise(a) ((void)(a))
#define lanes_transpose(elements) ((void)(elements))
#define roots_of_values(out, values) ((void)(*(out) = *(values)))
#define roots_product fr_mul
#define roots_broadcast(room, from, index) ((void)(room), &(from)[index])

#include "algebra/ntt_level_template.h"

const ntt_kernel ntt_kernel_mulx = NTT_KERNEL;
#endif
