/*
 * chunk.cuh: the steps of a recurrence that go by chunks: totals, walk, answers (see
 * recurrence.cuh).
 *
 * A block reads its chunk as it lies in memory, neighbours what neighbours have, and hands
 * it round in shared memory, so that every thread then has sixteen rows on end in registers.
 * Chunks of few rows, of short segments, are a thread's each: of a block most threads would
 * have none, and there are as many such chunks as make threads enough.
 *
 * Ties.  A value that lies half way between two doubles is told from its neighbours by a pair
 * with a bound of zero alone: by TRACKED of op/recurrence.h, as long as a pair holds the
 * value.  Values are so short near the start of a chunk, and most of all of a segment, where
 * an average of integers with the coefficient 1/2 grows by a bit a row and meets a tie at
 * some fifty rows.  So the first thread of a chunk goes by TRACKED, and in the first chunk of
 * a segment the first four do, each from the pair that the one before has come to.
 */
#ifndef SCAN_GPU_CHUNK_CUH
#define SCAN_GPU_CHUNK_CUH

#include "recurrence.cuh"
#include "scan.cuh"

#define CHUNK_ITEMS (RECURRENCE_CHUNK / SCAN_THREADS)
#define CHUNK_BLOCKS_AT_ONCE 2 /* of a multiprocessor, for which a thread has 128 registers */
#define CHUNK_FEW 256		   /* rows of a chunk that is a thread's, in columns with heads */
#define TIE_THREADS 4		   /* that go by TRACKED where a segment starts, */
#define TIE_ROWS (TIE_THREADS * CHUNK_ITEMS)

/* ---- a block's rows ---- */

/* Maps as items of items.cuh; threads without rows have the one that changes nothing. */
struct AffineItems
{
	typedef Affine T;

	static __device__ inline void
	join(T *left, const T *right)
	{
		affine_join(left, right);
	}
};

typedef struct ChunkRoom
{
	double row[RECURRENCE_CHUNK + SCAN_THREADS];
	Affine warp_total[SCAN_WARPS];
	Affine warp_up_to[SCAN_WARPS];
} ChunkRoom;

/* A slot more after every thread's rows, so that a warp's accesses meet all banks. */
__device__ inline int
chunk_slot(int row)
{
	return row + row / CHUNK_ITEMS;
}

/* A thread's rows, up to 16 on end. */
template <int KIND> struct ChunkRows
{
	double a[KIND == ROWS_COLUMNS ? CHUNK_ITEMS : 1];
	double b[CHUNK_ITEMS]; /* and then, in the place of each, its answer: registers are what is short here */
	int	   count;
	bool   first; /* the first of them starts a segment */
};

/* A row's coefficient and its term, of what columns hold. */
template <int KIND>
__device__ inline double
row_a(const RecurrenceArgs &a, double column)
{
	return KIND == ROWS_COLUMNS ? column : a.keep;
}

template <int KIND>
__device__ inline double
row_b(const RecurrenceArgs &a, double column, bool first)
{
	return KIND == ROWS_WEIGHT ? 1.0 : KIND == ROWS_COLUMNS || first ? column : a.scale * column;
}

template <int KIND>
__device__ inline double
row_a(const RecurrenceArgs &a, const ChunkRows<KIND> &rows, int r)
{
	return row_a<KIND>(a, rows.a[KIND == ROWS_COLUMNS ? r : 0]);
}

template <int KIND>
__device__ inline double
row_b(const RecurrenceArgs &a, const ChunkRows<KIND> &rows, int r)
{
	return row_b<KIND>(a, rows.b[r], rows.first && r == 0);
}

/* What of a column is the block's, as it is read: x[k] is of the row k SCAN_THREADS + the thread. */
__device__ inline void
read_across(const double *column, int n, double *x)
{
#pragma unroll
	for (int k = 0; k < CHUNK_ITEMS; k++)
	{
		int e = k * SCAN_THREADS + (int) threadIdx.x;

		x[k] = e < n ? column[e] : 0.0;
	}
}

/* That, to the threads whose rows they are: x[r] is then of the thread's row r. */
__device__ inline void
hand_round(ChunkRoom &room, double *x)
{
	int t = (int) threadIdx.x;

	__syncthreads(); /* the room is used again */
#pragma unroll
	for (int k = 0; k < CHUNK_ITEMS; k++)
		room.row[chunk_slot(k * SCAN_THREADS + t)] = x[k];
	__syncthreads();
#pragma unroll
	for (int r = 0; r < CHUNK_ITEMS; r++)
		x[r] = room.row[chunk_slot(t * CHUNK_ITEMS + r)];
}

