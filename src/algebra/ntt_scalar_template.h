/* Template: ntt_level_template.h for one element at a time. The includer defines lanes_store, lanes_product, lanes_sum and
 * lanes_difference; whatever range these keep, all elements are settled. */
enum { LANES = 1, LOG_LANES = 0, LOG_TILE_COLUMNS = 3, LOG_STORED = 17, LOG_CACHED = 9, AT_ONCE = 1, MOST_LAYERS = 64 };
typedef fr lanes;
typedef fr roots;

#define lanes_load(out, from, stride) ((void)(*(out) = *(from)))
#define lanes_load_row(out, from) lanes_load(out, from, 1)
#define lanes_store_row(to, a, reduced) lanes_store(to, 1, a, reduced)
#define lanes_settle(a) ((void)(a))
#define lanes_normalise(a) ((void)(a))
#define lanes_transpose(elements) ((void)(elements))
#define roots_of_values(out, values) ((void)(*(out) = *(values)))
#define roots_product fr_mul
#define roots_broadcast(room, from, index) ((void)(room), &(from)[index])

#include "algebra/ntt_level_template.h"
