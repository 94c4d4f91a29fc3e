#include "cuda/msm_kernels.h"

const msm_group MSM_G2 = MSM_GROUP_OF(device_fp2);
