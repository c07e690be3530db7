/*
 * aggregate.h: how the aggregates of a definition are kept, and which ones cannot be.
 */
#ifndef SCAN_KEPT_AGGREGATE_H
#define SCAN_KEPT_AGGREGATE_H

#include "nodes/primnodes.h"

#include "kept/kept.h"

/*
 * Sets how an aggregate is kept: kind, type of the state and functions.  Its function, result and collation are set.
 * Returns the arguments that are kept.  *reason: why it cannot be kept, '' without words; NULL: it can.  *hint: what to
 * write instead, or NULL.
 */
extern List *kept_aggregate_read(KeptAggregate *aggregate, const WindowFunc *call, const char **reason,
								 const char **hint);

#endif /* SCAN_KEPT_AGGREGATE_H */
