/*
 * handoff.h: passes bytes from each range of the window order to the next one.
 *
 * Several processes compute ranges at once, but a range needs the functions' states after the rows before it, or the
 * last of these rows.  The process with a range hands over the place of bytes of each kind (batches_store()) once, and
 * the process with the next range waits for it.
 */
#ifndef SCAN_EXCHANGE_HANDOFF_H
#define SCAN_EXCHANGE_HANDOFF_H

#include "postgres.h"

typedef enum HandoffKind
{
	HANDOFF_ROWS = 0, /* rows of the overlap */
	HANDOFF_STATES,	  /* saved states of functions */
	HANDOFF_KINDS
} HandoffKind;

/* The shared state, in the query's DSM. */
typedef struct HandoffShared HandoffShared;

extern Size handoff_shared_size(int ranges);
extern void handoff_create(HandoffShared *shared, int ranges);

/* Forgets all that was handed over. */
extern void handoff_reset(HandoffShared *shared);

/* Hands over, after a range, the place of the bytes of a kind; the place must not be 0. */
extern void handoff_hand_over(HandoffShared *shared, HandoffKind kind, int range, uint64 place);

/* Returns the place that was handed over after a range; waits for it. */
extern uint64 handoff_take(HandoffShared *shared, HandoffKind kind, int range);

#endif /* SCAN_EXCHANGE_HANDOFF_H */
