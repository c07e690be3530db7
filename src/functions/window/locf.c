/*
 * locf.c: scan_locf(value, max_gap, reset): the last observation carried forward.
 */
#include "postgres.h"

#include "compat.h"
#include "functions/window/scan_row.h"

typedef struct Locf
{
	WindowConstant max_gap;
	RetainedDatum  last;
	int64		   age; /* rows since the last value */
} Locf;

PG_FUNCTION_INFO_V1(scan_locf_any);
Datum
scan_locf_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Locf	   *locf = (Locf *) window_state(call, sizeof(Locf));
	bool		no_limit, isnull;
	int64		max_gap = DatumGetInt64(window_constant(call, &locf->max_gap, 1, "max_gap", &no_limit));
	Datum		value;

	if (!no_limit && max_gap < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"max_gap\" must not be negative: " INT64_FORMAT, max_gap),
						errhint("It is a number of rows; NULL is no limit.")));
	window_keeps(call, 0, &locf->last, &call->type[0]);
	window_keeps_bytes(call, &locf->age, sizeof(locf->age));
	if (window_flag(call, 2))
		retained_clear(&locf->last);

	value = window_arg(call, 0, &isnull);
	if (!isnull)
	{
		retained_set(&locf->last, &call->type[0], value, false, call->memory);
		locf->age = 0;
		PG_RETURN_DATUM(value);
	}
	locf->age++;
	if (!locf->last.present || (!no_limit && locf->age > max_gap))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(locf->last.value);
}
