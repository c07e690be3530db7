/*
 * runtime.cc: the part of CUDA's run time that gpu/ and CUB call, with ptx_launch() for a device.
 *
 * Linked with what nvcc makes of gpu/ (.cu for the host, and the PTX that is in it) instead of NVIDIA's library,
 * it gives scan_ptx.so, a device library like scan_cuda.so in everything but what executes the kernels.
 * Streams have done their work when a call returns.
 *
 *   SCAN_PTX_TABLE=FILE     at the end, appends a line for every kernel that ran: launches, blocks, instructions
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../registered.h"
#include "fail.h"
#include "launch.h"

#define DEVICE_MEMORY ((size_t) 1 << 30)
#define FAT_WRAPPER_MAGIC 0x466243b1
#define FAT_MAGIC 0xba55ed50
#define FAT_PTX 1 /* kind of an entry */

#define API extern "C" __attribute__((visibility("hidden")))

/* ---- what nvcc leaves in an object: kernels by the address of their stub, and PTX ---- */

struct FatWrapper
{
	uint32_t	magic, version;
	const char *data;
	void	   *other;
};

struct FatHeader
{
	uint32_t magic;
	uint16_t version, header_size;
	uint64_t size; /* of all entries */
};

struct FatEntry
{
	uint16_t kind, attributes;
	uint32_t header_size;
	uint64_t size;
	uint32_t compressed_size;
};

static std::vector<std::string> *
texts()
{
	static auto *all = new std::vector<std::string>();

	return all;
}

/* Read when they are asked for first: objects register their PTX while other variables have no value yet. */
static std::map<std::string, Kernel> *
kernels()
{
	static auto *all = new std::map<std::string, Kernel>();

	for (const std::string &text : *texts())
		ptx_parse(text, *all);
	texts()->clear();
	return all;
}

static std::map<const void *, std::string> *
stubs()
{
	static auto *all = new std::map<const void *, std::string>();

	return all;
}

API void **
__cudaRegisterFatBinary(void *fat)
{
	static void		 *handle;
	const FatWrapper *wrapper = (const FatWrapper *) fat;
	const FatHeader	 *header = (const FatHeader *) wrapper->data;
	const char		 *at, *end;

	if (wrapper->magic != FAT_WRAPPER_MAGIC || header->magic != FAT_MAGIC)
		ptx_stop("this is no fat binary");
	at = wrapper->data + header->header_size;
	for (end = at + header->size; at < end;)
	{
		const FatEntry *entry = (const FatEntry *) at;
		const char	   *ptx = at + entry->header_size;

		if (entry->kind != FAT_PTX || entry->compressed_size != 0)
			ptx_stop("there is more than plain PTX in an object: kind %d", entry->kind);
		texts()->emplace_back(ptx, strnlen(ptx, entry->size));
		at = ptx + entry->size;
	}
	return &handle;
}

API void
__cudaRegisterFatBinaryEnd(void **)
{
}

API void
__cudaUnregisterFatBinary(void **)
{
}

API void
__cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int)
{
}

API void
__cudaRegisterFunction(void **, const char *stub, char *, const char *name, int, uint3 *, uint3 *, dim3 *, dim3 *,
					   int *)
{
	(*stubs())[stub] = name;
}

static Kernel *
kernel_of(const void *stub)
{
	auto name = stubs()->find(stub);
	auto kernel = name == stubs()->end() ? kernels()->end() : kernels()->find(name->second);

	if (kernel == kernels()->end())
		ptx_stop("there is no kernel %s", name == stubs()->end() ? "of that stub" : name->second.c_str());
	return &kernel->second;
}

__attribute__((destructor)) static void
write_table()
{
	const char *path = getenv("SCAN_PTX_TABLE");
	FILE	   *file = path == NULL ? NULL : fopen(path, "a");

	if (file == NULL)
		return;
	for (const auto &it : *kernels())
		fprintf(file, "%s\t%llu\t%llu\t%llu\n", it.first.c_str(), (unsigned long long) it.second.runs,
				(unsigned long long) it.second.blocks, (unsigned long long) it.second.executed);
	fclose(file);
}

/* ---- launches ---- */

static struct
{
	dim3		 grid, block;
	size_t		 shared;
	cudaStream_t stream;
} pushed;

API unsigned
__cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream)
{
	pushed = {grid, block, shared, stream};
	return 0;
}

API cudaError_t
__cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream)
{
	*grid = pushed.grid;
	*block = pushed.block;
	*shared = pushed.shared;
	*(cudaStream_t *) stream = pushed.stream;
	return cudaSuccess;
}

API cudaError_t
__cudaGetKernel(cudaKernel_t *kernel, const void *stub)
{
	*kernel = (cudaKernel_t) kernel_of(stub);
	return cudaSuccess;
}

API cudaError_t
__cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t)
{
	MAY_FAIL();
	if (shared != 0 || grid.y != 1 || grid.z != 1 || block.y != 1 || block.z != 1)
		ptx_stop("a launch with memory that is not declared, or of more dimensions than one");
	ptx_launch((Kernel *) kernel, grid.x, block.x, arguments);
	return cudaSuccess;
}

/* ---- what is asked of the device ---- */

