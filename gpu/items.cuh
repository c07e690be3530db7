/*
 * items.cuh: what a scan joins: among the threads of a warp here, between blocks in look_back.cuh.
 */
#ifndef SCAN_GPU_ITEMS_CUH
#define SCAN_GPU_ITEMS_CUH

#include "binding.cuh"
#include "port.cuh"

#define WARP 32

/* With NULLs and heads: op/wrap.h. */
template <typename D> struct SparseItems
{
	typedef typename D::Item T;
	typedef typename D::Acc	 Acc;

	static __device__ inline void
	join(T *left, const T *right)
	{
		D::item_join(left, right);
	}
	static __device__ inline T
	make(const Acc &acc, bool any, bool head)
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
	static __device__ inline bool
	head(const T &item)
	{
		return item.item.head;
	}
};

/* Without: every row has a value, so every total has one. */
template <typename D> struct DenseItems
{
	typedef typename D::Acc Acc;
	struct T
	{
		Acc acc;
	};

	static __device__ inline void
	join(T *left, const T *right)
	{
		D::join(&left->acc, &right->acc);
	}
	static __device__ inline T
	make(const Acc &acc, bool any, bool head)
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
	static __device__ inline bool
	head(const T &item)
	{
		return false;
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

#endif /* SCAN_GPU_ITEMS_CUH */
