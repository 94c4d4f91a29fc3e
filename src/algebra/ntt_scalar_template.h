/* Template: ntt_level_template.h for one element at a time. The includer defines lanes_store, lanes_product, lanes_sum,
 * lanes_difference, roots, roots_of_values and roots_product; whatever range these keep, all elements are settled. */
enum { LANES = 1, LOG_LANES = 0, LOG_TILE_COLUMNS = 3, LOG_STORED = 16, LOG_CACHED = 8, LOG_SCALED = 5 };
enum { AT_ONCE = 1, MOST_LAYERS = 64 };
typedef fr lanes;

#define lanes_load(out, from, stride) ((void)(*(out) = *(from)))
#define lanes_load_row(out, from) lanes_load(out, from, 1)
#define lanes_store_row(to, a, reduced) lanes_store(to, 1, a, reduced)
#define lanes_settle(a) ((void)(a))
#define lanes_normalise(a) ((void)(a))
#define lanes_transpose(elements) ((void)(elements))
#define roots_broadcast(room, from, index) ((void)(room), &(from)[index])

#include "algebra/ntt_level_template.h"
