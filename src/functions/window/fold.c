/*
 * fold.c: the window functions whose accumulators are Datums: numeric products, extremes of any type, bit strings, and
 * scan_fold over any function.
 *
 * All are f(value, ..., reset, exclusive) and differ in how a total takes a value, which a FoldKind describes.  An
 * exclusive scan adds a row's value only when the next row returns a result that includes it, so a total that nobody
 * sees raises no error.  With `init`, scan_fold has a state instead of a total: it may be of another type than the
 * values, and the first value is folded into it as every other one.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/regproc.h"
#include "utils/syscache.h"
#include "utils/typcache.h"
#include "utils/varbit.h"

#include "column/type.h"
#include "compat.h"
#include "functions/window/window.h"
#include "library/library.h"

typedef struct FoldKind FoldKind;

struct FoldKind
{
	/* Returns the total with one more value; the result may be the total itself. */
	NullableDatum (*join)(WindowCall *call, const FoldKind *kind, NullableDatum total, NullableDatum value);

	/* Returns an exclusive scan's result before the first value.  NULL: that result is NULL. */
	Datum (*identity)(void);

	PGFunction lift;	 /* converts a value before it is folded; NULL: not converted */
	Oid		   total;	 /* type of the total; InvalidOid: that of `init` or, without it, of the value */
	bool	   has_init; /* argument 2 is `init`: the total before the first value, which is joined like any other */
	int		   reset;	 /* number of the argument `reset`; `exclusive` is the next one */
	PGFunction core;	 /* join_by_core: core's function */
	int		   order;	 /* join_extreme: +1 keeps the greatest, -1 the least; 0: another join */
	bool	   has_op;	 /* argument 1 is `op`, the function of join_by_op */
};

/* What a call has looked up.  WindowCall.detail points to it. */
typedef struct FoldDetail
{
	RetainedType  total;
	RetainedType  value;  /* as it is folded */
	FmgrInfo	  fn;	  /* join_extreme: the comparison; join_by_op: the function */
	MemoryContext memory; /* holds fn and what it caches; reset if `op` has changed */
	Oid			  domain; /* join_by_op: the domain that every result must satisfy; InvalidOid: none */
	void		 *domain_extra;
	bool		  keep_old; /* join_extreme: of equal values, keep the older */
} FoldDetail;

/* The state of a partition. */
typedef struct Fold
{
	WindowConstant exclusive;
	WindowConstant op;
	WindowConstant init;
	RetainedDatum  total;	/* present: a value was folded since the segment's head */
	RetainedDatum  pending; /* exclusive: value of the row before, not in `total` yet; with `init` it may be NULL */
} Fold;

static NullableDatum
retained_value(const RetainedDatum *retained)
{
	return (NullableDatum){retained->value, retained->isnull};
}

/* total := total (+) value, or value if there is no total yet. */
static void
fold_take(WindowCall *call, Fold *fold, const FoldKind *kind, NullableDatum init, NullableDatum value)
{
	FoldDetail *detail = (FoldDetail *) call->detail;

	if (fold->total.present || kind->has_init)
		value = kind->join(call, kind, fold->total.present ? retained_value(&fold->total) : init, value);
	retained_set(&fold->total, &detail->total, value.value, value.isnull, call->memory);
}

/* Adds a row and returns its result.  A NULL value is skipped; with `init` it is left to `op`, unless that is strict.
 */
static Datum
fold_row(WindowCall *call, Fold *fold, const FoldKind *kind)
{
	FoldDetail		*detail = (FoldDetail *) call->detail;
	FunctionCallInfo fcinfo = call->fcinfo;
	NullableDatum	 init = {(Datum) 0, true}, value, shown;
	bool			 exclusive, is_taken;

	if (kind->has_init)
		init = window_constant(call, &fold->init, 2, "init");
	exclusive = window_extent(call, &fold->exclusive, kind->reset + 1) == SCAN_EXCLUSIVE;
	window_keeps(call, 0, &fold->total, &detail->total);
	window_keeps(call, 1, &fold->pending, &detail->value);
	if (window_flag(call, kind->reset))
	{
		retained_clear(&fold->total);
		retained_clear(&fold->pending);
	}
	value.value = window_arg(call, 0, &value.isnull);
	is_taken = !value.isnull || (kind->has_init && !detail->fn.fn_strict);
	if (!value.isnull && kind->lift != NULL)
		value.value = DirectFunctionCall1(kind->lift, value.value);

	if (fold->pending.present)
		fold_take(call, fold, kind, init, retained_value(&fold->pending));
	retained_clear(&fold->pending);
	if (is_taken && exclusive)
		retained_set(&fold->pending, &detail->value, value.value, value.isnull, call->memory);
	else if (is_taken)
		fold_take(call, fold, kind, init, value);

	if (!fold->total.present && exclusive && kind->identity != NULL)
		PG_RETURN_DATUM(kind->identity());
	shown = fold->total.present ? retained_value(&fold->total) : init;
	if (shown.isnull || (!exclusive && !fold->total.present))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(shown.value);
}

