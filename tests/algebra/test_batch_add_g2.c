#include "algebra/group_g2.h"

#include "algebra/batch_add_cases.h"
