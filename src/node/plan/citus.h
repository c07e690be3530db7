/*
 * citus.h: what the planner has to know of Citus, where that is loaded.
 */
#ifndef SCAN_NODE_PLAN_CITUS_H
#define SCAN_NODE_PLAN_CITUS_H

#include "postgres.h"

/*
 * Whether a step of a distributed query must not have a node of ours in it, for a Citus is loaded whose EXPLAIN ANALYZE
 * takes it for one of its own.
 */
extern bool citus_takes_nodes_for_its_own(void);

#endif /* SCAN_NODE_PLAN_CITUS_H */
