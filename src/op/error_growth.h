/*
 * error_growth.h: bounds of how much the errors of y = a_1 y' + .. + a_k y'(k) + b have grown.
 *
 * Called by recurrence.h for orders above 1 and by the CUDA kernels.  The error of a row is a_1 times the error of the
 * row before, and so on, plus the row's own roundings: the errors obey the recurrence themselves.  A bound may grow by
 * |a_1| + .. + |a_k| a row.  For first order that is what happens; for a filter it is far too much: 1.99 and -0.99 make
 * 2.98.  So while the coefficients do not change, the bound is also taken from the impulse response h.  The error of
 * row n is h_0 e_n + h_1 e_(n-1) + .., where e is a row's own roundings: at most (|h_0| + .. + |h_(n-1)|) times the
 * largest e.  If the history has errors when the rows begin, as in the middle of a chunk, the largest of those errors
 * times |a_1| + .. + |a_k| is added to e.
 *
 * The response is computed in doubles beside the rows.  A step of it loses at most `lost`, and the losses grow as the
 * errors do.  So H_n <= H'_n + n lost H_n for the true sum H and the computed sum H': the factor is 1 + 2 n lost while
 * n lost < 1/4.
 *
 * That bound stays constant while values die away: after a burst, a filter's results soon are smaller than the bound.
 * So a second bound dies away with the values.  Let rho be any number above 0, and c the largest |h_j| rho^-j.  Then
 * the error of row n is at most c (e_n + rho e_(n-1) + rho^2 e_(n-2) + ..), which takes one product a row.  The choice
 * of rho decides how tight the bound is; it is the factor by which h shrinks in a row in the long run. g_j = h_j rho^-j
 * is the response of the coefficients a_j rho^-j, so c is computed as h is, and c <= c' + n lost c.
 */
#ifndef SCAN_OP_ERROR_GROWTH_H
#define SCAN_OP_ERROR_GROWTH_H

#include "op/eft.h"
#include "op/limbs.h"

#define RECURRENCE_ORDERS 16 /* the highest k */

/* The value h + l, and a bound on its distance to the real number. */
typedef struct RecurrencePair
{
	double h, l, bound;
} RecurrencePair;

SCAN_FN RecurrencePair
pair_of(double x)
{
	RecurrencePair pair = {x, 0.0, 0.0};

	return pair;
}

/* Puts a new value before a history of k values; the oldest value is dropped. */
SCAN_FN void
history_push(double *history, int order, double newest)
{
	for (int j = order - 1; j > 0; j--)
		history[j] = history[j - 1];
	history[0] = newest;
}

typedef struct ErrorGrowth
{
	int32_t rows; /* steps of the response; -1: the coefficients have changed */
	double	a[RECURRENCE_ORDERS];
	double	h[RECURRENCE_ORDERS]; /* the response, newest first */
	double	sum;				  /* the sum of the response's absolute values */
	double	lost;				  /* the most that one step of the response has lost */
	double	local;				  /* the largest e, without `start` */
	double	start;				  /* what the history's errors add to e */
} ErrorGrowth;

/* Begins a bound before the first row; `history` holds the last `order` values, newest first. */
SCAN_FN void
error_growth_start(ErrorGrowth *g, int order, const double *a, const RecurrencePair *history)
{
	double size = 0.0, bound = 0.0;

	memset(g, 0, sizeof(*g));
	g->h[0] = g->sum = 1.0;
	for (int j = 0; j < order; j++)
	{
		g->a[j] = a[j];
		size += fabs(a[j]);
		if (!(history[j].bound <= bound))
			bound = history[j].bound;
	}
	g->start = size * bound;
}

/* Computes the next value of the impulse response. */
SCAN_FN void
error_growth_step(ErrorGrowth *g, int order)
{
	double h = 0.0, size = 0x1p-1000;

	for (int j = 0; j < order; j++)
	{
		h += g->a[j] * g->h[j];
		size += fabs(g->a[j] * g->h[j]);
	}
	history_push(g->h, order, h);
	g->sum += fabs(h);
	size *= 0x1p-52 * (order + 1);
	if (!(size <= g->lost))
		g->lost = size;
	g->rows++;
}

