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
#include "kept/hooks.h"
#include "kept/planner.h"
#include "kept/reading.h"

static planner_hook_type plan_query; /* the hook of another library, or core's planner */

/*
 * True if a plan adds up few rows for a group.  A bound lies in an interval of the kept scan whose rows are read from
 * the table, so few rows are read faster without it.  Costs do not tell, because they are those of rows on disk.
 */
static bool
adds_few_rows(const Plan *plan)
{
	bool few = false;

	for (; plan != NULL; plan = plan->lefttree)
		if (IsA(plan, Agg))
			few = plan->lefttree->plan_rows <= plan->plan_rows * KEPT_LEAF_ROWS * 2;
	return few;
}

/*
 * Plans the query as it is and, if some parts of it could be read from a kept scan, as it reads that, and returns the
 * cheaper plan.  Which one is depends on how many rows the query shows or adds up, which only the planner can estimate.
 */
static PlannedStmt *
plan_cheaper(COMPAT_PLANNER_PARAMETERS, Query *other, KeptOpen open)
{
	PlannedStmt *plain = plan_query(COMPAT_PLANNER_ARGUMENTS(options)), *statement;
	bool		 few = open == KEPT_OPEN_RANGE && adds_few_rows(plain->planTree);
	int			 first_note = kept_notes_number();

	if (other == NULL || (few && !kept_notes_wanted()) ||
		!(open != KEPT_NOT_OPEN ? kept_rewrite_totals(other, parameters, NULL) : kept_rewrite_windows(other, NULL)))
		return plain;
	if (!few)
	{
		parse = other;
		statement = plan_query(COMPAT_PLANNER_ARGUMENTS(options));
		statement->dependsOnRole = true;
		if (guc_kept >= KEPT_FORCE || open == KEPT_OPEN_RANGE ||
			statement->planTree->total_cost < plain->planTree->total_cost)
			return statement;
	}
	kept_notes_revoke(first_note, "reading the table is cheaper");
	return plain;
}

/*
 * False if a query has nothing that could be read from a kept scan: no aggregate, no window, and no level below.  Most
 * short statements are of this kind, and a walk through their trees would be a good part of what the library costs.
 */
static bool
may_be_rewritten(const Query *query)
{
	if (query->hasAggs || query->hasWindowFuncs || query->hasSubLinks || query->cteList != NIL)
		return true;
	foreach_node (RangeTblEntry, entry, query->rtable)
		if (entry->rtekind == RTE_SUBQUERY)
			return true;
	return false;
}

/*
 * A parallel worker that plans a query, for a function that is PARALLEL SAFE, does not know which tables the statement
 * of its leader changes (statement.c).  A user who may read the query's columns may not read all of the definition's,
 * so that a plan with a kept scan is good only for the role that it was made for.
 */
static PlannedStmt *
rewrite_and_plan(COMPAT_PLANNER_PARAMETERS)
{
	bool		 rewritten = false, more = false;
	KeptOpen	 open = KEPT_NOT_OPEN;
	PlannedStmt *statement;

	kept_notes_begin();
	if (guc_kept != KEPT_OFF && !IsInParallelMode() && may_be_rewritten(parse))
	{
		rewritten |= kept_rewrite_totals(parse, parameters, guc_kept >= KEPT_FORCE ? NULL : &open);
		rewritten |= kept_rewrite_windows(parse, &more);
	}
	statement = plan_cheaper(COMPAT_PLANNER_ARGUMENTS(options),
							 more || open != KEPT_NOT_OPEN ? copyObject(parse) : NULL, open);
	statement->dependsOnRole |= rewritten;
	kept_notes_end(statement);
	return statement;
}

void
kept_rewrite_init(void)
{
	kept_explain_init();
	plan_query = planner_hook != NULL ? planner_hook : standard_planner;
	planner_hook = rewrite_and_plan;
}
