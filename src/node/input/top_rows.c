/*
 * top_rows.c: keeps, of input that is not in order, the rows that can be among the first ones of their partition.
 *
 * sorted.c calls it where a condition lets only the first rows of a partition pass: row_number() <= k, or the like
 * with a rank.  Rows are gathered until there are several times as many as are likely to be wanted, and sorted.  The
 * wanted rows are kept, and more rows are gathered after them.  The kept rows lie in the order of the sort, which
 * leaves equal rows in the order of the input; later rows come after them.  So the last sort has the same first rows
 * as a sort of the whole input.
 *
 * Once a partition has as many rows as are wanted, a later row that comes after the last wanted one need not be kept
 * at all.  A hash table finds this last row, as long as there are few partitions.  The table compares the bytes of
 * partition keys.  Where equal values have different bytes (1.0 and 1.00), it finds the last row for some of them only,
 * and leaves the rest to the sort.
 *
 * Rejected: a heap of the best rows for each partition.  With many partitions a row costs as many cache misses as a
 * sort of everything has passes.  With few partitions hardly any row gets as far as the heap.  And rows that drop out
 * of a heap have to be found and squeezed out all the same.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "column/rows_serialize.h"
#include "column/stretch.h"
#include "guc.h"
#include "node/input/partition_hash.h"
#include "node/input/top_rows.h"

#define TOP_LEAST 16384		 /* the fewest rows that are worth a sort */
#define TOP_TIMES 8			 /* a sort is due at so many times the rows that are wanted */
#define TOP_PARTITIONS 65536 /* partitions at most: the table and their last rows shall fit in a cache */
#define TOP_BUDGET_PART 64	 /* the table may take this part of scan.work_mem */

/* An entry of the hash table: the last wanted row of a partition. */
typedef struct LastRow
{
	uint32 hash;
	uint32 row; /* the row's position plus 1; 0: the entry is free */
} LastRow;

struct Top
{
	MemoryContext	  memory;
	MemoryContext	  scratch; /* for comparisons; reset after each batch */
	TopRows			  wanted;
	const WindowKeys *keys;	  /* with their comparisons */
	int64			  due;	  /* the number of rows that top_due() returns */
	int64			  seen;	  /* rows that top_append() has looked up since the last sort */
	int64			  passed; /* rows that top_append() has kept since the last sort */
	uint32			  slots;  /* entries of the table: a power of two, or 0 if no last row is known */
	LastRow			 *slot;
};

/* Returns how many rows to gather, if `rows` are likely to be wanted. */
static int64
due_after(double rows)
{
	return (int64) Max(TOP_LEAST, Min(TOP_TIMES * rows, (double) PG_INT64_MAX / 2));
}

