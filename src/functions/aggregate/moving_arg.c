/*
 * moving_arg.c: the aggregates moving_arg_min, moving_arg_max, moving_first and moving_last: a value of the row with
 * the least or the greatest key.
 *
 * They differ in the order of the keys and in which of equal keys wins: the first row, or for moving_last the last one.
 * moving_first is moving_arg_min.  A row whose key is NULL is skipped; the value may be NULL.
 *
 * In a group, one row is kept.  Over frames that rows leave, the state is a queue of the rows that may still win: each
 * one's key comes before the keys of all later rows.  A row comes in once and leaves once, so there are about two
 * comparisons a row, however long the frame is (PrefixScan does the same: aggregate/monotonic_queue.c).  A row is
 * known by its number among the rows with a key, so the inverse transition function looks only at whether a key is
 * NULL.
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "parser/parse_oper.h"
#include "utils/datum.h"
#include "utils/sortsupport.h"

#include "call/entry.h"
#include "column/deque.h"
#include "column/memory.h"
#include "column/saved_state.h"
#include "compat.h"
#include "functions/aggregate/aggregate_functions.h"

/* How an aggregate stores its rows and compares their keys.  Kept in fn_extra, so it lives as long as the plan. */
typedef struct ArgOrder
{
	RetainedType	value, key;
	bool			greatest; /* the greatest key wins, else the least one */
	bool			newest;	  /* of equal keys, the last row wins, else the first one */
	Oid				collation;
	SortSupportData sort; /* the key that wins comes first */
} ArgOrder;

/* A row, whose datums lie in the state's memory. */
typedef struct ArgRow
{
	int64 number; /* among the rows with a key */
	Datum key, value;
	bool  isnull;
} ArgRow;

/* The transition value, in the aggregate's memory.  The first row creates it, even if its key is NULL. */
typedef struct ArgState
{
	ArgOrder *order;
	int64	  entered; /* rows with a key that have come in, and that have left */
	int64	  left;
	Deque	  row; /* of ArgRow; the first one is the result */
} ArgState;

/* ---- the order ---- */

/* Returns the order of such keys, which is kept in fn_extra; it is made again if another one is kept. */
static ArgOrder *
arg_order(FmgrInfo *flinfo, Oid value, Oid key, bool greatest, bool newest, Oid collation)
{
	ArgOrder *order = (ArgOrder *) flinfo->fn_extra;
	Oid		  less, greater;

	if (order != NULL && order->value.oid == value && order->key.oid == key && order->greatest == greatest &&
		order->newest == newest && order->collation == collation)
		return order;
	get_sort_group_operators(key, !greatest, false, greatest, &less, NULL, &greater, NULL);
	order = (ArgOrder *) MemoryContextAlloc(flinfo->fn_mcxt, sizeof(ArgOrder));
	*order = (ArgOrder){.value = retained_type(value),
						.key = retained_type(key),
						.greatest = greatest,
						.newest = newest,
						.collation = collation,
						.sort = {.ssup_cxt = flinfo->fn_mcxt, .ssup_collation = collation}};
	PrepareSortSupportFromOrderingOp(greatest ? greater : less, &order->sort);
	flinfo->fn_extra = order;
	return order;
}

/* True if a key wins over an older one. */
static bool
key_replaces(ArgOrder *order, Datum key, Datum older)
{
	int place = ApplySortComparator(older, false, key, false, &order->sort);

	return order->newest ? place >= 0 : place > 0;
}

/* ---- the state ---- */

static ArgState *
arg_state_new(ArgOrder *order, MemoryContext memory)
{
	ArgState *state = (ArgState *) MemoryContextAlloc(memory, sizeof(ArgState));

	*state = (ArgState){.order = order, .row = {.memory = memory}};
	return state;
}

static ArgRow *
arg_row(const ArgState *state, int64 i)
{
	return (ArgRow *) deque_entry(&state->row, i, sizeof(ArgRow));
}

static void
free_row(const ArgState *state, ArgRow *row)
{
	if (!state->order->key.by_value)
		pfree(DatumGetPointer(row->key));
	if (!state->order->value.by_value && !row->isnull)
		pfree(DatumGetPointer(row->value));
}

/* Appends a copy of a row. */
static void
append_row(ArgState *state, Datum key, Datum value, bool isnull)
{
	ArgOrder	 *order = state->order;
	MemoryContext old = MemoryContextSwitchTo(state->row.memory);
	ArgRow		  row = {.number = state->entered++, .isnull = isnull};

	row.key = datumCopy(key, order->key.by_value, order->key.length);
	if (!isnull)
		row.value = datumCopy(value, order->value.by_value, order->value.length);
	*(ArgRow *) deque_append(&state->row, sizeof(ArgRow)) = row;
	MemoryContextSwitchTo(old);
}

/* Takes a row in.  With `only_best`, no row ever leaves, so the queue has one at most. */
static void
take_row(ArgState *state, Datum key, Datum value, bool isnull, bool only_best)
{
	while (state->row.n > 0 && key_replaces(state->order, key, arg_row(state, state->row.n - 1)->key))
	{
		free_row(state, arg_row(state, state->row.n - 1));
		deque_remove_last(&state->row);
	}
	if (!only_best || state->row.n == 0)
		append_row(state, key, value, isnull);
}

/* ---- transition functions ---- */

/* The order of the call's arguments. */
static ArgOrder *
call_order(FunctionCallInfo fcinfo, bool greatest, bool newest)
{
	FmgrInfo *flinfo = fcinfo->flinfo;

	if (flinfo->fn_extra != NULL)
		return (ArgOrder *) flinfo->fn_extra;
	return arg_order(flinfo, get_fn_expr_argtype(flinfo, 1), get_fn_expr_argtype(flinfo, 2), greatest, newest,
					 PG_GET_COLLATION());
}

