/*
 * ema_moments.h: exponentially weighted variances, covariances and correlations.
 *
 * functions/window/ema_moments.c calls it, row by row, for scan_ema_var and its relatives.  With weights w, the
 * covariance is sum w (x - mx) (y - my) / sum w, where mx and my are the weighted means.  The unbiased one is
 * multiplied by (sum w)^2 / ((sum w)^2 - sum w^2).  Each row multiplies the weights before it by b = 1 - alpha, and
 * its own weight is k: 1 if `adjust` is true, else alpha, but for the first row, whose weight is always 1.  So without
 * `adjust` the sum of the weights is always 1.
 *
 * No sum of squares is subtracted from another one.  Let W be the sum of the weights, d the distance of a value from
 * the mean before it, and M = (sum w (x - mx) (y - my)) / k.  A row sets
 *
 *     W' = b W + k,  m' = m + (k / W') d,  M' = b M + (b W / W') dx dy,  D' = b (b D + 2 W)
 *
 * where D = ((sum w)^2 - sum w^2) / k.  So the covariance is k M / W, and M W / D without bias.  M and D are divided by
 * k so that they do not underflow for a tiny alpha.  All terms of W, D and of a variance's M are positive, so no
 * cancellation makes their errors grow: after n rows the relative error is at most about n 2^-102, or 2^-102 / alpha,
 * whichever is less.
 *
 * A distance cancels, however.  So a mean is kept as a double and a rest of two doubles: it is known to 2^-158 of its
 * size, and a spread of 1e-3 around 1e9 is known to 2^-118.
 *
 * Values are scaled by a power of two, so that squares neither overflow nor underflow.  While a column repeats a value,
 * however, M is multiplied by b at each row.  It falls below all doubles, and a correlation, which is a quotient of
 * M's, does not.  So the distances of a column, and not its mean, are multiplied by a second power of two, 2^fade.
 *
 * Rejected: the exact sums of op/pairs.h, which the exact_... aggregates have.  A weight of the n-th row has 53 n bits.
 */
#ifndef SCAN_OP_EMA_MOMENTS_H
#define SCAN_OP_EMA_MOMENTS_H

#include "op/double_double.h"

typedef struct EmaWeights
{
	DoubleDouble beta; /* 1 - alpha, exactly */
	double		 k;
	bool		 adjust;
} EmaWeights;

/* The mean of one column. */
typedef struct EmaMean
{
	double		 scale; /* what values are multiplied by, a power of two from 2^-1000 to 2^1000 */
	int			 fade;	/* distances are multiplied by 2^fade, too, where they are squared or multiplied; 0 or more */
	double		 h;		/* the mean is h + rest */
	DoubleDouble rest;
} EmaMean;

/* Bytes that another process can continue with.  Of a variance, y, xy and yy are not used. */
typedef struct EmaMoments
{
	int64_t		 count;
	bool		 special; /* a value was infinite or NaN */
	DoubleDouble w;		  /* W, D and M, as above */
	DoubleDouble d;
	EmaMean		 x, y;
	DoubleDouble xx, xy, yy;
} EmaMoments;

SCAN_FN void
ema_weights(EmaWeights *weights, double alpha, bool adjust)
{
	weights->beta = dd_sum_of(1.0, -alpha);
	weights->k = adjust ? 1.0 : alpha;
	weights->adjust = adjust;
}

/* A spread fades below all doubles in the end, but not before the column has repeated a value for 20 million rows. */
#define EMA_MOST_FADE (1 << 29)

/* Returns the scale for values like x: 1, unless x is very large or very small. */
SCAN_FN double
ema_scale(double x)
{
	int exponent;

	if (x == 0.0 || (fabs(x) >= 0x1p-300 && fabs(x) <= 0x1p300))
		return 1.0;
	(void) frexp(x, &exponent);
	return ldexp(1.0, exponent > 1000 ? -1000 : exponent < -1000 ? 1000 : -exponent);
}

/* Changes the scale of a column.  `square` is the sum of its squares, `product` that of its products. */
SCAN_FN_COLD void
ema_rescale(EmaMean *mean, double scale, DoubleDouble *square, DoubleDouble *product)
{
	double power = scale / mean->scale;

	mean->scale = scale;
	mean->h *= power;
	mean->rest = dd_scale(mean->rest, power);
	*square = dd_scale(dd_scale(*square, power), power);
	*product = dd_scale(*product, power);
}

SCAN_FN DoubleDouble
ema_distance(const EmaMean *mean, double x)
{
	return dd_add(dd_sum_of(x * mean->scale, -mean->h), dd_negate(mean->rest));
}

