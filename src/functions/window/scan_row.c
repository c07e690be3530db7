/*
 * scan_row.c: one row of a window function whose accumulator belongs to an operation of list.h.
 *
 * Called by the entry points (entry.c, and the files of the SCAN_ORDERED lines).  A row is one op->step, the code that
 * the batch loops inline, so a column and its rows have the same bits.
 */
#include "postgres.h"

#include "fmgr.h"

#include "column/datum.h"
#include "compat.h"
#include "error.h"
#include "functions/window/window.h"

WindowScan *
window_scan(WindowCall *call, const WindowLine *line, bool *first)
{
	WindowScan *scan;

	if (unlikely(call->op == NULL))
		call->op = scan_op_at(line->line);
	scan = (WindowScan *) window_state(call, offsetof(WindowScan, carry) + scan_carry_size(call->op));
	*first = !scan->started;
	if (unlikely(*first))
	{
		context_memory(&scan->memory, call->memory);
		scan_carry_start(call->op, &scan->carry);
	}
	scan->started = true;
	return scan;
}

Datum
window_step(WindowCall *call, WindowScan *scan, const WindowLine *line, const void *param, const void *x, bool head,
			ScanExtent extent)
{
	ColumnValue y;
	ScanStatus	status;

	if (call->source != NULL)
	{
		call->source->op = call->op;
		call->source->param = param;
		call->source->carry = &scan->carry;
		call->source->extent = extent;
	}
	/* no step: the scan is not restored yet, and a step from its start may raise an error */
	if (call->source != NULL && call->source->restoring)
		status = SCAN_NULL;
	else
		status = call->op->step(param, &scan->carry, x, head, extent, &y);
	if (likely(status == SCAN_OK))
		return line->out(&y);
	if (status != SCAN_NULL)
		scan_raise(status);
	call->fcinfo->isnull = true;
	return (Datum) 0;
}

Datum
window_row(FunctionCallInfo fcinfo, const WindowLine *line, const WindowSignature *signature)
{
	WindowCall	 *call = window_call(fcinfo);
	bool		  first, head, isnull;
	WindowScan	 *scan = window_scan(call, line, &first);
	NullableDatum constant[WINDOW_CONSTANTS];
	int			  n;
	Datum		  value;
	ColumnValue	  x;

	for (n = 0; n < WINDOW_CONSTANTS && signature->constant[n].name != NULL; n++)
	{
		constant[n] = window_constant(call, &scan->constant[n], 1 + n, signature->constant[n].name);
		if (constant[n].isnull && !signature->constant[n].may_be_null)
			scan_raise_null(signature->constant[n].name);
	}
	head = window_flag(call, 1 + n);
	value = window_arg(call, 0, &isnull);
	if (first)
		signature->read(call, scan, constant);
	window_columns(call, 1, true);
	if (!isnull)
		line->in(value, &x);
	if (!isnull && signature->check != NULL)
		signature->check(call, value);
	return window_step(call, scan, line, &scan->param, isnull ? NULL : &x, head, SCAN_INCLUSIVE);
}
