/*
 * begin.c: starts a PrefixScan: sets up its state from the description that create_plan.c wrote.
 *
 * exec.c calls it once per plan.  The node's own row has the columns of custom_scan_tlist: first the child's, of which
 * only those that are read are filled, then the functions' results.  A column that is a key, an argument or passes
 * through has one column in the blocks of rows, however often it is used.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "column/type.h"
#include "compat.h"
#include "guc.h"
#include "node/error_timing/error_timing.h"
#include "node/exec/state.h"
#include "node/text.h"

/*
 * By-reference results of one call of EvaluateRows, of all functions together, take 1/RESULTS_PART of the budget at
 * most, or one row.
 */
#define RESULTS_PART 16

/* Late arguments that are kept take 1/LATE_PART of the budget, or half as much as those of a frame if that is more. */
#define LATE_PART 8

/* Rows up to which an offset that is not known when the plan is made has its rows in memory. */
#define SHORT_OFFSET 1024

/* ---- the columns to pull ---- */

/* Returns the column of the rows for an attribute of the child, which is the same attribute of the node's own row. */
static int
pulled_attribute(PullColumns *columns, AttrNumber attno)
{
	return pull_column(columns, attno, attno);
}

/*
 * Prepares an expression that is evaluated over the child's own tuple, in the slot in which it comes.  Unless told,
 * core takes an expression to be about the node's scan tuple.
 */
static ExprState *
child_expression(PrefixScanState *state, Expr *expr)
{
	PlanState				*node = &state->css.ss.ps;
	PlanState				*child = (PlanState *) linitial(state->css.custom_ps);
	const TupleTableSlotOps *ops = node->scanops;
	bool					 fixed = node->scanopsfixed;
	TupleDesc				 desc = node->scandesc;
	ExprState				*result;

	node->scanops = ExecGetResultSlotOps(child, &node->scanopsfixed);
	node->scandesc = ExecGetResultType(child);
	result = ExecInitExpr(expr, node);
	node->scanops = ops;
	node->scanopsfixed = fixed;
	node->scandesc = desc;
	return result;
}

/* Returns the column of the rows for an expression over the child's tuple: an attribute, a constant, or computed. */
static int
pulled_expression(PrefixScanState *state, PullColumns *columns, Expr *expr)
{
	RowColumn *column = &columns->column[columns->n];

	if (IsA(expr, Var) && ((Var *) expr)->varattno > 0)
		return pulled_attribute(columns, ((Var *) expr)->varattno);
	if (IsA(expr, Const))
		return pull_constant(columns, (const Const *) expr);
	columns->from[columns->n] = (PullColumn){.type = exprType((Node *) expr), .expr = child_expression(state, expr)};
	column->wanted = true;
	get_typlenbyval(exprType((Node *) expr), &column->data.length, &column->data.by_value);
	return columns->n++;
}

static void
read_keys(PrefixScanState *state, const CustomScan *scan, PullColumns *columns)
{
	WindowKeys *keys = &state->reader.keys;
	List	   *attnos = planned_list(scan, PRIVATE_KEY_COLUMNS);

	*keys = (WindowKeys){.n = list_length(attnos),
						 .partition = planned_number(scan, NUMBER_PARTITION_KEYS),
						 .key = (WindowKey *) palloc0(Max(list_length(attnos), 1) * sizeof(WindowKey)),
						 .memory = CurrentMemoryContext};
	for (int k = 0; k < keys->n; k++)
	{
		WindowKey			  *key = &keys->key[k];
		const SortGroupClause *clause = list_nth_node(SortGroupClause, planned_list(scan, PRIVATE_KEYS), k);
		AttrNumber			   attno = (AttrNumber) list_nth_int(attnos, k);
		Oid					   equal = get_opcode(clause->eqop);

		key->column = pulled_attribute(columns, attno);
		columns->column[key->column].wanted = false; /* unless another part of the plan reads it */
		key->by_datum = type_equal_is_by_datum(equal);
		fmgr_info(equal, &key->equal);
		window_key_set_order(key, clause->sortop, TupleDescAttr(columns->desc, attno - 1)->attcollation,
							 clause->nulls_first);
	}
}

