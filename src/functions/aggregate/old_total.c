/*
 * old_total.c: the support functions of exact_sum and scan_total in version 1.0 of the catalog, for databases that
 * still use it.
 *
 * A new library is installed before ALTER EXTENSION scan UPDATE runs, and until then the old catalog looks its
 * functions up in the new library. op/list.h does not contain these functions because the newest catalog does not.
 * Since 1.1 the two aggregates use exact.c and total_state.c.
 */
#include "postgres.h"

#include "fmgr.h"

#include "column/total.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"

/* Calls a current function in the aggregate's memory, because core does not copy a new state of type internal. */
static Datum
in_memory_of_aggregate(FunctionCallInfo fcinfo, PGFunction function)
{
	MemoryContext context, old;
	Datum		  result;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	old = MemoryContextSwitchTo(context);
	result = function(fcinfo);
	MemoryContextSwitchTo(old);
	return result;
}

#define OLD_NAME(OLD, FUNCTION)                          \
	PG_FUNCTION_INFO_V1(OLD);                            \
	Datum OLD(PG_FUNCTION_ARGS)                          \
	{                                                    \
		return in_memory_of_aggregate(fcinfo, FUNCTION); \
	}

OLD_NAME(scan_total_accumulate_float8, total_add_float8)
OLD_NAME(scan_total_accumulate_total, total_add_total)
OLD_NAME(scan_total_combine, total_combine)

PG_FUNCTION_INFO_V1(scan_total_final_total);
Datum
scan_total_final_total(PG_FUNCTION_ARGS)
{
	return total_final(fcinfo);
}

/* The serialized state is a scan_total returned as bytea; both are varlenas. */
PG_FUNCTION_INFO_V1(scan_total_serialize);
Datum
scan_total_serialize(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(total_datum((const ExactSum *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(scan_total_deserialize);
Datum
scan_total_deserialize(PG_FUNCTION_ARGS)
{
	bytea	 *stored = PG_GETARG_BYTEA_P_COPY(0);
	ExactSum *state = (ExactSum *) palloc0(sizeof(ExactSum));

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate function called in non-aggregate context");
	total_read(PointerGetDatum(stored), state);
	PG_RETURN_POINTER(state);
}

/* ---- exact_sum only ---- */

PG_FUNCTION_INFO_V1(scan_total_accumulate_float4);
Datum
scan_total_accumulate_float4(PG_FUNCTION_ARGS)
{
	if (!PG_ARGISNULL(1))
		fcinfo->args[1].value = Float8GetDatum(PG_GETARG_FLOAT4(1));
	return scan_total_accumulate_float8(fcinfo);
}

PG_FUNCTION_INFO_V1(scan_total_final_float8);
Datum
scan_total_final_float8(PG_FUNCTION_ARGS)
{
	double	   y;
	ScanStatus status;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	status = exact_round((const ExactSum *) PG_GETARG_POINTER(0), &y);
	if (status != SCAN_OK)
		scan_raise(status);
	PG_RETURN_FLOAT8(y);
}

PG_FUNCTION_INFO_V1(scan_total_final_float4);
Datum
scan_total_final_float4(PG_FUNCTION_ARGS)
{
	float	   y;
	ScanStatus status;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	status = exact_round_float4((const ExactSum *) PG_GETARG_POINTER(0), &y);
	if (status != SCAN_OK)
		scan_raise(status);
	PG_RETURN_FLOAT4(y);
}
