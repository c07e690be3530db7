/*
 * functions.c: which functions PrefixScan can evaluate.
 *
 * plan/ asks before it offers the node, exec/ when a plan starts, fallible.c about the
 * functions in an expression.  Core's window functions are known by their OIDs.  An aggregate
 * is accepted if it is built in, has fixed types, and its final function may be called again
 * after more rows.  Ours are known by their addresses, and list.h says which of these read only
 * their own row.  Everything else is left to WindowAgg.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "node/functions.h"

static const struct
{
	Oid				   oid;
	WindowFunctionKind kind;
} core_functions[] = {
#define SCAN_STOCK_WINDOW(oid, kind) {oid, FUNCTION_##kind},
#include "op/list.h"
};

/* An aggregate that came with the server, of types that are fixed. */
static bool
aggregate_is_known(Oid oid)
{
	HeapTuple		  tuple;
	Form_pg_aggregate aggregate;
	bool			  known;
	Oid				 *types;
	int				  n;

	if (oid >= FirstUnpinnedObjectId)
		return false;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	if (!HeapTupleIsValid(tuple))
		return false;
	aggregate = (Form_pg_aggregate) GETSTRUCT(tuple);
	known = aggregate->aggkind == AGGKIND_NORMAL && aggregate->aggfinalmodify == AGGMODIFY_READ_ONLY &&
			!IsPolymorphicType(aggregate->aggtranstype) && !aggregate->aggfinalextra;
	ReleaseSysCache(tuple);

	(void) get_func_signature(oid, &types, &n);
	for (int i = 0; i < n; i++)
		known = known && !IsPolymorphicType(types[i]) && types[i] != ANYOID;
	return known || oid == F_COUNT_ANY;
}

/*
 * The functions of ours that can be called with a row of the node: those of which list.h says
 * so.  All others stay WindowAgg's, whoever declares them as window functions.
 */
#define SCAN_ROW(function, type, arguments, result, flags, call) \
	extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#define SCAN_CALL(function, type, arguments, result, rows) extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#include "op/list.h"

#define FUNCTION_streams(function) function,
#define FUNCTION_ahead(function)
static const PGFunction streaming[] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) scan_##function##_##type,
#define SCAN_CALL(function, type, arguments, result, rows) FUNCTION_##rows(scan_##function##_##type)
#include "op/list.h"
};

/* Whatever the function is called in SQL.  The executor looks it up in the same way, and core remembers it. */
static bool
function_is_ours(Oid oid)
{
	FmgrInfo function;

	fmgr_info(oid, &function);
	for (int i = 0; i < lengthof(streaming); i++)
		if (streaming[i] == function.fn_addr)
			return true;
	return false;
}

/* An argument that is a constant from `least` to `most`. */
static bool
is_small_constant(const WindowFunc *wfunc, int argument, int32 least, int32 most)
{
	const Const *constant = (const Const *) list_nth(wfunc->args, argument);

	return IsA(constant, Const) && constant->consttype == INT4OID && !constant->constisnull &&
		   DatumGetInt32(constant->constvalue) >= least && DatumGetInt32(constant->constvalue) <= most;
}

static bool
arguments_are_known(WindowFunctionKind kind, const WindowFunc *wfunc)
{
	switch (kind)
	{
		case FUNCTION_LAG:
		case FUNCTION_LEAD:
			return list_length(wfunc->args) == 1 || is_small_constant(wfunc, 1, 0, PG_INT32_MAX);
		case FUNCTION_NTH_VALUE:
			return is_small_constant(wfunc, 1, 1, PG_INT32_MAX);
		case FUNCTION_NTILE:
			return is_small_constant(wfunc, 0, 1, PG_INT32_MAX);
		default:
			return true;
	}
}

WindowFunctionKind
window_function_kind(const WindowFunc *wfunc)
{
	if (wfunc->winagg)
		return aggregate_is_known(wfunc->winfnoid) ? FUNCTION_AGGREGATE : FUNCTION_NONE;
	for (int i = 0; i < lengthof(core_functions); i++)
		if (core_functions[i].oid == wfunc->winfnoid)
			return arguments_are_known(core_functions[i].kind, wfunc) ? core_functions[i].kind : FUNCTION_NONE;
	return function_is_ours(wfunc->winfnoid) ? FUNCTION_SCAN : FUNCTION_NONE;
}

bool
window_function_is_framed(WindowFunctionKind kind)
{
	return kind == FUNCTION_AGGREGATE || kind == FUNCTION_FIRST_VALUE || kind == FUNCTION_LAST_VALUE ||
		   kind == FUNCTION_NTH_VALUE;
}

/* Aggregates beside those of extremes that take any values there are. */
#define TAKES_all(oid) oid,
#define TAKES_some(oid)
static const Oid safe_aggregates[] = {
#define SCAN_STOCK(oid, function, type, values, line) TAKES_##values(oid)
#include "op/list.h"
};

/* min, max, and what is declared like them: bool_and, bool_or, every. */
static bool
aggregate_is_extreme(Oid oid)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	bool	  extreme = HeapTupleIsValid(tuple) && OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggsortop);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return extreme;
}

bool
aggregate_cannot_fail(Oid oid)
{
	for (int i = 0; i < lengthof(safe_aggregates); i++)
		if (safe_aggregates[i] == oid)
			return true;
	return oid < FirstUnpinnedObjectId && aggregate_is_extreme(oid);
}

bool
window_function_itself_is_fallible(const WindowFunc *wfunc)
{
	WindowFunctionKind kind = window_function_kind(wfunc);

	return kind == FUNCTION_SCAN || (kind == FUNCTION_AGGREGATE && !aggregate_cannot_fail(wfunc->winfnoid));
}
