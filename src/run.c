/*
 * run.c: the one fork: which device runs a job.
 *
 * Callers (call/array.c, later the plan node) hand over columns and never know
 * who scanned them.  So far there is one way: the CPU, in batches that are small
 * enough to be cancelled between, the carry going from one to the next.
 */
#include "postgres.h"

#include <fenv.h>

#include "miscadmin.h"

#include "guc.h"
#include "run.h"

/*
 * Rows between two looks whether the query was cancelled, for scans in order: a row
 * that has to be answered by long integers takes up to a millisecond.  Two chunks,
 * so that chunks and batches begin together in a column of one segment.
 */
#define ORDERED_BATCH (2 * RECURRENCE_CHUNK)

static void
run_on_cpu(ScanJob *job)
{
	int64 most = job->op->item_size == 0 ? ORDERED_BATCH : SCAN_BATCH;

	while (job->done < job->n && job->status == SCAN_OK)
	{
		ScanJob batch = scan_job_piece(job, job->done, Min(job->n - job->done, most));

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
	run_on_cpu(job);
	fesetenv(&environment);

	if (job->scratch != NULL)
		pfree(job->scratch);
	if (own_carry)
		pfree(job->carry);
}
