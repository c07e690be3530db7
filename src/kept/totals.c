/*
 * totals.c: lets aggregate queries without a window read a kept scan.
 *
 *   SELECT sum(amount), count(*) FROM payment WHERE account = 7 AND at < '2026-01-01'
 *
 * A query level is rewritten if it reads one table of which a scan is kept, has the conditions of that scan's
 * definition, a value for each column of its partition and bounds of the first key, and no others; and if each of its
 * aggregates is one of the definition's.  The table's place in FROM is taken by a call of scan_kept_part(), and the
 * aggregates become the columns of its only row:
 *
 *   SELECT total, entries FROM scan_kept_part('payment_kept', '-)', 7, '2026-01-01') AS r(total, entries)
 *
 * With GROUP BY the columns of the partition, or those that are not equal to a value, the call is one of
 * scan_kept_groups(), whose rows have these columns, too:
 *
 *   SELECT account, sum(amount) FROM payment WHERE account = ANY ('{1,7}') GROUP BY account
 *   SELECT account, total FROM scan_kept_groups('payment_kept', '--*', '{1,7}') AS r(account, total, entries)
 *   WHERE account = ANY ('{1,7}')
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "kept/calls.h"
#include "kept/explain.h"
#include "kept/find.h"
#include "kept/totals.h"

/* Puts columns of the last entry of the range table, which is the call, in the place of aggregates and groups. */
static Node *
replace_aggregates(Node *node, void *question)
{
	KeptQuestion *q = (KeptQuestion *) question;
	int entry = list_length(q->query->rtable), groups = q->query->groupClause == NIL ? 0 : q->kept->partitions;

	if (node == NULL)
		return NULL;
	if (IsA(node, Aggref))
	{
		const Aggref *call = (const Aggref *) node;

		return (Node *) makeVar(entry, (AttrNumber) (groups + kept_question_aggregate(q, call) + 1), call->aggtype, -1,
								call->aggcollid, 0);
	}
	if (groups > 0 && IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
	{
		const Var *column = (const Var *) node;

		return (Node *) makeVar(entry, (AttrNumber) (kept_question_partition(q, node) + 1), column->vartype,
								column->vartypmod, column->varcollid, 0);
	}
	return expression_tree_mutator(node, replace_aggregates, question);
}

/* Returns the letters that stand for the bounds of a question. */
static char *
bounds_of_question(const KeptQuestion *q)
{
	const char *from = q->from == NULL ? "-" : q->from_inclusive ? "[" : "(";
	const char *to = q->to == NULL ? "-" : q->to_inclusive ? "]" : ")";

	return psprintf("%s%s", from, to);
}

static List *
append_bounds(const KeptQuestion *q, List *values)
{
	if (q->from != NULL)
		values = lappend(values, q->from);
	if (q->to != NULL)
		values = lappend(values, q->to);
	return values;
}

/* Returns the call that answers a question about one partition. */
static Expr *
call_of_question(const KeptQuestion *q)
{
	List *values = NIL;

	for (int p = 0; p < q->kept->partitions; p++)
		values = lappend(values, q->partition[p]);
	return kept_call_of_part(q, bounds_of_question(q), append_bounds(q, values));
}

/* Returns the call that answers a question with GROUP BY. */
static Expr *
call_of_groups(const KeptQuestion *q)
{
	List *lists = NIL;
	bool  listed = false;

	for (int p = 0; p < q->kept->partitions; p++)
	{
		Oid type = get_array_type(q->kept->partition[p].type);

		listed = listed || q->list[p] != NULL;
		/* a type without arrays has no list */
		lists = lappend(lists, q->list[p] != NULL
								   ? q->list[p]
								   : (Expr *) makeNullConst(OidIsValid(type) ? type : TEXTOID, -1, InvalidOid));
	}
	return kept_call_of_groups(q, psprintf("%s%s", bounds_of_question(q), listed ? "*" : ""),
							   append_bounds(q, listed ? lists : NIL));
}

/* Rewrites a query level if a kept scan answers it, and else leaves it as it is.  Returns whether it did. */
static bool
rewrite_total(Query *query)
{
	Query		 level = *query;
	KeptQuestion q = {.query = &level};
	bool		 has_groups = level.groupClause != NIL;
	Expr		*call;
	List		*conditions;

	if (!level.hasAggs || level.hasWindowFuncs)
		return false;
	compat_flatten_groups(&level);
	if (!kept_find(&q, has_groups ? kept_question_has_groups : kept_question_has_answer))
		return false;
	call = has_groups ? call_of_groups(&q) : call_of_question(&q);
	if (call == NULL)
		return false;
	kept_note(q.kept, NULL);
	level.rtable = lappend(level.rtable, kept_entry_of_call(&q, call, has_groups));
	level.targetList = (List *) replace_aggregates((Node *) level.targetList, &q);
	conditions = list_concat(q.remain, make_ands_implicit((Expr *) level.havingQual));
	level.jointree->quals = replace_aggregates(conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions), &q);
	level.havingQual = NULL;
	((RangeTblRef *) linitial(level.jointree->fromlist))->rtindex = list_length(level.rtable);
	level.hasAggs = false;
	level.groupClause = NIL;
	compat_forget_groups(&level);
	*query = level;
	return true;
}

static bool
rewrite_totals(Node *node, void *rewritten)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		*(bool *) rewritten |= rewrite_total((Query *) node);
		return query_tree_walker((Query *) node, rewrite_totals, rewritten, 0);
	}
	return expression_tree_walker(node, rewrite_totals, rewritten);
}

bool
kept_rewrite_totals(Query *query)
{
	bool rewritten = false;

	(void) rewrite_totals((Node *) query, &rewritten);
	return rewritten;
}
