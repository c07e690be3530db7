/*
 * citus.h: what the planner has to know of Citus, if it is loaded.
 */
#ifndef SCAN_NODE_PLAN_CITUS_H
#define SCAN_NODE_PLAN_CITUS_H

#include "postgres.h"

/*
 * True if a step of a distributed query must not have a node of ours in it: the Citus that is loaded would take the
 * node for one of its own in EXPLAIN ANALYZE.
 */
extern bool citus_takes_nodes_for_its_own(void);

#endif /* SCAN_NODE_PLAN_CITUS_H */
