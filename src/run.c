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

/* A job's rows [from, from + n); `from` is a multiple of 8, as bits are. */
static ScanJob
job_piece(const ScanJob *job, int64 from, int64 n)
{
	ScanJob piece = *job;

	piece.n = n;
	piece.in = (const char *) job->in + from * job->op->in_size;
	piece.out = (char *) job->out + from * job->op->out_size;
	piece.valid = job->valid == NULL ? NULL : job->valid + from / 8;
	piece.heads = job->heads == NULL ? NULL : job->heads + from / 8;
	piece.out_valid = job->out_valid + from / 8;
	return piece;
}

static void
run_on_cpu(ScanJob *job)
{
	while (job->done < job->n && job->status == SCAN_OK)
	{
		ScanJob batch = job_piece(job, job->done, Min(job->n - job->done, SCAN_BATCH));

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

	job->algorithm = guc_algorithm;
	job->done = 0;
	job->status = SCAN_OK;
	job->has_nulls = false;
	job->carry = palloc(scan_carry_size(job->op));
	job->scratch = palloc(scan_scratch_size(job->op));
	scan_carry_start(job->op, job->carry);

	/*
	 * The proofs ask for rounding to nearest and for subnormals; a library loaded
	 * into this backend may have left another mode behind.  An error on the way
	 * leaves the default mode, which nobody can hold against us.
	 */
	fegetenv(&environment);
	fesetenv(FE_DFL_ENV);
	run_on_cpu(job);
	fesetenv(&environment);

	pfree(job->scratch);
	pfree(job->carry);
}
