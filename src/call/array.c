/*
 * array.c: the scans over arrays: every SCAN_ARRAY line of list.h.
 *
 * Pure jobs: the arrays are the columns, the answers are written straight into the
 * new array.  Elements are scanned in storage order whatever the dimensions are,
 * and the result has the shape and the lower bounds of the first argument.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "column/array.h"
#include "column/memory.h"
#include "error.h"
#include "run.h"

/* An array beside the first one must have as many elements. */
static void
check_elements(const char *first, int64 n, const char *name, ArrayType *array)
{
	int64 elements = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (elements != n)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("arrays must have the same number of elements"),
						errdetail("Argument \"%s\" has " INT64_FORMAT " and \"%s\" has " INT64_FORMAT ".", first, n,
								  name, elements)));
}

/* The heads that the argument `reset`, number `arg`, asks for; NULL for none. */
static const uint8 *
array_heads(FunctionCallInfo fcinfo, int arg, const char *first, int64 n)
{
	ArrayType *reset;

	if (PG_ARGISNULL(arg))
		return NULL;
	reset = array_argument(PG_GETARG_DATUM(arg));
	check_elements(first, n, "reset", reset);
	return bits_of_array(reset);
}

/* Runs a job whose columns are laid out; the answer is an array like `first`. */
static Datum
array_run(ScanJob *job, ArrayType *first, Oid result_type)
{
	ArrayType *result;

	if (job->n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(result_type));
	result = array_like(first, result_type, job->op->out_size);
	job->out = ARR_DATA_PTR(result);
	job->out_valid = (uint8 *) palloc(job->n / 8 + 1);
	memset(job->out_valid, 0xff, job->n / 8 + 1);
	scan_run(job);
	if (job->status != SCAN_OK)
		scan_raise(job->status);
	if (job->has_nulls)
		result = array_with_nulls(result, job->op->out_size, job->out_valid);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* f(values, reset, exclusive) */
static Datum
array_values(FunctionCallInfo fcinfo, const ScanOp *op, Oid result_type)
{
	ScanJob		job = {.op = op};
	ArrayType  *values;
	ArrayColumn column;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(2))
		scan_raise_null("exclusive");
	values = array_argument(PG_GETARG_DATUM(0));
	column = column_of_array(values, op->in_size);
	job.extent = PG_GETARG_BOOL(2) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
	job.n = column.n;
	job.in = column.values;
	job.valid = column.valid;
	job.heads = array_heads(fcinfo, 1, "values", column.n);
	return array_run(&job, values, result_type);
}

/* f(a, b, init, reset) */
static Datum
array_recurrence(FunctionCallInfo fcinfo, const ScanOp *op, Oid result_type)
{
	ScanJob			job = {.op = op};
	RecurrenceParam param = {.order = 1};
	ContextMemory	memory;
	ArrayType	   *coefficients, *terms;
	ArrayColumn		a, b;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(2))
		scan_raise_null("init");
	coefficients = array_argument(PG_GETARG_DATUM(0));
	terms = array_argument(PG_GETARG_DATUM(1));
	a = column_of_array(coefficients, op->in_size);
	check_elements("a", a.n, "b", terms);
	b = column_of_array(terms, op->in2_size);

	param.memory = context_memory(&memory, CurrentMemoryContext);
	param.init[0] = PG_GETARG_FLOAT8(2);
	job.param = &param;
	job.n = a.n;
	job.in = a.values;
	job.in2 = b.values;
	job.valid = bits_in_both(a.valid, b.valid, a.n);
	job.heads = array_heads(fcinfo, 3, "a", a.n);
	return array_run(&job, coefficients, result_type);
}

#define ELEMENT__int8 INT8OID
#define ELEMENT__float4 FLOAT4OID
#define ELEMENT__float8 FLOAT8OID

#define SCAN_ARRAY(function, type, arguments, result, call) \
	PG_FUNCTION_INFO_V1(array_scan_##function##_##type);    \
	Datum array_scan_##function##_##type(PG_FUNCTION_ARGS)  \
	{                                                       \
		const ScanOp *op = scan_op_find(#function, #type);  \
                                                            \
		Assert(op != NULL);                                 \
		return call(fcinfo, op, ELEMENT_##result);          \
	}
#include "op/list.h"
