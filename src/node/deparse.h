/*
 * deparse.h: makes the functions of a PrefixScan printable for EXPLAIN.
 */
#ifndef SCAN_NODE_DEPARSE_H
#define SCAN_NODE_DEPARSE_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Replaces the WindowFuncs in the PrefixScans of a planned statement, in place, by calls that EXPLAIN can print. */
extern void prefix_scan_deparse(PlannedStmt *statement);

/* Does the same for one PrefixScan when it starts, unless it has been done. */
extern void prefix_scan_deparse_late(CustomScan *scan);

#endif /* SCAN_NODE_DEPARSE_H */
