/*
 * moving.c: the aggregates that ask for the order of values: moving_median,
 * moving_percentile_cont, moving_percentile_disc, moving_mode and moving_count_distinct.
 *
 * Core has no OVER for its ordered-set aggregates, and none for count(DISTINCT).  These give
 * the same values, have an inverse, and so follow any frame: WindowAgg hands them the rows
 * that come into the frame and those that leave it, either in O(log n).
 *
 * The state is a counted tree (column/counted_tree.h) of the frame's values, one entry a row.
 * Equal values are kept in the order they came in, and since rows leave a frame in the order
 * they came into it, the first of some equals is the one that leaves.  So where equal values
 * look different (1.0 and 1.00), the answer is the one of a stable sort.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "parser/parse_oper.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/sortsupport.h"

#include "column/counted_tree.h"
#include "column/percentile.h"
#include "column/retained.h"
#include "compat.h"

/* How to keep and to compare the values of an aggregate; lives as long as the plan, in fn_extra. */
typedef struct MovingOrder
{
	RetainedType	type;
	SortSupportData sort;
} MovingOrder;

/* Equal values of the frame: how many there are, and the first, which is the tree's. */
typedef struct MovingGroup
{
	int64 count;
	Datum value;
} MovingGroup;

/* The state, in the memory of the aggregate; exists as soon as the frame has a row, be it NULL. */
typedef struct MovingState
{
	const MovingOrder *order;
	MemoryContext	   memory;
	CountedTree		   values;
	NullableDatum	   fraction; /* a percentile's, the same for all rows of the frame */

	/* moving_mode and moving_count_distinct: MovingGroups, the largest first, then the least value */
	CountedTree		groups;
	SortSupportData by_count;
} MovingState;

static MovingOrder *
moving_order(FunctionCallInfo fcinfo)
{
	MovingOrder *order = (MovingOrder *) fcinfo->flinfo->fn_extra;
	Oid			 type = get_fn_expr_argtype(fcinfo->flinfo, 1);
	Oid			 less;

	if (order != NULL)
		return order;
	get_sort_group_operators(type, true, false, false, &less, NULL, NULL, NULL);
	order = (MovingOrder *) MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(MovingOrder));
	order->type = retained_type(type);
	order->sort.ssup_cxt = fcinfo->flinfo->fn_mcxt;
	order->sort.ssup_collation = PG_GET_COLLATION();
	PrepareSortSupportFromOrderingOp(less, &order->sort);
	fcinfo->flinfo->fn_extra = order;
	return order;
}

/* The order of the groups: the largest first, then by value. */
static int
compare_groups(Datum a, Datum b, SortSupport by_count)
{
	const MovingGroup *x = (const MovingGroup *) DatumGetPointer(a);
	const MovingGroup *y = (const MovingGroup *) DatumGetPointer(b);
	SortSupport		   sort = (SortSupport) by_count->ssup_extra;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return sort->comparator(x->value, y->value, sort);
}

/* The state that a transition function is called with; a new one at the first row. */
static MovingState *
moving_state(FunctionCallInfo fcinfo)
{
	MemoryContext memory;
	MovingOrder	 *order;
	MovingState	 *state;

	if (!PG_ARGISNULL(0))
		return (MovingState *) PG_GETARG_POINTER(0);
	if (!AggCheckCallContext(fcinfo, &memory))
		elog(ERROR, "aggregate function called in non-aggregate context");

	order = moving_order(fcinfo);
	state = (MovingState *) MemoryContextAllocZero(memory, sizeof(MovingState));
	state->order = order;
	state->memory = memory;
	state->fraction.value = Float8GetDatum(0.5); /* the median's */
	state->by_count.comparator = compare_groups;
	state->by_count.ssup_extra = &order->sort;
	counted_tree_init(&state->values, &order->sort, memory);
	counted_tree_init(&state->groups, &state->by_count, memory);
	return state;
}

/* The value that a transition function is called with, detoasted once, and not in every comparison. */
static Datum
value_argument(FunctionCallInfo fcinfo, const MovingState *state)
{
	if (state->order->type.length == -1)
		return PointerGetDatum(PG_GETARG_VARLENA_PP(1));
	return PG_GETARG_DATUM(1);
}

static void
values_insert(MovingState *state, int64 index, Datum value)
{
	const RetainedType *type = &state->order->type;
	MemoryContext		old = MemoryContextSwitchTo(state->memory);

	counted_tree_insert(&state->values, index, datumCopy(value, type->by_value, type->length));
	MemoryContextSwitchTo(old);
}