/* ---- functions ---- */

/*
 * Prepares a late argument or FILTER, which is computed when its row is about to be emitted.  The columns that it reads
 * must be in the block.  They are the child's, and the expression has them as INDEX_VAR columns of the node's own row.
 */
static ExprState *
late_expression(PrefixScanState *state, PullColumns *columns, RowFunction *f, Expr *expr)
{
	foreach_node (Var, var, pull_var_clause((Node *) expr, 0))
		late_row_read(&state->late, var->varattno, pulled_expression(state, columns, (Expr *) var));
	f->late_row = &state->late;
	return ExecInitExpr(expr, &state->css.ss.ps);
}

/*
 * Reads an argument or FILTER.  Returns the expression of a late one, whose column is all NULL: where aggregates read a
 * row often, entering_rows.c has the row's value take the place of the NULL.
 */
static ExprState *
read_expression(PrefixScanState *state, PullColumns *columns, RowFunction *f, Expr *expr, int *column)
{
	bool  late = expression_may_error_or_side_effect((Node *) expr);
	Expr *pulled = late ? (Expr *) makeNullConst(exprType((Node *) expr), -1, InvalidOid) : expr;

	*column = pulled_expression(state, columns, pulled);
	state->entering.may_side_effect |= late && expression_may_side_effect((Node *) expr);
	return late ? late_expression(state, columns, f, expr) : NULL;
}

static void
read_arguments(PrefixScanState *state, RowFunction *f, PullColumns *columns, List *args)
{
	int		   *argument = (int *) palloc0(Max(f->arguments, 1) * sizeof(int));
	ExprState **late = (ExprState **) palloc0(Max(f->arguments, 1) * sizeof(ExprState *));

	f->argument = argument;
	foreach_ptr (Expr, expr, args)
		late[foreach_current_index(expr)] = read_expression(state, columns, f, expr, argument++);
	if (f->late_row != NULL)
		f->late = late;
}

/*
 * Reads what a function is.  An offset that is a parameter of the statement (PARAM_EXTERN; others count as failing) is
 * known now.  A short one costs no more than a constant; the rows that a long one reaches may not fit in memory.
 */
static void
read_info(const PrefixScanState *state, NodeFunction *function, const WindowFunc *wfunc, const List *planned)
{
	WindowFunctionInfo *info = &function->info;
	Node			   *offset = list_length(wfunc->args) < 2 ? NULL : (Node *) lsecond(wfunc->args);
	PlanState		   *node = unconstify(PlanState *, &state->css.ss.ps);
	int					options = state->reader.frame.options;
	bool				isnull;
	int32				value;

	*info = window_function_info_from_list(wfunc, planned);
	/* EXPLAIN may show a plan whose parameters have no values */
	if (!(info->needs & NEEDS_ANY) || node->state->es_param_list_info == NULL || contain_var_clause(offset) ||
		expression_may_error_or_side_effect(offset))
		return;
	value = DatumGetInt32(
		ExecEvalExprSwitchContext(ExecInitExpr((Expr *) offset, node), node->ps_ExprContext, &isnull));
	if (!isnull && (info->kind == FUNCTION_NTH_VALUE || (value >= -SHORT_OFFSET && value <= SHORT_OFFSET)))
		window_function_set_offset(info, options, value);
}

