/*
 * array_scan.c: the scans over arrays: the entry points of all SCAN_ARRAY lines of list.h.
 *
 * A line with loops of its own (cpu/ops.c) runs as a job: the arrays are its columns, the loop over the elements is in
 * cpu/loop.h, and its results are written straight into the new array.  If its accumulator is a Datum (numeric, bit
 * strings, extremes of most types), the window function is called for each element (element.c).
 *
 * Elements are scanned in storage order whatever the dimensions are.  The result has the shape and the lower bounds of
 * the first argument.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "column/datum.h"
#include "column/memory.h"
#include "column/type.h"
#include "compat.h"
#include "error.h"
#include "functions/array/arrays.h"
#include "functions/window/window_functions.h"
#include "run/run.h"

void
array_check_elements(const char *first, int64 n, const char *name, ArrayType *array)
{
	int64 elements = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (elements != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("arrays must have the same number of elements"),
				 errdetail("The length of \"%s\" is " INT64_FORMAT ", and the length of \"%s\" is " INT64_FORMAT ".",
						   first, n, name, elements),
				 strcmp(name, "reset") == 0
					 ? errhint("Give \"reset\" one element for each element of \"%s\", or leave \"reset\" out.", first)
					 : errhint("Give \"%s\" one element for each element of \"%s\".", name, first)));
}

void
array_check_any(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);

	if (type == INT2VECTOROID || type == OIDVECTOROID)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("type %s is not supported as an array", format_type_be(type)),
						errhint("Cast the value to %s[].", type == INT2VECTOROID ? "smallint" : "oid")));
}

Datum
array_checked(ArrayType *result)
{
	if (ARR_HASNULL(result) && get_typtype(ARR_ELEMTYPE(result)) == TYPTYPE_DOMAIN && array_contains_nulls(result))
		domain_check((Datum) 0, true, ARR_ELEMTYPE(result), NULL, NULL);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* Reads the arrays of the call.  Returns false if a column is NULL; the result is then NULL. */
static bool
array_read(FunctionCallInfo fcinfo, const ArrayArguments *arguments, ArrayInput *input)
{
	*input = (ArrayInput){.arguments = arguments};
	for (int i = 0; i < arguments->columns; i++)
		if (PG_ARGISNULL(i))
			return false;
	if (arguments->constant >= 0 && PG_ARGISNULL(arguments->constant))
		scan_raise_null(arguments->constant_name);

	for (int i = 0; i < arguments->columns; i++)
	{
		input->column[i] = array_argument(PG_GETARG_DATUM(i));
		if (i == 0)
			input->n = ArrayGetNItems(ARR_NDIM(input->column[0]), ARR_DIMS(input->column[0]));
		else
			array_check_elements(arguments->name[0], input->n, arguments->name[i], input->column[i]);
	}
	if (!PG_ARGISNULL(arguments->reset))
	{
		input->reset = array_argument(PG_GETARG_DATUM(arguments->reset));
		array_check_elements(arguments->name[0], input->n, "reset", input->reset);
	}
	return true;
}

