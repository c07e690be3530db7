/*
 * products.c: multiplies the doubles of each line by op/wide_product.h, without signs, for products.py.
 *
 * Prints the bytes of the product, rounded, or "out of range"; a + behind it says that 128 bits did not prove it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "op/wide_product.h"

#define MOST 256

static double
with_more_limbs(const double *x, int n)
{
	for (int limbs = 4;; limbs *= 2)
	{
		static uint64_t limb[4096];
		LongProduct		product;
		double			y;

		long_product_start(&product, limb, limbs);
		for (int i = 0; i < n; i++)
			long_product_take(&product, x[i]);
		if (long_product_round(&product, &y))
			return y;
	}
}

int
main(void)
{
	char line[16384];

	while (fgets(line, sizeof(line), stdin) != NULL)
	{
		double		x[MOST], y, z;
		int			n = 0;
		char	   *at = line;
		WideProduct left = wide_product_one, right = wide_product_one, product;
		bool		proved;

		while (*at != '\n' && n < MOST)
		{
			x[n] = strtod(at, &at);
			n += isfinite(x[n]) && x[n] != 0.0;
		}
		for (int i = 0; i < n; i++)
		{
			WideProduct factor = wide_product_of(x[i]);

			if (i < n / 2)
				left = wide_product_multiply(&left, &factor);
			else
				right = wide_product_multiply(&factor, &right);
		}
		product = wide_product_multiply(&left, &right);
		proved = wide_product_round(&product, &y);
		z = with_more_limbs(x, n);
		if (!proved)
			y = z;
		if (y != z)
			printf("differs");
		if (y == 0.0 || isinf(y))
			printf("out of range%s\n", proved ? "" : "+");
		else
			printf("%016" PRIx64 "%s\n", double_bits(y), proved ? "" : "+");
	}
	return 0;
}
