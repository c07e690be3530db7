/*
 * exact_state_message.c: the type exact_state in a message, in network byte order, of which its text is made.
 *
 * Moments: five counts, then of each sum: its first limb's place, its number of limbs, the limbs.  Of a state of
 * values, that is the message; a count is not negative.  Of any other kind, the message begins with the kind, negated.
 * Pairs: the Moments of x, those of y, the sum of the products.  A TimeArea: its counts, its two rows, its sum.
 * Powers: whether they are decimal, the places, the Moments, the sums of cubes and of fourth powers.
 *
 * A state of values, pairs or powers may be a difference: values were removed that it had not taken in, as in the log
 * of a kept scan.  Its message begins with its kind plus DIFFERENCE, negated, and its counts may be anything.
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

/* True if the counts are those of some values. */
static bool
moments_are_of_values(const Moments *m)
{
	return m->finite >= 0 && m->negative_zeros >= 0 && m->nans >= 0 && m->plus_infinities >= 0 &&
		   m->minus_infinities >= 0 && m->negative_zeros <= m->finite;
}

static void
send_long_sum(StringInfo message, const LongSum *sum)
{
	pq_sendbyte(message, (uint8) sum->first);
	pq_sendbyte(message, (uint8) sum->n);
	for (int i = 0; i < sum->n; i++)
		pq_sendint64(message, sum->limb[i]);
}

static void
send_moments(StringInfo message, const Moments *moments)
{
	pq_sendint64(message, moments->finite);
	pq_sendint64(message, moments->negative_zeros);
	pq_sendint64(message, moments->nans);
	pq_sendint64(message, moments->plus_infinities);
	pq_sendint64(message, moments->minus_infinities);
	send_long_sum(message, &moments->sum);
	send_long_sum(message, &moments->squares);
}

static void
send_values(StringInfo message, Datum value)
{
	Moments moments;

	exact_state_view(value, EXACT_STATE_VALUES, &moments);
	if (!moments_are_of_values(&moments))
		pq_sendint64(message, -(int64) (EXACT_STATE_VALUES + DIFFERENCE));
	send_moments(message, &moments);
}

static void
send_pairs(StringInfo message, Datum value)
{
	Pairs pairs;
	bool  are_pairs;

	exact_state_view(value, EXACT_STATE_PAIRS, &pairs);
	are_pairs = moments_are_of_values(&pairs.x) && moments_are_of_values(&pairs.y);
	pq_sendint64(message, -(int64) (EXACT_STATE_PAIRS + (are_pairs ? 0 : DIFFERENCE)));
	send_moments(message, &pairs.x);
	send_moments(message, &pairs.y);
	send_long_sum(message, &pairs.products);
}

static void
send_powers(StringInfo message, Datum value)
{
	Powers powers;

	exact_state_view(value, EXACT_STATE_POWERS, &powers);
	pq_sendint64(message, -(int64) (EXACT_STATE_POWERS + (moments_are_of_values(&powers.x) ? 0 : DIFFERENCE)));
	pq_sendint64(message, powers.decimal);
	pq_sendint64(message, powers.places);
	send_moments(message, &powers.x);
	send_long_sum(message, &powers.cubes);
	send_long_sum(message, &powers.fourths);
}

static void
send_point(StringInfo message, const TimedPoint *row)
{
	pq_sendfloat8(message, row->value);
	pq_sendint64(message, row->at);
}

static void
send_times(StringInfo message, Datum value)
{
	TimeArea area;

	exact_state_view(value, EXACT_STATE_TIMES, &area);
	pq_sendint64(message, -(int64) EXACT_STATE_TIMES);
	pq_sendint64(message, area.rows);
	pq_sendint64(message, area.flags);
	pq_sendint64(message, area.nans);
	pq_sendint64(message, area.plus_infinities);
	pq_sendint64(message, area.minus_infinities);
	send_point(message, &area.first);
	send_point(message, &area.last);
	send_long_sum(message, &area.area);
}

void
exact_state_send_message(StringInfo message, Datum value)
{
	switch (exact_state_kind(value))
	{
		case EXACT_STATE_VALUES:
			send_values(message, value);
			break;
		case EXACT_STATE_PAIRS:
			send_pairs(message, value);
			break;
		case EXACT_STATE_TIMES:
			send_times(message, value);
			break;
		case EXACT_STATE_POWERS:
			send_powers(message, value);
			break;
	}
}

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

