#include "algebra/group_g2.h"

#define DEVICE_GROUP DEVICE_G2
enum { LONG_SUM = 500 };

#include "sum_cases.h"
