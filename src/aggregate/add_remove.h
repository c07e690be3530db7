/*
 * add_remove.h: sliding frames of any operation: rows that come in are added, rows that leave are removed.
 */
#ifndef SCAN_AGGREGATE_ADD_REMOVE_H
#define SCAN_AGGREGATE_ADD_REMOVE_H

#include "aggregate/aggregate_op.h"

/* An EvaluateRows.  It evaluates one row where `final` may raise an error itself; else to a row that has an error. */
extern int64 add_remove_rows(RowFunction *f, const Block *block, int64 done);

#endif /* SCAN_AGGREGATE_ADD_REMOVE_H */
