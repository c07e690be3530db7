/*
 * lanes.h: sums of many overlapping stretches of floats, each added from left to right.
 *
 * Floating-point addition is not associative, so a sum that has to be PostgreSQL's to the bit is
 * added in one order.  But the frames of neighbouring rows are sums of their own: each is a lane
 * of the processor's vectors.  Fed by the plan node (node/eval/lanes.c).
 */
#ifndef SCAN_CPU_LANES_H
#define SCAN_CPU_LANES_H

#include <stdint.h>

/* How many stretches go at once where each begins one value after the one before. */
#define LANES 32

/* And where they begin anywhere. */
#define LANES_APART 8

/* Adds values x[j], x[j + 1] .. x[j + n - 1] to sum[j], for each lane j. */
extern void lanes_add_float8(const double *x, int64_t n, double *sum);
extern void lanes_add_float4(const float *x, int64_t n, float *sum);

/* Adds values x[j][0] .. x[j][n - 1] to sum[j], for each of LANES_APART lanes j. */
extern void lanes_add_apart_float8(const double *const *x, int64_t n, double *sum);
extern void lanes_add_apart_float4(const float *const *x, int64_t n, float *sum);

#endif /* SCAN_CPU_LANES_H */
