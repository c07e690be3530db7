/*
 * compaction.c: scan_compact and scan_split_index, the two functions of ours that need their whole partition.
 *
 * dispatch.c calls node_compaction_start().  A block holds whole partitions, so a row's result depends only on the
 * block's columns: compaction moves the kept values of a partition to its first rows, and the split counts its false
 * bits before it numbers its rows.  The values are moved by their width, without a branch.  Values that are not passed
 * by value stay where the rows have them, and only their offsets are moved.  A partition larger than memory comes twice
 * (input/block_reader.c): when its rows are accumulated, kept values are appended to a list that may lie on disk
 * (kept_values.c), and false bits are counted; when its rows are emitted, the list is read from its beginning.
 *
 * Both are made of one scan, a count of true bits (as array_compact and array_split are, functions/array/permute.c),
 * in passing.  Rejected: a job of that scan.  The copies for it take longer than the loops here.
 *
 * Arguments that may raise an error are late arguments.  They are then read in the order and as far ahead as
 * functions/window/compact.c reads them in WindowAgg, so that an error belongs to the same row.
 */
#include "postgres.h"

#include "call/call_context.h"
#include "column/stretch.h"
#include "error.h"
#include "node/evaluate/internal.h"

/* The arguments of scan_compact; scan_split_index has the bit alone. */
#define COMPACT_VALUE 0
#define COMPACT_KEEP 1
#define SPLIT_BIT 0

/* Returns the bit at row i: a NULL is stored as false. */
static inline bool
bit_at(const Column *bits, int64 i)
{
	return bits->value[i * bits->stride] != 0;
}

/* ---- scan_compact ---- */

typedef struct Compact
{
	int64	   next;  /* the block's first row that has not been looked at, while its partition is emitted */
	int		   ahead; /* late arguments: values that the last look ahead fetched at most; 0: there was none */
	KeptValues kept;  /* of a partition that is accumulated */
} Compact;

/* Returns the column of the values; NULL: they are a late argument. */
static inline const Column *
value_column(const RowFunction *f, const Block *block)
{
	return f->late_row != NULL ? NULL : &block->rows->column[f->argument[COMPACT_VALUE]].data;
}

#define COMPACT_LOOP(TYPE)                                            \
	FOR_INTERRUPTIBLE (i, from, end)                                  \
	{                                                                 \
		((TYPE *) to->value)[at] = *(const TYPE *) (in + i * stride); \
		at += bit_at(keep, i);                                        \
	}

/*
 * Moves the kept values of rows `from` to `end` - 1 to positions of `to` from `at` on, and returns the position after
 * the last one.  No value is NULL; a reference is moved as an offset in the same arena.  A value that is not kept is
 * overwritten by the next one: `to` has room for as many values as there are rows, and positions after the last one
 * mean nothing.
 */
static int64
compact_loop(const Column *value, const Column *keep, int64 from, int64 end, Column *to, int64 at)
{
	const char *in = value->value;
	int			stride = value->stride;

	switch (column_width(value->format))
	{
		case sizeof(int8):
			COMPACT_LOOP(int8);
			break;
		case sizeof(int16):
			COMPACT_LOOP(int16);
			break;
		case sizeof(int32):
			COMPACT_LOOP(int32);
			break;
		default:
			COMPACT_LOOP(int64);
			break;
	}
	return at;
}

/* Appends the kept values of a block of a partition that is accumulated. */
static void
compact_accumulate(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	Compact		 *compact = (Compact *) f->state;
	KeptValues	 *kept = &compact->kept;
	const Column *value = value_column(f, block);

	if (block->head[block->begin])
		kept_values_reset(kept);
	if (value != NULL && f->result.data.by_value && !value->has_nulls)
	{
		const Column *keep = &block->rows->column[f->argument[COMPACT_KEEP]].data;

		for (int64 from = block->begin, end; from < block->n; from = end)
		{
			Column *to;

			end = Min(block->n, from + kept_values_piece());
			to = kept_values_room(kept, end - from);
			kept_values_appended(kept, compact_loop(value, keep, from, end, to, kept->rows->n) - kept->rows->n);
		}
		return;
	}
	FOR_INTERRUPTIBLE (i, block->begin, block->n)
	{
		bool  isnull;
		Datum datum = row_argument(f, block, COMPACT_KEEP, i, &isnull);

		if (isnull || !DatumGetBool(datum))
			continue;
		datum = row_argument(f, block, COMPACT_VALUE, i, &isnull);
		kept_values_append(kept, datum, isnull);
	}
}

