/*
 * total.h: scan_total, the SQL type of an exact sum: how a Total (op/total.h) lies in a Datum.
 */
#ifndef SCAN_NUMBER_TOTAL_H
#define SCAN_NUMBER_TOTAL_H

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

/* Returns a new scan_total in the current context. */
extern ScanTotal *total_make(const Total *total);

/*
 * Reads a Datum, and checks that it is the one form of its total: a corrupted page, a message or a cast may have left
 * any bytes there.  An error if it is not.
 */
extern void total_open(Datum value, Total *total);

/* Reads a Datum as an ExactSum.  An error if it is not a valid total. */
extern void total_read(Datum value, ExactSum *sum);

/* Returns a sum as a new Datum in the current context. */
extern Datum total_datum(const ExactSum *sum);

#endif /* SCAN_NUMBER_TOTAL_H */
