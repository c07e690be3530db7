/*
 * number_op.h: the operations whose state is a number: how they are made of a transition and a final function.
 *
 * Included by number_ops.c, which defines the operations of numbers, times, bits and truth values, and by the
 * strategies that compute a frame's count and total themselves (prefix_difference.c, scans.c).
 */
#ifndef SCAN_AGGREGATE_NUMBER_OP_H
#define SCAN_AGGREGATE_NUMBER_OP_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "aggregate/aggregate_op.h"
#include "column/saved_state.h"
#include "number/decimal.h"

/* The transition value of core's float8_accum without the count. */
typedef struct MomentsTotal
{
	float8 sum;
	float8 squares; /* sum of squared distances from the mean: only its overflow matters */
} MomentsTotal;

typedef struct NumberState
{
	int64 count; /* number of values that have gone in */
	union
	{
		int128		 wide;
		int64		 integer;
		float8		 real;
		float4		 narrow;
		Datum		 datum;
		MomentsTotal moments;
		Interval	 span;
		Decimal		 decimal; /* numeric_ops.c: its state begins like this one */
	} total;

	/* not a part of the state: memory that is used again */
	DecimalBuffer shown; /* of the last result, if it is a numeric */
} NumberState;

#define NUMBER_STATE_SIZE offsetof(NumberState, shown)

typedef void (*NumberTransition)(NumberState *state, Datum value);
typedef Datum (*NumberFinal)(NumberState *state);

extern void number_empty(Aggregate *aggregate);
extern void number_carry(RowFunction *f, const Block *block, SavedState *saved);

static pg_attribute_always_inline void
number_add(Aggregate *aggregate, const Block *block, int64 from, int64 end, NumberTransition transition)
{
	NumberState *state = (NumberState *) aggregate->f.state;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (!aggregate_value(aggregate, block, i, &value))
			continue;
		transition(state, value);
		state->count++;
	}
}

static pg_attribute_always_inline ScanStatus
number_final(Aggregate *aggregate, Datum *value, NumberFinal final, int traits)
{
	NumberState *state = (NumberState *) aggregate->f.state;

	if ((traits & AGGREGATE_ZERO) == 0 && state->count == 0)
		return SCAN_NULL;
	*value = final(state);
	return SCAN_OK;
}

/*
 * An operation made of result functions, where add_NAME() is defined.  PUT stores a result (AggregateOp.put); NULL:
 * FINAL returns it.
 */
#define NUMBER_OP_THAT_ADDS(NAME, FINAL, PUT, TRAITS, RUNNING, SLIDING, METHOD) \
	static ScanStatus result_##NAME(Aggregate *aggregate, Datum *value)         \
	{                                                                           \
		return number_final(aggregate, value, final_##FINAL, TRAITS);           \
	}                                                                           \
	const AggregateOp aggregate_op_##NAME = {.method = METHOD,                  \
											 .traits = TRAITS,                  \
											 .state_size = sizeof(NumberState), \
											 .empty = number_empty,             \
											 .add = add_##NAME,                 \
											 .final = result_##NAME,            \
											 .put = PUT,                        \
											 .carry = number_carry,             \
											 .running = RUNNING,                \
											 .sliding = SLIDING};

/* An operation made of transition_TRANSITION() and final_FINAL(). */
#define NUMBER_OP(NAME, TRANSITION, FINAL, TRAITS, RUNNING, SLIDING, METHOD)                \
	static void add_##NAME(Aggregate *aggregate, const Block *block, int64 from, int64 end) \
	{                                                                                       \
		number_add(aggregate, block, from, end, transition_##TRANSITION);                   \
	}                                                                                       \
	NUMBER_OP_THAT_ADDS(NAME, FINAL, NULL, TRAITS, RUNNING, SLIDING, METHOD)

#endif /* SCAN_AGGREGATE_NUMBER_OP_H */
