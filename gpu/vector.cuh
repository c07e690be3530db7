/*
 * vector.cuh: the steps "totals" and "answers" of recurrences of order K = 2 (see recurrence.cuh and carry_chain.cuh);
 * chunk.cuh is the same for first order.  vector.cu starts the kernels.
 *
 * A thread has sixteen rows of its chunk.  It reads them from global memory twice, for its map and for its answers.
 * Exchanging them as in chunk.cuh was rejected: a row has 8 (K + 1) bytes, so that a thread uses most of what it
 * fetches, the second read hits the cache, and the registers are needed for maps, which have 18 doubles each at order
 * 2.  The arithmetic takes the time: a join of maps is K K (K + 1) products of pairs.
 *
 * Bounds.  The bound of a value grows by |a_1| + .. + |a_K| per row, which in sixteen rows is much for
 * a filter, and a join of maps takes absolute values once more.  If the coefficients change from row
 * to row, there is nothing better.  If all rows have the same coefficients, the bound of the CPU also
 * holds (op/error_growth.h): the error of a value is at most the largest residual of the rows before
 * it times the sum of the absolute values of the impulse response.  The bound holds for any sequence,
 * however it was found.  So every thread assumes that its start, which the maps give, is right,
 * advances its rows from there and notes their residuals.  If its start is not where the thread before
 * it has ended, the distance times (|a_1| + .. + |a_K|) is one more residual.  The block's largest
 * residual times the error growth bounds all errors in the block.  Each of the K + 1 columns of a
 * chunk's map is such a sequence.
 * Filters whose poles nearly coincide near the unit circle remain hard: in products of their maps
 * large entries cancel, and the starts are far from the ends before them.
 */
#ifndef SCAN_GPU_VECTOR_CUH
#define SCAN_GPU_VECTOR_CUH

#include "carry_chain.cuh"

#define STEADY_SLACK (1 + 0x1p-30) /* for the roundings of bounds */

template <int K> struct VectorRoom
{
	MapRoom<K> maps;
	History<K> end[SCAN_WARPS];
	double	   max[SCAN_WARPS];
};

/* A thread's rows, consecutive ones of one chunk. */
typedef struct VectorRows
{
	int64_t first; /* position among the valid rows */
	int		count;
} VectorRows;

__device__ inline VectorRows
vector_rows(const RecurrenceArgs &a, int64_t chunk)
{
	int		   from = (int) threadIdx.x * CHUNK_ITEMS, left = chunk_rows(a, chunk) - from;
	VectorRows rows;

	rows.first = a.chunks[chunk].first + from;
	rows.count = left < 0 ? 0 : left < CHUNK_ITEMS ? left : CHUNK_ITEMS;
	return rows;
}

/* The coefficients of a row. */
template <int K> struct Coefficients
{
	double a[K];
};

template <int K>
__device__ inline Coefficients<K>
coefficients(const RecurrenceArgs &a, int64_t i)
{
	Coefficients<K> row;

	SCAN_UNROLL
	for (int j = 0; j < K; j++)
		row.a[j] = a.a[i * K + j];
	return row;
}

/* Returns the map of a thread's rows. */
template <int K>
__device__ inline Map<K>
vector_map(const RecurrenceArgs &a, const VectorRows &rows)
{
	Map<K> map;

	if (rows.count > 0)
		companion_of_row(K, map.of, coefficients<K>(a, rows.first).a, a.b[rows.first]);
	else
		companion_identity(K, map.of);
#pragma unroll 1
	for (int r = 1; r < rows.count; r++)
		companion_then_row(K, map.of, coefficients<K>(a, rows.first + r).a, a.b[rows.first + r]);
	return map;
}

/* ---- error growth ---- */

/* Sets *differ if some row has other coefficients than those of the growth. */
template <int K>
__global__ void
vector_compare(const __grid_constant__ RecurrenceArgs a)
{
	int64_t i = thread_row();

	if (i < rows_laid(a) && !recurrence_same_coefficients(coefficients<K>(a, i).a, a.growth.a, K))
		*a.differ = 1;
}

/* Returns the growth in a chunk of this many rows. */
__device__ inline double
growth_of(const RecurrenceArgs &a, bool few)
{
	if (a.differ == NULL || *a.differ != 0)
		return (double) INFINITY;
	return few ? a.growth.few : a.growth.chunk;
}

/* The parts of the bound of a sequence's errors by error growth: local * growth + start. */
typedef struct Steady
{
	double growth; /* error growth in the chunk, a factor */
	double start;  /* bound of what the errors of the start have grown to */
	double local;  /* the largest residual so far */
} Steady;

template <int K>
__device__ inline Steady
steady_of(const RecurrenceArgs &a, const History<K> &start, double growth)
{
	Steady steady = {growth, 0.0, 0.0};

	SCAN_UNROLL
	for (int j = 0; j < K; j++)
		if (!(start.pair[j].bound <= steady.start))
			steady.start = start.pair[j].bound;
	if (steady.start != 0.0)
		steady.start *= 1 + a.growth.size * growth;
	return steady;
}

