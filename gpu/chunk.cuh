/*
 * chunk.cuh: the steps "totals" and "answers" of a recurrence of first order, by chunks (see recurrence.cuh);
 * recurrence.cu starts the kernels.
 *
 * The threads of a block read neighbouring values of its chunk and exchange them in shared memory, so that each thread
 * then has sixteen consecutive rows in registers.  A chunk of few rows, in a short segment, is taken by a single
 * thread: in a block most threads would have no rows, and there are enough such chunks to keep many threads busy.
 *
 * Ties.  If a value lies halfway between two doubles, only a pair with a bound of zero proves how it rounds.  TRACKED
 * of op/recurrence.h has such bounds while a pair can hold the value exactly.  Values have that few bits near the start
 * of a chunk, above all of a segment: an average of integers with the coefficient 1/2 grows by a bit per row and meets
 * a tie after some fifty rows.  Therefore the first thread of a chunk uses TRACKED.  In the first chunk of a segment
 * the first four threads do, each from the pair at which the thread before has ended.
 */
#ifndef SCAN_GPU_CHUNK_CUH
#define SCAN_GPU_CHUNK_CUH

#include "carry_chain.cuh"

/* ---- a block's rows ---- */

typedef struct ChunkRoom
{
	double	   row[RECURRENCE_CHUNK + SCAN_THREADS];
	MapRoom<1> maps;
} ChunkRoom;

/* One slot is left free after each thread's rows, so that a warp's accesses are spread over all banks. */
__device__ inline int
chunk_slot(int row)
{
	return row + row / CHUNK_ITEMS;
}

/* A thread's rows: up to 16 consecutive ones. */
template <int KIND> struct ChunkRows
{
	double a[KIND == ROWS_COLUMNS ? CHUNK_ITEMS : 1];
	double b[CHUNK_ITEMS]; /* overwritten by the answers, because registers are scarce */
	int	   count;
	bool   first; /* true if the first of the rows starts a segment */
};

/* Return a row's coefficient and its term, from the values of the columns. */
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

/* Reads the block's n values of a column: x[k] := the value of row k * SCAN_THREADS + the thread's number. */
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

/* Gives the values of read_across() to the threads that own their rows: x[r] := the value of the thread's row r. */
__device__ inline void
hand_round(ChunkRoom &room, double *x)
{
	int t = (int) threadIdx.x;

	__syncthreads(); /* all threads are done with what the room held before */
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

	/* start reading both columns before waiting for either */
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

/* Appends a row to the map, by the step of op/recurrence.h for each of the map's two numbers. */
__device__ inline void
then_row(Map<1> *map, double a, double b)
{
	map->of[0] = recurrence_first_order(&map->of[0], a, 0.0);
	map->of[1] = recurrence_first_order(&map->of[1], a, b);
}

/* Returns the map of a thread's rows. */
template <int KIND>
__device__ inline Map<1>
map_of_rows(const RecurrenceArgs &a, const ChunkRows<KIND> &rows)
{
	Map<1> map;

	companion_identity(1, map.of);
#pragma unroll
	for (int r = 0; r < CHUNK_ITEMS; r++)
	{
		double row_a_is = row_a(a, rows, r), row_b_is = row_b(a, rows, r);

		if (r >= rows.count)
			continue;
		if (r == 0)
			companion_of_row(1, map.of, &row_a_is, row_b_is);
		else
			then_row(&map, row_a_is, row_b_is);
	}
	/* exact; l is small relative to h again, even if h has cancelled */
	two_sum(map.of[0].h, map.of[0].l, &map.of[0].h, &map.of[0].l);
	two_sum(map.of[1].h, map.of[1].l, &map.of[1].h, &map.of[1].l);
	return map;
}

/* ---- totals ---- */

template <int KIND>
__global__ void
__launch_bounds__(SCAN_THREADS, LARGE_BLOCKS_AT_ONCE) recurrence_totals(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(ChunkRoom, room);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		ChunkRows<KIND> rows;
		Map<1>			total;

		if (!chunk_goes_on(a, chunk))
			continue;
		read_chunk(a, room, chunk, chunk_rows(a, chunk), &rows);
		(void) map_below(room.maps, map_of_rows(a, rows), &total);
		if (threadIdx.x == 0)
			*total_of<1>(a, chunk) = total;
	}
}

