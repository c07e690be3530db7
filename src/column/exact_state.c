/*
 * exact_state.c: the type exact_state in a Datum and in a message.
 */
#include "postgres.h"

#include <fenv.h>

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

#include "column/exact_state.h"
#include "compat.h"

/*
 * The limits on where the limbs of a sum end, in a stored state and in a message.  The squares of doubles need
 * 67 limbs; a few more fit below LONG_SUM_LIMBS.
 */
#define MAX_LIMBS (LONG_SUM_LIMBS - 2)
#define MAX_LIMBS_SENT (LONG_SUM_LIMBS - 4)

StaticAssertDecl(offsetof(ExactState, limb) % sizeof(uint64) == 0, "limbs have to be aligned");

static Size
state_size(int rooms)
{
	return offsetof(ExactState, limb) + (Size) rooms * sizeof(uint64);
}

static ExactState *
state_make(int sum_room, int squares_room)
{
	Size		size = state_size(sum_room + squares_room);
	ExactState *state = (ExactState *) palloc0(size);

	SET_VARSIZE(state, size);
	state->moments.sum.room = (int16) sum_room;
	state->moments.squares.room = (int16) squares_room;
	return state;
}

ExactState *
exact_state_new(bool with_squares)
{
	/* all arithmetic is on integers, but float4 and double are converted: without flushing or odd rounding */
	fesetenv(FE_DFL_ENV);
	return state_make(LONG_SUM_ROOM, with_squares ? LONG_SUM_ROOM : 0);
}

/* ---- opening and closing ---- */

static bool
sum_is_sound(const LongSum *sum)
{
	return sum->first >= 0 && sum->n >= 0 && sum->n <= sum->room && sum->first + sum->n <= MAX_LIMBS;
}

/* Returns the checked state of a Datum.  Its pointers to limbs are not set yet. */
static ExactState *
state_of_datum(Datum value)
{
	ExactState	  *state = (ExactState *) PG_DETOAST_DATUM(value);
	Size		   size = VARSIZE(state);
	const LongSum *sum = &state->moments.sum, *squares = &state->moments.squares;

	if (size < state_size(0) || !sum_is_sound(sum) || !sum_is_sound(squares) ||
		size != state_size(sum->room + squares->room))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid %s value", "exact_state"),
						errdetail("Its bytes are not those of any state.")));
	return state;
}

/* Resizes the memory of limbs.  Limbs inside the state itself cannot be resized: they are copied out. */
void *
exact_state_resize(ScanMemory *memory, void *old, size_t size)
{
	const ExactState *state = ((const ExactStateMemory *) memory)->state;
	const char		 *end = (const char *) state + VARSIZE(state);
	void			 *limbs;

	if ((const char *) old < (const char *) state || (const char *) old > end)
		return repalloc(old, size);
	limbs = palloc(size);
	memcpy(limbs, old, Min(size, (Size) (end - (const char *) old)));
	return limbs;
}

void
exact_state_tick(ScanMemory *memory)
{
	CHECK_FOR_INTERRUPTS();
}

ExactState *
exact_state_open_cold(Datum value)
{
	ExactState *state = state_of_datum(value);

	state->moments.sum.limb = state->limb;
	state->moments.squares.limb = state->limb + state->moments.sum.room;
	return state;
}

void
exact_state_view(Datum value, Moments *moments)
{
	ExactState *state = state_of_datum(value);

	*moments = state->moments;
	moments->sum.limb = state->limb;
	moments->squares.limb = state->limb + state->moments.sum.room;
}

Datum
exact_state_widen(const ExactState *state)
{
	const Moments *moments = &state->moments;
	ExactState	  *wider = state_make(moments->sum.room, moments->squares.room);
	Moments		  *to = &wider->moments;

	*to = *moments;
	to->sum.limb = wider->limb;
	to->squares.limb = wider->limb + to->sum.room;
	memcpy(to->sum.limb, moments->sum.limb, (size_t) to->sum.n * sizeof(uint64));
	memcpy(to->squares.limb, moments->squares.limb, (size_t) to->squares.n * sizeof(uint64));
	return PointerGetDatum(wider);
}

/* ---- messages: five counts, then of each sum: its first limb's place, its number of limbs, the limbs ---- */

static void
send_sum(StringInfo message, const LongSum *sum)
{
	pq_sendbyte(message, (uint8) sum->first);
	pq_sendbyte(message, (uint8) sum->n);
	for (int i = 0; i < sum->n; i++)
		pq_sendint64(message, sum->limb[i]);
}

void
exact_state_send_message(StringInfo message, const Moments *moments)
{
	pq_sendint64(message, moments->finite);
	pq_sendint64(message, moments->negative_zeros);
	pq_sendint64(message, moments->nans);
	pq_sendint64(message, moments->plus_infinities);
	pq_sendint64(message, moments->minus_infinities);
	send_sum(message, &moments->sum);
	send_sum(message, &moments->squares);
}

static void
refuse_message(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION), errmsg("invalid external %s value", "exact_state")));
}

/* Checks that `bytes` bytes of a message are left.  Core would check too, but its error names no type. */
static void
check_left(StringInfo message, int bytes)
{
	if (message->len - message->cursor < bytes)
		refuse_message();
}

static int64
receive_count(StringInfo message)
{
	int64 count;

	check_left(message, sizeof(int64));
	count = pq_getmsgint64(message);
	if (count < 0)
		refuse_message();
	return count;
}

/* The limbs must have head room, as long_sum.h leaves them. */
static void
receive_sum(StringInfo message, LongSum *sum, ScanMemory *memory)
{
	int	  first, n;
	int64 highest = 0;

	check_left(message, 2);
	first = pq_getmsgbyte(message);
	n = pq_getmsgbyte(message);
	check_left(message, n * (int) sizeof(uint64));
	/* a sum without limbs must have first = 0 */
	if (first + n > MAX_LIMBS_SENT || (n == 0 && first != 0))
		refuse_message();
	if (n > 0)
		long_sum_widen(sum, memory, first, first + n);
	for (int i = 0; i < n; i++)
		sum->limb[i] = (uint64) pq_getmsgint64(message);
	if (n > 0)
		highest = (int64) sum->limb[n - 1] >> 62;
	if (highest != 0 && highest != -1)
		refuse_message();
}

ExactState *
exact_state_of_message(StringInfo message)
{
	ExactStateMemory memory;
	ExactState		*state = exact_state_open(PointerGetDatum(exact_state_new(false)), &memory);
	Moments			*moments = &state->moments;

	moments->finite = receive_count(message);
	moments->negative_zeros = receive_count(message);
	moments->nans = receive_count(message);
	moments->plus_infinities = receive_count(message);
	moments->minus_infinities = receive_count(message);
	if (moments->negative_zeros > moments->finite || !moments_are_counted(moments))
		refuse_message();
	receive_sum(message, &moments->sum, &memory.memory);
	receive_sum(message, &moments->squares, &memory.memory);
	if (message->cursor != message->len)
		refuse_message();
	state = (ExactState *) DatumGetPointer(exact_state_close(state));
	/* pointers must not be stored, nor show in the bytes */
	state->moments.sum.limb = state->moments.squares.limb = NULL;
	return state;
}