/* Returns the factor by which e may have grown by now; infinite if nothing is known. */
SCAN_FN double
error_growth_factor(const ErrorGrowth *g)
{
	double factor = g->sum * (1 + 2 * g->rows * g->lost) * (1 + 0x1p-30);

	return g->rows * g->lost < 0.25 && factor < (double) INFINITY ? factor : (double) INFINITY;
}

/* ---- the second bound, which dies away ---- */

typedef struct RecurrenceDecay
{
	double		rho;	  /* 0: there is no such bound */
	ErrorGrowth response; /* the response of the coefficients a_j rho^-j */
	double		max;	  /* the response's largest value so far, c */
	double		errors;	  /* e_n + rho e_(n-1) + .. */
} RecurrenceDecay;

/* The response is computed for DECAY_ROWS rows; its largest value is taken from the last DECAY_LAST of them. */
#define DECAY_ROWS 512
#define DECAY_LAST 64

/* Returns about the factor by which the response shrinks in a row.  Any positive result gives a true bound. */
SCAN_FN_COLD double
recurrence_decay_rate(const double *a, int order)
{
	double h[RECURRENCE_ORDERS] = {1.0};
	double max = 0.0, rate;
	int	   at = 1;

	for (int n = 1; n <= DECAY_ROWS; n++)
	{
		double next = 0.0;

		for (int j = 0; j < order; j++)
			next += a[j] * h[j];
		history_push(h, order, next);
		if (n % DECAY_LAST == 1)
			max = 0.0;
		if (fabs(next) >= max)
		{
			max = fabs(next);
			at = n;
		}
		if (!(max > 0x1p-900 && max < 0x1p900) && n % DECAY_LAST >= order)
			break;
	}
	/* slightly larger, so that c does not grow */
	rate = exp(log(max > 0x1p-1000 ? max : 0x1p-1000) / at) * (1 + 0x1p-10);
	/* keeps the 16th power far from an underflow */
	return rate < 0x1p-8 ? 0x1p-8 : rate < 0x1p8 ? rate : 0x1p8;
}

/* Begins the bound before the first row, from a history without errors. */
SCAN_FN_COLD void
recurrence_decay_start(RecurrenceDecay *d, int order, const double *a, const RecurrencePair *history)
{
	double scaled[RECURRENCE_ORDERS], power = 1.0;

	d->rho = recurrence_decay_rate(a, order);
	for (int j = 0; j < order; j++)
	{
		power /= d->rho;
		scaled[j] = a[j] * power;
	}
	error_growth_start(&d->response, order, scaled, history);
	d->max = 1.0;
	d->errors = 0.0;
}

/*
 * Returns the bound of the next row, whose own roundings are at most `local`; infinite if nothing is known.  The scaled
 * coefficients are off by 2 j + 1 roundings as well; doubling `lost` covers that.
 */
SCAN_FN double
recurrence_decay_step(RecurrenceDecay *d, int order, double local)
{
	ErrorGrowth *g = &d->response;
	double		 lost = 2 * g->rows * g->lost, bound;

	d->errors = fma(d->rho, d->errors, local + 0x1p-1060) * (1 + 0x1p-50);
	bound = d->max * (1 + 2 * lost) * d->errors * (1 + 0x1p-30);
	error_growth_step(g, order);
	if (!(fabs(g->h[0]) <= d->max))
		d->max = fabs(g->h[0]);
	return lost < 0.5 && bound < (double) INFINITY ? bound : (double) INFINITY;
}

/* Compares bits.  memcmp() exists on the host only. */
SCAN_FN bool
recurrence_same_coefficients(const double *a, const double *b, int order)
{
	for (int j = 0; j < order; j++)
		if (double_bits(a[j]) != double_bits(b[j]))
			return false;
	return true;
}

#endif /* SCAN_OP_ERROR_GROWTH_H */
