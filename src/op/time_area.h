/*
 * time_area.h: the exact area under values at points in time, and its average over that time.
 *
 * The aggregate time_average and the plan node compute their results from it.  Rows come in order of time.  Between two
 * rows, the value is the line through both ('linear'), or that of the earlier row ('previous'): time_area_step() adds a
 * step, however long it is.  The state is the first row, the last row and the area between them, an integer; so two
 * states of which one ends before the other begins join to one, and the first row can be taken out by whoever knows the
 * second.
 *
 * A time is an int64 (microseconds, days, or a user's own numbers) or a double.  Its unit cancels out in an average.
 */
#ifndef SCAN_OP_TIME_AREA_H
#define SCAN_OP_TIME_AREA_H

#include "op/moments.h"
#include "op/ratio.h"

/* A row.  The double of a time that is one is in `at` as its bits. */
typedef struct TimedPoint
{
	double	value;
	int64_t at;
} TimedPoint;

/* What a state is of: a set of bits. */
enum
{
	TIME_AREA_PREVIOUS = 1, /* the value holds until the next row; else it goes to the next row's in a line */
	TIME_AREA_DOUBLES = 2,	/* times are doubles */
	TIME_AREA_FLAGS = 4,	/* all sets of these bits are below */
};

/* A state of zero bytes has no rows. */
typedef struct TimeArea
{
	int64_t	   rows;
	int64_t	   flags; /* set by the owner before the first row */
	TimedPoint first, last;
	Specials   specials; /* the steps between two rows, of another time, whose area is not finite */
	/* of the other steps; of lines, twice the area; in units of 2^-2148, or of 2^-1074 for times that are int64 */
	LongSum area;
} TimeArea;

/* True if time a lies before time b. */
SCAN_FN bool
time_is_before(int64_t flags, int64_t a, int64_t b)
{
	return (flags & TIME_AREA_DOUBLES) != 0 ? double_from_bits((uint64_t) a) < double_from_bits((uint64_t) b) : a < b;
}

/*
 * True if a state from elsewhere can be computed with: its flags are known, and its last row does not lie before its
 * first one.  Of times that are doubles, that includes that both are finite.
 */
SCAN_FN bool
time_area_is_sound(const TimeArea *a)
{
	double first = double_from_bits((uint64_t) a->first.at), last = double_from_bits((uint64_t) a->last.at);

	if (a->rows < 0 || a->flags < 0 || a->flags >= TIME_AREA_FLAGS)
		return false;
	return (a->flags & TIME_AREA_DOUBLES) != 0 ? isfinite(first) && isfinite(last) && first <= last
											   : a->first.at <= a->last.at;
}

/* area += (negative ? -1 : 1) * value * (to - from), for a finite value and from <= to */
SCAN_FN void
time_area_add(TimeArea *a, ScanMemory *memory, double value, int64_t from, int64_t to, bool negative)
{
	int		 place, from_place, to_place;
	bool	 is_negative, from_negative, to_negative;
	uint64_t mantissa = double_split(value, &place, &is_negative), from_mantissa, to_mantissa;

	if (mantissa == 0)
		return;
	negative = negative != is_negative;
	if ((a->flags & TIME_AREA_DOUBLES) == 0)
	{
		long_sum_add_wide(&a->area, memory, (scan_uint128) mantissa * ((uint64_t) to - (uint64_t) from), place,
						  negative);
		return;
	}
	/* the difference of two doubles need not be one */
	from_mantissa = double_split(double_from_bits((uint64_t) from), &from_place, &from_negative);
	to_mantissa = double_split(double_from_bits((uint64_t) to), &to_place, &to_negative);
	if (to_mantissa != 0)
		long_sum_add_wide(&a->area, memory, (scan_uint128) mantissa * to_mantissa, place + to_place,
						  negative != to_negative);
	if (from_mantissa != 0)
		long_sum_add_wide(&a->area, memory, (scan_uint128) mantissa * from_mantissa, place + from_place,
						  negative == from_negative);
}

/*
 * Adds the area between two rows that follow each other, or removes it if `leaves`.  Between rows of one time there is
 * none, whatever their values are.
 */
SCAN_FN void
time_area_step(TimeArea *a, ScanMemory *memory, const TimedPoint *from, const TimedPoint *to, bool leaves)
{
	bool   is_line = (a->flags & TIME_AREA_PREVIOUS) == 0;
	double special;

	if (!time_is_before(a->flags, from->at, to->at))
		return;
	if (SCAN_LIKELY(isfinite(from->value) && (!is_line || isfinite(to->value))))
	{
		time_area_add(a, memory, from->value, from->at, to->at, leaves);
		if (is_line)
			time_area_add(a, memory, to->value, from->at, to->at, leaves);
		return;
	}
	special = isfinite(from->value) ? to->value : from->value;
	if (is_line && !isfinite(from->value) && !isfinite(to->value))
		special += to->value;
	specials_take(&a->specials, special, leaves ? -1 : 1);
}

/* Adds a row.  Returns SCAN_RUNS_BACKWARDS, and changes nothing, if its time lies before the last row's. */
SCAN_FN ScanStatus
time_area_take(TimeArea *a, ScanMemory *memory, const TimedPoint *row)
{
	if (a->rows == 0)
		a->first = *row;
	else if (time_is_before(a->flags, row->at, a->last.at))
		return SCAN_RUNS_BACKWARDS;
	else
		time_area_step(a, memory, &a->last, row, false);
	a->last = *row;
	a->rows++;
	return SCAN_OK;
}

