/*
 * window_level.c: a query level with windows over a table of which a scan is kept, and what the level above asks of it.
 *
 * windows.c goes through the levels of a query, has each one read here, and rewrites those that a kept scan shortens.
 *
 * A window of the query is one of the kept scan's if it has the same partitions, is ordered by the first key, whatever
 * comes then, and its frame begins with the partition.  Below the window nothing may be filtered but by the conditions
 * of the definition, and whole partitions.  Conditions above the window only choose rows to show.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/planner.h"
#include "kept/reading.h"

/* ---- the windows ---- */

/* Returns by how many keys of the kept scan a window is ordered; 0: not by the first one. */
static int
keys_of_window(const WindowLevel *level, const WindowClause *window, bool *all)
{
	int keys = 0;

	*all = true;
	foreach_node (SortGroupClause, clause, window->orderClause)
	{
		Node *column = get_sortgroupclause_expr(clause, level->q.query->targetList);

		if (kept_question_partition(&level->q, column) >= 0)
			continue;
		if (keys == level->q.kept->keys || !kept_question_is_column(&level->q, column, &level->q.kept->key[keys]) ||
			get_op_opfamily_strategy(clause->sortop, level->q.kept->key[keys].family) != BTLessStrategyNumber)
		{
			*all = false;
			break;
		}
		keys++;
	}
	return keys;
}

bool
window_level_by_rows(const WindowLevel *level, const WindowFunc *call)
{
	const WindowClause *window = (const WindowClause *) list_nth(level->q.query->windowClause, (int) call->winref - 1);

	return call->winfnoid == F_ROW_NUMBER || (window->frameOptions & FRAMEOPTION_ROWS) != 0;
}

int
window_level_aggregate(const WindowLevel *level, const WindowFunc *call)
{
	if (call->winfnoid != F_ROW_NUMBER)
		return kept_question_window_aggregate(&level->q, call);
	for (int a = 0; a < level->q.kept->aggregates; a++)
		if (level->q.kept->aggregate[a].called == F_COUNT_ && level->q.kept->aggregate[a].filter == NULL)
			return a;
	return -1;
}

const KeptColumn *
window_level_column(const Kept *kept, int i)
{
	return i < kept->partitions ? &kept->partition[i] : &kept->key[i - kept->partitions];
}

/* True if partition and some keys are the same in no two rows. */
static bool
keys_are_unique(const Kept *kept, int keys)
{
	Bitmapset *columns = NULL;

	for (int i = 0; i < kept->partitions + keys; i++)
		columns = bms_add_member(columns, window_level_column(kept, i)->attribute);
	return kept_columns_are_unique(kept->table, columns);
}

static bool
frame_is_running(const WindowClause *window)
{
	return (window->frameOptions & FRAMEOPTION_START_UNBOUNDED_PRECEDING) != 0 &&
		   (window->frameOptions & FRAMEOPTION_END_CURRENT_ROW) != 0 &&
		   (window->frameOptions & FRAMEOPTION_EXCLUSION) == 0;
}

static bool
take_window_function(WindowLevel *level, const WindowFunc *call)
{
	const WindowClause *window = (const WindowClause *) list_nth(level->q.query->windowClause, (int) call->winref - 1);
	bool				all;
	int					a = window_level_aggregate(level, call), keys = keys_of_window(level, window, &all);

	if (a < 0 || a >= KEPT_MOST_RUNNING)
		return kept_question_fails(&level->q, "the definition lacks %s over the window", (Node *) call);
	if (keys == 0 || !kept_question_has_partitions(&level->q, window->partitionClause, false))
		return kept_question_fails(&level->q, "the window of %s has other columns than the definition's",
								   (Node *) call);
	if (call->winfnoid != F_ROW_NUMBER && !frame_is_running(window))
		return kept_question_fails(&level->q, "the frame of %s does not go from the first row to the current one",
								   (Node *) call);
	level->by_row = level->by_row && all && (level->keys == 0 || level->keys == keys) &&
					(!window_level_by_rows(level, call) || keys_are_unique(level->q.kept, keys));
	level->keys = level->keys == 0 ? keys : Min(level->keys, keys);
	level->wanted |= UINT64CONST(1) << a;
	return true;
}

