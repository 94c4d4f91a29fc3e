#include "algebra/batch_add.h"

#include "algebra/kernels.h"

void g1_batch_add(const g1_addition *additions, size_t count, const g1_affine *addends, g1_batch_scratch *scratch) {
    kernels_in_use()->g1_batch_add(additions, count, addends, scratch);
}

void g2_batch_add(const g2_addition *additions, size_t count, const g2_affine *addends, g2_batch_scratch *scratch) {
    kernels_in_use()->g2_batch_add(additions, count, addends, scratch);
}
