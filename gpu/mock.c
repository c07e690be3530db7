/*
 * mock.c: scan_mock.so: a device library without a device, for tests.
 *
 * It runs the CPU's loops (src/cpu) behind the ABI of gpu.h, so that everything a job passes through (slots, program,
 * answers, faults) can be tested on any machine.  It also commits the fault that a job asks for (fault.c).
 */
#include "gpu.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "cpu/cpu.h"
#include "fault.h"
#include "measured.h"
#include "mock_scan.h"
#include "moving_tile.h"

#define SLOW_NS 50000000 /* nanoseconds that the fault "slow" adds to a job */

struct ScanGpuDevice
{
	uint64_t memory;
	Faults	 faults;
};

/* ---- open ---- */

/* Ends the program as a fault of a driver does.  A sanitizer is not asked: its report would count as a found error. */
static void
crash(void)
{
	signal(SIGSEGV, SIG_DFL);
	raise(SIGSEGV);
}

static void
wait_for_ever(void)
{
	for (;;)
		pause();
}

/*
 * Does to a line what SCAN_MOCK_MEASURE asks for, a list such as "crash sum(int8);hang sort;".  ("hang" alone hangs
 * before the first line.)  Returns false if the device is lost; *refused is set if the line is.
 */
static bool
mock_measure(int line, bool *refused)
{
	static const char *const faults[] = {"crash", "hang", "lost", "refuse"};
	const char				*asked = getenv("SCAN_MOCK_MEASURE");
	int						 fault = 0;
	char					 entry[100];

	for (; asked != NULL && fault < 4; fault++)
	{
		snprintf(entry, sizeof(entry), "%s %s;", faults[fault], measured_name(line));
		if (strstr(asked, entry) != NULL)
			break;
	}
	if (asked != NULL && fault == 0)
		crash();
	if (asked != NULL && fault == 1)
		wait_for_ever();
	*refused = asked != NULL && fault == 3;
	return asked == NULL || fault != 2;
}

/* Fills in the rates of the lines that are wanted.  Returns false if the device is lost. */
static bool
mock_rates(const ScanGpuOptions *options, ScanGpuInfo *info, bool fast)
{
	for (int line = 0; line < SCAN_GPU_LINES; line++)
	{
		double *ns = line == SCAN_GPU_SORT ? &info->sort_ns : &info->row_ns[line];
		bool	refused;

		if ((line != SCAN_GPU_SORT && !scan_op_id_serializes(line)) || !measured_is_wanted(options, line))
			continue;
		measured_now(options, line);
		if (!mock_measure(line, &refused))
			return false;
		measured_now(options, SCAN_OP_none);
		info->refused += refused;
		if (!refused)
			*ns = fast ? 0.01 : 1000;
	}
	return true;
}

static ScanGpuDevice *
mock_open(const ScanGpuOptions *options, ScanGpuInfo *info, char *reason, size_t room)
{
	ScanGpuDevice *device = (ScanGpuDevice *) calloc(1, sizeof(*device));
	bool		   fast;

	if (device == NULL)
	{
		snprintf(reason, room, "out of memory");
		return NULL;
	}
	device->memory = options->memory != 0 ? options->memory : UINT64_MAX;
	memset(info, 0, sizeof(*info));
	snprintf(info->name, sizeof(info->name), "mock device");
	snprintf(info->driver, sizeof(info->driver), "the CPU");
	snprintf(info->runtime, sizeof(info->runtime), "none");
	info->memory = options->memory;
	/* slower than any device, so that "auto" prefers the CPU, unless a test asks for a fast device */
	fast = getenv("SCAN_MOCK_FAST") != NULL;
	info->setup_ns = fast ? 1 : 50000;
	info->sort_setup_ns = fast ? 1 : 70000;
	info->operation_ns = fast ? 1 : 10000;
	info->byte_ns = fast ? 0 : 10;
	if (getenv("SCAN_MOCK_HANG_AT_EXIT") != NULL)
		atexit(wait_for_ever);
	if (getenv("SCAN_MOCK_MEASURE") != NULL && strcmp(getenv("SCAN_MOCK_MEASURE"), "hang") == 0)
		wait_for_ever();
	if (measured_only() != SCAN_OP_none && mock_rates(options, info, fast))
		return device;
	snprintf(reason, room, measured_only() == SCAN_OP_none ? MEASURED_UNKNOWN : "a test asked for this fault");
	free(device);
	return NULL;
}

static void
mock_close(ScanGpuDevice *device)
{
	free(device);
}

/* ---- the order of keys ---- */

/* Returns the digit of at most 8 bits from bit `low` to bit `end` - 1 of row i's key. */
static unsigned
key_digit(const ScanGpuJob *job, uint64_t i, uint32_t low, uint32_t end)
{
	uint32_t bits = (job->key_bits < end ? job->key_bits : end) - low;

	return (unsigned) (((const uint64_t *) job->keys[low / 64])[i] >> low % 64) & ((1u << bits) - 1);
}

