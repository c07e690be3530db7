/*
 * exec.c: PrefixScan in the executor: blocks of rows in, answers of functions, rows
 * out.
 *
 * The node's own row has the columns of custom_scan_tlist: the child's, of which
 * those are filled that somebody looks at, and the functions' answers.  Conditions
 * and target list are evaluated over it by core.
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/acl.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "guc.h"
#include "node/exec.h"

static List *
private_list(const CustomScan *scan, int which)
{
	return (List *) list_nth(scan->custom_private, which);
}

static int
private_number(const CustomScan *scan, PrivateNumber which)
{
	return list_nth_int(private_list(scan, PRIVATE_NUMBERS), which);
}

/* ---- the columns to pull ---- */

/* What setting up collects: the columns of the rows, and where they come from. */
typedef struct Columns
{
	int			 n;
	BlockColumn *from;
	RowColumn	*column;
} Columns;

/* A column of the child, at its place among the pulled ones; added where it is new. */
static int
pulled_attribute(Columns *columns, TupleDesc child, AttrNumber attno)
{
	Form_pg_attribute attribute = TupleDescAttr(child, attno - 1);

	for (int c = 0; c < columns->n; c++)
		if (columns->from[c].attno == attno)
			return c;
	columns->from[columns->n].attno = attno;
	columns->from[columns->n].type = attribute->atttypid;
	columns->column[columns->n].length = attribute->attlen;
	columns->column[columns->n].by_value = attribute->attbyval;
	return columns->n++;
}

/* A column of the child that is more than a key. */
static int
wanted_attribute(Columns *columns, TupleDesc child, AttrNumber attno)
{
	int column = pulled_attribute(columns, child, attno);

	columns->column[column].wanted = true;
	return column;
}

/* An expression over the child's row: a column of it, a constant, or computed. */
static int
pulled_expression(PrefixScanState *state, Columns *columns, TupleDesc child, Expr *expr)
{
	RowColumn *column = &columns->column[columns->n];

	if (IsA(expr, Var) && ((Var *) expr)->varattno > 0)
		return wanted_attribute(columns, child, ((Var *) expr)->varattno);
	column->wanted = true;
	columns->from[columns->n].type = exprType((Node *) expr);
	get_typlenbyval(exprType((Node *) expr), &column->length, &column->by_value);
	if (IsA(expr, Const))
	{
		column->constant = true;
		column->the_value = ((Const *) expr)->constvalue;
		column->the_isnull = ((Const *) expr)->constisnull;
	}
	else
		columns->from[columns->n].expr = ExecInitExpr(expr, &state->css.ss.ps);
	return columns->n++;
}

/* Types of which equal Datums are equal values, and the reverse. */
static bool
equal_is_by_datum(Oid function)
{
	switch (function)
	{
		case F_BOOLEQ:
		case F_INT2EQ:
		case F_INT4EQ:
		case F_INT8EQ:
		case F_OIDEQ:
		case F_DATE_EQ:
		case F_TIME_EQ:
		case F_TIMESTAMP_EQ:
		case F_TIMESTAMPTZ_EQ:
			return true;
		default:
			return false;
	}
}

static void
read_keys(PrefixScanState *state, const CustomScan *scan, Columns *columns, TupleDesc child)
{
	BlockReader *reader = &state->reader;
	List		*attnos = private_list(scan, PRIVATE_KEY_COLUMNS);

	reader->keys = list_length(attnos);
	reader->partition_keys = private_number(scan, NUMBER_PARTITION_KEYS);
	reader->key = (BlockKey *) palloc0(Max(reader->keys, 1) * sizeof(BlockKey));
	for (int k = 0; k < reader->keys; k++)
	{
		BlockKey *key = &reader->key[k];
		Oid		  equal = get_opcode(list_nth_oid(private_list(scan, PRIVATE_KEY_EQUALS), k));

		key->column = pulled_attribute(columns, child, list_nth_int(attnos, k));
		key->by_datum = equal_is_by_datum(equal);
		fmgr_info(equal, &key->equal);
		key->sort_operator = list_nth_oid(private_list(scan, PRIVATE_KEY_SORTS), k);
		key->collation = list_nth_oid(private_list(scan, PRIVATE_KEY_COLLATIONS), k);
		key->nulls_first = list_nth_int(private_list(scan, PRIVATE_KEY_NULLS_FIRST), k);
	}
}

/* ---- functions ---- */

