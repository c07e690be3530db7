/*
 * run.c: see run.h.  The fork: hands each job to the door of src/device/, with the CPU's loop for the rows that no
 * device takes.
 */
#include "postgres.h"

#include <fenv.h>

#include "miscadmin.h"

#include "device/offload.h"
#include "guc.h"
#include "run/run.h"
#include "sort/radix.h"

/*
 * Rows between two checks for interrupts, for SCAN_ORDERED lines: a row that needs long integers takes up to a
 * millisecond.  Two chunks, so that chunks and batches begin together in a column of one segment.
 */
#define ORDERED_BATCH (2 * RECURRENCE_CHUNK)

/* ---- scans ---- */

/*
 * A DeviceElse: runs rows from job->done to `until` - 1, up to the first error.  In batches that are small enough that
 * the query can be cancelled between them; the carry goes from one batch to the next.
 */
static void
run_on_cpu(ScanJob *job, int64 until)
{
	int64 max_rows = job->op->item_size == 0 ? ORDERED_BATCH : SCAN_BATCH;

	while (job->done < until && job->status == SCAN_OK)
	{
		ScanJob batch = scan_job_piece(job, job->done, Min(until - job->done, max_rows));

		CHECK_FOR_INTERRUPTS();
		scan_cpu_run(&batch);
		job->done += batch.done;
		job->status = batch.status;
		job->has_nulls = batch.has_nulls;
	}
}

void
scan_run(ScanJob *job)
{
	fenv_t environment;
	bool   own_carry = job->carry == NULL;

	job->algorithm = guc_algorithm;
	job->done = 0;
	job->status = SCAN_OK;
	job->has_nulls = false;
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
	if (job->n > 0)
		device_run(job, job->op->flags & SCAN_FRAMES ? NULL : run_on_cpu);
	fesetenv(&environment);

	if (job->scratch != NULL)
		pfree(job->scratch);
	if (own_carry)
		pfree(job->carry);
}

int64_t
scan_run_rows(const ScanJob *job)
{
	return job->n > SCAN_BATCH && device_takes(job) ? device_rows_at_once() : SCAN_BATCH;
}

bool
scan_may_be_offered(void)
{
	return strcmp(device_chosen(), "cpu") != 0;
}

void
frames_took(const ScanOp *op, double ns, int64 values)
{
	device_loop_took(op, ns, values);
}

/* ---- sorts ---- */

const WordSorter scan_word_sorter = {device_sorts, device_sort, device_sort_stays};
