/*
 * partial.c: transition values of aggregates that are exact, as core's partial aggregation (AGGSPLIT_INITIAL_SERIAL)
 * returns them.
 *
 * node/reduce/ asks for them where it aggregates in several processes: a core Agg in the leader combines them.  The
 * states here (NumberState, DecimalSum, ExactState) lose nothing, so it does not matter which process has taken which
 * row.  Core's sums and averages of floats round, and are not here.
 *
 *   avg of int2 and int4            an int8[] of the count and the sum
 *   sum and avg of int8, numeric    the bytes of core's serialization function (number/core_state.h)
 *   aggregates of an exact state    an exact_state (exact_ops.c)
 *
 * For the second kind, core's own functions make a transition value that has the count and the sum of the rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "aggregate/internal.h"
#include "aggregate/number_op.h"
#include "number/core_state.h"
#include "number/decimal.h"

static ScanStatus
partial_of_integers(Aggregate *aggregate, Datum *value)
{
	const NumberState *state = (const NumberState *) aggregate->f.state;
	Datum			   parts[] = {Int64GetDatum(state->count), Int64GetDatum(state->total.integer)};

	*value = PointerGetDatum(
		construct_array(parts, lengthof(parts), INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	return SCAN_OK;
}

/*
 * Core's transition function takes int8, and the sum may have 128 bits.  Numbers next to their mean have the same sum:
 * `above` of them are one more than `below`, which is the mean rounded down.
 */
static ScanStatus
partial_of_bigints(Aggregate *aggregate, Datum *value)
{
	static const CoreFunctions functions = {int8_avg_accum, int8_avg_combine, int8_avg_serialize};
	const NumberState		  *state = (const NumberState *) aggregate->f.state;
	CoreState				   core;
	int64					   below, above;

	if (state->count == 0)
		return SCAN_NULL;
	below = (int64) (state->total.wide / state->count);
	above = (int64) (state->total.wide % state->count);
	if (above < 0)
	{
		below--;
		above += state->count;
	}
	core_state_begin(&core, CurrentMemoryContext);
	core_state_add_times(&core, &functions, Int64GetDatum(below), state->count - above);
	if (above > 0)
		core_state_add_times(&core, &functions, Int64GetDatum(below + 1), above);
	*value = core_state_serialize(&core, &functions);
	return SCAN_OK;
}

static ScanStatus
partial_of_numerics(Aggregate *aggregate, Datum *value)
{
	DecimalSum *sum = (DecimalSum *) aggregate->f.state;

	if (sum->count == 0)
		return SCAN_NULL;
	*value = decimal_sum_serialize(sum);
	return SCAN_OK;
}

static const struct
{
	Oid			  aggregate;
	PartialResult result;
} partials[] = {
	{F_AVG_INT2, partial_of_integers}, {F_AVG_INT4, partial_of_integers},	 {F_AVG_INT8, partial_of_bigints},
	{F_SUM_INT8, partial_of_bigints},  {F_AVG_NUMERIC, partial_of_numerics}, {F_SUM_NUMERIC, partial_of_numerics},
};

PartialResult
aggregate_partial_result(Oid aggregate, MovingKind kind)
{
	if (aggregate_kind_is_exact(kind))
		return aggregate_exact_partial;
	for (int i = 0; i < lengthof(partials); i++)
		if (partials[i].aggregate == aggregate)
			return partials[i].result;
	return NULL;
}
