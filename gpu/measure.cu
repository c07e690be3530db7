/*
 * measure.cu: see measure.h.
 *
 * Every line scans a million rows of zeros, or fewer if jobs may not take that much memory, and the sort takes as many
 * random keys.  Each rate is the least of five measurements: a disturbance makes a measurement larger, and the rate
 * would stay wrong until the next start.
 *
 * This is where each kernel runs for the first time.  A line that CUDA refuses is not offered, and the next one is
 * measured.  An error that loses the device ends the measurement; the server finds the line in the ring
 * (measured_now()), and starts the program again without it.
 */
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "frame.h"
#include "lines.h"
#include "measured.h"
#include "op/serialize.h"
#include "sort.h"

#if defined(SCAN_EMULATE)
#define MEASURE_ROWS 5000 /* the emulator's rates are not used */
#elif !defined(MEASURE_ROWS)
#define MEASURE_ROWS (1 << 20)
#endif
#define MEASURE_MIN 1024 /* rows, at least, on a device with little memory */
#define MEASURE_COPY ((size_t) 1 << 20)
#define MEASURED_VALUES 1024 /* values of a frame */

#if !defined(MEASURE_TIMES)
#define MEASURE_TIMES 5
#endif

#define JOB_ROWS 1024 /* rows of a measured job */
#define JOB_OPERATIONS 3

/* Rows to measure: those of SCAN_MEASURE_ROWS, within limits; 0: nothing is to be measured. */
static int64_t
measure_rows()
{
	const char *said = getenv("SCAN_MEASURE_ROWS");
	char	   *end;
	int64_t		n = said == NULL ? -1 : strtoll(said, &end, 10);

	if (n < 0 || n > MEASURE_ROWS || end == said)
		return MEASURE_ROWS;
	return n > 0 && n < MEASURE_MIN ? MEASURE_MIN : n;
}

/* What the measurement of a device needs. */
typedef struct Measure
{
	ScanGpuDevice		 *device;
	const ScanGpuOptions *options;
	ScanGpuInfo			 *info;
	MeasuredRun			  run;
	char				 *unpinned; /* MEASURE_COPY bytes of the host's memory */
	int64_t				  n;		/* rows */
	ScanCarry			 *carry;	/* zeros, for every line */
	cudaEvent_t			  from, to; /* around what is timed */
} Measure;

/*
 * Measures a line by `step`, which returns the time of a row.  Returns 0 if the line is not wanted or is refused; then
 * it is not offered.  After an error that lost the device, the ring still names the line.
 */
template <typename Step>
static double
measure_line(const Measure *m, int line, Step step)
{
	ScanGpuDevice *device = m->device;
	double		   ns;

	if (!measured_is_wanted(m->options, line) || device->error != cudaSuccess)
		return 0;
	measured_now(m->options, line);
	device->measuring = measured_doing(line);
	ns = step();
	if (device_code(device->error) == SCAN_GPU_FAILED)
		return 0; /* `measuring` stays for the reason of the failure */
	measured_now(m->options, SCAN_OP_none);
	device->measuring = NULL;
	if (device->error == cudaSuccess)
		return ns;
	fprintf(stderr, "scan_gpu: %s was refused while %s: %s\n", measured_name(line), device->doing,
			cudaGetErrorString(device->error));
	device->error = cudaSuccess;
	m->info->refused++;
	return 0;
}

/* Returns the nanoseconds between two events. */
static double
elapsed_ns(const Measure *m)
{
	float ms = 0;

	device_try(m->device, cudaEventElapsedTime(&ms, m->from, m->to), "timing");
	return (double) ms * 1e6;
}

