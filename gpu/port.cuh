/*
 * port.cuh: the few words that kernels here are written in, so that they also run
 * without a device.
 *
 * Under nvcc they are CUDA's.  With SCAN_EMULATE test/gpu/emulate.h gives them
 * another meaning: every thread of a block is a coroutine on the CPU, so that the
 * very kernels can be stepped through, checked by sanitizers and compared with
 * src/cpu on any machine.  What differs between the two is in this file and in
 * sort.cuh (where CUB sorts), and nowhere else.
 *
 * A kernel takes its shared memory by SHARED, is started by LAUNCH, moves values
 * between the threads of a warp by the functions below, and calls spin_pause()
 * when it waits for another block.
 */
#ifndef SCAN_GPU_PORT_CUH
#define SCAN_GPU_PORT_CUH

#include <stdint.h>
#include <string.h>

#ifdef SCAN_EMULATE
#include "emulate.h"
#else

#include <cuda_runtime.h>

/* Left out after an error that nobody has asked for yet: the kernel would read what was never written. */
#define LAUNCH(kernel, grid, block, stream, ...)                   \
	do                                                             \
	{                                                              \
		if (cudaPeekAtLastError() == cudaSuccess)                  \
			kernel<<<(grid), (block), 0, (stream)>>>(__VA_ARGS__); \
	} while (0)

#define SHARED(T, name)                                          \
	__shared__ __align__(16) unsigned char name##_of[sizeof(T)]; \
	T									  &name = *reinterpret_cast<T *>(name##_of)

#define FULL_WARP 0xffffffffu

/* Words of a value that warps exchange and blocks leave in memory for each other. */
template <typename T> struct Words
{
	enum
	{
		N = (sizeof(T) + 3) / 4
	};
	uint32_t word[N];
};

template <typename T>
__device__ inline Words<T>
words_of(const T &value)
{
	Words<T> words = {};

	memcpy(&words, &value, sizeof(T));
	return words;
}

template <typename T>
__device__ inline T
value_of(const Words<T> &words)
{
	T value;

	memcpy(&value, &words, sizeof(T));
	return value;
}

/* The value of the thread d places below, or above, in the warp; one's own where there is none. */
template <typename T>
__device__ inline T
warp_below(const T &value, int d)
{
	Words<T> words = words_of(value);

#pragma unroll
	for (int i = 0; i < Words<T>::N; i++)
		words.word[i] = __shfl_up_sync(FULL_WARP, words.word[i], d);
	return value_of<T>(words);
}

template <typename T>
__device__ inline T
warp_above(const T &value, int d)
{
	Words<T> words = words_of(value);

#pragma unroll
	for (int i = 0; i < Words<T>::N; i++)
		words.word[i] = __shfl_down_sync(FULL_WARP, words.word[i], d);
	return value_of<T>(words);
}

/* The value of one lane, for all. */
template <typename T>
__device__ inline T
warp_value(const T &value, int lane)
{
	Words<T> words = words_of(value);

#pragma unroll
	for (int i = 0; i < Words<T>::N; i++)
		words.word[i] = __shfl_sync(FULL_WARP, words.word[i], lane);
	return value_of<T>(words);
}

__device__ inline uint32_t
warp_ballot(bool claim)
{
	return __ballot_sync(FULL_WARP, claim);
}

__device__ inline uint32_t
bits_set(uint32_t word)
{
	return (uint32_t) __popc(word);
}

__device__ inline void
spin_pause()
{
	__nanosleep(20);
}

/* Two words that blocks leave for each other in one access. */
struct alignas(16) WordPair
{
	uint64_t word[2];
};

/*
 * Relaxed: others find the words without a fence, but in no order with anything else, and of the two perhaps
 * one first.  PTX takes a vector for so many accesses of its elements, in no order, so a word says itself
 * what it is (look_back.cuh).
 */
__device__ inline void
leave_pair(WordPair *to, const WordPair &pair)
{
	asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(to)), "l"(pair.word[0]),
				 "l"(pair.word[1])
				 : "memory");
}

__device__ inline WordPair
find_pair(const WordPair *from)
{
	WordPair pair;

	asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];"
				 : "=l"(pair.word[0]), "=l"(pair.word[1])
				 : "l"(__cvta_generic_to_global(from))
				 : "memory");
	return pair;
}

/*
 * A value that one block leaves for others: written past the first-level cache, before a flag is raised, and
 * read from there by the thread that has seen the flag.
 */
template <typename T>
__device__ inline void
leave_value(Words<T> *to, const T &value)
{
	Words<T> words = words_of(value);

#pragma unroll
	for (int i = 0; i < Words<T>::N; i++)
		__stcg(&to->word[i], words.word[i]);
}

template <typename T>
__device__ inline T
find_value(const Words<T> *from)
{
	Words<T> words;

#pragma unroll
	for (int i = 0; i < Words<T>::N; i++)
		words.word[i] = __ldcg(&from->word[i]);
	return value_of<T>(words);
}

/* Release: who sees the flag by look_at_flag() finds what this thread has left before. */
__device__ inline void
raise_flag(uint32_t *flag, uint32_t value)
{
	asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(value) : "memory");
}

/* Acquire. */
__device__ inline uint32_t
look_at_flag(const uint32_t *flag)
{
	uint32_t value;

	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(flag)) : "memory");
	return value;
}

#endif /* SCAN_EMULATE */
#endif /* SCAN_GPU_PORT_CUH */
