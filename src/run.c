/*
 * run.c: the one fork: which device runs a job.
 *
 * Callers (call/array.c, the plan node) hand over columns and never know who scanned
 * them.  A job goes to the GPU where that is expected to be faster, and from wherever
 * the GPU stops the CPU goes on, in batches that are small enough to be cancelled
 * between, the carry going from one to the next; where only some rows were in the way,
 * the GPU goes on after them.  Words to be sorted (src/sort) go the same two ways.
 *
 * What the GPU costs it says itself (worker/client.h); what a row costs on the CPU is
 * measured here, as jobs run.
 */
#include "postgres.h"

#include <fenv.h>

#include "miscadmin.h"
#include "portability/instr_time.h"

#include "guc.h"
#include "run.h"
#include "sort/radix.h"
#include "worker/client.h"

/*
 * Rows between two looks whether the query was cancelled, for scans in order: a row
 * that has to be answered by long integers takes up to a millisecond.  Two chunks,
 * so that chunks and batches begin together in a column of one segment.
 */
#define ORDERED_BATCH (2 * RECURRENCE_CHUNK)

/* Nanoseconds of a row on the CPU, by line and of a sort, as last seen in jobs of so many rows; 0: not yet. */
#define MEASURED_ROWS 4096
#define UNMEASURED_NS 3.0
#define UNMEASURED_SORT_NS 12.0
static double cpu_row_ns[SCAN_LINES];
static double cpu_sort_ns;

static double
known_ns(double measured, double unmeasured)
{
	return measured == 0 ? unmeasured : measured;
}

/*
 * The rate to go on with.  A process that had to wait for the processor has seen a slow one:
 * what was just seen may be the double of the rate before, and no more.
 */
static double
seen_ns(double before, double unmeasured, double spent_ns, int64 rows)
{
	double seen = spent_ns / rows;

	return Min(seen, 2 * known_ns(before, unmeasured));
}

/* Batches of a scan one after the other that the GPU could not prove: then it is left alone. */
#define UNPROVEN_MAX 3

/* Rows to hand over at once for the GPU: what they take here does not grow with the column. */
#define GPU_ROWS (4 * 1024 * 1024)

/* Fewer words are sorted before the GPU would have noticed. */
#define SORT_MIN 1024

/* Words for it are split by so many of their first bits, to fit in slots. */
#define SORT_SPLIT_BITS 10

static RunCounters counters;

RunCounters
run_counters(void)
{
	RunCounters now = counters;

	now.copy_in_ns = client_counters.copy_in_ns;
	now.wait_ns = client_counters.wait_ns;
	now.gpu_ns = client_counters.device_ns;
	now.copy_out_ns = client_counters.copy_out_ns;
	return now;
}

/* ---- which ---- */

const char *
run_device(void)
{
	if (guc_device == DEVICE_CPU || !client_ready())
		return "cpu";
	return guc_device == DEVICE_GPU ? "gpu" : "auto";
}

/* Notes why a job is the CPU's; false. */
static bool
leave(const char *why)
{
	counters.reason = why;
	return false;
}

/* Whether the GPU may be asked for a job of so many rows. */
static bool
may_ask_gpu(int64 n)
{
	if (guc_device == DEVICE_CPU)
		return leave("scan.device is \"cpu\"");
	if (guc_device == DEVICE_AUTO && n < guc_gpu_min_rows)
		return leave("fewer rows than scan.gpu_min_rows");
	return true;
}

/* Whether an offer for n rows is taken that the CPU does in so many nanoseconds each. */
static bool
is_faster(const ClientOffer *offer, int64 n, double cpu_ns)
{
	double gpu_ns = offer->row_ns + offer->batch_ns / Min(n, offer->batch_rows);

	return guc_device == DEVICE_GPU || gpu_ns < cpu_ns || leave("the CPU is faster");
}

/* Whether the job goes to the GPU; cpu_ns is what a row takes here, 0: what was measured. */
static bool
goes_to_gpu(const ScanJob *job, double cpu_ns)
{
	ClientOffer offer;

	if (!may_ask_gpu(job->n))
		return false;
	if (!client_offer(job, &offer))
		return leave(client_reason());
	return is_faster(&offer, job->n, known_ns(known_ns(cpu_ns, cpu_row_ns[job->op->line]), UNMEASURED_NS));
}