static void
values_delete(MovingState *state, int64 index)
{
	Datum value = counted_tree_delete(&state->values, index);

	if (!state->order->type.by_value)
		pfree(DatumGetPointer(value));
}

/*
 * The group of `count` values equal to `value`, taken out of the tree of groups since it will
 * change; a new one if count is 0.
 */
static MovingGroup *
group_take(MovingState *state, Datum value, int64 count)
{
	MovingGroup	 probe = {count, value};
	CountedTree *groups = &state->groups;

	if (count == 0)
		return (MovingGroup *) MemoryContextAlloc(state->memory, sizeof(MovingGroup));
	return (MovingGroup *) DatumGetPointer(
		counted_tree_delete(groups, counted_tree_lower_bound(groups, PointerGetDatum(&probe))));
}

/* Puts a group back: of `count` values now, which begin at an index of the tree of values. */
static void
group_put(MovingState *state, MovingGroup *group, int64 first, int64 count)
{
	CountedTree *groups = &state->groups;

	if (count == 0)
	{
		pfree(group);
		return;
	}
	*group = (MovingGroup){count, counted_tree_get(&state->values, first)};
	counted_tree_insert(groups, counted_tree_lower_bound(groups, PointerGetDatum(group)), PointerGetDatum(group));
}

/* ---- rows that come into the frame ---- */

static Datum
accumulate(FunctionCallInfo fcinfo, MovingState *state)
{
	if (!PG_ARGISNULL(1))
	{
		Datum value = value_argument(fcinfo, state);

		values_insert(state, counted_tree_upper_bound(&state->values, value), value);
	}
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(moving_accumulate);
Datum
moving_accumulate(PG_FUNCTION_ARGS)
{
	return accumulate(fcinfo, moving_state(fcinfo));
}

static const char *
fraction_text(NullableDatum fraction)
{
	return fraction.isnull ? "NULL" : float8out_internal(DatumGetFloat8(fraction.value));
}

/* In core the fraction is evaluated once.  Here it comes with each row, also with one whose value is NULL. */
PG_FUNCTION_INFO_V1(moving_percentile_accumulate);
Datum
moving_percentile_accumulate(PG_FUNCTION_ARGS)
{
	NullableDatum fraction = fcinfo->args[2];
	bool		  is_first = PG_ARGISNULL(0);
	MovingState	 *state = moving_state(fcinfo);

	if (is_first)
		state->fraction = fraction;
	else if (fraction.isnull != state->fraction.isnull ||
			 (!fraction.isnull && !float8_eq(DatumGetFloat8(fraction.value), DatumGetFloat8(state->fraction.value))))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"fraction\" must not change within a frame or a group"),
						errdetail("It is %s at a row and %s at a later one.", fraction_text(state->fraction),
								  fraction_text(fraction)),
						errhint("Give one value for all rows, or PARTITION BY what it depends on.")));
	return accumulate(fcinfo, state);
}

PG_FUNCTION_INFO_V1(moving_group_accumulate);
Datum
moving_group_accumulate(PG_FUNCTION_ARGS)
{
	MovingState *state = moving_state(fcinfo);

	if (!PG_ARGISNULL(1))
	{
		Datum		 value = value_argument(fcinfo, state);
		int64		 first = counted_tree_lower_bound(&state->values, value);
		int64		 end = counted_tree_upper_bound(&state->values, value);
		MovingGroup *group = group_take(state, value, end - first);

		values_insert(state, end, value);
		group_put(state, group, first, end - first + 1);
	}
	PG_RETURN_POINTER(state);
}

/* ---- rows that leave it ----
 *
 * A value that is not there has changed since it came in: its function is not what it was
 * declared to be.  Core starts the frame anew for an inverse that returns NULL.
 */

PG_FUNCTION_INFO_V1(moving_remove);
Datum
moving_remove(PG_FUNCTION_ARGS)
{
	MovingState *state = (MovingState *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1))
	{
		SortSupport sort = state->values.sort;
		Datum		value = value_argument(fcinfo, state);
		int64		first = counted_tree_lower_bound(&state->values, value);

		if (first == state->values.n || sort->comparator(counted_tree_get(&state->values, first), value, sort) != 0)
			PG_RETURN_NULL();
		values_delete(state, first);
	}
	PG_RETURN_POINTER(state);
}

