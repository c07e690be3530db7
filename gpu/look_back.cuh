/*
 * look_back.cuh: what stands before a tile, from what the blocks of other tiles leave.
 *
 * By decoupled look-back: a tile leaves its total, then the prefix up to its end, and whoever
 * comes after looks back until it meets a prefix.  Source: Merrill and Garland, "Single-pass
 * parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002.
 *
 * How it is left.  A value and the flag that says that it is there need an order.  A fence gives
 * it, or the release of the flag, and both wait until the value has reached the second-level
 * cache.  Where flag and value go out in one access there is nothing to wait for.  CUB does so
 * with vectors of 16 bytes, of which PTX's memory model says no more than that each element comes
 * whole: of two elements a reader may find one of the total and one of the prefix.  So an element
 * here, of 64 bits, is 32 bits of an accumulator and the flag, and what is found counts only if all
 * flags are the same.  An accumulator of 8 bytes is one access of 16 bytes, one of 16 is two; NULLs
 * and heads are in the flag.  Larger accumulators have the flag apart, and release and acquire it.
 */
#ifndef SCAN_GPU_LOOK_BACK_CUH
#define SCAN_GPU_LOOK_BACK_CUH

#include "items.cuh"

/* What a tile has left so far: the lowest bits of a flag. */
enum
{
	TILE_NOTHING = 0,
	TILE_TOTAL,	 /* of its own rows */
	TILE_PREFIX, /* of all rows up to its last */
	TILE_STATE = 3,
	TILE_ANY = 4, /* bits of an item, beside its accumulator */
	TILE_HEAD = 8,
};

#define SLOT_ALIGN 256

/*
 * Where tiles leave items: flags and accumulators together.
 *
 * leave() tells others an item and its state, by one thread of the tile.  look() finds what a tile has
 * left; then item() has the item, unless the state is TILE_NOTHING.  The first zeroed() bytes of size()
 * begin as zeros.
 */
template <typename Items> struct FlaggedSlots
{
	typedef typename Items::T	T;
	typedef typename Items::Acc Acc;
	enum
	{
		WORDS = (sizeof(Acc) + 3) / 4,
		PAIRS = (WORDS + 1) / 2
	};
	struct Slot
	{
		WordPair pair[PAIRS];
	};
	struct Seen
	{
		uint32_t flag;
		uint32_t word[2 * PAIRS];
	};
	Slot *slots;

	__device__
	FlaggedSlots(void *room, int64_t tiles)
		: slots((Slot *) room)
	{
	}
	static inline size_t
	zeroed(int64_t tiles)
	{
		return (size_t) tiles * sizeof(Slot);
	}
	static inline size_t
	size(int64_t tiles)
	{
		return zeroed(tiles);
	}
	__device__ inline void
	leave(int64_t tile, uint32_t state, const T &item)
	{
		uint64_t flag = state | (Items::any(item) ? TILE_ANY : 0) | (Items::head(item) ? TILE_HEAD : 0);
		uint32_t word[2 * PAIRS] = {0};

		memcpy(word, &item.acc, sizeof(Acc));
#pragma unroll
		for (int i = 0; i < PAIRS; i++)
			leave_pair(&slots[tile].pair[i], {{flag << 32 | word[2 * i], flag << 32 | word[2 * i + 1]}});
	}
	__device__ inline Seen
	look(int64_t tile)
	{
		Seen seen;
		bool agreed = true;

#pragma unroll
		for (int i = 0; i < PAIRS; i++)
		{
			WordPair pair = find_pair(&slots[tile].pair[i]);

			if (i == 0)
				seen.flag = (uint32_t) (pair.word[0] >> 32);
			agreed = agreed && pair.word[0] >> 32 == seen.flag && pair.word[1] >> 32 == seen.flag;
			seen.word[2 * i] = (uint32_t) pair.word[0];
			seen.word[2 * i + 1] = (uint32_t) pair.word[1];
		}
		if (!agreed)
			seen.flag = TILE_NOTHING;
		return seen;
	}
	__device__ inline T
	item(int64_t tile, const Seen &seen)
	{
		Acc acc;

		memcpy(&acc, seen.word, sizeof(Acc));
		return Items::make(acc, (seen.flag & TILE_ANY) != 0, (seen.flag & TILE_HEAD) != 0);
	}
};

