/*
 * calendar.c: in which interval of the first key every step of a query has one value: the interval of a cell.
 *
 * step.c writes the steps of a query as letters and values of a call.  A step has movers, which shift the key by a
 * constant as long as no zone changes its offset, and a grid, in each interval of which the step has one value.  The
 * interval of a key is the cut of these intervals.  It may be smaller than need be, since GROUP BY brings equal values
 * together again: so an hour that comes twice, a day that goes back and a day that is left out do no harm.
 *
 *   z zone, Z zone   AT TIME ZONE of a timestamptz, of a timestamp
 *   l, u             the session's zone: to timestamp, to timestamptz
 *   + by, - by       an interval added to a timestamp, subtracted
 *   P by, M by       the same of a timestamptz, where days are those of the session's zone
 *
 *   t unit           date_trunc() and extract()
 *   f format         to_char()
 *   b stride origin  date_bin()
 *   e c              floor(extract(epoch FROM key) / c)
 *   / c              an integer divided by c
 *   c value          a comparison
 *
 * Offsets come from the server's zone data when the query runs: nothing of a zone is in a plan or in the tree.
 *
 * Where a step cannot be followed, as with a zone that does not exist, each key is an interval of its own, and core
 * evaluates the query's expression for it, or raises its error.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "parser/scansup.h"
#include "pgtime.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "kept/reading.h"

/* Zones are looked at in blocks of so many microseconds, about 13 months, whose edges are edges of intervals, too. */
#define ZONE_BLOCK (INT64CONST(1) << 45)
/* More than any zone differs from UTC: POSIX's may have offsets of 167 hours. */
#define MOST_OFFSET (8 * USECS_PER_DAY)
/* The most days of an interval: more would be longer than an int64 has room for, with its other parts. */
#define MOST_DAYS 10000000
/* The movers of a step that shift by more may bring a time of any century to where it fails. */
#define MOST_SHIFT (1000 * DAYS_PER_YEAR * USECS_PER_DAY)

typedef struct Mover
{
	char		 letter; /* z, Z, l, u, or + for any interval */
	Datum		 value;	 /* the zone, as a text */
	pg_tz		*zone;	 /* NULL: its offset never changes */
	int64		 shift;
	KeptInterval piece; /* in which it shifts by that much */
} Mover;

typedef struct Step
{
	int		 movers;
	Mover	*mover;
	KeptGrid grid;
} Step;

struct KeptCalendar
{
	const Kept	 *kept;
	int64		  unit; /* microseconds in a key, 0: it is no time */
	bool		  follows;
	int			  steps;
	Step		 *step;
	KeptInterval  known;  /* that was asked last */
	MemoryContext memory; /* of a quotient */
};

/* ---- the steps of a call ---- */

/* Adds a mover. */
static void
add_mover(Step *step, char letter, int64 shift, Datum value, pg_tz *zone)
{
	/* `piece` is empty: it has no number */
	step->mover[step->movers++] = (Mover){letter, value, zone, shift, {1, 0}};
}

/* Adds the movers of an interval.  False: it has months, which have no fixed length. */
static bool
add_interval(Step *step, char letter, const Interval *by)
{
	int	  sign = letter == '-' || letter == 'M' ? -1 : 1;
	int64 days = sign * by->day * USECS_PER_DAY;
	bool  local = (letter == 'P' || letter == 'M') && days != 0;

	if (local)
		add_mover(step, 'l', 0, 0, session_timezone);
	add_mover(step, '+', days, 0, NULL);
	if (local)
		add_mover(step, 'u', 0, 0, session_timezone);
	add_mover(step, '+', sign * by->time, 0, NULL);
	return by->month == 0 && Abs(by->day) <= MOST_DAYS && Abs(by->time) < END_TIMESTAMP / 2;
}

/*
 * Adds the mover of AT TIME ZONE, by what core takes the name for.  False: there is no such zone, or the name is an
 * abbreviation of no fixed offset, such as MSK.  AT TIME ZONE takes that for the offset, and date_trunc() for the zone.
 */