static int64
receive_count(StringInfo message)
{
	int64 count = receive_number(message);

	if (count < 0)
		refuse_exact_state();
	return count;
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

static void
receive_moments(StringInfo message, Moments *moments, bool difference, ScanMemory *memory)
{
	moments->finite = receive_number(message);
	moments->negative_zeros = receive_number(message);
	moments->nans = receive_number(message);
	moments->plus_infinities = receive_number(message);
	moments->minus_infinities = receive_number(message);
	if ((!difference && !moments_are_of_values(moments)) || !moments_are_counted(moments))
		refuse_exact_state();
	receive_sum(message, &moments->sum, LONG_SUM_LIMBS, memory);
	receive_sum(message, &moments->squares, LONG_SUM_LIMBS, memory);
}

static ExactState *
state_new(ExactStateKind kind, int sums, ExactStateMemory *memory)
{
	return exact_state_open(PointerGetDatum(exact_state_new(kind, sums)), kind, memory);
}

static Datum
receive_pairs(StringInfo message, bool difference)
{
	ExactStateMemory memory;
	ExactState		*state = state_new(EXACT_STATE_PAIRS, EXACT_PAIRS_SUMS, &memory);
	Pairs			*pairs = &state->pairs;

	receive_moments(message, &pairs->x, difference, &memory.memory);
	receive_moments(message, &pairs->y, difference, &memory.memory);
	receive_sum(message, &pairs->products, LONG_SUM_LIMBS, &memory.memory);
	if (moments_count(&pairs->x) != moments_count(&pairs->y) || !exact_pairs_have_room(pairs, SPARE_LIMBS_SENT))
		refuse_exact_state();
	return exact_state_close(state, EXACT_STATE_PAIRS);
}

static Datum
receive_powers(StringInfo message, bool difference)
{
	ExactStateMemory memory;
	ExactState		*state = state_new(EXACT_STATE_POWERS, EXACT_POWERS_SUMS, &memory);
	Powers			*powers = &state->powers;

	powers->decimal = receive_count(message);
	powers->places = receive_count(message);
	receive_moments(message, &powers->x, difference, &memory.memory);
	receive_sum(message, &powers->cubes, POWERS_CUBE_LIMBS, &memory.memory);
	receive_sum(message, &powers->fourths, POWERS_FOURTH_LIMBS, &memory.memory);
	if (!exact_powers_unit_is_sound(powers) || !exact_powers_have_room(powers, SPARE_LIMBS_SENT))
		refuse_exact_state();
	return exact_state_close(state, EXACT_STATE_POWERS);
}

static TimedPoint
receive_point(StringInfo message)
{
	TimedPoint row;

	check_left(message, 2 * sizeof(int64));
	row.value = pq_getmsgfloat8(message);
	row.at = pq_getmsgint64(message);
	return row;
}

/* A time that is a double must be finite: arithmetic on its bits relies on it. */
static Datum
receive_times(StringInfo message)
{
	int64			 rows = receive_count(message), flags = receive_count(message);
	ExactStateMemory memory;
	ExactState		*state;
	TimeArea		*area;

	if (flags >= TIME_AREA_FLAGS)
		refuse_exact_state();
	state = state_new(EXACT_STATE_TIMES, 1, &memory);
	area = &state->area;
	area->flags = flags;
	area->rows = rows;
	area->nans = receive_count(message);
	area->plus_infinities = receive_count(message);
	area->minus_infinities = receive_count(message);
	area->first = receive_point(message);
	area->last = receive_point(message);
	if (!time_area_is_sound(area))
		refuse_exact_state();
	receive_sum(message, &area->area, LONG_SUM_LIMBS, &memory.memory);
	return exact_state_close(state, EXACT_STATE_TIMES);
}

static Datum
receive_values(StringInfo message, bool difference)
{
	ExactStateMemory memory;
	ExactState		*state = state_new(EXACT_STATE_VALUES, 1, &memory);

	receive_moments(message, &state->moments, difference, &memory.memory);
	return exact_state_close(state, EXACT_STATE_VALUES);
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
	if (kind > EXACT_STATE_POWERS || (*difference && kind == EXACT_STATE_TIMES))
		refuse_exact_state();
	return (ExactStateKind) kind;
}

ExactState *
exact_state_of_message(StringInfo message)
{
	bool		   difference;
	ExactStateKind kind = receive_kind(message, &difference);
	Datum		   value = kind == EXACT_STATE_PAIRS	? receive_pairs(message, difference)
						   : kind == EXACT_STATE_TIMES	? receive_times(message)
						   : kind == EXACT_STATE_POWERS ? receive_powers(message, difference)
														: receive_values(message, difference);
	ExactState	  *state = (ExactState *) DatumGetPointer(value);

	if (message->cursor != message->len)
		refuse_exact_state();
	/* pointers must not be stored, nor show in the bytes */
	exact_state_forget_limbs(state);
	return state;
}
