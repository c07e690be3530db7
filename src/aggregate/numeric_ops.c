/*
 * numeric_ops.c: the operations of sum, avg, min and max of numerics.
 *
 * number/decimal_sum.c computes the sums and averages.  The extremes compare the stored digits.  The value that is kept
 * has the header that core's value would have: one byte or four.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "aggregate/internal.h"
#include "aggregate/typed_loop.h"
#include "column/memory.h"
#include "column/saved_state.h"
#include "compat.h"
#include "number/decimal.h"

/* ---- sums and averages: the state is a DecimalSum ---- */

static void
sum_start(Aggregate *aggregate)
{
	((DecimalSum *) aggregate->f.state)->memory = aggregate->f.query;
}

static void
numeric_sum_reset(Aggregate *aggregate)
{
	if (aggregate->f.needs & NEEDS_BOUNDS)
		decimal_sum_clear_moving((DecimalSum *) aggregate->f.state);
	else
		decimal_sum_clear((DecimalSum *) aggregate->f.state);
}

static void
numeric_sum_add(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (aggregate_value(aggregate, block, i, &value))
			decimal_sum_add((DecimalSum *) aggregate->f.state, value);
	}
}

static bool
numeric_sum_remove(Aggregate *aggregate, const Block *block, int64 from, int64 end)
{
	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (aggregate_value(aggregate, block, i, &value) &&
			!decimal_sum_remove((DecimalSum *) aggregate->f.state, value))
			return false;
	}
	return true;
}

/* Core raises an error if a sum is out of range. */
static bool
numeric_sum_is_safe(const Aggregate *aggregate)
{
	return !((const DecimalSum *) aggregate->f.state)->beyond;
}

/* ---- frames that only grow: the typed loop, while the sum is a Decimal ---- */

StaticAssertDecl(offsetof(DecimalSum, count) == offsetof(NumberState, count) &&
					 offsetof(DecimalSum, total) == offsetof(NumberState, total),
				 "the typed loop takes a DecimalSum for a NumberState");

static inline bool
try_numeric(NumberState *state, Datum value)
{
	struct varlena *bytes = (struct varlena *) DatumGetPointer(value);
	DecimalParts	parts;

	if (unlikely(VARATT_IS_EXTERNAL(bytes) || VARATT_IS_COMPRESSED(bytes)))
		return false;
	decimal_read(&parts, bytes);
	return parts.special == DECIMAL_NUMBER && decimal_add(&state->total.decimal, &parts);
}

static inline void
copy_numeric(NumberState *to, const NumberState *from)
{
	to->count = from->count;
	to->total.decimal = from->total.decimal;
}

static inline Datum
put_numeric_sum(ResultColumn *result, NumberState *state)
{
	return arena_keep(&result->arena,
					  decimal_store(arena_reserve(&result->arena, result->pool, DECIMAL_MOST), &state->total.decimal));
}

static inline Datum
put_numeric_average(ResultColumn *result, NumberState *state)
{
	Size size = decimal_store_average(arena_reserve(&result->arena, result->pool, DECIMAL_MOST), &state->total.decimal,
									  state->count);

	return size > 0 ? arena_keep(&result->arena, size)
					: result_lay_down(result, decimal_sum_average((DecimalSum *) state), false);
}

#define RUNNING_SUM(NAME, PUT)                                                                               \
	static int64 running_##NAME##_numeric(RowFunction *f, const Block *block, int64 done)                    \
	{                                                                                                        \
		if (!decimal_sum_is_decimal((const DecimalSum *) f->state))                                          \
			return running_rows(f, block, done);                                                             \
		return typed_rows(aggregate_of(f), block, done, try_numeric, copy_numeric, PUT, 0, COLUMN_REFERENCE, \
						  COLUMN_REFERENCE);                                                                 \
	}

RUNNING_SUM(sum, put_numeric_sum)
RUNNING_SUM(avg, put_numeric_average)