/* Returns the least of MEASURE_TIMES measurements of a step on the device, in nanoseconds; 0 after an error. */
template <typename Step>
static double
least_ns(const Measure *m, Step step)
{
	ScanGpuDevice *device = m->device;
	double		   least = 0;

	for (int i = 0; i < MEASURE_TIMES; i++)
	{
		double ns;

		device_try(device, cudaEventRecord(m->from, device->work), "timing");
		step();
		device_try(device, cudaEventRecord(m->to, device->work), "timing");
		if (!device_finish(device))
			return 0;
		ns = elapsed_ns(m);
		least = i == 0 || ns < least ? ns : least;
	}
	return least;
}

/* ---- whole jobs ---- */

/* Where a measured job lies. */
typedef struct JobMemory
{
	char  *at;
	size_t size, used;
} JobMemory;

static void *
job_take(JobMemory *memory, size_t size)
{
	void *taken = memory->at + memory->used;

	memory->used += (size + 255) / 256 * 256;
	return memory->used <= memory->size ? taken : NULL;
}

/* Lays down a job of JOB_ROWS rows and as many sums of one column.  False: the memory is too small. */
static bool
lay_job(JobMemory *memory, ScanGpuJob *job, bool keyed, uint32_t operations)
{
	size_t	 carry_size = offsetof(ScanCarry, acc) + sizeof(sum_int8_acc), bytes = JOB_ROWS * sizeof(int64_t);
	int64_t *column = (int64_t *) job_take(memory, bytes);

	memset(job, 0, sizeof(*job));
	job->n = JOB_ROWS;
	job->inputs = 1;
	job->operations = operations;
	job->input[0].data = column;
	job->input[0].width = sizeof(int64_t);
	for (int64_t i = 0; column != NULL && i < JOB_ROWS; i++)
		column[i] = i * 7919 % JOB_ROWS;
	if (keyed)
	{
		job->keys[0] = column;
		job->key_bits = 64;
		job->order = (uint32_t *) job_take(memory, JOB_ROWS * sizeof(uint32_t));
	}
	for (uint32_t i = 0; i < operations; i++)
	{
		ScanGpuOperation *o = &job->operation[i];

		o->line = SCAN_OP_sum_int8;
		o->in = 1;
		o->carry_size = carry_size;
		o->carry = (ScanCarry *) job_take(memory, carry_size);
		o->out = job_take(memory, bytes);
		o->out_valid = (uint8_t *) job_take(memory, JOB_ROWS / 8);
		if (o->out_valid == NULL)
			return false;
		memset(o->out_valid, 0xff, JOB_ROWS / 8);
	}
	return memory->used <= memory->size;
}

/*
 * Returns memory that is pinned if the ring is, where a measurement may write.  The ring's slots belong to backends:
 * one of them may fill a slot while a new program measures, and has its job run when the program is ready.
 */
static char *
measured_memory(const Measure *m)
{
	return m->device->pinned ? m->device->staging : m->unpinned;
}

/* Returns the nanoseconds of a whole job of JOB_ROWS rows, from and to such memory; 0 after an error. */
static double
job_ns(const Measure *m, bool keyed, uint32_t operations)
{
	JobMemory	memory = {measured_memory(m), MEASURE_COPY, 0};
	ScanGpuJob *job = (ScanGpuJob *) calloc(1, sizeof(*job));
	char		reason[200];
	double		least = 0;

	for (int i = 0; job != NULL && i < MEASURE_TIMES; i++)
	{
		memory.used = 0;
		if (!lay_job(&memory, job, keyed, operations))
			break;
		for (uint32_t o = 0; o < operations; o++)
			memset(job->operation[o].carry, 0, job->operation[o].carry_size);
		if (m->run(m->device, job, reason, sizeof(reason)) != SCAN_GPU_OK)
		{
			fprintf(stderr, "scan_gpu: a measured job was not answered: %s\n", reason);
			/* run() has cleared the error; a lost device has it again */
			(void) device_finish(m->device);
			least = 0;
			break;
		}
		least = i == 0 || job->device_ns < least ? job->device_ns : least;
	}
	free(job);
	return least;
}

