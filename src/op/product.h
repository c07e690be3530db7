/*
 * product.h: the running product of doubles, exact inside chunks of 4096 rows.
 *
 * Called by the binding product_float8 of in_sequence.h.  The definition is that of recurrence.h with b = 0.  Inside a
 * chunk the product is a real number, rounded once for every result.  A chunk hands the next one the product rounded to
 * 53 bits, with an unbounded exponent, so a prefix may leave the range of doubles and come back.  A result that rounds
 * to zero is +0.  From the first factor on that is not finite, the results are multiplied as plain doubles.
 *
 * It is computed as a recurrence of the factors times powers of two, which are chosen so that the recurrence's values
 * stay near 1, far from both ends of the doubles.  The product is the recurrence's value times 2^power.  If the product
 * is a normal number, its 53 bits are the recurrence's result.  A subnormal has fewer bits, and is rounded from the
 * recurrence's pair or its exact number instead.
 */
#ifndef SCAN_OP_PRODUCT_H
#define SCAN_OP_PRODUCT_H

#include "op/recurrence.h"

typedef struct Product
{
	double	   y; /* the last result; 1 before the first row */
	Recurrence r;
	int64_t	   power;
	bool	   zero;	/* true once a factor was 0 */
	bool	   special; /* true once a factor was not finite */
	/* The recurrence has taken the last row, whose subnormal result waits for memory in r.exact. */
	bool applied;
} Product;

/* Starts a new segment; memory is kept. */
SCAN_FN void
product_start(Product *p)
{
	const double one = 1.0;

	p->y = 1.0;
	p->power = 0;
	p->zero = p->special = p->applied = false;
	recurrence_start(&p->r, 1, &one);
}

/*
 * *y := a product below 2^-1021, rounded to a double.  False if that needs the exact number, and
 * the exact number needs memory or more time.
 */
SCAN_FN_COLD bool
product_subnormal(Product *p, double *y)
{
	Recurrence	  *r = &p->r;
	int			   power = (int) p->power;
	int			   scale = r->tier == RECURRENCE_SCALED ? power : power + 800;
	RecurrencePair scaled = {ldexp(r->pair[0].h, scale), ldexp(r->pair[0].l, scale), 0.0};
	Long		   number;

	/* a bound that underflows must not become 0 */
	if (r->pair[0].bound != 0.0)
		scaled.bound = ldexp(r->pair[0].bound, scale) + 0x1p-1074;
	if (recurrence_certify_scaled(&scaled, y))
		return true;
	r->pending = p->applied = !recurrence_exact(r);
	if (r->pending)
		return false;
	number = r->exact.number[0];
	number.lsb += power;
	*y = long_round(&number, 53, -1074);
	return true;
}

/*
 * Takes one factor.  SCAN_OK: p->y is the result.  SCAN_FLOAT_OVERFLOW: the result is beyond the doubles; a later
 * factor may bring it back.  SCAN_NEEDS_ROOM: as in recurrence_step.
 */
SCAN_FN ScanStatus
product_step(Product *p, double x)
{
	double y = 0.0;

	p->special = p->special || !isfinite(x);
	if (p->special)
	{
		p->y = canonical_nan(p->y * x);
		return SCAN_OK;
	}
	p->zero = p->zero || x == 0.0;
	if (!p->zero && !p->applied)
	{
		int	   power;
		double factor = frexp(x, &power);

		if (fabs(p->r.y[0] * factor) < 1.0)
		{
			factor *= 2;
			power--;
		}
		if (recurrence_step(&p->r, &factor, 0.0) != SCAN_OK)
			return SCAN_NEEDS_ROOM;
		p->power += power;
	}
	if (!p->zero && p->power >= -1021)
		y = ldexp(p->r.y[0], p->power < 2000 ? (int) p->power : 2000);
	else if (!p->zero && p->power >= -1080 && !product_subnormal(p, &y))
		return SCAN_NEEDS_ROOM;
	p->y = y + 0.0;
	return isinf(y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

#endif /* SCAN_OP_PRODUCT_H */
