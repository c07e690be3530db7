/*
 * exact_state_message.c: the type exact_state in a message, in network byte order, of which its text is made.
 *
 * A message has the parts of the state in the order of their list (op/exact_statistics.h): numbers, and of each sum its
 * first limb's place, its number of limbs, the limbs.  Of a state of values, that is all, and it begins with a count,
 * which is not negative.  Of any other kind, the message begins with the kind, negated.
 *
 * A state whose rows can leave may be a difference: values were removed that it had not taken in, as in the log of a
 * kept scan.  Its message begins with its kind plus DIFFERENCE, negated, and its counts may be anything.
 */
#include "postgres.h"

#include "libpq/pqformat.h"

#include "compat.h"
#include "number/exact_state.h"

/*
 * The limits on where the limbs of a sum end; those of a stored state (exact_state.c) leave head room for what such
 * states add up to.
 */
#define SPARE_LIMBS_SENT 4

#define DIFFERENCE 16 /* more than any kind */

static bool
specials_are_of_values(const Specials *s)
{
	return s->nans >= 0 && s->plus_infinities >= 0 && s->minus_infinities >= 0;
}

/* True if the counts are those of some values. */
static bool
moments_are_of_values(const Moments *m)
{
	return m->finite >= 0 && m->negative_zeros >= 0 && m->negative_zeros <= m->finite &&
		   specials_are_of_values(&m->specials);
}

/* True if a part of a state is one of some rows, and of no difference. */
static bool
part_is_of_rows(const void *part, const ExactStatePart *what)
{
	switch (what->holds)
	{
		case EXACT_STATE_MOMENTS:
			return moments_are_of_values((const Moments *) part);
		case EXACT_STATE_SPECIALS:
			return specials_are_of_values((const Specials *) part);
		case EXACT_STATE_COUNT:
			return *(const int64 *) part >= 0;
		default:
			return true;
	}
}

/* The same for the whole state. */
static bool
is_of_rows(ExactState *state, ExactStateKind kind)
{
	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
		if (!part_is_of_rows(exact_state_part_at(&state->moments, part), part))
			return false;
	return true;
}

/* ---- sending ---- */

static void
send_long_sum(StringInfo message, const LongSum *sum)
{
	pq_sendbyte(message, (uint8) sum->first);
	pq_sendbyte(message, (uint8) sum->n);
	for (int i = 0; i < sum->n; i++)
		pq_sendint64(message, sum->limb[i]);
}

void
exact_state_send_message(StringInfo message, Datum value)
{
	ExactStateKind kind = exact_state_kind(value);
	ExactState	   state;
	bool		   difference;

	exact_state_view(value, kind, &state.moments);
	difference = !is_of_rows(&state, kind);
	if (kind != EXACT_STATE_VALUES || difference)
		pq_sendint64(message, -(int64) (kind + (difference ? DIFFERENCE : 0)));
	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
	{
		if (part->numbers == 0)
			send_long_sum(message, (const LongSum *) exact_state_part_at(&state.moments, part));
		for (int i = 0; i < part->numbers; i++)
			pq_sendint64(message, ((const int64 *) exact_state_part_at(&state.moments, part))[i]);
	}
}

/* ---- receiving ---- */

static void
refuse_exact_state(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid external %s value", "exact_state")));
}

/* Checks that `bytes` bytes of a message are left.  Core would check too, but its error names no type. */
static void
check_left(StringInfo message, int bytes)
{
	if (message->len - message->cursor < bytes)
		refuse_exact_state();
}

/* Returns a number that may be negative. */
static int64
receive_number(StringInfo message)
{
	check_left(message, sizeof(int64));
	return pq_getmsgint64(message);
}

/* The limbs must have head room, as long_sum.h leaves them, and end before `limbs`. */
static void
receive_sum(StringInfo message, LongSum *sum, int limbs, ScanMemory *memory)
{
	int	  first, n;
	int64 highest = 0;

	check_left(message, 2);
	first = pq_getmsgbyte(message);
	n = pq_getmsgbyte(message);
	check_left(message, n * (int) sizeof(uint64));
	/* a sum without limbs must have first = 0 */
	if (first + n > limbs - SPARE_LIMBS_SENT || (n == 0 && first != 0))
		refuse_exact_state();
	if (n > 0)
		long_sum_widen(sum, memory, first, first + n);
	for (int i = 0; i < n; i++)
		sum->limb[i] = (uint64) pq_getmsgint64(message);
	if (n > 0)
		highest = (int64) sum->limb[n - 1] >> 62;
	if (highest != 0 && highest != -1)
		refuse_exact_state();
}

/* True if the Moments of a state have as many values as each other, in number that can be counted. */
static bool
is_counted(ExactState *state, ExactStateKind kind)
{
	const Moments *first = NULL;

	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
	{
		const Moments *moments = (const Moments *) exact_state_part_at(&state->moments, part);

		if (part->holds != EXACT_STATE_MOMENTS)
			continue;
		if (!moments_are_counted(moments) || (first != NULL && moments_count(moments) != moments_count(first)))
			return false;
		first = moments;
	}
	return true;
}

/* Returns the kind of the state in a message, whose cursor is then behind it; *difference: whether it is one. */
static ExactStateKind
receive_kind(StringInfo message, bool *difference)
{
	int	  begin = message->cursor;
	int64 first = receive_number(message);
	int64 kind = first <= -DIFFERENCE ? -(first + DIFFERENCE) : -first;

	*difference = first <= -DIFFERENCE;
	if (first >= 0)
	{
		/* the first count of values */
		message->cursor = begin;
		return EXACT_STATE_VALUES;
	}
	if (kind >= EXACT_STATE_KINDS || (*difference && kind == EXACT_STATE_TIMES))
		refuse_exact_state();
	return (ExactStateKind) kind;
}

ExactState *
exact_state_of_message(StringInfo message)
{
	bool			 difference;
	ExactStateKind	 kind = receive_kind(message, &difference);
	ExactStateMemory memory;
	ExactState		*state = exact_state_open(PointerGetDatum(exact_state_new(kind, 1)), kind, &memory);

	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
	{
		if (part->numbers == 0)
			receive_sum(message, (LongSum *) exact_state_part_at(&state->moments, part), part->limbs, &memory.memory);
		for (int i = 0; i < part->numbers; i++)
			((int64 *) exact_state_part_at(&state->moments, part))[i] = receive_number(message);
	}
	if ((!difference && !is_of_rows(state, kind)) || !is_counted(state, kind) ||
		!exact_state_numbers_are_sound(state) || message->cursor != message->len)
		refuse_exact_state();
	state = (ExactState *) DatumGetPointer(exact_state_close(state, kind));
	/* pointers must not be stored, nor show in the bytes */
	exact_state_forget_limbs(state);
	return state;
}
