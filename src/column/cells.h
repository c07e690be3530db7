/*
 * cells.h: copies of rows whose columns lie side by side (RowColumn.beside in rows.h).
 *
 * rows.c calls cells_pick() to move the rows that stay in memory, and rows_serialize.c to collect the rows that go to a
 * file or to another process.  All rows of a Rows take the same few bytes.  There is a loop for each such length up to
 * 32, in which a row is copied by two or three instructions.  Rejected: a loop over the four-byte words of a row, which
 * took 1.7 times as long where rows went to files, and 1.2 times as long where rows stayed.
 */
#ifndef SCAN_COLUMN_CELLS_H
#define SCAN_COLUMN_CELLS_H

#include "postgres.h"

#include "column/column.h"

#define CELLS_PICK(BYTES)                                                          \
	case BYTES:                                                                    \
	{                                                                              \
		typedef struct Cells                                                       \
		{                                                                          \
			int32 part[BYTES / CELL_ALIGNMENT];                                    \
		} Cells;                                                                   \
                                                                                   \
		for (int64 i = 0; i < n; i++)                                              \
			((Cells *) to)[i] = *(const Cells *) (from + which[i] * (Size) BYTES); \
		break;                                                                     \
	}

/*
 * Copies the n rows in `which`, of `stride` bytes each, to `to`, one after the other.  `to` may be a row of `from`: the
 * numbers in `which` must then ascend, and no row is before the one that it is copied to.
 */
static inline void
cells_pick(char *to, const char *from, int stride, const uint32 *which, int64 n)
{
	switch (stride)
	{
		case 0:
			break;
			CELLS_PICK(4)
			CELLS_PICK(8)
			CELLS_PICK(12)
			CELLS_PICK(16)
			CELLS_PICK(20)
			CELLS_PICK(24)
			CELLS_PICK(28)
			CELLS_PICK(32)
		default:
			for (int64 i = 0; i < n; i++)
				memmove(to + i * stride, from + which[i] * (Size) stride, stride);
			break;
	}
}

#undef CELLS_PICK

#endif /* SCAN_COLUMN_CELLS_H */
