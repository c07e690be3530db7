/*
 * take.cu: device_take() as gpu/device.cu has it, but with a red zone behind everything that is taken.
 *
 * The library lays a job's things side by side in one allocation, where one that is too short reads and writes
 * its neighbour.  Here it meets memory that belongs to nothing.  A new job, which begins at 0, finds nothing of
 * the one before.
 */
#include "device.h"
#include "memory.h"

#define TAKE_ALIGN 256
#define TAKE_RED_ZONE 256

void *
device_take(ScanGpuDevice *device, size_t size)
{
	size_t at = device->taken;

	device->taken += (size + TAKE_ALIGN - 1) / TAKE_ALIGN * TAKE_ALIGN + TAKE_RED_ZONE;
	if (device->memory == NULL || device->taken > device->memory_size)
		return NULL;
	if (at == 0)
		memory_withdraw(device->memory);
	memory_hand_out(device->memory + at, size);
	return device->memory + at;
}
