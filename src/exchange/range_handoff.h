/*
 * range_handoff.h: which ranges of the window order have rows, and what a range hands over to the next one.
 */
#ifndef SCAN_EXCHANGE_RANGE_HANDOFF_H
#define SCAN_EXCHANGE_RANGE_HANDOFF_H

#include "postgres.h"

#include "exchange/handoff.h"
#include "exchange/repartition.h"

/* Returns the range that was taken last. */
extern int repartition_taken(const Repartition *repartition);

/* True if no range after the one that was taken has any rows. */
extern bool repartition_range_is_last(const Repartition *repartition);

/* Returns the last range with rows before the one that was taken; -1: there is none. */
extern int repartition_range_before(const Repartition *repartition);

/*
 * repartition_hand_over() hands bytes over from the range that was taken to the next one.  repartition_handed_over()
 * returns the bytes that `range` handed over, and waits for them; they are valid until the next call.
 */
extern void		   repartition_hand_over(Repartition *repartition, HandoffKind kind, const void *bytes, Size size);
extern const void *repartition_handed_over(Repartition *repartition, HandoffKind kind, int range);

#endif /* SCAN_EXCHANGE_RANGE_HANDOFF_H */
