/*
 * vector.cu: starts the kernels of vector.cuh, for recurrence.cu.  They are in a file of their own because they take
 * long to compile.
 *
 * nvcc 13 reports for the kernels of "totals" and "answers" on sm_90: order 2 takes 168 registers and spills nothing.
 * Higher orders were rejected and run on the CPU: order 3 took all 255 registers and spilled 400 bytes, order 4 some 4
 * kB.
 */
#include "vector.cuh"

#include "op/bits.h"

/* Returns the first valid row from row i on, or n. */
static int64_t
next_valid(const LineScan *scan, int64_t i)
{
	if (scan->host_valid == NULL)
		return i;
	while (i < scan->n && !scan_bit(scan->host_valid, i))
		i += i % 8 == 0 && scan->host_valid[i / 8] == 0 ? 8 : 1;
	return i < scan->n ? i : scan->n;
}

/*
 * Returns true if the first valid rows all have the same coefficients; *growth := their error growth.  The host
 * computes it, while the columns are copied: it takes 4096 steps, each from the one before, which a thread of the
 * device does in some tenths of a millisecond.
 */
static bool
first_rows_growth(int order, const LineScan *scan, VectorGrowth *growth)
{
	RecurrencePair exact[SERIALIZED_ORDERS] = {};
	int64_t		   first = next_valid(scan, 0);
	ErrorGrowth	   g;

	if (scan->host_in == NULL || first == scan->n)
		return false;
	memcpy(growth->a, (const double *) scan->host_in + first * order, (size_t) order * sizeof(double));
	for (int64_t i = first, k = 0; i < scan->n && k < LINE_HOST_ROWS; i = next_valid(scan, i + 1), k++)
		if (!recurrence_same_coefficients((const double *) scan->host_in + i * order, growth->a, order))
			return false;
	error_growth_start(&g, order, growth->a, exact);
	growth->size = 0.0;
	for (int j = 0; j < order; j++)
		growth->size += fabs(growth->a[j]);
	while (g.rows < RECURRENCE_CHUNK)
	{
		error_growth_step(&g, order);
		if (g.rows == CHUNK_FEW)
			growth->few = error_growth_factor(&g);
	}
	growth->chunk = error_growth_factor(&g);
	return true;
}

template <int K>
static void
answer(RecurrenceArgs a, const LineScan *scan, cudaStream_t stream)
{
	const RecurrenceKernels kernels = {vector_totals<K>, recurrence_carry_one<K>, recurrence_carry<K>,
									   vector_answers<K>, vector_answers_few<K>};
	auto					compare = vector_compare<K>;
	auto					leave = vector_leave<K>;

	if (first_rows_growth(K, scan, &a.growth))
		LAUNCH(compare, blocks_of(a.n), ROW_THREADS, stream, a);
	else
		a.differ = NULL;
	recurrence_answer(a, kernels, stream);
	LAUNCH(leave, 1, WARP, stream, a);
}

void
vector_answer(RecurrenceArgs a, const LineScan *scan, cudaStream_t stream)
{
	static_assert(SERIALIZED_ORDERS == 2, "the only order above the first");
	answer<2>(a, scan, stream);
}
