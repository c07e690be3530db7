/*
 * question_cells.c: whether the cells of a kept scan answer what a query level asks.
 *
 * A level that aggregates a table may read its cells (cells.c) if each of its expressions outside of aggregates has one
 * value in all rows of a cell: expressions of the columns of PARTITION BY, and steps of the first key (step.c).  The
 * cell's row then stands for all of its rows, whatever the level does: it may group, filter, order and join by such
 * expressions.  A row of another table meets a cell as often as it meets each of the cell's rows.
 *
 * Conditions of the definition and bounds of the first key are left out of WHERE, because no row of a cell fails them.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "guc.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* Arguments of scan_kept_cells() besides lists and values of steps: two before the estimate, its two, and bounds. */
#define OTHER_ARGUMENTS 6

/* True if it is known whether an expression differs among the rows of a cell: *differs.  Else its parts tell. */
static bool
is_of_cells(KeptQuestion *q, Node *node, bool *differs)
{
	const Var *column = (const Var *) node;
	List	  *remain;
	int		   a;

	*differs = false;
	if (IsA(node, Var) && column->varlevelsup == 0)
		*differs = column->varno == q->varno ? !kept_step_take(q, node)
											 : rt_fetch(column->varno, q->query->rtable)->rtekind == RTE_JOIN;
	else if (!IsA(node, Aggref))
		return kept_step_take(q, node);
	else
	{
		a = kept_question_aggregate(q, (Aggref *) node, &remain);
		*differs = a < 0 && !kept_question_fails(q, "the definition lacks %s", node);
		q->has_ties |= a >= 0 && a < q->kept->aggregates && q->kept->aggregate[a].has_ties;
	}
	return true;
}

/* Takes the list of `column = ANY (list)`. */
static bool
take_list(KeptQuestion *q, Node *condition)
{
	const ScalarArrayOpExpr *any = (const ScalarArrayOpExpr *) condition;

	for (int p = 0; p < q->kept->partitions && IsA(any, ScalarArrayOpExpr); p++)
	{
		const KeptColumn *column = &q->kept->partition[p];

		if (q->list[p] == NULL && any->useOr && kept_question_is_column(q, linitial(any->args), column) &&
			kept_question_equals(column, any->opno, any->inputcollid) && kept_question_is_value(lsecond(any->args)) &&
			(q->list[p] = kept_question_array(column, (Expr *) lsecond(any->args))) != NULL)
			return true;
	}
	return false;
}

/*
 * Takes the conditions of a WHERE or an ON, and leaves those that are asked of the cells.  filters: rows of the table
 * for which one of them is not true have no result.
 */
static bool
take_quals(KeptQuestion *q, Node **quals, bool filters)
{
	List *remain = NIL;

	foreach_ptr (Node, condition, kept_question_conditions(q->query, *quals))
	{
		if (filters)
			q->asked = lappend(q->asked, condition);
		if (filters && (kept_question_defines(q, condition) || kept_question_take_bound(q, condition)))
			continue;
		if (!kept_question_is_of_partition(q, condition))
			return kept_question_fails(q, "the definition lacks the condition %s", condition);
		/* a subquery is asked once, for the call */
		if (!(filters && (kept_question_take_value(q, condition) || take_list(q, condition))) ||
			!contain_subplans(condition))
			remain = lappend(remain, copyObject(condition));
	}
	*quals = remain == NIL ? NULL : (Node *) make_ands_explicit(remain);
	return true;
}

