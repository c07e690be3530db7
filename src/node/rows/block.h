/*
 * block.h: a block of rows in window order: what eval/ sees of the input.
 */
#ifndef SCAN_NODE_ROWS_BLOCK_H
#define SCAN_NODE_ROWS_BLOCK_H

#include "postgres.h"

#include "column/rows.h"
#include "node/window.h"

/* What a block has at most where input is in order, unless a function prefers more rows or a unit is longer. */
#define BLOCK_MAX_ROWS 1024
#define BLOCK_MAX_BYTES (1024 * 1024) /* of values that are not in their Datums */

/*
 * Rows 0 to n - 1 of `rows`, in which rows of the next block may follow.  A block ends where the
 * functions' lookahead is met: no peer group, or no partition, is cut.  It lives until the
 * reader's next one.
 */
typedef struct Block
{
	int64 n;
	Rows *rows;
	bool *head; /* a bool a row: starts a partition, */
	bool *peer; /* or a peer group */
} Block;

/* The first row from `from` on that starts a unit (a row, a peer group, a partition); `end` if none before does. */
extern int64 block_next_unit(const Block *block, Lookahead unit, int64 from, int64 end);

/*
 * The end of the unit that row i is in: the row after it.  Units of one row, which most peer
 * groups are, are not worth a call.
 */
static inline int64
block_unit_end(const Block *block, Lookahead unit, int64 i)
{
	const bool *mark = unit == LOOKAHEAD_PEERS ? block->peer : block->head;

	i++;
	return unit == LOOKAHEAD_NONE || i >= block->n || mark[i] ? i : block_next_unit(block, unit, i, block->n);
}

#endif /* SCAN_NODE_ROWS_BLOCK_H */
