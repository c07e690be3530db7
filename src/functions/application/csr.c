/*
 * csr.c: csr_multiply(row_ptr, col_idx, values, x), a sparse matrix times a vector.
 *
 * The matrix is compressed by rows as in SciPy and cuSPARSE. Indexes count from 0: row i has the values row_ptr[i] to
 * row_ptr[i + 1] - 1, each in the column that col_idx names.
 *
 * The result is a segmented scan: the products are the rows of a column, every row of the matrix is a segment, and a
 * segment's last sum is an entry of the result.  Only that sum is wanted, so the sums before it are not rounded: a
 * segment is added into one exact sum (op/dot.h), which is rounded once, at the segment's end.  So an entry is the real
 * dot product, rounded, wherever a row is cut.
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "column/array.h"
#include "column/stretch.h"
#include "compat.h"
#include "error.h"
#include "op/dot.h"

typedef struct Csr
{
	int			  rows, columns;
	int			  n; /* number of stored values */
	const void	 *row_ptr;
	bool		  row_ptr_is_int8;
	const int32	 *col_idx;
	const double *values, *x;
} Csr;

/* Returns the index of row i's first value; for i = rows, the index after the last value. */
static int64
csr_row_start(const Csr *m, int i)
{
	return m->row_ptr_is_int8 ? ((const int64 *) m->row_ptr)[i] : ((const int32 *) m->row_ptr)[i];
}

/* Raises an error about an element of row_ptr.  Elements count from 1 in messages, as in SQL. */
static void
csr_refuse_row_ptr(const char *message, int element, int64 value, const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("%s", message),
					errdetail("Element %d is " INT64_FORMAT "%s.", element, value, detail),
					errhint("A matrix of n rows has n + 1 row pointers: 0, and then for each row the number of values "
							"in this and all earlier rows.")));
}

static void
csr_check_rows(const Csr *m)
{
	if (csr_row_start(m, 0) != 0)
		csr_refuse_row_ptr("argument \"row_ptr\" must begin with 0", 1, csr_row_start(m, 0), "");
	FOR_INTERRUPTIBLE (i, 1, m->rows + 1)
		if (csr_row_start(m, i) < csr_row_start(m, i - 1))
			csr_refuse_row_ptr("argument \"row_ptr\" must not decrease", i + 1, csr_row_start(m, i),
							   psprintf(", and the element before it is " INT64_FORMAT, csr_row_start(m, i - 1)));
	if (csr_row_start(m, m->rows) != m->n)
		csr_refuse_row_ptr("argument \"row_ptr\" must end with the number of values", m->rows + 1,
						   csr_row_start(m, m->rows), psprintf(", and the length of \"values\" is %d", m->n));
}

static void
csr_read(FunctionCallInfo fcinfo, bool row_ptr_is_int8, Csr *m)
{
	int pointers, columns;

	m->row_ptr = elements_of_array(PG_GETARG_DATUM(0), "row_ptr", &pointers);
	m->row_ptr_is_int8 = row_ptr_is_int8;
	m->col_idx = (const int32 *) elements_of_array(PG_GETARG_DATUM(1), "col_idx", &columns);
	m->values = (const double *) elements_of_array(PG_GETARG_DATUM(2), "values", &m->n);
	m->x = (const double *) elements_of_array(PG_GETARG_DATUM(3), "x", &m->columns);
	m->rows = pointers - 1;

	if (pointers == 0)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("argument \"row_ptr\" must not be empty"),
						errhint("For a matrix without rows, write {0}.")));
	if (columns != m->n)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("arrays must have the same number of elements"),
						errdetail("The length of \"%s\" is %d, and the length of \"%s\" is %d.", "col_idx", columns,
								  "values", m->n),
						errhint("Give \"col_idx\" one column for each element of \"values\".")));
	csr_check_rows(m);
}

/* to[0 .. n - 1] := the elements of x by which the values [from, from + n) are multiplied. */
static void
csr_gather(const Csr *m, int64 from, int n, double *to)
{
	FOR_INTERRUPTIBLE (i, 0, n)
	{
		int32 column = m->col_idx[from + i];

		if (column < 0 || column >= m->columns)
			ereport(ERROR,
					(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("column %d is out of range", column),
					 errdetail("The column is element " INT64_FORMAT " of \"col_idx\", and the length of \"x\" is %d.",
							   from + i + 1, m->columns),
					 errhint("Columns are numbered from 0.")));
		to[i] = m->x[column];
	}
}

static Datum
csr_multiply(const Csr *m)
{
	void	  *y;
	ArrayType *result = array_of_elements(FLOAT8OID, sizeof(double), m->rows, &y);
	double	  *factors;
	int64	   longest = 0;

	FOR_INTERRUPTIBLE (i, 0, m->rows)
		longest = Max(longest, csr_row_start(m, i + 1) - csr_row_start(m, i));
	factors = (double *) MemoryContextAllocHuge(CurrentMemoryContext, (longest + 1) * sizeof(double));

	/* the proofs of op/ require the default float environment (see run/run.c) */
	fesetenv(FE_DFL_ENV);
	for (int i = 0; i < m->rows; i++)
	{
		int64 from = csr_row_start(m, i);
		int	  n = (int) (csr_row_start(m, i + 1) - from);

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		csr_gather(m, from, n, factors);
		scan_check(dot_exact_ticked(m->values + from, 1, factors, 1, n, stretch_tick, (double *) y + i));
	}
	PG_RETURN_ARRAYTYPE_P(result);
}

#define CSR_MULTIPLY(TYPE, IS_INT8)             \
	PG_FUNCTION_INFO_V1(csr_multiply_##TYPE);   \
	Datum csr_multiply_##TYPE(PG_FUNCTION_ARGS) \
	{                                           \
		Csr matrix;                             \
                                                \
		csr_read(fcinfo, IS_INT8, &matrix);     \
		return csr_multiply(&matrix);           \
	}

CSR_MULTIPLY(int4, false)
CSR_MULTIPLY(int8, true)
