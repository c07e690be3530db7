/*
 * handoff.h: what each range of an order hands over to the next one.
 *
 * Ranges are answered by several processes at once, but each needs what the rows before it come to: their
 * totals, or the last of them.  Whoever has a range hands over the place of bytes of a kind (batch.h), once, and
 * whoever has the next one waits for it.
 */
#ifndef SCAN_EXCHANGE_HANDOFF_H
#define SCAN_EXCHANGE_HANDOFF_H

#include "postgres.h"

typedef enum HandoffKind
{
	HANDOFF_ROWS = 0, /* the last rows */
	HANDOFF_TOTALS,
	HANDOFF_KINDS
} HandoffKind;

/* The shared part. */
typedef struct HandoffShared HandoffShared;

extern Size handoff_shared_size(int ranges);
extern void handoff_create(HandoffShared *shared, int ranges);

/* Nothing is handed over yet. */
extern void handoff_reset(HandoffShared *shared);

/* Hands over where what comes after a range is: no place is 0. */
extern void handoff_hand_over(HandoffShared *shared, HandoffKind kind, int range, uint64 place);

/* What was handed over after a range: waits for it. */
extern uint64 handoff_take(HandoffShared *shared, HandoffKind kind, int range);

#endif /* SCAN_EXCHANGE_HANDOFF_H */