template <int KIND>
__device__ inline void
read_chunk(const RecurrenceArgs &a, ChunkRoom &room, int64_t chunk, int n, ChunkRows<KIND> *rows)
{
	int64_t first = a.chunks[chunk].first;
	int		left = n - (int) threadIdx.x * CHUNK_ITEMS;

	/* both columns are on their way before either is waited for */
	if constexpr (KIND == ROWS_COLUMNS)
		read_across(a.a + first, n, rows->a);
	if constexpr (KIND != ROWS_WEIGHT)
		read_across(a.b + first, n, rows->b);
	if constexpr (KIND == ROWS_COLUMNS)
		hand_round(room, rows->a);
	if constexpr (KIND != ROWS_WEIGHT)
		hand_round(room, rows->b);
	else
		memset(rows->b, 0, sizeof(rows->b));
	rows->count = left < 0 ? 0 : left < CHUNK_ITEMS ? left : CHUNK_ITEMS;
	rows->first = threadIdx.x == 0 && a.chunks[chunk].segment;
}

/* The map, and then a row's, by the step of op/recurrence.h for both of its numbers. */
__device__ inline void
then_row(Affine *map, double a, double b)
{
	map->a = recurrence_first_order(&map->a, a, 0.0);
	map->b = recurrence_first_order(&map->b, a, b);
}

/* The map of a thread's rows. */
template <int KIND>
__device__ inline Affine
map_of_rows(const RecurrenceArgs &a, const ChunkRows<KIND> &rows)
{
	Affine map = affine_of(1.0, 0.0);

#pragma unroll
	for (int r = 0; r < CHUNK_ITEMS; r++)
	{
		double row_a_is = row_a(a, rows, r), row_b_is = row_b(a, rows, r);

		if (r >= rows.count)
			continue;
		if (r == 0)
			map = affine_of(row_a_is, row_b_is);
		else
			then_row(&map, row_a_is, row_b_is);
	}
	/* exact, and what was left apart in l is small again where h has cancelled */
	two_sum(map.a.h, map.a.l, &map.a.h, &map.a.l);
	two_sum(map.b.h, map.b.l, &map.b.h, &map.b.l);
	return map;
}

/* The map of all threads below, for all but the first; *total, for the first warp: that of all. */
__device__ inline Affine
map_below(ChunkRoom &room, const Affine &mine, Affine *total)
{
	int	   lane = (int) threadIdx.x % WARP, warp = (int) threadIdx.x / WARP;
	Affine inclusive = warp_inclusive<AffineItems>(mine, lane, WARP);
	Affine below = warp_below(inclusive, 1);

	if (lane == WARP - 1)
		room.warp_total[warp] = inclusive;
	__syncthreads();
	if (warp == 0)
	{
		Affine warps = warp_inclusive<AffineItems>(room.warp_total[lane % SCAN_WARPS], lane % SCAN_WARPS, SCAN_WARPS);

		*total = warp_value(warps, SCAN_WARPS - 1);
		if (lane < SCAN_WARPS)
			room.warp_up_to[lane] = warps;
	}
	__syncthreads();
	if (warp > 0)
		below = lane == 0 ? room.warp_up_to[warp - 1] : joined<AffineItems>(room.warp_up_to[warp - 1], below);
	return below;
}

/* ---- totals ---- */

/*
 * Only of chunks that go on: nobody asks where the others end.  They are of 4096 rows, all
 * but the first, and so can be told apart by a number that is as much smaller.
 */
__device__ inline int64_t
total_slot(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk == 0 ? 0 : 1 + a.chunks[chunk].first / RECURRENCE_CHUNK;
}

template <int KIND>
__global__ void
__launch_bounds__(SCAN_THREADS, CHUNK_BLOCKS_AT_ONCE) recurrence_totals(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(ChunkRoom, room);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		ChunkRows<KIND> rows;
		Affine			total;

		if (!chunk_goes_on(a, chunk))
			continue;
		read_chunk(a, room, chunk, chunk_rows(a, chunk), &rows);
		(void) map_below(room, map_of_rows(a, rows), &total);
		if (threadIdx.x == 0)
			a.totals[total_slot(a, chunk)] = total;
	}
}

/* ---- walk ---- */

/* What a chunk begins with; of one that goes on from another after the walk alone. */
__device__ inline RecurrencePair
start_of(const RecurrenceArgs &a, int64_t chunk)
{
	if (a.chunks[chunk].segment)
		return pair_of(a.init);
	return chunk == 0 ? a.pair : a.ends[total_slot(a, chunk - 1)];
}

