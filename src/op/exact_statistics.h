/*
 * exact_statistics.h: the exact aggregates of floats and integers: how a row goes into their states, and what they
 * return.
 *
 * A group is the states that the same rows make.  EXACT_TAKINGS_OF_PAIRS, of the group PAIRS, has a line
 *
 *   X(D, name, arguments, first, second, taken)
 *
 * for each way by which a row goes into a state of the group.  The line makes the transition function exact_add_ and
 * its inverse, exact_remove_, with that name.  `arguments` is the number of arguments, `first` and `second` are their
 * types.  `taken` adds the row to the ExactState `state`, with the ScanMemory `memory`, or removes it if `leaves`.  It
 * reads its arguments, from 0 on, by EXACT_ARGUMENT(T, n), and by EXACT_SQUARES which sums of squares are needed.  Who
 * includes this file defines both.  EXACT_OF_PAIRS has a line
 *
 *   X(D, name, kind, squares, answer)
 *
 * for each statistic of the group.  The line makes the final function exact_final_ with that name, and a MovingKind.
 * `answer` computes the statistic of the content `c` of a state into `y`, and returns its ScanStatus; `squares` says
 * which sums of squares it reads.  Each way in goes with each statistic of its group:
 *
 *   list.h                            the aggregates over sliding frames, by which the plan node recognises them
 *   aggregate/moving_kind.h           their kinds
 *   functions/aggregate/exact*.c      the functions that SQL calls
 *   aggregate/exact_ops.c             the operation of the plan node, which calls none of them
 *
 * Macros with lines, not a file that is included: a line of one list is combined with each line of another.
 */
#ifndef SCAN_OP_EXACT_STATISTICS_H
#define SCAN_OP_EXACT_STATISTICS_H

/* clang-format off */

/* ---- floats of single precision: Moments, and a result of single precision ---- */

#define EXACT_TAKINGS_OF_FLOAT4(X, D) \
	X(D, float4, 1, FLOAT4OID, 0, moments_take(&state->moments, memory, EXACT_ARGUMENT(Float4, 0), false, leaves))

#define EXACT_OF_FLOAT4(X, D) \
	X(D, sum_float4, SUM_FLOAT4, 0, moments_sum_float4(c, &y))

/* ---- floats: Moments without squares ---- */

#define EXACT_TAKINGS_OF_FLOAT8(X, D) \
	X(D, float8, 1, FLOAT8OID, 0, moments_take(&state->moments, memory, EXACT_ARGUMENT(Float8, 0), false, leaves))

#define EXACT_OF_FLOAT8(X, D) \
	X(D, sum_float8, SUM, 0, moments_sum_float8(c, &y)) \
	X(D, avg,        AVG, 0, moments_average(c, &y))

/* ---- floats and their squares: Moments ---- */

#define EXACT_TAKINGS_OF_SQUARES(X, D) \
	X(D, square, 1, FLOAT8OID, 0, moments_take(&state->moments, memory, EXACT_ARGUMENT(Float8, 0), true, leaves))

#define EXACT_OF_SQUARES(X, D) \
	X(D, var_pop,     VAR_POP,     0, moments_variance(c, false, false, &y)) \
	X(D, var_samp,    VAR_SAMP,    0, moments_variance(c, true,  false, &y)) \
	X(D, stddev_pop,  STDDEV_POP,  0, moments_variance(c, false, true,  &y)) \
	X(D, stddev_samp, STDDEV_SAMP, 0, moments_variance(c, true,  true,  &y))

/* ---- values and their positions among the values: Pairs.  They leave in the order in which they came. ---- */

#define EXACT_TAKINGS_OF_POSITIONS(X, D) \
	X(D, position,      1, FLOAT8OID, 0, pairs_take_position(&state->pairs, memory, EXACT_ARGUMENT(Float8, 0), leaves)) \
	X(D, position_int8, 1, INT8OID,   0, pairs_take_integer_position(&state->pairs, memory, EXACT_ARGUMENT(Int64, 0), leaves))

/* the final function is that of pairs */
#define EXACT_OF_POSITIONS(X, D) \
	X(D, weighted_avg, POSITION_AVG, 0, pairs_weighted_average(c, &y))

/* ---- y and x: Pairs ---- */

#define EXACT_TAKINGS_OF_PAIRS(X, D) \
	X(D, pair,             2, FLOAT8OID, FLOAT8OID, pairs_take(&state->pairs, memory, EXACT_ARGUMENT(Float8, 0), EXACT_ARGUMENT(Float8, 1), EXACT_SQUARES, leaves)) \
	X(D, pair_int8,        2, INT8OID,   INT8OID,   pairs_take_integers(&state->pairs, memory, EXACT_ARGUMENT(Int64, 0), EXACT_ARGUMENT(Int64, 1), EXACT_SQUARES, leaves)) \
	X(D, pair_float8_int8, 2, FLOAT8OID, INT8OID,   pairs_take_double_integer(&state->pairs, memory, EXACT_ARGUMENT(Float8, 0), EXACT_ARGUMENT(Int64, 1), EXACT_SQUARES, leaves)) \
	X(D, pair_int8_float8, 2, INT8OID,   FLOAT8OID, pairs_take_integer_double(&state->pairs, memory, EXACT_ARGUMENT(Int64, 0), EXACT_ARGUMENT(Float8, 1), EXACT_SQUARES, leaves))

#define EXACT_OF_PAIRS(X, D) \
	X(D, covar_pop,      COVAR_POP,      0, pairs_covariance(c, false, &y)) \
	X(D, covar_samp,     COVAR_SAMP,     0, pairs_covariance(c, true, &y)) \
	X(D, weighted_avg,   WEIGHTED_AVG,   0, pairs_weighted_average(c, &y)) \
	X(D, regr_slope,     REGR_SLOPE,     PAIRS_X_SQUARES, pairs_slope(c, &y)) \
	X(D, regr_intercept, REGR_INTERCEPT, PAIRS_X_SQUARES, pairs_intercept(c, &y)) \
	X(D, corr,           CORR,           PAIRS_X_SQUARES | PAIRS_Y_SQUARES, pairs_correlation(c, false, &y)) \
	X(D, regr_r2,        REGR_R2,        PAIRS_X_SQUARES | PAIRS_Y_SQUARES, pairs_correlation(c, true, &y))

/* ---- values and their powers up to the fourth: Powers ---- */

#define EXACT_TAKINGS_OF_POWERS(X, D) \
	X(D, powers,      1, FLOAT8OID, 0, powers_take(&state->powers, memory, EXACT_ARGUMENT(Float8, 0), leaves)) \
	X(D, powers_int8, 1, INT8OID,   0, powers_take_integer(&state->powers, memory, EXACT_ARGUMENT(Int64, 0), leaves))

#define EXACT_OF_POWERS(X, D) \
	X(D, skewness,     SKEWNESS,     0, powers_skewness(c, true, &y)) \
	X(D, skewness_pop, SKEWNESS_POP, 0, powers_skewness(c, false, &y)) \
	X(D, kurtosis,     KURTOSIS,     0, powers_kurtosis(c, true, &y)) \
	X(D, kurtosis_pop, KURTOSIS_POP, 0, powers_kurtosis(c, false, &y))

/* ---- all of them ---- */

/* Of each group G: X(G). */
#define EXACT_GROUPS(X) X(FLOAT4) X(FLOAT8) X(SQUARES) X(POSITIONS) X(PAIRS) X(POWERS)

/* clang-format on */

#endif /* SCAN_OP_EXACT_STATISTICS_H */
