/*
 * in_sequence.h: the bindings of scans whose rows must be taken in order: recurrences and the functions made of
 * recurrences, products of doubles, clamped sums of doubles.
 *
 * They are the SCAN_ORDERED lines of list.h.  Such a binding has the functions that binding.h lists, without join and
 * run: lift starts a segment and takes its first row, accumulate takes one more.  A row depends on results that were
 * already returned (recurrence.h), so two halves have no accumulators that could be joined.  The parallel ways that
 * exist prove tiles of rows at once (src/cpu/ways.h), and never change a result.
 *
 * An accumulator keeps the status of its last row for lower, and owns memory that it gets from the parameter's
 * ScanMemory.  It begins as zero bytes, and may be moved but not copied.
 */
#ifndef SCAN_OP_IN_SEQUENCE_H
#define SCAN_OP_IN_SEQUENCE_H

#include "op/binding.h"
#include "op/dot.h"
#include "op/product.h"

#define ORDERED_TYPES(D, IN) \
	typedef IN	   D##_in;   \
	typedef double D##_out;

/* For bindings whose result is their accumulator's `y`. */
#define ORDERED_LOWER(D) BINDING_LOWER_TO(D, after->status, after->y)

/* ---- recurrences with the memory they grow in ---- */

typedef struct GrowingRecurrence
{
	Recurrence r;
	uint64_t  *exact;	   /* the memory that r.exact uses */
	int32_t	   tiles_from; /* rows of the chunk before which no tile is tried */
	bool	   refused;	   /* true if a tile of the chunk could not be proved */
} GrowingRecurrence;

/* Returns the next capacity for a chunk's rows: 16 at first, so that small segments stay small. */
SCAN_FN int32_t
growing_next_room(int32_t room)
{
	return room == 0 ? 16 : 2 * room < RECURRENCE_CHUNK ? 2 * room : RECURRENCE_CHUNK;
}

SCAN_FN_COLD void
growing_rows(ScanMemory *memory, double **rows, int32_t *room, int width)
{
	*room = growing_next_room(*room);
	*rows = (double *) memory->resize(memory, *rows, (size_t) *room * width * sizeof(double));
}

/* Called after rows that took long. */
SCAN_FN_COLD void
growing_tick(ScanMemory *memory)
{
	if (memory->tick != NULL)
		memory->tick(memory);
}

SCAN_FN_COLD void
growing_exact(ScanMemory *memory, LongWindow *exact, int order, uint64_t **limbs)
{
	int		  capacity = exact->needed + exact->needed / 2;
	uint64_t *larger;

	growing_tick(memory);
	if (exact->needed <= exact->capacity)
		return;
	larger = (uint64_t *) memory->resize(memory, NULL, (size_t) (order + 1) * capacity * sizeof(uint64_t));
	long_window_move(exact, order, larger, capacity);
	memory->resize(memory, *limbs, 0);
	*limbs = larger;
}

/* Starts a new segment; memory is kept. */
SCAN_FN void
growing_start(GrowingRecurrence *g, int order, const double *init)
{
	g->tiles_from = 0;
	g->refused = false;
	recurrence_start(&g->r, order, init);
}

/* Provides the memory that a step needed when it returned SCAN_NEEDS_ROOM. */
SCAN_FN_COLD void
growing_room(ScanMemory *memory, Recurrence *r, uint64_t **limbs)
{
	if (r->pending)
		growing_exact(memory, &r->exact, r->order, limbs);
	else
		growing_rows(memory, &r->rows, &r->room, r->order + 1);
}

/* Takes one row that has values.  Returns its status; the result is in g->r.y[0]. */
SCAN_FN ScanStatus
growing_apply(ScanMemory *memory, GrowingRecurrence *g, const double *a, double b)
{
	ScanStatus status;

	while ((status = recurrence_step(&g->r, a, b)) == SCAN_NEEDS_ROOM)
		growing_room(memory, &g->r, &g->exact);
	if (g->r.exact_rows > 0)
		growing_tick(memory);
	return status;
}

/* ---- scan_recurrence ---- */

typedef struct RecurrenceParam
{
	size_t		width; /* bytes of a row's coefficients; must be first: see SCAN_VECTOR */
	ScanMemory *memory;
	int32_t		order;
	double		init[RECURRENCE_ORDERS]; /* the initial values, newest first */
} RecurrenceParam;

typedef struct OrderedRecurrence
{
	GrowingRecurrence g;
	double			  y;
	ScanStatus		  status;
} OrderedRecurrence;

SCAN_FN void
ordered_recurrence_apply(const RecurrenceParam *p, OrderedRecurrence *acc, const double *a, double b)
{
	acc->status = growing_apply(p->memory, &acc->g, a, b);
	acc->y = acc->g.r.y[0];
}

