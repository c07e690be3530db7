/*
 * retained.h: a Datum kept over many rows, in memory that is used again.
 *
 * The window functions keep the last value, the best one, the total so far.  Rejected: a datumCopy() a row,
 * whose memory would grow with the partition; a pfree() a row, which would be slow.
 */
#ifndef SCAN_COLUMN_RETAINED_H
#define SCAN_COLUMN_RETAINED_H

#include "postgres.h"

/* What keeping values of a type needs to know of it. */
typedef struct RetainedType
{
	Oid	  oid;
	int16 length;
	bool  by_value;
	char  align;
} RetainedType;

/* A kept value.  Zero bytes: none is kept yet. */
typedef struct RetainedDatum
{
	Datum value;
	bool  present; /* a value is kept, which may be NULL */
	bool  isnull;
	char *buffer;
	Size  capacity;
} RetainedDatum;

extern RetainedType retained_type(Oid type);

/*
 * Keeps a copy of `value`, flat if it was an expanded object, in `context`.  The context must live as long as
 * `retained`.  `value` may be the one that is kept already.
 */
extern void retained_set(RetainedDatum *retained, const RetainedType *type, Datum value, bool isnull,
						 MemoryContext context);

/* Forgets the value, and keeps the memory. */
static inline void
retained_clear(RetainedDatum *retained)
{
	retained->present = false;
}

#endif /* SCAN_COLUMN_RETAINED_H */
