/*
 * scans.h: aggregates that are a scan by a line of list.h, so that the sort of their rows may run it.
 */
#ifndef SCAN_AGGREGATE_SCANS_H
#define SCAN_AGGREGATE_SCANS_H

#include "aggregate/aggregate_op.h"

/* Has the aggregate offer the sort its scans (cpu/fused_scan.h), if the operation has a line of list.h. */
extern void aggregate_scans_start(Aggregate *aggregate);

#endif /* SCAN_AGGREGATE_SCANS_H */
