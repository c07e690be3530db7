/*
 * emulate.h: CUDA enough to run the kernels of gpu/ on the CPU.
 *
 * Read by gpu/port.cuh under SCAN_EMULATE.  Every thread of a block is a coroutine; it runs until it meets others
 * (__syncthreads, a warp's exchange) or spins, and which one goes on then is drawn at random, among the threads of
 * several blocks.  So a missing barrier or a wrong order between blocks has its chance to show, and sanitizers look on.
 * What it does not know: the memory model (all is sequentially consistent), warps in step, and speed.
 *
 * The rest of the run time is the little that gpu/ calls: device memory is malloc's, filled with rubbish; streams have
 * done their work when the call returns.
 */
#ifndef SCAN_EMULATE_H
#define SCAN_EMULATE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <functional>

#define __global__
#define __device__
#define __host__
#define __grid_constant__
#define __launch_bounds__(...)
#define __forceinline__ inline

struct Emulated3
{
	unsigned x, y, z;
};

/* ---- the threads: emulate.cc ---- */

extern const Emulated3 &emulate_thread_index();
extern const Emulated3 &emulate_block_index();
extern const Emulated3 &emulate_block_size();
extern const Emulated3 &emulate_grid_size();
#define threadIdx (emulate_thread_index())
#define blockIdx (emulate_block_index())
#define blockDim (emulate_block_size())
#define gridDim (emulate_grid_size())

extern void	 emulate_launch(unsigned grid, unsigned block, const std::function<void()> &kernel);
extern void *emulate_shared(const void *where, size_t size); /* the block's memory of that name */
extern void	 emulate_block_barrier();
extern void	 emulate_yield();
extern int	 emulate_coin(); /* 0 or 1 */

/*
 * All threads of the warp give the place of a value; returns their places, which stand until everybody has called
 * emulate_warp_done().
 */
extern const void *const *emulate_warp_meet(const void *value);
extern void				  emulate_warp_done();
extern int				  emulate_lane();

#define LAUNCH(kernel, grid, block, stream, ...) \
	((void) (stream), emulate_launch((grid), (block), [&]() { kernel(__VA_ARGS__); }))

