/*
 * exact_state.c: the type exact_state in a Datum; exact_state_message.c has it in a message.
 */
#include "postgres.h"

#include <fenv.h>

#include "fmgr.h"

#include "compat.h"
#include "number/exact_state.h"

/*
 * The limits on where the limbs of a sum end.  The squares of doubles need 67 limbs; a few more fit below
 * LONG_SUM_LIMBS.  The sums of x and of y in Pairs, of which 34 are needed, are multiplied with each other.
 */
#define MAX_LIMBS (LONG_SUM_LIMBS - 2)
#define MAX_PAIRS_SUM (PAIRS_SUM_LIMBS - 2)

StaticAssertDecl(offsetof(ExactState, limb) % sizeof(uint64) == 0, "limbs have to be aligned");

/* ---- kinds ---- */

#define MOST_SUMS 5

/* The sums of a state, in the order in which their limbs lie behind it. */
typedef struct StateParts
{
	int		 n;
	LongSum *sum[MOST_SUMS];
} StateParts;

static bool
kind_is_known(int64 kind)
{
	return kind >= EXACT_STATE_VALUES && kind <= EXACT_STATE_TIMES;
}

/* Returns the size of a state of a known kind with room for that many limbs. */
static Size
state_size(ExactStateKind kind, int rooms)
{
	static const Size size[] = {offsetof(ExactState, limb), offsetof(ExactPairs, limb), offsetof(ExactTimes, limb)};

	return size[kind] + (Size) rooms * sizeof(uint64);
}

static StateParts
parts_of_values(Moments *moments)
{
	return (StateParts){2, {&moments->sum, &moments->squares}};
}

static StateParts
parts_of_pairs(Pairs *pairs)
{
	return (StateParts){MOST_SUMS,
						{&pairs->x.sum, &pairs->x.squares, &pairs->y.sum, &pairs->y.squares, &pairs->products}};
}

static StateParts
parts_of_times(TimeArea *area)
{
	return (StateParts){1, {&area->area}};
}

/* Returns the parts of a state of a known kind. */
static StateParts
state_parts(void *state)
{
	switch ((ExactStateKind) ((ExactState *) state)->kind)
	{
		case EXACT_STATE_PAIRS:
			return parts_of_pairs(&((ExactPairs *) state)->pairs);
		case EXACT_STATE_TIMES:
			return parts_of_times(&((ExactTimes *) state)->area);
		default:
			return parts_of_values(&((ExactState *) state)->moments);
	}
}

/* Lets the sums point to their limbs, which lie one after the other from `limb` on. */
static void
set_limbs(const StateParts *parts, uint64 *limb)
{
	for (int i = 0; i < parts->n; i++)
	{
		parts->sum[i]->limb = limb;
		limb += parts->sum[i]->room;
	}
}

/* Returns a new, empty state with that room for the limbs of each sum. */
static void *
state_make(ExactStateKind kind, const int *room)
{
	static const int sums_of[] = {2, MOST_SUMS, 1};
	int				 sums = sums_of[kind];
	int				 rooms = 0;
	ExactState		*state;
	StateParts		 parts;

	for (int i = 0; i < sums; i++)
		rooms += room[i];
	state = (ExactState *) palloc0(state_size(kind, rooms));
	SET_VARSIZE(state, state_size(kind, rooms));
	state->kind = kind;
	parts = state_parts(state);
	for (int i = 0; i < sums; i++)
		parts.sum[i]->room = (int16) room[i];
	return state;
}

ExactState *
exact_state_new(bool with_squares)
{
	int room[] = {LONG_SUM_ROOM, with_squares ? LONG_SUM_ROOM : 0};

	/* all arithmetic is on integers, but float4 and double are converted: without flushing or odd rounding */
	fesetenv(FE_DFL_ENV);
	return (ExactState *) state_make(EXACT_STATE_VALUES, room);
}

ExactPairs *
exact_pairs_new(void)
{
	int room[MOST_SUMS] = {LONG_SUM_ROOM, LONG_SUM_ROOM, LONG_SUM_ROOM, LONG_SUM_ROOM, LONG_SUM_ROOM};

	fesetenv(FE_DFL_ENV);
	return (ExactPairs *) state_make(EXACT_STATE_PAIRS, room);
}

ExactTimes *
exact_times_new(int64 flags)
{
	int			room[] = {LONG_SUM_ROOM};
	ExactTimes *state = (ExactTimes *) state_make(EXACT_STATE_TIMES, room);

	/* times that are subnormal doubles are compared */
	fesetenv(FE_DFL_ENV);
	state->area.flags = flags;
	return state;
}

