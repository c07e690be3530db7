/*
 * counters.h: counts of a backend's jobs, for EXPLAIN.  A header of its own, since offload.c, which shows them, calls
 * choice.c, which counts.
 */
#ifndef SCAN_DEVICE_COUNTERS_H
#define SCAN_DEVICE_COUNTERS_H

#include <stdint.h>

/* What time is taken of. */
typedef enum DeviceTime
{
	TIME_COPY_IN = 0, /* copying into slots of the ring */
	TIME_WAIT,		  /* waiting for answers */
	TIME_DEVICE,	  /* the GPU worked, as its program says; may overlap with copying */
	TIME_COPY_OUT,
	DEVICE_TIMES
} DeviceTime;

typedef struct DeviceCounters
{
	int64_t		jobs;	  /* scans with at least one row, and sorts that are long enough to be a job */
	int64_t		gpu_jobs; /* those of `jobs` that the GPU ran to the end */
	const char *reason;	  /* why the last job that was left to the CPU was; NULL: none was */
	double		ns[DEVICE_TIMES];
} DeviceCounters;

#endif /* SCAN_DEVICE_COUNTERS_H */