/* Radix sort, least significant digit first, into `order`; `spare` has room for n rows, too. */
static void
sort_rows(const ScanGpuJob *job, uint32_t *order, uint32_t *spare)
{
	uint32_t end;

	for (uint64_t i = 0; i < job->n; i++)
		order[i] = (uint32_t) i;
	for (uint32_t low = job->key_low; low < job->key_bits; low = end)
	{
		uint64_t place[257] = {0};

		/* no digit lies in two words of a key */
		end = (low + 8) / 8 * 8;
		for (uint64_t i = 0; i < job->n; i++)
			place[key_digit(job, i, low, end) + 1]++;
		for (int v = 0; v < 256; v++)
			place[v + 1] += place[v];
		for (uint64_t i = 0; i < job->n; i++)
			spare[place[key_digit(job, order[i], low, end)]++] = order[i];
		memcpy(order, spare, job->n * sizeof(*order));
	}
}

/* Returns the rows in the order of their keys, to be freed unless it is the answer; NULL if there is no memory. */
static uint32_t *
mock_sort(const ScanGpuJob *job)
{
	uint32_t *spare = (uint32_t *) malloc(job->n * sizeof(*spare) + 1), *order = job->order;

	if (spare != NULL && order == NULL)
		order = (uint32_t *) malloc(job->n * sizeof(*order) + 1);
	if (spare == NULL || order == NULL)
	{
		free(spare);
		return NULL;
	}
	sort_rows(job, order, spare);
	free(spare);
	return order;
}

/* Puts the keys themselves into the order.  False if there is no memory. */
static bool
put_words(ScanGpuJob *job, const uint32_t *order)
{
	uint64_t *copy = (uint64_t *) malloc(job->n * sizeof(*copy) + 1);

	if (copy == NULL)
		return false;
	memcpy(copy, job->words, job->n * sizeof(*copy));
	for (uint64_t i = 0; i < job->n; i++)
		job->words[i] = copy[order[i]];
	free(copy);
	return true;
}

/* True if the highest partition_bits bits of two rows' keys differ. */
static bool
partitions_differ(const ScanGpuJob *job, uint32_t a, uint32_t b)
{
	for (uint32_t bit = job->key_bits - job->partition_bits; bit < job->key_bits; bit++)
	{
		const uint64_t *words = (const uint64_t *) job->keys[bit / 64];

		if ((words[a] ^ words[b]) >> bit % 64 & 1)
			return true;
	}
	return false;
}

/* ---- columns in sorted order ---- */

/* A job and the order of its rows, NULL without keys. */
typedef struct MockJob
{
	ScanGpuJob *job;
	uint32_t   *order;
} MockJob;

/* Returns the row at position i of an operation. */
static uint32_t
row_of(const MockJob *mock, const ScanGpuOperation *o, uint64_t i)
{
	return mock->order[o->reversed != 0 ? mock->job->n - 1 - i : i];
}

/*
 * Returns a column of bits in the order of the operation, all zero if `input` is 0, or NULL if there is no memory.  The
 * caller frees it.
 */
static uint8_t *
ordered_bits(const MockJob *mock, const ScanGpuOperation *o, uint32_t input)
{
	const uint8_t *from = input == 0 ? NULL : (const uint8_t *) mock->job->input[input - 1].data;
	uint8_t		  *to = (uint8_t *) calloc(mock->job->n / 8 + 1, 1);

	for (uint64_t i = 0; to != NULL && from != NULL && i < mock->job->n; i++)
		scan_bit_put(to, (int64_t) i, scan_bit(from, row_of(mock, o, i)));
	return to;
}

static void *
ordered_values(const MockJob *mock, const ScanGpuOperation *o, uint32_t input)
{
	size_t		width = mock->job->input[input - 1].width;
	const char *from = (const char *) mock->job->input[input - 1].data;
	char	   *to = (char *) malloc(mock->job->n * width + 1);

	for (uint64_t i = 0; to != NULL && i < mock->job->n; i++)
		memcpy(to + i * width, from + row_of(mock, o, i) * width, width);
	return to;
}

/* Adds the heads of partitions and tiles; in reversed order, a tile starts at its last row. */
static void
put_heads(const MockJob *mock, const ScanGpuOperation *o, uint8_t *heads)
{
	for (uint64_t i = 1; i < mock->job->n; i++)
		if (partitions_differ(mock->job, row_of(mock, o, i - 1), row_of(mock, o, i)) ||
			scan_tile_begins((uint32_t) (o->reversed != 0 ? mock->job->n - i : i), o->tile))
			scan_bit_put(heads, (int64_t) i, true);
}

static const void *
input_data(const ScanGpuJob *job, uint32_t input)
{
	return input == 0 ? NULL : job->input[input - 1].data;
}

/* ---- an operation ---- */

