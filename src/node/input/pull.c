/*
 * pull.c: gets rows of the child and lays them down in columns, the shortest way there is.
 *
 * stream_block.c, sorted.c and order_ranges.c pull rows here.  A plain scan of a table is read by the page (pages.c).
 * Rows of another PrefixScan are copied from its blocks.  Any other child is asked row by row.  A subquery scan that
 * passes its rows on unchanged is skipped.  Computed columns are evaluated while their row is in the slot.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"

#include "column/stretch.h"
#include "node/input/pull.h"

/* ---- the way ---- */

/* Returns the column of the subquery that the subquery scan returns as column `attno`; 0: the scan computes it. */
static AttrNumber
passed_on(const SubqueryScan *plan, AttrNumber attno)
{
	const Var *var = (const Var *) list_nth_node(TargetEntry, plan->scan.plan.targetlist, attno - 1)->expr;

	return IsA(var, Var) && var->varno == plan->scan.scanrelid && var->varattno > 0 ? var->varattno : 0;
}

/* Skips a subquery scan: makes the node below it the source, if it gives the same columns. */
static void
look_through(BlockReader *reader)
{
	const SubqueryScan *plan = (const SubqueryScan *) reader->source->plan;

	if (!IsA(reader->source, SubqueryScanState) || reader->source->qual != NULL || reader->computes)
		return;
	for (int c = 0; c < reader->columns; c++)
		if (reader->column[c].attno > 0 && passed_on(plan, reader->column[c].attno) == 0)
			return;
	for (int c = 0; c < reader->columns; c++)
		if (reader->column[c].attno > 0)
			reader->column[c].source = passed_on(plan, reader->column[c].attno);
	reader->source = ((SubqueryScanState *) reader->source)->subplan;
}

/* Returns a reader of the source's pages; NULL if the source is no plain scan. */
static Pages *
page_reader(const BlockReader *reader)
{
	AttrNumber *attno = (AttrNumber *) palloc(Max(reader->columns, 1) * sizeof(AttrNumber));

	for (int c = 0; c < reader->columns; c++)
		attno[c] = reader->column[c].source;
	return pages_create(reader->source, attno, reader->columns);
}

void
pull_begin(BlockReader *reader)
{
	reader->source = reader->child;
	for (int c = 0; c < reader->columns; c++)
	{
		reader->column[c].source = reader->column[c].attno;
		reader->computes = reader->computes || reader->column[c].expr != NULL;
	}
	look_through(reader);
	for (int c = 0; c < reader->columns; c++)
		reader->last_attno = Max(reader->last_attno, reader->column[c].source);
	/* computed columns need the child's row in a slot */
	if (reader->computes)
		return;
	reader->block_source = reader->find_block_source(reader->source);
	if (reader->block_source == NULL)
		reader->pages = page_reader(reader);
}

/* ---- blocks of a PrefixScan ---- */

static int64
take_rows(BlockReader *reader, Rows *rows, int64 limit)
{
	const BlockSource *blocks = reader->block_source;
	PlanState		  *node = reader->source;
	int64			   n, at = rows->n;

	if (node->chgParam != NULL)
		ExecReScan(node);
	if (node->instrument)
		InstrStartNode(node->instrument);
	n = Min(limit, blocks->ready(node));
	rows_reserve(rows, at + n);
	for (int c = 0; c < reader->columns; c++)
	{
		const Column *column;
		int64		  first;

		if (reader->column[c].source == 0)
			continue;
		column = blocks->column(node, reader->column[c].source, &first);
		FOR_INTERRUPTIBLE (i, 0, n)
		{
			bool  isnull;
			Datum value = column_get(column, first + i, &isnull);

			rows_put(rows, c, at + i, value, isnull);
		}
	}
	blocks->take(node, n);
	rows->n += n;
	if (node->instrument)
		InstrStopNode(node->instrument, n);
	return n;
}

/* ---- rows one by one ---- */

/* Fills the columns of row i that come from the row in a slot. */
static inline void
put_row(BlockReader *reader, Rows *rows, int64 i, TupleTableSlot *slot)
{
	for (int c = 0; c < reader->columns; c++)
	{
		const BlockColumn *column = &reader->column[c];

		if (column->source > 0)
			rows_put(rows, c, i, slot->tts_values[column->source - 1], slot->tts_isnull[column->source - 1]);
		else if (column->expr != NULL)
		{
			bool  isnull;
			Datum value = ExecEvalExprSwitchContext(column->expr, reader->econtext, &isnull);

			rows_put(rows, c, i, value, isnull);
		}
	}
}

static int64
ask_rows(BlockReader *reader, Rows *rows, int64 limit)
{
	Size  bytes = rows->arena.used;
	int64 n = 0;

	while (n < limit && !reader->child_ended && rows->arena.used - bytes <= BLOCK_MAX_BYTES)
	{
		TupleTableSlot *slot;

		stretch_row(n);
		slot = ExecProcNode(reader->source);
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

static int64
from_source(BlockReader *reader, Rows *rows, int64 limit)
{
	if (reader->pages != NULL)
		return pages_pull(reader->pages, rows, limit);
	return reader->block_source != NULL ? take_rows(reader, rows, limit) : ask_rows(reader, rows, limit);
}

int64
pull_rows(BlockReader *reader, Rows *rows, int64 limit)
{
	PlanState *passed = reader->child;
	int64	   n;

	if (passed == reader->source)
		return from_source(reader, rows, limit);
	/* as ExecProcNode() would have done for the subquery scan */
	if (passed->chgParam != NULL)
		ExecReScan(passed);
	if (passed->instrument)
		InstrStartNode(passed->instrument);
	n = from_source(reader, rows, limit);
	if (passed->instrument)
		InstrStopNode(passed->instrument, n);
	return n;
}
