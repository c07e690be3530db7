/*
 * lanes.h: sums of many overlapping stretches of floats, each added from left to right.
 *
 * Floating-point addition is not associative, so a sum that has to be PostgreSQL's to the bit is
 * added in one order, and so is the sum of squares of its variances.  But the frames of neighbouring rows are sums
 * of their own: each is a lane of the processor's vectors.  Fed by the plan node (node/evaluate/refold.c).
 */
#ifndef SCAN_CPU_LANES_H
#define SCAN_CPU_LANES_H

#include <stdint.h>

/* How many stretches go at once where each begins one value after the one before. */
#define LANES 32

/* And where they begin anywhere. */
#define LANES_APART 8

/* What is known of the stretches so far. */
typedef struct LanesFloat8
{
	double sum[LANES];
} LanesFloat8;

typedef struct LanesFloat4
{
	float sum[LANES];
} LanesFloat4;

/* With the squares of the distances from the mean, as Youngs and Cramer (1971) have them. */
typedef struct LanesMoments
{
	double sum[LANES];
	double squares[LANES];
} LanesMoments;

/* Takes values x[j], x[j + 1] .. x[j + n - 1] into lane j, for each, after the `before` that it has already. */
extern void lanes_add_float8(const double *x, int64_t n, int64_t before, LanesFloat8 *lanes);
extern void lanes_add_float4(const float *x, int64_t n, int64_t before, LanesFloat4 *lanes);
extern void lanes_add_moments(const double *x, int64_t n, int64_t before, LanesMoments *lanes);

/* Takes values x[j][0] .. x[j][n - 1] into lane j, for each of LANES_APART lanes. */
extern void lanes_add_apart_float8(const double *const *x, int64_t n, int64_t before, LanesFloat8 *lanes);
extern void lanes_add_apart_float4(const float *const *x, int64_t n, int64_t before, LanesFloat4 *lanes);
extern void lanes_add_apart_moments(const double *const *x, int64_t n, int64_t before, LanesMoments *lanes);

#endif /* SCAN_CPU_LANES_H */
