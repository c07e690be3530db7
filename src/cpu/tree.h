/*
 * tree.h: prefixes of items (op/wrap.h) by the two classical trees.  They look at
 * nothing of the op but its items: item_size, item_copy, item_join.
 */
#ifndef SCAN_CPU_TREE_H
#define SCAN_CPU_TREE_H

#include "cpu/cpu.h"

/* The items of a tile, with the carry as the first, and as much room again for the steps. */
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
 * Who traces a scan (src/functions/inspect/trace.c) is called after every step with its name, the
 * items as they are then, and how many joins it took, which could have been done all at
 * once.  A NULL pointer where nobody traces.
 */
typedef struct ScanTracer
{
	void (*step)(struct ScanTracer *tracer, const char *phase, void *items, int64_t joins);
} ScanTracer;

/*
 * items := their inclusive prefixes, in log2 n steps of n joins: at distance d,
 * every item takes the one d places before it on its left.  Steps read `items` or
 * `other`, and write the one they do not read; returns the one with the answer.
 */
extern void *scan_prefix_hillis_steele(const ScanOp *op, void *items, void *other, int64_t n, ScanTracer *tracer);

/*
 * items := their exclusive prefixes, n a power of two: totals of pairs, of pairs
 * of pairs ... on the way up; on the way down every node hands its prefix to its
 * left half, and prefix (+) left half to its right one.  2 (n - 1) joins.
 */
extern void scan_exclusive_blelloch(const ScanOp *op, void *items, int64_t n, void *spare, ScanTracer *tracer);

/* Fills items[n ..] with identities up to a power of two, which is returned. */
extern int64_t scan_pad_items(const ScanOp *op, void *items, int64_t n);

#endif /* SCAN_CPU_TREE_H */
