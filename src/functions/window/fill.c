/*
 * fill.c: scan_nocb, by rows and by age, and scan_interpolate, which fill a NULL from the next row that has a value.
 *
 * Both read ahead, as far as that row and no further: to the next segment or to the partition's end where there is
 * none.  Each row is read ahead once, so that a row costs O(1) however long a hole is, and one value is kept.  A row
 * that has a value is computed without reading ahead: in WindowAgg, where that switches between two positions of a
 * tuplestore, only holes cost more.
 *
 * Rejected: to keep the rows of a hole until its end and then to compute them all.  A window function returns a row's
 * result when it is called for it, and not later.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"

#include "call/entry.h"
#include "compat.h"
#include "functions/window/at.h"
#include "functions/window/window.h"
#include "functions/window/window_functions.h"
#include "number/exact_numeric.h"
#include "op/line.h"

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

/* f(value, max_gap, reset).  `widen` converts max_gap to int8; NULL: it is one. */
static Datum
nocb_by_rows(FunctionCallInfo fcinfo, PGFunction widen)
{
	WindowCall *call = window_call(fcinfo);
	Nocb	   *nocb = (Nocb *) window_state(call, sizeof(Nocb));
	int64		max_gap = window_max_gap(call, &nocb->max_gap, widen);
	int64		row = ahead_row(call, &nocb->ahead);
	bool		isnull;
	Datum		value = window_arg(call, 0, &isnull);

	if (!isnull)
		PG_RETURN_DATUM(value);
	nocb_look(call, nocb, row, max_gap);
	if (nocb->ahead.found < row || nocb->ahead.found - row > max_gap)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(nocb->value.value);
}

/*
 * Besides the form for int8 there are forms for literals without a type: max_gap is a scan_rows, an int8, and reset is
 * a scan_flag, a bool (functions/window/argument_types.c).
 */
#define NOCB_BY_ROWS(FORM, WIDEN) SCAN_ENTRY(scan_nocb_##FORM, nocb_by_rows(fcinfo, WIDEN))

NOCB_BY_ROWS(any, NULL)
NOCB_BY_ROWS(literal, NULL)
NOCB_BY_ROWS(literals, NULL)
NOCB_BY_ROWS(flag_int2, int28)
NOCB_BY_ROWS(flag_int4, int48)
NOCB_BY_ROWS(flag_int8, NULL)

/* ---- rows that have a value and `at`, for f(value, at, limit, reset) ---- */

typedef struct Known
{
	RetainedDatum at; /* present: there is such a row */
	RetainedDatum value;
} Known;

/* Reads ahead to the next known row, which becomes row ahead->found. */
static void
known_look(WindowCall *call, Ahead *ahead, Known *known, const AtType *type, const RetainedType *at_type, int64 row)
{
	Datum value, at;
	bool  isnull, is_out;

	while (ahead->found < row && ahead->wall < 0)
	{
		if (!ahead_value(call, ahead, 3, &value, &isnull) || isnull)
			continue;
		/* the value lives until `at` is read */
		retained_set(&known->value, &call->type[0], value, false, call->memory);
		at = window_ahead(call, 1, ahead->next - 1, false, &isnull, &is_out);
		if (isnull || is_out)
			continue;
		if (type->lift != NULL)
			at = DirectFunctionCall1(type->lift, at);
		retained_set(&known->at, at_type, at, false, call->memory);
		ahead->found = ahead->next - 1;
	}
}

/* ---- scan_nocb, by age ---- */

typedef struct AgedNocb
{
	WindowConstant max_age;
	Ahead		   ahead;
	RetainedDatum  at;	 /* the last `at` of a row; present: the segment had one */
	Known		   next; /* row ahead.found */
} AgedNocb;

/*
 * f(value, at, max_age, reset).  A row that has a value returns it.  A row without `at` is not filled, and its value is
 * not carried backward.
 *
 * Rejected: to return the result of the row after in a row without `at`, as scan_locf returns that of the row before.
 * It depends on the `at` of that row, which may have been read ahead and left behind long ago.
 */
static Datum
nocb_by_age(FunctionCallInfo fcinfo, const AtType *type)
{
	WindowCall		   *call = window_call(fcinfo);
	AgedNocb		   *nocb = (AgedNocb *) window_state(call, sizeof(AgedNocb));
	const RetainedType *at_type = at_retained_type(call, type, 1);
	NullableDatum		max_age = at_limit(call, type, &nocb->max_age, 2, "max_age",
										   "\"max_age\" is how long a value is carried backward. Write NULL for no limit.");
	bool				no_value, no_at;
	int64				row = ahead_row(call, &nocb->ahead);
	Datum				value, at;

	if (window_flag(call, 3))
		retained_clear(&nocb->at);
	at = at_arg(call, type, 1, &no_at);
	if (!no_at)
		at_retain(call, &nocb->at, type, at_type, at);
	value = window_arg(call, 0, &no_value);
	if (!no_value)
		PG_RETURN_DATUM(value);
	if (no_at)
		PG_RETURN_NULL();
	known_look(call, &nocb->ahead, &nocb->next, type, at_type, row);
	if (nocb->ahead.found < row)
		PG_RETURN_NULL();
	at_check_order(type, nocb->at.value, nocb->next.at.value);
	if (!max_age.isnull && type->apart(nocb->at.value, nocb->next.at.value, max_age.value))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(nocb->next.value.value);
}

#define NOCB_BY_AGE(TYPE) SCAN_ENTRY(scan_nocb_##TYPE, nocb_by_age(fcinfo, &at_##TYPE))

