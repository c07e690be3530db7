/*
 * jobs.c: whole jobs, with all copies, by a device library against the loops of src/cpu on one core of the same
 * machine.
 *
 *   jobs LIBRARY.so [ROWS]       50 million rows at most, and unless told
 *
 * The device's time is that of copying columns into the ring, the job, and copying answers out of it.  The CPU's is
 * that of the loops, and of the radix sort and the gathers where rows come by keys.  Each is the median of a few runs,
 * and both answers are compared: where they differ, or there is no device or no answer, the program fails.
 *
 * The device looks better here than in a server, where a backend hashes the sorted words to prove that the rows are in
 * order, which takes 2 to 3 ns a row, and cuts a job that does not fit in a slot.  It then gathers the columns, which
 * takes 10 to 25 ns a row.  So no setting is to be chosen by these figures; e2e.sh measures whole queries.
 */
#include <time.h>

#include "../law/ordered.h"
#include "library.h"
#include "sort/radix.h"
#include "table.h"

#define RUNS 5
#define OPERATIONS 3
#define ROW_BITS 26 /* beside a key in a word, as src/sort packs them */
#define KEY_BITS 38
#define PARTITION_BITS 10
#define LEAST 1000 /* rows of the shortest job */

typedef struct Kind
{
	const char *name;
	bool		sorted;
	int			operations;
	ScanOpId	scans[OPERATIONS];
} Kind;

static const Kind kinds[] = {
	{"sum(int8)", false, 1, {SCAN_OP_sum_int8}},
	{"sum(float8)", false, 1, {SCAN_OP_sum_float8}},
	{"recurrence(float8)", false, 1, {SCAN_OP_recurrence_float8}},
	{"ema(float8)", false, 1, {SCAN_OP_ema_float8}},
	{"sum(int8), sum(float8), max(float8) over one column each",
	 false,
	 3,
	 {SCAN_OP_sum_int8, SCAN_OP_sum_float8, SCAN_OP_max_float8}},
	{"the same by partitions and keys of 38 bits", true, 3, {SCAN_OP_sum_int8, SCAN_OP_sum_float8, SCAN_OP_max_float8}},
};

#define KINDS (int) (sizeof(kinds) / sizeof(kinds[0]))

/* The columns, and both sides' answers. */
typedef struct Data
{
	int64_t	  n;
	uint64_t *key;
	int64_t	 *x;
	double	 *f, *a; /* a: coefficients below 1 */
	uint32_t *order[2];
	char	 *out[2][OPERATIONS];
	uint8_t	 *out_valid[2][OPERATIONS];

	/* the CPU's: words to sort, columns in order */
	uint64_t *words, *spare;
	char	 *ordered;
	uint8_t	 *heads;
} Data;

static RecurrenceParam recurrence = {sizeof(double), &law_memory.memory, 1, {0}};
static EmaParam		   ema = {&law_memory.memory, 0.1, false};
static int			   failures;

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

static void
data_make(Data *data, int64_t n)
{
	size_t rows = (size_t) n;

	data->n = n;
	data->key = (uint64_t *) law_alloc(rows * 8);
	data->x = (int64_t *) law_alloc(rows * 8);
	data->f = (double *) law_alloc(rows * 8);
	data->a = (double *) law_alloc(rows * 8);
	data->words = (uint64_t *) law_alloc(rows * 8);
	data->spare = (uint64_t *) law_alloc(rows * 8);
	data->ordered = (char *) law_alloc(rows * 8);
	data->heads = (uint8_t *) law_alloc(rows / 8 + 1);
	for (int side = 0; side < 2; side++)
	{
		data->order[side] = (uint32_t *) law_alloc(rows * 4);
		for (int i = 0; i < OPERATIONS; i++)
		{
			data->out[side][i] = (char *) law_alloc(rows * 8);
			data->out_valid[side][i] = (uint8_t *) law_alloc(rows / 8 + 1);
			/* touched: a page's first use is nobody's time */
			memset(data->out[side][i], 0, rows * 8);
		}
	}
	for (size_t i = 0; i < rows; i++)
	{
		uint64_t r = random_at(i);

		data->key[i] = r >> (64 - KEY_BITS);
		data->x[i] = (int64_t) random_at(r) >> 34;
		data->f[i] = (double) ((int64_t) random_at(r + 1) >> 20) * 0x1p-30;
		data->a[i] = 0.5 + (double) (random_at(r + 2) >> 12) * 0x1p-53;
	}
}

