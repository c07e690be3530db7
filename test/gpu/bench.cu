/*
 * bench.cu: how fast the kernels are, against a copy on the same device in the same run.
 *
 *   bench [WORD...] [ROWS]  134217728 rows unless told
 *
 * The words choose parts; without a word all run but the last:
 *
 *   scans      the lines of list.h
 *   classics   the classical scans (bench_classics.cuh)
 *   cub        CUB's scans and sorts (bench_cub.cuh)
 *   keys       CUB's sort of pairs, and of words that hold key and row (bench_cub.cuh)
 *   frames     sums of moving frames (bench_frames.cuh)
 *   sort       sorts by keys
 *   bus        copies, and pinning (bench_bus.cuh)
 *   profile    nine kernels, once each, between the calls by which a profiler knows what to look at; no times
 *
 * Columns lie in device memory and are much larger than its cache; the scans go also over 1 and 1.39 million rows, as
 * many as a slot of 16 MB holds, which fit in it.  Each number is the median of nine runs, timed by events, and counts
 * the bytes that the scan has to read and write once, whatever it does.  Every scan of the classical table and of CUB's
 * is held against a plain loop's answers.  Where there is no device, a line is not answered or answers differ it fails.
 */
#include "bench.cuh"
#include "bench_bus.cuh"
#include "bench_classics.cuh"
#include "bench_cub.cuh"
#include "bench_frames.cuh"
#include "lines.h"
#include "op/serialize.h"
#include "sort.h"

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
	size_t				zeroed_size = line_zeroed(line, b->n, what->nulls, what->heads);
	char			   *zeroed = device_alloc<char>(zeroed_size);
	ScanCarry		   *carry = (ScanCarry *) calloc(1, sizeof(*carry) + 2 * sizeof(ExactSum));
	ScanGpuOperation	o;
	std::vector<double> host((answer_size + 7) / 8);
	std::vector<double> first(SERIALIZED_ORDERS * LINE_HOST_ROWS);
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
	scan.zeroed = zeroed;
	scan.answer = answer;
	must(cudaMemcpyAsync(first.data(), b->in, first.size() * sizeof(double), cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	scan.host_in = first.data();
	must(cudaMemsetAsync(b->out_valid, 0xff, (size_t) b->n / 8 + 8, stream), "set");
	s = timed(
		[&]()
		{
			(void) cudaMemsetAsync(zeroed, 0, zeroed_size, stream);
			(void) cudaMemsetAsync(answer, 0, answer_size, stream);
			(void) line_start(&scan, stream);
		});
	bytes += (double) b->n / 8 * ((what->nulls ? 1 : 0) + (what->heads ? 1 : 0));
	if (profiled)
		printf("# %s\n", what->name);
	else
		say(what->name, bytes, (double) b->n, s, what->target);
	must(cudaMemcpyAsync(host.data(), answer, answer_size, cudaMemcpyDeviceToHost, stream), "copy");
	must(cudaStreamSynchronize(stream), "copy");
	memset(&o, 0, sizeof(o));
	o.line = (uint32_t) line;
	o.param = what->param;
	o.carry = carry;
	if (line_finish(host.data(), b->n, &o) != SCAN_GPU_OK || o.status != SCAN_OK)
	{
		printf("bench: %s was not answered, status %d\n", what->name, o.status);
		failures++;
	}
	must(cudaFree(room), "free");
	must(cudaFree(answer), "free");
	must(cudaFree(zeroed), "free");
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
				{"sum int8", SCAN_OP_sum_int8, NULL, 8, false, false, 75},
				{"sum int8, segments", SCAN_OP_sum_int8, NULL, 8, false, true, 65},
				{"sum int8, NULLs", SCAN_OP_sum_int8, NULL, 8, true, false, 0},
				{"sum int8, NULLs and segments", SCAN_OP_sum_int8, NULL, 8, true, true, 0},
				{"max int8", SCAN_OP_max_int8, NULL, 8, false, false, 75},
				{"clamped_sum int8", SCAN_OP_clamped_sum_int8, &clamp, 8, false, false, 0},
				{"sum int4", SCAN_OP_sum_int4, NULL, 4, false, false, 0},
	};
	static const BenchScan count = {"count bool", SCAN_OP_count_bool, NULL, 1, false, false, 0};
	static const BenchScan floats[] = {
		{"max float8", SCAN_OP_max_float8, NULL, 8, false, false, 75},
		{"sum float8, exact", SCAN_OP_sum_float8, NULL, 8, false, false, 50},
		{"sum float8, exact, segments", SCAN_OP_sum_float8, NULL, 8, false, true, 0},
		{"clamped_sum float8", SCAN_OP_clamped_sum_float8, &clamp_float, 8, false, false, 0},
		{"ema float8", SCAN_OP_ema_float8, &ema, 8, false, false, 0},
		{"ema float8, adjusted", SCAN_OP_ema_float8, &adjusted, 8, false, false, 0},
		{"ema float8, segments", SCAN_OP_ema_float8, &ema, 8, false, true, 0},
	};
	static const BenchScan recurrences[] = {
		{"recurrence float8", SCAN_OP_recurrence_float8, &recurrence, 16, false, false, 0},
		{"recurrence float8, NULLs", SCAN_OP_recurrence_float8, &recurrence, 16, true, false, 0},
		{"recurrence float8, segments", SCAN_OP_recurrence_float8, &recurrence, 16, false, true, 0},
	};
	static const BenchScan filters[] = {
		{"recurrence of order 2, a filter", SCAN_OP_recurrence_vector, &vector, 24, false, false, 0},
		{"recurrence of order 2, a filter, segments", SCAN_OP_recurrence_vector, &vector, 24, false, true, 0},
	};
	static const BenchScan varying = {
		"recurrence of order 2, coefficients vary", SCAN_OP_recurrence_vector, &vector, 24, false, false, 0};

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

/* ---- sorts ---- */

static void
bench_sort(int64_t n, uint32_t bits)
{
	uint64_t *low = device_alloc<uint64_t>((size_t) n), *high = device_alloc<uint64_t>((size_t) n);
	uint32_t *order = device_alloc<uint32_t>((size_t) n);
	char	 *room;
	size_t	  room_size;
	SortKeys  keys = {low, bits > 64 ? high : NULL, bits, 0, 0, 0};
	double	  s;
	char	  name[40];

	must(sort_room((uint32_t) n, &keys, &room_size), "sort");
	room = device_alloc<char>(room_size);
	fill(low, n, FILL_BITS);
	must(cudaMemcpyAsync(high, low, (size_t) n * 8, cudaMemcpyDeviceToDevice, stream), "copy");
	s = timed([&]() { must(sort_order(&keys, (uint32_t) n, order, NULL, room, stream), "sort"); });
	snprintf(name, sizeof(name), "sort by %u bits", bits);
	if (profiled)
		printf("# %s\n", name);
	else
	{
		printf("| %12lld | %4u | %9.3f | %9.2f |\n", (long long) n, bits, s * 1e3, (double) n / s * 1e-9);
		table_row("bench", name, (double) n, "ms", s * 1e3);
	}
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

/* A copy of as many rows of 8 bytes, which all else is measured by. */
static void
bench_copy(const Bench *b)
{
	double s;

	fill(b->in, b->n, FILL_BITS);
	s = timed([&]() { (void) cudaMemcpyAsync(b->out, b->in, (size_t) b->n * 8, cudaMemcpyDeviceToDevice, stream); });
	copy_gbs = 16.0 * (double) b->n / s * 1e-9;
	printf("\n%lld rows; a copy on the device: %.0f GB/s, read and written\n", (long long) b->n, copy_gbs);
	say("a copy", 16.0 * (double) b->n, (double) b->n, s, 0);
}

/* ---- the parts ---- */

static bool
is_number(const char *text)
{
	return text[0] >= '0' && text[0] <= '9';
}

/* True if the part is named, or may run without its name and no other is named. */
static bool
is_asked(int words, char **word, const char *part, bool unnamed)
{
	for (int i = 0; i < words; i++)
	{
		if (strcmp(word[i], part) == 0)
			return true;
		unnamed = unnamed && is_number(word[i]);
	}
	return unnamed;
}

static void
bench_scans(Bench b, int64_t n, int words, char **word)
{
	bool scans = is_asked(words, word, "scans", true), classics = is_asked(words, word, "classics", true),
		 cub = is_asked(words, word, "cub", true);

	b.n = n;
	bench_copy(&b);
	if (cub)
		bench_cub(b.in, b.in2, b.out, n);
	if (scans)
		bench_lines(&b);
	if (classics)
		bench_classics((int64_t *) b.in, (int64_t *) b.out, n);
}

/* The kernels of these lines, of frames, and of a sort. */
static void
bench_profile(const Bench *b)
{
	static const ClampedFloatParam clamp = {-1000, 1000, 0};
	static const RecurrenceParam   first = {sizeof(double), NULL, 1, {0}}, second = {2 * sizeof(double), NULL, 2, {0}};
	static const BenchScan		   integers[] = {
				{"sum int8", SCAN_OP_sum_int8, NULL, 8, false, false, 0},
				{"sum int8, NULLs and segments", SCAN_OP_sum_int8, NULL, 8, true, true, 0},
				{"change int8, NULLs and segments", SCAN_OP_change_int8, NULL, 8, true, true, 0},
	};
	static const BenchScan floats[] = {
		{"sum float8, exact", SCAN_OP_sum_float8, NULL, 8, false, false, 0},
		{"clamped_sum float8", SCAN_OP_clamped_sum_float8, &clamp, 8, false, false, 0},
	};
	static const BenchScan recurrence = {"recurrence float8", SCAN_OP_recurrence_float8, &first, 16, false, false, 0};
	static const BenchScan filter = {
		"recurrence of order 2, a filter", SCAN_OP_recurrence_vector, &second, 24, false, false, 0};

	profiled = true;
	fill(b->in, b->n, FILL_INT8);
	for (const BenchScan &scan : integers)
		bench_line(b, &scan);
	fill(b->in, b->n, FILL_FLOAT8);
	for (const BenchScan &scan : floats)
		bench_line(b, &scan);
	bench_frame_line("frame_sum float8", SCAN_OP_frame_sum_float8, b->in, b->n, 1000);
	fill(b->in, b->n, FILL_DECAY);
	fill(b->in2, b->n, FILL_FLOAT8);
	bench_line(b, &recurrence);
	fill(b->in, 2 * b->n, FILL_FILTER);
	bench_line(b, &filter);
	bench_sort(b->n, 38);
	profiled = false;
}

/* Columns of n rows, as all scans need them. */
static void
columns_start(Bench *b, int64_t n)
{
	b->n = n;
	b->in = device_alloc<uint64_t>(2 * (size_t) n); /* two coefficients a row */
	b->in2 = device_alloc<uint64_t>((size_t) n);
	b->out = device_alloc<uint64_t>((size_t) n);
	b->valid = device_alloc<uint8_t>((size_t) n / 8 + 64);
	b->heads = device_alloc<uint8_t>((size_t) n / 8 + 64);
	b->out_valid = device_alloc<uint32_t>((size_t) n / 32 + 64);
	fill(b->valid, n / 64 + 1, FILL_VALID);
	fill(b->heads, n / 64 + 1, FILL_HEADS);
}

static void
device_start(void)
{
	double		   from = seconds();
	cudaDeviceProp properties;

	must(cudaSetDevice(0), "no device");
	must(cudaDeviceSynchronize(), "no device");
	printf("context: %.0f ms\n", (seconds() - from) * 1e3);
	must(cudaGetDeviceProperties(&properties, 0), "device");
	must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "stream");
	must(cudaEventCreate(&from_event), "event");
	must(cudaEventCreate(&to_event), "event");
	printf("%s\n", properties.name);
}

int
main(int argc, char **argv)
{
	int		words = argc - 1;
	char  **word = argv + 1;
	int64_t n = words > 0 && is_number(word[words - 1]) ? atoll(word[words - 1]) : 134217728;
	Bench	b;

	setvbuf(stdout, NULL, _IOLBF, 0);
	device_start();
	columns_start(&b, n);
	bench_scans(b, n, words, word);
	for (int64_t slot : {(int64_t) 1000000, (int64_t) 1390000})
		if (slot < n)
			bench_scans(b, slot, words, word);
	if (is_asked(words, word, "frames", true))
		bench_frames(b.in, n < 1390000 ? n : 1390000);
	if (is_asked(words, word, "profile", false))
		bench_profile(&b);
	for (void *p : {b.in, b.in2, b.out})
		must(cudaFree(p), "free");
	if (is_asked(words, word, "keys", true))
		bench_cub_keys(n);
	if (is_asked(words, word, "sort", true))
		bench_sorts(n);
	if (is_asked(words, word, "bus", true))
		bench_bus((size_t) (n < 1000000 ? 4 : 256) << 20);
	printf("# %s\n", failures == 0 ? "all answered" : "NOT all answered");
	return failures != 0;
}
