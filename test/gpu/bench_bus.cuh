/*
 * bench_bus.cuh: the part of bench.cu that times the bus: from memory as the ring is, a memfd that is registered, each
 * way alone and both at once; and from memory that is not.
 */
#ifndef SCAN_GPU_BENCH_BUS_CUH
#define SCAN_GPU_BENCH_BUS_CUH

#include <sys/mman.h>
#include <unistd.h>

#include "bench.cuh"

/* Memory of a memfd, mapped and shared as the ring is; touched. */
static char *
ring_like_memory(size_t size)
{
	int	  file = memfd_create("scan_bench", MFD_CLOEXEC);
	void *p = file < 0 || ftruncate(file, (off_t) size) != 0
				  ? MAP_FAILED
				  : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (p == MAP_FAILED)
	{
		printf("bench: no memfd of %zu bytes\n", size);
		exit(1);
	}
	(void) close(file);
	return (char *) memset(p, 1, size);
}

/* Both ways at once, each a stream of its own; the second starts with the first, and the first ends with both. */
static double
both_ways(char *there, char *host, size_t size, cudaStream_t second, cudaEvent_t begun, cudaEvent_t done)
{
	return timed(
		[&]()
		{
			must(cudaEventRecord(begun, stream), "event");
			must(cudaStreamWaitEvent(second, begun, 0), "wait");
			must(cudaMemcpyAsync(there, host, size, cudaMemcpyHostToDevice, stream), "copy");
			must(cudaMemcpyAsync(host + size, there + size, size, cudaMemcpyDeviceToHost, second), "copy");
			must(cudaEventRecord(done, second), "event");
			must(cudaStreamWaitEvent(stream, done, 0), "wait");
		});
}

static void
bus_row(size_t size, double in, double out, double both, double slow)
{
	double bytes = (double) size;

	printf("| %9zu | %8.2f | %9.2f | %15.2f | %14.2f |\n", size >> 20, bytes / in * 1e-9, bytes / out * 1e-9,
		   2 * bytes / both * 1e-9, bytes / slow * 1e-9);
	table_row("bus", "in", bytes / 8, "GB/s", bytes / in * 1e-9);
	table_row("bus", "out", bytes / 8, "GB/s", bytes / out * 1e-9);
	table_row("bus", "both ways at once", bytes / 8, "GB/s", 2 * bytes / both * 1e-9);
	table_row("bus", "in, not pinned", bytes / 8, "GB/s", bytes / slow * 1e-9);
}

static void
bench_bus(size_t max_size)
{
	char		*there = device_alloc<char>(2 * max_size), *host = ring_like_memory(2 * max_size);
	char		*plain = (char *) malloc(max_size);
	double		 from;
	bool		 pinned;
	cudaStream_t second = NULL;
	cudaEvent_t	 begun = NULL, done = NULL;

	must(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "stream");
	must(cudaEventCreate(&begun), "event");
	must(cudaEventCreate(&done), "event");
	memset(plain, 1, max_size);
	from = seconds();
	pinned = cudaHostRegister(host, 2 * max_size, cudaHostRegisterDefault) == cudaSuccess;
	from = seconds() - from;
	(void) cudaGetLastError();
	printf("\npinning a memfd of %zu MiB: ", 2 * max_size >> 20);
	if (pinned)
		printf("%.1f ms\n", from * 1e3);
	else
		printf("refused\n");
	table_row("bus", "pinned", (double) max_size / 4, "yes or no", pinned);
	table_row("bus", "pinning", (double) max_size / 4, "ms", from * 1e3);
	printf("\n| slot, MiB | in, GB/s | out, GB/s | both ways, GB/s | in, not pinned "
		   "|\n|-----------|----------|-----------|-----------------|----------------|\n");
	for (size_t size = (size_t) 1 << 20; size <= max_size; size *= 4)
	{
		double in = timed([&]() { must(cudaMemcpyAsync(there, host, size, cudaMemcpyHostToDevice, stream), "copy"); });
		double out = timed([&]() { must(cudaMemcpyAsync(host, there, size, cudaMemcpyDeviceToHost, stream), "copy"); });
		double both = both_ways(there, host, size, second, begun, done);
		double slow = timed([&]()
							{ must(cudaMemcpyAsync(there, plain, size, cudaMemcpyHostToDevice, stream), "copy"); });

		bus_row(size, in, out, both, slow);
	}
	if (pinned)
		must(cudaHostUnregister(host), "unpinning");
	must(cudaFree(there), "free");
	must(cudaStreamDestroy(second), "stream");
	(void) munmap(host, 2 * max_size);
	free(plain);
}

#endif /* SCAN_GPU_BENCH_BUS_CUH */
