/*
 * text.c: prints what a plan names and the catalog may have lost since, and frame clauses.
 *
 * EXPLAIN of both nodes prints its names here, and so does whatever tells a user about a window.  A running query holds
 * locks on its tables, but on no function, operator, type or collation: another session, or a function that the query
 * calls, may drop them before EXPLAIN ANALYZE or auto_explain prints the plan.  Core prints fewer names of a window:
 * before PostgreSQL 18 none unless EXPLAIN is VERBOSE.  So a name that is gone must neither crash the server nor be an
 * error here; "???" stands for it, as in core's EXPLAIN where core cannot tell what it has.
 *
 * Rejected: to store the names in the plan.  That takes time for each plan, most of which are never printed.  Rejected:
 * to catch the error of deparse_expression().  That takes a subtransaction, which a query in several processes cannot
 * begin.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "node/text.h"

char *
name_of_function(Oid function)
{
	char *name = get_func_name(function);

	return name == NULL ? pstrdup(NAME_OF_WHAT_IS_GONE) : name;
}

/* ---- expressions ---- */

static bool
function_is_gone(Oid function, void *context)
{
	return !SearchSysCacheExists1(PROCOID, ObjectIdGetDatum(function));
}

static bool
operator_is_gone(Oid op)
{
	return !SearchSysCacheExists1(OPEROID, ObjectIdGetDatum(op));
}

static bool
type_is_gone(Oid type)
{
	return !SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type));
}

static bool
collation_is_gone(Oid collation)
{
	return OidIsValid(collation) && !SearchSysCacheExists1(COLLOID, ObjectIdGetDatum(collation));
}

static bool
an_operator_is_gone(const List *operators)
{
	foreach_oid (operator, operators)
		if (operator_is_gone(operator))
			return true;
	return false;
}

/* True if an operator, a type or a collation that a node itself names is gone. */
static bool
object_of_node_is_gone(const Node *node)
{
	switch (nodeTag(node))
	{
		case T_Const:
			return type_is_gone(((const Const *) node)->consttype) ||
				   collation_is_gone(((const Const *) node)->constcollid);
		case T_CollateExpr:
			return collation_is_gone(((const CollateExpr *) node)->collOid);
		case T_CoerceViaIO:
			/* the functions of the conversion are those of both types */
			return type_is_gone(exprType((Node *) ((const CoerceViaIO *) node)->arg)) || type_is_gone(exprType(node));
		case T_FuncExpr:
		case T_RelabelType:
		case T_ArrayCoerceExpr:
		case T_ConvertRowtypeExpr:
		case T_CoerceToDomain:
		case T_ArrayExpr:
		case T_RowExpr:
			return type_is_gone(exprType(node));
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			return operator_is_gone(((const OpExpr *) node)->opno);
		case T_ScalarArrayOpExpr:
			return operator_is_gone(((const ScalarArrayOpExpr *) node)->opno);
		case T_RowCompareExpr:
			return an_operator_is_gone(((const RowCompareExpr *) node)->opnos);
		default:
			return false;
	}
}

/* An expression walker: true if an expression names something that is gone. */
static bool
names_what_is_gone(Node *node, void *context)
{
	if (node == NULL)
		return false;
	/* the types come first: core looks up a type's functions without asking whether it is there */
	return object_of_node_is_gone(node) || check_functions_in_node(node, function_is_gone, NULL) ||
		   expression_tree_walker(node, names_what_is_gone, context);
}

char *
text_of_expression(const Node *expr, List *context, bool qualified)
{
	Node *printed = unconstify(Node *, expr); /* core does not declare it const, but changes nothing */

	if (names_what_is_gone(printed, NULL))
		return pstrdup(NAME_OF_WHAT_IS_GONE);
	return deparse_expression(printed, context, qualified, false);
}

char *
text_of_column(const CustomScan *scan, AttrNumber attno, List *context, const ExplainState *es)
{
	return text_of_expression((const Node *) list_nth_node(TargetEntry, scan->custom_scan_tlist, attno - 1)->expr,
							  context, es->verbose || list_length(es->rtable) > 1);
}

/*
 * Prints a frame clause.
 *
 * exec/explain.c prints the frame of a PrefixScan with it, and plan/declined.c the frame of a window that was left to
 * WindowAgg.  Core has the same text in ruleutils.c (get_rule_windowspec), but only for a clause of a parsed query, and
 * in 18 for its own node; neither is exported.
 */

/* Prints a bound that is not unbounded. */
static const char *
bound_text(bool is_current_row, bool preceding, const char *offset)
{
	if (is_current_row)
		return "CURRENT ROW";
	return psprintf("%s %s", offset == NULL ? "offset" : offset, preceding ? "PRECEDING" : "FOLLOWING");
}

char *
frame_text(int options, const char *start, const char *end)
{
	const char *unit = options & FRAMEOPTION_ROWS ? "ROWS" : options & FRAMEOPTION_RANGE ? "RANGE" : "GROUPS";
	const char *exclude = options & FRAMEOPTION_EXCLUDE_CURRENT_ROW ? " EXCLUDE CURRENT ROW"
						  : options & FRAMEOPTION_EXCLUDE_GROUP		? " EXCLUDE GROUP"
						  : options & FRAMEOPTION_EXCLUDE_TIES		? " EXCLUDE TIES"
																	: "";

	start = options & FRAMEOPTION_START_UNBOUNDED_PRECEDING
				? "UNBOUNDED PRECEDING"
				: bound_text(options & FRAMEOPTION_START_CURRENT_ROW, options & FRAMEOPTION_START_OFFSET_PRECEDING,
							 start);
	end = options & FRAMEOPTION_END_UNBOUNDED_FOLLOWING
			  ? "UNBOUNDED FOLLOWING"
			  : bound_text(options & FRAMEOPTION_END_CURRENT_ROW, options & FRAMEOPTION_END_OFFSET_PRECEDING, end);
	return psprintf("%s BETWEEN %s AND %s%s", unit, start, end, exclude);
}
