#include "algebra/group_g1.h"

#define DEVICE_GROUP DEVICE_G1
enum { LONG_SUM = 1500 };

#include "sum_cases.h"
