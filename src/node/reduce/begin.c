/*
 * begin.c: starts a WindowReduce: sets up its state from the description that create_plan.c wrote.
 *
 * exec.c calls it once per plan.  The node's own row has the columns of custom_scan_tlist (planned_node.h): those of
 * the subquery, the aggregates, and the inputs of computed columns.  A column that a condition, an argument, a group,
 * the target list or a computed column reads has one column in `rows`.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "column/row_function.h"
#include "column/type.h"
#include "compat.h"
#include "library/library.h"
#include "node/error_timing/error_timing.h"
#include "node/exec/state.h"
#include "node/planned_node.h"
#include "node/reduce/internal.h"

/* ---- columns ---- */

/* Returns where a column of the node's own row comes from: the child's column; or, negative, its expression. */
static int
source_of(const ReduceState *state, AttrNumber attno)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	const List		 *sources = planned_list(scan, REDUCE_SOURCES);

	if (attno > state->columns)
		return attno - state->columns - planned_number(scan, REDUCE_NUMBER_AGGREGATES);
	return sources == NIL ? attno : list_nth_int(sources, attno - 1);
}

/* Returns the column of the rows for a column of the node's own row, which is no aggregate; adds it if it is new. */
static int
own_column(ReduceState *state, AttrNumber attno)
{
	return pull_column(&state->pulled, attno, (AttrNumber) Max(source_of(state, attno), 0));
}

static int
column_of_var(void *state, const Var *var)
{
	return own_column((ReduceState *) state, var->varattno);
}

/* ---- conditions ---- */

static void
read_conditions(ReduceState *state, const List *exprs, ExpressionUse use, Conditions *conditions)
{
	conditions->condition = (RowExpression *) palloc0(Max(list_length(exprs), 1) * sizeof(RowExpression));
	foreach_ptr (Expr, expr, exprs)
		expression_begin(&conditions->condition[conditions->n++], expr, &state->css.ss.ps, use, &state->late,
						 column_of_var, state);
}

/* ---- aggregates ---- */

static AggregateCall
call_of(const Aggref *aggref)
{
	Oid		  *type = (Oid *) palloc(Max(list_length(aggref->aggargtypes), 1) * sizeof(Oid)), stock;
	MovingKind kind;

	foreach_oid (argument, aggref->aggargtypes)
		type[foreach_current_index(argument)] = argument;
	aggregate_operation(aggref->aggfnoid, &stock, &kind);
	return (AggregateCall){.called = aggref->aggfnoid,
						   .oid = stock,
						   .moving = kind,
						   .line = SCAN_OP_none,
						   .collation = aggref->inputcollid,
						   .result = get_func_rettype(aggref->aggfnoid),
						   .partial = DO_AGGSPLIT_SKIPFINAL(aggref->aggsplit),
						   .arguments = list_length(aggref->args),
						   .type = type,
						   .fraction = 0.5};
}

/* Reads an argument of an aggregate: a column, a constant, or an expression. */
static void
read_value(ReduceState *state, RowFunction *f, int *argument, int a, Expr *expr)
{
	RowExpression argument_of;

	if (IsA(expr, Var) || IsA(expr, Const))
	{
		argument[a] = IsA(expr, Var) ? own_column(state, ((const Var *) expr)->varattno)
									 : pull_constant(&state->pulled, (const Const *) expr);
		return;
	}
	if (f->late == NULL)
		f->late = (ExprState **) palloc0(f->arguments * sizeof(ExprState *));
	expression_begin(&argument_of, expr, &state->css.ss.ps, USE_ARGUMENT, &state->late, column_of_var, state);
	state->sees_rows = state->sees_rows || argument_of.errors != ERRORS_NEVER;
	f->late[a] = argument_of.state;
	f->late_row = &state->late;
}

/* Starts an aggregate, which has no arguments yet.  Core asks in the same order whether the user may call functions. */
static void
begin_aggregate(ReduceAggregate *started, const Aggref *aggref)
{
	Aggregate	*aggregate = &started->aggregate;
	RowFunction *f = &aggregate->f;

	aggregate->call = call_of(aggref);
	if (aggregate->call.partial)
		started->partial = aggregate_partial_result(aggregate->call.oid, aggregate->call.moving);
	*f = (RowFunction){.arguments = aggregate->call.arguments,
					   .argument = (int *) palloc0(Max(aggregate->call.arguments, 1) * sizeof(int)),
					   .needs = LOOKAHEAD_PARTITION,
					   .filter = -1,
					   .query = CurrentMemoryContext,
					   .partition = AllocSetContextCreate(CurrentMemoryContext, "scan group", ALLOCSET_DEFAULT_SIZES),
					   .scratch = AllocSetContextCreate(CurrentMemoryContext, "scan scratch", ALLOCSET_SMALL_SIZES)};
	check_execute_of(OBJECT_AGGREGATE, aggregate->call.called, GetUserId());
	result_column_init(&f->result, aggregate->call.result, f->query, false);
	aggregate_start(aggregate);
}

