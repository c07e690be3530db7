/*
 * rewrite.c: lets plain aggregate queries read a kept scan.
 *
 *   SELECT sum(amount), count(*) FROM payment WHERE account = 7 AND at < '2026-01-01'
 *
 * A query level is rewritten before it is planned if it reads one table of which a scan is kept, has the conditions of
 * that scan's definition, a value for each column of its partition and bounds of the first key, and no others; and if
 * each of its aggregates is one of the definition's.  The table's place in FROM is taken by a call of scan_kept_part(),
 * and the aggregates become the columns of its only row:
 *
 *   SELECT total, entries FROM scan_kept_part('payment_kept', '-)', 7, '2026-01-01') AS r(total, entries)
 *
 * The function decides when it is called whether tree and log may be used, and reads the table if not.  So a plan never
 * has to be made anew for that.  The table stays in the range table: its privileges are checked, it is locked, and a
 * change of it makes cached plans invalid, as in the plain query.
 *
 * Rejected: a plan node of our own.  Cursors, correlated subqueries and recheck of updated rows treat a function as
 * they treat any other.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_trigger.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/planner.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "guc.h"
#include "kept/arguments.h"
#include "kept/catalog.h"
#include "kept/rewrite.h"
#include "kept/sql.h"
#include "kept/triggers.h"

/* A query level, and what of a kept scan it asks for. */
typedef struct Question
{
	Query	   *query;
	int			varno;
	FmgrInfo	caller; /* the trigger function of the kept scan, whose schema is the extension's */
	const Kept *kept;
	Expr	  **partition; /* the value of each column; NULL: none yet */
	Expr	   *from, *to; /* bounds of the first key, NULL: none */
	bool		from_inclusive, to_inclusive;
	int			conditions; /* of the definition that the query has */
} Question;

static planner_hook_type previous_hook;

/* ---- expressions ---- */

/* Brings an expression over the table into the form in which definitions have theirs. */
static Node *
as_in_definition(const Question *q, Node *node)
{
	node = (Node *) copyObject(node);
	ChangeVarNodes(node, q->varno, 1, 0);
	return (Node *) expression_planner((Expr *) node);
}

/*
 * True for a function that may raise an error for some value.  Core computes the value of an index condition even if no
 * row is read, but that of a filter at each row.  So an error in a table without rows would be new; arithmetic of dates
 * is let through, since its errors lie beyond the year 290000.
 */
static bool
may_raise_error(Oid function, void *unused)
{
	Oid type = get_func_rettype(function);

	return function >= FirstUnpinnedObjectId ||
		   (type != DATEOID && type != TIMESTAMPOID && type != TIMESTAMPTZOID && type != INTERVALOID);
}

static bool
has_unsafe_part(Node *node, void *unused)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == 0;
	if (IsA(node, Param))
		return ((Param *) node)->paramkind != PARAM_EXTERN;
	if (check_functions_in_node(node, may_raise_error, NULL))
		return true;
	if (!(IsA(node, Const) || IsA(node, FuncExpr) || IsA(node, OpExpr) || IsA(node, RelabelType) ||
		  IsA(node, SQLValueFunction)))
		return true;
	return expression_tree_walker(node, has_unsafe_part, NULL);
}

/* True if an expression has the same value in all rows of the table and may be computed once, and first. */
static bool
is_value(Node *node)
{
	return !contain_volatile_functions(node) && !has_unsafe_part(node, NULL);
}

static int
integer_width(Oid type)
{
	return type == INT2OID ? 2 : type == INT4OID ? 4 : type == INT8OID ? 8 : 0;
}

/* Returns an integer constant as one of a narrower type, NULL if it is none, or beyond that type. */
static Expr *
narrow_constant(const Const *value, Oid type)
{
	int64 number;

	if (!IsA(value, Const) || value->constisnull)
		return NULL;
	number = value->consttype == INT4OID ? DatumGetInt32(value->constvalue) : DatumGetInt64(value->constvalue);
	if (type == INT2OID && number >= PG_INT16_MIN && number <= PG_INT16_MAX)
		return (Expr *) makeConst(type, -1, InvalidOid, 2, Int16GetDatum((int16) number), false, true);
	if (type == INT4OID && number >= PG_INT32_MIN && number <= PG_INT32_MAX)
		return (Expr *) makeConst(type, -1, InvalidOid, 4, Int32GetDatum((int32) number), false, true);
	return NULL;
}

