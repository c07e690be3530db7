/*
 * travel.h: a first-order recurrence between two jobs, as bytes that mean the same elsewhere.
 *
 * The accumulator of scan_recurrence owns memory, the rows of its unfinished chunk, for the
 * rungs that take a chunk again from its start (recurrence.h).  Another program proves
 * answers without them or not at all, so they stay behind: what travels is the pair of the
 * last row, and whoever gets it back adds the rows, which it still has, from its column.
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

/* False: it is on a rung that nobody else can go on from. */
SCAN_FN bool
recurrence_depart(const OrderedRecurrence *from, RecurrenceTravel *to)
{
	const Recurrence *r = &from->g.r;

	to->y = r->y[0];
	to->start = r->start[0];
	to->pair = r->pair[0];
	to->count = r->count;
	/* a full chunk's rung does not matter any more, unless it is for good */
	return r->order == 1 && !r->pending && from->status == SCAN_OK &&
		   (r->rung == RECURRENCE_CERTIFIED || (r->count == RECURRENCE_CHUNK && r->rung != RECURRENCE_SPECIAL));
}

/*
 * The accumulator after n rows that were answered elsewhere, with what of them belongs to
 * the unfinished chunk; `to` is what it was before them.
 */
SCAN_HOST_FN void
recurrence_arrive(const RecurrenceTravel *from, const RecurrenceParam *p, const double *a, const double *b,
				  const uint8_t *valid, int64_t n, OrderedRecurrence *to)
{
	Recurrence *r = &to->g.r;
	int64_t		i = n;

	if (from->count == 0)
		return; /* no row yet */
	if (r->order == 0)
		growing_start(&to->g, 1, p->init);
	r->y[0] = to->y = from->y;
	r->start[0] = from->start;
	r->pair[0] = from->pair;
	r->rung = RECURRENCE_CERTIFIED;
	r->exact_rows = 0;
	r->count = from->count;
	r->pending = false;
	to->g.tiles_from = 0;
	to->g.refused = false;
	to->status = SCAN_OK;
	while (r->room < r->count)
		growing_rows(p->memory, &r->rows, &r->room, 2);
	/* from the last one back; what is left when the column is at its start was there before */
	for (int k = r->count - 1; k >= 0; k--)
	{
		do
			i--;
		while (i >= 0 && valid != NULL && !scan_bit(valid, i));
		if (i < 0)
			break;
		recurrence_row(r, k)[0] = a[i];
		recurrence_row(r, k)[1] = b[i];
	}
}

#endif /* SCAN_OP_TRAVEL_H */