static void
check_may_execute(Oid function)
{
	AclResult result = compat_proc_aclcheck(function, GetUserId());

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/*
 * An expression that is computed when its row is answered: its columns are to be there
 * then.  They are the child's, which core knows as INDEX_VAR of the node's own row.
 */
static ExprState *
late_expression(PrefixScanState *state, Columns *columns, TupleDesc child, NodeFunction *f, Expr *expr)
{
	LateRow	  *late = &state->late;
	Bitmapset *attnos = NULL;
	int		   attno = -1;

	pull_varattnos((Node *) expr, INDEX_VAR, &attnos);
	if (late->attno == NULL)
	{
		late->attno = (AttrNumber *) palloc(child->natts * sizeof(AttrNumber));
		late->column = (int *) palloc(child->natts * sizeof(int));
	}
	while ((attno = bms_next_member(attnos, attno)) >= 0)
	{
		AttrNumber column = attno + FirstLowInvalidHeapAttributeNumber;
		bool	   known = false;

		for (int c = 0; c < late->columns; c++)
			known = known || late->attno[c] == column;
		if (known)
			continue;
		late->attno[late->columns] = column;
		late->column[late->columns++] = wanted_attribute(columns, child, column);
	}
	f->late_row = late;
	return ExecInitExpr(expr, &state->css.ss.ps);
}

static void
read_arguments(PrefixScanState *state, NodeFunction *f, Columns *columns, TupleDesc child, List *args)
{
	ListCell *cell;

	f->argument = (int *) palloc0(Max(f->arguments, 1) * sizeof(int));
	foreach (cell, args)
	{
		int	  a = foreach_current_index(cell);
		Expr *expr = (Expr *) lfirst(cell);

		if (!late_is_needed((Node *) expr))
		{
			f->argument[a] = pulled_expression(state, columns, child, expr);
			continue;
		}
		if (f->late == NULL)
			f->late = (ExprState **) palloc0(f->arguments * sizeof(ExprState *));
		f->late[a] = late_expression(state, columns, child, f, expr);
	}
}

static void
read_function(PrefixScanState *state, NodeFunction *f, const WindowFunc *wfunc, Columns *columns, TupleDesc child,
			  List **exprs)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;

	check_may_execute(wfunc->winfnoid);
	f->wfunc = wfunc;
	f->kind = node_function_kind(wfunc);
	f->need = node_function_need(wfunc, private_number(scan, NUMBER_FRAME_OPTIONS));
	f->arguments = list_length(wfunc->args);
	f->filter = -1;
	read_arguments(state, f, columns, child, list_copy_head(*exprs, f->arguments));
	*exprs = list_copy_tail(*exprs, f->arguments);
	if (wfunc->aggfilter != NULL)
	{
		Expr *filter = (Expr *) linitial(*exprs);

		*exprs = list_copy_tail(*exprs, 1);
		if (late_is_needed((Node *) filter))
			f->late_filter = late_expression(state, columns, child, f, filter);
		else
			f->filter = pulled_expression(state, columns, child, filter);
	}
	f->query = CurrentMemoryContext;
	f->partition = AllocSetContextCreate(CurrentMemoryContext, "scan partition", ALLOCSET_DEFAULT_SIZES);
	f->results = AllocSetContextCreate(CurrentMemoryContext, "scan results", ALLOCSET_SMALL_SIZES);
	f->scratch = AllocSetContextCreate(CurrentMemoryContext, "scan scratch", ALLOCSET_SMALL_SIZES);
	state->reader.need = Max(state->reader.need, f->need);
}

/* The functions, and with them the columns that they read. */
static void
read_functions(PrefixScanState *state, const CustomScan *scan, Columns *columns, TupleDesc child)
{
	int	  first = private_number(scan, NUMBER_CHILD_COLUMNS);
	List *exprs = scan->custom_exprs;

	state->functions = private_number(scan, NUMBER_FUNCTIONS);
	state->function = (NodeFunction *) palloc0(state->functions * sizeof(NodeFunction));
	for (int i = 0; i < state->functions; i++)
	{
		TargetEntry *entry = (TargetEntry *) list_nth(scan->custom_scan_tlist, first + i);

		read_function(state, &state->function[i], castNode(WindowFunc, entry->expr), columns, child, &exprs);
	}
}

/* The child's columns that the node's target list and conditions look at. */
static void
read_carried(PrefixScanState *state, const CustomScan *scan, Columns *columns, TupleDesc child)
{
	Bitmapset *attnos = NULL;
	int		   attno = -1;

	pull_varattnos((Node *) scan->scan.plan.targetlist, INDEX_VAR, &attnos);
	pull_varattnos((Node *) scan->scan.plan.qual, INDEX_VAR, &attnos);
	state->carried_column = (int *) palloc0(Max(child->natts, 1) * sizeof(int));
	state->carried_attno = (int *) palloc0(Max(child->natts, 1) * sizeof(int));
	while ((attno = bms_next_member(attnos, attno)) >= 0)
	{
		int column = attno + FirstLowInvalidHeapAttributeNumber;

		if (column < 1 || column > child->natts)
			continue;
		state->carried_attno[state->carried] = column;
		state->carried_column[state->carried++] = wanted_attribute(columns, child, column);
	}
}

