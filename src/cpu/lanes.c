/*
 * lanes.c: sums of many overlapping stretches of floats, each added from left to right.
 *
 * A step adds one value to each lane.  The values of lanes that begin one value after the other are side by side in
 * memory, so a step loads one vector for a vector of lanes.  Eight vectors are added at a time, because an addition
 * takes four cycles and two may start in each cycle.
 *
 * Most of these loads cross a line of the cache, which costs a second load.  Vectors of AVX-512 are a line long, so all
 * but one of eight loads would, and twice the width would gain an eighth.  So long stretches are copied first, as often
 * as a vector has numbers, each copy one number further on: then every vector of a step begins a line of the copy that
 * is the step's.  On an Intel Xeon of 2023 that takes 0.025 ns for an addition of float8, against 0.040 ns with AVX2,
 * and 0.035 ns without copies.
 */
#include <string.h>

#include "cpu/instructions.h"
#include "cpu/lanes.h"
#include "op/frame.h"

#define VECTORS 8

/*
 * Without AVX2 a step takes two of the processor's own vectors.  The clones and their resolver have to be static: gcc
 * exports those of other functions, whatever visibility they have.
 */
#define LANES_CLONES SCAN_CLONES("avx2")

#define ADD(TYPE, NAME, STRUCT, WIDTH)                                                                  \
	typedef TYPE			 Vector_##TYPE __attribute__((vector_size(WIDTH * sizeof(TYPE))));          \
	static LANES_CLONES void add_##NAME(const TYPE *x, int64_t n, int64_t before, Lanes##STRUCT *lanes) \
	{                                                                                                   \
		for (int from = 0; from < LANES; from += VECTORS * WIDTH)                                       \
		{                                                                                               \
			Vector_##TYPE total[VECTORS], value;                                                        \
                                                                                                        \
			memcpy(total, lanes->sum + from, sizeof(total));                                            \
			for (int64_t i = 0; i < n; i++)                                                             \
				_Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++)                               \
				{                                                                                       \
					memcpy(&value, x + from + v * WIDTH + i, sizeof(value));                            \
					total[v] += value;                                                                  \
				}                                                                                       \
			memcpy(lanes->sum + from, total, sizeof(total));                                            \
		}                                                                                               \
	}                                                                                                   \
	void lanes_add_apart_##NAME(const TYPE *const *x, int64_t n, int64_t before, Lanes##STRUCT *lanes)  \
	{                                                                                                   \
		TYPE total[LANES_APART];                                                                        \
                                                                                                        \
		memcpy(total, lanes->sum, sizeof(total));                                                       \
		for (int64_t i = 0; i < n; i++)                                                                 \
			_Pragma("GCC unroll 8") for (int j = 0; j < LANES_APART; j++) total[j] += x[j][i];          \
		memcpy(lanes->sum, total, sizeof(total));                                                       \
	}                                                                                                   \
	void lanes_add_##NAME(const TYPE *x, int64_t n, int64_t before, Lanes##STRUCT *lanes)               \
	{                                                                                                   \
		add_##NAME(x, n, before, lanes);                                                                \
	}

ADD(double, float8, Float8, 4)
ADD(float, float4, Float4, 4)

/* ---- AVX-512 ---- */

#ifdef SCAN_HAS_AVX512_LOOPS

#define WIDE SCAN_AVX512_TARGET("avx512f")
#define LINE 64 /* bytes of a vector, and of a line of the cache */

/* Steps for which the values are copied at a time: eight copies of float8 stay in the nearest cache. */
#define WIDE_STEPS 256

/* From so many values on the copies are worth their time. */
#define WIDE_VALUES 256

bool
lanes_are_wide(int64_t values)
{
	return values >= WIDE_VALUES && SCAN_HAS_AVX512("avx512f");
}

