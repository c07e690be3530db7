/*
 * items.cuh: what a scan joins, among the threads of a warp and between blocks.
 *
 * Between blocks by decoupled look-back: a tile leaves its total, then the prefix up to its
 * end, and whoever comes after looks back until it meets a prefix.  Source: Merrill and
 * Garland, "Single-pass parallel prefix scan with decoupled look-back", NVIDIA NVR-2016-002.
 */
#ifndef SCAN_GPU_ITEMS_CUH
#define SCAN_GPU_ITEMS_CUH

#include "binding.cuh"
#include "port.cuh"

#define WARP 32

/* What a tile has left so far. */
enum
{
	TILE_NOTHING = 0,
	TILE_TOTAL,	 /* of its own rows */
	TILE_PREFIX, /* of all rows up to its last */
};

/* ---- items: what is joined ---- */

/* With NULLs and heads: op/wrap.h. */
template <typename D> struct SparseItems
{
	typedef typename D::Item T;

	static __device__ inline void
	join(T *left, const T *right)
	{
		D::item_join(left, right);
	}
	static __device__ inline T
	make(const typename D::Acc &acc, bool any, bool head)
	{
		T item;

		item.acc = acc;
		item.item.any = any;
		item.item.head = head;
		return item;
	}
	static __device__ inline bool
	any(const T &item)
	{
		return item.item.any;
	}
};

/* Without: every row has a value, so every total has one. */
template <typename D> struct DenseItems
{
	struct T
	{
		typename D::Acc acc;
	};

	static __device__ inline void
	join(T *left, const T *right)
	{
		D::join(&left->acc, &right->acc);
	}
	static __device__ inline T
	make(const typename D::Acc &acc, bool any, bool head)
	{
		T item;

		item.acc = acc;
		return item;
	}
	static __device__ inline bool
	any(const T &item)
	{
		return true;
	}
};

template <typename D, bool BITS> struct ItemsOf
{
	typedef SparseItems<D> type;
};

template <typename D> struct ItemsOf<D, false>
{
	typedef DenseItems<D> type;
};

/* earlier (+) later */
template <typename Items>
__device__ inline typename Items::T
joined(const typename Items::T &earlier, const typename Items::T &later)
{
	typename Items::T item = earlier;

	Items::join(&item, &later);
	return item;
}

/*
 * The total of this thread's item and those of the lanes below, of the first `lanes` lanes.
 * UNROLL 1: of items whose join is so long that five of it would not stay in the cache.
 */
template <typename Items, int UNROLL = WARP>
__device__ inline typename Items::T
warp_inclusive(typename Items::T item, int lane, int lanes)
{
#pragma unroll UNROLL
	for (int d = 1; d < WARP; d *= 2)
	{
		typename Items::T below;

		if (d >= lanes)
			break;
		below = warp_below(item, d);
		if (lane >= d)
			item = joined<Items>(below, item);
	}
	return item;
}

/* ---- look-back ---- */

/*
 * The prefix up to the last row before `tile`, which is not the first; for a whole warp.
 * 32 tiles are looked at together, lane 0 at the nearest.
 */
template <typename Items>
__device__ inline typename Items::T
look_back(const uint32_t *flags, const Words<typename Items::T> *totals, const Words<typename Items::T> *prefixes,
		  int64_t tile, int lane)
{
	typedef typename Items::T T;
	T						  sum;
	bool					  found_some = false;

	memset(&sum, 0, sizeof(sum));
	for (int64_t at = tile - 1;;)
	{
		int64_t	 mine = at - lane;
		uint32_t flag = mine < 0 ? (uint32_t) TILE_PREFIX : look_at_flag(&flags[mine]);
		uint32_t nothing = warp_ballot(flag == TILE_NOTHING);
		uint32_t prefix = warp_ballot(flag == TILE_PREFIX);
		int		 last = prefix == 0 ? WARP - 1 : bit_length(prefix & (0u - prefix)) - 1;
		T		 item;

		if ((nothing & (0xffffffffu >> (WARP - 1 - last))) != 0)
		{
			spin_pause();
			continue;
		}
		flag_seen();
		memset(&item, 0, sizeof(item));
		if (lane <= last)
			item = find_value<T>(flag == TILE_PREFIX ? &prefixes[mine] : &totals[mine]);
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

#endif /* SCAN_GPU_ITEMS_CUH */
