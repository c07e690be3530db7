/*
 * fused_scan.h: a scan over all rows of a window, that the sort of the rows may run.
 *
 * PrefixScan keeps the rows of its input in columns, in the order of arrival, and sorts words: a row's keys in the high
 * bits, the row's number in the low bits.  A window function that is one scan over the rows describes it here, before
 * the sort, and a WordSorter (sort/radix.h) may run it over the rows in the order of the words.
 *
 * Plain C over plain arrays, as all of cpu/.
 */
#ifndef SCAN_CPU_FUSED_SCAN_H
#define SCAN_CPU_FUSED_SCAN_H

#include "cpu/cpu.h"

/* A column whose rows are in the order of arrival. */
typedef struct FusedColumn
{
	const char	  *value;  /* that of row r from r * stride on */
	int			   stride; /* bytes from one row to the next */
	int			   width;  /* bytes of a value; 0: only the NULL bitmap may be read */
	const uint8_t *nulls;  /* a bit a row, 1 = NULL; NULL pointer: no NULLs */
} FusedColumn;

/* A scan over such columns.  A column is an index into FusedScans.column. */
typedef struct FusedScan
{
	ScanJob job;	 /* op, param, extent and carry; the results, in sorted order */
	int		in;		 /* column of the values; -1: true in every row */
	int		in2;	 /* column of the second values; -1: the op has no second column */
	int		filter;	 /* column of booleans: only rows with true go in; -1: every row */
	int		present; /* column of any type: only rows that are not NULL go in; -1: every row */
	double	cpu_ns;	 /* ns a row takes on the CPU; 0: use the measured time */
	bool	left;	 /* true if the sorter did not scan all rows */

	/*
	 * For sliding frames of at most `tile` rows.  The scan begins anew every `tile` rows, counted from wherever the
	 * sorter begins; 0: it does not.  `back`: it runs from each tile's last row to the first; its results are in sorted
	 * order all the same.
	 */
	int64_t tile;
	bool	back;
	/*
	 * All clear at first: gets a bit for each row at which the scan began anew.  A partition's first row needs no bit.
	 * NULL: nobody asks for the bits.
	 */
	uint8_t *tiles;
} FusedScan;

typedef struct FusedScans
{
	int			 columns;
	FusedColumn *column;
	int			 scans;
	FusedScan	*scan;
} FusedScans;

/* True if the scan may leave some row out, for a NULL or by the filter. */
static inline bool
fused_scan_has_gaps(const FusedScans *scans, const FusedScan *scan)
{
	return scan->filter >= 0 || (scan->in >= 0 && scans->column[scan->in].nulls != NULL) ||
		   (scan->in2 >= 0 && scans->column[scan->in2].nulls != NULL) ||
		   (scan->present >= 0 && scans->column[scan->present].nulls != NULL);
}

#endif /* SCAN_CPU_FUSED_SCAN_H */
