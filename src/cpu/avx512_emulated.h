/*
 * avx512_emulated.h: the AVX-512 intrinsics that src/cpu/wide.c calls, in plain C.
 *
 * So its loops can run on a processor without AVX-512:
 *
 *   make COPT='-DSCAN_INSTRUCTIONS=SCAN_AVX512_EMULATED -Wno-psabi'
 *
 * This tests the algorithm, and not the compiler's code for AVX-512.
 */
#ifndef SCAN_CPU_AVX512_EMULATED_H
#define SCAN_CPU_AVX512_EMULATED_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef double	 __m512d __attribute__((vector_size(64)));
typedef uint64_t __m512i __attribute__((vector_size(64)));

#define AVX512_FN static inline __attribute__((always_inline))

/* NAME: each lane of the result is EXPRESSION, of lane i of the arguments. */
#define AVX512_LANES(TYPE, NAME, ARGUMENTS, EXPRESSION) \
	AVX512_FN TYPE NAME ARGUMENTS                       \
	{                                                   \
		TYPE r;                                         \
                                                        \
		for (int i = 0; i < 8; i++)                     \
			r[i] = (EXPRESSION);                        \
		return r;                                       \
	}

AVX512_LANES(__m512d, _mm512_setzero_pd, (void), 0.0)
AVX512_LANES(__m512i, _mm512_setzero_si512, (void), 0)
AVX512_LANES(__m512d, _mm512_set1_pd, (double x), x)
AVX512_LANES(__m512i, _mm512_set1_epi64, (long long x), (uint64_t) x)
AVX512_LANES(__m512d, _mm512_abs_pd, (__m512d a), fabs(a[i]))
AVX512_LANES(__m512d, _mm512_add_pd, (__m512d a, __m512d b), a[i] + b[i])
AVX512_LANES(__m512d, _mm512_sub_pd, (__m512d a, __m512d b), a[i] - b[i])
AVX512_LANES(__m512d, _mm512_mul_pd, (__m512d a, __m512d b), a[i] * b[i])
AVX512_LANES(__m512d, _mm512_fmadd_pd, (__m512d a, __m512d b, __m512d c), fma(a[i], b[i], c[i]))
AVX512_LANES(__m512d, _mm512_fmsub_pd, (__m512d a, __m512d b, __m512d c), fma(a[i], b[i], -c[i]))
AVX512_LANES(__m512d, _mm512_permutexvar_pd, (__m512i at, __m512d a), a[at[i] & 7])
AVX512_LANES(__m512d, _mm512_unpacklo_pd, (__m512d a, __m512d b), i % 2 == 0 ? a[i] : b[i - 1])
AVX512_LANES(__m512d, _mm512_unpackhi_pd, (__m512d a, __m512d b), i % 2 == 0 ? a[i + 1] : b[i])
AVX512_LANES(__m512d, _mm512_shuffle_f64x2, (__m512d a, __m512d b, int from),
			 (i < 4 ? a : b)[(from >> i / 2 * 2 & 3) * 2 + i % 2])
AVX512_LANES(__m512i, _mm512_or_si512, (__m512i a, __m512i b), a[i] | b[i])
AVX512_LANES(__m512i, _mm512_max_epu64, (__m512i a, __m512i b), a[i] > b[i] ? a[i] : b[i])
AVX512_LANES(__m512i, _mm512_slli_epi64, (__m512i a, unsigned int n), n < 64 ? a[i] << n : 0)
AVX512_LANES(__m512i, _mm512_alignr_epi64, (__m512i a, __m512i b, int n), i + n < 8 ? b[i + n] : a[i + n - 8])

/* Bit by bit: `table` has a result for each of the eight cases of three bits. */
AVX512_FN __m512i
_mm512_ternarylogic_epi64(__m512i a, __m512i b, __m512i c, int table)
{
	__m512i r = _mm512_setzero_si512();

	for (int i = 0; i < 8; i++)
		for (int k = 0; k < 8; k++)
			if (table >> k & 1)
				r[i] |= (k & 4 ? a[i] : ~a[i]) & (k & 2 ? b[i] : ~b[i]) & (k & 1 ? c[i] : ~c[i]);
	return r;
}

#define AVX512_LOAD(TYPE, NAME)        \
	AVX512_FN TYPE NAME(const void *x) \
	{                                  \
		TYPE r;                        \
                                       \
		memcpy(&r, x, sizeof(r));      \
		return r;                      \
	}

AVX512_LOAD(__m512i, _mm512_loadu_si512)
AVX512_LOAD(__m512d, _mm512_loadu_pd)

AVX512_FN void
_mm512_storeu_pd(void *to, __m512d a)
{
	memcpy(to, &a, sizeof(a));
}

AVX512_FN __m512i
_mm512_castpd_si512(__m512d a)
{
	return _mm512_loadu_si512(&a);
}

AVX512_FN __m512d
_mm512_castsi512_pd(__m512i a)
{
	return _mm512_loadu_pd(&a);
}

AVX512_FN double
_mm512_cvtsd_f64(__m512d a)
{
	return a[0];
}

/* The result is made of 0 and the eight lanes, each of which changes it to EXPRESSION. */
#define AVX512_REDUCE(NAME, EXPRESSION) \
	AVX512_FN uint64_t NAME(__m512i a)  \
	{                                   \
		uint64_t r = 0;                 \
                                        \
		for (int i = 0; i < 8; i++)     \
			r = (EXPRESSION);           \
		return r;                       \
	}

AVX512_REDUCE(_mm512_reduce_max_epu64, a[i] > r ? a[i] : r)
AVX512_REDUCE(_mm512_reduce_or_epi64, r | a[i])

#endif /* SCAN_CPU_AVX512_EMULATED_H */