static void
read_function(PrefixScanState *state, NodeFunction *function, PullColumns *columns)
{
	BlockReader		 *reader = &state->reader;
	RowFunction		 *f = node_row_function(function);
	const WindowFunc *wfunc = function->info.wfunc;

	*f = (RowFunction){
		.arguments = list_length(wfunc->args),
		.filter = -1,
		.needs = function->info.needs,
		.query = CurrentMemoryContext,
		.partition = AllocSetContextCreate(CurrentMemoryContext, "scan partition", ALLOCSET_DEFAULT_SIZES),
		.scratch = AllocSetContextCreate(CurrentMemoryContext, "scan scratch", ALLOCSET_SMALL_SIZES)};
	if (reader->sorts_ranges && !(f->needs & NEEDS_BOUNDS))
		f->needs |= NEEDS_SAVED_STATE;
	function->entering = &state->entering;
	read_arguments(state, f, columns, wfunc->args);
	if (wfunc->aggfilter != NULL)
		f->late_filter = read_expression(state, columns, f, wfunc->aggfilter, &f->filter);
	reader->needs.flags |= f->needs;
	reader->needs.before = Max(reader->needs.before, function->info.before);
	reader->needs.after = Max(reader->needs.after, function->info.after);
}

/* Sets up one end of the frame: its offset, which is removed from the front of *exprs, and how it is applied. */
static void
read_frame_end(PrefixScanState *state, FrameEnd *end, int options, bool preceding, Oid in_range, List **exprs)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	Frame			 *frame = &state->reader.frame;
	bool			  ascending = planned_number(scan, NUMBER_RANGE_ASCENDING);

	end->expr = ExecInitExpr(window_frame_offset(scan, (Expr *) linitial(*exprs)), &state->css.ss.ps);
	*exprs = list_copy_tail(*exprs, 1);
	end->preceding = preceding;
	if (!(options & FRAMEOPTION_RANGE))
		return;
	fmgr_info(in_range, &end->in_range);
	end->subtract = preceding == ascending;
	end->less = (end == &frame->end) == ascending;
	frame->type = type_info_of_in_range(in_range);
}

/* Sets up the frame, if it slides; `exprs` are its offsets. */
static void
read_frame(PrefixScanState *state, const CustomScan *scan, PullColumns *columns, List *exprs)
{
	Frame *frame = &state->reader.frame;
	List  *oids = planned_list(scan, PRIVATE_IN_RANGE);
	int	   options = frame->options;

	if (!(state->reader.needs.flags & NEEDS_BOUNDS))
		return;
	if (options & FRAMEOPTION_START_OFFSET)
		read_frame_end(state, &frame->start, options, options & FRAMEOPTION_START_OFFSET_PRECEDING, linitial_oid(oids),
					   &exprs);
	if (options & FRAMEOPTION_END_OFFSET)
		read_frame_end(state, &frame->end, options, options & FRAMEOPTION_END_OFFSET_PRECEDING, lsecond_oid(oids),
					   &exprs);
	if ((options & FRAMEOPTION_RANGE) && (options & (FRAMEOPTION_START_OFFSET | FRAMEOPTION_END_OFFSET)))
	{
		int key = state->reader.keys.partition;

		frame->column = pulled_attribute(columns,
										 (AttrNumber) list_nth_int(planned_list(scan, PRIVATE_KEY_COLUMNS), key));
		frame->format = column_format(columns->column[frame->column].data.length,
									  columns->column[frame->column].data.by_value);
		frame->collation = lthird_oid(oids);
		frame->nulls_first = planned_number(scan, NUMBER_RANGE_NULLS_FIRST);
	}
}

/* Sets up the functions and the columns that they read.  Returns the offsets of the frame. */
static List *
read_functions(PrefixScanState *state, const CustomScan *scan, PullColumns *columns)
{
	List	 *offsets;
	List	 *functions = planned_functions(scan, &offsets);
	ListCell *function, *planned;

	state->functions = state->entering.functions = list_length(functions);
	state->function = state->entering.function = (NodeFunction *) palloc0(state->functions * sizeof(NodeFunction));
	forboth(function, functions, planned, planned_list(scan, PRIVATE_INFOS))
		read_info(state, &state->function[foreach_current_index(function)], lfirst_node(WindowFunc, function),
				  (const List *) lfirst(planned));
	for (int i = 0; i < state->functions; i++)
		read_function(state, &state->function[i], columns);
	/* the errors of offsets are raised even if no function needs the frame; a prefix has no offset */
	if (planned_number(scan, NUMBER_FRAME_IS_SLIDING) && !frame_is_prefix(state->reader.frame.options))
		state->reader.needs.flags |= NEEDS_BOUNDS;
	return offsets;
}

