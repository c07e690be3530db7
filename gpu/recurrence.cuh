/*
 * recurrence.cuh: y = a y' + b, exact inside chunks of 4096 applied rows (op/recurrence.h).
 *
 * Inside a chunk the answers are roundings of real numbers, so a tree may find them, as long
 * as each one is proved; from chunk to chunk a double is carried that was shown, and that is
 * a chain.  So:
 *
 *   lay       rows without NULLs, one after the other; which of them begin a chunk
 *   totals    every chunk's map y -> a y + b: a block each
 *   walk      along each segment, from chunk to chunk, by the maps: a thread each; every end
 *             has to be proved
 *   answers   every chunk once more, from its start, by a scan of its threads' maps
 *   show      answers to the rows, NULLs and heads
 *
 * What is not proved, what is not finite and what leaves the doubles sets `lost`: the CPU does
 * the job, whose ladder has more rungs.  Chosen over a ladder here: a rung is a chain of 4096
 * rows, on which a thread of the device takes fifty times as long as a core.
 */
#ifndef SCAN_GPU_RECURRENCE_CUH
#define SCAN_GPU_RECURRENCE_CUH

#include "op/affine.h"
#include "recurrence.h"
#include "scan.cuh"

#define CHUNK_ITEMS (RECURRENCE_CHUNK / SCAN_THREADS)

/* What begins a chunk. */
typedef struct Chunk
{
	int64_t first;	 /* among the rows laid down */
	bool	segment; /* a segment begins with it */
} Chunk;

typedef struct RecurrenceArgs
{
	const double  *in, *in2; /* as they came */
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
	RecurrencePair	 pair; /* that the first row continues from, where `any` */

	/* Counts up to each row, itself included; NULL where they are its place and no more. */
	const int64_t *rank;  /* of rows with values */
	const int64_t *since; /* the same since the head, from travel.count on before the first head */
	bool		  *flag;  /* rows that begin a chunk */
	const int64_t *chunk; /* how many do; NULL: */
	int64_t		   even;  /* so many chunks of 4096 rows but for the ends */

	/* laid down */
	const double   *a, *b; /* in and in2 themselves where there are no NULLs */
	double		   *lay_a, *lay_b;
	double		   *y;
	Chunk		   *chunks;
	Affine		   *totals;
	RecurrencePair *starts;

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
	return (int64_t) blockIdx.x * SCAN_THREADS + threadIdx.x;
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
	{
		a.lay_a[at] = a.in[i];
		a.lay_b[at] = a.in2[i];
	}
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

/* affine maps as items of scan.cuh: of threads without rows too, hence with `any` */
struct AffineItems
{
	typedef affine_item T;

	static __device__ inline void
	join(T *left, const T *right)
	{
		affine_item_join(left, right);
	}
};

typedef struct ChunkRoom
{
	affine_item warp_total[SCAN_WARPS];
} ChunkRoom;

/* The thread's rows of a chunk: [*from, the result), 16 at most. */
__device__ inline int64_t
chunk_rows(const RecurrenceArgs &a, int64_t chunk, int64_t *from)
{
	int64_t end = chunk_end(a, chunk);
	int64_t to;

	*from = a.chunks[chunk].first + (int64_t) threadIdx.x * CHUNK_ITEMS;
	to = *from + CHUNK_ITEMS;
	return to < end ? to : end;
}

__device__ inline affine_item
map_of_rows(const RecurrenceArgs &a, int64_t from, int64_t to)
{
	affine_item item;

	memset(&item, 0, sizeof(item));
	for (int64_t i = from; i < to; i++)
	{
		Affine row = affine_of(a.a[i], a.b[i]);

		if (item.item.any)
			affine_join(&item.acc, &row);
		else
			item.acc = row;
		item.item.any = true;
	}
	return item;
}

/* The map of all threads below, by which *total, of all of the block, is found too. */
__device__ inline affine_item
map_below(ChunkRoom &room, const affine_item &mine, affine_item *total)
{
	int			lane = (int) threadIdx.x % WARP, warp = (int) threadIdx.x / WARP;
	affine_item inclusive = warp_inclusive<AffineItems>(mine, lane, WARP);
	affine_item below = warp_below(inclusive, 1);

	if (lane == 0)
		memset(&below, 0, sizeof(below));
	if (lane == WARP - 1)
		room.warp_total[warp] = inclusive;
	__syncthreads();
	memset(total, 0, sizeof(*total));
	for (int w = 0; w < SCAN_WARPS; w++)
	{
		if (w == warp)
			below = joined<AffineItems>(*total, below);
		AffineItems::join(total, &room.warp_total[w]);
	}
	return below;
}

__global__ void
__launch_bounds__(SCAN_THREADS) recurrence_totals(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(ChunkRoom, room);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		int64_t		from, to = chunk_rows(a, chunk, &from);
		affine_item total;

		(void) map_below(room, map_of_rows(a, from, to), &total);
		if (threadIdx.x == 0)
			a.totals[chunk] = total.acc;
		__syncthreads(); /* the room is used again */
	}
}

