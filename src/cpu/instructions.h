/*
 * instructions.h: which vector instructions of x86-64 the loops of cpu/ use.
 *
 * Each of these loops is compiled for several processors, and the widest version that the processor has runs.  They all
 * return the same bits.  To compare them, test/package/machines.sh compiles the library with SCAN_INSTRUCTIONS defined,
 * which leaves out the wider versions: make COPT=-DSCAN_INSTRUCTIONS=SCAN_SSE2.
 */
#ifndef SCAN_CPU_INSTRUCTIONS_H
#define SCAN_CPU_INSTRUCTIONS_H

#define SCAN_SSE2 0 /* what every x86-64 processor has */
#define SCAN_AVX2 1 /* and FMA */
#define SCAN_AVX512 2
#define SCAN_AVX512_EMULATED 3 /* the loops for AVX-512, on any processor: cpu/avx512_emulated.h */

#ifndef SCAN_INSTRUCTIONS
#define SCAN_INSTRUCTIONS SCAN_AVX512
#endif

#if SCAN_INSTRUCTIONS == SCAN_AVX512_EMULATED
#define SCAN_HAS_AVX512_LOOPS 1
#define SCAN_AVX512_TARGET(features)
#define SCAN_HAS_AVX512(feature) true
#elif defined(__x86_64__) && defined(__GNUC__) && SCAN_INSTRUCTIONS == SCAN_AVX512
#define SCAN_HAS_AVX512_LOOPS 1
#define SCAN_AVX512_TARGET(features) __attribute__((target(features)))
#define SCAN_HAS_AVX512(feature) __builtin_cpu_supports(feature)
#endif

/*
 * Compiles a function twice if the C library can choose at load time: once for processors that have `feature`, once for
 * the others.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
	SCAN_INSTRUCTIONS >= SCAN_AVX2
#define SCAN_CLONES(feature) __attribute__((target_clones(feature, "default")))
#else
#define SCAN_CLONES(feature)
#endif

#endif /* SCAN_CPU_INSTRUCTIONS_H */
