/*
 * argument.c: the arguments and the memory of window functions (window.h).
 */
#include "postgres.h"

#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "call/window.h"

/*
 * Rows between two marks.  To mark a row moves two read pointers of the node's
 * tuplestore, 22 ns; a mark every 16 rows costs a sixteenth of that and keeps 16
 * rows, which spill if they are larger than work_mem.
 */
#define WINDOW_MARK_ROWS 16

WindowCall *
window_call(FunctionCallInfo fcinfo)
{
	WindowCall *call = (WindowCall *) fcinfo->flinfo->fn_extra;

	if (unlikely(call == NULL))
	{
		WindowObject window = PG_WINDOW_OBJECT();

		Assert(WindowObjectIsValid(window));
		call = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(WindowCall));
		call->window = window;
		for (int arg = 0; arg < Min(PG_NARGS(), WINDOW_ARGS); arg++)
		{
			call->stable[arg] = get_fn_expr_arg_stable(fcinfo->flinfo, arg);
			call->flag[arg] = -1;
			call->type[arg] = held_type(get_fn_expr_argtype(fcinfo->flinfo, arg));
		}
		fcinfo->flinfo->fn_extra = call;
	}
	call->fcinfo = fcinfo;
	return call;
}

void *
window_state(WindowCall *call, Size size)
{
	int64 row = WinGetCurrentPosition(call->window);

	if (row % WINDOW_MARK_ROWS == 0)
		WinSetMarkPosition(call->window, row);
	return WinGetPartitionLocalMemory(call->window, size);
}

MemoryContext
window_memory(const void *state)
{
	return GetMemoryChunkContext((void *) state);
}

bool
window_flag(WindowCall *call, int arg)
{
	bool  isnull;
	Datum value;

	if (call->stable[arg] && call->flag[arg] >= 0)
		return call->flag[arg];
	value = WinGetFuncArgCurrent(call->window, arg, &isnull);
	call->flag[arg] = !isnull && DatumGetBool(value);
	return call->flag[arg];
}

char *
window_arg_text(WindowCall *call, int arg, Datum value, bool isnull)
{
	Oid	 output;
	bool is_varlena;

	if (isnull)
		return "NULL";
	getTypeOutputInfo(call->type[arg].oid, &output, &is_varlena);
	return OidOutputFunctionCall(output, value);
}

Datum
window_constant(WindowCall *call, WindowConstant *constant, int arg, const char *name, bool *isnull)
{
	const HeldType *type = &call->type[arg];

	if (!constant->read)
	{
		Datum value = WinGetFuncArgCurrent(call->window, arg, &constant->isnull);

		held_set(&constant->copy, type, value, constant->isnull,
				 window_memory(WinGetPartitionLocalMemory(call->window, 0)));
		constant->value = constant->copy.value;
		constant->read = true;
	}
	else if (!call->stable[arg])
	{
		bool  now_null;
		Datum now = WinGetFuncArgCurrent(call->window, arg, &now_null);

		if (now_null != constant->isnull ||
			(!now_null && !datum_image_eq(now, constant->value, type->by_value, type->length)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("argument \"%s\" must not change within a partition", name),
					 errdetail("It is %s at the first row and %s at row " INT64_FORMAT ".",
							   window_arg_text(call, arg, constant->value, constant->isnull),
							   window_arg_text(call, arg, now, now_null), WinGetCurrentPosition(call->window) + 1)));
	}
	*isnull = constant->isnull;
	return constant->value;
}

Datum
window_constant_not_null(WindowCall *call, WindowConstant *constant, int arg, const char *name)
{
	bool  isnull;
	Datum value = window_constant(call, constant, arg, name, &isnull);

	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"%s\" must not be NULL", name)));
	return value;
}
