/*
 * state.h: the states of the aggregates of a kept scan: of rows of the table, of deltas, and of nodes.
 *
 * A state is that of rows that came in less that of rows that went out, so the state of a delta may have negative
 * counts.  States of parts are added, and the sum is the state of the rows that there are, to the bit.
 *
 * A state is stale if it does not tell what an aggregate without an inverse is, because a value left that may have been
 * its result.  Whatever a stale state is added to is stale, too.  The rows of its interval have to be read instead.
 */
#ifndef SCAN_KEPT_STATE_H
#define SCAN_KEPT_STATE_H

#include "kept/kept.h"
#include "kept/row.h"

typedef struct KeptState
{
	int64			   rows;  /* of the table, or the change of it */
	bool			   stale; /* a stale state was added */
	union KeptPartial *partial;
} KeptState;

/*
 * Returns an empty state in a context.  All that it allocates later is in this context, too, and in none below it, so
 * MemoryContextMemAllocated() tells what a set of states takes.  Most states never allocate more than one chunk, of 144
 * bytes for a sum and a count.
 */
extern KeptState *kept_state_alloc(MemoryContext memory, const Kept *kept);

static inline KeptState *
kept_state_create(const Kept *kept)
{
	return kept_state_alloc(CurrentMemoryContext, kept);
}

/* Empties a state. */
extern void kept_state_clear(const Kept *kept, KeptState *state);

/*
 * Adds the row, or removes it.  `other`, if it is not NULL, is the row that takes its place in the same state, or whose
 * place it takes: the caller takes both.
 */
extern void kept_state_take(KeptState *state, KeptRow *row, bool leaves, KeptRow *other);

/* Adds a stored state.  The current context is temporary. */
extern void kept_state_add(const Kept *kept, KeptState *state, int64 rows, bool stale, const Datum *value,
						   const bool *isnull);

/* The same for another state. */
extern void kept_state_add_state(const Kept *kept, KeptState *state, KeptState *other);

/* True if the state is to be stored as a stale one. */
extern bool kept_state_is_stale(const Kept *kept, const KeptState *state);

/*
 * True if the result of an aggregate depends on the order of the rows: its two last values, say, are 0 and -0.  A state
 * to which the rows were added in their order has the right result in this case, too.
 */
extern bool kept_state_is_tied(const Kept *kept, const KeptState *state);

/* True if adding the state changes nothing. */
extern bool kept_state_is_empty(const Kept *kept, const KeptState *state);

/* True if a stored state is equal, as far as it can be told if one of them is stale. */
extern bool kept_state_same(const Kept *kept, KeptState *state, int64 rows, bool stale, const Datum *value,
							const bool *isnull);

/* Returns the columns to be stored, in the current context. */
extern void kept_state_save(const Kept *kept, KeptState *state, Datum *value, bool *isnull);

/* Returns what an aggregate gives. */
extern Datum kept_state_result(const Kept *kept, KeptState *state, int a, bool *isnull);

/* Returns what all aggregates give. */
extern void kept_state_results(const Kept *kept, KeptState *state, Datum *result, bool *isnull);

#endif /* SCAN_KEPT_STATE_H */
