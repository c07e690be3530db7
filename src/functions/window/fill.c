/*
 * fill.c: scan_nocb and scan_interpolate, which fill a NULL from the next row that has a value.
 *
 * Both read ahead, as far as that row and no further: to the next segment or to the partition's end where there is
 * none. Each row is read ahead once, so that a row costs O(1) however long a hole is, and one value is kept.  A row
 * that has a value is answered without reading ahead: in WindowAgg, where that switches between two positions of a
 * tuplestore, only holes cost more.
 *
 * Rejected: to keep the rows of a hole until its end and then to answer them all.  A window function answers a row when
 * it is called for it, and not later.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "column/exact_numeric.h"
#include "compat.h"
#include "functions/window/at.h"
#include "op/line.h"

/* How far a partition was read ahead.  Zero bytes but for `found` and `wall`, which ahead_start() sets. */
typedef struct Ahead
{
	bool  started;
	int64 next;	 /* the first row that was not read ahead */
	int64 wall;	 /* the row ahead that begins a segment, or the partition's end; -1: none was met */
	int64 found; /* the last row ahead that has a value; -1: there was none */
} Ahead;

#define AHEAD_END PG_INT64_MAX

/* Called at each row first.  Returns the row's position. */
static int64
ahead_row(WindowCall *call, Ahead *ahead)
{
	int64 row = window_position(call);

	if (!ahead->started)
		ahead->wall = ahead->found = -1;
	ahead->started = true;
	if (row >= ahead->wall)
		ahead->wall = -1;
	ahead->next = Max(ahead->next, row + 1);
	return row;
}

/*
 * Reads the value of the next row ahead, which has then been read.  Returns false, and has met a wall, if the row
 * begins a segment or if there is none.
 */
static bool
ahead_value(WindowCall *call, Ahead *ahead, int reset, Datum *value, bool *isnull)
{
	bool is_out = false;
	bool head;

	*value = (Datum) 0;
	if (call->stable[reset])
		head = window_flag(call, reset);
	else
		head = DatumGetBool(window_ahead(call, reset, ahead->next, false, isnull, &is_out)) && !*isnull && !is_out;
	if (head)
		ahead->wall = ahead->next;
	else
		*value = window_ahead(call, 0, ahead->next, false, isnull, &is_out);
	if (is_out)
		ahead->wall = AHEAD_END;
	if (ahead->wall >= 0)
		return false;
	ahead->next++;
	return true;
}

/* ---- scan_nocb ---- */

typedef struct Nocb
{
	WindowConstant max_gap;
	Ahead		   ahead;
	RetainedDatum  value; /* of row ahead.found */
} Nocb;

/* Reads ahead to the next value, at most `max_gap` rows further than `row`. */
static void
nocb_look(WindowCall *call, Nocb *nocb, int64 row, int64 max_gap)
{
	Ahead *ahead = &nocb->ahead;
	Datum  value;
	bool   isnull;

	while (ahead->found < row && ahead->wall < 0 && ahead->next - row <= max_gap)
		if (ahead_value(call, ahead, 2, &value, &isnull) && !isnull)
		{
			retained_set(&nocb->value, &call->type[0], value, false, call->memory);
			ahead->found = ahead->next - 1;
		}
}

/* f(value, max_gap, reset) */
PG_FUNCTION_INFO_V1(scan_nocb_any);
Datum
scan_nocb_any(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	Nocb	   *nocb = (Nocb *) window_state(call, sizeof(Nocb));
	bool		no_limit, isnull;
	int64		max_gap = DatumGetInt64(window_constant(call, &nocb->max_gap, 1, "max_gap", &no_limit));
	int64		row = ahead_row(call, &nocb->ahead);
	Datum		value;

	if (no_limit)
		max_gap = PG_INT64_MAX;
	if (max_gap < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("argument \"max_gap\" must not be negative: " INT64_FORMAT, max_gap),
						errhint("\"max_gap\" is a number of rows. Write NULL for no limit.")));
	value = window_arg(call, 0, &isnull);
	if (!isnull)
		PG_RETURN_DATUM(value);
	nocb_look(call, nocb, row, max_gap);
	if (nocb->ahead.found < row || nocb->ahead.found - row > max_gap)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(nocb->value.value);
}

/* ---- scan_interpolate ---- */

/* A row that has a value and `at`. */
typedef struct Known
{
	RetainedDatum at; /* present: there is such a row */
	double		  value;
} Known;

typedef struct Interpolate
{
	WindowConstant max_gap;
	bool		   checked;
	Ahead		   ahead;
	RetainedDatum  at;		   /* the last `at` of a row; present: the segment had one */
	Known		   left;	   /* the last known row of the segment */
	Known		   right;	   /* row ahead.found */
	bool		   is_bridged; /* `left` and `right` are not further apart than max_gap */
} Interpolate;

