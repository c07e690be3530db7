/*
 * change.c: scan_change(value, reset), which numbers the runs of values that are not distinct, from 1.  NULL is a
 * value.
 *
 * Two values are distinct as IS DISTINCT FROM says: by the equality operator of the type's default btree or hash
 * operator class, under the collation of the call.  If that operator compares numbers of a fixed size, or the bits of
 * such values, the function is an operation of list.h (op/change.h), and PrefixScan runs it as a job.  Otherwise each
 * row calls the operator's function.
 */
#include "postgres.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "column/datum.h"
#include "column/type.h"
#include "compat.h"
#include "functions/window/window.h"
#include "functions/window/window_functions.h"

/* What a call has looked up.  WindowCall.detail points to it. */
typedef struct ChangeDetail
{
	WindowLine line;  /* its number is SCAN_OP_none: values are compared by `equal` */
	FmgrInfo   equal; /* the type's equality function */
} ChangeDetail;

/* The state of a partition whose values are compared by `equal`. */
typedef struct Change
{
	RetainedDatum previous; /* present: the segment had a row */
	int64		  number;
} Change;

/* Returns the function of the type's equality operator. */
static Oid
equality_of(Oid type)
{
	TypeCacheEntry *entry = lookup_type_cache(type, TYPECACHE_EQ_OPR_FINFO);

	if (!OidIsValid(entry->eq_opr_finfo.fn_oid))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("could not identify an equality operator for type %s", format_type_be(type)),
						errhint("Cast the value to a type that has an equality operator, such as text or jsonb.")));
	return entry->eq_opr_finfo.fn_oid;
}

/* Returns the operation for values that are equal if and only if their `length` bytes are. */
static ScanOpId
line_of_length(int16 length)
{
	if (length == sizeof(char))
		return SCAN_OP_change_bool;
	if (length == sizeof(int16))
		return SCAN_OP_change_int2;
	if (length == sizeof(int32))
		return SCAN_OP_change_int4;
	Assert(length == sizeof(int64));
	return SCAN_OP_change_int8;
}

ScanOpId
change_line(Oid type)
{
	Oid	  equal = equality_of(type);
	int16 length;
	bool  by_value;

	if (equal == F_FLOAT4EQ)
		return SCAN_OP_change_float4;
	if (equal == F_FLOAT8EQ)
		return SCAN_OP_change_float8;
	get_typlenbyval(type, &length, &by_value);
	return by_value && type_equal_is_by_datum(equal) ? line_of_length(length) : SCAN_OP_none;
}

static ChangeDetail *
change_detail(WindowCall *call)
{
	if (unlikely(call->detail == NULL))
	{
		MemoryContext memory = call->fcinfo->flinfo->fn_mcxt;
		ChangeDetail *detail = (ChangeDetail *) MemoryContextAllocZero(memory, sizeof(ChangeDetail));

		detail->line = (WindowLine){change_line(call->type[0].oid), NULL, datum_from_int8};
		fmgr_info_cxt(equality_of(call->type[0].oid), &detail->equal, memory);
		call->detail = detail;
	}
	return (ChangeDetail *) call->detail;
}

/* A row of a type that has an operation. */
static Datum
change_by_line(WindowCall *call, const WindowLine *line)
{
	bool		first, isnull;
	WindowScan *scan = window_scan(call, line, &first);
	bool		head = window_flag(call, 1);
	Datum		value = window_arg(call, 0, &isnull);
	ColumnValue x;

	window_columns(call, 1, true);
	if (!isnull)
		store_att_byval(&x, value, call->type[0].length);
	return window_step(call, scan, line, NULL, isnull ? NULL : &x, head, SCAN_INCLUSIVE);
}

static bool
is_distinct(WindowCall *call, FmgrInfo *equal, const RetainedDatum *previous, Datum value, bool isnull)
{
	if (previous->isnull || isnull)
		return previous->isnull != isnull;
	return !DatumGetBool(FunctionCall2Coll(equal, call->fcinfo->fncollation, previous->value, value));
}

PG_FUNCTION_INFO_V1(scan_change_any);
Datum
scan_change_any(PG_FUNCTION_ARGS)
{
	WindowCall	 *call = window_call(fcinfo);
	ChangeDetail *detail = change_detail(call);
	Change		 *change;
	bool		  isnull;
	Datum		  value;

	if (detail->line.line != SCAN_OP_none)
		return change_by_line(call, &detail->line);
	change = (Change *) window_state(call, sizeof(Change));
	window_keeps(call, 0, &change->previous, &call->type[0]);
	window_keeps_bytes(call, &change->number, sizeof(change->number));
	if (window_flag(call, 1))
		retained_clear(&change->previous);

	value = window_arg(call, 0, &isnull);
	if (!change->previous.present)
		change->number = 1;
	else if (is_distinct(call, &detail->equal, &change->previous, value, isnull))
		change->number++;
	else
		PG_RETURN_INT64(change->number); /* the value that is kept is as good */
	retained_set(&change->previous, &call->type[0], value, isnull, call->memory);
	PG_RETURN_INT64(change->number);
}