static const void *
column_of(const Data *data, const ScanOp *op, int which)
{
	if (strcmp(op->function, "recurrence") == 0)
		return which == 0 ? data->a : data->f;
	return which == 1 ? NULL : strcmp(op->type, "int8") == 0 ? (const void *) data->x : (const void *) data->f;
}

static const void *
param_of(const ScanOp *op)
{
	return strcmp(op->function, "recurrence") == 0 ? (const void *) &recurrence
		   : strcmp(op->function, "ema") == 0	   ? (const void *) &ema
												   : NULL;
}

/* ---- the CPU ---- */

static void
cpu_scan(const Data *data, int64_t n, const ScanOp *op, const void *in, const void *in2, const uint8_t *heads, int i)
{
	ScanCarry *carry = (ScanCarry *) law_alloc(scan_carry_size(op));
	ScanJob	   whole;

	scan_carry_start(op, carry);
	memset(&whole, 0, sizeof(whole));
	whole.op = op;
	whole.param = param_of(op);
	whole.in = in;
	whole.in2 = in2;
	whole.heads = heads;
	whole.carry = carry;
	whole.out = data->out[0][i];
	whole.out_valid = data->out_valid[0][i];
	memset(whole.out_valid, 0xff, (size_t) n / 8 + 1);
	for (int64_t from = 0; from < n; from += SCAN_BATCH)
	{
		ScanJob piece = scan_job_piece(&whole, from, n - from < SCAN_BATCH ? n - from : SCAN_BATCH);

		scan_cpu_run(&piece);
	}
	law_memory_free();
	free(carry);
}

static void
no_tick(void)
{
}

/* order[0] and heads, by a radix sort of words with the key above and the row below. */
static void
cpu_sort(Data *data, int64_t n)
{
	uint64_t *sorted;

	for (int64_t i = 0; i < n; i++)
		data->words[i] = data->key[i] << ROW_BITS | (uint64_t) i;
	sorted = radix_sort(data->words, data->spare, n, ROW_BITS, ROW_BITS + KEY_BITS, no_tick);
	memset(data->heads, 0, (size_t) n / 8 + 1);
	for (int64_t i = 0; i < n; i++)
	{
		data->order[0][i] = (uint32_t) (sorted[i] & ((1u << ROW_BITS) - 1));
		if (i > 0 && (sorted[i] ^ sorted[i - 1]) >> (64 - PARTITION_BITS) != 0)
			scan_bit_put(data->heads, i, true);
	}
}

static void
cpu_job(const Kind *kind, Data *data, int64_t n)
{
	if (kind->sorted)
		cpu_sort(data, n);
	for (int i = 0; i < kind->operations; i++)
	{
		const ScanOp   *op = scan_op_at(kind->scans[i]);
		const uint64_t *in = (const uint64_t *) column_of(data, op, 0);

		for (int64_t row = 0; kind->sorted && row < n; row++)
			((uint64_t *) data->ordered)[row] = in[data->order[0][row]];
		cpu_scan(data, n, op, kind->sorted ? (const void *) data->ordered : (const void *) in, column_of(data, op, 1),
				 kind->sorted ? data->heads : NULL, i);
	}
}

/* ---- the device ---- */

