/*
 * scan_rates.c: scan_rates(), which shows the rates by which scan.device = auto chooses between CPU and GPU: a row for
 * sorts and for each line of list.h that the device runs now, and no rows without a device.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "device/jobs.h"

#define COLUMNS 7

/* Returns nanoseconds rounded to three digits after the point. */
static Datum
rate_datum(double ns)
{
	return Float8GetDatum(rint(ns * 1000) / 1000);
}

static void
put_rate(const ReturnSetInfo *result, const DeviceRate *rate)
{
	Datum value[COLUMNS] = {CStringGetTextDatum(rate->line),
							rate_datum(rate->batch_ns),
							rate_datum(rate->device_ns),
							rate_datum(rate->way_ns),
							rate_datum(rate->cpu_ns),
							Int64GetDatum(rate->from_rows),
							TimestampTzGetDatum(rate->rests_until)};
	bool  isnull[COLUMNS] = {false, false, false, false, false, rate->from_rows == 0, rate->rests_until == 0};

	tuplestore_putvalues(result->setResult, result->setDesc, value, isnull);
}

PG_FUNCTION_INFO_V1(scan_rates);
Datum
scan_rates(PG_FUNCTION_ARGS)
{
	DeviceRate rate;

	InitMaterializedSRF(fcinfo, 0);
	for (int kind = 0; kind < JOB_LINES; kind++)
		if (device_rate(kind, &rate))
			put_rate((const ReturnSetInfo *) fcinfo->resultinfo, &rate);
	return (Datum) 0;
}
