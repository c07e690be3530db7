/*
 * scans.h: aggregates that are a scan by a line of list.h, so that a job (run/run.h) may evaluate them.
 */
#ifndef SCAN_AGGREGATE_SCANS_H
#define SCAN_AGGREGATE_SCANS_H

#include "aggregate/aggregate_op.h"

/* Has the aggregate evaluated by jobs where they are faster, if the operation has a line of list.h. */
extern void aggregate_scans_start(Aggregate *aggregate);

#endif /* SCAN_AGGREGATE_SCANS_H */
