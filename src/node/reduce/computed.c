/*
 * computed.c: computes the columns of a WindowReduce that are expressions in the target list of the subquery.
 *
 * chunk.c calls it.  Core projects a row, one expression after the other, before it looks at the conditions above.  So
 * errors come in the order of the rows, and then of the target list.  An expression that may raise an error is computed
 * even if nothing reads it.  Expressions over numbers and times are computed by loops for the whole chunk
 * (expression_rows.c).  If core might raise an error at a row of the chunk, the executor computes the whole chunk, row
 * by row as its rows are asked for.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "column/block.h"
#include "node/reduce/internal.h"

void
computed_begin(Computed *computed, MemoryContext memory)
{
	RowColumn *column = (RowColumn *) palloc0(Max(computed->n, 1) * sizeof(RowColumn));

	for (int c = 0; c < computed->n; c++)
		get_typlenbyval(exprType((const Node *) computed->column[c].e.expr), &column[c].data.length,
						&column[c].data.by_value);
	computed->results = rows_create(memory, column, computed->n, ROWS_BY_COLUMN);
	/* a chunk begins in the first byte of the bitmaps */
	rows_reserve(computed->results, REDUCE_ROWS + BITS_PER_BYTE);
	/* the bitmaps of NULLs stay where they are from now on */
	for (int c = 0; c < computed->n; c++)
		rows_put_null(computed->results, c, 0);
}

/* Gives the rows the columns.  The rows have the block's numbers. */
static void
show_results(const Computed *computed, Rows *rows)
{
	for (int c = 0; c < computed->n; c++)
	{
		Column *column;

		if (computed->column[c].column < 0)
			continue;
		column = &rows->column[computed->column[c].column].data;
		*column = computed->results->column[c].data;
		column->value -= computed->base * column->stride;
		column->nulls -= computed->base / BITS_PER_BYTE;
	}
}

/* Removes the results of a chunk. */
static void
clear_results(Computed *computed)
{
	computed->results->n = computed->results->capacity;
	rows_reset(computed->results);
}

void
computed_begin_chunk(Computed *computed, Rows *rows, int64 from, int64 end)
{
	computed->late.row = -1;
	computed->base = from - from % BITS_PER_BYTE;
	computed->by_executor = false;
	clear_results(computed);
	for (int c = 0; c < computed->n && !computed->by_executor; c++)
		computed->by_executor = computed->column[c].e.loops != NULL &&
								!expression_run(&computed->column[c].e, &computed->late, rows, from, end - from,
												computed->results, c, from - computed->base);
	if (computed->by_executor)
		clear_results(computed);
	computed->loop_bytes = computed->results->arena.used;
	show_results(computed, rows);
}

/* Has the executor compute a column at row i. */
static void
compute_value(Computed *computed, int c, Rows *rows, int64 i)
{
	int	  column = computed->column[c].column;
	bool  isnull;
	Datum value = late_value(&computed->late, computed->column[c].e.state, rows, i, &isnull);

	if (column < 0)
		return;
	rows_put(computed->results, c, i - computed->base, value, isnull);
	rows->column[column].data.has_nulls |= isnull;
}

bool
computed_is_full(const Computed *computed)
{
	return computed->n > 0 && computed->results->arena.used - computed->loop_bytes > BLOCK_MAX_BYTES;
}

/* Returns the first column that the executor computes. */
static int
first_by_executor(const Computed *computed)
{
	int first = 0;

	while (first < computed->n && computed->column[first].e.loops != NULL && !computed->by_executor)
		first++;
	return first;
}

bool
computed_by_loops(const Computed *computed)
{
	return first_by_executor(computed) == computed->n;
}

int64
computed_rows(Computed *computed, Rows *rows, int64 from, int64 end, bool is_first)
{
	int	  first = first_by_executor(computed);
	int64 stop = from;

	if (first == computed->n)
		return end;
	if (is_first)
		computed->results->arena.used = computed->loop_bytes;
	do
	{
		CHECK_FOR_INTERRUPTS();
		for (int c = first; c < computed->n; c++)
			if (computed->column[c].e.loops == NULL || computed->by_executor)
				compute_value(computed, c, rows, stop);
	} while (++stop < end && !computed_is_full(computed));
	return stop;
}
