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

typedef enum ChainKind
{
	CHAIN_ROWS = 0, /* the last rows */
	CHAIN_TOTALS,
	CHAIN_KINDS
} ChainKind;

/* The shared part. */
typedef struct ChainShared ChainShared;

extern Size chain_shared_size(int ranges);
extern void chain_create(ChainShared *shared, int ranges);

/* Nothing is handed over yet. */
extern void chain_reset(ChainShared *shared);

/* Hands over where what comes after a range is: no place is 0. */
extern void chain_hand_over(ChainShared *shared, ChainKind kind, int range, uint64 place);

/* What was handed over after a range: waits for it. */
extern uint64 chain_take(ChainShared *shared, ChainKind kind, int range);

#endif /* SCAN_EXCHANGE_HANDOFF_H */
