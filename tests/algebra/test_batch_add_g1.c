#include "algebra/group_g1.h"

#include "algebra/batch_add_cases.h"
