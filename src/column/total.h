/*
 * total.h: scan_total, the SQL type of an exact sum: how a Total (op/total.h) lies in
 * a Datum.
 */
#ifndef SCAN_COLUMN_TOTAL_H
#define SCAN_COLUMN_TOTAL_H

#include "postgres.h"

#include "op/total.h"

/* STORAGE plain, ALIGNMENT double: never compressed, always aligned. */
typedef struct ScanTotal
{
	int32  length; /* SET_VARSIZE */
	uint8  kind;
	uint8  first;
	uint8  n;
	uint8  unused; /* 0 */
	uint64 limb[FLEXIBLE_ARRAY_MEMBER];
} ScanTotal;

/* A new one in the current context. */
extern ScanTotal *total_make(const Total *total);

/*
 * What a Datum holds, proved to be the one form of a total: a page, a message or a cast
 * may have left any bytes there.
 */
extern void total_open(Datum value, Total *total);

/* The sum that it is. */
extern void total_read(Datum value, ExactSum *sum);

/* A sum as a new Datum. */
extern Datum total_datum(const ExactSum *sum);

#endif /* SCAN_COLUMN_TOTAL_H */
