/*
 * last.c: scan_kept_last(), the last rows of a partition with their running values, newest first.
 *
 * The rows are read from the end of the order backwards, with all peers of the oldest one, as the window's frame has
 * them.  The state before that row is read once (read.c), and the rows are added to it in order.  NULL keys, which a
 * table can have after DROP NOT NULL, are the newest, as in the window.
 */
#include "postgres.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kept/reading.h"

typedef struct LastRow
{
	MinimalTuple tuple;
	HeapTuple	 result;
	bool		 is_peer; /* of the row after it, which is the newer one */
} LastRow;

typedef struct LastRows
{
	Kept		   *kept;
	KeptRow		   *row;
	int64			wanted;
	bool			as_user; /* row security applies */
	bool			whole;	 /* a row has a NULL key, so all rows of the partition are read */
	MemoryContext	memory;	 /* of the rows */
	TupleTableSlot *slot;	 /* of a row that is compared or added */
	int64			n, room;
	LastRow		   *found;	/* newest first */
	TupleDesc		result; /* columns of the table, and then the aggregates */
	int				columns;
	const int16	   *attribute; /* of the table */
} LastRows;

/* True if a row has the same keys as the oldest row so far. */
static bool
is_peer(LastRows *last, TupleTableSlot *slot)
{
	const Kept *kept = last->kept;

	ExecStoreMinimalTuple(last->found[last->n - 1].tuple, last->slot, false);
	for (int k = 0; k < kept->keys; k++)
	{
		NullableDatum value, oldest;

		value.value = slot_getattr(slot, kept->key[k].attribute, &value.isnull);
		oldest.value = slot_getattr(last->slot, kept->key[k].attribute, &oldest.isnull);
		if (kept_values_compare(&kept->key[k], value, oldest) != 0)
			return false;
	}
	return true;
}

static bool
has_null_key(const Kept *kept, TupleTableSlot *slot)
{
	for (int k = 0; k < kept->keys; k++)
		if (slot_attisnull(slot, kept->key[k].attribute))
			return true;
	return false;
}

static bool
take_last_row(void *to, TupleTableSlot *slot)
{
	LastRows	 *last = (LastRows *) to;
	MemoryContext old;
	bool		  peer;

	if (!kept_row_set(last->row, slot))
		return true;
	peer = last->n > 0 && is_peer(last, slot);
	if (last->n >= last->wanted && !last->whole && !peer)
		return false;
	last->whole |= has_null_key(last->kept, slot);
	old = MemoryContextSwitchTo(last->memory);
	last->found = (LastRow *) kept_grow(last->found, last->n, &last->room, sizeof(LastRow));
	last->found[last->n++] = (LastRow){.tuple = ExecCopySlotMinimalTuple(slot), .is_peer = peer};
	MemoryContextSwitchTo(old);
	return true;
}

/* Sets the state to that of the rows before the oldest row. */
static void
read_before(LastRows *last, const NullableDatum *partition, KeptState *state)
{
	Kept	*kept = last->kept;
	Datum	 to[INDEX_MAX_KEYS];
	KeptPart part = {
		.partition = partition, .from = PG_INT64_MIN, .keys = kept->keys, .to = to, .as_user = last->as_user};
	bool isnull;

	ExecStoreMinimalTuple(last->found[last->n - 1].tuple, last->slot, false);
	for (int k = 0; k < kept->keys; k++)
		to[k] = slot_getattr(last->slot, kept->key[k].attribute, &isnull);
	kept_read(kept, &part, state);
}

/*
 * Reads the rows.  Some may not be kept, so nobody knows how many have to be read.  With a limit that it knows the
 * planner chooses a scan from the end of the index; if all rows up to the limit came, all is read again with a higher
 * one.
 */
static void
read_last(LastRows *last, const NullableDatum *partition)
{
	KeptQuery query = {.partition = partition,
					   .whole = true,
					   .order = KEPT_NEWEST_FIRST,
					   .limit = 64,
					   .all_columns = true,
					   .as_user = true};

	while (query.limit < 2 * last->wanted && query.limit < PG_INT64_MAX / 16)
		query.limit *= 4;
	while (kept_sql_rows(last->kept, &query, take_last_row, last) == query.limit)
	{
		last->n = 0;
		last->whole = false;
		query.limit *= 8;
	}
}

/* ---- the result ---- */

