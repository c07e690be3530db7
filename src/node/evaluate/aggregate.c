/*
 * aggregate.c: any aggregate, over prefixes of a partition or frames, through the function manager.
 *
 * dispatch.c chooses this file for aggregates that no other file evaluates; inlined.c evaluates the commonest sums,
 * counts and extremes without the function manager.  This file does what WindowAgg does: it calls the transition
 * function for each row and the final function for each result.  So the bytes are core's, whatever the aggregate.
 * Over sliding frames the inverse transition function takes out the rows that leave.  If there is no such function, or
 * it gives up, all rows of the frame go in again.  Core's rule decides when, since a user may observe the difference.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_agg.h"
#include "parser/parse_coerce.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "compat.h"
#include "node/evaluate/evaluators.h"
#include "node/evaluate/saved_state.h"

/* ---- any aggregate ---- */

typedef struct Aggregate
{
	FmgrInfo	   transition;
	FmgrInfo	   inverse;
	bool		   has_inverse;
	FmgrInfo	   final;
	bool		   has_final;
	int16		   length; /* typlen of the transition value */
	bool		   by_value;
	Datum		   start;
	bool		   start_isnull;
	WindowAggState context; /* AggCheckCallContext reads its curaggcontext */

	Datum value; /* the transition value, in the partition's memory context */
	bool  isnull;
	int64 count; /* rows that have gone in, by a call or as the start value, and not been taken out */

	/* sliding frames: rows `from` to `to` - 1 of the input have gone in */
	int64 from;
	int64 to;

	FunctionCallInfoBaseData *step;	  /* call of the transition function */
	FunctionCallInfoBaseData *back;	  /* call of the inverse transition function */
	FunctionCallInfoBaseData *finish; /* call of the final function */

	/* saving a transition value of type internal */
	FmgrInfo				  to_bytes;
	FmgrInfo				  from_bytes;
	FmgrInfo				  join;
	FunctionCallInfoBaseData *serial; /* NULL: the transition value has another type, or no serial functions */
	FunctionCallInfoBaseData *deserial;
	FunctionCallInfoBaseData *combine;
} Aggregate;

static void
aggregate_begin(NodeFunction *f, Aggregate *aggregate)
{
	MemoryContext old;

	MemoryContextReset(f->partition);
	old = MemoryContextSwitchTo(f->partition);
	aggregate->count = 0;
	aggregate->isnull = aggregate->start_isnull;
	aggregate->value = aggregate->start_isnull || aggregate->by_value
						   ? aggregate->start
						   : datumCopy(aggregate->start, aggregate->by_value, aggregate->length);
	MemoryContextSwitchTo(old);
}

/*
 * Stores the value that a transition function has returned as the transition value, in the partition's memory context.
 * An expanded object that lives there already, such as a growing array, is not copied.
 */
static void
aggregate_keep(NodeFunction *f, Aggregate *aggregate, Datum value, bool isnull)
{
	int16 length = aggregate->length;

	if (!aggregate->by_value && DatumGetPointer(value) != DatumGetPointer(aggregate->value))
	{
		if (!isnull && !(DatumIsReadWriteExpandedObject(value, false, length) &&
						 MemoryContextGetParent(DatumGetEOHP(value)->eoh_context) == f->partition))
		{
			MemoryContext old = MemoryContextSwitchTo(f->partition);

			value = datumCopy(value, false, length);
			MemoryContextSwitchTo(old);
		}
		if (DatumIsReadWriteExpandedObject(aggregate->value, aggregate->isnull, length))
			DeleteExpandedObject(aggregate->value);
		else if (!aggregate->isnull)
			pfree(DatumGetPointer(aggregate->value));
	}
	aggregate->value = value;
	aggregate->isnull = isnull;
}

/* Fills the call with row i's arguments.  Returns false if the row does not go in. */
static bool
row_counts(NodeFunction *f, FunctionCallInfo call, const Block *block, int64 i)
{
	bool any_null = false;

	if (!node_filter(f, block, i))
		return false;
	for (int a = 0; a < f->arguments; a++)
	{
		call->args[a + 1].value = node_argument(f, block, a, i, &call->args[a + 1].isnull);
		any_null |= call->args[a + 1].isnull;
	}
	return !(call->flinfo->fn_strict && any_null);
}

/* Calls a transition function, or the inverse one, on the transition value. */
static Datum
call_transition(NodeFunction *f, Aggregate *aggregate, FunctionCallInfo call)
{
	MemoryContext old = MemoryContextSwitchTo(f->scratch);
	Datum		  value;

	call->args[0].value = aggregate->value;
	call->args[0].isnull = aggregate->isnull;
	call->isnull = false;
	aggregate->context.curaggcontext = f->partition;
	value = FunctionCallInvoke(call);
	MemoryContextSwitchTo(old);
	return value;
}

