/*
 * run.c: runs a scan on the CPU or the GPU.
 *
 * Callers (functions/array/array_scan.c, the plan node) hand over columns and do not know which device scanned them.  A
 * job goes to the GPU if that is expected to be faster.  Where the GPU stops, the CPU continues, in batches that are
 * small enough that the query can be cancelled between them; the carry goes from one batch to the next.  If the GPU
 * failed only at some rows, it continues after them.  Sorts of words are divided between the devices in the same way
 * (run_sort.c).
 */
#include "postgres.h"

#include <fenv.h>

#include "miscadmin.h"
#include "portability/instr_time.h"

#include "device_choice.h"
#include "run.h"

/*
 * Rows between two checks for interrupts, for SCAN_ORDERED lines: a row that needs long integers takes up to a
 * millisecond.  Two chunks, so that chunks and batches begin together in a column of one segment.
 */
#define ORDERED_BATCH (2 * RECURRENCE_CHUNK)

/* After this many batches in a row that the GPU could not prove, the CPU runs the rest of the scan. */
#define UNPROVEN_MAX 3

/* Rows to hand over to the GPU at once.  A constant, so that their memory here does not grow with the column. */
#define GPU_ROWS (4 * 1024 * 1024)

RunCounters
run_counters(void)
{
	RunCounters now = device_choice_counters;

	now.copy_in_ns = client_counters.copy_in_ns;
	now.wait_ns = client_counters.wait_ns;
	now.gpu_ns = client_counters.device_ns;
	now.copy_out_ns = client_counters.copy_out_ns;
	return now;
}

/* ---- the choice ---- */

const char *
run_device(void)
{
	if (guc_device == DEVICE_CPU || !client_ready())
		return "cpu";
	return guc_device == DEVICE_GPU ? "gpu" : "auto";
}

/* True if the job goes to the GPU.  cpu_ns: nanoseconds per row on the CPU; 0: the measured rate. */
static bool
goes_to_gpu(const ScanJob *job, double cpu_ns)
{
	ClientOffer offer;

	if (!device_may_be_asked(job->op->line, job->n))
		return false;
	if (!client_offer(job, &offer))
		return device_leave(client_reason());
	return device_is_faster(&offer, job->n, cpu_scan_ns(job->op, cpu_ns));
}

/* ---- scans ---- */

/* Runs rows from job->done to `until` - 1, up to the first error. */
static void
run_on_cpu(ScanJob *job, int64 until)
{
	int64	   max_rows = job->op->item_size == 0 ? ORDERED_BATCH : SCAN_BATCH;
	int64	   from = job->done;
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
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	cpu_scan_took(job->op, INSTR_TIME_GET_DOUBLE(end) * 1e9, job->done - from);
}

/*
 * Runs the job on the GPU, and on the CPU the rows at which the GPU failed.  The rows from job->done on are left to the
 * caller, for the CPU: none, rows of which one has an error, or the rest after UNPROVEN_MAX failures.
 */
static void
run_on_gpu(ScanJob *job)
{
	int		   unproven = 0;
	bool	   whole = true;
	int64	   from, until, begin = job->done;
	instr_time start, end;

	device_require(REQUIRE_CPU, "GPU", NULL);
	INSTR_TIME_SET_CURRENT(start);
	for (;;)
	{
		from = job->done;
		if (client_run(job, &until))
			break;
		whole = device_leave(client_reason());
		device_require(REQUIRE_GPU, "CPU", client_reason());
		unproven = job->done > from ? 1 : unproven + 1;
		if (unproven == UNPROVEN_MAX)
			break;
		run_on_cpu(job, until);
		if (job->done == job->n || job->status != SCAN_OK)
			break;
	}
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	device_took(job->op->line, INSTR_TIME_GET_DOUBLE(end) * 1e9, job->done - begin, cpu_scan_ns(job->op, 0));
	device_choice_counters.gpu_jobs += whole;
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
	 * The proofs assume rounding to nearest and subnormals; a library loaded into this backend may have left another
	 * mode.  After an error in between, the default mode stays, which PostgreSQL relies on.
	 */
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	device_choice_counters.jobs += job->n > 0;
	if (job->n > 0 && goes_to_gpu(job, 0))
		run_on_gpu(job);
	else if (job->n > 0)
		device_require(REQUIRE_GPU, "CPU", device_choice_counters.reason);
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
	device_choice_counters.jobs++;
	device_require(REQUIRE_GPU, "CPU", device_choice_counters.reason);
	return false;
}
