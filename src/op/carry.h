/*
 * carry.h: the accumulator that a scan hands from one piece of its rows to the next.
 *
 * Its bytes are the same in every program, so a column may be cut anywhere, and each piece may run in any program.  Any
 * cut gives the same results.
 */
#ifndef SCAN_OP_CARRY_H
#define SCAN_OP_CARRY_H

#include "op/binding.h"

typedef enum ScanExtent
{
	SCAN_INCLUSIVE = 0,
	SCAN_EXCLUSIVE,
} ScanExtent;

/* The state of a scan after a piece of its rows. */
typedef struct ScanCarry
{
	int64_t row;			/* rows so far */
	int32_t pending_status; /* the ScanStatus of `pending` */
	bool	any;			/* true if a value has gone into `acc` since the head */
	union
	{
		double	 align;
		ScanSpan widest;
	} pending; /* the inclusive result at the last row, or the identity; an exclusive scan returns it at the next row */
	double acc[]; /* the accumulator; meaningless unless `any` */
} ScanCarry;

#endif /* SCAN_OP_CARRY_H */
