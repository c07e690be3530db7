/*
 * run.c: the one fork: which device runs a job.
 *
 * Callers (call/array.c, the plan node) hand over columns and never know who scanned
 * them.  A job goes to the GPU where that is expected to be faster, and from wherever
 * the GPU stops the CPU goes on, in batches that are small enough to be cancelled
 * between, the carry going from one to the next.
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
#include "worker/client.h"

/*
 * Rows between two looks whether the query was cancelled, for scans in order: a row
 * that has to be answered by long integers takes up to a millisecond.  Two chunks,
 * so that chunks and batches begin together in a column of one segment.
 */
#define ORDERED_BATCH (2 * RECURRENCE_CHUNK)

/* Nanoseconds of a row on the CPU by line, as last seen in jobs of so many rows; 0: not yet. */
#define MEASURED_ROWS 4096
#define UNMEASURED_NS 3.0
static double cpu_row_ns[SCAN_LINES];

/* Whether the job goes to the GPU. */
static bool
wants_gpu(const ScanJob *job)
{
	ClientOffer offer;
	double		cpu_ns, gpu_ns;

	if (guc_device == DEVICE_CPU || job->n == 0 || (guc_device == DEVICE_AUTO && job->n < guc_gpu_min_rows))
		return false;
	if (!client_offer(job, &offer))
		return false;
	if (guc_device == DEVICE_GPU)
		return true;
	cpu_ns = cpu_row_ns[job->op->line] == 0 ? UNMEASURED_NS : cpu_row_ns[job->op->line];
	gpu_ns = offer.row_ns + offer.batch_ns / Min(job->n, offer.batch_rows);
	return gpu_ns < cpu_ns;
}

/* Rows that make the way to a device worth while. */
#define WISH_ROWS (1 << 20)

int64
scan_run_wish(const ScanOp *op, const void *param)
{
	ScanJob job = {.op = op, .param = param, .n = WISH_ROWS};

	return wants_gpu(&job) ? WISH_ROWS : 0;
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

static void
run_on_gpu(ScanJob *job)
{
	require(REQUIRE_CPU, "GPU", NULL);
	if (!client_run(job))
		require(REQUIRE_GPU, "CPU", client_reason());
}

static void
run_on_cpu(ScanJob *job)
{
	int64	   most = job->op->item_size == 0 ? ORDERED_BATCH : SCAN_BATCH;
	int64	   from = job->done;
	instr_time start, end;

	INSTR_TIME_SET_CURRENT(start);
	while (job->done < job->n && job->status == SCAN_OK)
	{
		ScanJob batch = scan_job_piece(job, job->done, Min(job->n - job->done, most));

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
	cpu_row_ns[job->op->line] = INSTR_TIME_GET_DOUBLE(end) * 1e9 / (job->done - from);
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
	if (wants_gpu(job))
		run_on_gpu(job);
	else if (job->n > 0)
		require(REQUIRE_GPU, "CPU", guc_device == DEVICE_GPU ? client_reason() : "scan.device is not \"gpu\"");
	run_on_cpu(job);
	fesetenv(&environment);

	if (job->scratch != NULL)
		pfree(job->scratch);
	if (own_carry)
		pfree(job->carry);
}
