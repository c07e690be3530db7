/*
 * steps.c: what the children of an IndexSkip read: how the node gets from a group to the next one.
 *
 * index_skip.c asks for the steps of an order, and for the index scan of each.  Where no column of the groups can be
 * NULL, and all of them have one direction and lie side by side in the index, one row comparison (p, q) > ($1, $2)
 * leads to the next group.  Else the node takes up the levels from the last to the first: rows of the same p behind q,
 * then rows behind p.  An index can look for = and for IS NULL, but not for "not distinct from"; so there is a step for
 * each way in which the columns before a level can be NULL.
 *
 * A step's index scan has the conditions of the query and those of the step.  btree wants them in the order of its
 * columns.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/restrictinfo.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "node/skip/internal.h"

/* ---- the steps of an order ---- */

static const PathKey *
key_of_level(const SkipOrder *order, int level)
{
	return list_nth_node(PathKey, order->pathkeys, level);
}

static bool
may_be_null(const SkipOrder *order, int level)
{
	for (int i = 0; i < order->leaves; i++)
		if (order->leaf[i].may_be_null[level])
			return true;
	return false;
}

/* True if a row comparison leads from a group to the next, and an index finds its first row at once. */
static bool
rows_compare(const SkipOrder *order)
{
	for (int level = 0; level < order->levels; level++)
	{
		if (may_be_null(order, level) ||
			compat_pathkey_descends(key_of_level(order, level)) != compat_pathkey_descends(key_of_level(order, 0)))
			return false;
		for (int i = 0; i < order->leaves; i++)
			if (order->leaf[i].column[level] != order->leaf[i].column[0] + level)
				return false;
	}
	return order->levels > 1;
}

static List *
append_step(List *steps, SkipStepKind kind, int level, uint32 nulls)
{
	SkipStep *step = (SkipStep *) palloc(sizeof(SkipStep));

	*step = (SkipStep){kind, level, nulls};
	return lappend(steps, step);
}

List *
skip_steps(const SkipOrder *order)
{
	List *steps = append_step(NIL, SKIP_ALL, 0, 0);

	if (rows_compare(order))
		return append_step(steps, SKIP_BEHIND_ROW, 0, 0);
	for (int level = order->levels - 1; level >= 0; level--)
	{
		uint32 before = 0, nulls = 0;

		for (int i = 0; i < level; i++)
			if (may_be_null(order, i))
				before |= (uint32) 1 << i;
		/* the subsets of `before`, from none to all */
		do
		{
			steps = append_step(steps, SKIP_BEHIND, level, nulls);
			if (may_be_null(order, level))
				steps = append_step(steps, key_of_level(order, level)->pk_nulls_first ? SKIP_FROM_NULLS : SKIP_TO_NULLS,
									level, nulls);
			if (list_length(steps) > SKIP_MAX_STEPS)
				return NIL;
			nulls = (nulls - before) & before;
		} while (nulls != 0);
	}
	return steps;
}

List *
skip_steps_to_bounds(List *steps)
{
	foreach_ptr (const SkipStep, step, steps)
		if (step->kind == SKIP_BEHIND && step->level == 0)
			return steps;
	return append_step(steps, SKIP_BEHIND, 0, 0);
}

/* ---- conditions ---- */

/* What a condition is made of: a column of an index, the value to compare it with, and the type of both. */
typedef struct Operand
{
	Expr *column, *value;
	Oid	  type, family, collation;
} Operand;

static Operand
operand_of_level(const IndexOrder *leaf, int level)
{
	const IndexOptInfo *index = leaf->path->indexinfo;
	int					column = leaf->column[level];
	Operand				operand = {.column = list_nth_node(TargetEntry, index->indextlist, column)->expr,
								   .type = index->opcintype[column],
								   .family = index->sortopfamily[column],
								   .collation = index->indexcollations[column]};
	Oid					type = exprType((Node *) operand.column);
	Param			   *value = (Param *) palloc(sizeof(Param));

	/* the operators of a polymorphic class take the column as it is; those of another class may take a wider type */
	*value = (Param){.xpr.type = T_Param,
					 .paramkind = PARAM_EXTERN,
					 .paramid = SKIP_VALUE_PARAMETER + level,
					 .paramtype = IsPolymorphicType(operand.type) || operand.type == RECORDOID ? type : operand.type,
					 .paramtypmod = -1,
					 .paramcollid = operand.collation,
					 .location = -1};
	if (value->paramtype != type)
		operand.column = (Expr *) makeRelabelType(copyObject(operand.column), operand.type, -1, operand.collation,
												  COERCE_IMPLICIT_CAST);
	operand.value = (Expr *) value;
	return operand;
}

