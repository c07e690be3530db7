/*
 * core_state.h: transition values of core's aggregates whose type is internal, made and read by core's own functions.
 *
 * Sums of bigint and numeric have such a transition value.  decimal_sum.c adds to one what does not fit in 128 bits.
 * aggregate/partial.c makes one that stands for many rows, so that core can combine it with those of other processes.
 *
 * Rejected: to write the bytes of core's serialization functions.  Their format is private, and core may change it in
 * any version.
 */
#ifndef SCAN_NUMBER_CORE_STATE_H
#define SCAN_NUMBER_CORE_STATE_H

#include "postgres.h"

#include "fmgr.h"
#include "nodes/execnodes.h"

typedef struct CoreState
{
	WindowAggState context; /* AggCheckCallContext() reads its curaggcontext, where the transition value lives */
	Datum		   value;	/* the transition value */
	bool		   any;		/* there is one */
	int64		   taken;	/* number of values that have gone in */
} CoreState;

/* The functions of an aggregate that make a transition value of type internal and serialize it. */
typedef struct CoreFunctions
{
	PGFunction accumulate, combine, serialize;
} CoreFunctions;

/* Sets up a state without a value, whose transition value will live in `memory`. */
extern void core_state_begin(CoreState *core, MemoryContext memory);

/* Forgets the transition value.  The caller resets the memory. */
static inline void
core_state_clear(CoreState *core)
{
	core->any = false;
	core->taken = 0;
}

/*
 * Calls one of core's functions over the transition value and a value.  A final function ignores the value; another one
 * gets it detoasted, since core would leave its copy in the current context.
 */
extern Datum core_state_call(CoreState *core, PGFunction function, Datum value, bool *isnull);

/* Takes in a value, which is not toasted, as many times as it says, by few calls. */
extern void core_state_add_times(CoreState *core, const CoreFunctions *functions, Datum value, int64 times);

/* Returns the transition value as the bytea that core's partial aggregation would return, in the current context. */
extern Datum core_state_serialize(CoreState *core, const CoreFunctions *functions);

#endif /* SCAN_NUMBER_CORE_STATE_H */
