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
#include "kept/planner.h"
#include "kept/reading.h"

/* Puts columns of the last entry of the range table, which is the call, in the place of aggregates and groups. */
static Node *
replace_aggregates(Node *node, void *question)
{
	KeptQuestion *q = (KeptQuestion *) question;
	int			  groups = q->query->groupClause == NIL ? 0 : q->kept->partitions, column = 0;

	if (node != NULL && IsA(node, Aggref))
		column = groups + kept_question_aggregate(q, (Aggref *) node) + 1;
	else if (node != NULL && IsA(node, Var) && ((Var *) node)->varlevelsup == 0)
		column = kept_question_partition(q, node) + 1;
	if (column > 0)
		return (Node *) makeVar(list_length(q->query->rtable), (AttrNumber) column, exprType(node), exprTypmod(node),
								exprCollation(node), 0);
	return expression_tree_mutator(node, replace_aggregates, question);
}

/*
 * Returns the call that answers a question: of the partition that has a value for each column, or of all partitions
 * that values and lists name.
 */
static Expr *
call_of_question(const KeptQuestion *q, bool has_groups)
{
	const char *from = q->from == NULL ? "-" : q->from_inclusive ? "[" : "(";
	const char *to = q->to == NULL ? "-" : q->to_inclusive ? "]" : ")";
	List	   *values = NIL;
	bool		listed = false;

	for (int p = 0; p < q->kept->partitions; p++)
	{
		const KeptColumn *column = &q->kept->partition[p];
		Expr			 *value = q->partition[p];

		listed |= value != NULL || q->list[p] != NULL;
		if (has_groups && value != NULL)
			value = kept_question_array(column, value);
		else if (has_groups) /* a type without arrays has no list */
			value = q->list[p] != NULL
						? q->list[p]
						: (Expr *) makeNullConst(OidIsValid(get_array_type(column->type)) ? get_array_type(column->type)
																						  : TEXTOID,
												 -1, InvalidOid);
		if (value == NULL)
			return NULL;
		values = lappend(values, value);
	}
	if (has_groups && !listed)
		values = NIL;
	if (q->from != NULL)
		values = lappend(values, q->from);
	if (q->to != NULL)
		values = lappend(values, q->to);
	return kept_call(q, has_groups ? "scan_kept_groups" : "scan_kept_part", has_groups,
					 psprintf("%s%s%s", from, to, has_groups && listed ? "*" : ""), values);
}

typedef struct Rewriting
{
	const Query	 *outermost;
	ParamListInfo parameters; /* NULL: the plan is for any values */
	bool		 *is_range;
	bool		  rewritten;
} Rewriting;

static bool
has_parameter(Node *node, void *unused)
{
	return node != NULL && (IsA(node, Param) || expression_tree_walker(node, has_parameter, unused));
}

/*
 * True if it is open whether a level should read a kept scan.  Without statistics the planner's guess of a few rows
 * would let it read millions, where a kept scan reads a few hundred at most.
 */
static bool
leaves_range(const Rewriting *rewriting, const Query *query, const KeptQuestion *q)
{
	return rewriting->is_range != NULL && query == rewriting->outermost && (q->from != NULL || q->to != NULL) &&
		   q->largest_partition >= 0 &&
		   (rewriting->parameters != NULL || !has_parameter((Node *) list_make2(q->from, q->to), NULL));
}

/* Rewrites a query level if a kept scan answers it, and else leaves it as it is. */
static void
rewrite_total(Rewriting *rewriting, Query *query)
{
	Query		 level = *query;
	KeptQuestion q = {.query = &level};
	bool		 has_groups = level.groupClause != NIL;
	Expr		*call;

	if (!level.hasAggs || level.hasWindowFuncs)
		return;
	/* those that do not depend on the rows stay as they are, or are the value of a condition */
	level.hasSubLinks = false;
	compat_flatten_groups(&level);
	if (!kept_find(&q, kept_question_has_answer))
		return;
	if (leaves_range(rewriting, query, &q))
	{
		*rewriting->is_range = true;
		return;
	}
	call = call_of_question(&q, has_groups);
	if (call == NULL)
		return;
	kept_note(q.kept, NULL);
	level.rtable = lappend(level.rtable, kept_entry_of_call(&q, call, has_groups));
	level.targetList = (List *) replace_aggregates((Node *) level.targetList, &q);
	level.jointree->quals = replace_aggregates(
		(Node *) make_ands_explicit(list_concat(q.remain, make_ands_implicit((Expr *) level.havingQual))), &q);
	level.havingQual = NULL;
	((RangeTblRef *) linitial(level.jointree->fromlist))->rtindex = list_length(level.rtable);
	level.hasAggs = false;
	level.hasSubLinks = query->hasSubLinks;
	level.groupClause = NIL;
	compat_forget_groups(&level);
	*query = level;
	rewriting->rewritten = true;
}

static bool
rewrite_totals(Node *node, void *rewriting)
{
	if (node != NULL && IsA(node, Query))
	{
		rewrite_total((Rewriting *) rewriting, (Query *) node);
		return query_tree_walker((Query *) node, rewrite_totals, rewriting, 0);
	}
	return expression_tree_walker(node, rewrite_totals, rewriting);
}

bool
kept_rewrite_totals(Query *query, ParamListInfo parameters, bool *is_range)
{
	Rewriting rewriting = {.outermost = query, .parameters = parameters, .is_range = is_range};

	(void) rewrite_totals((Node *) query, &rewriting);
	return rewriting.rewritten;
}
