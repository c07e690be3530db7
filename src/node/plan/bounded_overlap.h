/*
 * bounded_overlap.h: whether rows of a window look at few others.
 */
#ifndef SCAN_NODE_PLAN_BOUNDED_OVERLAP_H
#define SCAN_NODE_PLAN_BOUNDED_OVERLAP_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Whether what sliding frames, lag and lead look at around a row of a window over a partial path is little. */
extern bool overlap_is_bounded(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *input);

#endif /* SCAN_NODE_PLAN_BOUNDED_OVERLAP_H */
