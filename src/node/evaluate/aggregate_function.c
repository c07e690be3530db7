/*
 * aggregate_function.c: aggregates as functions of a window: evaluated by the operations and strategies of
 * src/aggregate/.
 *
 * dispatch.c chooses this file for FUNCTION_AGGREGATE.  It tells what is called.
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
aggregate_call_of(const RowFunction *f)
{
	const WindowFunc *wfunc = node_info(f)->wfunc;
	Oid				 *type = (Oid *) MemoryContextAlloc(f->query, Max(f->arguments, 1) * sizeof(Oid));
	AggregateCall	  call = {.called = wfunc->winfnoid,
							  .oid = node_info(f)->aggregate,
							  .moving = node_info(f)->moving,
							  .line = node_info(f)->op,
							  .sort_operator = node_info(f)->sort_operator,
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

void
node_aggregate_start(RowFunction *f)
{
	Aggregate *aggregate = aggregate_of(f);

	aggregate->call = aggregate_call_of(f);
	aggregate_start(aggregate);
}
