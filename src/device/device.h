/*
 * device.h: describes a device, and what became of a job that a device ran.
 *
 * Shared by a backend, the broker, the program that owns the GPU and its device library.  Plain C; CUDA C++ reads it
 * too.
 */
#ifndef SCAN_DEVICE_DEVICE_H
#define SCAN_DEVICE_DEVICE_H

#include "op/lines.h"

/* The most operations and input columns of one job. */
#define SCAN_GPU_OPERATIONS 16
#define SCAN_GPU_INPUTS 48

/*
 * Numbers of lines: those of list.h, and after them all sorts, which count as one line.  ScanGpuLines is a set of
 * lines.
 */
#define SCAN_GPU_SORT SCAN_OPS
#define SCAN_GPU_LINES (SCAN_OPS + 1)

typedef struct ScanGpuLines
{
	uint64_t bits[(SCAN_GPU_LINES + 63) / 64];
} ScanGpuLines;

static inline bool
scan_gpu_lines_have(const ScanGpuLines *lines, int line)
{
	return (lines->bits[line / 64] >> line % 64 & 1) != 0;
}

static inline void
scan_gpu_lines_add(ScanGpuLines *lines, int line)
{
	lines->bits[line / 64] |= UINT64_C(1) << line % 64;
}

/* What became of a job. */
typedef enum ScanGpuCode
{
	SCAN_GPU_OK = 0,	 /* every answer is valid */
	SCAN_GPU_NOT_PROVEN, /* the device could not prove the bits of an answer: the CPU has to run the job */
	SCAN_GPU_OOM,		 /* the device has not enough memory; half as many rows may fit */
	SCAN_GPU_REFUSED,	 /* the library does not run such a job: the CPU has to */
	SCAN_GPU_FAILED,	 /* the device is lost to the program, which ends and is started again */
	SCAN_GPU_CODES
} ScanGpuCode;

/*
 * What the device is and what it can do.  The rates are measured when the device is opened; choice.c compares them with
 * the CPU's.  All rates are in nanoseconds.
 */
typedef struct ScanGpuInfo
{
	char	 name[64];	  /* name of the device; ends in a zero byte, as `driver` and `runtime` do */
	char	 driver[64];  /* the driver and its version */
	char	 runtime[64]; /* the runtime library and its version */
	uint64_t memory;	  /* bytes of device memory that jobs may take */
	uint32_t pinned;	  /* not 0: the whole ring is pinned; 0: the library copies through pinned memory of its own */
	uint32_t refused;	  /* lines that were refused when they were measured, and are not offered */
	double	 setup_ns;	  /* fixed time of a job without keys that has one operation */
	double	 sort_setup_ns; /* fixed time of a job with keys */
	double	 operation_ns;	/* fixed time of each operation of a job with keys, beyond sort_setup_ns */
	double	 byte_ns;		/* time per byte over the bus, in the slower direction */
	double	 sort_ns;		/* time to sort a row by a key of 64 bits; 0: the library cannot sort */

	/* time per row of each line, without the bus, or per value of a frame; 0: the library does not run the line */
	double row_ns[SCAN_OPS];
} ScanGpuInfo;

/*
 * The faults of the mock device, for tests: those that it commits on request.  Setting scan.mock_fault (settings.c)
 * names one, and each job carries it to the program and its device library, of which only gpu/mock.c heeds it.
 */
typedef enum ScanGpuFault
{
	SCAN_FAULT_NONE = 0,
	SCAN_FAULT_OOM,		 /* reports that every job is too large */
	SCAN_FAULT_TIMEOUT,	 /* never answers */
	SCAN_FAULT_CRASH,	 /* dies of a signal during the job */
	SCAN_FAULT_GARBAGE,	 /* answers codes, lengths and errors that cannot be true */
	SCAN_FAULT_SLOW,	 /* answers late */
	SCAN_FAULT_VALUE,	 /* answers correctly except for one value */
	SCAN_FAULT_LOST,	 /* reports that the device is lost */
	SCAN_FAULT_REFUSED,	 /* refuses every job */
	SCAN_FAULT_UNPROVEN, /* reports that it cannot prove its answers */
	SCAN_FAULTS
} ScanGpuFault;

#endif /* SCAN_DEVICE_DEVICE_H */
