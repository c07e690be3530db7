/*
 * all_rows_wanted.h: tells whether all rows of a query level are certainly asked for.
 */
#ifndef SCAN_NODE_ERROR_TIMING_ALL_ROWS_WANTED_H
#define SCAN_NODE_ERROR_TIMING_ALL_ROWS_WANTED_H

#include "postgres.h"

#include "node/level.h"

/*
 * True if whatever asks for one row of a level's windows asks for all of them.  False if a node above may stop early,
 * or if that is not known.
 */
extern bool rows_are_wanted(QueryLevel *level);

#endif /* SCAN_NODE_ERROR_TIMING_ALL_ROWS_WANTED_H */
