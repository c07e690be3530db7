/*
 * recurrence.h: y = a_1 y' + ... + a_k y'(k) + b, exact inside chunks of 4096 rows.
 *
 * Called by in_sequence.h and product.h, by src/cpu/ for tiles of rows, and by the CUDA kernels.
 *
 * Definition.  A chunk is 4096 rows that have values, counted from the head of a segment.  Inside a chunk the
 * recurrence runs on real numbers.  It begins with the k results returned last before the chunk, at the head with the
 * initial values; every result is the real number rounded once.  So a chunk hands k doubles to the next one.  The size
 * of a chunk is part of the definition and never changes.  A y that rounds to zero is +0.  From the first operand on
 * that is not finite, a result is computed by fma from the results returned before.
 *
 * Precision tiers compute it.  Each tier proves the bits of a row, or leaves the row to the next tier, which takes the
 * chunk's rows again from the start and continues with the rows that follow:
 *
 *   CERTIFIED  y = h + l + eps, |eps| <= bound (see error_growth.h); mostly enough
 *   TRACKED    the same, but the roundings of l enter the bound one by one: it is zero
 *              while a pair holds y, which settles exact ties
 *   SCALED     TRACKED on 2^800 y, for decays into the subnormals, and with the bound of
 *              error_growth.h that dies away
 *   EXACT      an integer of any length (long.h); it always proves, and is asked only for
 *              rows that the other tiers could not prove
 *
 * A result does not depend on the tier that proved it, and so not on the machine either.
 *
 * Proof of a step.  a_j h_j = p + pe and every sum of h with a p is h + e, exactly (bits of an underflow are below the
 * 2^-1018 that is added).  t, m and l are the only roundings, each at most u = 2^-53 of its result.  The roundings of
 * the bound itself, a few for each of 4096 x 16 terms, are within the 1 + 2^-30 of certify.  Then y is the rounding of
 * every number within bound of h + l, as in exact.h.  After Ogita, Rump and Oishi 2005 (compensated dot products), with
 * a running error bound.
 */
#ifndef SCAN_OP_RECURRENCE_H
#define SCAN_OP_RECURRENCE_H

#include "op/error_growth.h"
#include "op/long.h"

#define RECURRENCE_CHUNK 4096

typedef enum RecurrenceTier
{
	RECURRENCE_CERTIFIED = 0,
	RECURRENCE_TRACKED,
	RECURRENCE_SCALED,
	RECURRENCE_SPECIAL, /* no tier: an operand was not finite */
} RecurrenceTier;

/*
 * A segment's state.  Zero bytes and recurrence_start make a new one.  The caller owns `rows` and the memory of
 * `exact`: see recurrence_step.  Histories are newest first.
 */
typedef struct Recurrence
{
	int32_t			order, tier;
	double			y[RECURRENCE_ORDERS];	  /* the last results; at first the initial values */
	double			start[RECURRENCE_ORDERS]; /* y when the chunk began */
	RecurrencePair	pair[RECURRENCE_ORDERS];
	ErrorGrowth		growth;		/* for order 2 and higher */
	RecurrenceDecay decay;		/* for the tier SCALED */
	int32_t			count;		/* rows of the chunk so far */
	int32_t			exact_rows; /* rows of the chunk that `exact` has taken */
	bool			pending;	/* true if the last row waits for memory or time in `exact` */
	int32_t			room;		/* capacity of `rows`, in rows */
	double		   *rows;		/* a_1 .. a_k b of each row of the chunk, for a tier that restarts */
	LongWindow		exact;
} Recurrence;

SCAN_FN void
recurrence_begin_pairs(Recurrence *r, double scale)
{
	r->growth.rows = 0;
	r->decay.rho = 0.0;
	for (int j = 0; j < r->order; j++)
		r->pair[j] = pair_of(r->start[j] * scale);
}

SCAN_FN void
recurrence_begin_chunk(Recurrence *r)
{
	memcpy(r->start, r->y, sizeof(r->start));
	r->count = 0;
	r->exact_rows = 0;
	r->pending = false;
	r->tier = RECURRENCE_CERTIFIED;
	recurrence_begin_pairs(r, 1.0);
}

/* Starts a new segment of order k from the initial values init[0 .. k - 1], newest first. */
SCAN_FN void
recurrence_start(Recurrence *r, int order, const double *init)
{
	bool finite = true;

	r->order = order;
	for (int j = 0; j < order; j++)
	{
		r->y[j] = init[j];
		finite = finite && isfinite(init[j]);
	}
	recurrence_begin_chunk(r);
	if (!finite)
		r->tier = RECURRENCE_SPECIAL;
}

