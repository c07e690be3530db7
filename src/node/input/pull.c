/*
 * pull.c: gets rows of the child and stores them in columns, the shortest way there is.
 *
 * stream_block.c, sorted_input.c and order_ranges.c pull rows here.  A plain scan of a table is read by the page
 * (pages.c).  Rows of another PrefixScan are copied from its blocks.  Any other child is asked row by row.  A subquery
 * scan that passes its rows on unchanged is skipped.  Computed columns are evaluated while their row is in the slot.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"

#include "column/block.h"
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
look_through(Pull *pull)
{
	const SubqueryScan *plan = (const SubqueryScan *) pull->source->plan;

	if (!IsA(pull->source, SubqueryScanState) || pull->source->qual != NULL || pull->computes)
		return;
	for (int c = 0; c < pull->columns; c++)
		if (pull->column[c].attno > 0 && passed_on(plan, pull->column[c].attno) == 0)
			return;
	for (int c = 0; c < pull->columns; c++)
		if (pull->column[c].attno > 0)
			pull->column[c].source = passed_on(plan, pull->column[c].attno);
	pull->source = ((SubqueryScanState *) pull->source)->subplan;
}

/* Returns a reader of the source's pages; NULL if the source is no plain scan. */
static Pages *
page_reader(const Pull *pull)
{
	AttrNumber *attno = (AttrNumber *) palloc(Max(pull->columns, 1) * sizeof(AttrNumber));

	for (int c = 0; c < pull->columns; c++)
		attno[c] = pull->column[c].source;
	return pages_create(pull->source, attno, pull->columns);
}

void
pull_begin(Pull *pull, PlanState *child, PullColumn *column, int columns, ExprContext *econtext,
		   BlockSourceOf block_source_of)
{
	*pull = (Pull){.child = child, .source = child, .econtext = econtext, .columns = columns, .column = column};
	for (int c = 0; c < columns; c++)
	{
		column[c].source = column[c].attno;
		pull->computes = pull->computes || column[c].expr != NULL;
	}
	look_through(pull);
	for (int c = 0; c < columns; c++)
		pull->last_attno = Max(pull->last_attno, column[c].source);
	/* computed columns need the child's row in a slot */
	if (pull->computes)
		return;
	pull->blocks = block_source_of(pull->source);
	if (pull->blocks == NULL)
		pull->pages = page_reader(pull);
}

const char *
pull_way(const Pull *pull)
{
	return pull->pages != NULL ? "pages" : pull->blocks != NULL ? "blocks" : "rows";
}

/* ---- blocks of a PrefixScan ---- */

static int64
pull_waiting_rows(Pull *pull, Rows *rows, int64 limit)
{
	const BlockSource *blocks = pull->blocks;
	PlanState		  *node = pull->source;
	int64			   n, at = rows->n;

	if (node->chgParam != NULL)
		ExecReScan(node);
	if (node->instrument)
		InstrStartNode(node->instrument);
	n = Min(limit, blocks->ready(node));
	rows_reserve(rows, at + n);
	for (int c = 0; c < pull->columns; c++)
	{
		const Column *column;
		int64		  first;

		if (pull->column[c].source == 0)
			continue;
		column = blocks->column(node, pull->column[c].source, &first);
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
pull_store_row(Pull *pull, Rows *rows, int64 i, TupleTableSlot *slot)
{
	for (int c = 0; c < pull->columns; c++)
	{
		const PullColumn *column = &pull->column[c];

		if (column->source > 0)
			rows_put(rows, c, i, slot->tts_values[column->source - 1], slot->tts_isnull[column->source - 1]);
		else if (column->expr != NULL)
		{
			bool  isnull;
			Datum value = ExecEvalExprSwitchContext(column->expr, pull->econtext, &isnull);

			rows_put(rows, c, i, value, isnull);
		}
	}
}

static int64
pull_child_rows(Pull *pull, Rows *rows, int64 limit)
{
	Size  bytes = rows->arena.used;
	int64 n = 0;

	while (n < limit && !pull->ended && rows->arena.used - bytes <= BLOCK_MAX_BYTES)
	{
		TupleTableSlot *slot;

		stretch_row(n);
		slot = ExecProcNode(pull->source);
		if (TupIsNull(slot))
		{
			pull->ended = true;
			break;
		}
		slot_getsomeattrs(slot, pull->last_attno);
		if (pull->computes)
		{
			ResetExprContext(pull->econtext);
			pull->econtext->ecxt_scantuple = slot;
		}
		if (unlikely(rows->n == rows->capacity))
			rows_reserve(rows, rows->n + 1);
		pull_store_row(pull, rows, rows->n, slot);
		rows->n++;
		n++;
	}
	return n;
}

static int64
from_source(Pull *pull, Rows *rows, int64 limit)
{
	if (pull->pages != NULL)
		return pages_pull(pull->pages, rows, limit);
	return pull->blocks != NULL ? pull_waiting_rows(pull, rows, limit) : pull_child_rows(pull, rows, limit);
}

static int64
from_child(Pull *pull, Rows *rows, int64 limit)
{
	PlanState *passed = pull->child;
	int64	   n;

	if (passed == pull->source)
		return from_source(pull, rows, limit);
	/* as ExecProcNode() would have done for the subquery scan */
	if (passed->chgParam != NULL)
		ExecReScan(passed);
	if (passed->instrument)
		InstrStartNode(passed->instrument);
	n = from_source(pull, rows, limit);
	if (passed->instrument)
		InstrStopNode(passed->instrument, n);
	return n;
}

int64
pull_rows(Pull *pull, Rows *rows, int64 limit)
{
	int64 n = pull->ended ? 0 : from_child(pull, rows, limit);

	pull->ended = pull->ended || n == 0;
	return n;
}

void
pull_rewind(Pull *pull)
{
	pull->ended = false;
	if (pull->pages != NULL)
		pages_rewind(pull->pages);
}