/* Returns a value as one of the column's type, NULL if it may have none. */
static Expr *
value_for_column(const KeptColumn *column, Node *value)
{
	Oid type = exprType(value);
	int from = integer_width(type), to = integer_width(column->type);

	if (type == column->type)
		return (Expr *) value;
	if (type == column->opclass_type)
		return (Expr *) makeRelabelType((Expr *) value, column->type, -1, column->collation, COERCE_IMPLICIT_CAST);
	if (from > 0 && from < to)
		return (Expr *) coerce_type(NULL, value, type, column->type, -1, COERCION_IMPLICIT, COERCE_IMPLICIT_CAST, -1);
	return to > 0 && from > to ? narrow_constant((const Const *) eval_const_expressions(NULL, value), column->type)
							   : NULL;
}

/* ---- conditions ---- */

static bool
is_column(const Question *q, Node *node, const KeptColumn *column)
{
	if (IsA(node, RelabelType))
		node = (Node *) ((RelabelType *) node)->arg;
	return IsA(node, Var) && ((Var *) node)->varlevelsup == 0 && ((Var *) node)->varno == q->varno &&
		   ((Var *) node)->varattno == column->attribute;
}

/*
 * Reads a comparison of a column with a value.  Returns its strategy, as that of a btree in which the column is on the
 * left, and the value; 0 if it is another condition.
 */
static int
read_comparison(const Question *q, const OpExpr *condition, const KeptColumn *column, Expr **value)
{
	Node *left, *right;
	Oid	  operator= condition->opno;

	if (!IsA(condition, OpExpr) || list_length(condition->args) != 2)
		return 0;
	left = (Node *) linitial(condition->args);
	right = (Node *) lsecond(condition->args);
	if (is_column(q, right, column))
	{
		Node *other = left;

		left = right;
		right = other;
		operator= get_commutator(operator);
	}
	if (!is_column(q, left, column) || !OidIsValid(operator) || !is_value(right) ||
		(OidIsValid(condition->inputcollid) && !get_collation_isdeterministic(condition->inputcollid)))
		return 0;
	*value = value_for_column(column, right);
	return *value == NULL ? 0 : get_op_opfamily_strategy(operator, column->family);
}

static bool
take_bound(Question *q, int strategy, Expr *value)
{
	bool is_from = strategy >= BTEqualStrategyNumber, is_to = strategy <= BTEqualStrategyNumber;

	if ((is_from && q->from != NULL) || (is_to && q->to != NULL))
		return false;
	if (is_from)
	{
		q->from = value;
		q->from_inclusive = strategy != BTGreaterStrategyNumber;
	}
	if (is_to)
	{
		q->to = value;
		q->to_inclusive = strategy != BTLessStrategyNumber;
	}
	return true;
}

/* Takes a condition of the query.  False: the rows that the kept scan has do not answer it. */
static bool
take_condition(Question *q, Node *condition)
{
	Expr	 *value;
	int		  strategy;
	ListCell *cell;
	Node	 *same = as_in_definition(q, condition);

	foreach (cell, q->kept->where)
		if (equal(lfirst(cell), same))
		{
			q->conditions |= 1 << foreach_current_index(cell);
			return true;
		}
	for (int p = 0; p < q->kept->partitions; p++)
	{
		strategy = read_comparison(q, (const OpExpr *) condition, &q->kept->partition[p], &value);
		if (strategy == BTEqualStrategyNumber && q->partition[p] == NULL)
		{
			q->partition[p] = value;
			return true;
		}
	}
	strategy = read_comparison(q, (const OpExpr *) condition, &q->kept->key[0], &value);
	return strategy != 0 && take_bound(q, strategy, value);
}

static bool
take_conditions(Question *q, Node *node)
{
	ListCell *cell;

	if (node == NULL)
		return true;
	if (IsA(node, List))
	{
		foreach (cell, (List *) node)
			if (!take_conditions(q, lfirst(cell)))
				return false;
		return true;
	}
	if (is_andclause(node))
		return take_conditions(q, (Node *) ((BoolExpr *) node)->args);
	return take_condition(q, node);
}

/* ---- aggregates ---- */

/* Returns which aggregate of the definition a call is, -1 if none. */
static int
find_aggregate(const Question *q, const Aggref *call)
{
	List	 *arguments = NIL;
	Node	 *filter = call->aggfilter == NULL ? NULL : as_in_definition(q, (Node *) call->aggfilter);
	ListCell *cell;

	if (call->agglevelsup != 0 || call->aggorder != NIL || call->aggdistinct != NIL || call->aggdirectargs != NIL)
		return -1;
	foreach (cell, call->args)
		arguments = lappend(arguments, as_in_definition(q, (Node *) lfirst_node(TargetEntry, cell)->expr));
	for (int a = 0; a < q->kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &q->kept->aggregate[a];

		if (aggregate->called == call->aggfnoid && aggregate->collation == call->inputcollid &&
			equal(aggregate->arguments, arguments) && equal(aggregate->filter, filter))
			return a;
	}
	return -1;
}

