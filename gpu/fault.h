/*
 * fault.h: wrong answers of the mock device, on request.
 */
#ifndef SCAN_GPU_FAULT_H
#define SCAN_GPU_FAULT_H

#include "gpu.h"

/* Counts of the faults so far, so that every fault is another one; all zero at first. */
typedef struct Faults
{
	int		 garbage;	 /* jobs answered with garbage */
	int		 miscounted; /* times that the carry of a recurrence was to be spoiled */
	uint64_t values;	 /* jobs answered with one wrong value */
} Faults;

/* Spoils the answers of a job that has run, if job->fault asks for it.  Returns the job's code. */
extern ScanGpuCode fault_answers(Faults *faults, ScanGpuJob *job);

#endif /* SCAN_GPU_FAULT_H */