static bool
has_other_window(Node *node, void *level)
{
	if (node != NULL && IsA(node, WindowFunc) &&
		!take_window_function((WindowLevel *) level, (const WindowFunc *) node))
		return true;
	return expression_tree_walker(node, has_other_window, level);
}

/* ---- expressions of the levels above ---- */

typedef struct Translation
{
	const Query *above;
	const Query *below;	 /* whose columns ... */
	int			 number; /* ... this entry of the level above has */
	bool		 fails;	 /* the expression has something else */
} Translation;

/* Columns of other entries become those of a level above, and all columns of the level below stand for a whole row. */
static Node *
translate(Node *node, void *to)
{
	Translation *translation = (Translation *) to;
	Var			*var = (Var *) node;

	if (node == NULL || IsA(node, Query))
		return node;
	if (IsA(node, Var) && var->varlevelsup == 0)
	{
		const TargetEntry *column = get_tle_by_resno(translation->below->targetList, var->varattno);

		if (var->varno == translation->number && column != NULL)
			return (Node *) copyObject(column->expr);
		translation->fails = true;
		/* a column of a join may be one of these, too */
		if (var->varno == translation->number || rt_fetch(var->varno, translation->above->rtable)->rtekind == RTE_JOIN)
			return (Node *) copyObject(translation->below->targetList);
		var = copyObject(var);
		var->varlevelsup = 1;
		return (Node *) var;
	}
	translation->fails |= IsA(node, SubLink) || IsA(node, Aggref) || IsA(node, WindowFunc) || IsA(node, GroupingFunc);
	return expression_tree_mutator(node, translate, to);
}

Node *
window_level_translate(const WindowLevel *level, int above, Node *node, bool whole)
{
	Translation translation = {.fails = false};

	for (int i = above; i >= 0; i--)
	{
		translation.above = level->above[i].query;
		translation.below = i == 0 ? level->q.query : level->above[i - 1].query;
		translation.number = level->above[i].number;
		node = (Node *) copyObject(node);
		IncrementVarSublevelsUp(node, 1, 1);
		node = translate(node, &translation);
	}
	return translation.fails && whole ? NULL : node;
}

/* ---- conditions ---- */

/*
 * Returns the condition of the first key that follows from a comparison of rows: `at <= x` from `(at, id) < (x, y)`;
 * any other condition itself.
 */
static Node *
condition_of_key(Node *condition)
{
	const RowCompareExpr *rows = (const RowCompareExpr *) condition;
	Oid					  left, right;
	int16				  strategy;

	if (!IsA(rows, RowCompareExpr))
		return condition;
	op_input_types(linitial_oid(rows->opnos), &left, &right);
	strategy = get_op_opfamily_strategy(linitial_oid(rows->opnos), linitial_oid(rows->opfamilies));
	return (Node *) make_opclause(get_opfamily_member(linitial_oid(rows->opfamilies), left, right,
													  strategy < BTEqualStrategyNumber ? BTLessEqualStrategyNumber
																					   : BTGreaterEqualStrategyNumber),
								  BOOLOID, false, linitial(rows->largs), linitial(rows->rargs), InvalidOid,
								  linitial_oid(rows->inputcollids));
}

/* True if a comparison of rows is one of keys by which each window is ordered, so that it cuts their last rows off. */
static bool
compares_keys(const WindowLevel *level, const RowCompareExpr *rows)
{
	foreach_ptr (Node, column, rows->largs)
	{
		int				  k = foreach_current_index(column);
		const KeptColumn *key = &level->q.kept->key[k];

		if (k >= level->keys || !kept_question_is_column(&level->q, column, key) ||
			!kept_question_is_value(list_nth(rows->rargs, k)) || list_nth_oid(rows->opfamilies, k) != key->family ||
			list_nth_oid(rows->inputcollids, k) != key->collation)
			return false;
	}
	return true;
}

