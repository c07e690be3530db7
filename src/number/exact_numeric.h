/*
 * exact_numeric.h: doubles as numerics without a rounding, and numerics rounded once to doubles.
 *
 * Used by functions whose `at` is numeric, because no double holds its steps, and for the text of a scan_total.  The
 * casts of core do not serve: from double to numeric they keep 15 digits, and from numeric to double they raise an
 * error where a small number rounds to 0.
 */
#ifndef SCAN_NUMBER_EXACT_NUMERIC_H
#define SCAN_NUMBER_EXACT_NUMERIC_H

#include "postgres.h"

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
