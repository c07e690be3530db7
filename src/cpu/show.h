/*
 * show.h: the answer at a row, for the sequential loops (loop.h) and the trees (tree.c).
 *
 * An exclusive scan is the inclusive one shown a row later: `pending` is the answer
 * at the row before (or the identity), and an error in it is shown, or forgotten at
 * a head, with it.
 */
#ifndef SCAN_CPU_SHOW_H
#define SCAN_CPU_SHOW_H

#include "cpu/cpu.h"

#define SCAN_INLINE static inline __attribute__((always_inline, unused))

/* Keeps the total before a row, for the bindings that look at it. */
SCAN_INLINE void
scan_before(const ScanOp *op, void *before, const void *acc)
{
	if (op->flags & SCAN_BEFORE)
		memcpy(before, acc, op->acc_size);
}

/*
 * The answer at a row, once the totals before and after it are known.  `before`
 * is zero bytes when nothing stood before the row in its segment; `applied`: the
 * row had a value; `any`: it or an earlier one had.
 */
SCAN_INLINE ScanStatus
scan_show(const ScanOp *op, const void *param, ScanCarry *carry, const void *before, const void *after, bool applied,
		  bool any, bool head, ScanExtent extent, void *y)
{
	ScanStatus status;

	if (head)
		carry->pending_status = op->identity(&carry->pending);
	status = (ScanStatus) carry->pending_status;
	if (extent == SCAN_EXCLUSIVE)
		memcpy(y, &carry->pending, op->out_size);
	if (applied)
		carry->pending_status = op->lower(param, before, after, carry->row, &carry->pending);
	if (extent == SCAN_INCLUSIVE)
	{
		memcpy(y, &carry->pending, op->out_size);
		status = any ? (ScanStatus) carry->pending_status : SCAN_NULL;
	}
	carry->row++;
	return status;
}

#endif /* SCAN_CPU_SHOW_H */
