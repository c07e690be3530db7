/*
 * rows_in_place.c: rows that processes have read in window order.  They stay where they were put.
 *
 * Each process has a list of pieces in shared memory (pieces.c).  Processes read them when all of them are there, and
 * nobody takes them away: a piece may lie in two ranges, or more.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "column/rows_serialize.h"
#include "exchange/internal.h"

/* The rows of one process.  Only that process writes here. */
typedef struct OrderedOf
{
	Pieces pieces;
	int64  start[FLEXIBLE_ARRAY_MEMBER]; /* of each range: number of its first row */
} OrderedOf;

struct OrderedShared
{
	int	 processes, ranges;
	char of[FLEXIBLE_ARRAY_MEMBER]; /* an OrderedOf for each process */
};

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
		of_process(shared, p)->pieces = (Pieces){0};
}

/* ---- putting ---- */

bool
ordered_put(Ordered *ordered, const Rows *rows)
{
	OrderedOf *of = of_process(ordered->shared, ordered->number);
	Size	   size = pieces_put(ordered->area, &of->pieces, rows, false);

	ordered->bytes += size;
	/* no range is named yet */
	for (int r = 0; r < ordered->shared->ranges && of->pieces.n == 1; r++)
		of->start[r] = PG_INT64_MAX;
	return size > 0;
}

int64
ordered_rows(const Ordered *ordered, int process)
{
	return of_process(ordered->shared, process)->pieces.rows;
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

	*end = of->pieces.rows;
	if (of->pieces.rows == 0)
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
	uint64			 place = of->pieces.last;

	if (ordered->of == NULL)
		ordered->of = (OrderedPieces *) MemoryContextAllocZero(ordered->memory,
															   ordered->shared->processes * sizeof(OrderedPieces));
	pieces = &ordered->of[process];
	if (pieces->piece != NULL)
		return pieces;
	pieces->piece = (OrderedPiece *) MemoryContextAllocHuge(ordered->memory, of->pieces.n * sizeof(OrderedPiece));
	pieces->n = (int) of->pieces.n;
	for (int i = pieces->n - 1; i >= 0; i--)
	{
		PieceHead head;

		CHECK_FOR_INTERRUPTS();
		(void) piece_rows(ordered->area, place, &head);
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

	PieceHead head;

	rows_read_in_place(rows, piece_rows(ordered->area, piece->place, &head));
	return head.first;
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
