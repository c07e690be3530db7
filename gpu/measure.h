/*
 * measure.h: measures the device's rates, by which the server chooses between device and CPU.
 */
#ifndef SCAN_GPU_MEASURE_H
#define SCAN_GPU_MEASURE_H

#include "device.h"

typedef ScanGpuCode (*MeasuredRun)(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room);

/*
 * Fills in the rates of *info.  It also loads every kernel, so that the first job need not wait for that.  Returns
 * false after an error, which is in device->error; *options->measuring is then not 0 if a line lost the device.
 */
extern bool measure(ScanGpuDevice *device, const ScanGpuOptions *options, MeasuredRun run, ScanGpuInfo *info);

#endif /* SCAN_GPU_MEASURE_H */
