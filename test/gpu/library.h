/*
 * library.h: a device library loaded as the program scan_gpu loads it, without PostgreSQL, and the ring that its jobs
 * lie in: what check, jobs and soak have in common.
 */
#ifndef SCAN_GPU_TEST_LIBRARY_H
#define SCAN_GPU_TEST_LIBRARY_H

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "gpu.h"

static const ScanGpuLibrary *library;
static ScanGpuDevice		*device;
static ScanGpuInfo			 info;
static char					*ring;
static size_t				 ring_size, ring_used;

static inline void *
ring_take(size_t size)
{
	void *p = ring + ring_used;

	ring_used += (size + 255) / 256 * 256;
	if (ring_used > ring_size)
	{
		printf("Bail out! the ring is too small\n");
		exit(1);
	}
	return p;
}

/* With as much memory as that, 0 for what the library thinks fit. */
static void
open_device(uint64_t memory)
{
	ScanGpuOptions options;
	char		   reason[200] = "";

	memset(&options, 0, sizeof(options));
	options.memory = memory;
	options.ring = ring;
	options.ring_size = options.job_bytes = options.job_stride = ring_size;
	options.jobs = 1;
	device = library->open(&options, &info, reason, sizeof(reason));
	if (device == NULL)
	{
		printf("Bail out! no device: %s\n", reason);
		exit(1);
	}
}

/* Loads the library and opens its device with a ring of so many bytes; ends the program where that fails. */
static void
load_library(const char *path, size_t size)
{
	void *file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const ScanGpuLibrary *(*entry)(void);

	if (file == NULL)
	{
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
	*(void **) &entry = dlsym(file, SCAN_GPU_SYMBOL);
	library = entry == NULL ? NULL : entry();
	if (library == NULL || library->version != SCAN_GPU_VERSION || library->size != sizeof(ScanGpuJob) ||
		library->fingerprint != scan_fingerprint())
	{
		printf("Bail out! not a device library of this build\n");
		exit(1);
	}
	ring_size = (size + 4095) / 4096 * 4096;
	ring = (char *) mmap(NULL, ring_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
	{
		printf("Bail out! no memory for the ring\n");
		exit(1);
	}
	open_device(0);
	printf("# %s: %s, %s, %.1f GiB, %s; a job %.0f us, with keys %.0f us and %.0f us an operation, a byte %.4f ns, "
		   "a row of a sort %.3f ns\n",
		   library->name, info.name, info.driver, (double) info.memory / (1 << 30),
		   info.pinned ? "pinned" : "not pinned", info.setup_ns / 1e3, info.sort_setup_ns / 1e3,
		   info.operation_ns / 1e3, info.byte_ns, info.sort_ns);
}

/*
 * Runs a job.  SCAN_FAULT=6 has the mock device commit that ScanGpuFault, and SCAN_FAULT_EVERY=3 in every third job
 * only: so a test shows that whoever compares answers fails where they are wrong.
 */
static inline ScanGpuCode
run_job(ScanGpuJob *job, char *reason, size_t room)
{
	static int	count;
	const char *fault = getenv("SCAN_FAULT"), *every = getenv("SCAN_FAULT_EVERY");

	job->fault = fault != NULL && ++count % (every == NULL ? 1 : atoi(every)) == 0 ? (uint32_t) atoi(fault) : 0;
	return library->run(device, job, reason, room);
}

#endif /* SCAN_GPU_TEST_LIBRARY_H */
