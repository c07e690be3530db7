/*
 * fail.h: calls of CUDA's run time that fail because a test asked for it.
 *
 * errors.c asks by scan_ptx_fail(), which scan_ptx.so exports beside its one symbol as a device library.
 */
#ifndef SCAN_PTX_FAIL_H
#define SCAN_PTX_FAIL_H

#include <cuda_runtime_api.h>

/* The error that a call returns instead of doing anything; cudaSuccess: the call goes on. */
extern cudaError_t fail_now(const char *call);

/* What cudaGetLastError() and cudaPeekAtLastError() return. */
extern cudaError_t fail_last(bool clear);

/* First in every function of the run time that can fail. */
#define MAY_FAIL()                         \
	if (fail_now(__func__) != cudaSuccess) \
		return fail_last(false);

#endif /* SCAN_PTX_FAIL_H */
