/*
 * merge.c: scan_kept_merge(), the aggregate that adds up states of a kept scan's cells.
 *
 * totals.c puts its calls in the place of a query's aggregates:
 *
 *   scan_kept_merge(kept, number, function, state, NULL::type)
 *
 * adds up the states of an aggregate of the definition, by its number, and gives what an aggregate of the query gives
 * for the rows of which they are the states: of the state of sum(x), sum(x) or avg(x) or count(x).  The number
 * -1 is that of count(*), whose states are the numbers of rows.  The last argument has the type of the result.
 *
 * scan_kept_same() is asked under scan.kept = check, whether a step has one value for both keys of a cell.
 *
 * The result is that of the plain query to the bit: what is added is exact, in any order (state.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "kept/reading.h"

/* What a call merges: found at its first row. */
typedef struct Merge
{
	KeptAggregate aggregate; /* of which the states are */
	KeptAggregate wanted;	 /* whose result is wanted */
	MemoryContext temporary;
} Merge;

typedef struct MergeState
{
	const Merge *merge;
	KeptPartial	 partial;
} MergeState;

/* Returns what a call merges; an error if the types of its arguments are others. */
static Merge *
merge_of_call(FunctionCallInfo fcinfo)
{
	Merge			   *merge = (Merge *) MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(Merge));
	const Kept		   *kept = kept_of_tree(fcinfo->flinfo, PG_GETARG_OID(1));
	int					number = PG_GETARG_INT32(2);
	const KeptAggregate rows = {.operation = &kept_count, .state_type = INT8OID, .result_type = INT8OID};

	if (number < -1 || number >= kept->aggregates)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("kept scan \"%s\" has no aggregate %d", NameStr(kept->name), number)));
	merge->aggregate = merge->wanted = number < 0 ? rows : kept->aggregate[number];
	if (get_fn_expr_argtype(fcinfo->flinfo, 4) != merge->aggregate.state_type ||
		(number >= 0 && (!SearchSysCacheExists1(AGGFNOID, PG_GETARG_DATUM(3)) ||
						 !kept_aggregate_gives(&kept->aggregate[number], PG_GETARG_OID(3), &merge->wanted))) ||
		get_fn_expr_argtype(fcinfo->flinfo, 5) != merge->wanted.result_type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the states of kept scan \"%s\" are not those of the query", NameStr(kept->name))));
	merge->temporary = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "kept scan: a state", ALLOCSET_SMALL_SIZES);
	return merge;
}

PG_FUNCTION_INFO_V1(scan_kept_merge_add);
Datum
scan_kept_merge_add(PG_FUNCTION_ARGS)
{
	MergeState	 *state = PG_ARGISNULL(0) ? NULL : (MergeState *) PG_GETARG_POINTER(0);
	MemoryContext memory, old;

	if (!AggCheckCallContext(fcinfo, &memory))
		elog(ERROR, "scan_kept_merge_add() is called by an aggregate only");
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2) || PG_ARGISNULL(3))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a kept scan must not be NULL")));
	if (fcinfo->flinfo->fn_extra == NULL)
		fcinfo->flinfo->fn_extra = merge_of_call(fcinfo);
	if (state == NULL)
	{
		state = (MergeState *) MemoryContextAllocZero(memory, sizeof(MergeState));
		state->merge = (const Merge *) fcinfo->flinfo->fn_extra;
	}
	if (PG_ARGISNULL(4))
		PG_RETURN_POINTER(state);
	old = MemoryContextSwitchTo(state->merge->temporary);
	state->merge->aggregate.operation->add(&state->partial, memory, &state->merge->aggregate, PG_GETARG_DATUM(4));
	MemoryContextSwitchTo(old);
	MemoryContextReset(state->merge->temporary);
	PG_RETURN_POINTER(state);
}

/* Raises an error unless two values of a step, for two keys of a cell, are the same. */
PG_FUNCTION_INFO_V1(scan_kept_same);
Datum
scan_kept_same(PG_FUNCTION_ARGS)
{
	int16 length;
	bool  by_value;

	get_typlenbyval(get_fn_expr_argtype(fcinfo->flinfo, 0), &length, &by_value);
	if (PG_ARGISNULL(0) != PG_ARGISNULL(1) ||
		!(PG_ARGISNULL(0) || datum_image_eq(PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), by_value, length)))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED), errmsg("a bucket of a kept scan has two values of an expression")));
	PG_RETURN_BOOL(true);
}

PG_FUNCTION_INFO_V1(scan_kept_merge_result);
Datum
scan_kept_merge_result(PG_FUNCTION_ARGS)
{
	MergeState			*state = PG_ARGISNULL(0) ? NULL : (MergeState *) PG_GETARG_POINTER(0);
	const KeptAggregate *wanted = state == NULL ? NULL : &state->merge->wanted;
	bool				 isnull = state == NULL;
	Datum				 result = (Datum) 0;

	if (state != NULL && wanted->operation->result != NULL)
		result = wanted->operation->result(&state->partial, CurrentMemoryContext, wanted, &isnull);
	else if (state != NULL)
		result = wanted->operation->save(&state->partial, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	return result;
}
