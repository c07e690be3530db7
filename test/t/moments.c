/*
 * moments.c: sums of more rows than a table can have, for exact.py: of each line, which is a number k and some values,
 * the six answers about 2^k times as many: every other value goes into a state of its own, and what both make together
 * is joined with itself k times.
 */
#include <stdio.h>
#include <stdlib.h>

#include "op/moments.h"

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

int
main(void)
{
	ScanMemory memory = {resize, NULL};
	char	   line[4096];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		Moments m, other;
		char   *at;
		int		doublings = (int) strtol(line, &at, 10);
		double	y = 0.0;

		memset(&m, 0, sizeof(m));
		memset(&other, 0, sizeof(other));
		for (int i = 0; *at == ' '; i++)
			moments_take(i % 2 == 0 ? &m : &other, &memory, strtod(at, &at), true, false);
		moments_join(&m, &memory, &other);
		for (int i = 0; i < doublings; i++)
			moments_join(&m, &memory, &m);
		show(moments_sum_float8(&m, &y), &y, ',');
		show(moments_average(&m, &y), &y, ',');
		for (int root = 0; root < 2; root++)
			for (int sample = 0; sample < 2; sample++)
				show(moments_variance(&m, sample, root, &y), &y, root && sample ? '\n' : ',');
		free(m.sum.limb);
		free(m.squares.limb);
		free(other.sum.limb);
		free(other.squares.limb);
	}
	return 0;
}
