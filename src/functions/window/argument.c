/*
 * argument.c: the arguments and the state of window functions (argument.h).
 */
#include "postgres.h"

#include <fenv.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "compat.h"
#include "error.h"
#include "functions/window/argument.h"

/*
 * Returns how many rows lie between two mark positions.  Setting one moves two read pointers of WindowAgg's tuplestore,
 * which takes 22 ns, so not every row sets it.  But a tuplestore that has spilled once spills until its end, so the
 * rows between two mark positions must fit in work_mem.  They do if each row is smaller than 512 kB, or than work_mem.
 */
static inline int64
window_mark_rows(void)
{
	return work_mem >= 16 * 512 ? 16 : work_mem >= 512 ? work_mem / 512 : 1;
}

WindowCall *
window_call(FunctionCallInfo fcinfo)
{
	WindowCall *call = (WindowCall *) fcinfo->flinfo->fn_extra;

	if (unlikely(call == NULL))
	{
		ScanCallContext *source = scan_call_context(fcinfo);
		WindowObject	 window = source == NULL ? PG_WINDOW_OBJECT() : NULL;

		/* core allows CREATE OPERATOR and CREATE CAST with a window function */
		if (source == NULL && !WindowObjectIsValid(window))
			ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE), errmsg("a window function was called without a window"),
							errhint("Call the function by its name, with an OVER clause. An operator or a cast cannot "
									"have an OVER clause.")));
		if (window != NULL)
			compat_refuse_null_treatment(window, fcinfo);
		call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(WindowCall));
		call->window = window;
		call->source = source;
		for (int arg = 0; arg < Min(PG_NARGS(), WINDOW_ARGS); arg++)
		{
			call->stable[arg] = get_fn_expr_arg_stable(fcinfo->flinfo, arg);
			call->flag[arg] = -1;
			call->type[arg] = retained_type(get_fn_expr_argtype(fcinfo->flinfo, arg));
		}
		fcinfo->flinfo->fn_extra = call;
	}
	call->fcinfo = fcinfo;
	return call;
}

void *
window_local_state(WindowCall *call, Size size)
{
	ScanCallContext *source = call->source;

	if (source == NULL)
		return WinGetPartitionLocalMemory(call->window, size);
	if (source->state == NULL)
		source->state = MemoryContextAllocZero(source->partition, size);
	return source->state;
}

/*
 * True if the float environment is the one that the proofs of op/ require, as far as can be seen without a call.
 * Another function of the query may change it at any row.
 */
static inline bool
float_mode_is_right(void)
{
#ifdef __SSE__
	return (__builtin_ia32_stmxcsr() & 0xe040) == 0; /* rounding, flush to zero, denormals are zero */
#else
	return true;
#endif
}

void *
window_state(WindowCall *call, Size size)
{
	int64 row = window_position(call);
	void *state = window_local_state(call, size);

	if (call->source == NULL && row % window_mark_rows() == 0)
		WinSetMarkPosition(call->window, row);

	/* the proofs of op/ require it, and a library may have left another environment (see run/run.c) */
	if (row == 0 || unlikely(!float_mode_is_right()))
		fesetenv(FE_DFL_ENV);
	call->memory = GetMemoryChunkContext(state);
	return state;
}

/* The argument is evaluated in a context of its own, because the context of our call lasts for the whole lookahead. */
Datum
window_ahead(WindowCall *call, int arg, int64 row, bool mark, bool *isnull, bool *is_out)
{
	ScanCallContext *source = call->source;
	MemoryContext	 old;
	Datum			 value;

	CHECK_FOR_INTERRUPTS();
	if (source != NULL)
		return source->ahead(source->ahead_rows, arg, row, isnull, is_out);
	if (call->scratch == NULL)
		call->scratch = AllocSetContextCreate(call->fcinfo->flinfo->fn_mcxt, "scan look ahead", ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(call->scratch);
	old = MemoryContextSwitchTo(call->scratch);
	value = WinGetFuncArgInPartition(call->window, arg, row, WINDOW_SEEK_HEAD, mark, isnull, is_out);
	MemoryContextSwitchTo(old);
	return value;
}

bool
window_flag(WindowCall *call, int arg)
{
	bool  isnull;
	Datum value;

	if (call->source != NULL)
		call->source->reset = arg;

	if (call->stable[arg] && call->flag[arg] >= 0)
		return call->flag[arg];
	value = window_arg(call, arg, &isnull);
	call->flag[arg] = !isnull && DatumGetBool(value);
	return call->flag[arg];
}

#define MAX_TEXT 80 /* bytes of a value in a message: a transition table may be long */

char *
window_text(Oid type, Datum value, bool isnull)
{
	Oid	  output;
	bool  is_varlena;
	char *text;
	int	  length;

	if (isnull)
		return "NULL";
	getTypeOutputInfo(type, &output, &is_varlena);
	text = OidOutputFunctionCall(output, value);
	length = strlen(text);
	if (length > MAX_TEXT)
		strcpy(text + pg_mbcliplen(text, length, MAX_TEXT), "...");
	return text;
}

char *
window_arg_text(WindowCall *call, int arg, Datum value, bool isnull)
{
	return window_text(call->type[arg].oid, value, isnull);
}

/* True if two values are equal by their bytes or by the type's equality operator (1.0 and 1.00). */
static bool
same_value(WindowCall *call, const RetainedType *type, Datum a, Datum b)
{
	TypeCacheEntry *entry;

	if (datum_image_eq(a, b, type->by_value, type->length))
		return true;
	entry = lookup_type_cache(type->oid, TYPECACHE_EQ_OPR_FINFO);
	return OidIsValid(entry->eq_opr_finfo.fn_oid) &&
		   DatumGetBool(FunctionCall2Coll(&entry->eq_opr_finfo, call->fcinfo->fncollation, a, b));
}

NullableDatum
window_constant(WindowCall *call, WindowConstant *constant, int arg, const char *name)
{
	const RetainedType *type = &call->type[arg];

	if (call->source != NULL && !call->stable[arg])
		call->source->constant[arg] = constant;
	if (!constant->present || !call->stable[arg])
	{
		bool  now_null;
		Datum now = window_arg(call, arg, &now_null);

		if (!constant->present)
			retained_set(constant, type, now, now_null, call->memory);
		else if (now_null != constant->isnull || (!now_null && !same_value(call, type, now, constant->value)))
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("argument \"%s\" must not change within a partition", name),
				 errdetail("The value is %s at the first row and %s at row " INT64_FORMAT ".",
						   window_arg_text(call, arg, constant->value, constant->isnull),
						   window_arg_text(call, arg, now, now_null), window_position(call) + 1),
				 errhint("Give \"%s\" one value for all rows, or add the columns that it depends on to PARTITION BY.",
						 name)));
	}
	return (NullableDatum){constant->value, constant->isnull};
}

Datum
window_constant_not_null(WindowCall *call, WindowConstant *constant, int arg, const char *name)
{
	NullableDatum given = window_constant(call, constant, arg, name);

	if (given.isnull)
		scan_raise_null(name);
	return given.value;
}

int64
window_max_gap(WindowCall *call, WindowConstant *constant, PGFunction widen)
{
	NullableDatum given = window_constant(call, constant, 1, "max_gap");
	int64		  max_gap;

	if (given.isnull)
		return PG_INT64_MAX;
	max_gap = DatumGetInt64(widen == NULL ? given.value : DirectFunctionCall1(widen, given.value));
	if (max_gap < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"max_gap\" must not be negative: " INT64_FORMAT, max_gap),
						errhint("\"max_gap\" is a number of rows. Write NULL for no limit.")));
	return max_gap;
}
