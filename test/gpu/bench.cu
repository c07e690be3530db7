/*
 * bench.cu: how fast the kernels are, against a copy on the same device in the same run.
 *
 *   bench [ROWS]            134217728 rows unless told
 *
 * Columns lie in device memory and are much larger than its cache.  Each number is the
 * median of nine runs, timed by events, and counts the bytes that the scan has to read and
 * write once, whatever it does.  Every kernel of the classical table is held against a
 * plain loop's answers.  Then what the start, pinning and the bus cost, and whole jobs
 * against the CPU (bench_jobs.c).
 */
#include <algorithm>
#include <stdio.h>
#include <stdlib.h>
#include <string>
#include <time.h>
#include <vector>

#include "../law/random.h"
#include "bench_jobs.h"
#include "classics.h"
#include "lines.h"
#include "sort.h"

#ifndef SCAN_EMULATE
#include <cub/device/device_scan.cuh>
#endif

#define RUNS 9

static cudaEvent_t	from_event, to_event;
static cudaStream_t stream;
static double		copy_gbs;

static void
must(cudaError_t error, const char *what)
{
	if (error == cudaSuccess)
		return;
	printf("bench: %s: %s\n", what, cudaGetErrorString(error));
	exit(1);
}

template <typename T>
static T *
device_alloc(size_t n)
{
	void *p = NULL;

	must(cudaMalloc(&p, n * sizeof(T) + 256), "cudaMalloc");
	return (T *) p;
}

static double
seconds()
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

/* The median time of what `work` starts on the stream, in seconds. */
template <typename Work>
static double
timed(Work work)
{
	std::vector<float> ms;

	for (int i = 0; i < RUNS + 2; i++)
	{
		float one = 0;

		must(cudaEventRecord(from_event, stream), "event");
		work();
		must(cudaEventRecord(to_event, stream), "event");
		must(cudaEventSynchronize(to_event), "run");
		must(cudaGetLastError(), "launch");
		must(cudaEventElapsedTime(&one, from_event, to_event), "event");
		if (i >= 2)
			ms.push_back(one);
	}
	std::sort(ms.begin(), ms.end());
	return ms[ms.size() / 2] * 1e-3;
}

/* target: what part of a copy, in percent, it is meant to reach; 0: no target */
static void
say(const char *name, double bytes, double rows, double s, int target)
{
	double gbs = bytes / s * 1e-9;
	char   aim[30] = "";

	if (target > 0)
		snprintf(aim, sizeof(aim), "%d %%%s", target, 100 * gbs / copy_gbs < target ? ", missed" : "");
	printf("| %-44s | %8.3f | %8.1f | %7.1f | %5.1f %% | %-12s |\n", name, s * 1e3, gbs, rows / s * 1e-9,
		   100 * gbs / copy_gbs, aim);
}

static void
heading(const char *title)
{
	printf("\n| %-44s | %8s | %8s | %7s | %7s | %-12s |\n|%s|%s|%s|%s|%s|%s|\n", title, "ms", "GB/s", "Grows/s",
		   "of copy", "target", std::string(46, '-').c_str(), std::string(10, '-').c_str(),
		   std::string(10, '-').c_str(), std::string(9, '-').c_str(), std::string(9, '-').c_str(),
		   std::string(14, '-').c_str());
}

/* ---- data ---- */

typedef enum Fill
{
	FILL_BITS,	 /* any 64 bits */
	FILL_INT8,	 /* integers that do not overflow in sums */
	FILL_FLOAT8, /* about normal numbers of some digits */
	FILL_DECAY,	 /* coefficients of a recurrence, 0.5 to 1 */
	FILL_FILTER, /* pairs of them: a resonant filter's */
	FILL_VARY,	 /* pairs of them: others in every row, 0 to 0.5 */
	FILL_HEADS,	 /* bits: one in 256, in words */
	FILL_VALID,	 /* bits: three in four */
} Fill;