static TupleTableSlot *next_output(PlanState *node);

/*
 * Where each output comes from, when all of them are columns as they are and no row
 * is left out: then the result needs no projection.
 */
static void
read_outputs(PrefixScanState *state, const CustomScan *scan)
{
	TupleTableSlot *result = state->css.ss.ps.ps_ResultTupleSlot;
	Output		   *output;
	ListCell	   *cell;
	int				n = 0;

	if (result == NULL || state->css.ss.ps.ps_ProjInfo == NULL || scan->scan.plan.qual != NIL)
		return;
	output = (Output *) palloc0(Max(list_length(scan->scan.plan.targetlist), 1) * sizeof(Output));
	foreach (cell, scan->scan.plan.targetlist)
	{
		const Var *var = (const Var *) lfirst_node(TargetEntry, cell)->expr;

		if (!IsA(var, Var) || var->varattno <= 0)
			return;
		output[n].function = var->varattno > state->child_columns;
		output[n].place = var->varattno - 1 - state->child_columns;
		for (int c = 0; c < state->carried && !output[n].function; c++)
			if (state->carried_attno[c] == var->varattno)
				output[n].place = state->carried_column[c];
		n++;
	}
	state->outputs = n;
	state->output = output;
	/* instead of ExecCustomScan, which calls us; ExecInitNode wraps it yet */
	state->css.ss.ps.ExecProcNode = next_output;
}

/* ---- the node ---- */

/* A reader of the child's pages, where all columns are the child's as they are; else NULL. */
static Pages *
page_reader(const BlockReader *reader)
{
	AttrNumber *attno = (AttrNumber *) palloc(Max(reader->columns, 1) * sizeof(AttrNumber));

	for (int c = 0; c < reader->columns; c++)
		attno[c] = reader->column[c].attno;
	return reader->computes ? NULL : pages_create(reader->child, attno, reader->columns);
}

static void
begin_prefix_scan(CustomScanState *node, EState *estate, int eflags)
{
	PrefixScanState	 *state = (PrefixScanState *) node;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	BlockReader		 *reader = &state->reader;
	PlanState		 *child = ExecInitNode((Plan *) linitial(scan->custom_plans), estate, eflags);
	TupleDesc		  desc = ExecGetResultType(child);
	Columns			  columns = {0};
	int				  most = desc->natts + list_length(scan->custom_exprs);

	node->custom_ps = list_make1(child);
	pool_keep_at_most(guc_budget());
	columns.from = (BlockColumn *) palloc0(Max(most, 1) * sizeof(BlockColumn));
	columns.column = (RowColumn *) palloc0(Max(most, 1) * sizeof(RowColumn));
	state->child_columns = private_number(scan, NUMBER_CHILD_COLUMNS);
	read_keys(state, scan, &columns, desc);
	read_functions(state, scan, &columns, desc);
	read_carried(state, scan, &columns, desc);

	reader->child = child;
	reader->econtext = CreateExprContext(estate);
	reader->sorts = private_number(scan, NUMBER_SORTS);
	reader->memory = CurrentMemoryContext;
	reader->columns = columns.n;
	reader->column = columns.from;
	for (int c = 0; c < columns.n; c++)
	{
		reader->last_attno = Max(reader->last_attno, columns.from[c].attno);
		reader->computes = reader->computes || columns.from[c].expr != NULL;
	}
	/* computed columns look at any of the child's */
	if (reader->computes)
		reader->last_attno = desc->natts;
	reader->keys_by_datum = true;
	for (int k = 0; k < reader->keys; k++)
		reader->keys_by_datum = reader->keys_by_datum && reader->key[k].by_datum;
	reader->pages = page_reader(reader);
	reader->rows[0] = rows_create(CurrentMemoryContext, columns.column, columns.n);
	reader->rows[1] = rows_create(CurrentMemoryContext, columns.column, columns.n);
	state->late.econtext = CreateExprContext(estate);
	state->late.slot = ExecInitExtraTupleSlot(estate, desc, &TTSOpsVirtual);
	for (int i = 0; i < state->functions; i++)
		node_function_start(&state->function[i]);
	read_outputs(state, scan);
	block_rewind(reader);
}

