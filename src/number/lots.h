/*
 * lots.h: what is in stock, by the lots in which it came in: a queue and a stack of quantities and prices.
 *
 * It is for scan_cost (functions/window/cost.c).  Quantities and prices are exact, and so is what a quantity that goes
 * out has cost: a sum of products, in a WideDecimal.  Quantities and prices are integers of 64 bits in units of
 * 10000^-places as long as they fit.  Whatever does not fit goes through core's numeric functions.  A user cannot tell
 * which of the two computed a cost: it shows its value and its display scale, which follow core's rules.
 *
 * Rejected: lots as numerics.  Each row allocated three to six of them, and took four times as long.
 */
#ifndef SCAN_NUMBER_LOTS_H
#define SCAN_NUMBER_LOTS_H

#include "postgres.h"

#include "column/deque.h"
#include "number/wide_decimal.h"

/* A finite numeric, displayed with `scale` decimals. */
typedef struct Amount
{
	union
	{
		int64 units; /* in units of 10000^-places */
		Datum wide;	 /* the numeric itself, if places is AMOUNT_WIDE */
	};
	int16 places, scale;
} Amount;

typedef struct Lot
{
	Amount quantity; /* what is left of it, above 0 */
	Amount price;	 /* of one unit */
} Lot;

/* Zero bytes, but for lot.memory, are an empty stock. */
typedef struct Lots
{
	Deque		lot;	  /* of Lot, the oldest first */
	bool		any_wide; /* some lot may own a numeric */
	WideDecimal cost;	  /* of the units that were taken last */
} Lots;

/* Empties the stock, and keeps its memory. */
extern void lots_clear(Lots *lots);

/* Adds a lot, of finite numerics; the quantity is above 0. */
extern void lots_put(Lots *lots, Datum quantity, Datum price);

/*
 * Takes a quantity above 0 out of the oldest lots or, with `newest`, out of the newest ones.  *cost: what these units
 * have cost, a numeric that lives until the next call.  Returns false if there is less than that; *missing then says
 * how much is missing, and the stock is empty.
 */
extern bool lots_take(Lots *lots, Datum quantity, bool newest, Datum *cost, Datum *missing);

#endif /* SCAN_NUMBER_LOTS_H */