__global__ void
fill_kernel(uint64_t *to, int64_t n, Fill fill)
{
	int64_t	 i = (int64_t) blockIdx.x * 256 + threadIdx.x;
	uint64_t r = random_at((uint64_t) i), word = 0;
	double	 x;

	if (i >= n)
		return;
	switch (fill)
	{
		case FILL_BITS:
			to[i] = r;
			return;
		case FILL_INT8:
			to[i] = (uint64_t) ((int64_t) r >> 30);
			return;
		case FILL_FLOAT8:
			x = (double) ((int64_t) r >> 20) * 0x1p-30;
			break;
		case FILL_DECAY:
			x = 0.5 + (double) (r >> 12) * 0x1p-53;
			break;
		case FILL_FILTER:
			x = i % 2 == 0 ? 1.9 : -0.95;
			break;
		case FILL_VARY:
			x = (double) (r >> 12) * 0x1p-53;
			break;
		case FILL_HEADS:
			for (int k = 0; k < 64; k++)
				word |= (uint64_t) (random_at((uint64_t) (i * 64 + k)) % 256 == 0) << k;
			to[i] = word;
			return;
		default:
			to[i] = r | random_at(r);
			return;
	}
	memcpy(&to[i], &x, sizeof(x));
}

static void
fill(void *to, int64_t words, Fill how)
{
	LAUNCH(fill_kernel, (unsigned) ((words + 255) / 256), 256, stream, (uint64_t *) to, words, how);
	must(cudaStreamSynchronize(stream), "fill");
}

/* ---- our lines ---- */

typedef struct Bench
{
	int64_t	  n;
	void	 *in, *in2, *out;
	uint8_t	 *valid, *heads;
	uint32_t *out_valid;
} Bench;

/* A scan of the table, and how. */
typedef struct BenchScan
{
	const char *name;
	int			line;
	const void *param;
	size_t		in_size; /* bytes of a row's values */
	bool		nulls, heads;
	int			target;
} BenchScan;

