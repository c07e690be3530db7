/*
 * exact_state.c: the type exact_state in a Datum; exact_state_message.c has it in a message.
 */
#include "postgres.h"

#include <fenv.h>

#include "fmgr.h"
#include "utils/datum.h"

#include "compat.h"
#include "number/exact_state.h"
#include "number/total.h"

/*
 * The limits on where the limbs of a sum end are two limbs below the memory of those who read it.  The squares of
 * doubles need 67 limbs; a few more fit below LONG_SUM_LIMBS.  The sums of x and of y in Pairs, of which 34 are needed,
 * are multiplied with each other, and so are those of Powers.
 */
#define SPARE_LIMBS 2

StaticAssertDecl(offsetof(ExactState, moments) == 2 * sizeof(int32), "stored states begin in another way");

/* ---- kinds ---- */

#define NUMBERS(MEMBER, N, HOLDS) {offsetof(ExactState, MEMBER), .numbers = N, .holds = EXACT_STATE_##HOLDS},
#define SUM(MEMBER, LIMBS) {offsetof(ExactState, MEMBER), .limbs = LIMBS, .holds = EXACT_STATE_SUM},
#define PARTS(D, KIND, CONTENT, member, from) [EXACT_STATE_##KIND] = {EXACT_PARTS_OF_##KIND(NUMBERS, SUM)},

const ExactStatePart exact_state_part[][EXACT_STATE_PARTS + 1] = {EXACT_STATES(PARTS, )};

#define NO_SUM(...)
#define ONE_SUM(...) +1
#define FITS(D, KIND, CONTENT, member, from)                                             \
	StaticAssertDecl(sizeof(CONTENT) % sizeof(uint64) == 0, "limbs have to be aligned"); \
	StaticAssertDecl(0 EXACT_PARTS_OF_##KIND(NO_SUM, ONE_SUM) <= EXACT_STATE_SUMS, "a kind has more sums");
EXACT_STATES(FITS, )
StaticAssertDecl(offsetof(Moments, sum) == 5 * sizeof(int64) && offsetof(TimeArea, first) == 2 * sizeof(int64) &&
					 offsetof(TimeArea, specials) == 6 * sizeof(int64) &&
					 offsetof(TimeArea, area) == 9 * sizeof(int64) &&
					 sizeof(Powers) == offsetof(Powers, decimal) + 2 * sizeof(int64),
				 "numbers lie in another way");

/* The sums of a state, in the order in which their limbs lie behind it. */
typedef struct StateSums
{
	int		 n;
	LongSum *sum[EXACT_STATE_SUMS];
	int		 limbs[EXACT_STATE_SUMS]; /* ExactStatePart.limbs */
} StateSums;

/* Returns the size of a state of a known kind with room for that many limbs. */
static Size
state_size(ExactStateKind kind, int rooms)
{
	return (Size) exact_state_limbs(NULL, kind) + (Size) rooms * sizeof(uint64);
}

/* Returns the sums of what a state of a known kind has in its union. */
static StateSums
content_sums(ExactStateKind kind, void *content)
{
	StateSums sums = {0};

	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
		if (part->numbers == 0)
		{
			sums.limbs[sums.n] = part->limbs;
			sums.sum[sums.n++] = (LongSum *) exact_state_part_at(content, part);
		}
	return sums;
}

static StateSums
state_sums(ExactState *state)
{
	return content_sums((ExactStateKind) state->kind, &state->moments);
}

/* Lets the sums point to their limbs, which lie one after the other from `limb` on. */
static void
set_limbs(const StateSums *sums, uint64 *limb)
{
	for (int i = 0; i < sums->n; i++)
	{
		sums->sum[i]->limb = limb;
		limb += sums->sum[i]->room;
	}
}

/* Returns a new, empty state with that room for the limbs of each sum that the kind has. */
static ExactState *
state_make(ExactStateKind kind, const int *room)
{
	ExactState none, *state;
	StateSums  sums = content_sums(kind, &none.moments);
	int		   rooms = 0;

	for (int i = 0; i < sums.n; i++)
		rooms += room[i];
	state = (ExactState *) palloc0(state_size(kind, rooms));
	SET_VARSIZE(state, state_size(kind, rooms));
	state->kind = kind;
	sums = state_sums(state);
	for (int i = 0; i < sums.n; i++)
		sums.sum[i]->room = (int16) room[i];
	return state;
}

ExactState *
exact_state_new(ExactStateKind kind, int sums)
{
	int room[EXACT_STATE_SUMS] = {0};

	for (int i = 0; i < sums; i++)
		room[i] = LONG_SUM_ROOM;
	/* all arithmetic is on integers, but floats are converted and times that are subnormal doubles are compared */
	fesetenv(FE_DFL_ENV);
	return state_make(kind, room);
}

/* ---- opening and closing ---- */

bool
exact_state_numbers_are_sound(const ExactState *state)
{
	switch ((ExactStateKind) state->kind)
	{
#define SOUND(D, KIND, CONTENT, member, from) \
	case EXACT_STATE_##KIND:                  \
		return EXACT_SOUND_OF_##KIND(&state->member);
		EXACT_STATES(SOUND, )
		default:
			return false;
	}
}

static bool
sum_is_sound(const LongSum *sum, int limbs)
{
	return sum->first >= 0 && sum->n >= 0 && sum->n <= sum->room && sum->first + sum->n <= limbs;
}

/* True if a Datum of that size is a state of a known kind, with sums that lie in it. */
static bool
state_is_sound(ExactState *state, Size size)
{
	StateSums sums;
	int		  rooms = 0;
	bool	  sound;

	if (size < offsetof(ExactState, moments) || state->kind < 0 || state->kind >= EXACT_STATE_KINDS ||
		size < state_size(state->kind, 0))
		return false;
	sound = exact_state_numbers_are_sound(state);
	sums = state_sums(state);
	for (int i = 0; i < sums.n; i++)
	{
		sound = sound && sum_is_sound(sums.sum[i], sums.limbs[i] - SPARE_LIMBS);
		rooms += sums.sum[i]->room;
	}
	return sound && size == state_size(state->kind, rooms);
}

void
exact_state_refuse(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid %s value", "exact_state"),
					errdetail("The bytes do not form the state of any aggregate.")));
}

