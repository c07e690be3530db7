/*
 * tridiagonal.c: tridiagonal_solve(lower, diagonal, upper, rhs), which solves a tridiagonal system of equations.
 *
 * Row i is the equation lower_i x_(i-1) + diagonal_i x_i + upper_i x_(i+1) = rhs_i.  Elimination without pivoting
 * (Thomas) is three recurrences:
 *
 *   pivots    d_i = diagonal_i - l_i upper_(i-1)     l_i = lower_i / d_(i-1)
 *   forward   y_i = -l_i y_(i-1) + rhs_i
 *   backward  x_i = -(upper_i / d_i) x_(i+1) + y_i / d_i
 *
 * The last two are of first order and run as jobs of scan_recurrence: their results are exact within a chunk and
 * rounded once.  The pivots could be a scan, too, of the matrices ((diagonal_i, -lower_i upper_(i-1)), (1, 0)), of
 * whose products they are quotients.  Rejected: as a recurrence of order 2, the products leave the range of doubles
 * after a few hundred rows.  So the pivots are a plain loop.
 *
 * The accuracy that is promised comes from refinement.  The residual rhs - A x of every row is rounded once from its
 * exact value (op/dot.h).  The same recurrences solve for the correction, which is added to x as long as each
 * correction is less than half the one before.  Then x is, relative to its largest element, the solution to the last
 * bit or so, unless the matrix is so close to singular that 53 bits do not see the difference (Higham, Accuracy and
 * Stability of Numerical Algorithms, 12.1).
 *
 * Dominance of the diagonal is sufficient for such accuracy but far from necessary, so it is not required.  Instead,
 * the size of the last correction tells whether x is a solution; if it is too large, a warning is raised.
 */
#include "postgres.h"

#include <fenv.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "column/array.h"
#include "column/memory.h"
#include "column/stretch.h"
#include "compat.h"
#include "error.h"
#include "run/run.h"

#define REFINEMENTS 10	 /* the most corrections; three are many */
#define TOO_MUCH 0x1p-44 /* a larger last correction, relative to x, raises a warning: less than 13 digits are sure */

typedef struct Tridiagonal
{
	int			  n;
	const double *lower, *diagonal, *upper, *rhs;

	/* the result of elimination */
	double *pivot;
	double *forward;  /* coefficients of the forward recurrence */
	double *backward; /* coefficients of the backward recurrence, from the last row to the first */

	/* the two jobs */
	double		   *term;	  /* input: the terms b */
	double		   *solution; /* output */
	RecurrenceParam param;
	ContextMemory	memory;
} Tridiagonal;

static void
tridiagonal_read(FunctionCallInfo fcinfo, Tridiagonal *t)
{
	static const char *const name[] = {"lower", "diagonal", "upper", "rhs"};
	const double **const	 column[] = {&t->lower, &t->diagonal, &t->upper, &t->rhs};

	for (int i = 0; i < lengthof(column); i++)
	{
		int n;

		*column[i] = (const double *) elements_of_array(PG_GETARG_DATUM(i), name[i], &n);
		if (i == 0)
			t->n = n;
		else if (n != t->n)
			ereport(
				ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR), errmsg("arrays must have the same number of elements"),
				 errdetail("The length of \"%s\" is %d, and the length of \"%s\" is %d.", name[0], t->n, name[i], n),
				 errhint(
					 "The first element of \"lower\" and the last element of \"upper\" are required but not used.")));
	}
}

static double *
column_new(int n)
{
	return (double *) MemoryContextAllocHuge(CurrentMemoryContext, (Size) n * sizeof(double));
}

/* True if no element that is used is NaN or infinite. */
static bool
tridiagonal_is_finite(const Tridiagonal *t)
{
	FOR_INTERRUPTIBLE (i, 0, t->n)
	{
		if ((i > 0 && !isfinite(t->lower[i])) || !isfinite(t->diagonal[i]) ||
			(i + 1 < t->n && !isfinite(t->upper[i])) || !isfinite(t->rhs[i]))
			return false;
	}
	return true;
}

/*
 * Computes the pivots and the coefficients of the recurrences.  Raises an error if a pivot is 0, or infinite or NaN
 * although the input is `finite`.
 */
static void
tridiagonal_eliminate(Tridiagonal *t, bool finite)
{
	FOR_INTERRUPTIBLE (i, 0, t->n)
	{
		double factor = i == 0 ? 0.0 : t->lower[i] / t->pivot[i - 1];

		t->pivot[i] = i == 0 ? t->diagonal[0] : fma(-factor, t->upper[i - 1], t->diagonal[i]);
		if (t->pivot[i] == 0.0)
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("tridiagonal matrix has a zero pivot"),
							errdetail("The pivot of row " INT64_FORMAT " is zero.", i + 1),
							errhint("The matrix is singular, or its rows need another order. No pivot is zero if each "
									"diagonal element is larger than the other two elements of its row together.")));
		if (finite && !isfinite(t->pivot[i]))
			scan_raise(SCAN_FLOAT_OVERFLOW);
		t->forward[i] = -factor;
		t->backward[t->n - 1 - i] = i + 1 == t->n ? 0.0 : -(t->upper[i] / t->pivot[i]);
	}
}