static void
bench_line(const Bench *b, const BenchScan *what)
{
	LineScan			scan;
	int					line = what->line;
	size_t				answer_size = line_answer_size(line);
	char			   *room = device_alloc<char>(line_room(line, b->n, what->nulls, what->heads));
	char			   *answer = device_alloc<char>(answer_size);
	ScanCarry		   *carry = (ScanCarry *) calloc(1, sizeof(*carry) + 2 * sizeof(ExactSum));
	ScanGpuOperation	o;
	std::vector<double> host((answer_size + 7) / 8);
	double				s, bytes = (double) b->n * (double) (what->in_size + line_out_size(line));

	memset(&scan, 0, sizeof(scan));
	scan.line = line;
	scan.n = b->n;
	scan.param = what->param;
	scan.carry = carry;
	scan.in = b->in;
	scan.in2 = b->in2;
	scan.valid = what->nulls ? b->valid : NULL;
	scan.heads = what->heads ? b->heads : NULL;
	scan.out = b->out;
	scan.out_valid = b->out_valid;
	scan.room = room;
	scan.answer = answer;
	must(cudaMemsetAsync(b->out_valid, 0xff, (size_t) b->n / 8 + 8, stream), "set");
	s = timed([&]() { (void) line_start(&scan, stream); });
	bytes += (double) b->n / 8 * ((what->nulls ? 1 : 0) + (what->heads ? 1 : 0));
	say(what->name, bytes, (double) b->n, s, what->target);
	must(cudaMemcpyAsync(host.data(), answer, answer_size, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	memset(&o, 0, sizeof(o));
	o.line = (uint32_t) line;
	o.param = what->param;
	o.carry = carry;
	if (line_finish(host.data(), b->n, &o) != SCAN_GPU_OK || o.status != SCAN_OK)
		printf("bench: %s was not answered, status %d\n", what->name, o.status);
	must(cudaFree(room), "free");
	must(cudaFree(answer), "free");
	free(carry);
}

static void
bench_lines(const Bench *b)
{
	static const ClampParam		   clamp = {-1000000, 1000000, 0};
	static const ClampedFloatParam clamp_float = {-1000, 1000, 0};
	static const RecurrenceParam   recurrence = {sizeof(double), NULL, 1, {0}};
	static const RecurrenceParam   vector = {2 * sizeof(double), NULL, 2, {0}};
	static const EmaParam		   ema = {NULL, 0.1, false};
	static const EmaParam		   adjusted = {NULL, 0.1, true};
	static const BenchScan		   integers[] = {
				{"sum int8", SCAN_LINE_sum_int8, NULL, 8, false, false, 90},
				{"sum int8, segments", SCAN_LINE_sum_int8, NULL, 8, false, true, 80},
				{"sum int8, NULLs", SCAN_LINE_sum_int8, NULL, 8, true, false, 0},
				{"sum int8, NULLs and segments", SCAN_LINE_sum_int8, NULL, 8, true, true, 0},
				{"max int8", SCAN_LINE_max_int8, NULL, 8, false, false, 90},
				{"clamped_sum int8", SCAN_LINE_clamped_sum_int8, &clamp, 8, false, false, 0},
				{"sum int4", SCAN_LINE_sum_int4, NULL, 4, false, false, 0},
	};
	static const BenchScan count = {"count bool", SCAN_LINE_count_bool, NULL, 1, false, false, 0};
	static const BenchScan floats[] = {
		{"max float8", SCAN_LINE_max_float8, NULL, 8, false, false, 90},
		{"sum float8, exact", SCAN_LINE_sum_float8, NULL, 8, false, false, 60},
		{"sum float8, exact, segments", SCAN_LINE_sum_float8, NULL, 8, false, true, 0},
		{"clamped_sum float8", SCAN_LINE_clamped_sum_float8, &clamp_float, 8, false, false, 0},
		{"ema float8", SCAN_LINE_ema_float8, &ema, 8, false, false, 0},
		{"ema float8, adjusted", SCAN_LINE_ema_float8, &adjusted, 8, false, false, 0},
		{"ema float8, segments", SCAN_LINE_ema_float8, &ema, 8, false, true, 0},
	};
	static const BenchScan recurrences[] = {
		{"recurrence float8", SCAN_LINE_recurrence_float8, &recurrence, 16, false, false, 0},
		{"recurrence float8, NULLs", SCAN_LINE_recurrence_float8, &recurrence, 16, true, false, 0},
		{"recurrence float8, segments", SCAN_LINE_recurrence_float8, &recurrence, 16, false, true, 0},
	};
	static const BenchScan filters[] = {
		{"recurrence of order 2, a filter", SCAN_LINE_recurrence_vector, &vector, 24, false, false, 0},
		{"recurrence of order 2, a filter, segments", SCAN_LINE_recurrence_vector, &vector, 24, false, true, 0},
	};
	static const BenchScan varying = {
		"recurrence of order 2, coefficients vary", SCAN_LINE_recurrence_vector, &vector, 24, false, false, 0};

	heading("scans");
	fill(b->in, b->n, FILL_INT8);
	for (const BenchScan &scan : integers)
		bench_line(b, &scan);
	must(cudaMemsetAsync(b->in, 1, (size_t) b->n, stream), "set");
	bench_line(b, &count);
	fill(b->in, b->n, FILL_FLOAT8);
	for (const BenchScan &scan : floats)
		bench_line(b, &scan);
	fill(b->in, b->n, FILL_DECAY);
	fill(b->in2, b->n, FILL_FLOAT8);
	for (const BenchScan &scan : recurrences)
		bench_line(b, &scan);
	fill(b->in, 2 * b->n, FILL_FILTER);
	for (const BenchScan &scan : filters)
		bench_line(b, &scan);
	fill(b->in, 2 * b->n, FILL_VARY);
	bench_line(b, &varying);
}

/* ---- the classical scans ---- */

__global__ void
differ_kernel(const int64_t *a, const int64_t *b, int64_t n, unsigned long long *differ)
{
	int64_t i = (int64_t) blockIdx.x * 256 + threadIdx.x;

	if (i < n && a[i] != b[i])
		atomicAdd(differ, 1ull);
}

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
bench_classic(const Classic *c, const char *name, Work work)
{
	unsigned long long differ = 0;
	double			   s;

	must(cudaMemsetAsync(c->out, 0xee, (size_t) c->n * 8, stream), "set");
	s = timed(work);
	must(cudaMemsetAsync(c->differ, 0, 8, stream), "set");
	LAUNCH(differ_kernel, (unsigned) ((c->n + 255) / 256), 256, stream, c->out, c->expected, c->n, c->differ);
	must(cudaMemcpyAsync(&differ, c->differ, 8, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "compare");
	say(name, 16.0 * (double) c->n, (double) c->n, s, 0);
	if (differ != 0)
	{
		printf("bench: %s: %llu rows differ\n", name, differ);
		exit(1);
	}
}

/* The answers that all are held against: made on the host. */
static void
expect(const Classic *c)
{
	std::vector<int64_t> x((size_t) c->n);
	int64_t				 sum = 0;

	must(cudaMemcpyAsync(x.data(), c->in, (size_t) c->n * 8, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	for (int64_t &value : x)
		value = sum += value;
	must(cudaMemcpyAsync(c->expected, x.data(), (size_t) c->n * 8, cudaMemcpyHostToDevice, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
}

static void
bench_classics(const Bench *b)
{
	Classic c;

	fill(b->in, b->n, FILL_INT8);
	c.in = (const int64_t *) b->in;
	c.out = (int64_t *) b->out;
	c.n = b->n;
	c.expected = device_alloc<int64_t>((size_t) b->n);
	c.room = device_alloc<char>(classic_room_max(b->n));
	c.differ = device_alloc<unsigned long long>(1);
	expect(&c);
	heading("running sum of int8, the classical ways");
	for (const ClassicScan &classic : classic_scans)
		bench_classic(&c, classic.name, [&]() { classic.scan(c.in, c.out, c.n, c.room, stream); });
#ifndef SCAN_EMULATE
	size_t size = 0;
	void  *room;

	must(cub::DeviceScan::InclusiveSum(NULL, size, c.in, c.out, c.n, stream), "cub");
	room = device_alloc<char>(size);
	bench_classic(&c, "cub::DeviceScan",
				  [&]() { (void) cub::DeviceScan::InclusiveSum(room, size, c.in, c.out, c.n, stream); });
	must(cudaFree(room), "free");
#endif
	must(cudaFree(c.expected), "free");
	must(cudaFree(c.room), "free");
	must(cudaFree(c.differ), "free");
}

/* ---- sorts ---- */

static void
bench_sort(int64_t n, uint32_t bits)
{
	uint64_t *low = device_alloc<uint64_t>((size_t) n), *high = device_alloc<uint64_t>((size_t) n);
	uint32_t *order = device_alloc<uint32_t>((size_t) n);
	char	 *room;
	size_t	  room_size;
	SortKeys  keys = {low, bits > 64 ? high : NULL, bits, 0};
	double	  s;

	must(sort_room((uint32_t) n, bits, &room_size), "sort");
	room = device_alloc<char>(room_size);
	fill(low, n, FILL_BITS);
	must(cudaMemcpyAsync(high, low, (size_t) n * 8, cudaMemcpyDeviceToDevice, stream), "copy");
	s = timed([&]() { must(sort_order(&keys, (uint32_t) n, order, room, stream), "sort"); });
	printf("| %12lld | %4u | %9.3f | %9.2f |\n", (long long) n, bits, s * 1e3, (double) n / s * 1e-9);
	for (void *p : {(void *) low, (void *) high, (void *) order, (void *) room})
		must(cudaFree(p), "free");
}

static void
bench_sorts(int64_t max_n)
{
	printf("\n| sort: rows   | bits |        ms | Gkeys/s   |\n|--------------|------|-----------|-----------|\n");
	for (int64_t n = max_n < 65536 ? max_n : 65536; n <= max_n; n *= 16)
	{
		for (uint32_t bits : {1u, 32u, 64u, 128u})
			bench_sort(n, bits);
	}
}

/* ---- the bus ---- */

static void
bench_bus(size_t max_size)
{
	char *there = device_alloc<char>(max_size), *host = (char *) aligned_alloc(4096, max_size),
		 *plain = (char *) malloc(max_size);
	double from;

	memset(host, 1, max_size);
	memset(plain, 1, max_size);
	from = seconds();
	if (cudaHostRegister(host, max_size, cudaHostRegisterDefault) == cudaSuccess)
		printf("\npinning %zu MiB: %.1f ms\n", max_size >> 20, (seconds() - from) * 1e3);
	else
		printf("\npinning is refused\n");
	(void) cudaGetLastError();
	printf("\n| slot, MiB | in, GB/s | out, GB/s | in, not pinned "
		   "|\n|-----------|----------|-----------|----------------|\n");
	for (size_t size = (size_t) 1 << 20; size <= max_size; size *= 4)
	{
		double in = timed([&]() { (void) cudaMemcpyAsync(there, host, size, cudaMemcpyHostToDevice, stream); });
		double out = timed([&]() { (void) cudaMemcpyAsync(host, there, size, cudaMemcpyDeviceToHost, stream); });
		double slow = timed([&]() { (void) cudaMemcpyAsync(there, plain, size, cudaMemcpyHostToDevice, stream); });

		printf("| %9zu | %8.2f | %9.2f | %14.2f |\n", size >> 20, (double) size / in * 1e-9, (double) size / out * 1e-9,
			   (double) size / slow * 1e-9);
	}
	(void) cudaHostUnregister(host);
	must(cudaFree(there), "free");
	free(host);
	free(plain);
}

int
main(int argc, char **argv)
{
	int64_t		   n = argc > 1 ? atoll(argv[1]) : 134217728;
	double		   from = seconds(), s;
	cudaDeviceProp properties;
	Bench		   b;

	setvbuf(stdout, NULL, _IOLBF, 0);
	must(cudaSetDevice(0), "no device");
	must(cudaDeviceSynchronize(), "no device");
	printf("context: %.0f ms\n", (seconds() - from) * 1e3);
	must(cudaGetDeviceProperties(&properties, 0), "device");
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
	must(cudaEventCreate(&from_event), "event");
	must(cudaEventCreate(&to_event), "event");
	b.n = n;
	b.in = device_alloc<uint64_t>(2 * (size_t) n); /* two coefficients a row */
	b.in2 = device_alloc<uint64_t>((size_t) n);
	b.out = device_alloc<uint64_t>((size_t) n);
	b.valid = device_alloc<uint8_t>((size_t) n / 8 + 64);
	b.heads = device_alloc<uint8_t>((size_t) n / 8 + 64);
	b.out_valid = device_alloc<uint32_t>((size_t) n / 32 + 64);
	fill(b.valid, n / 64 + 1, FILL_VALID);
	fill(b.heads, n / 64 + 1, FILL_HEADS);
	fill(b.in, n, FILL_BITS);
	s = timed([&]() { (void) cudaMemcpyAsync(b.out, b.in, (size_t) n * 8, cudaMemcpyDeviceToDevice, stream); });
	copy_gbs = 16.0 * (double) n / s * 1e-9;
	printf("%s, %lld rows; a copy on the device: %.0f GB/s, read and written\n", properties.name, (long long) n,
		   copy_gbs);
	bench_lines(&b);
	bench_classics(&b);
	for (void *p : {b.in, b.in2, b.out})
		must(cudaFree(p), "free");
	bench_sorts(n);
	bench_bus((size_t) (n < 1000000 ? 4 : 256) << 20);
	bench_jobs(n);
	return 0;
}
