/*
 * scan--1.2--1.3.sql: ALTER EXTENSION scan UPDATE, from 1.2; and the second script of CREATE EXTENSION scan, which
 * runs scan--1.2.sql first.
 *
 * So each object of 1.3 is written once, here, in the order of src/op/list.h; test/t/catalog.t proves that.  No object
 * of 1.2 is dropped, so that views of it live on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION scan UPDATE TO '1.3'" to load this file. \quit

-- ----------------------------------------------------------- averages by time

CREATE FUNCTION scan_ema(value double precision, at date, half_life interval, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, date, interval, boolean) IS
'returns the exponential moving average of value at irregular times; the weight of a value halves with each half_life';

CREATE FUNCTION scan_ema(value double precision, at timestamp without time zone, half_life interval, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, timestamp without time zone, interval, boolean) IS
'returns the exponential moving average of value at irregular times; the weight of a value halves with each half_life';

-- -------------------------------------------------------- aggregates of pairs

CREATE FUNCTION exact_add_pair_float8_int8(exact_state, double precision, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_float8_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_float8_int8(exact_state, double precision, bigint) IS
'internal: transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_remove_pair_float8_int8(exact_state, double precision, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_pair_float8_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_pair_float8_int8(exact_state, double precision, bigint) IS
'internal: inverse transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_add_pair_int8_float8(exact_state, bigint, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_int8_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_int8_float8(exact_state, bigint, double precision) IS
'internal: transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_remove_pair_int8_float8(exact_state, bigint, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_pair_int8_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_pair_int8_float8(exact_state, bigint, double precision) IS
'internal: inverse transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_add_pair_numeric(exact_state, double precision, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_numeric(exact_state, double precision, numeric) IS
'internal: transition function of the exact covariances, correlations and regressions of numeric, which raises an error';

CREATE FUNCTION exact_add_pair_numeric(exact_state, numeric, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_numeric(exact_state, numeric, double precision) IS
'internal: transition function of the exact covariances, correlations and regressions of numeric, which raises an error';

CREATE FUNCTION exact_add_pair_numeric(exact_state, bigint, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_numeric(exact_state, bigint, numeric) IS
'internal: transition function of the exact covariances, correlations and regressions of numeric, which raises an error';

CREATE FUNCTION exact_add_pair_numeric(exact_state, numeric, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_numeric(exact_state, numeric, bigint) IS
'internal: transition function of the exact covariances, correlations and regressions of numeric, which raises an error';

CREATE AGGREGATE exact_covar_pop(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8,
    MINVFUNC = exact_remove_pair_float8_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(double precision, bigint) IS
'returns the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8,
    MINVFUNC = exact_remove_pair_float8_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(double precision, bigint) IS
'returns the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8,
    MINVFUNC = exact_remove_pair_float8_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_corr,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(double precision, bigint) IS
'returns the exact correlation coefficient, rounded once and never above 1';

CREATE AGGREGATE exact_regr_slope(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8,
    MINVFUNC = exact_remove_pair_float8_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_slope,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(double precision, bigint) IS
'returns the exact slope of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_intercept(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8,
    MINVFUNC = exact_remove_pair_float8_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_intercept,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(double precision, bigint) IS
'returns the exact y-intercept of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_r2(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8,
    MINVFUNC = exact_remove_pair_float8_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_r2,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(double precision, bigint) IS
'returns the square of the exact correlation coefficient, rounded once';

CREATE AGGREGATE exact_covar_pop(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8,
    MINVFUNC = exact_remove_pair_int8_float8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(bigint, double precision) IS
'returns the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8,
    MINVFUNC = exact_remove_pair_int8_float8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(bigint, double precision) IS
'returns the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8,
    MINVFUNC = exact_remove_pair_int8_float8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_corr,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(bigint, double precision) IS
'returns the exact correlation coefficient, rounded once and never above 1';

CREATE AGGREGATE exact_regr_slope(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8,
    MINVFUNC = exact_remove_pair_int8_float8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_slope,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(bigint, double precision) IS
'returns the exact slope of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_intercept(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8,
    MINVFUNC = exact_remove_pair_int8_float8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_intercept,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(bigint, double precision) IS
'returns the exact y-intercept of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_r2(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8,
    MINVFUNC = exact_remove_pair_int8_float8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_r2,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(bigint, double precision) IS
'returns the square of the exact correlation coefficient, rounded once';

CREATE AGGREGATE exact_covar_pop(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_pop(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_pop(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(bigint, numeric) IS 'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_pop(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(numeric, bigint) IS 'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

-- ------------------------------------------------ averages over numeric times

CREATE FUNCTION time_average_add_numeric(internal, double precision, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_numeric(internal, double precision, numeric) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_numeric(internal, double precision, numeric, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_numeric(internal, double precision, numeric, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_numeric(internal, double precision, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_numeric(internal, double precision, numeric) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_numeric(internal, double precision, numeric, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_numeric(internal, double precision, numeric, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_leave_numeric(internal, double precision, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_numeric(internal, double precision, numeric) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_numeric(internal, double precision, numeric, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_numeric(internal, double precision, numeric, text) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_final_numeric(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_average_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_final_numeric(internal) IS 'internal: final function of time_average';

CREATE AGGREGATE time_average(value double precision, at numeric)
(
    SFUNC = time_average_add_numeric,
    STYPE = internal,
    SSPACE = 512,
    FINALFUNC = time_average_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = time_average_enter_numeric,
    MINVFUNC = time_average_leave_numeric,
    MSTYPE = internal,
    MSSPACE = 2048,
    MFINALFUNC = time_average_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, numeric) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at numeric, method text)
(
    SFUNC = time_average_add_numeric,
    STYPE = internal,
    SSPACE = 512,
    FINALFUNC = time_average_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = time_average_enter_numeric,
    MINVFUNC = time_average_leave_numeric,
    MSTYPE = internal,
    MSSPACE = 2048,
    MFINALFUNC = time_average_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, numeric, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';
