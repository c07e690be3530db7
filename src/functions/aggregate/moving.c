/*
 * moving.c: the aggregates that depend on the order of values: moving_median, moving_percentile_cont,
 * moving_percentile_disc, moving_mode, moving_count_distinct, moving_rank and moving_percent_rank.
 *
 * Core has no OVER for its ordered-set aggregates and none for count(DISTINCT).  These aggregates return the same
 * values and have an inverse transition function, so they follow any frame.  WindowAgg calls the transition function
 * for each row that enters the frame and the inverse for each row that leaves it; both take O(log n).
 *
 * The state is a counted tree (number/counted_tree.h) of the frame's values, one entry per row.  Equal values are kept
 * in the order in which they entered the frame.  Rows leave a frame in that same order, so the value that leaves is the
 * first of its equals.  Where equal values look different (1.0 and 1.00), the result is that of a stable sort.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "parser/parse_oper.h"
#include "utils/datum.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/sortsupport.h"

#include "call/entry.h"
#include "column/memory.h"
#include "column/percentile.h"
#include "compat.h"
#include "functions/aggregate/aggregate_functions.h"
#include "number/counted_tree.h"
#include "number/numeric_percentile.h"

/* How an aggregate stores and compares its values.  Kept in fn_extra, so it lives as long as the plan. */
typedef struct MovingOrder
{
	RetainedType	type;
	SortSupportData sort;
} MovingOrder;

/* A group of equal values of the frame: their number, and the first of them, whose datum the tree of values owns. */
typedef struct MovingGroup
{
	int64 count;
	Datum value;
} MovingGroup;

/* The transition value, in the aggregate's memory.  The frame's first row creates it, even if its value is NULL. */
typedef struct MovingState
{
	const MovingOrder *order;
	MemoryContext	   memory;
	CountedTree		   values;
	NullableDatum	   fraction; /* of a percentile; must be the same in all rows of the frame */
	NullableDatum	   last;	 /* for moving_rank: the value of the last row, a datum of the tree; or NULL */

	/* for moving_mode and moving_count_distinct: the MovingGroups, sorted by descending count, then ascending value */
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
	order = (MovingOrder *) MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(MovingOrder));
	*order = (MovingOrder){.type = retained_type(type),
						   .sort = {.ssup_cxt = fcinfo->flinfo->fn_mcxt, .ssup_collation = PG_GET_COLLATION()}};
	PrepareSortSupportFromOrderingOp(less, &order->sort);
	fcinfo->flinfo->fn_extra = order;
	return order;
}

/* The comparator of the tree of groups: the largest group comes first; groups of one size are sorted by value. */
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

/* Returns the transition value of the call; creates it at the first row. */
static MovingState *
moving_state(FunctionCallInfo fcinfo)
{
	MemoryContext memory;
	MovingOrder	 *order;
	MovingState	 *state;

	if (!PG_ARGISNULL(0))
		return (MovingState *) PG_GETARG_POINTER(0);
	memory = aggregate_memory(fcinfo);
	order = moving_order(fcinfo);
	state = (MovingState *) MemoryContextAlloc(memory, sizeof(MovingState));
	*state = (MovingState){.order = order,
						   .memory = memory,
						   .fraction.value = Float8GetDatum(0.5), /* the fraction of a median */
						   .by_count = {.comparator = compare_groups, .ssup_extra = &order->sort}};
	counted_tree_init(&state->values, &order->sort, memory);
	counted_tree_init(&state->groups, &state->by_count, memory);
	return state;
}

/* Returns the value argument, detoasted here once rather than in every comparison. */
static Datum
value_argument(FunctionCallInfo fcinfo, const MovingState *state)
{
	return state->order->type.length == -1 ? PointerGetDatum(PG_GETARG_VARLENA_PP(1)) : PG_GETARG_DATUM(1);
}

static void
values_insert(MovingState *state, int64 index, Datum value)
{
	const RetainedType *type = &state->order->type;

	counted_tree_insert(&state->values, index, datum_copy_to(state->memory, value, type->by_value, type->length));
}

static void
values_delete(MovingState *state, int64 index)
{
	Datum value = counted_tree_delete(&state->values, index);

	if (!state->order->type.by_value)
		pfree(DatumGetPointer(value));
}

/*
 * Returns the group of `count` values equal to `value`, removed from the tree of groups because its count will change.
 * If `count` is 0, returns a new group instead.  The caller passes the group to group_put().
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

/*
 * Puts back a group that now has `count` values, beginning at index `first` of the tree of values, or frees it if none.
 */
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

/* ---- rows that enter the frame ---- */

static Datum
moving_transition(FunctionCallInfo fcinfo, MovingState *state)
{
	if (!PG_ARGISNULL(1))
	{
		Datum value = value_argument(fcinfo, state);

		values_insert(state, counted_tree_upper_bound(&state->values, value), value);
	}
	PG_RETURN_POINTER(state);
}

SCAN_ENTRY(moving_accumulate, moving_transition(fcinfo, moving_state(fcinfo)))

/* The last of equal values is that of the last row, and leaves the tree after the others. */
PG_FUNCTION_INFO_V1(moving_rank_accumulate);
Datum
moving_rank_accumulate(PG_FUNCTION_ARGS)
{
	MovingState *state = moving_state(fcinfo);

	state->last.isnull = PG_ARGISNULL(1);
	if (!PG_ARGISNULL(1))
	{
		Datum value = value_argument(fcinfo, state);
		int64 index = counted_tree_upper_bound(&state->values, value);

		values_insert(state, index, value);
		state->last.value = counted_tree_get(&state->values, index);
	}
	PG_RETURN_POINTER(state);
}

