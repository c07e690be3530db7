/*
 * tree.h: prefixes of items (op/wrap.h) by the two classical trees.  Of the op, they use only
 * item_size, item_copy and item_join.
 */
#ifndef SCAN_CPU_TREE_H
#define SCAN_CPU_TREE_H

#include "cpu/cpu.h"

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
 * A callback for scan_trace (src/functions/inspect/trace.c).  `step` is called after every step
 * with the step's name, the items at that moment, and the number of joins, which could all have
 * been done at once.  A NULL tracer: nothing is called.
 */
typedef struct ScanTracer
{
	void (*step)(struct ScanTracer *tracer, const char *phase, void *items, int64_t joins);
} ScanTracer;

/*
 * Computes the inclusive prefixes of n items in log2 n steps of up to n joins: at distance d, every
 * item is joined with the one d positions before it.  A step reads `items` or `other` and writes
 * the other one; returns the one with the result.
 */
extern void *scan_prefix_hillis_steele(const ScanOp *op, void *items, void *other, int64_t n, ScanTracer *tracer);

/*
 * items := their exclusive prefixes, for n a power of two.  The way up computes totals of pairs, of
 * pairs of pairs and so on.  On the way down, every node hands its prefix to its left half, and
 * prefix (+) left half to its right half.  2 (n - 1) joins; `spare` has memory for one item.
 */
extern void scan_exclusive_blelloch(const ScanOp *op, void *items, int64_t n, void *spare, ScanTracer *tracer);

/* Fills items[n ..] with identities up to a power of two.  Returns that power. */
extern int64_t scan_pad_items(const ScanOp *op, void *items, int64_t n);

#endif /* SCAN_CPU_TREE_H */
