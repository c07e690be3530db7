/*
 * layout.cu: where the structs that kernels share with the host have their fields, by two compilers.
 *
 * As C++ for the CPU this is a program that prints the layout the host uses: for every kernel of gpu/ the sizes of its
 * parameters, and for every struct the offsets of its fields and its size.  nvcc makes of it one kernel for each
 * struct, probe(), which stores the same numbers; what they are in its PTX is where the code generator puts the fields.
 * sizeof and offsetof would not do: the front end answers them before the code generator sees the struct.
 * test/t/ptx_layout.t compares the two.
 */
#include "chunk.cuh"
#include "frame.cuh"
#include "rows.cuh"
#include "split.cuh"
#include "vector.cuh"

#ifdef SCAN_EMULATE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "sort.cu"
#endif

/* The offset of each field, in the order of FIELDS below, and what lies between two structs of an array. */
template <typename T> struct Layout;

#define FIELD(name) *out++ = (size_t) ((const char *) &s->name - (const char *) s);

#define LAYOUT(TEMPLATE, T, FIELDS)                                      \
	TEMPLATE struct Layout<T>                                            \
	{                                                                    \
		BINDING_METHOD void                                              \
		fields(const T *s, volatile size_t *out)                         \
		{                                                                \
			FIELDS                                                       \
			*out = (size_t) ((const char *) (s + 1) - (const char *) s); \
		}                                                                \
	};

#define COMMA ,
#define SHARED_OF ScanShared<D COMMA BITS>

LAYOUT(template <typename D>, ScanArgs<D>,
	   FIELD(in) FIELD(valid) FIELD(heads) FIELD(out) FIELD(out_valid) FIELD(n) FIELD(exclusive) FIELD(has_param)
		   FIELD(row) FIELD(acc) FIELD(pending) FIELD(pending_status) FIELD(any) FIELD(ticket) FIELD(slots) FIELD(room)
			   FIELD(result) FIELD(carry) FIELD(param))
LAYOUT(template <typename D>, CarryOut<D>, FIELD(pending) FIELD(acc) FIELD(pending_status) FIELD(any))
LAYOUT(template <typename D COMMA bool BITS>, SHARED_OF,
	   FIELD(stage.in[1]) FIELD(stage.out[1]) FIELD(warp_total[1]) FIELD(warp_start[1]) FIELD(tile))
LAYOUT(template <>, ScanResult, FIELD(no_error) FIELD(has_nulls) FIELD(lost))
LAYOUT(template <>, wide_add_acc, )
LAYOUT(template <>, clamp_acc, FIELD(shift) FIELD(lo) FIELD(hi))
LAYOUT(template <>, counter_acc, FIELD(first) FIELD(last) FIELD(gain))
LAYOUT(template <>, ClampParam, FIELD(lower) FIELD(upper) FIELD(init))
LAYOUT(template <>, span_acc, FIELD(month) FIELD(day) FIELD(time) FIELD(plus_infinity) FIELD(minus_infinity))
LAYOUT(template <>, pair_clamp_acc, FIELD(shift.c) FIELD(lo) FIELD(hi.c))
LAYOUT(template <>, ClampedFloatParam, FIELD(lower) FIELD(upper) FIELD(init))
LAYOUT(template <>, SplitArgs, FIELD(keys) FIELD(bit) FIELD(n) FIELD(blocks) FIELD(bits) FIELD(zeros) FIELD(order))
LAYOUT(template <>, Chunk, FIELD(first) FIELD(segment))
LAYOUT(template <>, VectorGrowth, FIELD(a) FIELD(size) FIELD(few) FIELD(chunk))
LAYOUT(template <>, SerializedRecurrence, FIELD(y[1]) FIELD(pair[1]) FIELD(count))
LAYOUT(template <>, RecurrenceAnswer,
	   FIELD(result) FIELD(serialized[1]) FIELD(pending) FIELD(any) FIELD(in_first_chunk))
LAYOUT(template <>, RecurrenceArgs,
	   FIELD(in_a) FIELD(in_b) FIELD(keep) FIELD(scale) FIELD(valid) FIELD(heads) FIELD(out) FIELD(out_valid) FIELD(n)
		   FIELD(exclusive) FIELD(order) FIELD(init) FIELD(any) FIELD(pending) FIELD(serialized) FIELD(pair)
			   FIELD(in_first_chunk) FIELD(rank) FIELD(since) FIELD(flag) FIELD(chunk) FIELD(even) FIELD(a) FIELD(b)
				   FIELD(lay_a) FIELD(lay_b) FIELD(y) FIELD(few) FIELD(chunks) FIELD(totals) FIELD(ends) FIELD(growth)
					   FIELD(differ) FIELD(answer))

LAYOUT(template <typename L>, FrameArgs<L>, FIELD(in) FIELD(frames) FIELD(out) FIELD(out_valid) FIELD(n) FIELD(answer))
LAYOUT(template <typename L>, FrameShared<L>, FIELD(value[1]) FIELD(least[1]) FIELD(most[1]))
LAYOUT(template <>, FrameAnswer, FIELD(has_nulls))

/* A line's item: with NULLs and heads (wrap.h), and without. */
template <typename D> struct SparseItem
{
	typename SparseItems<D>::T of;
};
LAYOUT(template <typename D>, SparseItem<D>, FIELD(of.item.any) FIELD(of.item.head) FIELD(of.acc))
template <typename D> struct DenseItem
{
	typename DenseItems<D>::T of;
};
LAYOUT(template <typename D>, DenseItem<D>, FIELD(of.acc))

template <typename T>
__global__ void
probe(const T *s, volatile size_t *out)
{
	Layout<T>::fields(s, out);
}