static bool
has_other_aggregate(Node *node, void *question)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return find_aggregate((Question *) question, (Aggref *) node) < 0;
	/* GROUPING(), or a column without GROUP BY: nothing that the parser lets through */
	if (IsA(node, GroupingFunc) || (IsA(node, Var) && ((Var *) node)->varlevelsup == 0))
		return true;
	return expression_tree_walker(node, has_other_aggregate, question);
}

static Node *
replace_aggregates(Node *node, void *question)
{
	Question *q = (Question *) question;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
	{
		const Aggref *call = (const Aggref *) node;

		return (Node *) makeVar(list_length(q->query->rtable), (AttrNumber) (find_aggregate(q, call) + 1),
								call->aggtype, -1, call->aggcollid, 0);
	}
	return expression_tree_mutator(node, replace_aggregates, question);
}

/* ---- the kept scan ---- */

/* Returns the only table of a query level that may be answered by a kept scan, NULL if it is another one. */
static const RangeTblEntry *
table_of_level(Question *q)
{
	const Query			*query = q->query;
	const RangeTblRef	*from;
	const RangeTblEntry *entry;

	if (query->commandType != CMD_SELECT || !query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs ||
		query->hasSubLinks || query->groupClause != NIL || query->groupingSets != NIL || query->setOperations != NULL ||
		query->rowMarks != NIL || list_length(query->jointree->fromlist) != 1)
		return NULL;
	from = (const RangeTblRef *) linitial(query->jointree->fromlist);
	if (!IsA(from, RangeTblRef))
		return NULL;
	entry = rt_fetch(from->rtindex, query->rtable);
	/* the function checks the privileges of the user: those of a view's owner, or policies, do not apply to it */
	if (entry->rtekind != RTE_RELATION || entry->relkind != RELKIND_RELATION || entry->tablesample != NULL ||
		entry->securityQuals != NIL || OidIsValid(compat_check_as_user(query, entry)))
		return NULL;
	q->varno = from->rtindex;
	return entry;
}

/* Returns how many rows the largest partition of a kept scan has, by statistics; -1 if there are none. */
static double
largest_partition(const Kept *kept, Relation table)
{
	double rows = table->rd_rel->reltuples;

	for (int p = 0; p < kept->partitions && rows >= 0; p++)
	{
		HeapTuple	 tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(kept->table),
											 Int16GetDatum(kept->partition[p].attribute), BoolGetDatum(false));
		AttStatsSlot slot;
		double		 part, distinct;

		if (!HeapTupleIsValid(tuple))
			return -1;
		distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
		part = distinct > 0 ? 1 / distinct : distinct < 0 ? -1 / (distinct * Max(table->rd_rel->reltuples, 1)) : 1;
		if (get_attstatsslot(&slot, tuple, STATISTIC_KIND_MCV, InvalidOid, ATTSTATSSLOT_NUMBERS))
		{
			part = slot.nnumbers > 0 ? Max(part, slot.numbers[0]) : part;
			free_attstatsslot(&slot);
		}
		ReleaseSysCache(tuple);
		rows *= part;
	}
	return rows;
}

/* True if the kept scan answers the query. */
static bool
answers(Question *q)
{
	const Query *query = q->query;

	q->partition = (Expr **) palloc0(Max(q->kept->partitions, 1) * sizeof(Expr *));
	q->from = q->to = NULL;
	q->conditions = 0;
	if (list_length(q->kept->where) > 31 || !take_conditions(q, query->jointree->quals))
		return false;
	for (int p = 0; p < q->kept->partitions; p++)
		if (q->partition[p] == NULL)
			return false;
	return q->conditions == (1 << list_length(q->kept->where)) - 1 &&
		   !has_other_aggregate((Node *) query->targetList, q) && !has_other_aggregate(query->havingQual, q);
}

/*
 * True if a trigger is one of a kept scan; q->caller: its function.  fmgr_info() loads the library of a function, so
 * another trigger's function must not come to it: that library may be missing, and a query of the table does not need
 * it.
 */
static bool
is_trigger_of_kept(Question *q, const Trigger *trigger)
{
	const char *name;

	if (TRIGGER_FOR_ROW(trigger->tgtype) || !TRIGGER_FOR_DELETE(trigger->tgtype) || trigger->tgnargs != 1)
		return false;
	name = get_func_name(trigger->tgfoid);
	if (name == NULL || strcmp(name, KEPT_LOG_FUNCTION) != 0)
		return false;
	fmgr_info(trigger->tgfoid, &q->caller);
	return q->caller.fn_addr == scan_kept_log;
}

