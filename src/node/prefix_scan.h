/*
 * prefix_scan.h: PrefixScan, the plan node that takes the place of WindowAgg and of the sort below it.
 *
 * The way of a query: node/plan/ finds WindowAgg paths that the node can evaluate byte for byte, and offers a cheaper
 * path.  When the plan runs, node/input/ puts the input rows into blocks of columns in window order, evaluate/ computes
 * each window function over a block, and exec/, which calls both, emits the rows. planned_window.h is what plan/ and
 * exec/ know of each other.
 */
#ifndef SCAN_NODE_PREFIX_SCAN_H
#define SCAN_NODE_PREFIX_SCAN_H

/* Registers the node with the planner, the executor and EXPLAIN of this backend. */
extern void prefix_scan_init(void);

#endif /* SCAN_NODE_PREFIX_SCAN_H */
