/*
 * device.h: the device's memory, its streams, and copies to the device and back.
 *
 * For cuda.cu, guard.cu and measure.cu.  The result of every CUDA call goes through device_try(), which keeps the first
 * error, so that a caller can start many calls and check for an error once, at the end.
 *
 * device_code() sorts CUDA's errors into three kinds.  A lack of memory is SCAN_GPU_OOM: a smaller job may fit.  A call
 * or launch that CUDA refused, for its arguments or because a kernel does not fit on the device, is SCAN_GPU_REFUSED:
 * CUDA would refuse the same call again, but the context is still good.  All other errors may stay with the context (an
 * illegal address, a launch that timed out), so the device is lost: SCAN_GPU_FAILED.  An error of the last kind
 * replaces one of the other two.
 */
#ifndef SCAN_GPU_DEVICE_H
#define SCAN_GPU_DEVICE_H

#include "gpu.h"
#include "guard.h"
#include "port.cuh"

#define STAGING_SIZE ((size_t) 4 << 20)
#define DEVICE_BACK (2 + 3 * SCAN_GPU_OPERATIONS) /* copies of one job to the host, at most */

/* A copy to unpinned host memory, put off until device_finish(). */
typedef struct DeviceBack
{
	void	   *to;
	const void *from;
	size_t		size;
} DeviceBack;

struct ScanGpuDevice
{
	cudaError_t error;	   /* the first since take_error(), or the first that lost the device */
	const char *doing;	   /* the step that failed with `error`, in words */
	const char *measuring; /* "measuring sum(int8)" while that line is measured, and after it lost the device */

	cudaStream_t in, work, out;	 /* copies to the device; kernels; copies to the host */
	cudaEvent_t	 copied, worked; /* the latest points of `in` and of `work` that another stream waits for */

	/* the ring, whose slots are as in ScanGpuOptions */
	char	*ring;
	uint32_t slots;
	size_t	 slot_size, first_slot, slot_stride;
	size_t	*pinned_size;  /* bytes of each slot that are pinned, from its beginning */
	bool	 pinned;	   /* true if open() could pin the first bytes of each slot */
	bool	 pins_no_more; /* true if the system refused to pin more of some slot */

	/* the library's own pinned memory */
	char	   *staging;		 /* two halves of STAGING_SIZE bytes */
	cudaEvent_t staging_free[2]; /* the latest copy that used a half */
	char	   *answers;		 /* what the kernels return beside columns */
	size_t		answers_size;

	/* device memory: one allocation, handed out from its start; in check mode one per buffer (guard.h) */
	char  *memory;
	size_t memory_size;
	size_t memory_max;
	size_t taken;	 /* bytes handed out, or counted, since device_begin() */
	bool   counting; /* true while device_take() counts bytes and hands out nothing */
	Guard  guard;

	DeviceBack back[DEVICE_BACK]; /* copies put off until device_finish(), if the ring is not pinned */
	int		   backs;			  /* number of copies in `back` */
};

/* Returns the code of a job that ended with this error. */
extern ScanGpuCode device_code(cudaError_t error);

/* Notes the error of a call, if any, with the step that failed.  Returns true if there was none. */
extern bool device_try(ScanGpuDevice *device, cudaError_t error, const char *doing);

extern bool device_open(ScanGpuDevice *device);
extern void device_close(ScanGpuDevice *device);

/*
 * Pins the first bytes of each slot of the ring, each by a call of its own, because CUDA refuses a copy of host memory
 * that two calls have pinned; a job's memory lies in one slot.  If a slot cannot be pinned, all copies go through the
 * staging memory.  False: there is no memory.
 */
extern bool device_pin(ScanGpuDevice *device, const ScanGpuOptions *options);

/*
 * Before a job: pins the slot in which its memory lies up to `end`, the end of the job's last column.  Pinned memory is
 * taken from the system for as long as it is pinned, so a slot is pinned only as far as jobs have used it.  If the
 * system refuses, columns that are not pinned go through the staging memory.
 */
extern void device_pin_up_to(ScanGpuDevice *device, const void *end);

/*
 * Begins a layout and takes back all memory of the layout before.  A job is laid out twice: first with `counting`, for
 * the size that device_reserve() needs, then for the addresses.
 */
extern void device_begin(ScanGpuDevice *device, bool counting);

/* Returns the next `size` bytes; NULL while counting.  The check mode names a buffer by `what` and `number`. */
extern void *device_take(ScanGpuDevice *device, size_t size, const char *what, uint32_t number);

/*
 * Buffers that are taken one after another, so that one call sets or copies all of them.  In check mode they do not lie
 * side by side, and there is a call for each.
 */
#define SPAN_BUFFERS (2 * SCAN_GPU_OPERATIONS)

typedef struct DeviceSpan
{
	char  *at[SPAN_BUFFERS];
	size_t size[SPAN_BUFFERS];
	int	   buffers;
} DeviceSpan;

/* device_take() for the span's next buffer; no other buffer may be taken between two of a span. */
extern void *device_take_next(ScanGpuDevice *device, DeviceSpan *span, size_t size, const char *what, uint32_t number);

/* Sets all bytes of the span. */
extern void device_set(ScanGpuDevice *device, const DeviceSpan *span, int byte, cudaStream_t stream);

/* Copies the span's buffers from number `first` on to device->answers. */
extern void device_copy_answers(ScanGpuDevice *device, const DeviceSpan *span, int first, cudaStream_t stream);

/* Returns where device_copy_answers() puts the i-th buffer that it copies. */
extern const void *device_answer(const ScanGpuDevice *device, const DeviceSpan *span, int first, int i);

/*
 * Makes room for a layout of `size` bytes.  Returns SCAN_GPU_OOM if memory_max or CUDA forbids it; device->error is
 * then not set.
 */
extern ScanGpuCode device_reserve(ScanGpuDevice *device, size_t size);

/*
 * Copy when the work that is now in `stream` is done.  Pinned host memory is read or written until device_finish().
 * Unpinned memory has been read when device_copy_in() returns, and is written within device_finish().
 */
extern void device_copy_in(ScanGpuDevice *device, void *to, const void *from, size_t size, cudaStream_t stream);
extern void device_copy_out(ScanGpuDevice *device, void *to, const void *from, size_t size, cudaStream_t stream);

/* Waits for all streams and finishes the copies to the host.  Returns false if there was an error. */
extern bool device_finish(ScanGpuDevice *device);

#endif /* SCAN_GPU_DEVICE_H */
