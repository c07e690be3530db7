/*
 * exact_state.h: exact_state, the SQL type of the transition value of the exact aggregates: how Moments (op/moments.h),
 * Pairs (op/pairs.h), a TimeArea (op/time_area.h) and Powers (op/powers.h) lie in a Datum.
 *
 * It is a type, not an internal pointer, because a cluster can only send values that have a text: Citus adds up
 * aggregates on the shards, and on one machine, only if their state has one.  It is flat, with room for limbs behind
 * it, so a row is added in place and core copies nothing.  A state that outgrows its room becomes a new one, twice as
 * wide.  Its text is that of a message in network byte order.
 */
#ifndef SCAN_NUMBER_EXACT_STATE_H
#define SCAN_NUMBER_EXACT_STATE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "compat.h"
#include "op/exact_statistics.h"

/* What a state has taken in. */
typedef enum ExactStateKind
{
#define EXACT_KIND(D, KIND, CONTENT, member, from) EXACT_STATE_##KIND,
	EXACT_STATES(EXACT_KIND, )
#undef EXACT_KIND
	EXACT_STATE_KINDS
} ExactStateKind;

/*
 * STORAGE plain, ALIGNMENT double: never compressed, always aligned.  Of the union, only the member of the state's kind
 * is there.  The limbs of its sums lie behind it, in the order of the sums.
 */
typedef struct ExactState
{
	int32 length; /* SET_VARSIZE */
	int32 kind;	  /* ExactStateKind */
	/* the pointers to limbs in it are valid only at the address where the state was opened */
	union
	{
#define EXACT_MEMBER(D, KIND, CONTENT, member, from) CONTENT member;
		EXACT_STATES(EXACT_MEMBER, )
#undef EXACT_MEMBER
	};
} ExactState;

/* What a part of a state is: numbers of some meaning (op/exact_statistics.h), or a sum. */
typedef enum ExactStateHold
{
	EXACT_STATE_MOMENTS,
	EXACT_STATE_COUNT,
	EXACT_STATE_SPECIALS,
	EXACT_STATE_UNIT,
	EXACT_STATE_OTHERS,
	EXACT_STATE_SUM,
} ExactStateHold;

typedef struct ExactStatePart
{
	int			   offset;	/* in ExactState */
	int			   numbers; /* so many int64, one after the other, or doubles; 0: a LongSum */
	int			   limbs;	/* a sum: the code around it has room for so many limbs */
	ExactStateHold holds;
} ExactStatePart;

#define EXACT_STATE_PARTS 7 /* the parts of Pairs, more than any other kind has */
#define EXACT_STATE_SUMS 5	/* likewise its sums */

/* The parts of each kind, in the order in which a message has them; behind the last one, `offset` is 0. */
extern const ExactStatePart exact_state_part[][EXACT_STATE_PARTS + 1];

/* Returns where a part is in what a state of its kind has in its union. */
static inline void *
exact_state_part_at(void *content, const ExactStatePart *part)
{
	return (char *) content + part->offset - offsetof(ExactState, moments);
}

/* The memory of an open state.  Limbs that outgrow the state are allocated in the current context. */
typedef struct ExactStateMemory
{
	ScanMemory	memory;
	const void *state;
} ExactStateMemory;

/*
 * Returns a new, empty state in the current context, with room for limbs of the first `sums` sums, of which it may have
 * fewer.
 */
extern ExactState *exact_state_new(ExactStateKind kind, int sums);

/*
 * Opens the state in a Datum, to be added to in place.  An error if the Datum is not a valid state of that kind: a
 * corrupted page or a cast may have left any bytes there, and a user may combine the functions of two aggregates.
 */
extern ExactState *exact_state_open_cold(Datum value, ExactStateKind kind);

/* Raises the error of a Datum that is no valid state. */
extern void exact_state_refuse(void) __attribute__((noreturn));

/* Returns the kind of a state; an error if it is not valid. */
extern ExactStateKind exact_state_kind(Datum value);

/* True if the numbers of a state of a known kind, which come from any bytes, can be computed with. */
extern bool exact_state_numbers_are_sound(const ExactState *state);

/* Sets a state's pointers to limbs to NULL, as a state that is stored must have them. */
extern void exact_state_forget_limbs(ExactState *state);

/* Gives `powers`, which are those of the state in the Datum, a unit of more places, in the current context. */
extern void exact_powers_align(Powers *powers, Datum value, int64 places);

/* Returns a copy of an open state of any kind that has outgrown its room, in the current context. */
extern Datum exact_state_widen(const ExactState *state);

/*
 * Opens a state for reading only: the Datum is not changed.  `content` is a Moments, Pairs, TimeArea or Powers, as the
 * kind has it, whose limbs then point into the Datum.
 */
