/*
 * device_running.h: aggregates over frames that only grow as jobs, for a device.
 */
#ifndef SCAN_AGGREGATE_DEVICE_RUNNING_H
#define SCAN_AGGREGATE_DEVICE_RUNNING_H

#include "aggregate/aggregate_op.h"

/* Has blocks run as jobs where a device takes them, if the operation has a line of list.h. */
extern void device_running_start(Aggregate *aggregate);

#endif /* SCAN_AGGREGATE_DEVICE_RUNNING_H */
