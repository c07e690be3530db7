/*
 * build.h: builds the whole tree of a kept scan.
 */
#ifndef SCAN_KEPT_BUILD_H
#define SCAN_KEPT_BUILD_H

#include "kept/tree.h"

/*
 * Reads all rows of the table that the active snapshot sees, in order, and inserts the nodes into the tree; or passes
 * the states of all intervals to `visit`.  Returns how many rows are kept.
 */
extern int64 kept_build_all(Kept *kept, const KeptRelation *tree, KeptVisitNode visit, void *to);

/* Builds the tree, which is empty, in a new snapshot.  Returns how many rows are kept. */
extern int64 kept_build(Kept *kept);

#endif /* SCAN_KEPT_BUILD_H */
