/*
 * exact_pairs.c: the aggregates exact_covar_*, exact_corr, exact_regr_* and exact_weighted_avg.
 *
 * They are to core's covar_*, corr and regr_* what exact_avg is to avg: exact sums, with an inverse, and one rounding.
 * Their transition value is an exact_state too, of another kind (number/exact_state.h), and all share it and its
 * transition functions, so that core adds a pair once for several of them.  As in core, y comes before x, and a pair
 * with a NULL is skipped.  A bigint is taken as it is, since as a double it would lose digits.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "error.h"
#include "functions/aggregate/exact_argument.h"

#define TAKE(NAME, PAIRS_TAKE, Y, X, LEAVES)                                                    \
	EXACT_TAKE(NAME, EXACT_STATE_PAIRS, EXACT_PAIRS_SUMS, !PG_ARGISNULL(1) && !PG_ARGISNULL(2), \
			   PAIRS_TAKE(&state->pairs, &memory.memory, Y(1), X(2), PAIRS_X_SQUARES | PAIRS_Y_SQUARES, LEAVES))
#define TAKE_PAIR(SUFFIX, PAIRS_TAKE, Y, X)         \
	TAKE(add_pair##SUFFIX, PAIRS_TAKE, Y, X, false) \
	TAKE(remove_pair##SUFFIX, PAIRS_TAKE, Y, X, true)

TAKE_PAIR(, pairs_take, PG_GETARG_FLOAT8, PG_GETARG_FLOAT8)
TAKE_PAIR(_int8, pairs_take_integers, PG_GETARG_INT64, PG_GETARG_INT64)
TAKE_PAIR(_float8_int8, pairs_take_double_integer, PG_GETARG_FLOAT8, PG_GETARG_INT64)
TAKE_PAIR(_int8_float8, pairs_take_integer_double, PG_GETARG_INT64, PG_GETARG_FLOAT8)

/*
 * Pairs with a numeric, which PostgreSQL would round to a double without a word.  Each combination of types has a form,
 * or a call would fit several.  Rejected: to add numerics up as they are, for a result that is a double: who has cents
 * can count in cents.
 */
PG_FUNCTION_INFO_V1(exact_add_pair_numeric);
Datum
exact_add_pair_numeric(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("exact covariances, correlations and regressions do not take numeric"),
					errhint("Cast each numeric to double precision, which rounds it, or convert it to whole units of "
							"type bigint.")));
}

/* Pairs of a value and its position among the values; they leave in the order in which they came. */
#define TAKE_POSITION(NAME, PAIRS_TAKE, Y, LEAVES)                          \
	EXACT_TAKE(NAME, EXACT_STATE_PAIRS, EXACT_PAIRS_SUMS, !PG_ARGISNULL(1), \
			   PAIRS_TAKE(&state->pairs, &memory.memory, Y(1), LEAVES))

TAKE_POSITION(add_position, pairs_take_position, PG_GETARG_FLOAT8, false)
TAKE_POSITION(remove_position, pairs_take_position, PG_GETARG_FLOAT8, true)
TAKE_POSITION(add_position_int8, pairs_take_integer_position, PG_GETARG_INT64, false)
TAKE_POSITION(remove_position_int8, pairs_take_integer_position, PG_GETARG_INT64, true)

PG_FUNCTION_INFO_V1(exact_add_weighted_numeric);
Datum
exact_add_weighted_numeric(PG_FUNCTION_ARGS)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("exact_weighted_avg does not take numeric"),
			 errhint("Cast each numeric to double precision, which rounds it, or convert it to whole units of type "
					 "bigint. Of numerics, sum(weight * value) / sum(weight) is exact before the division.")));
}

/* Joins the pairs in a Datum to those of an open state. */
static void
join_pairs(Pairs *pairs, ScanMemory *memory, Datum value)
{
	Pairs other;

	exact_state_view(value, EXACT_STATE_PAIRS, &other);
	exact_check_joined(pairs_join(pairs, memory, &other));
}

EXACT_TAKE(combine_pairs, EXACT_STATE_PAIRS, EXACT_PAIRS_SUMS, !PG_ARGISNULL(1),
		   join_pairs(&state->pairs, &memory.memory, PG_GETARG_DATUM(1)))

/* ---- final functions ---- */

#define FINAL(NAME, ANSWER) EXACT_FINAL(NAME, EXACT_STATE_PAIRS, Pairs, double, ANSWER, PG_RETURN_FLOAT8)

FINAL(covar_pop, pairs_covariance(c, false, &y))
FINAL(covar_samp, pairs_covariance(c, true, &y))
FINAL(weighted_avg, pairs_weighted_average(c, &y))
FINAL(corr, pairs_correlation(c, false, &y))
FINAL(regr_slope, pairs_slope(c, &y))
FINAL(regr_intercept, pairs_intercept(c, &y))
FINAL(regr_r2, pairs_correlation(c, true, &y))