/* solution := the results of the recurrence y = a y' + term, from 0. */
static ScanStatus
tridiagonal_scan(Tridiagonal *t, const double *a)
{
	ScanJob job = {.op = scan_op_at(SCAN_OP_recurrence_float8),
				   .param = &t->param,
				   .n = t->n,
				   .in = a,
				   .in2 = t->term,
				   .out = t->solution};

	scan_run(&job);
	return job.status;
}

/* x := the solution for a right-hand side, by the two recurrences. */
static ScanStatus
tridiagonal_substitute(Tridiagonal *t, const double *rhs, double *x)
{
	ScanStatus status;

	stretch_copy(t->term, rhs, (Size) t->n * sizeof(double));
	status = tridiagonal_scan(t, t->forward);
	if (status != SCAN_OK)
		return status;
	FOR_INTERRUPTIBLE (i, 0, t->n)
		t->term[t->n - 1 - i] = t->solution[i] / t->pivot[i];
	status = tridiagonal_scan(t, t->backward);
	if (status == SCAN_OK)
		FOR_INTERRUPTIBLE (i, 0, t->n)
			x[i] = t->solution[t->n - 1 - i];
	return status;
}

/* residual := rhs - A x.  Returns false if it is out of the range of doubles. */
static bool
tridiagonal_residual(const Tridiagonal *t, const double *x, double *residual)
{
	for (int i = 0; i < t->n; i++)
	{
		bool   below = i > 0, above = i + 1 < t->n;
		double a[4] = {t->rhs[i], t->diagonal[i], below ? t->lower[i] : 0.0, above ? t->upper[i] : 0.0};
		double b[4] = {1.0, -x[i], below ? -x[i - 1] : 0.0, above ? -x[i + 1] : 0.0};

		/* at every row, since each takes a microsecond */
		CHECK_FOR_INTERRUPTS();
		if (dot_exact(a, 1, b, 1, 4, &residual[i]) != SCAN_OK)
			return false;
	}
	return true;
}

static double
largest_absolute(const double *x, int n)
{
	double max = 0.0;

	FOR_INTERRUPTIBLE (i, 0, n)
		max = fabs(x[i]) > max ? fabs(x[i]) : max;
	return max;
}

/*
 * Adds to x the correction that its residual yields, as long as corrections shrink to less than half.  Returns the
 * largest element of the last correction, relative to the largest element of x.
 */
static double
tridiagonal_refine(Tridiagonal *t, double *x)
{
	double *residual = column_new(t->n);
	double *missing = column_new(t->n);
	double	before = INFINITY, now = INFINITY;

	for (int round = 0; round < REFINEMENTS && now == before; round++)
	{
		bool shrinks;

		if (!tridiagonal_residual(t, x, residual) || tridiagonal_substitute(t, residual, missing) != SCAN_OK)
			break;
		now = largest_absolute(missing, t->n);
		shrinks = now < before / 2;
		for (int i = 0; shrinks && i < t->n; i++)
		{
			double better = x[i] + missing[i];

			CHECK_FOR_INTERRUPTS();
			if (better != x[i])
				before = now; /* continue for another round */
			x[i] = better;
		}
	}
	pfree(residual);
	pfree(missing);
	return now / Max(largest_absolute(x, t->n), DBL_MIN);
}

/* Raises an error unless x is finite.  Called only if the input is finite. */
static void
tridiagonal_check(const double *x, int n)
{
	FOR_INTERRUPTIBLE (i, 0, n)
		if (!isfinite(x[i]))
			scan_raise(SCAN_FLOAT_OVERFLOW);
}

/* x := the solution. */
static void
tridiagonal_solve(Tridiagonal *t, double *x)
{
	bool finite = tridiagonal_is_finite(t);

	/* the proofs of op/ require the default float environment (see run/run.c) */
	fesetenv(FE_DFL_ENV);
	tridiagonal_eliminate(t, finite);
	scan_check(tridiagonal_substitute(t, t->rhs, x));
	if (finite)
	{
		double missing;

		tridiagonal_check(x, t->n);
		missing = tridiagonal_refine(t, x);
		tridiagonal_check(x, t->n);
		if (!(missing <= TOO_MUCH))
			ereport(WARNING, (errcode(ERRCODE_WARNING), errmsg("tridiagonal matrix is not diagonally dominant enough"),
							  errdetail("The matrix is nearly singular. The error of the solution is about %.1e times "
										"its largest element.",
										missing),
							  errhint("No digits are lost if each diagonal element is larger than the other two "
									  "elements of its row together.")));
	}
	FOR_INTERRUPTIBLE (i, 0, t->n)
		x[i] = canonical_nan(x[i] + 0.0); /* -0 becomes +0 */
}

PG_FUNCTION_INFO_V1(tridiagonal_solve_float8);
Datum
tridiagonal_solve_float8(PG_FUNCTION_ARGS)
{
	Tridiagonal t = {.param = {.order = 1}};
	ArrayType  *result;
	void	   *x;

	tridiagonal_read(fcinfo, &t);
	result = array_of_elements(FLOAT8OID, sizeof(double), t.n, &x);
	if (t.n == 0)
		PG_RETURN_ARRAYTYPE_P(result);
	t.pivot = column_new(t.n);
	t.forward = column_new(t.n);
	t.backward = column_new(t.n);
	t.term = column_new(t.n);
	t.solution = column_new(t.n);
	t.param.memory = context_memory(&t.memory, CurrentMemoryContext);
	tridiagonal_solve(&t, (double *) x);
	PG_RETURN_ARRAYTYPE_P(result);
}
