/*
 * functions.c: tells which functions PrefixScan can evaluate.
 *
 * plan/ asks before it offers the node, exec/ when a plan starts, fallible.c about the functions in an expression,
 * and evaluate/ which aggregates are ours.  Core's window functions are recognised by their OIDs.  An aggregate is
 * accepted, whoever made it, if its final function may be called again after more rows.  Our functions are recognised
 * by the addresses of their C functions; list.h says which rows each of them reads.  Everything else is left to
 * WindowAgg.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "node/functions.h"

static const struct
{
	Oid				   oid;
	WindowFunctionKind kind;
} core_functions[] = {
#define SCAN_STOCK_WINDOW(oid, kind) {oid, FUNCTION_##kind},
#include "op/list.h"
};

/*
 * True for an aggregate whose functions are called as WindowAgg calls them (evaluate/aggregate.c).  None of these
 * functions may be volatile: the node calls one function for many rows before it calls the next one.
 */
static bool
aggregate_is_known(Oid oid)
{
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Form_pg_aggregate form;
	bool			  known;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	known = form->aggkind == AGGKIND_NORMAL && form->aggfinalmodify == AGGMODIFY_READ_ONLY &&
			form->aggmfinalmodify == AGGMODIFY_READ_ONLY;
	if (known)
	{
		Oid components[] = {form->aggtransfn, form->aggfinalfn, form->aggmtransfn, form->aggminvtransfn,
							form->aggmfinalfn};

		for (int i = 0; i < lengthof(components); i++)
			known = known && !(OidIsValid(components[i]) && func_volatile(components[i]) == PROVOLATILE_VOLATILE);
	}
	ReleaseSysCache(tuple);
	return known;
}

/*
 * Our functions: list.h says of each what it is to the node.  A user may declare other C functions of the library as
 * window functions; WindowAgg evaluates them.
 */
#define SCAN_ROW(function, type, arguments, result, flags, call) \
	extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#define SCAN_CALL(function, type, arguments, result, rows) extern Datum scan_##function##_##type(PG_FUNCTION_ARGS);
#include "op/list.h"

#define FUNCTION_streams(function) {function, FUNCTION_SCAN, false},
#define FUNCTION_goes_on(function) {function, FUNCTION_SCAN, true},
#define FUNCTION_compacts(function) {function, FUNCTION_COMPACT, false},
#define FUNCTION_splits(function) {function, FUNCTION_SPLIT_INDEX, false},
static const struct OurFunction
{
	PGFunction		   function;
	WindowFunctionKind kind;
	bool			   saves_state;
} our_functions[] = {
#define SCAN_ROW(function, type, arguments, result, flags, call) FUNCTION_goes_on(scan_##function##_##type)
#define SCAN_CALL(function, type, arguments, result, rows) FUNCTION_##rows(scan_##function##_##type)
#include "op/list.h"
};

/*
 * Finds one of our functions by its C address, whatever its name in SQL; NULL if it is none of ours.  The executor
 * looks the address up in the same way, and core caches it.
 */
static const struct OurFunction *
our_function(Oid oid)
{
	FmgrInfo function;

	fmgr_info(oid, &function);
	for (int i = 0; i < lengthof(our_functions); i++)
		if (our_functions[i].function == function.fn_addr)
			return &our_functions[i];
	return NULL;
}

/* functions/window/support.c: the support function of all our window functions */
extern Datum scan_support(PG_FUNCTION_ARGS);

bool
window_function_is_ours(const WindowFunc *wfunc)
{
	Oid		 support = wfunc->winagg ? InvalidOid : get_func_support(wfunc->winfnoid);
	FmgrInfo function;

	if (!OidIsValid(support))
		return false;
	fmgr_info(support, &function);
	return function.fn_addr == scan_support;
}

/*
 * Returns the argument `op` of a call of scan_fold, which need not be a Const; NULL for another function.  The
 * arguments come as the query has them, so `op` may be a NamedArgExpr.
 */
