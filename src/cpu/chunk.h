/*
 * chunk.h: a recurrence's chunk in the hands of tiles (tile.c, vector.c).
 *
 * A tile stays within a chunk.  The tiers of op/recurrence.h may have to take a chunk again
 * from its start, so the rows that tiles have answered are kept beside it when a chunk is
 * left unfinished.
 */
#ifndef SCAN_CPU_CHUNK_H
#define SCAN_CPU_CHUNK_H

#include "op/in_sequence.h"

/*
 * Compiled twice where the C library can choose at load time: with the processor's
 * fused multiply-add, and with the library's, which is a call and takes twice as long.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define CPU_CLONES __attribute__((target_clones("fma", "default")))
#else
#define CPU_CLONES
#endif

/* y := the answer of a pair, if it proves one. */
static inline bool
recurrence_answers(const RecurrencePair *pair, double *y)
{
	bool proved = recurrence_certify(pair, y);

	*y += 0.0; /* -0 is +0 */
	return proved;
}

/* Whether a tile could go next. */
static inline bool
chunk_takes_tile(const GrowingRecurrence *g)
{
	const Recurrence *r = &g->r;

	if (r->count == RECURRENCE_CHUNK)
		return r->tier != RECURRENCE_SPECIAL;
	return r->tier == RECURRENCE_CERTIFIED && !r->pending && r->count >= g->tiles_from;
}

/* The next chunk, after a full one. */
static inline void
chunk_begin(GrowingRecurrence *g)
{
	recurrence_begin_chunk(&g->r);
	g->tiles_from = 0;
	g->refused = false;
}

/* How many of n rows there are before the first that is not silent: their answers are 0, and no tile proves that. */
static inline int
chunk_silent_rows(const Recurrence *r, const double *a, const double *b, int n)
{
	int i = 0;

	while (i < n && recurrence_is_silent(r, a + (int64_t) i * r->order, b[i]))
		i++;
	return i;
}

/* Keeps the last n rows of the chunk, for a tier that has to begin again. */
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