#define SHARED(T, name)              \
	static const char name##_is = 0; \
	T				 &name = *(T *) emulate_shared(&name##_is, sizeof(T))

#define FULL_WARP 0xffffffffu
#define __syncthreads() emulate_block_barrier()

template <typename T> struct Words
{
	unsigned char byte[sizeof(T)];
};

template <typename T>
inline T
emulate_exchange(const T &value, int from)
{
	T mine, other;

	memcpy(&mine, &value, sizeof(T));
	memcpy(&other, emulate_warp_meet(&mine)[from], sizeof(T));
	emulate_warp_done();
	return other;
}

template <typename T>
inline T
warp_below(const T &value, int d)
{
	return emulate_exchange(value, emulate_lane() < d ? emulate_lane() : emulate_lane() - d);
}

template <typename T>
inline T
warp_above(const T &value, int d)
{
	return emulate_exchange(value, emulate_lane() + d > 31 ? emulate_lane() : emulate_lane() + d);
}

template <typename T>
inline T
warp_value(const T &value, int lane)
{
	return emulate_exchange(value, lane);
}

inline uint32_t
warp_ballot(bool claim)
{
	const void *const *claims = emulate_warp_meet(&claim);
	uint32_t		   bits = 0;

	for (int i = 0; i < 32; i++)
		bits |= (uint32_t) * (const bool *) claims[i] << i;
	emulate_warp_done();
	return bits;
}

inline uint32_t
bits_set(uint32_t word)
{
	return (uint32_t) __builtin_popcount(word);
}

inline void
spin_pause()
{
	emulate_yield();
}

struct alignas(16) WordPair
{
	uint64_t word[2];
};

/* One word after the other, the second first as well: that is all that a device promises. */
inline void
leave_pair(WordPair *to, const WordPair &pair)
{
	int first = emulate_coin();

	emulate_yield();
	to->word[first] = pair.word[first];
	emulate_yield();
	to->word[1 - first] = pair.word[1 - first];
	emulate_yield();
}

inline WordPair
find_pair(const WordPair *from)
{
	int		 first = emulate_coin();
	WordPair pair;

	pair.word[first] = from->word[first];
	if (emulate_coin() == 1)
		emulate_yield();
	pair.word[1 - first] = from->word[1 - first];
	return pair;
}

template <typename T>
inline void
leave_value(Words<T> *to, const T &value)
{
	memcpy(to, &value, sizeof(T));
}

template <typename T>
inline T
find_value(const Words<T> *from)
{
	T value;

	memcpy(&value, from, sizeof(T));
	return value;
}

inline void
raise_flag(uint32_t *flag, uint32_t value)
{
	emulate_yield();
	*flag = value;
	emulate_yield();
}

inline uint32_t
look_at_flag(const uint32_t *flag)
{
	return *flag;
}

template <typename T, typename U>
inline T
atomicAdd(T *at, U value)
{
	T old = *at;

	*at = (T) (old + value);
	return old;
}

template <typename T, typename U>
inline T
atomicMax(T *at, U value)
{
	T old = *at;

	*at = (T) value > old ? (T) value : old;
	return old;
}

template <typename T, typename U>
inline T
atomicAnd(T *at, U value)
{
	T old = *at;

	*at = (T) (old & value);
	return old;
}

/* ---- the run time ---- */

typedef int	  cudaError_t;
typedef void *cudaStream_t;
typedef void *cudaEvent_t;

enum
{
	cudaSuccess = 0,
	cudaErrorInvalidValue = 1,
	cudaErrorMemoryAllocation = 2,
	cudaErrorInvalidConfiguration = 9,
	cudaErrorInvalidDeviceFunction = 98,
	cudaErrorNoDevice = 100,
	cudaErrorHostMemoryAlreadyRegistered = 712,
	cudaErrorNoKernelImageForDevice = 209,
	cudaErrorIllegalAddress = 700,
	cudaErrorLaunchOutOfResources = 701,
	cudaHostRegisterDefault = 0,
	cudaStreamNonBlocking = 1,
	cudaDeviceScheduleBlockingSync = 4,
	cudaEventDisableTiming = 2,
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
	cudaMemcpyDeviceToDevice = 3,
};

struct cudaDeviceProp
{
	char name[256];
	int	 major, minor;
};

extern cudaError_t cudaSetDevice(int device);
extern cudaError_t cudaSetDeviceFlags(unsigned flags);
extern cudaError_t cudaMalloc(void **p, size_t size);
extern cudaError_t cudaFree(void *p);
extern cudaError_t cudaMallocHost(void **p, size_t size);
extern cudaError_t cudaFreeHost(void *p);
extern cudaError_t cudaHostRegister(void *p, size_t size, unsigned flags);
extern cudaError_t cudaHostUnregister(void *p);
extern cudaError_t cudaMemGetInfo(size_t *free, size_t *total);
extern cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, cudaStream_t stream);
extern cudaError_t cudaMemsetAsync(void *to, int byte, size_t size, cudaStream_t stream);
extern cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
extern cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device);
extern cudaError_t cudaGetDeviceCount(int *devices);

#define EMULATE_NOTHING(name)                                  \
	template <typename... Any> inline cudaError_t name(Any...) \
	{                                                          \
		return cudaSuccess;                                    \
	}

EMULATE_NOTHING(cudaStreamCreateWithFlags)
EMULATE_NOTHING(cudaStreamDestroy)
EMULATE_NOTHING(cudaStreamSynchronize)
EMULATE_NOTHING(cudaStreamWaitEvent)
EMULATE_NOTHING(cudaEventCreate)
EMULATE_NOTHING(cudaEventCreateWithFlags)
EMULATE_NOTHING(cudaEventDestroy)
EMULATE_NOTHING(cudaEventRecord)
EMULATE_NOTHING(cudaEventSynchronize)
EMULATE_NOTHING(cudaDeviceSynchronize)
EMULATE_NOTHING(cudaGetLastError)
EMULATE_NOTHING(cudaPeekAtLastError)
EMULATE_NOTHING(cudaDriverGetVersion)
EMULATE_NOTHING(cudaRuntimeGetVersion)

inline const char *
cudaGetErrorString(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation ? "out of memory"
		   : error == cudaErrorNoDevice		  ? "no device is there"
		   : error == cudaSuccess			  ? "no error"
											  : "another error";
}

#endif /* SCAN_EMULATE_H */
