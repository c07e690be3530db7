/*
 * pull.c: gets rows of the child and stores them in columns, the shortest way there is.
 *
 * stream_block.c, sorted_input.c and order_ranges.c pull rows here.  A plain scan of a table is read by the page
 * (pages.c).  Rows of another PrefixScan are copied from its blocks.  A subquery scan or a Result that only passes
 * columns on is skipped (origin.c).  An Append, of a partitioned table or of UNION ALL, is skipped too: its nodes are
 * read here one after the other, each the shortest way.  Any other node is asked row by row.  Computed columns are
 * evaluated while their row is in the slot.
 *
 * PrefixScan and WindowReduce collect the columns that they pull by pull_column() and pull_constant() when they start.
 *
 * Whatever ExecProcNode() does for a node that is skipped is done here: its rescan when parameters have changed, and
 * its line of EXPLAIN ANALYZE.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/instrument.h"
#include "miscadmin.h"

#include "column/block.h"
#include "column/stretch.h"
#include "node/input/pull.h"
#include "node/input/sources.h"

typedef enum SourceKind
{
	SOURCE_ROWS = 0, /* asked for one row after the other */
	SOURCE_BLOCKS,	 /* a PrefixScan, whose blocks are read */
	SOURCE_PAGES,	 /* a plain scan, whose table's pages are read */
	SOURCE_PASSED,	 /* skipped: the node below has the same rows */
	SOURCE_APPEND,	 /* has the rows of one node below after the other */
} SourceKind;

struct Source
{
	SourceKind	  kind;
	PlanState	 *node;
	const Origin *origin; /* of each column, in the node's row */
	bool		  ended;  /* the node has no more rows and must not be asked again */

	AttrNumber		   last_attno; /* SOURCE_ROWS: the last column of the node that is needed */
	Pages			  *pages;
	const BlockSource *blocks;
	int				   below; /* number of nodes below */
	Source			 **source;
};

/* ---- the columns ---- */

int
pull_column(PullColumns *columns, AttrNumber own, AttrNumber attno)
{
	Form_pg_attribute attribute = TupleDescAttr(columns->desc, own - 1);
	int				  c = 0;

	while (c < columns->n && columns->from[c].own != own)
		c++;
	if (c == columns->n)
	{
		columns->from[c] = (PullColumn){.own = own, .attno = attno, .type = attribute->atttypid};
		columns->column[c] = (RowColumn){.data = {.length = attribute->attlen, .by_value = attribute->attbyval}};
		columns->n++;
	}
	columns->column[c].wanted = true;
	return c;
}

int
pull_constant(PullColumns *columns, const Const *constant)
{
	columns->column[columns->n] = (RowColumn){
		.wanted = true,
		.data = {.length = (int16) constant->constlen, .by_value = constant->constbyval},
		.constant = true,
		.the_value = constant->constvalue,
		.the_isnull = constant->constisnull};
	return columns->n++;
}

/* ---- the way ---- */

static Source *source_create(const Pull *pull, PlanState *node, const Origin *origin);

/* Returns the node that has the same rows as one that only passes columns on and adds constants; NULL: it does not. */
static PlanState *
passed_node(PlanState *node)
{
	if (node->qual != NULL || !origins_are_plain(node->plan->targetlist))
		return NULL;
	if (IsA(node, SubqueryScanState))
		return ((SubqueryScanState *) node)->subplan;
	/* a Result without a node below has one row, and one with a condition has all rows or none */
	if (IsA(node, ResultState) && ((ResultState *) node)->resconstantqual == NULL)
		return outerPlanState(node);
	return NULL;
}

static void
add_below(const Pull *pull, Source *source, PlanState *const *node, int nodes, const Origin *origin)
{
	source->below = nodes;
	source->source = (Source **) palloc(Max(nodes, 1) * sizeof(Source *));
	for (int i = 0; i < nodes; i++)
		source->source[i] = source_create(pull, node[i], origin);
}

/*
 * Finds the shortest way to the rows of a node.  An Append with asynchronous nodes has its rows in the order in which
 * they arrive.
 */