/* ---- answers ---- */

/* Writes the state after row i, the column's last valid row; y is the rounded value of `pair`. */
template <int KIND>
__device__ inline void
leave_last(const RecurrenceArgs &a, int64_t chunk, int64_t i, const RecurrencePair &pair, double y)
{
	SerializedRecurrence *serialized = &a.answer->serialized[KIND == ROWS_WEIGHT ? 1 : 0];
	bool				  begun = chunk_begins_here(a, chunk);

	serialized->y[0] = y;
	serialized->start[0] = begun ? start_of<1>(a, chunk).pair[0].h : a.serialized.start[0];
	serialized->pair[0] = pair;
	serialized->count = chunk_count(a, chunk, i);
	a.answer->in_first_chunk = begun ? a.chunks[chunk].segment : a.in_first_chunk;
	/* for a column without the step "show", which writes both otherwise */
	a.answer->pending = KIND == ROWS_WEIGHT ? ema_adjusted(a.y[i], y) : y;
	a.answer->any = true;
}

/* Advances the pair by a row: by TRACKED, which settles ties, or by CERTIFIED. */
__device__ inline void
next_pair(RecurrencePair *pair, double a, double b, bool tracked)
{
	if (tracked)
		(void) companion_row_tracked(1, pair, &a, b);
	else
		*pair = recurrence_first_order(pair, a, b);
}

/* Writes an answer.  If it is a weight, a.y[i] is the average's numerator, and the average replaces it. */
template <int KIND>
__device__ inline void
write_answer(const RecurrenceArgs &a, int64_t i, double y)
{
	a.y[i] = KIND == ROWS_WEIGHT ? ema_adjusted(a.y[i], y) : y;
}

/*
 * Answers the thread's rows of a chunk.  *pair is the value before the rows and becomes the value after them.  Returns
 * false if an answer is not proved.
 */
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
		next_pair(pair, row_a(a, *rows, r), row_b(a, *rows, r), tracked);
		proved = pair_answers(*pair, &rows->b[r]) && proved;
		if (from + r == last)
			leave_last<KIND>(a, chunk, last, *pair, rows->b[r]);
	}
	return proved;
}

/* Writes a block's answers, neighbouring threads to neighbouring addresses. */
template <int KIND>
__device__ inline void
write_chunk(const RecurrenceArgs &a, ChunkRoom &room, int64_t chunk, int n, const double *y)
{
	int64_t first = a.chunks[chunk].first;
	int		t = (int) threadIdx.x;

	__syncthreads(); /* all threads have read their rows from the room */
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
__launch_bounds__(SCAN_THREADS, LARGE_BLOCKS_AT_ONCE) recurrence_answers(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(ChunkRoom, room);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		int				n = chunk_rows(a, chunk);
		History<1>		start;
		ChunkRows<KIND> rows;
		Map<1>			total, below;

		if (n <= a.few)
			continue;
		read_chunk(a, room, chunk, n, &rows);
		below = map_below(room.maps, map_of_rows(a, rows), &total);
		start = start_of<1>(a, chunk);
		if (threadIdx.x > 0)
			companion_apply(1, below.of, start.pair);
		auto answer = [&](bool tracked, History<1> *history)
		{ return answer_rows(a, chunk, &rows, tracked, history->pair); };

		if (!answer_block(a, chunk, start, answer))
			a.answer->result.lost = 1;
		write_chunk<KIND>(a, room, chunk, n, rows.b);
	}
}

/* Answers the chunks of at most a.few rows: one thread per chunk, row by row. */
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
	pair = start_of<1>(a, chunk).pair[0];
	for (int r = 0; r < n; r++)
	{
		int64_t i = first + r;
		bool	starts = r == 0 && a.chunks[chunk].segment;
		double	y;

		next_pair(&pair, row_a<KIND>(a, KIND == ROWS_COLUMNS ? a.a[i] : 0.0),
				  row_b<KIND>(a, KIND == ROWS_WEIGHT ? 0.0 : a.b[i], starts), r < TIE_ROWS);
		if (!pair_answers(pair, &y))
			a.answer->result.lost = 1;
		if (i == last)
			leave_last<KIND>(a, chunk, i, pair, y);
		write_answer<KIND>(a, i, y);
	}
}

#endif /* SCAN_GPU_CHUNK_CUH */