/* Puts the pair of a new row before the history of k pairs; the oldest pair is dropped. */
SCAN_FN void
recurrence_shift(int order, RecurrencePair *pair, double h, double l, double bound)
{
	for (int j = order - 1; j > 0; j--)
		pair[j] = pair[j - 1];
	/* exact; keeps l and its roundings small if h cancelled */
	two_sum(h, l, &pair[0].h, &pair[0].l);
	pair[0].bound = bound;
}

/*
 * Returns the pair of a y' + b, the CERTIFIED step for first order.  l is not added to h, because a chain of such steps
 * would have to wait for that addition.
 */
SCAN_FN RecurrencePair
recurrence_first_order(const RecurrencePair *x, double a, double b)
{
	const double   u = 0x1p-53 * (1 + 0x1p-20);
	RecurrencePair next;
	double		   p, pe, e, t;

	two_product(a, x->h, &p, &pe);
	two_sum(b, p, &next.h, &e);
	t = pe + e;
	next.l = fma(a, x->l, t);
	next.bound = fma(fabs(a), x->bound, fma(u, fabs(t) + fabs(next.l), 0x1p-1018));
	return next;
}

/*
 * Returns the bound of a new row.  `local` bounds its own roundings; `carried` is the sum of the bounds before it, each
 * times its |a_j|.
 */
SCAN_FN double
recurrence_bound(Recurrence *r, const double *a, double local, double carried)
{
	ErrorGrowth *g = &r->growth;
	double		 bound = carried + local;
	double		 steady;

	if (g->rows == 0)
		error_growth_start(g, r->order, a, r->pair);
	else if (g->rows > 0 && !recurrence_same_coefficients(g->a, a, r->order))
		g->rows = -1;
	if (g->rows < 0)
		return bound;
	if (!(local <= g->local))
		g->local = local;
	steady = (g->local + g->start) * error_growth_factor(g);
	error_growth_step(g, r->order);
	if (r->decay.rho > 0)
	{
		double decayed = recurrence_decay_step(&r->decay, r->order, local);

		steady = decayed < steady ? decayed : steady;
	}
	return steady < bound ? steady : bound;
}

/* The value h + l of a new row, before its bound is known. */
typedef struct RecurrenceSum
{
	double h, l;
	double local;	/* bound of the row's own roundings */
	double carried; /* the bounds of the k rows before, each times its |a_j| */
} RecurrenceSum;

SCAN_FN RecurrenceSum
recurrence_sum_certified(int order, const RecurrencePair *pair, const double *a, double b)
{
	const double  u = 0x1p-53 * (1 + 0x1p-20);
	RecurrenceSum sum = {b, 0.0, 0.0, 0.0};

	for (int j = 0; j < order; j++)
	{
		const RecurrencePair *x = &pair[j];
		double				  p, pe, e, t, m;

		two_product(a[j], x->h, &p, &pe);
		two_sum(sum.h, p, &sum.h, &e);
		t = pe + e;
		m = fma(a[j], x->l, t);
		sum.l += m;
		sum.local += fma(u, fabs(t) + fabs(m) + fabs(sum.l), 0x1p-1018);
		sum.carried += fabs(a[j]) * x->bound;
	}
	return sum;
}

SCAN_FN RecurrenceSum
recurrence_sum_tracked(int order, const RecurrencePair *pair, const double *a, double b)
{
	RecurrenceSum sum = {b, 0.0, 0.0, 0.0};

	for (int j = 0; j < order; j++)
	{
		const RecurrencePair *x = &pair[j];
		double				  p, pe, e, q, qe, r1, r2, r3;

		two_product(a[j], x->h, &p, &pe);
		two_product(a[j], x->l, &q, &qe);
		two_sum(sum.h, p, &sum.h, &e);
		two_sum(sum.l, pe, &sum.l, &r1);
		two_sum(sum.l, e, &sum.l, &r2);
		two_sum(sum.l, q, &sum.l, &r3);
		sum.local += fabs(qe) + fabs(r1) + fabs(r2) + fabs(r3);
		sum.carried += fabs(a[j]) * x->bound;
		/* covers bits below 2^-1074 that a product lost, also in the bound */
		if (!two_product_is_exact(a[j], x->h) || !two_product_is_exact(a[j], x->l) || x->bound != 0.0)
			sum.local += 0x1p-1060;
	}
	return sum;
}

