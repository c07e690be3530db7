/*
 * serialize.h: a recurrence between two jobs, as bytes that mean the same elsewhere.
 *
 * The accumulator of scan_recurrence owns memory, the rows of its unfinished chunk, for the
 * tiers that take a chunk again from its start (recurrence.h).  Another program proves
 * answers without those rows or not at all, so they are not sent: what is serialised are the
 * pairs of the last rows, as many as the order.  Who gets these back takes the rows of the
 * chunk, which it still has, from its columns.  An average (scan_ema) is such a recurrence,
 * or two of them.
 */
#ifndef SCAN_OP_SERIALIZE_H
#define SCAN_OP_SERIALIZE_H

#include "op/bits.h"
#include "op/in_sequence.h"

/*
 * The highest order that is serialised.  A device has no registers for more: to join two maps of order
 * three takes 72 doubles, and of order four 120, of the 127 that a thread can have at most.
 */
#define SERIALIZED_ORDERS 2

/* As in a Recurrence: newest first, and as many of each as the order is high. */
typedef struct SerializedRecurrence
{
	double		   y[SERIALIZED_ORDERS];	 /* the last answers */
	double		   start[SERIALIZED_ORDERS]; /* of the chunk */
	RecurrencePair pair[SERIALIZED_ORDERS];
	int32_t		   count; /* rows of the chunk */
} SerializedRecurrence;

typedef struct SerializedEma
{
	SerializedRecurrence above;
	SerializedRecurrence below;			 /* adjust: of as many rows */
	uint8_t				 in_first_chunk; /* 1: of its segment, whose first row has another coefficient */
} SerializedEma;

/* False: it is on a tier whose pairs nobody else can go on from, being scaled or no numbers. */
SCAN_FN bool
growing_serialize(const GrowingRecurrence *from, SerializedRecurrence *to)
{
	const Recurrence *r = &from->r;

	memset(to, 0, sizeof(*to));
	if (r->order > SERIALIZED_ORDERS)
		return false;
	for (int j = 0; j < r->order; j++)
	{
		to->y[j] = r->y[j];
		to->start[j] = r->start[j];
		to->pair[j] = r->pair[j];
	}
	to->count = r->count;
	/* a full chunk's tier does not matter any more, unless it is for good */
	return !r->pending &&
		   (r->tier <= RECURRENCE_TRACKED || (r->count == RECURRENCE_CHUNK && r->tier != RECURRENCE_SPECIAL));
}

SCAN_FN bool
recurrence_serialize(const OrderedRecurrence *from, SerializedRecurrence *to)
{
	return growing_serialize(&from->g, to) && from->status == SCAN_OK;
}

SCAN_FN bool
ema_serialize(const EmaParam *p, const ema_float8_acc *from, SerializedEma *to)
{
	const Recurrence *r = &from->above.r;
	bool			  goes;

	memset(to, 0, sizeof(*to));
	goes = growing_serialize(&from->above, &to->above);
	to->below = to->above;
	if (p->adjust)
		goes = growing_serialize(&from->below, &to->below) && goes;
	/* the first row of a segment keeps nothing; where no row does it is like the others */
	to->in_first_chunk = r->count > 0 && r->count < RECURRENCE_CHUNK && recurrence_row(r, 0)[0] != 1 - p->alpha;
	return goes && from->status == SCAN_OK;
}

/* The state, with room for the rows of the unfinished chunk, which are still to be filled in. */
SCAN_HOST_FN void
growing_deserialize(const SerializedRecurrence *from, ScanMemory *memory, int order, const double *init,
					GrowingRecurrence *to)
{
	Recurrence *r = &to->r;

	if (r->order == 0)
		growing_start(to, order, init);
	for (int j = 0; j < order; j++)
	{
		r->y[j] = from->y[j];
		r->start[j] = from->start[j];
		r->pair[j] = from->pair[j];
	}
	r->tier = RECURRENCE_CERTIFIED;
	r->growth.rows = 0; /* what the rows before have grown by is in the bounds */
	r->exact_rows = 0;
	r->count = from->count;
	r->pending = false;
	to->tiles_from = 0;
	to->refused = false;
	while (r->room < r->count)
		growing_rows(memory, &r->rows, &r->room, order + 1);
}

/* The last row with a value before row i; -1: there is none. */
SCAN_HOST_FN int64_t
valid_row_before(const uint8_t *valid, int64_t i)
{
	do
		i--;
	while (i >= 0 && valid != NULL && !scan_bit(valid, i));
	return i;
}

/* How many of n rows have values. */
SCAN_HOST_FN int64_t
valid_rows(const uint8_t *valid, int64_t from, int64_t n)
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
	rows = (head < 0 ? before : 0) + valid_rows(valid, head < 0 ? 0 : head, n);
	return rows == 0 ? 0 : (int32_t) ((rows - 1) % RECURRENCE_CHUNK) + 1;
}

/*
 * The accumulator after n rows that were answered elsewhere, with what of them belongs to
 * the unfinished chunk; `to` is what it was before them.
 */
SCAN_HOST_FN void
recurrence_deserialize(const SerializedRecurrence *from, const RecurrenceParam *p, const double *a, const double *b,
					   const uint8_t *valid, int64_t n, OrderedRecurrence *to)
{
	int64_t i = n;

	if (from->count == 0)
		return; /* no row yet */
	growing_deserialize(from, p->memory, p->order, p->init, &to->g);
	to->y = from->y[0];
	to->status = SCAN_OK;
	/* from the last one back; what is left when the column is at its start was there before */
	for (int k = from->count - 1; k >= 0 && (i = valid_row_before(valid, i)) >= 0; k--)
	{
		double *row = recurrence_row(&to->g.r, k);

		memcpy(row, a + i * p->order, (size_t) p->order * sizeof(double));
		row[p->order] = b[i];
	}
}

/* The same for an average of the values x. */
SCAN_HOST_FN void
ema_deserialize(const SerializedEma *from, const EmaParam *p, const double *x, const uint8_t *valid, int64_t n,
				ema_float8_acc *to)
{
	const double zero = 0.0;
	int64_t		 i = n;

	if (from->above.count == 0)
		return;
	growing_deserialize(&from->above, p->memory, 1, &zero, &to->above);
	to->y = from->above.y[0];
	if (p->adjust)
	{
		growing_deserialize(&from->below, p->memory, 1, &zero, &to->below);
		to->y = ema_adjusted(to->y, from->below.y[0]);
	}
	to->status = SCAN_OK;
	for (int k = from->above.count - 1; k >= 0 && (i = valid_row_before(valid, i)) >= 0; k--)
	{
		bool first = k == 0 && from->in_first_chunk != 0;

		recurrence_row(&to->above.r, k)[0] = first ? 0.0 : 1 - p->alpha;
		recurrence_row(&to->above.r, k)[1] = first || p->adjust ? x[i] : p->alpha * x[i];
		if (p->adjust)
		{
			recurrence_row(&to->below.r, k)[0] = first ? 0.0 : 1 - p->alpha;
			recurrence_row(&to->below.r, k)[1] = 1.0;
		}
	}
}

#endif /* SCAN_OP_SERIALIZE_H */