/* Removes the first row.  `second` is the row after it; it is not read if there is one row only. */
SCAN_FN void
time_area_remove(TimeArea *a, ScanMemory *memory, const TimedPoint *second)
{
	if (--a->rows == 0)
		return;
	time_area_step(a, memory, &a->first, second, true);
	a->first = *second;
}

/*
 * left := the rows of both, which have the same flags.  Returns SCAN_RUNS_BACKWARDS, with `left` as it was, if neither
 * ends before the other begins, or at the same time.
 */
SCAN_FN ScanStatus
time_area_join(TimeArea *left, ScanMemory *memory, const TimeArea *right)
{
	if (right->rows == 0)
		return SCAN_OK;
	if (left->rows == 0)
	{
		left->first = right->first;
		left->last = right->last;
	}
	else if (!time_is_before(left->flags, right->first.at, left->last.at))
	{
		time_area_step(left, memory, &left->last, &right->first, false);
		left->last = right->last;
	}
	else if (!time_is_before(left->flags, left->first.at, right->last.at))
	{
		time_area_step(left, memory, &right->last, &left->first, false);
		left->first = right->first;
	}
	else
		return SCAN_RUNS_BACKWARDS;
	left->rows += right->rows;
	(void) specials_join(&left->specials, &right->specials);
	long_sum_join(&left->area, memory, &right->area);
	return SCAN_OK;
}

/* duration := the time from the first row to the last one; of lines, twice that.  `limb` has EXACT_LIMBS_N. */
SCAN_FN void
time_area_duration(const TimeArea *a, uint64_t *limb, Long *duration)
{
	duration->limb = limb;
	if ((a->flags & TIME_AREA_DOUBLES) != 0)
	{
		memset(limb, 0, EXACT_LIMBS_N * sizeof(uint64_t));
		limbs_add_double(limb, EXACT_LIMBS_N, double_from_bits((uint64_t) a->last.at));
		limbs_add_double(limb, EXACT_LIMBS_N, -double_from_bits((uint64_t) a->first.at));
		duration->n = EXACT_LIMBS_N;
		duration->lsb = EXACT_LSB;
		long_settle(duration);
	}
	else
	{
		limb[0] = (uint64_t) a->last.at - (uint64_t) a->first.at;
		duration->n = limb[0] != 0;
		duration->lsb = 0;
		duration->negative = false;
	}
	if ((a->flags & TIME_AREA_PREVIOUS) == 0)
		duration->lsb++;
}

/*
 * Returns the area of values that are 0 or 1, with TIME_AREA_PREVIOUS, over times that are int64: a whole number of at
 * most last.at - first.at.
 */
SCAN_FN uint64_t
time_area_whole(const TimeArea *a)
{
	uint64_t limb[LONG_SUM_LIMBS];
	Long	 area;
	int		 at, shift;

	long_sum_read(&a->area, EXACT_LSB, limb, &area);
	at = -area.lsb / 64;
	shift = -area.lsb % 64;
	if (at >= area.n || area.lsb > 0)
		return area.n > 0 && area.lsb > 0 && area.lsb < 64 ? area.limb[0] << area.lsb : 0;
	return area.limb[at] >> shift | (shift > 0 && at + 1 < area.n ? area.limb[at + 1] << (64 - shift) : 0);
}

/* Returns the area, with TIME_AREA_PREVIOUS, over times that are doubles, rounded once; infinite beyond the doubles. */
SCAN_FN double
time_area_round(const TimeArea *a)
{
	uint64_t limb[LONG_SUM_LIMBS], one_limb = 1;
	Long	 area, one = {&one_limb, 1, 0, false};

	long_sum_read(&a->area, SQUARE_LSB, limb, &area);
	return area.n == 0 ? 0.0 : long_ratio_round(&area, &one);
}

/* *area := the area of the steps that are finite; of lines, twice the area.  `limb` has LONG_SUM_LIMBS. */
SCAN_FN void
time_area_read(const TimeArea *a, uint64_t *limb, Long *area)
{
	long_sum_read(&a->area, (a->flags & TIME_AREA_DOUBLES) != 0 ? SQUARE_LSB : EXACT_LSB, limb, area);
}

/*
 * *y := the average over time, rounded once; of rows that all have one time, the last value.  It lies
 * between the values, so it is never out of range.
 */
SCAN_FN ScanStatus
time_area_average(const TimeArea *a, double *y)
{
	uint64_t limb[LONG_SUM_LIMBS], duration_limb[EXACT_LIMBS_N];
	Long	 area, duration;
	uint8_t	 special = specials_flags(&a->specials);

	if (a->rows == 0)
		return SCAN_NULL;
	if (!time_is_before(a->flags, a->first.at, a->last.at))
		*y = a->last.value;
	else if (special != 0)
		*y = exact_special_value(special);
	else
	{
		time_area_duration(a, duration_limb, &duration);
		time_area_read(a, limb, &area);
		*y = long_ratio_round(&area, &duration);
	}
	return SCAN_OK;
}

/* ---- the state: the lists that op/exact_statistics.h explains ---- */

/* clang-format off */

#define EXACT_PARTS_OF_TIMES(NUMBERS, SUM) \
	NUMBERS(area.rows, 2, OTHERS) NUMBERS(area.specials, 3, SPECIALS) NUMBERS(area.first, 4, OTHERS) \
	SUM(area.area, LONG_SUM_LIMBS)
#define EXACT_SOUND_OF_TIMES(c) time_area_is_sound(c)
/* rows come in order, so functions/aggregate/time_average.c and aggregate/time_ops.c have functions of their own */
#define EXACT_JOIN_OF_TIMES(X)
#define EXACT_GROUPS_OF_TIMES(X)

/* clang-format on */

#endif /* SCAN_OP_TIME_AREA_H */