Top *
top_create(const WindowKeys *keys, TopRows wanted, MemoryContext parent)
{
	MemoryContext memory = AllocSetContextCreate(parent, "scan top", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(memory);
	Top			 *top = (Top *) palloc0(sizeof(Top));

	top->memory = memory;
	top->scratch = AllocSetContextCreate(memory, "scan top comparisons", ALLOCSET_SMALL_SIZES);
	top->wanted = wanted;
	top->keys = keys;
	top->due = due_after((double) wanted.limit * wanted.partitions);
	MemoryContextSwitchTo(old);
	return top;
}

void
top_free(Top *top)
{
	MemoryContextDelete(top->memory);
}

int64
top_due(const Top *top)
{
	return top->due;
}

/* ---- rows in order ---- */

/* Counts the rows of a partition. */
typedef struct RowCounter
{
	int64 rows;
	int64 rank;
	int64 dense_rank;
} RowCounter;

/* Counts one more row, which begins a partition if `head` and a peer group if `peer`; returns its count. */
static inline int64
next_count(RowCounter *counter, TopUnit unit, bool head, bool peer)
{
	if (head)
		memset(counter, 0, sizeof(*counter));
	counter->rows++;
	if (head || peer)
	{
		counter->rank = counter->rows;
		counter->dense_rank++;
	}
	return unit == TOP_ROWS ? counter->rows : unit == TOP_RANKS ? counter->rank : counter->dense_rank;
}

void
top_of_order(const TopRows *wanted, SortOrder *order)
{
	RowCounter counter = {0};
	int64	   to = 0;

	FOR_INTERRUPTIBLE (i, 0, order->n)
	{
		bool head = scan_bit(order->heads, i);
		bool peer = scan_bit(order->peers, i);

		if (next_count(&counter, wanted->unit, head, peer) > wanted->limit)
			continue;
		order->rows[to] = order->rows[i];
		scan_bit_put(order->heads, to, head);
		scan_bit_put(order->peers, to, peer);
		to++;
	}
	order->n = to;
}

/* ---- partitions ---- */

/* Returns the entry of the partition of row i of `batch`, or the free one for it; the table's rows are in `rows`. */
static LastRow *
find_last(const Top *top, const Rows *rows, const Rows *batch, int64 i, uint32 hash)
{
	uint32 place = hash & (top->slots - 1);

	while (top->slot[place].row != 0 &&
		   (top->slot[place].hash != hash || !same_partition(top->keys, rows, top->slot[place].row - 1, batch, i)))
		place = (place + 1) & (top->slots - 1);
	return &top->slot[place];
}

/* Makes an empty table for so many partitions, or none if they are too many. */
static void
reserve_slots(Top *top, int64 partitions)
{
	uint32 slots = 16;

	top_forget(top);
	if (partitions > TOP_PARTITIONS)
		return;
	while (slots < 2 * partitions)
		slots *= 2;
	if (slots * sizeof(LastRow) > guc_budget() / TOP_BUDGET_PART)
		return;
	top->slot = (LastRow *) MemoryContextAllocZero(top->memory, slots * sizeof(LastRow));
	top->slots = slots;
}

void
top_forget(Top *top)
{
	if (top->slot != NULL)
		pfree(top->slot);
	top->slot = NULL;
	top->slots = 0;
}

/* Fills the table with the last rows of those partitions that have as many rows as are wanted; `order`: the rows'. */
static void
learn_last_rows(Top *top, const Rows *rows, const SortOrder *order)
{
	RowCounter counter = {0};
	int64	   partitions = 0;

	FOR_INTERRUPTIBLE (i, 0, rows->n)
		partitions += scan_bit(order->heads, i);
	reserve_slots(top, partitions);
	if (!top_filters(top))
		return;
	FOR_INTERRUPTIBLE (i, 0, rows->n)
	{
		(void) next_count(&counter, top->wanted.unit, scan_bit(order->heads, i), scan_bit(order->peers, i));
		/* a partition may have more rows than the limit of a rank: the rows beyond are peers of the last one */
		if ((i + 1 == rows->n || scan_bit(order->heads, i + 1)) &&
			(top->wanted.unit == TOP_DENSE_RANKS ? counter.dense_rank : counter.rows) >= top->wanted.limit)
		{
			uint32 hash = partition_hash(top->keys, rows, i);

			*find_last(top, rows, rows, i, hash) = (LastRow){hash, (uint32) i + 1};
		}
	}
}

bool
top_keep(Top *top, Rows **rows, const SortOrder *order)
{
	Rows *before = *rows;

	if (order->n > before->n / 2)
	{
		/* more rows are wanted than expected: another sort pays only when many more have come */
		top->due = due_after((double) before->n);
		return false;
	}
	*rows = rows_create_like(before);
	for (int64 from = 0, stop; from < order->n; from = stop)
	{
		stop = stretch_end(from, order->n);
		rows_append_some(*rows, before, order->rows + from, stop - from);
	}
	top->due = due_after((double) order->n);
	if (top->passed <= top->seen / 2)
		learn_last_rows(top, *rows, order);
	else
	{
		/* most rows come before the last wanted one: until the next sort, which is due later, rows are not looked up */
		top_forget(top);
		top->due *= TOP_TIMES;
	}
	top->seen = top->passed = 0;
	rows_free(before); /* and, with their pool, the order and its boundaries */
	return true;
}

/* ---- rows to come ---- */

bool
top_filters(const Top *top)
{
	return top->slots > 0;
}

int64
top_append(Top *top, Rows *rows, const Rows *batch)
{
	MemoryContext old = MemoryContextSwitchTo(top->scratch);
	/* a row equal to the last one comes after it, and is wanted only where peers are counted alike */
	int			latest = top->wanted.unit == TOP_ROWS ? -1 : 0;
	int			order_keys = top->keys->n - top->keys->partition;
	SortSupport order_key = top->keys->compare + top->keys->partition;
	int64		n = rows->n;

	FOR_INTERRUPTIBLE (i, 0, batch->n)
	{
		const LastRow *last = find_last(top, rows, batch, i, partition_hash(top->keys, batch, i));

		if (last->row == 0 || compare_rows(order_key, order_keys, batch, i, rows, last->row - 1) <= latest)
			rows_append_row(rows, batch, i);
	}
	MemoryContextSwitchTo(old);
	MemoryContextReset(top->scratch);
	top->seen += batch->n;
	top->passed += rows->n - n;
	return rows->n - n;
}
