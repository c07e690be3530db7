/*
 * exact_state.h: exact_state, the SQL type of what the exact aggregates have taken in so far: how Moments
 * (op/moments.h) lie in a Datum.
 *
 * It is a type, not an internal pointer, because a cluster sends what it knows how to write: Citus adds up on the
 * shards, and on one machine, only aggregates whose state has a text.  It is flat, with room for limbs behind it, so
 * that a row is added in place, and core copies nothing; a state that outgrows its room becomes a new one, twice as
 * wide.  Its text is a message in the order of the network.
 */
#ifndef SCAN_COLUMN_EXACT_STATE_H
#define SCAN_COLUMN_EXACT_STATE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "compat.h"
#include "op/moments.h"

/* STORAGE plain, ALIGNMENT double: never compressed, always aligned. */
typedef struct ExactState
{
	int32	length; /* SET_VARSIZE */
	int32	unused;
	Moments moments;					 /* where the limbs of its sums are is said anew by everyone who opens it */
	uint64	limb[FLEXIBLE_ARRAY_MEMBER]; /* room for those of the sum, then of the squares */
} ExactState;

/* Memory for a state that is open: limbs beyond its room come from the current context. */
typedef struct ExactStateMemory
{
	ScanMemory		  memory;
	const ExactState *state;
} ExactStateMemory;

/* A new one in the current context, of nothing, with room for a sum and, where they are asked for, squares. */
extern ExactState *exact_state_new(bool with_squares);

/*
 * What a Datum holds, to be added to in place.  An error if it is none: a page or a cast may
 * have left any bytes there.
 */
extern ExactState *exact_state_open_cold(Datum value);

/* The Datum of a state that has grown: a new one in the current context. */
extern Datum exact_state_widen(const ExactState *state);

/* The same as opened, to look at: the Datum stays as it is. */
extern void exact_state_view(Datum value, Moments *moments);

/* ScanMemory's, for an ExactStateMemory */
extern void *exact_state_resize(ScanMemory *memory, void *old, size_t size);
extern void	 exact_state_tick(ScanMemory *memory);

/* Whether a state's limbs are where they are in one that was opened at this address, and has not outgrown its room. */
static inline bool
exact_state_is_open(const ExactState *state)
{
	return state->moments.sum.limb == state->limb &&
		   state->moments.squares.limb == state->limb + state->moments.sum.room;
}

/* Opens a state, with memory to grow by.  Inline, as the next: rows are added one by one. */
static inline ExactState *
exact_state_open(Datum value, ExactStateMemory *memory)
{
	ExactState *state = (ExactState *) DatumGetPointer(value);

	if (!SCAN_LIKELY(VARATT_IS_4B_U(state) && exact_state_is_open(state)))
		state = exact_state_open_cold(value);
	memory->memory.resize = exact_state_resize;
	memory->memory.tick = exact_state_tick;
	memory->state = state;
	return state;
}

/* The Datum of a state that was added to: itself, or, if it has grown, a new one in the current context. */
static inline Datum
exact_state_close(const ExactState *state)
{
	return SCAN_LIKELY(exact_state_is_open(state)) ? PointerGetDatum(state) : exact_state_widen(state);
}

/* A state's message, and one from what is a message to its end; an error if it is none. */
extern void		   exact_state_send_message(StringInfo message, const Moments *moments);
extern ExactState *exact_state_of_message(StringInfo message);

#endif /* SCAN_COLUMN_EXACT_STATE_H */
