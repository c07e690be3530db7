/*
 * fail.cc: see fail.h.
 *
 * The run time of CUDA returns an error from the call that met it and keeps it for cudaGetLastError(), which clears it.
 * An error that has lost the context is returned by every call from then on.  A launch by <<<>>> returns nothing, and
 * only cudaGetLastError() tells of it.
 */
#include "fail.h"

#include <string.h>

static const char *failing = ""; /* a function's name; empty: any */
static int		   first, last;	 /* of its calls, from 1 */
static int		   calls;
static cudaError_t error, kept;

/* An error that is returned from then on, whatever is called. */
static bool
is_lost()
{
	return kept == cudaErrorIllegalAddress;
}

/*
 * From now on the calls number `from` to `until` of a function, or of any where `call` is empty, fail with `code`;
 * from = 0: none does, and a lost context is as good as new.
 */
extern "C" __attribute__((visibility("default"))) void
scan_ptx_fail(const char *call, int from, int until, int code)
{
	failing = call;
	first = from;
	last = until;
	calls = 0;
	error = (cudaError_t) code;
	if (is_lost())
		kept = cudaSuccess;
}

/* How many calls scan_ptx_fail() has counted since it was called. */
extern "C" __attribute__((visibility("default"))) int
scan_ptx_calls(void)
{
	return calls;
}

cudaError_t
fail_now(const char *call)
{
	if (is_lost())
		return kept;
	if (failing[0] != '\0' && strcmp(failing, call) != 0)
		return cudaSuccess;
	calls++;
	if (first == 0 || calls < first || calls > last)
		return cudaSuccess;
	kept = error;
	return error;
}

cudaError_t
fail_last(bool clear)
{
	cudaError_t was = kept;

	if (clear && !is_lost())
		kept = cudaSuccess;
	return was;
}
