/*
 * may_error.c: tells which expressions may raise an error or have a visible side effect.
 *
 * plan/ asks about functions and about the rows below a window, exec/begin.c about a function's arguments.  WindowAgg
 * evaluates nothing before it is needed, so whatever the node evaluates earlier must be known not to fail.  The catalog
 * tells this of functions: a leakproof function raises no error that depends on its arguments.  Of the kinds of
 * expression nodes, those that do no more than the functions they call are listed here.  A kind that is not listed
 * counts as one that may, so a kind that PostgreSQL adds is safe before it is listed.  Rejected: PostgreSQL's own
 * contain_leaked_vars().  It ignores functions that read no column, and current_setting('no.such') fails without one.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "executor/functions.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/subscripting.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "column/type.h"
#include "compat.h"
#include "node/error_timing/error_timing.h"
#include "node/planned_window.h"
#include "node/window_function.h"

static bool
function_may_error_or_side_effect(Oid function, void *context)
{
	return !get_func_leakproof(function) || func_volatile(function) == PROVOLATILE_VOLATILE;
}

static bool
subscript_may_error_or_side_effect(const SubscriptingRef *ref)
{
	const SubscriptRoutines *routines = getSubscriptingRoutines(ref->refcontainertype, NULL);

	return ref->refassgnexpr != NULL || routines == NULL || !routines->fetch_leakproof;
}

/*
 * True for a user's function: one that is not volatile may still do something that a user can see.  Core's functions in
 * SQL that were not inlined keep a statement open where they fail, as a user's do.
 */
static bool
function_may_side_effect(Oid function, void *context)
{
	FmgrInfo info;

	if (function >= FirstUnpinnedObjectId || func_volatile(function) == PROVOLATILE_VOLATILE)
		return true;
	fmgr_info(function, &info);
	return info.fn_addr == fmgr_sql;
}

/* What is asked about an expression. */
typedef struct Question
{
	check_function_callback is_such; /* function_may_error_or_side_effect(), or function_may_side_effect() */
	bool below; /* the rows below are computed with the expression, so its aggregates and window functions count */
} Question;

/* GREATEST and LEAST call the comparison function of the type. */
static bool
extreme_is_such(const MinMaxExpr *extreme, const Question *question)
{
	const TypeCacheEntry *type = lookup_type_cache(extreme->minmaxtype, TYPECACHE_CMP_PROC);

	return !OidIsValid(type->cmp_proc) || question->is_such(type->cmp_proc, NULL);
}

/* Judges one node without its children. */
static bool
node_is_such(Node *node, const Question *question)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_TargetEntry:
		case T_FromExpr:
		case T_JoinExpr:
		case T_RangeTblRef:
		case T_SortGroupClause:
		case T_Var:
		case T_PlaceHolderVar:
		case T_Const:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_RelabelType:
		case T_CollateExpr:
		case T_NamedArgExpr:
		case T_RowExpr:
		case T_FieldSelect:
		case T_SQLValueFunction:
		case T_GroupingFunc:
		case T_ArrayCoerceExpr: /* the conversion of an element is a child node */
			return false;
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_CoerceViaIO:
		case T_RowCompareExpr:
			return check_functions_in_node(node, question->is_such, NULL);
		case T_Param:
			/* a subquery's parameter is computed when it is first read */
			return ((const Param *) node)->paramkind != PARAM_EXTERN;
		case T_ArrayExpr:
			return ((const ArrayExpr *) node)->multidims; /* the dimensions of the elements have to match */
		case T_SubscriptingRef:
			return subscript_may_error_or_side_effect((const SubscriptingRef *) node);
		case T_MinMaxExpr:
			return extreme_is_such((const MinMaxExpr *) node, question);
		case T_Aggref:
			return question->below && !aggregate_cannot_fail(((const Aggref *) node)->aggfnoid);
		case T_WindowFunc:
			return question->below && window_function_itself_may_error_or_side_effect((const WindowFunc *) node);
		default:
			return true;
	}
}

/* An expression walker; `context`: a Question. */
static bool
is_such(Node *node, void *context)
{
	const Question *question = (const Question *) context;

	if (node == NULL)
		return false;
	if (node_is_such(node, question))
		return true;
	if (!question->below && (IsA(node, Aggref) || IsA(node, WindowFunc)))
		return false; /* its result is a column here, and its arguments are computed elsewhere */
	return expression_tree_walker(node, is_such, context);
}

bool
expression_may_error_or_side_effect(const Node *expr)
{
	return is_such((Node *) expr, &(Question){function_may_error_or_side_effect, false});
}

bool
expression_may_side_effect(const Node *expr)
{
	return is_such((Node *) expr, &(Question){function_may_side_effect, false});
}

bool
window_function_may_error_or_side_effect(const WindowFunctionInfo *info)
{
	return info->may_error_or_side_effect || expression_may_error_or_side_effect((const Node *) info->wfunc->args) ||
		   expression_may_error_or_side_effect((const Node *) info->wfunc->aggfilter);
}

