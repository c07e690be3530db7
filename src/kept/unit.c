/*
 * unit.c: the grids of units of time, as of date_trunc() and extract(), and of formats of to_char().
 *
 * step.c asks whether a unit in a query has a grid, and calendar.c for the grid when the query runs.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "utils/formatting.h"

#include "compat.h"
#include "kept/reading.h"

/* Sets the grid of date_trunc() and extract().  A field that repeats, such as the hour, has the grid of its unit. */
static bool
set_unit(KeptGrid *grid, const char *unit)
{
	static const struct
	{
		const char *name;
		char		letter;
		int64		width;
	} units[] = {{"minute", 'w', USECS_PER_MINUTE},
				 {"hour", 'w', USECS_PER_HOUR},
				 {"day", 'w', USECS_PER_DAY},
				 {"dow", 'w', USECS_PER_DAY},
				 {"isodow", 'w', USECS_PER_DAY},
				 {"doy", 'w', USECS_PER_DAY},
				 {"week", 'w', 7 * USECS_PER_DAY},
				 {"isoyear", 'w', 7 * USECS_PER_DAY},
				 {"month", 'm', 1},
				 {"quarter", 'm', 3},
				 {"year", 'm', 12},
				 {"decade", 'm', 12},
				 {"century", 'm', 12},
				 {"millennium", 'm', 12}};

	for (int i = 0; i < lengthof(units); i++)
		if (pg_strcasecmp(unit, units[i].name) == 0)
		{
			grid->letter = units[i].letter;
			grid->width = units[i].width;
			/* weeks begin on Monday; 2000-01-01 was a Saturday */
			grid->origin = grid->width == 7 * USECS_PER_DAY ? 2 * USECS_PER_DAY : 0;
			return true;
		}
	return false;
}

/* Sets the grid of to_char(): that of the finest pattern that the format may have. */
static bool
set_format(KeptGrid *grid, const char *format)
{
	static const struct
	{
		const char *pattern;
		const char *unit; /* NULL: seconds and names of zones have no grid here */
	} patterns[] = {{"SS", NULL},	 {"MS", NULL},	   {"US", NULL},   {"FF", NULL},   {"TZ", NULL},
					{"OF", NULL},	 {"MI", "minute"}, {"HH", "hour"}, {"AM", "hour"}, {"PM", "hour"},
					{".M.", "hour"}, {"D", "day"},	   {"W", "day"},   {"J", "day"},   {"I", "day"}};
	char	   *upper = asc_toupper(format, strlen(format));
	const char *unit = "month";

	for (int i = lengthof(patterns) - 1; i >= 0; i--)
		if (strstr(upper, patterns[i].pattern) != NULL)
			unit = patterns[i].unit;
	return unit != NULL && set_unit(grid, unit);
}

bool
kept_unit_grid(char letter, const char *text, KeptGrid *grid)
{
	return letter == 't' ? set_unit(grid, text) : set_format(grid, text);
}

double
kept_unit_length(char letter, const char *text)
{
	KeptGrid grid;

	if (!kept_unit_grid(letter, text, &grid))
		return 0;
	return (double) grid.width * (grid.letter == 'm' ? 30 * USECS_PER_DAY : 1);
}
