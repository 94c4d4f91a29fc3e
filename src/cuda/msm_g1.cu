#include "cuda/msm_kernels.h"

const msm_group MSM_G1 = MSM_GROUP_OF(device_fp);
