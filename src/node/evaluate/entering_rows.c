/*
 * entering_rows.c: see entering_rows.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "utils/resowner.h"

#include "node/error_timing/error_timing.h"
#include "node/evaluate/entering_rows.h"

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
	const Column *column = &rows->column[c].data;

	if (column->has_nulls)
		scan_bit_put(column->nulls, i, false);
	rows_put(rows, c, i, value, isnull);
}

/* ---- one row ---- */

/* Computes a row as WindowAgg does: for each aggregate the FILTER first, and then the arguments if the row passes. */
static void
compute_row(EnteringRows *entering, int64 i)
{
	for (int k = 0; k < entering->functions; k++)
	{
		const RowFunction *late = &entering->function[k].late;
		bool			   passes;

		if (entering->function[k].strategy == NULL)
			continue;
		passes = row_filter(late, entering->block, i);
		if (late->late_filter != NULL)
			put_value(entering->now, late->filter, i, BoolGetDatum(passes), false);
		for (int a = 0; a < late->arguments; a++)
		{
			bool  isnull = true;
			Datum value = 0;

			if (!argument_is_late(late, a))
				continue;
			if (passes)
				value = row_argument(late, entering->block, a, i, &isnull);
			put_value(entering->now, late->argument[a], i, value, isnull);
		}
	}
	computed(entering->now)[i] = true;
}

/* Copies a row of the block before to row `to`. */
static void
carry_row(EnteringRows *entering, int64 i, int64 to)
{
	for (int c = 0; c < entering->now->columns; c++)
	{
		bool  isnull;
		Datum value;

		if (entering->now->column[c].constant)
			continue;
		value = column_get(&entering->before->column[c].data, i, &isnull);
		put_value(entering->now, c, to, value, isnull);
	}
}

/* ---- frames ---- */

/* FrameTake */
static void
enter_rows(void *arg, int64 from, int64 end, bool leave)
{
	EnteringRows *entering = (EnteringRows *) arg;

	FOR_INTERRUPTIBLE (i, from, leave ? from : end)
		if (!computed(entering->now)[i])
			compute_row(entering, i);
}

/* Computes the frames of rows up to row `end` - 1.  If one raises an error, `known` is its row. */
static void
compute_frames(EnteringRows *entering, int64 end)
{
	for (; entering->known < end; entering->known++)
		content_move(&entering->content, entering->block, entering->known, enter_rows, entering);
}

/*
 * The same, up to the row whose frame raises an error.  That row is computed again when it is asked for.  A cancel is
 * not about a row.
 */
static void
try_frames(EnteringRows *entering, int64 end)
{
	MemoryContext memory = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(memory);
	PG_TRY();
	{
		compute_frames(entering, end);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(memory);
		error = CopyErrorData();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(memory);
	CurrentResourceOwner = owner;
	if (error == NULL)
		return;
	if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
		ReThrowError(error);
	FreeErrorData(error);
}

/*
 * Computes the frame of a row that is asked for, and of later rows if that cannot be seen.  Returns the row up to which
 * frames are computed.  A process of several cannot begin a subtransaction, and a recovery conflict that comes in one
 * ends the session of a standby: there, an error comes up at once.  A function of a user is not tried: one in SQL keeps
 * its statement open when it fails, and would go on with it after the subtransaction.
 */
static int64
compute_from(EnteringRows *entering, int64 row)
{
	int64 end = entering->block->n;

	if (row < entering->known)
		return entering->known;
	compute_frames(entering, row + 1);
	if (IsInParallelMode() || RecoveryInProgress())
		compute_frames(entering, entering->all ? end : row + 1);
	else if (entering->known < end && !entering->may_side_effect)
		try_frames(entering, end);
	return entering->known;
}

/* An EvaluateRows.  The strategy goes on where more rows are computed, unless it has read one as in no frame. */
static int64
evaluate_entered(RowFunction *f, const Block *block, int64 done)
{
	NodeFunction *function = (NodeFunction *) f;
	bool		  begins_anew = f->excludes || (function->aggregate.op->traits & AGGREGATE_READS_ALL);
	Block		  view = *block;

	if (done == block->begin || done >= function->view_end)
	{
		if (done == block->begin || begins_anew)
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
	start(&function->aggregate);
	function->strategy = f->evaluate;
	f->evaluate = evaluate_entered;
}

void
entering_begin(EnteringRows *entering, const RowColumn *column, int columns, const List *exprs)
{
	RowColumn *own = (RowColumn *) palloc((columns + 1) * sizeof(RowColumn));

	for (int c = 0; c < columns; c++)
		own[c] = (RowColumn){.constant = !bms_is_member(c, entering->late), .the_isnull = true, .data = column[c].data};
	own[columns] = (RowColumn){.data = {.length = sizeof(bool), .by_value = true}};
	if (entering->late == NULL)
		return;
	entering->may_side_effect = expression_may_side_effect((const Node *) exprs);
	entering->now = rows_create(CurrentMemoryContext, own, columns + 1, ROWS_BY_COLUMN);
	entering->before = rows_create_like(entering->now);
	pool_may_spill(entering->now->arrays);
	pool_may_spill(entering->before->arrays);
}

/*
 * Makes rows of which none is computed beside those of a block.  A strategy may read rows that are in no frame, whose
 * values it does not use.
 */
static void
begin_rows(Rows *rows, const Rows *block)
{
	/* nothing of the block before is reset */
	for (int c = 0; c < block->columns; c++)
		if (rows->column[c].constant)
			rows->column[c].data = (Column){0};
	rows_reset(rows);
	rows_reserve(rows, block->n);
	rows->n = block->n;
	for (int c = 0; c < rows->columns; c++)
	{
		Column *data = &rows->column[c].data;

		if (rows->column[c].constant)
			*data = block->column[c].data;
		else if (data->by_value)
			stretch_fill(data->value, 0, rows->n * data->stride);
		else
			FOR_INTERRUPTIBLE (i, 0, rows->n)
				rows_put_null(rows, c, i);
	}
}

/* A frame that reaches into a block from the block before lies in one partition. */
void
entering_new_block(EnteringRows *entering, const Block *block, bool all)
{
	Rows *now = entering->before;
	int64 shift = block->first - entering->first;

	if (entering->late == NULL)
		return;
	begin_rows(now, block->rows);
	entering->before = entering->now;
	entering->now = now;
	if (!block_begins_anew(block, block->begin))
		FOR_INTERRUPTIBLE (i, shift, Min(entering->before->n, shift + now->n))
			if (computed(entering->before)[i])
				carry_row(entering, i, i - shift);
	entering->first = block->first;
	entering->block = block;
	entering->all = all;
	entering->content.parts = 0;
	entering->known = block->begin;
}
