/*
 * retained.h: one Datum kept over many rows, in memory that is used again.
 *
 * The window functions keep the last value, the best one, the total so far: a
 * datumCopy a row would grow with the partition, a pfree a row would be slow.
 */
#ifndef SCAN_COLUMN_RETAINED_H
#define SCAN_COLUMN_RETAINED_H

#include "postgres.h"

/* What is to be known of a type to keep its values. */
typedef struct RetainedType
{
	Oid	  oid;
	int16 length;
	bool  by_value;
	char  align;
} RetainedType;

/* Zero bytes are an empty one. */
typedef struct RetainedDatum
{
	Datum value;
	bool  present; /* a value is kept: NULL counts as one */
	bool  isnull;
	char *buffer;
	Size  capacity;
} RetainedDatum;

extern RetainedType retained_type(Oid type);

/*
 * Keeps a copy of `value`, flat if it was an expanded object, in `context`, which
 * must live as long as `retained`.  `value` may be the one retained already.
 */
extern void retained_set(RetainedDatum *retained, const RetainedType *type, Datum value, bool isnull,
						 MemoryContext context);

/* Forgets the value, not the memory. */
static inline void
retained_clear(RetainedDatum *retained)
{
	retained->present = false;
}

#endif /* SCAN_COLUMN_RETAINED_H */