/*
 * Returns how far WindowAgg reads ahead.  nodeWindowAgg.c keeps the end of a frame that ends with the peers up to date
 * for any function, and for an aggregate it checks whether the next row is in the frame.
 */
static BlockPeek
peek_of_core(const PrefixScanState *state, int frame_options)
{
	const BlockReader *reader = &state->reader;

	/* the end of such a frame is found row by row (input/frame.c) */
	if ((reader->needs.flags & NEEDS_BOUNDS) && !(frame_options & FRAMEOPTION_END_CURRENT_ROW))
		return PEEK_NONE;
	if ((frame_options & (FRAMEOPTION_RANGE | FRAMEOPTION_GROUPS)) && (frame_options & FRAMEOPTION_END_CURRENT_ROW) &&
		reader->keys.n > reader->keys.partition)
		return PEEK_PEERS;
	return reader->needs.flags & NEEDS_ROW_AFTER ? PEEK_ROW : PEEK_NONE;
}

/* Collects the child's columns that the node's target list and conditions read. */
static void
read_passthrough(PrefixScanState *state, const CustomScan *scan, PullColumns *columns)
{
	Bitmapset *attnos = NULL;
	int		   attno = -1;

	pull_varattnos((Node *) scan->scan.plan.targetlist, INDEX_VAR, &attnos);
	pull_varattnos((Node *) scan->scan.plan.qual, INDEX_VAR, &attnos);
	state->passthrough_column = (int *) palloc0(Max(columns->desc->natts, 1) * sizeof(int));
	state->passthrough_attno = (int *) palloc0(Max(columns->desc->natts, 1) * sizeof(int));
	while ((attno = bms_next_member(attnos, attno)) >= 0)
	{
		int column = attno + FirstLowInvalidHeapAttributeNumber;

		if (column < 1 || column > columns->desc->natts)
			continue;
		state->passthrough_attno[state->passthrough] = column;
		state->passthrough_column[state->passthrough++] = pulled_attribute(columns, column);
	}
}

/*
 * Finds where each output comes from, if all of them are plain columns or constants, and no condition leaves out a row:
 * then the result needs no projection.  Else state->output stays NULL.
 */
static void
read_outputs(PrefixScanState *state, const CustomScan *scan, PullColumns *columns)
{
	TupleTableSlot *result = state->css.ss.ps.ps_ResultTupleSlot;
	Output		   *output;
	int				n = 0;

	if (result == NULL || scan->scan.plan.qual != NIL)
		return;
	output = (Output *) palloc0(Max(list_length(scan->scan.plan.targetlist), 1) * sizeof(Output));
	foreach_node (TargetEntry, entry, scan->scan.plan.targetlist)
	{
		Expr	  *expr = entry->expr;
		const Var *var = (const Var *) expr;
		bool	   function = IsA(expr, Var) && var->varattno > state->child_columns;

		if (!IsA(expr, Const) && (!IsA(expr, Var) || var->varattno <= 0))
			return;
		output[n++] = (Output){.function = function,
							   .place = function ? var->varattno - 1 - state->child_columns
												 : pulled_expression(state, columns, expr)};
	}
	state->outputs = n;
	state->output = output;
}

/* ---- the node ---- */