/* Takes a condition of a level above. */
static void
take_above(WindowLevel *level, int above, Node *condition)
{
	Node *here = window_level_translate(level, above, condition, true), *bound, *value;
	int	  strategy;

	if (here == NULL || contain_window_function(here))
	{
		level->others = true;
		if (here == NULL)
		{
			level->joins = lappend(level->joins, condition);
			level->join_level = lappend_int(level->join_level, above);
		}
		return;
	}
	bound = condition_of_key(here);
	strategy = Max(kept_question_comparison(&level->q, bound, &level->q.kept->key[0], &value), 0);
	/* rows before a bound are left out below the window, but those after it only if the window has them all last */
	if (bound != here && strategy != 0 && strategy < BTEqualStrategyNumber)
	{
		bound = compares_keys(level, (RowCompareExpr *) here) ? here : bound;
		level->others |= bound != here;
	}
	level->conditions = lappend(level->conditions, strategy == 0 ? here : bound);
	if (strategy != 0)
	{
		level->bounds = lappend(level->bounds, bound);
		level->has_from |= strategy >= BTEqualStrategyNumber;
	}
	else
		level->others |= !kept_question_take_value(&level->q, here) && !kept_question_is_of_partition(&level->q, here);
}

/* Takes the conditions of a part of a level above that each of its rows has to meet. */
static void
take_join(WindowLevel *level, int above, Node *node)
{
	if (node == NULL || IsA(node, RangeTblRef))
		return;
	if (IsA(node, FromExpr))
	{
		foreach_ptr (Node, item, ((FromExpr *) node)->fromlist)
			take_join(level, above, item);
		foreach_ptr (Node, condition, kept_question_conditions(level->above[above].query, ((FromExpr *) node)->quals))
			take_above(level, above, condition);
	}
	else if (IsA(node, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) node;

		if (join->jointype == JOIN_INNER || join->jointype == JOIN_LEFT)
			take_join(level, above, join->larg);
		if (join->jointype == JOIN_INNER || join->jointype == JOIN_RIGHT)
			take_join(level, above, join->rarg);
		if (join->jointype == JOIN_INNER)
			foreach_ptr (Node, condition, kept_question_conditions(level->above[above].query, join->quals))
				take_above(level, above, condition);
	}
}

/*
 * True if a level above may tell equal values of the partition apart (question.c).  Core evaluates a condition of the
 * columns of PARTITION BY below the window, whatever it is, so that a window has only the rows of some of these values.
 */
static bool
aboves_tell_apart(const WindowLevel *level)
{
	void *question = (void *) &level->q;
	bool  exact = true;

	for (int p = 0; p < level->q.kept->partitions; p++)
		exact = exact && kept_question_is_exact(&level->q.kept->partition[p]);
	for (int i = 0; i < level->aboves && !exact; i++)
	{
		const Query *above = level->above[i].query;

		foreach_node (RangeTblEntry, entry, above->rtable)
			if (entry->lateral)
				return true;
		if (kept_question_tells_apart(window_level_translate(level, i, (Node *) above->jointree, false), question))
			return true;
		/* what has no LIMIT may get conditions of levels further above */
		if (i == level->aboves - 1 && above != level->outermost && above->limitCount == NULL &&
			kept_question_tells_apart(window_level_translate(level, i, (Node *) above->targetList, false), question))
			return true;
	}
	return false;
}

/* Returns how many rows a partition has of one first key, by statistics; 0: nobody knows. */
static double
rows_of_key(const KeptQuestion *q)
{
	HeapTuple tuple = kept_statistics(q->kept, &q->kept->key[0]);
	double	  distinct = HeapTupleIsValid(tuple) ? ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct : 0;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return distinct > 0 ? Max(q->average_partition, 0) / distinct : 0;
}

