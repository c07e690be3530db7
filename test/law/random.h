/*
 * random.h: numbers that look random and are the same everywhere, for laws, checks and benchmarks: splitmix64 (Steele,
 * Lea and Flood, 2014), the generator of the hashed vectors too.
 */
#ifndef SCAN_LAW_RANDOM_H
#define SCAN_LAW_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define RANDOM_FN static inline __host__ __device__
#else
#define RANDOM_FN static inline __attribute__((unused))
#endif

#define RANDOM_STEP UINT64_C(0x9E3779B97F4A7C15)

RANDOM_FN uint64_t
random_mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return z ^ (z >> 31);
}

/* The next number of a stream, of which *seed is the state. */
RANDOM_FN uint64_t
random_next(uint64_t *seed)
{
	return random_mix(*seed += RANDOM_STEP);
}

/* Number i of the stream from 0, for who needs them in any order. */
RANDOM_FN uint64_t
random_at(uint64_t i)
{
	return random_mix((i + 1) * RANDOM_STEP);
}

#endif /* SCAN_LAW_RANDOM_H */
