/*
 * exact_pairs.c: pairs of more rows than a table can have, for exact_pairs.py: of each line, which is a
 * number k and numbers y, x, y, x ..., the six answers about 2^k times as many pairs: every other pair goes
 * into a state of its own, and what both make together is joined with itself k times.
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
		show(pairs_slope(&p, &y), &y, ',');
		show(pairs_intercept(&p, &y), &y, ',');
		show(pairs_correlation(&p, true, &y), &y, '\n');
		discard(&p);
		discard(&other);
	}
	return 0;
}
