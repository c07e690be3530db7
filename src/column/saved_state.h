/*
 * saved_state.h: carries a function's state to another process, which continues from it, as bytes.
 *
 * Called by the functions of node/evaluate/ and the operations of aggregate/ whose state exec/exec.c
 * (carry_over_range()) saves at the end of a range of the order and restores at the beginning of the next range
 * (input/order_ranges.c), and by moving_arg.c for groups of several processes.  One function saves and restores, so
 * that values are restored in the order in which they were saved.
 */
#ifndef SCAN_COLUMN_SAVED_STATE_H
#define SCAN_COLUMN_SAVED_STATE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/memory.h"

typedef struct SavedState
{
	StringInfoData bytes;	 /* saved at their end, or restored from their cursor on */
	bool		   restores; /* false: saves */
} SavedState;

/* Saves the bytes at `at`, or restores them to there. */
extern void carry_bytes(SavedState *saved, void *at, Size size);

/* Saves a Datum flat.  It is restored in the current context. */
extern void	 save_datum(StringInfo bytes, Datum value, bool isnull, bool by_value, int16 length);
extern Datum restore_datum(StringInfo bytes, bool *isnull);

/* Saves a retained value, or restores it into memory of the context. */
extern void carry_retained(SavedState *saved, RetainedDatum *retained, const RetainedType *type, MemoryContext context);

#endif /* SCAN_COLUMN_SAVED_STATE_H */
