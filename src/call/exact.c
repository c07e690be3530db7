/*
 * exact.c: the aggregates over exact sums: exact_sum and scan_total.
 *
 * The state is an ExactSum.  Adding is associative and commutative without exception,
 * so workers, shards and partitions may add in any order: the answer is the real sum,
 * rounded once.
 */
#include "postgres.h"

#include <fenv.h>

#include "fmgr.h"

#include "column/total.h"
#include "error.h"

/* The state of the aggregate, NULL before the first value. */
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

/* state + x */
static Datum
accumulate(FunctionCallInfo fcinfo, double x)
{
	ExactSum *state = state_argument(fcinfo, 0);

	if (state == NULL)
	{
		state = state_new(fcinfo);
		exact_lift(x, state);
	}
	else
		exact_accumulate(state, x);
	PG_RETURN_POINTER(state);
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
	return PG_ARGISNULL(1) ? unchanged(fcinfo) : accumulate(fcinfo, PG_GETARG_FLOAT8(1));
}

PG_FUNCTION_INFO_V1(scan_total_accumulate_float4);
Datum
scan_total_accumulate_float4(PG_FUNCTION_ARGS)
{
	return PG_ARGISNULL(1) ? unchanged(fcinfo) : accumulate(fcinfo, PG_GETARG_FLOAT4(1));
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

#define FINAL(TYPE, T, ROUND, RETURN)                      \
	PG_FUNCTION_INFO_V1(scan_total_final_##TYPE);          \
	Datum scan_total_final_##TYPE(PG_FUNCTION_ARGS)        \
	{                                                      \
		const ExactSum *state = state_argument(fcinfo, 0); \
		T				y;                                 \
                                                           \
		if (state == NULL)                                 \
			PG_RETURN_NULL();                              \
		scan_check(ROUND(state, &y));                      \
		RETURN(y);                                         \
	}

FINAL(float8, double, exact_round, PG_RETURN_FLOAT8)
FINAL(float4, float, exact_round_float4, PG_RETURN_FLOAT4)

PG_FUNCTION_INFO_V1(scan_total_final_total);
Datum
scan_total_final_total(PG_FUNCTION_ARGS)
{
	const ExactSum *state = state_argument(fcinfo, 0);

	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(total_datum(state));
}
