/*
 * calls.c: the calls of functions that read a kept scan, as the rewrites of queries make them.
 *
 * A plan may be used under another search_path, so a function is found in the schema of the extension.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "kept/catalogs.h"
#include "kept/planner.h"

Oid
kept_function(const KeptQuestion *q, const char *name, int types, const Oid *type)
{
	Oid function = kept_extension_function(q->caller.fn_oid, name, types, type);

	return OidIsValid(function) && compat_proc_aclcheck(function, GetUserId()) == ACLCHECK_OK ? function : InvalidOid;
}

Const *
kept_tree_constant(const Kept *kept)
{
	return makeConst(REGCLASSOID, -1, InvalidOid, sizeof(Oid), ObjectIdGetDatum(kept->tree), false, true);
}

bool
kept_call_is_planned(const FmgrInfo *function)
{
	const Node *call = function->fn_expr;

	if (call == NULL)
		return false;
	return IsA(call, FuncExpr)	   ? ((const FuncExpr *) call)->location == KEPT_PLANNED_LOCATION
		   : IsA(call, WindowFunc) ? ((const WindowFunc *) call)->location == KEPT_PLANNED_LOCATION
								   : false;
}

Expr *
kept_call(const KeptQuestion *q, const char *name, bool returns_set, const char *bounds, List *values)
{
	Oid		  type[] = {REGCLASSOID, TEXTOID, ANYOID};
	Oid		  function = kept_function(q, name, values == NIL ? 2 : 3, type);
	Const	 *text = makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(bounds), false, false);
	FuncExpr *call;

	if (!OidIsValid(function))
		return NULL;
	call = makeFuncExpr(function, RECORDOID, list_concat(list_make2(kept_tree_constant(q->kept), text), values),
						InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	call->funcretset = returns_set;
	call->location = KEPT_PLANNED_LOCATION;
	return (Expr *) call;
}

Node *
kept_reference(int number)
{
	RangeTblRef *from = makeNode(RangeTblRef);

	from->rtindex = number;
	return (Node *) from;
}

static void
add_column(RangeTblFunction *function, const char *name, Oid type, int32 typmod, Oid collation)
{
	function->funccolcount++;
	function->funccolnames = lappend(function->funccolnames, makeString(pstrdup(name)));
	function->funccoltypes = lappend_oid(function->funccoltypes, type);
	function->funccoltypmods = lappend_int(function->funccoltypmods, typmod);
	function->funccolcollations = lappend_oid(function->funccolcollations, collation);
}

RangeTblEntry *
kept_entry_of_call(const KeptQuestion *q, Expr *call)
{
	RangeTblEntry	 *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	const Kept		 *kept = q->kept;

	function->funcexpr = (Node *) call;
	for (int p = 0; p < kept->partitions && q->has_cells; p++)
		add_column(function, kept->partition[p].name, kept->partition[p].type, kept->partition[p].typmod,
				   kept->partition[p].collation);
	if (q->has_cells)
	{
		add_column(function, kept->key[0].name, kept->key[0].type, kept->key[0].typmod, kept->key[0].collation);
		add_column(function, KEPT_LAST, kept->key[0].type, kept->key[0].typmod, kept->key[0].collation);
		add_column(function, KEPT_ROWS, INT8OID, -1, InvalidOid);
	}
	for (int a = 0; a < kept->aggregates; a++)
	{
		Oid type = q->has_cells ? kept->aggregate[a].state_type : kept->aggregate[a].result_type;

		add_column(function, kept->aggregate[a].name, type, -1, get_typcollation(type));
	}
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->alias = makeAlias(NameStr(kept->name), NIL);
	entry->eref = makeAlias(NameStr(kept->name), (List *) copyObject(function->funccolnames));
	entry->inFromCl = true;
	entry->lateral = contain_vars_of_level((Node *) call, 0);
	return entry;
}
