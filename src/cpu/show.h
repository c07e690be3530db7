/*
 * show.h: the result at a row, for the sequential loops (loop.h) and the trees (tree.c).
 *
 * An exclusive scan returns the inclusive results one row later.  `pending` is the result at the row before, or the
 * identity.  If it is an error, the next row returns the error, or drops it at a head.
 */
#ifndef SCAN_CPU_SHOW_H
#define SCAN_CPU_SHOW_H

#include "cpu/cpu.h"

#define SCAN_INLINE static inline __attribute__((always_inline, unused))

/* Saves the total before a row, for bindings flagged SCAN_BEFORE. */
SCAN_INLINE void
scan_before(const ScanOp *op, void *before, const void *acc)
{
	if (op->flags & SCAN_BEFORE)
		memcpy(before, acc, op->acc_size);
}

/*
 * *y := the result at a row.  `before` and `after` are the totals without and with the row;
 * `before` is zero bytes if no row of the segment had a value before.  `applied`: the row has a
 * value.  `any`: this row or an earlier one of the segment has a value.
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
