/*
 * exact_pairs.c: pairs of more rows than a table can have, for exact_pairs.py: of each line, which is a number k and
 * numbers y, x, y, x ..., the six answers about 2^k times as many pairs: every other pair goes into a state of its own,
 * and what both make together is joined with itself k times.  Of a line that begins with / and has three whole numbers
 * x, a, b above 0 in hexadecimal: x / a, x / sqrt(a b) and x^2 / (a b).
 */
#include <stdio.h>
#include <stdlib.h>

#include "op/pairs.h"

static void *
resize(ScanMemory *memory, void *old, size_t size)
{
	(void) memory;
	return realloc(old, size);
}

static void
show(ScanStatus status, const double *y, char end)
{
	if (status == SCAN_NULL)
		printf("-%c", end);
	else if (status != SCAN_OK)
		printf("out of range%c", end);
	else
		printf("%016llx%c", (unsigned long long) double_bits(*y), end);
}

static void
discard(Pairs *p)
{
	free(p->x.sum.limb);
	free(p->x.squares.limb);
	free(p->y.sum.limb);
	free(p->y.squares.limb);
	free(p->products.limb);
}

/* Reads a whole number into the limbs. */
static char *
read_long(char *at, uint64_t *limb, Long *x)
{
	int digits;

	at += strspn(at, " ");
	digits = (int) strcspn(at, " \n");
	x->limb = limb;
	x->n = (digits + 15) / 16;
	x->lsb = 0;
	x->negative = false;
	memset(limb, 0, (size_t) x->n * sizeof(uint64_t));
	for (int i = 0; i < digits; i++)
	{
		int digit = at[digits - 1 - i];

		limb[i / 16] |= (uint64_t) (digit <= '9' ? digit - '0' : digit - 'a' + 10) << 4 * (i % 16);
	}
	return at + digits;
}

static void
quotients(char *at)
{
	uint64_t x_limb[PAIRS_LIMBS], a_limb[PAIRS_LIMBS], b_limb[PAIRS_LIMBS];
	Long	 x, a, b;
	double	 y;

	at = read_long(at, x_limb, &x);
	at = read_long(at, a_limb, &a);
	(void) read_long(at, b_limb, &b);
	y = long_ratio_round(&x, &a);
	show(SCAN_OK, &y, ',');
	y = long_ratio_root_round(&x, &a, &b, false);
	show(SCAN_OK, &y, ',');
	y = long_ratio_root_round(&x, &a, &b, true);
	show(SCAN_OK, &y, '\n');
}

int
main(void)
{
	ScanMemory memory = {resize, NULL};
	char	   line[8192];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		Pairs  p, other;
		char  *at;
		int	   doublings = (int) strtol(line, &at, 10);
		double y = 0.0;

		if (line[0] == '/')
		{
			quotients(line + 1);
			continue;
		}
		memset(&p, 0, sizeof(p));
		memset(&other, 0, sizeof(other));
		for (int i = 0; *at == ' '; i++)
		{
			double first = strtod(at, &at);

			pairs_take(i % 2 == 0 ? &p : &other, &memory, first, strtod(at, &at), PAIRS_X_SQUARES | PAIRS_Y_SQUARES,
					   false);
		}
		pairs_join(&p, &memory, &other);
		for (int i = 0; i < doublings; i++)
			pairs_join(&p, &memory, &p);
		show(pairs_covariance(&p, false, &y), &y, ',');
		show(pairs_covariance(&p, true, &y), &y, ',');
		show(pairs_correlation(&p, false, &y), &y, ',');
		show(pairs_line(&p, false, &y), &y, ',');
		show(pairs_line(&p, true, &y), &y, ',');
		show(pairs_correlation(&p, true, &y), &y, ',');
		show(pairs_weighted_average(&p, &y), &y, '\n');
		discard(&p);
		discard(&other);
	}
	return 0;
}
