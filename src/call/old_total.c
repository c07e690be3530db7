/*
 * old_total.c: what exact_sum and scan_total went by in version 1.0 of the catalog, for databases where that is still
 * in use.
 *
 * A new library is there before ALTER EXTENSION scan UPDATE is, and calls of the old catalog look their functions up in
 * it.  op/list.h does not have these: the newest catalog does not.  Since 1.1 they go by exact.c and total_state.c.
 */
#include "postgres.h"

#include <fenv.h>

#include "fmgr.h"

#include "column/total.h"
#include "compat.h"
#include "error.h"

/* ---- the state: an ExactSum, NULL before the first value ---- */

static ExactSum *
state_argument(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : (ExactSum *) PG_GETARG_POINTER(arg);
}

/* A new state, in the aggregate's memory. */
static ExactSum *
state_new(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");

	/* the proofs of op/ ask for it (see run.c) */
	fesetenv(FE_DFL_ENV);
	return (ExactSum *) MemoryContextAllocZero(context, sizeof(ExactSum));
}

/* The state as it is: what a NULL leaves. */
static Datum
unchanged(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* state + another one */
static Datum
join_state(FunctionCallInfo fcinfo, const ExactSum *other)
{
	ExactSum *state = state_argument(fcinfo, 0);

	if (state == NULL)
	{
		state = state_new(fcinfo);
		exact_copy(state, other);
	}
	else
		exact_join(state, other);
	if (!total_has_room(state))
		scan_raise(SCAN_FLOAT_OVERFLOW);
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(scan_total_accumulate_float8);
Datum
scan_total_accumulate_float8(PG_FUNCTION_ARGS)
{
	ExactSum *state = state_argument(fcinfo, 0);

	if (PG_ARGISNULL(1))
		return unchanged(fcinfo);
	if (state == NULL)
	{
		state = state_new(fcinfo);
		exact_lift(PG_GETARG_FLOAT8(1), state);
	}
	else
		exact_accumulate(state, PG_GETARG_FLOAT8(1));
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(scan_total_accumulate_total);
Datum
scan_total_accumulate_total(PG_FUNCTION_ARGS)
{
	ExactSum other;

	if (PG_ARGISNULL(1))
		return unchanged(fcinfo);
	total_read(PG_GETARG_DATUM(1), &other);
	return join_state(fcinfo, &other);
}

PG_FUNCTION_INFO_V1(scan_total_combine);
Datum
scan_total_combine(PG_FUNCTION_ARGS)
{
	const ExactSum *other = state_argument(fcinfo, 1);

	return other == NULL ? unchanged(fcinfo) : join_state(fcinfo, other);
}

/* The state's bytes are those of a scan_total: both are varlenas. */
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

PG_FUNCTION_INFO_V1(scan_total_final_total);
Datum
scan_total_final_total(PG_FUNCTION_ARGS)
{
	const ExactSum *state = state_argument(fcinfo, 0);

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(total_datum(state));
}

/* ---- what only exact_sum had ---- */

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
