/*
 * handoff.h: passes bytes from each range of the window order to the next one.
 *
 * Several processes answer ranges at once, but a range needs the functions' states after the rows before it, or the
 * last of these rows.  The process with a range hands over the place of bytes of each kind (batches_store()) once, and
 * the process with the next range waits for it.
 */
#ifndef SCAN_EXCHANGE_HANDOFF_H
#define SCAN_EXCHANGE_HANDOFF_H

#include "postgres.h"

#include "exchange/repartition.h"

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

/* ---- handoff.c: which ranges of the window order have rows, and what a range hands over to the next one ---- */

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

#endif /* SCAN_EXCHANGE_HANDOFF_H */
