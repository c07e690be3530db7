/*
 * device.cu: see device.h.
 */
#include "device.h"

#define DEVICE_ALIGN 256

/* Bytes of a slot that are pinned when the device is opened: most jobs need no more. */
#define PIN_FIRST ((size_t) 16 << 20)

/* What is pinned ends at multiples of this, if it is not the end of its slot. */
#define PIN_STEP ((size_t) 1 << 20)

ScanGpuCode
device_code(cudaError_t error)
{
	switch (error)
	{
		case cudaSuccess:
			return SCAN_GPU_OK;
		case cudaErrorMemoryAllocation:
			return SCAN_GPU_OOM;
		case cudaErrorInvalidValue:
		case cudaErrorInvalidConfiguration:
		case cudaErrorInvalidDeviceFunction:
		case cudaErrorNoKernelImageForDevice:
		case cudaErrorLaunchOutOfResources:
			return SCAN_GPU_REFUSED;
		default:
			return SCAN_GPU_FAILED;
	}
}

bool
device_try(ScanGpuDevice *device, cudaError_t error, const char *doing)
{
	if (error != cudaSuccess && (device->error == cudaSuccess || (device_code(error) == SCAN_GPU_FAILED &&
																  device_code(device->error) != SCAN_GPU_FAILED)))
	{
		device->error = error;
		device->doing = doing;
	}
	return error == cudaSuccess;
}

/*
 * Clears the error of a call that may fail, so that cudaGetLastError() does not return it again.  If another error is
 * found instead, notes that one.
 */
static void
forget_error(ScanGpuDevice *device, cudaError_t expected)
{
	cudaError_t last = cudaGetLastError();

	if (last != expected)
		device_try(device, last, "clearing an error");
}

/* ---- streams ---- */

