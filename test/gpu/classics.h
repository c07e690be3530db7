/*
 * classics.h: the classical scans of gpu/classic under one form, for bench.cu and classics.cu.
 */
#ifndef SCAN_GPU_CLASSICS_H
#define SCAN_GPU_CLASSICS_H

#include "classic/blelloch.cuh"
#include "classic/blelloch_banks.cuh"
#include "classic/hillis_steele.cuh"
#include "classic/look_back.cuh"
#include "classic/three_pass.cuh"
#include "classic/warp_shuffle.cuh"

typedef struct ClassicScan
{
	const char *name;
	int64_t		rows; /* of a block, or of the three passes' round */
	void (*scan)(const int64_t *in, int64_t *out, int64_t n, void *room, cudaStream_t stream);
} ClassicScan;

template <typename B>
static void
classic_by_blocks(const int64_t *in, int64_t *out, int64_t n, void *room, cudaStream_t stream)
{
	classic_scan<B>(in, out, n, (int64_t *) room, stream);
}

static void
classic_by_three_passes(const int64_t *in, int64_t *out, int64_t n, void *room, cudaStream_t stream)
{
	three_pass_scan(in, out, n, (int64_t *) room, stream);
}

static const ClassicScan classic_scans[] = {
	{"Hillis-Steele in blocks, then propagate", HillisSteele::ROWS, classic_by_blocks<HillisSteele>},
	{"Blelloch in blocks, then propagate", Blelloch::ROWS, classic_by_blocks<Blelloch>},
	{"Blelloch without bank conflicts", BlellochBanks::ROWS, classic_by_blocks<BlellochBanks>},
	{"warp shuffles, then propagate", WarpShuffle::ROWS, classic_by_blocks<WarpShuffle>},
	{"three passes", THREE_PASS_THREADS, classic_by_three_passes},
	{"decoupled look-back", LOOK_BACK_ROWS, look_back_scan},
};

#define CLASSIC_SCANS (int) (sizeof(classic_scans) / sizeof(classic_scans[0]))

/* Bytes of room for any of them. */
static inline size_t
classic_room_max(int64_t n)
{
	size_t blocks = (size_t) classic_room<WarpShuffle>(n) * sizeof(int64_t);

	blocks = blocks > THREE_PASS_BLOCKS * sizeof(int64_t) ? blocks : THREE_PASS_BLOCKS * sizeof(int64_t);
	return blocks > look_back_room(n) ? blocks : look_back_room(n);
}

#endif /* SCAN_GPU_CLASSICS_H */
