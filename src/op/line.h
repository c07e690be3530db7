/*
 * line.h: a point on the line through two points, rounded once.
 *
 * Called by scan_interpolate.  The point at a distance a after the first value v and b before the second one w is (v b
 * + w a) / (a + b).  It lies between v and w, so it never overflows, although the products may.
 *
 * Two tiers.  line_fast computes the quotient as a pair of doubles with a bound on its error, and exact_certify proves
 * the rounding: nearly always.  line_exact divides long numbers bit by bit.  It is taken if a product leaves the range
 * in which its error is a double, or if the quotient is too near the middle between two doubles.
 */
#ifndef SCAN_OP_LINE_H
#define SCAN_OP_LINE_H

#include "op/dot.h"
#include "op/quotient.h"
#include "op/step.h"

/* True if a product of a value and a width has room for all terms that line_fast computes from it. */
SCAN_FN bool
line_has_room(double product, double value, double width)
{
	return (fabs(product) > 0x1p-900 && fabs(product) < 0x1p1000) || value == 0.0 || width == 0.0;
}

/*
 * *y := (v b + w a) / d, rounded once, where d is a + b and all are rounded steps.  False if that
 * is not proved.
 *
 * Let u be 2^-53.  s + e is the exact sum of the two large products, e0 and e1 are their exact errors, and q d.h + r is
 * s exactly.  So the quotient is q + (r + c - q d.l) / (d.h + d.l), where c is e + e0 + e1 + v b.l + w a.l, of which
 * `size` is the sum of magnitudes.  c has six roundings, of at most u size each.  What is divided has three more and an
 * exact product less, and dividing by d.h alone costs two: all together at most 16 u times the magnitudes.  2^-950 is
 * more than all terms that underflow, and stays a normal number when it is divided: a subnormal one would take longer
 * than all the rest.
 */
SCAN_FN bool
line_fast(double v, double w, const Step *a, const Step *b, const Step *d, double *y)
{
	double p0, p1, e0, e1, s, e, c, size, q, r, l;

	two_product(v, b->h, &p0, &e0);
	two_product(w, a->h, &p1, &e1);
	if (!(line_has_room(p0, v, b->h) && line_has_room(p1, w, a->h)))
		return false;
	two_sum(p0, p1, &s, &e);
	c = e + ((e0 + e1) + (v * b->l + w * a->l));
	size = (fabs(e) + fabs(e0)) + (fabs(e1) + fabs(v * b->l) + fabs(w * a->l));
	q = s / d->h;
	if (!(fabs(q) > 0x1p-900 || s == 0.0))
		return false;
	r = fma(-q, d->h, s);
	l = (r + (c - q * d->l)) / d->h;
	return exact_certify(q, l, (0x1p-49 * (size + fabs(r) + fabs(q * d->l)) + 0x1p-950) / d->h, y);
}

/* limb += value * step */
SCAN_FN void
line_add_product(uint64_t *limb, double value, const Step *step)
{
	limbs_add_product(limb, DOT_LIMBS_N, value, step->h);
	limbs_add_product(limb, DOT_LIMBS_N, value, step->l);
}

/* Returns (v b + w a) / d, rounded once; a zero is +0. */
SCAN_FN_COLD double
line_exact(double v, double w, const Step *a, const Step *b, const Step *d)
{
	uint64_t above[DOT_LIMBS_N], below[DOT_LIMBS_N];
	bool	 negative;

	memset(above, 0, sizeof(above));
	memset(below, 0, sizeof(below));
	line_add_product(above, v, b);
	line_add_product(above, w, a);
	limbs_add_double(below, DOT_LIMBS_N, d->h);
	limbs_add_double(below, DOT_LIMBS_N, d->l);
	negative = (above[DOT_LIMBS_N - 1] >> 63) != 0;
	if (negative)
		limbs_negate(above, DOT_LIMBS_N);
	return limbs_quotient_round(above, below, DOT_LIMBS_N, DOT_LSB - EXACT_LSB, negative);
}

/*
 * Returns the point at a distance a after v and b before w, where d is a + b and above 0.  At the ends it is the value
 * there.  Between them an infinity or NaN is what the sum of both values gives, and a zero is +0.
 */
SCAN_FN double
line_point(double v, double w, const Step *a, const Step *b, const Step *d)
{
	double y;

	if (step_is_zero(a))
		return v;
	if (step_is_zero(b))
		return w;
	if (!isfinite(v) || !isfinite(w))
		return canonical_nan(v + w);
	if (!(step_is_rounded(a) && step_is_rounded(b) && step_is_rounded(d) && line_fast(v, w, a, b, d, &y)))
		y = line_exact(v, w, a, b, d);
	return y + 0.0;
}

#endif /* SCAN_OP_LINE_H */
