/*
 * carry_chain.cuh: the parts of a recurrence that do not depend on where its rows come from: the join of maps in a
 * block, the step "carry" from chunk to chunk, and the order in which threads take rows.
 *
 * chunk.cuh uses it for first order, vector.cuh for order K.  A state is the last K values, newest first (History).  A
 * map takes the state before some rows to the state after them (op/companion.h).
 */
#ifndef SCAN_GPU_CARRY_CHAIN_CUH
#define SCAN_GPU_CARRY_CHAIN_CUH

#include "recurrence.cuh"
#include "scan.cuh"

#define CHUNK_ITEMS (RECURRENCE_CHUNK / SCAN_THREADS)
#define CHUNK_FEW 256 /* rows, at most, of a chunk that one thread takes, in columns with heads */
#define TIE_THREADS 4 /* threads that use TRACKED at the start of a segment (chunk.cuh) */
#define TIE_ROWS (TIE_THREADS * CHUNK_ITEMS)

template <int K> struct Map
{
	RecurrencePair of[COMPANION_PAIRS(K)];
};

template <int K> struct History
{
	RecurrencePair pair[K];
};

/* ---- maps in a block ---- */

/* Maps as items of items.cuh; the map of a thread without rows is the identity. */
template <int K> struct MapItems
{
	typedef Map<K> T;

	static __device__ inline void
	join(T *left, const T *right)
	{
		companion_join(K, left->of, right->of);
	}
};

template <int K> struct MapRoom
{
	Map<K> warp_total[SCAN_WARPS];
	Map<K> warp_up_to[SCAN_WARPS];
};

/*
 * Returns the map of the rows of all threads below; undefined for the first thread.  *total := the map of the rows of
 * all threads, set in the first warp only.
 */
template <int K>
__device__ inline Map<K>
map_below(MapRoom<K> &room, const Map<K> &mine, Map<K> *total)
{
	typedef MapItems<K> Items;
	constexpr int		UNROLL = K == 1 ? WARP : 1;

	int	   lane = (int) threadIdx.x % WARP, warp = (int) threadIdx.x / WARP;
	Map<K> inclusive = warp_inclusive<Items, UNROLL>(mine, lane, WARP);
	Map<K> below = warp_below(inclusive, 1);

	if (lane == WARP - 1)
		room.warp_total[warp] = inclusive;
	__syncthreads();
	if (warp == 0)
	{
		Map<K> warps = warp_inclusive<Items, UNROLL>(room.warp_total[lane % SCAN_WARPS], lane % SCAN_WARPS, SCAN_WARPS);

		*total = warp_value(warps, SCAN_WARPS - 1);
		if (lane < SCAN_WARPS)
			room.warp_up_to[lane] = warps;
	}
	__syncthreads();
	if (warp > 0)
		below = lane == 0 ? room.warp_up_to[warp - 1] : joined<Items>(room.warp_up_to[warp - 1], below);
	return below;
}

/* ---- from chunk to chunk ---- */

/*
 * Returns the slot of a chunk's total and end.  Only chunks that the next one continues from have them.  Such chunks
 * have 4096 rows, except the first, so the first row divided by 4096 tells them apart.
 */
__device__ inline int64_t
total_slot(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk == 0 ? 0 : 1 + a.chunks[chunk].first / RECURRENCE_CHUNK;
}

template <int K>
__device__ inline Map<K> *
total_of(const RecurrenceArgs &a, int64_t chunk)
{
	return (Map<K> *) a.totals + total_slot(a, chunk);
}

/* Returns the state before a chunk.  If the chunk continues from another one, the step "carry" must have run. */
template <int K>
__device__ inline History<K>
start_of(const RecurrenceArgs &a, int64_t chunk)
{
	bool	segment = a.chunks[chunk].segment;
	int64_t slot = segment || chunk == 0 ? 0 : total_slot(a, chunk - 1);

	History<K> start;

	SCAN_UNROLL
	for (int j = 0; j < K; j++)
		start.pair[j] = segment ? pair_of(a.init[j]) : chunk == 0 ? a.pair[j] : pair_of(a.ends[slot * K + j]);
	return start;
}

/* True if the chunk's first row is in this job, and not in an earlier one. */
__device__ inline bool
chunk_begins_here(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk > 0 || !a.any || a.chunks[0].segment || a.serialized.count == RECURRENCE_CHUNK;
}

/* Returns the number of the chunk's rows up to row i, those of earlier jobs included. */
__device__ inline int32_t
chunk_count(const RecurrenceArgs &a, int64_t chunk, int64_t i)
{
	return (int32_t) (i + 1 - a.chunks[chunk].first) + (chunk_begins_here(a, chunk) ? 0 : a.serialized.count);
}

