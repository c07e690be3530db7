/*
 * type.h: the one table of types: what a type is to the library.
 *
 * Everybody who treats a type better than through its operators looks here: the sort (normalize.c), sliding RANGE
 * frames (frame.c) and the estimates of their length (bounded_overlap.c), the search for boundaries, extremes and
 * percentiles.  So a type that is to run at full speed is a row of the table in type.c, and the lines of op/list.h for
 * its functions.  Everything else works for every type, by the type's own functions: an unknown type is slower, not
 * wrong.
 *
 * A type's operators are known by their C functions, since operators of several types, or of a user, may have the same
 * one, and a function is called with the type below a domain.  Entry points of SQL that serve one type each know that
 * type by themselves (functions/window/session.c).
 */
#ifndef SCAN_COLUMN_TYPE_H
#define SCAN_COLUMN_TYPE_H

#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "column/percentile.h"

/* How a btree comparison function orders values. */
typedef enum TypeOrder
{
	ORDER_UNKNOWN = 0,
	ORDER_INT16, /* ORDER_INT16 to ORDER_FLOAT8: as the numbers that the stored values are */
	ORDER_INT32,
	ORDER_INT64,
	ORDER_UINT8,
	ORDER_UINT32,
	ORDER_UINT64,
	ORDER_FLOAT4,
	ORDER_FLOAT8,
	ORDER_NUMERIC,
	ORDER_BYTES, /* by the bytes of a string (TypeInfo.string) */
	ORDER_TEXT,	 /* the same if the collation is C */
} TypeOrder;

/* Where a value has the bytes of its string. */
typedef enum StringForm
{
	STRING_VARLENA = 0,
	STRING_PADDED, /* bpchar: blanks at the end do not count */
	STRING_NAME,   /* name: up to the first NUL */
	STRING_FIXED,  /* as many bytes as the type's length */
} StringForm;

/* How a RANGE offset is applied. */
typedef enum RangeMethod
{
	RANGE_UNKNOWN = 0, /* an unknown in_range function may raise an error at any row */
	RANGE_CALL,		   /* by a call of the type's in_range function for each row */
	RANGE_INTEGER,	   /* a bound is a sum of integers */
	RANGE_TIME,		   /* a bound is a timestamp, which core computes once per row */
} RangeMethod;

/* Which values of a type core's in_range functions accept as offsets. */
typedef enum OffsetKind
{
	OFFSET_UNKNOWN = 0,
	OFFSET_NUMBER,	 /* all that are not negative, with any value: the sums saturate */
	OFFSET_INTERVAL, /* the type is interval, whose sums may be out of range */
} OffsetKind;

#define TYPE_IN_RANGES 3

typedef struct TypeInfo
{
	Oid oid;

	/* a btree order: the type's own or, in further rows of the type, another one */
	Oid		   comparison;
	TypeOrder  order;
	StringForm string; /* ORDER_BYTES, ORDER_TEXT */
	Oid		   equal;  /* the equality function, if values are equal if and only if their Datums are */

	/* RANGE frames over the type */
	RangeMethod range;
	Oid			in_range[TYPE_IN_RANGES]; /* the in_range functions, one for each type of offsets */
	PGFunction	add;					  /* RANGE_TIME: timestamp + interval */
	PGFunction	subtract;				  /* RANGE_TIME: timestamp - interval */
	/*
	 * What one unit of the value is in the unit in which distances are measured: microseconds for times, 1 for numbers.
	 * 0: distances are not known.
	 */
	int64	   unit;
	OffsetKind offset; /* as a type of offsets */

	/* aggregates */
	bool		keeps_oldest; /* of equal values, core's min and max keep the oldest; for other types the newest */
	Interpolate interpolate;  /* percentile_cont; NULL: the type has none */
} TypeInfo;

/* Returns what a type is; a domain is what the type below it is.  Of an unknown type nothing is known: zero bytes. */
extern const TypeInfo *type_info(Oid type);

/* The same for the type that a btree comparison function, or an in_range function, is about. */
extern const TypeInfo *type_info_of_comparison(Oid comparison);
extern const TypeInfo *type_info_of_in_range(Oid in_range);

/* True for the equality of a type whose values are equal if and only if their Datums are. */
extern bool type_equal_is_by_datum(Oid equal);

/* Returns a value as a number in the unit in which distances are measured; NAN if distances are not known. */
extern double type_number(const TypeInfo *info, Datum value);

/* True if core's in_range functions accept the value as an offset, and raise an error for no row. */
extern bool type_offset_is_safe(const TypeInfo *info, Datum offset);

/* True if values are ordered as the numbers that they are stored as. */
static inline bool
type_order_is_number(TypeOrder order)
{
	return order >= ORDER_INT16 && order <= ORDER_FLOAT8;
}

/* True if values are ordered as signed integers. */
static inline bool
type_order_is_integer(TypeOrder order)
{
	return order >= ORDER_INT16 && order <= ORDER_INT64;
}

/* Returns such a value as an integer. */
static inline int64
type_integer(const TypeInfo *info, Datum value)
{
	return info->order == ORDER_INT16	? DatumGetInt16(value)
		   : info->order == ORDER_INT32 ? DatumGetInt32(value)
										: DatumGetInt64(value);
}

/* The element types of the array types of list.h.  InvalidOid: the type of the call's array. */
#define ELEMENT_OID__bool BOOLOID
#define ELEMENT_OID__int2 INT2OID
#define ELEMENT_OID__int4 INT4OID
#define ELEMENT_OID__int8 INT8OID
#define ELEMENT_OID__float4 FLOAT4OID
#define ELEMENT_OID__float8 FLOAT8OID
#define ELEMENT_OID__numeric NUMERICOID
#define ELEMENT_OID__interval INTERVALOID
#define ELEMENT_OID__bit BITOID
#define ELEMENT_OID_anyarray InvalidOid

#endif /* SCAN_COLUMN_TYPE_H */
