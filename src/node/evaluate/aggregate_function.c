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

#include "aggregate/aggregate_op.h"
#include "node/evaluate/function.h"
#include "node/evaluate/internal.h"

/* Returns an argument that is a constant of a type; NULL: there is none, it is no constant, or it is NULL. */
static const Const *
constant_of_type(const WindowFunc *wfunc, int argument, Oid type)
{
	const Const *constant = argument < list_length(wfunc->args) ? (const Const *) list_nth(wfunc->args, argument)
																: NULL;
	bool		 is_one = constant != NULL && IsA(constant, Const) && constant->consttype == type;

	return is_one && !constant->constisnull ? constant : NULL;
}

static AggregateCall
aggregate_call_of(const RowFunction *f)
{
	const WindowFunc *wfunc = node_info(f)->wfunc;
	const Const		 *fraction = constant_of_type(wfunc, 1, FLOAT8OID);
	const Const		 *method = constant_of_type(wfunc, 2, TEXTOID);
	double			  no_fraction = list_length(wfunc->args) < 2 ? 0.5 : -1;
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
							  .fraction = fraction != NULL ? DatumGetFloat8(fraction->constvalue) : no_fraction,
							  .method = method != NULL ? DatumGetTextPP(method->constvalue) : NULL};

	for (int a = 0; a < f->arguments; a++)
		type[a] = exprType((const Node *) list_nth(wfunc->args, a));
	return call;
}

void
node_aggregate_start(RowFunction *f)
{
	Aggregate *aggregate = aggregate_of(f);

	aggregate->call = aggregate_call_of(f);
	/* a row is read again while frames slide over it */
	if (f->late_row != NULL && (f->needs & NEEDS_FRAME_START))
		entering_start(f, aggregate_start);
	else
		aggregate_start(aggregate);
}
