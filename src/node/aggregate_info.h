/*
 * aggregate_info.h: what an aggregate is.
 */
#ifndef SCAN_NODE_AGGREGATE_INFO_H
#define SCAN_NODE_AGGREGATE_INFO_H

#include "postgres.h"

#include "node/window_function.h"

/* Fills in what pg_aggregate tells about the aggregate info->wfunc, if the node can evaluate it. */
extern void aggregate_describe(WindowFunctionInfo *info);

/*
 * Sets *stock to the stock aggregate that an aggregate is, or else to the aggregate, and *kind to its kind if it is one
 * of ours that has an operation.
 */
extern void aggregate_operation(Oid aggregate, Oid *stock, MovingKind *kind);

/* Returns the OIDs of the functions of an aggregate, some of which may be InvalidOid. */
extern List *aggregate_parts(Oid oid);

/*
 * True if the owner of an aggregate may call the functions by which a transition value of type internal goes to another
 * process.  WindowAgg calls none of them, so a window must not fail because of them.
 */
extern bool aggregate_may_save_state(Oid oid);

/* True for a built-in aggregate that accepts all values without an error. */
extern bool aggregate_cannot_fail(Oid oid);

/* True if list.h has an aggregate of PostgreSQL's of this name. */
extern bool aggregate_is_stock(const char *name);

#endif /* SCAN_NODE_AGGREGATE_INFO_H */
