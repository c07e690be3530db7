/*
 * aggregate_function.c: aggregates as functions of a window: evaluated by the operations and strategies of
 * src/aggregate/.
 *
 * dispatch.c chooses this file for FUNCTION_AGGREGATE.  It tells what is called and over which frames, and hands the
 * node's blocks on.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"

#include "aggregate/aggregate.h"
#include "node/evaluate/evaluators.h"

/* The fraction of a percentile: AggregateCall.fraction. */
static double
constant_fraction(const WindowFunc *wfunc)
{
	const Const *constant;

	if (list_length(wfunc->args) < 2)
		return 0.5;
	constant = (const Const *) lsecond(wfunc->args);
	return IsA(constant, Const) && constant->consttype == FLOAT8OID && !constant->constisnull
			   ? DatumGetFloat8(constant->constvalue)
			   : -1;
}

/* The method of time_average: AggregateCall.method. */
static const text *
constant_method(const WindowFunc *wfunc)
{
	const Const *constant;

	if (list_length(wfunc->args) < 3)
		return NULL;
	constant = (const Const *) lthird(wfunc->args);
	return IsA(constant, Const) && constant->consttype == TEXTOID && !constant->constisnull
			   ? DatumGetTextPP(constant->constvalue)
			   : NULL;
}

static AggregateCall
call_of(const NodeFunction *f)
{
	const WindowFunc *wfunc = f->info.wfunc;
	Oid				 *type = (Oid *) MemoryContextAlloc(f->query, Max(f->arguments, 1) * sizeof(Oid));
	AggregateCall	  call = {.called = wfunc->winfnoid,
							  .oid = f->info.aggregate,
							  .moving = f->info.moving,
							  .line = f->info.op,
							  .sort_operator = f->info.sort_operator,
							  .collation = wfunc->inputcollid,
							  .result = wfunc->wintype,
							  .arguments = f->arguments,
							  .type = type,
							  .fraction = constant_fraction(wfunc),
							  .method = constant_method(wfunc)};

	for (int a = 0; a < f->arguments; a++)
		type[a] = exprType((const Node *) list_nth(wfunc->args, a));
	return call;
}

/* Aggregate.late: the node's late arguments, of a NodeFunction. */
static Datum
late_argument(void *from, const Block *block, int argument, int64 i, bool *isnull)
{
	const NodeFunction *f = (const NodeFunction *) from;

	if (argument >= 0)
		return node_argument(f, block, argument, i, isnull);
	*isnull = false;
	return BoolGetDatum(node_filter(f, block, i));
}

static int64
evaluate_aggregate(NodeFunction *f, const Block *block, int64 done)
{
	Aggregate *aggregate = (Aggregate *) f->state;
	int64	   end;

	if (done == block->begin)
	{
		aggregate->answers = f->answers;
		aggregate->counts = f->counts;
	}
	end = aggregate_rows(aggregate, block, done);
	f->preferred_rows = aggregate->preferred_rows;
	return end;
}

static void
accumulate_aggregate(NodeFunction *f, const Block *block, Lookahead unit, bool last)
{
	aggregate_accumulate((Aggregate *) f->state, block);
}

static void
save_state(NodeFunction *f, const Block *block, StringInfo bytes)
{
	aggregate_save((Aggregate *) f->state, bytes);
}

static void
restore_state(NodeFunction *f, const Block *block, StringInfo bytes)
{
	aggregate_restore((Aggregate *) f->state, bytes);
}

static bool
offer(NodeFunction *f, const Rows *rows, const Rows *all, bool segmented, SortedScan *scan)
{
	Aggregate *aggregate = (Aggregate *) f->state;
	bool	   offered;

	aggregate->frame_rows = f->frame_rows;
	offered = aggregate->offer(aggregate, scan);
	f->counts = aggregate->counts;
	return offered;
}

void
node_aggregate_start(NodeFunction *f)
{
	Aggregate *aggregate = (Aggregate *) MemoryContextAllocZero(f->query, sizeof(Aggregate));

	aggregate->call = call_of(f);
	aggregate->lookahead = f->info.lookahead;
	aggregate->sliding = f->sliding;
	aggregate->inverts = f->inverts;
	aggregate->excludes = f->excludes;
	aggregate->saves = f->saves;
	aggregate->argument = f->argument;
	aggregate->filter = f->filter;
	aggregate->query = f->query;
	aggregate->partition = f->partition;
	aggregate->scratch = f->scratch;
	aggregate->result = &f->result;
	if (f->deferred_row != NULL)
	{
		aggregate->late = late_argument;
		aggregate->late_from = f;
		aggregate->late_filter = f->deferred_filter != NULL;
	}
	aggregate_start(aggregate);
	f->state = aggregate;
	f->evaluate = evaluate_aggregate;
	f->accumulate = accumulate_aggregate;
	f->save_state = save_state;
	f->restore_state = restore_state;
	f->method = aggregate->method;
	if (aggregate->offer != NULL)
		f->offer = offer;
}
