/*
 * reshape.h: builds the tree of a kept scan anew, with other intervals.
 */
#ifndef SCAN_KEPT_RESHAPE_H
#define SCAN_KEPT_RESHAPE_H

#include "kept/kept.h"

/*
 * Empties log and tree, and builds the tree of the rows that the table has now, with the intervals that suit them.  It
 * waits for no reader; `readers_may_wait` for it.  The caller has locked the table against writers.
 */
extern void kept_rebuild(Kept *kept, bool readers_may_wait);

/*
 * Builds the tree anew with the intervals that suit the rows that the table has now, unless that would take long, or
 * somebody else has to wait for it or it for somebody else.  The caller has called SPI_connect(), and has locked what a
 * compaction locks.
 */
extern void kept_reshape(const FmgrInfo *caller, Kept *kept);

#endif /* SCAN_KEPT_RESHAPE_H */