NOCB_BY_AGE(int8)
NOCB_BY_AGE(float8)
NOCB_BY_AGE(numeric)
NOCB_BY_AGE(date)
NOCB_BY_AGE(days)
NOCB_BY_AGE(timestamp)
NOCB_BY_AGE(timestamptz)

/* ---- scan_interpolate ---- */

typedef struct Interpolate
{
	WindowConstant max_gap;
	Ahead		   ahead;
	RetainedDatum  at;		   /* the last `at` of a row; present: the segment had one */
	Known		   left;	   /* the last known row of the segment */
	Known		   right;	   /* row ahead.found */
	bool		   is_bridged; /* `left` and `right` are not further apart than max_gap */
} Interpolate;

static double
known_value(const Known *known)
{
	return DatumGetFloat8(known->value.value);
}

/* Returns the point where `at` lies between two rows with a numeric `at`. */
static double
numeric_point(const Known *left, const Known *right, Datum at)
{
	double before = known_value(left), after = known_value(right);
	Datum  a, b;

	if (!at_numeric.before(left->at.value, at))
		return before;
	if (!at_numeric.before(at, right->at.value))
		return after;
	if (!isfinite(before) || !isfinite(after))
		return canonical_nan(before + after);
	a = DirectFunctionCall2(numeric_sub, at, left->at.value);
	b = DirectFunctionCall2(numeric_sub, right->at.value, at);
	a = DirectFunctionCall2(numeric_mul, exact_numeric(after), a);
	b = DirectFunctionCall2(numeric_mul, exact_numeric(before), b);
	return nearest_quotient(DirectFunctionCall2(numeric_add, a, b),
							DirectFunctionCall2(numeric_sub, right->at.value, left->at.value));
}

/* Returns the point where `at` lies between the known rows.  Where both have the same `at`, it is the earlier value. */
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
	return line_point(known_value(left), known_value(right), &a, &b, &whole);
}

/* Finds the known row after the current one; returns false if there is none that the line may reach. */
static bool
interpolate_has_right(WindowCall *call, Interpolate *state, const AtType *type, const RetainedType *at_type, int64 row,
					  NullableDatum max_gap)
{
	if (state->ahead.found < row)
	{
		known_look(call, &state->ahead, &state->right, type, at_type, row);
		if (state->ahead.found < row)
			return false;
		at_check_finite(type, state->right.at.value);
		state->is_bridged = max_gap.isnull || !type->apart(state->left.at.value, state->right.at.value, max_gap.value);
	}
	at_check_order(type, state->at.value, state->right.at.value);
	return state->is_bridged;
}

/*
 * f(value, at, max_gap, reset).  A row that has a value shows it.  One without `at` is no point of a line, and is not
 * filled.
 */
static Datum
interpolate_call(FunctionCallInfo fcinfo, const AtType *type)
{
	WindowCall		   *call = window_call(fcinfo);
	Interpolate		   *state = (Interpolate *) window_state(call, sizeof(Interpolate));
	const RetainedType *at_type = at_retained_type(call, type, 1);
	NullableDatum		max_gap = at_limit(
			  call, type, &state->max_gap, 2, "max_gap",
			  "\"max_gap\" is the longest gap that is filled, from one value to the next. Write NULL for no limit.");
	bool  no_value, no_at;
	int64 row = ahead_row(call, &state->ahead);
	Datum value, at;

	if (window_flag(call, 3))
	{
		retained_clear(&state->left.at);
		retained_clear(&state->at);
	}
	value = window_arg(call, 0, &no_value);
	at = at_arg(call, type, 1, &no_at);
	if (!no_at)
	{
		at_check_finite(type, at);
		at_retain(call, &state->at, type, at_type, at);
	}
	if (!no_value && !no_at)
	{
		retained_set(&state->left.value, &call->type[0], value, false, call->memory);
		retained_set(&state->left.at, at_type, at, false, call->memory);
	}
	if (!no_value)
		PG_RETURN_DATUM(value);
	if (no_at || !state->left.at.present || !interpolate_has_right(call, state, type, at_type, row, max_gap))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(interpolate_point(state, type, state->at.value));
}

#define INTERPOLATE(TYPE) SCAN_ENTRY(scan_interpolate_##TYPE, interpolate_call(fcinfo, &at_##TYPE))

INTERPOLATE(int8)
INTERPOLATE(float8)
INTERPOLATE(numeric)
INTERPOLATE(date)
INTERPOLATE(days)
INTERPOLATE(timestamp)
INTERPOLATE(timestamptz)

/* scan_interpolate(value): what users write whose rows are evenly spaced. */
SCAN_REFUSAL(scan_interpolate_without_at, ERRCODE_INVALID_PARAMETER_VALUE,
			 errmsg("scan_interpolate needs the argument \"at\""),
			 errhint("Give the position of each row, as in scan_interpolate(value, at). If the rows are evenly spaced, "
					 "\"at\" may be the number of the row."))

/*
 * Over arrays only (window_functions.h).  For arrays, PostgreSQL has no preferred type that decides among the forms
 * where integers are given, so each integer type has one.  Its limit is numeric, which takes any integer and any
 * literal.  Arrays are often written as literals without a type, which have forms of their own.
 */
#define INTERPOLATE_ARRAY(NAME, TYPE)                \
	Datum scan_interpolate_##NAME(PG_FUNCTION_ARGS)  \
	{                                                \
		return interpolate_call(fcinfo, &at_##TYPE); \
	}

INTERPOLATE_ARRAY(int2, int2_numeric)
INTERPOLATE_ARRAY(int4, int4_numeric)
INTERPOLATE_ARRAY(integers, int8_numeric)
INTERPOLATE_ARRAY(literal, float8)
INTERPOLATE_ARRAY(literal_numeric, float8_numeric)
INTERPOLATE_ARRAY(literals, float8_numeric)
