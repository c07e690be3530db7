/*
 * extreme.h: what an aggregate without an inverse, such as min or bit_or, makes of values.
 *
 * Its transition function f commutes and is idempotent: f(x, x) = x.  So a value that leaves does no harm if the value
 * that takes its place absorbs it, f(leaves, enters) = enters, as an UPDATE that leaves the value as it is does.
 * Without that, only the rows tell what the result is.  Rejected: that the values of other rows of the statement absorb
 * it.  Such a row may leave, too, before the statement or the transaction of an apply worker ends.
 *
 * Core's f returns one of two values that are equal, and by their order which one.  Where equal values may differ in
 * their bytes, as 0 and -0 do, the result is tied if both went in and nothing beyond them.
 */
#ifndef SCAN_KEPT_EXTREME_H
#define SCAN_KEPT_EXTREME_H

#include "kept/kept.h"

/* Zero bytes: there are no values. */
typedef struct KeptExtreme
{
	Datum value;
	bool  there;
	bool  tied;
} KeptExtreme;

/* True if two states, each the transition value of the aggregate, have the same bytes. */
extern bool kept_same_image(const KeptAggregate *aggregate, Datum a, Datum b);

extern void kept_extreme_clear(KeptExtreme *extreme, const KeptAggregate *aggregate);

/* Adds a value, or what another one has; it is copied into `memory`.  The current context is temporary. */
extern void kept_extreme_take(KeptExtreme *extreme, const KeptAggregate *aggregate, MemoryContext memory, Datum value);

/* True if a value that enters absorbs the one that leaves. */
extern bool kept_extreme_absorbs(const KeptAggregate *aggregate, Datum enters, Datum leaves);

#endif /* SCAN_KEPT_EXTREME_H */