/* A column's place in the job, which two scans may share. */
static uint32_t
device_input(ScanGpuJob *job, const void **seen, const void *column, int64_t n)
{
	if (column == NULL)
		return 0;
	for (uint32_t i = 0; i < job->inputs; i++)
		if (seen[i] == column)
			return i + 1;
	seen[job->inputs] = column;
	job->input[job->inputs].data = memcpy(ring_take((size_t) n * 8), column, (size_t) n * 8);
	job->input[job->inputs].width = 8;
	return ++job->inputs;
}

static ScanGpuCode
device_job(const Kind *kind, Data *data, int64_t n)
{
	const void *seen[2 * OPERATIONS];
	ScanGpuJob	job;
	ScanGpuCode code;
	char		reason[200];

	ring_used = 0;
	memset(&job, 0, sizeof(job));
	job.n = (uint64_t) n;
	if (kind->sorted)
	{
		job.keys[0] = memcpy(ring_take((size_t) n * 8), data->key, (size_t) n * 8);
		job.key_bits = KEY_BITS;
		job.partition_bits = PARTITION_BITS;
		job.order = (uint32_t *) ring_take((size_t) n * 4);
	}
	for (int i = 0; i < kind->operations; i++)
	{
		const ScanOp	 *op = scan_op_at(kind->scans[i]);
		ScanGpuOperation *o = &job.operation[job.operations++];

		o->line = (uint32_t) op->line;
		o->in = device_input(&job, seen, column_of(data, op, 0), n);
		o->in2 = device_input(&job, seen, column_of(data, op, 1), n);
		o->param = param_of(op);
		o->carry_size = scan_carry_size(op);
		o->carry = (ScanCarry *) ring_take(o->carry_size);
		memset(o->carry, 0, o->carry_size);
		scan_carry_start(op, o->carry);
		o->out = ring_take((size_t) n * 8);
		o->out_valid = (uint8_t *) ring_take((size_t) n / 8 + 1);
		memset(o->out_valid, 0xff, (size_t) n / 8 + 1);
	}
	code = run_job(&job, reason, sizeof(reason));
	for (uint32_t i = 0; code == SCAN_GPU_OK && i < job.operations; i++)
	{
		memcpy(data->out[1][i], job.operation[i].out, (size_t) n * 8);
		memcpy(data->out_valid[1][i], job.operation[i].out_valid, (size_t) n / 8 + 1);
	}
	if (code == SCAN_GPU_OK && kind->sorted)
		memcpy(data->order[1], job.order, (size_t) n * 4);
	return code;
}

/* ---- both ---- */

static bool
answers_same(const Kind *kind, const Data *data, int64_t n)
{
	bool same = !kind->sorted || memcmp(data->order[0], data->order[1], (size_t) n * 4) == 0;

	for (int i = 0; i < kind->operations; i++)
		same = same && memcmp(data->out[0][i], data->out[1][i], (size_t) n * 8) == 0 &&
			   memcmp(data->out_valid[0][i], data->out_valid[1][i], (size_t) n / 8 + 1) == 0;
	return same;
}

