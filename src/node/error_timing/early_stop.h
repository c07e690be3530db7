/*
 * early_stop.h: finds how many of a node's rows will be asked for.
 */
#ifndef SCAN_NODE_ERROR_TIMING_EARLY_STOP_H
#define SCAN_NODE_ERROR_TIMING_EARLY_STOP_H

#include "postgres.h"

#include "nodes/execnodes.h"

typedef enum NodeDemand
{
	DEMAND_UNKNOWN = 0, /* any number of rows: the next one may never be asked for */
	DEMAND_ALL_OR_ONE,	/* all rows, once a second row has been asked for */
	DEMAND_ALL,			/* all rows, once the first row has been asked for */
} NodeDemand;

/* Returns what the nodes above `plan` in the running plan ask of it, if ExecutorRun's caller asks for all rows. */
extern NodeDemand demand_in_plan(const EState *estate, const Plan *plan);

/* True if the caller of the innermost ExecutorRun asks for all rows; may change from one call to the next. */
extern bool demand_by_caller_is_all(void);

extern void demand_init(void);

#endif /* SCAN_NODE_ERROR_TIMING_EARLY_STOP_H */