static void
aggregate_row(NodeFunction *f, Aggregate *aggregate, const Block *block, int64 i)
{
	FunctionCallInfo step = aggregate->step;
	Datum			 value;

	if (!row_counts(f, step, block, i))
		return;
	if (aggregate->transition.fn_strict && aggregate->isnull)
	{
		MemoryContext old;

		if (aggregate->count > 0)
			return;
		/* a strict function without a start value begins with the first value */
		old = MemoryContextSwitchTo(f->partition);
		aggregate->value = datumCopy(step->args[1].value, aggregate->by_value, aggregate->length);
		MemoryContextSwitchTo(old);
		aggregate->isnull = false;
		aggregate->count = 1;
		return;
	}
	value = call_transition(f, aggregate, step);
	if (aggregate->has_inverse && step->isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("moving-aggregate transition function must not return null")));
	aggregate->count++;
	aggregate_keep(f, aggregate, value, step->isnull);
	MemoryContextReset(f->scratch);
}

/*
 * Takes a row out.  Returns false if the inverse transition function cannot do it.  When the only row leaves, the
 * state begins anew without a call.
 */
static bool
aggregate_take_out(NodeFunction *f, Aggregate *aggregate, const Block *block, int64 i)
{
	Datum value;

	if (!row_counts(f, aggregate->back, block, i))
		return true;
	if (aggregate->isnull)
		elog(ERROR, "aggregate transition value is NULL before inverse transition");
	if (aggregate->count == 1)
	{
		aggregate_begin(f, aggregate);
		return true;
	}
	value = call_transition(f, aggregate, aggregate->back);
	if (aggregate->back->isnull)
		return false;
	aggregate->count--;
	aggregate_keep(f, aggregate, value, false);
	MemoryContextReset(f->scratch);
	return true;
}

/* Stores the current state's result for rows `from` to `end` - 1. */
static void
aggregate_show(NodeFunction *f, Aggregate *aggregate, int64 from, int64 end)
{
	FunctionCallInfo finish = aggregate->finish;
	MemoryContext	 old = MemoryContextSwitchTo(f->scratch);
	Datum			 value = aggregate->value;
	bool			 isnull = aggregate->isnull;

	if (aggregate->has_final)
	{
		finish->args[0].value = MakeExpandedObjectReadOnly(aggregate->value, aggregate->isnull, aggregate->length);
		finish->args[0].isnull = aggregate->isnull;
		value = 0;
		isnull = aggregate->final.fn_strict && (aggregate->isnull || finish->nargs > 1);
		if (!isnull)
		{
			aggregate->context.curaggcontext = f->partition;
			finish->isnull = false;
			value = FunctionCallInvoke(finish);
			isnull = finish->isnull;
		}
	}
	MemoryContextSwitchTo(old);
	node_put_rows(f, from, end, value, isnull);
	MemoryContextReset(f->scratch);
}

/* Takes in rows `from` to `end` - 1. */
static void
add_rows(NodeFunction *f, Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	for (int64 i = from; i < end; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (block->head[i])
			aggregate_begin(f, aggregate);
		aggregate_row(f, aggregate, block, i);
	}
}

static int64
evaluate_aggregate(NodeFunction *f, const Block *block, int64 done)
{
	Aggregate *aggregate = (Aggregate *) f->state;
	int64	   end = block_result_end(block, f->info.lookahead, done);

	if (!block->accumulated[f->info.lookahead])
		add_rows(f, aggregate, block, done, end);
	aggregate_show(f, aggregate, done, end);
	return end;
}

static void
accumulate(NodeFunction *f, const Block *block, Lookahead unit, bool last)
{
	add_rows(f, (Aggregate *) f->state, block, block->begin, block->n);
}

/*
 * Takes out the rows before the frame's first row.  Returns false if the frame has to begin anew: a partition or range
 * begins, the frame does not overlap the last one, there is an EXCLUDE clause, or a row cannot be taken out.
 */
static bool
frame_goes_on(NodeFunction *f, Aggregate *aggregate, const Block *block, int64 i)
{
	const RowFrame *frame = &block->frame[i];
	int64			head = block->first + frame->head;

	if (block_begins_anew(block, i) || f->excludes || aggregate->to <= head ||
		(aggregate->from != head && !aggregate->has_inverse))
		return false;
	for (; aggregate->from < head; aggregate->from++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!aggregate_take_out(f, aggregate, block, aggregate->from - block->first))
			return false;
	}
	return true;
}

