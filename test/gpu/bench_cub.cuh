/*
 * bench_cub.cuh: the part of bench.cu that times CUB's scans and sorts, as baselines.
 *
 * The emulator has no CUB: there is nothing of this in bench_emulated.  Where the code is CUB's alone a wrong answer
 * would be ours, of how it is called; so it is compared, too.
 */
#ifndef SCAN_GPU_BENCH_CUB_CUH
#define SCAN_GPU_BENCH_CUB_CUH

#include "bench_classics.cuh"

#ifdef SCAN_EMULATE

static void
bench_cub(void *, void *, void *, int64_t)
{
}

static void
bench_cub_keys(int64_t)
{
}

#else

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#define SEGMENT_ROWS 256 /* of a segment, about */

struct Larger
{
	__host__ __device__ int64_t
	operator()(int64_t a, int64_t b) const
	{
		return a > b ? a : b;
	}
};

/* A call of CUB's, call(room, size): once for the size of its room, then with that room, timed by `time`. */
template <typename Call, typename Time>
static void
with_room(Call call, Time time)
{
	size_t size = 0;
	void  *room;

	must(call((void *) NULL, size), "cub");
	room = device_alloc<char>(size);
	time([&]() { must(call(room, size), "cub"); });
	must(cudaFree(room), "free");
}

