/*
 * node.h: PrefixScan, the plan node that takes the place of WindowAgg and of the sort below it.
 *
 * Path of a query: plan/ finds WindowAgg paths that the node can evaluate byte for byte and
 * offers a cheaper one; exec/ has input/ lay the input down in blocks of columns in window
 * order, has evaluate/ compute each function of the window over a block, and emits the rows.
 * What plan/ and exec/ know of each other is in planned_window.h.
 */
#ifndef SCAN_NODE_NODE_H
#define SCAN_NODE_NODE_H

/* Puts the node into the planner, the executor and EXPLAIN of this backend. */
extern void node_init(void);

#endif /* SCAN_NODE_NODE_H */
