/*
 * travel.h: a recurrence between two jobs, as bytes that mean the same elsewhere.
 *
 * The accumulator of scan_recurrence owns memory, the rows of its unfinished chunk, for the
 * rungs that take a chunk again from its start (recurrence.h).  Another program proves
 * answers without them or not at all, so they stay behind: what travels is the pair of the
 * last row, and whoever gets it back adds the rows, which it still has, from its column.
 * An average (scan_ema) is such a recurrence, or two of them.
 */
#ifndef SCAN_OP_TRAVEL_H
#define SCAN_OP_TRAVEL_H

#include "op/bits.h"
#include "op/ordered.h"

typedef struct RecurrenceTravel
{
	double		   y;	  /* the last answer */
	double		   start; /* of the chunk */
	RecurrencePair pair;
	int32_t		   count; /* rows of the chunk */
} RecurrenceTravel;

typedef struct EmaTravel
{
	RecurrenceTravel above;
	RecurrenceTravel below;			 /* adjust: of as many rows */
	bool			 in_first_chunk; /* of its segment, whose first row has another coefficient */
} EmaTravel;

/* False: it is on a rung that nobody else can go on from. */
SCAN_FN bool
growing_depart(const GrowingRecurrence *from, RecurrenceTravel *to)
{
	const Recurrence *r = &from->r;

	to->y = r->y[0];
	to->start = r->start[0];
	to->pair = r->pair[0];
	to->count = r->count;
	/* a full chunk's rung does not matter any more, unless it is for good */
	return r->order == 1 && !r->pending &&
		   (r->rung == RECURRENCE_CERTIFIED || (r->count == RECURRENCE_CHUNK && r->rung != RECURRENCE_SPECIAL));
}

SCAN_FN bool
recurrence_depart(const OrderedRecurrence *from, RecurrenceTravel *to)
{
	return growing_depart(&from->g, to) && from->status == SCAN_OK;
}

SCAN_FN bool
ema_depart(const EmaParam *p, const ema_float8_acc *from, EmaTravel *to)
{
	const Recurrence *r = &from->above.r;
	bool			  goes = growing_depart(&from->above, &to->above);

	to->below = to->above;
	if (p->adjust)
		goes = growing_depart(&from->below, &to->below) && goes;
	/* the first row of a segment keeps nothing; where no row does it is like the others */
	to->in_first_chunk = r->count > 0 && r->count < RECURRENCE_CHUNK && recurrence_row(r, 0)[0] != 1 - p->alpha;
	return goes && from->status == SCAN_OK;
}

/* The state, with room for the rows of the unfinished chunk, which are still to be filled in. */
SCAN_HOST_FN void
growing_arrive(const RecurrenceTravel *from, ScanMemory *memory, const double *init, GrowingRecurrence *to)
{
	Recurrence *r = &to->r;

	if (r->order == 0)
		growing_start(to, 1, init);
	r->y[0] = from->y;
	r->start[0] = from->start;
	r->pair[0] = from->pair;
	r->rung = RECURRENCE_CERTIFIED;
	r->exact_rows = 0;
	r->count = from->count;
	r->pending = false;
	to->tiles_from = 0;
	to->refused = false;
	while (r->room < r->count)
		growing_rows(memory, &r->rows, &r->room, 2);
}

/* The last row with a value before row i; -1: there is none. */
SCAN_HOST_FN int64_t
travel_row_before(const uint8_t *valid, int64_t i)
{
	do
		i--;
	while (i >= 0 && valid != NULL && !scan_bit(valid, i));
	return i;
}

/* How many of n rows have values. */
SCAN_HOST_FN int64_t
travel_values(const uint8_t *valid, int64_t from, int64_t n)
{
	int64_t values = 0;

	if (valid == NULL)
		return n - from;
	for (; from < n && from % 8 != 0; from++)
		values += scan_bit(valid, from);
	for (; from + 8 <= n; from += 8)
		values += __builtin_popcount(valid[from / 8]);
	for (; from < n; from++)
		values += scan_bit(valid, from);
	return values;
}

/*
 * The count after n rows, where `before` is the one before them, 0 for none since the head:
 * what a device says of it has to be that, or rows would be missing.
 */
SCAN_HOST_FN int32_t
recurrence_count_after(int32_t before, const uint8_t *valid, const uint8_t *heads, int64_t n)
{
	int64_t head = heads == NULL ? -1 : n - 1, rows;

	while (head >= 0 && !scan_bit(heads, head))
		head -= head % 8 == 7 && heads[head / 8] == 0 ? 8 : 1;
	rows = (head < 0 ? before : 0) + travel_values(valid, head < 0 ? 0 : head, n);
	return rows == 0 ? 0 : (int32_t) ((rows - 1) % RECURRENCE_CHUNK) + 1;
}

/*
 * The accumulator after n rows that were answered elsewhere, with what of them belongs to
 * the unfinished chunk; `to` is what it was before them.
 */
SCAN_HOST_FN void
recurrence_arrive(const RecurrenceTravel *from, const RecurrenceParam *p, const double *a, const double *b,
				  const uint8_t *valid, int64_t n, OrderedRecurrence *to)
{
	int64_t i = n;

	if (from->count == 0)
		return; /* no row yet */
	growing_arrive(from, p->memory, p->init, &to->g);
	to->y = from->y;
	to->status = SCAN_OK;
	/* from the last one back; what is left when the column is at its start was there before */
	for (int k = from->count - 1; k >= 0 && (i = travel_row_before(valid, i)) >= 0; k--)
	{
		recurrence_row(&to->g.r, k)[0] = a[i];
		recurrence_row(&to->g.r, k)[1] = b[i];
	}
}

/* The same for an average of the values x. */
SCAN_HOST_FN void
ema_arrive(const EmaTravel *from, const EmaParam *p, const double *x, const uint8_t *valid, int64_t n,
		   ema_float8_acc *to)
{
	const double zero = 0.0;
	int64_t		 i = n;

	if (from->above.count == 0)
		return;
	growing_arrive(&from->above, p->memory, &zero, &to->above);
	to->y = from->above.y;
	if (p->adjust)
	{
		growing_arrive(&from->below, p->memory, &zero, &to->below);
		to->y = ema_adjusted(to->y, from->below.y);
	}
	to->status = SCAN_OK;
	for (int k = from->above.count - 1; k >= 0 && (i = travel_row_before(valid, i)) >= 0; k--)
	{
		bool first = k == 0 && from->in_first_chunk;

		recurrence_row(&to->above.r, k)[0] = first ? 0.0 : 1 - p->alpha;
		recurrence_row(&to->above.r, k)[1] = first || p->adjust ? x[i] : p->alpha * x[i];
		if (p->adjust)
		{
			recurrence_row(&to->below.r, k)[0] = first ? 0.0 : 1 - p->alpha;
			recurrence_row(&to->below.r, k)[1] = 1.0;
		}
	}
}

#endif /* SCAN_OP_TRAVEL_H */