/* Returns the checked state of a Datum, of any kind.  Its pointers to limbs are not set yet. */
static ExactState *
state_of_datum(Datum value)
{
	ExactState *state = (ExactState *) PG_DETOAST_DATUM(value);

	if (!state_is_sound(state, VARSIZE(state)))
		exact_state_refuse();
	return state;
}

/* The same for a state that has to be of one kind. */
static ExactState *
state_of_kind(Datum value, ExactStateKind kind)
{
#define MADE_FROM(D, KIND, CONTENT, member, from) from,
	static const char *const taken[] = {EXACT_STATES(MADE_FROM, )};
	ExactState				*state = state_of_datum(value);

	if (state->kind != (int32) kind)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid %s value", "exact_state"),
						errdetail("The state was made from %s, not from %s.", taken[state->kind], taken[kind]),
						errhint("Pass a state only to functions of the aggregate that made it.")));
	return state;
}

/* Resizes the memory of limbs.  Limbs inside the state itself cannot be resized: they are copied out. */
void *
exact_state_resize(ScanMemory *memory, void *old, size_t size)
{
	const char *state = (const char *) ((const ExactStateMemory *) memory)->state;
	const char *end = state + VARSIZE(state);
	void	   *limbs;

	if ((const char *) old < state || (const char *) old > end)
		return repalloc(old, size);
	limbs = palloc(size);
	memcpy(limbs, old, Min(size, (Size) (end - (const char *) old)));
	return limbs;
}

ExactStateKind
exact_state_kind(Datum value)
{
	return (ExactStateKind) state_of_datum(value)->kind;
}

ExactState *
exact_state_open_cold(Datum value, ExactStateKind kind)
{
	ExactState *state = state_of_kind(value, kind);
	StateSums	sums = state_sums(state);

	set_limbs(&sums, exact_state_limbs(state, kind));
	return state;
}

void
exact_state_view(Datum value, ExactStateKind kind, void *content)
{
	ExactState *state = state_of_kind(value, kind);
	StateSums	sums = content_sums(kind, content);
	uint64	   *limbs = exact_state_limbs(state, kind);

	memcpy(content, &state->moments, (char *) limbs - (char *) &state->moments);
	set_limbs(&sums, limbs);
}

