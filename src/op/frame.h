/*
 * frame.h: sums and sums of squared distances over the frames of rows, each added from left to right as core adds.
 *
 * They are the SCAN_FRAMED lines of list.h.  Core evaluates sum, avg and the variances of floats over a moving frame by
 * adding the frame's values one after the other, and to the bit no other order will do.  So a row's answer is a fold of
 * its own: start, then add for each value, then result.  refold.c, lanes.c, ops.c and the kernels all use
 * the steps below.
 *
 * A job of such a line has a column of values and a column of frames, each a stretch of the values.  Which row a value
 * belongs to, or whether it was NULL, the job does not know: the caller (aggregate/frame_values.c) leaves NULLs out and
 * counts. Rejected: constant offsets of ROWS as a parameter of the job.  A kernel finds by itself where neighbouring
 * frames overlap, so that one column serves ROWS, RANGE and GROUPS, and partitions of any length; 8 bytes of a row are
 * little beside a frame of hundreds of values.
 *
 * These lines have no errors.  A result that is not finite is doubtful: core raises its error there, or returns a NaN
 * whose bits depend on the processor.  The answer is then frame_doubt_double(), and the caller computes that row again
 * by core's functions, when the row is due.
 */
#ifndef SCAN_OP_FRAME_H
#define SCAN_OP_FRAME_H

#include "op/limbs.h"

/* The values of a row's frame: `begin` to `end` - 1, counted in the job.  end <= begin: there are none. */
typedef struct ScanFrame
{
	uint32_t begin, end;
} ScanFrame;

/* Returns the frame cut to the values that the job has. */
SCAN_FN ScanFrame
frame_cut(ScanFrame frame, uint32_t values)
{
	if (frame.end > values)
		frame.end = values;
	if (frame.begin > frame.end)
		frame.begin = frame.end;
	return frame;
}

/* Return the answer where the result is not finite.  By its bits, since a conversion of a NaN may change them. */
SCAN_FN double
frame_doubt_double(void)
{
	return double_from_bits(UINT64_C(0x7ff8000000000000));
}

SCAN_FN float
frame_doubt_float(void)
{
	uint32_t bits = UINT32_C(0x7fc00000);
	float	 doubt;

	memcpy(&doubt, &bits, sizeof(doubt));
	return doubt;
}

/* ---- sums: float8pl and float4pl, which core calls for the second value on ---- */

/* The first value is copied: -0 + x is x, with the sign of a zero x. */
#define FRAME_SUM(D, TYPE)                                                                \
	typedef TYPE D##_value;                                                               \
	typedef TYPE D##_out;                                                                 \
	typedef struct D##_in                                                                 \
	{                                                                                     \
		TYPE	  x;                                                                      \
		ScanFrame frame;                                                                  \
	} D##_in;                                                                             \
	typedef struct D##_acc                                                                \
	{                                                                                     \
		TYPE sum;                                                                         \
	} D##_acc;                                                                            \
	SCAN_FN void D##_start(D##_acc *a)                                                    \
	{                                                                                     \
		a->sum = (TYPE) -0.0;                                                             \
	}                                                                                     \
	SCAN_FN void D##_first(D##_acc *a, TYPE x)                                            \
	{                                                                                     \
		a->sum += x;                                                                      \
	}                                                                                     \
	/* Adds a value; `count` includes it. */                                              \
	SCAN_FN void D##_add(D##_acc *a, TYPE x, double count)                                \
	{                                                                                     \
		a->sum += x;                                                                      \
	}                                                                                     \
	/* The result of one value or more.  *y := frame_doubt_TYPE() if it is not finite. */ \
	SCAN_FN void D##_result(const D##_acc *a, TYPE *y)                                    \
	{                                                                                     \
		*y = isfinite(a->sum) ? a->sum : frame_doubt_##TYPE();                            \
	}

FRAME_SUM(frame_sum_float8, double)
FRAME_SUM(frame_sum_float4, float)

/* ---- sums of squared distances from the mean: float8_accum ---- */

/*
 * A step of Youngs and Cramer (1971), on numbers or on vectors of numbers: adds `value` to `sum` and to `squares`.
 * `count` includes the value and is at least 2; `apart` is a variable of the caller.  The division takes most of the
 * time; a factor 1 / (count * (count - 1)) would round twice.
 */
#define FRAME_SQUARES_STEP(sum, squares, value, count, apart)        \
	do                                                               \
	{                                                                \
		(sum) += (value);                                            \
		(apart) = (value) * (count) - (sum);                         \
		(squares) += (apart) * (apart) / ((count) * ((count) -1.0)); \
	} while (0)

typedef double frame_squares_float8_value;
typedef double frame_squares_float8_out;
typedef struct frame_squares_float8_in
{
	double	  x;
	ScanFrame frame;
} frame_squares_float8_in;

typedef struct frame_squares_float8_acc
{
	double sum, squares;
} frame_squares_float8_acc;

SCAN_FN void
frame_squares_float8_start(frame_squares_float8_acc *a)
{
	a->sum = 0.0;
	a->squares = 0.0;
}

SCAN_FN void
frame_squares_float8_first(frame_squares_float8_acc *a, double x)
{
	a->sum += x;
}

SCAN_FN void
frame_squares_float8_add(frame_squares_float8_acc *a, double x, double count)
{
	double apart;

	FRAME_SQUARES_STEP(a->sum, a->squares, x, count, apart);
}

/* Core raises an error, or goes on with a NaN, as soon as the sum or the squares are not finite; both then stay so. */
SCAN_FN void
frame_squares_float8_result(const frame_squares_float8_acc *a, double *y)
{
	*y = isfinite(a->sum) && isfinite(a->squares) ? a->squares : frame_doubt_double();
}

/* ---- a frame ---- */

/* For each line: *y := the answer of a frame with the values x[frame.begin] on.  False if it has none: NULL. */
#define FRAME_FOLD(D)                                                      \
	SCAN_FN bool D##_fold(const D##_value *x, ScanFrame frame, D##_out *y) \
	{                                                                      \
		D##_acc acc;                                                       \
                                                                           \
		if (frame.begin >= frame.end)                                      \
			return false;                                                  \
		D##_start(&acc);                                                   \
		D##_first(&acc, x[frame.begin]);                                   \
		for (uint32_t v = frame.begin + 1; v < frame.end; v++)             \
			D##_add(&acc, x[v], (double) (v - frame.begin) + 1.0);         \
		D##_result(&acc, y);                                               \
		return true;                                                       \
	}

FRAME_FOLD(frame_sum_float8)
FRAME_FOLD(frame_sum_float4)
FRAME_FOLD(frame_squares_float8)

#endif /* SCAN_OP_FRAME_H */
