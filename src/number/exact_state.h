/*
 * exact_state.h: exact_state, the SQL type of the transition value of the exact aggregates: how Moments
 * (op/moments.h), Pairs (op/pairs.h) and a TimeArea (op/time_area.h) lie in a Datum.
 *
 * It is a type, not an internal pointer, because a cluster can only send values that have a text: Citus adds up
 * aggregates on the shards, and on one machine, only if their state has one.  It is flat, with room for limbs
 * behind it, so a row is added in place and core copies nothing.  A state that outgrows its room becomes a new
 * one, twice as wide.  Its text is that of a message in network byte order.
 */
#ifndef SCAN_NUMBER_EXACT_STATE_H
#define SCAN_NUMBER_EXACT_STATE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "compat.h"
#include "op/pairs.h"
#include "op/time_area.h"

/* What a state has taken in.  Version 1.1 knew values only; their states, which may be stored, are as they were. */
typedef enum ExactStateKind
{
	EXACT_STATE_VALUES = 0,
	EXACT_STATE_PAIRS,
	EXACT_STATE_TIMES,
} ExactStateKind;

/* STORAGE plain, ALIGNMENT double: never compressed, always aligned. */
typedef struct ExactState
{
	int32 length; /* SET_VARSIZE */
	int32 kind;	  /* EXACT_STATE_VALUES; of any other kind, only the members above this line are there */
	/* the pointers to limbs in it are valid only at the address where the state was opened */
	Moments moments;
	uint64	limb[FLEXIBLE_ARRAY_MEMBER]; /* the limbs of the sum, then those of the squares */
} ExactState;

/* The same of pairs; `kind` is EXACT_STATE_PAIRS. */
typedef struct ExactPairs
{
	int32  length;
	int32  kind;
	Pairs  pairs;
	uint64 limb[FLEXIBLE_ARRAY_MEMBER]; /* of the sum and the squares of x, of those of y, of the products */
} ExactPairs;

/* The same of a value over time; `kind` is EXACT_STATE_TIMES. */
typedef struct ExactTimes
{
	int32	 length;
	int32	 kind;
	TimeArea area;
	uint64	 limb[FLEXIBLE_ARRAY_MEMBER];
} ExactTimes;

/* The memory of an open state.  Limbs that outgrow the state are allocated in the current context. */
typedef struct ExactStateMemory
{
	ScanMemory	memory;
	const void *state;
} ExactStateMemory;

/* Returns a new, empty state in the current context, with room for a sum and, if `with_squares`, for the squares. */
extern ExactState *exact_state_new(bool with_squares);
extern ExactPairs *exact_pairs_new(void);
extern ExactTimes *exact_times_new(int64 flags);

/*
 * Opens the state in a Datum, to be added to in place.  An error if the Datum is not a valid state of that kind: a
 * corrupted page or a cast may have left any bytes there, and a user may combine the functions of two aggregates.
 */
extern void *exact_state_open_cold(Datum value, ExactStateKind kind);

/* Returns the kind of a state; an error if it is not valid. */
extern ExactStateKind exact_state_kind(Datum value);

/* Sets a state's pointers to limbs to NULL, as a state that is stored must have them. */
extern void exact_state_forget_limbs(void *state);

/* True if the sums of x and of y end before that limb. */
extern bool exact_pairs_end_before(const Pairs *pairs, int limbs);

/* Returns a copy of an open state of any kind that has outgrown its room, in the current context. */
extern Datum exact_state_widen(const void *state);

/* Opens a state for reading only: the Datum is not changed, and the limbs of its copy point into it. */
extern void exact_state_view(Datum value, Moments *moments);
extern void exact_pairs_view(Datum value, Pairs *pairs);
extern void exact_times_view(Datum value, TimeArea *area);

/* ScanMemory.resize, for an ExactStateMemory. */
extern void *exact_state_resize(ScanMemory *memory, void *old, size_t size);

/* True if the state was opened at this address, and has not outgrown its room since. */
static inline bool
exact_state_is_open(const ExactState *state)
{
	return state->moments.sum.limb == state->limb &&
		   state->moments.squares.limb == state->limb + state->moments.sum.room;
}

static inline bool
exact_pairs_is_open(const ExactPairs *state)
{
	const Pairs *p = &state->pairs;

	return p->x.sum.limb == state->limb && p->x.squares.limb == p->x.sum.limb + p->x.sum.room &&
		   p->y.sum.limb == p->x.squares.limb + p->x.squares.room &&
		   p->y.squares.limb == p->y.sum.limb + p->y.sum.room &&
		   p->products.limb == p->y.squares.limb + p->y.squares.room;
}

static inline bool
exact_times_is_open(const ExactTimes *state)
{
	return state->area.area.limb == state->limb;
}

static inline void
exact_state_memory(ExactStateMemory *memory, const void *state)
{
	memory->memory.resize = exact_state_resize;
	memory->memory.tick = NULL; /* no sum takes long */
	memory->state = state;
}

/* Opens a state, with memory to grow.  Inline, like exact_state_close(): rows are added one by one. */
static inline ExactState *
exact_state_open(Datum value, ExactStateMemory *memory)
{
	ExactState *state = (ExactState *) DatumGetPointer(value);

	if (!SCAN_LIKELY(VARATT_IS_4B_U(state) && state->kind == EXACT_STATE_VALUES && exact_state_is_open(state)))
		state = (ExactState *) exact_state_open_cold(value, EXACT_STATE_VALUES);
	exact_state_memory(memory, state);
	return state;
}

static inline ExactPairs *
exact_pairs_open(Datum value, ExactStateMemory *memory)
{
	ExactPairs *state = (ExactPairs *) DatumGetPointer(value);

	if (!SCAN_LIKELY(VARATT_IS_4B_U(state) && state->kind == EXACT_STATE_PAIRS && exact_pairs_is_open(state)))
		state = (ExactPairs *) exact_state_open_cold(value, EXACT_STATE_PAIRS);
	exact_state_memory(memory, state);
	return state;
}

static inline ExactTimes *
exact_times_open(Datum value, ExactStateMemory *memory)
{
	ExactTimes *state = (ExactTimes *) DatumGetPointer(value);

	if (!SCAN_LIKELY(VARATT_IS_4B_U(state) && state->kind == EXACT_STATE_TIMES && exact_times_is_open(state)))
		state = (ExactTimes *) exact_state_open_cold(value, EXACT_STATE_TIMES);
	exact_state_memory(memory, state);
	return state;
}

/* Returns the Datum of an open state: itself or, if it has outgrown its room, a copy in the current context. */
static inline Datum
exact_state_close(const ExactState *state)
{
	return SCAN_LIKELY(exact_state_is_open(state)) ? PointerGetDatum(state) : exact_state_widen(state);
}

static inline Datum
exact_pairs_close(const ExactPairs *state)
{
	return SCAN_LIKELY(exact_pairs_is_open(state)) ? PointerGetDatum(state) : exact_state_widen(state);
}

static inline Datum
exact_times_close(const ExactTimes *state)
{
	return SCAN_LIKELY(exact_times_is_open(state)) ? PointerGetDatum(state) : exact_state_widen(state);
}

/*
 * exact_state_send_message: appends a state of any kind to a message.  exact_state_of_message: returns the state in the
 * rest of a message, in the current context; an error if there is none.
 */
extern void		   exact_state_send_message(StringInfo message, Datum value);
extern ExactState *exact_state_of_message(StringInfo message);

#endif /* SCAN_NUMBER_EXACT_STATE_H */
