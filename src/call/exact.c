/*
 * exact.c: the aggregates exact_sum, exact_avg, exact_var_* and exact_stddev_*.
 *
 * All have one state, Moments, and differ in whether squares go into it and in what is read
 * from it.  Adding is associative and commutative without exception and has an inverse, so
 * workers and shards may add in any order, and a moving frame takes out what leaves it: the
 * answer is always the real one, rounded once.
 */
#include "postgres.h"

#include <fenv.h>

#include "fmgr.h"
#include "libpq/pqformat.h"

#include "column/memory.h"
#include "compat.h"
#include "error.h"
#include "op/moments.h"

typedef struct ExactState
{
	ContextMemory memory; /* where its sums grow */
	Moments		  moments;
} ExactState;

static ExactState *
state_new(MemoryContext context)
{
	ExactState *state = (ExactState *) MemoryContextAllocZero(context, sizeof(ExactState));

	context_memory(&state->memory, context);
	return state;
}

/* The first argument: the state, a new one in the aggregate's memory before the first row. */
static ExactState *
state_argument(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!PG_ARGISNULL(0))
		return (ExactState *) PG_GETARG_POINTER(0);
	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");

	/* all arithmetic is of integers, but float4 and double are made of each other: not flushed or rounded oddly */
	fesetenv(FE_DFL_ENV);
	return state_new(context);
}

/* A state even where the value is NULL: PostgreSQL asks for one if there is an inverse. */
#define TAKE(NAME, VALUE, WITH_SQUARE, LEAVES)                                                   \
	PG_FUNCTION_INFO_V1(exact_##NAME);                                                           \
	Datum exact_##NAME(PG_FUNCTION_ARGS)                                                         \
	{                                                                                            \
		ExactState *state = state_argument(fcinfo);                                              \
                                                                                                 \
		if (!PG_ARGISNULL(1))                                                                    \
			moments_take(&state->moments, &state->memory.memory, VALUE(1), WITH_SQUARE, LEAVES); \
		PG_RETURN_POINTER(state);                                                                \
	}

TAKE(add_float8, PG_GETARG_FLOAT8, false, false)
TAKE(add_float4, PG_GETARG_FLOAT4, false, false)
TAKE(add_square, PG_GETARG_FLOAT8, true, false)
TAKE(remove_float8, PG_GETARG_FLOAT8, false, true)
TAKE(remove_float4, PG_GETARG_FLOAT4, false, true)
TAKE(remove_square, PG_GETARG_FLOAT8, true, true)

PG_FUNCTION_INFO_V1(exact_combine);
Datum
exact_combine(PG_FUNCTION_ARGS)
{
	ExactState *state = state_argument(fcinfo);

	if (!PG_ARGISNULL(1))
		moments_join(&state->moments, &state->memory.memory, &((ExactState *) PG_GETARG_POINTER(1))->moments);
	PG_RETURN_POINTER(state);
}

/* ---- between processes: whole numbers, in the order of the network ---- */

static void
send_sum(StringInfo message, const LongSum *sum)
{
	pq_sendbyte(message, (uint8) sum->first);
	pq_sendbyte(message, (uint8) sum->n);
	for (int i = 0; i < sum->n; i++)
		pq_sendint64(message, sum->limb[i]);
}

static void
receive_sum(StringInfo message, LongSum *sum, ScanMemory *memory)
{
	int first = pq_getmsgbyte(message);
	int n = pq_getmsgbyte(message);

	if (n > 0)
		long_sum_widen(sum, memory, first, first + n);
	for (int i = 0; i < n; i++)
		sum->limb[i] = (uint64) pq_getmsgint64(message);
}

PG_FUNCTION_INFO_V1(exact_serialize);
Datum
exact_serialize(PG_FUNCTION_ARGS)
{
	const Moments *m = &((const ExactState *) PG_GETARG_POINTER(0))->moments;
	StringInfoData message;

	pq_begintypsend(&message);
	pq_sendint64(&message, m->finite);
	pq_sendint64(&message, m->negative_zeros);
	pq_sendint64(&message, m->nans);
	pq_sendint64(&message, m->plus_infinities);
	pq_sendint64(&message, m->minus_infinities);
	send_sum(&message, &m->sum);
	send_sum(&message, &m->squares);
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

PG_FUNCTION_INFO_V1(exact_deserialize);
Datum
exact_deserialize(PG_FUNCTION_ARGS)
{
	bytea		  *sent = PG_GETARG_BYTEA_PP(0);
	ExactState	  *state = state_new(CurrentMemoryContext);
	Moments		  *m = &state->moments;
	StringInfoData message;

	if (!AggCheckCallContext(fcinfo, NULL))
		elog(ERROR, "aggregate function called in non-aggregate context");
	initStringInfo(&message);
	appendBinaryStringInfo(&message, VARDATA_ANY(sent), VARSIZE_ANY_EXHDR(sent));
	m->finite = pq_getmsgint64(&message);
	m->negative_zeros = pq_getmsgint64(&message);
	m->nans = pq_getmsgint64(&message);
	m->plus_infinities = pq_getmsgint64(&message);
	m->minus_infinities = pq_getmsgint64(&message);
	receive_sum(&message, &m->sum, &state->memory.memory);
	receive_sum(&message, &m->squares, &state->memory.memory);
	pq_getmsgend(&message);
	pfree(message.data);
	PG_RETURN_POINTER(state);
}

/* ---- answers ---- */

#define FINAL(NAME, T, ANSWER, RETURN)                             \
	PG_FUNCTION_INFO_V1(exact_final_##NAME);                       \
	Datum exact_final_##NAME(PG_FUNCTION_ARGS)                     \
	{                                                              \
		const Moments *m;                                          \
		T			   y;                                          \
		ScanStatus	   status;                                     \
                                                                   \
		if (PG_ARGISNULL(0))                                       \
			PG_RETURN_NULL();                                      \
		m = &((const ExactState *) PG_GETARG_POINTER(0))->moments; \
		status = ANSWER;                                           \
		if (status == SCAN_NULL)                                   \
			PG_RETURN_NULL();                                      \
		scan_check(status);                                        \
		RETURN(y);                                                 \
	}

FINAL(sum_float8, double, moments_sum_float8(m, &y), PG_RETURN_FLOAT8)
FINAL(sum_float4, float, moments_sum_float4(m, &y), PG_RETURN_FLOAT4)
FINAL(avg, double, moments_average(m, &y), PG_RETURN_FLOAT8)
FINAL(var_pop, double, moments_variance(m, false, false, &y), PG_RETURN_FLOAT8)
FINAL(var_samp, double, moments_variance(m, true, false, &y), PG_RETURN_FLOAT8)
FINAL(stddev_pop, double, moments_variance(m, false, true, &y), PG_RETURN_FLOAT8)
FINAL(stddev_samp, double, moments_variance(m, true, true, &y), PG_RETURN_FLOAT8)
