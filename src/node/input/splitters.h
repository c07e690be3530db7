/*
 * splitters.h: divides rows into ranges of the window order at some of the rows, the splitters.
 *
 * order_ranges.c divides the rows of several processes so, and spilled_ranges.c those beyond memory.  Splitters are
 * quantiles of samples (sample sort: Frazer and McKellar, 1970).  A row finds its range by a number of its first key,
 * or of its first two if the first one has few values; keys are compared only where that number is a splitter's, too.
 */
#ifndef SCAN_NODE_INPUT_SPLITTERS_H
#define SCAN_NODE_INPUT_SPLITTERS_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"

/*
 * The numbers from the first splitter's to the last one's are divided into slots.  Few slots have more than one
 * splitter, so most rows find their range without a search.
 */
#define SPLITTER_SLOTS 1024

typedef struct Splitters
{
	/* filled in by the caller */
	const WindowKeys *keys;		/* with their comparisons */
	int				  compared; /* number of first keys that tell ranges apart: rows equal in them are in one range */
	Rows			 *rows;		/* the row at which each range but the first begins; there are none yet */

	/* by splitters_find() */
	bool	tells;					  /* rows with the same number are equal in the first key, if neither is NULL */
	uint64	least, most;			  /* numbers of the samples' first keys, without NULLs */
	int		bits;					  /* of most - least, above as many bits of the second key's number; or 0 */
	uint64 *number;					  /* of each splitter, as splitters_numbers() computes it */
	int		shift;					  /* a number x is in slot (x - number[0]) >> shift */
	int		slot[SPLITTER_SLOTS + 1]; /* how many splitters have a number in an earlier slot */
} Splitters;

/* Picks the rows that divide the samples into `ranges` ranges of equal length, as far as equal rows let them. */
extern void splitters_find(Splitters *splitters, Rows *samples, int ranges);

/* Drops splitters that are equal to the splitter before: every range but the first has a row then. */
extern void splitters_drop_equal(Splitters *splitters);

/* Computes the numbers of n rows from row `from` on.  A row that comes earlier never has a greater number. */
extern void splitters_numbers(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint64 *number);

/* Returns the range of a row, counted from 0; `number`: that of the row. */
extern uint32 splitters_range_of(const Splitters *splitters, const Rows *rows, int64 row, uint64 number);

/* Returns in to[] the ranges of n rows from row `from` on; at most SPLITTERS_ROWS rows. */
extern void splitters_ranges(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint32 *to);
#define SPLITTERS_ROWS 4096

extern void splitters_free(Splitters *splitters);

#endif /* SCAN_NODE_INPUT_SPLITTERS_H */