static bool
add_zone(Step *step, char letter, text *value)
{
	char  *name = text_to_cstring(value);
	pg_tz *zone = NULL;
	int	   type, offset;

	compat_decode_zone(downcase_truncate_identifier(name, (int) strlen(name), false), &type, &offset, &zone);
	if (type != TZ && type != DTZ && type != DYNTZ)
		zone = pg_tzset(name);
	add_mover(step, letter, 0, PointerGetDatum(value), zone);
	return type == TZ || type == DTZ || (type != DYNTZ && zone != NULL);
}

/* Returns a date in microseconds; one that no timestamp has is infinite. */
static int64
time_of_date(DateADT date)
{
	return IS_VALID_DATE(date) && date < TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE ? date * USECS_PER_DAY
		   : date < 0																 ? PG_INT64_MIN
																					 : PG_INT64_MAX;
}

/* Sets the grid of a step, whose values are the arguments from i on.  False: it cannot be followed. */
static bool
set_grid(Step *step, char letter, FunctionCallInfo fcinfo, int i)
{
	Oid				type = get_fn_expr_argtype(fcinfo->flinfo, i);
	const Interval *stride;
	double			seconds;

	step->grid.letter = letter;
	switch (letter)
	{
		case 't':
		case 'f':
			return kept_unit_grid(letter, text_to_cstring(PG_GETARG_TEXT_PP(i)), &step->grid);
		case 'b':
			stride = PG_GETARG_INTERVAL_P(i);
			step->grid.width = stride->day * USECS_PER_DAY + stride->time;
			step->grid.origin = PG_GETARG_TIMESTAMP(i + 1);
			return stride->month == 0 && Abs(stride->day) <= MOST_DAYS && Abs(stride->time) < END_TIMESTAMP / 2 &&
				   step->grid.width > 0 && IS_VALID_TIMESTAMP(step->grid.origin);
		case 'e':
			step->grid.divisor = PG_GETARG_DATUM(i);
			seconds = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, step->grid.divisor));
			return seconds >= 1e-6 && seconds <= 1e9;
		default: /* '/' and 'c' */
			step->grid.origin = type == INT2OID	  ? PG_GETARG_INT16(i)
								: type == INT4OID ? PG_GETARG_INT32(i)
								: type == DATEOID ? time_of_date(PG_GETARG_DATEADT(i))
												  : PG_GETARG_INT64(i);
			/* the least number has no absolute value: it stays negative */
			step->grid.width = Abs(step->grid.origin);
			return letter != '/' || step->grid.width > 0;
	}
}

/* True if a value of a letter may be of a type. */
static bool
is_type_of(char letter, int v, Oid type)
{
	if (strchr("zZtf", letter) != NULL)
		return type == TEXTOID;
	if (strchr("+-PM", letter) != NULL || (letter == 'b' && v == 0))
		return type == INTERVALOID;
	if (letter == 'e')
		return type == NUMERICOID;
	return strchr("b/c", letter) != NULL && (type == INT2OID || type == INT4OID || type == INT8OID || type == DATEOID ||
											 type == TIMESTAMPOID || type == TIMESTAMPTZOID);
}