static ScanGpuCode
mock_operation(const MockJob *mock, ScanGpuOperation *o)
{
	const ScanGpuJob *job = mock->job;
	ScanJob			  whole;
	void			 *in = NULL, *in2 = NULL;
	uint8_t			 *valid = NULL, *heads = NULL;
	bool			  enough = true;
	ScanGpuCode		  code = SCAN_GPU_OK;

	memset(&whole, 0, sizeof(whole));
	whole.op = scan_op_at((int) o->line);
	whole.param = o->param;
	whole.extent = (ScanExtent) o->extent;
	whole.n = (int64_t) job->n;
	whole.in = input_data(job, o->in);
	whole.in2 = input_data(job, o->in2);
	whole.values = scan_op_id_has_frames((int) o->line) ? whole.n : 0;
	whole.valid = (const uint8_t *) input_data(job, o->valid);
	whole.heads = (const uint8_t *) input_data(job, o->heads);
	whole.carry = o->carry;
	whole.out = o->out;
	whole.out_valid = o->out_valid;
	if (job->key_bits > 0)
	{
		whole.in = in = ordered_values(mock, o, o->in);
		whole.in2 = in2 = o->in2 == 0 ? NULL : ordered_values(mock, o, o->in2);
		whole.valid = valid = o->valid == 0 ? NULL : ordered_bits(mock, o, o->valid);
		whole.heads = heads = ordered_bits(mock, o, o->heads);
		enough = in != NULL && (o->in2 == 0 || in2 != NULL) && (o->valid == 0 || valid != NULL) && heads != NULL;
		if (enough)
			put_heads(mock, o, heads);
	}
	if (!enough)
		code = SCAN_GPU_OOM;
	else
		code = mock_scan(o, &whole);
	free(in);
	free(in2);
	free(valid);
	free(heads);
	return code;
}

/* ---- a job ---- */

/* Returns the bytes of memory that a device would need for the job. */
static uint64_t
job_memory(const ScanGpuJob *job)
{
	uint64_t bytes = job->key_bits > 0 ? job->n * 20 : 0;

	for (uint32_t i = 0; i < job->inputs; i++)
		bytes += job->n * (job->input[i].width == 0 ? 1 : 8 * job->input[i].width) / 8;
	for (uint32_t i = 0; i < job->operations; i++)
		bytes += job->n * scan_op_at((int) job->operation[i].line)->out_size;
	return bytes;
}

/* Sorts the rows, if there are keys, and runs the operations. */
static ScanGpuCode
run_job(ScanGpuJob *job)
{
	MockJob		mock = {job, job->key_bits > 0 ? mock_sort(job) : NULL};
	ScanGpuCode code = job->key_bits > 0 && mock.order == NULL ? SCAN_GPU_OOM : SCAN_GPU_OK;

	for (uint32_t i = 0; i < job->operations && code == SCAN_GPU_OK; i++)
		code = mock_operation(&mock, &job->operation[i]);
	/* the operations read the keys in their first order, for their partitions */
	if (code == SCAN_GPU_OK && job->words != NULL && !put_words(job, mock.order))
		code = SCAN_GPU_OOM;
	if (mock.order != job->order)
		free(mock.order);
	return code;
}

static ScanGpuCode
mock_job(ScanGpuDevice *device, ScanGpuJob *job)
{
	struct timespec slow = {0, SLOW_NS};
	ScanGpuCode		code;

	if (job->fault == SCAN_FAULT_OOM || job_memory(job) > device->memory)
		return SCAN_GPU_OOM;
	if (job->fault == SCAN_FAULT_CRASH)
		crash();
	while (job->fault == SCAN_FAULT_TIMEOUT)
		pause();
	if (job->fault == SCAN_FAULT_LOST)
		return SCAN_GPU_FAILED;
	if (job->fault == SCAN_FAULT_REFUSED)
		return SCAN_GPU_REFUSED;
	if (job->fault == SCAN_FAULT_UNPROVEN)
		return SCAN_GPU_NOT_PROVEN;
	if (job->fault == SCAN_FAULT_SLOW)
		nanosleep(&slow, NULL);
	code = run_job(job);
	return code == SCAN_GPU_OK ? fault_answers(&device->faults, job) : code;
}

static ScanGpuCode
mock_run(ScanGpuDevice *device, ScanGpuJob *job, char *reason, size_t room)
{
	struct timespec from, to;
	ScanGpuCode		code;

	clock_gettime(CLOCK_MONOTONIC, &from);
	code = mock_job(device, job);
	if (code == SCAN_GPU_FAILED)
		snprintf(reason, room, "a test asked for this fault");
	if (code == SCAN_GPU_REFUSED)
		snprintf(reason, room, "a test asked for it,\nat row 1"); /* the line break is not to reach a user */
	clock_gettime(CLOCK_MONOTONIC, &to);
	job->device_ns = (double) (to.tv_sec - from.tv_sec) * 1e9 + (double) (to.tv_nsec - from.tv_nsec);
	return code;
}

const ScanGpuLibrary *
scan_gpu_library(void)
{
	static ScanGpuLibrary library = {
		SCAN_GPU_VERSION, sizeof(ScanGpuJob), 0, "mock", mock_open, mock_run, mock_close,
	};

	library.fingerprint = scan_fingerprint();
	return &library;
}
