/*
 * totals.c: lets queries that aggregate a table read a kept scan of it.
 *
 * A query level whose conditions name one partition, and a range of it, reads the aggregates of that part:
 *
 *   SELECT sum(amount), count(*) FROM payment WHERE account = 7 AND at < '2026-01-01'
 *   SELECT total, entries FROM scan_kept_part('payment_kept', '-)', 7, '2026-01-01') AS r(total, entries)
 *
 * Any other level reads cells (question_cells.c).  The table's place in FROM is taken by a call of scan_kept_cells(),
 * and each aggregate becomes one that adds up states; all else of the level stays as it is, and is core's:
 *
 *   SELECT date_trunc('day', at), sum(amount) FROM payment JOIN account USING (account) WHERE kind = 'A' GROUP BY 1
 *   SELECT date_trunc('day', at), scan_kept_merge('payment_kept', 0, 'sum', total, NULL::numeric)
 *   FROM scan_kept_cells('payment_kept', '---lt', rows, cost, 'day') AS r(account, at, scan_last, scan_rows,
 *        total) JOIN account USING (account) WHERE kind = 'A' GROUP BY 1
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "kept/catalogs.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* ---- one part ---- */

/* Returns the letters of the bounds of a question. */
static char *
bounds_of(const KeptQuestion *q)
{
	return psprintf("%c%c",
					q->from == NULL		? '-'
					: q->from_inclusive ? '['
										: '(',
					q->to == NULL	  ? '-'
					: q->to_inclusive ? ']'
									  : ')');
}

static Const *
number_constant(double number)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(number), false, FLOAT8PASSBYVAL);
}

/* Returns the call that answers a question. */
static Expr *
call_of_question(const KeptQuestion *q)
{
	List *values = NIL;
	bool  listed = false;

	for (int p = 0; p < q->kept->partitions; p++)
		listed = listed || q->partition[p] != NULL || q->list[p] != NULL;
	if (q->has_cells)
		values = list_make2(number_constant(q->cells), number_constant(q->cost));
	for (int p = 0; p < q->kept->partitions && (listed || !q->has_cells); p++)
	{
		const KeptColumn *column = &q->kept->partition[p];
		Expr			 *value = q->partition[p];

		if (q->has_cells && value != NULL)
			value = kept_question_array(column, value);
		else if (q->has_cells && q->list[p] != NULL)
			value = q->list[p];
		else if (q->has_cells) /* a type without arrays has no list */
			value = (Expr *) makeNullConst(
				OidIsValid(get_array_type(column->type)) ? get_array_type(column->type) : TEXTOID, -1, InvalidOid);
		if (value == NULL)
			return NULL;
		values = lappend(values, value);
	}
	if (q->from != NULL)
		values = lappend(values, q->from);
	if (q->to != NULL)
		values = lappend(values, q->to);
	return q->has_cells
			   ? kept_call(q, "scan_kept_cells", true, psprintf("%s%c%s", bounds_of(q), listed ? '*' : '-', q->steps),
						   list_concat(values, q->step_values))
			   : kept_call(q, "scan_kept_part", false, bounds_of(q), values);
}

/* Puts columns of the last entry of the range table, which is the call, in the place of aggregates. */
static Node *
replace_aggregates(Node *node, void *question)
{
	KeptQuestion *q = (KeptQuestion *) question;
	List		 *remain;

	if (node != NULL && IsA(node, Aggref))
		return (Node *) makeVar(list_length(q->query->rtable),
								(AttrNumber) (kept_question_aggregate(q, (Aggref *) node, &remain) + 1), exprType(node),
								exprTypmod(node), exprCollation(node), 0);
	return expression_tree_mutator(node, replace_aggregates, question);
}

/* ---- cells ---- */

static Node *replace_by_cells(Node *node, void *question);