/* ---- numeric and bit strings: by core's own functions ---- */

static NullableDatum
join_by_core(WindowCall *call, const FoldKind *kind, NullableDatum total, NullableDatum value)
{
	value.value = DirectFunctionCall2(kind->core, total.value, value.value);
	return value;
}

static Datum
numeric_one(void)
{
	return NumericGetDatum(int64_to_numeric(1));
}

/* ---- extremes of any type with a default btree order ---- */

/* Of equal values the newer is kept, as by core's min() and max() for every type but bpchar. */
static NullableDatum
join_extreme(WindowCall *call, const FoldKind *kind, NullableDatum total, NullableDatum value)
{
	FoldDetail *detail = (FoldDetail *) call->detail;
	int compared = DatumGetInt32(FunctionCall2Coll(&detail->fn, call->fcinfo->fncollation, total.value, value.value));

	if (compared == 0)
		return detail->keep_old ? total : value;
	return (compared > 0) == (kind->order > 0) ? total : value;
}

static void
extreme_look_up(WindowCall *call)
{
	FoldDetail	   *detail = (FoldDetail *) call->detail;
	Oid				type = call->type[0].oid;
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_CMP_PROC);

	if (!OidIsValid(entry->cmp_proc))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("could not identify a comparison function for type %s", format_type_be(type)),
						errhint("Cast the value to a type that can be sorted.")));
	fmgr_info_cxt(entry->cmp_proc, &detail->fn, call->fcinfo->flinfo->fn_mcxt);
	detail->keep_old = type_info(type)->keeps_oldest;
}

/* ---- scan_fold: by any function ---- */

/* Calls scan_fold's op.  A strict op is not called for a NULL total, so a NULL total stays NULL. */
static NullableDatum
join_by_op(WindowCall *call, const FoldKind *kind, NullableDatum total, NullableDatum value)
{
	FoldDetail *detail = (FoldDetail *) call->detail;
	LOCAL_FCINFO(op, 2);
	NullableDatum result = {(Datum) 0, true};

	InitFunctionCallInfoData(*op, &detail->fn, 2, call->fcinfo->fncollation, NULL, NULL);
	op->args[0] = total;
	op->args[1] = value;
	if (!total.isnull || !detail->fn.fn_strict)
	{
		result.value = FunctionCallInvoke(op);
		result.isnull = op->isnull;
	}
	if (OidIsValid(detail->domain))
		domain_check(result.value, result.isnull, detail->domain, &detail->domain_extra, call->fcinfo->flinfo->fn_mcxt);
	return result;
}

/*
 * Raises an error unless `op` takes a total of type `type` and a value of type `value`, and returns a total.  Returns
 * its actual result type.
 */
static Oid
op_check_types(Oid op, Form_pg_proc proc, Oid type, Oid value, bool has_init)
{
	Oid actual[2] = {type, value};
	Oid declared[2];
	Oid result;

	if (proc->prokind != PROKIND_FUNCTION || proc->proretset || proc->pronargs != 2)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("argument \"op\" must be a plain function of two arguments: %s", format_procedure(op)),
				 errhint("Name a function that combines two values: write 'int8pl(bigint,bigint)' instead of sum.")));
	memcpy(declared, proc->proargtypes.values, sizeof(declared));
	result = proc->prorettype;
	if (IsPolymorphicType(declared[0]) || IsPolymorphicType(declared[1]))
		result = enforce_generic_type_consistency(actual, declared, 2, result, false);
	if (IsBinaryCoercible(type, declared[0]) && IsBinaryCoercible(value, declared[1]) &&
		IsBinaryCoercible(result, type))
		return result;
	if (has_init)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"op\" must take a state of type %s and a value of type %s, and return a "
					"state: %s",
					format_type_be(type), format_type_be(value), format_procedure(op)),
			 errhint(
				 "Cast \"init\" and the value to the argument types of \"op\", or name a function for their types.")));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("argument \"op\" must take two values of type %s and return one: %s", format_type_be(type),
					format_procedure(op)),
			 errhint("Cast the value to the argument type of \"op\", or name a function for the type of the value.")));
}