/* The same for large items: totals and prefixes have places of their own, which a flag says to be there. */
template <typename Items> struct SeparateSlots
{
	typedef typename Items::T T;
	struct Seen
	{
		uint32_t flag;
	};
	uint32_t *flags;
	Words<T> *totals, *prefixes;

	__device__
	SeparateSlots(void *room, int64_t tiles)
		: flags((uint32_t *) room), totals((Words<T> *) ((char *) room + zeroed(tiles))), prefixes(totals + tiles)
	{
	}
	static __host__ __device__ inline size_t
	zeroed(int64_t tiles)
	{
		return ((size_t) tiles * sizeof(uint32_t) + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
	}
	static inline size_t
	size(int64_t tiles)
	{
		return zeroed(tiles) + 2 * (size_t) tiles * sizeof(Words<T>);
	}
	__device__ inline void
	leave(int64_t tile, uint32_t state, const T &item)
	{
		leave_value(state == TILE_PREFIX ? &prefixes[tile] : &totals[tile], item);
		raise_flag(&flags[tile], state);
	}
	__device__ inline Seen
	look(int64_t tile)
	{
		return {look_at_flag(&flags[tile])};
	}
	__device__ inline T
	item(int64_t tile, const Seen &seen)
	{
		return find_value<T>(seen.flag == TILE_PREFIX ? &prefixes[tile] : &totals[tile]);
	}
};

#define FLAGGED_MOST 16 /* bytes of an accumulator that goes out with its flag */

template <typename Items, bool SMALL> struct SlotsBySize
{
	typedef FlaggedSlots<Items> type;
};

template <typename Items> struct SlotsBySize<Items, false>
{
	typedef SeparateSlots<Items> type;
};

template <typename Items> struct SlotsOf
{
	typedef typename SlotsBySize<Items, sizeof(typename Items::Acc) <= FLAGGED_MOST>::type type;
};

/*
 * The prefix up to the last row before `tile`, which is not the first; for a whole warp.
 * 32 tiles are looked at together, lane 0 at the nearest.
 */
template <typename Items>
__device__ inline typename Items::T
look_back(typename SlotsOf<Items>::type slots, int64_t tile, int lane)
{
	typedef typename Items::T					T;
	typedef typename SlotsOf<Items>::type::Seen Seen;
	T											sum;
	bool										found_some = false;

	memset(&sum, 0, sizeof(sum));
	for (int64_t at = tile - 1;;)
	{
		int64_t	 mine = at - lane;
		uint32_t nothing, prefix;
		int		 last;
		Seen	 seen;
		T		 item;

		memset(&seen, 0, sizeof(seen));
		seen.flag = TILE_PREFIX; /* of no tile: there is none before the first */
		if (mine >= 0)
			seen = slots.look(mine);
		nothing = warp_ballot((seen.flag & TILE_STATE) == TILE_NOTHING);
		prefix = warp_ballot((seen.flag & TILE_STATE) == TILE_PREFIX);
		last = prefix == 0 ? WARP - 1 : bit_length(prefix & (0u - prefix)) - 1;
		if ((nothing & (0xffffffffu >> (WARP - 1 - last))) != 0)
		{
			spin_pause();
			continue;
		}
		memset(&item, 0, sizeof(item));
		if (lane <= last)
			item = slots.item(mine, seen);
#pragma unroll
		for (int d = 1; d < WARP; d *= 2)
		{
			T earlier = warp_above(item, d);

			if (lane + d <= last)
				item = joined<Items>(earlier, item);
		}
		item = warp_value(item, 0);
		sum = found_some ? joined<Items>(item, sum) : item;
		found_some = true;
		if (prefix != 0)
			return sum;
		at -= WARP;
	}
}

#endif /* SCAN_GPU_LOOK_BACK_CUH */
