/*
 * measure.cu: see measure.h.
 *
 * Every line scans a million rows of zeros, or fewer if jobs may not take that much memory, and the sort takes as many
 * random keys.  Each rate is the least of five measurements: a disturbance makes a measurement larger, and the rate
 * would stay wrong until the next start.
 */
#include "measure.h"

#include <stdlib.h>
#include <time.h>

#include "lines.h"
#include "sort.h"

#if defined(SCAN_EMULATE)
#define MEASURE_ROWS 5000 /* the emulator's rates are not used */
#elif !defined(MEASURE_ROWS)
#define MEASURE_ROWS (1 << 20)
#endif
#define MEASURE_MIN 1024 /* rows, at least, on a device with little memory */
#define MEASURE_COPY ((size_t) 1 << 20)

#if !defined(MEASURE_TIMES)
#define MEASURE_TIMES 5
#endif

/* Rows to measure.  SCAN_MEASURE_ROWS lowers them, for a checker under which each row takes a hundred times as long. */
static int64_t
measure_rows()
{
	const char *said = getenv("SCAN_MEASURE_ROWS");
	int64_t		n = said == NULL ? 0 : atoll(said);

	if (n <= 0 || n > MEASURE_ROWS)
		return MEASURE_ROWS;
	return n < MEASURE_MIN ? MEASURE_MIN : n;
}

/* Returns the nanoseconds between two events. */
static double
elapsed_ns(ScanGpuDevice *device, cudaEvent_t from, cudaEvent_t to)
{
	float ms = 0;

	device_try(device, cudaEventElapsedTime(&ms, from, to), "measuring");
	return (double) ms * 1e6;
}

/* Returns the least of MEASURE_TIMES measurements of a step on the device, in nanoseconds; 0 after an error. */
template <typename Step>
static double
least_ns(ScanGpuDevice *device, cudaEvent_t from, cudaEvent_t to, Step step)
{
	double least = 0;

	for (int i = 0; i < MEASURE_TIMES; i++)
	{
		double ns;

		device_try(device, cudaEventRecord(from, device->work), "measuring");
		step();
		device_try(device, cudaEventRecord(to, device->work), "measuring");
		if (!device_finish(device))
			return 0;
		ns = elapsed_ns(device, from, to);
		least = i == 0 || ns < least ? ns : least;
	}
	return least;
}

/* Returns the nanoseconds of a whole job of one row. */
static double
job_ns(ScanGpuDevice *device, MeasuredRun run)
{
	int64_t		x = 0, y;
	uint8_t		valid = 0xff;
	size_t		carry_size = offsetof(ScanCarry, acc) + sizeof(sum_int8_acc);
	ScanCarry  *carry = (ScanCarry *) calloc(1, carry_size);
	ScanGpuJob *job = (ScanGpuJob *) calloc(1, sizeof(*job));
	double		best = 0;
	char		reason[100];

	for (int i = 0; carry != NULL && job != NULL && i < MEASURE_TIMES; i++)
	{
		ScanGpuOperation *o = &job->operation[0];

		job->n = 1;
		job->inputs = job->operations = 1;
		job->input[0].data = &x;
		job->input[0].width = sizeof(x);
		o->line = SCAN_OP_sum_int8;
		o->in = 1;
		o->carry = carry;
		o->carry_size = carry_size;
		o->out = &y;
		o->out_valid = &valid;
		if (run(device, job, reason, sizeof(reason)) == SCAN_GPU_OK && (i == 0 || job->device_ns < best))
			best = job->device_ns;
	}
	free(carry);
	free(job);
	return best;
}

/* Returns the nanoseconds per byte of a copy from the ring or to the host, whichever takes longer. */
static double
byte_ns(ScanGpuDevice *device, cudaEvent_t from, cudaEvent_t to)
{
	size_t size = device->ring_size < MEASURE_COPY ? device->ring_size : MEASURE_COPY;
	void  *there;
	double in, out;

	if (size == 0)
		return 0;
	device_begin(device, false);
	there = device_take(device, size, "the measured bytes to copy", 0);
	in = least_ns(device, from, to, [&] { device_copy_in(device, there, device->ring, size, device->work); });
	out = least_ns(device, from, to,
				   [&]
				   {
					   device_try(device,
								  cudaMemcpyAsync(device->staging, there, size, cudaMemcpyDeviceToHost, device->work),
								  "measuring");
				   });
	return (in > out ? in : out) / (double) size;
}

/* Writes n pseudo-random keys (splitmix64), because some sorts are faster if keys have bits in common. */
static void
draw_keys(ScanGpuDevice *device, uint64_t *keys, size_t n)
{
	uint64_t *drawn = (uint64_t *) device->staging, series = 0;
	size_t	  most = STAGING_SIZE / sizeof(uint64_t);

	for (size_t from = 0; from < n; from += most)
	{
		size_t some = n - from < most ? n - from : most;

		for (size_t i = 0; i < some; i++)
		{
			uint64_t z = series += UINT64_C(0x9e3779b97f4a7c15);

			z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
			z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
			drawn[i] = z ^ z >> 31;
		}
		device_try(device,
				   cudaMemcpyAsync(keys + from, drawn, some * sizeof(uint64_t), cudaMemcpyHostToDevice, device->work),
				   "measuring");
		device_try(device, cudaStreamSynchronize(device->work), "measuring");
	}
}

