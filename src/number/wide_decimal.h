/*
 * wide_decimal.h: a numeric that is added to and compared: a Decimal as long as that fits, then core's numeric.
 *
 * scan_bin, scan_counter and scan_cost keep their totals in it.  A number is a 128-bit integer (decimal.h) as long as
 * it and the values that are added fit.  From the first value that does not fit on, core's functions compute it.  A
 * user cannot tell where that happened: a numeric shows only its value and its display scale, the largest one of all
 * values.
 *
 * Sums have a type of their own (decimal_sum.c): beyond 128 bits they use core's transition function, which adds faster
 * than numeric_add.  These functions look at their total at each row, and so numeric_add is faster for them.
 */
#ifndef SCAN_NUMBER_WIDE_DECIMAL_H
#define SCAN_NUMBER_WIDE_DECIMAL_H

#include "postgres.h"

#include "column/memory.h"
#include "column/saved_state.h"
#include "number/decimal.h"

/* Zero bytes, but for `memory`, are 0. */
typedef struct WideDecimal
{
	Decimal		  decimal;
	bool		  beyond; /* `numeric` has the number, which may be NaN or infinite */
	RetainedDatum numeric;
	MemoryContext memory; /* context for `numeric`, set by the owner; must live as long as this struct */
	DecimalBuffer shown;  /* memory of the last numeric */
} WideDecimal;

/* Sets the number to 0, displayed with `scale` decimals. */
static inline void
wide_decimal_clear(WideDecimal *number, int scale)
{
	number->decimal = (Decimal){.scale = scale};
	number->beyond = false;
}

extern void wide_decimal_set(WideDecimal *number, Datum value);

/* Add a value to the number, as numeric_add does. */
extern void wide_decimal_add(WideDecimal *number, Datum value);
extern void wide_decimal_add_decimal(WideDecimal *number, const Decimal *value);

/* Returns the numeric, which lives until the number changes or is returned again. */
extern Datum wide_decimal_numeric(WideDecimal *number);

/* Returns less than, equal to or greater than 0, as numeric_cmp does. */
extern int wide_decimal_compare(WideDecimal *a, WideDecimal *b);

/* Saves the number as bytes, or restores it into one whose `memory` is set (saved_state.h). */
extern void wide_decimal_carry(SavedState *saved, WideDecimal *number);

#endif /* SCAN_NUMBER_WIDE_DECIMAL_H */
