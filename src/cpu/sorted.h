/*
 * sorted.h: scans over rows that are not moved, in the order of sorted words.
 *
 * Called by the device's client (device/sort_scan.c), which sends the rows of scans to a device
 * together with their sort keys; the plan node describes the scans.  PrefixScan keeps the rows of
 * its input in columns, in the order of arrival, and sorts words: a row's keys in the high bits,
 * the row's number in the low bits.  A scan in that order needs the values one after the other, so
 * the functions here gather them.
 *
 * Plain C over plain arrays, as all of cpu/.
 */
#ifndef SCAN_CPU_SORTED_H
#define SCAN_CPU_SORTED_H

#include "cpu/cpu.h"

/* A column whose rows are in the order of arrival. */
typedef struct SortedColumn
{
	const char	  *value;  /* that of row r from r * stride on */
	int			   stride; /* bytes from one row to the next */
	int			   width;  /* bytes of a value; 0: only the NULL bitmap may be read */
	const uint8_t *nulls;  /* a bit a row, 1 = NULL; NULL pointer: no NULLs */
} SortedColumn;

/* A scan over such columns.  A column is an index into SortedScans.column. */
typedef struct SortedScan
{
	ScanJob job;	 /* op, param, extent and carry; the answers, in sorted order */
	int		in;		 /* column of the values; -1: true in every row */
	int		in2;	 /* column of the second values; -1: the op has no second column */
	int		filter;	 /* column of booleans: only rows with true go in; -1: every row */
	int		present; /* column of any type: only rows that are not NULL go in; -1: every row */
	double	cpu_ns;	 /* ns a row takes on the CPU; 0: use the measured time */
	bool	left;	 /* true if the device did not answer all rows */

	/*
	 * For sliding frames of at most `tile` rows.  The scan begins anew every `tile` rows of a job
	 * (op/moving_tile.h); 0: it does not.  `back`: it runs from each tile's last row to the first;
	 * its answers are in sorted order all the same.
	 */
	int64_t tile;
	bool	back;
	/*
	 * All clear at first: gets a bit for each row at which the scan began anew.  A partition's
	 * first row needs no bit.  NULL: nobody asks for the bits.
	 */
	uint8_t *tiles;
} SortedScan;

typedef struct SortedScans
{
	int			  columns;
	SortedColumn *column;
	int			  scans;
	SortedScan	 *scan;
} SortedScans;

/* The layout of a word. */
typedef struct SortedWords
{
	uint64_t row_mask;	/* the bits that hold the row's number */
	int		 partition; /* words of one partition are equal from this bit on; 64: there is only one partition */
} SortedWords;

/* Memory for the columns of a piece of a scan; the caller chooses for how many rows. */
typedef struct SortedRoom
{
	void	*in, *in2;
	uint8_t *valid, *heads;
	uint8_t *out_valid;
} SortedRoom;

/* Returns the partition of a word's row, as a number that never falls in sorted order. */
static inline uint64_t
sorted_partition(const SortedWords *words, uint64_t word)
{
	return words->partition == 64 ? 0 : word >> words->partition;
}

/* True if the scan may leave some row out, for a NULL or by the filter. */
extern bool sorted_has_gaps(const SortedScans *scans, const SortedScan *scan);

/*
 * Gathers n values into `to`: those of the rows that words name, or of the first n rows if `word`
 * is NULL.  The values of NULLs are undefined.  Column -1 is true in every row.
 */
extern void sorted_values(const SortedScans *scans, int column, const uint64_t *word, uint64_t row_mask, int64_t n,
						  void *to);

/* Sets a bit in `to` for each of n rows that goes into the scan, and clears it for the others. */
extern void sorted_valid(const SortedScans *scans, const SortedScan *scan, const uint64_t *word, uint64_t row_mask,
						 int64_t n, uint8_t *to);

/*
 * Returns a job over the rows of n sorted words, the first of which is word[from].  Its columns are
 * in `room`, and so is out_valid, because the rows may begin at any bit of a byte.  The carry and
 * the answers' memory are those of scan->job.  Used to refill a recurrence's unfinished chunk.
 */
extern ScanJob sorted_piece(const SortedScans *scans, const SortedScan *scan, const SortedWords *words,
							const uint64_t *word, int64_t from, int64_t n, const SortedRoom *room);

/* Copies the first n bits of `bits` to bits `from` and following of `to`. */
extern void sorted_put_bits(uint8_t *to, int64_t from, const uint8_t *bits, int64_t n);

#endif /* SCAN_CPU_SORTED_H */