static double
sort_ns(ScanGpuDevice *device, uint32_t n, cudaEvent_t from, cudaEvent_t to)
{
	SortKeys  keys = {NULL, NULL, 64, 0, 0, 0};
	uint64_t *low, *words;
	void	 *room;
	size_t	  room_size;

	device_begin(device, false);
	device_try(device, sort_room(n, &keys, &room_size), "measuring");
	keys.low = low = (uint64_t *) device_take(device, n * sizeof(uint64_t), "the measured keys", 0);
	words = (uint64_t *) device_take(device, n * sizeof(uint64_t), "the sorted keys", 0);
	room = device_take(device, room_size, "the measured room of the sort", 0);
	draw_keys(device, low, n);
	return least_ns(device, from, to,
					[&] { device_try(device, sort_order(&keys, n, NULL, words, room, device->work), "measuring"); }) /
		   n;
}

/* Returns a parameter with which a line is at its slowest: recurrence_vector has order 2. */
static const void *
param_of(int line)
{
	static const RecurrenceParam first = {sizeof(double), NULL, 1, {0}}, second = {2 * sizeof(double), NULL, 2, {0}};
	static const uint8_t		 nothing[sizeof(RecurrenceParam)] = {0};

	switch (line)
	{
		case SCAN_OP_recurrence_float8:
			return &first;
		case SCAN_OP_recurrence_vector:
			return &second;
		default:
			return nothing;
	}
}

/* Returns the nanoseconds per row of a line. */
static double
row_ns(ScanGpuDevice *device, int line, int64_t n, const ScanCarry *carry, cudaEvent_t from, cudaEvent_t to)
{
	LineScan scan;

	device_begin(device, false);
	memset(&scan, 0, sizeof(scan));
	scan.line = line;
	scan.n = n;
	scan.param = param_of(line);
	scan.carry = carry;
	scan.in = device_take(device, 16 * (size_t) n, "the measured input", 0);
	scan.in2 = scan.in;
	scan.out = device_take(device, 16 * (size_t) n, "the measured answers", 0);
	scan.out_valid = (uint32_t *) device_take(device, (size_t) n / 8 + 4, "the measured valid bits", 0);
	scan.room = device_take(device, line_room(line, n, false, false), "the measured room", 0);
	scan.answer = device_take(device, line_answer_size(line), "the measured carry", 0);
	device_try(device, cudaMemsetAsync((void *) scan.in, 0, 16 * (size_t) n, device->work), "measuring");
	return least_ns(device, from, to,
					[&]
					{
						(void) line_start(&scan, device->work); /* never SCAN_GPU_NOT_PROVEN: the carry has no rows */
						device_try(device, cudaGetLastError(), "measuring");
					}) /
		   (double) n;
}

/*
 * Returns the bytes that the largest measurement of n rows takes: two columns of 16 bytes, and the room of a line or
 * the sort.
 */
static size_t
measure_room(ScanGpuDevice *device, int64_t n)
{
	SortKeys keys = {NULL, NULL, 64, 0, 0, 0};
	size_t	 max;

	device_try(device, sort_room((uint32_t) n, &keys, &max), "measuring");
	for (int line = 0; line < SCAN_OPS; line++)
		if (line_is_here(line) && line_room(line, n, false, false) > max)
			max = line_room(line, n, false, false);
	return max + 34 * (size_t) n + 8192 + MEASURE_COPY;
}

bool
measure(ScanGpuDevice *device, MeasuredRun run, ScanGpuInfo *info)
{
	cudaEvent_t from = NULL, to = NULL;
	size_t		carry_size = sizeof(ScanCarry);
	ScanCarry  *carry;
	int64_t		n = measure_rows();

	for (int line = 0; line < SCAN_OPS; line++)
		carry_size = scan_serialized_size(line) > carry_size ? scan_serialized_size(line) : carry_size;
	carry = (ScanCarry *) calloc(1, carry_size);
	while (n > MEASURE_MIN && measure_room(device, n) > device->memory_max)
		n /= 2;
	if (carry != NULL && device_reserve(device, measure_room(device, n)) == SCAN_GPU_OK &&
		device_try(device, cudaEventCreate(&from), "making an event") &&
		device_try(device, cudaEventCreate(&to), "making an event"))
	{
		for (int line = 0; line < SCAN_OPS; line++)
			if (line_is_here(line))
				info->row_ns[line] = row_ns(device, line, n, carry, from, to);
		info->sort_ns = sort_ns(device, (uint32_t) n, from, to);
		info->byte_ns = byte_ns(device, from, to);
		info->setup_ns = job_ns(device, run);
	}
	else
		device_try(device, cudaErrorMemoryAllocation, "measuring");
	if (from != NULL)
		(void) cudaEventDestroy(from);
	if (to != NULL)
		(void) cudaEventDestroy(to);
	free(carry);
	return device->error == cudaSuccess;
}