/* The kept scan's own part of window_level_read(), for kept_find(). */
static bool
has_state(KeptQuestion *q)
{
	WindowLevel *level = (WindowLevel *) q;
	List		*conditions = kept_question_conditions(q->query, q->query->jointree->quals);

	kept_question_begin(q);
	level->conditions = level->bounds = level->joins = level->join_level = NIL;
	level->others = level->has_from = false;
	level->wanted = level->keys = 0;
	level->rows_of_key = rows_of_key(q);
	level->by_row = true;
	if (bms_num_members(q->kept->columns) == 0 ||
		bms_next_member(q->kept->columns, -1) <= -FirstLowInvalidHeapAttributeNumber)
		return false;
	foreach_ptr (Node, condition, conditions)
		if (!kept_question_defines(q, condition) && !kept_question_take_value(q, condition) &&
			!kept_question_is_of_partition(q, condition))
			return kept_question_fails(q, "the definition lacks the condition %s, which filters below the window",
									   condition);
	if (!kept_question_has_definition(q, conditions) || has_other_window((Node *) q->query->targetList, level))
		return false;
	if (aboves_tell_apart(level))
		return kept_question_fails(q, "a level above the window tells equal values of PARTITION BY apart", NULL);
	for (int i = 0; i < level->aboves; i++)
		take_join(level, i, (Node *) level->above[i].query->jointree);
	level->with_state = q->kept;
	return level->is_of_use(level);
}

bool
window_level_read(WindowLevel *level)
{
	const Query *query = level->q.query;

	/* a volatile function of a row that is not shown would not be called */
	return query->hasWindowFuncs && !query->hasAggs && query->groupClause == NIL && query->distinctClause == NIL &&
		   query->havingQual == NULL && !contain_volatile_functions((Node *) query->targetList) &&
		   kept_find(&level->q, has_state);
}

/* ---- which rows are shown ---- */

/* True if the FROM of a level above shows each row of the level below: it is that level, or outer joins to it. */
static bool
shows_all_rows(const LevelAbove *above)
{
	Node *from;

	if (list_length(above->query->jointree->fromlist) != 1)
		return false;
	from = (Node *) linitial(above->query->jointree->fromlist);
	while (IsA(from, JoinExpr) && ((JoinExpr *) from)->jointype == JOIN_LEFT)
		from = ((JoinExpr *) from)->larg;
	return IsA(from, RangeTblRef) && ((RangeTblRef *) from)->rtindex == above->number;
}

const Query *
window_level_top(const WindowLevel *level)
{
	return level->aboves == 0 ? level->q.query : level->above[level->aboves - 1].query;
}

/* True if a level shows only rows, and its LIMIT counts them. */
static bool
limits_rows(const Query *query)
{
	return query->limitCount != NULL && !query->hasAggs && !query->hasTargetSRFs && query->distinctClause == NIL &&
		   query->groupClause == NIL && query->groupingSets == NIL && query->havingQual == NULL &&
		   query->setOperations == NULL && query->rowMarks == NIL;
}

bool
window_level_shows_last(const WindowLevel *level)
{
	const Query *top = window_level_top(level);

	if (level->others || !limits_rows(top) || (top->hasWindowFuncs && level->aboves > 0))
		return false;
	for (int i = 0; i < level->aboves; i++)
		if (!shows_all_rows(&level->above[i]))
			return false;
	foreach_node (SortGroupClause, clause, top->sortClause)
	{
		Node *column = window_level_translate(level, level->aboves - 1,
											  get_sortgroupclause_expr(clause, top->targetList), true);
		int	  p;

		if (column == NULL)
			return false;
		p = kept_question_partition(&level->q, column);
		if (p < 0 || level->q.partition[p] == NULL)
			return kept_question_is_column(&level->q, column, &level->q.kept->key[0]) &&
				   get_op_opfamily_strategy(clause->sortop, level->q.kept->key[0].family) == BTGreaterStrategyNumber;
	}
	return false;
}