/*
 * Measures the fixed times of jobs by sums of int8.  A job that is refused has the nominal time.  The jobs count as
 * those of a line, so that a job that ends the program is not run again.
 */
static void
measure_jobs(const Measure *m)
{
	ScanGpuInfo *info = m->info;
	double		 setup = 0, sort_setup = 0, with_operations = 0;

	if (info->row_ns[SCAN_OP_sum_int8] > 0)
		setup = measure_line(m, SCAN_OP_sum_int8, [&] { return job_ns(m, false, 1); });
	if (info->sort_ns > 0)
		sort_setup = measure_line(m, SCAN_GPU_SORT, [&] { return job_ns(m, true, 0); });
	if (setup > 0 && sort_setup > 0)
		with_operations = measure_line(m, SCAN_GPU_SORT, [&] { return job_ns(m, true, JOB_OPERATIONS); });
	if (setup > 0)
		info->setup_ns = setup;
	if (sort_setup > 0)
		info->sort_setup_ns = sort_setup;
	if (with_operations > 0)
		info->operation_ns = with_operations > sort_setup ? (with_operations - sort_setup) / JOB_OPERATIONS : 0;
}

/* ---- copies, sorts and lines ---- */

/* Returns the nanoseconds per byte of a copy to the device or to the host, whichever takes longer. */
static double
byte_ns(const Measure *m)
{
	ScanGpuDevice *device = m->device;
	size_t		   size = MEASURE_COPY;
	void		  *there;
	double		   in, out;

	device_begin(device, false);
	there = device_take(device, size, "the measured bytes to copy", 0);
	in = least_ns(m, [&] { device_copy_in(device, there, measured_memory(m), size, device->work); });
	out = least_ns(m,
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
		device_try(device, cudaStreamSynchronize(device->work), "timing");
	}
}

