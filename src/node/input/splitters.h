/*
 * splitters.h: divides rows into ranges of the window order at some of the rows, the splitters.
 *
 * order_ranges.c divides the rows of several processes so, and spilled_ranges.c those beyond memory.  Splitters are
 * quantiles of samples (sample sort: Frazer and McKellar, 1970).  A row finds its range by a number of its first key;
 * keys are compared only where that number is a splitter's, too.
 */
#ifndef SCAN_NODE_INPUT_SPLITTERS_H
#define SCAN_NODE_INPUT_SPLITTERS_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/window_keys.h"
#include "sort/bit_pack.h"

typedef struct Splitters
{
	/* filled in by the caller */
	const WindowKeys *keys;		/* with their comparisons */
	int				  compared; /* number of first keys that tell ranges apart: rows equal in them are in one range */
	Rows			 *rows;		/* the row at which each range but the first begins; there are none yet */

	/* by splitters_find() */
	PackKind kind; /* of the numbers of the first key */
	bool	 descending;
	uint64	*number; /* of each splitter's first key */
} Splitters;

/* Picks the rows that divide the samples into `ranges` ranges of equal length, as far as equal rows let them. */
extern void splitters_find(Splitters *splitters, Rows *samples, int ranges);

/* Computes a number of the first key of n rows.  A row that comes earlier never has a greater number. */
extern void splitters_number_rows(const Splitters *splitters, const Rows *rows, int64 from, int64 n, uint64 *number);

/* Drops splitters that are equal to the splitter before: every range but the first has a row then. */
extern void splitters_drop_equal(Splitters *splitters);

/* Returns the range of a row, counted from 0; `number`: its first key's. */
extern uint32 splitters_range_of(const Splitters *splitters, const Rows *rows, int64 row, uint64 number);

extern void splitters_free(Splitters *splitters);

#endif /* SCAN_NODE_INPUT_SPLITTERS_H */
