/*
 * ahead.h: what would show of the node's looking ahead.
 */
#ifndef SCAN_NODE_AHEAD_H
#define SCAN_NODE_AHEAD_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/* Whether the conditions on a window's answers keep core from something that could show; its functions. */
extern bool ahead_conditions_show(const WindowAggPath *window_path, List *functions);

/* Whether somebody may stop before a row that a node over `child` has pulled, and that could show. */
extern bool ahead_rows_show(PlannerInfo *root, const Path *child);

#endif /* SCAN_NODE_AHEAD_H */