static double
sort_ns(const Measure *m)
{
	ScanGpuDevice *device = m->device;
	uint32_t	   n = (uint32_t) m->n;
	SortKeys	   keys = {NULL, NULL, 64, 0, 0, 0};
	uint64_t	  *low, *words;
	void		  *room;
	size_t		   room_size;

	device_begin(device, false);
	device_try(device, sort_room(n, &keys, &room_size), "timing");
	keys.low = low = (uint64_t *) device_take(device, n * sizeof(uint64_t), "the measured keys", 0);
	words = (uint64_t *) device_take(device, n * sizeof(uint64_t), "the sorted keys", 0);
	room = device_take(device, room_size, "the measured room of the sort", 0);
	draw_keys(device, low, n);
	return least_ns(m, [&] { device_try(device, sort_order(&keys, n, NULL, words, room, device->work), "timing"); }) /
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

/* Returns the nanoseconds per row of a line; for a line of frames, per value of a frame. */
static double
row_ns(const Measure *m, int line)
{
	ScanGpuDevice	   *device = m->device;
	int64_t				n = m->n;
	static const double zeros[SERIALIZED_ORDERS * LINE_HOST_ROWS] = {0};
	DeviceSpan			zero = {};
	LineScan			scan;
	double				values = (double) n;

	device_begin(device, false);
	memset(&scan, 0, sizeof(scan));
	scan.line = line;
	scan.host_in = zeros;
	scan.n = n;
	scan.param = param_of(line);
	scan.carry = m->carry;
	scan.in = device_take(device, 16 * (size_t) n, "the measured input", 0);
	scan.in2 = scan.in;
	scan.out = device_take(device, 16 * (size_t) n, "the measured answers", 0);
	scan.out_valid = (uint32_t *) device_take(device, (size_t) n / 8 + 4, "the measured valid bits", 0);
	scan.room = device_take(device, line_room(line, n, false, false), "the measured room", 0);
	scan.zeroed = device_take_next(device, &zero, line_zeroed(line, n, false, false), "the measured zeroed room", 0);
	scan.answer = device_take_next(device, &zero, line_answer_size(line), "the measured carry", 0);
	device_try(device, cudaMemsetAsync((void *) scan.in, 0, 16 * (size_t) n, device->work), "timing");
	if (scan_op_id_has_frames(line))
	{
		/* the frames lie behind the values */
		ScanFrame *frames = (ScanFrame *) ((char *) scan.in + 8 * (size_t) n);

		values = frame_start_fill(frames, (double *) scan.in, n, MEASURED_VALUES, device->work);
		scan.in2 = frames;
	}
	return least_ns(m,
					[&]
					{
						device_set(device, &zero, 0, device->work);
						(void) line_start(&scan, device->work); /* never SCAN_GPU_NOT_PROVEN: the carry has no rows */
						device_try(device, cudaGetLastError(), "timing");
					}) /
		   values;
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

	device_try(device, sort_room((uint32_t) n, &keys, &max), "timing");
	for (int line = 0; line < SCAN_OPS; line++)
	{
		size_t room = line_is_here(line) ? line_room(line, n, false, false) + line_zeroed(line, n, false, false) : 0;

		max = room > max ? room : max;
	}
	return max + 34 * (size_t) n + 8192 + MEASURE_COPY;
}

/* Offers the lines that are here and wanted by nominal rates, and nothing else. */
static void
offer_nominal(const ScanGpuOptions *options, ScanGpuInfo *info)
{
	for (int line = 0; line < SCAN_OPS; line++)
		info->row_ns[line] = line_is_here(line) && measured_is_wanted(options, line) ? NOMINAL_ROW_NS : 0;
	info->sort_ns = measured_is_wanted(options, SCAN_GPU_SORT) ? NOMINAL_SORT_NS : 0;
	info->byte_ns = NOMINAL_BYTE_NS;
	info->setup_ns = NOMINAL_SETUP_NS;
	info->sort_setup_ns = NOMINAL_SORT_SETUP_NS;
	info->operation_ns = NOMINAL_OPERATION_NS;
}

static void
measure_all(const Measure *m)
{
	ScanGpuInfo *info = m->info;

	for (int line = 0; line < SCAN_OPS; line++)
		if (line_is_here(line))
			info->row_ns[line] = measure_line(m, line, [&] { return row_ns(m, line); });
	info->sort_ns = measure_line(m, SCAN_GPU_SORT, [&] { return sort_ns(m); });
	if (m->device->error == cudaSuccess)
		info->byte_ns = byte_ns(m);
	measure_jobs(m);
}

bool
measure(ScanGpuDevice *device, const ScanGpuOptions *options, MeasuredRun run, ScanGpuInfo *info)
{
	Measure m = {device, options, info, run, NULL, measure_rows(), NULL, NULL, NULL};
	size_t	carry_size = sizeof(ScanCarry);

	offer_nominal(options, info);
	if (m.n == 0)
		return true;
	for (int line = 0; line < SCAN_OPS; line++)
		carry_size = scan_serialized_size(line) > carry_size ? scan_serialized_size(line) : carry_size;
	m.carry = (ScanCarry *) calloc(1, carry_size);
	m.unpinned = (char *) calloc(1, MEASURE_COPY);
	while (m.n > MEASURE_MIN && measure_room(device, m.n) > device->memory_max)
		m.n /= 2;
	if (m.carry != NULL && m.unpinned != NULL && device_reserve(device, measure_room(device, m.n)) == SCAN_GPU_OK &&
		device_try(device, cudaEventCreate(&m.from), "making an event") &&
		device_try(device, cudaEventCreate(&m.to), "making an event"))
		measure_all(&m);
	else
		device_try(device, cudaErrorMemoryAllocation, "timing");
	if (m.from != NULL)
		(void) cudaEventDestroy(m.from);
	if (m.to != NULL)
		(void) cudaEventDestroy(m.to);
	free(m.unpinned);
	free(m.carry);
	return device->error == cudaSuccess;
}
