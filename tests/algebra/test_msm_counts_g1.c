#include "algebra/group_g1.h"

#include "algebra/msm_count_cases.h"