API cudaError_t
cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *stub)
{
	MAY_FAIL();
	const Kernel *kernel = kernel_of(stub);

	memset(attributes, 0, sizeof(*attributes));
	attributes->maxThreadsPerBlock = (int) kernel->threads;
	attributes->sharedSizeBytes = kernel->shared_size;
	attributes->ptxVersion = attributes->binaryVersion = 80;
	return cudaSuccess;
}

API cudaError_t
cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int)
{
	MAY_FAIL();
	switch (attribute)
	{
		case cudaDevAttrComputeCapabilityMajor:
			*value = 8;
			break;
		case cudaDevAttrComputeCapabilityMinor:
			*value = 0;
			break;
		case cudaDevAttrMultiProcessorCount:
			*value = 4;
			break;
		default:
			ptx_stop("attribute %d of the device is not known", (int) attribute);
	}
	return cudaSuccess;
}

API cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *, int, size_t, unsigned)
{
	MAY_FAIL();
	*blocks = 2;
	return cudaSuccess;
}

API cudaError_t
cudaGetDeviceCount(int *devices)
{
	*devices = 1;
	return cudaSuccess;
}

API cudaError_t
cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

API cudaError_t
cudaSetDevice(int)
{
	return cudaSuccess;
}

API cudaError_t
cudaSetDeviceFlags(unsigned)
{
	return cudaSuccess;
}

API cudaError_t
cudaGetDeviceProperties(struct cudaDeviceProp *properties, int)
{
	memset(properties, 0, sizeof(*properties));
	strcpy(properties->name, "interpreter of PTX");
	return cudaSuccess;
}

API cudaError_t
cudaDriverGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

API cudaError_t
cudaRuntimeGetVersion(int *version)
{
	*version = CUDART_VERSION;
	return cudaSuccess;
}

API cudaError_t
cudaGetLastError(void)
{
	return fail_last(true);
}

API cudaError_t
cudaPeekAtLastError(void)
{
	return fail_last(false);
}

API const char *
cudaGetErrorString(cudaError_t error)
{
	return error == cudaErrorMemoryAllocation ? "out of memory" : error == cudaSuccess ? "no error" : "another error";
}

/* ---- memory ---- */

static size_t					allocated;
static std::map<void *, size_t> allocations;

API cudaError_t
cudaMalloc(void **p, size_t size)
{
	MAY_FAIL();
	if (size > DEVICE_MEMORY - allocated)
		return cudaErrorMemoryAllocation;
	*p = memory_allocate(size);
	allocations[*p] = size;
	allocated += size;
	return cudaSuccess;
}

API cudaError_t
cudaFree(void *p)
{
	MAY_FAIL();
	allocated -= allocations[p];
	allocations.erase(p);
	memory_free(p);
	return cudaSuccess;
}

API cudaError_t
cudaMemGetInfo(size_t *left, size_t *total)
{
	*left = DEVICE_MEMORY - allocated;
	*total = DEVICE_MEMORY;
	return cudaSuccess;
}

API cudaError_t
cudaMallocHost(void **p, size_t size)
{
	*p = malloc(size);
	return *p == NULL ? cudaErrorMemoryAllocation : cudaSuccess;
}

API cudaError_t
cudaFreeHost(void *p)
{
	free(p);
	return cudaSuccess;
}

API cudaError_t
cudaHostRegister(void *p, size_t size, unsigned)
{
	return registered_add(p, size) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered;
}

API cudaError_t
cudaHostUnregister(void *p)
{
	return registered_remove(p) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
}

API cudaError_t
cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind, cudaStream_t)
{
	MAY_FAIL();
	if (registered_in_part(to, size) || registered_in_part(from, size))
		return cudaErrorInvalidValue;
	memory_host_touches(to, size, "a copy to the device");
	memory_host_touches(from, size, "a copy from the device");
	memcpy(to, from, size);
	return cudaSuccess;
}

API cudaError_t
cudaMemsetAsync(void *to, int byte, size_t size, cudaStream_t)
{
	MAY_FAIL();
	memory_host_touches(to, size, "setting memory of the device");
	memset(to, byte, size);
	return cudaSuccess;
}

/* ---- streams and events ---- */

API cudaError_t
cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned)
{
	*stream = NULL;
	return cudaSuccess;
}

API cudaError_t
cudaEventCreateWithFlags(cudaEvent_t *event, unsigned)
{
	*event = NULL;
	return cudaSuccess;
}

API cudaError_t
cudaEventCreate(cudaEvent_t *event)
{
	return cudaEventCreateWithFlags(event, 0);
}

API cudaError_t
cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t)
{
	*ms = 1;
	return cudaSuccess;
}

#define DOES_NOTHING(NAME, ...)       \
	API cudaError_t NAME(__VA_ARGS__) \
	{                                 \
		MAY_FAIL();                   \
		return cudaSuccess;           \
	}

DOES_NOTHING(cudaStreamDestroy, cudaStream_t)
DOES_NOTHING(cudaStreamSynchronize, cudaStream_t)
DOES_NOTHING(cudaStreamWaitEvent, cudaStream_t, cudaEvent_t, unsigned)
DOES_NOTHING(cudaEventDestroy, cudaEvent_t)
DOES_NOTHING(cudaEventRecord, cudaEvent_t, cudaStream_t)
DOES_NOTHING(cudaEventSynchronize, cudaEvent_t)
