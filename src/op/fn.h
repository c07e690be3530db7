/*
 * fn.h: what every file of the algebra needs from the language and the compiler.
 *
 * The headers in op/ are the mathematics of the extension: accumulators, how two of them join, how a value goes in and
 * a result comes out.  They are compiled as C99 into the CPU loops and the window functions, and as CUDA C++ into the
 * kernels.  So they use only what both languages have, and include only the C library's headers: no PostgreSQL, no
 * CUDA, no allocation, no error exit.
 */
#ifndef SCAN_OP_FN_H
#define SCAN_OP_FN_H

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Float results are proved by error-free transformations (eft.h).  A compiler that may reassociate folds the error
 * terms to zero, and the proofs still "pass": 92-98 % of the results are then wrong without any sign of it.  So such a
 * build stops here.  x87 arithmetic rounds twice and breaks the same proofs.
 */
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
	(defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error "scan must not be built with -ffast-math, -fassociative-math or -ffinite-math-only"
#endif
#if defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD != 0
#error "scan needs arithmetic in the type's own precision (on i386: -msse2 -mfpmath=sse)"
#endif
#ifndef __SIZEOF_INT128__
#error "scan needs a compiler with 128-bit integers"
#endif

#ifdef __CUDACC__
#define SCAN_FN static inline __host__ __device__
#define SCAN_FN_COLD static __host__ __device__ __noinline__
#define SCAN_LIKELY(x) (x)
/* for loops over arrays that should become registers; host compilers unroll them without being told */
#define SCAN_UNROLL _Pragma("unroll")
#else
#define SCAN_UNROLL
#define SCAN_FN static inline __attribute__((unused))
/* for rare and long functions, kept out of line so that the loops around them stay small */
#define SCAN_FN_COLD static __attribute__((unused, noinline))
#define SCAN_LIKELY(x) __builtin_expect(!!(x), 1)
#endif

/* for functions that only the host calls */
#define SCAN_HOST_FN static inline __attribute__((unused))

/* For variables and arguments.  Structs, arrays and columns use ScanInt128 instead. */
typedef __int128		  scan_int128;
typedef unsigned __int128 scan_uint128;

/*
 * An attribute for every struct that has a 128-bit integer.  It aligns the struct by 8 bytes, as PostgreSQL's allocator
 * does; the compiler would align it by 16.  Rejected: a typedef of __int128 with aligned(8).  gcc obeys it, but nvcc's
 * front end computes sizeof and offsetof with 8 while its code generator lays the integer out at 16.  gcc and both
 * parts of nvcc agree about packed structs, which test/t/ptx_layout.t checks in the PTX.
 */
#define SCAN_ALIGNED_8 __attribute__((packed, aligned(8)))

typedef struct ScanInt128
{
	scan_int128 value;
} SCAN_ALIGNED_8 ScanInt128;

/*
 * The outcome of one row.  An error is a value: it belongs to its row, and the code that returns that row to the user
 * raises it, never earlier code (src/error.c turns it into an ereport with core's words).
 */
typedef enum ScanStatus
{
	SCAN_OK = 0,			/* the result is in *y */
	SCAN_NULL,				/* the result is NULL */
	SCAN_NEEDS_ROOM,		/* the caller must provide more memory and call again */
	SCAN_INT8_OUT_OF_RANGE, /* the total leaves int8 */
	SCAN_FLOAT_OVERFLOW,	/* the rounded total is beyond the float type */
	SCAN_INTERVAL_OUT_OF_RANGE,
	SCAN_RUNS_BACKWARDS, /* a row's time lies before the time of the row before */
	SCAN_NEGATIVE,		 /* a value below 0 where there must be none */
	SCAN_STATUS_LAST = SCAN_NEGATIVE,
} ScanStatus;

#define SCAN_IS_ERROR(status) ((status) > SCAN_NEEDS_ROOM)

/*
 * Where an accumulator that grows gets its memory.  The owner frees all of it at once, so an accumulator need not free
 * any.
 */
typedef struct ScanMemory
{
	/*
	 * Returns `size` bytes that begin with what `old` holds; `old` is NULL for new memory.  Size 0 frees `old`.  Does
	 * not return if memory is exhausted.
	 */
	void *(*resize)(struct ScanMemory *memory, void *old, size_t size);

	/* Called between rows that take long; may not return.  NULL: nothing is called. */
	void (*tick)(struct ScanMemory *memory);
} ScanMemory;

#endif /* SCAN_OP_FN_H */
