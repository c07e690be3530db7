/*
 * compact.h: folds the log of a kept scan into its tree.
 */
#ifndef SCAN_KEPT_COMPACT_H
#define SCAN_KEPT_COMPACT_H

#include "kept/kept.h"

/*
 * Locks table, log and tree against other compactions and DDL.  The caller looks the kept scan up under these locks, so
 * that it is what the tables are.
 */
extern void kept_compact_lock(const Kept *kept);

/*
 * Folds the rows of the log that are visible now.  Returns how many there were.  kept_compact_some() folds at most
 * about `most` of them, 0: all, and sets *more if it leaves any.  The caller has called SPI_connect().
 */
extern int64 kept_compact(Kept *kept);
extern int64 kept_compact_some(Kept *kept, int64 most, bool *more);

#endif /* SCAN_KEPT_COMPACT_H */
