/*
 * frame.cuh: the kernel of the lines of frames (op/frame.h): a fold of each row's values, from left to right.
 *
 * frame.cu starts it.  No two rows share a sum, since the order of the additions is given, but neighbouring frames
 * overlap.  So a thread takes some neighbouring rows, and each value that it reads goes into the sums of all of them:
 * one load and fifteen additions for a sum.  The values lie in shared memory, in a window that moves on with the
 * threads.  The number of a thread's rows is odd: the frames of two threads of a warp then begin an odd number of
 * values apart in the usual case, so that the threads read from different banks.
 *
 * The values of a thread's frames have three parts: up to the last frame's beginning, from there to the first frame's
 * end, and the rest.  In the middle part, nearly all of a long frame, each value is of all frames.  In the others, and
 * everywhere if some frames have no value in common, each step asks every frame.  That covers frames of any kind, so
 * there is no path of its own for frames of ROWS.
 *
 * The bounds and what frames may do are checked before (gpu/job.c).  A result that is not finite is frame_doubt_TYPE(),
 * so no bit of an answer depends on how a device treats NaNs.
 */
#ifndef SCAN_GPU_FRAME_CUH
#define SCAN_GPU_FRAME_CUH

#include "frame.h"

#define FRAME_THREADS 128
#define FRAME_WARPS (FRAME_THREADS / 32)
#define FRAME_WINDOW 4096 /* values in shared memory */

/* The functions of a line, with the rows of a thread and how many blocks a multiprocessor should run at once. */
#define FRAME_LINE(D, NAME, THREAD_ROWS, BLOCKS) \
	struct NAME                                  \
	{                                            \
		typedef D##_value X;                     \
		typedef D##_acc	  Acc;                   \
		enum                                     \
		{                                        \
			ROWS = THREAD_ROWS,                  \
			BLOCK_ROWS = FRAME_THREADS * ROWS,   \
			AT_ONCE = BLOCKS                     \
		};                                       \
		static __device__ inline void            \
		start(Acc *acc)                          \
		{                                        \
			D##_start(acc);                      \
		}                                        \
		static __device__ inline void            \
		first(Acc *acc, X x)                     \
		{                                        \
			D##_first(acc, x);                   \
		}                                        \
		static __device__ inline void            \
		add(Acc *acc, X x, double count)         \
		{                                        \
			D##_add(acc, x, count);              \
		}                                        \
		static __device__ inline void            \
		result(const Acc *acc, X *y)             \
		{                                        \
			D##_result(acc, y);                  \
		}                                        \
	};

FRAME_LINE(frame_sum_float8, FrameSumFloat8, 15, 4)
FRAME_LINE(frame_sum_float4, FrameSumFloat4, 15, 4)
/* a step has fourteen operations, so fewer rows for a load cost nothing, and leave registers for two sums and a count
 */
FRAME_LINE(frame_squares_float8, FrameSquaresFloat8, 7, 4)

template <typename L> struct FrameArgs
{
	const typename L::X *in;
	const ScanFrame		*frames;
	typename L::X		*out;
	uint32_t			*out_valid; /* all bits are set before the kernel runs */
	int64_t				 n;			/* rows, and values */
	FrameAnswer			*answer;
};

template <typename L> struct FrameShared
{
	typename L::X value[FRAME_WINDOW]; /* the window; at the end, the block's answers */
	uint32_t	  least[FRAME_WARPS];
	uint32_t	  most[FRAME_WARPS];
};

/* The values of a thread's frames: next .. end - 1 are still to be added; all .. rest - 1 are of every frame. */
typedef struct FrameWalk
{
	uint32_t next, end;
	uint32_t all, rest;
} FrameWalk;

/* Returns the frame of row i; an empty one past the last row. */
template <typename L>
__device__ inline ScanFrame
frame_at(const FrameArgs<L> &a, int64_t i)
{
	ScanFrame none = {0, 0};

	return i < a.n ? frame_cut(a.frames[i], (uint32_t) a.n) : none;
}

