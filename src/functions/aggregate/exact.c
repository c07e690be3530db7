/*
 * exact.c: the functions that SQL calls for the exact aggregates: exact_sum, exact_avg, exact_var_*, exact_stddev_*,
 * exact_covar_*, exact_corr, exact_regr_*, exact_weighted_avg, exact_skewness* and exact_kurtosis*; and the type
 * exact_state of their transition value.
 *
 * All are made of the lists of op/exact_statistics.h.  Aggregates whose rows make the same state share it and its
 * transition functions, so that core adds a row once for several of them.  Its addition is associative and commutative
 * without exception and has an inverse.  So workers and shards may add in any order, and a sliding frame subtracts the
 * values that leave it: the result is always the real number, rounded once.  As in core, y comes before x, and a pair
 * with a NULL is skipped.  A bigint is taken as it is, since as a double it would lose digits.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"

#include "call/entry.h"
#include "compat.h"
#include "error.h"
#include "functions/aggregate/aggregate_functions.h"
#include "functions/aggregate/exact_argument.h"

/* ---- rows ---- */

#define TAKINGS(G, ...) EXACT_TAKINGS_OF_##G(EXACT_TAKE_BOTH, G)
EXACT_GROUPS(TAKINGS)

/* Returns for how many sums a state has to have room that takes in all of another one; at least one. */
static int
sums_in(ExactStateKind kind, void *content)
{
	int sums = 0, used = 1;

	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
		if (part->holds == EXACT_STATE_SUM && ++sums > used &&
			((const LongSum *) exact_state_part_at(content, part))->n > 0)
			used = sums;
	return used;
}

#define JOIN(NAME, KIND, CONTENT, JOINED)                                                                        \
	PG_FUNCTION_INFO_V1(exact_##NAME);                                                                           \
	Datum exact_##NAME(PG_FUNCTION_ARGS)                                                                         \
	{                                                                                                            \
		CONTENT			 content = {0}, *other = &content, *c;                                                   \
		Datum			 value = PG_GETARG_DATUM(1);                                                             \
		ExactStateMemory room;                                                                                   \
		ScanMemory		*memory = &room.memory;                                                                  \
		ExactState		*state;                                                                                  \
                                                                                                                 \
		if (!PG_ARGISNULL(1))                                                                                    \
			exact_state_view(value, EXACT_STATE_##KIND, other);                                                  \
		state = exact_argument(fcinfo, EXACT_STATE_##KIND, sums_in(EXACT_STATE_##KIND, other), &room);           \
		c = (CONTENT *) &state->moments; /* of the union */                                                      \
		if (!PG_ARGISNULL(1) && !(JOINED))                                                                       \
			ereport(ERROR,                                                                                       \
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),                                                \
					 errmsg("two states together have more values than can be counted"),                         \
					 errhint("No aggregate makes states of this size. Check where the bytes of the states come " \
							 "from.")));                                                                         \
		PG_RETURN_DATUM(exact_state_close(state, EXACT_STATE_##KIND));                                           \
	}
#define JOINS(D, KIND, ...) EXACT_JOIN_OF_##KIND(JOIN)
EXACT_STATES(JOINS, )

/*
 * Pairs with a numeric, which PostgreSQL would round to a double without a word.  Each combination of types has a form,
 * or a call would fit several.  Rejected: to add numerics up as they are, for a result that is a double: who has cents
 * can count in cents.
 */
SCAN_REFUSAL(exact_add_pair_numeric, ERRCODE_FEATURE_NOT_SUPPORTED,
			 errmsg("exact covariances, correlations and regressions do not take numeric"),
			 errhint("Cast each numeric to double precision, which rounds it, or convert it to whole units of "
					 "type bigint."))

SCAN_REFUSAL(exact_add_weighted_numeric, ERRCODE_FEATURE_NOT_SUPPORTED,
			 errmsg("exact_weighted_avg does not take numeric"),
			 errhint("Cast each numeric to double precision, which rounds it, or convert it to whole units of type "
					 "bigint. Of numerics, sum(weight * value) / sum(weight) is exact before the division."))

/* ---- the type: text and binary ---- */

SCAN_ENTRY(exact_state_recv, PointerGetDatum(exact_state_of_message((StringInfo) PG_GETARG_POINTER(0))))

PG_FUNCTION_INFO_V1(exact_state_send);
Datum
exact_state_send(PG_FUNCTION_ARGS)
{
	StringInfoData message;

	pq_begintypsend(&message);
	exact_state_send_message(&message, PG_GETARG_DATUM(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

SCAN_ENTRY(exact_state_out, CStringGetDatum(message_to_text(DatumGetByteaPP(exact_state_send(fcinfo)))))

PG_FUNCTION_INFO_V1(exact_state_in);
Datum
exact_state_in(PG_FUNCTION_ARGS)
{
	StringInfoData message;

	message_of_text(&message, PG_GETARG_CSTRING(0), "exact_state");
	PG_RETURN_POINTER(exact_state_of_message(&message));
}

/* ---- final functions ---- */

#define FINAL(G, NAME, KIND, SQUARES, ANSWER)                          \
	PG_FUNCTION_INFO_V1(exact_final_##NAME);                           \
	Datum exact_final_##NAME(PG_FUNCTION_ARGS)                         \
	{                                                                  \
		ExactContent_##G		content;                               \
		const ExactContent_##G *c = &content;                          \
		ExactResult_##G			y = 0;                                 \
		ScanStatus				status;                                \
                                                                       \
		if (PG_ARGISNULL(0))                                           \
			PG_RETURN_NULL();                                          \
		exact_state_view(PG_GETARG_DATUM(0), EXACT_KIND(G), &content); \
		status = ANSWER;                                               \
		if (status == SCAN_NULL)                                       \
			PG_RETURN_NULL();                                          \
		scan_check(status);                                            \
		PG_RETURN_DATUM(exact_result_##G(y));                          \
	}
#define FINALS(G, ...) EXACT_OF_##G(FINAL, G)
EXACT_GROUPS(FINALS)
