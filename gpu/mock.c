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
#include "moving_tile.h"

#define SLOW_NS 50000000 /* nanoseconds that the fault "slow" adds to a job */

struct ScanGpuDevice
{
	uint64_t memory;
	Faults	 faults;
};

/* ---- open ---- */

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
		raise(SIGSEGV);
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

/* Runs a scan from row `done` on, in pieces of SCAN_BATCH rows; the columns are in the order of the scan. */
static void
mock_scan(ScanGpuOperation *o, ScanJob *whole)
{
	while (whole->done < whole->n && whole->status == SCAN_OK)
	{
		int64_t left = whole->n - whole->done;
		ScanJob piece = scan_job_piece(whole, whole->done, left < SCAN_BATCH ? left : SCAN_BATCH);

		scan_cpu_run(&piece);
		whole->done += piece.done;
		whole->status = piece.status;
		whole->has_nulls = piece.has_nulls;
	}
	o->done = whole->done;
	o->status = whole->status;
	o->has_nulls = whole->has_nulls;
}

/* ---- recurrences, whose carry has no rows of the unfinished chunk ---- */

static void *
mock_resize(ScanMemory *memory, void *old, size_t size)
{
	void *now = NULL;

	(void) memory;
	if (size == 0)
		free(old);
	else if ((now = realloc(old, size)) == NULL)
		abort();
	return now;
}

/* Returns accumulator i of a recurrence line, 0 or 1; NULL if the line has no second one. */
static GrowingRecurrence *
mock_growing(int line, ScanCarry *carry, int i)
{
	if (line == SCAN_OP_ema_float8)
		return i == 0 ? &((ema_float8_acc *) carry->acc)->above : &((ema_float8_acc *) carry->acc)->below;
	return i == 0 ? &((OrderedRecurrence *) carry->acc)->g : NULL;
}

/* Runs one row, also in the middle of a byte of bits. */
static void
mock_row(ScanJob *whole)
{
	int64_t i = whole->done;
	uint8_t valid = whole->valid == NULL || scan_bit(whole->valid, i);
	uint8_t head = whole->heads != NULL && scan_bit(whole->heads, i);
	uint8_t out_valid = 1;
	ScanJob row = scan_job_piece(whole, i, 1);

	row.valid = &valid;
	row.heads = &head;
	row.out_valid = &out_valid;
	scan_cpu_run(&row);
	whole->status = row.status;
	whole->has_nulls = row.has_nulls;
	whole->done += row.done;
	if (row.done == 1)
		scan_bit_put(whole->out_valid, i, (out_valid & 1) != 0);
}

/*
 * Runs the rows of the chunk that the job before left unfinished, one by one, and further rows up to a whole byte of
 * bits.  A tier above TRACKED would start again from rows of earlier jobs, which are not here: returns false if one was
 * needed.
 */
static bool
mock_first_chunk(ScanJob *whole)
{
	const GrowingRecurrence *g[2] = {mock_growing(whole->op->line, whole->carry, 0),
									 mock_growing(whole->op->line, whole->carry, 1)};
	bool					 unfinished = whole->carry->any && g[0]->r.count < RECURRENCE_CHUNK;

	while (whole->status == SCAN_OK && whole->done < whole->n && (unfinished || whole->done % 8 != 0))
	{
		int32_t before = g[0]->r.count;

		unfinished = unfinished && !(whole->heads != NULL && scan_bit(whole->heads, whole->done));
		mock_row(whole);
		unfinished = unfinished && g[0]->r.count >= before;
		for (int i = 0; unfinished && i < 2; i++)
			if (g[i] != NULL && g[i]->r.count > 0 && (g[i]->r.tier != RECURRENCE_TRACKED || g[i]->r.exact_rows > 0))
				return false;
	}
	return true;
}

/* Restores the CPU's form of a carry from its serialised form; the rows of the unfinished chunk stay unknown. */
static void
mock_deserialize(int line, const ScanCarry *from, const void *param, ScanCarry *to)
{
	memcpy(to, from, offsetof(ScanCarry, acc));
	if (!to->any)
		return;
	if (line == SCAN_OP_ema_float8)
		ema_deserialize((const SerializedEma *) from->acc, (const EmaParam *) param, NULL, NULL, 0,
						(ema_float8_acc *) to->acc);
	else
		recurrence_deserialize((const SerializedRecurrence *) from->acc, (const RecurrenceParam *) param, NULL, NULL,
							   NULL, 0, (OrderedRecurrence *) to->acc);
	/* zeros for the unknown rows, so that a tier that reads them terminates; mock_first_chunk() rejects its answers */
	for (int i = 0; i < 2; i++)
	{
		GrowingRecurrence *g = mock_growing(line, to, i);

		if (g == NULL || g->r.room == 0)
			continue;
		memset(g->r.rows, 0, (size_t) g->r.room * (size_t) (g->r.order + 1) * sizeof(double));
		g->r.tier = RECURRENCE_TRACKED; /* the highest tier that does not need the rows */
	}
	/* by the coefficient of row 0, ema_serialize() decides whether the chunk is the first of its segment */
	if (line == SCAN_OP_ema_float8 && ((const SerializedEma *) from->acc)->in_first_chunk == 0)
		mock_growing(line, to, 0)->r.rows[0] = 1 - ((const EmaParam *) param)->alpha;
}

static ScanGpuCode
mock_recurrence(ScanGpuOperation *o, ScanJob *whole)
{
	ScanMemory memory = {mock_resize, NULL};
	int		   line = (int) o->line;
	union
	{
		RecurrenceParam recurrence;
		EmaParam		ema;
	} param;
	ScanCarry  *carry = (ScanCarry *) calloc(1, scan_carry_size(whole->op));
	ScanGpuCode code = SCAN_GPU_NOT_PROVEN;

	if (carry == NULL)
		return SCAN_GPU_OOM;
	memcpy(&param, o->param, scan_param_fixed_size(line));
	*scan_param_memory(line, &param) = &memory;
	mock_deserialize(line, o->carry, &param, carry);
	whole->param = &param;
	whole->carry = carry;
	if (mock_first_chunk(whole))
	{
		mock_scan(o, whole);
		if (whole->status != SCAN_OK || scan_carry_serialize(line, &param, carry, o->carry))
			code = SCAN_GPU_OK;
	}
	for (int i = 0; i < 2; i++)
	{
		GrowingRecurrence *g = mock_growing(line, carry, i);

		if (g != NULL)
		{
			free(g->r.rows);
			free(g->exact);
		}
	}
	free(carry);
	return code;
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
	else if (scan_op_id_is_recurrence((int) o->line))
		code = mock_recurrence(o, &whole);
	else
		mock_scan(o, &whole);
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
		raise(SIGSEGV);
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
