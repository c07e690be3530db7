/*
 * unread_rows.c: tells whether leaving rows of a table unread could change what a user sees.
 *
 * index_skip.c asks.  Core's plans of a window or of DISTINCT compute every row, so an error that a row would raise, or
 * its side effect, must not be missed.  What counts are the conditions on the table and the columns that are computed
 * from it.  Of these, three kinds cannot make a difference, although an expression of their form might elsewhere
 * (error_timing/error_timing.h): the value of an outer row, which is there already; an expression without columns that
 * is not volatile, since the first row computes it as any other would; and an expression that is a column of an index,
 * since it was computed for each row when the row came into the index.
 *
 * The second kind counts only where each row computes the expression.  In CASE WHEN v > 3 THEN 1 / $1 END, the first
 * row may not reach the division.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/error_timing/error_timing.h"
#include "node/skip/internal.h"

/* What is looked for in an expression. */
typedef struct Judge
{
	PlannerInfo		 *root;
	const RelOptInfo *rel;
	bool			  always; /* each row computes the expression, whatever its columns are */
} Judge;

static bool
is_index_column(const RelOptInfo *rel, const Node *expr)
{
	foreach_node (IndexOptInfo, index, rel->indexlist)
		if (index->indpred == NIL || index->predOK)
			foreach_ptr (const Node, indexed, index->indexprs)
				if (equal(indexed, expr))
					return true;
	return false;
}

/* An expression walker: true if an expression reads the result of a subquery. */
static bool
reads_subquery(Node *node, void *root)
{
	if (node == NULL)
		return false;
	return (IsA(node, Param) && subquery_of_param((const PlannerInfo *) root, (const Param *) node) != NULL) ||
		   expression_tree_walker(node, reads_subquery, root);
}

/*
 * True if computing a node computes all its children.  In a node of a kind that is not listed, a row may leave children
 * out, as in CASE, COALESCE, AND and OR.  Some of these kinds also have children that are no expressions, such as WHEN.
 *
 * A list of conditions counts, although a row that fails one does not compute the next: IndexSkip leaves the rows of a
 * group unread only after a row that met all conditions.
 */
static bool
computes_all_children(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_List:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_RelabelType:
		case T_CollateExpr:
		case T_CoerceViaIO:
		case T_FieldSelect:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_MinMaxExpr:
			return true;
		case T_BoolExpr:
			return ((const BoolExpr *) node)->boolop == NOT_EXPR;
		default:
			return false;
	}
}

static bool
is_harmless(Node *node, const Judge *judge)
{
	if (IsA(node, List))
		return false;
	if (is_index_column(judge->rel, node))
		return true;
	if (!judge->always && !IsA(node, Param))
		return false;
	return !contain_var_clause(node) && !contain_volatile_functions(node) && !contain_subplans(node) &&
		   !reads_subquery(node, judge->root);
}

/* Replaces what cannot make a difference by constants. */
static Node *
without_harmless(Node *node, void *context)
{
	Judge judge = *(const Judge *) context;

	if (node == NULL || IsA(node, Const))
		return node;
	if (is_harmless(node, &judge))
		return (Node *) makeNullConst(exprType(node), exprTypmod(node), exprCollation(node));
	judge.always = judge.always && computes_all_children(node);
	return expression_tree_mutator(node, without_harmless, &judge);
}

bool
unread_rows_may_matter(PlannerInfo *root, const RelOptInfo *rel)
{
	Judge judge = {.root = root, .rel = rel, .always = true};
	List *conditions = list_concat(extract_actual_clauses(rel->baserestrictinfo, false),
								   extract_actual_clauses(rel->baserestrictinfo, true));

	return root->parse->rowMarks != NIL ||
		   row_expressions_may_error_or_side_effect(without_harmless((Node *) conditions, &judge)) ||
		   row_expressions_may_error_or_side_effect(without_harmless((Node *) rel->reltarget->exprs, &judge));
}
