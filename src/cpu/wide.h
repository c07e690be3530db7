/*
 * wide.h: dense runs eight rows at a time, on processors with AVX-512.
 *
 * Called by the loops where a run has neither NULLs nor heads.  Each function
 * answers as far as it can prove the bits that the functions of src/op define, and
 * says how far that was; the caller does the rest by those.  So whether the
 * machine has the instructions shows in the time only.
 *
 * Where scan_wide_available() is false, nothing else may be called.
 */
#ifndef SCAN_CPU_WIDE_H
#define SCAN_CPU_WIDE_H

#include "op/exact.h"
#include "op/recurrence.h"

/* The processor has AVX-512 F and DQ, and the compiler knew them. */
extern bool scan_wide_available(void);

/* As exact_run, and with its contract; y must not overlap x. */
extern int64_t scan_wide_exact_run(ExactSum *a, const double *x, int64_t n, double *y);

/*
 * n rows of y = a y' + b inside a chunk, n a multiple of SCAN_WIDE_ROWS and at most
 * RECURRENCE_CHUNK.  *state is the value before them, h + l + eps with |eps| <= bound.
 * True: y[0 .. n - 1] are the answers, and *state is the value after them.  False: a
 * row could not be proved, is not finite or is zero; *state is as it was, and y holds
 * anything.  y must not overlap a or b.
 */
extern bool scan_wide_recurrence_tile(RecurrencePair *state, const double *a, const double *b, int n, double *y);

#define SCAN_WIDE_ROWS 64

#endif /* SCAN_CPU_WIDE_H */
