#include "algebra/group_g2.h"

#include "algebra/msm_count_cases.h"
