/*
 * deparse.h: what EXPLAIN prints where a node shows a result of PrefixScan's.
 */
#ifndef SCAN_NODE_DEPARSE_H
#define SCAN_NODE_DEPARSE_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Makes the functions of a planned statement's PrefixScans printable. */
extern void prefix_scan_deparse(PlannedStmt *statement);

/* The same of one that starts, if it has not been done. */
extern void prefix_scan_deparse_late(CustomScan *scan);

#endif /* SCAN_NODE_DEPARSE_H */