static const Const *
fold_op(const WindowFunc *wfunc)
{
	const Node *op = NULL;
	ListCell   *cell;
	FmgrInfo	function;

	if (!window_function_is_ours(wfunc))
		return NULL;
	fmgr_info(wfunc->winfnoid, &function);
	if (function.fn_addr != scan_fold_any)
		return NULL;
	foreach (cell, wfunc->args)
	{
		const Node *argument = (const Node *) lfirst(cell);

		if (IsA(argument, NamedArgExpr) ? ((const NamedArgExpr *) argument)->argnumber == 1
										: foreach_current_index(cell) == 1)
			op = IsA(argument, NamedArgExpr) ? (const Node *) ((const NamedArgExpr *) argument)->arg : argument;
	}
	if (op == NULL)
		elog(ERROR, "scan_fold has no op");
	return (const Const *) op;
}

static bool
fold_op_is_known(const Const *op)
{
	return IsA(op, Const) && !op->constisnull && SearchSysCacheExists1(PROCOID, op->constvalue);
}

char
window_function_parallel(const WindowFunc *wfunc)
{
	const Const *op = fold_op(wfunc);

	if (op == NULL)
		return func_parallel(wfunc->winfnoid);
	return fold_op_is_known(op) ? func_parallel(DatumGetObjectId(op->constvalue)) : PROPARALLEL_UNSAFE;
}

List *
window_function_parts(const WindowFunc *wfunc)
{
	const Const		 *op;
	HeapTuple		  tuple;
	Form_pg_aggregate form;
	List			 *parts;

	if (!wfunc->winagg)
	{
		op = fold_op(wfunc);
		return op != NULL && fold_op_is_known(op) ? list_make1_oid(DatumGetObjectId(op->constvalue)) : NIL;
	}
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(wfunc->winfnoid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for aggregate %u", wfunc->winfnoid);
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	parts = list_make5_oid(form->aggtransfn, form->aggfinalfn, form->aggmtransfn, form->aggminvtransfn,
						   form->aggmfinalfn);
	parts = list_concat(parts, list_make3_oid(form->aggcombinefn, form->aggserialfn, form->aggdeserialfn));
	ReleaseSysCache(tuple);
	return parts;
}

bool
aggregate_is_stock(const char *name)
{
	static const char *const stock[] = {
#define SCAN_STOCK(oid, function, type, values, line) #function,
#include "op/list.h"
	};

	for (int i = 0; i < lengthof(stock); i++)
		if (strcmp(stock[i], name) == 0)
			return true;
	return false;
}

/* Our aggregates that have files of their own in evaluate/, by their C functions. */
#define SCAN_MOVING(transition, inverse, final, kind) \
	extern Datum transition(PG_FUNCTION_ARGS);        \
	extern Datum inverse(PG_FUNCTION_ARGS);           \
	extern Datum final(PG_FUNCTION_ARGS);
#include "op/list.h"

static const struct
{
	PGFunction transition;
	PGFunction inverse;
	PGFunction final;
	MovingKind kind;
} moving_aggregates[] = {
#define SCAN_MOVING(transition, inverse, final, kind) {transition, inverse, final, MOVING_##kind},
#include "op/list.h"
};

static PGFunction
function_address(Oid oid)
{
	FmgrInfo function;

	fmgr_info(oid, &function);
	return function.fn_addr;
}

/*
 * Recognises an aggregate by the C functions of its moving form.  Anybody may make an aggregate of these functions,
 * so the rest of its row in pg_aggregate has to match ours, too: it has an inverse and no initial value.  The final
 * function of percentile_cont also has to be the one for the argument's type, which aggregate_moving_kind() checks.
 */
static MovingKind
moving_kind_of(HeapTuple tuple)
{
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
	PGFunction		  transition, inverse, final;
	bool			  no_start;

	(void) SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_aggminitval, &no_start);
	if (form->aggkind != AGGKIND_NORMAL || form->aggnumdirectargs != 0 || !no_start || !OidIsValid(form->aggmtransfn) ||
		!OidIsValid(form->aggminvtransfn) || !OidIsValid(form->aggmfinalfn) ||
		func_strict(form->aggmtransfn) != func_strict(form->aggminvtransfn))
		return MOVING_NONE;
	transition = function_address(form->aggmtransfn);
	inverse = function_address(form->aggminvtransfn);
	final = function_address(form->aggmfinalfn);
	for (int i = 0; i < lengthof(moving_aggregates); i++)
		if (moving_aggregates[i].transition == transition && moving_aggregates[i].inverse == inverse &&
			moving_aggregates[i].final == final)
			return moving_aggregates[i].kind;
	return MOVING_NONE;
}

