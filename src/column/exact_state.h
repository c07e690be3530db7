/*
 * exact_state.h: exact_state, the SQL type of the transition value of the exact aggregates: how Moments
 * (op/moments.h) lie in a Datum.
 *
 * It is a type, not an internal pointer, because a cluster can only send values that have a text: Citus adds up
 * aggregates on the shards, and on one machine, only if their state has one.  It is flat, with room for limbs
 * behind it, so a row is added in place and core copies nothing.  A state that outgrows its room becomes a new
 * one, twice as wide.  Its text is that of a message in network byte order.
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
	int32 length; /* SET_VARSIZE */
	int32 unused;
	/* the pointers to limbs in it are valid only at the address where the state was opened */
	Moments moments;
	uint64	limb[FLEXIBLE_ARRAY_MEMBER]; /* the limbs of the sum, then those of the squares */
} ExactState;

/* The memory of an open state.  Limbs that outgrow the state are allocated in the current context. */
typedef struct ExactStateMemory
{
	ScanMemory		  memory;
	const ExactState *state;
} ExactStateMemory;

/* Returns a new, empty state in the current context, with room for a sum and, if `with_squares`, for the squares. */
extern ExactState *exact_state_new(bool with_squares);

/*
 * Opens the state in a Datum, to be added to in place.  An error if the Datum is not a valid state: a corrupted
 * page or a cast may have left any bytes there.
 */
extern ExactState *exact_state_open_cold(Datum value);

/* Returns a copy of an open state that has outgrown its room, in the current context. */
extern Datum exact_state_widen(const ExactState *state);

/* Opens a state for reading only: the Datum is not changed, and the limbs of *moments point into it. */
extern void exact_state_view(Datum value, Moments *moments);

/* The callbacks of ScanMemory, for an ExactStateMemory. */
extern void *exact_state_resize(ScanMemory *memory, void *old, size_t size);
extern void	 exact_state_tick(ScanMemory *memory);

/* True if the state was opened at this address, and has not outgrown its room since. */
static inline bool
exact_state_is_open(const ExactState *state)
{
	return state->moments.sum.limb == state->limb &&
		   state->moments.squares.limb == state->limb + state->moments.sum.room;
}

/* Opens a state, with memory to grow.  Inline, like exact_state_close(): rows are added one by one. */
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

/* Returns the Datum of an open state: itself or, if it has outgrown its room, a copy in the current context. */
static inline Datum
exact_state_close(const ExactState *state)
{
	return SCAN_LIKELY(exact_state_is_open(state)) ? PointerGetDatum(state) : exact_state_widen(state);
}

/*
 * exact_state_send_message: appends a state to a message.  exact_state_of_message: returns the state in the rest
 * of a message, in the current context; an error if there is none.
 */
extern void		   exact_state_send_message(StringInfo message, const Moments *moments);
extern ExactState *exact_state_of_message(StringInfo message);

#endif /* SCAN_COLUMN_EXACT_STATE_H */
