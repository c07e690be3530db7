/*
 * recurrence.cuh: y = a y' + b, exact inside chunks of 4096 applied rows (op/recurrence.h).
 *
 * Inside a chunk the answers are roundings of real numbers, so a tree may find them, as long
 * as each one is proved; from chunk to chunk a double is carried that was shown, and that is
 * a chain.  So:
 *
 *   lay       rows without NULLs, one after the other; which of them begin a chunk
 *   totals    every chunk's map y -> a y + b: a block each
 *   walk      along each segment, from chunk to chunk, by the maps; every end has to be proved
 *   answers   every chunk once more, from its start, by a scan of its threads' maps
 *   show      answers to the rows, NULLs and heads
 *
 * Here are the first step and the last, which go by rows; chunk.cuh has those between.
 *
 * Averages (scan_ema) are such recurrences too, with a coefficient that does not change and
 * so is not read; adjusted ones are two of them, and a division where the second is written.
 *
 * What is not proved, what is not finite and what leaves the doubles sets `lost`: the CPU does
 * the job, whose ladder has more rungs.  Chosen over a ladder here: a rung is a chain of 4096
 * rows, on which a thread of the device takes fifty times as long as a core.
 *
 * Not here: recurrences of higher order, since no certificate for products of matrices is
 * written (src/cpu/tile.c has none either); averages by elapsed time, whose coefficients
 * are the C library's exp2(), of which a device has another.
 */
#ifndef SCAN_GPU_RECURRENCE_CUH
#define SCAN_GPU_RECURRENCE_CUH

#include "op/affine.h"
#include "recurrence.h"

#define ROW_THREADS 256 /* of a block that goes by rows */

/* Where a row's a and b come from. */
enum RowsKind
{
	ROWS_COLUMNS, /* a column each */
	ROWS_AVERAGE, /* a: keep; b: scale times a column's, the column's itself where a segment starts, from 0 */
	ROWS_WEIGHT,  /* the same of ones: what an average is divided by */
};

/* What begins a chunk. */
typedef struct Chunk
{
	int64_t first;	 /* among the rows laid down */
	bool	segment; /* a segment begins with it */
} Chunk;

typedef struct RecurrenceArgs
{
	const double  *in_a, *in_b; /* as they came; an average has no column of a */
	double		   keep, scale;
	const uint8_t *valid, *heads;
	double		  *out;
	uint32_t	  *out_valid;
	int64_t		   n;
	bool		   exclusive;
	double		   init;

	/* the carry */
	bool			 any;
	double			 held;
	RecurrenceTravel travel;
	RecurrencePair	 pair;			 /* that the first row continues from, where `any` */
	bool			 in_first_chunk; /* of its segment, where `any` */

	/* Counts up to each row, itself included; NULL where they are its place and no more. */
	const int64_t *rank;  /* of rows with values */
	const int64_t *since; /* the same since the head, from travel.count on before the first head */
	bool		  *flag;  /* rows that begin a chunk */
	const int64_t *chunk; /* how many do; NULL: */
	int64_t		   even;  /* so many chunks of 4096 rows but for the ends */

	/* laid down */
	const double *a, *b; /* in_a and in_b themselves where there are no NULLs */
	double		 *lay_a, *lay_b;
	double		 *y;
	int			  few; /* chunks of at most so many rows are a thread's */
	Chunk		 *chunks;

	/* of chunks that go on, by total_slot() */
	Affine		   *totals;
	RecurrencePair *ends;

	RecurrenceAnswer *answer;
} RecurrenceArgs;

__device__ inline bool
row_is_valid(const RecurrenceArgs &a, int64_t i)
{
	return a.valid == NULL || (a.valid[i / 8] >> i % 8 & 1) != 0;
}

__device__ inline bool
row_is_head(const RecurrenceArgs &a, int64_t i)
{
	return a.heads != NULL && (a.heads[i / 8] >> i % 8 & 1) != 0;
}

__device__ inline int64_t
rank_at(const RecurrenceArgs &a, int64_t i)
{
	return a.rank == NULL ? i + 1 : a.rank[i];
}