template <typename L>
__device__ inline FrameWalk
walk_of(const FrameArgs<L> &a, int64_t row)
{
	uint32_t  last_begin = 0, first_end = UINT32_MAX;
	FrameWalk walk = {UINT32_MAX, 0, 0, 0};

#pragma unroll
	for (int r = 0; r < L::ROWS; r++)
	{
		ScanFrame frame = frame_at(a, row + r);

		if (frame.begin < frame.end)
		{
			walk.next = frame.begin < walk.next ? frame.begin : walk.next;
			walk.end = frame.end > walk.end ? frame.end : walk.end;
			last_begin = frame.begin > last_begin ? frame.begin : last_begin;
			first_end = frame.end < first_end ? frame.end : first_end;
		}
	}
	if (walk.next > walk.end)
		walk.next = walk.end;
	/* a frame's first value has a step of its own, so the part that all have in common begins after it */
	walk.all = last_begin < first_end ? last_begin + 1 : walk.end;
	walk.rest = last_begin < first_end ? first_end : walk.end;
	return walk;
}

/* Adds values `from` to `to` - 1 to those frames that have them; `window` holds the values from `begin` on. */
template <typename L>
__device__ inline void
add_where_in_frame(const FrameArgs<L> &a, int64_t row, const typename L::X *window, uint32_t begin, uint32_t from,
				   uint32_t to, typename L::Acc *acc)
{
	ScanFrame frame[L::ROWS];

	if (from >= to)
		return;
#pragma unroll
	for (int r = 0; r < L::ROWS; r++)
		frame[r] = frame_at(a, row + r);
#pragma unroll 1
	for (uint32_t v = from; v < to; v++)
	{
		typename L::X x = window[v - begin];

#pragma unroll
		for (int r = 0; r < L::ROWS; r++)
			if (v == frame[r].begin && v < frame[r].end)
				L::first(&acc[r], x);
			else if (v > frame[r].begin && v < frame[r].end)
				L::add(&acc[r], x, (double) (v - frame[r].begin) + 1.0);
	}
}

/* Adds values `from` to `to` - 1, which are of every frame and the first of none.  An empty frame's sum means nothing.
 */
template <typename L>
__device__ inline void
add_to_all(const FrameArgs<L> &a, int64_t row, const typename L::X *window, uint32_t begin, uint32_t from, uint32_t to,
		   typename L::Acc *acc)
{
	double count[L::ROWS];

	if (from >= to)
		return;
#pragma unroll
	for (int r = 0; r < L::ROWS; r++)
		count[r] = (double) (from - frame_at(a, row + r).begin);
#pragma unroll 4
	for (uint32_t v = from; v < to; v++)
	{
		typename L::X x = window[v - begin];

#pragma unroll
		for (int r = 0; r < L::ROWS; r++)
		{
			count[r] += 1.0;
			L::add(&acc[r], x, count[r]);
		}
	}
}

/* *least, *most := the least and the greatest of the block's threads. */
template <typename L>
__device__ inline void
block_range(FrameShared<L> &s, uint32_t *least, uint32_t *most)
{
	int t = (int) threadIdx.x;

	for (int d = 16; d > 0; d /= 2)
	{
		uint32_t other_least = warp_above(*least, d), other_most = warp_above(*most, d);

		*least = other_least < *least ? other_least : *least;
		*most = other_most > *most ? other_most : *most;
	}
	__syncthreads(); /* nobody reads what the arrays had before, or the window */
	if (t % 32 == 0)
	{
		s.least[t / 32] = *least;
		s.most[t / 32] = *most;
	}
	__syncthreads();
	*least = s.least[0];
	*most = s.most[0];
#pragma unroll
	for (int w = 1; w < FRAME_WARPS; w++)
	{
		*least = s.least[w] < *least ? s.least[w] : *least;
		*most = s.most[w] > *most ? s.most[w] : *most;
	}
}

/*
 * Adds up all values of the block's frames.  The window begins with the first value that some thread still needs. Where
 * the threads are near each other, all go on by the same number of values; else each goes as far as the window does.
 */
