/*
 * binding.cuh: the lines of list.h as types, for the templates of scan.cuh.
 *
 * BindingOf<SCAN_OP_sum_int4>::Is has sum_int4_lift as lift, and so on: exactly the functions of op/binding.h.  Only
 * sums of floats (pair.cuh), counters of doubles (counter.cuh) and clamped sums of doubles (clamp.cuh) have another
 * binding on the device, with other accumulators and the same answers.  The other SCAN_ORDERED lines have no binding:
 * recurrence.cuh runs some of them, and the CPU the rest.
 */
#ifndef SCAN_GPU_BINDING_CUH
#define SCAN_GPU_BINDING_CUH

#include "clamp.cuh"
#include "counter.cuh"
#include "op/lines.h"

#ifdef __CUDACC__
#define BINDING_METHOD static inline __host__ __device__
#else
#define BINDING_METHOD static inline
#endif

#define BINDING_STRUCT(D, FLAGS)                                                           \
	struct D##_binding                                                                     \
	{                                                                                      \
		typedef D##_in	 In;                                                               \
		typedef D##_out	 Out;                                                              \
		typedef D##_acc	 Acc;                                                              \
		typedef D##_item Item;                                                             \
		enum                                                                               \
		{                                                                                  \
			flags = FLAGS                                                                  \
		};                                                                                 \
		BINDING_METHOD void                                                                \
		lift(const void *param, const In *x, int64_t row, Acc *a)                          \
		{                                                                                  \
			D##_lift(param, x, row, a);                                                    \
		}                                                                                  \
		BINDING_METHOD void                                                                \
		accumulate(const void *param, Acc *a, const In *x, int64_t row)                    \
		{                                                                                  \
			D##_accumulate(param, a, x, row);                                              \
		}                                                                                  \
		BINDING_METHOD void                                                                \
		join(Acc *left, const Acc *right)                                                  \
		{                                                                                  \
			D##_join(left, right);                                                         \
		}                                                                                  \
		BINDING_METHOD void                                                                \
		item_join(Item *left, const Item *right)                                           \
		{                                                                                  \
			D##_item_join(left, right);                                                    \
		}                                                                                  \
		BINDING_METHOD ScanStatus                                                          \
		lower(const void *param, const Acc *before, const Acc *after, int64_t row, Out *y) \
		{                                                                                  \
			return D##_lower(param, before, after, row, y);                                \
		}                                                                                  \
		BINDING_METHOD ScanStatus                                                          \
		identity(Out *y)                                                                   \
		{                                                                                  \
			return D##_identity(y);                                                        \
		}                                                                                  \
	};

BINDING_STRUCT(pair_sum_float4, 0)
BINDING_STRUCT(pair_sum_float8, 0)
BINDING_STRUCT(pair_clamped_sum_float8, 0)
BINDING_STRUCT(pair_counter_float8, 0)

#define SCAN_ROW(function, type, arguments, result, flags, call) BINDING_STRUCT(function##_##type, flags)
#define SCAN_KERNEL(function, type, flags) BINDING_STRUCT(function##_##type, flags)
#include "op/list.h"

template <int LINE> struct BindingOf;

#define BINDING_OF(D)                         \
	template <> struct BindingOf<SCAN_OP_##D> \
	{                                         \
		typedef D##_binding Is;               \
	};
#define SCAN_ROW(function, type, arguments, result, flags, call) BINDING_OF(function##_##type)
#define SCAN_KERNEL(function, type, flags) BINDING_OF(function##_##type)
#include "op/list.h"

/* The binding of a line on the device. */
template <int LINE> struct DeviceBinding
{
	typedef typename BindingOf<LINE>::Is Is;
};

template <> struct DeviceBinding<SCAN_OP_sum_float4>
{
	typedef pair_sum_float4_binding Is;
};

template <> struct DeviceBinding<SCAN_OP_sum_float8>
{
	typedef pair_sum_float8_binding Is;
};

template <> struct DeviceBinding<SCAN_OP_counter_float8>
{
	typedef pair_counter_float8_binding Is;
};

/* Convert an accumulator from and to a carry.  acc_of_carry() returns false if the device cannot represent it. */
template <typename Acc>
inline bool
acc_of_carry(const void *from, Acc *acc)
{
	memcpy(acc, from, sizeof(*acc));
	return true;
}

template <>
inline bool
acc_of_carry<pair_acc>(const void *from, pair_acc *acc)
{
	return pair_of_exact((const ExactSum *) from, acc);
}

template <>
inline bool
acc_of_carry<pair_counter_acc>(const void *from, pair_counter_acc *acc)
{
	return pair_counter_of_exact((const exact_counter_acc *) from, acc);
}

/* *acc := the constant map, whose result is always the carry's total. */
template <>
inline bool
acc_of_carry<pair_clamp_acc>(const void *from, pair_clamp_acc *acc)
{
	acc->shift = pair_of_value(0.0);
	if (!pair_of_exact((const ExactSum *) from, &acc->lo))
		return false;
	acc->hi = acc->lo;
	return acc->lo.s != 0.0 || !signbit(acc->lo.s);
}

template <typename Acc>
inline void
carry_of_acc(const void *param, const Acc *acc, void *to)
{
	(void) param;
	memcpy(to, acc, sizeof(*acc));
}

template <>
inline void
carry_of_acc<pair_acc>(const void *param, const pair_acc *acc, void *to)
{
	(void) param;
	exact_of_pair(acc, (ExactSum *) to);
}

template <>
inline void
carry_of_acc<pair_counter_acc>(const void *param, const pair_counter_acc *acc, void *to)
{
	(void) param;
	exact_of_pair_counter(acc, (exact_counter_acc *) to);
}

template <>
inline void
carry_of_acc<pair_clamp_acc>(const void *param, const pair_clamp_acc *acc, void *to)
{
	pair_acc total = pair_clamp_total((const ClampedFloatParam *) param, acc);

	exact_of_pair(&total, (ExactSum *) to);
}

#endif /* SCAN_GPU_BINDING_CUH */
