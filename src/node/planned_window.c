/*
 * planned_window.c: the description of a planned window, which is all that plan/ and exec/ share.
 *
 * plan/ writes it; exec/ and error_timing/early_stop.c read it.  Questions about frames that plan/ and exec/ have to
 * answer alike are answered here, too; those about functions in function_info.c.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "node/planned_window.h"

/* True for an offset that core accepts.  Core checks it at the first row, even for functions that ignore the frame. */
static bool
offset_is_valid(const Node *offset)
{
	const Const *constant = (const Const *) offset;

	return IsA(offset, Const) && !constant->constisnull && constant->consttype == INT8OID &&
		   DatumGetInt64(constant->constvalue) >= 0;
}

/* True if all offsets are known to be valid.  Not for RANGE, whose in_range functions say which are. */
static bool
offsets_are_valid(const WindowClause *window)
{
	int offsets = window->frameOptions & (FRAMEOPTION_START_OFFSET | FRAMEOPTION_END_OFFSET);

	if (offsets == 0)
		return true;
	if (window->frameOptions & FRAMEOPTION_RANGE)
		return false;
	return (!(offsets & FRAMEOPTION_START_OFFSET) || offset_is_valid(window->startOffset)) &&
		   (!(offsets & FRAMEOPTION_END_OFFSET) || offset_is_valid(window->endOffset));
}

bool
window_frame_is_sliding(const WindowClause *window, const List *functions)
{
	if (!offsets_are_valid(window))
		return true; /* at the least, the errors of the offsets have to be raised */
	foreach_ptr (const WindowFunctionInfo, info, functions)
		if (info->needs & NEEDS_BOUNDS)
			return true;
	return false;
}

/* Replaces references to columns of custom_scan_tlist by the expressions there, which have no such references. */
static Node *
without_references(Node *node, void *tlist)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((const Var *) node)->varno == INDEX_VAR)
		return (Node *) copyObject(
			list_nth_node(TargetEntry, (List *) tlist, ((const Var *) node)->varattno - 1)->expr);
	return expression_tree_mutator(node, without_references, tlist);
}

Expr *
window_frame_offset(const CustomScan *scan, Expr *expr)
{
	return (Expr *) without_references((Node *) expr, scan->custom_scan_tlist);
}

static Const *
null_in_place_of(const Node *expr)
{
	return makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
}

WindowFunc *
window_function_to_private(const WindowFunc *wfunc)
{
	WindowFunc *stored = makeNode(WindowFunc);

	*stored = *wfunc;
	compat_forget_run_condition(stored);
	stored->args = NIL;
	foreach_ptr (const Node, argument, wfunc->args)
		stored->args = lappend(stored->args, null_in_place_of(argument));
	if (wfunc->aggfilter != NULL)
		stored->aggfilter = (Expr *) null_in_place_of((const Node *) wfunc->aggfilter);
	return stored;
}

List *
planned_functions(const CustomScan *scan, List **offsets)
{
	List	 *functions = (List *) copyObject(planned_list(scan, PRIVATE_FUNCTIONS));
	int		  next = 0;
	ListCell *argument;

	foreach_node (WindowFunc, wfunc, functions)
	{
		foreach (argument, wfunc->args)
			lfirst(argument) = list_nth(scan->custom_exprs, next++);
		if (wfunc->aggfilter != NULL)
			wfunc->aggfilter = (Expr *) list_nth(scan->custom_exprs, next++);
	}
	*offsets = list_copy_tail(scan->custom_exprs, next);
	return functions;
}
