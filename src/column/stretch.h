/*
 * stretch.h: long loops in stretches, with a check for interrupts between two stretches.
 *
 * A block of rows may be a whole table, an array a gigabyte.  A loop over so much is cut into stretches that take some
 * milliseconds at most, page faults and cache misses included.  Rejected: a check at every row, which keeps the
 * compiler from using vector instructions in the loop's body.
 */
#ifndef SCAN_COLUMN_STRETCH_H
#define SCAN_COLUMN_STRETCH_H

#include "postgres.h"

#include "miscadmin.h"

#include "column/memory.h"

#define STRETCH_ROWS 65536
#define STRETCH_BYTES (8 * 1024 * 1024)

/* CHECK_FOR_INTERRUPTS() as a function, for plain C that does not include PostgreSQL. */
static inline void
stretch_tick(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Called between two stretches of `rows` rows each; a stretch of STRETCH_BYTES counts as STRETCH_ROWS. */
static inline void
stretch_pause(int64 rows)
{
	CHECK_FOR_INTERRUPTS();
	if (unlikely(file_map_total > 0))
		file_map_looked_at(rows);
}

/* Checks for interrupts, and returns where the next check is due. */
static inline int64
stretch_end(int64 from, int64 end)
{
	int64 stop = end - from > STRETCH_ROWS ? from + STRETCH_ROWS : end;

	stretch_pause(stop - from);
	return stop;
}

/* The same for a loop that checks at every row. */
static inline void
stretch_row(int64 i)
{
	CHECK_FOR_INTERRUPTS();
	if (i % STRETCH_ROWS == STRETCH_ROWS - 1)
		stretch_pause(STRETCH_ROWS);
}

/*
 * A loop over i from `from` to `end` - 1, in stretches.  It declares `i`.  Its body may return; `break` would leave
 * only the stretch.
 */
#define FOR_INTERRUPTIBLE(i, from, end)                 \
	for (int64 i = (from), i##_stretch = i; i < (end);) \
		for (i##_stretch = stretch_end(i, end); i < i##_stretch; i++)

/* memcpy() of many bytes, in stretches. */
static inline void
stretch_copy(void *to, const void *from, Size size)
{
	for (Size at = 0; at < size; at += STRETCH_BYTES)
	{
		stretch_pause(STRETCH_ROWS);
		memcpy((char *) to + at, (const char *) from + at, Min(size - at, STRETCH_BYTES));
	}
}

/* memset() of many bytes, in stretches. */
static inline void
stretch_fill(void *to, int byte, Size size)
{
	for (Size at = 0; at < size; at += STRETCH_BYTES)
	{
		stretch_pause(STRETCH_ROWS);
		memset((char *) to + at, byte, Min(size - at, STRETCH_BYTES));
	}
}

#endif /* SCAN_COLUMN_STRETCH_H */
