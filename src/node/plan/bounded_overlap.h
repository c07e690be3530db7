/*
 * bounded_overlap.h: tells whether the rows of a window reach few other rows.
 */
#ifndef SCAN_NODE_PLAN_BOUNDED_OVERLAP_H
#define SCAN_NODE_PLAN_BOUNDED_OVERLAP_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* True if sliding frames, lag and lead reach few rows around each row of a window over the partial path `input`. */
extern bool overlap_is_bounded(PlannerInfo *root, const WindowClause *window, const List *functions, const Path *input);

#endif /* SCAN_NODE_PLAN_BOUNDED_OVERLAP_H */
