/*
 * door.h: SQL values to the C values of a column, and back: the PostgreSQL half
 * of op/door.h.  door_in_T and door_out_T for every type T (as in pg_type) that
 * list.h gives to a SCAN_ROW.
 */
#ifndef SCAN_COLUMN_DOOR_H
#define SCAN_COLUMN_DOOR_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "compat.h"
#include "op/door.h"

/* Room for a value of any of these types. */
typedef union DoorValue
{
	int64	 int8;
	float8	 float8;
	ScanSpan span;
} DoorValue;

#define DOOR(T, C, FROM, TO)                         \
	static inline void door_in_##T(Datum d, void *x) \
	{                                                \
		*(C *) x = FROM(d);                          \
	}                                                \
	static inline Datum door_out_##T(const void *y)  \
	{                                                \
		return TO(*(const C *) y);                   \
	}

DOOR(bool, bool, DatumGetBool, BoolGetDatum)
DOOR(int2, int16, DatumGetInt16, Int16GetDatum)
DOOR(int4, int32, DatumGetInt32, Int32GetDatum)
DOOR(int8, int64, DatumGetInt64, Int64GetDatum)
DOOR(float4, float4, DatumGetFloat4, Float4GetDatum)
DOOR(float8, float8, DatumGetFloat8, Float8GetDatum)

/* The parameter of the doors of f(value): scan_sum(interval) needs to know it of the server, no other looks. */
static const SpanParam door_span = {COMPAT_INTERVAL_HAS_INFINITY};

StaticAssertDecl(sizeof(ScanSpan) == sizeof(Interval) && offsetof(ScanSpan, day) == offsetof(Interval, day) &&
					 offsetof(ScanSpan, month) == offsetof(Interval, month),
				 "ScanSpan must be laid out as Interval");

static inline void
door_in_interval(Datum d, void *x)
{
	memcpy(x, DatumGetIntervalP(d), sizeof(Interval));
}

/* A new Interval in the current context. */
static inline Datum
door_out_interval(const void *y)
{
	Interval *span = (Interval *) palloc(sizeof(Interval));

	memcpy(span, y, sizeof(Interval));
	return IntervalPGetDatum(span);
}

#endif /* SCAN_COLUMN_DOOR_H */
