/*
 * look_back.cuh: finds the prefix before a tile, from what the blocks of earlier tiles have published.
 *
 * scan.cuh calls it.  The algorithm is decoupled look-back: a tile publishes its total, then the prefix up to its end.
 * A later tile joins the totals before it, backwards, until it finds a prefix.  Source: Merrill and Garland,
 * "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002.
 *
 * How an item is published.  A reader must not see the flag of a value before the value.  A fence ensures the order,
 * and so does a release of the flag, but both wait until the value has reached the second-level cache.  Nothing has to
 * wait if flag and value are written in one access.  CUB does that with vectors of 16 bytes.  However, PTX's memory
 * model promises only that each element of a vector arrives whole: a reader may see one element of the total and one of
 * the prefix.  Therefore an element here has 64 bits, 32 of the accumulator and 32 of the flag, and an item counts only
 * if all its flags are equal.  An accumulator of 8 bytes takes one access of 16 bytes, and one of 16 bytes two
 * accesses; the item's NULL and head bits are in the flag.  Larger accumulators have a separate flag, which is released
 * and acquired.
 */
#ifndef SCAN_GPU_LOOK_BACK_CUH
#define SCAN_GPU_LOOK_BACK_CUH

#include "items.cuh"

/* A flag: the state of a tile in its lowest bits, and an item's bits. */
enum
{
	TILE_NOTHING = 0, /* the tile has published nothing yet */
	TILE_TOTAL,		  /* the total of the tile's rows */
	TILE_PREFIX,	  /* the total of all rows up to the tile's last */
	TILE_STATE = 3,	  /* mask of the state */
	TILE_ANY = 4,	  /* the item has a value */
	TILE_HEAD = 8,	  /* the item has a head */
};

/*
 * The memory in which tiles publish items, with flag and accumulator in the same words.
 *
 * leave() publishes an item and its state; one thread of the tile calls it.  look() reads what a tile has published;
 * then item() returns the item, unless the state is TILE_NOTHING.  There are two parts: one of zeroed() bytes, which
 * are zero before the kernel runs, and one of room() bytes.
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
	FlaggedSlots(void *zeroed, void *room, int64_t tiles)
		: slots((Slot *) zeroed)
	{
	}
	static inline size_t
	zeroed(int64_t tiles)
	{
		return (size_t) tiles * sizeof(Slot);
	}
	static inline size_t
	room(int64_t tiles)
	{
		return 0;
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
		return Items::make(of_words<Acc>(seen.word), (seen.flag & TILE_ANY) != 0, (seen.flag & TILE_HEAD) != 0);
	}
};

/* The same for large items: arrays of totals and prefixes, and a separate flag per tile. */
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
	SeparateSlots(void *zeroed, void *room, int64_t tiles)
		: flags((uint32_t *) zeroed), totals((Words<T> *) room), prefixes(totals + tiles)
	{
	}
	static inline size_t
	zeroed(int64_t tiles)
	{
		return (size_t) tiles * sizeof(uint32_t);
	}
	static inline size_t
	room(int64_t tiles)
	{
		return 2 * (size_t) tiles * sizeof(Words<T>);
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

#define FLAGGED_MOST 16 /* bytes of the largest accumulator that is published together with its flag */

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
 * Returns the prefix before `tile`, which is not the first, to all lanes; a whole warp calls it.  Its lanes look at 32
 * tiles together, lane 0 at the nearest.
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
		seen.flag = TILE_PREFIX; /* if there is no tile: none comes before the first */
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
