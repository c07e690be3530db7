/*
 * counted_tree.h: a sorted list of values, in which the k-th one is found in O(log n).
 *
 * This is an order-statistic tree: a B+-tree whose inner nodes count the values below each
 * child.  The aggregates of functions/aggregate/moving.c keep the rows of a frame in it, to ask for the
 * middle one.  A value has an index, from 0.  The two bounds say at which index a value
 * belongs; all else is done by index.  So it is for the caller to say where a value goes
 * among its equals, of which there may be any number.
 *
 * Neither of PostgreSQL's own structures does this: rbtree.h keeps no counts, and leaves no
 * place in its rotations to keep them; a Tuplesort takes no more values once it is sorted.
 */
#ifndef SCAN_COLUMN_COUNTED_TREE_H
#define SCAN_COLUMN_COUNTED_TREE_H

#include "postgres.h"

#include "utils/sortsupport.h"

typedef struct CountedNode CountedNode;

typedef struct CountedTree
{
	CountedNode	 *root; /* NULL while there are no values */
	int64		  n;	/* how many values there are */
	SortSupport	  sort; /* the order of the values: its full comparison, without abbreviated keys */
	MemoryContext memory;
} CountedTree;

/* An empty tree, whose nodes will be in `memory`.  `sort` must live as long as the tree. */
extern void counted_tree_init(CountedTree *tree, SortSupport sort, MemoryContext memory);

/* The index of the first value that is not less than `probe`; the tree's n if there is none. */
extern int64 counted_tree_lower_bound(const CountedTree *tree, Datum probe);

/* The index of the first value that is greater than `probe`; the tree's n if there is none. */
extern int64 counted_tree_upper_bound(const CountedTree *tree, Datum probe);

/* The value at an index, which must be less than n. */
extern Datum counted_tree_get(const CountedTree *tree, int64 index);

/*
 * Puts a value at an index, those from there on move up by one.  The index must be one between
 * the value's two bounds.  What the value points to stays the caller's, and must live as long
 * as the value is in the tree.
 */
extern void counted_tree_insert(CountedTree *tree, int64 index, Datum value);

/* Takes the value at an index out, and returns it. */
extern Datum counted_tree_delete(CountedTree *tree, int64 index);

#endif /* SCAN_COLUMN_COUNTED_TREE_H */
