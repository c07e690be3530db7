/*
 * decimal_sum.c: a running sum of numerics, in 128-bit integers or by core.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "column/saved_state.h"
#include "number/core_state.h"
#include "number/decimal.h"

/* ---- beyond 128 bits ---- */

/*
 * Has core take a value in or out.  *isnull: core cannot take it out.  Detoasts the value here: core would leave its
 * copy in the current context, which may live over many rows.
 */
static Datum
call_core_with(PGFunction function, CoreState *core, Datum value, bool *isnull)
{
	Datum flat = PointerGetDatum(PG_DETOAST_DATUM(value));
	Datum state = core_state_call(core, function, flat, isnull);

	if (flat != value)
		pfree(DatumGetPointer(flat));
	return state;
}

static void
add_beyond(CoreState *core, Datum value)
{
	bool isnull;

	core->value = call_core_with(numeric_avg_accum, core, value, &isnull);
	core->any = true;
	core->taken++;
}

/* Makes core's state that of no values. */
static void
begin_core(DecimalSum *sum)
{
	if (sum->core == NULL)
	{
		sum->core = (CoreState *) MemoryContextAlloc(sum->memory, sizeof(CoreState));
		core_state_begin(sum->core, AllocSetContextCreate(sum->memory, "scan sum", ALLOCSET_SMALL_SIZES));
	}
	MemoryContextReset(sum->core->context.curaggcontext);
	core_state_clear(sum->core);
	sum->beyond = true;
}

/* Returns the NaN or infinity that the sum is, or DECIMAL_NUMBER.  Infinities of opposite sign make NaN. */
static DecimalSpecial
special_of(const DecimalSum *sum)
{
	uint8 flags = specials_flags(&sum->specials);

	return flags == 0				  ? DECIMAL_NUMBER
		   : flags == EXACT_PLUS_INF  ? DECIMAL_INFINITY
		   : flags == EXACT_MINUS_INF ? DECIMAL_MINUS_INFINITY
									  : DECIMAL_NAN;
}

/* Has core continue from the sum so far, with a value that does not fit. */
static void
hand_over(DecimalSum *sum, struct varlena *value)
{
	DecimalBuffer shown;

	begin_core(sum);
	/* core counts its values: without a value before this one there is no total */
	if (sum->count > 1)
		add_beyond(sum->core, decimal_show(&shown, &sum->total));
	if (special_of(sum) != DECIMAL_NUMBER)
		add_beyond(sum->core, decimal_show_special(&shown, special_of(sum)));
	add_beyond(sum->core, PointerGetDatum(value));
	sum->handed_over = true;
}

/* ---- the sum ---- */

void
decimal_sum_clear_moving(DecimalSum *sum)
{
	bool by_core = sum->handed_over;

	decimal_sum_clear(sum);
	if (by_core)
		begin_core(sum);
}

void
decimal_sum_add(DecimalSum *sum, Datum value)
{
	struct varlena *plain;
	DecimalParts	parts;
	int				scale = sum->total.scale;

	sum->count++;
	if (unlikely(sum->beyond))
	{
		add_beyond(sum->core, value);
		return;
	}
	plain = decimal_plain(value);
	decimal_read(&parts, plain);
	if (unlikely(parts.special != DECIMAL_NUMBER))
		specials_take(&sum->specials, decimal_special_value(parts.special), 1);
	else if (likely(decimal_add(&sum->total, &parts)))
		sum->scaled = parts.scale > scale ? 1 : sum->scaled + (parts.scale == scale);
	else
		hand_over(sum, plain);
	decimal_free_plain(plain, value);
}

bool
decimal_sum_remove(DecimalSum *sum, Datum value)
{
	struct varlena *plain;
	DecimalParts	parts;
	bool			done = true;

	if (unlikely(sum->handed_over))
		return false;
	sum->count--;
	if (unlikely(sum->beyond))
	{
		bool isnull;

		(void) call_core_with(numeric_accum_inv, sum->core, value, &isnull);
		return !isnull;
	}
	plain = decimal_plain(value);
	decimal_read(&parts, plain);
	if (unlikely(parts.special != DECIMAL_NUMBER))
		specials_take(&sum->specials, decimal_special_value(parts.special), -1);
	else
	{
		/* without a value of the largest scale the sum has a smaller one, which is not known */
		if (parts.scale == sum->total.scale && parts.scale > 0)
			done = --sum->scaled > 0;
		parts.negative = !parts.negative;
		done = done && decimal_add(&sum->total, &parts);
	}
	decimal_free_plain(plain, value);
	return done;
}

Datum
decimal_sum_show(DecimalSum *sum)
{
	bool isnull;

	if (unlikely(sum->beyond))
		return core_state_call(sum->core, numeric_sum, 0, &isnull);
	if (unlikely(!decimal_sum_is_decimal(sum)))
		return decimal_show_special(&sum->shown, special_of(sum));
	return decimal_show(&sum->shown, &sum->total);
}

/* Core's count leaves out special values, but if there are any, the average is itself special whatever the count. */
Datum
decimal_sum_average(DecimalSum *sum)
{
	if (likely(decimal_sum_is_decimal(sum)))
		return decimal_average(&sum->shown, &sum->total, sum->count);
	return DirectFunctionCall2(numeric_div, decimal_sum_show(sum), NumericGetDatum(int64_to_numeric(sum->count)));
}

/*
 * Of a sum that is a Decimal, core has not seen the values.  A transition value of the total and of as many zeros as
 * there are other values has the same count, sum and scale.
 */
Datum
decimal_sum_serialize(DecimalSum *sum)
{
	static const CoreFunctions functions = {numeric_avg_accum, numeric_avg_combine, numeric_avg_serialize};
	CoreState				   made, *core = sum->core;

	if (!sum->beyond)
	{
		core = &made;
		core_state_begin(core, CurrentMemoryContext);
		core_state_add_times(core, &functions, decimal_sum_show(sum), 1);
	}
	core_state_add_times(core, &functions, NumericGetDatum(int64_to_numeric(0)), sum->count - core->taken);
	return core_state_serialize(core, &functions);
}

/* ---- steps and messages ---- */

Datum
decimal_sum_step(DecimalSum *sum, bool head, bool exclusive, Datum value, bool *isnull)
{
	Datum before = 0;

	if (head)
		decimal_sum_clear(sum);
	if (exclusive)
		before = decimal_sum_show(sum);
	if (!*isnull)
		decimal_sum_add(sum, value);
	*isnull = !exclusive && sum->count == 0;
	return exclusive || *isnull ? before : decimal_sum_show(sum);
}

void
decimal_sum_carry(SavedState *saved, DecimalSum *sum)
{
	bool isnull;

	carry_bytes(saved, sum, offsetof(DecimalSum, memory));
	if (!sum->beyond)
		return;
	if (!saved->restores)
	{
		save_datum(&saved->bytes, decimal_sum_show(sum), false, false, -1);
		return;
	}
	begin_core(sum);
	add_beyond(sum->core, restore_datum(&saved->bytes, &isnull));
}