/* Sliding frames: evaluates one row. */
static int64
evaluate_frame(NodeFunction *f, const Block *block, int64 done)
{
	Aggregate	   *aggregate = (Aggregate *) f->state;
	const RowFrame *frame = &block->frame[done];

	if (!frame_goes_on(f, aggregate, block, done))
	{
		aggregate_begin(f, aggregate);
		aggregate->to = block->first + frame->head;
	}
	aggregate->from = block->first + frame->head;
	for (int64 i = aggregate->to - block->first; i < frame->tail; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (row_is_in_frame(frame, done, i))
			aggregate_row(f, aggregate, block, i);
	}
	aggregate->to = Max(aggregate->to, block->first + frame->tail);
	aggregate_show(f, aggregate, done, done + 1);
	return done + 1;
}

/* ---- saved state ---- */

/*
 * Calls a serial, deserial or combine function with the transition value, or its bytes, as the given argument.  The
 * arguments that no caller fills in are NULL.
 */
static Datum
call_serial(Aggregate *aggregate, FunctionCallInfo call, int argument, Datum value, MemoryContext partition)
{
	call->args[argument].value = value;
	call->args[argument].isnull = false;
	call->isnull = false;
	aggregate->context.curaggcontext = partition;
	return FunctionCallInvoke(call);
}

static void
save_state(NodeFunction *f, const Block *block, StringInfo bytes)
{
	Aggregate	 *aggregate = (Aggregate *) f->state;
	MemoryContext old = MemoryContextSwitchTo(f->scratch);
	Datum		  value = aggregate->value;
	int16		  length = aggregate->length;
	bool		  by_value = aggregate->by_value;

	save_bytes(bytes, &aggregate->count, sizeof(aggregate->count));
	if (aggregate->serial != NULL)
	{
		if (!aggregate->isnull)
			value = call_serial(aggregate, aggregate->serial, 0, value, f->partition);
		by_value = false;
		length = -1;
	}
	save_datum(bytes, value, aggregate->isnull, by_value, length);
	MemoryContextSwitchTo(old);
	MemoryContextReset(f->scratch);
}

static void
restore_state(NodeFunction *f, const Block *block, StringInfo bytes)
{
	Aggregate	 *aggregate = (Aggregate *) f->state;
	MemoryContext old;

	aggregate_begin(f, aggregate);
	old = MemoryContextSwitchTo(f->partition);
	restore_bytes(bytes, &aggregate->count, sizeof(aggregate->count));
	aggregate->value = restore_datum(bytes, &aggregate->isnull);
	if (aggregate->serial != NULL && !aggregate->isnull)
	{
		Datum value = call_serial(aggregate, aggregate->deserial, 0, aggregate->value, f->partition);

		/*
		 * a transition function may not accept what deserial returns; combine makes a usable value of it and a NULL
		 * state
		 */
		aggregate->value = call_serial(aggregate, aggregate->combine, 1, value, f->partition);
	}
	MemoryContextSwitchTo(old);
}

/* ---- before the first row ---- */