PG_FUNCTION_INFO_V1(moving_group_remove);
Datum
moving_group_remove(PG_FUNCTION_ARGS)
{
	MovingState *state = (MovingState *) PG_GETARG_POINTER(0);

	if (!PG_ARGISNULL(1))
	{
		Datum		 value = value_argument(fcinfo, state);
		int64		 first = counted_tree_lower_bound(&state->values, value);
		int64		 end = counted_tree_upper_bound(&state->values, value);
		MovingGroup *group;

		if (first == end)
			PG_RETURN_NULL();
		group = group_take(state, value, end - first);
		values_delete(state, first);
		group_put(state, group, first, end - first - 1);
	}
	PG_RETURN_POINTER(state);
}

/* ---- the answers ---- */

/* The fraction, checked as core checks it; whether there is an answer. */
static bool
percentile_fraction(const MovingState *state, double *fraction)
{
	if (state == NULL || state->fraction.isnull)
		return false;
	*fraction = DatumGetFloat8(state->fraction.value);
	if (*fraction < 0 || *fraction > 1 || isnan(*fraction))
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("percentile value %g is not between 0 and 1", *fraction)));
	return state->values.n > 0;
}

/* The state a final function is called with, NULL before the first row. */
static MovingState *
final_state(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : (MovingState *) PG_GETARG_POINTER(0);
}

static Datum
percentile_cont(FunctionCallInfo fcinfo, Interpolate interpolate)
{
	const MovingState *state = final_state(fcinfo);
	double			   fraction, part;
	int64			   low, high;
	Datum			   value;

	if (!percentile_fraction(state, &fraction))
		PG_RETURN_NULL();
	percentile_cont_place(fraction, state->values.n, &low, &high, &part);
	value = counted_tree_get(&state->values, low);
	if (low == high)
		PG_RETURN_DATUM(value);
	PG_RETURN_DATUM(interpolate(value, counted_tree_get(&state->values, high), part));
}

PG_FUNCTION_INFO_V1(moving_percentile_cont_final_float8);
Datum
moving_percentile_cont_final_float8(PG_FUNCTION_ARGS)
{
	return percentile_cont(fcinfo, interpolate_float8);
}

PG_FUNCTION_INFO_V1(moving_percentile_cont_final_interval);
Datum
moving_percentile_cont_final_interval(PG_FUNCTION_ARGS)
{
	return percentile_cont(fcinfo, interpolate_interval);
}

PG_FUNCTION_INFO_V1(moving_percentile_disc_final);
Datum
moving_percentile_disc_final(PG_FUNCTION_ARGS)
{
	const MovingState *state = final_state(fcinfo);
	double			   fraction;

	if (!percentile_fraction(state, &fraction))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(counted_tree_get(&state->values, percentile_disc_place(fraction, state->values.n)));
}

/* Of equal extremes the newest, as core's min and max have it; these are array_moving_min's and _max's only. */
extern Datum moving_min_final(PG_FUNCTION_ARGS);
Datum
moving_min_final(PG_FUNCTION_ARGS)
{
	const MovingState *state = final_state(fcinfo);
	Datum			   least;

	if (state == NULL || state->values.n == 0)
		PG_RETURN_NULL();
	least = counted_tree_get(&state->values, 0);
	PG_RETURN_DATUM(counted_tree_get(&state->values, counted_tree_upper_bound(&state->values, least) - 1));
}

extern Datum moving_max_final(PG_FUNCTION_ARGS);
Datum
moving_max_final(PG_FUNCTION_ARGS)
{
	const MovingState *state = final_state(fcinfo);

	if (state == NULL || state->values.n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(counted_tree_get(&state->values, state->values.n - 1));
}

PG_FUNCTION_INFO_V1(moving_mode_final);
Datum
moving_mode_final(PG_FUNCTION_ARGS)
{
	const MovingState *state = final_state(fcinfo);

	if (state == NULL || state->groups.n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(((const MovingGroup *) DatumGetPointer(counted_tree_get(&state->groups, 0)))->value);
}

PG_FUNCTION_INFO_V1(moving_count_distinct_final);
Datum
moving_count_distinct_final(PG_FUNCTION_ARGS)
{
	const MovingState *state = final_state(fcinfo);

	PG_RETURN_INT64(state == NULL ? 0 : state->groups.n);
}