Datum
exact_state_widen(const ExactState *state)
{
	ExactStateKind kind = (ExactStateKind) state->kind;
	StateSums	   from = state_sums(unconstify(ExactState *, state)), to;
	int			   room[EXACT_STATE_SUMS] = {0};
	ExactState	  *wider;

	for (int i = 0; i < from.n; i++)
		room[i] = from.sum[i]->room;
	wider = state_make(kind, room);
	memcpy(&wider->moments, &state->moments, state_size(kind, 0) - offsetof(ExactState, moments));
	to = state_sums(wider);
	set_limbs(&to, exact_state_limbs(wider, kind));
	for (int i = 0; i < from.n; i++)
		if (from.sum[i]->n > 0)
			memcpy(to.sum[i]->limb, from.sum[i]->limb, (size_t) from.sum[i]->n * sizeof(uint64));
	return PointerGetDatum(wider);
}

void
exact_state_forget_limbs(ExactState *state)
{
	StateSums sums = state_sums(state);

	for (int i = 0; i < sums.n; i++)
		sums.sum[i]->limb = NULL;
}

/* ---- comparing ---- */

/* Returns limb i of a sum: zeros lie below its limbs, and copies of the sign above them. */
static uint64
limb_at(const LongSum *sum, int i)
{
	if (sum->n == 0 || i < sum->first)
		return 0;
	return i < sum->first + sum->n ? sum->limb[i - sum->first] : limb_of_sign(sum->limb[sum->n - 1]);
}

static bool
same_sum(const LongSum *a, const LongSum *b)
{
	for (int i = 0; i < POWERS_FOURTH_LIMBS; i++)
		if (limb_at(a, i) != limb_at(b, i))
			return false;
	return true;
}

void
exact_powers_align(Powers *powers, Datum value, int64 places)
{
	ExactStateMemory memory;
	ExactState		*copy;

	if (powers->places >= places)
		return;
	copy = exact_state_open(datumCopy(value, false, -1), EXACT_STATE_POWERS, &memory);
	if (!powers_rescale(&copy->powers, &memory.memory, places))
		exact_state_refuse();
	*powers = copy->powers;
}

/* True if the numbers of two states are the same; their units may differ. */
static bool
same_numbers(ExactStateKind kind, void *x, void *y)
{
	for (const ExactStatePart *part = exact_state_part[kind]; part->offset > 0; part++)
		if (part->holds != EXACT_STATE_UNIT &&
			memcmp(exact_state_part_at(x, part), exact_state_part_at(y, part), part->numbers * sizeof(int64)) != 0)
			return false;
	return true;
}

bool
exact_state_equal(Datum a, Datum b)
{
	ExactStateKind kind = exact_state_kind(a);
	ExactState	   x, y;
	StateSums	   x_sums, y_sums;
	bool		   same;

	if (exact_state_kind(b) != kind)
		return false;
	exact_state_view(a, kind, &x.moments);
	exact_state_view(b, kind, &y.moments);
	same = same_numbers(kind, &x.moments, &y.moments);
	if (same && kind == EXACT_STATE_POWERS)
	{
		exact_powers_align(&x.powers, a, y.powers.places);
		exact_powers_align(&y.powers, b, x.powers.places);
	}
	x_sums = content_sums(kind, &x.moments);
	y_sums = content_sums(kind, &y.moments);
	for (int i = 0; i < x_sums.n; i++)
		same = same && same_sum(x_sums.sum[i], y_sums.sum[i]);
	return same;
}

bool
exact_state_is_empty(Datum value)
{
	ExactState *none = exact_state_new(exact_state_kind(value), 0);
	bool		same = exact_state_equal(value, PointerGetDatum(none));

	pfree(none);
	return same;
}

Datum
exact_state_total(Datum value)
{
	Moments	 moments;
	ExactSum sum;

	/* as in exact_state_new() */
	fesetenv(FE_DFL_ENV);
	exact_state_view(value, EXACT_STATE_VALUES, &moments);
	exact_lift(specials_flags(&moments.specials) != 0	  ? exact_special_value(specials_flags(&moments.specials))
			   : moments.negative_zeros == moments.finite ? -0.0
														  : 0.0,
			   &sum);
	if (specials_flags(&moments.specials) == 0 && moments.sum.n > 0)
	{
		sum.form = EXACT_LIMBS;
		for (int i = 0; i < EXACT_LIMBS_N; i++)
			sum.limb[i] = limb_at(&moments.sum, i);
		exact_refresh(&sum);
		/* -0 if all values are */
		if (sum.form == EXACT_PAIR && sum.s == 0.0)
			exact_lift(moments.negative_zeros == moments.finite ? -0.0 : 0.0, &sum);
	}
	return total_datum(&sum);
}
