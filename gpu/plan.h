/*
 * plan.h: the layout of a job in device memory, for cuda.cu.
 *
 * All buffers of a job are taken one after the other from one allocation (device_take()), so a job costs no allocation
 * if the one before was as large.  The plan also notes which copies and kernels of the job have been started, because
 * operations share columns, orders and heads.
 */
#ifndef SCAN_GPU_PLAN_H
#define SCAN_GPU_PLAN_H

#include "device.h"
#include "lines.h"
#include "sort.h"

/* The layout of a job in device memory, and which of its columns are there already. */
typedef struct Plan
{
	SortKeys  keys;
	uint32_t *order; /* the sorted order; NULL without keys, or if nobody wants it */
	uint64_t *words; /* the sorted keys; NULL if nobody wants them */
	uint32_t *back;	 /* the reversed order; NULL if no operation is reversed */
	void	 *sort_room;
	void	 *input[SCAN_GPU_INPUTS];
	void	 *ordered[2][SCAN_GPU_INPUTS];	  /* [0]: inputs in sorted order, `input` without keys; [1]: reversed */
	bool	  is_here[SCAN_GPU_INPUTS];		  /* the copy to `input` has been started */
	bool	  is_ordered[2][SCAN_GPU_INPUTS]; /* the kernel that writes `ordered` has been started */
	bool	  is_copying;					  /* a copy in has been started that `work` does not wait for yet */

	/* heads in the operation's order, with those of partitions and tiles; operations with the same heads share them */
	uint32_t  *heads[SCAN_GPU_OPERATIONS];
	bool	   is_headed[SCAN_GPU_OPERATIONS]; /* the kernel that writes `heads` has been started, or none is needed */
	LineScan   scan[SCAN_GPU_OPERATIONS];
	DeviceSpan zero; /* the zeroed memory of all operations, then what they return beside columns */
	DeviceSpan ones; /* the valid bits of all operations */
} Plan;

/* Lays a job out, or only counts its bytes.  Returns the bytes of the layout. */
extern size_t plan_job(ScanGpuDevice *device, const ScanGpuJob *job, bool counting, Plan *plan);

/* Returns the bytes of an input on the host, where columns of bits have whole bytes only. */
static inline size_t
plan_input_size(const ScanGpuJob *job, const ScanGpuInput *input)
{
	return input->width == 0 ? (job->n + 7) / 8 : job->n * input->width;
}

/* Returns the end of the last of the job's columns on the host; NULL if the job has none. */
extern const void *plan_end(const ScanGpuJob *job);

#endif /* SCAN_GPU_PLAN_H */
