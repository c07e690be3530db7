/*
 * aggregate.c: any stock aggregate over prefixes of a partition, through the function manager.
 *
 * Does row after row what WindowAgg does: calls the transition function for each row and the
 * final function for each result.  So the bytes are core's, whatever the aggregate.  The
 * commonest sums, counts and extremes do not come here: inlined.c does the same without the
 * function manager.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/syscache.h"

#include "compat.h"
#include "node/eval/kinds.h"

/* ---- any aggregate ---- */

typedef struct Aggregate
{
	FmgrInfo	   transition;
	FmgrInfo	   final;
	bool		   has_final;
	int16		   length; /* of the transition value */
	bool		   by_value;
	Datum		   start;
	bool		   start_isnull;
	WindowAggState context; /* what AggCheckCallContext looks at: curaggcontext */

	Datum value; /* the transition value, in the partition's memory */
	bool  isnull;
	bool  any; /* a row has gone in */

	FunctionCallInfoBaseData *step;	  /* the call of the transition function */
	FunctionCallInfoBaseData *finish; /* and of the final one */
} Aggregate;

static void
aggregate_begin(NodeFunction *f, Aggregate *aggregate)
{
	MemoryContext old;

	MemoryContextReset(f->partition);
	old = MemoryContextSwitchTo(f->partition);
	aggregate->any = false;
	aggregate->isnull = aggregate->start_isnull;
	aggregate->value = aggregate->start_isnull || aggregate->by_value
						   ? aggregate->start
						   : datumCopy(aggregate->start, aggregate->by_value, aggregate->length);
	MemoryContextSwitchTo(old);
}

/* Makes a value that the transition function has returned the new one, in the partition's memory. */
static void
aggregate_keep(NodeFunction *f, Aggregate *aggregate, Datum value, bool isnull)
{
	if (!aggregate->by_value && DatumGetPointer(value) != DatumGetPointer(aggregate->value))
	{
		if (!isnull)
		{
			MemoryContext old = MemoryContextSwitchTo(f->partition);

			value = datumCopy(value, aggregate->by_value, aggregate->length);
			MemoryContextSwitchTo(old);
		}
		if (!aggregate->isnull)
			pfree(DatumGetPointer(aggregate->value));
	}
	aggregate->value = value;
	aggregate->isnull = isnull;
}

static void
aggregate_row(NodeFunction *f, Aggregate *aggregate, const Block *block, int64 i)
{
	FunctionCallInfo step = aggregate->step;
	bool			 any_null = false;
	MemoryContext	 old;
	Datum			 value;

	if (!node_filter(f, block, i))
		return;
	for (int a = 0; a < f->arguments; a++)
	{
		step->args[a + 1].value = node_argument(f, block, a, i, &step->args[a + 1].isnull);
		any_null |= step->args[a + 1].isnull;
	}
	if (aggregate->transition.fn_strict)
	{
		if (any_null)
			return;
		if (!aggregate->any && aggregate->isnull)
		{
			/* a strict function without a start takes the first value for it */
			old = MemoryContextSwitchTo(f->partition);
			aggregate->value = datumCopy(step->args[1].value, aggregate->by_value, aggregate->length);
			MemoryContextSwitchTo(old);
			aggregate->isnull = false;
			aggregate->any = true;
			return;
		}
		if (aggregate->isnull)
			return;
	}
	step->args[0].value = aggregate->value;
	step->args[0].isnull = aggregate->isnull;
	step->isnull = false;
	aggregate->context.curaggcontext = f->partition;
	old = MemoryContextSwitchTo(f->scratch);
	value = FunctionCallInvoke(step);
	MemoryContextSwitchTo(old);
	aggregate->any = true;
	aggregate_keep(f, aggregate, value, step->isnull);
	MemoryContextReset(f->scratch);
}

