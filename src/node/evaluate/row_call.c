/*
 * row_call.c: calls a window function of ours for a row of a block, for scan_function.c and ahead_function.c.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "node/evaluate/internal.h"

/* ScanCallContext.compute */
static void
compute_late(ScanCallContext *source, int argument)
{
	RowCall *call = (RowCall *) ((char *) source - offsetof(RowCall, source));

	call->value[argument] = row_argument(call->f, call->block, argument, call->i, &call->isnull[argument]);
	source->late &= ~((uint32) 1 << argument);
}

void
row_call_start_partition(const RowFunction *f, RowCall *call)
{
	MemoryContextReset(f->partition);
	call->started = false;
	call->source = (ScanCallContext){.type = T_ExtensibleNode,
									 .brand = scan_call_context_brand,
									 .value = call->value,
									 .isnull = call->isnull,
									 .compute = compute_late,
									 .partition = f->partition,
									 .ahead = call->source.ahead,
									 .ahead_column = call->source.ahead_column,
									 .ahead_rows = call->source.ahead_rows,
									 .reset = -1};
}

Datum
row_call_invoke(RowFunction *f, RowCall *call)
{
	MemoryContext old;
	Datum		  value;

	call->fcinfo->isnull = false;
	MemoryContextReset(f->scratch);
	old = MemoryContextSwitchTo(f->scratch);
	value = FunctionCallInvoke(call->fcinfo);
	MemoryContextSwitchTo(old);
	return value;
}

/* True if an argument is the same at each row.  A reference is read again: a later block may have it elsewhere. */
static bool
is_read_once(const RowFunction *f, const Block *block, int argument)
{
	const RowColumn *column;

	if (argument_is_late(f, argument))
		return false;
	column = &block->rows->column[f->argument[argument]];
	return column->constant && column->data.by_value;
}

/* Reads an argument of the row; one that may raise an error waits until the function reads it. */
static void
read_argument(RowCall *call, int argument)
{
	if (argument_is_late(call->f, argument))
		call->source.late |= (uint32) 1 << argument;
	else
		call->value[argument] = row_argument(call->f, call->block, argument, call->i, &call->isnull[argument]);
}

/* Reads the arguments of the first row after row_call_start_partition(): all of them. */
static void
start_row(RowCall *call)
{
	call->n_each = 0;
	for (int a = 0; a < call->f->arguments; a++)
	{
		read_argument(call, a);
		if (!is_read_once(call->f, call->block, a))
			call->each[call->n_each++] = a;
	}
	call->started = true;
}

void
row_call_row(RowFunction *f, RowCall *call, const Block *block, int64 i)
{
	Datum value;

	call->f = f;
	call->block = block;
	call->i = i;
	if (block->head[i])
		row_call_start_partition(f, call);
	if (!call->started)
		start_row(call);
	else
		for (int k = 0; k < call->n_each; k++)
			read_argument(call, call->each[k]);
	value = row_call_invoke(f, call);
	call->source.late = 0;
	node_put(f, i, value, call->fcinfo->isnull);
	call->source.row++;
}

void
row_call_settled_row(RowFunction *f, RowCall *call, int64 i)
{
	Datum value = row_call_invoke(f, call);

	node_put(f, i, value, call->fcinfo->isnull);
	call->source.row++;
}

void
row_call_init(RowFunction *f, RowCall *call)
{
	fmgr_info_cxt(node_info(f)->wfunc->winfnoid, &call->function, f->query);
	fmgr_info_set_expr((Node *) node_info(f)->wfunc, &call->function);
	call->value = (Datum *) palloc0(Max(f->arguments, 1) * sizeof(Datum));
	call->isnull = (bool *) palloc0(Max(f->arguments, 1) * sizeof(bool));
	call->each = (int *) palloc0(Max(f->arguments, 1) * sizeof(int));
	row_call_start_partition(f, call);
	call->fcinfo = (FunctionCallInfoBaseData *) palloc0(SizeForFunctionCallInfo(f->arguments));
	InitFunctionCallInfoData(*call->fcinfo, &call->function, f->arguments, node_info(f)->wfunc->inputcollid,
							 (Node *) &call->source, NULL);
}
