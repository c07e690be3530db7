/*
 * mock_scan.h: runs an operation of the mock device by the CPU's loops; mock.c calls it.
 */
#ifndef SCAN_GPU_MOCK_SCAN_H
#define SCAN_GPU_MOCK_SCAN_H

#include "gpu.h"

#include "cpu/cpu.h"

/*
 * Runs the operation's scan, whose columns, heads, carry and memory for answers are those of `whole`, in the order of
 * the scan.  Writes the carry, and done, status and has_nulls of the operation.  SCAN_GPU_NOT_PROVEN: only a backend,
 * which has the rows of the carry's unfinished chunk, can continue.
 */
extern ScanGpuCode mock_scan(ScanGpuOperation *o, ScanJob *whole);

#endif /* SCAN_GPU_MOCK_SCAN_H */
