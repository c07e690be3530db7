/*
 * exact_numeric.h: arithmetic of core on numerics, doubles as numerics without a rounding, and numerics rounded once to
 * doubles.
 *
 * Used by functions whose `at` is numeric, because no double holds its steps, and for the text of a scan_total.  The
 * casts of core do not serve: from double to numeric they keep 15 digits, and from numeric to double they raise an
 * error where a small number rounds to 0.
 */
#ifndef SCAN_NUMBER_EXACT_NUMERIC_H
#define SCAN_NUMBER_EXACT_NUMERIC_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

/* True if a numeric is neither NaN nor infinite. */
static inline bool
numeric_is_finite(Datum x)
{
	return !numeric_is_nan(DatumGetNumeric(x)) && !numeric_is_inf(DatumGetNumeric(x));
}

static inline bool
numeric_is_less(Datum a, Datum b)
{
	return DatumGetBool(DirectFunctionCall2(numeric_lt, a, b));
}

static inline Datum
numeric_plus(Datum a, Datum b)
{
	return DirectFunctionCall2(numeric_add, a, b);
}

static inline Datum
numeric_times(Datum a, Datum b)
{
	return DirectFunctionCall2(numeric_mul, a, b);
}

/* Returns the numeric that a text of core's is. */
extern Datum numeric_literal(const char *text);

/* Returns base^power, all its digits; power >= 0. */
extern Datum numeric_exact_power(int base, int power);

/* Returns a finite double, all its digits, in the current context. */
extern Datum exact_numeric(double x);

/* Returns limbs, lowest first, times 2^lsb, for lsb <= 0: all digits. */
extern Datum numeric_of_limbs(const uint64 *limb, int n, int lsb);

/* Returns the double nearest to a finite numeric; an infinity beyond the largest double.  A zero is +0. */
extern double nearest_double(Datum x);

/* Returns the double nearest to x / y, for finite numerics and y > 0. */
extern double nearest_quotient(Datum x, Datum y);

#endif /* SCAN_NUMBER_EXACT_NUMERIC_H */