/* Returns the smaller of `bound` and the bound by error growth, unless the latter is NaN (infinity times 0). */
__device__ inline double
steady_bound(const Steady &steady, double bound)
{
	double by_growth = (steady.local * steady.growth + steady.start) * STEADY_SLACK;

	return bound <= by_growth || isnan(by_growth) ? bound : by_growth;
}

/* Returns an upper bound of |x - y|. */
__device__ inline double
pairs_apart(const RecurrencePair &x, const RecurrencePair &y)
{
	double h = x.h - y.h, l = x.l - y.l;

	return fabs(h + l) + 0x1p-51 * (fabs(h) + fabs(l)) + 0x1p-1018;
}

/* Returns the larger of x and y; a NaN counts as infinity. */
__device__ inline double
more_of(double x, double y)
{
	return !(y <= x) ? isnan(y) ? (double) INFINITY : y : x;
}

/* Returns the largest x of the block to all threads. */
__device__ inline double
block_max(double *room, double x)
{
	int	   lane = (int) threadIdx.x % WARP, warp = (int) threadIdx.x / WARP;
	double max = more_of(0.0, x);

	for (int d = WARP / 2; d > 0; d /= 2)
		max = more_of(max, warp_above(max, d));
	if (lane == 0)
		room[warp] = max;
	__syncthreads();
	for (int w = 0; w < SCAN_WARPS; w++)
		max = more_of(max, room[w]);
	__syncthreads();
	return max;
}

/* Returns the value of the thread below; undefined for the first thread. */
template <typename T>
__device__ inline T
block_below(T *room, const T &value)
{
	int lane = (int) threadIdx.x % WARP, warp = (int) threadIdx.x / WARP;
	T	below = warp_below(value, 1);

	if (lane == WARP - 1)
		room[warp] = value;
	__syncthreads();
	if (lane == 0 && warp > 0)
		below = room[warp - 1];
	__syncthreads();
	return below;
}

/* ---- totals ---- */

/*
 * Writes the chunk's map, with bounds by the error growth, from the thread that has the chunk's last row.  `start` is
 * the map of the rows before the thread's.
 */
template <int K>
__device__ inline void
vector_steady_total(const RecurrenceArgs &a, VectorRoom<K> &room, int64_t chunk, const VectorRows &rows,
					const Map<K> &start, double growth)
{
	Map<K> at = start, before;
	double local[K + 1] = {0.0};

#pragma unroll 1
	for (int r = 0; r < rows.count; r++)
	{
		SCAN_UNROLL
		for (int i = 0; i < COMPANION_PAIRS(K); i++)
			at.of[i].bound = 0.0;
		companion_then_row(K, at.of, coefficients<K>(a, rows.first + r).a, a.b[rows.first + r]);
		SCAN_UNROLL
		for (int j = 0; j <= K; j++)
			local[j] = more_of(local[j], at.of[j].bound);
	}
	before = block_below(room.maps.warp_total, at);
	SCAN_UNROLL
	for (int j = 0; j <= K; j++)
	{
		double apart = 0.0, max;

		SCAN_UNROLL
		for (int i = 0; i < K; i++)
			if (threadIdx.x > 0 && rows.count > 0)
				apart = more_of(apart, pairs_apart(before.of[i * (K + 1) + j], start.of[i * (K + 1) + j]));
		max = block_max(room.max, local[j] + a.growth.size * apart);
		/* + apart: if the last thread has fewer than K rows, the map has older rows from `start`, not from `before` */
		SCAN_UNROLL
		for (int i = 0; i < K; i++)
			at.of[i * (K + 1) + j].bound = (max * growth + apart) * STEADY_SLACK;
	}
	if ((int) threadIdx.x == (chunk_rows(a, chunk) - 1) / CHUNK_ITEMS)
		*total_of<K>(a, chunk) = at;
}

template <int K>
__global__ void
__launch_bounds__(SCAN_THREADS) vector_totals(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(VectorRoom<K>, room);
	double growth = growth_of(a, false);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		VectorRows rows;
		Map<K>	   total, below;

		if (!chunk_goes_on(a, chunk))
			continue;
		rows = vector_rows(a, chunk);
		below = map_below(room.maps, vector_map<K>(a, rows), &total);
		if (threadIdx.x == 0)
			companion_identity(K, below.of);
		if (growth < (double) INFINITY)
			vector_steady_total(a, room, chunk, rows, below, growth);
		else if (threadIdx.x == 0)
			*total_of<K>(a, chunk) = total;
	}
}

/* ---- answers ---- */

/*
 * Answers rows.  *history is the state before the rows and becomes the state after them.  Returns false if an answer is
 * not proved.
 */
