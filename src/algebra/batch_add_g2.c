#include "algebra/group_g2.h"

#define BATCH_ADD g2_batch_add_portable
#define PRODUCT coordinate_product
#define REDUCED(out, a) (*(out) = *(a))
#include "algebra/batch_add_template.h"
