/*
 * ways.h: the ways through a stretch of rows that are faster than row by row.  Most are for lines flagged SCAN_TILED.
 */
#ifndef SCAN_CPU_WAYS_H
#define SCAN_CPU_WAYS_H

#include "cpu/cpu.h"
#include "cpu/instructions.h"
#include "op/exact.h"
#include "op/recurrence.h"

/* ---- tile.c: which way ---- */

/* Returns the way that job->algorithm selects; never NULL. */
extern ScanRun scan_tiled_run(const ScanJob *job);

/* The ScanRun of lines without a faster way. */
static inline int64_t
scan_no_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y)
{
	return 0;
}

/* ---- vector.c: stretches of recurrences of order k ---- */

/* A ScanRun of the line `recurrence vector`. */
extern int64_t scan_vector_run(const ScanJob *job, void *acc, int64_t i, int64_t n, void *y);

/*
 * wide.c: runs of rows without NULLs and heads, eight rows at a time, on processors with AVX-512.
 *
 * Called by tile.c.  Each function computes as far as it can prove the bits that the functions of src/op define, and
 * returns how far that was; the caller does the rest by those functions.  So the AVX-512 instructions change only the
 * time.
 *
 * Where scan_wide_available() is false, nothing else may be called.
 */

#ifdef SCAN_HAS_AVX512_LOOPS

/* True if the processor has AVX-512 F and DQ. */
extern bool scan_wide_available(void);

/* The same as exact_run, with the same contract; y must not overlap x. */
extern int64_t scan_wide_exact_run(ExactSum *a, const double *x, int64_t n, double *y);

/*
 * Computes n rows of y = a y' + b inside a chunk; n is a multiple of SCAN_WIDE_ROWS and at most RECURRENCE_CHUNK.
 * *state is the value before them, h + l + eps with |eps| <= bound.  True: y[0 .. n - 1] are the results, and *state is
 * the value after them.  False: a row could not be proved, is not finite or is zero; *state is unchanged, and y is
 * undefined.  y must not overlap a or b.
 */
extern bool scan_wide_recurrence_tile(RecurrencePair *state, const double *a, const double *b, int n, double *y);

#else

#define scan_wide_available() false
#define scan_wide_exact_run exact_run
#define scan_wide_recurrence_tile(state, a, b, n, y) false

#endif

#define SCAN_WIDE_ROWS 64

/*
 * tree.c: prefixes of items (op/wrap.h) by the two classical trees.  Of the op, they use only item_size, item_copy and
 * item_join.
 */

/* Items of a tile, with the carry as the first.  TREE_SCRATCH has twice as many, for the steps. */
#define TILE_ITEMS (SCAN_TILE + 1)
#define TREE_SCRATCH(item_size) (2 * (size_t) TILE_ITEMS * (item_size))

static inline ScanItem *
item_at(const ScanOp *op, void *items, int64_t i)
{
	return (ScanItem *) ((char *) items + i * op->item_size);
}

static inline void *
item_acc(const ScanOp *op, ScanItem *item)
{
	return (char *) item + op->acc_offset;
}

/*
 * A callback for scan_trace (src/functions/inspect/trace.c).  `step` is called after every step with the step's name,
 * the items at that moment, and the number of joins, which could all have been done at once.  A NULL tracer: nothing is
 * called.
 */
typedef struct ScanTracer
{
	void (*step)(struct ScanTracer *tracer, const char *phase, void *items, int64_t joins);
} ScanTracer;

/*
 * Computes the inclusive prefixes of n items in log2 n steps of up to n joins: at distance d, every item is joined with
 * the one d positions before it.  A step reads `items` or `other` and writes the other one; returns the one with the
 * result.
 */
extern void *scan_prefix_hillis_steele(const ScanOp *op, void *items, void *other, int64_t n, ScanTracer *tracer);

/*
 * items := their exclusive prefixes, for n a power of two.  The way up computes totals of pairs, of pairs of pairs and
 * so on.  On the way down, every node hands its prefix to its left half, and prefix (+) left half to its right half.  2
 * (n - 1) joins; `spare` has memory for one item.
 */
extern void scan_exclusive_blelloch(const ScanOp *op, void *items, int64_t n, void *spare, ScanTracer *tracer);

/* Fills items[n ..] with identities up to a power of two.  Returns that power. */
extern int64_t scan_pad_items(const ScanOp *op, void *items, int64_t n);

#endif /* SCAN_CPU_WAYS_H */
