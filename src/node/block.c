/*
 * block.c: the input of PrefixScan in blocks of rows in window order.
 *
 * Input that is in order already streams: a block is pulled, 16 rows at first and
 * more each time, so that a LIMIT above does not pay for what it does not see.  The
 * first row behind a block tells that the block is complete; it is the first row of
 * the next.  Input that is not in order is pulled and sorted before the first block
 * (sorted.c); what was sorted on disk streams like the rest.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "guc.h"
#include "node/block.h"

#define PULL_LEAST 4 /* rows that are pulled at once in search of a unit's end: at least, or of a block: */
#define PULL_SHARE 16

#define WISH_SHARE 8 /* of scan.work_mem: a part that a block may have */

/* ---- marks ---- */

/* Whether a key of row i is that of row j of `before`. */
static inline bool
same_key(BlockKey *key, const RowColumn *a, int64 i, const RowColumn *b, int64 j)
{
	if (a->isnull[i] || b->isnull[j])
		return a->isnull[i] == b->isnull[j];
	if (key->by_datum)
		return a->value[i] == b->value[j];
	return DatumGetBool(FunctionCall2Coll(&key->equal, key->collation, a->value[i], b->value[j]));
}

/* Marks in `mark` where a key is not that of the row before; row `from` comes after row j of `before`. */
static void
mark_key(BlockReader *reader, BlockKey *key, bool *mark, int64 from, const Rows *before, int64 j)
{
	const Rows		*rows = reader->block.rows;
	const RowColumn *column = &rows->column[key->column];
	MemoryContext	 old = MemoryContextSwitchTo(reader->econtext->ecxt_per_tuple_memory);

	mark[from] |= !same_key(key, column, from, &before->column[key->column], j);
	for (int64 begin = from + 1, end; begin < rows->n; begin = end)
	{
		end = stretch_end(begin, rows->n);
		if (key->by_datum && !column->has_nulls)
			for (int64 i = begin; i < end; i++)
				mark[i] |= column->value[i] != column->value[i - 1];
		else
			for (int64 i = begin; i < end; i++)
				if (!mark[i])
					mark[i] = !same_key(key, column, i, column, i - 1);
	}
	MemoryContextSwitchTo(old);
	if (!key->by_datum)
		ResetExprContext(reader->econtext);
}

/* Place for n rows in the block's marks. */
static void
reserve_marks(BlockReader *reader, int64 n)
{
	Block *block = &reader->block;

	if (n <= reader->capacity)
		return;
	reader->capacity = Max(2 * reader->capacity, Max(n, BLOCK_MOST));
	if (block->head == NULL)
	{
		block->head = (bool *) MemoryContextAllocHuge(reader->memory, reader->capacity);
		block->peer = (bool *) MemoryContextAllocHuge(reader->memory, reader->capacity);
	}
	else
	{
		block->head = (bool *) repalloc_huge(block->head, reader->capacity);
		block->peer = (bool *) repalloc_huge(block->peer, reader->capacity);
	}
}

int64
block_next_unit(const Block *block, NodeNeed unit, int64 from, int64 end)
{
	const bool *mark = unit == NEED_PEERS ? block->peer : block->head;

	if (unit == NEED_ROW)
		return from;
	for (int64 begin = from, stop; begin < end; begin = stop)
	{
		const bool *found;

		stop = stretch_end(begin, end);
		found = (const bool *) memchr(mark + begin, true, stop - begin);
		if (found != NULL)
			return found - mark;
	}
	return end;
}

/* ---- input in order ---- */

/* Marks the rows from `from` on, the first of which comes after row j of `before`; NULL: after none. */
static void
mark_rows(BlockReader *reader, int64 from, const Rows *before, int64 j)
{
	Block *block = &reader->block;
	int64  n = block->rows->n - from;

	reserve_marks(reader, block->rows->n);
	memset(block->head + from, false, n);
	if (before == NULL)
		block->head[from] = true;
	for (int k = 0; k < reader->keys; k++)
	{
		if (k == reader->partition_keys)
			memcpy(block->peer + from, block->head + from, n);
		mark_key(reader, &reader->key[k], k < reader->partition_keys ? block->head : block->peer, from,
				 before == NULL ? block->rows : before, before == NULL ? from : j);
	}
	if (reader->keys == reader->partition_keys)
		memcpy(block->peer + from, block->head + from, n);
}