/* Scans of int8: sums, the greatest, and sums by segments, which CUB knows by keys of 4 bytes. */
static void
bench_cub_scans(int64_t *in, uint32_t *keys, int64_t *out, int64_t n)
{
	Classic				  c = classic_start(in, out, n, 1);
	std::vector<uint32_t> key((size_t) n);

	for (int64_t i = 1; i < n; i++)
		key[(size_t) i] = key[(size_t) i - 1] + (random_at((uint64_t) i) % SEGMENT_ROWS == 0);
	must(cudaMemcpyAsync(keys, key.data(), (size_t) n * 4, cudaMemcpyHostToDevice, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	expect(&c, [](int64_t before, int64_t value, int64_t) { return before + value; });
	with_room([&](void *room, size_t &size) { return cub::DeviceScan::InclusiveSum(room, size, c.in, out, n, stream); },
			  [&](auto work) { bench_classic(&c, "cub, sum int8", 16, work); });
	expect(&c, [](int64_t before, int64_t value, int64_t) { return Larger()(before, value); });
	with_room([&](void *room, size_t &size)
			  { return cub::DeviceScan::InclusiveScan(room, size, c.in, out, Larger(), n, stream); },
			  [&](auto work) { bench_classic(&c, "cub, max int8", 16, work); });
	expect(&c, [&](int64_t before, int64_t value, int64_t i)
		   { return key[(size_t) i] == key[(size_t) i - 1] ? before + value : value; });
	with_room(
		[&](void *room, size_t &size)
		{ return cub::DeviceScan::InclusiveSumByKey(room, size, keys, c.in, out, n, cuda::std::equal_to<>(), stream); },
		[&](auto work) { bench_classic(&c, "cub, sum int8 by keys of 4 bytes, segments", 20, work); });
	classic_end(&c);
}

/* One in 64 is 1, the rest 0: so few that their sums are exact in any order. */
__global__ void
fill_ones_kernel(float *to, int64_t n)
{
	int64_t i = (int64_t) blockIdx.x * 256 + threadIdx.x;

	if (i < n)
		to[i] = i % 64 == 0 ? 1.0f : 0.0f;
}

/* What others give figures of: a sum of 2^28 numbers of 4 bytes, where there are 2^27 rows of 8. */
static void
bench_cub_float(float *in, float *out, int64_t n)
{
	float last = 0, expected = (float) ((n + 63) / 64);

	LAUNCH(fill_ones_kernel, (unsigned) ((n + 255) / 256), 256, stream, in, n);
	must(cudaStreamSynchronize(stream), "fill");
	with_room([&](void *room, size_t &size) { return cub::DeviceScan::InclusiveSum(room, size, in, out, n, stream); },
			  [&](auto work) { say("cub, sum float4", 8.0 * (double) n, (double) n, timed(work), 0); });
	must(cudaMemcpyAsync(&last, out + n - 1, sizeof(last), cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	if (last != expected)
	{
		printf("bench: cub, sum float4: %.9g and not %.9g\n", (double) last, (double) expected);
		failures++;
	}
}

template <typename Key>
__global__ void
falls_kernel(const Key *key, int64_t n, unsigned long long *falls)
{
	int64_t i = (int64_t) blockIdx.x * 256 + threadIdx.x;

	if (i > 0 && i < n && key[i - 1] > key[i])
		atomicAdd(falls, 1ull);
}

/* Keys and nothing else: no row comes with them. */
template <typename Key>
static void
bench_cub_sort(const char *name, Key *in, Key *out, int64_t n)
{
	unsigned long long *falls = device_alloc<unsigned long long>(1), found = 0;

	with_room([&](void *room, size_t &size)
			  { return cub::DeviceRadixSort::SortKeys(room, size, in, out, n, 0, (int) sizeof(Key) * 8, stream); },
			  [&](auto work) { say(name, 2.0 * sizeof(Key) * (double) n, (double) n, timed(work), 0); });
	must(cudaMemsetAsync(falls, 0, sizeof(*falls), stream), "set");
	LAUNCH(falls_kernel<Key>, (unsigned) ((n + 255) / 256), 256, stream, out, n, falls);
	must(cudaMemcpyAsync(&found, falls, sizeof(found), cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	if (found != 0)
	{
		printf("bench: %s: %llu keys are less than those before\n", name, found);
		failures++;
	}
	must(cudaFree(falls), "free");
}

#define KEYS_ROW_BITS 26
#define KEYS_BITS 38

/* Keys and rows apart, and in one word. */
__global__ void
fill_keys_kernel(uint64_t *keys, uint32_t *rows, uint64_t *words, int64_t n)
{
	int64_t i = (int64_t) blockIdx.x * 256 + threadIdx.x;

	if (i >= n)
		return;
	keys[i] = random_at((uint64_t) i) >> (64 - KEYS_BITS);
	rows[i] = (uint32_t) i;
	words[i] = keys[i] << KEYS_ROW_BITS | (uint64_t) i;
}

__global__ void
orders_differ_kernel(const uint32_t *order, const uint64_t *words, int64_t n, unsigned long long *differ)
{
	int64_t i = (int64_t) blockIdx.x * 256 + threadIdx.x;

	if (i < n && order[i] != (words[i] & ((UINT64_C(1) << KEYS_ROW_BITS) - 1)))
		atomicAdd(differ, 1ull);
}

/* The same rows by pairs of key and row, 24 bytes a digit and row, and by words, 16 bytes. */
static void
bench_cub_keys_of(int64_t n)
{
	uint64_t		   *keys = device_alloc<uint64_t>((size_t) n), *words = device_alloc<uint64_t>((size_t) n);
	uint64_t		   *out = device_alloc<uint64_t>((size_t) n);
	uint32_t		   *rows = device_alloc<uint32_t>((size_t) n), *order = device_alloc<uint32_t>((size_t) n);
	unsigned long long *differ = device_alloc<unsigned long long>(1), found = 0;

	LAUNCH(fill_keys_kernel, (unsigned) ((n + 255) / 256), 256, stream, keys, rows, words, n);
	must(cudaStreamSynchronize(stream), "fill");
	with_room([&](void *room, size_t &size)
			  { return cub::DeviceRadixSort::SortPairs(room, size, keys, out, rows, order, n, 0, KEYS_BITS, stream); },
			  [&](auto work)
			  { say("cub, pairs of a key of 38 bits and a row", 24.0 * (double) n, (double) n, timed(work), 0); });
	with_room([&](void *room, size_t &size)
			  { return cub::DeviceRadixSort::SortKeys(room, size, words, out, n, KEYS_ROW_BITS, 64, stream); },
			  [&](auto work) { say("cub, words that hold both", 16.0 * (double) n, (double) n, timed(work), 0); });
	must(cudaMemsetAsync(differ, 0, sizeof(*differ), stream), "set");
	LAUNCH(orders_differ_kernel, (unsigned) ((n + 255) / 256), 256, stream, order, out, n, differ);
	must(cudaMemcpyAsync(&found, differ, sizeof(found), cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	if (found != 0)
	{
		printf("bench: pairs and words: %llu rows of the two orders differ\n", found);
		failures++;
	}
	for (void *p : {(void *) keys, (void *) words, (void *) out, (void *) rows, (void *) order, (void *) differ})
		must(cudaFree(p), "free");
}

/* As many rows as a slot of 16 MB holds, as the queries of e2e.sh have, and as many as fit beside a key. */
static void
bench_cub_keys(int64_t max_n)
{
	heading("CUB's sort of pairs, and of words");
	for (int64_t n : {(int64_t) 350000, (int64_t) 4000000, (int64_t) 1 << KEYS_ROW_BITS})
		if (n <= max_n)
			bench_cub_keys_of(n);
}

/* `in` and `out` have n words of 8 bytes, `other` as many. */
static void
bench_cub(void *in, void *other, void *out, int64_t n)
{
	heading("CUB's");
	fill(in, n, FILL_INT8);
	bench_cub_scans((int64_t *) in, (uint32_t *) other, (int64_t *) out, n);
	bench_cub_float((float *) in, (float *) out, 2 * n);
	fill(in, n, FILL_BITS);
	bench_cub_sort("cub, keys of 4 bytes", (uint32_t *) in, (uint32_t *) out, n);
	bench_cub_sort("cub, keys of 8 bytes", (uint64_t *) in, (uint64_t *) out, n);
}

#endif

#endif /* SCAN_GPU_BENCH_CUB_CUH */
