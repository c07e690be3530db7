/*
 * internal.h: what several files of cpu/ do with a row or with a recurrence's chunk.
 */
#ifndef SCAN_CPU_INTERNAL_H
#define SCAN_CPU_INTERNAL_H

#include "cpu/ways.h"
#include "op/in_sequence.h"

/*
 * ---- the result at a row, for the sequential loops (loop.h) and the trees (tree.c) ----
 *
 * An exclusive scan returns the inclusive results one row later.  `pending` is the result at the row before, or the
 * identity.  If it is an error, the next row returns the error, or drops it at a head.
 */

#define SCAN_INLINE static inline __attribute__((always_inline, unused))

/* Saves the total before a row, for bindings flagged SCAN_BEFORE. */
SCAN_INLINE void
scan_before(const ScanOp *op, void *before, const void *acc)
{
	if (op->flags & SCAN_BEFORE)
		memcpy(before, acc, op->acc_size);
}

/*
 * *y := the result at a row.  `before` and `after` are the totals without and with the row;
 * `before` is zero bytes if no row of the segment had a value before.  `applied`: the row has a
 * value.  `any`: this row or an earlier one of the segment has a value.
 */
SCAN_INLINE ScanStatus
scan_show(const ScanOp *op, const void *param, ScanCarry *carry, const void *before, const void *after, bool applied,
		  bool any, bool head, ScanExtent extent, void *y)
{
	ScanStatus status;

	if (head)
		carry->pending_status = op->identity(&carry->pending);
	status = (ScanStatus) carry->pending_status;
	if (extent == SCAN_EXCLUSIVE)
		memcpy(y, &carry->pending, op->out_size);
	if (applied)
		carry->pending_status = op->lower(param, before, after, carry->row, &carry->pending);
	if (extent == SCAN_INCLUSIVE)
	{
		memcpy(y, &carry->pending, op->out_size);
		status = any ? (ScanStatus) carry->pending_status : SCAN_NULL;
	}
	carry->row++;
	return status;
}

/* Ends the job's next row, whose result is in `out` unless the status is another one.  Returns false at an error. */
SCAN_INLINE bool
scan_row_ends(ScanJob *job, ScanStatus status)
{
	if (SCAN_IS_ERROR(status))
	{
		job->status = status;
		return false;
	}
	if (status == SCAN_NULL)
	{
		scan_bit_put(job->out_valid, job->done, false);
		job->has_nulls = true;
	}
	job->done++;
	return true;
}

/*
 * ---- what the tiles of tile.c and vector.c do with a recurrence's chunk ----
 *
 * A tile stays within a chunk.  The tiers of op/recurrence.h may have to take a chunk again from its start.  So when a
 * chunk is left unfinished, the rows that tiles have computed are stored in the chunk's state.
 */

/* Without the processor's fused multiply-add, the C library's is called, which takes twice as long. */
#define CPU_CLONES SCAN_CLONES("fma")

/* *y := the result of a pair.  True if the pair proves it. */
static inline bool
recurrence_answers(const RecurrencePair *pair, double *y)
{
	bool proved = recurrence_certify(pair, y);

	*y += 0.0; /* makes -0 +0 */
	return proved;
}

/* True if the next rows may be a tile. */
static inline bool
chunk_takes_tile(const GrowingRecurrence *g)
{
	const Recurrence *r = &g->r;

	if (r->count == RECURRENCE_CHUNK)
		return r->tier != RECURRENCE_SPECIAL;
	return r->tier == RECURRENCE_CERTIFIED && !r->pending && r->count >= g->tiles_from;
}

/* Begins the next chunk, after a full one. */
static inline void
chunk_begin(GrowingRecurrence *g)
{
	recurrence_begin_chunk(&g->r);
	g->tiles_from = 0;
	g->refused = false;
}

/* Returns how many of n rows come before the first that is not silent: their results are 0, which no tile proves. */
static inline int
chunk_silent_rows(const Recurrence *r, const double *a, const double *b, int n)
{
	int i = 0;

	while (i < n && recurrence_is_silent(r, a + (int64_t) i * r->order, b[i]))
		i++;
	return i;
}

/* Stores the last n rows of the chunk, in case a tier has to restart it. */
static inline void
chunk_keep(ScanMemory *memory, GrowingRecurrence *g, const double *a, const double *b, int64_t n)
{
	Recurrence *r = &g->r;

	while (r->room < r->count)
		growing_rows(memory, &r->rows, &r->room, r->order + 1);
	for (int64_t i = 0; i < n; i++)
	{
		double *row = recurrence_row(r, r->count - (int) n + (int) i);

		memcpy(row, a + i * r->order, (size_t) r->order * sizeof(double));
		row[r->order] = b[i];
	}
}

#endif /* SCAN_CPU_INTERNAL_H */
