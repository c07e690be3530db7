/*
 * carry.h: what one row of a scan leaves to the next.
 *
 * The same bytes on every device, so that a column may be cut anywhere, and each
 * piece run wherever there is room for it.
 */
#ifndef SCAN_OP_CARRY_H
#define SCAN_OP_CARRY_H

#include "op/binding.h"

typedef enum ScanExtent
{
	SCAN_INCLUSIVE = 0,
	SCAN_EXCLUSIVE,
} ScanExtent;

/*
 * The answer that an exclusive scan shows at the next row, and the accumulator.  Any
 * cut of a column into jobs gives the same answers when the carry goes from each to
 * the next.
 */
typedef struct ScanCarry
{
	int64_t row;			/* rows so far */
	int32_t pending_status; /* ScanStatus of pending */
	bool	any;			/* a value has gone into acc since the head */
	union
	{
		double	 align;
		ScanSpan widest;
	} pending;	  /* the inclusive answer at the row before, or the identity */
	double acc[]; /* the accumulator */
} ScanCarry;

#endif /* SCAN_OP_CARRY_H */