/* Takes the conditions of FROM and WHERE; the table must not be on the nullable side of an outer join. */
static bool
take_jointree(KeptQuestion *q, Node *node, bool filters)
{
	FromExpr *from = (FromExpr *) node;
	JoinExpr *join = (JoinExpr *) node;

	if (IsA(node, RangeTblRef))
		return filters || ((RangeTblRef *) node)->rtindex != q->varno ||
			   kept_question_fails(q, "an outer join adds rows of NULLs to the table's", NULL);
	if (IsA(node, JoinExpr))
		return take_jointree(q, join->larg, filters && (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT)) &&
			   take_jointree(q, join->rarg,
							 filters && (join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT)) &&
			   take_quals(q, &join->quals, filters && join->jointype == JOIN_INNER);
	foreach_ptr (Node, item, from->fromlist)
		if (!take_jointree(q, item, filters))
			return false;
	return take_quals(q, &from->quals, filters);
}

/* Notes what of the level's form stands in the way, and returns false; true: nothing does. */
static bool
has_form(KeptQuestion *q)
{
	const Query *query = q->query;

	foreach_node (RangeTblEntry, entry, query->rtable)
		if (entry->lateral)
			return kept_question_fails(q, "FROM has LATERAL", NULL);
	if (COMPAT_FORGETS_GROUPING_NULLS && query->groupingSets != NIL && query->distinctClause != NIL)
		return kept_question_fails(q, "which NULLs of a grouping set are equal depends on the plan", NULL);
	if (query->hasTargetSRFs)
		return kept_question_fails(q, "the level has functions that return sets", NULL);
	if (rt_fetch(q->varno, query->rtable)->tablesample != NULL)
		return kept_question_fails(q, "the level has TABLESAMPLE", NULL);
	if (contain_volatile_functions((Node *) query))
		return kept_question_fails(q, "the level has volatile functions", NULL);
	return true;
}

/*
 * True if no result depends on which of two equal values of an aggregate comes first.  A cell knows, since its rows are
 * read in order (read.c); the sum of two cells does not.
 */
static bool
has_no_ties(KeptQuestion *q)
{
	Query *query = q->query;
	Query  flat = *query;
	bool   one_cell = false;

	if (!q->has_ties)
		return true;
	if (query->groupingSets == NIL && q->steps[0] == '\0' && list_length(query->jointree->fromlist) == 1 &&
		IsA(linitial(query->jointree->fromlist), RangeTblRef))
	{
		compat_flatten_groups(&flat);
		q->query = &flat;
		one_cell = kept_question_has_partitions(q, flat.groupClause, false);
		q->query = query;
	}
	return one_cell || kept_question_fails(q, "equal values of min or max may differ", NULL);
}

/* True if each expression of a list has one value in a cell. */
static bool
are_of_cells(KeptQuestion *q, List *expressions)
{
	foreach_ptr (Node, node, expressions)
	{
		node = IsA(node, TargetEntry) ? (Node *) ((TargetEntry *) node)->expr : node;
		if (kept_question_tells_apart(node, q))
			return kept_question_fails(q, "%s is not the same in all rows of a bucket", node);
	}
	return true;
}

bool
kept_question_has_cells(KeptQuestion *q)
{
	const Oid merge[] = {REGCLASSOID, INT4OID, OIDOID, ANYOID, ANYELEMENTOID};
	Query	 *query = q->query;
	List	**groups = compat_group_expressions(query);

	kept_question_begin(q);
	q->has_cells = true;
	q->merge = kept_function(q, "scan_kept_merge", lengthof(merge), merge);
	q->is_of_cells = is_of_cells;
	query->targetList = (List *) kept_question_without_case((Node *) query->targetList, q);
	query->havingQual = kept_question_without_case(query->havingQual, q);
	return OidIsValid(q->merge) && has_form(q) && take_jointree(q, (Node *) query->jointree, true) &&
		   kept_question_has_definition(q, q->asked) && are_of_cells(q, query->targetList) &&
		   (groups == NULL || are_of_cells(q, *groups)) &&
		   (query->havingQual == NULL || are_of_cells(q, list_make1(query->havingQual))) && has_no_ties(q) &&
		   (list_length(q->step_values) + q->kept->partitions + OTHER_ARGUMENTS <= FUNC_MAX_ARGS ||
			kept_question_fails(q, "the level has too many steps", NULL));
}
