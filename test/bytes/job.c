/*
 * job.c: a job of the ring from random bytes, for libFuzzer.
 *
 * The bytes are a WireJob and the data of its slot.  gpu/job.c must refuse the job or make one of it that stays within
 * the slot, so an accepted job is run by the mock device (gpu/mock.c): a loop that reads or writes beyond the slot is
 * seen by AddressSanitizer.  run.sh gives jobs of test/law/device.c to begin with (seeds.c).
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/job.h"

/* A job of more bytes says nothing new, and takes longer. */
#define MOST_DATA 16384

extern int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static ScanGpuDevice *device;
	static WireJob		  wire;
	static ScanGpuJob	  job;
	char				 *data;
	char				  reason[WIRE_REASON];

	if (device == NULL)
	{
		ScanGpuOptions options = {0};
		ScanGpuInfo	   info;

		device = scan_gpu_library()->open(&options, &info, reason, sizeof(reason));
	}
	if (size < sizeof(wire) || size > sizeof(wire) + MOST_DATA)
		return 0;
	memcpy(&wire, bytes, sizeof(wire));
	size -= sizeof(wire);
	/* exactly as long as the data: what follows is poisoned */
	if (posix_memalign((void **) &data, WIRE_PAGE, size == 0 ? 1 : size) != 0)
		return 0;
	memcpy(data, bytes + sizeof(wire), size);
	if (job_of_wire(&wire, data, size, &job))
	{
		/* other faults wait, or end the program */
		job.fault = SCAN_FAULT_NONE;
		job_to_wire(&job, scan_gpu_library()->run(device, &job, reason, sizeof(reason)), &wire);
	}
	free(data);
	return 0;
}
