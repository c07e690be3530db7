/*
 * lanes.h: sums of many overlapping stretches of floats, each added from left to right.
 *
 * Called by aggregate/refold.c.  Floating-point addition is not associative.  So a sum that has to equal PostgreSQL's
 * to the bit is added in one order, and so is the sum of squares of a variance.  But the frames of neighbouring rows
 * are separate sums: each gets a lane of the processor's vectors.
 */
#ifndef SCAN_CPU_LANES_H
#define SCAN_CPU_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "cpu/instructions.h"

/* The number of lanes if each stretch begins one value after the one before. */
#define LANES 32

/* The same where lanes_are_wide() is true. */
#define LANES_WIDE 256

/* The number of lanes if the stretches begin anywhere. */
#define LANES_APART 8

/* The sums of the stretches so far, one in each lane. */
typedef struct LanesFloat8
{
	double sum[LANES_WIDE];
} LanesFloat8;

typedef struct LanesFloat4
{
	float sum[LANES_WIDE];
} LanesFloat4;

/* `squares`: sums of squared distances from the mean, as computed by Youngs and Cramer (1971). */
typedef struct LanesMoments
{
	double sum[LANES], squares[LANES];
} LanesMoments;

/*
 * Adds values x[j] .. x[j + n - 1] to lane j, for each of LANES lanes.  `before` is the number of values that each lane
 * has already.
 */
extern void lanes_add_float8(const double *x, int64_t n, int64_t before, LanesFloat8 *lanes);
extern void lanes_add_float4(const float *x, int64_t n, int64_t before, LanesFloat4 *lanes);
extern void lanes_add_moments(const double *x, int64_t n, int64_t before, LanesMoments *lanes);

#ifdef SCAN_HAS_AVX512_LOOPS

/*
 * True if sums of at least so many values are faster in LANES_WIDE lanes than in LANES: the processor has AVX-512, and
 * the values are worth copying.
 */
extern bool lanes_are_wide(int64_t values);

/* As lanes_add_float8() and lanes_add_float4(), for LANES_WIDE lanes; only where lanes_are_wide() is true. */
extern void lanes_add_wide_float8(const double *x, int64_t n, LanesFloat8 *lanes);
extern void lanes_add_wide_float4(const float *x, int64_t n, LanesFloat4 *lanes);

#else

#define lanes_are_wide(values) false
#define lanes_add_wide_float8(x, n, lanes) ((void) 0)
#define lanes_add_wide_float4(x, n, lanes) ((void) 0)

#endif

/* Adds values x[j][0] .. x[j][n - 1] to lane j, for each of LANES_APART lanes; `before` as above. */
extern void lanes_add_apart_float8(const double *const *x, int64_t n, int64_t before, LanesFloat8 *lanes);
extern void lanes_add_apart_float4(const float *const *x, int64_t n, int64_t before, LanesFloat4 *lanes);
extern void lanes_add_apart_moments(const double *const *x, int64_t n, int64_t before, LanesMoments *lanes);

#endif /* SCAN_CPU_LANES_H */
