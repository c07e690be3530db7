/*
 * value.c: the functions that show the value of another row: lag, lead, first_value,
 * last_value, nth_value.
 *
 * A value that a later block shows is copied (column/retained.h): the rows of a block are gone when
 * the next one comes.
 */
#include "postgres.h"

#include "utils/datum.h"

#include "column/retained.h"
#include "column/stretch.h"
#include "node/eval/kinds.h"

typedef struct Values
{
	RetainedType   type;
	int64		   offset; /* of lag, lead and nth_value */
	int64		   row;	   /* rows of the partition so far */
	int64		   end;	   /* lead: of the partition, in the block */
	RetainedDatum *kept;   /* lag: the last values, at row % (offset + 1); else one */
} Values;

/* Keeps the value of row i at a place. */
static void
keep(NodeFunction *f, const Block *block, int64 i, RetainedDatum *place)
{
	bool  isnull;
	Datum value = node_argument(f, block, 0, i, &isnull);

	retained_set(place, &((Values *) f->state)->type, value, isnull, f->query);
}

static void
put_retained(NodeFunction *f, int64 i, const RetainedDatum *retained)
{
	node_put(f, i, retained->value, retained->isnull);
}

/* The result at row i: an argument at row `from`. */
static void
put_argument(NodeFunction *f, const Block *block, int64 i, int argument, int64 from)
{
	bool  isnull;
	Datum value = node_argument(f, block, argument, from, &isnull);

	if (!f->result.by_value && !isnull && node_is_deferred(f, argument))
	{
		MemoryContext old = MemoryContextSwitchTo(f->results);

		value = datumCopy(value, f->result.by_value, f->result.length);
		MemoryContextSwitchTo(old);
	}
	node_put(f, i, value, isnull);
}

static void
put_row(NodeFunction *f, const Block *block, int64 i, int64 from)
{
	put_argument(f, block, i, 0, from);
}

/* The result where there is no such row: the default, computed at the current row. */
static void
put_default(NodeFunction *f, const Block *block, int64 i)
{
	if (f->arguments > 2)
		put_argument(f, block, i, 2, i);
	else
		node_put(f, i, 0, true);
}

static void
lag_row(NodeFunction *f, const Block *block, int64 i)
{
	Values *values = (Values *) f->state;
	int64	offset = values->offset;

	if (block->head[i])
		values->row = 0;
	if (offset == 0)
		put_row(f, block, i, i);
	else if (values->row < offset)
		put_default(f, block, i);
	else if (i >= offset)
		put_row(f, block, i, i - offset);
	else
		put_retained(f, i, &values->kept[(values->row + 1) % (offset + 1)]);

	/* only the block's last rows are asked for by the next: not where it is a new partition */
	if (i + offset >= block->n && f->lookahead == LOOKAHEAD_NONE)
		keep(f, block, i, &values->kept[values->row % (offset + 1)]);
	values->row++;
}

/*
 * lag: one row where it is shown from a place that is kept, since that is the next to be
 * overwritten, and where a value may fail; else the rest of the block
 */
static int64
evaluate_lag(NodeFunction *f, const Block *block, int64 i)
{
	int64 end = i < ((Values *) f->state)->offset || f->deferred_row != NULL ? i + 1 : block->n;

	STRETCHES (row, i, end)
		lag_row(f, block, row);
	return end;
}

/* lead: a partition, which is whole in the block, or a row of it where a value may fail */
static int64
evaluate_lead(NodeFunction *f, const Block *block, int64 done)
{
	Values *values = (Values *) f->state;
	int64	offset = values->offset;
	int64	end;

	if (block->head[done])
		values->end = block_unit_end(block, LOOKAHEAD_PARTITION, done);
	end = f->deferred_row != NULL ? done + 1 : values->end;
	STRETCHES (i, done, end)
	{
		if (i + offset < values->end)
			put_row(f, block, i, i + offset);
		else
			put_default(f, block, i);
	}
	return end;
}

/* first_value: to the end of the partition, the next one's first row takes the place */
static int64
evaluate_first(NodeFunction *f, const Block *block, int64 i)
{
	Values *values = (Values *) f->state;
	int64	end = block_unit_end(block, LOOKAHEAD_PARTITION, i);

	if (block->head[i])
		keep(f, block, i, &values->kept[0]);
	STRETCHES (row, i, end)
		put_retained(f, row, &values->kept[0]);
	return end;
}

/* last_value: of the row, of its last peer, or of the partition's last row */
static int64
evaluate_last(NodeFunction *f, const Block *block, int64 done)
{
	bool  one = f->deferred_row != NULL;
	int64 i = done;

	do
	{
		int64 end = block_unit_end(block, f->lookahead, i);

		STRETCHES (row, i, end)
			put_row(f, block, row, end - 1);
		i = end;
	} while (i < block->n && !one);
	return i;
}

/* nth_value: NULL until the frame, which ends with the unit, has so many rows */
static int64
evaluate_nth(NodeFunction *f, const Block *block, int64 done)
{
	Values *values = (Values *) f->state;
	int64	end = block_unit_end(block, f->lookahead, done);

	STRETCHES (i, done, end)
	{
		if (block->head[i])
		{
			values->row = 0;
			retained_clear(&values->kept[0]);
		}
		if (++values->row == values->offset)
			keep(f, block, i, &values->kept[0]);
	}
	STRETCHES (i, done, end)
	{
		if (values->kept[0].present)
			put_retained(f, i, &values->kept[0]);
		else
			node_put(f, i, 0, true);
	}
	return end;
}

/* The constant second argument; `none` where there is no second one. */
static int64
offset_of(const NodeFunction *f, int64 none)
{
	return f->arguments < 2 ? none : DatumGetInt32(((Const *) lsecond(f->wfunc->args))->constvalue);
}

void
node_value_start(NodeFunction *f)
{
	Values *values = (Values *) MemoryContextAllocZero(f->query, sizeof(Values));

	values->type = retained_type(f->wfunc->wintype);
	values->offset = offset_of(f, 1);
	values->kept = (RetainedDatum *) MemoryContextAllocZero(
		f->query, (f->kind == FUNCTION_LAG ? values->offset + 1 : 1) * sizeof(RetainedDatum));
	f->state = values;
	switch (f->kind)
	{
		case FUNCTION_LAG:
			f->evaluate = evaluate_lag;
			break;
		case FUNCTION_LEAD:
			f->evaluate = evaluate_lead;
			break;
		case FUNCTION_FIRST_VALUE:
			f->evaluate = evaluate_first;
			break;
		case FUNCTION_LAST_VALUE:
			f->evaluate = evaluate_last;
			break;
		default:
			f->evaluate = evaluate_nth;
			break;
	}
}