/* Returns what an aggregate of the definition gives without rows, as a constant; NULL: it gives NULL. */
static Node *
result_of_nothing(const KeptQuestion *q, int a, const Aggref *call)
{
	bool  isnull = false;
	Datum result = Int64GetDatum(0);

	if (a < q->kept->aggregates && call->aggfnoid != F_COUNT_ANY)
		result = kept_state_result(q->kept, kept_state_create(q->kept), a, &isnull);
	return isnull ? NULL
				  : (Node *) makeConst(call->aggtype, -1, call->aggcollid, get_typlen(call->aggtype), result, false,
									   get_typbyval(call->aggtype));
}

/* Returns the call of scan_kept_merge() that takes the place of an aggregate. */
static Node *
merge_of_aggregate(KeptQuestion *q, const Aggref *call)
{
	const Kept *kept = q->kept;
	Aggref	   *merge = (Aggref *) copyObject(call);
	List	   *remain;
	int			a = kept_question_aggregate(q, call, &remain);
	bool		is_rows = a == kept->aggregates;
	/* a count of a column that is never NULL is that of the rows */
	bool  is_count = !is_rows && kept->aggregate[a].operation == &kept_count;
	Oid	  function = is_count ? kept->aggregate[a].called : call->aggfnoid;
	Oid	  type = is_rows ? INT8OID : kept->aggregate[a].state_type;
	Var	 *state = makeVar(list_length(q->query->rtable),
						  (AttrNumber) (kept->partitions + KEPT_CELL_COLUMNS + (is_rows ? 0 : 1 + a)), type, -1,
						  get_typcollation(type), 0);
	List *arguments = list_make5(
		kept_tree_constant(kept),
		makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(is_rows ? -1 : a), false, true),
		makeConst(OIDOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(function), false, true), state,
		makeNullConst(call->aggtype, -1, call->aggcollid));
	CoalesceExpr *coalesce = makeNode(CoalesceExpr);
	Node		 *nothing = result_of_nothing(q, a, call);

	merge->aggfnoid = q->merge;
	merge->aggargtypes = list_make5_oid(REGCLASSOID, INT4OID, OIDOID, type, call->aggtype);
	merge->args = NIL;
	foreach_ptr (Expr, argument, arguments)
		merge->args = lappend(
			merge->args, makeTargetEntry(argument, (AttrNumber) (foreach_current_index(argument) + 1), NULL, false));
	merge->inputcollid = InvalidOid;
	merge->aggstar = false;
	merge->aggfilter = remain == NIL ? NULL : (Expr *) replace_by_cells((Node *) make_ands_explicit(remain), q);
	if (nothing == NULL)
		return (Node *) merge;
	coalesce->coalescetype = call->aggtype;
	coalesce->coalescecollid = call->aggcollid;
	coalesce->args = list_make2(merge, nothing);
	coalesce->location = -1;
	return (Node *) coalesce;
}

/* Puts the last entry of the range table, which is the call, in the place of the table. */
static Node *
replace_by_cells(Node *node, void *question)
{
	KeptQuestion *q = (KeptQuestion *) question;
	int			  entry = list_length(q->query->rtable), p;
	Var			 *column;

	if (node == NULL || IsA(node, Query))
		return node;
	if (IsA(node, Aggref))
		return merge_of_aggregate(q, (const Aggref *) node);
	if (IsA(node, RangeTblRef) && ((RangeTblRef *) node)->rtindex == q->varno)
		return kept_reference(entry);
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup > 0 || ((Var *) node)->varno != q->varno)
		return expression_tree_mutator(node, replace_by_cells, question);
	p = kept_question_partition(q, node);
	column = (Var *) copyObject(node);
	column->varno = entry;
	column->varattno = (AttrNumber) (p >= 0 ? p + 1 : q->kept->partitions + (q->at_last ? 2 : 1));
	return (Node *) column;
}

/* ---- levels ---- */

