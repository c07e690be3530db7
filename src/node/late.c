/*
 * late.c: arguments that are computed when their row is answered.
 */
#include "postgres.h"

#include "node/late.h"

void
late_row_to(LateRow *late, const Block *block, int64 i)
{
	TupleTableSlot *slot = late->slot;

	ResetExprContext(late->econtext);
	ExecClearTuple(slot);
	for (int c = 0; c < late->columns; c++)
	{
		const RowColumn *column = &block->rows->column[late->column[c]];

		slot->tts_values[late->attno[c] - 1] = column->value[i];
		slot->tts_isnull[late->attno[c] - 1] = column->isnull[i];
	}
	ExecStoreVirtualTuple(slot);
	late->econtext->ecxt_scantuple = slot;
	late->row = i;
}
