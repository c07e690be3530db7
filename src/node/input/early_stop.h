/*
 * early_stop.h: how many of a node's rows will be asked for.
 */
#ifndef SCAN_NODE_INPUT_EARLY_STOP_H
#define SCAN_NODE_INPUT_EARLY_STOP_H

#include "postgres.h"

#include "nodes/execnodes.h"

typedef enum NodeDemand
{
	DEMAND_UNKNOWN = 0, /* any number: the next row may never be asked for */
	DEMAND_ALL_OR_ONE,	/* all, once a second row has been asked for */
	DEMAND_ALL,			/* all, once the first row has */
} NodeDemand;

/* What the nodes above `plan` in a plan that runs ask of it, if whoever runs the plan asks for everything. */
extern NodeDemand demand_in_plan(const EState *estate, const Plan *plan);

/* Whether whoever runs the innermost plan that runs has asked for everything: changes from one call to the next. */
extern bool demand_by_caller_is_all(void);

extern void demand_init(void);

#endif /* SCAN_NODE_INPUT_EARLY_STOP_H */