/* Emits rows of a partition that was accumulated. */
static int64
compact_emit_kept(RowFunction *f, const Block *block, int64 done)
{
	Compact *compact = (Compact *) f->state;
	int64	 stop = row_stop(f, block, done);

	FOR_INTERRUPTIBLE (i, done, stop)
	{
		Datum value = (Datum) 0;
		bool  isnull;

		if (!kept_values_take(&compact->kept, &value, &isnull))
			isnull = true;
		node_put(f, i, value, isnull);
		if (node_is_full(f))
			return i + 1;
	}
	return stop;
}

static void
compact_end(RowFunction *f)
{
	kept_values_reset(&((Compact *) f->state)->kept);
}

/*
 * Stores the result of a row.  A reference is stored as its offset where the result column refers to the arena that the
 * value lies in, and copied where it refers to the function's own.
 */
static inline void
compact_put(RowFunction *f, int64 row, Datum value, bool isnull)
{
	if (!isnull && f->result.data.arena != &f->result.arena)
		column_store(&f->result.data, row,
					 (Datum) ((const char *) DatumGetPointer(value) - f->result.data.arena->bytes));
	else
		node_put(f, row, value, isnull);
}

/* Emits rows `done` to `stop` - 1 of a partition that ends before row `end`, one value at a time. */
static void
compact_by_row(RowFunction *f, Compact *compact, const Block *block, int64 done, int64 stop, int64 end)
{
	FOR_INTERRUPTIBLE (row, done, stop)
	{
		bool  isnull = true;
		Datum value = (Datum) 0;

		while (compact->next < end)
		{
			int64 i = compact->next++;
			Datum keep = row_argument(f, block, COMPACT_KEEP, i, &isnull);

			stretch_row(i);
			if (!isnull && DatumGetBool(keep))
			{
				value = row_argument(f, block, COMPACT_VALUE, i, &isnull);
				break;
			}
			isnull = true;
		}
		compact_put(f, row, value, isnull);
	}
}

/*
 * Fetches as many values as the function does in WindowAgg, so that an error of an argument is raised at the same row.
 * Returns the row after the last one that is evaluated.
 */
static int64
compact_late(RowFunction *f, Compact *compact, const Block *block, int64 done)
{
	int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, done), row = done;
	int64 rows;

	compact->ahead = compact->ahead == 0 ? 1 : Min(2 * compact->ahead, SCAN_COMPACT_AHEAD);
	rows = Min(compact->ahead, end - done);
	while (row < done + rows && f->result.arena.used < SCAN_COMPACT_AHEAD_BYTES)
	{
		compact_by_row(f, compact, block, row, row + 1, end);
		row++;
		if (compact->next == end)
			break;
	}
	if (compact->next == end && row < done + rows)
		node_put_rows(f, row, done + rows, 0, true);
	return compact->next == end ? done + rows : row;
}

/* Evaluates whole partitions to the block's end, of values that are not NULL. */
static int64
compact_block(RowFunction *f, Compact *compact, const Block *block, int64 done)
{
	const Column *value = value_column(f, block);
	const Column *keep = &block->rows->column[f->argument[COMPACT_KEEP]].data;

	while (done < block->n)
	{
		int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, done);
		int64 at = compact_loop(value, keep, done, end, &f->result.data, done);

		node_put_rows(f, at, end, 0, true);
		done = end;
	}
	return done;
}

static int64
evaluate_compact(RowFunction *f, const Block *block, int64 done)
{
	Compact		 *compact = (Compact *) f->state;
	const Column *value = value_column(f, block);
	int64		  end, stop;

	/* the values live as long as the block, and so do its results */
	f->result.data.arena = f->result.data.by_value || value == NULL || block->accumulated[LOOKAHEAD_PARTITION]
							   ? &f->result.arena
							   : value->arena;
	if (block->accumulated[LOOKAHEAD_PARTITION])
		return compact_emit_kept(f, block, done);
	if (block->head[done])
	{
		compact->next = done;
		compact->ahead = 0;
	}
	if (f->late_row != NULL)
		return compact_late(f, compact, block, done);
	if (!value->has_nulls)
		return compact_block(f, compact, block, done);
	end = block_unit_end(block, LOOKAHEAD_PARTITION, done);
	stop = Min(end, row_stop(f, block, done));
	compact_by_row(f, compact, block, done, stop, end);
	return stop;
}