static Source *
source_create(const Pull *pull, PlanState *node, const Origin *origin)
{
	Source		*source = (Source *) palloc0(sizeof(Source));
	AppendState *append = (AppendState *) node;
	PlanState	*passed;

	check_stack_depth();
	*source = (Source){.node = node, .origin = origin, .last_attno = origins_last_attno(origin, pull->columns)};
	/* computed columns need the child's row in a slot */
	if (pull->computes || node->state->es_epq_active != NULL)
		return source;
	source->blocks = pull->block_source_of(node);
	source->pages = source->blocks != NULL ? NULL : pages_create(node, origin, pull->columns);
	passed = passed_node(node);
	source->kind = source->blocks != NULL ? SOURCE_BLOCKS : source->pages != NULL ? SOURCE_PAGES : SOURCE_ROWS;
	if (passed != NULL)
	{
		source->kind = SOURCE_PASSED;
		add_below(pull, source, &passed, 1, origins_below(node->plan->targetlist, origin, pull->columns));
	}
	else if (IsA(node, AppendState) && append->as_nasyncplans == 0)
	{
		source->kind = SOURCE_APPEND;
		add_below(pull, source, append->appendplans, append->as_nplans, origin);
	}
	return source;
}

void
pull_begin(Pull *pull, PlanState *child, PullColumn *column, int columns, ExprContext *econtext,
		   BlockSourceOf block_source_of)
{
	Origin *origin = (Origin *) palloc0(Max(columns, 1) * sizeof(Origin));

	*pull = (Pull){
		.child = child, .econtext = econtext, .columns = columns, .column = column, .block_source_of = block_source_of};
	for (int c = 0; c < columns; c++)
	{
		origin[c].attno = column[c].attno;
		pull->computes = pull->computes || column[c].expr != NULL;
	}
	pull->source = source_create(pull, child, origin);
}

/* Adds the kinds of the nodes that rows are read from to a set. */
static void
collect_kinds(const Source *source, bool *has_kind)
{
	has_kind[source->kind] = true;
	for (int i = 0; i < source->below; i++)
		collect_kinds(source->source[i], has_kind);
}

const char *
pull_way(const Pull *pull)
{
	static const char *const name[] = {[SOURCE_ROWS] = "rows", [SOURCE_BLOCKS] = "blocks", [SOURCE_PAGES] = "pages"};
	bool					 has_kind[SOURCE_APPEND + 1] = {false};
	const char				*way = NULL;

	collect_kinds(pull->source, has_kind);
	for (int kind = SOURCE_PAGES; kind >= SOURCE_ROWS; kind--)
		if (has_kind[kind])
			way = way == NULL ? name[kind] : psprintf("%s and %s", way, name[kind]);
	/* an Append of which no node is left has no rows */
	return way == NULL ? name[SOURCE_ROWS] : way;
}

/* ---- blocks of a PrefixScan ---- */

static int64
pull_waiting_rows(Source *source, Rows *rows, int64 limit)
{
	const BlockSource *blocks = source->blocks;
	PlanState		  *node = source->node;
	int64			   n, at = rows->n;

	n = Min(limit, blocks->ready(node));
	rows_reserve(rows, at + n);
	for (int c = 0; c < rows->columns; c++)
	{
		const Column *column;
		int64		  first;

		if (source->origin[c].attno == 0)
			continue;
		column = blocks->column(node, source->origin[c].attno, &first);
		FOR_INTERRUPTIBLE (i, 0, n)
		{
			bool  isnull;
			Datum value = column_get(column, first + i, &isnull);

			rows_put(rows, c, at + i, value, isnull);
		}
	}
	origins_put_constants(source->origin, rows, at, n);
	blocks->take(node, n);
	rows->n += n;
	return n;
}

/* ---- rows one by one ---- */

/* Fills the columns of row i that come from the row in a slot. */
static inline void
pull_store_row(const Pull *pull, const Source *source, Rows *rows, int64 i, const TupleTableSlot *slot)
{
	for (int c = 0; c < pull->columns; c++)
	{
		const Origin *origin = &source->origin[c];

		if (origin->attno > 0)
			rows_put(rows, c, i, slot->tts_values[origin->attno - 1], slot->tts_isnull[origin->attno - 1]);
		else if (pull->column[c].expr != NULL)
		{
			bool  isnull;
			Datum value = ExecEvalExprSwitchContext(pull->column[c].expr, pull->econtext, &isnull);

			rows_put(rows, c, i, value, isnull);
		}
	}
	origins_put_constants(source->origin, rows, i, 1);
}

static int64
pull_single_rows(const Pull *pull, Source *source, Rows *rows, int64 limit)
{
	Size  bytes = rows->arena.used;
	int64 n = 0;

	while (n < limit && !source->ended && rows->arena.used - bytes <= BLOCK_MAX_BYTES)
	{
		TupleTableSlot *slot;

		stretch_row(n);
		slot = ExecProcNode(source->node);
		if (TupIsNull(slot))
		{
			source->ended = true;
			break;
		}
		slot_getsomeattrs(slot, source->last_attno);
		if (pull->computes)
		{
			ResetExprContext(pull->econtext);
			pull->econtext->ecxt_scantuple = slot;
		}
		if (unlikely(rows->n == rows->capacity))
			rows_reserve(rows, rows->n + 1);
		pull_store_row(pull, source, rows, rows->n, slot);
		rows->n++;
		n++;
	}
	return n;
}

