#include "algebra/group_g1.h"

#include "algebra/fixed_base_cases.h"
