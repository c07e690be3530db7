/*
 * held.h: one Datum kept over many rows, in memory that is used again.
 *
 * The window functions keep the last value, the best one, the total so far: a
 * datumCopy a row would grow with the partition, a pfree a row would be slow.
 */
#ifndef SCAN_COLUMN_HELD_H
#define SCAN_COLUMN_HELD_H

#include "postgres.h"

/* What is to be known of a type to keep its values. */
typedef struct HeldType
{
	Oid	  oid;
	int16 length;
	bool  by_value;
	char  align;
} HeldType;

/* Zero bytes are an empty one. */
typedef struct Held
{
	Datum value;
	bool  present; /* a value is kept: NULL counts as one */
	bool  isnull;
	char *buffer;
	Size  capacity;
} Held;

extern HeldType held_type(Oid type);

/*
 * Keeps a copy of `value`, flat if it was an expanded object, in `context`, which
 * must live as long as `held`.  `value` may be the one held already.
 */
extern void held_set(Held *held, const HeldType *type, Datum value, bool isnull, MemoryContext context);

/* Forgets the value, not the memory. */
static inline void
held_clear(Held *held)
{
	held->present = false;
}

#endif /* SCAN_COLUMN_HELD_H */