/* Reads the arguments and the FILTER of an aggregate, which are removed from the front of *exprs. */
static void
read_arguments_of(ReduceState *state, ReduceAggregate *read, const Aggref *aggref, List **exprs)
{
	RowFunction *f = &read->aggregate.f;

	for (int a = 0; a < f->arguments; a++)
		read_value(state, f, unconstify(int *, f->argument), a, (Expr *) list_nth(*exprs, a));
	*exprs = list_copy_tail(*exprs, f->arguments);
	if (aggref->aggfilter != NULL)
	{
		read_conditions(state, make_ands_implicit((Expr *) linitial(*exprs)), USE_FILTER, &read->filter);
		*exprs = list_copy_tail(*exprs, 1);
	}
	if (state->conditions.n + read->filter.n > 0)
	{
		f->filter = state->pulled.n++;
		state->pulled.column[f->filter] = (RowColumn){.data = {.length = sizeof(bool), .by_value = true}};
	}
}

/* Adds to counts[] how many of some conditions raise errors when. */
static void
count_errors(ReduceState *state, const Conditions *conditions, int *counts)
{
	for (int i = 0; i < conditions->n; i++)
	{
		counts[conditions->condition[i].errors]++;
		state->tries = state->tries && expression_can_be_tried(&conditions->condition[i]);
	}
}

/*
 * Notes whether rows have to be looked at one by one.  Conditions and computed columns that may raise errors at rows
 * need it, unless the next thing that a user can see is the result of all rows: the error is then the only thing to be
 * seen, and comes of the first row that raises it.  Transitions need it if those of several aggregates may raise
 * different errors.  Those of floats all raise the same error, so it does not matter at which row they do.  Those of
 * exact aggregates raise none, and are counted all the same: only their results may fail.
 */
static void
note_errors(ReduceState *state)
{
	bool returns_rows = state->aggregates == 0 && !state->grouped;
	int	 errors[ERRORS_AT_ROWS + 1] = {0};
	int	 seen;					/* what a user may see */
	bool computes = false;		/* the executor computes a column that may raise an error */
	Oid	 may_fail = InvalidOid; /* the type of the aggregates whose transitions may raise an error */

	state->tries = true;
	count_errors(state, &state->conditions, errors);
	for (int c = 0; c < state->computed.n; c++)
		computes = computes ||
				   (state->computed.column[c].e.loops == NULL && state->computed.column[c].e.errors != ERRORS_NEVER);
	errors[ERRORS_AT_ROWS] += computes;
	state->transitions_apart = state->sees_rows; /* because of arguments */
	for (int i = 0; i < state->aggregates; i++)
	{
		const Aggregate *aggregate = &state->aggregate[i].aggregate;
		Oid				 type;

		count_errors(state, &state->aggregate[i].filter, errors);
		if (!(aggregate->op->traits & AGGREGATE_MAY_FAIL))
			continue;
		type = aggregate->call.type[0] == FLOAT4OID ? FLOAT8OID : aggregate->call.type[0];
		state->transitions_apart = state->transitions_apart || (OidIsValid(may_fail) && may_fail != type);
		may_fail = type;
	}
	seen = errors[ERRORS_AT_ROWS] + errors[ERRORS_ONCE] + OidIsValid(may_fail) + (state->grouped || returns_rows);
	state->rows_apart = state->transitions_apart || (errors[ERRORS_AT_ROWS] > 0 && seen > 1);
	state->sees_rows = state->sees_rows || returns_rows || OidIsValid(may_fail);
}

static void
read_all_aggregates(ReduceState *state, const CustomScan *scan, List *exprs)
{
	const List *aggrefs = list_copy_tail(scan->custom_scan_tlist, state->columns);

	state->aggregates = planned_number(scan, REDUCE_NUMBER_AGGREGATES);
	state->aggregate = (ReduceAggregate *) palloc0(Max(state->aggregates, 1) * sizeof(ReduceAggregate));
	for (int i = 0; i < state->aggregates; i++)
		begin_aggregate(&state->aggregate[i], castNode(Aggref, list_nth_node(TargetEntry, aggrefs, i)->expr));
	for (int i = 0; i < state->aggregates; i++)
		read_arguments_of(state, &state->aggregate[i], castNode(Aggref, list_nth_node(TargetEntry, aggrefs, i)->expr),
						  &exprs);
}

/* ---- groups ---- */

static void
read_groups(ReduceState *state, const CustomScan *scan)
{
	const List *attnos = planned_list(scan, REDUCE_KEY_COLUMNS);

	state->keys = list_length(attnos);
	state->key = (ReduceKey *) palloc(Max(state->keys, 1) * sizeof(ReduceKey));
	for (int k = 0; k < state->keys; k++)
	{
		AttrNumber attno = (AttrNumber) list_nth_int(attnos, k);
		Oid		   equal = get_opcode(list_nth_node(SortGroupClause, planned_list(scan, REDUCE_KEYS), k)->eqop);

		state->key[k] = (ReduceKey){.attno = attno,
									.column = own_column(state, attno),
									.by_datum = type_equal_is_by_datum(equal),
									.collation = TupleDescAttr(state->pulled.desc, attno - 1)->attcollation};
		check_execute(equal, GetUserId());
		fmgr_info(equal, &state->key[k].equal);
	}
}