MovingKind
aggregate_moving_kind(Oid oid)
{
	HeapTuple  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	MovingKind kind = HeapTupleIsValid(tuple) ? moving_kind_of(tuple) : MOVING_NONE;
	Oid		   result, *types;
	int		   arguments;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	if (kind != MOVING_PERCENTILE_CONT)
		return kind;
	result = get_func_signature(oid, &types, &arguments);
	return types[0] == result ? kind : MOVING_NONE;
}

/* True if the argument is an int4 constant of at least `least`. */
static bool
is_constant_from(const WindowFunc *wfunc, int argument, int32 least)
{
	const Const *constant = (const Const *) list_nth(wfunc->args, argument);

	return IsA(constant, Const) && constant->consttype == INT4OID && !constant->constisnull &&
		   DatumGetInt32(constant->constvalue) >= least;
}

static bool
is_null_constant(const WindowFunc *wfunc, int argument)
{
	const Const *constant = (const Const *) list_nth(wfunc->args, argument);

	return IsA(constant, Const) && constant->constisnull;
}

static bool
arguments_are_known(WindowFunctionKind kind, const WindowFunc *wfunc)
{
	switch (kind)
	{
		case FUNCTION_LAG:
		case FUNCTION_LEAD:
			return list_length(wfunc->args) == 1 || is_constant_from(wfunc, 1, 0);
		case FUNCTION_NTH_VALUE:
			return is_constant_from(wfunc, 1, 1);
		case FUNCTION_NTILE:
			return is_constant_from(wfunc, 0, 1) || is_null_constant(wfunc, 0);
		default:
			return true;
	}
}

/*
 * Returns the built-in function that a function of language "internal" is another name for; else the function itself.
 */
static Oid
built_in_function(Oid oid)
{
	HeapTuple tuple = oid < FirstUnpinnedObjectId ? NULL : SearchSysCache1(PROCOID, ObjectIdGetDatum(oid));
	Oid		  built_in = oid;

	if (!HeapTupleIsValid(tuple))
		return oid;
	if (((Form_pg_proc) GETSTRUCT(tuple))->prolang == INTERNALlanguageId)
	{
		bool  isnull;
		Datum symbol = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_prosrc, &isnull);

		built_in = isnull ? InvalidOid : fmgr_internal_function(TextDatumGetCString(symbol));
		/* a function that is declared otherwise gets other arguments than the C function expects */
		if (!OidIsValid(built_in) || get_func_nargs(built_in) != get_func_nargs(oid) ||
			get_func_rettype(built_in) != get_func_rettype(oid))
			built_in = oid;
	}
	ReleaseSysCache(tuple);
	return built_in;
}

WindowFunctionKind
window_function_kind(const WindowFunc *wfunc)
{
	Oid						  oid;
	const struct OurFunction *ours;

	if (wfunc->winagg)
		return aggregate_is_known(wfunc->winfnoid) ? FUNCTION_AGGREGATE : FUNCTION_NONE;
	oid = built_in_function(wfunc->winfnoid);
	for (int i = 0; i < lengthof(core_functions); i++)
		if (core_functions[i].oid == oid)
			return arguments_are_known(core_functions[i].kind, wfunc) ? core_functions[i].kind : FUNCTION_NONE;
	ours = our_function(wfunc->winfnoid);
	return ours != NULL ? ours->kind : FUNCTION_NONE;
}