/* Returns how far the child may be read ahead. */
static ReadAhead
read_ahead_of(const PrefixScanState *state, const CustomScan *scan)
{
	return (ReadAhead){.may_error_or_side_effect = planned_number(scan, NUMBER_MAY_ERROR_OR_SIDE_EFFECT),
					   .demand = demand_in_plan(state->css.ss.ps.state, &scan->scan.plan),
					   .peek = peek_of_core(state, planned_number(scan, NUMBER_FRAME_OPTIONS))};
}

/* Returns which rows are wanted. */
static TopRows
read_top_rows(const CustomScan *scan)
{
	return (TopRows){.limit = planned_number(scan, NUMBER_TOP),
					 .unit = (TopUnit) planned_number(scan, NUMBER_TOP_UNIT),
					 .partitions = planned_number(scan, NUMBER_TOP_PARTITIONS)};
}

void
prefix_scan_begin(PrefixScanState *state, EState *estate, int eflags, BlockSourceOf block_source_of,
				  UnitAccumulator units)
{
	CustomScanState	 *node = &state->css;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	BlockReader		 *reader = &state->reader;
	PlanState		 *child = ExecInitNode((Plan *) linitial(scan->custom_plans), estate, eflags);
	TupleDesc		  desc = ExecGetResultType(child);
	int			limit = 2 * desc->natts + list_length(scan->custom_exprs) + list_length(scan->scan.plan.targetlist);
	PullColumns columns = {.desc = desc,
						   .from = (PullColumn *) palloc0(Max(limit, 1) * sizeof(PullColumn)),
						   .column = (RowColumn *) palloc0(Max(limit, 1) * sizeof(RowColumn))};
	List	   *offsets;

	prefix_scan_deparse_late((CustomScan *) node->ss.ps.plan);
	node->custom_ps = list_make1(child);
	if (planned_number(scan, NUMBER_SORTS) && (eflags & EXEC_FLAG_EXPLAIN_ONLY) == 0)
		guc_share_budget(estate->es_query_cxt);
	pool_keep_at_most(guc_budget());
	state->child_columns = planned_number(scan, NUMBER_CHILD_COLUMNS);
	reader->frame.options = planned_number(scan, NUMBER_FRAME_OPTIONS);
	reader->sorts_ranges = planned_number(scan, NUMBER_RANGE_PARTITIONED);
	late_row_begin(&state->late, estate, desc);
	read_keys(state, scan, &columns);
	state->distinct = planned_list(scan, PRIVATE_FUNCTIONS) == NIL;
	offsets = read_functions(state, scan, &columns);
	state->entering.limited = estate->es_plannedstmt->parallelModeNeeded && !scan->scan.plan.parallel_aware &&
							  demand_in_plan(estate, &scan->scan.plan) != DEMAND_ALL;
	prefix_scan_start_functions(state, scan);
	read_frame(state, scan, &columns, offsets);
	read_passthrough(state, scan, &columns);
	read_outputs(state, scan, &columns);

	reader->econtext = CreateExprContext(estate);
	reader->sorts = planned_number(scan, NUMBER_SORTS);
	reader->presorted = planned_number(scan, NUMBER_PRESORTED);
	reader->read_ahead = read_ahead_of(state, scan);
	reader->statistics.instrument = estate->es_instrument != 0 ? &state->instrument : NULL;
	state->instrument.timed = (estate->es_instrument & INSTRUMENT_TIMER) != 0;
	pull_begin(&reader->pull, child, columns.from, columns.n, reader->econtext, block_source_of);
	reader_begin(reader, columns.column, read_top_rows(scan), (SortedOffer){prefix_scan_offer, prefix_scan_take, state},
				 units);
	entering_begin(&state->entering, columns.column, columns.n, guc_budget() / LATE_PART);
	for (int i = 0; i < state->functions; i++)
	{
		function_at(state, i)->result.full = guc_budget() / RESULTS_PART / state->functions;
		reader->needs.result_bytes += column_width(function_at(state, i)->result.data.format);
	}
}
