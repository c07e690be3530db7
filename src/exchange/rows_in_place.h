/*
 * rows_in_place.h: rows that processes have read in window order.  They stay where they were put.
 *
 * node/input/rows_in_order.c puts rows here, some at a time, instead of on batches, as long as they come in order.  A
 * process's rows are numbered from 0.  When the ranges are known, the process says with which of its rows each range
 * begins, and whoever takes a range reads that part of the rows of each process.
 */
#ifndef SCAN_EXCHANGE_ROWS_IN_PLACE_H
#define SCAN_EXCHANGE_ROWS_IN_PLACE_H

#include "postgres.h"

#include "column/rows.h"

/* The shared state, in the query's DSM. */
typedef struct OrderedShared OrderedShared;

/* A piece: rows that were put at once. */
typedef struct OrderedPiece
{
	uint64 place; /* its offset in the area */
	int64  first; /* number of its first row */
} OrderedPiece;

/* The pieces of a process, as another process has found them. */
typedef struct OrderedPieces
{
	int			  n;
	OrderedPiece *piece; /* NULL: they were not looked for */
} OrderedPieces;

/* A process's view of the rows of all processes. */
typedef struct Ordered
{
	OrderedShared *shared;
	struct Area	  *area;
	int			   number; /* of this process: 0 is the leader */
	MemoryContext  memory;
	OrderedPieces *of;	  /* the pieces of each process; NULL: no piece was looked for */
	int64		   bytes; /* bytes that this process has put */
} Ordered;

extern Size ordered_shared_size(int processes, int ranges);
extern void ordered_create(OrderedShared *shared, int processes, int ranges);

/* Forgets all rows. */
extern void ordered_reset(OrderedShared *shared);

/* Puts rows after those of this process; false: there is no shared memory left. */
extern bool ordered_put(Ordered *ordered, const Rows *rows);

/* Returns how many rows a process has put. */
extern int64 ordered_rows(const Ordered *ordered, int process);

/*
 * Says that range `range` begins with row `row` of this process.  A range that is not named is empty, as are all ranges
 * after it.
 */
extern void ordered_cut(Ordered *ordered, int range, int64 row);

/* Returns the first of the rows of a process that are in a range, and sets *end to the one after the last. */
extern int64 ordered_part(const Ordered *ordered, int process, int range, int64 *end);

/*
 * Replaces `rows` by the rows of a process that were put together with row `row`; returns the number of the first.
 * By-reference values stay in shared memory.
 */
extern int64 ordered_read(Ordered *ordered, int process, int64 row, Rows *rows);

/* The same for the piece with that index. */
extern int64 ordered_piece(Ordered *ordered, int process, int64 index, Rows *rows);

/* Forgets what was found of the rows of others, so that the process can begin again. */
extern void ordered_leave(Ordered *ordered);

#endif /* SCAN_EXCHANGE_ROWS_IN_PLACE_H */
