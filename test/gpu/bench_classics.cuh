/*
 * bench_classics.cuh: the part of bench.cu that times the classical scans, and holds each against a plain loop's
 * answers.
 */
#ifndef SCAN_GPU_BENCH_CLASSICS_CUH
#define SCAN_GPU_BENCH_CLASSICS_CUH

#include "bench.cuh"
#include "classics.h"

__global__ void
differ_kernel(const int64_t *a, const int64_t *b, int64_t n, unsigned long long *differ)
{
	int64_t i = (int64_t) blockIdx.x * 256 + threadIdx.x;

	if (i < n && a[i] != b[i])
		atomicAdd(differ, 1ull);
}

/* A scan of int64 into int64, and a plain loop's answers to hold it against. */
typedef struct Classic
{
	const int64_t	   *in;
	int64_t			   *out, *expected;
	int64_t				n;
	void			   *room;
	unsigned long long *differ;
} Classic;

template <typename Work>
static void
bench_classic(const Classic *c, const char *name, double row_bytes, Work work)
{
	unsigned long long differ = 0;
	double			   s;

	must(cudaMemsetAsync(c->out, 0xee, (size_t) c->n * 8, stream), "set");
	s = timed(work);
	must(cudaMemsetAsync(c->differ, 0, 8, stream), "set");
	LAUNCH(differ_kernel, (unsigned) ((c->n + 255) / 256), 256, stream, c->out, c->expected, c->n, c->differ);
	must(cudaMemcpyAsync(&differ, c->differ, 8, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "compare");
	say(name, row_bytes * (double) c->n, (double) c->n, s, 0);
	if (differ != 0)
	{
		printf("bench: %s: %llu rows differ\n", name, differ);
		failures++;
	}
}

/* The answers that all are held against: made on the host by next(answer before, value, row). */
template <typename Next>
static void
expect(const Classic *c, Next next)
{
	std::vector<int64_t> x((size_t) c->n);

	must(cudaMemcpyAsync(x.data(), c->in, (size_t) c->n * 8, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	for (size_t i = 1; i < x.size(); i++)
		x[i] = next(x[i - 1], x[i], (int64_t) i);
	must(cudaMemcpyAsync(c->expected, x.data(), (size_t) c->n * 8, cudaMemcpyHostToDevice, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
}

static Classic
classic_start(const int64_t *in, int64_t *out, int64_t n, size_t room)
{
	return {
		in, out, device_alloc<int64_t>((size_t) n), n, device_alloc<char>(room), device_alloc<unsigned long long>(1)};
}

static void
classic_end(const Classic *c)
{
	for (void *p : {(void *) c->expected, c->room, (void *) c->differ})
		must(cudaFree(p), "free");
}

static void
bench_classics(int64_t *in, int64_t *out, int64_t n)
{
	Classic c = classic_start(in, out, n, classic_room_max(n));

	fill(in, n, FILL_INT8);
	expect(&c, [](int64_t before, int64_t value, int64_t) { return before + value; });
	heading("running sum of int8, the classical ways");
	for (const ClassicScan &classic : classic_scans)
		bench_classic(&c, classic.name, 16, [&]() { classic.scan(c.in, c.out, c.n, c.room, stream); });
	classic_end(&c);
}

#endif /* SCAN_GPU_BENCH_CLASSICS_CUH */
