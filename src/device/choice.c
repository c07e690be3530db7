/*
 * choice.c: tells whether a device may be asked and whether it is faster.  device_takes() of offload.c decides by both,
 * and so does word_sorter.c.
 *
 * The model is no better than its rates, and a process that has to wait for a processor measures slow ones.  So a rate
 * is the least of several (rate.c), the device has to win by a tenth, and its actual time is compared afterwards.
 */
#include "postgres.h"

#include <math.h>

#include "device/jobs.h"
#include "device/shared.h"

/* Rates to assume until they are measured; nanoseconds per row and per word. */
#define UNMEASURED_NS 2.0
#define UNMEASURED_SORT_NS 12.0
#define UNMEASURED_FRAME_NS 0.04 /* per value of a frame */

/* scan_rates() shows the times of a line of frames for a row whose frame has so many values. */
#define SHOWN_FRAME_VALUES 1000

/* Shorter jobs are not used to measure rates. */
#define MEASURED_ROWS 4096

/* The device has to stay below this part of the CPU's time. */
#define WINS_BY 0.9

bool
device_leave(const char *why)
{
	client_counters.reason = why;
	return false;
}

void
device_require(DebugRequire device, const char *which, const char *why)
{
	if (guc_debug_require == device)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a job runs on the %s", which),
						why == NULL ? 0 : errdetail("The reason is that %s.", why),
						errhint("SET scan.debug_require = allow to let either device run the job.")));
}

/* ---- the CPU's rates ---- */

double
cpu_scan_ns(const ScanOp *op, double said)
{
	double otherwise = op->flags & SCAN_FRAMES ? UNMEASURED_FRAME_NS : UNMEASURED_NS;

	return guc_debug_cpu_factor * (said != 0 ? said : rate_of(RATE_CPU + op->line, otherwise));
}

double
cpu_word_ns(void)
{
	return guc_debug_cpu_factor * rate_of(RATE_CPU + JOB_SORT, UNMEASURED_SORT_NS);
}

void
cpu_scan_took(const ScanOp *op, double ns, int64 rows)
{
	if (rows >= MEASURED_ROWS)
		rate_seen(RATE_CPU + op->line, ns / rows);
}

void
cpu_sort_took(double ns, int64 words)
{
	if (words >= MEASURED_ROWS)
		rate_seen(RATE_CPU + JOB_SORT, ns / words);
}

/* ---- the choice ---- */

bool
device_may_be_asked(int line, int64 n)
{
	bool sorts = line == JOB_SORT;

	if (guc_device == DEVICE_CPU)
		return device_leave("scan.device is \"cpu\"");
	if (guc_device == DEVICE_GPU)
		return true;
	if (n < (sorts ? guc_gpu_sort_min_rows : guc_gpu_min_rows))
		return device_leave(sorts ? "the job has fewer rows than scan.gpu_sort_min_rows"
								  : "the job has fewer rows than scan.gpu_min_rows");
	return rate_rests_until(line) == 0 || device_leave("the device was slower than the CPU at jobs of this kind");
}

bool
device_is_faster(const ClientOffer *offer, int64 n, double cpu_ns)
{
	double gpu_ns = offer->row_ns + offer->batch_ns / Min(n, offer->batch_rows);

	return guc_device == DEVICE_GPU || gpu_ns < WINS_BY * cpu_ns || device_leave("the CPU is faster");
}

/* Returns the number of rows from which the offer wins; 0: not within one batch. */
static int64
device_is_faster_from(const ClientOffer *offer, double cpu_ns)
{
	double saved = WINS_BY * cpu_ns - offer->row_ns;
	double rows = saved <= 0 ? 0 : floor(offer->batch_ns / saved) + 1;

	return rows <= offer->batch_rows ? (int64) rows : 0;
}

void
device_took(int line, double ns, int64 rows, double cpu_ns)
{
	static Size mapped = 0;
	bool		maps = slot_mapped != mapped;

	mapped = slot_mapped;
	/*
	 * A user who has asked for the device by name gets it even if it is slow.  The first jobs of a session map pages of
	 * slots, and have them pinned; several sessions that begin would let the line rest, though the next jobs are fast.
	 */
	if (guc_device == DEVICE_AUTO && rows >= MEASURED_ROWS && !maps)
		rate_was_slower(line, ns > cpu_ns * rows);
}

/* ---- what is known of a kind of job, for scan_rates() ---- */

bool
device_rate(int kind, DeviceRate *rate)
{
	/* order 1 is the smallest; the time for a row grows with the order */
	static const RecurrenceParam order_one = {.order = 1};
	ClientOffer					 offer;
	double						 cpu_ns;

	if (kind == JOB_SORT)
	{
		if (!client_sort_offer(1, 64, NULL, &offer))
			return false;
		cpu_ns = cpu_word_ns();
	}
	else
	{
		const ScanOp *op = scan_op_at(kind);
		ScanJob		  job = {.op = op,
							 .param = kind == SCAN_OP_recurrence_vector ? &order_one : NULL,
							 .frame_values = op->flags & SCAN_FRAMES ? SHOWN_FRAME_VALUES : 0};

		if (!client_offer(&job, &offer))
			return false;
		cpu_ns = cpu_scan_ns(op, 0) * scan_values_per_row(&job);
	}
	*rate = (DeviceRate){.line = line_name(kind),
						 .batch_ns = offer.batch_ns,
						 .device_ns = offer.device_ns,
						 .way_ns = offer.row_ns - offer.device_ns,
						 .cpu_ns = cpu_ns,
						 .from_rows = device_is_faster_from(&offer, cpu_ns),
						 .rests_until = rate_rests_until(kind)};
	return true;
}