/* Returns how far a value lies from the mean, once the scale is one for which its square is a double. */
SCAN_FN DoubleDouble
ema_column(EmaMean *mean, double x, DoubleDouble *square, DoubleDouble *product)
{
	DoubleDouble d;

	if (fabs(x * mean->scale) > 0x1p300)
		ema_rescale(mean, ema_scale(x), square, product);
	d = ema_distance(mean, x);
	if (d.h != 0.0 && fabs(d.h) < 0x1p-300 && square->h < 0x1p-600 && fabs(mean->h) < 1.0 && mean->scale < 0x1p700)
	{
		ema_rescale(mean, mean->scale * 0x1p300, square, product);
		d = ema_distance(mean, x);
	}
	return d;
}

/* Changes the power of two of a column's distances. */
SCAN_FN void
ema_refade(EmaMean *mean, int more, DoubleDouble *square, DoubleDouble *product)
{
	mean->fade += more;
	*square = dd_of(ldexp(square->h, 2 * more), ldexp(square->l, 2 * more));
	*product = dd_of(ldexp(product->h, more), ldexp(product->l, more));
}

/*
 * Returns a distance times 2^fade.  Changes `fade` before, if the distance and the sum of squares lie near the smallest
 * doubles, or the distance near the largest.
 */
SCAN_FN DoubleDouble
ema_faded(EmaMean *mean, DoubleDouble d, DoubleDouble *square, DoubleDouble *product)
{
	double faded;
	int	   exponent;

	/* the mean of a column that repeats a value comes near to that value, and a mean is not known better than this */
	if (fabs(d.h) < 0x1p-900)
		d = dd_of(0.0, 0.0);
	faded = fabs(ldexp(d.h, mean->fade));
	if (faded > 0x1p300)
	{
		(void) frexp(d.h, &exponent);
		ema_refade(mean, (exponent < 0 ? -exponent : 0) - mean->fade, square, product);
	}
	else if (faded < 0x1p-300 && square->h < 0x1p-600 && mean->fade < EMA_MOST_FADE)
		ema_refade(mean, 600, square, product);
	return dd_of(ldexp(d.h, mean->fade), ldexp(d.l, mean->fade));
}

/* True if a distance is squared without a power of two. */
SCAN_FN bool
ema_is_plain(const EmaMean *mean, DoubleDouble d, DoubleDouble square)
{
	return mean->fade == 0 && (fabs(d.h) >= 0x1p-300 || square.h >= 0x1p-600 || (d.h == 0.0 && square.h == 0.0));
}

/*
 * Moves a mean to a value x at the distance d, by d times `step`, which is 1 - `factor`: to mean + step d, or to
 * x - factor d, whichever of the two products is less, since its error stays.
 */
SCAN_FN void
ema_move(EmaMean *mean, double x, DoubleDouble d, DoubleDouble step, DoubleDouble factor)
{
	bool		 from_x = factor.h < 0.5;
	DoubleDouble move = from_x ? dd_negate(dd_multiply(factor, d)) : dd_add(mean->rest, dd_multiply(step, d));
	DoubleDouble sum = dd_sum_of(from_x ? x * mean->scale : mean->h, move.h);

	mean->h = sum.h;
	mean->rest = dd_sum_of(sum.l, move.l);
}

SCAN_FN void
ema_mean_start(EmaMean *mean, double x)
{
	mean->scale = ema_scale(x);
	mean->h = x * mean->scale;
	mean->rest = dd_of(0.0, 0.0);
}

/* The first value of a segment, or the first pair. */
SCAN_FN void
ema_moments_start(EmaMoments *m, double y, double x)
{
	memset(m, 0, sizeof(*m));
	m->count = 1;
	m->special = !isfinite(x) || !isfinite(y);
	m->w = dd_of(1.0, 0.0);
	if (m->special)
		return;
	ema_mean_start(&m->x, x);
	ema_mean_start(&m->y, y);
}

/* Changes W and D for one more row.  *step is k / W', *factor is b W / W'. */
SCAN_FN void
ema_moments_weigh(EmaMoments *m, const EmaWeights *weights, DoubleDouble *step, DoubleDouble *factor)
{
	DoubleDouble before = m->w;

	m->d = dd_multiply(weights->beta, dd_add(dd_multiply(weights->beta, m->d), dd_scale(before, 2.0)));
	if (!weights->adjust)
	{
		*step = dd_of(weights->k, 0.0);
		*factor = weights->beta;
		return;
	}
	before = dd_multiply(weights->beta, before);
	m->w = dd_add(before, dd_of(1.0, 0.0));
	*step = dd_divide(dd_of(1.0, 0.0), m->w);
	*factor = dd_multiply(before, *step);
}

