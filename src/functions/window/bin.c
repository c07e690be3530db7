/*
 * bin.c: scan_bin(value, capacity, overfill, reset), which numbers the bins of a partition, from 1.
 *
 * A row that would take the total of its bin above `capacity` begins the next bin; with `overfill`, a bin ends with the
 * row that reaches it.  Integers and float8 are operations of list.h (op/bin.h).  A numeric's total is a WideDecimal,
 * which is compared with the capacity.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "column/column.h"
#include "column/datum.h"
#include "compat.h"
#include "functions/window/window.h"
#include "number/decimal.h"
#include "number/wide_decimal.h"

/* Called where a bin's capacity is negative or NaN. */
static void
capacity_is_negative(WindowCall *call, Datum capacity)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("argument \"capacity\" must not be negative: %s", window_arg_text(call, 1, capacity, false)),
					errhint("\"capacity\" is the largest total that a bin may have.")));
}

static void
value_is_negative(WindowCall *call, Datum value)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("argument \"value\" must not be negative: %s", window_arg_text(call, 0, value, false)),
		 errhint("Values are sizes that fill a bin. Use scan_clamped_sum() or scan_fold() for values of both signs.")));
}

/* ---- integers ---- */

static void
bin_read(WindowCall *call, WindowScan *scan, const NullableDatum *constant)
{
	BinParam *param = &scan->param.bin;

	param->capacity = DatumGetInt64(constant[0].value);
	if (param->capacity < 0)
		capacity_is_negative(call, constant[0].value);
	param->overfill = DatumGetBool(constant[1].value);
}

static void
bin_check(WindowCall *call, Datum value)
{
	if (column_integer(column_format(call->type[0].length, true), value) < 0)
		value_is_negative(call, value);
}

static const WindowSignature bin_integer = {{{"capacity"}, {"overfill"}}, bin_read, bin_check};

WINDOW_ROW(bin_int2, int2, int8, bin_integer)
WINDOW_ROW(bin_int4, int4, int8, bin_integer)
WINDOW_ROW(bin_int8, int8, int8, bin_integer)

/* ---- float8 ---- */

static void
bin_float_read(WindowCall *call, WindowScan *scan, const NullableDatum *constant)
{
	BinFloatParam *param = &scan->param.bin_float;

	param->capacity = DatumGetFloat8(constant[0].value);
	if (!(param->capacity >= 0))
		capacity_is_negative(call, constant[0].value);
	param->overfill = DatumGetBool(constant[1].value);
}

static void
bin_float_check(WindowCall *call, Datum value)
{
	if (DatumGetFloat8(value) < 0)
		value_is_negative(call, value);
}

static const WindowSignature bin_float = {{{"capacity"}, {"overfill"}}, bin_float_read, bin_float_check};

WINDOW_ROW(bin_float8, float8, int8, bin_float)

/* ---- numeric ---- */

typedef struct NumericBin
{
	WindowConstant capacity_constant;
	WindowConstant overfill;
	WideDecimal	   capacity; /* its memory is NULL before the partition's first row */
	WideDecimal	   total;	 /* of the bin */
	struct
	{
		int64 number; /* 0: no value came since the segment's head */
		bool  full;	  /* with `overfill`: the next value begins a bin */
	} now;
} NumericBin;

/* Reads the capacity; raises an error if it is negative or NaN. */
static void
numeric_bin_start(WindowCall *call, NumericBin *bin, Datum capacity)
{
	bin->capacity.memory = bin->total.memory = call->memory;
	wide_decimal_set(&bin->capacity, capacity);
	if (numeric_is_nan(DatumGetNumeric(capacity)) || wide_decimal_compare(&bin->capacity, &bin->total) < 0)
		capacity_is_negative(call, capacity);
}

static void
numeric_bin_take(NumericBin *bin, Datum value, bool overfill)
{
	bool begins = bin->now.number == 0 || bin->now.full;

	if (!begins)
	{
		wide_decimal_add(&bin->total, value);
		begins = !overfill && wide_decimal_compare(&bin->total, &bin->capacity) > 0;
	}
	if (begins)
	{
		bin->now.number++;
		wide_decimal_set(&bin->total, value);
	}
	bin->now.full = overfill && wide_decimal_compare(&bin->total, &bin->capacity) >= 0;
}

static bool
numeric_is_negative(Datum value)
{
	DecimalParts parts = decimal_head(value);

	return parts.special == DECIMAL_NUMBER ? parts.negative && parts.n > 0 : parts.special == DECIMAL_MINUS_INFINITY;
}

PG_FUNCTION_INFO_V1(scan_bin_numeric);
Datum
scan_bin_numeric(PG_FUNCTION_ARGS)
{
	WindowCall *call = window_call(fcinfo);
	NumericBin *bin = (NumericBin *) window_state(call, sizeof(NumericBin));
	Datum		capacity = window_constant_not_null(call, &bin->capacity_constant, 1, "capacity");
	bool		overfill = DatumGetBool(window_constant_not_null(call, &bin->overfill, 2, "overfill"));
	bool		isnull;
	Datum		value;

	if (bin->capacity.memory == NULL)
		numeric_bin_start(call, bin, capacity);
	window_keeps_decimal(call, &bin->total);
	window_keeps_bytes(call, &bin->now, sizeof(bin->now));
	if (window_flag(call, 3))
		bin->now.number = 0;

	value = window_arg(call, 0, &isnull);
	if (!isnull && numeric_is_negative(value))
		value_is_negative(call, value);
	if (!isnull)
		numeric_bin_take(bin, value, overfill);
	if (bin->now.number == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(bin->now.number);
}
