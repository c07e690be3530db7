/*
 * matrix.c: scan_matrix_product(m, reset), the running product of square matrices, the newest on the left.
 *
 * A row's result is its matrix times the result of the row before; every entry is a dot product, rounded once
 * (op/dot.h).  So the scan is sequential by definition, and the same on every machine.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "compat.h"
#include "error.h"
#include "functions/window/window.h"
#include "op/dot.h"

typedef struct Matrix
{
	bool	any;
	int		k;		 /* number of rows, and of columns */
	double *product; /* k x k, row by row */
} Matrix;

/* Returns the entries of a matrix argument and sets *k to its number of rows.  Raises an error if it is not square. */
static const double *
matrix_of_array(ArrayType *array, int *k)
{
	if (ARR_NDIM(array) != 2 || ARR_DIMS(array)[0] != ARR_DIMS(array)[1])
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("argument \"m\" must be a square matrix"),
						ARR_NDIM(array) == 2
							? errdetail("The shape of the argument is %d x %d.", ARR_DIMS(array)[0], ARR_DIMS(array)[1])
							: errdetail("The argument's number of dimensions is %d.", ARR_NDIM(array)),
						errhint("Write the matrix row by row: '{{1,2},{3,4}}'.")));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("argument \"m\" must not contain NULL"),
						errhint("To skip a row, make the whole matrix NULL.")));
	*k = ARR_DIMS(array)[0];
	return (const double *) ARR_DATA_PTR(array);
}

/* Returns a new array of k x k zeros and sets *entries to its data. */
static ArrayType *
matrix_new(int k, double **entries)
{
	Size	   size = ARR_OVERHEAD_NONULLS(2) + (Size) k * k * sizeof(double);
	ArrayType *array = (ArrayType *) palloc0(size);

	SET_VARSIZE(array, size);
	array->ndim = 2;
	array->elemtype = FLOAT8OID;
	ARR_DIMS(array)[0] = ARR_DIMS(array)[1] = k;
	ARR_LBOUND(array)[0] = ARR_LBOUND(array)[1] = 1;
	*entries = (double *) ARR_DATA_PTR(array);
	return array;
}

/* result := m p, all k x k.  Checks for interrupts at every entry, which takes k products. */
static void
matrix_multiply(const double *m, const double *p, int k, double *result)
{
	for (int i = 0; i < k; i++)
	{
		for (int j = 0; j < k; j++)
		{
			CHECK_FOR_INTERRUPTS();
			scan_check(dot_exact(m + (int64) i * k, 1, p + j, k, k, result + (int64) i * k + j));
		}
	}
}

PG_FUNCTION_INFO_V1(scan_matrix_product_float8);
Datum
scan_matrix_product_float8(PG_FUNCTION_ARGS)
{
	WindowCall	 *call = window_call(fcinfo);
	Matrix		 *matrix = (Matrix *) window_state(call, sizeof(Matrix));
	bool		  isnull;
	Datum		  m;
	ArrayType	 *result;
	double		 *entries;
	const double *factor;
	int			  k;

	if (window_flag(call, 1))
		matrix->any = false;
	m = window_arg(call, 0, &isnull);
	if (isnull)
	{
		if (!matrix->any)
			PG_RETURN_NULL();
		result = matrix_new(matrix->k, &entries);
		memcpy(entries, matrix->product, (Size) matrix->k * matrix->k * sizeof(double));
		PG_RETURN_ARRAYTYPE_P(result);
	}

	factor = matrix_of_array(DatumGetArrayTypeP(m), &k);
	if (matrix->any && k != matrix->k)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("argument \"m\" must keep its size within a segment: %d x %d after %d x %d", k, k,
							   matrix->k, matrix->k),
						errhint("Use \"reset\" or PARTITION BY to separate matrices of different sizes.")));
	result = matrix_new(k, &entries);
	if (matrix->any)
		matrix_multiply(factor, matrix->product, k, entries);
	else
	{
		/* the first matrix of a segment; its size may differ from that before the reset */
		if (matrix->k != k)
			matrix->product = memory_renew(call->memory, matrix->product, (Size) k * k * sizeof(double));
		matrix->k = k;
		matrix->any = true;
		memcpy(entries, factor, (Size) k * k * sizeof(double));
	}
	memcpy(matrix->product, entries, (Size) k * k * sizeof(double));
	PG_RETURN_ARRAYTYPE_P(result);
}
