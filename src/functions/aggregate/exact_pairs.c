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

#define TAKE(D, NAME, ARGUMENTS, FIRST, SECOND, TAKEN) \
	EXACT_TAKE_BOTH(EXACT_STATE_PAIRS, EXACT_PAIRS_SUMS, NAME, ARGUMENTS, TAKEN)

EXACT_TAKINGS_OF_PAIRS(TAKE, )
EXACT_TAKINGS_OF_POSITIONS(TAKE, )

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
		   join_pairs(&state->pairs, memory, PG_GETARG_DATUM(1)))

/* ---- final functions ---- */

#define FINAL(D, NAME, KIND, SQUARES, ANSWER) EXACT_FINAL(NAME, EXACT_STATE_PAIRS, Pairs, Float8, ANSWER)

EXACT_OF_PAIRS(FINAL, )
