/*
 * stretch.h: long loops in stretches, between which a cancel is seen.
 *
 * A block of rows may be the whole table, an array a gigabyte.  A loop over so many is cut
 * into stretches of some milliseconds at most, page faults and cache misses included, so
 * that its own body stays as the compiler likes it: a look at every row keeps it from
 * using vector instructions.
 */
#ifndef SCAN_COLUMN_STRETCH_H
#define SCAN_COLUMN_STRETCH_H

#include "postgres.h"

#include "miscadmin.h"

#include "column/file_map.h"

#define STRETCH_ROWS 65536
#define STRETCH_BYTES (8 * 1024 * 1024)

/* What plain C that may not know PostgreSQL is given to look for interrupts by. */
static inline void
stretch_tick(void)
{
	CHECK_FOR_INTERRUPTS();
}

/* Between two stretches of so many rows, or of as many bytes as these may have. */
static inline void
stretch_pause(int64 rows)
{
	CHECK_FOR_INTERRUPTS();
	if (unlikely(file_map_total > 0))
		file_map_looked_at(rows);
}

/* Looks for interrupts, and says up to where to go without another look. */
static inline int64
stretch_end(int64 from, int64 end)
{
	int64 stop = end - from > STRETCH_ROWS ? from + STRETCH_ROWS : end;

	stretch_pause(stop - from);
	return stop;
}

/* The same in a loop that looks at every row. */
static inline void
stretch_row(int64 i)
{
	CHECK_FOR_INTERRUPTS();
	if (i % STRETCH_ROWS == STRETCH_ROWS - 1)
		stretch_pause(STRETCH_ROWS);
}

/*
 * A loop over i from `from` to `end` - 1, in stretches.  `i` is its own; what stands in it
 * may return, but `break` would leave a stretch only.
 */
#define FOR_INTERRUPTIBLE(i, from, end)                 \
	for (int64 i = (from), i##_stretch = i; i < (end);) \
		for (i##_stretch = stretch_end(i, end); i < i##_stretch; i++)

/* memcpy() of much. */
static inline void
stretch_copy(void *to, const void *from, Size size)
{
	for (Size at = 0; at < size; at += STRETCH_BYTES)
	{
		stretch_pause(STRETCH_ROWS);
		memcpy((char *) to + at, (const char *) from + at, Min(size - at, STRETCH_BYTES));
	}
}

/* memset() of much. */
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
