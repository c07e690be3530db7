/*
 * aggregate.c: how the aggregates of a definition are kept, and which ones cannot be.
 *
 * Core's aggregates, and those of scan that have core's functions, are known by these functions.  The exact aggregates
 * of scan are known by the type of their transition value, whose input function is one of the library's, and the window
 * functions of scan by their C functions.  A name in a schema would tell nothing: anybody may give it.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call/entry_points.h"
#include "compat.h"
#include "kept/catalogs.h"
#include "kept/store.h"

static FmgrInfo *
function_info(Oid function)
{
	FmgrInfo *info = (FmgrInfo *) palloc0(sizeof(FmgrInfo));

	fmgr_info_cxt(function, info, CurrentMemoryContext);
	return info;
}

/*
 * How an aggregate is kept, by its functions and its initial value: those of scan for integers and numerics are core's
 * under another name.
 */
static const struct
{
	Oid					 transition, final;
	const KeptOperation *operation;
	const char			*initial; /* NULL: none */
	KeptSpread			 spread;
} known_aggregate[] = {
	{F_INT8INC, InvalidOid, &kept_count, "0"},
	{F_INT8INC_ANY, InvalidOid, &kept_count, "0"},
	{F_INT2_SUM, InvalidOid, &kept_sum},
	{F_INT4_SUM, InvalidOid, &kept_sum},
	{F_INT2_ACCUM, F_NUMERIC_POLY_SUM, &kept_sum},
	{F_INT4_ACCUM, F_NUMERIC_POLY_SUM, &kept_sum},
	{F_INT8_AVG_ACCUM, F_NUMERIC_POLY_SUM, &kept_sum},
	{F_NUMERIC_AVG_ACCUM, F_NUMERIC_SUM, &kept_sum},
	{F_INT2_AVG_ACCUM, F_INT8_AVG, &kept_average, "{0,0}"},
	{F_INT4_AVG_ACCUM, F_INT8_AVG, &kept_average, "{0,0}"},
	{F_INT8_AVG_ACCUM, F_NUMERIC_POLY_AVG, &kept_average},
	{F_NUMERIC_AVG_ACCUM, F_NUMERIC_AVG, &kept_average},
	{F_INT2_ACCUM, F_NUMERIC_POLY_VAR_POP, &kept_variance, NULL, KEPT_VAR_POP},
	{F_INT2_ACCUM, F_NUMERIC_POLY_VAR_SAMP, &kept_variance, NULL, KEPT_VAR_SAMP},
	{F_INT2_ACCUM, F_NUMERIC_POLY_STDDEV_POP, &kept_variance, NULL, KEPT_STDDEV_POP},
	{F_INT2_ACCUM, F_NUMERIC_POLY_STDDEV_SAMP, &kept_variance, NULL, KEPT_STDDEV_SAMP},
	{F_INT4_ACCUM, F_NUMERIC_POLY_VAR_POP, &kept_variance, NULL, KEPT_VAR_POP},
	{F_INT4_ACCUM, F_NUMERIC_POLY_VAR_SAMP, &kept_variance, NULL, KEPT_VAR_SAMP},
	{F_INT4_ACCUM, F_NUMERIC_POLY_STDDEV_POP, &kept_variance, NULL, KEPT_STDDEV_POP},
	{F_INT4_ACCUM, F_NUMERIC_POLY_STDDEV_SAMP, &kept_variance, NULL, KEPT_STDDEV_SAMP},
	{F_INT8_ACCUM, F_NUMERIC_VAR_POP, &kept_variance, NULL, KEPT_VAR_POP},
	{F_INT8_ACCUM, F_NUMERIC_VAR_SAMP, &kept_variance, NULL, KEPT_VAR_SAMP},
	{F_INT8_ACCUM, F_NUMERIC_STDDEV_POP, &kept_variance, NULL, KEPT_STDDEV_POP},
	{F_INT8_ACCUM, F_NUMERIC_STDDEV_SAMP, &kept_variance, NULL, KEPT_STDDEV_SAMP},
	{F_NUMERIC_ACCUM, F_NUMERIC_VAR_POP, &kept_variance, NULL, KEPT_VAR_POP},
	{F_NUMERIC_ACCUM, F_NUMERIC_VAR_SAMP, &kept_variance, NULL, KEPT_VAR_SAMP},
	{F_NUMERIC_ACCUM, F_NUMERIC_STDDEV_POP, &kept_variance, NULL, KEPT_STDDEV_POP},
	{F_NUMERIC_ACCUM, F_NUMERIC_STDDEV_SAMP, &kept_variance, NULL, KEPT_STDDEV_SAMP},
	{F_INT2XOR, InvalidOid, &kept_xor},
	{F_INT4XOR, InvalidOid, &kept_xor},
	{F_INT8XOR, InvalidOid, &kept_xor},
	{F_BOOLAND_STATEFUNC, InvalidOid, &kept_all},
	{F_BOOLOR_STATEFUNC, InvalidOid, &kept_any},
	{F_INT2AND, InvalidOid, &kept_extreme},
	{F_INT4AND, InvalidOid, &kept_extreme},
	{F_INT8AND, InvalidOid, &kept_extreme},
	{F_INT2OR, InvalidOid, &kept_extreme},
	{F_INT4OR, InvalidOid, &kept_extreme},
	{F_INT8OR, InvalidOid, &kept_extreme},
};

