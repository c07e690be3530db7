/*
 * vector.cu: starts the kernels of vector.cuh, for recurrence.cu.  They are in a file of their own because they take
 * long to compile.
 *
 * nvcc 13 reports for the kernels of "totals" and "answers" on sm_90: order 2 takes 168 registers and spills nothing.
 * Higher orders were rejected and run on the CPU: order 3 took all 255 registers and spilled 400 bytes, order 4 some 4
 * kB.
 */
#include "vector.cuh"

template <int K>
static void
answer(const RecurrenceArgs &a, cudaStream_t stream)
{
	const RecurrenceKernels kernels = {vector_totals<K>, recurrence_carry_one<K>, recurrence_carry<K>,
									   vector_answers<K>, vector_answers_few<K>};
	auto					compare = vector_compare<K>;
	auto					growth = vector_growth<K>;
	auto					leave = vector_leave<K>;

	(void) cudaMemsetAsync(a.growth, 0, sizeof(*a.growth), stream);
	LAUNCH(compare, blocks_of(a.n), ROW_THREADS, stream, a);
	LAUNCH(growth, 1, WARP, stream, a);
	recurrence_answer(a, kernels, stream);
	LAUNCH(leave, 1, WARP, stream, a);
}

void
vector_answer(const RecurrenceArgs &a, cudaStream_t stream)
{
	static_assert(SERIALIZED_ORDERS == 2, "the only order above the first");
	answer<2>(a, stream);
}
