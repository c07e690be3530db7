/*
 * rewrite.c: lets plain queries read a kept scan.
 *
 * The query is rewritten before it is planned: aggregates without a window (totals.c) and windows of which only some
 * rows are shown (windows.c) call functions that read the kept scan.  The functions decide when they are called whether
 * tree and log may be used, and read the table if not.  So a plan never has to be made anew for that.  The table stays
 * in the range table: its privileges are checked, it is locked, and a change of it makes cached plans invalid, as in
 * the plain query.
 *
 * Rejected: a plan node of our own.  Cursors, correlated subqueries and recheck of updated rows treat a function as
 * they treat any other.
 */
#include "postgres.h"

#include "access/xact.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "guc.h"
#include "kept/explain.h"
#include "kept/rewrite.h"
#include "kept/totals.h"
#include "kept/windows.h"

static planner_hook_type previous_hook;

static PlannedStmt *
plan_query(COMPAT_PLANNER_PARAMETERS)
{
	return previous_hook ? previous_hook(COMPAT_PLANNER_ARGUMENTS(options))
						 : standard_planner(COMPAT_PLANNER_ARGUMENTS(options));
}

/*
 * Plans the query as it is and, if there is one, in another form, and returns the cheaper plan.  Whether the other form
 * pays depends on how many rows the query shows, which only the planner can estimate.
 */
static PlannedStmt *
plan_cheaper(COMPAT_PLANNER_PARAMETERS, Query *other, int first_note)
{
	PlannedStmt *plain = plan_query(COMPAT_PLANNER_ARGUMENTS(options)), *statement;

	if (other == NULL)
		return plain;
	parse = other;
	statement = plan_query(COMPAT_PLANNER_ARGUMENTS(options));
	statement->dependsOnRole = true;
	if (guc_kept == KEPT_FORCE || statement->planTree->total_cost < plain->planTree->total_cost)
		return statement;
	kept_notes_revoke(first_note, "reading the table is cheaper");
	return plain;
}

/* Returns the query with those windows begun from a kept scan for which that need not be cheaper, NULL: there are none.
 */
static Query *
other_form(const Query *query)
{
	Query *other = copyObject(unconstify(Query *, query));

	return kept_rewrite_windows(other) ? other : NULL;
}

/*
 * False if a query has nothing that could be read from a kept scan: no aggregate, no window, and no level below.  Most
 * short statements are of this kind, and a walk through their trees would be a good part of what the library costs.
 */
static bool
may_be_rewritten(const Query *query)
{
	const ListCell *cell;

	if (query->hasAggs || query->hasWindowFuncs || query->hasSubLinks || query->cteList != NIL)
		return true;
	foreach (cell, query->rtable)
		if (lfirst_node(RangeTblEntry, cell)->rtekind == RTE_SUBQUERY)
			return true;
	return false;
}

/*
 * A parallel worker that plans a query, for a function that is PARALLEL SAFE, does not know which tables the statement
 * of its leader changes (statement.h).  A user who may read the query's columns may not read all of the definition's,
 * so that a plan with a kept scan is good only for the role that it was made for.
 */
static PlannedStmt *
rewrite_and_plan(COMPAT_PLANNER_PARAMETERS)
{
	bool		 rewritten = false, more = false;
	int			 first_note;
	Query		*other;
	PlannedStmt *statement;

	kept_notes_begin();
	if (guc_kept != KEPT_OFF && !IsInParallelMode() && may_be_rewritten(parse))
	{
		rewritten |= kept_rewrite_totals(parse);
		rewritten |= kept_rewrite_last(parse, &more);
	}
	first_note = kept_notes_number();
	other = more ? other_form(parse) : NULL;
	statement = plan_cheaper(COMPAT_PLANNER_ARGUMENTS(options), other, first_note);
	statement->dependsOnRole |= rewritten;
	kept_notes_end(statement);
	return statement;
}

void
kept_rewrite_init(void)
{
	kept_explain_init();
	previous_hook = planner_hook;
	planner_hook = rewrite_and_plan;
}