/* For both kinds of recurrence: A is a row's coefficients, B its term. */
#define RECURRENCE_BINDING(D, A, B)                                                              \
	BINDING_ACCUMULATE_BY(D, ordered_recurrence_apply((const RecurrenceParam *) param, a, A, B)) \
	BINDING_LIFT(D)                                                                              \
	{                                                                                            \
		const RecurrenceParam *p = (const RecurrenceParam *) param;                              \
		growing_start(&a->g, p->order, p->init);                                                 \
		D##_accumulate(param, a, x, row);                                                        \
	}                                                                                            \
	ORDERED_LOWER(D)                                                                             \
	BINDING_IDENTITY(D, SCAN_NULL, 0.0)

/* recurrences of first order */
typedef struct AffineRow
{
	double a, b;
} AffineRow;

typedef OrderedRecurrence recurrence_float8_acc;
ORDERED_TYPES(recurrence_float8, AffineRow)
RECURRENCE_BINDING(recurrence_float8, &x->a, x->b)

/* recurrences of order k: a value is the row's k coefficients and its term */
typedef OrderedRecurrence recurrence_vector_acc;
ORDERED_TYPES(recurrence_vector, double)
RECURRENCE_BINDING(recurrence_vector, x, x[((const RecurrenceParam *) param)->order])

/* ---- scan_filter ---- */

typedef struct FilterParam
{
	ScanMemory	 *memory;
	int32_t		  taps; /* number of feed-forward coefficients */
	const double *feed; /* the feed-forward coefficients, the newest value's first */
	int32_t		  order;
	double		  back[RECURRENCE_ORDERS]; /* the feedback coefficients */
} FilterParam;

typedef struct filter_float8_acc
{
	double			 *value; /* the last `taps` values, newest first; 0 where there was none */
	GrowingRecurrence g;
	double			  y;
	ScanStatus		  status;
} filter_float8_acc;

ORDERED_TYPES(filter_float8, double)

BINDING_ACCUMULATE(filter_float8)
{
	const FilterParam *p = (const FilterParam *) param;
	double			   fed;

	memmove(a->value + 1, a->value, (size_t) (p->taps - 1) * sizeof(double));
	a->value[0] = *x;
	a->status = dot_exact(p->feed, 1, a->value, 1, p->taps, &fed);
	a->y = fed;
	if (p->order == 0 || a->status != SCAN_OK)
		return;
	a->status = growing_apply(p->memory, &a->g, p->back, fed);
	a->y = a->g.r.y[0];
}

BINDING_LIFT(filter_float8)
{
	const FilterParam *p = (const FilterParam *) param;
	const double	   zeros[RECURRENCE_ORDERS] = {0};

	if (a->value == NULL)
		a->value = (double *) p->memory->resize(p->memory, NULL, (size_t) p->taps * sizeof(double));
	memset(a->value, 0, (size_t) p->taps * sizeof(double));
	growing_start(&a->g, p->order, zeros);
	filter_float8_accumulate(param, a, x, row);
}

ORDERED_LOWER(filter_float8)
BINDING_IDENTITY(filter_float8, SCAN_NULL, 0.0)

/* ---- scan_ema ---- */

typedef struct EmaParam
{
	ScanMemory *memory;
	double		alpha;
	bool		adjust;
} EmaParam;

typedef struct ema_float8_acc
{
	GrowingRecurrence above; /* the average; with `adjust` its numerator */
	GrowingRecurrence below; /* with `adjust`: the denominator */
	double			  y;
	ScanStatus		  status;
} ema_float8_acc;

/* Returns an adjusted average.  A quotient that underflows is +0, as everything here that rounds to zero. */
SCAN_FN double
ema_adjusted(double above, double below)
{
	return canonical_nan(above / below) + 0.0;
}

/* Takes the value x; the older values keep the share `keep` of their weights. */
SCAN_FN void
ema_apply(const EmaParam *p, ema_float8_acc *a, double keep, double x)
{
	a->status = growing_apply(p->memory, &a->above, &keep, x);
	a->y = a->above.r.y[0];
	if (!p->adjust || a->status != SCAN_OK)
		return;
	a->status = growing_apply(p->memory, &a->below, &keep, 1.0);
	a->y = ema_adjusted(a->y, a->below.r.y[0]);
}

/* Takes the first value of a segment. */
SCAN_FN void
ema_start(const EmaParam *p, ema_float8_acc *a, double x)
{
	const double zero = 0.0;

	growing_start(&a->above, 1, &zero);
	growing_start(&a->below, 1, &zero);
	ema_apply(p, a, 0.0, x);
}

ORDERED_TYPES(ema_float8, double)

BINDING_LIFT_BY(ema_float8, ema_start((const EmaParam *) param, a, *x))

BINDING_ACCUMULATE(ema_float8)
{
	const EmaParam *p = (const EmaParam *) param;

	ema_apply(p, a, 1 - p->alpha, p->adjust ? *x : p->alpha * *x);
}

ORDERED_LOWER(ema_float8)
BINDING_IDENTITY(ema_float8, SCAN_NULL, 0.0)

/* averages by elapsed time */