/* ---- computed columns ---- */

/*
 * Reads the expressions of the computed columns: those that something reads, and those that may raise an error, since
 * core computes them.  No other column of the subquery is added after that.
 */
static void
read_computed_columns(ReduceState *state, const List *exprs)
{
	Computed *computed = &state->computed;

	for (AttrNumber attno = 1; attno <= state->columns; attno++)
	{
		ComputedColumn *column = &computed->column[computed->n];
		int				source = source_of(state, attno);
		int				c = state->pulled.n - 1;
		Expr		   *expr;

		if (source > 0)
			continue;
		while (c >= 0 && state->pulled.from[c].own != attno)
			c--;
		expr = (Expr *) list_nth(exprs, -source - 1);
		if (c < 0 && !expression_may_error_or_side_effect((const Node *) expr))
			continue;
		*column = (ComputedColumn){.attno = attno, .column = c};
		expression_begin(&column->e, expr, &state->css.ss.ps, USE_COLUMN, &computed->late, column_of_var, state);
		computed->n++;
	}
	if (computed->n > 0)
		computed_begin(computed, CurrentMemoryContext);
}

/* ---- output ---- */

/* Finds the columns that are passed up where the target list has nothing else: rows then need no projection. */
static void
read_passed_columns(ReduceState *state, const CustomScan *scan)
{
	int *output = (int *) palloc(Max(list_length(scan->scan.plan.targetlist), 1) * sizeof(int));

	foreach_node (Var, var, pull_var_clause((Node *) scan->scan.plan.targetlist, 0))
		column_of_var(state, var);
	foreach_node (TargetEntry, entry, scan->scan.plan.targetlist)
	{
		const Var *var = (const Var *) entry->expr;

		if (!IsA(var, Var) || state->css.ss.ps.ps_ResultTupleSlot == NULL)
			return;
		output[state->outputs++] = own_column(state, var->varattno);
	}
	state->output = output;
}

/* ---- the node ---- */

void
window_reduce_begin(ReduceState *state, EState *estate, int eflags)
{
	CustomScanState	 *node = &state->css;
	const CustomScan *scan = (const CustomScan *) node->ss.ps.plan;
	PlanState		 *child = ExecInitNode((Plan *) linitial(scan->custom_plans), estate, eflags);
	TupleDesc		  desc = node->ss.ss_ScanTupleSlot->tts_tupleDescriptor;
	int				  conditions = planned_number(scan, REDUCE_NUMBER_CONDITIONS);
	int				  others = list_length(scan->custom_exprs) - planned_number(scan, REDUCE_NUMBER_COMPUTED);
	int				  most = desc->natts + list_length(scan->custom_exprs);

	node->custom_ps = list_make1(child);
	state->columns = planned_number(scan, REDUCE_NUMBER_COLUMNS);
	state->grouped = planned_number(scan, REDUCE_NUMBER_GROUPED);
	state->by_partition = planned_number(scan, REDUCE_NUMBER_BY_PARTITION);
	state->pulled = (PullColumns){.desc = desc,
								  .from = (PullColumn *) palloc0(Max(most, 1) * sizeof(PullColumn)),
								  .column = (RowColumn *) palloc0(Max(most, 1) * sizeof(RowColumn))};
	state->computed.column = (ComputedColumn *) palloc(Max(state->columns, 1) * sizeof(ComputedColumn));
	/* expressions may read any column of the node's own row */
	late_row_begin(&state->late, estate, desc);
	late_row_begin(&state->computed.late, estate, desc);

	read_conditions(state, list_truncate(list_copy(scan->custom_exprs), conditions), USE_WHERE, &state->conditions);
	read_groups(state, scan);
	read_all_aggregates(state, scan, list_copy_tail(scan->custom_exprs, conditions));
	if (state->aggregates == 0 && !state->grouped)
		read_passed_columns(state, scan);
	read_computed_columns(state, list_copy_tail(scan->custom_exprs, others));
	note_errors(state);

	pull_begin(&state->pull, child, state->pulled.from, state->pulled.n, NULL, prefix_scan_block_source);
	state->blocks = prefix_scan_block_source(child);
	state->rows = rows_create(CurrentMemoryContext, state->pulled.column, state->pulled.n, ROWS_BY_COLUMN);
	state->block.rows = state->rows;
	state->head = (bool *) palloc(REDUCE_ROWS * sizeof(bool));
	state->group_values = AllocSetContextCreate(CurrentMemoryContext, "scan group's row", ALLOCSET_SMALL_SIZES);
	state->comparisons = AllocSetContextCreate(CurrentMemoryContext, "scan comparisons", ALLOCSET_SMALL_SIZES);
}