/* A thread for every chunk; those that a segment begins with, and the first, go on to its end. */
__global__ void
recurrence_walk(const __grid_constant__ RecurrenceArgs a)
{
	int64_t		   chunk = thread_row(), chunks = chunks_laid(a);
	RecurrencePair at;

	if (chunk >= chunks || (chunk > 0 && !a.chunks[chunk].segment))
		return;
	at = a.chunks[chunk].segment ? pair_of(a.init) : a.pair;
	for (;;)
	{
		RecurrencePair end;
		double		   y;

		a.starts[chunk] = at;
		if (chunk + 1 == chunks || a.chunks[chunk + 1].segment)
			return;
		end = affine_apply(&a.totals[chunk], &at);
		if (!recurrence_certify(&end, &y))
		{
			/* nothing is proved, but nothing is left unwritten either */
			a.answer->result.lost = 1;
			y = 0.0;
		}
		at = pair_of(y + 0.0);
		chunk++;
	}
}

/* What the column's last row leaves. */
__device__ inline void
leave_last(const RecurrenceArgs &a, int64_t chunk, int64_t i, const RecurrencePair &pair, double y)
{
	RecurrenceTravel *travel = &a.answer->travel;
	bool			  begun = chunk > 0 || !a.any || a.chunks[0].segment || a.travel.count == RECURRENCE_CHUNK;

	travel->y = y;
	travel->start = begun ? a.starts[chunk].h : a.travel.start;
	travel->pair = pair;
	travel->count = (int32_t) (i + 1 - a.chunks[chunk].first) + (begun ? 0 : a.travel.count);
	a.answer->held = y; /* for a column that needs no show */
	a.answer->any = true;
}

/*
 * The next pair.  Near a chunk's start the exact value may have so few bits that it is a tie,
 * which is settled by a pair with a bound of zero: TRACKED of op/recurrence.h.
 */
__device__ inline RecurrencePair
next_pair(const RecurrencePair &pair, double a, double b, bool near_start)
{
	Recurrence r;

	if (!near_start)
		return recurrence_first_order(&pair, a, b);
	r.order = 1;
	r.pair[0] = pair;
	recurrence_step_tracked(&r, &a, b);
	return r.pair[0];
}

/* The answers of the thread's rows of a chunk, from the pair before them.  False: not proved. */
__device__ inline bool
answer_rows(const RecurrenceArgs &a, int64_t chunk, int64_t from, int64_t to, RecurrencePair pair)
{
	int64_t last = rows_laid(a) - 1;
	bool	proved = true;

	for (int64_t i = from; i < to; i++)
	{
		double y;

		pair = next_pair(pair, a.a[i], a.b[i], threadIdx.x == 0);
		proved = recurrence_certify(&pair, &y) && proved;
		y += 0.0; /* -0 is +0 */
		a.y[i] = y;
		if (i == last)
			leave_last(a, chunk, i, pair, y);
	}
	return proved;
}

__global__ void
__launch_bounds__(SCAN_THREADS) recurrence_answers(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(ChunkRoom, room);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		int64_t		   from, to = chunk_rows(a, chunk, &from);
		RecurrencePair start = a.starts[chunk];
		affine_item	   total, below = map_below(room, map_of_rows(a, from, to), &total);

		if (!answer_rows(a, chunk, from, to, below.item.any ? affine_apply(&below.acc, &start) : start))
			a.answer->result.lost = 1;
		__syncthreads(); /* the room is used again */
	}
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
