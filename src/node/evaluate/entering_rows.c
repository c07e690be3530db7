/*
 * entering_rows.c: arguments that may raise an error, of aggregates over frames that rows leave: each is computed once,
 * when its row enters a frame.
 *
 * WindowAgg evaluates the FILTER and the arguments of a row when the row enters the frame.  An aggregate without an
 * inverse transition function has WindowAgg begin again at each frame, with the same values: frames of 1,000 rows would
 * compute each argument a thousand times.  Here an argument becomes a column of the block, like one that cannot fail,
 * and the aggregate is evaluated by the strategy that it would have over such a column (aggregate/aggregate.c).  The
 * strategy sees the block only as far as all rows of the frames are computed.
 *
 * A row whose argument fails may never be asked for, and its error comes after those of the rows before it
 * (node/error_timing/README.md).  So the frame of the row that is asked for is computed as it is, and those of the
 * block's other rows are tried in a subtransaction.  If one of them fails, the block is evaluated up to that row, and
 * the error is raised once the row is asked for.  Where rows cannot be tried, they are computed one by one.  A strategy
 * that would begin anew at each of them gives way to the aggregate's inverse transition function, if it has one.
 *
 * Values may be wide, and a window may have many functions.  So frames are computed only until the values take their
 * part of the budget, and values are dropped when no later frame has their row.  The values of one frame are kept in
 * any case, as are the rows of a block that a frame reaches: the pool may spill.
 *
 * Rejected: to compute the arguments of one row at a time, and have each strategy take one row more.  Floats are added
 * up many frames at a time (aggregate/refold.c), and everything else would have had to keep what it knows of a frame
 * apart from the block.  Rejected: to compute all of a block where all rows are wanted, without a subtransaction.  Of
 * two errors, the user would see the one of the later row.  Rejected: to leave values that are not passed by value to
 * the aggregate's own functions, which add up each frame anew: the maximum of 20,000 texts over frames of 1,000 rows
 * took 10 s, and takes 13 ms.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"

#include "error.h"
#include "node/evaluate/function.h"

/* The flags of the rows that are computed. */
static bool *
computed(const Rows *rows)
{
	return (bool *) rows->column[rows->columns - 1].data.value;
}

/* Stores a value in a row that may be NULL. */
static void
put_value(Rows *rows, int c, int64 i, Datum value, bool isnull)
{
	if (rows->column[c].data.has_nulls)
		scan_bit_put(rows->column[c].data.nulls, i, false);
	rows_put(rows, c, i, value, isnull);
}

/* Copies row `from` of other rows with the same columns to row i. */
static void
carry_row(Rows *rows, int64 i, const Rows *other, int64 from)
{
	for (int c = 0; c < rows->columns; c++)
	{
		bool  isnull = true;
		Datum value = rows->column[c].constant ? 0 : column_get(&other->column[c].data, from, &isnull);

		if (!rows->column[c].constant)
			put_value(rows, c, i, value, isnull);
	}
}

/* ---- frames ---- */

/* Computes a row as WindowAgg does: for each aggregate the FILTER first, and then the arguments if the row passes. */
static void
compute_row(EnteringRows *entering, int64 i)
{
	for (int k = 0; k < entering->functions; k++)
	{
		const NodeFunction *function = &entering->function[k];
		const RowFunction  *late = &function->late;
		bool				passes = function->strategy != NULL && row_filter(late, entering->block, i);

		if (late->late_filter != NULL)
			put_value(entering->now, late->filter, i, BoolGetDatum(passes), false);
		for (int a = 0; a < late->arguments; a++)
		{
			bool  isnull = true, is_late = argument_is_late(late, a);
			Datum value = passes && is_late ? row_argument(late, entering->block, a, i, &isnull) : 0;

			if (is_late)
				put_value(entering->now, late->argument[a], i, value, isnull);
		}
	}
	computed(entering->now)[i] = true;
}

/* FrameTake */
static void
enter_rows(void *arg, int64 from, int64 end, bool leave)
{
	EnteringRows *entering = (EnteringRows *) arg;

	FOR_INTERRUPTIBLE (i, from, leave ? from : end)
		if (!computed(entering->now)[i])
			compute_row(entering, i);
}

/*
 * Computes the frames of rows up to row `end` - 1, or until memory is full.  If one raises an error, `known` is its
 * row.
 */
static void
compute_frames(EnteringRows *entering, int64 end)
{
	for (; entering->known < end && entering->now->arena.used < entering->full; entering->known++)
		content_move(&entering->content, entering->block, entering->known, enter_rows, entering);
}

/* The same up to the block's end. */
static void
compute_all_frames(void *entering)
{
	compute_frames((EnteringRows *) entering, ((EnteringRows *) entering)->block->n);
}

/* ---- the rows ---- */

/*
 * Goes on at row `row` with new rows beside those of the block.  Of the rows that are computed, row `from` and those
 * after it are kept, each `shift` rows nearer to the first one.  A strategy may read rows that are in no frame, whose
 * values it does not use: these are zeros or NULL.
 */