/*
 * Looks up `op` and checks the privileges of the user who fetches the query's first row.  A window function is not
 * called earlier, so if another user fetches from a cursor, that user is checked.
 */
static void
op_look_up(WindowCall *call, Oid op, bool has_init)
{
	FoldDetail	 *detail = (FoldDetail *) call->detail;
	Oid			  total_type = detail->total.oid;
	Oid			  type = getBaseType(total_type);
	Oid			  value_type = getBaseType(call->type[0].oid);
	Oid			  collation = call->fcinfo->fncollation;
	HeapTuple	  tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(op));
	Oid			  result;
	List		 *args;
	MemoryContext old;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION), errmsg("function with OID %u does not exist", op),
						errhint("Write the function with its argument types: 'int4pl(integer,integer)'.")));
	check_execute(op, GetUserId());
	result = op_check_types(op, (Form_pg_proc) GETSTRUCT(tuple), type, value_type, has_init);
	ReleaseSysCache(tuple);

	/* a polymorphic op learns its types from the expression that calls it */
	if (detail->memory == NULL)
		detail->memory = AllocSetContextCreate(call->fcinfo->flinfo->fn_mcxt, "scan_fold op", ALLOCSET_SMALL_SIZES);
	MemoryContextReset(detail->memory);
	old = MemoryContextSwitchTo(detail->memory);
	fmgr_info(op, &detail->fn);
	args = list_make2(makeNullConst(type, -1, collation), makeNullConst(value_type, -1, collation));
	fmgr_info_set_expr((Node *) makeFuncExpr(op, result, args, collation, collation, COERCE_EXPLICIT_CALL),
					   &detail->fn);
	MemoryContextSwitchTo(old);
	detail->domain = type == total_type ? InvalidOid : total_type;
}

/* Reads the argument `op`, and looks the function up if it is another one than at the last row. */
static void
fold_read_op(WindowCall *call, WindowConstant *constant, bool has_init)
{
	Oid op = DatumGetObjectId(window_constant_not_null(call, constant, 1, "op"));

	/* OID 0 is not a function, but fn_oid is 0 before the first lookup */
	if (unlikely(((FoldDetail *) call->detail)->fn.fn_oid != op || !OidIsValid(op)))
		op_look_up(call, op, has_init);
}

/* ---- the entry points ---- */

/* f(value, ..., reset, exclusive) */
static Datum
fold_call(FunctionCallInfo fcinfo, const FoldKind *kind)
{
	WindowCall *call = window_call(fcinfo);
	Fold	   *fold;

	if (unlikely(call->detail == NULL))
	{
		FoldDetail *detail = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(FoldDetail));

		detail->total = OidIsValid(kind->total) ? retained_type(kind->total) : call->type[kind->has_init ? 2 : 0];
		detail->value = kind->has_init ? call->type[0] : detail->total;
		call->detail = detail;
		if (kind->order != 0)
			extreme_look_up(call);
	}
	fold = (Fold *) window_state(call, sizeof(Fold));
	if (kind->has_op)
		fold_read_op(call, &fold->op, kind->has_init);
	return fold_row(call, fold, kind);
}

/* The C function `NAME`, of the FoldKind with the members that follow. */
#define FOLD(NAME, ...)                             \
	PG_FUNCTION_INFO_V1(NAME);                      \
	Datum NAME(PG_FUNCTION_ARGS)                    \
	{                                               \
		static const FoldKind kind = {__VA_ARGS__}; \
                                                    \
		return fold_call(fcinfo, &kind);            \
	}
#define PRODUCT .join = join_by_core, .core = numeric_mul, .identity = numeric_one, .total = NUMERICOID, .reset = 1
#define BITS(CORE) .join = join_by_core, .core = CORE, .total = BITOID, .reset = 1

FOLD(scan_product_int2, PRODUCT, .lift = int2_numeric)
FOLD(scan_product_int4, PRODUCT, .lift = int4_numeric)
FOLD(scan_product_int8, PRODUCT, .lift = int8_numeric)
FOLD(scan_product_numeric, PRODUCT)
FOLD(scan_bit_and_bit, BITS(bit_and))
FOLD(scan_bit_or_bit, BITS(bit_or))
FOLD(scan_bit_xor_bit, BITS(bitxor))
FOLD(scan_min_any, .join = join_extreme, .order = -1, .reset = 1)
FOLD(scan_max_any, .join = join_extreme, .order = 1, .reset = 1)
FOLD(scan_fold_any, .join = join_by_op, .has_op = true, .reset = 2)

/* Into a state of any type. */
FOLD(scan_fold_init, .join = join_by_op, .has_op = true, .has_init = true, .reset = 3)