typedef struct Rewriting
{
	const Query	 *outermost, *above; /* the level above the one at hand; NULL: there is none */
	ParamListInfo parameters;		 /* NULL: the plan is for any values */
	KeptOpen	 *open;
	bool		  rewritten;
} Rewriting;

static bool
has_parameter(Node *node, void *unused)
{
	return node != NULL && (IsA(node, Param) || expression_tree_walker(node, has_parameter, unused));
}

/*
 * True if it is open whether a level should read a part.  Without statistics the planner's guess of a few rows would
 * let it read millions, where a kept scan reads a few hundred at most.  To plan the level as it is takes milliseconds
 * for a thousand leaves, so statistics tell if they can.
 */
static bool
leaves_range(const Rewriting *rewriting, const Query *query, const KeptQuestion *q)
{
	return query == rewriting->outermost && (q->from != NULL || q->to != NULL) && q->largest_partition >= 0 &&
		   (rewriting->parameters != NULL || !has_parameter((Node *) list_make2(q->from, q->to), NULL)) &&
		   !(q->kept->is_partitioned && kept_part_is_large(q));
}

/* A query level, and the kept scan whose cells cost least so far. */
typedef struct TotalLevel
{
	KeptQuestion q;			   /* first; its query is `level` */
	Query		 level, plain; /* `level` loses conditions that are taken */
	bool		 found;
	KeptQuestion cheapest;
	Query		 cheapest_level;
} TotalLevel;

/* A KeptHasAnswer: one part answers the level.  If cells do, others may cost less, so they are only noted. */
static bool
has_total(KeptQuestion *q)
{
	TotalLevel *total = (TotalLevel *) q;
	Query	   *query = q->query;

	/* another kept scan may have been asked before */
	*query = total->plain;
	query->jointree = (FromExpr *) copyObject(query->jointree);
	if (query->groupClause == NIL && query->groupingSets == NIL && !query->hasWindowFuncs &&
		kept_table_of_level(query) == q->varno && kept_question_has_answer(q))
		return true;
	if (!kept_question_has_cells(q))
		return false;
	kept_cells_estimate(q);
	if (guc_kept == KEPT_AUTO && q->reads_many)
		return kept_question_fails(q, "buckets have too few rows, and the definition has no grain", NULL);
	if (!total->found || q->cost < total->cheapest.cost)
	{
		total->found = true;
		total->cheapest = *q;
		total->cheapest_level = *query;
	}
	return false;
}

/* A KeptHasAnswer: a part or cells answer the level. */
static bool
has_total_or_cells(KeptQuestion *q)
{
	return has_total(q) || ((TotalLevel *) q)->found;
}

/* Finds a kept scan of one of a level's tables.  True: one part of it answers the level. */
static bool
find_total(TotalLevel *total, Node *node)
{
	if (IsA(node, RangeTblRef))
		return kept_find_of(&total->q, ((RangeTblRef *) node)->rtindex, has_total);
	if (IsA(node, JoinExpr))
		return find_total(total, ((JoinExpr *) node)->larg) || find_total(total, ((JoinExpr *) node)->rarg);
	foreach_ptr (Node, item, ((FromExpr *) node)->fromlist)
		if (find_total(total, item))
			return true;
	return false;
}

/* Returns a condition that raises an error if a step is not the same for both keys of a cell. */
static Node *
check_of_step(KeptQuestion *q, Node *step)
{
	Oid	  types[] = {ANYELEMENTOID, ANYELEMENTOID};
	List *arguments = list_make1(replace_by_cells(step, q));

	q->at_last = true;
	arguments = lappend(arguments, replace_by_cells(step, q));
	q->at_last = false;
	return (Node *) makeFuncExpr(kept_extension_function(q->caller.fn_oid, "scan_kept_same", lengthof(types), types),
								 BOOLOID, arguments, InvalidOid, exprCollation(step), COERCE_EXPLICIT_CALL);
}