/* Runs `op` as a job over the arrays and returns the array of its results. */
static Datum
array_job(const ArrayLine *line, const ScanOp *op, const ArrayInput *input, const void *param, ScanExtent extent)
{
	ScanJob		job = {.op = op, .param = param, .extent = extent, .n = input->n};
	Oid			result_type = OidIsValid(line->result) ? line->result : ARR_ELEMTYPE(input->column[0]);
	ArrayColumn column;
	ArrayType  *result;

	if (job.n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(result_type));
	column = column_of_array(input->column[0], op->in_size);
	job.in = column.values;
	job.valid = column.valid;
	if (input->arguments->columns == 2)
	{
		column = column_of_array(input->column[1], op->in2_size);
		job.in2 = column.values;
		job.valid = bits_in_both(job.valid, column.valid, job.n);
	}
	if (input->reset != NULL)
		job.heads = bits_of_array(input->reset);

	result = array_like(input->column[0], result_type, op->out_size);
	job.out = ARR_DATA_PTR(result);
	job.out_valid = (uint8 *) palloc(job.n / 8 + 1);
	memset(job.out_valid, 0xff, job.n / 8 + 1);
	scan_run(&job);
	scan_check(job.status);
	if (job.has_nulls)
		result = array_with_nulls(result, op->out_size, job.out_valid);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* ---- f(values, reset, exclusive) ---- */

static const ArrayArguments value_arguments = {
	.columns = 1, .name = {"values"}, .reset = 1, .constant = 2, .constant_name = "exclusive"};

static Datum
array_values_by(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input,
				const void *param)
{
	return op == NULL ? array_elements(fcinfo, line, input)
					  : array_job(line, op, input, param, PG_GETARG_BOOL(2) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
}

static Datum
array_values(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	ArrayInput input;

	if (!array_read(fcinfo, &value_arguments, &input))
		PG_RETURN_NULL();
	return array_values_by(fcinfo, line, scan_op_at(line->line), &input, &span_param);
}

static Datum
array_product(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	ArrayInput	  input;
	ContextMemory memory;
	ProductParam  param = {.memory = context_memory(&memory, CurrentMemoryContext)};

	if (!array_read(fcinfo, &value_arguments, &input))
		PG_RETURN_NULL();
	return array_values_by(fcinfo, line, scan_op_at(line->line), &input, &param);
}

/*
 * Returns the operation by which extremes of `type` run as a job, or SCAN_OP_none.  The loops of min and max exist for
 * numbers only; other types may have the order of the numbers as which they are stored.
 */
static ScanOpId
extreme_line(Oid type, bool least)
{
	switch (type_info(type)->order)
	{
		case ORDER_INT16:
			return least ? SCAN_OP_min_int2 : SCAN_OP_max_int2;
		case ORDER_INT32:
			return least ? SCAN_OP_min_int4 : SCAN_OP_max_int4;
		case ORDER_INT64:
			return least ? SCAN_OP_min_int8 : SCAN_OP_max_int8;
		case ORDER_FLOAT4:
			return least ? SCAN_OP_min_float4 : SCAN_OP_max_float4;
		case ORDER_FLOAT8:
			return least ? SCAN_OP_min_float8 : SCAN_OP_max_float8;
		default:
			return SCAN_OP_none;
	}
}

static Datum
array_extreme(FunctionCallInfo fcinfo, const ArrayLine *line, bool least)
{
	ArrayInput input;

	array_check_any(fcinfo);
	if (!array_read(fcinfo, &value_arguments, &input))
		PG_RETURN_NULL();
	return array_checked(DatumGetArrayTypeP(
		array_values_by(fcinfo, line, scan_op_at(extreme_line(ARR_ELEMTYPE(input.column[0]), least)), &input, NULL)));
}

static Datum
array_min(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_extreme(fcinfo, line, true);
}

static Datum
array_max(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_extreme(fcinfo, line, false);
}

/* ---- f(values, reset) ---- */

static const ArrayArguments reset_arguments = {.columns = 1, .name = {"values"}, .reset = 1, .constant = -1};

static Datum
array_reset_by(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	return op == NULL ? array_elements(fcinfo, line, input) : array_job(line, op, input, NULL, SCAN_INCLUSIVE);
}

static Datum
array_reset(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	ArrayInput input;

	if (!array_read(fcinfo, &reset_arguments, &input))
		PG_RETURN_NULL();
	return array_reset_by(fcinfo, line, scan_op_at(line->line), &input);
}

static Datum
array_change(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	ArrayInput input;

	array_check_any(fcinfo);
	if (!array_read(fcinfo, &reset_arguments, &input))
		PG_RETURN_NULL();
	return array_reset_by(fcinfo, line, scan_op_at(change_line(ARR_ELEMTYPE(input.column[0]))), &input);
}

/* ---- f(values, lower, upper, init, reset) ---- */

static const ArrayArguments clamped_arguments = {
	.columns = 1, .name = {"values"}, .reset = 4, .constant = 3, .constant_name = "init"};

static Datum
array_clamped(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	const ScanOp *op = scan_op_at(line->line);
	ArrayInput	  input;
	ClampParam	  param;

	if (!array_read(fcinfo, &clamped_arguments, &input))
		PG_RETURN_NULL();
	if (op == NULL)
		return array_elements(fcinfo, line, &input);
	clamp_read(&param, fcinfo->args[1], fcinfo->args[2], PG_GETARG_INT64(3));
	return array_job(line, op, &input, &param, SCAN_INCLUSIVE);
}

static Datum
array_clamped_float(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	ArrayInput		  input;
	ClampedFloatParam param;

	if (!array_read(fcinfo, &clamped_arguments, &input))
		PG_RETURN_NULL();
	clamp_read_float(&param, fcinfo->args[1], fcinfo->args[2], PG_GETARG_FLOAT8(3));
	return array_job(line, scan_op_at(line->line), &input, &param, SCAN_INCLUSIVE);
}

/* ---- f(a, b, init, reset) ---- */

static const ArrayArguments recurrence_arguments = {
	.columns = 2, .name = {"a", "b"}, .reset = 3, .constant = 2, .constant_name = "init"};

static Datum
array_recurrence(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	const ScanOp   *op = scan_op_at(line->line);
	RecurrenceParam param = {.order = 1};
	ContextMemory	memory;
	ArrayInput		input;

	if (!array_read(fcinfo, &recurrence_arguments, &input))
		PG_RETURN_NULL();
	if (op == NULL)
		return array_elements(fcinfo, line, &input);
	param.memory = context_memory(&memory, CurrentMemoryContext);
	param.init[0] = PG_GETARG_FLOAT8(2);
	return array_job(line, op, &input, &param, SCAN_INCLUSIVE);
}

/* ---- f(values, max_gap, reset), f(values, at, limit, reset) and f(at, gap, reset), as the window functions ---- */

static const ArrayArguments fill_arguments = {.columns = 1, .name = {"values"}, .reset = 2, .constant = -1};
static const ArrayArguments fill_at_arguments = {.columns = 2, .name = {"values", "at"}, .reset = 3, .constant = -1};
static const ArrayArguments session_arguments = {
	.columns = 1, .name = {"at"}, .reset = 2, .constant = 1, .constant_name = "gap"};

static Datum
array_by_elements(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayArguments *arguments)
{
	ArrayInput input;

	if (!OidIsValid(line->result))
		array_check_any(fcinfo);
	if (!array_read(fcinfo, arguments, &input))
		PG_RETURN_NULL();
	return array_checked(DatumGetArrayTypeP(array_elements(fcinfo, line, &input)));
}

static Datum
array_filled(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_by_elements(fcinfo, line, &fill_arguments);
}

static Datum
array_filled_at(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_by_elements(fcinfo, line, &fill_at_arguments);
}

static Datum
array_session(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_by_elements(fcinfo, line, &session_arguments);
}

/* ---- f(values, alpha, ...), f(y, x, alpha, ...): exponentially weighted statistics ---- */

static const ArrayArguments ema_spread_arguments = {
	.columns = 1, .name = {"values"}, .reset = 4, .constant = 1, .constant_name = "alpha"};
static const ArrayArguments ema_covar_arguments = {
	.columns = 2, .name = {"y", "x"}, .reset = 5, .constant = 2, .constant_name = "alpha"};
static const ArrayArguments ema_corr_arguments = {
	.columns = 2, .name = {"y", "x"}, .reset = 4, .constant = 2, .constant_name = "alpha"};

static Datum
array_ema_spread(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_by_elements(fcinfo, line, &ema_spread_arguments);
}

static Datum
array_ema_covar(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_by_elements(fcinfo, line, &ema_covar_arguments);
}

static Datum
array_ema_corr(FunctionCallInfo fcinfo, const ArrayLine *line)
{
	return array_by_elements(fcinfo, line, &ema_corr_arguments);
}

/* ---- the entry points ---- */

#define SCAN_ARRAY(function, type, arguments, result, call, line)                                             \
	PG_FUNCTION_INFO_V1(array_scan_##function##_##type);                                                      \
	Datum array_scan_##function##_##type(PG_FUNCTION_ARGS)                                                    \
	{                                                                                                         \
		static const ArrayLine array_line = {SCAN_OP_##line, ELEMENT_OID_##result, scan_##function##_##type}; \
                                                                                                              \
		return call(fcinfo, &array_line);                                                                     \
	}
#include "op/list.h"
