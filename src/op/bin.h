/*
 * bin.h: the bindings of scan_bin: bins that are filled in the order of the rows.
 *
 * They are SCAN_ORDERED lines of list.h, as those of in_sequence.h.  A bin's beginning depends on where the bin before
 * it began.  The map from a piece's first total to its last one has as many steps as the piece has rows, so that
 * nothing small could be joined.
 *
 * A row that would take the total of its bin above the capacity begins the next bin.  With `overfill`, a bin ends with
 * the row that reaches the capacity.  Both are decisions about real numbers: integers have 64 bits without a sign, and
 * floats an exact sum.
 */
#ifndef SCAN_OP_BIN_H
#define SCAN_OP_BIN_H

#include "op/in_sequence.h"

typedef struct BinParam
{
	int64_t capacity;
	bool	overfill;
} BinParam;

typedef struct BinFloatParam
{
	double capacity; /* neither negative nor NaN; may be infinite */
	bool   overfill;
} BinFloatParam;

/* The number of the row's bin, from 1; ScanStatus of the last row. */
#define BIN_LOWER(D)                                  \
	BINDING_LOWER_TO(D, after->status, after->number) \
	BINDING_IDENTITY(D, SCAN_NULL, 0)

/* ---- integers ---- */

typedef struct bin_acc
{
	int64_t	   number;
	uint64_t   total; /* cannot overflow: without `overfill` at most the capacity or one value, with it below 2^64 */
	ScanStatus status;
} bin_acc;

SCAN_FN void
bin_first(bin_acc *a, int64_t x)
{
	a->number = 1;
	a->total = (uint64_t) x;
	a->status = x < 0 ? SCAN_NEGATIVE : SCAN_OK;
}

SCAN_FN void
bin_take(const BinParam *p, bin_acc *a, int64_t x)
{
	uint64_t capacity = (uint64_t) p->capacity;
	uint64_t value = (uint64_t) x;

	if (x < 0)
		a->status = SCAN_NEGATIVE;
	else if (p->overfill ? a->total >= capacity : a->total + value > capacity)
	{
		a->number++;
		a->total = value;
	}
	else
		a->total += value;
}

#define BIN_BINDING(D, IN)                                              \
	typedef IN		D##_in;                                             \
	typedef int64_t D##_out;                                            \
	typedef bin_acc D##_acc;                                            \
	BINDING_LIFT_BY(D, bin_first(a, *x))                                \
	BINDING_ACCUMULATE_BY(D, bin_take((const BinParam *) param, a, *x)) \
	BIN_LOWER(D)

BIN_BINDING(bin_int2, int16_t)
BIN_BINDING(bin_int4, int32_t)
BIN_BINDING(bin_int8, int64_t)

/* ---- float8 ---- */

typedef struct bin_float8_acc
{
	int64_t	   number;
	ScanStatus status;
	ExactSum   total;
} bin_float8_acc;

typedef double	bin_float8_in;
typedef int64_t bin_float8_out;

/*
 * Returns the sign of total - capacity, computed exactly.  NaN is above every capacity, as in PostgreSQL's order.
 * Rounding is monotone, so only a total that rounds to the capacity needs more than its rounding.
 */
SCAN_FN int
bin_compare(const ExactSum *total, double capacity)
{
	double y;

	(void) exact_round(total, &y);
	if (isnan(y))
		return 1;
	if (isinf(capacity))
		return total->form == EXACT_SPECIAL ? 0 : -1; /* a finite total may round to an infinity */
	if (y != capacity)
		return y > capacity ? 1 : -1;
	return exact_compare(total, capacity);
}

BINDING_LIFT(bin_float8)
{
	a->number = 1;
	a->status = *x < 0 ? SCAN_NEGATIVE : SCAN_OK;
	exact_lift(*x, &a->total);
}

BINDING_ACCUMULATE(bin_float8)
{
	const BinFloatParam *p = (const BinFloatParam *) param;
	bool				 next;

	if (*x < 0)
	{
		a->status = SCAN_NEGATIVE;
		return;
	}
	next = p->overfill && bin_compare(&a->total, p->capacity) >= 0;
	if (!next)
		exact_accumulate(&a->total, *x);
	if (next || (!p->overfill && bin_compare(&a->total, p->capacity) > 0))
	{
		a->number++;
		exact_lift(*x, &a->total);
	}
}

BIN_LOWER(bin_float8)

#endif /* SCAN_OP_BIN_H */