/* sum := beta sum + factor a b */
SCAN_FN void
ema_moments_add(DoubleDouble *sum, DoubleDouble beta, DoubleDouble factor, DoubleDouble a, DoubleDouble b)
{
	*sum = dd_add(dd_multiply(beta, *sum), dd_multiply(dd_multiply(factor, a), b));
}

/* Adds the distances of a value, or of a pair, to the sums. */
SCAN_FN void
ema_moments_add_all(EmaMoments *m, DoubleDouble beta, DoubleDouble factor, DoubleDouble dy, DoubleDouble dx, bool pairs)
{
	if (pairs)
	{
		ema_moments_add(&m->xy, beta, factor, dx, dy);
		ema_moments_add(&m->yy, beta, factor, dy, dy);
	}
	ema_moments_add(&m->xx, beta, factor, dx, dx);
}

SCAN_FN_COLD void
ema_moments_add_faded(EmaMoments *m, DoubleDouble beta, DoubleDouble factor, DoubleDouble dy, DoubleDouble dx,
					  bool pairs)
{
	dx = ema_faded(&m->x, dx, &m->xx, &m->xy);
	dy = pairs ? ema_faded(&m->y, dy, &m->yy, &m->xy) : dx;
	ema_moments_add_all(m, beta, factor, dy, dx, pairs);
}

/* m := m with one more value x, or one more pair. */
SCAN_FN void
ema_moments_take(EmaMoments *m, const EmaWeights *weights, double y, double x, bool pairs)
{
	DoubleDouble step, factor, dx, dy;

	m->count++;
	m->special = m->special || !isfinite(x) || !isfinite(y);
	if (m->special)
		return;
	ema_moments_weigh(m, weights, &step, &factor);
	dx = ema_column(&m->x, x, &m->xx, &m->xy);
	dy = pairs ? ema_column(&m->y, y, &m->yy, &m->xy) : dx;
	if (SCAN_LIKELY(ema_is_plain(&m->x, dx, m->xx) && (!pairs || ema_is_plain(&m->y, dy, m->yy))))
		ema_moments_add_all(m, weights->beta, factor, dy, dx, pairs);
	else
		ema_moments_add_faded(m, weights->beta, factor, dy, dx, pairs);
	if (pairs)
		ema_move(&m->y, y, dy, step, factor);
	ema_move(&m->x, x, dx, step, factor);
}

/* *y := a product of scaled distances of two columns, or its root if `root`, in the values' unit, rounded. */
SCAN_FN ScanStatus
ema_unscale(double a, const EmaMean *mean, const EmaMean *other, bool root, double *y)
{
	int exponent, more;

	*y = a;
	if (mean->scale != 1.0 || other->scale != 1.0 || mean->fade + other->fade != 0)
	{
		(void) frexp(mean->scale, &exponent);
		(void) frexp(other->scale, &more);
		exponent += more + mean->fade + other->fade - 2;
		*y = ldexp(a, root ? -exponent / 2 : -exponent);
	}
	*y += 0.0;
	return isfinite(*y) ? SCAN_OK : SCAN_FLOAT_OVERFLOW;
}

/* What a result is after an infinity or NaN: NaN, or NULL where it would be NULL without. */
SCAN_FN ScanStatus
ema_moments_special(const EmaMoments *m, bool bias)
{
	return bias || m->count > 1 ? SCAN_OK : SCAN_NULL;
}

/*
 * *y := the covariance of x and y, if `pairs`, or the variance of x, or its root if `root`.  SCAN_NULL: it has none
 * without bias, since only one weight is not 0.
 */
SCAN_FN ScanStatus
ema_moments_covary(const EmaMoments *m, const EmaWeights *weights, bool pairs, bool bias, bool root, double *y)
{
	DoubleDouble sum = pairs ? m->xy : m->xx, s;

	*y = NAN;
	if (m->special)
		return ema_moments_special(m, bias);
	if (!bias && !(m->d.h > 0.0))
		return SCAN_NULL;
	s = bias ? dd_multiply(sum, dd_divide(dd_of(weights->k, 0.0), m->w)) : dd_divide(dd_multiply(sum, m->w), m->d);
	return ema_unscale(root ? dd_root(s).h : s.h, &m->x, pairs ? &m->y : &m->x, root, y);
}

/* SCAN_NULL: a column does not vary. */
SCAN_FN ScanStatus
ema_moments_correlate(const EmaMoments *m, double *y)
{
	DoubleDouble s;

	*y = NAN;
	if (m->special)
		return ema_moments_special(m, false);
	s = dd_multiply(dd_root(m->xx), dd_root(m->yy));
	if (!(s.h > 0.0))
		return SCAN_NULL;
	*y = fmin(fmax(dd_divide(m->xy, s).h, -1.0), 1.0) + 0.0;
	return SCAN_OK;
}

#endif /* SCAN_OP_EMA_MOMENTS_H */