/* ---- the operations ---- */

static void
numeric_sum_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	decimal_sum_carry(saved, (DecimalSum *) f->state);
}

#define SUM_OP(NAME, SHOW)                                                         \
	static ScanStatus final_##NAME(Aggregate *aggregate, Datum *value)             \
	{                                                                              \
		DecimalSum *sum = (DecimalSum *) aggregate->f.state;                       \
                                                                                   \
		if (sum->count == 0)                                                       \
			return SCAN_NULL;                                                      \
		*value = SHOW(sum);                                                        \
		return SCAN_OK;                                                            \
	}                                                                              \
	const AggregateOp aggregate_op_##NAME = {.method = "decimals",                 \
											 .traits = AGGREGATE_MAY_FAIL,         \
											 .state_size = sizeof(DecimalSum),     \
											 .start = sum_start,                   \
											 .empty = numeric_sum_reset,           \
											 .add = numeric_sum_add,               \
											 .remove = numeric_sum_remove,         \
											 .final = final_##NAME,                \
											 .final_is_safe = numeric_sum_is_safe, \
											 .carry = numeric_sum_carry,           \
											 .running = running_##NAME,            \
											 .sliding = add_remove_rows};

SUM_OP(sum_numeric, decimal_sum_show)
SUM_OP(avg_numeric, decimal_sum_average)

/* ---- extremes: the state is a RetainedDatum ---- */

static int
compare_numerics(Datum a, Datum b)
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
keep_returned(Aggregate *aggregate, Datum value)
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
	retained_set((RetainedDatum *) aggregate->f.state, &numeric_type, PointerGetDatum(bytes), false,
				 aggregate->f.query);
	if ((Pointer) bytes != DatumGetPointer(value) && (char *) bytes != wide.bytes)
		pfree(bytes);
}

/* Keeps the newer value, unless the older one is beyond it.  The first value is kept as it is stored. */
static pg_attribute_always_inline void
extreme_add(Aggregate *aggregate, const Block *block, int64 from, int64 end, int beyond)
{
	RetainedDatum *retained = (RetainedDatum *) aggregate->f.state;

	FOR_INTERRUPTIBLE (i, from, end)
	{
		Datum value;

		if (!aggregate_value(aggregate, block, i, &value))
			continue;
		if (!retained->present)
			retained_set(retained, &numeric_type, value, false, aggregate->f.query);
		else if (beyond * compare_numerics(retained->value, value) <= 0)
			keep_returned(aggregate, value);
		else if (VARATT_IS_EXTENDED(DatumGetPointer(retained->value)))
			keep_returned(aggregate, retained->value);
	}
}

static void
extreme_empty(Aggregate *aggregate)
{
	retained_clear((RetainedDatum *) aggregate->f.state);
}

static ScanStatus
extreme_final(Aggregate *aggregate, Datum *value)
{
	const RetainedDatum *retained = (const RetainedDatum *) aggregate->f.state;

	*value = retained->value;
	return retained->present ? SCAN_OK : SCAN_NULL;
}

static void
extreme_carry(RowFunction *f, const Block *block, SavedState *saved)
{
	carry_retained(saved, (RetainedDatum *) f->state, &numeric_type, f->query);
}

#define EXTREME_OP(NAME, BEYOND)                                                            \
	static void add_##NAME(Aggregate *aggregate, const Block *block, int64 from, int64 end) \
	{                                                                                       \
		extreme_add(aggregate, block, from, end, BEYOND);                                   \
	}                                                                                       \
	const AggregateOp aggregate_op_##NAME = {.state_size = sizeof(RetainedDatum),           \
											 .empty = extreme_empty,                        \
											 .add = add_##NAME,                             \
											 .final = extreme_final,                        \
											 .carry = extreme_carry,                        \
											 .running = running_rows};

EXTREME_OP(max_numeric, 1)
EXTREME_OP(min_numeric, -1)
