/*
 * job.h: turns a job of the ring (WireJob) into a job of a device library (ScanGpuJob), for scan_gpu.c.
 */
#ifndef SCAN_GPU_JOB_H
#define SCAN_GPU_JOB_H

#include "device/wire.h"
#include "gpu.h"

/*
 * Fills *job from `wire`, a copy of the slot's job.  Pointers of *job are into `data`, the slot's `size` bytes of data.
 * Returns false if an offset leads out of `data` or a value has no meaning.
 */
extern bool job_of_wire(const WireJob *wire, char *data, uint64_t size, ScanGpuJob *job);

/* Writes the answers of a job that has run, and its code, to the slot's job. */
extern void job_to_wire(const ScanGpuJob *job, ScanGpuCode code, WireJob *wire);

#endif /* SCAN_GPU_JOB_H */