/* Finds a kept scan of a table that answers the query. */
static bool
find_kept(Question *q, Relation table)
{
	const TriggerDesc *triggers = table->trigdesc;

	for (int i = 0; triggers != NULL && i < triggers->numtriggers; i++)
	{
		const Trigger *trigger = &triggers->triggers[i];
		const Kept	  *kept;
		double		   rows;

		if (!is_trigger_of_kept(q, trigger))
			continue;
		kept = kept_if_any(&q->caller, trigger->tgargs[0]);
		if (kept == NULL || kept->table != RelationGetRelid(table) || kept->stale != NULL || !kept_may_read(kept))
			continue;
		rows = largest_partition(kept, table);
		if (rows >= 0 && rows <= KEPT_LEAF_ROWS)
			continue;
		q->kept = kept;
		if (answers(q))
			return true;
	}
	return false;
}

/* ---- the rewritten query ---- */

static Const *
text_constant(const char *text)
{
	return makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text), false, false);
}

static Expr *
call_of_part(const Question *q)
{
	const Kept *kept = q->kept;
	char	   *schema = kept_schema_name(get_func_namespace(q->caller.fn_oid));
	Oid			type[3] = {NAMEOID, TEXTOID, ANYOID};
	int			types = kept->partitions > 0 || q->from != NULL || q->to != NULL ? 3 : 2;
	Oid function = LookupFuncName(list_make2(makeString(schema), makeString("scan_kept_part")), types, type, true);
	NameData *name = (NameData *) palloc0(sizeof(NameData));
	char	  bounds[3] = {q->from == NULL	   ? '-'
						   : q->from_inclusive ? '['
											   : '(',
					   q->to == NULL	 ? '-'
						   : q->to_inclusive ? ']'
											 : ')',
					  '\0'};
	List *arguments;

	if (!OidIsValid(function))
		return NULL;
	namestrcpy(name, NameStr(kept->name));
	arguments = list_make2(makeConst(NAMEOID, -1, C_COLLATION_OID, NAMEDATALEN, NameGetDatum(name), false, false),
						   text_constant(bounds));
	for (int p = 0; p < kept->partitions; p++)
		arguments = lappend(arguments, q->partition[p]);
	if (q->from != NULL)
		arguments = lappend(arguments, q->from);
	if (q->to != NULL)
		arguments = lappend(arguments, q->to);
	return (Expr *) makeFuncExpr(function, RECORDOID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Returns the entry of the range table whose only row has the aggregates. */
static RangeTblEntry *
entry_of_part(const Question *q, Expr *call)
{
	RangeTblEntry	 *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	const Kept		 *kept = q->kept;

	function->funcexpr = (Node *) call;
	function->funccolcount = kept->aggregates;
	for (int a = 0; a < kept->aggregates; a++)
	{
		const KeptAggregate *aggregate = &kept->aggregate[a];

		function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(aggregate->name)));
		function->funccoltypes = lappend_oid(function->funccoltypes, aggregate->result_type);
		function->funccoltypmods = lappend_int(function->funccoltypmods, -1);
		function->funccolcollations = lappend_oid(function->funccolcollations,
												  get_typcollation(aggregate->result_type));
	}
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->alias = makeAlias(NameStr(kept->name), NIL);
	entry->eref = makeAlias(NameStr(kept->name), (List *) copyObject(function->funccolnames));
	entry->inFromCl = true;
	return entry;
}

/* Rewrites a query level if a kept scan answers it. */
static void
rewrite_level(Query *query)
{
	Question			 q = {.query = query};
	const RangeTblEntry *entry = table_of_level(&q);
	Relation			 table;
	bool				 found;
	Expr				*call;

	if (entry == NULL)
		return;
	/* whoever plans a query has a lock on its tables */
	table = table_open(entry->relid, NoLock);
	found = find_kept(&q, table);
	table_close(table, NoLock);
	call = found ? call_of_part(&q) : NULL;
	if (call == NULL)
		return;
	query->rtable = lappend(query->rtable, entry_of_part(&q, call));
	query->targetList = (List *) replace_aggregates((Node *) query->targetList, &q);
	query->jointree->quals = replace_aggregates(query->havingQual, &q);
	query->havingQual = NULL;
	((RangeTblRef *) linitial(query->jointree->fromlist))->rtindex = list_length(query->rtable);
	query->hasAggs = false;
}

static bool
rewrite_levels(Node *node, void *unused)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		rewrite_level((Query *) node);
		return query_tree_walker((Query *) node, rewrite_levels, NULL, 0);
	}
	return expression_tree_walker(node, rewrite_levels, NULL);
}

static PlannedStmt *
rewrite_and_plan(COMPAT_PLANNER_PARAMETERS)
{
	if (guc_kept != KEPT_OFF)
		(void) rewrite_levels((Node *) parse, NULL);
	return previous_hook ? previous_hook(COMPAT_PLANNER_ARGUMENTS(options))
						 : standard_planner(COMPAT_PLANNER_ARGUMENTS(options));
}

void
kept_rewrite_init(void)
{
	previous_hook = planner_hook;
	planner_hook = rewrite_and_plan;
}
