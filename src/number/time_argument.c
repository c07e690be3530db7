/*
 * time_argument.c: see time_argument.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "number/time_argument.h"

void
time_raise_not_finite(int errcode_of_type)
{
	ereport(ERROR, (errcode(errcode_of_type), errmsg("argument \"at\" must be finite"),
					errhint("Write NULL instead: rows whose \"at\" is NULL are skipped.")));
}

int64
time_argument(Oid type, Datum at)
{
	if (type == FLOAT8OID)
	{
		if (!isfinite(DatumGetFloat8(at)))
			time_raise_not_finite(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE);
		return (int64) double_bits(DatumGetFloat8(at));
	}
	if (type == DATEOID)
	{
		if (DATE_NOT_FINITE(DatumGetDateADT(at)))
			time_raise_not_finite(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE);
		return DatumGetDateADT(at);
	}
	if (type != INT8OID && TIMESTAMP_NOT_FINITE(DatumGetTimestamp(at)))
		time_raise_not_finite(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE);
	return DatumGetInt64(at);
}

int64
time_flags(Oid type, bool previous)
{
	return (type == FLOAT8OID ? TIME_AREA_DOUBLES : 0) | (previous ? TIME_AREA_PREVIOUS : 0);
}

bool
time_method(const text *method, bool *previous)
{
	Size		n = VARSIZE_ANY_EXHDR(method);
	const char *name = VARDATA_ANY(method);

	*previous = n == strlen("previous") && memcmp(name, "previous", n) == 0;
	return *previous || (n == strlen("linear") && memcmp(name, "linear", n) == 0);
}

bool
time_method_is_previous(const text *method)
{
	bool previous;

	if (!time_method(method, &previous))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"method\" must be 'linear' or 'previous': \"%s\"", text_to_cstring(method)),
						errhint("With 'linear', the value changes in a straight line from each row to the next. With "
								"'previous', each value holds until the next row.")));
	return previous;
}

/* Returns the text of a time. */
static const char *
time_text(Oid type, int64 at)
{
	Datum value = type == FLOAT8OID ? Float8GetDatum(double_from_bits((uint64) at))
				  : type == DATEOID ? DateADTGetDatum((DateADT) at)
									: Int64GetDatum(at);
	Oid	  output;
	bool  is_varlena;

	getTypeOutputInfo(type, &output, &is_varlena);
	return OidOutputFunctionCall(output, value);
}

static void __attribute__((noreturn)) raise_backwards(TimeStatistic statistic, const char *at, const char *last)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("argument \"at\" must not run backwards"),
					errdetail("A row has %s, but an earlier row has %s.", at, last),
					statistic == TIME_AVERAGE ? errhint(TIME_ORDER_HINT)
											  : errhint(TIME_ORDER_HINT_OF("time_in_state(state, at ORDER BY at)"))));
}

void
time_raise_backwards(TimeStatistic statistic, Oid type, int64 at, int64 last)
{
	raise_backwards(statistic, time_text(type, at), time_text(type, last));
}

void
time_raise_numeric_backwards(TimeStatistic statistic, Datum at, Datum last)
{
	raise_backwards(statistic, DatumGetCString(DirectFunctionCall1(numeric_out, at)),
					DatumGetCString(DirectFunctionCall1(numeric_out, last)));
}