static const char *
fraction_text(NullableDatum fraction)
{
	return fraction.isnull ? "NULL" : float8out_internal(DatumGetFloat8(fraction.value));
}

/* Core evaluates the fraction once.  Here every row passes it, also a row whose value is NULL. */
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
						errdetail("The value is %s at one row and %s at a later row.", fraction_text(state->fraction),
								  fraction_text(fraction)),
						errhint("Give \"fraction\" one value for all rows, or add the columns that it depends on to "
								"PARTITION BY or GROUP BY. The first argument is the value, and the second one the "
								"fraction.")));
	return moving_transition(fcinfo, state);
}

/* Takes the row of a call into or out of the group of its value.  Returns false if the row to take out is not there. */
static bool
group_row(FunctionCallInfo fcinfo, MovingState *state, bool leaves)
{
	Datum		 value = value_argument(fcinfo, state);
	int64		 first = counted_tree_lower_bound(&state->values, value);
	int64		 end = counted_tree_upper_bound(&state->values, value);
	MovingGroup *group;

	if (leaves && first == end)
		return false;
	group = group_take(state, value, end - first);
	if (leaves)
		values_delete(state, first);
	else
		values_insert(state, end, value);
	group_put(state, group, first, end - first + (leaves ? -1 : 1));
	return true;
}

PG_FUNCTION_INFO_V1(moving_group_accumulate);
Datum
moving_group_accumulate(PG_FUNCTION_ARGS)
{
	MovingState *state = moving_state(fcinfo);

	if (!PG_ARGISNULL(1))
		(void) group_row(fcinfo, state, false);
	PG_RETURN_POINTER(state);
}

/* ---- rows that leave the frame ----
 *
 * If a value is not in the tree, it has changed since its row entered the frame: a function that computes it has the
 * wrong volatility. The inverse then returns NULL, for which core computes the frame anew.
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

	if (!PG_ARGISNULL(1) && !group_row(fcinfo, state, true))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

/* ---- final functions ---- */

/* Stores the fraction, checked as in core.  Returns false if the result is NULL: no values or no fraction. */
static bool
percentile_fraction(const MovingState *state, double *fraction)
{
	if (state == NULL || state->fraction.isnull)
		return false;
	*fraction = DatumGetFloat8(state->fraction.value);
	if (*fraction < 0 || *fraction > 1 || isnan(*fraction))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("percentile value %g is not between 0 and 1", *fraction),
				 *fraction > 1 && *fraction <= 100
					 ? errhint("For percentile %g, write the fraction %g. The first argument is the value, and the "
							   "second one the fraction.",
							   *fraction, *fraction / 100)
					 : errhint("The first argument is the value, and the second one the fraction.")));
	return state->values.n > 0;
}

/* Returns the transition value of the call, NULL if the frame had no row. */
static MovingState *
final_state(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : (MovingState *) PG_GETARG_POINTER(0);
}

static Datum
moving_percentile(FunctionCallInfo fcinfo, Interpolate interpolate)
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

SCAN_ENTRY(moving_percentile_cont_final_float8, moving_percentile(fcinfo, interpolate_float8))
SCAN_ENTRY(moving_percentile_cont_final_interval, moving_percentile(fcinfo, interpolate_interval))

/* As moving_percentile() for integers and numerics.  The percentile is kept in fn_extra: frames are often as long. */
static Datum
moving_percentile_numeric(FunctionCallInfo fcinfo, bool is_median)
{
	const MovingState *state = final_state(fcinfo);
	NumericPercentile *percentile = (NumericPercentile *) fcinfo->flinfo->fn_extra;
	double			   fraction;

	if (!percentile_fraction(state, &fraction))
		PG_RETURN_NULL();
	if (percentile == NULL)
	{
		percentile = (NumericPercentile *) MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(NumericPercentile));
		numeric_percentile_start(percentile, state->order->type.oid, is_median, fcinfo->flinfo->fn_mcxt);
		fcinfo->flinfo->fn_extra = percentile;
	}
	numeric_percentile_set(percentile, fraction);
	numeric_percentile_place(percentile, state->values.n);
	/* a copy, since the result may lie in memory that the next one takes */
	PG_RETURN_DATUM(datumCopy(numeric_percentile_answer(percentile, counted_tree_get(&state->values, percentile->low),
														counted_tree_get(&state->values, percentile->high)),
							  false, -1));
}

SCAN_ENTRY(moving_median_final_numeric, moving_percentile_numeric(fcinfo, true))
SCAN_ENTRY(moving_percentile_cont_final_numeric, moving_percentile_numeric(fcinfo, false))

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

/* Fetches how many values are less than that of the last row.  Returns false if that is NULL, or there is no row. */
static bool
values_below_last(const MovingState *state, int64 *below)
{
	if (state == NULL || state->last.isnull || state->values.n == 0)
		return false;
	*below = counted_tree_lower_bound(&state->values, state->last.value);
	return true;
}

PG_FUNCTION_INFO_V1(moving_rank_final);
Datum
moving_rank_final(PG_FUNCTION_ARGS)
{
	int64 below;

	if (!values_below_last(final_state(fcinfo), &below))
		PG_RETURN_NULL();
	PG_RETURN_INT64(below + 1);
}

PG_FUNCTION_INFO_V1(moving_percent_rank_final);
Datum
moving_percent_rank_final(PG_FUNCTION_ARGS)
{
	const MovingState *state = final_state(fcinfo);
	int64			   below;

	if (!values_below_last(state, &below))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(percent_rank(below, state->values.n));
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
