/*
 * saved_state.h: writes a function's state as bytes, from which another process continues.
 *
 * Called by the functions of node/evaluate/ and the operations of aggregate/ whose state exec/exec.c
 * (carry_over_range()) saves at the end of a range of the order and restores at the beginning of the next range
 * (input/order_ranges.c), and by moving_arg.c for groups of several processes.  Values are restored in the order in
 * which they were saved.
 */
#ifndef SCAN_COLUMN_SAVED_STATE_H
#define SCAN_COLUMN_SAVED_STATE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/memory.h"

extern void save_bytes(StringInfo bytes, const void *from, Size size);
extern void restore_bytes(StringInfo bytes, void *to, Size size);

/* Saves a Datum flat.  It is restored in the current context. */
extern void	 save_datum(StringInfo bytes, Datum value, bool isnull, bool by_value, int16 length);
extern Datum restore_datum(StringInfo bytes, bool *isnull);

extern void save_retained(StringInfo bytes, const RetainedDatum *retained, bool by_value, int16 length);
extern void restore_retained(StringInfo bytes, RetainedDatum *retained, const RetainedType *type,
							 MemoryContext context);

#endif /* SCAN_COLUMN_SAVED_STATE_H */
