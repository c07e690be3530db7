/*
 * guard.h: the check mode of the library: who writes past the end of a buffer is found.
 *
 * All buffers of a job lie in one allocation, side by side, and neither a kernel that writes past one nor a
 * tool that watches memory would notice.  With SCAN_GPU_CHECK in the environment of whoever loads the library,
 * every buffer is an allocation of its own:
 *
 *   1   between two red zones; zones and buffer are filled with 0xA5 before the job, and after it the zones are
 *       looked at: a byte that has changed is an error that loses the device, and its reason names the buffer.
 *   2   with nothing beside it and nothing in it: for compute-sanitizer or the interpreter of PTX, which know
 *       where an allocation ends and what was never written, reads too.
 *
 * A variable of the environment and not one of ScanGpuOptions: so the mode is there for every program that loads
 * a library, a whole server too, and none of them has to know of it.
 */
#ifndef SCAN_GPU_GUARD_H
#define SCAN_GPU_GUARD_H

#include "gpu.h"
#include "port.cuh"

typedef enum GuardMode
{
	GUARD_NONE = 0,
	GUARD_ZONES,
	GUARD_BARE,
} GuardMode;

/* Keys and their order, each input before and after the sort, what an operation has. */
#define GUARD_BUFFERS (4 + 2 * SCAN_GPU_INPUTS + 5 * SCAN_GPU_OPERATIONS)

typedef struct GuardedBuffer
{
	char	   *allocation;
	size_t		size;	/* of the buffer, without its zones */
	const char *what;	/* it is for, */
	uint32_t	number; /* and which of them, from 1; 0: there is one only */
} GuardedBuffer;

typedef struct Guard
{
	GuardMode	  mode;
	GuardedBuffer buffer[GUARD_BUFFERS];
	int			  buffers;
	char		  violation[120]; /* the last, in words */
} Guard;

/* The mode that the environment asks for. */
extern GuardMode guard_mode(void);

struct ScanGpuDevice;

/* A buffer as device_take() hands it out; NULL, with the device's error set, where there is no memory. */
extern void *guard_take(ScanGpuDevice *device, size_t size, const char *what, uint32_t number);

/* Looks at the zones of all buffers, once everything has run. */
extern void guard_check(ScanGpuDevice *device);

/* Gives the buffers back. */
extern void guard_give_back(ScanGpuDevice *device);

#endif /* SCAN_GPU_GUARD_H */
