/*
 * array.c: the scans over arrays, array_scan_*(values, reset, exclusive): every
 * SCAN_ARRAY line of list.h.
 *
 * Pure jobs: the array is the column, the answers are written straight into the
 * new array.  Elements are scanned in storage order whatever the dimensions are,
 * and the result has the shape and the lower bounds of `values`.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"

#include "column/array.h"
#include "error.h"
#include "run.h"

/* The heads that the argument `reset` asks for; NULL for none. */
static const uint8 *
array_heads(FunctionCallInfo fcinfo, int64 n)
{
	ArrayType *reset;
	int64	   resets;

	if (PG_ARGISNULL(1))
		return NULL;
	reset = array_argument(PG_GETARG_DATUM(1));
	resets = ArrayGetNItems(ARR_NDIM(reset), ARR_DIMS(reset));
	if (resets != n)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("arrays must have the same number of elements"),
				 errdetail("Argument \"values\" has " INT64_FORMAT " and \"reset\" has " INT64_FORMAT ".", n, resets)));
	return bits_of_array(reset);
}

static Datum
array_scan(FunctionCallInfo fcinfo, const char *function, const char *type, Oid result_type)
{
	const ScanOp *op = scan_op_find(function, type);
	ScanJob		  job = {0};
	ArrayType	 *values, *result;
	ArrayColumn	  column;

	Assert(op != NULL);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(2))
		scan_raise_null("exclusive");
	values = array_argument(PG_GETARG_DATUM(0));
	column = column_of_array(values, op->in_size);
	job.op = op;
	job.extent = PG_GETARG_BOOL(2) ? SCAN_EXCLUSIVE : SCAN_INCLUSIVE;
	job.n = column.n;
	job.in = column.values;
	job.valid = column.valid;
	job.heads = array_heads(fcinfo, column.n);
	if (column.n == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(result_type));

	result = array_like(values, result_type, op->out_size);
	job.out = ARR_DATA_PTR(result);
	job.out_valid = (uint8 *) palloc(column.n / 8 + 1);
	memset(job.out_valid, 0xff, column.n / 8 + 1);
	scan_run(&job);
	if (job.status != SCAN_OK)
		scan_raise(job.status);
	if (job.has_nulls)
		result = array_with_nulls(result, op->out_size, job.out_valid);
	PG_RETURN_ARRAYTYPE_P(result);
}

#define ELEMENT__int8 INT8OID
#define ELEMENT__float4 FLOAT4OID
#define ELEMENT__float8 FLOAT8OID

#define SCAN_ARRAY(function, type, arguments, result)                  \
	PG_FUNCTION_INFO_V1(array_scan_##function##_##type);               \
	Datum array_scan_##function##_##type(PG_FUNCTION_ARGS)             \
	{                                                                  \
		return array_scan(fcinfo, #function, #type, ELEMENT_##result); \
	}
#include "op/list.h"
