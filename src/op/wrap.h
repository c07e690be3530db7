/*
 * wrap.h: segments and NULLs, once for all monoids.
 *
 * An item is what a scan joins: an accumulator, a flag that a value went in (`any`), and a flag that a segment starts
 * inside (`head`).  The items of any monoid form a monoid again, which has the identity {any = false, head = false}:
 *
 *   left (+) right = right                      if right holds a head
 *                  = {left.acc (+) right.acc}   otherwise, empty sides left out
 *
 * So NULL rows, empty blocks and padding are identities, and a segmented scan is a plain scan over
 * items.  After Blelloch 1990 ("Prefix sums and their applications", section 1.5) and Schwartz
 * 1980.
 */
#ifndef SCAN_OP_WRAP_H
#define SCAN_OP_WRAP_H

#include "op/fn.h"

/* The part of every item that does not depend on its monoid; it comes first. */
typedef struct ScanItem
{
	bool any, head;
} ScanItem;

/* Defines D_item, D_item_copy and D_item_join for a binding D that has D_acc, D_join and D_copy. */
#define SEGMENT_ITEM(D)                                               \
	typedef struct D##_item                                           \
	{                                                                 \
		ScanItem item;                                                \
		D##_acc	 acc;                                                 \
	} D##_item;                                                       \
	SCAN_FN void D##_item_copy(D##_item *dst, const D##_item *src)    \
	{                                                                 \
		dst->item = src->item;                                        \
		if (src->item.any)                                            \
			D##_copy(&dst->acc, &src->acc);                           \
	}                                                                 \
	SCAN_FN void D##_item_join(D##_item *left, const D##_item *right) \
	{                                                                 \
		if (right->item.head)                                         \
			D##_item_copy(left, right);                               \
		else if (right->item.any && left->item.any)                   \
			D##_join(&left->acc, &right->acc);                        \
		else if (right->item.any)                                     \
		{                                                             \
			D##_copy(&left->acc, &right->acc);                        \
			left->item.any = true;                                    \
		}                                                             \
	}

#endif /* SCAN_OP_WRAP_H */
