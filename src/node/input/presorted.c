/*
 * presorted.c: divides input that is in order by the first keys of the window into chunks, which are sorted one by one.
 *
 * sorted_input.c asks for the chunks.  Rows that are equal in these first keys, the prefix, are a group.  A chunk is
 * whole groups, so no row of a later chunk comes before a row of this one.  A chunk ends with the group that its
 * `target`-th row is in.  The first chunk has few rows, since a node above may stop early; later ones have as many as
 * the processor's cache holds while they are sorted.  If memory is short, a chunk ends with the first group that fills
 * a part of it.  Rows that were pulled after the end of the chunk are held back for the next one.
 *
 * The rows of a group lie together, so rows pulled at once are all of one group if the first and the last one are. Else
 * the end of the group is found by bisection.  Few rows are compared.  The comparison is that of the sort.
 *
 * Rejected: to compare each row with the one before, as core's incremental sort does.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/block.h"
#include "column/rows_serialize.h"
#include "guc.h"
#include "node/input/sorting.h"
#include "sort/order.h"

/* The next chunk has so many times as many rows. */
#define CHUNK_GROWTH 4

/* Room for this part of the target is made for the rest of the last group. */
#define ROOM_PART 8

/* Rows that are pulled at once take at most this part of scan.work_mem, unless they are fewer than PULL_LEAST. */
#define PULL_PART 32
#define PULL_LEAST 64

void
presorted_begin(Presorted *presorted, Pull *pull, WindowKeys *keys, int prefix)
{
	*presorted = (Presorted){.prefix = prefix, .pull = pull, .keys = keys};
	if (prefix > 0)
		presorted->scratch = AllocSetContextCreate(keys->memory, "scan prefix", ALLOCSET_SMALL_SIZES);
}

/* True if two rows are of one group. */
static bool
are_of_one_group(const Presorted *presorted, const Rows *a, int64 i, const Rows *b, int64 j)
{
	MemoryContext old = MemoryContextSwitchTo(presorted->scratch);
	int			  order = compare_rows(presorted->keys->compare, presorted->prefix, a, i, b, j);

	MemoryContextSwitchTo(old);
	MemoryContextReset(presorted->scratch);
	return order == 0;
}

/* Returns the first row from row `from` on, of rows that end after another group has begun, that is of another group.
 */
static int64
end_of_group(const Presorted *presorted, const Rows *edge, int64 at, const Rows *rows, int64 from)
{
	int64 low = from, high = rows->n - 1; /* row `high` is of another group */

	while (low < high)
	{
		int64 middle = low + (high - low) / 2;

		if (are_of_one_group(presorted, edge, at, rows, middle))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Ends the chunk before row n: the rows from there on are held back. */
static void
end_chunk(Presorted *presorted, Rows *rows, int64 n)
{
	rows_append_range(presorted->held, rows, n, rows->n - n);
	rows_truncate(rows, n, rows->arena.used);
	rows_reset(presorted->edge);
	presorted->chunk_ended = true;
}

/* True if the rows of a chunk take enough memory. */
static bool
chunk_is_full(const Rows *rows)
{
	return rows->n * rows_row_bytes(rows) + rows->arena.used > guc_budget() / CHUNK_MEMORY_PART;
}

/* Ends the chunk if it has enough rows, and if its last group ends among the rows from row `from` on. */
static void
end_at_group(Presorted *presorted, Rows *rows, int64 from)
{
	int64		before = presorted->rows;
	const Rows *edge = presorted->edge->n > 0 ? presorted->edge : rows;
	int64		at = 0, end;

	presorted->rows += rows->n - from;
	if (edge == rows)
	{
		if (presorted->rows < presorted->target && !chunk_is_full(rows))
			return;
		at = from + Min(Max(presorted->target - before, 1), rows->n - from) - 1;
	}
	if (are_of_one_group(presorted, edge, at, rows, rows->n - 1))
	{
		if (edge == rows)
			rows_append_range(presorted->edge, rows, rows->n - 1, 1);
		return;
	}
	end = end_of_group(presorted, edge, at, rows, edge == rows ? at + 1 : from);
	end_chunk(presorted, rows, end);
}

/* RowSource.append */
static bool
append_of_chunk(void *arg, Rows *rows)
{
	Presorted *presorted = (Presorted *) arg;
	int64	   from = rows->n;
	int64	   most = Max(PULL_LEAST, (int64) (guc_budget() / PULL_PART / rows_row_bytes(rows)));

	if (presorted->held == NULL)
	{
		window_keys_prepare(presorted->keys);
		presorted->held = rows_create_like(rows);
		presorted->edge = rows_create_like(rows);
	}
	if (presorted->chunk_ended)
		return false;
	if (presorted->held->n > 0)
	{
		rows_append_range(rows, presorted->held, 0, presorted->held->n);
		rows_reset(presorted->held);
	}
	else if (presorted->child_ended ||
			 pull_rows(presorted->pull, rows, Min(most, Min(presorted->target, CHILD_ROWS_MOST))) == 0)
	{
		presorted->chunk_ended = presorted->child_ended = true;
		return false;
	}
	end_at_group(presorted, rows, from);
	return true;
}

RowSource
presorted_rows(Presorted *presorted)
{
	return (RowSource){
		.append = append_of_chunk, .arg = presorted, .rows = presorted->target + presorted->target / ROOM_PART};
}

bool
presorted_next(Presorted *presorted)
{
	if (presorted->child_ended && presorted->held->n == 0)
		return false;
	presorted->target = presorted->target == 0 ? CHUNK_FIRST_ROWS
											   : Min(CHUNK_GROWTH * presorted->target, CHUNK_MOST_ROWS);
	presorted->rows = 0;
	presorted->chunk_ended = false;
	return true;
}

void
presorted_rewind(Presorted *presorted)
{
	if (presorted->held != NULL)
	{
		rows_free(presorted->held);
		rows_free(presorted->edge);
	}
	presorted->held = presorted->edge = NULL;
	presorted->target = 0;
	presorted->chunk_ended = presorted->child_ended = false;
}