/* Puts the call of a question in its level. */
static void
put_call(KeptQuestion *q, Query *level, Expr *call)
{
	List **groups;

	level->rtable = lappend(list_copy(level->rtable), kept_entry_of_call(q, call));
	if (q->has_cells)
	{
		level->targetList = (List *) replace_by_cells((Node *) level->targetList, q);
		level->havingQual = replace_by_cells(level->havingQual, q);
		level->jointree = (FromExpr *) replace_by_cells((Node *) level->jointree, q);
		foreach_ptr (Node, step, guc_kept == KEPT_CHECK ? q->step_nodes : NIL)
			level->jointree->quals = make_and_qual(level->jointree->quals, check_of_step(q, step));
		groups = compat_group_expressions(level);
		if (groups != NULL)
			*groups = (List *) replace_by_cells((Node *) *groups, q);
		return;
	}
	level->targetList = (List *) replace_aggregates((Node *) level->targetList, q);
	level->jointree->quals = replace_aggregates(level->havingQual, q);
	level->havingQual = NULL;
	((RangeTblRef *) linitial(level->jointree->fromlist))->rtindex = list_length(level->rtable);
	level->hasAggs = false;
}

/* Rewrites a query level if a kept scan answers it, and else leaves it as it is. */
static void
rewrite_total(Rewriting *rewriting, Query *query)
{
	TotalLevel	  total = {.level = *query};
	Query		  exposed;
	bool		  is_part;
	KeptQuestion *q = &total.q;
	Expr		 *call;

	if (!query->hasAggs || query->commandType != CMD_SELECT || query->setOperations != NULL || query->rowMarks != NIL)
		return;
	/* those that do not depend on the rows stay as they are, or are the value of a condition */
	total.level.hasSubLinks = false;
	/* as in core, a row is asked the conditions of the level above last: they may fail for those that others drop */
	total.level.jointree = makeFromExpr(
		query->jointree->fromlist,
		(Node *) make_ands_explicit(list_concat_copy(make_ands_implicit((Expr *) query->jointree->quals),
													 kept_conditions_above(rewriting->above, query))));
	exposed = total.level;
	do
	{
		total.level = total.plain = exposed;
		*q = (KeptQuestion){.query = &total.level, .parameters = rewriting->parameters};
		is_part = find_total(&total, (Node *) exposed.jointree);
	} while (!is_part && !total.found && kept_expose(&exposed));
	if (!is_part)
	{
		if (!total.found)
		{
			total.level = total.plain;
			kept_advise(q, has_total_or_cells);
			return;
		}
		*q = total.cheapest;
		total.level = total.cheapest_level;
	}
	if (rewriting->open != NULL && (q->has_cells || leaves_range(rewriting, query, q)))
	{
		*rewriting->open = Max(*rewriting->open, q->has_cells ? KEPT_OPEN_CELLS : KEPT_OPEN_RANGE);
		return;
	}
	call = call_of_question(q);
	if (call == NULL)
		return;
	kept_note(q->kept, NULL);
	put_call(q, &total.level, call);
	total.level.hasSubLinks = query->hasSubLinks;
	*query = total.level;
	rewriting->rewritten = true;
}

static bool
rewrite_totals(Node *node, void *rewriting)
{
	Rewriting	*below = (Rewriting *) rewriting;
	const Query *above = below->above;

	if (node == NULL || !IsA(node, Query))
		return expression_tree_walker(node, rewrite_totals, rewriting);
	rewrite_total(below, (Query *) node);
	below->above = (Query *) node;
	(void) query_tree_walker((Query *) node, rewrite_totals, rewriting, 0);
	below->above = above;
	return false;
}

bool
kept_rewrite_totals(Query *query, ParamListInfo parameters, KeptOpen *open)
{
	Rewriting rewriting = {.outermost = query, .parameters = parameters, .open = open};

	(void) rewrite_totals((Node *) query, &rewriting);
	return rewriting.rewritten;
}