/* Pulls at most n more rows behind those of the block, and marks them; false: there are none. */
static bool
pull_more(BlockReader *reader, int64 n)
{
	Rows *rows = reader->block.rows;
	int64 from = rows->n;

	if (reader->at_end || (reader->runs != NULL ? sorted_pull(reader, rows, n) : pull_rows(reader, rows, n)) == 0)
	{
		reader->at_end = true;
		return false;
	}
	if (from > 0)
		mark_rows(reader, from, rows, from - 1);
	else if (reader->started)
		mark_rows(reader, 0, reader->rows[1], reader->rows[1]->n - 1);
	else
		mark_rows(reader, 0, NULL, 0);
	return true;
}

/* Takes the rows behind the last block, which lie in `before` from row n on, as the first of the new one. */
static void
keep_behind(Block *block, const Rows *before, int64 n)
{
	for (int64 i = n; i < before->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		rows_append_row(block->rows, before, i);
	}
	memmove(block->head, block->head + n, before->n - n);
	memmove(block->peer, block->peer + n, before->n - n);
}

/*
 * Whether no more rows may be pulled for the next block than WindowAgg would have read by
 * now: computing another one could raise an error that WindowAgg never comes to.
 */
static bool
reads_with_care(const BlockReader *reader)
{
	if (!reader->fallible || (reader->demand == DEMAND_ALL && demand_by_caller_is_all()))
		return false;
	/* the first block has all there is, whatever is asked for */
	if (reader->need == NEED_PARTITION && reader->partition_keys == 0)
		return false;
	return !reader->started || reader->demand == DEMAND_UNKNOWN || !demand_by_caller_is_all();
}

/*
 * The next block of input that is in order, of `want` rows or a unit more; rows behind it
 * that had to be looked at wait for the one after it.
 */
static bool
stream_block(BlockReader *reader, int64 want, bool careful)
{
	Block *block = &reader->block;
	Rows  *before = reader->rows[0];
	Rows  *rows = reader->rows[1];
	int64  n;

	reader->rows[0] = rows;
	reader->rows[1] = before;
	block->rows = rows;
	rows_reset(rows);
	reserve_marks(reader, BLOCK_MOST);
	if (reader->started)
		keep_behind(block, before, block->n);

	while (rows->n < want && rows->bytes <= BLOCK_BYTES)
		if (!pull_more(reader, want - rows->n))
			break;
	n = Min(rows->n, want);
	while (reader->need != NEED_ROW && n > 0 &&
		   (n < rows->n || pull_more(reader, careful ? 1 : Max(PULL_LEAST, n / PULL_SHARE))) &&
		   block_next_unit(block, reader->need, n, n + 1) > n)
		n++;
	/* where core looks on, an error of such a row comes up here too */
	for (int64 i = n; careful && n > 0 && reader->peek != PEEK_NONE && (i < rows->n || pull_more(reader, 1)); i++)
		if (reader->peek == PEEK_ROW || block->peer[i])
			break;
	block->n = n;
	return n > 0;
}

/* ---- input that was sorted in memory ---- */

/* Rows ahead of the one that is gathered, to be in the cache when their turn comes. */
#define GATHER_AHEAD 32

/* Columns that lie beside each other, to rows `at` on: a row at a time, from one or two lines of the cache. */
static void
gather_beside(const Rows *all, Rows *rows, int64 at, const uint32 *order, int64 n, int64 ahead)
{
	int		width = all->beside;
	Datum **to = (Datum **) palloc(width * sizeof(Datum *));

	for (int c = 0; c < all->columns; c++)
		if (all->column[c].beside)
			to[all->column[c].place] = rows->column[c].value + at;
	for (int64 i = 0; i < n; i++)
	{
		const Datum *from = all->cells + (int64) order[i] * width;

		if (i < ahead)
		{
			const Datum *next = all->cells + (int64) order[i + GATHER_AHEAD] * width;

			__builtin_prefetch(next);
			__builtin_prefetch(next + width - 1);
		}
		for (int w = 0; w < width; w++)
			to[w][i] = from[w];
	}
	pfree(to);
}