/* Forms the result of each row of a peer group, whose rows are in the state. */
static void
form_peers(LastRows *last, KeptState *state, int64 first, int64 end)
{
	int	   natts = last->columns + last->kept->aggregates;
	Datum *value = (Datum *) palloc0(natts * sizeof(Datum));
	bool  *isnull = (bool *) palloc0(natts * sizeof(bool));

	kept_state_results(last->kept, state, value + last->columns, isnull + last->columns);
	for (int64 i = first; i < end && i < last->wanted; i++)
	{
		ExecStoreMinimalTuple(last->found[i].tuple, last->slot, false);
		for (int c = 0; c < last->columns; c++)
			value[c] = slot_getattr(last->slot, last->attribute[c], &isnull[c]);
		last->found[i].result = heap_form_tuple(last->result, value, isnull);
	}
}

/* Adds the rows up, from the oldest one on, and forms their results. */
static void
run_rows(LastRows *last, KeptState *state)
{
	int64 first;

	for (int64 end = last->n; end > 0; end = first)
	{
		first = end;
		/* the peers of the oldest row that is not in the state yet */
		do
		{
			CHECK_FOR_INTERRUPTS();
			ExecStoreMinimalTuple(last->found[--first].tuple, last->slot, false);
			(void) kept_row_set(last->row, last->slot);
			kept_state_take(state, last->row, false, NULL);
		} while (last->found[first].is_peer);
		form_peers(last, state, first, end);
	}
}

/* Takes the columns of the table that objects.c has named, and checks the columns of the result. */
static void
take_table_columns(LastRows *last, ArrayType *attributes, TupleDesc table)
{
	Oid *type;

	if (ARR_NDIM(attributes) != 1 || ARR_ELEMTYPE(attributes) != INT2OID || ARR_HASNULL(attributes))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the columns of the table are an array of numbers")));
	last->columns = ARR_DIMS(attributes)[0];
	last->attribute = (const int16 *) ARR_DATA_PTR(attributes);
	type = (Oid *) palloc0(last->columns * sizeof(Oid));
	for (int c = 0; c < last->columns; c++)
		if (last->attribute[c] >= 1 && last->attribute[c] <= table->natts)
			type[c] = TupleDescAttr(table, last->attribute[c] - 1)->atttypid;
	kept_check_result(last->kept, last->result, last->columns, type, false);
}

static void
return_last(FunctionCallInfo fcinfo, LastRows *last, const NullableDatum *partition)
{
	ReturnSetInfo *info = (ReturnSetInfo *) fcinfo->resultinfo;
	Relation	   table = table_open(last->kept->table, AccessShareLock);
	KeptState	  *state = kept_state_create(last->kept);

	kept_require_trusted(last->kept);
	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	last->result = info->expectedDesc;
	take_table_columns(last, PG_GETARG_ARRAYTYPE_P(1), RelationGetDescr(table));
	last->slot = MakeSingleTupleTableSlot(RelationGetDescr(table), &TTSOpsMinimalTuple);
	last->row = kept_row_create(last->kept);
	SPI_connect();
	if (last->wanted > 0)
		read_last(last, partition);
	if (last->n > 0 && !last->whole)
		read_before(last, partition, state);
	SPI_finish();
	run_rows(last, state);
	for (int64 i = 0; i < last->n && i < last->wanted; i++)
		tuplestore_puttuple(info->setResult, last->found[i].result);
	kept_row_free(last->row);
	ExecDropSingleTupleTableSlot(last->slot);
	table_close(table, AccessShareLock);
}

PG_FUNCTION_INFO_V1(scan_kept_last);
Datum
scan_kept_last(PG_FUNCTION_ARGS)
{
	LastRows	  last = {.memory = CurrentMemoryContext};
	const Kept	 *kept = last.kept = kept_to_read(fcinfo->flinfo, fcinfo->args[0], &last.as_user);
	NullableDatum partition[INDEX_MAX_KEYS];
	int			  rows = 2 + kept->partitions;

	if (PG_ARGISNULL(1))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the columns of the table must not be NULL")));
	kept_partition_arguments(fcinfo, 2, kept, partition);
	if (PG_NARGS() != rows + 1 || get_fn_expr_argtype(fcinfo->flinfo, rows) != INT8OID)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("wrong arguments for kept scan \"%s\"", NameStr(kept->name))));
	if (PG_ARGISNULL(rows) || PG_GETARG_INT64(rows) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the number of rows must not be negative or NULL")));
	last.wanted = PG_GETARG_INT64(rows);
	return_last(fcinfo, &last, partition);
	return (Datum) 0;
}
