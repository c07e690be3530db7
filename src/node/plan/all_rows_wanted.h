/*
 * all_rows_wanted.h: whether all rows of a query level are certainly asked for.
 */
#ifndef SCAN_NODE_PLAN_ALL_ROWS_WANTED_H
#define SCAN_NODE_PLAN_ALL_ROWS_WANTED_H

#include "postgres.h"

#include "nodes/pathnodes.h"

/*
 * Whether whoever asks for a row of a level's windows asks for all of them.  False: somebody above may stop, or it is
 * not known.
 */
extern bool rows_are_wanted(const PlannerInfo *root);

#endif /* SCAN_NODE_PLAN_ALL_ROWS_WANTED_H */
