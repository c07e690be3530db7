/*
 * device.h: the device's memory, its streams, and the way of bytes there and back.
 *
 * cuda.cu's own.  Every call of CUDA's goes through device_try(), which keeps the
 * first error: whoever has started many things looks once, at the end.
 *
 * CUDA has errors of three kinds, and device_code() tells them apart.  A lack of memory
 * is SCAN_GPU_OOM: a smaller job may fit.  A call or launch that CUDA refused, for its
 * arguments or since a kernel does not fit on the device, is SCAN_GPU_REFUSED: the next
 * refusal would be the same, but the context is as good as before.  All other errors
 * may stay with the context (an illegal address, a launch that timed out), so the device
 * is lost, SCAN_GPU_FAILED, and an error of that kind replaces one of the others.
 */
#ifndef SCAN_GPU_DEVICE_H
#define SCAN_GPU_DEVICE_H

#include "gpu.h"
#include "guard.h"
#include "port.cuh"

#define STAGING_SIZE ((size_t) 4 << 20)
#define DEVICE_BACK (2 + 3 * SCAN_GPU_OPERATIONS) /* copies of one job to the host, at most */

/* Bytes on their way to the host. */
typedef struct DeviceBack
{
	void	   *to;
	const void *from;
	size_t		size;
} DeviceBack;

struct ScanGpuDevice
{
	cudaError_t error; /* the first since it was last taken, or the first that lost the device */
	const char *doing; /* and what was being done */

	cudaStream_t in, work, out;
	cudaEvent_t	 copied, worked; /* the last of `in`, of `work` */

	/* the ring */
	char  *ring;
	size_t ring_size;
	size_t registered; /* bytes of it that are pinned */
	bool   pinned;	   /* all of them are */

	/* the library's own pinned memory: two halves of STAGING_SIZE, and a page for answers */
	char	   *staging;
	cudaEvent_t staging_free[2];
	char	   *answers;
	size_t		answers_size;

	/* device memory: one piece, handed out from its start; or a piece each, see guard.h */
	char  *memory;
	size_t memory_size;
	size_t memory_max;
	size_t taken;
	bool   counting; /* so that nothing is handed out yet: device_begin() */
	Guard  guard;

	DeviceBack back[DEVICE_BACK]; /* waits for the end of the job, where the ring is not pinned */
	int		   backs;
};

/* What an error makes of the job that met it. */
extern ScanGpuCode device_code(cudaError_t error);

/* Whether a call went well. */
extern bool device_try(ScanGpuDevice *device, cudaError_t error, const char *doing);

extern bool device_open(ScanGpuDevice *device);
extern void device_close(ScanGpuDevice *device);

/* Pins the ring, in pieces; what cannot be pinned is copied through the staging memory. */
extern void device_pin(ScanGpuDevice *device, void *ring, size_t size);

/*
 * A layout begins, and what was handed out by the one before is nobody's any more.  It is
 * gone through twice: at first `counting`, then device_reserve(), then for the addresses.
 */
extern void device_begin(ScanGpuDevice *device, bool counting);

/* The next `size` bytes, NULL while counting; for what they are, and which of them, is for the check mode to tell. */
extern void *device_take(ScanGpuDevice *device, size_t size, const char *what, uint32_t number);
/* SCAN_GPU_OOM also where memory_max, not CUDA, is what forbids it; device->error is then not set. */
extern ScanGpuCode device_reserve(ScanGpuDevice *device, size_t size);

/* Copies, which begin when `stream`'s work so far is done; of the host's memory before the call returns or not. */
extern void device_copy_in(ScanGpuDevice *device, void *to, const void *from, size_t size, cudaStream_t stream);
extern void device_copy_out(ScanGpuDevice *device, void *to, const void *from, size_t size, cudaStream_t stream);

/* Waits for everything.  Then what came back is there, unless there was an error. */
extern bool device_finish(ScanGpuDevice *device);

#endif /* SCAN_GPU_DEVICE_H */
