/*
 * numeric.c: sum, avg, min and max of numerics, for inlined.c's table.
 *
 * column/decimal_sum.h computes the sums and averages.  The extremes compare the stored digits.  The value that is
 * kept has the header that core's value would have: one byte or four.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "node/evaluate/inlined_loop.h"

/* ---- sums and averages ---- */

static void
transition_sum_numeric(InlinedState *state, Datum value)
{
	if (state->count == 0)
		decimal_sum_clear(&state->numeric);
	decimal_sum_add(&state->numeric, value);
}

static Datum
final_sum_numeric(InlinedState *state)
{
	return decimal_sum_show(&state->numeric);
}

static Datum
final_avg_numeric(InlinedState *state)
{
	return decimal_sum_average(&state->numeric);
}

INLINED(, sum_numeric, sum_numeric, sum_numeric, INLINED_UNIT)
INLINED(, avg_numeric, sum_numeric, avg_numeric, INLINED_UNIT)

/* ---- extremes ---- */

static const RetainedType numeric_type = {NUMERICOID, -1, false, TYPALIGN_INT};

static int
compare(Datum a, Datum b)
{
	struct varlena *plain_a = decimal_plain(a);
	struct varlena *plain_b = decimal_plain(b);
	DecimalParts	parts_a, parts_b;
	int				order;

	decimal_read(&parts_a, plain_a);
	decimal_read(&parts_b, plain_b);
	if (!decimal_compare(&parts_a, &parts_b, &order))
		order = DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
	decimal_free_plain(plain_a, a);
	decimal_free_plain(plain_b, b);
	return order;
}

/* Keeps a value in the form in which core's transition function would return it: with a header of four bytes. */
static void
keep_returned(InlinedState *state, Datum value)
{
	union
	{
		int32 align;
		char  bytes[VARHDRSZ + VARATT_SHORT_MAX];
	} wide;
	struct varlena *bytes = (struct varlena *) DatumGetPointer(value);

	/* a toast pointer also has a header of one byte */
	if (VARATT_IS_SHORT(bytes) && !VARATT_IS_EXTERNAL(bytes))
	{
		Size size = VARSIZE_SHORT(bytes) - VARHDRSZ_SHORT;

		SET_VARSIZE(&wide, VARHDRSZ + size);
		memcpy(wide.bytes + VARHDRSZ, VARDATA_SHORT(bytes), size);
		bytes = (struct varlena *) &wide;
	}
	else
		bytes = PG_DETOAST_DATUM(value);
	retained_set(&state->retained, &numeric_type, PointerGetDatum(bytes), false, state->f->query);
	if ((Pointer) bytes != DatumGetPointer(value) && (char *) bytes != wide.bytes)
		pfree(bytes);
}

/* Keeps the newer value, unless the older one is beyond it.  The first value is kept as it is stored. */
static pg_attribute_always_inline void
transition_extreme(InlinedState *state, Datum value, int beyond)
{
	if (state->count == 0)
		retained_set(&state->retained, &numeric_type, value, false, state->f->query);
	else if (beyond * compare(state->retained.value, value) <= 0)
		keep_returned(state, value);
	else if (VARATT_IS_EXTENDED(DatumGetPointer(state->retained.value)))
		keep_returned(state, state->retained.value);
}

static void
transition_max_numeric(InlinedState *state, Datum value)
{
	transition_extreme(state, value, 1);
}

static void
transition_min_numeric(InlinedState *state, Datum value)
{
	transition_extreme(state, value, -1);
}

static Datum
final_extreme(InlinedState *state)
{
	return state->retained.value;
}

INLINED(, max_numeric, max_numeric, extreme, INLINED_BLOCK)
INLINED(, min_numeric, min_numeric, extreme, INLINED_BLOCK)
