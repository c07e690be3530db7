/*
 * wide.h: runs of rows without NULLs and heads, eight rows at a time, on processors with AVX-512.
 *
 * Called by tile.c.  Each function answers as far as it can prove the bits that the functions of
 * src/op define, and returns how far that was; the caller does the rest by those functions.  So the
 * AVX-512 instructions change only the time.
 *
 * Where scan_wide_available() is false, nothing else may be called.
 */
#ifndef SCAN_CPU_WIDE_H
#define SCAN_CPU_WIDE_H

#include "cpu/instructions.h"
#include "op/exact.h"
#include "op/recurrence.h"

#ifdef SCAN_HAS_AVX512_LOOPS

/* True if the processor has AVX-512 F and DQ. */
extern bool scan_wide_available(void);

/* The same as exact_run, with the same contract; y must not overlap x. */
extern int64_t scan_wide_exact_run(ExactSum *a, const double *x, int64_t n, double *y);

/*
 * Answers n rows of y = a y' + b inside a chunk; n is a multiple of SCAN_WIDE_ROWS and at most
 * RECURRENCE_CHUNK.  *state is the value before them, h + l + eps with |eps| <= bound.  True:
 * y[0 .. n - 1] are the answers, and *state is the value after them.  False: a row could not be
 * proved, is not finite or is zero; *state is unchanged, and y is undefined.  y must not overlap a
 * or b.
 */
extern bool scan_wide_recurrence_tile(RecurrencePair *state, const double *a, const double *b, int n, double *y);

#else

#define scan_wide_available() false
#define scan_wide_exact_run exact_run
#define scan_wide_recurrence_tile(state, a, b, n, y) false

#endif

#define SCAN_WIDE_ROWS 64

#endif /* SCAN_CPU_WIDE_H */