/* ---- opening and closing ---- */

static bool
sum_is_sound(const LongSum *sum)
{
	return sum->first >= 0 && sum->n >= 0 && sum->n <= sum->room && sum->first + sum->n <= MAX_LIMBS;
}

/* True if a Datum of that size is a state of a known kind, with sums that lie in it. */
static bool
state_is_sound(ExactState *state, Size size)
{
	StateParts parts;
	int		   rooms = 0;
	bool	   sound = true;

	if (size < state_size(EXACT_STATE_VALUES, 0) || !kind_is_known(state->kind) || size < state_size(state->kind, 0))
		return false;
	if (state->kind == EXACT_STATE_PAIRS && !exact_pairs_end_before(&((ExactPairs *) state)->pairs, MAX_PAIRS_SUM))
		return false;
	if (state->kind == EXACT_STATE_TIMES && !time_area_is_sound(&((ExactTimes *) state)->area))
		return false;
	parts = state_parts(state);
	for (int i = 0; i < parts.n; i++)
	{
		sound = sound && sum_is_sound(parts.sum[i]);
		rooms += parts.sum[i]->room;
	}
	return sound && size == state_size(state->kind, rooms);
}

/* Returns the checked state of a Datum, of any kind.  Its pointers to limbs are not set yet. */
static ExactState *
state_of_datum(Datum value)
{
	ExactState *state = (ExactState *) PG_DETOAST_DATUM(value);

	if (!state_is_sound(state, VARSIZE(state)))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("invalid %s value", "exact_state"),
						errdetail("The bytes do not form the state of any aggregate.")));
	return state;
}

/* The same for a state that has to be of one kind. */
static ExactState *
state_of_kind(Datum value, ExactStateKind kind)
{
	static const char *const taken[] = {"values", "pairs of values", "values over time"};
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

void *
exact_state_open_cold(Datum value, ExactStateKind kind)
{
	ExactState *state = state_of_kind(value, kind);
	StateParts	parts = state_parts(state);

	set_limbs(&parts, (uint64 *) ((char *) state + state_size(kind, 0)));
	return state;
}

void
exact_state_view(Datum value, Moments *moments)
{
	ExactState *state = state_of_kind(value, EXACT_STATE_VALUES);
	StateParts	parts = parts_of_values(moments);

	*moments = state->moments;
	set_limbs(&parts, state->limb);
}

void
exact_pairs_view(Datum value, Pairs *pairs)
{
	ExactPairs *state = (ExactPairs *) state_of_kind(value, EXACT_STATE_PAIRS);
	StateParts	parts = parts_of_pairs(pairs);

	*pairs = state->pairs;
	set_limbs(&parts, state->limb);
}

void
exact_times_view(Datum value, TimeArea *area)
{
	ExactTimes *state = (ExactTimes *) state_of_kind(value, EXACT_STATE_TIMES);
	StateParts	parts = parts_of_times(area);

	*area = state->area;
	set_limbs(&parts, state->limb);
}

Datum
exact_state_widen(const void *state)
{
	ExactStateKind kind = (ExactStateKind) ((const ExactState *) state)->kind;
	StateParts	   from = state_parts(unconstify(void *, state)), to;
	int			   room[MOST_SUMS];
	void		  *wider;

	for (int i = 0; i < from.n; i++)
		room[i] = from.sum[i]->room;
	wider = state_make(kind, room);
	/* all that lies between the length and the limbs */
	memcpy((char *) wider + offsetof(ExactState, kind), (const char *) state + offsetof(ExactState, kind),
		   state_size(kind, 0) - offsetof(ExactState, kind));
	to = state_parts(wider);
	set_limbs(&to, (uint64 *) ((char *) wider + state_size(kind, 0)));
	for (int i = 0; i < from.n; i++)
		if (from.sum[i]->n > 0)
			memcpy(to.sum[i]->limb, from.sum[i]->limb, (size_t) from.sum[i]->n * sizeof(uint64));
	return PointerGetDatum(wider);
}

void
exact_state_forget_limbs(void *state)
{
	StateParts parts = state_parts(state);

	for (int i = 0; i < parts.n; i++)
		parts.sum[i]->limb = NULL;
}

bool
exact_pairs_end_before(const Pairs *pairs, int limbs)
{
	const LongSum *x = &pairs->x.sum, *y = &pairs->y.sum;

	return x->first + x->n <= limbs && y->first + y->n <= limbs;
}
