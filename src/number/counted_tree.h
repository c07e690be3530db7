/*
 * counted_tree.h: a sorted list of values that finds the k-th value in O(log n).
 *
 * The aggregates of functions/aggregate/moving.c keep the values of a frame in it, to find the median and other
 * percentiles.  A value has an index, from 0.  The two bounds return the index at which a value belongs; everything
 * else is done by index.  So the caller decides where a value goes among its equals, of which there may be any number.
 *
 * It is an order-statistic tree: a B+-tree whose inner nodes count the values below each child.  Rejected: rbtree.h,
 * which keeps no counts and cannot update them in its rotations; Tuplesort, which takes no more values once it has
 * sorted.
 */
#ifndef SCAN_NUMBER_COUNTED_TREE_H
#define SCAN_NUMBER_COUNTED_TREE_H

#include "postgres.h"

#include "utils/sortsupport.h"

typedef struct CountedNode CountedNode;

typedef struct CountedTree
{
	CountedNode	 *root; /* NULL while there are no values */
	int64		  n;	/* number of values */
	SortSupport	  sort; /* compares values, without abbreviated keys */
	MemoryContext memory;
} CountedTree;

/* Makes an empty tree, whose nodes will be in `memory`.  `sort` must live as long as the tree. */
extern void counted_tree_init(CountedTree *tree, SortSupport sort, MemoryContext memory);

/* Returns the index of the first value that is not less than `probe`, or n if there is none. */
extern int64 counted_tree_lower_bound(const CountedTree *tree, Datum probe);

/* Returns the index of the first value that is greater than `probe`, or n if there is none. */
extern int64 counted_tree_upper_bound(const CountedTree *tree, Datum probe);

/* Returns the value at an index, which must be less than n. */
extern Datum counted_tree_get(const CountedTree *tree, int64 index);

/*
 * Inserts a value at an index; the values from there on move up by one.  The index must lie between the value's two
 * bounds.  The caller owns what the value points to, which must live as long as the value is in the tree.
 */
extern void counted_tree_insert(CountedTree *tree, int64 index, Datum value);

/* Removes the value at an index, and returns it. */
extern Datum counted_tree_delete(CountedTree *tree, int64 index);

#endif /* SCAN_NUMBER_COUNTED_TREE_H */
