/*
 * late_arguments.c: computes arguments that may fail just before their row is returned, so that an error comes up
 * there.
 *
 * The columns that such an argument reads are kept; for each row they are put into a slot, over which the argument's
 * expression is evaluated.
 */
#include "postgres.h"

#include "column/late_arguments.h"

int
late_row_place(LateRow *late, AttrNumber attno, bool *added)
{
	int place = 0;

	while (place < late->columns && late->attno[place] != attno)
		place++;
	*added = place == late->columns;
	if (*added)
		late->attno[late->columns++] = attno;
	return place;
}

/* Fills the slot with row i of a block's rows.  Values computed for another row are freed. */
static void
late_row_to(LateRow *late, const Rows *rows, int64 i)
{
	TupleTableSlot *slot = late->slot;

	ResetExprContext(late->econtext);
	ExecClearTuple(slot);
	for (int c = 0; c < late->columns; c++)
	{
		const Column *column = &rows->column[late->column[c]].data;
		int			  attno = late->attno[c];

		slot->tts_values[attno - 1] = column_get(column, i, &slot->tts_isnull[attno - 1]);
	}
	ExecStoreVirtualTuple(slot);
	late->econtext->ecxt_scantuple = slot;
	late->row = i;
}

Datum
late_value(LateRow *late, ExprState *expr, const Rows *rows, int64 i, bool *isnull)
{
	if (late->row != i)
		late_row_to(late, rows, i);
	return ExecEvalExprSwitchContext(expr, late->econtext, isnull);
}
