/*
 * all_rows_wanted.h: tells whether all rows of a query level are certainly asked for.
 */
#ifndef SCAN_NODE_ERROR_TIMING_ALL_ROWS_WANTED_H
#define SCAN_NODE_ERROR_TIMING_ALL_ROWS_WANTED_H

#include "postgres.h"

#include "node/level.h"

/* Returns how many of a level's rows are asked for. */
extern RowsWanted rows_wanted(QueryLevel *level);

/*
 * True if whatever asks for one row of a level's windows asks for all of them, unless the executor's caller stops
 * early, which only the executor can tell (early_stop.h).
 */
extern bool rows_are_wanted(QueryLevel *level);

/* True if a LIMIT of the level, or above it, may cut off rows. */
extern bool rows_are_limited(const QueryLevel *level);

#endif /* SCAN_NODE_ERROR_TIMING_ALL_ROWS_WANTED_H */
