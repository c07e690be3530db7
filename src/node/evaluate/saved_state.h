/*
 * saved_state.h: what functions know of the rows before, as bytes that another process goes on from.
 *
 * exec/ has them made at the end of a range of the order, and taken at the begin of the next one
 * (input/order_ranges.h).
 */
#ifndef SCAN_NODE_EVALUATE_SAVED_STATE_H
#define SCAN_NODE_EVALUATE_SAVED_STATE_H

#include "postgres.h"

#include "lib/stringinfo.h"

#include "column/decimal_sum.h"
#include "column/retained.h"

extern void save_bytes(StringInfo bytes, const void *from, Size size);
extern void restore_bytes(StringInfo bytes, void *to, Size size);

/* A Datum, flat; it is had back in the current context. */
extern void	 save_datum(StringInfo bytes, Datum value, bool isnull, bool by_value, int16 length);
extern Datum restore_datum(StringInfo bytes, bool *isnull);

/* A sum of numerics; it is had back in a sum whose memory is set. */
extern void save_decimal_sum(StringInfo bytes, DecimalSum *sum);
extern void restore_decimal_sum(StringInfo bytes, DecimalSum *sum);

extern void save_retained(StringInfo bytes, const RetainedDatum *retained, bool by_value, int16 length);
extern void restore_retained(StringInfo bytes, RetainedDatum *retained, const RetainedType *type,
							 MemoryContext context);

#endif /* SCAN_NODE_EVALUATE_SAVED_STATE_H */