__device__ inline int64_t
since_at(const RecurrenceArgs &a, int64_t i)
{
	return a.since == NULL ? rank_at(a, i) + (a.any ? a.travel.count : 0) : a.since[i];
}

__device__ inline int64_t
thread_row()
{
	return (int64_t) blockIdx.x * ROW_THREADS + threadIdx.x;
}

/* ---- lay ---- */

/* A row begins a chunk: 4096 rows after the last that did, or as the column's first. */
__global__ void
recurrence_flag(const __grid_constant__ RecurrenceArgs a)
{
	int64_t i = thread_row();

	if (i < a.n)
		a.flag[i] = row_is_valid(a, i) && ((since_at(a, i) - 1) % RECURRENCE_CHUNK == 0 || rank_at(a, i) == 1);
}

__global__ void
recurrence_lay(const __grid_constant__ RecurrenceArgs a)
{
	int64_t i = thread_row();
	int64_t at;

	if (i >= a.n || !row_is_valid(a, i))
		return;
	at = rank_at(a, i) - 1;
	if (a.lay_a != NULL)
		a.lay_a[at] = a.in_a[i];
	if (a.lay_b != NULL)
		a.lay_b[at] = a.in_b[i];
	if (a.flag[i])
	{
		Chunk *chunk = &a.chunks[a.chunk[i] - 1];

		chunk->first = at;
		chunk->segment = since_at(a, i) == 1;
	}
}

/* The chunks of rows that all have values, in one segment. */
__global__ void
recurrence_lay_even(const __grid_constant__ RecurrenceArgs a)
{
	int64_t chunk = thread_row();
	int64_t before = a.any ? a.travel.count % RECURRENCE_CHUNK : 0; /* rows of the first that were answered before */

	if (chunk >= a.even)
		return;
	a.chunks[chunk].first = chunk == 0 ? 0 : chunk * RECURRENCE_CHUNK - before;
	a.chunks[chunk].segment = chunk == 0 && !a.any;
}

/* ---- chunks ---- */

__device__ inline int64_t
rows_laid(const RecurrenceArgs &a)
{
	return rank_at(a, a.n - 1);
}

__device__ inline int64_t
chunks_laid(const RecurrenceArgs &a)
{
	return a.chunk == NULL ? a.even : a.chunk[a.n - 1];
}

__device__ inline int64_t
chunk_end(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk + 1 < chunks_laid(a) ? a.chunks[chunk + 1].first : rows_laid(a);
}

__device__ inline int
chunk_rows(const RecurrenceArgs &a, int64_t chunk)
{
	return (int) (chunk_end(a, chunk) - a.chunks[chunk].first);
}

/* Whether the next chunk goes on where this one ends. */
__device__ inline bool
chunk_goes_on(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk + 1 < chunks_laid(a) && !a.chunks[chunk + 1].segment;
}

/* ---- show ---- */

/* The answer after row i, if there is one. */
__device__ inline bool
held_after(const RecurrenceArgs &a, int64_t i, double *y)
{
	if (i < 0)
		*y = a.held;
	else if (since_at(a, i) > 0)
		*y = rank_at(a, i) > 0 ? a.y[rank_at(a, i) - 1] : a.held;
	else
		*y = 0.0;
	return i < 0 ? a.any : since_at(a, i) > 0;
}

__global__ void
recurrence_show(const __grid_constant__ RecurrenceArgs a)
{
	int64_t	 i = thread_row();
	bool	 valid = true;
	uint32_t word;

	if (i < a.n)
	{
		double y = 0.0;

		if (a.exclusive)
			valid = !row_is_head(a, i) && held_after(a, i - 1, &y);
		else
			valid = held_after(a, i, &y);
		a.out[i] = y;
		if (!valid)
			a.answer->result.has_nulls = 1;
	}
	word = warp_ballot(valid);
	if (i < a.n && i % 32 == 0)
		a.out_valid[i / 32] = word;
	if (i == a.n - 1)
		a.answer->any = held_after(a, i, &a.answer->held);
}

#endif /* SCAN_GPU_RECURRENCE_CUH */