/* What the next chunk begins with: the answer that was shown last. */
__device__ inline RecurrencePair
next_start(const RecurrenceArgs &a, const Affine *total, const RecurrencePair *start)
{
	RecurrencePair end = affine_apply(total, start);
	double		   y;

	if (!recurrence_certify(&end, &y))
	{
		/* nothing is proved, but nothing is left unwritten either */
		a.answer->result.lost = 1;
		y = 0.0;
	}
	return pair_of(y + 0.0);
}

/* A thread for every chunk; those that a segment begins with, and the first, go on to its end. */
__global__ void
recurrence_walk(const __grid_constant__ RecurrenceArgs a)
{
	int64_t		   chunk = thread_row(), chunks = chunks_laid(a);
	RecurrencePair at;

	if (chunk >= chunks || (chunk > 0 && !a.chunks[chunk].segment))
		return;
	at = start_of(a, chunk);
	for (; chunk_goes_on(a, chunk); chunk++)
	{
		int64_t slot = total_slot(a, chunk);

		at = a.ends[slot] = next_start(a, &a.totals[slot], &at);
	}
}

typedef struct WalkRoom
{
	Affine		   total[SCAN_THREADS];
	RecurrencePair end[SCAN_THREADS];
} WalkRoom;

/*
 * One segment alone: a block whose first thread walks, while the others fetch for it.  By
 * itself it would wait for memory at every step, for longer than a step takes.
 */
__global__ void
__launch_bounds__(SCAN_THREADS) recurrence_walk_on(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(WalkRoom, room);
	int64_t		   steps = chunks_laid(a) - 1;
	int			   t = (int) threadIdx.x;
	RecurrencePair at = {0.0, 0.0, 0.0};

	if (t == 0 && steps > 0)
		at = start_of(a, 0);
	for (int64_t base = 0; base < steps; base += SCAN_THREADS)
	{
		bool	mine = base + t < steps;
		int64_t slot = mine ? total_slot(a, base + t) : 0;

		if (mine)
			room.total[t] = a.totals[slot];
		__syncthreads();
		if (t == 0)
			for (int k = 0; k < SCAN_THREADS && base + k < steps; k++)
				at = room.end[k] = next_start(a, &room.total[k], &at);
		__syncthreads();
		if (mine)
			a.ends[slot] = room.end[t];
	}
}

/* ---- answers ---- */

/* What the column's last row leaves. */
template <int KIND>
__device__ inline void
leave_last(const RecurrenceArgs &a, int64_t chunk, int64_t i, const RecurrencePair &pair, double y)
{
	RecurrenceTravel *travel = &a.answer->travel[KIND == ROWS_WEIGHT ? 1 : 0];
	bool			  begun = chunk > 0 || !a.any || a.chunks[0].segment || a.travel.count == RECURRENCE_CHUNK;

	travel->y[0] = y;
	travel->start[0] = begun ? start_of(a, chunk).h : a.travel.start[0];
	travel->pair[0] = pair;
	travel->count = (int32_t) (i + 1 - a.chunks[chunk].first) + (begun ? 0 : a.travel.count);
	a.answer->in_first_chunk = begun ? a.chunks[chunk].segment : a.in_first_chunk;
	/* for a column that needs no show */
	a.answer->held = KIND == ROWS_WEIGHT ? ema_adjusted(a.y[i], y) : y;
	a.answer->any = true;
}

/* The next pair, by the step that settles ties or by the other. */
__device__ inline RecurrencePair
next_pair(const RecurrencePair &pair, double a, double b, bool tracked)
{
	Recurrence r;

	if (!tracked)
		return recurrence_first_order(&pair, a, b);
	r.order = 1;
	r.pair[0] = pair;
	recurrence_step_tracked(&r, &a, b);
	return r.pair[0];
}

/* y := the answer of a pair, if it proves one. */
__device__ inline bool
pair_answers(const RecurrencePair &pair, double *y)
{
	bool proved = recurrence_certify(&pair, y);

	*y += 0.0; /* -0 is +0 */
	return proved;
}

/* Writes an answer; a weight's: the average, over its numerator. */
template <int KIND>
__device__ inline void
write_answer(const RecurrenceArgs &a, int64_t i, double y)
{
	a.y[i] = KIND == ROWS_WEIGHT ? ema_adjusted(a.y[i], y) : y;
}

