/*
 * pull.c: rows of the child, laid down in columns.
 *
 * Of a plain scan of a table they are read by the page (pages.c); of any other child
 * asked for one by one.  Computed columns are evaluated as their row comes by.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "node/block.h"

/* Fills the columns of row i that come from the child's row in a slot. */
static inline void
put_row(BlockReader *reader, Rows *rows, int64 i, TupleTableSlot *slot)
{
	for (int c = 0; c < reader->columns; c++)
	{
		const BlockColumn *column = &reader->column[c];

		if (column->attno > 0)
			rows_put(rows, c, i, slot->tts_values[column->attno - 1], slot->tts_isnull[column->attno - 1]);
		else if (column->expr != NULL)
		{
			bool  isnull;
			Datum value = ExecEvalExprSwitchContext(column->expr, reader->econtext, &isnull);

			rows_put(rows, c, i, value, isnull);
		}
	}
}

int64
pull_rows(BlockReader *reader, Rows *rows, int64 most)
{
	Size  bytes = rows->bytes;
	int64 n = 0;

	if (reader->pages != NULL)
		return pages_pull(reader->pages, rows, most);
	while (n < most && !reader->child_ended && rows->bytes - bytes <= BLOCK_BYTES)
	{
		TupleTableSlot *slot;

		CHECK_FOR_INTERRUPTS();
		slot = ExecProcNode(reader->child);
		if (TupIsNull(slot))
		{
			reader->child_ended = true;
			break;
		}
		slot_getsomeattrs(slot, reader->last_attno);
		if (reader->computes)
		{
			ResetExprContext(reader->econtext);
			reader->econtext->ecxt_scantuple = slot;
		}
		if (unlikely(rows->n == rows->capacity))
			rows_reserve(rows, rows->n + 1);
		put_row(reader, rows, rows->n, slot);
		rows->n++;
		n++;
	}
	return n;
}