/* The next block, with no answers yet. */
static bool
next_block(PrefixScanState *state)
{
	const Block *block = &state->reader.block;

	if (!block_next(&state->reader))
		return false;
	for (int i = 0; i < state->functions; i++)
		node_function_new_block(&state->function[i], block);
	for (int i = 0; i < state->outputs; i++)
	{
		Output *output = &state->output[i];

		if (output->function)
		{
			output->value = state->function[output->place].value;
			output->isnull = state->function[output->place].isnull;
		}
		else
		{
			output->value = block->rows->column[output->place].value;
			output->isnull = block->rows->column[output->place].isnull;
		}
	}
	state->late.row = -1;
	state->row = state->ready = 0;
	return true;
}

/* Has every function answer the block's next row; some answer many. */
static void
answer_row(PrefixScanState *state)
{
	const Block *block = &state->reader.block;

	state->ready = block->n;
	for (int i = 0; i < state->functions; i++)
	{
		NodeFunction *f = &state->function[i];

		/* all that was answered before has been emitted */
		while (f->done <= state->row)
		{
			MemoryContextReset(f->results);
			f->done = f->answer(f, block, f->done);
		}
		state->ready = Min(state->ready, f->done);
	}
}

/* Goes to the next row, the answers of which are there then; -1: there is none. */
static inline int64
next_row(PrefixScanState *state)
{
	if (unlikely(state->row >= state->ready))
	{
		if (state->at_end)
			return -1;
		if (state->row >= state->reader.block.n && !next_block(state))
		{
			state->at_end = true;
			return -1;
		}
		CHECK_FOR_INTERRUPTS();
		answer_row(state);
	}
	return state->row++;
}

/* The next row of the node, before conditions and projection. */
static TupleTableSlot *
prefix_scan_next(ScanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	TupleTableSlot	*slot = node->ss_ScanTupleSlot;
	int64			 i = next_row(state);

	ExecClearTuple(slot);
	if (i < 0)
		return slot;
	for (int c = 0; c < state->carried; c++)
	{
		const RowColumn *column = &state->reader.block.rows->column[state->carried_column[c]];

		slot->tts_values[state->carried_attno[c] - 1] = column->value[i];
		slot->tts_isnull[state->carried_attno[c] - 1] = column->isnull[i];
	}
	for (int c = 0; c < state->functions; c++)
	{
		slot->tts_values[state->child_columns + c] = state->function[c].value[i];
		slot->tts_isnull[state->child_columns + c] = state->function[c].isnull[i];
	}
	return ExecStoreVirtualTuple(slot);
}

/*
 * The next row, straight into the result: what the node is to the nodes above, where
 * nothing is left to ExecScan.  The slot is virtual and ours, so to empty and to fill
 * it is a matter of two fields.
 */
static TupleTableSlot *
next_output(PlanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	TupleTableSlot	*slot = node->ps_ResultTupleSlot;
	int64			 i = next_row(state);

	if (i < 0 || TTS_SHOULDFREE(slot))
		ExecClearTuple(slot);
	if (i < 0)
		return NULL;
	for (int n = 0; n < state->outputs; n++)
	{
		slot->tts_values[n] = state->output[n].value[i];
		slot->tts_isnull[n] = state->output[n].isnull[i];
	}
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = slot->tts_tupleDescriptor->natts;
	return slot;
}

/* ExecScan asks; there is no EvalPlanQual above a window. */
static bool
prefix_scan_recheck(ScanState *node, TupleTableSlot *slot)
{
	return true;
}

static TupleTableSlot *
exec_prefix_scan(CustomScanState *node)
{
	return ExecScan(&node->ss, prefix_scan_next, prefix_scan_recheck);
}

static void
rescan_prefix_scan(CustomScanState *node)
{
	PrefixScanState *state = (PrefixScanState *) node;
	PlanState		*child = state->reader.child;

	block_rewind(&state->reader);
	state->row = state->ready = 0;
	state->at_end = false;
	if (node->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(child, node->ss.ps.chgParam);
	if (child->chgParam == NULL)
		ExecReScan(child);
}

static void
end_prefix_scan(CustomScanState *node)
{
	sorted_rewind(&((PrefixScanState *) node)->reader);
	ExecEndNode(((PrefixScanState *) node)->reader.child);
}

static const CustomExecMethods exec_methods = {.CustomName = PREFIX_SCAN_NAME,
											   .BeginCustomScan = begin_prefix_scan,
											   .ExecCustomScan = exec_prefix_scan,
											   .EndCustomScan = end_prefix_scan,
											   .ReScanCustomScan = rescan_prefix_scan,
											   .ExplainCustomScan = prefix_scan_explain};

Node *
prefix_scan_create_state(CustomScan *scan)
{
	PrefixScanState *state = (PrefixScanState *) newNode(sizeof(PrefixScanState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}