/*
 * True if the row's value is exactly 0 because b and all k values before are.  The pairs then stay as they are.  Many
 * series begin so, and a step's bound covers underflows and is never 0.
 */
SCAN_FN bool
recurrence_is_silent(const Recurrence *r, const double *a, double b)
{
	bool silent = b == 0.0;

	for (int j = 0; silent && j < r->order; j++)
		silent = r->pair[j].h == 0.0 && r->pair[j].l == 0.0 && r->pair[j].bound == 0.0 && isfinite(a[j]);
	return silent;
}

SCAN_FN void
recurrence_step_certified(Recurrence *r, const double *a, double b)
{
	RecurrenceSum sum;

	if (recurrence_is_silent(r, a, b))
		return;
	if (r->order == 1)
	{
		RecurrencePair next = recurrence_first_order(&r->pair[0], a[0], b);

		recurrence_shift(1, r->pair, next.h, next.l, next.bound);
		return;
	}
	sum = recurrence_sum_certified(r->order, r->pair, a, b);
	recurrence_shift(r->order, r->pair, sum.h, sum.l, recurrence_bound(r, a, sum.local, sum.carried) + 0x1p-1018);
}

SCAN_FN void
recurrence_step_tracked(Recurrence *r, const double *a, double b)
{
	RecurrenceSum sum = recurrence_sum_tracked(r->order, r->pair, a, b);
	/* for first order, errors grow by exactly the one coefficient */
	double bound = r->order > 1 ? recurrence_bound(r, a, sum.local, sum.carried) : sum.local + sum.carried;

	recurrence_shift(r->order, r->pair, sum.h, sum.l, bound * (1 + 0x1p-45));
}

/* *y := the one double to which every number within `bound` of h + l rounds.  False if there is no such double. */
SCAN_FN bool
recurrence_certify(const RecurrencePair *x, double *y)
{
	double q, d;

	two_sum(x->h, x->l, y, &q);
	if (x->bound == 0.0)
		return isfinite(*y);
	d = 0x1p-51 * fabs(q) + x->bound * (1 + 0x1p-30);
	return *y + (q + d) == *y && *y + (q - d) == *y && isfinite(*y);
}

/* ---- SCALED: the pairs hold 2^800 times the values ---- */

#define RECURRENCE_SCALE 0x1p800

SCAN_FN bool
recurrence_can_scale(double x)
{
	return fabs(x) < 0x1p200;
}

/*
 * *y := the scaled value rounded as a double and scaled back.  Well above the subnormals,
 * recurrence_certify does it.  Else *y is a multiple of 2^-1074, which is 2^-274 here; up to 2^-221
 * such multiples are doubles and no finer than the steps of h.
 *
 * `near` is right also if the value lies half way between two multiples: then h is the value itself, and rint() takes
 * the even multiple, or h is the multiple to which the value was rounded as a double.
 */
SCAN_FN bool
recurrence_certify_scaled(const RecurrencePair *x, double *y)
{
	const double grid = 0x1p-274;
	double		 near, rest, rest2;
	bool		 tie;

	if (fabs(x->h) >= 0x1p-221)
	{
		bool proved = recurrence_certify(x, y);

		*y *= 1 / RECURRENCE_SCALE;
		return proved;
	}
	near = rint(x->h * (1 / grid)) * grid;
	two_sum(x->h - near, x->l, &rest, &rest2);
	tie = x->bound == 0.0 && rest2 == 0.0 && fabs(rest) == grid / 2;
	*y = near * (1 / RECURRENCE_SCALE);
	return tie || fabs(rest) + fabs(rest2) + x->bound * (1 + 0x1p-30) < grid / 2 * (1 - 0x1p-40);
}

/* ---- the tiers ---- */

/* Returns row i of the chunk: a_1 .. a_k, b. */
SCAN_FN double *
recurrence_row(const Recurrence *r, int i)
{
	return r->rows + (int64_t) i * (r->order + 1);
}

SCAN_FN void
recurrence_apply(Recurrence *r, const double *a, double b)
{
	if (r->tier == RECURRENCE_CERTIFIED)
		recurrence_step_certified(r, a, b);
	else
		recurrence_step_tracked(r, a, r->tier == RECURRENCE_SCALED ? b * RECURRENCE_SCALE : b);
}

SCAN_FN bool
recurrence_proves(const Recurrence *r, double *y)
{
	return r->tier == RECURRENCE_SCALED ? recurrence_certify_scaled(&r->pair[0], y)
										: recurrence_certify(&r->pair[0], y);
}

