/*
 * entry.c: the entry points of the SCAN_ROW lines of list.h, and of the other sums and scan_product(float8).
 *
 * PostgreSQL calls them, row by row.  They are generated from list.h at the end of this file; the functions before read
 * the arguments, one function for each argument list.  Three functions have arguments of their own and are written out.
 */
#include "postgres.h"

#include "call/entry.h"
#include "column/datum.h"
#include "functions/window/window.h"
#include "functions/window/window_functions.h"
#include "number/decimal.h"
#include "number/total.h"

/* f(value), f(value, reset) or f(value, reset, exclusive) */
static Datum
window_value(FunctionCallInfo fcinfo, const WindowLine *line)
{
	WindowCall *call = window_call(fcinfo);
	bool		first, isnull;
	WindowScan *scan = window_scan(call, line, &first);
	ScanExtent	extent = PG_NARGS() < 3 ? SCAN_INCLUSIVE : window_extent(call, &scan->constant[0], 2);
	bool		head = PG_NARGS() > 1 && window_flag(call, 1);
	Datum		value = window_arg(call, 0, &isnull);
	ColumnValue x;

	window_columns(call, 1, true);
	if (!isnull)
		line->in(value, &x);
	return window_step(call, scan, line, &span_param, isnull ? NULL : &x, head, extent);
}

/* scan_sum(value, init, reset, exclusive): as scan_sum, but as if rows with the total `init` preceded the partition. */
PG_FUNCTION_INFO_V1(scan_sum_total);
Datum
scan_sum_total(PG_FUNCTION_ARGS)
{
	static const WindowLine line = {SCAN_OP_sum_float8, datum_to_float8, datum_from_float8};

	WindowCall	 *call = window_call(fcinfo);
	bool		  first, isnull;
	WindowScan	 *scan = window_scan(call, &line, &first);
	NullableDatum init = window_constant(call, &scan->constant[1], 1, "init");
	ScanExtent	  extent = window_extent(call, &scan->constant[0], 3);
	bool		  head = window_flag(call, 2);
	double		  x = DatumGetFloat8(window_arg(call, 0, &isnull));

	if (first && !init.isnull)
	{
		ExactSum *total = (ExactSum *) scan->carry.acc;

		total_read(init.value, total);
		scan->carry.any = true;
		scan->carry.pending_status = exact_round(total, (double *) &scan->carry.pending);
	}
	window_columns(call, 1, init.isnull);
	return window_step(call, scan, &line, NULL, isnull ? NULL : &x, head, extent);
}

/*
 * scan_sum(bigint, init, ...) and scan_sum(numeric, init, ...) exist so that no value is rounded by a silent cast: the
 * sums that follow a scan_total are doubles.
 */
#define SUM_REFUSED(NAME, TYPE)                                                                                    \
	SCAN_REFUSAL(scan_sum_total_##NAME, ERRCODE_FEATURE_NOT_SUPPORTED,                                             \
				 errmsg("scan_sum with \"init\" takes double precision, not %s", TYPE),                            \
				 errhint("Cast the value to double precision, which may round it, or leave out \"init\": without " \
						 "\"init\", scan_sum is exact over %s.",                                                   \
						 TYPE))

SUM_REFUSED(int8, "bigint")
SUM_REFUSED(numeric, "numeric")

/*
 * scan_sum(numeric, init numeric, ...): what users write who want to start from a number.  Over double precision there
 * is no such form, since a literal without a type as `init` would be a number, no scan_total.
 */
SCAN_REFUSAL(scan_sum_number, ERRCODE_FEATURE_NOT_SUPPORTED,
			 errmsg("argument \"init\" of scan_sum must be a scan_total, not a number"),
			 errhint("To start from a number, add it to the result: 100 + scan_sum(x)."))

/* Correctly rounded also after the product has left the range of doubles (op/product.h). fold.c has the other types. */
PG_FUNCTION_INFO_V1(scan_product_float8);
Datum
scan_product_float8(PG_FUNCTION_ARGS)
{
	static const WindowLine line = {SCAN_OP_product_float8, NULL, datum_from_float8};

	WindowCall *call = window_call(fcinfo);
	bool		first, isnull;
	WindowScan *scan = window_scan(call, &line, &first);
	ScanExtent	extent = window_extent(call, &scan->constant[0], 2);
	bool		head = window_flag(call, 1);
	double		x = DatumGetFloat8(window_arg(call, 0, &isnull));

	scan->param.product.memory = &scan->memory.memory;
	window_columns(call, 1, true);
	return window_step(call, scan, &line, &scan->param.product, isnull ? NULL : &x, head, extent);
}

/* scan_sum(numeric), whose accumulator is a DecimalSum. */
PG_FUNCTION_INFO_V1(scan_sum_numeric);
Datum
scan_sum_numeric(PG_FUNCTION_ARGS)
{
	typedef struct NumericScan
	{
		WindowConstant exclusive;
		DecimalSum	   sum;
	} NumericScan;

	WindowCall	*call = window_call(fcinfo);
	NumericScan *scan = (NumericScan *) window_state(call, sizeof(NumericScan));
	ScanExtent	 extent = window_extent(call, &scan->exclusive, 2);
	bool		 head = window_flag(call, 1);
	Datum		 value = window_arg(call, 0, &fcinfo->isnull);

	scan->sum.memory = call->memory;
	window_columns(call, 1, true);
	if (call->source != NULL)
	{
		call->source->sum = &scan->sum;
		call->source->extent = extent;
	}
	return decimal_sum_step(&scan->sum, head, extent == SCAN_EXCLUSIVE, value, &fcinfo->isnull);
}

static void
clamp_constants(WindowCall *call, WindowScan *scan, const NullableDatum *constant)
{
	clamp_read(&scan->param.clamp, constant[0], constant[1], DatumGetInt64(constant[2].value));
}

/* f(value, lower, upper, init, reset) */
static Datum
window_clamped(FunctionCallInfo fcinfo, const WindowLine *line)
{
	static const WindowSignature signature = {{{"lower", true}, {"upper", true}, {"init"}}, clamp_constants};

	return window_row(fcinfo, line, &signature);
}

/* f(generate, propagate, carry_in, reset) */
static Datum
window_carry(FunctionCallInfo fcinfo, const WindowLine *line)
{
	WindowCall *call = window_call(fcinfo);
	bool		first, no_generate, no_propagate;
	WindowScan *scan = window_scan(call, line, &first);
	bool		head = window_flag(call, 3);
	bool		generate = DatumGetBool(window_arg(call, 0, &no_generate));
	bool		propagate = DatumGetBool(window_arg(call, 1, &no_propagate));
	uint8		x = (generate ? CARRY_GENERATE : 0) | (propagate ? CARRY_PROPAGATE : 0);

	scan->param.carry.carry_in = DatumGetBool(window_constant_not_null(call, &scan->constant[0], 2, "carry_in"));
	return window_step(call, scan, line, &scan->param.carry, no_generate || no_propagate ? NULL : &x, head,
					   SCAN_INCLUSIVE);
}

#define SCAN_ROW(function, type, arguments, result, flags, call)                                            \
	PG_FUNCTION_INFO_V1(scan_##function##_##type);                                                          \
	Datum scan_##function##_##type(PG_FUNCTION_ARGS)                                                        \
	{                                                                                                       \
		static const WindowLine line = {SCAN_OP_##function##_##type, datum_to_##type, datum_from_##result}; \
		return call(fcinfo, &line);                                                                         \
	}
#include "compat.h"
#include "op/list.h"