/* True if a type is one of scan's, by the C function that reads its text. */
static bool
is_type_of_scan(Oid type, PGFunction input)
{
	Oid		 function, parameter;
	FmgrInfo info;

	if (!OidIsValid(type) || type < FirstUnpinnedObjectId)
		return false;
	getTypeInputInfo(type, &function, &parameter);
	fmgr_info(function, &info);
	return info.fn_addr == input;
}

static void
set_operation(KeptAggregate *aggregate, const KeptOperation *operation)
{
	aggregate->operation = operation;
	aggregate->state_type = OidIsValid(operation->state_type) ? operation->state_type : aggregate->result_type;
}

/* True if the aggregate's function is that of min or max: its own combine function, with an operator that sorts. */
static bool
is_extreme(Form_pg_aggregate form)
{
	return form->aggfnoid < FirstUnpinnedObjectId && OidIsValid(form->aggsortop) && !OidIsValid(form->aggfinalfn) &&
		   form->aggtransfn == form->aggcombinefn;
}

/* True if an aggregate begins with a value, given as text; NULL: with none. */
static bool
has_initial_value(HeapTuple aggregate, const char *initial)
{
	bool  isnull;
	Datum value = SysCacheGetAttr(AGGFNOID, aggregate, Anum_pg_aggregate_agginitval, &isnull);

	return isnull ? initial == NULL : initial != NULL && strcmp(TextDatumGetCString(value), initial) == 0;
}

/* Sets the operation of an aggregate that is kept in a way of its own.  Returns false if it is another one. */
static bool
read_known_aggregate(KeptAggregate *aggregate, HeapTuple tuple)
{
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
	bool			  known = false;

	for (int i = 0; i < lengthof(known_aggregate) && !known; i++)
	{
		known = known_aggregate[i].transition == form->aggtransfn && known_aggregate[i].final == form->aggfinalfn &&
				has_initial_value(tuple, known_aggregate[i].initial);
		if (known)
		{
			set_operation(aggregate, known_aggregate[i].operation);
			aggregate->spread = known_aggregate[i].spread;
		}
	}
	if (!known && is_extreme(form))
	{
		set_operation(aggregate, &kept_extreme);
		known = true;
	}
	if (known && aggregate->operation == &kept_extreme)
		aggregate->add = function_info(form->aggtransfn);
	return known;
}

/*
 * Returns why min or max of a type is not kept, and a hint, if equal values of it may differ in their bytes; else NULL.
 * Core returns the last one of them in the order of the rows, and no state knows which one that is.  Floats are kept: a
 * tie of 0 and -0 is found (extreme.c).
 */
static const char *
extreme_objection(KeptAggregate *aggregate, const Node *argument, const char **hint)
{
	Oid type = exprType(argument);

	switch (type)
	{
		case FLOAT4OID:
		case FLOAT8OID:
			aggregate->has_ties = true;
			return NULL;
		case NUMERICOID:
			*hint = "Give its argument a scale, as in x::numeric(20, 2).";
			return exprTypmod(argument) >= (int32) VARHDRSZ ? NULL : "equal numerics may have different scales";
		case TEXTOID:
			*hint = "Give its argument another collation with COLLATE.";
			return OidIsValid(aggregate->collation) && get_collation_isdeterministic(aggregate->collation)
					   ? NULL
					   : "its collation is not deterministic";
		case BPCHAROID:
			*hint = "Cast its argument to text.";
			return "equal values may differ in their trailing blanks";
		case INTERVALOID:
			*hint = "Use a number, as in extract(epoch FROM x)::numeric(20, 6).";
			return "equal intervals may be displayed differently";
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMETZOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case CASHOID:
		case INETOID:
		case CIDROID:
		case LSNOID:
		case XID8OID:
		case TIDOID:
		case BYTEAOID:
			return NULL;
		default:
			return type_is_enum(type) ? NULL
									  : psprintf("values of type %s may be equal and differ", format_type_be(type));
	}
}