/* What TimedValue.at is. */
typedef enum EmaTimes
{
	EMA_TIMES_INTEGERS = 0,
	EMA_TIMES_DOUBLES, /* the bits of a double */
	EMA_TIMES_STEPS,   /* the bits of a double: the time elapsed since the row before, at least 0 */
} EmaTimes;

typedef struct EmaByTimeParam
{
	EmaParam ema; /* without alpha */
	EmaTimes times;
	double	 half_life; /* in the unit of `at` */
} EmaByTimeParam;

typedef struct TimedValue
{
	double	x;
	int64_t at; /* see EmaTimes */
} TimedValue;

typedef struct ema_by_time_acc
{
	ema_float8_acc average;
	int64_t		   last; /* `at` of the last row that was taken */
} ema_by_time_acc;

/* Sets the time elapsed since the last row, rounded once.  Returns false if time runs backwards. */
SCAN_FN bool
ema_elapsed(EmaTimes times, int64_t last, int64_t at, double *elapsed)
{
	double now = double_from_bits((uint64_t) at);

	if (times == EMA_TIMES_INTEGERS)
		*elapsed = (double) ((scan_int128) at - last);
	else
		*elapsed = times == EMA_TIMES_STEPS ? now : now - double_from_bits((uint64_t) last);
	return *elapsed >= 0;
}

ORDERED_TYPES(ema_by_time, TimedValue)

BINDING_LIFT(ema_by_time)
{
	a->last = x->at;
	ema_start(&((const EmaByTimeParam *) param)->ema, &a->average, x->x);
}

BINDING_ACCUMULATE(ema_by_time)
{
	const EmaByTimeParam *p = (const EmaByTimeParam *) param;

	double elapsed, keep;

	if (!ema_elapsed(p->times, a->last, x->at, &elapsed))
	{
		a->average.status = SCAN_RUNS_BACKWARDS;
		return;
	}
	/* the older values keep this share of their weights, or of the average */
	keep = exp2(-(elapsed / p->half_life));
	a->last = x->at;
	ema_apply(&p->ema, &a->average, keep, p->ema.adjust ? x->x : (1 - keep) * x->x);
}

BINDING_LOWER_TO(ema_by_time, after->average.status, after->average.y)
BINDING_IDENTITY(ema_by_time, SCAN_NULL, 0.0)

/* ---- scan_product(float8) ---- */

typedef struct ProductParam
{
	ScanMemory *memory;
} ProductParam;

typedef struct product_float8_acc
{
	Product	   product;
	uint64_t  *exact; /* the memory that product.r.exact uses */
	double	   y;
	ScanStatus status;
} product_float8_acc;

ORDERED_TYPES(product_float8, double)

BINDING_ACCUMULATE(product_float8)
{
	ScanMemory *memory = ((const ProductParam *) param)->memory;

	while ((a->status = product_step(&a->product, *x)) == SCAN_NEEDS_ROOM)
		growing_room(memory, &a->product.r, &a->exact);
	if (a->product.r.exact_rows > 0)
		growing_tick(memory);
	a->y = a->product.y;
}

BINDING_LIFT(product_float8)
{
	product_start(&a->product);
	product_float8_accumulate(param, a, x, row);
}

ORDERED_LOWER(product_float8)
BINDING_IDENTITY(product_float8, SCAN_OK, 1.0)

/* ---- scan_clamped_sum(float8) ---- */

typedef struct ClampedFloatParam
{
	double lower; /* -infinity: no lower bound */
	double upper; /* infinity: no upper bound */
	double init;
} ClampedFloatParam;

typedef ExactSum clamped_sum_float8_acc;

/* Returns the sign of total - bound, computed exactly. */
SCAN_FN int
exact_compare(const ExactSum *total, double bound)
{
	ExactSum difference;
	double	 sign;

	exact_copy(&difference, total);
	exact_accumulate(&difference, -bound);
	(void) exact_round(&difference, &sign);
	return (sign > 0) - (sign < 0);
}

ORDERED_TYPES(clamped_sum_float8, double)

/*
 * The exact sum of the inputs since the total last met a bound, where it restarted from that bound.  NaN stays NaN.
 */
BINDING_ACCUMULATE(clamped_sum_float8)
{
	const ClampedFloatParam *p = (const ClampedFloatParam *) param;

	exact_accumulate(a, *x);
	if (exact_compare(a, p->lower) < 0)
		exact_lift(p->lower, a);
	else if (exact_compare(a, p->upper) > 0)
		exact_lift(p->upper, a);
}

BINDING_LIFT(clamped_sum_float8)
{
	exact_lift(((const ClampedFloatParam *) param)->init, a);
	clamped_sum_float8_accumulate(param, a, x, row);
}

BINDING_LOWER_BY(clamped_sum_float8, exact_round(after, y))

BINDING_IDENTITY(clamped_sum_float8, SCAN_NULL, 0.0)

#endif /* SCAN_OP_IN_SEQUENCE_H */
