/*
 * chunk.h: what the tiles of tile.c and vector.c do with a recurrence's chunk.
 *
 * A tile stays within a chunk.  The tiers of op/recurrence.h may have to take a chunk again from its start.  So when a
 * chunk is left unfinished, the rows that tiles have computed are stored in the chunk's state.
 */
#ifndef SCAN_CPU_CHUNK_H
#define SCAN_CPU_CHUNK_H

#include "cpu/instructions.h"
#include "op/in_sequence.h"

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

#endif /* SCAN_CPU_CHUNK_H */