static Datum
arg_transition(FunctionCallInfo fcinfo, bool greatest, bool newest, bool only_best)
{
	MemoryContext memory = aggregate_memory(fcinfo);
	ArgOrder	 *order = call_order(fcinfo, greatest, newest);
	ArgState	 *state = PG_ARGISNULL(0) ? arg_state_new(order, memory) : (ArgState *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(2))
	{
		/* detoasted here once rather than in every comparison */
		Datum key = order->key.length == -1 ? PointerGetDatum(PG_GETARG_VARLENA_PP(2)) : PG_GETARG_DATUM(2);

		take_row(state, key, PG_GETARG_DATUM(1), PG_ARGISNULL(1), only_best);
	}
	PG_RETURN_POINTER(state);
}

/* of a group */
SCAN_ENTRY(moving_arg_min_accumulate, arg_transition(fcinfo, false, false, true))
SCAN_ENTRY(moving_arg_max_accumulate, arg_transition(fcinfo, true, false, true))
SCAN_ENTRY(moving_last_accumulate, arg_transition(fcinfo, true, true, true))

/* of frames that rows leave */
SCAN_ENTRY(moving_arg_min_enter, arg_transition(fcinfo, false, false, false))
SCAN_ENTRY(moving_arg_max_enter, arg_transition(fcinfo, true, false, false))
SCAN_ENTRY(moving_last_enter, arg_transition(fcinfo, true, true, false))

/* Rows leave in the order in which they came.  NULL, for which core computes the frame anew: more leave than came. */
PG_FUNCTION_INFO_V1(moving_arg_leave);
Datum
moving_arg_leave(PG_FUNCTION_ARGS)
{
	ArgState *state = (ArgState *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(2))
		PG_RETURN_POINTER(state);
	if (state->left == state->entered)
		PG_RETURN_NULL();
	if (state->row.n > 0 && arg_row(state, 0)->number == state->left)
	{
		free_row(state, arg_row(state, 0));
		deque_remove_first(&state->row);
	}
	state->left++;
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(moving_arg_final);
Datum
moving_arg_final(PG_FUNCTION_ARGS)
{
	const ArgState *state = PG_ARGISNULL(0) ? NULL : (const ArgState *) PG_GETARG_POINTER(0);

	if (state == NULL || state->row.n == 0 || arg_row(state, 0)->isnull)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(arg_row(state, 0)->value);
}

/* ---- several processes ---- */

PG_FUNCTION_INFO_V1(moving_arg_combine);
Datum
moving_arg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext	memory = aggregate_memory(fcinfo);
	ArgState	   *state = PG_ARGISNULL(0) ? NULL : (ArgState *) PG_GETARG_POINTER(0);
	const ArgState *other = PG_ARGISNULL(1) ? NULL : (const ArgState *) PG_GETARG_POINTER(1);

	if (other == NULL && state == NULL)
		PG_RETURN_NULL();
	if (other == NULL)
		PG_RETURN_POINTER(state);
	if (state == NULL)
		state = arg_state_new(arg_order(fcinfo->flinfo, other->order->value.oid, other->order->key.oid,
										other->order->greatest, other->order->newest, other->order->collation),
							  memory);
	if (other->row.n > 0)
		take_row(state, arg_row(other, 0)->key, arg_row(other, 0)->value, arg_row(other, 0)->isnull, true);
	PG_RETURN_POINTER(state);
}

/* What a process sends of a group's state; behind it lie the key and the value of the best row, if there is one. */
typedef struct ArgSent
{
	Oid	 value; /* types */
	Oid	 key;
	Oid	 collation;
	bool greatest, newest;
	bool any; /* there is a row */
} ArgSent;

/* The bytes of the state of a group, for another process of the same query. */
PG_FUNCTION_INFO_V1(moving_arg_serialize);
Datum
moving_arg_serialize(PG_FUNCTION_ARGS)
{
	const ArgState *state = (const ArgState *) PG_GETARG_POINTER(0);
	ArgOrder	   *order = state->order;
	ArgSent			sent = {.value = order->value.oid,
							.key = order->key.oid,
							.collation = order->collation,
							.greatest = order->greatest,
							.newest = order->newest,
							.any = state->row.n > 0};
	StringInfoData	message;

	(void) aggregate_memory(fcinfo);
	pq_begintypsend(&message);
	pq_sendbytes(&message, (const char *) &sent, sizeof(sent));
	if (sent.any)
	{
		const ArgRow *row = arg_row(state, 0);

		save_datum(&message, row->key, false, order->key.by_value, order->key.length);
		save_datum(&message, row->value, row->isnull, order->value.by_value, order->value.length);
	}
	PG_RETURN_BYTEA_P(pq_endtypsend(&message));
}

PG_FUNCTION_INFO_V1(moving_arg_deserialize);
Datum
moving_arg_deserialize(PG_FUNCTION_ARGS)
{
	bytea		  *bytes = PG_GETARG_BYTEA_PP(0);
	StringInfoData message = {.data = VARDATA_ANY(bytes), .len = (int) VARSIZE_ANY_EXHDR(bytes)};
	ArgSent		   sent;
	ArgState	  *state;

	(void) aggregate_memory(fcinfo);
	pq_copymsgbytes(&message, (char *) &sent, sizeof(sent));
	state = arg_state_new(arg_order(fcinfo->flinfo, sent.value, sent.key, sent.greatest, sent.newest, sent.collation),
						  CurrentMemoryContext);
	if (sent.any)
	{
		bool  isnull;
		Datum key = restore_datum(&message, &isnull);
		Datum value = restore_datum(&message, &isnull);

		append_row(state, key, value, isnull);
	}
	PG_RETURN_POINTER(state);
}
