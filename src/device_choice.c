/*
 * device_choice.c: see device_choice.h.
 */
#include "postgres.h"

#include "device_choice.h"
#include "guc.h"

/* Nanoseconds of a row on the CPU, by line and of a sort, as last seen in jobs of so many rows; 0: not yet. */
#define MEASURED_ROWS 4096
#define UNMEASURED_NS 3.0
#define UNMEASURED_SORT_NS 12.0
static double cpu_row_ns[SCAN_LINES];
static double cpu_sort_ns;

RunCounters device_choice_counters;

bool
device_leave(const char *why)
{
	device_choice_counters.reason = why;
	return false;
}

void
device_require(DebugRequire device, const char *which, const char *why)
{
	if (guc_debug_require == device)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("a scan is run by the %s", which),
						why == NULL ? 0 : errdetail("The reason: %s.", why),
						errhint("scan.debug_require asks for another device.")));
}

/* ---- the CPU's rates ---- */

static double
known_ns(double measured, double unmeasured)
{
	return measured == 0 ? unmeasured : measured;
}

double
cpu_scan_ns(const ScanOp *op)
{
	return known_ns(cpu_row_ns[op->line], UNMEASURED_NS);
}

double
cpu_word_ns(void)
{
	return known_ns(cpu_sort_ns, UNMEASURED_SORT_NS);
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

void
cpu_scan_took(const ScanOp *op, double ns, int64 rows)
{
	if (rows >= MEASURED_ROWS)
		cpu_row_ns[op->line] = seen_ns(cpu_row_ns[op->line], UNMEASURED_NS, ns, rows);
}

void
cpu_sort_took(double ns, int64 words)
{
	if (words >= MEASURED_ROWS)
		cpu_sort_ns = seen_ns(cpu_sort_ns, UNMEASURED_SORT_NS, ns, words);
}

/* ---- which ---- */

bool
device_may_be_asked(int64 n)
{
	if (guc_device == DEVICE_CPU)
		return device_leave("scan.device is \"cpu\"");
	if (guc_device == DEVICE_AUTO && n < guc_gpu_min_rows)
		return device_leave("fewer rows than scan.gpu_min_rows");
	return true;
}

bool
device_is_faster(const ClientOffer *offer, int64 n, double cpu_ns)
{
	double gpu_ns = offer->row_ns + offer->batch_ns / Min(n, offer->batch_rows);

	return guc_device == DEVICE_GPU || gpu_ns < cpu_ns || device_leave("the CPU is faster");
}
