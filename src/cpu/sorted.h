/*
 * sorted.h: scans over rows that stay where they lie, in an order that sorted words say.
 *
 * PrefixScan keeps the rows of its input as they came, in columns, and sorts words: the bits of a row's keys
 * above the row's number.  A scan over the rows in that order needs their values one after the other.  Here they
 * are gathered, for whoever runs the scan: a device, which gets them with the keys (device/sort_scan.c), or the
 * CPU, piece by piece, where no device does (run_sort.c).
 *
 * Plain C over plain arrays, as all of cpu/.
 */
#ifndef SCAN_CPU_SORTED_H
#define SCAN_CPU_SORTED_H

#include "cpu/cpu.h"

/* A column of rows that have not moved. */
typedef struct SortedColumn
{
	const char	  *value;  /* the value of row r begins r * stride bytes on, */
	int			   stride; /* or, with an arena, its offset there does: a uint64 */
	int			   width;  /* bytes of a value */
	const char	  *arena;  /* NULL: the values are passed as they are */
	const uint8_t *nulls;  /* a bit a row, 1 = NULL; NULL pointer: no NULLs */
} SortedColumn;

/* A scan over them.  Columns are numbers in SortedScans.column. */
typedef struct SortedScan
{
	ScanJob job;	 /* op, param, extent and carry; the answers, in sorted order */
	int		in;		 /* the values; -1: true in every row */
	int		in2;	 /* those of the second column; -1: the op has none */
	int		filter;	 /* booleans: a row goes in where it is true; -1: every row does */
	int		present; /* of any type: a row goes in where it is not NULL; -1: every row does */
	double	cpu_ns;	 /* what a row takes on the CPU; 0: what was measured */
	bool	left;	 /* it has no answers, or not all: whoever sorted has left it */

	/*
	 * For frames that move and have at most `tile` rows: the scan begins anew with each tile (op/moving_tile.h) of a
	 * job's rows; 0: there are none.  `back`: it goes from the last row of each to the first; the answers lie in sorted
	 * order all the same.  `tiles` gets a bit for the first row of each but where a partition begins with it.
	 */
	int64_t	 tile;
	bool	 back;
	uint8_t *tiles; /* all clear; NULL: they are not asked for */
} SortedScan;

typedef struct SortedScans
{
	int			  columns;
	SortedColumn *column;
	int			  scans;
	SortedScan	 *scan;
} SortedScans;

/* What words say of their rows. */
typedef struct SortedWords
{
	uint64_t row_mask;	/* the bits that are a row's number */
	int		 partition; /* words of one partition are equal from this bit on; 64: there is but one */
} SortedWords;

/* Room for the columns of a piece of a scan, for so many rows as the caller likes. */
typedef struct SortedRoom
{
	void	*in, *in2;
	uint8_t *valid, *heads;
	uint8_t *out_valid;
} SortedRoom;

/* The partition that a word's row is in, as a number that grows with the order. */
static inline uint64_t
sorted_partition(const SortedWords *words, uint64_t word)
{
	return words->partition == 64 ? 0 : word >> words->partition;
}

/* Whether some row may be left out of the scan: by a NULL, or by the filter. */
extern bool sorted_has_gaps(const SortedScans *scans, const SortedScan *scan);

/*
 * The values of n rows, one after the other: of the rows that words name, or, where `word` is NULL, of the first n
 * rows.  Those of NULLs mean nothing.  Column -1 has true in every row.
 */
extern void sorted_values(const SortedScans *scans, int column, const uint64_t *word, uint64_t row_mask, int64_t n,
						  void *to);

/* A bit for each of these rows: whether it goes in. */
extern void sorted_valid(const SortedScans *scans, const SortedScan *scan, const uint64_t *word, uint64_t row_mask,
						 int64_t n, uint8_t *to);

/*
 * The rows of sorted words from `from` on, n of them, as a job that is to be run.  Its columns lie in `room`, and
 * so do the marks of its NULL answers, since rows may begin at any bit of a byte; the carry is that of scan->job, and
 * the answers go to their places there.
 */
extern ScanJob sorted_piece(const SortedScans *scans, const SortedScan *scan, const SortedWords *words,
							const uint64_t *word, int64_t from, int64_t n, const SortedRoom *room);

/* Puts the first n bits of `bits` to the places from `from` on. */
extern void sorted_put_bits(uint8_t *to, int64_t from, const uint8_t *bits, int64_t n);

#endif /* SCAN_CPU_SORTED_H */
