/*
 * presorted.h: divides input that is in order by the first keys of the window into chunks, which are sorted one by one.
 */
#ifndef SCAN_NODE_INPUT_PRESORTED_H
#define SCAN_NODE_INPUT_PRESORTED_H

#include "postgres.h"

#include "column/rows.h"
#include "node/input/pull.h"
#include "node/input/row_source.h"
#include "node/input/window_keys.h"

typedef struct Presorted
{
	int			  prefix; /* the child's rows are in order by so many first keys; 0: there are no chunks */
	Pull		 *pull;
	WindowKeys	 *keys;
	MemoryContext scratch; /* of comparisons */

	/* running */
	int64 target;	   /* rows after which the chunk ends with a group: few at first, for an early stop */
	int64 rows;		   /* of the chunk, so far */
	Rows *held;		   /* rows that were pulled, and are of later chunks; NULL: none were yet */
	Rows *edge;		   /* the row whose group ends the chunk, if it lies before the rows pulled last; else no row */
	bool  chunk_ended; /* all rows of the chunk have been appended */
	bool  child_ended; /* the child has no more rows */
} Presorted;

/* Begins with rows of `pull` that are in order by the first `prefix` keys, rows that are equal in them lie together. */
extern void presorted_begin(Presorted *presorted, Pull *pull, WindowKeys *keys, int prefix);

/* Begins the next chunk; false: there are no more rows. */
extern bool presorted_next(Presorted *presorted);

/* Returns the source of the rows of a chunk. */
extern RowSource presorted_rows(Presorted *presorted);

/* Forgets all rows, and begins again. */
extern void presorted_rewind(Presorted *presorted);

#endif /* SCAN_NODE_INPUT_PRESORTED_H */