/* Reads an aggregate whose transition value is that of scan's exact aggregates: flat, combined, with an inverse. */
static bool
read_exact_aggregate(KeptAggregate *aggregate, HeapTuple tuple)
{
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);

	if (!OidIsValid(form->aggminvtransfn) || !OidIsValid(form->aggcombinefn) || !OidIsValid(form->aggmfinalfn) ||
		form->aggmtranstype != form->aggtranstype ||
		!is_type_of_scan(form->aggtranstype, entry_points->exact_state_in) || !has_initial_value(tuple, NULL))
		return false;
	aggregate->operation = &kept_transition;
	aggregate->state_type = form->aggtranstype;
	aggregate->add = function_info(form->aggmtransfn);
	aggregate->remove = function_info(form->aggminvtransfn);
	aggregate->combine = function_info(form->aggcombinefn);
	aggregate->final = function_info(form->aggmfinalfn);
	return true;
}

/* Reads the aggregate that is kept.  Returns false if it is no aggregate, or none that can be kept. */
static bool
read_aggregate(KeptAggregate *aggregate)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate->function));
	bool	  is_kept = HeapTupleIsValid(tuple) &&
				   (read_known_aggregate(aggregate, tuple) || read_exact_aggregate(aggregate, tuple));

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return is_kept;
}

bool
kept_aggregate_gives(const KeptAggregate *aggregate, Oid function, KeptAggregate *wanted)
{
	const KeptOperation *has = aggregate->operation;

	*wanted = *aggregate;
	if (function == aggregate->called)
		return true;
	/* the state of a sum has the number of values, and that of a variance has a sum */
	wanted->function = function;
	wanted->result_type = get_func_rettype(function);
	if (aggregate->is_total || (has != &kept_sum && has != &kept_average && has != &kept_variance))
		return false;
	if (function == F_COUNT_ANY)
		wanted->operation = &kept_values;
	else if (function >= FirstUnpinnedObjectId || !read_aggregate(wanted))
		return false;
	return wanted->operation == &kept_values || wanted->operation == &kept_sum || wanted->operation == &kept_average ||
		   wanted->operation == has;
}

/* True if a call is one of scan_total, by the C function that makes its result. */
static bool
is_total(const WindowFunc *call)
{
	HeapTuple tuple = call->winagg ? SearchSysCache1(AGGFNOID, ObjectIdGetDatum(call->winfnoid)) : NULL;
	Oid		  final = HeapTupleIsValid(tuple) ? ((Form_pg_aggregate) GETSTRUCT(tuple))->aggfinalfn : InvalidOid;
	FmgrInfo  info;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	if (!OidIsValid(final))
		return false;
	fmgr_info(final, &info);
	return info.fn_addr == entry_points->total_final;
}

/*
 * Reads scan_total of floats or integers.  Its own state has no inverse, so the sum is kept as that of exact_sum or sum
 * is, and the result is made of it.
 */
static bool
read_total(KeptAggregate *aggregate, const WindowFunc *call)
{
	Oid type = call->args == NIL ? InvalidOid : exprType(linitial(call->args));

	if (!is_total(call))
		return false;
	aggregate->is_total = true;
	if (type == INT8OID)
	{
		set_operation(aggregate, &kept_sum);
		return true;
	}
	if (type != FLOAT8OID)
		return false;
	aggregate->function = kept_extension_function(call->winfnoid, "exact_sum", 1, &type);
	return read_aggregate(aggregate);
}

/* ---- window functions of scan ---- */

/* True if a function is one of scan's window functions, of the C function with that number. */
static bool
is_window_function(const WindowFunc *call, WindowEntryPoint number)
{
	FmgrInfo function;

	if (call->winagg)
		return false;
	fmgr_info(call->winfnoid, &function);
	return function.fn_addr == entry_points->window[number];
}

static bool
is_any_window_function(const WindowFunc *call)
{
	for (int number = 0; number < WINDOW_ENTRY_POINTS; number++)
		if (is_window_function(call, (WindowEntryPoint) number))
			return true;
	return false;
}

/*
 * Returns the argument `value` of a window function of scan that has no other one: NULL if it has, but for `reset` or
 * `exclusive` that are false.
 */