extern void exact_state_view(Datum value, ExactStateKind kind, void *content);

/* ScanMemory.resize, for an ExactStateMemory. */
extern void *exact_state_resize(ScanMemory *memory, void *old, size_t size);

/* Returns the first limb of a state. */
static pg_attribute_always_inline uint64 *
exact_state_limbs(const ExactState *state, ExactStateKind kind)
{
	Size content = 0;

	switch (kind)
	{
#define EXACT_SIZE(D, KIND, CONTENT, member, from) \
	case EXACT_STATE_##KIND:                       \
		content = sizeof(CONTENT);                 \
		break;
		EXACT_STATES(EXACT_SIZE, )
#undef EXACT_SIZE
		default:
			break;
	}
	return (uint64 *) ((char *) state + offsetof(ExactState, moments) + content);
}

/*
 * True if the state, of that kind, was opened at this address, and has not outgrown its room since: then the limbs of
 * each sum lie behind those of the sum before.  A state without sums is as long as its kind.  Inline, as what follows:
 * rows are added one by one, and `kind` is a constant.
 */
static pg_attribute_always_inline bool
exact_state_is_open(const ExactState *state, ExactStateKind kind)
{
	uint64 *first = exact_state_limbs(state, kind), *limbs = first;

	switch (kind)
	{
#define EXACT_SKIP(...)
#define EXACT_FOLLOWS(member, most)  \
	if (state->member.limb != limbs) \
		return false;                \
	limbs += state->member.room;
#define EXACT_OPEN(D, KIND, CONTENT, member, from) \
	case EXACT_STATE_##KIND:                       \
		EXACT_PARTS_OF_##KIND(EXACT_SKIP, EXACT_FOLLOWS) break;
		EXACT_STATES(EXACT_OPEN, )
#undef EXACT_SKIP
#undef EXACT_FOLLOWS
#undef EXACT_OPEN
		default:
			break;
	}
	return limbs != first || VARSIZE(state) == (char *) limbs - (char *) state;
}

static inline void
exact_state_memory(ExactStateMemory *memory, const void *state)
{
	memory->memory.resize = exact_state_resize;
	memory->memory.tick = NULL; /* no sum takes long */
	memory->state = state;
}

/* Opens a state, with memory to grow. */
static pg_attribute_always_inline ExactState *
exact_state_open(Datum value, ExactStateKind kind, ExactStateMemory *memory)
{
	ExactState *state = (ExactState *) DatumGetPointer(value);

	if (!SCAN_LIKELY(VARATT_IS_4B_U(state) && state->kind == (int32) kind && exact_state_is_open(state, kind)))
		state = exact_state_open_cold(value, kind);
	exact_state_memory(memory, state);
	return state;
}

/* Returns the Datum of an open state: itself or, if it has outgrown its room, a copy in the current context. */
static pg_attribute_always_inline Datum
exact_state_close(const ExactState *state, ExactStateKind kind)
{
	return SCAN_LIKELY(exact_state_is_open(state, kind)) ? PointerGetDatum(state) : exact_state_widen(state);
}

/*
 * exact_state_equal: true if two states have the same values, whatever was added and removed before; their bytes may
 * differ.  exact_state_is_empty: true if a state has no values.
 */
extern bool exact_state_equal(Datum a, Datum b);
extern bool exact_state_is_empty(Datum value);

/* Returns the sum of the values of a state as a scan_total. */
extern Datum exact_state_total(Datum value);

/*
 * exact_state_send_message: appends a state of any kind to a message.  exact_state_of_message: returns the state in the
 * rest of a message, in the current context; an error if there is none.
 */
extern void		   exact_state_send_message(StringInfo message, Datum value);
extern ExactState *exact_state_of_message(StringInfo message);

/* ---- the groups of EXACT_GROUPS: the kind of the state, its C type and its sums, and the type of the results ---- */

#define EXACT_Float4 float4
#define EXACT_Float8 float8
#define EXACT_Int64 int64
#define EXACT_GROUP(G, KIND, CONTENT, SUMS, T)              \
	typedef CONTENT	  ExactContent_##G;                     \
	typedef EXACT_##T ExactResult_##G;                      \
	enum                                                    \
	{                                                       \
		EXACT_KIND_##G = EXACT_STATE_##KIND,                \
		EXACT_SUMS_##G = SUMS                               \
	};                                                      \
	static inline Datum exact_result_##G(ExactResult_##G y) \
	{                                                       \
		return T##GetDatum(y);                              \
	}
EXACT_GROUPS(EXACT_GROUP)
#undef EXACT_GROUP
#define EXACT_KIND(G) ((ExactStateKind) EXACT_KIND_##G)

#endif /* SCAN_NUMBER_EXACT_STATE_H */