static Expr *
make_comparison(const Operand *operand, int strategy)
{
	Oid comparison = get_opfamily_member(operand->family, operand->type, operand->type, strategy);

	return make_opclause(comparison, BOOLOID, false, operand->column, operand->value, InvalidOid, operand->collation);
}

Expr *
skip_null_test(Expr *expr, NullTestType kind)
{
	NullTest *test = makeNode(NullTest);

	test->arg = expr;
	test->nulltesttype = kind;
	test->location = -1;
	return (Expr *) test;
}

/* Returns the strategy of the operator that holds for the values behind another one. */
static int
strategy_behind(const SkipOrder *order, int level)
{
	return compat_pathkey_descends(key_of_level(order, level)) ? BTLessStrategyNumber : BTGreaterStrategyNumber;
}

Oid
skip_operator_behind(const SkipOrder *order, Oid *type, Oid *collation)
{
	Operand operand = operand_of_level(&order->leaf[0], 0);

	*type = operand.type;
	*collation = operand.collation;
	return get_opfamily_member(operand.family, operand.type, operand.type, strategy_behind(order, 0));
}

static IndexClause *
index_clause(PlannerInfo *root, Expr *condition, int column)
{
	IndexClause *clause = makeNode(IndexClause);

	clause->rinfo = make_simple_restrictinfo(root, condition);
	clause->indexquals = list_make1(clause->rinfo);
	clause->indexcol = column;
	return clause;
}

/* Returns the row comparison of all levels. */
static IndexClause *
row_clause(PlannerInfo *root, const SkipOrder *order, const IndexOrder *leaf)
{
	List		*comparisons = NIL, *families = NIL, *collations = NIL, *columns = NIL, *values = NIL, *places = NIL;
	int			 strategy = strategy_behind(order, 0);
	IndexClause *clause;

	for (int level = 0; level < order->levels; level++)
	{
		Operand operand = operand_of_level(leaf, level);

		comparisons = lappend_oid(comparisons,
								  get_opfamily_member(operand.family, operand.type, operand.type, strategy));
		families = lappend_oid(families, operand.family);
		collations = lappend_oid(collations, operand.collation);
		columns = lappend(columns, operand.column);
		values = lappend(values, operand.value);
		places = lappend_int(places, leaf->column[level]);
	}
	clause = index_clause(root, compat_row_compare(strategy, comparisons, families, collations, columns, values),
						  leaf->column[0]);
	clause->indexcols = places;
	return clause;
}

/* Returns the step's condition on a level; NULL: it has none. */
static IndexClause *
level_clause(PlannerInfo *root, const SkipOrder *order, const IndexOrder *leaf, const SkipStep *step, int level)
{
	Operand operand = operand_of_level(leaf, level);
	Expr   *condition;

	if (step->kind == SKIP_ALL || level > step->level)
		return NULL;
	if (step->kind == SKIP_BEHIND_ROW)
		return row_clause(root, order, leaf);
	if (level < step->level)
		condition = step->nulls & (uint32) 1 << level ? skip_null_test(operand.column, IS_NULL)
													  : make_comparison(&operand, BTEqualStrategyNumber);
	else if (step->kind == SKIP_BEHIND)
		condition = make_comparison(&operand, strategy_behind(order, level));
	else
		condition = skip_null_test(operand.column, step->kind == SKIP_TO_NULLS ? IS_NULL : IS_NOT_NULL);
	return index_clause(root, condition, leaf->column[level]);
}

Path *
skip_step_path(PlannerInfo *root, const SkipOrder *order, const IndexOrder *leaf, const SkipStep *step)
{
	const IndexPath *all = leaf->path;
	IndexPath		*path = (IndexPath *) palloc(sizeof(IndexPath));
	List			*clauses = NIL;
	int				 level = 0;
	ListCell		*cell = list_head(all->indexclauses);

	for (int column = 0; column < all->indexinfo->nkeycolumns; column++)
	{
		for (; cell != NULL && lfirst_node(IndexClause, cell)->indexcol == column;
			 cell = lnext(all->indexclauses, cell))
			clauses = lappend(clauses, lfirst(cell));
		if (level < order->levels && leaf->column[level] == column)
		{
			IndexClause *clause = level_clause(root, order, leaf, step, level++);

			if (clause != NULL)
				clauses = lappend(clauses, clause);
		}
	}
	*path = *all;
	path->indexclauses = clauses;
	return &path->path;
}
