/*
 * numeric_percentile.c: see numeric_percentile.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include "number/exact_numeric.h"
#include "number/numeric_percentile.h"

static Datum
to_numeric(Oid type, Datum value)
{
	switch (type)
	{
		case INT2OID:
			return NumericGetDatum(int64_to_numeric(DatumGetInt16(value)));
		case INT4OID:
			return NumericGetDatum(int64_to_numeric(DatumGetInt32(value)));
		case INT8OID:
			return NumericGetDatum(int64_to_numeric(DatumGetInt64(value)));
		default:
			return value;
	}
}

/* Returns the numeric whose text is the shortest one that is read as `x`. */
static Datum
shortest_numeric(double x)
{
	char text[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(x, text);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

void
numeric_percentile_start(NumericPercentile *percentile, Oid type, bool is_median, MemoryContext memory)
{
	if (type != INT2OID && type != INT4OID && type != INT8OID && type != NUMERICOID)
		elog(ERROR, "no numeric percentile of type %u", type);
	*percentile = (NumericPercentile){.type = type, .is_median = is_median, .memory = memory, .sum.memory = memory};
}

void
numeric_percentile_set(NumericPercentile *percentile, double fraction)
{
	MemoryContext old;

	if (percentile->is_median || (percentile->as_numeric != 0 && percentile->fraction == fraction))
		return;
	if (percentile->as_numeric != 0)
		pfree(DatumGetPointer(percentile->as_numeric));
	old = MemoryContextSwitchTo(percentile->memory);
	percentile->as_numeric = shortest_numeric(fraction);
	percentile->fraction = fraction;
	percentile->n = 0;
	MemoryContextSwitchTo(old);
}

/* Places the fraction among n values: the integer and the rest of fraction * (n - 1). */
static void
place_fraction(NumericPercentile *percentile, int64 n)
{
	Datum		  place, low, part;
	MemoryContext old = MemoryContextSwitchTo(percentile->memory);

	place = DirectFunctionCall2(numeric_mul, percentile->as_numeric, NumericGetDatum(int64_to_numeric(n - 1)));
	low = DirectFunctionCall1(numeric_floor, place);
	part = DirectFunctionCall2(numeric_sub, place, low);
	percentile->low = DatumGetInt64(DirectFunctionCall1(numeric_int8, low));
	if (percentile->part != 0)
		pfree(DatumGetPointer(percentile->part));
	percentile->part = DirectFunctionCall1(numeric_trim_scale, part);
	percentile->high = percentile->low + !DatumGetBool(DirectFunctionCall2(numeric_eq, place, low));
	pfree(DatumGetPointer(place));
	pfree(DatumGetPointer(low));
	pfree(DatumGetPointer(part));
	MemoryContextSwitchTo(old);
}

void
numeric_percentile_place(NumericPercentile *percentile, int64 n)
{
	if (percentile->n == n)
		return;
	if (percentile->is_median)
	{
		percentile->low = (n - 1) / 2;
		percentile->high = n / 2;
	}
	else
		place_fraction(percentile, n);
	percentile->n = n;
}

/* Returns half of the sum of two values, as core's numeric division does. */
static Datum
half_of_sum(NumericPercentile *percentile, Datum low, Datum high)
{
	DecimalSum *sum = &percentile->sum;

	decimal_sum_clear(sum);
	decimal_sum_add(sum, low);
	decimal_sum_add(sum, high);
	return decimal_sum_average(sum);
}

Datum
numeric_percentile_answer(NumericPercentile *percentile, Datum low, Datum high)
{
	Datum way;

	low = to_numeric(percentile->type, low);
	if (percentile->low == percentile->high)
		return low;
	high = to_numeric(percentile->type, high);
	if (percentile->is_median)
		return half_of_sum(percentile, low, high);
	/* between a number and an infinity lies that infinity, between the two infinities NaN: as in a sum */
	if (!numeric_is_finite(low) || !numeric_is_finite(high))
		return DirectFunctionCall2(numeric_add, low, high);
	way = DirectFunctionCall2(numeric_mul, percentile->part, DirectFunctionCall2(numeric_sub, high, low));
	return DirectFunctionCall2(numeric_add, low, way);
}