template <typename L>
__device__ inline void
walk_values(const FrameArgs<L> &a, FrameShared<L> &s, int64_t row, typename L::Acc *acc)
{
	FrameWalk walk = walk_of(a, row);
	uint32_t  none = 0, end = walk.end;

	block_range(s, &none, &end);
	for (;;)
	{
		bool	 more = walk.next < walk.end;
		uint32_t begin = more ? walk.next : UINT32_MAX, last = more ? walk.next : 0;
		uint32_t values, steps, to;

		block_range(s, &begin, &last);
		if (begin == UINT32_MAX)
			return;
		values = end - begin < FRAME_WINDOW ? end - begin : FRAME_WINDOW;
		for (uint32_t k = threadIdx.x; k < values; k += FRAME_THREADS)
			s.value[k] = a.in[begin + k];
		__syncthreads();
		steps = last - begin <= FRAME_WINDOW / 2 ? FRAME_WINDOW - (last - begin) : FRAME_WINDOW;
		/* walk.next + steps may lie past the window, or the thread may wait for a later one */
		if (!more || walk.next - begin >= values)
			continue;
		to = values - (walk.next - begin) < steps ? begin + values : walk.next + steps;
		to = to < walk.end ? to : walk.end;
		{
			uint32_t from = walk.next;
			uint32_t all = walk.all < from ? from : walk.all < to ? walk.all : to;
			uint32_t rest = walk.rest < all ? all : walk.rest < to ? walk.rest : to;

			add_where_in_frame(a, row, s.value, begin, from, all, acc);
			add_to_all(a, row, s.value, begin, all, rest, acc);
			add_where_in_frame(a, row, s.value, begin, rest, to, acc);
		}
		walk.next = to;
	}
}

template <typename L>
__global__ void
__launch_bounds__(FRAME_THREADS, L::AT_ONCE) frame_fold(const __grid_constant__ FrameArgs<L> a)
{
	typedef FrameShared<L> Room;
	SHARED(Room, s);
	static_assert(L::BLOCK_ROWS <= FRAME_WINDOW, "the answers lie where the values did");
	int64_t			base = (int64_t) blockIdx.x * L::BLOCK_ROWS;
	int64_t			row = base + (int64_t) threadIdx.x * L::ROWS;
	uint64_t		nulls = 0;
	typename L::Acc acc[L::ROWS];

#pragma unroll
	for (int r = 0; r < L::ROWS; r++)
		L::start(&acc[r]);
	walk_values(a, s, row, acc);
	__syncthreads();
#pragma unroll
	for (int r = 0; r < L::ROWS; r++)
	{
		ScanFrame	  frame = frame_at(a, row + r);
		typename L::X y;

		L::result(&acc[r], &y);
		s.value[threadIdx.x * L::ROWS + r] = y;
		if (row + r < a.n && frame.begin >= frame.end)
			nulls |= UINT64_C(1) << r;
	}
	if (nulls != 0)
	{
		nulls <<= row % 32;
		a.answer->has_nulls = 1;
		if ((uint32_t) nulls != 0)
			atomicAnd(&a.out_valid[row / 32], ~(uint32_t) nulls);
		if (nulls >> 32 != 0)
			atomicAnd(&a.out_valid[row / 32 + 1], ~(uint32_t) (nulls >> 32));
	}
	__syncthreads();
	for (int k = (int) threadIdx.x; k < L::BLOCK_ROWS; k += FRAME_THREADS)
		if (base + k < a.n)
			a.out[base + k] = s.value[k];
}

/* Writes frames of `length` values, which end with their rows, and values that differ; `values` may be NULL. */
__global__ void
frame_fill(ScanFrame *frames, double *values, int64_t n, uint32_t length)
{
	int64_t i = (int64_t) blockIdx.x * FRAME_THREADS + threadIdx.x;

	if (i >= n)
		return;
	frames[i].begin = (uint32_t) (i + 1 < length ? 0 : i + 1 - length);
	frames[i].end = (uint32_t) (i + 1);
	if (values != NULL)
		values[i] = (double) (uint32_t) (i & 7) - 2.5;
}

#endif /* SCAN_GPU_FRAME_CUH */