static void
renew_rows(EnteringRows *entering, int64 row, int64 from, int64 shift)
{
	const Rows *block = entering->block->rows;
	Rows	   *old = entering->now, *now = rows_create_like(old);

	pool_may_spill(now->arrays);
	rows_reserve(now, block->n);
	now->n = block->n;
	for (int c = 0; c < now->columns; c++)
	{
		Column *data = &now->column[c].data;

		if (now->column[c].constant)
			*data = block->column[c].data;
		else if (data->by_value)
			stretch_fill(data->value, 0, now->n * data->stride);
		else
			FOR_INTERRUPTIBLE (i, 0, now->n)
				rows_put_null(now, c, i);
	}
	FOR_INTERRUPTIBLE (i, from, Min(old->n, shift + now->n))
		if (computed(old)[i])
			carry_row(now, i - shift, old, i);
	rows_free(old);
	entering->now = now;
	entering->from = entering->known = row;
	entering->content.parts = 0;
	entering->full = rows_size(now) + Max(entering->limit, rows_size(now) / 2);
}

/*
 * Computes the frame of a row that is asked for, and of later rows if that cannot be seen.  Returns the row up to which
 * frames are computed.  A process of several cannot begin a subtransaction, and a recovery conflict that comes in one
 * ends the session of a standby: there, an error comes up at once.  A function of a user is not tried: one in SQL keeps
 * its statement open when it fails, and would go on with it after the subtransaction.  If a row fails that was tried,
 * it is computed again when it is asked for.  A cancel is not about a row.
 *
 * Where the values take too much memory, those of rows that have left the last frame are dropped.  The rows of the last
 * frame itself are kept, since some may leave now.  A function that is evaluated over the whole block after another one
 * comes to rows that were dropped, and they are computed again.
 */
static int64
compute_from(EnteringRows *entering, int64 row)
{
	const Block *block = entering->block;
	ErrorData	*error = NULL;

	if (row >= entering->from && row < entering->known)
		return entering->known;
	if (row < entering->from)
		renew_rows(entering, row, block->rows->n, 0);
	else if (entering->now->arena.used >= entering->full)
		renew_rows(entering, row, block->frame[row - 1].head, 0);
	compute_frames(entering, row + 1);
	if (IsInParallelMode() || RecoveryInProgress())
		compute_frames(entering, entering->all ? block->n : row + 1);
	else if (entering->known < block->n && !entering->may_side_effect)
		error = scan_subtransaction(compute_all_frames, entering);
	if (error != NULL && error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	if (error != NULL)
		FreeErrorData(error);
	return entering->known;
}

/* An EvaluateRows.  The strategy goes on where more rows are computed, unless it has read one as in no frame. */
static int64
evaluate_entered(RowFunction *f, const Block *block, int64 done)
{
	NodeFunction *function = (NodeFunction *) f;
	Block		  view = *block;

	if (done == block->begin || done >= function->view_end)
	{
		if (done == block->begin || (f->needs & NEEDS_EXCLUSION) ||
			(function->aggregate.op->traits & AGGREGATE_READS_ALL))
			function->view_begin = done;
		function->view_end = compute_from(function->entering, done);
	}
	view.rows = function->entering->now;
	view.begin = function->view_begin;
	view.n = function->view_end;
	return function->strategy(f, &view, done);
}

/* ---- the node ---- */

void
entering_start(RowFunction *f, void (*start)(Aggregate *aggregate))
{
	NodeFunction *function = (NodeFunction *) f;
	EnteringRows *entering = function->entering;

	if (f->late_filter != NULL)
		entering->late = bms_add_member(entering->late, f->filter);
	for (int a = 0; a < f->arguments; a++)
		if (argument_is_late(f, a))
			entering->late = bms_add_member(entering->late, f->argument[a]);
	function->late = *f;
	f->late = NULL;
	f->late_filter = NULL;
	f->late_row = NULL;
	if (entering->may_side_effect || entering->limited || RecoveryInProgress())
		f->needs |= NEEDS_ROW_BY_ROW;
	start(&function->aggregate);
	function->strategy = f->evaluate;
	f->evaluate = evaluate_entered;
}

void
entering_begin(EnteringRows *entering, const RowColumn *column, int columns, Size limit)
{
	RowColumn *own = (RowColumn *) palloc((columns + 1) * sizeof(RowColumn));

	for (int c = 0; c < columns; c++)
		own[c] = (RowColumn){.constant = !bms_is_member(c, entering->late), .the_isnull = true, .data = column[c].data};
	own[columns] = (RowColumn){.data = {.length = sizeof(bool), .by_value = true}};
	if (entering->late != NULL)
		entering->now = rows_create(CurrentMemoryContext, own, columns + 1, ROWS_BY_COLUMN);
	entering->limit = limit;
}

/* A frame that reaches into a block from the block before lies in one partition. */
void
entering_new_block(EnteringRows *entering, const Block *block, bool all)
{
	int64 shift = block->first - entering->first;

	entering->block = block;
	entering->first = block->first;
	entering->all = all;
	if (entering->late != NULL)
		renew_rows(entering, block->begin, block_begins_anew(block, block->begin) ? PG_INT64_MAX : shift, shift);
}
