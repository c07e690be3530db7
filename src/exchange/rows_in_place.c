/*
 * rows_in_place.c: rows that processes have read in window order.  They stay where they were put.
 *
 * Each process has a list of pieces in shared memory (area.c), of which each points at the one before.  Processes read
 * them when all of them are there, and nobody takes them away: a piece may lie in two ranges, or more.
 *
 * Rejected: a directory of the pieces in shared memory, for which there may be no memory when all pieces are there.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/rows_serialize.h"
#include "exchange/internal.h"
#include "exchange/rows_in_place.h"

/* The rows of one process.  Only that process writes here. */
typedef struct OrderedOf
{
	uint64 last; /* offset of its last piece; 0: none */
	int64  pieces;
	int64  rows;
	int64  start[FLEXIBLE_ARRAY_MEMBER]; /* of each range: number of its first row */
} OrderedOf;

struct OrderedShared
{
	int	 processes;
	int	 ranges;
	char of[FLEXIBLE_ARRAY_MEMBER]; /* an OrderedOf for each process */
};

/* A piece begins with its head; the rows follow. */
typedef struct PieceHead
{
	uint64 before; /* offset of the piece before; 0: none */
	int64  first;  /* number of the first row */
} PieceHead;

StaticAssertDecl(sizeof(PieceHead) % MAXIMUM_ALIGNOF == 0, "rows must be aligned");

static Size
ordered_size(int ranges)
{
	return MAXALIGN(offsetof(OrderedOf, start) + ranges * sizeof(int64));
}

static OrderedOf *
of_process(OrderedShared *shared, int process)
{
	return (OrderedOf *) (shared->of + process * ordered_size(shared->ranges));
}

Size
ordered_shared_size(int processes, int ranges)
{
	return MAXALIGN(offsetof(OrderedShared, of)) + processes * ordered_size(ranges);
}

void
ordered_create(OrderedShared *shared, int processes, int ranges)
{
	shared->processes = processes;
	shared->ranges = ranges;
	ordered_reset(shared);
}

void
ordered_reset(OrderedShared *shared)
{
	for (int p = 0; p < shared->processes; p++)
	{
		OrderedOf *of = of_process(shared, p);

		of->last = 0;
		of->pieces = of->rows = 0;
	}
}

/* ---- putting ---- */

bool
ordered_put(Ordered *ordered, const Rows *rows)
{
	OrderedOf *of = of_process(ordered->shared, ordered->number);
	PieceHead  head = {of->last, of->rows};
	Size	   size = sizeof(head) + rows_written_size(rows);
	uint64	   place = area_alloc(ordered->area, size, false);
	char	  *at;

	if (place == 0)
		return false;
	at = area_at(ordered->area, place);
	memcpy(at, &head, sizeof(head));
	rows_write_memory(rows, at + sizeof(head));
	of->last = place;
	of->pieces++;
	of->rows += rows->n;
	ordered->bytes += size;
	for (int r = 0; r < ordered->shared->ranges && head.first == 0; r++)
		of->start[r] = PG_INT64_MAX;
	return true;
}

int64
ordered_rows(const Ordered *ordered, int process)
{
	return of_process(ordered->shared, process)->rows;
}

void
ordered_cut(Ordered *ordered, int range, int64 row)
{
	of_process(ordered->shared, ordered->number)->start[range] = row;
}

/* ---- reading ---- */

int64
ordered_part(const Ordered *ordered, int process, int range, int64 *end)
{
	const OrderedOf *of = of_process(ordered->shared, process);

	*end = of->rows;
	if (of->rows == 0)
		return 0;
	if (range + 1 < ordered->shared->ranges)
		*end = Min(*end, of->start[range + 1]);
	return Min(of->start[range], *end);
}

/* Returns the pieces of a process, in order. */
static const OrderedPieces *
pieces_of(Ordered *ordered, int process)
{
	const OrderedOf *of = of_process(ordered->shared, process);
	OrderedPieces	*pieces;
	uint64			 place = of->last;

	if (ordered->of == NULL)
		ordered->of = (OrderedPieces *) MemoryContextAllocZero(ordered->memory,
															   ordered->shared->processes * sizeof(OrderedPieces));
	pieces = &ordered->of[process];
	if (pieces->piece != NULL)
		return pieces;
	pieces->piece = (OrderedPiece *) MemoryContextAllocHuge(ordered->memory, of->pieces * sizeof(OrderedPiece));
	pieces->n = (int) of->pieces;
	for (int i = pieces->n - 1; i >= 0; i--)
	{
		PieceHead head;

		CHECK_FOR_INTERRUPTS();
		memcpy(&head, area_at(ordered->area, place), sizeof(head));
		pieces->piece[i] = (OrderedPiece){place, head.first};
		place = head.before;
	}
	return pieces;
}

int64
ordered_read(Ordered *ordered, int process, int64 row, Rows *rows)
{
	const OrderedPieces *pieces = pieces_of(ordered, process);
	int					 low = 0, high = pieces->n - 1;

	while (low < high)
	{
		int middle = low + (high - low + 1) / 2;

		if (pieces->piece[middle].first <= row)
			low = middle;
		else
			high = middle - 1;
	}
	return ordered_piece(ordered, process, low, rows);
}

int64
ordered_piece(Ordered *ordered, int process, int64 index, Rows *rows)
{
	const OrderedPiece *piece = &pieces_of(ordered, process)->piece[index];

	rows_read_in_place(rows, area_at(ordered->area, piece->place) + sizeof(PieceHead));
	return piece->first;
}

void
ordered_leave(Ordered *ordered)
{
	for (int p = 0; ordered->of != NULL && p < ordered->shared->processes; p++)
		if (ordered->of[p].piece != NULL)
			pfree(ordered->of[p].piece);
	if (ordered->of != NULL)
		pfree(ordered->of);
	ordered->of = NULL;
	ordered->bytes = 0;
}