/* Reads ahead to the next known row. */
static void
interpolate_look(WindowCall *call, Interpolate *state, const AtType *type, const RetainedType *at_type, int64 row)
{
	Ahead *ahead = &state->ahead;
	Datum  value, at;
	double known;
	bool   isnull, is_out;

	while (ahead->found < row && ahead->wall < 0)
	{
		if (!ahead_value(call, ahead, 3, &value, &isnull) || isnull)
			continue;
		known = DatumGetFloat8(value);
		at = window_ahead(call, 1, ahead->next - 1, false, &isnull, &is_out);
		if (isnull || is_out)
			continue;
		if (type->lift != NULL)
			at = DirectFunctionCall1(type->lift, at);
		state->right.value = known;
		retained_set(&state->right.at, at_type, at, false, call->memory);
		ahead->found = ahead->next - 1;
	}
}

/* Returns the point where `at` lies between two rows with a numeric `at`. */
static double
numeric_point(const Known *left, const Known *right, Datum at)
{
	Datum a, b;

	if (!at_numeric.before(left->at.value, at))
		return left->value;
	if (!at_numeric.before(at, right->at.value))
		return right->value;
	if (!isfinite(left->value) || !isfinite(right->value))
		return canonical_nan(left->value + right->value);
	a = DirectFunctionCall2(numeric_sub, at, left->at.value);
	b = DirectFunctionCall2(numeric_sub, right->at.value, at);
	a = DirectFunctionCall2(numeric_mul, exact_numeric(right->value), a);
	b = DirectFunctionCall2(numeric_mul, exact_numeric(left->value), b);
	return nearest_quotient(DirectFunctionCall2(numeric_add, a, b),
							DirectFunctionCall2(numeric_sub, right->at.value, left->at.value));
}

/* Returns the point where `at` lies between the known rows. Where both have the same `at`, it is the earlier value. */
static double
interpolate_point(const Interpolate *state, const AtType *type, Datum at)
{
	const Known *left = &state->left;
	const Known *right = &state->right;
	Step		 a, b, whole;

	if (type->step == NULL)
		return numeric_point(left, right, at);
	a = type->step(left->at.value, at);
	b = type->step(at, right->at.value);
	whole = type->step(left->at.value, right->at.value);
	return line_point(left->value, right->value, &a, &b, &whole);
}

/* Takes the `at` of the current row, in its order. */
static void
interpolate_at(WindowCall *call, Interpolate *state, const AtType *type, const RetainedType *at_type, Datum at)
{
	at_check_finite(type, at);
	if (state->at.present)
		at_check_order(type, state->at.value, at);
	retained_set(&state->at, at_type, at, false, call->memory);
}

/* Finds the known row after the current one; returns false if there is none that the line may reach. */
static bool
interpolate_has_right(WindowCall *call, Interpolate *state, const AtType *type, const RetainedType *at_type, int64 row)
{
	bool  no_limit;
	Datum max_gap = window_constant(call, &state->max_gap, 2, "max_gap", &no_limit);

	if (state->ahead.found < row)
	{
		interpolate_look(call, state, type, at_type, row);
		if (state->ahead.found < row)
			return false;
		at_check_finite(type, state->right.at.value);
		state->is_bridged = no_limit || !type->apart(state->left.at.value, state->right.at.value, max_gap);
	}
	at_check_order(type, state->at.value, state->right.at.value);
	return state->is_bridged;
}

/*
 * f(value, at, max_gap, reset). A row that has a value shows it. One without `at` is no point of a line, and is not
 * filled.
 */
static Datum
interpolate(FunctionCallInfo fcinfo, const AtType *type)
{
	WindowCall		   *call = window_call(fcinfo);
	Interpolate		   *state = (Interpolate *) window_state(call, sizeof(Interpolate));
	const RetainedType *at_type = at_retained_type(call, type, 1);
	bool				no_limit, no_value, no_at;
	Datum				max_gap = window_constant(call, &state->max_gap, 2, "max_gap", &no_limit);
	int64				row = ahead_row(call, &state->ahead);
	double				value;
	Datum				at;

	if (!state->checked && !no_limit && type->negative(max_gap))
		at_raise_negative(
			call, 2, "max_gap", max_gap,
			"\"max_gap\" is the longest gap that is filled, from one value to the next. Write NULL for no limit.");
	state->checked = true;
	if (window_flag(call, 3))
	{
		retained_clear(&state->left.at);
		retained_clear(&state->at);
	}
	value = DatumGetFloat8(window_arg(call, 0, &no_value));
	at = at_arg(call, type, 1, &no_at);
	if (!no_at)
		interpolate_at(call, state, type, at_type, at);
	if (!no_value && !no_at)
	{
		state->left.value = value;
		retained_set(&state->left.at, at_type, at, false, call->memory);
	}
	if (!no_value)
		PG_RETURN_FLOAT8(value);
	if (no_at || !state->left.at.present || !interpolate_has_right(call, state, type, at_type, row))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(interpolate_point(state, type, state->at.value));
}

#define INTERPOLATE(TYPE)                           \
	PG_FUNCTION_INFO_V1(scan_interpolate_##TYPE);   \
	Datum scan_interpolate_##TYPE(PG_FUNCTION_ARGS) \
	{                                               \
		return interpolate(fcinfo, &at_##TYPE);     \
	}

INTERPOLATE(int8)
INTERPOLATE(float8)
INTERPOLATE(numeric)
INTERPOLATE(date)
INTERPOLATE(timestamp)
INTERPOLATE(timestamptz)
