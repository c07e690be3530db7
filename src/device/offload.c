/*
 * offload.c: see offload.h.  Runs scans on the device and counts them; word_sorter.c does the same with sorts.
 *
 * A job goes to the GPU if that is expected to be faster (choice.c).  Where the GPU stops, the CPU continues.  If the
 * GPU failed only at some rows, it continues after them.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "miscadmin.h"

#include "compat.h"
#include "device/jobs.h"
#include "device/offload.h"
#include "device/shared.h"
#include "library/clock.h"

/* After this many batches in a row that the GPU could not prove, the CPU runs the rest of the scan. */
#define UNPROVEN_MAX 3

/* Rows to hand over to the GPU at once.  A constant, so that their memory here does not grow with the column. */
#define GPU_ROWS (4 * 1024 * 1024)

void
device_init(void)
{
	settings_define();
	if (process_shared_preload_libraries_in_progress)
		worker_init();
}

/* ---- the choice ---- */

bool
device_takes(const ScanJob *job)
{
	double		values = scan_values_per_row(job);
	ClientOffer offer;

	if (!device_may_be_asked(job->op->line, (int64) Min(job->n * values, (double) PG_INT32_MAX)))
		return false;
	if (!client_offer(job, &offer))
		return device_leave(client_reason());
	offer.row_ns += job->made_ns;
	return device_is_faster(&offer, job->n, cpu_scan_ns(job->op, 0) * values);
}

int64
device_rows_at_once(void)
{
	return Max(GPU_ROWS, guc_gpu_min_rows);
}

/* ---- a scan ---- */

static void
run_otherwise(ScanJob *job, int64 until, DeviceElse otherwise)
{
	int64  from = job->done;
	double start = clock_ns();

	otherwise(job, until);
	cpu_scan_took(job->op, clock_ns() - start, job->done - from);
}

/*
 * Runs the job on the GPU, and on the CPU the rows at which the GPU failed.  The rows from job->done on are left to the
 * caller, for the CPU: none, rows of which one has an error, or the rest after UNPROVEN_MAX failures.
 */
static void
run_on_gpu(ScanJob *job, DeviceElse otherwise)
{
	int	   unproven = 0;
	bool   whole = true;
	int64  from, until, begin = job->done;
	double start = clock_ns();

	device_require(REQUIRE_CPU, "GPU", NULL);
	for (;;)
	{
		from = job->done;
		if (client_run(job, &until))
			break;
		whole = device_leave(client_reason());
		device_require(REQUIRE_GPU, "CPU", client_reason());
		unproven = job->done > from ? 1 : unproven + 1;
		if (unproven == UNPROVEN_MAX || otherwise == NULL)
			break;
		run_otherwise(job, until, otherwise);
		if (job->done == job->n || job->status != SCAN_OK)
			break;
	}
	device_took(job->op->line, clock_ns() - start, job->done - begin,
				cpu_scan_ns(job->op, 0) * scan_values_per_row(job));
	client_counters.gpu_jobs += whole;
}

void
device_run(ScanJob *job, DeviceElse otherwise)
{
	client_counters.jobs++;
	if (device_takes(job))
		run_on_gpu(job, otherwise);
	else
		device_require(REQUIRE_GPU, "CPU", client_counters.reason);
	if (otherwise != NULL)
		run_otherwise(job, job->n, otherwise);
}

void
device_loop_took(const ScanOp *op, double ns, int64 values)
{
	cpu_scan_took(op, ns, values);
}

/* ---- what became of jobs ---- */

const char *
device_chosen(void)
{
	if (guc_device == DEVICE_CPU || !client_ready())
		return "cpu";
	return guc_device == DEVICE_GPU ? "gpu" : "auto";
}

DeviceCounters
device_counters(void)
{
	return client_counters;
}

void
device_count(DeviceCounters *sum, const DeviceCounters *before)
{
	DeviceCounters now = client_counters;

	sum->jobs += now.jobs - before->jobs;
	sum->gpu_jobs += now.gpu_jobs - before->gpu_jobs;
	if (now.jobs - now.gpu_jobs > before->jobs - before->gpu_jobs)
		sum->reason = now.reason;
	for (int time = 0; time < DEVICE_TIMES; time++)
		sum->ns[time] += now.ns[time] - before->ns[time];
}

void
device_explain(const DeviceCounters *jobs, ExplainState *es)
{
	const char *device = device_chosen();
	const char *reason = NULL;

	if (es->analyze)
	{
		/* with scan.device = auto and no GPU there is no reason to give */
		if (jobs->gpu_jobs < jobs->jobs && !(guc_device == DEVICE_AUTO && strcmp(device, "cpu") == 0))
			reason = jobs->reason;
		device = jobs->gpu_jobs > 0 ? "gpu" : "cpu";
	}
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Device", device, es);
		if (es->analyze)
		{
			ExplainPropertyInteger("Jobs", NULL, jobs->jobs, es);
			ExplainPropertyInteger("Device Jobs", NULL, jobs->gpu_jobs, es);
		}
		if (reason != NULL)
			ExplainPropertyText("CPU Reason", reason, es);
		return;
	}
	if (es->analyze && jobs->gpu_jobs > 0)
		device = psprintf("gpu (" INT64_FORMAT " of " INT64_FORMAT " jobs)%s", jobs->gpu_jobs, jobs->jobs,
						  reason == NULL ? "" : ", cpu");
	ExplainPropertyText("Device", reason == NULL ? device : psprintf("%s: %s", device, reason), es);
}
