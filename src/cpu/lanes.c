/*
 * lanes.c: sums of many overlapping stretches of floats, each added from left to right.
 *
 * A step adds one value to each lane.  Lanes that begin one after the other find theirs side by
 * side in memory: one load a vector.  Eight vectors are under way at a time, since an addition
 * takes four cycles and two may begin in each.
 */
#include <string.h>

#include "cpu/lanes.h"

#define VECTORS 8

/* Compiled twice, as chunk.h's CPU_CLONES: without the wide vectors a step takes two of the processor's own. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
#define LANES_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define LANES_CLONES
#endif

#define ADD(TYPE, NAME, WIDTH)                                                                 \
	typedef TYPE	  Vector_##NAME __attribute__((vector_size(WIDTH * sizeof(TYPE))));        \
	LANES_CLONES void lanes_add_##NAME(const TYPE *x, int64_t n, TYPE *sum)                    \
	{                                                                                          \
		for (int from = 0; from < LANES; from += VECTORS * WIDTH)                              \
		{                                                                                      \
			Vector_##NAME total[VECTORS], value;                                               \
                                                                                               \
			memcpy(total, sum + from, sizeof(total));                                          \
			for (int64_t i = 0; i < n; i++)                                                    \
				_Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++)                      \
				{                                                                              \
					memcpy(&value, x + from + v * WIDTH + i, sizeof(value));                   \
					total[v] += value;                                                         \
				}                                                                              \
			memcpy(sum + from, total, sizeof(total));                                          \
		}                                                                                      \
	}                                                                                          \
	void lanes_add_apart_##NAME(const TYPE *const *x, int64_t n, TYPE *sum)                    \
	{                                                                                          \
		TYPE total[LANES_APART];                                                               \
                                                                                               \
		memcpy(total, sum, sizeof(total));                                                     \
		for (int64_t i = 0; i < n; i++)                                                        \
			_Pragma("GCC unroll 8") for (int j = 0; j < LANES_APART; j++) total[j] += x[j][i]; \
		memcpy(sum, total, sizeof(total));                                                     \
	}

ADD(double, float8, 4)
ADD(float, float4, 4)
