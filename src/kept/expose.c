/*
 * expose.c: a table below a simple subquery or view, as one of the level itself; and conditions of the level above.
 *
 *   SELECT d, sum(amount) FROM (SELECT date_trunc('day', at) AS d, amount FROM payment WHERE posted) AS s GROUP BY 1
 *   SELECT date_trunc('day', at), sum(amount) FROM payment WHERE posted GROUP BY 1
 *
 * totals.c asks for a kept scan of the tables of a level.  Core pulls such subqueries up, but only after the rewriting.
 * As there, the entries of the subquery's range table become entries of the level, so that the executor checks their
 * privileges, those of a view's owner included.
 *
 * Rejected: core's pull_up_subqueries(), whose results are not a query that can be planned anew.
 *
 *   SELECT * FROM (SELECT account, sum(amount) FROM payment GROUP BY account) AS s WHERE account = 7
 *   SELECT * FROM (SELECT account, sum(amount) FROM payment WHERE account = 7 GROUP BY account) AS s WHERE account = 7
 *
 * A level that aggregates has its groups chosen by the level above, too, which core tells the level after the
 * rewriting.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/rel.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* A subquery whose place its table takes. */
typedef struct Exposing
{
	int			 subquery, table; /* entries of the range table of the level */
	const Query *below;
	int			 own;	/* the table's entry in that of the subquery */
	bool		 fails; /* the level has the subquery's whole row, or an outer join */
} Exposing;

/* True if an entry is a table that may have a kept scan, since it has triggers, or may be advised to have one. */
static bool
may_be_kept(const RangeTblEntry *entry)
{
	Relation relation;
	bool	 has_triggers;

	if (!kept_is_table(entry))
		return false;
	relation = table_open(entry->relid, NoLock);
	has_triggers = relation->trigdesc != NULL;
	table_close(relation, NoLock);
	return has_triggers || kept_advice_wanted();
}

/* Returns the number of the table, or of another such subquery, that a subquery reads row by row; 0: it does more. */
static int
table_of_subquery(const Query *query)
{
	int					 number = kept_table_of_level(query);
	const RangeTblEntry *entry = number == 0 ? NULL : rt_fetch(number, query->rtable);

	if (entry == NULL || query->hasAggs || query->hasWindowFuncs || query->groupClause != NIL ||
		query->distinctClause != NIL || query->havingQual != NULL || query->cteList != NIL ||
		query->limitCount != NULL || query->limitOffset != NULL || query->sortClause != NIL ||
		contain_volatile_functions((Node *) query->targetList))
		return 0;
	if (entry->rtekind == RTE_SUBQUERY)
		return entry->security_barrier || table_of_subquery(entry->subquery) == 0 ? 0 : number;
	return may_be_kept(entry) ? number : 0;
}

/* Returns an expression of the subquery as one of the level. */
static Node *
exposed(const Exposing *e, const void *node)
{
	Node *copy = (Node *) copyObject(node);

	OffsetVarNodes(copy, e->table - e->own, 0);
	return copy;
}

/* Puts the table in the place of the subquery, and the subquery's expressions in that of its columns. */
static Node *
replace_subquery(Node *node, void *exposing)
{
	Exposing  *e = (Exposing *) exposing;
	const Var *column = (const Var *) node;

	if (node == NULL || IsA(node, Query))
	{
		e->fails |= node != NULL && contain_vars_of_level(node, 1);
		return node;
	}
	if (IsA(node, RangeTblRef) && ((RangeTblRef *) node)->rtindex == e->subquery)
		return kept_reference(e->table);
	/* a condition of the subquery would drop rows that the outer join keeps, or, of an inner join, that fail in ON */
	e->fails |= IsA(node, JoinExpr) &&
				(((JoinExpr *) node)->jointype != JOIN_INNER ||
				 (e->below->jointree->quals != NULL && kept_question_may_fail(((JoinExpr *) node)->quals, NIL)));
	if (!IsA(node, Var) || column->varlevelsup > 0 || column->varno != e->subquery)
		return expression_tree_mutator(node, replace_subquery, exposing);
	e->fails |= column->varattno <= 0;
	return column->varattno <= 0
			   ? node
			   : exposed(e, list_nth_node(TargetEntry, e->below->targetList, column->varattno - 1)->expr);
}

