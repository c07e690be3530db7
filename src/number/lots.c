/*
 * lots.c: see lots.h.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "column/stretch.h"
#include "compat.h"
#include "number/decimal.h"
#include "number/lots.h"

#define AMOUNT_WIDE (-1)
#define AMOUNT_SCALE_MAX 1000 /* a product of such amounts has a scale that numeric allows */

/* ---- amounts ---- */

static inline bool
amount_is_wide(const Amount *amount)
{
	return amount->places == AMOUNT_WIDE;
}

/* Reads a numeric; a wide amount gets a copy of it in `memory`. */
static void
amount_read(Amount *amount, Datum value, MemoryContext memory)
{
	struct varlena *plain = decimal_plain(value);
	DecimalParts	parts;
	Decimal			decimal = {0, 0, 0};

	decimal_read(&parts, plain);
	if (likely(decimal_add(&decimal, &parts) && decimal.scale <= AMOUNT_SCALE_MAX &&
			   decimal.units == (int64) decimal.units))
	{
		amount->units = (int64) decimal.units;
		amount->places = (int16) decimal.places;
		amount->scale = (int16) decimal.scale;
	}
	else
	{
		Size size = VARSIZE_ANY(plain);

		amount->wide = PointerGetDatum(MemoryContextAlloc(memory, size));
		memcpy(DatumGetPointer(amount->wide), plain, size);
		amount->places = AMOUNT_WIDE;
	}
	decimal_free_plain(plain, value);
}

/* Returns an amount as a numeric: its own if it is wide, else one in the current context. */
static Datum
amount_numeric(const Amount *amount)
{
	Decimal decimal;

	if (amount_is_wide(amount))
		return amount->wide;
	decimal = (Decimal){amount->units, amount->places, amount->scale};
	return decimal_show((DecimalBuffer *) palloc(sizeof(DecimalBuffer)), &decimal);
}

static void
amount_free(Amount *amount)
{
	if (amount_is_wide(amount))
		pfree(DatumGetPointer(amount->wide));
}

/* Gives an amount that is not wide more places; returns false if its units would not fit. */
static bool
amount_raise(Amount *amount, int places)
{
	int64 units = amount->units;

	if (places <= amount->places)
		return true;
	for (int p = amount->places; p < places; p++)
		if (__builtin_mul_overflow(units, INT64CONST(10000), &units))
			return false;
	amount->units = units;
	amount->places = (int16) places;
	return true;
}

/* ---- the lots ---- */

static inline Lot *
lots_entry(const Lots *lots, int64 i)
{
	return (Lot *) deque_entry(&lots->lot, i, sizeof(Lot));
}

void
lots_clear(Lots *lots)
{
	if (lots->any_wide)
		FOR_INTERRUPTIBLE (i, 0, lots->lot.n)
		{
			amount_free(&lots_entry(lots, i)->quantity);
			amount_free(&lots_entry(lots, i)->price);
		}
	lots->lot.first = lots->lot.n = 0;
	lots->any_wide = false;
}

void
lots_put(Lots *lots, Datum quantity, Datum price)
{
	Lot *lot = (Lot *) deque_append(&lots->lot, sizeof(Lot));

	amount_read(&lot->quantity, quantity, lots->lot.memory);
	amount_read(&lot->price, price, lots->lot.memory);
	lots->any_wide |= amount_is_wide(&lot->quantity) || amount_is_wide(&lot->price);
}

/* Removes the lot that was the next one to be taken, all of which is gone. */
static void
lots_remove(Lots *lots, Lot *lot, bool newest)
{
	amount_free(&lot->quantity);
	amount_free(&lot->price);
	if (newest)
		deque_remove_last(&lots->lot);
	else
		deque_remove_first(&lots->lot);
}

/* ---- what goes out ---- */