static int
by_time(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The medians.  Whether both answered, and the same. */
static bool
time_both(const Kind *kind, Data *data, int64_t n, double *cpu, double *gpu)
{
	double cpu_runs[RUNS], gpu_runs[RUNS];

	for (int i = 0; i < RUNS; i++)
	{
		double		from = seconds();
		ScanGpuCode code;

		cpu_job(kind, data, n);
		cpu_runs[i] = seconds() - from;
		from = seconds();
		code = device_job(kind, data, n);
		gpu_runs[i] = seconds() - from;
		if (code != SCAN_GPU_OK || !answers_same(kind, data, n))
		{
			printf("jobs: %s, %lld rows: %s, code %d\n", kind->name, (long long) n,
				   code == SCAN_GPU_OK ? "other answers than the CPU's" : "no answer", (int) code);
			failures++;
			return false;
		}
	}
	qsort(cpu_runs, RUNS, sizeof(double), by_time);
	qsort(gpu_runs, RUNS, sizeof(double), by_time);
	*cpu = cpu_runs[RUNS / 2];
	*gpu = gpu_runs[RUNS / 2];
	return true;
}

/*
 * The fewest rows from which on the device has not been slower, of 1000, 2000, 4000 ..; INT64_MAX: it always has been.
 */
static int64_t
crossover(const Kind *kind, Data *data)
{
	int64_t found = INT64_MAX;
	double	cpu, gpu;

	for (int64_t n = LEAST; n <= data->n && time_both(kind, data, n, &cpu, &gpu); n *= 2)
		if (gpu > cpu)
			found = INT64_MAX;
		else if (found == INT64_MAX)
			found = n;
	return found;
}

static void
say_sizes(const Kind *kind, Data *data)
{
	static const int64_t million[] = {1, 10, 20, 50};

	for (int i = 0; i < 4; i++)
	{
		int64_t n = million[i] * 1000000;
		double	cpu, gpu;

		if (i > 0 && n > data->n)
			return;
		n = n < data->n ? n : data->n;
		if (time_both(kind, data, n, &cpu, &gpu))
		{
			printf("| %-56s | %9lld | %9.2f | %9.2f | %6.2f |\n", kind->name, (long long) n, cpu * 1e3, gpu * 1e3,
				   cpu / gpu);
			table_row("jobs", kind->name, (double) n, "CPU ms", cpu * 1e3);
			table_row("jobs", kind->name, (double) n, "device ms", gpu * 1e3);
		}
	}
}

/* The table of the fewest rows; how many that is for all kinds. */
static int64_t
say_crossovers(Data *data)
{
	int64_t all = 0;

	printf("\n| no slower than one core from                             |      rows |\n"
		   "|----------------------------------------------------------|-----------|\n");
	for (int i = 0; i < KINDS; i++)
	{
		int64_t rows = crossover(&kinds[i], data);

		if (rows == INT64_MAX)
			printf("| %-56s |     never |\n", kinds[i].name);
		else
			printf("| %-56s | %9lld |\n", kinds[i].name, (long long) rows);
		table_row("jobs", kinds[i].name, rows == INT64_MAX ? 0 : (double) rows, "no slower from", rows != INT64_MAX);
		all = rows > all ? rows : all;
	}
	return all;
}

int
main(int argc, char **argv)
{
	Data	data;
	int64_t n = argc > 2 ? atoll(argv[2]) : 50000000, all;
	double	from = seconds();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2 || n < LEAST || n > 50000000)
	{
		fprintf(stderr, "usage: jobs LIBRARY.so [ROWS]\n");
		return 2;
	}
	load_library(argv[1], (size_t) n * 64 + (1 << 20));
	printf("the library opens in %.0f ms, with a ring of %zu MiB\n", (seconds() - from) * 1e3, ring_size >> 20);
	memset(ring, 1, ring_size);
	data_make(&data, n);
	printf(
		"\n| whole jobs, with copies to the ring and the device       |      rows |   CPU, ms | device, ms |  times |\n"
		"|----------------------------------------------------------|-----------|-----------|-----------|--------|\n");
	for (int i = 0; i < KINDS; i++)
		say_sizes(&kinds[i], &data);
	all = say_crossovers(&data);
	if (all < INT64_MAX)
		printf("\nno slower at any of them from %lld rows on\n", (long long) all);
	else
		printf("\nthe device is slower at some of them however long they are\n");
	printf("In a server a row by keys takes 2 to 3 ns more, because a backend proves that the rows are in order, and "
		   "10 to "
		   "25 ns more if the job is cut into several slots.  Choose no setting by these figures.\n");
	library->close(device);
	printf("# %s\n", failures == 0 ? "all as on the CPU" : "NOT as on the CPU");
	return failures != 0;
}