bool
row_expressions_may_error_or_side_effect(const Node *exprs)
{
	return is_such((Node *) exprs, &(Question){function_may_error_or_side_effect, true});
}

static bool
frame_end_may_error_or_side_effect(const Node *offset, Oid in_range)
{
	const Const *constant = (const Const *) offset;

	if (offset == NULL)
		return false;
	return type_info_of_in_range(in_range)->range == RANGE_UNKNOWN || !IsA(offset, Const) || constant->constisnull ||
		   !type_offset_is_safe(type_info(constant->consttype), constant->constvalue);
}

bool
window_frame_may_error_or_side_effect(const WindowClause *window)
{
	return (window->frameOptions & FRAMEOPTION_RANGE) &&
		   (frame_end_may_error_or_side_effect(window->startOffset, window->startInRangeFunc) ||
			frame_end_may_error_or_side_effect(window->endOffset, window->endInRangeFunc));
}

/* Returns the planner's data on a WITH query that a level reads; NULL if the query is recursive or not planned. */
static PlannerInfo *
level_of_cte(PlannerInfo *root, const RangeTblEntry *entry)
{
	for (Index up = entry->ctelevelsup; up > 0 && root != NULL; up--)
		root = root->parent_root;
	if (root == NULL)
		return NULL;
	foreach_node (CommonTableExpr, cte, root->parse->cteList)
	{
		int place = foreach_current_index(cte);
		int plan = place < list_length(root->cte_plan_ids) ? list_nth_int(root->cte_plan_ids, place) : 0;

		if (strcmp(cte->ctename, entry->ctename) == 0)
			return cte->cterecursive || plan <= 0 ? NULL : (PlannerInfo *) list_nth(root->glob->subroots, plan - 1);
	}
	return NULL;
}

/* True if computing another row of a subquery may raise an error or have a side effect. */
static bool
query_may_error_or_side_effect(PlannerInfo *root, bool frames)
{
	foreach_node (WindowClause, window, root->parse->windowClause)
		if (frames && window_frame_may_error_or_side_effect(window))
			return true;
	return root->parse->commandType != CMD_SELECT ||
		   row_expressions_may_error_or_side_effect((const Node *) root->parse->targetList) ||
		   query_level_may_error_or_side_effect(level_of(root), frames);
}

/* The same for an entry of a level's FROM clause; `rel` is what the planner made of the entry, or NULL. */
static bool
range_may_error_or_side_effect(PlannerInfo *root, const RangeTblEntry *entry, const RelOptInfo *rel, bool frames)
{
	PlannerInfo *cte;

	switch (entry->rtekind)
	{
		case RTE_RELATION:
			return entry->relkind == RELKIND_FOREIGN_TABLE || entry->tablesample != NULL ||
				   row_expressions_may_error_or_side_effect((const Node *) entry->securityQuals);
		case RTE_SUBQUERY:
			/* a subquery that was merged into this level, or will not be read, has no plan of its own */
			return rel != NULL && rel->subroot != NULL && query_may_error_or_side_effect(rel->subroot, frames);
		case RTE_CTE:
			/* a WITH query computes its rows as they are asked for */
			cte = level_of_cte(root, entry);
			return cte == NULL || query_may_error_or_side_effect(cte, frames);
		case RTE_FUNCTION:
			/* a function runs to its end before its first row, but a LATERAL one runs anew for each row beside it */
			return entry->lateral && row_expressions_may_error_or_side_effect((const Node *) entry->functions);
		case RTE_VALUES:
			return row_expressions_may_error_or_side_effect((const Node *) entry->values_lists);
		case RTE_JOIN:
		case RTE_RESULT:
		case RTE_NAMEDTUPLESTORE:
			return false;
		default:
			return !compat_is_group_entry(entry);
	}
}

static bool
level_may_error_or_side_effect(PlannerInfo *root, bool frames)
{
	const Query *parse = root->parse;

	if (parse->rowMarks != NIL || row_expressions_may_error_or_side_effect((const Node *) parse->jointree))
		return true;
	if ((parse->hasAggs || parse->groupClause != NIL || parse->groupingSets != NIL) &&
		(row_expressions_may_error_or_side_effect((const Node *) parse->targetList) ||
		 row_expressions_may_error_or_side_effect(parse->havingQual)))
		return true;
	/* where an arm of UNION ALL was merged into this level, its columns are here, and the range table does not tell */
	foreach_node (AppendRelInfo, info, root->append_rel_list)
		if (row_expressions_may_error_or_side_effect((const Node *) info->translated_vars))
			return true;
	foreach_node (RangeTblEntry, entry, parse->rtable)
	{
		int				  i = foreach_current_index(entry) + 1;
		const RelOptInfo *rel = i < root->simple_rel_array_size ? root->simple_rel_array[i] : NULL;

		if (range_may_error_or_side_effect(root, entry, rel, frames))
			return true;
	}
	return false;
}

/*
 * The level is judged once while the statement is planned.  WITH queries that each read the one before twice would take
 * a time that doubles with each of them.
 */