KeptCalendar *
kept_calendar_create(const Kept *kept, FunctionCallInfo fcinfo, const char *steps, int i)
{
	KeptCalendar *calendar = (KeptCalendar *) palloc0(sizeof(KeptCalendar));
	Oid			  type = kept->key[0].type;
	Step		 *step = (Step *) palloc0((strlen(steps) + 1) * sizeof(Step));
	bool		  isnull = false;

	*calendar = (KeptCalendar){
		.kept = kept,
		.unit = type == DATEOID ? USECS_PER_DAY : type == TIMESTAMPOID || type == TIMESTAMPTZOID,
		.follows = true,
		.step = step,
		.known = {1, 0},
		.memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a quotient", ALLOCSET_SMALL_SIZES)};
	for (; *steps != '\0'; steps++)
	{
		bool is_session = *steps == 'l' || *steps == 'u', is_zone = *steps == 'z' || *steps == 'Z';
		int	 values = is_session ? 0 : *steps == 'b' ? 2 : 1;

		for (int v = 0; v < values; v++)
		{
			if (i + v >= PG_NARGS() || !is_type_of(*steps, v, get_fn_expr_argtype(fcinfo->flinfo, i + v)))
				return NULL;
			isnull |= PG_ARGISNULL(i + v);
		}
		if (step->mover == NULL)
			step->mover = (Mover *) palloc(4 * strlen(steps) * sizeof(Mover));
		if (is_session)
			add_mover(step, *steps, 0, 0, session_timezone);
		else if (is_zone && !isnull)
			calendar->follows &= add_zone(step, *steps, PG_GETARG_TEXT_PP(i));
		else if (strchr("+-PM", *steps) != NULL && !isnull)
			calendar->follows &= add_interval(step, *steps, PG_GETARG_INTERVAL_P(i));
		else if (strchr("tfbe/c", *steps) != NULL)
		{
			calendar->follows &= isnull || set_grid(step, *steps, fcinfo, i);
			/* a step with a NULL has one value, which is NULL */
			step += !isnull;
			step->movers = 0;
			isnull = false;
		}
		i += values;
	}
	calendar->steps = step - calendar->step;
	return i == PG_NARGS() ? calendar : NULL;
}

/* ---- intervals ---- */

/* Returns what a time becomes by a mover of a zone, as core computes it. */
static int64
move_by_zone(const Mover *mover, int64 at)
{
	switch (mover->letter)
	{
		case 'z':
			return DatumGetInt64(DirectFunctionCall2(timestamptz_zone, mover->value, Int64GetDatum(at)));
		case 'Z':
			return DatumGetInt64(DirectFunctionCall2(timestamp_zone, mover->value, Int64GetDatum(at)));
		case 'l':
			return DatumGetInt64(DirectFunctionCall1(timestamptz_timestamp, Int64GetDatum(at)));
		default:
			return DatumGetInt64(DirectFunctionCall1(timestamp_timestamptz, Int64GetDatum(at)));
	}
}

/*
 * Sets the interval around a time in which a zone's offset does not change.  For a local time, the offset changes where
 * the transition lies by the offset before it, or by the one after it.  False: it cannot be followed, because core
 * looks for transitions a day around a local time, which offsets of more than a day exceed.
 */
static bool
set_piece(Mover *mover, int64 at)
{
	bool	  from_local = mover->letter == 'Z' || mover->letter == 'u';
	int64	  from = kept_multiple_below(at, ZONE_BLOCK), to = from + ZONE_BLOCK - 1;
	int64	  last = to + MOST_OFFSET, transition = from - MOST_OFFSET;
	pg_time_t time = transition / USECS_PER_SEC + KEPT_UNIX_SECONDS, next;

	while (mover->zone != NULL && transition <= last)
	{
		long offset[2] = {0, 0};
		int	 is_dst;

		if (pg_next_dst_boundary(&time, &offset[0], &is_dst, &next, &offset[1], &is_dst, mover->zone) != 1)
			break;
		transition = (next - KEPT_UNIX_SECONDS) * USECS_PER_SEC;
		for (int side = 0; side < 2; side++)
		{
			int64 cut = transition + (from_local ? offset[side] * USECS_PER_SEC : 0);

			if (from_local && Abs(offset[side]) > SECS_PER_DAY)
				return false;
			if (cut <= at)
				from = Max(from, cut);
			else
				to = Min(to, cut - 1);
		}
		time = next;
	}
	mover->piece = (KeptInterval){from, to};
	mover->shift = move_by_zone(mover, at) - at;
	return true;
}

/*
 * Cuts an interval of microseconds to the times about which movers and grids may be asked once they are shifted by so
 * much; the results are times again.  False: `at` is none of them.  Each of the others is an interval of its own, so an
 * interval must not reach to them: the rows of a node and the log's changes of these rows would be in two cells.
 *
 * The ends of a grid's interval are looked for on both sides of a time, also by its microseconds since 1970, which are
 * more than those since 2000: hence half of all times.
 */
static bool
cut_to_times(const KeptCalendar *calendar, int64 at, int64 shift, KeptInterval *interval)
{
	if (calendar->unit == 0)
		return true;
	interval->from = Max(interval->from, kept_moved(MIN_TIMESTAMP + MOST_OFFSET, -shift));
	interval->to = Min(interval->to, kept_moved(END_TIMESTAMP / 2, -shift) - 1);
	return at >= interval->from && at <= interval->to;
}

/*
 * True if a time is so far from the value that a step compares it with that no zone can bring it to the other side;
 * then the transitions of zones do not cut its interval.  The times that are near, and those at which movers could
 * fail, have intervals of their own.
 */
static bool
is_far(const Step *step, int64 at, KeptInterval *interval)
{
	int64 value = step->grid.origin, reach = 0, shifts = 0;

	for (const Mover *mover = step->mover; mover < step->mover + step->movers; mover++)
	{
		reach += mover->letter == '+' ? 0 : MOST_OFFSET;
		value = kept_moved(value, mover->letter == '+' ? -mover->shift : 0);
		shifts = kept_moved(shifts, mover->letter == '+' ? Abs(mover->shift) : 0);
	}
	if (step->grid.letter != 'c' || reach == 0 || shifts > MOST_SHIFT)
		return false;
	for (int e = 0; e < 4; e++)
	{
		const int64 edges[] = {MIN_TIMESTAMP / 2, kept_moved(value, -reach), kept_moved(value, reach),
							   END_TIMESTAMP / 4};
		int64		edge = Min(Max(edges[e], edges[0]), edges[3]);

		if (at < edge)
		{
			interval->to = Min(interval->to, edge - 1);
			return e == 1 || e == 3;
		}
		interval->from = Max(interval->from, edge);
	}
	return false;
}

/* Cuts an interval of microseconds to what a step lets be one, around a time.  False: the step cannot be followed. */
static bool
cut_by_step(const KeptCalendar *calendar, Step *step, int64 at, KeptInterval *interval)
{
	KeptInterval grid;
	int64		 shift = 0;

	if (is_far(step, at, interval))
		return true;
	for (Mover *mover = step->mover; mover < step->mover + step->movers; mover++)
	{
		if (!cut_to_times(calendar, at, shift, interval))
			return false;
		if (mover->letter != '+' && (at + shift < mover->piece.from || at + shift > mover->piece.to) &&
			!set_piece(mover, at + shift))
			return false;
		if (mover->letter != '+')
		{
			interval->from = Max(interval->from, mover->piece.from - shift);
			interval->to = Min(interval->to, mover->piece.to - shift);
		}
		shift = kept_moved(shift, mover->shift);
	}
	if (!cut_to_times(calendar, at, shift, interval))
		return false;
	grid = kept_grid_interval(&step->grid, at + shift, calendar->memory);
	interval->from = Max(interval->from, kept_moved(grid.from, -shift));
	interval->to = Min(interval->to, kept_moved(grid.to, -shift));
	return true;
}

const KeptInterval *
kept_calendar_interval(KeptCalendar *calendar, int64 number)
{
	KeptInterval interval = {PG_INT64_MIN, PG_INT64_MAX};
	int64		 unit = Max(calendar->unit, 1), at = 0;
	bool		 follows = calendar->follows && (calendar->steps == 0 || !pg_mul_s64_overflow(number, unit, &at)) &&
				   (calendar->steps == 0 || cut_to_times(calendar, at, 0, &interval));

	if (number >= calendar->known.from && number <= calendar->known.to)
		return &calendar->known;
	for (int s = 0; s < calendar->steps && follows; s++)
		follows = cut_by_step(calendar, &calendar->step[s], at, &interval);
	/* the days of which some microseconds lie outside end the interval */
	if (interval.from != PG_INT64_MIN)
		interval.from = -kept_multiple_below(-interval.from, unit) / unit;
	if (interval.to != PG_INT64_MAX)
		interval.to = kept_multiple_below(interval.to + 1, unit) / unit - 1;
	calendar->known = follows ? interval : (KeptInterval){number, number};
	return &calendar->known;
}
