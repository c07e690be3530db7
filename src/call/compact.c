/*
 * compact.c: the window functions that look ahead: scan_compact, scan_split_index.
 *
 * Both read rows that the node has not come to yet, through the node's tuplestore,
 * which holds work_mem of them and spills the rest.  A second pass over the
 * partition is what these functions are: the k-th kept value may be the last row,
 * and the place of a true bit hangs on how many false ones there are.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "call/window.h"

typedef struct Compact
{
	int64 next; /* the first row, from 0, that has not been looked at */
} Compact;

/*
 * Row k shows the k-th kept value.  Rows are looked at once, in order; the ones
 * behind `next` are let go, but the node keeps its own row until it is emitted.
 */
PG_FUNCTION_INFO_V1(scan_compact_any);
Datum
scan_compact_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Compact	   *compact = (Compact *) WinGetPartitionLocalMemory(call->window, sizeof(Compact));
	bool		isnull, is_out;

	for (;;)
	{
		Datum keep = WinGetFuncArgInPartition(call->window, 1, compact->next, WINDOW_SEEK_HEAD, true, &isnull, &is_out);

		CHECK_FOR_INTERRUPTS();
		if (is_out)
			PG_RETURN_NULL();
		compact->next++;
		if (isnull || !DatumGetBool(keep))
			continue;
		keep = WinGetFuncArgInPartition(call->window, 0, compact->next - 1, WINDOW_SEEK_HEAD, true, &isnull, &is_out);
		if (isnull)
			PG_RETURN_NULL();
		PG_RETURN_DATUM(keep);
	}
}

typedef struct Split
{
	bool  counted;
	int64 next_false; /* places from 1 */
	int64 next_true;
} Split;

/* The places start at 1 for false rows and behind the last of those for true ones. */
static void
split_count(WindowCall *call, Split *split)
{
	split->next_false = 1;
	split->next_true = 1;
	for (int64 row = 0;; row++)
	{
		bool  isnull, is_out;
		Datum bit = WinGetFuncArgInPartition(call->window, 0, row, WINDOW_SEEK_HEAD, false, &isnull, &is_out);

		CHECK_FOR_INTERRUPTS();
		if (is_out)
			break;
		if (isnull)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"bit\" must not be NULL"),
							errdetail("It is NULL at row " INT64_FORMAT " of the partition.", row + 1)));
		split->next_true += !DatumGetBool(bit);
	}
	split->counted = true;
}

PG_FUNCTION_INFO_V1(scan_split_index_bool);
Datum
scan_split_index_bool(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Split	   *split = (Split *) WinGetPartitionLocalMemory(call->window, sizeof(Split));
	bool		isnull;
	Datum		bit;

	if (!split->counted)
		split_count(call, split);
	WinSetMarkPosition(call->window, WinGetCurrentPosition(call->window));
	bit = window_arg(call, 0, &isnull);
	PG_RETURN_INT64(DatumGetBool(bit) ? split->next_true++ : split->next_false++);
}
