/*
 * items.cuh: the items that a scan joins.  Threads of a warp join them here, blocks in look_back.cuh.
 */
#ifndef SCAN_GPU_ITEMS_CUH
#define SCAN_GPU_ITEMS_CUH

#include "binding.cuh"
#include "port.cuh"

#define WARP 32

/* Items of columns with NULLs or heads: an accumulator with flags, as in op/wrap.h. */
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

/* Items of columns without NULLs and heads: every row has a value, and so has every total. */
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
 * Returns the join of the items of lanes 0 .. `lane`; valid in the first `lanes` lanes.  UNROLL is 1 for items whose
 * join is so long that five copies of its code would not stay in the instruction cache.
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
