/*
 * windows.c: lets queries with running windows begin from a kept scan.
 *
 * A query level with a window reads whole partitions, though the level above shows only some of the rows:
 *
 *   SELECT * FROM (SELECT id, at, sum(amount) OVER (PARTITION BY account ORDER BY at, id) FROM payment) AS s
 *   WHERE account = 7 AND at >= '2026-11-01'
 *
 * Three forms are rewritten.  The rows that are shown, their values and their order stay the same.
 *
 *   from a bound of the first key on (above):    the bound is asked of the table, too
 *   the last rows (ORDER BY at DESC LIMIT 20):   the table gives the last 20 rows, with all rows of the oldest one's
 *                                                first key
 *   rows by a unique column (WHERE id = 5):      the window goes, and scan_kept_part() is called for each row; or the
 *                                                table gives the rows between the first and the last of them
 *
 * Where a window stays, each aggregate over it becomes a column of scan_kept_running() over the same window, which goes
 * on from the state before the first row that it gets.  So core plans and runs the query as it does any other; and the
 * table's own indexes find the rows.  window_level.c reads a level, and window_forms.c rewrites it.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* ---- the levels of a query ---- */

/* The levels above one, from the nearest to the highest. */
typedef struct Chain
{
	LevelAbove			level;
	const struct Chain *next;
} Chain;

typedef struct Rewriting
{
	const Query *outermost;
	bool		*more; /* of only what shows the last rows: other forms were seen; NULL: only the other forms */
	bool		 done;
} Rewriting;

static bool
is_not_limited(const WindowLevel *level)
{
	return level->q.query->limitCount == NULL && level->q.query->limitOffset == NULL;
}

/* True if the last rows are shown: of a level above, or of the level itself. */
static bool
may_rewrite_last(const WindowLevel *level)
{
	return (level->aboves == 0 || is_not_limited(level)) && window_level_shows_last(level);
}

/* True if one of the other forms may do. */
static bool
may_rewrite_other(const WindowLevel *level)
{
	return (level->by_row && kept_finds_rows(level)) ||
		   (is_not_limited(level) && (level->has_from || kept_lookup(level) != NULL));
}

/* Rewrites a level by the first of the other forms that it has. */
static bool
rewrite_other(WindowLevel *level, Query *query)
{
	return (level->by_row && kept_finds_rows(level) && kept_rewrite_rows(level, query)) ||
		   (is_not_limited(level) &&
			((level->has_from && kept_rewrite_bound(level, query)) || kept_rewrite_span(level, query)));
}

/* Rewrites a level with windows, which is an entry of the level above, if there is one. */
static bool
rewrite_window(Rewriting *rewriting, Query *query, const Chain *above)
{
	WindowLevel level = {.q = {.query = query},
						 .outermost = rewriting->outermost,
						 .is_of_use = rewriting->more != NULL ? may_rewrite_last : may_rewrite_other};
	bool		done = false;

	for (; above != NULL && level.aboves < MOST_LEVELS_ABOVE; above = above->next)
		level.above[level.aboves++] = above->level;
	if (window_level_read(&level))
		done = rewriting->more != NULL ? kept_rewrite_last_rows(&level, query) : rewrite_other(&level, query);
	if (rewriting->more != NULL && !done && level.with_state != NULL && level.aboves > 0)
		*rewriting->more = true;
	if (done)
		kept_note(level.q.kept, NULL);
	else if (level.with_state != NULL && rewriting->more == NULL)
		kept_note(level.with_state, "no condition or LIMIT above the window shows few of the rows");
	return done;
}

/* Returns the WITH query with a window that only this entry names, and that core would make a subquery; else NULL. */
static CommonTableExpr *
expression_of_entry(const Query *query, const RangeTblEntry *entry)
{
	if (entry->rtekind != RTE_CTE || entry->ctelevelsup != 0 || entry->self_reference)
		return NULL;
	foreach_node (CommonTableExpr, expression, query->cteList)
	{
		const Query *its = (const Query *) expression->ctequery;

		if (strcmp(expression->ctename, entry->ctename) == 0)
			return expression->cterefcount == 1 && its->hasWindowFuncs &&
						   expression->ctematerialized != CTEMaterializeAlways && !expression->cterecursive &&
						   its->commandType == CMD_SELECT && its->rowMarks == NIL &&
						   !contain_volatile_functions((Node *) its)
					   ? expression
					   : NULL;
	}
	return NULL;
}

/* Makes an entry the subquery that core would make of it. */
static void
inline_expression(RangeTblEntry *entry, CommonTableExpr *expression)
{
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = (Query *) expression->ctequery;
	expression->ctequery = copyObject(expression->ctequery);
	expression->cterefcount = 0;
	entry->ctename = NULL;
	entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

/* True if a level only chooses rows and computes columns, so that what the level above asks holds for those below. */
static bool
is_transparent(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasAggs && !query->hasWindowFuncs && !query->hasTargetSRFs &&
		   query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		   query->distinctClause == NIL && query->setOperations == NULL && query->limitCount == NULL &&
		   query->limitOffset == NULL && query->rowMarks == NIL &&
		   !contain_volatile_functions((Node *) query->targetList);
}

/* Rewrites the levels with windows that are entries of a level, or of transparent levels below it. */
static void
rewrite_entries(Rewriting *rewriting, Query *query, const Chain *above)
{
	foreach_node (RangeTblEntry, entry, query->rtable)
	{
		CommonTableExpr *expression = expression_of_entry(query, entry);
		Chain			 chain = {.level = {query, foreach_current_index(entry) + 1}, .next = above};
		Query			*below = expression != NULL ? (Query *) expression->ctequery : entry->subquery;

		if (below == NULL || (entry->rtekind != RTE_SUBQUERY && expression == NULL) || entry->security_barrier)
			continue;
		if (is_transparent(below) && expression == NULL)
			rewrite_entries(rewriting, below, &chain);
		else if (rewrite_window(rewriting, below, &chain))
		{
			rewriting->done = true;
			if (expression != NULL)
				inline_expression(entry, expression);
		}
	}
}

static bool
rewrite_windows(Node *node, void *to)
{
	if (node != NULL && IsA(node, Query))
	{
		Query	  *query = (Query *) node;
		Rewriting *rewriting = (Rewriting *) to;

		rewrite_entries(rewriting, query, NULL);
		if (query->hasWindowFuncs && query->limitCount != NULL && rewriting->more != NULL)
			rewriting->done |= rewrite_window(rewriting, query, NULL);
		return query_tree_walker(query, rewrite_windows, to, 0);
	}
	return expression_tree_walker(node, rewrite_windows, to);
}

bool
kept_rewrite_windows(Query *query, bool *more)
{
	Rewriting rewriting = {.outermost = query, .more = more};

	(void) rewrite_windows((Node *) query, &rewriting);
	return rewriting.done;
}
