/*
 * job.h: a job of the ring as a device library is given it.
 */
#ifndef SCAN_GPU_JOB_H
#define SCAN_GPU_JOB_H

#include "device/wire.h"
#include "gpu.h"

/*
 * Makes the job that `wire`, a copy of a slot's, describes; its columns lie in the `size` bytes of
 * the slot's data.  False when any of it leads elsewhere or means nothing.
 */
extern bool job_of_wire(const WireJob *wire, char *data, uint64_t size, ScanGpuJob *job);

/* Writes the answers of a job that was run into the slot's. */
extern void job_to_wire(const ScanGpuJob *job, ScanGpuCode code, WireJob *wire);

#endif /* SCAN_GPU_JOB_H */