bool
device_open(ScanGpuDevice *device)
{
	cudaStream_t *streams[] = {&device->in, &device->work, &device->out};

	device->guard.mode = guard_mode();
	for (cudaStream_t *stream : streams)
		if (!device_try(device, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking), "making a stream"))
			return false;
	for (cudaEvent_t &event : device->staging_free)
		if (!device_try(device, cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event"))
			return false;
	if (!device_try(device, cudaEventCreateWithFlags(&device->copied, cudaEventDisableTiming), "making an event") ||
		!device_try(device, cudaEventCreateWithFlags(&device->worked, cudaEventDisableTiming), "making an event"))
		return false;
	return device_try(device, cudaMallocHost((void **) &device->staging, 2 * STAGING_SIZE), "pinning memory") &&
		   device_try(device, cudaMallocHost((void **) &device->answers, device->answers_size), "pinning memory");
}

static char *
slot_at(const ScanGpuDevice *device, uint32_t slot)
{
	return device->ring + device->first_slot + slot * device->slot_stride;
}

/* Errors are ignored, because the device is not used any more. */
void
device_close(ScanGpuDevice *device)
{
	for (uint32_t slot = 0; device->pinned_size != NULL && slot < device->slots; slot++)
		if (device->pinned_size[slot] > 0)
			(void) cudaHostUnregister(slot_at(device, slot));
	free(device->pinned_size);
	guard_give_back(device);
	if (device->memory != NULL)
		(void) cudaFree(device->memory);
	if (device->staging != NULL)
		(void) cudaFreeHost(device->staging);
	if (device->answers != NULL)
		(void) cudaFreeHost(device->answers);
	for (cudaEvent_t event : {device->copied, device->worked, device->staging_free[0], device->staging_free[1]})
		if (event != NULL)
			(void) cudaEventDestroy(event);
	for (cudaStream_t stream : {device->in, device->work, device->out})
		if (stream != NULL)
			(void) cudaStreamDestroy(stream);
}

/* ---- pinned slots ---- */

/* Pins the first `size` bytes of a slot, of which nothing is pinned.  False if the system refuses. */
static bool
pin_slot(ScanGpuDevice *device, uint32_t slot, size_t size)
{
	cudaError_t error = cudaHostRegister(slot_at(device, slot), size, cudaHostRegisterDefault);

	if (error != cudaSuccess)
		forget_error(device, error);
	device->pinned_size[slot] = error == cudaSuccess ? size : 0;
	return error == cudaSuccess;
}

bool
device_pin(ScanGpuDevice *device, const ScanGpuOptions *options)
{
	size_t first = options->job_bytes < PIN_FIRST ? options->job_bytes : PIN_FIRST;

	device->ring = (char *) options->ring;
	device->slots = options->jobs;
	device->slot_size = options->job_bytes;
	device->first_slot = options->first_job;
	device->slot_stride = options->job_stride;
	device->pinned_size = (size_t *) calloc(device->slots + 1, sizeof(*device->pinned_size));
	device->pinned = device->pinned_size != NULL;
	for (uint32_t slot = 0; slot < device->slots && device->pinned; slot++)
		device->pinned = pin_slot(device, slot, first);
	return device->pinned_size != NULL;
}

/* Returns the slot of an address, which lies in the ring's slots or at their end. */
static uint32_t
slot_of(const ScanGpuDevice *device, const char *at)
{
	return (uint32_t) ((size_t) (at - slot_at(device, 0)) / device->slot_stride);
}

void
device_pin_up_to(ScanGpuDevice *device, const void *end)
{
	const char *last = (const char *) end - 1;
	uint32_t	slot;
	size_t		size, was;

	if (!device->pinned || device->pins_no_more || last < slot_at(device, 0) || last >= slot_at(device, device->slots))
		return;
	slot = slot_of(device, last);
	was = size = device->pinned_size[slot];
	if ((size_t) (last - slot_at(device, slot)) < size)
		return;
	/*
	 * A quarter more each time, so that a slot is not pinned again for every job that is somewhat larger.  Rejected:
	 * twice as much, since pages that are pinned take memory, also those that no job has touched.
	 */
	while ((size_t) (last - slot_at(device, slot)) >= size)
		size += size / 4 / PIN_STEP * PIN_STEP + PIN_STEP;
	size = size < device->slot_size ? size : device->slot_size;
	if (device_try(device, cudaHostUnregister(slot_at(device, slot)), "pinning more of a slot") &&
		!pin_slot(device, slot, size))
	{
		device->pins_no_more = true;
		(void) pin_slot(device, slot, was);
	}
}

/* ---- memory ---- */

void
device_begin(ScanGpuDevice *device, bool counting)
{
	device->taken = 0;
	device->counting = counting;
	guard_give_back(device);
}

void *
device_take(ScanGpuDevice *device, size_t size, const char *what, uint32_t number)
{
	size_t at = device->taken;

	device->taken += (size + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
	if (device->counting)
		return NULL;
	if (device->guard.mode != GUARD_NONE)
		return guard_take(device, size, what, number);
	return device->taken > device->memory_size ? NULL : device->memory + at;
}

/* Allocates device->memory, which is NULL, with `size` bytes.  A lack of memory is not noted in device->error. */
static ScanGpuCode
allocate(ScanGpuDevice *device, size_t size)
{
	cudaError_t error = cudaMalloc((void **) &device->memory, size);

	if (error == cudaSuccess)
	{
		device->memory_size = size;
		return SCAN_GPU_OK;
	}
	device->memory = NULL;
	forget_error(device, error);
	if (device_code(error) != SCAN_GPU_OOM)
		device_try(device, error, "allocating memory");
	return device->error != cudaSuccess ? device_code(device->error) : SCAN_GPU_OOM;
}

ScanGpuCode
device_reserve(ScanGpuDevice *device, size_t size)
{
	size_t		target = size + size / 2; /* jobs grow, and not each should need a new allocation */
	ScanGpuCode code;

	if (size <= device->memory_size)
		return SCAN_GPU_OK;
	if (size > device->memory_max)
		return SCAN_GPU_OOM;
	if (device->guard.mode != GUARD_NONE)
		return SCAN_GPU_OK; /* guard_take() allocates each buffer */
	target = target < device->memory_max ? target : device->memory_max;
	if (device->memory != NULL && !device_try(device, cudaFree(device->memory), "freeing memory"))
		return device_code(device->error);
	device->memory = NULL;
	device->memory_size = 0;
	code = allocate(device, target);
	return code == SCAN_GPU_OOM && target > size ? allocate(device, size) : code;
}

/* ---- spans ---- */

static size_t
aligned(size_t size)
{
	return (size + DEVICE_ALIGN - 1) / DEVICE_ALIGN * DEVICE_ALIGN;
}

void *
device_take_next(ScanGpuDevice *device, DeviceSpan *span, size_t size, const char *what, uint32_t number)
{
	int i = span->buffers++;

	span->at[i] = (char *) device_take(device, size, what, number);
	span->size[i] = size;
	return span->at[i];
}

/* Returns the number after the last of the buffers that lie side by side from number i on. */
static int
side_by_side(const ScanGpuDevice *device, const DeviceSpan *span, int i)
{
	return device->guard.mode == GUARD_NONE ? span->buffers : i + 1;
}

/* Returns the bytes of the buffers i .. next - 1, which lie side by side. */
static size_t
side_by_side_size(const DeviceSpan *span, int i, int next)
{
	return (size_t) (span->at[next - 1] - span->at[i]) + span->size[next - 1];
}

void
device_set(ScanGpuDevice *device, const DeviceSpan *span, int byte, cudaStream_t stream)
{
	for (int i = 0, next; i < span->buffers && device->error == cudaSuccess; i = next)
	{
		next = side_by_side(device, span, i);
		device_try(device, cudaMemsetAsync(span->at[i], byte, side_by_side_size(span, i, next), stream),
				   "setting memory");
	}
}

const void *
device_answer(const ScanGpuDevice *device, const DeviceSpan *span, int first, int i)
{
	const char *at = device->answers;

	for (int k = first; k < first + i; k++)
		at += aligned(span->size[k]);
	return at;
}

void
device_copy_answers(ScanGpuDevice *device, const DeviceSpan *span, int first, cudaStream_t stream)
{
	for (int i = first, next; i < span->buffers; i = next)
	{
		next = side_by_side(device, span, i);
		device_copy_out(device, (void *) device_answer(device, span, first, i - first), span->at[i],
						side_by_side_size(span, i, next), stream);
	}
}

/* ---- copies ---- */

/* True if `size` bytes from p on are in pinned memory, so that a copy can run while the host continues. */
static bool
is_pinned(const ScanGpuDevice *device, const void *p, size_t size)
{
	const char *at = (const char *) p;
	uint32_t	slot;

	if ((at >= device->answers && at < device->answers + device->answers_size) ||
		(at >= device->staging && at < device->staging + 2 * STAGING_SIZE))
		return true;
	if (!device->pinned || at < slot_at(device, 0) || at >= slot_at(device, device->slots))
		return false;
	slot = slot_of(device, at);
	return (size_t) (at - slot_at(device, slot)) + size <= device->pinned_size[slot];
}

void
device_copy_in(ScanGpuDevice *device, void *to, const void *from, size_t size, cudaStream_t stream)
{
	if (is_pinned(device, from, size))
	{
		device_try(device, cudaMemcpyAsync(to, from, size, cudaMemcpyHostToDevice, stream), "copying in");
		return;
	}
	/* one half is filled while the other is copied */
	for (size_t at = 0, half = 0; at < size && device->error == cudaSuccess; at += STAGING_SIZE, half ^= 1)
	{
		size_t piece = size - at < STAGING_SIZE ? size - at : STAGING_SIZE;
		char  *staging = device->staging + half * STAGING_SIZE;

		device_try(device, cudaEventSynchronize(device->staging_free[half]), "copying in");
		memcpy(staging, (const char *) from + at, piece);
		device_try(device, cudaMemcpyAsync((char *) to + at, staging, piece, cudaMemcpyHostToDevice, stream),
				   "copying in");
		device_try(device, cudaEventRecord(device->staging_free[half], stream), "copying in");
	}
}

void
device_copy_out(ScanGpuDevice *device, void *to, const void *from, size_t size, cudaStream_t stream)
{
	DeviceBack *back;

	if (is_pinned(device, to, size))
	{
		device_try(device, cudaMemcpyAsync(to, from, size, cudaMemcpyDeviceToHost, stream), "copying out");
		return;
	}
	back = &device->back[device->backs++];
	back->to = to;
	back->from = from;
	back->size = size;
}

/* Does a copy that was put off, in pieces: one piece is copied out of the staging memory while the next arrives. */
static void
copy_back(ScanGpuDevice *device, const DeviceBack *back)
{
	size_t before = 0; /* bytes of the piece before, which is still in the staging memory */
	size_t half = 0;

	for (size_t at = 0; at < back->size || before > 0; half ^= 1)
	{
		size_t piece = back->size - at < STAGING_SIZE ? back->size - at : STAGING_SIZE;

		if (piece > 0)
		{
			device_try(device,
					   cudaMemcpyAsync(device->staging + half * STAGING_SIZE, (const char *) back->from + at, piece,
									   cudaMemcpyDeviceToHost, device->out),
					   "copying out");
			device_try(device, cudaEventRecord(device->staging_free[half], device->out), "copying out");
		}
		if (before > 0)
		{
			device_try(device, cudaEventSynchronize(device->staging_free[half ^ 1]), "copying out");
			memcpy((char *) back->to + at - before, device->staging + (half ^ 1) * STAGING_SIZE, before);
		}
		at += piece;
		before = piece;
		if (device->error != cudaSuccess)
			return;
	}
}

bool
device_finish(ScanGpuDevice *device)
{
	/* a refused launch has left its error in cudaGetLastError() */
	device_try(device, cudaGetLastError(), "starting a kernel");
	for (cudaStream_t stream : {device->in, device->work, device->out})
		device_try(device, cudaStreamSynchronize(stream), "running");
	for (int i = 0; i < device->backs && device->error == cudaSuccess; i++)
		copy_back(device, &device->back[i]);
	device->backs = 0;
	/* a copy still running after an error must not write to the next job's staging memory */
	if (device->error != cudaSuccess)
		device_try(device, cudaStreamSynchronize(device->out), "running");
	else
		guard_check(device);
	return device->error == cudaSuccess;
}
