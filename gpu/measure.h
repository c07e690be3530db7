/*
 * measure.h: how fast the device is, for those who choose where a job goes.
 */
#ifndef SCAN_GPU_MEASURE_H
#define SCAN_GPU_MEASURE_H

#include "device.h"

typedef ScanGpuCode (*MeasuredRun)(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room);

/* Fills the rates in.  It also loads every kernel once, which the first job then need not wait for. */
extern bool measure(ScanGpuDevice *device, MeasuredRun run, ScanGpuInfo *info);

#endif /* SCAN_GPU_MEASURE_H */
