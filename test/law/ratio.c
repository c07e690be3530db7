/*
 * ratio.c: quotients of long numbers (op/ratio.h).
 *
 * A division is right if the quotient times the divisor, plus the remainder, is the dividend, and the remainder is less
 * than the divisor.  The product is computed in digits of 32 bits, as at school.  Some limbs are drawn from the ends of
 * their range: for random limbs, a guess of limbs_divide_long() is nearly never too large.  A quotient that is an
 * integer of 64 bits is rounded as C does it.
 *
 *   ratio [LABEL [few]]
 */
#include <string.h>

#include "law.h"
#include "op/ratio.h"

#define MOST 6							  /* limbs of a divisor */
#define DIGITS (2 * (MOST + RATIO_LIMBS)) /* digits of a dividend */

static uint64_t
draw_limb(void)
{
	static const uint64_t ends[] = {
		0, 1, UINT64_MAX, UINT64_MAX - 1, UINT64_C(1) << 63, (UINT64_C(1) << 63) + 1, (UINT64_C(1) << 63) - 1};
	uint64_t r = law_random() >> 33;

	return r % 4 == 0 ? law_random() : ends[r / 4 % 7];
}

static void
to_digits(const uint64_t *limb, int n, uint32_t *digit)
{
	memset(digit, 0, DIGITS * sizeof(uint32_t));
	for (int i = 0; i < n; i++)
	{
		digit[2 * i] = (uint32_t) limb[i];
		digit[2 * i + 1] = (uint32_t) (limb[i] >> 32);
	}
}

/* sum := a b + c, modulo 2^(32 DIGITS) */
static void
multiply_and_add(const uint32_t *a, const uint32_t *b, const uint32_t *c, uint32_t *sum)
{
	memcpy(sum, c, DIGITS * sizeof(uint32_t));
	for (int i = 0; i < DIGITS; i++)
	{
		uint64_t carry = 0;

		for (int j = 0; i + j < DIGITS; j++)
		{
			uint64_t total = (uint64_t) a[i] * b[j] + sum[i + j] + carry;

			sum[i + j] = (uint32_t) total;
			carry = total >> 32;
		}
	}
}

static bool
is_less(const uint64_t *a, const uint64_t *b, int n)
{
	int i = n - 1;

	while (i > 0 && a[i] == b[i])
		i--;
	return a[i] < b[i];
}

static bool
division_holds(void)
{
	int		 n = 2 + (int) (law_random() >> 33) % (MOST - 1);
	uint64_t v[MOST], u[MOST + RATIO_LIMBS], quotient[RATIO_LIMBS];
	uint32_t x[DIGITS], divisor[DIGITS], factor[DIGITS], rest[DIGITS], sum[DIGITS];

	for (int i = 0; i < n; i++)
		v[i] = draw_limb();
	v[n - 1] |= UINT64_C(1) << 63;
	for (int i = 0; i < n + RATIO_LIMBS - 1; i++)
		u[i] = draw_limb();
	u[n + RATIO_LIMBS - 1] = 0;
	to_digits(u, n + RATIO_LIMBS, x);
	to_digits(v, n, divisor);
	limbs_divide_long(u, v, n, quotient);
	to_digits(quotient, RATIO_LIMBS, factor);
	to_digits(u, n, rest);
	multiply_and_add(divisor, factor, rest, sum);
	return is_less(u, v, n) && limbs_are_zero(u + n, RATIO_LIMBS) && memcmp(sum, x, sizeof(x)) == 0;
}

/* (m d + more) / d = m + more / d, where 0 <= more < d: by the highest bits, if they prove it, and by all. */
static bool
quotient_holds(void)
{
	uint64_t m = law_random() | UINT64_C(1) << 63, above_limb[MOST + 2] = {0}, limb[MOST];
	int		 n = 1 + (int) (law_random() >> 33) % MOST;
	bool	 more = law_random() >> 63 != 0, negative = law_random() >> 63 != 0;
	Long	 divisor = {limb, n, 0, false}, above = {above_limb, n + 2, 0, false};
	double	 expected, y;

	if (law_random() >> 63 != 0)
		m = (m & ~UINT64_C(0x7ff)) | UINT64_C(0x400); /* half way between two doubles */
	for (int i = 0; i < n; i++)
		limb[i] = draw_limb();
	limb[n - 1] |= 2;
	long_add_product(above_limb, n + 2, limb, n, m, 0, 0, false);
	if (more)
		limbs_add_at(above_limb, n + 2, 0, 1, false);
	long_settle(&above);
	above.negative = negative;
	expected = more && (m & 0x7ff) == 0x400 ? (double) (m + 1) : (double) m;
	if (negative)
		expected = -expected;
	if (long_ratio_certify(&above, &divisor, &y) && y != expected)
		return false;
	return long_ratio_divide(&above, &divisor, false) == expected && long_ratio_round(&above, &divisor) == expected;
}

int
main(int argc, char **argv)
{
	const char *label = argc > 1 ? argv[1] : "cc";
	int			rounds = argc > 2 ? 20000 : 200000;
	bool		divisions = true, quotients = true;
	char		text[100];

	for (int i = 0; i < rounds; i++)
	{
		divisions = division_holds() && divisions;
		quotients = quotient_holds() && quotients;
	}
	snprintf(text, sizeof(text), "divisions of long numbers (%s)", label);
	law_report(divisions, text);
	snprintf(text, sizeof(text), "quotients of long numbers, rounded once (%s)", label);
	law_report(quotients, text);
	return law_failures != 0;
}
