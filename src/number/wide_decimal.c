/*
 * wide_decimal.c: see wide_decimal.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "column/saved_state.h"
#include "number/wide_decimal.h"

static void
set_beyond(WideDecimal *number, Datum value)
{
	retained_set(&number->numeric, &numeric_type, value, false, number->memory);
	number->beyond = true;
}

/* Adds a value to a Decimal.  Returns false, with the Decimal's value unchanged, if that needs core. */
static inline bool
add_plain(Decimal *decimal, const struct varlena *value)
{
	DecimalParts parts;

	decimal_read(&parts, value);
	return likely(parts.special == DECIMAL_NUMBER) && decimal_add(decimal, &parts);
}

void
wide_decimal_set(WideDecimal *number, Datum value)
{
	struct varlena *plain = decimal_plain(value);

	wide_decimal_clear(number, 0);
	if (unlikely(!add_plain(&number->decimal, plain)))
		set_beyond(number, PointerGetDatum(plain));
	decimal_free_plain(plain, value);
}

static void
wide_add_beyond(WideDecimal *number, Datum value)
{
	Datum sum = DirectFunctionCall2(numeric_add, wide_decimal_numeric(number), value);

	set_beyond(number, sum);
	pfree(DatumGetPointer(sum));
}

void
wide_decimal_add(WideDecimal *number, Datum value)
{
	struct varlena *plain = decimal_plain(value);

	if (unlikely(number->beyond || !add_plain(&number->decimal, plain)))
		wide_add_beyond(number, PointerGetDatum(plain));
	decimal_free_plain(plain, value);
}

void
wide_decimal_add_decimal(WideDecimal *number, const Decimal *value)
{
	DecimalBuffer shown;

	if (unlikely(number->beyond || !decimal_add_decimal(&number->decimal, value)))
		wide_add_beyond(number, decimal_show(&shown, value));
}

Datum
wide_decimal_numeric(WideDecimal *number)
{
	return unlikely(number->beyond) ? number->numeric.value : decimal_show(&number->shown, &number->decimal);
}

int
wide_decimal_compare(WideDecimal *a, WideDecimal *b)
{
	if (likely(!a->beyond && !b->beyond && decimal_align(&a->decimal, &b->decimal)))
		return (a->decimal.units > b->decimal.units) - (a->decimal.units < b->decimal.units);
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, wide_decimal_numeric(a), wide_decimal_numeric(b)));
}

void
wide_decimal_carry(SavedState *saved, WideDecimal *number)
{
	carry_bytes(saved, &number->decimal, sizeof(number->decimal));
	carry_bytes(saved, &number->beyond, sizeof(number->beyond));
	carry_retained(saved, &number->numeric, &numeric_type, number->memory);
}