/* ---- scan_split_index ---- */

typedef struct Split
{
	int64 rows;		  /* of the partition, as far as it is counted */
	int64 falses;	  /* false bits of these rows */
	int64 null_row;	  /* number, from 1, of the partition's first row whose bit is NULL; 0: there is none */
	int64 next_false; /* the index of the next false row */
	int64 next_true;  /* the index of the next true row */
} Split;

/* Counts rows `from` to `end` - 1 of a partition. */
static void
count_block_split(const RowFunction *f, Split *split, const Block *block, int64 from, int64 end)
{
	const Column *bits = f->late_row != NULL ? NULL : &block->rows->column[f->argument[SPLIT_BIT]].data;

	if (bits != NULL && !bits->has_nulls)
	{
		int64 trues = 0;

		FOR_INTERRUPTIBLE (i, from, end)
			trues += bit_at(bits, i);
		split->falses += end - from - trues;
		split->rows += end - from;
		return;
	}
	FOR_INTERRUPTIBLE (i, from, end)
	{
		bool  isnull;
		Datum bit = row_argument(f, block, SPLIT_BIT, i, &isnull);

		split->rows++;
		if (isnull && split->null_row == 0)
			split->null_row = split->rows;
		split->falses += !isnull && !DatumGetBool(bit);
		/* WindowAgg's function looks no further */
		if (split->null_row > 0)
			return;
	}
}

static void
split_begin(Split *split)
{
	split->rows = split->falses = split->null_row = 0;
}

/* Begins to number the rows of a partition that is counted: from 1 on, false rows first. */
static void
split_number(Split *split)
{
	split->next_false = 1;
	split->next_true = split->falses + 1;
}

/* Numbers rows `from` to `end` - 1 of a partition. */
static void
split_emit(RowFunction *f, Split *split, const Block *block, int64 from, int64 end)
{
	const Column *bits = f->late_row != NULL ? NULL : &block->rows->column[f->argument[SPLIT_BIT]].data;
	int64		  next_false = split->next_false, next_true = split->next_true;
	int64		 *result = (int64 *) f->result.data.value;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		bool isnull;
		bool bit = bits != NULL ? bit_at(bits, i) : DatumGetBool(row_argument(f, block, SPLIT_BIT, i, &isnull));

		result[i] = bit ? next_true : next_false;
		next_true += bit;
		next_false += !bit;
	}
	split->next_false = next_false;
	split->next_true = next_true;
}

/* Evaluates whole partitions to the block's end, or up to one whose first row raises an error. */
static int64
split_block(RowFunction *f, Split *split, const Block *block, int64 done)
{
	int64 from = done;

	while (done < block->n)
	{
		int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, done);

		split_begin(split);
		count_block_split(f, split, block, done, end);
		if (split->null_row > 0 && done > from)
			break;
		if (split->null_row > 0)
			scan_raise_null_bit(split->null_row);
		split_number(split);
		split_emit(f, split, block, done, end);
		done = end;
		if (f->late_row != NULL)
			break;
	}
	return done;
}

static void
split_accumulate(RowFunction *f, const Block *block, Lookahead unit, bool last)
{
	Split *split = (Split *) f->state;

	if (block->head[block->begin])
		split_begin(split);
	if (split->null_row == 0)
		count_block_split(f, split, block, block->begin, block->n);
	if (last)
		split_number(split);
}

static int64
evaluate_split(RowFunction *f, const Block *block, int64 done)
{
	Split *split = (Split *) f->state;

	if (!block->accumulated[LOOKAHEAD_PARTITION])
		return split_block(f, split, block, done);
	if (split->null_row > 0)
		scan_raise_null_bit(split->null_row);
	split_emit(f, split, block, done, block->n);
	return block->n;
}

void
node_compaction_start(RowFunction *f)
{
	if (node_info(f)->kind == FUNCTION_SPLIT_INDEX)
	{
		f->state = MemoryContextAllocZero(f->query, sizeof(Split));
		f->evaluate = evaluate_split;
		f->accumulate = split_accumulate;
	}
	else
	{
		Compact *compact = (Compact *) MemoryContextAllocZero(f->query, sizeof(Compact));

		kept_values_create(&compact->kept, f->query, f->result.data.length, f->result.data.by_value);
		f->end = compact_end;
		f->state = compact;
		f->evaluate = evaluate_compact;
		f->accumulate = compact_accumulate;
	}
}
