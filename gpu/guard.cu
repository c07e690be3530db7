/*
 * guard.cu: see guard.h.
 */
#include "guard.h"

#include <stdio.h>
#include <stdlib.h>

#include "device.h"

#define GUARD_BYTE 0xa5
#define GUARD_ZONE ((size_t) 4096) /* bytes; a multiple of the alignment of buffers */

static_assert(2 * GUARD_ZONE * GUARD_BUFFERS <= 2 * STAGING_SIZE, "all zones come to the host at once");

GuardMode
guard_mode(void)
{
	const char *asked = getenv("SCAN_GPU_CHECK");
	int			mode = asked == NULL ? GUARD_NONE : atoi(asked);

	return mode == GUARD_ZONES || mode == GUARD_BARE ? (GuardMode) mode : GUARD_NONE;
}

static size_t
zone_size(const Guard *guard)
{
	return guard->mode == GUARD_ZONES ? GUARD_ZONE : 0;
}

void *
guard_take(ScanGpuDevice *device, size_t size, const char *what, uint32_t number)
{
	Guard *guard = &device->guard;
	size_t zone = zone_size(guard), whole = size + 2 * zone;
	void  *allocation;

	if (guard->buffers == GUARD_BUFFERS)
	{
		device_try(device, cudaErrorInvalidValue, "taking more buffers than a job has");
		return NULL;
	}
	/* an allocation of 0 bytes would have no address */
	if (!device_try(device, cudaMalloc(&allocation, whole > 0 ? whole : 1), "allocating a buffer"))
		return NULL;
	guard->buffer[guard->buffers++] = {(char *) allocation, size, what, number};
	if (guard->mode == GUARD_ZONES)
	{
		device_try(device, cudaMemsetAsync(allocation, GUARD_BYTE, whole, device->in), "filling a buffer");
		/* other streams use the buffer, too */
		device_try(device, cudaStreamSynchronize(device->in), "filling a buffer");
	}
	return (char *) allocation + zone;
}

/* Returns the offset of the changed byte of a zone that is nearest to the buffer; -1 if none has changed. */
static int
changed_byte(const unsigned char *zone, bool is_behind)
{
	for (int i = 0; i < (int) GUARD_ZONE; i++)
	{
		int at = is_behind ? i : (int) GUARD_ZONE - 1 - i;

		if (zone[at] != GUARD_BYTE)
			return at;
	}
	return -1;
}

/* Notes an error if a zone has changed.  The message counts bytes from the buffer's first byte. */
static void
check_zone(ScanGpuDevice *device, const GuardedBuffer *buffer, const unsigned char *zone, bool is_behind)
{
	Guard	 *guard = &device->guard;
	int		  at = changed_byte(zone, is_behind);
	long long byte = at + (is_behind ? (long long) buffer->size : -(long long) GUARD_ZONE);
	char	  number[16] = "";

	if (at < 0)
		return;
	if (buffer->number > 0)
		snprintf(number, sizeof(number), " %u", buffer->number);
	snprintf(guard->violation, sizeof(guard->violation), "writing to byte %lld of %s%s, which has %zu bytes", byte,
			 buffer->what, number, buffer->size);
	device_try(device, cudaErrorIllegalAddress, guard->violation);
}

void
guard_check(ScanGpuDevice *device)
{
	Guard *guard = &device->guard;
	char  *zone = device->staging;

	if (guard->mode != GUARD_ZONES)
		return;
	for (int i = 0; i < guard->buffers; i++)
		for (int is_behind = 0; is_behind < 2; is_behind++, zone += GUARD_ZONE)
			device_try(device,
					   cudaMemcpyAsync(
						   zone, guard->buffer[i].allocation + (is_behind ? GUARD_ZONE + guard->buffer[i].size : 0),
						   GUARD_ZONE, cudaMemcpyDeviceToHost, device->out),
					   "checking red zones");
	device_try(device, cudaStreamSynchronize(device->out), "checking red zones");
	for (int i = 0; i < 2 * guard->buffers && device->error == cudaSuccess; i++)
		check_zone(device, &guard->buffer[i / 2], (const unsigned char *) device->staging + i * GUARD_ZONE, i % 2 == 1);
}

void
guard_give_back(ScanGpuDevice *device)
{
	Guard *guard = &device->guard;

	for (int i = 0; i < guard->buffers; i++)
		device_try(device, cudaFree(guard->buffer[i].allocation), "freeing a buffer");
	guard->buffers = 0;
}
