/*
 * carry_chain.cuh: the steps of a recurrence that know nothing of where its rows come from: maps
 * joined in a block, carries from chunk to chunk, and which thread takes its rows when.
 *
 * chunk.cuh uses it for first order, vector.cuh for order K.  A state is the last K values,
 * newest first (History), and a map what rows make of one (op/companion.h).
 */
#ifndef SCAN_GPU_CARRY_CHAIN_CUH
#define SCAN_GPU_CARRY_CHAIN_CUH

#include "recurrence.cuh"
#include "scan.cuh"

#define CHUNK_ITEMS (RECURRENCE_CHUNK / SCAN_THREADS)
#define CHUNK_FEW 256 /* rows of a chunk that is a thread's, in columns with heads */
#define TIE_THREADS 4 /* that go by TRACKED where a segment starts, */
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

/* Maps as items of items.cuh; threads without rows have the one that changes nothing. */
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

/* The map of all threads below, for all but the first; *total, for the first warp: that of all. */
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
 * Totals are of chunks that go on alone: nobody asks where the others end.  They are of 4096
 * rows, all but the first, and so can be told apart by a number that is as much smaller.
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

/* What a chunk begins with; one that goes on from another has to wait for its carry. */
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

/* Whether its first row is here, too, and not in the columns that came before. */
__device__ inline bool
chunk_begins_here(const RecurrenceArgs &a, int64_t chunk)
{
	return chunk > 0 || !a.any || a.chunks[0].segment || a.serialized.count == RECURRENCE_CHUNK;
}

/* How many rows of it there are up to row i. */
__device__ inline int32_t
chunk_count(const RecurrenceArgs &a, int64_t chunk, int64_t i)
{
	return (int32_t) (i + 1 - a.chunks[chunk].first) + (chunk_begins_here(a, chunk) ? 0 : a.serialized.count);
}

/* What the next chunk begins with: the answers that were shown last. */
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
			/* nothing is proved, but nothing is left unwritten either */
			a.answer->result.lost = 1;
			y = 0.0;
		}
		at->pair[j] = pair_of(y + 0.0);
	}
}

/* A thread for every chunk; those that a segment begins with, and the first, go on to its end. */
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

/* Chunks that are fetched together: as many as there is room for. */
#define CARRY_STEPS(K) ((K) == 1 ? SCAN_THREADS : SCAN_THREADS / 4)

template <int K> struct CarryRoom
{
	Map<K> total[CARRY_STEPS(K)];
	double end[CARRY_STEPS(K)][K];
};

/*
 * One segment alone: the first thread of a block carries, while the others fetch for it.  By
 * itself it would wait for memory at every step, for longer than a step takes.
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

/* y := the answer of a pair, if it proves one. */
__device__ inline bool
pair_answers(const RecurrencePair &pair, double *y)
{
	bool proved = recurrence_certify(&pair, y);

	*y += 0.0; /* -0 is +0 */
	return proved;
}

/*
 * Every thread's rows, from the history before them: `answer(tracked, &history)` takes them, by
 * TRACKED or not, and says whether all is proved.  Histories have bounds but for the first
 * thread's, and for those of young segments, whose first threads go one after the other as long
 * as what they hand on is exact: see chunk.cuh about ties.
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