/* The same for a sort; *max_words gets the words that fit in a slot. */
static bool
sort_goes_to_gpu(int64 n, int bits, int64 *max_words)
{
	ClientOffer offer;

	if (!may_ask_gpu(n))
		return false;
	if (!client_sort_offer(n, bits, &offer))
		return leave(client_reason());
	*max_words = offer.batch_rows;
	return is_faster(&offer, n, known_ns(cpu_sort_ns, UNMEASURED_SORT_NS));
}

/* scan.debug_require: an error where another device than that has to run the job. */
static void
require(DebugRequire device, const char *which, const char *why)
{
	if (guc_debug_require == device)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a scan is run by the %s", which),
						why == NULL ? 0 : errdetail("The reason: %s.", why),
						errhint("scan.debug_require asks for another device.")));
}

/* ---- scans ---- */

/* Rows up to `until`. */
static void
run_on_cpu(ScanJob *job, int64 until)
{
	int64	   max_rows = job->op->item_size == 0 ? ORDERED_BATCH : SCAN_BATCH;
	int64	   from = job->done;
	double	  *row_ns = &cpu_row_ns[job->op->line];
	instr_time start, end;

	INSTR_TIME_SET_CURRENT(start);
	while (job->done < until && job->status == SCAN_OK)
	{
		ScanJob batch = scan_job_piece(job, job->done, Min(until - job->done, max_rows));

		CHECK_FOR_INTERRUPTS();
		scan_cpu_run(&batch);
		job->done += batch.done;
		job->status = batch.status;
		job->has_nulls = batch.has_nulls;
	}
	if (job->done - from < MEASURED_ROWS)
		return;
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	*row_ns = seen_ns(*row_ns, UNMEASURED_NS, INSTR_TIME_GET_DOUBLE(end) * 1e9, job->done - from);
}

/* Leaves to the CPU, from row done on, none, or rows one of which has an error. */
static void
run_on_gpu(ScanJob *job)
{
	int	  unproven = 0;
	bool  whole = true;
	int64 from, until;

	require(REQUIRE_CPU, "GPU", NULL);
	for (;;)
	{
		from = job->done;
		if (client_run(job, &until))
			break;
		whole = leave(client_reason());
		require(REQUIRE_GPU, "CPU", client_reason());
		unproven = job->done > from ? 1 : unproven + 1;
		if (unproven == UNPROVEN_MAX)
			break;
		run_on_cpu(job, until);
		if (job->done == job->n || job->status != SCAN_OK)
			break;
	}
	counters.gpu_jobs += whole;
}

void
scan_run(ScanJob *job)
{
	fenv_t environment;
	bool   own_carry;

	job->algorithm = guc_algorithm;
	job->done = 0;
	job->status = SCAN_OK;
	job->has_nulls = false;
	own_carry = job->carry == NULL;
	if (own_carry)
	{
		job->carry = palloc(scan_carry_size(job->op));
		scan_carry_start(job->op, job->carry);
	}
	job->scratch = job->algorithm == SCAN_AUTO ? NULL : palloc(scan_scratch_size(job->op));

	/*
	 * The proofs ask for rounding to nearest and for subnormals; a library loaded
	 * into this backend may have left another mode behind.  After an error on
	 * the way the default mode stays, which is the one PostgreSQL counts on.
	 */
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	counters.jobs += job->n > 0;
	if (job->n > 0 && goes_to_gpu(job, 0))
		run_on_gpu(job);
	else if (job->n > 0)
		require(REQUIRE_GPU, "CPU", counters.reason);
	run_on_cpu(job, job->n);
	fesetenv(&environment);

	if (job->scratch != NULL)
		pfree(job->scratch);
	if (own_carry)
		pfree(job->carry);
}

int64_t
scan_run_rows(const ScanOp *op, const void *param, int64_t n, double cpu_ns)
{
	ScanJob job = {.op = op, .param = param, .n = n};

	return n > SCAN_BATCH && goes_to_gpu(&job, cpu_ns) ? Max(GPU_ROWS, guc_gpu_min_rows) : SCAN_BATCH;
}

