/*
 * type.c: the one table of types.
 *
 * Rejected: to find out by trying, such as comparing two values as integers and by the type's function.  No sample
 * proves an order.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "column/type.h"

static const TypeInfo types[] = {
	{INT2OID, .comparison = F_BTINT2CMP, .order = ORDER_INT16, .equal = F_INT2EQ, .range = RANGE_INTEGER,
	 .in_range = {F_IN_RANGE_INT2_INT2_INT2_BOOL_BOOL, F_IN_RANGE_INT2_INT2_INT4_BOOL_BOOL,
				  F_IN_RANGE_INT2_INT2_INT8_BOOL_BOOL},
	 .unit = 1, .offset = OFFSET_NUMBER},
	{INT4OID, .comparison = F_BTINT4CMP, .order = ORDER_INT32, .equal = F_INT4EQ, .range = RANGE_INTEGER,
	 .in_range = {F_IN_RANGE_INT4_INT4_INT2_BOOL_BOOL, F_IN_RANGE_INT4_INT4_INT4_BOOL_BOOL,
				  F_IN_RANGE_INT4_INT4_INT8_BOOL_BOOL},
	 .unit = 1, .offset = OFFSET_NUMBER},
	{INT8OID, .comparison = F_BTINT8CMP, .order = ORDER_INT64, .equal = F_INT8EQ, .range = RANGE_INTEGER,
	 .in_range = {F_IN_RANGE_INT8_INT8_INT8_BOOL_BOOL}, .unit = 1, .offset = OFFSET_NUMBER},
	{FLOAT4OID, .comparison = F_BTFLOAT4CMP, .order = ORDER_FLOAT4, .range = RANGE_CALL,
	 .in_range = {F_IN_RANGE_FLOAT4_FLOAT4_FLOAT8_BOOL_BOOL}, .unit = 1},
	{FLOAT8OID, .comparison = F_BTFLOAT8CMP, .order = ORDER_FLOAT8, .range = RANGE_CALL,
	 .in_range = {F_IN_RANGE_FLOAT8_FLOAT8_FLOAT8_BOOL_BOOL}, .unit = 1, .offset = OFFSET_NUMBER,
	 .interpolate = interpolate_float8},
	{NUMERICOID, .comparison = F_NUMERIC_CMP, .order = ORDER_NUMERIC, .range = RANGE_CALL,
	 .in_range = {F_IN_RANGE_NUMERIC_NUMERIC_NUMERIC_BOOL_BOOL}, .unit = 1},
	{CASHOID, .comparison = F_CASH_CMP, .order = ORDER_INT64, .equal = F_CASH_EQ},
	{BOOLOID, .comparison = F_BTBOOLCMP, .order = ORDER_UINT8, .equal = F_BOOLEQ},
	{CHAROID, .comparison = F_BTCHARCMP, .order = ORDER_UINT8, .equal = F_CHAREQ},
	{OIDOID, .comparison = F_BTOIDCMP, .order = ORDER_UINT32, .equal = F_OIDEQ},
	{PG_LSNOID, .comparison = F_PG_LSN_CMP, .order = ORDER_UINT64, .equal = F_PG_LSN_EQ},
	{XID8OID, .comparison = F_XID8CMP, .order = ORDER_UINT64, .equal = F_XID8EQ},

	{DATEOID, .comparison = F_DATE_CMP, .order = ORDER_INT32, .equal = F_DATE_EQ, .range = RANGE_TIME,
	 .in_range = {F_IN_RANGE_DATE_DATE_INTERVAL_BOOL_BOOL}, .add = timestamp_pl_interval,
	 .subtract = timestamp_mi_interval, .unit = USECS_PER_DAY},
	{TIMESTAMPOID, .comparison = F_TIMESTAMP_CMP, .order = ORDER_INT64, .equal = F_TIMESTAMP_EQ, .range = RANGE_TIME,
	 .in_range = {F_IN_RANGE_TIMESTAMP_TIMESTAMP_INTERVAL_BOOL_BOOL}, .add = timestamp_pl_interval,
	 .subtract = timestamp_mi_interval, .unit = 1},
	{TIMESTAMPTZOID, .comparison = F_TIMESTAMPTZ_CMP, .order = ORDER_INT64, .equal = F_TIMESTAMPTZ_EQ,
	 .range = RANGE_TIME, .in_range = {F_IN_RANGE_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL_BOOL_BOOL},
	 .add = timestamptz_pl_interval, .subtract = timestamptz_mi_interval, .unit = 1},
	{TIMEOID, .comparison = F_TIME_CMP, .order = ORDER_INT64, .equal = F_TIME_EQ, .range = RANGE_CALL,
	 .in_range = {F_IN_RANGE_TIME_TIME_INTERVAL_BOOL_BOOL}},
	{TIMETZOID, .range = RANGE_CALL, .in_range = {F_IN_RANGE_TIMETZ_TIMETZ_INTERVAL_BOOL_BOOL}},
	{INTERVALOID, .range = RANGE_CALL, .in_range = {F_IN_RANGE_INTERVAL_INTERVAL_INTERVAL_BOOL_BOOL}, .unit = 1,
	 .offset = OFFSET_INTERVAL, .interpolate = interpolate_interval},

	{TEXTOID, .comparison = F_BTTEXTCMP, .order = ORDER_TEXT, .string = STRING_VARLENA},
	{TEXTOID, .comparison = F_BTTEXT_PATTERN_CMP, .order = ORDER_BYTES, .string = STRING_VARLENA},
	{BPCHAROID, .comparison = F_BPCHARCMP, .order = ORDER_TEXT, .string = STRING_PADDED, .keeps_oldest = true},
	{BPCHAROID, .comparison = F_BTBPCHAR_PATTERN_CMP, .order = ORDER_BYTES, .string = STRING_PADDED},
	{NAMEOID, .comparison = F_BTNAMECMP, .order = ORDER_TEXT, .string = STRING_NAME},
	{BYTEAOID, .comparison = F_BYTEACMP, .order = ORDER_BYTES, .string = STRING_VARLENA},
	{UUIDOID, .comparison = F_UUID_CMP, .order = ORDER_BYTES, .string = STRING_FIXED},
	{MACADDROID, .comparison = F_MACADDR_CMP, .order = ORDER_BYTES, .string = STRING_FIXED},
	{MACADDR8OID, .comparison = F_MACADDR8_CMP, .order = ORDER_BYTES, .string = STRING_FIXED},
};

static const TypeInfo unknown;

const TypeInfo *
type_info(Oid type)
{
	type = getBaseType(type);
	for (int i = 0; i < lengthof(types); i++)
		if (types[i].oid == type)
			return &types[i];
	return &unknown;
}

const TypeInfo *
type_info_of_comparison(Oid comparison)
{
	for (int i = 0; i < lengthof(types) && OidIsValid(comparison); i++)
		if (types[i].comparison == comparison)
			return &types[i];
	return &unknown;
}

const TypeInfo *
type_info_of_in_range(Oid in_range)
{
	for (int i = 0; i < lengthof(types) && OidIsValid(in_range); i++)
		for (int o = 0; o < TYPE_IN_RANGES; o++)
			if (types[i].in_range[o] == in_range)
				return &types[i];
	return &unknown;
}

bool
type_equal_is_by_datum(Oid equal)
{
	for (int i = 0; i < lengthof(types) && OidIsValid(equal); i++)
		if (types[i].equal == equal)
			return true;
	return false;
}

double
type_number(const TypeInfo *info, Datum value)
{
	const Interval *span;

	if (info->offset == OFFSET_INTERVAL)
	{
		span = DatumGetIntervalP(value);
		return (double) span->time + (span->day + 30.0 * span->month) * USECS_PER_DAY;
	}
	if (info->unit == 0)
		return NAN;
	if (type_order_is_integer(info->order))
		return (double) type_integer(info, value) * info->unit;
	if (info->order == ORDER_FLOAT4)
		return DatumGetFloat4(value);
	if (info->order == ORDER_FLOAT8)
		return DatumGetFloat8(value);
	Assert(info->order == ORDER_NUMERIC);
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, value));
}

bool
type_offset_is_safe(const TypeInfo *info, Datum offset)
{
	return info->offset == OFFSET_NUMBER && type_number(info, offset) >= 0;
}
