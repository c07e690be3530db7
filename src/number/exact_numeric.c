/*
 * exact_numeric.c: see exact_numeric.h.
 *
 * A double m 2^e is m 5^-e 10^e where e is negative, which takes products of numerics only.  A numeric is rounded by
 * its decimal digits and strtod(), which rounds correctly.
 */
#include "postgres.h"

#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "number/exact_numeric.h"
#include "op/limbs.h"

Datum
numeric_literal(const char *text)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* Returns 10^power, for any power. */
static Datum
power_of_ten(int power)
{
	return numeric_literal(psprintf("1e%d", power));
}

/* By squaring: numeric_power would round. */
Datum
numeric_exact_power(int base, int power)
{
	Datum square = NumericGetDatum(int64_to_numeric(base));
	Datum result = NumericGetDatum(int64_to_numeric(1));

	for (; power > 0; power /= 2)
	{
		if (power % 2 == 1)
			result = DirectFunctionCall2(numeric_mul, result, square);
		if (power > 1)
			square = DirectFunctionCall2(numeric_mul, square, square);
	}
	return result;
}

Datum
numeric_of_limbs(const uint64 *limb, int n, int lsb)
{
	Datum total = numeric_literal("0");
	Datum base = numeric_exact_power(2, 64);

	for (int i = n - 1; i >= 0; i--)
		total = DirectFunctionCall2(numeric_add, DirectFunctionCall2(numeric_mul, total, base),
									numeric_literal(psprintf(UINT64_FORMAT, limb[i])));
	/* 2^-k is 5^k 10^-k */
	total = DirectFunctionCall2(numeric_mul, total, numeric_exact_power(5, -lsb));
	total = DirectFunctionCall2(numeric_mul, total, power_of_ten(lsb));
	return DirectFunctionCall1(numeric_trim_scale, total);
}

Datum
exact_numeric(double x)
{
	int		 place;
	bool	 negative;
	uint64_t mantissa = double_split(x, &place, &negative);
	Datum	 result;
	int		 power;

	if (mantissa == 0)
		return NumericGetDatum(int64_to_numeric(0));
	power = place - 1074;
	while ((mantissa & 1) == 0)
	{
		mantissa >>= 1;
		power++;
	}
	result = NumericGetDatum(int64_to_numeric(negative ? -(int64) mantissa : (int64) mantissa));
	if (power >= 0)
		return power == 0 ? result : DirectFunctionCall2(numeric_mul, result, numeric_exact_power(2, power));
	result = DirectFunctionCall2(numeric_mul, result, numeric_exact_power(5, -power));
	return DirectFunctionCall2(numeric_mul, result, power_of_ten(power));
}

double
nearest_double(Datum x)
{
	char  *text = DatumGetCString(DirectFunctionCall1(numeric_out, x));
	double y = strtod(text, NULL);

	pfree(text);
	return y + 0.0;
}

/* Digits that a quotient is cut to first, and those of the doubles and of the midpoints between them. */
#define FIRST_DIGITS 40
#define ALL_DIGITS 1080

/* Returns the number of digits before the point of a numeric other than 0, or less than 0 for zeros after the point. */
static int
decimal_exponent(Datum x)
{
	char *text = DatumGetCString(DirectFunctionCall1(numeric_out, x));
	char *digit = text + strspn(text, "-0.");
	char *point = strchr(text, '.');
	int	  exponent;

	if (point == NULL)
		point = text + strlen(text);
	exponent = digit < point ? (int) (point - digit) : 1 - (int) (digit - point);
	pfree(text);
	return exponent;
}

/*
 * Returns the magnitude of x / y cut to `digits` digits after the point, rounded to double: as it is cut, or with `up`
 * one unit of the last digit more.
 */
static double
cut_quotient(Datum x, Datum y, int digits, bool up)
{
	Datum quotient = DirectFunctionCall2(numeric_mul, x, power_of_ten(digits));

	quotient = DirectFunctionCall2(numeric_div_trunc, quotient, y);
	if (up)
		quotient = DirectFunctionCall2(numeric_add, quotient, NumericGetDatum(int64_to_numeric(1)));
	return nearest_double(DirectFunctionCall2(numeric_mul, quotient, power_of_ten(-digits)));
}

/*
 * The quotient lies between what is cut and one unit more.  If both round to the same double, so does the quotient.
 * Otherwise it is cut to more digits than a midpoint of two doubles has, so that a midpoint is the cut number itself,
 * or is on no side that matters: half a unit more decides.
 */
double
nearest_quotient(Datum x, Datum y)
{
	bool   negative = DatumGetBool(DirectFunctionCall2(numeric_lt, x, NumericGetDatum(int64_to_numeric(0))));
	Datum  above = DirectFunctionCall1(numeric_abs, x);
	int	   digits;
	double low;
	Datum  quotient, rest, unit;

	if (DatumGetBool(DirectFunctionCall2(numeric_eq, above, NumericGetDatum(int64_to_numeric(0)))))
		return 0.0;
	digits = FIRST_DIGITS - (decimal_exponent(above) - decimal_exponent(y));
	digits = Min(Max(digits, 0), ALL_DIGITS);
	low = cut_quotient(above, y, digits, false);
	if (low != cut_quotient(above, y, digits, true))
	{
		unit = power_of_ten(ALL_DIGITS);
		above = DirectFunctionCall2(numeric_mul, above, unit);
		quotient = DirectFunctionCall2(numeric_div_trunc, above, y);
		rest = DirectFunctionCall2(numeric_sub, above, DirectFunctionCall2(numeric_mul, quotient, y));
		quotient = DirectFunctionCall2(numeric_mul, quotient, NumericGetDatum(int64_to_numeric(10)));
		if (!DatumGetBool(DirectFunctionCall2(numeric_eq, rest, NumericGetDatum(int64_to_numeric(0)))))
			quotient = DirectFunctionCall2(numeric_add, quotient, NumericGetDatum(int64_to_numeric(1)));
		low = nearest_double(DirectFunctionCall2(numeric_mul, quotient, power_of_ten(-ALL_DIGITS - 1)));
	}
	return (negative ? -low : low) + 0.0;
}