/* ---- any source ---- */

static int64 source_pull(const Pull *pull, Source *source, Rows *rows, int64 limit);

/* As core does for an Append.  It is core that prunes, and that gives nodes out to several processes. */
static int64
pull_appended(const Pull *pull, Source *source, Rows *rows, int64 limit)
{
	AppendState *append = (AppendState *) source->node;
	int64		 n = 0;

	if (!append->as_begun && (append->as_nplans == 0 || !append->choose_next_subplan(append)))
		return 0;
	append->as_begun = true;
	do
	{
		CHECK_FOR_INTERRUPTS();
		n = source_pull(pull, source->source[append->as_whichplan], rows, limit);
	} while (n == 0 && append->choose_next_subplan(append));
	return n;
}

static int64
pull_by_kind(const Pull *pull, Source *source, Rows *rows, int64 limit)
{
	switch (source->kind)
	{
		case SOURCE_BLOCKS:
			return pull_waiting_rows(source, rows, limit);
		case SOURCE_PAGES:
			return pages_pull(source->pages, rows, limit);
		case SOURCE_PASSED:
			return source_pull(pull, source->source[0], rows, limit);
		case SOURCE_APPEND:
			return pull_appended(pull, source, rows, limit);
		default: /* SOURCE_ROWS does not come here */
			return 0;
	}
}

static void
source_rewind(Source *source)
{
	source->ended = false;
	if (source->pages != NULL)
		pages_rewind(source->pages);
	for (int i = 0; i < source->below; i++)
		source_rewind(source->source[i]);
}

/* Begins a call of a node, as ExecProcNode() does. */
static void
begin_call(Source *source)
{
	PlanState *node = source->node;

	if (node->chgParam != NULL)
	{
		ExecReScan(node);
		source_rewind(source);
	}
	if (node->instrument)
		InstrStartNode(node->instrument);
}

static void
end_call(Source *source, int64 rows)
{
	if (source->node->instrument)
		InstrStopNode(source->node->instrument, rows);
}

/* Appends at most `limit` of the source's next rows; returns how many; 0: there are no more. */
static int64
source_pull(const Pull *pull, Source *source, Rows *rows, int64 limit)
{
	int64 n;

	if (source->ended)
		return 0;
	/* ExecProcNode() rescans and measures the node itself */
	if (source->kind == SOURCE_ROWS)
		return pull_single_rows(pull, source, rows, limit);
	begin_call(source);
	n = pull_by_kind(pull, source, rows, limit);
	end_call(source, n);
	source->ended = n == 0;
	return n;
}

int64
pull_rows(Pull *pull, Rows *rows, int64 limit)
{
	return source_pull(pull, pull->source, rows, limit);
}

void
pull_rewind(Pull *pull)
{
	source_rewind(pull->source);
}

/* ---- as a source ---- */

/* RowSource.append */
static bool
append_pulled(void *pull, Rows *rows)
{
	return pull_rows((Pull *) pull, rows, CHILD_ROWS_MOST) > 0;
}

/* RowSource.look */
static int64
look_at_keys(void *pull, Rows *rows)
{
	Source *source = ((Pull *) pull)->source;
	int64	n;

	if (source->ended)
		return 0;
	begin_call(source);
	n = pages_look(source->pages, rows, CHILD_ROWS_MOST);
	end_call(source, Max(n, 0));
	source->ended = n == 0;
	return n;
}

/* RowSource.take */
static void
take_looked_at(void *pull, Rows *rows, const uint32 *which, int64 n)
{
	Source *source = ((Pull *) pull)->source;

	begin_call(source);
	pages_take(source->pages, rows, which, n);
	end_call(source, 0);
}

/* RowSource.ahead */
static void
look_ahead(void *pull)
{
	Source *source = ((Pull *) pull)->source;

	begin_call(source);
	pages_ahead(source->pages);
	end_call(source, 0);
}

RowSource
pull_source(Pull *pull)
{
	bool looks = pull->source->kind == SOURCE_PAGES && pages_may_look(pull->source->pages, pull->is_key);

	return (RowSource){.append = append_pulled,
					   .look = looks ? look_at_keys : NULL,
					   .take = take_looked_at,
					   .ahead = look_ahead,
					   .arg = pull};
}
