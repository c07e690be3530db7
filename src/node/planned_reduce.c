/*
 * planned_reduce.c: the description of a planned WindowReduce, and how a plan's node is known as one.
 */
#include "postgres.h"

#include "node/planned_reduce.h"

CustomScanMethods window_reduce_methods = {.CustomName = WINDOW_REDUCE_NAME};

const CustomScan *
window_reduce_of_plan(const Plan *plan)
{
	return IsA(plan, CustomScan) && ((const CustomScan *) plan)->methods == &window_reduce_methods
			   ? (const CustomScan *) plan
			   : NULL;
}
