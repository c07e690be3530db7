/*
 * running.c: scan_kept_running(), the aggregates of a kept scan over a window that does not begin with a partition's
 * first row.
 *
 * window_forms.c puts its call in the place of a query's window aggregates, and lets the query read only the rows of a
 * partition whose first key is not below some bound.  The function reads the state before the first key of the first
 * row that it gets (read.c), and adds the rows to it in their order, those of the current row's peers or up to the
 * current row alone.  So the bound itself need not be known here, and each partition begins from its own state.
 *
 * The result is a record of all aggregates, so that they have one state.  Core evaluates equal calls once.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/typcache.h"
#include "windowapi.h"

#include "compat.h"
#include "kept/reading.h"

/* The arguments before the columns of the table. */
enum
{
	ARGUMENT_TREE,
	ARGUMENT_WANTED,
	ARGUMENT_BY_ROWS,
	ARGUMENT_COLUMNS
};

/* One call in one query, for all partitions. */
typedef struct Running
{
	WindowObject	window;
	Kept		   *kept;
	uint64			wanted;	 /* aggregates, as bits; the others are NULL in the result */
	bool			as_user; /* row security applies */
	bool			by_rows; /* rows after the current one are not in the frame, though they are its peers */
	int				columns;
	AttrNumber	   *attribute; /* of the table */
	TupleTableSlot *slot;	   /* a row of the table that has these columns */
	KeptRow		   *row;
	TupleDesc		result;
	Datum		   *value;
	bool		   *isnull;
	MemoryContext	row_memory;
} Running;

/* What is known of a partition; all zeros at its first row. */
typedef struct RunningPartition
{
	KeptState	   *state;
	int64			taken;	/* rows that are in the state */
	HeapTupleHeader result; /* of the rows that are in the state */
} RunningPartition;

/* ---- the call ---- */

static TupleDesc
result_of_kept(const Kept *kept)
{
	TupleDesc desc = CreateTemplateTupleDesc(kept->aggregates);

	for (int a = 0; a < kept->aggregates; a++)
		TupleDescInitEntry(desc, (AttrNumber) (a + 1), kept->aggregate[a].name, kept->aggregate[a].result_type, -1, 0);
	return BlessTupleDesc(desc);
}

/* Takes the columns of the table that the definition reads, and checks that they are the arguments. */
static void
take_columns(Running *running, FunctionCallInfo fcinfo, TupleDesc desc)
{
	int column = -1;

	running->attribute = (AttrNumber *) palloc(bms_num_members(running->kept->columns) * sizeof(AttrNumber));
	while ((column = bms_next_member(running->kept->columns, column)) >= 0)
	{
		AttrNumber attribute = (AttrNumber) (column + FirstLowInvalidHeapAttributeNumber);
		int		   argument = ARGUMENT_COLUMNS + running->columns;

		if (attribute <= 0 || attribute > desc->natts || argument >= PG_NARGS() ||
			get_fn_expr_argtype(fcinfo->flinfo, argument) != TupleDescAttr(desc, attribute - 1)->atttypid)
			break;
		running->attribute[running->columns++] = attribute;
	}
	if (column >= 0 || ARGUMENT_COLUMNS + running->columns != PG_NARGS())
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the arguments are not the columns of kept scan \"%s\"", NameStr(running->kept->name))));
}

static NullableDatum
constant_argument(WindowObject window, int i)
{
	NullableDatum argument;

	argument.value = WinGetFuncArgCurrent(window, i, &argument.isnull);
	return argument;
}

static Running *
prepare_call(FunctionCallInfo fcinfo, WindowObject window)
{
	MemoryContext old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
	Running		 *running = (Running *) palloc0(sizeof(Running));
	NullableDatum wanted = constant_argument(window, ARGUMENT_WANTED);
	NullableDatum by_rows = constant_argument(window, ARGUMENT_BY_ROWS);
	Relation	  table;

	running->window = window;
	running->kept = kept_to_read(fcinfo->flinfo, constant_argument(window, ARGUMENT_TREE), &running->as_user);
	kept_require_trusted(running->kept);
	if (wanted.isnull || by_rows.isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the aggregates and the frame of kept scan \"%s\" must not be NULL",
							   NameStr(running->kept->name))));
	running->wanted = (uint64) DatumGetInt64(wanted.value);
	running->by_rows = DatumGetBool(by_rows.value);
	table = table_open(running->kept->table, AccessShareLock);
	take_columns(running, fcinfo, RelationGetDescr(table));
	running->slot = MakeSingleTupleTableSlot(CreateTupleDescCopy(RelationGetDescr(table)), &TTSOpsVirtual);
	table_close(table, AccessShareLock);
	memset(running->slot->tts_isnull, true, running->slot->tts_tupleDescriptor->natts * sizeof(bool));
	running->row = kept_row_create(running->kept);
	running->result = result_of_kept(running->kept);
	running->value = (Datum *) palloc0(running->kept->aggregates * sizeof(Datum));
	running->isnull = (bool *) palloc(running->kept->aggregates * sizeof(bool));
	running->row_memory = AllocSetContextCreate(CurrentMemoryContext, "kept scan: a row", ALLOCSET_SMALL_SIZES);
	MemoryContextSwitchTo(old);
	return fcinfo->flinfo->fn_extra = running;
}

/* ---- rows ---- */

/*
 * Sets the slot to a row of the partition; false: it has no such row.  A row other than the current one is copied: the
 * executor has it in one slot, which it fills anew for each argument.
 */