static Node *
only_argument(const WindowFunc *call)
{
	Node *value = NULL;

	foreach_ptr (Node, argument, call->args)
	{
		int			 number = IsA(argument, NamedArgExpr) ? ((NamedArgExpr *) argument)->argnumber
														  : foreach_current_index(argument);
		const Const *constant;

		if (IsA(argument, NamedArgExpr))
			argument = (Node *) ((NamedArgExpr *) argument)->arg;
		constant = (const Const *) argument;
		if (number == 0)
			value = argument;
		else if (!IsA(constant, Const) || constant->consttype != BOOLOID ||
				 !(constant->constisnull || !DatumGetBool(constant->constvalue)))
			return NULL;
	}
	return value;
}

/* Reads scan_count or scan_sum.  Returns its argument, or NULL if the call is not one that is kept. */
static Node *
read_window_function(KeptAggregate *aggregate, const WindowFunc *call)
{
	Node *value = only_argument(call);

	if (value == NULL)
		return NULL;
	if (is_window_function(call, ENTRY_count_bool))
	{
		set_operation(aggregate, &kept_count);
		return value;
	}
	if (is_window_function(call, ENTRY_sum_int2) || is_window_function(call, ENTRY_sum_int4) ||
		is_window_function(call, ENTRY_sum_int8) || is_window_function(call, ENTRY_sum_numeric))
	{
		set_operation(aggregate, &kept_sum);
		return value;
	}
	if (is_window_function(call, ENTRY_sum_float4) || is_window_function(call, ENTRY_sum_float8))
	{
		Oid type = exprType(value);

		aggregate->function = kept_extension_function(call->winfnoid, "exact_sum", 1, &type);
		return read_aggregate(aggregate) ? value : NULL;
	}
	return NULL;
}

/* ---- what to write instead ---- */

/* What to write instead of a function that cannot be kept; NULL: nothing. */
static const char *
instead_of(const WindowFunc *call)
{
	const char *name = get_func_name(call->winfnoid);

	if (name == NULL)
		return NULL;
	if (!call->winagg && is_any_window_function(call))
	{
		if (strcmp(name, "scan_sum") == 0 || strcmp(name, "scan_count") == 0)
			return "Only scan_sum(x) of numbers and scan_count(x) are kept, without other arguments.";
		if (strcmp(name, "scan_min") == 0 || strcmp(name, "scan_max") == 0 || strncmp(name, "scan_bool_", 10) == 0 ||
			strncmp(name, "scan_bit_", 9) == 0)
			return psprintf("Use %s().", name + strlen("scan_"));
		return NULL;
	}
	switch (call->winfnoid)
	{
		case F_SUM_FLOAT4:
		case F_SUM_FLOAT8:
			return "Its result depends on the order of the additions. Use exact_sum().";
		case F_AVG_FLOAT4:
		case F_AVG_FLOAT8:
			return "Its result depends on the order of the additions. Use exact_avg().";
		case F_BIT_AND_BIT:
		case F_BIT_OR_BIT:
		case F_BIT_XOR_BIT:
			return "Cast its argument to bigint.";
		default:
			break;
	}
	if (strcmp(name, "scan_total") == 0)
		return "Only scan_total() of double precision and of integers is kept.";
	if (strcmp(name, "variance") == 0 || strncmp(name, "var_", 4) == 0)
		return "Its result depends on the order of the additions. Use exact_var_samp() or exact_var_pop().";
	if (strncmp(name, "stddev", 6) == 0)
		return "Its result depends on the order of the additions. Use exact_stddev_samp() or exact_stddev_pop().";
	if (strcmp(name, "corr") == 0 || strncmp(name, "covar_", 6) == 0 || strcmp(name, "regr_slope") == 0 ||
		strcmp(name, "regr_intercept") == 0 || strcmp(name, "regr_r2") == 0)
		return psprintf("Use exact_%s().", name);
	return NULL;
}

List *
kept_aggregate_read(KeptAggregate *aggregate, const WindowFunc *call, const char **reason, const char **hint)
{
	List *arguments = call->args;

	if (!read_aggregate(aggregate) && !read_total(aggregate, call))
	{
		Node *argument = read_window_function(aggregate, call);

		if (argument == NULL)
		{
			*reason = "";
			*hint = instead_of(call);
			return NIL;
		}
		arguments = list_make1(argument);
	}
	if (aggregate->operation == &kept_extreme)
		*reason = extreme_objection(aggregate, (Node *) linitial(arguments), hint);
	return arguments;
}