/* Shows the result of some rows, which is that of the rows that have gone in. */
static void
aggregate_show(NodeFunction *f, Aggregate *aggregate, int64 from, int64 end)
{
	FunctionCallInfo finish = aggregate->finish;
	MemoryContext	 old = MemoryContextSwitchTo(f->scratch);
	Datum			 value = aggregate->value;
	bool			 isnull = aggregate->isnull;

	if (aggregate->has_final)
	{
		finish->args[0].value = aggregate->value;
		finish->args[0].isnull = finish->isnull = aggregate->isnull;
		value = 0;
		if (!(aggregate->final.fn_strict && aggregate->isnull))
		{
			finish->isnull = false;
			value = FunctionCallInvoke(finish);
		}
		isnull = finish->isnull;
	}
	MemoryContextSwitchTo(old);
	node_put_rows(f, from, end, value, isnull);
	MemoryContextReset(f->scratch);
}

static int64
evaluate_aggregate(NodeFunction *f, const Block *block, int64 done)
{
	Aggregate *aggregate = (Aggregate *) f->state;
	bool	   looking = block->looking != LOOKAHEAD_NONE;
	bool	   seen = block->seen[f->lookahead] && !looking;
	int64	   end = looking || seen ? block->n : block_unit_end(block, f->lookahead, done);

	for (int64 i = done; i < end && !seen; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (block->head[i])
			aggregate_begin(f, aggregate);
		aggregate_row(f, aggregate, block, i);
	}
	if (!looking)
		aggregate_show(f, aggregate, done, end);
	return end;
}

/* The component functions have to be the aggregate owner's to call. */
static void
check_component(Oid function, Oid owner)
{
	AclResult result = compat_proc_aclcheck(function, owner);

	if (result != ACLCHECK_OK)
		aclcheck_error(result, OBJECT_FUNCTION, get_func_name(function));
	InvokeFunctionExecuteHook(function);
}

static FunctionCallInfoBaseData *
call_info(FmgrInfo *function, int arguments, Oid collation, Aggregate *aggregate)
{
	FunctionCallInfoBaseData *info = (FunctionCallInfoBaseData *) palloc0(SizeForFunctionCallInfo(arguments));

	InitFunctionCallInfoData(*info, function, arguments, collation, (Node *) &aggregate->context, NULL);
	return info;
}

static void
general_start(NodeFunction *f)
{
	Aggregate		 *aggregate = (Aggregate *) palloc0(sizeof(Aggregate));
	HeapTuple		  tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(f->wfunc->winfnoid));
	Form_pg_aggregate form = (Form_pg_aggregate) GETSTRUCT(tuple);
	HeapTuple		  proc = SearchSysCache1(PROCOID, ObjectIdGetDatum(f->wfunc->winfnoid));
	Oid				  owner = ((Form_pg_proc) GETSTRUCT(proc))->proowner;
	Datum			  initial;

	ReleaseSysCache(proc);
	aggregate->context.ss.ps.type = T_WindowAggState;
	check_component(form->aggtransfn, owner);
	fmgr_info_cxt(form->aggtransfn, &aggregate->transition, f->query);
	aggregate->step = call_info(&aggregate->transition, f->arguments + 1, f->wfunc->inputcollid, aggregate);
	aggregate->has_final = OidIsValid(form->aggfinalfn);
	if (aggregate->has_final)
	{
		check_component(form->aggfinalfn, owner);
		fmgr_info_cxt(form->aggfinalfn, &aggregate->final, f->query);
		aggregate->finish = call_info(&aggregate->final, 1, f->wfunc->inputcollid, aggregate);
	}
	get_typlenbyval(form->aggtranstype, &aggregate->length, &aggregate->by_value);
	initial = SysCacheGetAttr(AGGFNOID, tuple, Anum_pg_aggregate_agginitval, &aggregate->start_isnull);
	if (!aggregate->start_isnull)
	{
		Oid input, parameter;

		getTypeInputInfo(form->aggtranstype, &input, &parameter);
		aggregate->start = OidInputFunctionCall(input, TextDatumGetCString(initial), parameter, -1);
	}
	ReleaseSysCache(tuple);
	f->state = aggregate;
	f->evaluate = evaluate_aggregate;
}

void
node_aggregate_start(NodeFunction *f)
{
	MemoryContext old = MemoryContextSwitchTo(f->query);

	general_start(f);
	MemoryContextSwitchTo(old);
}
