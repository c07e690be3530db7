/*
 * expression_rows.c: computes an expression over columns for some rows, which expression.c has prepared.
 *
 * computed.c and chunk.c call it, for a column and for a condition.  The steps run one after the other, each over all
 * of at most REDUCE_ROWS rows.  A step that is a column takes the block's values where they lie, if they are Datums
 * there; else it copies them.  A parameter has its value from the first row on that reaches the step, and then for all
 * rows of the scan.  The values of the last step are a column of results, or tell which rows are kept.
 *
 * A loop that meets a row at which core might raise an error ends the run.  What the steps have computed by then is
 * thrown away: a column is computed again by the executor (computed.c), and a condition here, row by row.
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"

#include "column/stretch.h"
#include "node/reduce/internal.h"
#include "op/fn.h"

/* ---- values of a step ---- */

/*
 * Sets *value to an interval in microseconds, as if a day had 24 hours and a month 30 days: so core compares intervals.
 * Returns false if there are too many.
 */
static bool
span_of(Datum *value)
{
	const Interval *interval = DatumGetIntervalP(*value);
	scan_int128		span = ((scan_int128) interval->month * DAYS_PER_MONTH + interval->day) * USECS_PER_DAY +
					   interval->time;

	*value = Int64GetDatum((int64) span);
	return span >= PG_INT64_MIN && span <= PG_INT64_MAX;
}

bool
expression_fill(Step *step, Datum value, bool isnull)
{
	if (step->span && !isnull && !span_of(&value))
		return false;
	for (int64 i = 0; i < REDUCE_ROWS; i++)
		step->value[i] = isnull ? (Datum) 0 : value;
	memset(step->isnull, isnull, REDUCE_ROWS * sizeof(bool));
	step->nulls = isnull;
	step->known = true;
	return true;
}

/* Reads the values of a column.  Returns false if they do not fit in the step. */
static bool
load_column(Step *step, const Column *column, int64 from, int64 n)
{
	const char *at = column->value + from * column->stride;
	Datum	   *value = step->own;
	bool		fits = true;

	step->nulls = column->has_nulls;
	if (column->has_nulls)
		for (int64 i = 0; i < n; i++)
			value[i] = column_get(column, from + i, &step->isnull[i]);
	else
		memset(step->isnull, false, n * sizeof(bool));
	if (!column->has_nulls && column_is_dense(column, COLUMN_INT64) && (uintptr_t) at % sizeof(Datum) == 0)
		value = (Datum *) unconstify(char *, at);
	else if (!column->has_nulls && column_is_dense(column, COLUMN_INT32))
		for (int64 i = 0; i < n; i++)
			value[i] = Int32GetDatum(((const int32 *) at)[i]);
	else if (!column->has_nulls)
		for (int64 i = 0; i < n; i++)
			value[i] = column_datum(column, from + i);
	step->value = value;
	for (int64 i = 0; i < n && step->span && fits; i++)
		fits = step->isnull[i] || span_of(&value[i]);
	return fits;
}

/*
 * Computes a parameter's value, if core reads the parameter at one of n rows.  Returns false if the value does not fit
 * in the step.
 */
static bool
ask(Step *step, ExprContext *econtext, int64 n)
{
	MemoryContext old;
	Datum		  value;
	bool		  isnull;

	if (step->known || memchr(step->out, false, n) == NULL)
		return true;
	value = ExecEvalExprSwitchContext(step->param, econtext, &isnull);
	if (step->numeric && step->value[0] != (Datum) 0)
		pfree(DatumGetPointer(step->value[0]));
	old = MemoryContextSwitchTo(econtext->ecxt_per_query_memory);
	if (step->numeric && !isnull)
		value = NumericGetDatum(DatumGetNumericCopy(value));
	MemoryContextSwitchTo(old);
	return expression_fill(step, value, isnull);
}

/* ---- the steps ---- */

/* Returns the place of an interval of so many microseconds, as timestamp - timestamp makes it: in days and a rest. */
static uint64
store_interval(Rows *results, int64 microseconds)
{
	Interval *interval = (Interval *) arena_reserve(&results->arena, results->arrays, sizeof(Interval));

	interval->time = microseconds % USECS_PER_DAY;
	interval->day = (int32) (microseconds / USECS_PER_DAY);
	interval->month = 0;
	return arena_keep(&results->arena, sizeof(Interval));
}

/* Stores the values of the last step. */
static void
store_results(const Loops *loops, int64 n, Rows *results, int to, int64 at)
{
	const Step *last = &loops->step[loops->n - 1];
	Column		column = results->column[to].data;

	for (int64 i = 0; i < n; i++)
		column_store(&column, at + i,
					 loops->interval ? store_interval(results, DatumGetInt64(last->value[i])) : last->value[i]);
	if (memchr(last->isnull, true, n) == NULL)
		return;
	for (int64 i = 0; i < n; i++)
		if (last->isnull[i])
			rows_put_null(results, to, at + i);
}

/* Runs the loops.  Returns false if core might raise an error. */
static bool
run_steps(Loops *loops, ExprContext *econtext, const Rows *rows, int64 from, int64 n)
{
	for (int s = 0; s < loops->n; s++)
	{
		Step *step = &loops->step[s];
		bool  runs = true;

		if (step->loop != NULL)
		{
			step->nulls = true;
			runs = step->loop(step, &loops->step[step->left], &loops->step[step->right], n);
		}
		else if (step->column >= 0)
			runs = load_column(step, &rows->column[step->column].data, from, n);
		else if (step->param != NULL)
			runs = ask(step, econtext, n);
		if (!runs)
			return false;
	}
	return true;
}

bool
expression_run(RowExpression *expression, LateRow *late, const Rows *rows, int64 from, int64 n, Rows *results, int to,
			   int64 at)
{
	if (!run_steps(expression->loops, late->econtext, rows, from, n))
		return false;
	store_results(expression->loops, n, results, to, at);
	return true;
}

/* Computes a condition by its loops.  Returns false if core might raise an error, or there are none. */
static bool
filter_by_loops(Loops *loops, ExprContext *econtext, const Rows *rows, int64 from, int64 n, bool *keep)
{
	const Step	*last;
	const Datum *value;
	const bool	*isnull;

	if (loops == NULL)
		return false;
	for (int64 i = 0; i < n && loops->heeds; i++)
		loops->skipped[i] = !keep[i];
	if (!run_steps(loops, econtext, rows, from, n))
		return false;
	last = &loops->step[loops->n - 1];
	value = last->value;
	isnull = last->isnull;
	for (int64 i = 0; i < n && last->nulls; i++)
		keep[i] = keep[i] & !isnull[i];
	for (int64 i = 0; i < n; i++)
		keep[i] = keep[i] & DatumGetBool(value[i]);
	return true;
}

bool
expression_filter(RowExpression *expression, LateRow *late, const Rows *rows, int64 from, int64 n, bool *keep,
				  bool tries)
{
	if (filter_by_loops(expression->loops, late->econtext, rows, from, n, keep))
		return true;
	if (tries && expression->errors == ERRORS_AT_ROWS)
		return false;
	FOR_INTERRUPTIBLE (i, 0, n)
	{
		bool  isnull;
		Datum value;

		if (!keep[i])
			continue;
		value = late_value(late, expression->state, rows, from + i, &isnull);
		keep[i] = !isnull && DatumGetBool(value);
	}
	return true;
}

void
expression_forget(RowExpression *expression)
{
	for (int s = 0; expression->loops != NULL && s < expression->loops->n; s++)
		expression->loops->step[s].known = false;
}
