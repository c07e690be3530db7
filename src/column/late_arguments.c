/*
 * late_arguments.c: computes arguments that may fail just before their row is returned, so that an error comes up
 * there.
 *
 * The columns that such an argument reads are kept; for each row they are put into a slot, over which the argument's
 * expression is evaluated.
 */
#include "postgres.h"

#include "column/row_function.h"

void
late_row_begin(LateRow *late, EState *estate, TupleDesc desc)
{
	*late = (LateRow){.econtext = CreateExprContext(estate),
					  .slot = ExecInitExtraTupleSlot(estate, desc, &TTSOpsVirtual),
					  .attno = (AttrNumber *) palloc(Max(desc->natts, 1) * sizeof(AttrNumber)),
					  .column = (int *) palloc(Max(desc->natts, 1) * sizeof(int))};
}

void
late_row_read(LateRow *late, AttrNumber attno, int column)
{
	int place = 0;

	while (place < late->columns && late->attno[place] != attno)
		place++;
	late->attno[place] = attno;
	late->column[place] = column;
	late->columns = Max(late->columns, place + 1);
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
