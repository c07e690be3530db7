/*
 * guard.h: the check mode of the library, which finds writes past the end of a buffer.
 *
 * Normally all buffers of a job lie side by side in one allocation, so that a write past the end of one hits another,
 * and no tool that watches memory would notice.  If SCAN_GPU_CHECK is set in the environment of the process that loads
 * the library, every buffer is an allocation of its own:
 *
 *   1   The buffer lies between two red zones.  Zones and buffer are filled with 0xA5 before the job, and the
 *       zones are checked after it.  A changed byte loses the device, with a reason that names the buffer.
 *   2   The buffer has no zones and is not filled.  This is for compute-sanitizer and the interpreter of PTX,
 *       which know where an allocation ends and which bytes were never written, and check reads too.
 *
 * An environment variable was chosen over a member of ScanGpuOptions: it reaches every program that loads a library, a
 * whole server too, and no program has to know of it.
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

/*
 * Two of keys, two orders (of rows, and of rows reversed) and the sort's room; each input before the sort, after it and
 * reversed; six per operation.  A job that has more buffers is refused.
 */
#define GUARD_BUFFERS (5 + 3 * SCAN_GPU_INPUTS + 6 * SCAN_GPU_OPERATIONS)

typedef struct GuardedBuffer
{
	char	   *allocation;
	size_t		size;	/* bytes of the buffer, without its zones */
	const char *what;	/* the buffer's purpose, for messages */
	uint32_t	number; /* number among the buffers of this purpose, from 1; 0: there is only one */
} GuardedBuffer;

typedef struct Guard
{
	GuardMode	  mode;
	GuardedBuffer buffer[GUARD_BUFFERS];
	int			  buffers;
	char		  violation[120]; /* the last write past an end, in words */
} Guard;

/* Returns the mode that SCAN_GPU_CHECK asks for. */
extern GuardMode guard_mode(void);

struct ScanGpuDevice;

/* device_take() in check mode.  Returns NULL, with device->error set, if there is no memory. */
extern void *guard_take(ScanGpuDevice *device, size_t size, const char *what, uint32_t number);

/* Checks the zones of all buffers, and notes an error if a byte has changed; called when all streams are done. */
extern void guard_check(ScanGpuDevice *device);

/* Frees all buffers. */
extern void guard_give_back(ScanGpuDevice *device);

#endif /* SCAN_GPU_GUARD_H */