/* The thread's rows of a chunk, from *pair before them, to that of the last, answered.  False: not proved. */
template <int KIND>
__device__ inline bool
answer_rows(const RecurrenceArgs &a, int64_t chunk, ChunkRows<KIND> *rows, bool tracked, RecurrencePair *pair)
{
	int64_t from = a.chunks[chunk].first + (int64_t) threadIdx.x * CHUNK_ITEMS;
	int64_t last = rows_laid(a) - 1;
	bool	proved = true;

#pragma unroll
	for (int r = 0; r < CHUNK_ITEMS; r++)
	{
		if (r >= rows->count)
			continue;
		*pair = next_pair(*pair, row_a(a, *rows, r), row_b(a, *rows, r), tracked);
		proved = pair_answers(*pair, &rows->b[r]) && proved;
		if (from + r == last)
			leave_last<KIND>(a, chunk, last, *pair, rows->b[r]);
	}
	return proved;
}

/* The same for all threads of a block, whose starts have bounds but for the first one's. */
template <int KIND>
__device__ inline bool
answer_block(const RecurrenceArgs &a, int64_t chunk, ChunkRows<KIND> *rows, RecurrencePair pair)
{
	int	 t = (int) threadIdx.x;
	bool young = a.chunks[chunk].segment || (chunk == 0 && a.travel.count < TIE_ROWS);
	int	 turns = young && t < WARP ? TIE_THREADS : 1;
	bool proved = true;

	for (int turn = 0; turn < turns; turn++)
	{
		if (t == turn || (t >= turns && turn == 0))
			proved = answer_rows(a, chunk, rows, t < turns, &pair);
		if (turns > 1)
		{
			RecurrencePair handed = warp_below(pair, 1);

			if (t == turn + 1 && t < turns && handed.bound == 0.0)
				pair = handed;
		}
	}
	return proved;
}

/* Writes a block's answers as they lie in memory. */
template <int KIND>
__device__ inline void
write_chunk(const RecurrenceArgs &a, ChunkRoom &room, int64_t chunk, int n, const double *y)
{
	int64_t first = a.chunks[chunk].first;
	int		t = (int) threadIdx.x;

	__syncthreads(); /* the last to read its rows has them */
#pragma unroll
	for (int r = 0; r < CHUNK_ITEMS; r++)
		room.row[chunk_slot(t * CHUNK_ITEMS + r)] = y[r];
	__syncthreads();
#pragma unroll
	for (int k = 0; k < CHUNK_ITEMS; k++)
	{
		int e = k * SCAN_THREADS + t;

		if (e < n)
			write_answer<KIND>(a, first + e, room.row[chunk_slot(e)]);
	}
}

template <int KIND>
__global__ void
__launch_bounds__(SCAN_THREADS, CHUNK_BLOCKS_AT_ONCE) recurrence_answers(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(ChunkRoom, room);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		int				n = chunk_rows(a, chunk);
		RecurrencePair	pair;
		ChunkRows<KIND> rows;
		Affine			total, below;

		if (n <= a.few)
			continue;
		read_chunk(a, room, chunk, n, &rows);
		below = map_below(room, map_of_rows(a, rows), &total);
		pair = start_of(a, chunk);
		if (threadIdx.x > 0)
			pair = affine_apply(&below, &pair);
		if (!answer_block(a, chunk, &rows, pair))
			a.answer->result.lost = 1;
		write_chunk<KIND>(a, room, chunk, n, rows.b);
	}
}

/* The chunks of few rows: a thread each, from row to row. */
template <int KIND>
__global__ void
recurrence_answers_few(const __grid_constant__ RecurrenceArgs a)
{
	int64_t		   chunk = thread_row(), last = rows_laid(a) - 1;
	RecurrencePair pair;
	int64_t		   first;
	int			   n;

	if (chunk >= chunks_laid(a) || (n = chunk_rows(a, chunk)) > a.few)
		return;
	first = a.chunks[chunk].first;
	pair = start_of(a, chunk);
	for (int r = 0; r < n; r++)
	{
		int64_t i = first + r;
		bool	starts = r == 0 && a.chunks[chunk].segment;
		double	y;

		pair = next_pair(pair, row_a<KIND>(a, KIND == ROWS_COLUMNS ? a.a[i] : 0.0),
						 row_b<KIND>(a, KIND == ROWS_WEIGHT ? 0.0 : a.b[i], starts), r < TIE_ROWS);
		if (!pair_answers(pair, &y))
			a.answer->result.lost = 1;
		if (i == last)
			leave_last<KIND>(a, chunk, i, pair, y);
		write_answer<KIND>(a, i, y);
	}
}

#endif /* SCAN_GPU_CHUNK_CUH */
