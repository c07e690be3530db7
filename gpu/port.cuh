/*
 * port.cuh: the macros and functions in which the kernels are written, so that they also run without a device.
 *
 * Under nvcc they are CUDA's.  With SCAN_EMULATE, test/gpu/emulate.h defines them in another way: every thread of a
 * block is a coroutine on the CPU, so that the same kernels can be stepped through, checked by sanitizers and compared
 * with src/cpu on any machine.  The only other places that differ under SCAN_EMULATE are sort.cu, where
 * std::stable_sort replaces CUB, and the number of rows in measure.cu.
 *
 * A kernel takes its shared memory by SHARED, is started by LAUNCH, moves values between the threads of a warp by the
 * functions below, and calls spin_pause() when it waits for another block.
 */
#ifndef SCAN_GPU_PORT_CUH
#define SCAN_GPU_PORT_CUH

#include <stdint.h>
#include <string.h>

#ifdef SCAN_EMULATE
#include "emulate.h"
#else

#include <cuda_runtime.h>

#endif

/* Returns the value of 32-bit words.  A copy of all words at once would keep a 128-bit integer in local memory. */
template <typename T>
__device__ inline T
of_words(const uint32_t *word)
{
	T value;

#pragma unroll
	for (size_t at = 0; at < sizeof(T); at += 4)
		memcpy((char *) &value + at, &word[at / 4], sizeof(T) - at < 4 ? sizeof(T) - at : 4);
	return value;
}

#ifndef SCAN_EMULATE

/* Starts no kernel while an error is in cudaGetLastError(): it would read memory that was never written. */
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

/* A value as 32-bit words, which the threads of a warp exchange and blocks publish in memory. */
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
	return of_words<T>(words.word);
}

/* Return the value of the lane d below, or d above; the thread's own value if there is no such lane. */
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

/* Returns the value of one lane to all lanes. */
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

#if !defined(SPIN_NS)
#define SPIN_NS 20
#endif

__device__ inline void
spin_pause()
{
	__nanosleep(SPIN_NS);
}

/* Two words that a block publishes in one access. */
struct alignas(16) WordPair
{
	uint64_t word[2];
};

/*
 * Publish and read a pair with relaxed accesses.  Other blocks see the words without a fence, but in no order with any
 * other access.  PTX treats a vector as separate accesses of its elements, in no order, so a reader may see one new
 * word and one old one.  Therefore each word carries its own flag (look_back.cuh).
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
 * Publish and read a value of any size, past the first-level cache.  A block writes the value before it raises a flag;
 * the thread that has seen the flag reads the value.
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

/* Release: a thread that sees the flag by look_at_flag() also sees all earlier writes of this thread. */
__device__ inline void
raise_flag(uint32_t *flag, uint32_t value)
{
	asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(flag)), "r"(value) : "memory");
}

/* Acquire: pairs with raise_flag(). */
__device__ inline uint32_t
look_at_flag(const uint32_t *flag)
{
	uint32_t value;

	asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(flag)) : "memory");
	return value;
}

#endif /* !SCAN_EMULATE */
#endif /* SCAN_GPU_PORT_CUH */
