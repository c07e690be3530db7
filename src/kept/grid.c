/*
 * grid.c: the intervals of a grid.
 *
 * A step of a query lets a grid through: minutes, months, quotients of seconds, or the two sides of a value. calendar.c
 * asks for the interval around a number of the first key once movers have shifted it, and shifts the interval back.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "kept/reading.h"

/* Returns floor(extract(epoch FROM at) / c) as core does: the quotient is rounded, so it may be next to the exact one.
 */
static int64
quotient(const KeptGrid *grid, int64 at, MemoryContext memory)
{
	MemoryContext old = MemoryContextSwitchTo(memory);
	Datum		  exact = DirectFunctionCall2(
				numeric_div, DirectFunctionCall2(extract_timestamp, CStringGetTextDatum("epoch"), Int64GetDatum(at)),
				grid->divisor);
	int64 result = DatumGetInt64(DirectFunctionCall1(numeric_int8, DirectFunctionCall1(numeric_floor, exact)));

	MemoryContextSwitchTo(old);
	MemoryContextReset(memory);
	return result;
}

/* Returns the first time with a quotient, or with a greater one; it is near a guess. */
static int64
first_of_quotient(const KeptGrid *grid, int64 wanted, int64 guess, MemoryContext memory)
{
	int64 low = guess, high = guess;

	for (int64 stride = 1; quotient(grid, low, memory) >= wanted; stride *= 2)
	{
		high = low;
		low -= stride;
	}
	for (int64 stride = 1; quotient(grid, high, memory) < wanted; stride *= 2)
	{
		low = high;
		high += stride;
	}
	while (high - low > 1)
	{
		int64 middle = low + (high - low) / 2;

		if (quotient(grid, middle, memory) >= wanted)
			high = middle;
		else
			low = middle;
	}
	return high;
}

/* Returns the interval of quotients that are equal. */
static KeptInterval
quotient_interval(const KeptGrid *grid, int64 at, MemoryContext memory)
{
	int64  value = quotient(grid, at, memory);
	double width = DatumGetFloat8(DirectFunctionCall1(numeric_float8, grid->divisor)) * USECS_PER_SEC;
	int64  origin = -KEPT_UNIX_SECONDS * USECS_PER_SEC;

	return (KeptInterval){first_of_quotient(grid, value, origin + (int64) (value * width), memory),
						  first_of_quotient(grid, value + 1, origin + (int64) ((value + 1) * width), memory) - 1};
}

/* Returns the interval of so many months, counted from the year 0. */
static KeptInterval
months_interval(int64 at, int months)
{
	struct pg_tm tm;
	fsec_t		 fraction;
	int64		 edge[2], first;

	if (timestamp2tm(at, NULL, &tm, &fraction, NULL, NULL) != 0)
		return (KeptInterval){at, at};
	first = kept_multiple_below(tm.tm_year * MONTHS_PER_YEAR + tm.tm_mon - 1, months);
	for (int i = 0; i < 2; i++)
	{
		int64 month = first + i * months, year = kept_multiple_below(month, MONTHS_PER_YEAR) / MONTHS_PER_YEAR;

		edge[i] = (date2j((int) year, (int) (month - year * MONTHS_PER_YEAR) + 1, 1) - POSTGRES_EPOCH_JDATE) *
				  USECS_PER_DAY;
	}
	return (KeptInterval){edge[0], edge[1] - 1};
}

KeptInterval
kept_grid_interval(const KeptGrid *grid, int64 at, MemoryContext memory)
{
	int64 first, origin = grid->origin;
	bool  apart;

	switch (grid->letter)
	{
		case 'm':
			return months_interval(at, (int) grid->width);
		case 'e':
			return quotient_interval(grid, at, memory);
		case 'c':
			return (KeptInterval){at > origin	 ? origin + 1
								  : at == origin ? at
												 : PG_INT64_MIN,
								  at < origin	 ? origin - 1
								  : at == origin ? at
												 : PG_INT64_MAX};
		case '/': /* towards 0 */
			first = at / grid->width * grid->width;
			return at >= 0 ? (KeptInterval){first, kept_moved(first, grid->width - 1)}
						   : (KeptInterval){kept_moved(first, 1 - grid->width), Min(first, -1)};
		default:
			origin %= grid->width;
			first = kept_multiple_below(at - origin, grid->width) + origin;
			/* before 15.7, core's date_bin() puts the first time of a bin before its origin into the bin below */
			apart = grid->letter == 'b' && first < grid->origin;
			return (KeptInterval){first + (apart && at > first),
								  apart && at == first ? at : kept_moved(first, grid->width - 1)};
	}
}
