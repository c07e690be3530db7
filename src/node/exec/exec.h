/*
 * exec.h: PrefixScan in the executor.
 */
#ifndef SCAN_NODE_EXEC_EXEC_H
#define SCAN_NODE_EXEC_EXEC_H

#include "postgres.h"

#include "nodes/plannodes.h"

/* Creates the state of a plan that starts (CreateCustomScanState). */
extern Node *prefix_scan_create_state(CustomScan *scan);

#endif /* SCAN_NODE_EXEC_EXEC_H */
