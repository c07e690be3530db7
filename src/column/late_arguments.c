/*
 * late_arguments.c: lays the columns that late arguments read out as a row, and evaluates the arguments over it.
 */
#include "postgres.h"

#include "column/late_arguments.h"

/* Fills the slot with row i of a block's rows.  Values computed for another row are freed. */
static void
deferred_row_to(DeferredRow *deferred, const Rows *rows, int64 i)
{
	TupleTableSlot *slot = deferred->slot;

	ResetExprContext(deferred->econtext);
	ExecClearTuple(slot);
	for (int c = 0; c < deferred->columns; c++)
	{
		const Column *column = &rows->column[deferred->column[c]].data;
		int			  attno = deferred->attno[c];

		slot->tts_values[attno - 1] = column_get(column, i, &slot->tts_isnull[attno - 1]);
	}
	ExecStoreVirtualTuple(slot);
	deferred->econtext->ecxt_scantuple = slot;
	deferred->row = i;
}

Datum
deferred_value(DeferredRow *deferred, ExprState *expr, const Rows *rows, int64 i, bool *isnull)
{
	if (deferred->row != i)
		deferred_row_to(deferred, rows, i);
	return ExecEvalExprSwitchContext(expr, deferred->econtext, isnull);
}