bool
query_level_may_error_or_side_effect(QueryLevel *level, bool frames)
{
	LevelAnswer *answer = &level->may_error[frames];

	if (*answer == ANSWER_NOT_ASKED)
	{
		/* levels within levels may be many */
		check_stack_depth();
		CHECK_FOR_INTERRUPTS();
		*answer = level_may_error_or_side_effect(level->root, frames) ? ANSWER_YES : ANSWER_NO;
	}
	return *answer == ANSWER_YES;
}

static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE;
}

/* An expression and query walker. */
static bool
may_have_side_effect(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		/* what subqueries of expressions do is not seen any more once they are planned */
		return ((const Query *) node)->hasSubLinks || ((const Query *) node)->commandType != CMD_SELECT ||
			   query_tree_walker((Query *) node, may_have_side_effect, context, 0);
	return IsA(node, SubPlan) || IsA(node, NextValueExpr) || check_functions_in_node(node, is_volatile, NULL) ||
		   expression_tree_walker(node, may_have_side_effect, context);
}

bool
query_level_may_have_side_effect(QueryLevel *level)
{
	if (level->side_effects == ANSWER_NOT_ASKED)
		level->side_effects = may_have_side_effect((Node *) level->root->parse, NULL) ? ANSWER_YES : ANSWER_NO;
	return level->side_effects == ANSWER_YES;
}

/*
 * Subqueries of expressions that are computed once, when some row first reads their result: core's InitPlans.  A Gather
 * computes those that its processes may read before it starts them, so an error of theirs comes up even if no row reads
 * the result.
 */

const SubPlan *
subquery_of_param(const PlannerInfo *root, const Param *param)
{
	for (; root != NULL && param->paramkind == PARAM_EXEC; root = root->parent_root)
		foreach_node (SubPlan, subplan, root->init_plans)
			if (list_member_int(subplan->setParam, param->paramid))
				return subplan;
	return NULL;
}

/* True if a subquery certainly has no second row, which would be an error. */
static bool
has_one_row(const Query *parse)
{
	const Const *limit = (const Const *) parse->limitCount;

	if (limit != NULL)
		return IsA(limit, Const) && !limit->constisnull && DatumGetInt64(limit->constvalue) == 1;
	return !parse->hasTargetSRFs &&
		   (query_is_plain_aggregate(parse) ||
			(list_length(parse->rtable) == 1 && linitial_node(RangeTblEntry, parse->rtable)->rtekind == RTE_RESULT));
}

static bool
subquery_may_error_or_side_effect(const PlannerInfo *root, const SubPlan *subquery)
{
	PlannerInfo *level = (PlannerInfo *) list_nth(root->glob->subroots, subquery->plan_id - 1);
	const Query *parse = level->parse;
	bool		 any = parse->limitCount == NULL &&
			   (subquery->subLinkType == EXISTS_SUBLINK || subquery->subLinkType == ARRAY_SUBLINK);

	return parse->limitOffset != NULL || !(any || has_one_row(parse)) || query_may_error_or_side_effect(level, true);
}

/* An expression walker. */
static bool
reads_failing_subquery(Node *node, void *root)
{
	const SubPlan *subquery;

	/* subqueries in FROM are levels of their own */
	if (node == NULL || IsA(node, Query))
		return false;
	subquery = IsA(node, Param) ? subquery_of_param((PlannerInfo *) root, (const Param *) node) : NULL;
	return (subquery != NULL && subquery_may_error_or_side_effect((PlannerInfo *) root, subquery)) ||
		   expression_tree_walker(node, reads_failing_subquery, root);
}

/*
 * True if the condition of a level is column > (SELECT ...), or the like, and the only one on the only relation: where
 * there is a row, it reads the result.  Of several conditions, one before may leave no row.
 */
static bool
compares_each_row(const FromExpr *from)
{
	const List	 *conditions = (const List *) from->quals;
	const OpExpr *only = list_length(conditions) == 1 ? (const OpExpr *) linitial(conditions) : NULL;
	const Node	 *left, *right;

	if (only == NULL || !IsA(only, OpExpr) || list_length(only->args) != 2 || list_length(from->fromlist) != 1 ||
		!IsA(linitial(from->fromlist), RangeTblRef))
		return false;
	left = (const Node *) linitial(only->args);
	right = (const Node *) lsecond(only->args);
	return (IsA(left, Var) && IsA(right, Param)) || (IsA(left, Param) && IsA(right, Var));
}

bool
query_level_reads_failing_subquery(PlannerInfo *root)
{
	Query parse = *root->parse;

	if (compares_each_row(parse.jointree))
		parse.jointree = NULL;
	/*
	 * Conditions that core has moved into the level's windows are in its query.  An arm of UNION ALL that was merged
	 * into the level has left its columns in the second list.
	 */
	return query_tree_walker(&parse, reads_failing_subquery, root, QTW_IGNORE_JOINALIASES) ||
		   reads_failing_subquery((Node *) root->append_rel_list, root);
}
