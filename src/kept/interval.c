/*
 * interval.c: the intervals of the first key that the nodes of a kept scan's tree stand for.
 *
 * All intervals of a level have one width, and each level's divides the next one's.  Bucket 0 begins at the number 0,
 * which is 2000-01-01 00:00 UTC for times.  A kept scan's level 0 has the width with the number Kept.smallest in a
 * list.
 *
 * Times have the widths of the calendar, so that the hours and days that queries ask for begin and end where nodes do,
 * in all time zones at a quarter of an hour: no row of the table is read for them.  Rejected: powers of four for times,
 * too.  No node ends at midnight, and reading the rows around both ends of each day took 90 percent of the time of a
 * query by days.
 */
#include "postgres.h"

#include "common/int.h"

#include "kept/store.h"

#define SECONDS(n) ((n) *USECS_PER_SEC)
#define DAYS(n) ((n) *USECS_PER_DAY)

/* clang-format off */
const int64 kept_calendar[KEPT_CALENDAR_WIDTHS] = {
	1, 4, 20, 100, 400, 2000, 10000, 40000, 200000,
	SECONDS(1), SECONDS(5), SECONDS(15), SECONDS(60), SECONDS(300), SECONDS(900), SECONDS(3600), SECONDS(21600),
	DAYS(1), DAYS(4), DAYS(16), DAYS(64), DAYS(256), DAYS(1024), DAYS(4096), DAYS(16384), DAYS(65536), DAYS(262144),
	DAYS(1048576), DAYS(4194304), DAYS(16777216), DAYS(67108864)
};
/* clang-format on */

int64
kept_width(const Kept *kept, int level)
{
	return kept->calendar ? kept_calendar[kept->smallest + level] : INT64CONST(1) << (2 * (kept->smallest + level));
}

int64
kept_interval_start(const Kept *kept, int level, int64 bucket)
{
	int64 start;

	if (!pg_mul_s64_overflow(bucket, kept_width(kept, level), &start))
		return start;
	return bucket < 0 ? PG_INT64_MIN : PG_INT64_MAX;
}

int64
kept_interval_end(const Kept *kept, int level, int64 bucket)
{
	/* the intervals are symmetric around the place between -1 and 0, where a number n is mirrored to ~n = -1 - n */
	return ~kept_interval_start(kept, level, ~bucket);
}

int
kept_children(const Kept *kept, int level)
{
	return (int) (kept_width(kept, level) / kept_width(kept, level - 1));
}
