/*
 * compaction.c: scan_compact and scan_split_index, the two functions of ours that need their whole partition.
 *
 * dispatch.c calls node_compaction_start().  A block holds whole partitions, so a row's result depends only on the
 * block's columns: compaction moves the kept values of a partition to its first rows, and the split counts its false
 * bits before it numbers its rows.  The values are moved by their width, without a branch.  Values that are not passed
 * by value stay where the rows have them, and only their offsets are moved.
 *
 * For arguments that may raise an error, for a NULL that scan_split_index refuses, and in a partition larger than
 * memory, the function is called for each row (ahead_function.c), as WindowAgg calls it: it reads as far ahead as
 * there, so that an error belongs to the same row.  Rejected: loops for these cases as well, a hundred statements
 * more.  The function takes a third to a half of WindowAgg's time beyond memory, and the loops took an eighth to a
 * third.
 *
 * Both are made of one scan, a count of true bits (as array_compact and array_split are, functions/array/permute.c),
 * in passing.  Rejected: a job of that scan.  The copies for it take longer than the loops here.
 */
#include "postgres.h"

#include "column/stretch.h"
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

/* True if the function has to be called for each row of the block. */
static bool
is_called(const RowFunction *f, const Block *block)
{
	return f->late_row != NULL || block->accumulated[LOOKAHEAD_PARTITION];
}

/* ---- scan_compact ---- */

#define COMPACT_LOOP(TYPE)                                            \
	FOR_INTERRUPTIBLE (i, from, end)                                  \
	{                                                                 \
		((TYPE *) to->value)[at] = *(const TYPE *) (in + i * stride); \
		at += bit_at(keep, i);                                        \
	}

/*
 * Moves the kept values of rows `from` to `end` - 1 to the rows of `to` from `from` on, and returns the row after the
 * last one.  A reference is moved as an offset in the same arena.  A value that is not kept is overwritten by the next
 * one: `to` has room for as many values as there are rows, and rows after the last value mean nothing.
 */
static int64
compact_loop(const Column *value, const Column *keep, int64 from, int64 end, Column *to)
{
	const char *in = value->value;
	int			stride = value->stride;
	int64		at = from;

	FOR_WIDTH(column_width(value->format), COMPACT_LOOP)
	return at;
}

/* Makes the results of the kept values that are NULL be NULL, too. */
static void
compact_nulls(RowFunction *f, const Column *value, const Column *keep, int64 from, int64 end)
{
	int64 at = from;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		if (bit_at(keep, i) && column_is_null(value, i))
			node_put(f, at, 0, true);
		at += bit_at(keep, i);
	}
}

static int64
evaluate_compact(RowFunction *f, const Block *block, int64 done)
{
	bool		  called = is_called(f, block);
	const Column *value = called ? NULL : row_column(f, block, COMPACT_VALUE);
	const Column *keep = called ? NULL : row_column(f, block, COMPACT_KEEP);

	/* the values live as long as the block, and so do its results */
	f->result.data.arena = called || f->result.data.by_value ? &f->result.arena : value->arena;
	if (called)
		return node_ahead_rows(f, block, done);
	while (done < block->n)
	{
		int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, done);
		int64 at = compact_loop(value, keep, done, end, &f->result.data);

		if (value->has_nulls)
			compact_nulls(f, value, keep, done, end);
		node_put_rows(f, at, end, 0, true);
		done = end;
	}
	return done;
}

/* ---- scan_split_index ---- */

/* Numbers the rows `from` to `end` - 1 of a partition from 1 on, false rows first. */
static void
split_loop(const Column *bits, int64 from, int64 end, int64 *result)
{
	int64 next_false = 1, next_true = end - from + 1;

	FOR_INTERRUPTIBLE (i, from, end)
		next_true -= bit_at(bits, i);
	FOR_INTERRUPTIBLE (i, from, end)
	{
		bool bit = bit_at(bits, i);

		result[i] = bit ? next_true : next_false;
		next_true += bit;
		next_false += !bit;
	}
}

static int64
evaluate_split(RowFunction *f, const Block *block, int64 done)
{
	const Column *bits = is_called(f, block) ? NULL : row_column(f, block, SPLIT_BIT);

	if (bits == NULL || bits->has_nulls)
		return node_ahead_rows(f, block, done);
	while (done < block->n)
	{
		int64 end = block_unit_end(block, LOOKAHEAD_PARTITION, done);

		split_loop(bits, done, end, (int64 *) f->result.data.value);
		done = end;
	}
	return done;
}

void
node_compaction_start(RowFunction *f)
{
	node_ahead_start(f);
	f->evaluate = node_info(f)->kind == FUNCTION_COMPACT ? evaluate_compact : evaluate_split;
}