/* The aggregate's owner must be allowed to call the component functions. */
static void
check_component(Oid function, Oid owner)
{
	AclResult result = compat_proc_aclcheck(function, owner);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

/* Prepares the call of a component function; `expr` tells it the types.  Arguments that no caller fills in are NULL. */
static FunctionCallInfoBaseData *
call_info(NodeFunction *f, Aggregate *aggregate, FmgrInfo *function, Oid oid, Expr *expr, int arguments)
{
	FunctionCallInfoBaseData *info = (FunctionCallInfoBaseData *) palloc0(SizeForFunctionCallInfo(arguments));

	fmgr_info_cxt(oid, function, f->query);
	fmgr_info_set_expr((Node *) expr, function);
	InitFunctionCallInfoData(*info, function, arguments, f->info.wfunc->inputcollid, (Node *) &aggregate->context,
							 NULL);
	for (int a = 0; a < arguments; a++)
		info->args[a].isnull = true;
	return info;
}

/* Repeats core's checks at the start of a plan: the functions may have been replaced since CREATE AGGREGATE. */
static void
check_strictness(const Aggregate *aggregate, const WindowFunc *wfunc, Oid type)
{
	if (aggregate->transition.fn_strict && aggregate->start_isnull &&
		(wfunc->args == NIL || !IsBinaryCoercible(exprType((Node *) linitial(wfunc->args)), type)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
				 errmsg("aggregate %u needs to have compatible input type and transition type", wfunc->winfnoid)));
	if (aggregate->has_inverse && aggregate->transition.fn_strict != aggregate->inverse.fn_strict)
		ereport(ERROR, (errcode(ERRCODE_INVALID_FUNCTION_DEFINITION),
						errmsg("strictness of aggregate's forward and inverse transition functions must match")));
}

/*
 * Looks up the aggregate's functions: those of its moving form where frames slide and rows can be taken out.  Returns
 * the type of the transition value, which may depend on the argument types.
 */
static Oid
read_functions(NodeFunction *f, Aggregate *aggregate, Form_pg_aggregate form, Oid owner)
{
	const WindowFunc *wfunc = f->info.wfunc;
	bool			  moving = f->inverts && OidIsValid(form->aggminvtransfn);
	Oid				  transition = moving ? form->aggmtransfn : form->aggtransfn;
	Oid				  inverse = moving ? form->aggminvtransfn : InvalidOid;
	Oid				  final = moving ? form->aggmfinalfn : form->aggfinalfn;
	bool			  extra = moving ? form->aggmfinalextra : form->aggfinalextra;
	Oid				  type = moving ? form->aggmtranstype : form->aggtranstype;
	Oid				  types[FUNC_MAX_ARGS];
	Expr			 *expr, *inverse_expr;

	check_component(transition, owner);
	if (moving)
		check_component(inverse, owner);
	if (OidIsValid(final))
		check_component(final, owner);
	for (int a = 0; a < f->arguments; a++)
		types[a] = exprType((Node *) list_nth(wfunc->args, a));
	type = resolve_aggregate_transtype(wfunc->winfnoid, type, types, f->arguments);
	build_aggregate_transfn_expr(types, f->arguments, 0, false, type, wfunc->inputcollid, transition, inverse, &expr,
								 &inverse_expr);
	aggregate->step = call_info(f, aggregate, &aggregate->transition, transition, expr, f->arguments + 1);
	aggregate->has_inverse = moving;
	if (moving)
		aggregate->back = call_info(f, aggregate, &aggregate->inverse, inverse, inverse_expr, f->arguments + 1);
	aggregate->has_final = OidIsValid(final);
	if (aggregate->has_final)
	{
		int n = extra ? f->arguments + 1 : 1;

		build_aggregate_finalfn_expr(types, n, type, wfunc->wintype, wfunc->inputcollid, final, &expr);
		aggregate->finish = call_info(f, aggregate, &aggregate->final, final, expr, n);
	}
	get_typlenbyval(type, &aggregate->length, &aggregate->by_value);
	if (type == INTERNALOID && OidIsValid(form->aggserialfn) && OidIsValid(form->aggdeserialfn) &&
		OidIsValid(form->aggcombinefn))
	{
		build_aggregate_serialfn_expr(form->aggserialfn, &expr);
		aggregate->serial = call_info(f, aggregate, &aggregate->to_bytes, form->aggserialfn, expr, 1);
		build_aggregate_deserialfn_expr(form->aggdeserialfn, &expr);
		aggregate->deserial = call_info(f, aggregate, &aggregate->from_bytes, form->aggdeserialfn, expr, 2);
		build_aggregate_transfn_expr(&type, 1, 0, false, type, wfunc->inputcollid, form->aggcombinefn, InvalidOid,
									 &expr, NULL);
		aggregate->combine = call_info(f, aggregate, &aggregate->join, form->aggcombinefn, expr, 2);
	}
	return type;
}

static void
general_start(NodeFunction *f)
{
	Aggregate		 *aggregate = (Aggregate *) palloc0(sizeof(Aggregate));
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(f->info.wfunc->winfnoid));
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
	HeapTuple		  proc = SearchSysCache1(PROCOID, ObjectIdGetDatum(f->info.wfunc->winfnoid));
	Oid				  owner = ((Form_pg_proc) GETSTRUCT(proc))->proowner;
	Datum			  initial;
	Oid				  type;

	ReleaseSysCache(proc);
	aggregate->context.ss.ps.type = T_WindowAggState;
	type = read_functions(f, aggregate, form, owner);
	initial = SysCacheGetAttr(AGGFNOID, tuple,
							  aggregate->has_inverse ? Anum_pg_aggregate_aggminitval : Anum_pg_aggregate_agginitval,
							  &aggregate->start_isnull);
	if (!aggregate->start_isnull)
	{
		Oid input, parameter;

		getTypeInputInfo(type, &input, &parameter);
		aggregate->start = OidInputFunctionCall(input, TextDatumGetCString(initial), parameter, -1);
	}
	ReleaseSysCache(tuple);
	check_strictness(aggregate, f->info.wfunc, type);
	f->state = aggregate;
	f->evaluate = f->sliding ? evaluate_frame : evaluate_aggregate;
	f->accumulate = accumulate;
	f->save_state = save_state;
	f->restore_state = restore_state;
	f->method = aggregate->has_inverse ? "its own functions, inverse" : "its own functions";
}

void
node_aggregate_start(NodeFunction *f)
{
	MemoryContext old = MemoryContextSwitchTo(f->query);

	general_start(f);
	MemoryContextSwitchTo(old);
}