template <int K>
__device__ inline bool
vector_answer_rows(const RecurrenceArgs &a, const VectorRows &rows, Steady steady, bool tracked, History<K> *history)
{
	int64_t last = rows_laid(a) - 1;
	bool	proved = true;

#pragma unroll 1
	for (int64_t i = rows.first; i < rows.first + rows.count; i++)
	{
		Coefficients<K> row = coefficients<K>(a, i);
		double			y, local;

		if (tracked)
			local = companion_row_tracked(K, history->pair, row.a, a.b[i]);
		else
			local = companion_row_certified(K, history->pair, row.a, a.b[i]);
		steady.local = more_of(steady.local, local);
		history->pair[0].bound = steady_bound(steady, history->pair[0].bound);
		proved = pair_answers(history->pair[0], &y) && proved;
		a.y[i] = y;
		if (i == last)
			for (int j = 0; j < K; j++)
				a.answer->serialized[0].pair[j] = history->pair[j];
	}
	return proved;
}

/* Returns the block's largest residual if every thread advances its rows from `start` by CERTIFIED. */
template <int K>
__device__ inline double
vector_residual(const RecurrenceArgs &a, VectorRoom<K> &room, const VectorRows &rows, const History<K> &start)
{
	History<K> at = start, before;
	double	   local = 0.0, apart = 0.0;

#pragma unroll 1
	for (int64_t i = rows.first; i < rows.first + rows.count; i++)
		local = more_of(local, companion_row_certified(K, at.pair, coefficients<K>(a, i).a, a.b[i]));
	before = block_below(room.end, at);
	SCAN_UNROLL
	for (int j = 0; j < K; j++)
		if (threadIdx.x > 0 && rows.count > 0)
			apart = more_of(apart, pairs_apart(before.pair[j], start.pair[j]));
	return block_max(room.max, local + a.growth.size * apart);
}

template <int K>
__global__ void
__launch_bounds__(SCAN_THREADS) vector_answers(const __grid_constant__ RecurrenceArgs a)
{
	SHARED(VectorRoom<K>, room);
	double growth = growth_of(a, false);

	for (int64_t chunk = blockIdx.x; chunk < chunks_laid(a); chunk += gridDim.x)
	{
		VectorRows rows;
		History<K> start;
		Map<K>	   total, below;
		Steady	   steady;
		double	   residual;

		if (chunk_rows(a, chunk) <= a.few)
			continue;
		rows = vector_rows(a, chunk);
		below = map_below(room.maps, vector_map<K>(a, rows), &total);
		start = start_of<K>(a, chunk);
		steady = steady_of(a, start, growth);
		if (threadIdx.x > 0)
			companion_apply(K, below.of, start.pair);
		residual = growth < (double) INFINITY ? vector_residual(a, room, rows, start) : 0.0;
		/* TRACKED begins at an exact value or at the chunk's start, and has residuals of its own */
		auto answer = [&](bool tracked, History<K> *history)
		{
			steady.local = tracked ? 0.0 : residual;
			return vector_answer_rows<K>(a, rows, steady, tracked, history);
		};

		if (!answer_block(a, chunk, start, answer))
			a.answer->result.lost = 1;
	}
}

/*
 * Answers the chunks of at most a.few rows: one thread per chunk, all rows by TRACKED.  Integers stay integers for long
 * here, and meet ties as soon as they have more than 53 bits: Fibonacci's from the 79th on.
 */
template <int K>
__global__ void
vector_answers_few(const __grid_constant__ RecurrenceArgs a)
{
	int64_t	   chunk = thread_row();
	VectorRows rows;
	History<K> at;

	if (chunk >= chunks_laid(a) || (rows.count = chunk_rows(a, chunk)) > a.few)
		return;
	rows.first = a.chunks[chunk].first;
	at = start_of<K>(a, chunk);
	if (!vector_answer_rows<K>(a, rows, steady_of(a, at, growth_of(a, true)), true, &at))
		a.answer->result.lost = 1;
}

/*
 * Writes the state after the column's last valid row, except its pairs, which vector_answer_rows() writes.  It is a
 * kernel of its own because several threads have written the last K answers; one thread runs it.  Answers before the
 * chunk's rows in this job are the chunk's start, or the carry's if an earlier job began the chunk.
 */
template <int K>
__global__ void
vector_leave(const __grid_constant__ RecurrenceArgs a)
{
	SerializedRecurrence *serialized = &a.answer->serialized[0];
	int64_t				  last = rows_laid(a) - 1, chunk = chunks_laid(a) - 1, rows;
	History<K>			  start;
	bool				  begun;

	if (last < 0 || threadIdx.x > 0)
		return;
	begun = chunk_begins_here(a, chunk);
	start = start_of<K>(a, chunk);
	rows = last + 1 - a.chunks[chunk].first;
	SCAN_UNROLL
	for (int j = 0; j < K; j++)
	{
		serialized->start[j] = begun ? start.pair[j].h : a.serialized.start[j];
		if (j < rows)
			serialized->y[j] = a.y[last - j];
		SCAN_UNROLL
		for (int before = 0; before < j; before++) /* an index that is not constant would need local memory */
			if (before == j - rows)
				serialized->y[j] = begun ? start.pair[before].h : a.serialized.y[before];
	}
	serialized->count = chunk_count(a, chunk, last);
	/* for a column without the step "show", which writes both otherwise */
	a.answer->pending = a.y[last];
	a.answer->any = true;
}

#endif /* SCAN_GPU_VECTOR_CUH */
