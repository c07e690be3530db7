/*
 * vector.cu: the kernels of vector.cuh, which recurrence.cu starts: in a file of their own, since
 * they take the compiler long.
 *
 * Of totals and answers nvcc 13 says for sm_90: order 2 has 168 registers and spills none.  Order 3 had all 255
 * and 400 bytes of spills, order 4 some 4 kB, so that the CPU has these.
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
