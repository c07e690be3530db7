/*
 * product.h: the running product of doubles, exact inside chunks of 4096 rows.
 *
 * Definition, as for recurrences with b = 0 (recurrence.h): inside a chunk the
 * product is a real number, rounded once for every answer; what a chunk carries to
 * the next is the product rounded to 53 bits, with an exponent that has no bounds.
 * So a prefix may leave the range of doubles and come back.  An answer that rounds
 * to zero is +0.  From the first factor on that is not finite: plain multiplication
 * of the shown values.
 *
 * The product is (h + l + eps) 2^power, 1 <= h < 2, |eps| <= bound, with every
 * rounding taken into the bound; where that does not prove the bits, an exact
 * integer does (long.h).
 */
#ifndef SCAN_OP_PRODUCT_H
#define SCAN_OP_PRODUCT_H

#include "op/recurrence.h"

typedef struct Product
{
	double		   y;	 /* the last answer; 1 before the first */
	RecurrencePair pair; /* h = 0: the product is zero */
	int64_t		   power;
	double		   start; /* the pair and the power at the chunk's start */
	int64_t		   start_power;
	int64_t		   power_of_rows; /* the sum of the powers of the chunk's factors */
	int32_t		   count;
	int32_t		   exact_rows;
	bool		   special;	 /* a factor was not finite */
	bool		   pending;	 /* the last row waits for room in `exact` */
	bool		   carrying; /* so does what a full chunk carries to the next; the row is not applied yet */
	int32_t		   room;	 /* rows that `rows` has place for */
	double		  *rows;	 /* the chunk's factors, as numbers from 1 to 2 */
	LongWindow	   exact;
} Product;

SCAN_FN void
product_begin_chunk(Product *p, double start, int64_t power)
{
	p->start = start;
	p->start_power = power;
	p->pair.h = start;
	p->pair.l = 0.0;
	p->pair.bound = 0.0;
	p->power = power;
	p->power_of_rows = 0;
	p->count = 0;
	p->exact_rows = 0;
	p->pending = p->carrying = false;
}

/* A new segment; what memory there is stays. */
SCAN_FN void
product_start(Product *p)
{
	p->y = 1.0;
	p->special = false;
	product_begin_chunk(p, 1.0, 0);
}

/* pair := pair times m, 1 <= |m| < 2. */
SCAN_FN void
product_apply(Product *p, double m)
{
	RecurrencePair *x = &p->pair;
	double			h, l, e, q, qe, lost1, lost;

	two_product(x->h, m, &h, &e);
	two_product(x->l, m, &q, &qe);
	two_sum(q, e, &l, &lost1);
	lost = fabs(qe) + fabs(lost1);
	if (!two_product_is_exact(x->l, m) || x->bound != 0.0)
		lost += 0x1p-1060;
	if (lost != 0.0)
		lost = fma(fabs(m), x->bound, lost) * (1 + 0x1p-49);
	two_sum(h, l, &x->h, &x->l);
	x->bound = lost;
	if (fabs(x->h) >= 2.0)
	{
		x->h *= 0.5;
		x->l *= 0.5;
		x->bound *= 0.5;
		p->power++;
	}
	else if (fabs(x->h) < 1.0 && x->h != 0.0) /* h was 1 and l pulled it below */
	{
		x->h *= 2.0;
		x->l *= 2.0;
		x->bound *= 2.0;
		p->power--;
	}
}

/* exact := the product of the chunk's factors so far and its start.  False: as recurrence_exact. */
SCAN_FN_COLD bool
product_exact(Product *p)
{
	int before = p->exact_rows;

	if (p->exact_rows == 0 && !long_window_start(&p->exact, 1, &p->start))
		return false;
	for (; p->exact_rows < p->count; p->exact_rows++)
		if (p->exact_rows - before == RECURRENCE_EXACT_ROWS ||
			!long_window_step(&p->exact, &p->rows[p->exact_rows], 0.0))
			return false;
	return true;
}

/* The exact number rounded to `precision` bits, its lowest place moved by `power`. */
SCAN_FN double
product_round_exact(const Product *p, int64_t power, int min_power)
{
	Long number = p->exact.number[0];

	/* far outside the doubles any distance is as good as another */
	if (power > 100000)
		power = 100000;
	if (power < -100000)
		power = -100000;
	number.lsb += (int32_t) power;
	return long_round(&number, 53, min_power);
}

/* y := the product rounded to a double; false when the pair does not prove it. */
SCAN_FN bool
product_answer(const Product *p, double *y)
{
	RecurrencePair scaled;
	double		   scale;

	if (p->pair.h == 0.0 || p->power < -1080)
	{
		*y = 0.0;
		return true;
	}
	if (p->power > 1030)
	{
		*y = p->pair.h < 0 ? -(double) INFINITY : (double) INFINITY;
		return true;
	}
	if (p->power >= -1021)
	{
		bool proved = recurrence_certify(&p->pair, y);

		*y = ldexp(*y, (int) p->power);
		return proved;
	}
	scale = ldexp(1.0, (int) p->power + 800);
	scaled.h = p->pair.h * scale;
	scaled.l = p->pair.l * scale;
	scaled.bound = p->pair.bound * scale;
	return recurrence_certify_scaled(&scaled, y);
}

/*
 * Ends a full chunk: the product rounded to 53 bits becomes the start of the next.
 * False: `exact` needs room.
 */
SCAN_FN bool
product_next_chunk(Product *p)
{
	double start;
	int	   power = 0;

	if (p->pair.h == 0.0)
		start = 0.0;
	else if (!recurrence_certify(&p->pair, &start))
	{
		/* the long number is a product of numbers from 1 to 2: near 2^(rows carried) */
		p->pending = p->carrying = !product_exact(p);
		if (p->pending)
			return false;
		start = product_round_exact(p, p->start_power + p->power_of_rows - p->power, -1074);
	}
	if (start != 0.0)
		start = 2 * frexp(start, &power);
	product_begin_chunk(p, start, p->power + (start == 0.0 ? 0 : power - 1));
	return true;
}

/*
 * One factor.  SCAN_OK: p->y is the answer; SCAN_FLOAT_OVERFLOW: it is beyond the
 * doubles, which a later factor may mend.  SCAN_NEEDS_ROOM: as recurrence_step.
 */
SCAN_FN ScanStatus
product_step(Product *p, double x)
{
	double y;
	int	   power = 0;

	if (p->special || !isfinite(x))
	{
		p->special = true;
		p->y = canonical_nan(p->y * x);
		return SCAN_OK;
	}
	if (!p->pending || p->carrying)
	{
		double m = x == 0.0 ? 0.0 : 2 * frexp(x, &power);

		if (p->count == RECURRENCE_CHUNK && !product_next_chunk(p))
			return SCAN_NEEDS_ROOM;
		if (p->count >= p->room)
			return SCAN_NEEDS_ROOM;
		p->rows[p->count++] = m;
		p->power += x == 0.0 ? 0 : power - 1;
		p->power_of_rows += x == 0.0 ? 0 : power - 1;
		product_apply(p, m);
	}
	if (p->pending || !product_answer(p, &y))
	{
		p->pending = !product_exact(p);
		if (p->pending)
			return SCAN_NEEDS_ROOM;
		y = product_round_exact(p, p->start_power + p->power_of_rows, -1074);
	}
	p->y = y + 0.0;
	return isinf(y) ? SCAN_FLOAT_OVERFLOW : SCAN_OK;
}

#endif /* SCAN_OP_PRODUCT_H */