#define ADD_WIDE(TYPE, NAME, STRUCT, WIDTH)                                                                           \
	typedef TYPE Wide_##TYPE __attribute__((vector_size(LINE)));                                                      \
	typedef TYPE Copies_##NAME[WIDTH][WIDE_STEPS + LANES_WIDE];                                                       \
	/* adds step i to the lanes of VECTORS vectors, the first of which is lane `from` */                              \
	static inline WIDE __attribute__((always_inline)) void add_step_##NAME(const Copies_##NAME copy, int i, int from, \
																		   Wide_##TYPE *total)                        \
	{                                                                                                                 \
		const Wide_##TYPE *x = (const Wide_##TYPE *) (copy[i % WIDTH] + from + i / WIDTH * WIDTH);                    \
                                                                                                                      \
		_Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++) total[v] += x[v];                                   \
	}                                                                                                                 \
	static WIDE void add_steps_##NAME(const Copies_##NAME copy, int n, int from, TYPE *sum)                           \
	{                                                                                                                 \
		Wide_##TYPE total[VECTORS];                                                                                   \
		int			i = 0;                                                                                            \
                                                                                                                      \
		memcpy(total, sum + from, sizeof(total));                                                                     \
		for (; i + WIDTH <= n; i += WIDTH)                                                                            \
			_Pragma("GCC unroll 16") for (int r = 0; r < WIDTH; r++) add_step_##NAME(copy, i + r, from, total);       \
		for (; i < n; i++)                                                                                            \
			add_step_##NAME(copy, i, from, total);                                                                    \
		memcpy(sum + from, total, sizeof(total));                                                                     \
	}                                                                                                                 \
	WIDE void lanes_add_wide_##NAME(const TYPE *x, int64_t n, Lanes##STRUCT *lanes)                                   \
	{                                                                                                                 \
		Copies_##NAME copy __attribute__((aligned(LINE)));                                                            \
                                                                                                                      \
		for (int64_t at = 0; at < n; at += WIDE_STEPS)                                                                \
		{                                                                                                             \
			int steps = (int) (n - at < WIDE_STEPS ? n - at : WIDE_STEPS);                                            \
                                                                                                                      \
			for (int r = 0; r < WIDTH && r < steps; r++)                                                              \
				memcpy(copy[r], x + at + r, (steps - 1 + LANES_WIDE - r) * sizeof(TYPE));                             \
			for (int from = 0; from < LANES_WIDE; from += VECTORS * WIDTH)                                            \
				add_steps_##NAME(copy, steps, from, lanes->sum);                                                      \
		}                                                                                                             \
	}

ADD_WIDE(double, float8, Float8, 8)
ADD_WIDE(float, float4, Float4, 16)

#endif

/* ---- sums of squared distances ---- */

/* Half as many vectors at a time, because a lane has a sum and a sum of squares. */
#define MOMENT_VECTORS (VECTORS / 2)

static LANES_CLONES void
add_moments(const double *x, int64_t n, int64_t before, LanesMoments *lanes)
{
	for (int from = 0; from < LANES; from += MOMENT_VECTORS * 4)
	{
		Vector_double sum[MOMENT_VECTORS], squares[MOMENT_VECTORS], value, apart;
		double		  count = (double) before;

		memcpy(sum, lanes->sum + from, sizeof(sum));
		memcpy(squares, lanes->squares + from, sizeof(squares));
		for (int64_t i = 0; i < n; i++)
		{
			count += 1.0;
			_Pragma("GCC unroll 8") for (int v = 0; v < MOMENT_VECTORS; v++)
			{
				memcpy(&value, x + from + v * 4 + i, sizeof(value));
				FRAME_SQUARES_STEP(sum[v], squares[v], value, count, apart);
			}
		}
		memcpy(lanes->sum + from, sum, sizeof(sum));
		memcpy(lanes->squares + from, squares, sizeof(squares));
	}
}

void
lanes_add_moments(const double *x, int64_t n, int64_t before, LanesMoments *lanes)
{
	add_moments(x, n, before, lanes);
}

void
lanes_add_apart_moments(const double *const *x, int64_t n, int64_t before, LanesMoments *lanes)
{
	double count = (double) before;

	for (int64_t i = 0; i < n; i++)
	{
		count += 1.0;
		_Pragma("GCC unroll 8") for (int j = 0; j < LANES_APART; j++)
		{
			double apart;

			FRAME_SQUARES_STEP(lanes->sum[j], lanes->squares[j], x[j][i], count, apart);
		}
	}
}
