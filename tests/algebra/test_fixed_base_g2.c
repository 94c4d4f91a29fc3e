#include "algebra/group_g2.h"

#include "algebra/fixed_base_cases.h"