static bool
fetch_row(Running *running, int64 position)
{
	bool		  is_current = position == WinGetCurrentPosition(running->window), isout = false;
	MemoryContext old;

	MemoryContextReset(running->row_memory);
	old = MemoryContextSwitchTo(running->row_memory);
	ExecClearTuple(running->slot);
	for (int c = 0; c < running->columns && !isout; c++)
	{
		int				  at = running->attribute[c] - 1;
		Form_pg_attribute attribute = TupleDescAttr(running->slot->tts_tupleDescriptor, at);
		bool			 *isnull = &running->slot->tts_isnull[at];
		Datum			  value;

		if (is_current)
			value = WinGetFuncArgCurrent(running->window, ARGUMENT_COLUMNS + c, isnull);
		else
			value = WinGetFuncArgInPartition(running->window, ARGUMENT_COLUMNS + c, (int) position, WINDOW_SEEK_HEAD,
											 false, isnull, &isout);
		if (!is_current && !isout && !*isnull)
			value = datumCopy(value, attribute->attbyval, attribute->attlen);
		running->slot->tts_values[at] = value;
	}
	MemoryContextSwitchTo(old);
	if (isout)
		return false;
	ExecStoreVirtualTuple(running->slot);
	return true;
}

/* Sets the state to that of the rows of the partition before the row in the slot, by their first key. */
static void
read_state_before(const Running *running, KeptState *state)
{
	Kept		 *kept = running->kept;
	NullableDatum partition[INDEX_MAX_KEYS];
	bool		  isnull;
	Datum		  to[1];
	KeptPart part = {.partition = partition, .from = PG_INT64_MIN, .keys = 1, .to = to, .as_user = running->as_user};

	kept_row_partition(kept, running->slot, partition);
	to[0] = slot_getattr(running->slot, kept->key[0].attribute, &isnull);
	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("column \"%s\" of the first row must not be NULL", kept->key[0].name)));
	SPI_connect();
	kept_read(kept, &part, state);
	SPI_finish();
}

static void
running_take_row(Running *running, RunningPartition *partition)
{
	KeptUser user = running->kept->own_code ? kept_become_to_read(running->kept) : (KeptUser){.is_set = false};

	if (kept_row_set(running->row, running->slot))
		kept_state_take(partition->state, running->row, false, NULL);
	kept_become_again(user);
	partition->taken++;
}

/* Takes the rows of the current row's frame that are not in the state yet. */
static void
take_frame(Running *running, RunningPartition *partition)
{
	int64 here = WinGetCurrentPosition(running->window);

	(void) fetch_row(running, here);
	if (partition->state == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));

		partition->state = kept_state_create(running->kept);
		read_state_before(running, partition->state);
		MemoryContextSwitchTo(old);
	}
	running_take_row(running, partition);
	while (!running->by_rows && fetch_row(running, partition->taken) &&
		   WinRowsArePeers(running->window, here, partition->taken))
	{
		CHECK_FOR_INTERRUPTS();
		running_take_row(running, partition);
	}
}

/* Returns the result of the rows that are in the state, in the current context. */
static HeapTupleHeader
form_result(Running *running, RunningPartition *partition)
{
	for (int a = 0; a < running->kept->aggregates; a++)
	{
		running->isnull[a] = true;
		if (a < KEPT_MOST_RUNNING && (running->wanted >> a & 1) != 0)
			running->value[a] = kept_state_result(running->kept, partition->state, a, &running->isnull[a]);
	}
	return DatumGetHeapTupleHeader(
		HeapTupleGetDatum(heap_form_tuple(running->result, running->value, running->isnull)));
}

PG_FUNCTION_INFO_V1(scan_kept_running);
Datum
scan_kept_running(PG_FUNCTION_ARGS)
{
	WindowObject	  window = PG_WINDOW_OBJECT();
	Running			 *running = (Running *) fcinfo->flinfo->fn_extra;
	RunningPartition *partition = (RunningPartition *) WinGetPartitionLocalMemory(window, sizeof(RunningPartition));

	compat_refuse_null_treatment(window, fcinfo);
	if (running == NULL)
		running = prepare_call(fcinfo, window);
	/* rows before the current one are not asked for again */
	WinSetMarkPosition(window, WinGetCurrentPosition(window));
	if (partition->taken <= WinGetCurrentPosition(window))
	{
		take_frame(running, partition);
		if (running->by_rows)
			PG_RETURN_HEAPTUPLEHEADER(form_result(running, partition));
		if (partition->result != NULL)
			pfree(partition->result);
		partition->result = NULL;
	}
	if (partition->result == NULL)
	{
		HeapTupleHeader result = form_result(running, partition);
		MemoryContext	old = MemoryContextSwitchTo(GetMemoryChunkContext(partition));

		partition->result = (HeapTupleHeader) DatumGetPointer(datumCopy(PointerGetDatum(result), false, -1));
		MemoryContextSwitchTo(old);
	}
	PG_RETURN_HEAPTUPLEHEADER(partition->result);
}

/* Returns a column of such a record, whose type is that of the third argument. */
PG_FUNCTION_INFO_V1(scan_kept_field);
Datum
scan_kept_field(PG_FUNCTION_ARGS)
{
	HeapTupleHeader record;
	HeapTupleData	tuple;
	TupleDesc		desc;
	int32			number;
	Datum			value;
	bool			isnull;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	record = PG_GETARG_HEAPTUPLEHEADER(0);
	number = PG_GETARG_INT32(1);
	desc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(record), HeapTupleHeaderGetTypMod(record));
	if (number < 1 || number > desc->natts ||
		TupleDescAttr(desc, number - 1)->atttypid != get_fn_expr_rettype(fcinfo->flinfo))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the record has no column %d of that type", number)));
	/* a row of no table: its place and its table are not valid */
	tuple = (HeapTupleData){.t_len = HeapTupleHeaderGetDatumLength(record), .t_data = record};
	value = heap_getattr(&tuple, number, desc, &isnull);
	ReleaseTupleDesc(desc);
	if (isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(value);
}