bool
scan_run_leaves(const ScanOp *op, int64_t n, double cpu_ns)
{
	ScanJob job = {.op = op, .n = n};

	if (goes_to_gpu(&job, cpu_ns))
		return true;
	counters.jobs++;
	require(REQUIRE_GPU, "CPU", counters.reason);
	return false;
}

/* ---- sorts ---- */

static void
tick(void)
{
	CHECK_FOR_INTERRUPTS();
}

static uint64 *
sort_on_cpu(uint64 *words, uint64 *spare, int64 n, int low, int high)
{
	instr_time start, end;
	uint64	  *sorted;

	INSTR_TIME_SET_CURRENT(start);
	sorted = radix_sort(words, spare, n, low, high, tick);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	if (n >= MEASURED_ROWS)
		cpu_sort_ns = seen_ns(cpu_sort_ns, UNMEASURED_SORT_NS, INSTR_TIME_GET_DOUBLE(end) * 1e9, n);
	return sorted;
}

/* Sorts the next part of a sort, the words of which are `from`. */
static void
sort_part_on_cpu(ClientSort *sort, uint64 *from)
{
	int64	begin = sort->done == 0 ? 0 : sort->end[sort->done - 1];
	int64	n = sort->end[sort->done] - begin;
	uint64 *to = sort->to + begin;
	uint64 *sorted = radix_sort(from + begin, to, n, sort->low, sort->high, tick);

	if (sorted != to)
		memcpy(to, sorted, n * sizeof(uint64));
	sort->done++;
}

/*
 * Words that fit in a slot go there; more are split by their first bits, into parts that
 * need not be merged then.
 */
static uint64 *
sort_on_gpu(uint64 *words, uint64 *spare, int64 n, int low, int high, int64 max_words)
{
	int64	   end[1 << SORT_SPLIT_BITS];
	uint64	  *from = words;
	ClientSort sort = {.to = spare, .parts = 1, .end = end, .low = low, .high = high};
	bool	   whole = true;
	int		   until;

	require(REQUIRE_CPU, "GPU", NULL);
	end[0] = n;
	if (n > max_words)
	{
		int bits = Min(SORT_SPLIT_BITS, high - low);

		radix_split(words, spare, n, high - bits, bits, end, tick);
		from = spare;
		sort.to = words;
		sort.parts = 1 << bits;
	}
	sort.from = from;
	while (sort.done < sort.parts && !client_sort(&sort, &until))
	{
		whole = leave(client_reason());
		require(REQUIRE_GPU, "CPU", client_reason());
		while (sort.done < until)
			sort_part_on_cpu(&sort, from);
	}
	counters.gpu_jobs += whole;
	return sort.to;
}

bool
scan_sort_leaves(int64_t n, int bits)
{
	int64 max_words;

	return n >= SORT_MIN && sort_goes_to_gpu(n, bits, &max_words);
}

/* So many words did not leave, and were sorted in so many nanoseconds. */
static void
sort_stayed(int64_t n, double ns)
{
	counters.jobs++;
	require(REQUIRE_GPU, "CPU", counters.reason);
	if (n >= MEASURED_ROWS)
		cpu_sort_ns = seen_ns(cpu_sort_ns, UNMEASURED_SORT_NS, ns, n);
}

const WordSorter scan_word_sorter = {scan_sort_leaves, scan_sort, sort_stayed};

uint64_t *
scan_sort(uint64_t *words, uint64_t *spare, int64_t n, int low, int high)
{
	int64 max_words;

	if (n < SORT_MIN)
		return radix_sort(words, spare, n, low, high, tick);
	counters.jobs++;
	if (sort_goes_to_gpu(n, high - low, &max_words))
	{
		if (radix_narrow(words, n, &low, &high, tick))
			return sort_on_gpu(words, spare, n, low, high, max_words);
		counters.jobs--; /* there is nothing to do */
		return words;
	}
	require(REQUIRE_GPU, "CPU", counters.reason);
	return sort_on_cpu(words, spare, n, low, high);
}