/* Adds what a quantity has cost: the product of two amounts that are not wide. */
static void
cost_sum_add(Lots *lots, const Amount *quantity, const Amount *price)
{
	Decimal product = {.units = (int128) quantity->units * price->units,
					   .places = quantity->places + price->places,
					   .scale = quantity->scale + price->scale};

	wide_decimal_add_decimal(&lots->cost, &product);
}

/*
 * Takes from a lot as much of `wanted` as it has.  Returns false, with nothing changed but places, if that needs core's
 * functions.  *gone: the lot is used up.
 */
static inline bool
take_fast(Lots *lots, Lot *lot, Amount *wanted, bool *gone)
{
	Amount *quantity = &lot->quantity;
	int		scale;

	if (unlikely(amount_is_wide(quantity) || amount_is_wide(wanted) || amount_is_wide(&lot->price)))
		return false;
	if (unlikely(quantity->places != wanted->places) &&
		(!amount_raise(quantity, wanted->places) || !amount_raise(wanted, quantity->places)))
		return false;
	scale = Max(quantity->scale, wanted->scale);
	*gone = quantity->units <= wanted->units;
	cost_sum_add(lots, *gone ? quantity : wanted, &lot->price);
	if (*gone)
	{
		wanted->units -= quantity->units;
		wanted->scale = (int16) scale;
	}
	else
	{
		quantity->units -= wanted->units;
		quantity->scale = (int16) scale;
		wanted->units = 0;
	}
	return true;
}

/* Stores what is left of a quantity: `from` less `other`. */
static void
amount_subtract(Amount *amount, Datum from, Datum other, MemoryContext memory)
{
	Datum left = DirectFunctionCall2(numeric_sub, from, other);

	amount_free(amount);
	amount_read(amount, left, memory);
	pfree(DatumGetPointer(left));
}

/* The same by core's functions.  `wanted` may own a numeric in the current context. */
static bool
take_wide(Lots *lots, Lot *lot, Amount *wanted)
{
	Datum quantity = amount_numeric(&lot->quantity);
	Datum want = amount_numeric(wanted);
	Datum price = amount_numeric(&lot->price);
	bool  gone = DatumGetBool(DirectFunctionCall2(numeric_le, quantity, want));
	Datum product = DirectFunctionCall2(numeric_mul, gone ? quantity : want, price);

	wide_decimal_add(&lots->cost, product);
	pfree(DatumGetPointer(product));
	if (gone)
		amount_subtract(wanted, want, quantity, CurrentMemoryContext);
	else
	{
		amount_subtract(&lot->quantity, quantity, want, lots->lot.memory);
		lots->any_wide |= amount_is_wide(&lot->quantity);
		amount_free(wanted);
		*wanted = (Amount){{0}};
	}
	return gone;
}

static inline bool
amount_is_zero(const Amount *amount)
{
	/* A wide amount may be 0: 0 with a scale that is too large for `units`, such as 0.000...0, is wide. */
	return amount_is_wide(amount)
			   ? DatumGetBool(DirectFunctionCall2(numeric_eq, amount->wide, NumericGetDatum(int64_to_numeric(0))))
			   : amount->units == 0;
}

bool
lots_take(Lots *lots, Datum quantity, bool newest, Datum *cost, Datum *missing)
{
	Amount wanted;

	lots->cost.memory = lots->lot.memory;
	wide_decimal_clear(&lots->cost, 0);
	amount_read(&wanted, quantity, CurrentMemoryContext);
	while (lots->lot.n > 0 && !amount_is_zero(&wanted))
	{
		Lot *lot = lots_entry(lots, newest ? lots->lot.n - 1 : 0);
		bool gone;

		CHECK_FOR_INTERRUPTS();
		if (unlikely(!take_fast(lots, lot, &wanted, &gone)))
			gone = take_wide(lots, lot, &wanted);
		if (gone)
			lots_remove(lots, lot, newest);
	}
	*cost = wide_decimal_numeric(&lots->cost);
	*missing = amount_numeric(&wanted);
	return amount_is_zero(&wanted);
}
