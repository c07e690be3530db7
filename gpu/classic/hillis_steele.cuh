/*
 * hillis_steele.cuh: a block scan in log n steps; in the steps d = 1, 2, 4 ... every row adds the number d rows before
 * it.
 *
 * It takes n log n additions, where n - 1 would be enough: the fewest steps, not the least work.  Two copies of the
 * rows take turns, because a step must not overwrite numbers that other threads still read.
 * Source: Hillis and Steele, "Data parallel algorithms", CACM 29 (1986).
 */
#ifndef SCAN_CLASSIC_HILLIS_STEELE_CUH
#define SCAN_CLASSIC_HILLIS_STEELE_CUH

#include "classic/blocks.cuh"

struct HillisSteele
{
	enum
	{
		THREADS = 512,
		ROWS = THREADS
	};
	struct Room
	{
		int64_t row[2][ROWS];
	};

	static __device__ int64_t
	scan(const int64_t *in, int64_t *out, int64_t base, int64_t n)
	{
		SHARED(Room, room);
		int t = (int) threadIdx.x, from = 0;

		room.row[0][t] = base + t < n ? in[base + t] : 0;
		__syncthreads();
		for (int d = 1; d < ROWS; d *= 2)
		{
			room.row[1 - from][t] = t >= d ? room.row[from][t - d] + room.row[from][t] : room.row[from][t];
			from = 1 - from;
			__syncthreads();
		}
		if (base + t < n)
			out[base + t] = room.row[from][t];
		return room.row[from][t];
	}
};

#endif /* SCAN_CLASSIC_HILLIS_STEELE_CUH */