bool
kept_expose(Query *level)
{
	Exposing	   e = {.subquery = 0};
	RangeTblEntry *gone;
	List		 **groups;

	for (int i = 1; i <= list_length(level->rtable) && e.own == 0; i++)
	{
		const RangeTblEntry *entry = rt_fetch(i, level->rtable);

		e = (Exposing){.subquery = i, .below = entry->subquery};
		if (entry->rtekind == RTE_SUBQUERY && !entry->security_barrier && !entry->lateral && entry->subquery != NULL)
			e.own = table_of_subquery(e.below);
	}
	if (e.own == 0)
		return false;
	e.table = list_length(level->rtable) + e.own;
	level->targetList = (List *) replace_subquery((Node *) level->targetList, &e);
	level->havingQual = replace_subquery(level->havingQual, &e);
	level->jointree = (FromExpr *) replace_subquery((Node *) level->jointree, &e);
	/* as in core, a row is asked the conditions of the subquery first: the others may fail for rows that these drop */
	level->jointree->quals = (Node *) make_ands_explicit(
		list_concat(make_ands_implicit((Expr *) exposed(&e, e.below->jointree->quals)),
					make_ands_implicit((Expr *) level->jointree->quals)));
	groups = compat_group_expressions(level);
	if (groups != NULL)
		*groups = (List *) replace_subquery((Node *) *groups, &e);
	compat_own_range_table(level);
	/* as core leaves what it has pulled up */
	gone = (RangeTblEntry *) copyObject(rt_fetch(e.subquery, level->rtable));
	gone->subquery = NULL;
	lfirst(list_nth_cell(level->rtable, e.subquery - 1)) = gone;
	foreach_node (RangeTblEntry, entry, e.below->rtable)
	{
		RangeTblEntry *copy = (RangeTblEntry *) copyObject(entry);

		compat_copy_privileges(copy, e.below, level);
		level->rtable = lappend(level->rtable, copy);
	}
	return !e.fails;
}

/* True if a level may read a kept scan, of one of its tables or of one below a subquery. */
static bool
may_read_kept(const Query *level)
{
	foreach_node (RangeTblEntry, entry, level->rtable)
		if (may_be_kept(entry) ||
			(entry->rtekind == RTE_SUBQUERY && entry->subquery != NULL && table_of_subquery(entry->subquery) > 0))
			return true;
	return false;
}

/* True if HAVING has a condition without aggregates, which core asks of the rows, before those of the level above. */
static bool
having_asks_rows(const Query *level)
{
	foreach_ptr (Node, condition, make_ands_implicit((Expr *) level->havingQual))
		if (!contain_aggs_of_level(condition, 0))
			return true;
	return false;
}

List *
kept_conditions_above(const Query *above, const Query *level)
{
	Query flat = *level;
	List *conditions = NIL;

	/* the condition of a MERGE is one of an outer join */
	if (above == NULL || above->commandType == CMD_MERGE || level->groupingSets != NIL || level->hasWindowFuncs ||
		level->distinctClause != NIL || level->limitCount != NULL || level->limitOffset != NULL ||
		having_asks_rows(level) || !may_read_kept(level))
		return NIL;
	compat_flatten_groups(&flat);
	/* no item of a join: an outer one adds rows of NULLs, which the condition may let through */
	foreach_ptr (RangeTblRef, item, above->jointree->fromlist)
	{
		const RangeTblEntry *entry = IsA(item, RangeTblRef) ? rt_fetch(item->rtindex, above->rtable) : NULL;

		if (entry == NULL || entry->subquery != level || entry->security_barrier)
			continue;
		foreach_ptr (Node, condition, kept_question_conditions(above, above->jointree->quals))
		{
			Exposing e = {.subquery = item->rtindex, .below = &flat};
			Node	*own = replace_subquery(condition, &e);

			if (!e.fails && bms_is_subset(pull_varnos(NULL, condition), bms_make_singleton(item->rtindex)) &&
				!contain_aggs_of_level(own, 0) && !contain_subplans(own) && !contain_volatile_functions(own) &&
				!kept_question_has_outer(own, NULL))
				conditions = lappend(conditions, own);
		}
	}
	return conditions;
}