/* Advances *at by a chunk, to the state before the next one: the chunk's last K answers, rounded. */
template <int K>
__device__ inline void
next_start(const RecurrenceArgs &a, const Map<K> &total, History<K> *at)
{
	companion_apply(K, total.of, at->pair);
	SCAN_UNROLL
	for (int j = 0; j < K; j++)
	{
		double y;

		if (!recurrence_certify(&at->pair[j], &y))
		{
			/* the job is not proved, but all memory is written */
			a.answer->result.lost = 1;
			y = 0.0;
		}
		at->pair[j] = pair_of(y + 0.0);
	}
}

/* One thread per chunk: the thread of a segment's first chunk, or of the column's, carries to the segment's end. */
template <int K>
__global__ void
recurrence_carry(const __grid_constant__ RecurrenceArgs a)
{
	int64_t	   chunk = thread_row(), chunks = chunks_laid(a);
	History<K> at;

	if (chunk >= chunks || (chunk > 0 && !a.chunks[chunk].segment))
		return;
	at = start_of<K>(a, chunk);
	for (; chunk_goes_on(a, chunk); chunk++)
	{
		next_start(a, *total_of<K>(a, chunk), &at);
		for (int j = 0; j < K; j++)
			a.ends[total_slot(a, chunk) * K + j] = at.pair[j].h;
	}
}

/* Number of chunks whose maps are fetched together, limited by shared memory. */
#define CARRY_STEPS(K) ((K) == 1 ? SCAN_THREADS : SCAN_THREADS / 4)

template <int K> struct CarryRoom
{
	Map<K> total[CARRY_STEPS(K)];
	double end[CARRY_STEPS(K)][K];
};

/*
 * "carry" in a column of one segment: the first thread of a block carries, and all threads fetch maps for it.  A thread
 * alone would wait for memory at every step, for longer than the step takes.
 */
template <int K>
__global__ void
__launch_bounds__(SCAN_THREADS) recurrence_carry_one(const __grid_constant__ RecurrenceArgs a)
{
	typedef CarryRoom<K> Room;
	SHARED(Room, room);
	int64_t	   steps = chunks_laid(a) - 1;
	int		   t = (int) threadIdx.x;
	History<K> at;

	memset(&at, 0, sizeof(at));
	if (t == 0 && steps > 0)
		at = start_of<K>(a, 0);
	for (int64_t base = 0; base < steps; base += CARRY_STEPS(K))
	{
		bool mine = t < CARRY_STEPS(K) && base + t < steps;

		if (mine)
			room.total[t] = *total_of<K>(a, base + t);
		__syncthreads();
		if (t == 0)
			for (int k = 0; k < CARRY_STEPS(K) && base + k < steps; k++)
			{
				next_start(a, room.total[k], &at);
				for (int j = 0; j < K; j++)
					room.end[k][j] = at.pair[j].h;
			}
		__syncthreads();
		if (mine)
			for (int j = 0; j < K; j++)
				a.ends[total_slot(a, base + t) * K + j] = room.end[t][j];
	}
}

/* ---- answers of a block ---- */

/* *y := the answer of a pair; returns true if the pair proves it. */
__device__ inline bool
pair_answers(const RecurrencePair &pair, double *y)
{
	bool proved = recurrence_certify(&pair, y);

	*y += 0.0; /* -0 is +0 */
	return proved;
}

/*
 * Answers the rows of every thread, from `history`, the state before them.  Returns false if an answer is not proved.
 * `answer(tracked, &history)` does a thread's rows, by TRACKED if `tracked`, and leaves the state after them in
 * `history`.  The first thread uses TRACKED.  In a segment's first chunk, and in one of which earlier jobs have
 * answered fewer than TIE_ROWS rows, the first TIE_THREADS threads take turns: each continues by TRACKED if the thread
 * before hands over a state whose bounds are zero (chunk.cuh says why), and otherwise takes its rows from its own
 * history.
 */
template <int K, typename Answer>
__device__ inline bool
answer_block(const RecurrenceArgs &a, int64_t chunk, History<K> history, Answer answer)
{
	int	 t = (int) threadIdx.x;
	bool young = a.chunks[chunk].segment || (chunk == 0 && a.serialized.count < TIE_ROWS);
	int	 turns = young && t < WARP ? TIE_THREADS : 1;
	bool tracked = t == 0, proved = true;

	for (int turn = 0; turn < turns; turn++)
	{
		if (t == turn || (t >= turns && turn == 0))
			proved = answer(tracked, &history);
		if (turns > 1)
		{
			History<K> handed = warp_below(history, 1);
			bool	   exact = t == turn + 1 && t < turns;

			SCAN_UNROLL
			for (int j = 0; j < K; j++)
				exact = exact && handed.pair[j].bound == 0.0;
			if (exact)
			{
				history = handed;
				tracked = true;
			}
		}
	}
	return proved;
}

#endif /* SCAN_GPU_CARRY_CHAIN_CUH */
