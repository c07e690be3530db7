/*
 * fault.h: what is wrong with the mock device's answers.
 */
#ifndef SCAN_GPU_FAULT_H
#define SCAN_GPU_FAULT_H

#include "gpu.h"

/* What went wrong so far, so that the next time something else does; zero bytes at first. */
typedef struct Faults
{
	int		 garbage;
	int		 miscounted;
	uint64_t values;
} Faults;

/* Spoils the answers of a job that was run, if it asks for that; the code to end it with. */
extern ScanGpuCode fault_answers(Faults *faults, ScanGpuJob *job);

#endif /* SCAN_GPU_FAULT_H */