static void
gather_column(const Datum *from, Datum *to, const uint32 *order, int64 n, int64 ahead)
{
	for (int64 i = 0; i < n; i++)
	{
		if (i < ahead)
			__builtin_prefetch(&from[order[i + GATHER_AHEAD]]);
		to[i] = from[order[i]];
	}
}

static void
gather_nulls(const RowColumn *from, bool *to, const uint32 *order, int64 n, int64 ahead)
{
	if (!from->has_nulls)
	{
		memset(to, false, n);
		return;
	}
	for (int64 i = 0; i < n; i++)
	{
		if (i < ahead)
			__builtin_prefetch(&from->isnull[order[i + GATHER_AHEAD]]);
		to[i] = from->isnull[order[i]];
	}
}

/* Has the values that n Datums from row `at` on point to fetched: they lie in the order of the input. */
static void
prefetch_values(const RowColumn *column, int64 at, int64 n)
{
	for (int64 i = at; i < at + n; i++)
		if (!column->isnull[i])
			__builtin_prefetch(DatumGetPointer(column->value[i]));
}

/* The next n rows, to the block's `at` on, of the columns that are wanted and not constant. */
static void
gather(BlockReader *reader, int64 at, int64 n)
{
	const Rows	 *all = reader->all;
	Rows		 *rows = reader->block.rows;
	const uint32 *order = reader->order + reader->next + at;
	int64		  ahead = Max(all->n - reader->next - at - GATHER_AHEAD, 0);

	if (all->beside > 0)
		gather_beside(all, rows, at, order, n, ahead);
	for (int c = 0; c < reader->columns; c++)
	{
		const RowColumn *from = &all->column[c];

		if (from->constant || !from->wanted)
			continue;
		if (!from->beside)
			gather_column(from->value, rows->column[c].value + at, order, n, ahead);
		gather_nulls(from, rows->column[c].isnull + at, order, n, ahead);
		if (!from->by_value)
			prefetch_values(&rows->column[c], at, n);
	}
}

/* The next block of sorted input: gathered, column by column, from where the rows lie. */
static bool
gathered_block(BlockReader *reader)
{
	Block *block = &reader->block;
	int64  rest = reader->all->n - reader->next;
	int64  n = Min(Max(reader->want, 1), rest); /* gcc 14 asks whether it can be negative */

	if (rest <= 0)
		return false;
	block->rows = reader->rows[0];
	block->head = reader->heads + reader->next;
	block->peer = reader->peers + reader->next;
	n = block_next_unit(block, reader->need, n, rest);
	rows_reserve(block->rows, n);
	for (int64 at = 0, end; at < n; at = end)
	{
		end = stretch_end(at, n);
		gather(reader, at, end - at);
	}
	block->n = n;
	reader->next += n;
	return true;
}

void
block_wish(BlockReader *reader, int64 rows)
{
	Size row = (reader->columns + 1) * (sizeof(Datum) + sizeof(bool));

	reader->most = Max(BLOCK_MOST, Min(rows, guc_budget() / WISH_SHARE / row));
}

bool
block_next(BlockReader *reader)
{
	bool careful = reads_with_care(reader);
	bool there;

	if (reader->sorts && !reader->started)
		sorted_input(reader);
	there = reader->all != NULL ? gathered_block(reader) : stream_block(reader, careful ? 1 : reader->want, careful);
	reader->started = true;
	if (!careful)
		reader->want = Min(4 * reader->want, reader->most);
	if (there)
	{
		Size bytes = rows_size(reader->rows[0]) + rows_size(reader->rows[1]);

		if (reader->all != NULL)
			bytes += rows_size(reader->all) + reader->all->n * (sizeof(uint32) + 2);
		reader->most_bytes = Max(reader->most_bytes, bytes);
		reader->blocks++;
	}
	return there;
}

void
block_rewind(BlockReader *reader)
{
	rows_reset(reader->rows[0]);
	rows_reset(reader->rows[1]);
	if (reader->all != NULL)
	{
		/* they were its marks */
		reader->block.head = reader->block.peer = NULL;
		reader->capacity = 0;
	}
	sorted_rewind(reader);
	reader->started = false;
	reader->at_end = reader->child_ended = false;
	if (reader->pages != NULL)
		pages_rewind(reader->pages);
	reader->want = BLOCK_FIRST;
	reader->most = BLOCK_MOST;
	reader->block.n = 0;
}