/* Takes the chunk again from its start on the next tier.  False if no tier could do better. */
SCAN_FN_COLD bool
recurrence_next_tier(Recurrence *r)
{
	bool can_scale = true;

	for (int j = 0; j < r->order; j++)
		can_scale = can_scale && recurrence_can_scale(r->start[j]);
	for (int i = 0; can_scale && i < r->count; i++)
		can_scale = recurrence_can_scale(recurrence_row(r, i)[r->order]);
	if (r->tier == RECURRENCE_SCALED || (r->tier == RECURRENCE_TRACKED && !can_scale))
		return false;
	r->tier++;
	recurrence_begin_pairs(r, r->tier == RECURRENCE_SCALED ? RECURRENCE_SCALE : 1.0);
	if (r->tier == RECURRENCE_SCALED && r->order > 1)
		recurrence_decay_start(&r->decay, r->order, recurrence_row(r, 0), r->pair);
	for (int i = 0; i < r->count; i++)
	{
		const double *row = recurrence_row(r, i);

		recurrence_apply(r, row, row[r->order]);
	}
	return true;
}

/* Rows taken in long integers, each up to a millisecond, before the caller may check for interrupts. */
#define RECURRENCE_EXACT_ROWS 16

/*
 * exact := the chunk's values after its last row.  False if `exact` needs memory for exact.needed limbs, or, if it has
 * that, only needs another call.
 */
SCAN_FN_COLD bool
recurrence_exact(Recurrence *r)
{
	int before = r->exact_rows;

	if (r->exact_rows == 0 && !long_window_start(&r->exact, r->order, r->start))
		return false;
	for (; r->exact_rows < r->count; r->exact_rows++)
	{
		const double *row = recurrence_row(r, r->exact_rows);

		if (r->exact_rows - before == RECURRENCE_EXACT_ROWS || !long_window_step(&r->exact, row, row[r->order]))
			return false;
	}
	return true;
}

/* *y := the result of the chunk's last row, which the current tier could not prove. */
SCAN_FN_COLD ScanStatus
recurrence_answer_slow(Recurrence *r, double *y)
{
	while (!r->pending && recurrence_next_tier(r))
		if (recurrence_proves(r, y))
			return SCAN_OK;
	r->pending = !recurrence_exact(r);
	if (r->pending)
		return SCAN_NEEDS_ROOM;
	*y = long_round(&r->exact.number[0], 53, -1074);
	return isinf(*y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

/* Returns the result once an operand was not finite: by plain arithmetic on the results before, newest term last. */
SCAN_FN double
recurrence_special(const Recurrence *r, const double *a, double b)
{
	double y = b;

	for (int j = r->order - 1; j >= 0; j--)
		y = fma(a[j], r->y[j], y);
	return canonical_nan(y);
}

/*
 * Takes one row that has values.  SCAN_OK: r->y[0] is its result.  SCAN_FLOAT_OVERFLOW: the result is beyond the
 * doubles.  SCAN_NEEDS_ROOM: there is no result yet.  Then the caller provides memory and calls again with the same
 * row.  If r->pending, `exact` gets new memory by long_window_move, unless its capacity is enough; else `rows` gets
 * memory for more than r->count rows of order + 1 doubles.
 */
SCAN_FN ScanStatus
recurrence_step(Recurrence *r, const double *a, double b)
{
	ScanStatus status = SCAN_OK;
	double	   y = 0.0;
	bool	   finite = isfinite(b);

	for (int j = 0; j < r->order; j++)
		finite = finite && isfinite(a[j]);
	if (r->tier == RECURRENCE_SPECIAL || !finite)
	{
		r->tier = RECURRENCE_SPECIAL;
		y = recurrence_special(r, a, b);
	}
	else
	{
		if (!r->pending)
		{
			double *row;

			if (r->count == RECURRENCE_CHUNK)
				recurrence_begin_chunk(r);
			if (r->count >= r->room)
				return SCAN_NEEDS_ROOM;
			row = recurrence_row(r, r->count++);
			for (int j = 0; j < r->order; j++)
				row[j] = a[j];
			row[r->order] = b;
			recurrence_apply(r, a, b);
		}
		if (r->pending || !recurrence_proves(r, &y))
			status = recurrence_answer_slow(r, &y);
		if (status != SCAN_OK)
			return status;
		y += 0.0; /* makes -0 +0 */
	}
	history_push(r->y, r->order, y);
	return SCAN_OK;
}

#endif /* SCAN_OP_RECURRENCE_H */
