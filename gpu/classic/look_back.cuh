/*
 * look_back.cuh: a scan in one pass: a block finds its prefix by looking at the blocks before it.
 *
 * A block scans its rows, publishes its total, and then walks back over the blocks before it.  At a total it adds the
 * total and continues; at a prefix it adds the prefix and ends.  Then the block publishes its own prefix.  Every number
 * is read and written once: 2 n.  Blocks take their positions by a ticket, so all blocks before a running block have
 * run or are running, and its wait ends.  Here one thread walks, which is the simplest form of the algorithm;
 * gpu/look_back.cuh looks at 32 blocks at once.
 * Source: Merrill and Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002.
 */
#ifndef SCAN_CLASSIC_LOOK_BACK_CUH
#define SCAN_CLASSIC_LOOK_BACK_CUH

#include "classic/warp_shuffle.cuh"

#define LOOK_BACK_THREADS 256
#define LOOK_BACK_ITEMS 8
#define LOOK_BACK_ROWS (LOOK_BACK_THREADS * LOOK_BACK_ITEMS)

/* What a block publishes. */
typedef struct LookBackBlock
{
	Words<int64_t> total;
	Words<int64_t> prefix;
	uint32_t	   flag; /* 0: nothing yet, 1: the total, 2: the prefix */
} LookBackBlock;

typedef struct LookBackRoom
{
	ClassicWarpTotals totals;
	int64_t			  row[LOOK_BACK_ROWS + LOOK_BACK_THREADS];
	int64_t			  prefix;
	uint32_t		  place;
} LookBackRoom;

/* Returns the sum of all rows before the block at position `place`. */
__device__ inline int64_t
look_back_walk(LookBackBlock *blocks, uint32_t place)
{
	int64_t sum = 0;

	for (uint32_t before = place; before > 0;)
	{
		LookBackBlock *block = &blocks[before - 1];
		uint32_t	   flag = look_at_flag(&block->flag);

		if (flag == 0)
		{
			spin_pause();
			continue;
		}
		sum += find_value(flag == 2 ? &block->prefix : &block->total);
		if (flag == 2)
			break;
		before--;
	}
	return sum;
}

__global__ void
look_back_kernel(const int64_t *in, int64_t *out, int64_t n, uint32_t *ticket, LookBackBlock *blocks)
{
	SHARED(LookBackRoom, room);
	int		t = (int) threadIdx.x;
	int64_t row[LOOK_BACK_ITEMS], base, sum = 0, up_to;

	if (t == 0)
		room.place = atomicAdd(ticket, 1u);
	__syncthreads();
	base = (int64_t) room.place * LOOK_BACK_ROWS;

	/* neighbouring threads read neighbouring rows; then each thread takes eight consecutive rows */
	for (int k = 0; k < LOOK_BACK_ITEMS; k++)
	{
		int e = k * LOOK_BACK_THREADS + t;

		room.row[e + e / LOOK_BACK_ITEMS] = base + e < n ? in[base + e] : 0;
	}
	__syncthreads();
	for (int k = 0; k < LOOK_BACK_ITEMS; k++)
		row[k] = sum += room.row[t * (LOOK_BACK_ITEMS + 1) + k];

	up_to = classic_block_scan(sum, room.totals, LOOK_BACK_THREADS / 32);
	if (t == LOOK_BACK_THREADS - 1)
	{
		LookBackBlock *mine = &blocks[room.place];

		leave_value(&mine->total, up_to);
		raise_flag(&mine->flag, 1);
		room.prefix = look_back_walk(blocks, room.place);
		leave_value(&mine->prefix, room.prefix + up_to);
		raise_flag(&mine->flag, 2);
	}
	__syncthreads();
	for (int k = 0; k < LOOK_BACK_ITEMS; k++)
		room.row[t * (LOOK_BACK_ITEMS + 1) + k] = room.prefix + up_to - sum + row[k];
	__syncthreads();
	for (int k = 0; k < LOOK_BACK_ITEMS; k++)
	{
		int e = k * LOOK_BACK_THREADS + t;

		if (base + e < n)
			out[base + e] = room.row[e + e / LOOK_BACK_ITEMS];
	}
}

/* Returns the bytes of `room` that look_back_scan() needs for n rows. */
static inline size_t
look_back_room(int64_t n)
{
	return 256 + (size_t) ((n + LOOK_BACK_ROWS - 1) / LOOK_BACK_ROWS) * sizeof(LookBackBlock);
}

static inline void
look_back_scan(const int64_t *in, int64_t *out, int64_t n, void *room, cudaStream_t stream)
{
	unsigned	   blocks = (unsigned) ((n + LOOK_BACK_ROWS - 1) / LOOK_BACK_ROWS);
	uint32_t	  *ticket = (uint32_t *) room;
	LookBackBlock *left = (LookBackBlock *) ((char *) room + 256);

	(void) cudaMemsetAsync(room, 0, look_back_room(n), stream);
	LAUNCH(look_back_kernel, blocks, LOOK_BACK_THREADS, stream, in, out, n, ticket, left);
}

#endif /* SCAN_CLASSIC_LOOK_BACK_CUH */
