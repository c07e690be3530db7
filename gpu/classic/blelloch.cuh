/*
 * blelloch.cuh: a block scan by a tree, up and down again: 2 log n steps, 2 n additions.
 *
 * On the way up every node becomes the sum of its halves.  On the way down every node gives its prefix to its left
 * half, and prefix + left half to its right half.  The results are exclusive sums; adding the row itself makes them
 * inclusive.  Towards the root most threads are idle.  The stride of the others doubles with every step, and so do the
 * conflicts for a bank of shared memory; blelloch_banks.cuh avoids the conflicts.
 *
 * Place::of() returns a row's index in shared memory.
 * Source: Blelloch, "Prefix sums and their applications", CMU-CS-90-190 (1990).
 */
#ifndef SCAN_CLASSIC_BLELLOCH_CUH
#define SCAN_CLASSIC_BLELLOCH_CUH

#include "classic/blocks.cuh"

struct PlaceAsIs
{
	static __device__ inline int
	of(int row)
	{
		return row;
	}
};

template <typename Place> struct BlellochBlock
{
	enum
	{
		THREADS = 256,
		ROWS = 2 * THREADS /* a thread joins two nodes, so there are twice as many rows */
	};
	struct Room
	{
		int64_t row[ROWS + ROWS / 16];
	};

	static __device__ inline void
	up(Room &room, int t)
	{
		int stride = 1;

		for (int nodes = ROWS / 2; nodes > 0; nodes /= 2, stride *= 2)
		{
			__syncthreads();
			if (t < nodes)
				room.row[Place::of(stride * (2 * t + 2) - 1)] += room.row[Place::of(stride * (2 * t + 1) - 1)];
		}
	}

	static __device__ inline void
	down(Room &room, int t)
	{
		int stride = ROWS / 2;

		for (int nodes = 1; nodes < ROWS; nodes *= 2, stride /= 2)
		{
			__syncthreads();
			if (t < nodes)
			{
				int		left = Place::of(stride * (2 * t + 1) - 1);
				int		right = Place::of(stride * (2 * t + 2) - 1);
				int64_t left_half = room.row[left];

				room.row[left] = room.row[right];
				room.row[right] += left_half;
			}
		}
	}

	static __device__ int64_t
	scan(const int64_t *in, int64_t *out, int64_t base, int64_t n)
	{
		SHARED(Room, room);
		int		t = (int) threadIdx.x;
		int64_t row[2], sum = 0;

		for (int k = 0; k < 2; k++)
		{
			int64_t i = base + k * THREADS + t;

			row[k] = i < n ? in[i] : 0;
			room.row[Place::of(k * THREADS + t)] = row[k];
		}
		up(room, t);
		__syncthreads();
		if (t == 0)
			room.row[Place::of(ROWS - 1)] = 0;
		down(room, t);
		__syncthreads();
		for (int k = 0; k < 2; k++)
		{
			int64_t i = base + k * THREADS + t;

			sum = room.row[Place::of(k * THREADS + t)] + row[k];
			if (i < n)
				out[i] = sum;
		}
		return sum;
	}
};

typedef BlellochBlock<PlaceAsIs> Blelloch;

#endif /* SCAN_CLASSIC_BLELLOCH_CUH */
