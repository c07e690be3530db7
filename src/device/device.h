/*
 * device.h: what is said of a device, and of a job that one ran.
 *
 * The words that a backend, the broker, the program that owns the GPU and its device
 * library have in common.  Plain C; CUDA C++ reads it too.
 */
#ifndef SCAN_DEVICE_DEVICE_H
#define SCAN_DEVICE_DEVICE_H

#include "op/lines.h"

/* Operations and input columns of one job, at most. */
#define SCAN_GPU_OPERATIONS 16
#define SCAN_GPU_INPUTS 48

/* What became of a job. */
typedef enum ScanGpuCode
{
	SCAN_GPU_OK = 0,	 /* every answer stands */
	SCAN_GPU_NOT_PROVEN, /* the bits could not be vouched for: the CPU has to do it */
	SCAN_GPU_OOM,		 /* the device has no room for it; half as many rows may fit */
	SCAN_GPU_REFUSED,	 /* the library has no way to run it: the CPU's */
	SCAN_GPU_FAILED,	 /* the device is lost to this process: it ends, and is started again */
	SCAN_GPU_CODES
} ScanGpuCode;

/* Faults that the mock device commits on request; other libraries do not look. */
typedef enum ScanGpuFault
{
	SCAN_FAULT_NONE = 0,
	SCAN_FAULT_OOM,		/* every job is too large for it */
	SCAN_FAULT_TIMEOUT, /* it never answers */
	SCAN_FAULT_CRASH,	/* it dies of a signal in the middle */
	SCAN_FAULT_GARBAGE, /* it answers codes, lengths and errors that cannot be */
	SCAN_FAULT_SLOW,	/* it takes its time */
	SCAN_FAULT_VALUE,	/* it answers as it should, but for one value */
	SCAN_FAULT_LOST,	/* it reports that the device is lost */
	SCAN_FAULTS
} ScanGpuFault;

/*
 * What the device is and what it can do.  The rates are measured when it is opened:
 * run.c weighs them against the CPU's.  Nanoseconds.
 */
typedef struct ScanGpuInfo
{
	char	 name[64];	  /* of the device, ends in a zero byte as the others do */
	char	 driver[64];  /* what drives it, */
	char	 runtime[64]; /* and the library between, each with its version */
	uint64_t memory;	  /* bytes of device memory that jobs may take */
	uint32_t pinned;	  /* not 0: the whole ring is; else what is copied goes through memory that is */
	double	 setup_ns;	  /* a job without rows */
	double	 byte_ns;	  /* a byte over the bus, the slower way of the two */
	double	 sort_ns;	  /* a row by keys of 64 bits; 0: cannot sort */

	/* a row of each line without the bus; 0: the library does not run the line */
	double row_ns[SCAN_OPS];
} ScanGpuInfo;

#endif /* SCAN_DEVICE_DEVICE_H */