bool
window_function_is_framed(WindowFunctionKind kind)
{
	return kind == FUNCTION_AGGREGATE || kind == FUNCTION_FIRST_VALUE || kind == FUNCTION_LAST_VALUE ||
		   kind == FUNCTION_NTH_VALUE;
}

bool
window_function_is_value(WindowFunctionKind kind)
{
	return kind >= FUNCTION_LAG && kind <= FUNCTION_NTH_VALUE;
}

/* Aggregates, apart from extremes, that accept all values without an error. */
#define TAKES_all(oid) oid,
#define TAKES_some(oid)
static const Oid safe_aggregates[] = {
#define SCAN_STOCK(oid, function, type, values, line) TAKES_##values(oid)
#include "op/list.h"
};

/*
 * True for min, max and aggregates declared like them (bool_and, bool_or, every), unless the type is polymorphic or a
 * record: its elements may not compare.
 */
static bool
aggregate_is_extreme(Oid oid)
{
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Form_pg_aggregate form;
	bool			  extreme;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	extreme = OidIsValid(form->aggsortop) && !IsPolymorphicType(form->aggtranstype) && form->aggtranstype != RECORDOID;
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

/*
 * True if the transition value can be passed to another process.  A value of type internal is passed as the bytes by
 * which core sends it from a parallel worker to the leader, if core's own function writes them.
 */
static bool
aggregate_saves_state(Oid oid)
{
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	Form_pg_aggregate form;
	bool			  saves_state;

	if (!HeapTupleIsValid(tuple))
		return false;
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	saves_state = form->aggtranstype != INTERNALOID ||
				  (OidIsValid(form->aggserialfn) && form->aggserialfn < FirstUnpinnedObjectId &&
				   OidIsValid(form->aggdeserialfn) && OidIsValid(form->aggcombinefn));
	ReleaseSysCache(tuple);
	return saves_state;
}

bool
window_function_saves_state(const WindowFunc *wfunc)
{
	switch (window_function_kind(wfunc))
	{
		case FUNCTION_ROW_NUMBER:
		case FUNCTION_RANK:
		case FUNCTION_DENSE_RANK:
		case FUNCTION_LEAD:
		case FUNCTION_FIRST_VALUE:
		case FUNCTION_LAST_VALUE:
		case FUNCTION_NTH_VALUE:
			return true;
		case FUNCTION_LAG:
			/* with IGNORE NULLS a value may lie further back than the overlap reaches */
			return compat_null_treatment(wfunc) != NULLS_IGNORED;
		case FUNCTION_AGGREGATE:
			return aggregate_saves_state(wfunc->winfnoid);
		case FUNCTION_SCAN:
			return our_function(wfunc->winfnoid)->saves_state;
		default:
			return false;
	}
}

/*
 * True if an aggregate has no inverse, or its inverse leaves no trace of the rows that it removes.  A user's inverse
 * may leave one: that of a sum of floats does.
 */
static bool
aggregate_takes_out_exactly(Oid oid)
{
	HeapTuple tuple;
	bool	  exactly;

	if (oid < FirstUnpinnedObjectId || aggregate_moving_kind(oid) != MOVING_NONE)
		return true;
	tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(oid));
	exactly = HeapTupleIsValid(tuple) && !OidIsValid(((Form_pg_aggregate) GETSTRUCT(tuple))->aggminvtransfn);
	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return exactly;
}

bool
window_function_begins_anywhere(const WindowFunc *wfunc)
{
	return window_function_kind(wfunc) != FUNCTION_AGGREGATE || aggregate_takes_out_exactly(wfunc->winfnoid);
}

bool
window_function_itself_may_error_or_side_effect(const WindowFunc *wfunc)
{
	WindowFunctionKind kind = window_function_kind(wfunc);

	/* WindowAgg's functions count as fallible: nth_value(x, n) raises an error at a row whose n is 0 */
	return kind == FUNCTION_NONE || kind == FUNCTION_SCAN || kind == FUNCTION_SPLIT_INDEX ||
		   (kind == FUNCTION_AGGREGATE && !aggregate_cannot_fail(wfunc->winfnoid));
}
