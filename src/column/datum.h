/*
 * datum.h: converts Datums to the C values of a column and back.
 *
 * This is the PostgreSQL half of op/binding.h: datum_to_T and datum_from_T for every type T (as in pg_type) that list.h
 * gives to a SCAN_ROW.
 */
#ifndef SCAN_COLUMN_DATUM_H
#define SCAN_COLUMN_DATUM_H

#include "postgres.h"

#include "utils/timestamp.h"

#include "compat.h"
#include "op/binding.h"

/* Memory for a value of any type that has a conversion here. */
typedef union ColumnValue
{
	int64	 int8;
	float8	 float8;
	ScanSpan span;
} ColumnValue;

#define DATUM_CONVERSION(T, C, FROM, TO)              \
	static inline void datum_to_##T(Datum d, void *x) \
	{                                                 \
		*(C *) x = FROM(d);                           \
	}                                                 \
	static inline Datum datum_from_##T(const void *y) \
	{                                                 \
		return TO(*(const C *) y);                    \
	}

DATUM_CONVERSION(bool, bool, DatumGetBool, BoolGetDatum)
DATUM_CONVERSION(int2, int16, DatumGetInt16, Int16GetDatum)
DATUM_CONVERSION(int4, int32, DatumGetInt32, Int32GetDatum)
DATUM_CONVERSION(int8, int64, DatumGetInt64, Int64GetDatum)
DATUM_CONVERSION(float4, float4, DatumGetFloat4, Float4GetDatum)
DATUM_CONVERSION(float8, float8, DatumGetFloat8, Float8GetDatum)

/*
 * The parameter of every f(value).  Only scan_sum(interval) reads it: it tells whether this server has infinite
 * intervals.
 */
static const SpanParam span_param = {COMPAT_INTERVAL_HAS_INFINITY};

StaticAssertDecl(sizeof(ScanSpan) == sizeof(Interval) && offsetof(ScanSpan, day) == offsetof(Interval, day) &&
					 offsetof(ScanSpan, month) == offsetof(Interval, month),
				 "ScanSpan must be laid out as Interval");

static inline void
datum_to_interval(Datum d, void *x)
{
	memcpy(x, DatumGetIntervalP(d), sizeof(Interval));
}

/* Returns a new Interval, in the current context. */
static inline Datum
datum_from_interval(const void *y)
{
	Interval *span = (Interval *) palloc(sizeof(Interval));

	memcpy(span, y, sizeof(Interval));
	return IntervalPGetDatum(span);
}

#endif /* SCAN_COLUMN_DATUM_H */
