/*
 * segment_tree.h: aggregates over sliding frames that can only join values: extremes, bits, truth values.
 *
 * The template of the strategy of number_ops.c's folds.  The values of a block are the leaves of a tree in which each
 * node joins two nodes below.  A frame's result is the join of a few nodes of each level at the frame's two ends, from
 * left to right, so that the newest of equal values stays, as in core.  Where all frames are as long, two scans
 * (two_scans.h) compute them at less cost.  Rejected: a queue of candidates, which is faster for one kind of frame and
 * cannot have holes.
 */
#ifndef SCAN_AGGREGATE_SEGMENT_TREE_H
#define SCAN_AGGREGATE_SEGMENT_TREE_H

#include "postgres.h"

#include "aggregate/frame_parts.h"
#include "aggregate/sliding_scans.h"
#include "aggregate/two_scans.h"

#define TREE_LEVELS 48

/* A node, or the join of some nodes. */
typedef struct TreeNode
{
	Datum value;
	bool  any; /* false: there is no value */
} TreeNode;

typedef struct Tree
{
	int64		 from; /* the row of the first leaf */
	int			 levels;
	int64		 capacity;
	TreeNode	*node; /* all nodes, the lowest level first */
	TreeNode	*level[TREE_LEVELS];
	TwoScans	 scans;
	SlidingScans sliding; /* where the scans of the sort have the results */
} Tree;

static pg_attribute_always_inline TreeNode
tree_join(TreeNode left, TreeNode right, JoinDatums join)
{
	if (!left.any)
		return right;
	if (right.any)
		left.value = join(left.value, right.value);
	return left;
}

/* Builds the tree over rows `from` to `end` - 1, as high as frames of at most `widest` rows need it. */
static pg_attribute_always_inline void
tree_build(Aggregate *aggregate, Tree *tree, const Block *block, int64 from, int64 end, int64 widest, JoinDatums join)
{
	int64 n = end - from;

	/* one spare node for each level; a node exists only if both nodes below it exist */
	if (2 * n + 2 * TREE_LEVELS > tree->capacity)
	{
		pool_free(aggregate->f.result.pool, tree->node);
		tree->capacity = 2 * n + 2 * TREE_LEVELS;
		tree->node = (TreeNode *) pool_alloc(aggregate->f.result.pool, tree->capacity * sizeof(TreeNode));
	}
	tree->from = from;
	tree->level[0] = tree->node;
	FOR_INTERRUPTIBLE (i, 0, n)
		tree->node[i].any = aggregate_value(aggregate, block, from + i, &tree->node[i].value);
	tree->levels = 1;
	for (int64 below = n; widest > 1 && below > 1; widest /= 2, below /= 2)
	{
		TreeNode *under = tree->level[tree->levels - 1];
		TreeNode *node = tree->level[tree->levels++] = under + below;

		FOR_INTERRUPTIBLE (i, 0, below / 2)
			node[i] = tree_join(under[2 * i], under[2 * i + 1], join);
	}
}

/* Returns the join of rows `from` to `end` - 1. */
static pg_attribute_always_inline TreeNode
tree_query(const Tree *tree, int64 from, int64 end, JoinDatums join)
{
	TreeNode left = {0, false}, right = {0, false};

	from -= tree->from;
	end -= tree->from;
	for (int l = 0; from < end; l++, from /= 2, end /= 2)
	{
		if (l == tree->levels - 1)
		{
			for (; from < end; from++)
				left = tree_join(left, tree->level[l][from], join);
			break;
		}
		if (from % 2 == 1)
			left = tree_join(left, tree->level[l][from++], join);
		if (end % 2 == 1)
			right = tree_join(tree->level[l][--end], right, join);
	}
	return tree_join(left, right, join);
}

/* Stores the results of a block that the sort has scanned. */
static pg_attribute_always_inline void
show_scanned(Aggregate *aggregate, SlidingScans *sliding, const Block *block, int64 done, JoinDatums join)
{
	FOR_INTERRUPTIBLE (i, done, block->n)
	{
		Datum result[SLIDING_RESULTS] = {0};
		int	  results = sliding_results(sliding, &block->frame[i], result);

		for (int a = 1; a < results; a++)
			result[0] = join(result[0], result[a]);
		result_put(&aggregate->f.result, i, result[0], results == 0);
	}
}

static pg_attribute_always_inline int64
segment_tree_rows(Aggregate *aggregate, const Block *block, int64 done, ColumnFormat format, JoinDatums join)
{
	Tree *tree = (Tree *) aggregate->sliding_state;
	int64 widest = 0;
	int64 from, end;

	if (tree == NULL)
		tree = aggregate->sliding_state = MemoryContextAllocZero(aggregate->f.query, sizeof(Tree));
	if (done == block->begin)
	{
		FOR_INTERRUPTIBLE (i, block->begin, block->n)
			widest = Max(widest, block->frame[i].tail - block->frame[i].head);
		from = block->frame[block->begin].head;
		end = block->frame[block->n - 1].tail;
		if (aggregate->f.fused != NULL)
			sliding_begin(&tree->sliding, aggregate->f.fused, block, from, end);
		else if (two_scans_evaluate(aggregate, &tree->scans, block, from, end, widest, format, join))
			return block->n;
		else
			tree_build(aggregate, tree, block, from, end, widest, join);
	}
	if (aggregate->f.fused != NULL)
	{
		show_scanned(aggregate, &tree->sliding, block, done, join);
		return block->n;
	}
	FOR_INTERRUPTIBLE (i, done, block->n)
	{
		FramePart part[FRAME_PARTS];
		int		  parts = frame_parts(&block->frame[i], i, part);
		TreeNode  joined = {0, false};

		for (int p = 0; p < parts; p++)
			joined = tree_join(joined, tree_query(tree, part[p].from, part[p].end, join), join);
		result_put(&aggregate->f.result, i, joined.value, !joined.any);
	}
	return block->n;
}

#endif /* SCAN_AGGREGATE_SEGMENT_TREE_H */
