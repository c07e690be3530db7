/*
 * serialize.h: a recurrence's state between two jobs, as bytes that another program understands.
 *
 * Called by encoding.h of the client.  The accumulator of scan_recurrence owns the rows of its unfinished chunk, in
 * case a tier restarts the chunk (recurrence.h).  Another program either proves results without those rows or does not
 * answer, so they are not sent.  Only the pairs of the last `order` rows are serialised.  The process that gets the
 * state back refills the chunk's rows from its columns, which it still has.  An average (scan_ema) is one such
 * recurrence, or two.
 */
#ifndef SCAN_OP_SERIALIZE_H
#define SCAN_OP_SERIALIZE_H

#include "op/bits.h"
#include "op/in_sequence.h"

/*
 * The highest order that is serialised.  A CUDA thread lacks registers for more: joining two maps takes 72 doubles for
 * order three and 120 for order four, of the 127 that it has at most.
 */
#define SERIALIZED_ORDERS 2

/* The state of a Recurrence: newest first, `order` elements of each array. */
typedef struct SerializedRecurrence
{
	double		   y[SERIALIZED_ORDERS];	 /* the last results */
	double		   start[SERIALIZED_ORDERS]; /* y when the chunk began */
	RecurrencePair pair[SERIALIZED_ORDERS];
	int32_t		   count; /* rows of the chunk so far */
} SerializedRecurrence;

typedef struct SerializedEma
{
	SerializedRecurrence above;
	SerializedRecurrence below; /* with `adjust`: its count is that of `above` */
	/* 1: the chunk is its segment's first, whose first row has another coefficient than the others. */
	uint8_t in_first_chunk;
} SerializedEma;

/* False if no other process can continue from the pairs, because the tier scales them or has none. */
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
	/* after a full chunk its tier no longer matters, unless it is SPECIAL */
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
	/* a segment's first row has the coefficient 0; if 1 - alpha is 0, that row is like the others */
	to->in_first_chunk = r->count > 0 && r->count < RECURRENCE_CHUNK && recurrence_row(r, 0)[0] != 1 - p->alpha;
	return goes && from->status == SCAN_OK;
}

/* Restores the state, with memory for the rows of the unfinished chunk.  The caller fills in the rows. */
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
	r->growth.rows = 0; /* the bounds already include how errors have grown */
	r->exact_rows = 0;
	r->count = from->count;
	r->pending = false;
	to->tiles_from = 0;
	to->refused = false;
	while (r->room < r->count)
		growing_rows(memory, &r->rows, &r->room, order + 1);
}

/* Returns the last row before row i that has a value; -1 if there is none. */
SCAN_HOST_FN int64_t
valid_row_before(const uint8_t *valid, int64_t i)
{
	do
		i--;
	while (i >= 0 && valid != NULL && !scan_bit(valid, i));
	return i;
}

/* Returns how many of the rows [from, n) have values. */
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
 * Returns the count of a recurrence after n rows.  `before` is its count before them, 0 if no value came since the
 * head.  The other program must return the same count, or rows would be missing.
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
 * Restores the accumulator after n rows that another program computed; `to` comes in as it was before them.  The rows
 * of the unfinished chunk are filled in from the columns a and b.
 */
SCAN_HOST_FN void
recurrence_deserialize(const SerializedRecurrence *from, const RecurrenceParam *p, const double *a, const double *b,
					   const uint8_t *valid, int64_t n, OrderedRecurrence *to)
{
	int64_t i = n;

	if (from->count == 0)
		return; /* no value since the head */
	growing_deserialize(from, p->memory, p->order, p->init, &to->g);
	to->y = from->y[0];
	to->status = SCAN_OK;
	/* backwards from the last row; rows of the chunk from before these columns are already in place */
	for (int k = from->count - 1; k >= 0 && (i = valid_row_before(valid, i)) >= 0; k--)
	{
		double *row = recurrence_row(&to->g.r, k);

		memcpy(row, a + i * p->order, (size_t) p->order * sizeof(double));
		row[p->order] = b[i];
	}
}

/* recurrence_deserialize for an average of the values x. */
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
