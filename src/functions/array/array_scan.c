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

/* ---- how the operations run as jobs ---- */

static Datum
values_job(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	return array_job(line, op, input, &span_param, PG_GETARG_BOOL(2) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
}

static Datum
product_job(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	ContextMemory memory;
	ProductParam  param = {.memory = context_memory(&memory, CurrentMemoryContext)};

	return array_job(line, op, input, &param, PG_GETARG_BOOL(2) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE);
}

static Datum
reset_job(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	return array_job(line, op, input, NULL, SCAN_INCLUSIVE);
}

static Datum
clamped_job(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	ClampParam param;

	clamp_read(&param, fcinfo->args[1], fcinfo->args[2], PG_GETARG_INT64(3));
	return array_job(line, op, input, &param, SCAN_INCLUSIVE);
}

static Datum
clamped_float_job(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	ClampedFloatParam param;

	clamp_read_float(&param, fcinfo->args[1], fcinfo->args[2], PG_GETARG_FLOAT8(3));
	return array_job(line, op, input, &param, SCAN_INCLUSIVE);
}

static Datum
recurrence_job(FunctionCallInfo fcinfo, const ArrayLine *line, const ScanOp *op, const ArrayInput *input)
{
	ContextMemory	memory;
	RecurrenceParam param = {
		.order = 1, .init = {PG_GETARG_FLOAT8(2)}, .memory = context_memory(&memory, CurrentMemoryContext)};

	return array_job(line, op, input, &param, SCAN_INCLUSIVE);
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

static ScanOpId
min_line(Oid type)
{
	return extreme_line(type, true);
}

static ScanOpId
max_line(Oid type)
{
	return extreme_line(type, false);
}

/* ---- the arguments, of which all but the columns and `reset` are as those of the window functions ---- */

#define VALUES .columns = 1, .name = {"values"}
#define PAIRS(FIRST, SECOND) .columns = 2, .name = {FIRST, SECOND}
#define NOT_NULL(NUMBER, NAME) .constant = NUMBER, .constant_name = NAME

/* f(values, reset, exclusive) */
static const ArrayArguments array_values = {VALUES, .reset = 1, NOT_NULL(2, "exclusive"), .job = values_job};
static const ArrayArguments array_product = {VALUES, .reset = 1, NOT_NULL(2, "exclusive"), .job = product_job};
static const ArrayArguments array_min = {VALUES, .reset = 1, NOT_NULL(2, "exclusive"), .job = values_job,
										 .line_of_type = min_line};
static const ArrayArguments array_max = {VALUES, .reset = 1, NOT_NULL(2, "exclusive"), .job = values_job,
										 .line_of_type = max_line};

/* f(values, reset) */
static const ArrayArguments array_reset = {VALUES, .reset = 1, .constant = -1, .job = reset_job};
static const ArrayArguments array_change = {VALUES, .reset = 1, .constant = -1, .job = reset_job,
											.line_of_type = change_line};

/* f(values, lower, upper, init, reset) */
static const ArrayArguments array_clamped = {VALUES, .reset = 4, NOT_NULL(3, "init"), .job = clamped_job};
static const ArrayArguments array_clamped_float = {VALUES, .reset = 4, NOT_NULL(3, "init"), .job = clamped_float_job};

/* f(a, b, init, reset) */
static const ArrayArguments array_recurrence = {PAIRS("a", "b"), .reset = 3, NOT_NULL(2, "init"),
												.job = recurrence_job};

/* f(values, max_gap, reset), f(values, at, limit, reset) and f(at, gap, reset) */
static const ArrayArguments array_filled = {VALUES, .reset = 2, .constant = -1};
static const ArrayArguments array_filled_at = {PAIRS("values", "at"), .reset = 3, .constant = -1};
static const ArrayArguments array_session = {.columns = 1, .name = {"at"}, .reset = 2, NOT_NULL(1, "gap")};

/* f(values, alpha, ...), f(y, x, alpha, ...): exponentially weighted statistics */
static const ArrayArguments array_ema_spread = {VALUES, .reset = 4, NOT_NULL(1, "alpha")};
static const ArrayArguments array_ema_covar = {PAIRS("y", "x"), .reset = 5, NOT_NULL(2, "alpha")};
static const ArrayArguments array_ema_corr = {PAIRS("y", "x"), .reset = 4, NOT_NULL(2, "alpha")};

static Datum
array_scan(FunctionCallInfo fcinfo, const ArrayLine *line, const ArrayArguments *arguments)
{
	ArrayInput	  input;
	const ScanOp *op;
	Datum		  result;

	array_check_any(fcinfo);
	if (!array_read(fcinfo, arguments, &input))
		PG_RETURN_NULL();
	op = scan_op_at(arguments->line_of_type == NULL ? line->line
													: arguments->line_of_type(ARR_ELEMTYPE(input.column[0])));
	result = op == NULL ? array_elements(fcinfo, line, &input) : arguments->job(fcinfo, line, op, &input);
	return OidIsValid(line->result) ? result : array_checked(DatumGetArrayTypeP(result));
}

/* ---- the entry points ---- */

#define SCAN_ARRAY(function, type, arguments, result, call, line)                                             \
	PG_FUNCTION_INFO_V1(array_scan_##function##_##type);                                                      \
	Datum array_scan_##function##_##type(PG_FUNCTION_ARGS)                                                    \
	{                                                                                                         \
		static const ArrayLine array_line = {SCAN_OP_##line, ELEMENT_OID_##result, scan_##function##_##type}; \
                                                                                                              \
		return array_scan(fcinfo, &array_line, &call);                                                        \
	}
#include "op/list.h"
