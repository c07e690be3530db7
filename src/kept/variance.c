/*
 * variance.c: how the variance of integers and numerics is kept, and the standard deviation.
 *
 * A state is two numbers (number.c): the sum of the values, with its counters, and the sum of the squares of the finite
 * values, whose counters stay 0.  It is stored as the bytes of one number behind those of the other.  The second number
 * is allocated when the first value comes, so that the states of other aggregates are no larger.
 *
 * The result is made as the final functions in core's numeric.c make it: the number of values times the sum of the
 * squares, less the square of the sum, is exact, and one division rounds it.  Rejected: to have core's final function
 * make it.  Only core's deserialization functions make a transition value of sums, and the format of the bytes that
 * they read is private (number/core_state.h).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "compat.h"
#include "kept/store.h"

/* The most decimals of a numeric whose square is exact: half of those that a numeric may have. */
#define MOST_DECIMALS (0x3FFF / 2)

/* Returns the sum of the squares; if there is none yet, an empty one in `memory`. */
static KeptNumber *
squares_of(KeptPartial *partial, MemoryContext memory)
{
	if (partial->number.squares == NULL)
		partial->number.squares = (KeptPartial *) MemoryContextAllocZero(memory, sizeof(KeptPartial));
	return &partial->number.squares->number;
}

/* Sets a number that counts nothing to the square of a value, or to what the square of one that leaves changes. */
static void
square_set(KeptNumber *square, const KeptNumber *value, Datum argument, bool leaves)
{
	int128 units = value->total.units, squared;

	if (value->first.scale > MOST_DECIMALS)
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("the variance of a numeric with more than %d decimals cannot be kept", MOST_DECIMALS)));
	if (likely(value->more == NULL && !__builtin_mul_overflow(units, units, &squared)))
		*square = (KeptNumber){.total = {leaves ? -squared : squared, 2 * value->total.places, 2 * value->total.scale}};
	else
		kept_number_set(square, NUMERICOID, DirectFunctionCall2(numeric_mul, argument, argument), leaves);
	square->first.values = 0;
}

static void
variance_take(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, int n,
			  const NullableDatum *argument, bool leaves)
{
	KeptNumber value, square;

	kept_number_set(&value, aggregate->argument_type, argument->value, leaves);
	square_set(&square, &value, argument->value, leaves);
	kept_number_join(&partial->number, memory, &value);
	kept_number_join(squares_of(partial, memory), memory, &square);
}

static void
variance_add(KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, Datum stored)
{
	KeptNumber values, squares;

	kept_number_read(&values, &squares, stored);
	kept_number_join(&partial->number, memory, &values);
	kept_number_join(squares_of(partial, memory), memory, &squares);
}

static Datum
variance_save(const KeptPartial *partial, bool *isnull)
{
	static const KeptPartial none;
	const KeptPartial		*squares = partial->number.squares == NULL ? &none : partial->number.squares;

	return DirectFunctionCall2(byteacat, kept_sum.save(partial, isnull), kept_sum.save(squares, isnull));
}

static void
variance_clear(KeptPartial *partial, const KeptAggregate *aggregate)
{
	KeptPartial *squares = partial->number.squares;

	kept_sum.clear(partial, aggregate);
	partial->number.squares = squares;
	if (squares != NULL)
		kept_sum.clear(squares, aggregate);
}

/* Values whose sum is 0 may leave and others take their place: only the squares tell. */
static bool
variance_is_empty(const KeptPartial *partial)
{
	const KeptPartial *squares = partial->number.squares;

	return kept_sum.is_empty(partial) && (squares == NULL || kept_sum.is_empty(squares));
}

/*
 * Returns the square root of a variance, with as many decimals as the variance has and rounded once, as in core.
 * numeric_sqrt() may compute more decimals.  A root just below the middle of two results, such as that of 10^20 +
 * 10^10, is then rounded up to the middle and up again.  The square of the middle tells.
 */
static Datum
root_of(Datum variance)
{
	int	  decimals = DatumGetInt32(DirectFunctionCall1(numeric_scale, variance));
	Datum finer = DirectFunctionCall1(numeric_sqrt, variance);
	Datum root = DirectFunctionCall2(numeric_round, finer, Int32GetDatum(decimals));
	Datum middle = DirectFunctionCall2(numeric_sub, root, NumericGetDatum(int64_div_fast_to_numeric(5, decimals + 1)));

	if (DatumGetBool(DirectFunctionCall2(numeric_gt, root, finer)) &&
		DatumGetBool(DirectFunctionCall2(numeric_gt, DirectFunctionCall2(numeric_mul, middle, middle), variance)))
		return DirectFunctionCall2(numeric_sub, root, NumericGetDatum(int64_div_fast_to_numeric(1, decimals)));
	return root;
}

static Datum
variance_result(const KeptPartial *partial, MemoryContext memory, const KeptAggregate *aggregate, bool *isnull)
{
	int64		  values;
	int64		  less = aggregate->spread & KEPT_VAR_SAMP ? 1 : 0;
	Datum		  zero = NumericGetDatum(int64_to_numeric(0));
	Datum		  sum = kept_number_sum(&partial->number, &values);
	Datum		  number = NumericGetDatum(int64_to_numeric(values));
	Datum		  squares, over;
	DecimalBuffer shown;

	*isnull = values <= less;
	if (values <= less)
		return (Datum) 0;
	if (numeric_is_nan(DatumGetNumeric(sum)) || numeric_is_inf(DatumGetNumeric(sum)))
		return DirectFunctionCall2(numeric_sub, sum, sum);
	squares = DirectFunctionCall2(numeric_mul, number, kept_number_total(&partial->number.squares->number, &shown));
	over = DirectFunctionCall2(numeric_sub, squares, DirectFunctionCall2(numeric_mul, sum, sum));
	if (DatumGetBool(DirectFunctionCall2(numeric_le, over, zero)))
		return zero;
	/* values that have left may have had more decimals: what is displayed is twice those of the sum, as in core */
	over = DirectFunctionCall2(numeric_round, over,
							   Int32GetDatum(2 * DatumGetInt32(DirectFunctionCall1(numeric_scale, sum))));
	over = DirectFunctionCall2(
		numeric_div, over, DirectFunctionCall2(numeric_mul, number, NumericGetDatum(int64_to_numeric(values - less))));
	return aggregate->spread & KEPT_STDDEV_POP ? root_of(over) : over;
}

const KeptOperation kept_variance = {.state_type = BYTEAOID,
									 .take = variance_take,
									 .add = variance_add,
									 .save = variance_save,
									 .clear = variance_clear,
									 .is_empty = variance_is_empty,
									 .result = variance_result};
