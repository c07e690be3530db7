/*
 * counted_tree.c: a sorted list of values that finds the k-th value in O(log n).
 *
 * A full node is split into two halves, as in every B-tree.  After a value is deleted, two neighbours that together
 * fill no more than half a node are merged.  Rejected: borrowing values from a neighbour, which is more complex.
 * Merging is enough: nodes are a quarter full on average at least, so memory stays proportional to the number of
 * values, in whatever order they are inserted and deleted.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "number/counted_tree.h"

#define FANOUT 127 /* a leaf takes 1 kB, to which palloc would round up a slightly smaller one */

struct CountedNode
{
	int32 n;
	bool  is_leaf;
	Datum value[FANOUT]; /* a leaf's values; in an inner node, the first value below each child */

	/* a leaf's memory ends here */
	CountedNode *child[FANOUT];
	int64		 count[FANOUT]; /* number of values below each child */
};

static CountedNode *
tree_node_new(const CountedTree *tree, bool is_leaf)
{
	Size		 size = is_leaf ? offsetof(CountedNode, child) : sizeof(CountedNode);
	CountedNode *node = (CountedNode *) MemoryContextAlloc(tree->memory, size);

	node->n = 0;
	node->is_leaf = is_leaf;
	return node;
}

/* Returns the number of values in and below a node. */
static int64
node_count(const CountedNode *node)
{
	int64 count = 0;

	if (node->is_leaf)
		return node->n;
	for (int i = 0; i < node->n; i++)
		count += node->count[i];
	return count;
}

/* Moves the entries from slot `from` on by one slot, to the right or (by = -1) to the left. */
static void
node_shift(CountedNode *node, int from, int by)
{
	int entries = node->n - from;

	memmove(node->value + from + by, node->value + from, entries * sizeof(node->value[0]));
	if (!node->is_leaf)
	{
		memmove(node->child + from + by, node->child + from, entries * sizeof(node->child[0]));
		memmove(node->count + from + by, node->count + from, entries * sizeof(node->count[0]));
	}
	node->n += by;
}

/* Moves the entries from slot `first` on to the end of another node. */
static void
node_move(CountedNode *from, int first, CountedNode *to)
{
	int entries = from->n - first;

	memcpy(to->value + to->n, from->value + first, entries * sizeof(to->value[0]));
	if (!to->is_leaf)
	{
		memcpy(to->child + to->n, from->child + first, entries * sizeof(to->child[0]));
		memcpy(to->count + to->n, from->count + first, entries * sizeof(to->count[0]));
	}
	to->n += entries;
	from->n = first;
}

/* Updates a node's first value and count of a child that has changed. */
static void
node_update(CountedNode *node, int slot)
{
	node->value[slot] = node->child[slot]->value[0];
	node->count[slot] = node_count(node->child[slot]);
}

/* Returns the slot of the child that has the value at *index; makes *index relative to that child. */
static int
node_find(const CountedNode *node, int64 *index)
{
	int slot = 0;

	/* an insertion at the end has index n, which belongs to the last child */
	while (slot < node->n - 1 && *index >= node->count[slot])
		*index -= node->count[slot++];
	return slot;
}

void
counted_tree_init(CountedTree *tree, SortSupport sort, MemoryContext memory)
{
	*tree = (CountedTree){.sort = sort, .memory = memory};
}

/* Returns the index of the first value that compares to `probe` as `limit` or more.  Limit 0: not less; 1: greater. */
static inline int64
tree_bound(const CountedTree *tree, Datum probe, int limit)
{
	const CountedNode *node = tree->root;
	int64			   index = 0;

	while (node != NULL)
	{
		int low = 0, high = node->n;

		while (low < high)
		{
			int middle = (low + high) / 2;

			if (tree->sort->comparator(node->value[middle], probe, tree->sort) < limit)
				low = middle + 1;
			else
				high = middle;
		}
		if (node->is_leaf)
			return index + low;
		/* the first value below child `low` is past the bound; the first value below child low - 1 is not */
		for (int i = 0; i < low - 1; i++)
			index += node->count[i];
		node = low > 0 ? node->child[low - 1] : NULL;
	}
	return index;
}

int64
counted_tree_lower_bound(const CountedTree *tree, Datum probe)
{
	return tree_bound(tree, probe, 0);
}

int64
counted_tree_upper_bound(const CountedTree *tree, Datum probe)
{
	return tree_bound(tree, probe, 1);
}

Datum
counted_tree_get(const CountedTree *tree, int64 index)
{
	const CountedNode *node = tree->root;

	while (!node->is_leaf)
		node = node->child[node_find(node, &index)];
	return node->value[index];
}

/* Inserts a value below a node.  Returns the node's new right half if it was split, else NULL. */
static CountedNode *
node_insert(const CountedTree *tree, CountedNode *node, int64 index, Datum value)
{
	CountedNode *child = NULL, *half = NULL;
	int			 slot;

	if (node->is_leaf)
		slot = index;
	else
	{
		slot = node_find(node, &index);
		child = node_insert(tree, node->child[slot], index, value);
		node_update(node, slot);
		if (child == NULL)
			return NULL;
		slot++;
	}

	if (node->n == FANOUT)
	{
		half = tree_node_new(tree, node->is_leaf);
		node_move(node, FANOUT / 2, half);
		if (slot > node->n)
		{
			slot -= node->n;
			node = half;
		}
	}
	node_shift(node, slot, 1);
	if (child == NULL)
		node->value[slot] = value;
	else
	{
		node->child[slot] = child;
		node_update(node, slot);
	}
	return half;
}

void
counted_tree_insert(CountedTree *tree, int64 index, Datum value)
{
	CountedNode *half;

	if (tree->root == NULL)
		tree->root = tree_node_new(tree, true);
	half = node_insert(tree, tree->root, index, value);
	if (half != NULL)
	{
		CountedNode *root = tree_node_new(tree, false);

		root->n = 2;
		root->child[0] = tree->root;
		root->child[1] = half;
		node_update(root, 0);
		node_update(root, 1);
		tree->root = root;
	}
	tree->n++;
}

/* Merges the children in `slot` and slot + 1, if together they fill no more than half a node. */
static void
node_merge(CountedNode *node, int slot)
{
	CountedNode *left, *right;

	if (slot < 0 || slot + 1 >= node->n)
		return;
	left = node->child[slot];
	right = node->child[slot + 1];
	if (left->n + right->n > FANOUT / 2)
		return;
	node_move(right, 0, left);
	pfree(right);
	node_shift(node, slot + 2, -1);
	node_update(node, slot);
}

static Datum
node_delete(CountedNode *node, int64 index)
{
	Datum value;
	int	  slot;

	if (node->is_leaf)
	{
		value = node->value[index];
		node_shift(node, index + 1, -1);
		return value;
	}

	slot = node_find(node, &index);
	value = node_delete(node->child[slot], index);
	if (node->child[slot]->n == 0)
	{
		pfree(node->child[slot]);
		node_shift(node, slot + 1, -1);
		return value;
	}
	node_update(node, slot);
	node_merge(node, slot);
	node_merge(node, slot - 1);
	return value;
}

Datum
counted_tree_delete(CountedTree *tree, int64 index)
{
	Datum value = node_delete(tree->root, index);

	tree->n--;
	/* drop a root that has only one child, or nothing */
	while (tree->root != NULL && tree->root->n == (tree->root->is_leaf ? 0 : 1))
	{
		CountedNode *root = tree->root;

		tree->root = root->is_leaf ? NULL : root->child[0];
		pfree(root);
	}
	return value;
}