/* ---- the structs: those of a line, once for each of list.h that scan.cuh has a kernel for, and the others ---- */

#define LINE_STRUCTS(D)         \
	PROBE(ScanArgs<D>)          \
	PROBE(CarryOut<D>)          \
	PROBE(ScanShared<D, false>) \
	PROBE(ScanShared<D, true>)  \
	PROBE(SparseItem<D>)        \
	PROBE(DenseItem<D>)

#define FRAME_STRUCTS(L) \
	PROBE(FrameArgs<L>)  \
	PROBE(FrameShared<L>)

#define OTHER_STRUCTS                 \
	FRAME_STRUCTS(FrameSumFloat8)     \
	FRAME_STRUCTS(FrameSumFloat4)     \
	FRAME_STRUCTS(FrameSquaresFloat8) \
	PROBE(FrameAnswer)                \
	PROBE(ScanResult)                 \
	PROBE(wide_add_acc)               \
	PROBE(clamp_acc)                  \
	PROBE(counter_acc)                \
	PROBE(ClampParam)                 \
	PROBE(span_acc)                   \
	PROBE(pair_clamp_acc)             \
	PROBE(ClampedFloatParam)          \
	PROBE(SplitArgs)                  \
	PROBE(Chunk)                      \
	PROBE(VectorGrowth)               \
	PROBE(SerializedRecurrence)       \
	PROBE(RecurrenceAnswer)           \
	PROBE(RecurrenceArgs)

#define LINE(D) LINE_STRUCTS(DeviceBinding<SCAN_OP_##D>::Is)
#define SCAN_ROW(function, type, arguments, result, flags, call) LINE(function##_##type)
#define SCAN_KERNEL(function, type, flags) LINE(function##_##type)

#ifndef SCAN_EMULATE

#define PROBE(...) template __global__ void probe<__VA_ARGS__>(const __VA_ARGS__ *s, volatile size_t *out);
#include "op/list.h"
LINE_STRUCTS(pair_clamped_sum_float8_binding)
OTHER_STRUCTS

#else

/* The name that nvcc gives a kernel, too. */
template <typename Kernel>
static const char *
name_of(Kernel *kernel)
{
	Dl_info info = {};

	if (dladdr((void *) kernel, &info) == 0 || info.dli_sname == NULL)
		abort();
	return info.dli_sname;
}

template <typename... Parameter>
static void
show_kernel(void (*kernel)(Parameter...))
{
	printf("kernel %s", name_of(kernel));
	(void) (int[]){0, printf(" %zu", sizeof(Parameter))...};
	printf("\n");
}

template <typename T>
static void
show_struct()
{
	static size_t at[64];
	size_t		  n = 0;

	Layout<T>::fields((const T *) NULL, at);
	while (at[n] != sizeof(T))
		n++;
	printf("struct %s", name_of(probe<T>));
	for (size_t i = 0; i <= n; i++)
		printf(" %zu", at[i]);
	printf("\n");
}

template <int K>
static void
show_vector_kernels()
{
	show_kernel(vector_compare<K>);
	show_kernel(vector_totals<K>);
	show_kernel(vector_answers<K>);
	show_kernel(vector_answers_few<K>);
	show_kernel(vector_leave<K>);
}

template <int K>
static void
show_chain_kernels()
{
	show_kernel(recurrence_carry_one<K>);
	show_kernel(recurrence_carry<K>);
}

template <int KIND>
static void
show_chunk_kernels()
{
	show_kernel(recurrence_totals<KIND>);
	show_kernel(recurrence_answers<KIND>);
	show_kernel(recurrence_answers_few<KIND>);
}

template <typename D>
static void
show_line_kernels()
{
	show_kernel(scan_tiles<D, false>);
	show_kernel(scan_tiles<D, true>);
}

static void
show_other_kernels()
{
	show_kernel(frame_fold<FrameSumFloat8>);
	show_kernel(frame_fold<FrameSumFloat4>);
	show_kernel(frame_fold<FrameSquaresFloat8>);
	show_kernel(frame_fill);
	show_kernel(recurrence_flag);
	show_kernel(recurrence_lay);
	show_kernel(recurrence_lay_even);
	show_kernel(recurrence_show);
	show_kernel(split_bits);
	show_kernel(split_offsets);
	show_kernel(split_scatter);
	show_kernel(number_rows);
	show_kernel(reverse_rows);
	show_kernel(gather_bits);
	show_kernel(find_heads);
	show_kernel(rows_of_words);
	show_kernel(gather_values<uint8_t>);
	show_kernel(gather_values<uint16_t>);
	show_kernel(gather_values<uint32_t>);
	show_kernel(gather_values<uint64_t>);
	show_kernel(gather_values<Wide>);
}

int
main()
{
#define PROBE(...) show_struct<__VA_ARGS__>();
#include "op/list.h"
	LINE_STRUCTS(pair_clamped_sum_float8_binding)
	OTHER_STRUCTS

#define SCAN_ROW(function, type, arguments, result, flags, call) \
	show_line_kernels<DeviceBinding<SCAN_OP_##function##_##type>::Is>();
#define SCAN_KERNEL(function, type, flags) show_line_kernels<DeviceBinding<SCAN_OP_##function##_##type>::Is>();
#include "op/list.h"
	show_line_kernels<pair_clamped_sum_float8_binding>();
	show_chunk_kernels<ROWS_COLUMNS>();
	show_chunk_kernels<ROWS_AVERAGE>();
	show_chunk_kernels<ROWS_WEIGHT>();
	show_chain_kernels<1>();
	show_chain_kernels<2>();
	show_vector_kernels<2>();
	show_other_kernels();
	return 0;
}

#endif
