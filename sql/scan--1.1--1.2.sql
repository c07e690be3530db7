/*
 * scan--1.1--1.2.sql: ALTER EXTENSION scan UPDATE, from 1.1.
 *
 * New functions and aggregates come in the order of src/op/list.h.  No object of 1.1 is dropped, so that views of it
 * live on.  test/t/upgrade.t proves that what comes of this is what scan--1.2.sql makes.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION scan UPDATE TO '1.2'" to load this file. \quit

CREATE FUNCTION scan_counter(value smallint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(smallint, boolean) IS
'gain so far of a counter that falls back to 0 now and then';

CREATE FUNCTION scan_counter(value integer, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(integer, boolean) IS
'gain so far of a counter that falls back to 0 now and then';

CREATE FUNCTION scan_counter(value bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(bigint, boolean) IS
'gain so far of a counter that falls back to 0 now and then';

CREATE FUNCTION scan_counter(value double precision, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_counter_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(double precision, boolean) IS
'gain so far of a counter that falls back to 0 now and then; the real gain rounded once';

CREATE FUNCTION scan_counter(value numeric, reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_counter_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(numeric, boolean) IS
'gain so far of a counter that falls back to 0 now and then';

CREATE FUNCTION scan_bin(value smallint, capacity bigint, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(smallint, bigint, boolean, boolean) IS
'number of the bin, from 1; the next one begins where the total would be above capacity, or with overfill after the row that reaches it';

CREATE FUNCTION scan_bin(value integer, capacity bigint, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(integer, bigint, boolean, boolean) IS
'number of the bin, from 1; the next one begins where the total would be above capacity, or with overfill after the row that reaches it';

CREATE FUNCTION scan_bin(value bigint, capacity bigint, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(bigint, bigint, boolean, boolean) IS
'number of the bin, from 1; the next one begins where the total would be above capacity, or with overfill after the row that reaches it';

CREATE FUNCTION scan_bin(value double precision, capacity double precision, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(double precision, double precision, boolean, boolean) IS
'number of the bin, from 1; the next one begins where the total would be above capacity, or with overfill after the row that reaches it';

CREATE FUNCTION scan_bin(value numeric, capacity numeric, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(numeric, numeric, boolean, boolean) IS
'number of the bin, from 1; the next one begins where the total would be above capacity, or with overfill after the row that reaches it';

CREATE FUNCTION scan_change(value anyelement, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_change_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_change(anyelement, boolean) IS
'number, from 1, of the run of values that are not distinct';

CREATE FUNCTION array_scan_counter("values" smallint[], reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_counter_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(smallint[], boolean[]) IS
'scan_counter over the elements of an array';

CREATE FUNCTION array_scan_counter("values" integer[], reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_counter_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(integer[], boolean[]) IS
'scan_counter over the elements of an array';

CREATE FUNCTION array_scan_counter("values" bigint[], reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_counter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(bigint[], boolean[]) IS
'scan_counter over the elements of an array';

CREATE FUNCTION array_scan_counter("values" double precision[], reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_counter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(double precision[], boolean[]) IS
'scan_counter over the elements of an array';

CREATE FUNCTION array_scan_counter("values" numeric[], reset boolean[] DEFAULT NULL)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_counter_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(numeric[], boolean[]) IS
'scan_counter over the elements of an array';

CREATE FUNCTION array_scan_change("values" anyarray, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_change_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_change(anyarray, boolean[]) IS
'scan_change over the elements of an array';
CREATE FUNCTION scan_locf(value anyelement, at bigint, max_age bigint, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, bigint, bigint, boolean) IS
'last non-NULL value carried forward, unless it is older than max_age';

CREATE FUNCTION scan_locf(value anyelement, at double precision, max_age double precision, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, double precision, double precision, boolean) IS
'last non-NULL value carried forward, unless it is older than max_age';

CREATE FUNCTION scan_locf(value anyelement, at numeric, max_age numeric, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, numeric, numeric, boolean) IS
'last non-NULL value carried forward, unless it is older than max_age';

CREATE FUNCTION scan_locf(value anyelement, at date, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, date, interval, boolean) IS
'last non-NULL value carried forward, unless it is older than max_age, by the calendar';

CREATE FUNCTION scan_locf(value anyelement, at timestamp without time zone, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, timestamp without time zone, interval, boolean) IS
'last non-NULL value carried forward, unless it is older than max_age, by the calendar';

CREATE FUNCTION scan_locf(value anyelement, at timestamp with time zone, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_timestamptz' LANGUAGE C WINDOW STABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, timestamp with time zone, interval, boolean) IS
'last non-NULL value carried forward, unless it is older than max_age, by the calendar';

CREATE FUNCTION scan_nocb(value anyelement, max_gap bigint DEFAULT NULL, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, bigint, boolean) IS
'next non-NULL value carried backward, over at most max_gap rows';

CREATE FUNCTION scan_interpolate(value double precision, at bigint, max_gap bigint DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, bigint, bigint, boolean) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at double precision, max_gap double precision DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, double precision, double precision, boolean) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at numeric, max_gap numeric DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, numeric, numeric, boolean) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at date, max_gap interval DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, date, interval, boolean) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at timestamp without time zone, max_gap interval DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, timestamp without time zone, interval, boolean) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at timestamp with time zone, max_gap interval DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_timestamptz' LANGUAGE C WINDOW STABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, timestamp with time zone, interval, boolean) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';

CREATE FUNCTION scan_integral(value double precision, at bigint, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, bigint, text, boolean) IS
'area under the line or the steps so far, rounded once, in value times units of at';

CREATE FUNCTION scan_integral(value double precision, at double precision, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, double precision, text, boolean) IS
'area under the line or the steps so far, rounded once, in value times units of at';

CREATE FUNCTION scan_integral(value double precision, at numeric, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, numeric, text, boolean) IS
'area under the line or the steps so far, rounded once, in value times units of at';

CREATE FUNCTION scan_integral(value double precision, at date, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, date, text, boolean) IS
'area under the line or the steps so far, rounded once, in value times seconds';

CREATE FUNCTION scan_integral(value double precision, at timestamp without time zone, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, timestamp without time zone, text, boolean) IS
'area under the line or the steps so far, rounded once, in value times seconds';

CREATE FUNCTION scan_integral(value double precision, at timestamp with time zone, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_timestamptz' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, timestamp with time zone, text, boolean) IS
'area under the line or the steps so far, rounded once, in value times seconds';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at double precision[],
                                       max_gap double precision DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], double precision[], double precision, boolean[]) IS
'NULLs filled by the line between two values that are at most max_gap apart, rounded once';
-- ---------------------------------------------------------------- totals

CREATE FUNCTION scan_sum(value bigint, init scan_total, reset boolean DEFAULT false,
                         exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_sum_total_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(bigint, scan_total, boolean, boolean) IS
'an error: sums after a total are of double precision';

CREATE FUNCTION scan_sum(value numeric, init scan_total, reset boolean DEFAULT false,
                         exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_sum_total_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(numeric, scan_total, boolean, boolean) IS
'an error: sums after a total are of double precision';

-- ----------------------------------------- clamps, sessions and automata

CREATE FUNCTION scan_fold(value anycompatible, op regprocedure, init anyelement, reset boolean DEFAULT false,
                          exclusive boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_fold_init' LANGUAGE C WINDOW VOLATILE PARALLEL RESTRICTED
SUPPORT scan_support;
COMMENT ON FUNCTION scan_fold(anycompatible, regprocedure, anyelement, boolean, boolean) IS
'state after each row, from init on: op(state, value), row after row; op need not be associative';

CREATE FUNCTION scan_cost(quantity numeric, price numeric, method text DEFAULT 'fifo', reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_cost_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_cost(numeric, numeric, text, boolean) IS
'what the units that go out (quantity < 0) have cost when they came in (quantity > 0): fifo, lifo or average';

-- ------------------------------------------------------------ aggregates

CREATE FUNCTION total_add_int8(total_state, bigint)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_int8(total_state, bigint) IS 'aggregate transition function';

CREATE FUNCTION total_add_numeric(total_state, numeric)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_numeric(total_state, numeric) IS 'aggregate transition function';

CREATE AGGREGATE scan_total(bigint)
(
    SFUNC = total_add_int8,
    STYPE = total_state,
    FINALFUNC = total_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_total(bigint) IS
'the exact sum, as a total that others can be added to';

CREATE AGGREGATE scan_total(numeric)
(
    SFUNC = total_add_numeric,
    STYPE = total_state,
    FINALFUNC = total_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_total(numeric) IS
'an error: a total cannot hold every numeric; exact_sum does';

-- Integers and numerics are added up by PostgreSQL's own functions, which are exact, and their
-- results are numerics.  But for two sums these are the stock aggregates under another name,
-- and PrefixScan knows them by that.
CREATE AGGREGATE exact_sum(smallint)
(
    SFUNC = int2_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_sum,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum,
    MINVFUNC = int2_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_sum,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(smallint) IS
'the exact sum';

CREATE AGGREGATE exact_sum(integer)
(
    SFUNC = int4_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_sum,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum,
    MINVFUNC = int4_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_sum,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(integer) IS
'the exact sum';

CREATE AGGREGATE exact_sum(bigint)
(
    SFUNC = int8_avg_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_sum,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = int8_avg_combine,
    SERIALFUNC = int8_avg_serialize,
    DESERIALFUNC = int8_avg_deserialize,
    MSFUNC = int8_avg_accum,
    MINVFUNC = int8_avg_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_sum,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(bigint) IS
'the exact sum';

CREATE AGGREGATE exact_sum(numeric)
(
    SFUNC = numeric_avg_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_sum,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_avg_combine,
    SERIALFUNC = numeric_avg_serialize,
    DESERIALFUNC = numeric_avg_deserialize,
    MSFUNC = numeric_avg_accum,
    MINVFUNC = numeric_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_sum,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(numeric) IS
'the exact sum';

CREATE AGGREGATE exact_avg(smallint)
(
    SFUNC = int2_avg_accum,
    STYPE = int8[],
    FINALFUNC = int8_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = int4_avg_combine,
    INITCOND = '{0,0}',
    MSFUNC = int2_avg_accum,
    MINVFUNC = int2_avg_accum_inv,
    MSTYPE = int8[],
    MFINALFUNC = int8_avg,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINITCOND = '{0,0}',
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(smallint) IS
'the exact sum over the number of values, as avg() divides';

CREATE AGGREGATE exact_avg(integer)
(
    SFUNC = int4_avg_accum,
    STYPE = int8[],
    FINALFUNC = int8_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = int4_avg_combine,
    INITCOND = '{0,0}',
    MSFUNC = int4_avg_accum,
    MINVFUNC = int4_avg_accum_inv,
    MSTYPE = int8[],
    MFINALFUNC = int8_avg,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINITCOND = '{0,0}',
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(integer) IS
'the exact sum over the number of values, as avg() divides';

CREATE AGGREGATE exact_avg(bigint)
(
    SFUNC = int8_avg_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = int8_avg_combine,
    SERIALFUNC = int8_avg_serialize,
    DESERIALFUNC = int8_avg_deserialize,
    MSFUNC = int8_avg_accum,
    MINVFUNC = int8_avg_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_avg,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(bigint) IS
'the exact sum over the number of values, as avg() divides';

CREATE AGGREGATE exact_avg(numeric)
(
    SFUNC = numeric_avg_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_avg_combine,
    SERIALFUNC = numeric_avg_serialize,
    DESERIALFUNC = numeric_avg_deserialize,
    MSFUNC = numeric_avg_accum,
    MINVFUNC = numeric_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_avg,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(numeric) IS
'the exact sum over the number of values, as avg() divides';

CREATE AGGREGATE exact_var_pop(smallint)
(
    SFUNC = int2_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_var_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum,
    MINVFUNC = int2_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(smallint) IS
'the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_pop(integer)
(
    SFUNC = int4_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_var_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum,
    MINVFUNC = int4_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(integer) IS
'the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_pop(bigint)
(
    SFUNC = int8_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_var_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum,
    MINVFUNC = int8_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_var_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(bigint) IS
'the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_pop(numeric)
(
    SFUNC = numeric_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_var_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum,
    MINVFUNC = numeric_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_var_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(numeric) IS
'the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_samp(smallint)
(
    SFUNC = int2_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_var_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum,
    MINVFUNC = int2_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(smallint) IS
'the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_var_samp(integer)
(
    SFUNC = int4_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_var_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum,
    MINVFUNC = int4_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(integer) IS
'the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_var_samp(bigint)
(
    SFUNC = int8_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_var_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum,
    MINVFUNC = int8_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_var_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(bigint) IS
'the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_var_samp(numeric)
(
    SFUNC = numeric_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_var_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum,
    MINVFUNC = numeric_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_var_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(numeric) IS
'the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_stddev_pop(smallint)
(
    SFUNC = int2_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum,
    MINVFUNC = int2_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(smallint) IS
'the square root of the population variance, as stddev_pop() takes it';

CREATE AGGREGATE exact_stddev_pop(integer)
(
    SFUNC = int4_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum,
    MINVFUNC = int4_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(integer) IS
'the square root of the population variance, as stddev_pop() takes it';

CREATE AGGREGATE exact_stddev_pop(bigint)
(
    SFUNC = int8_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum,
    MINVFUNC = int8_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_stddev_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(bigint) IS
'the square root of the population variance, as stddev_pop() takes it';

CREATE AGGREGATE exact_stddev_pop(numeric)
(
    SFUNC = numeric_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum,
    MINVFUNC = numeric_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_stddev_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(numeric) IS
'the square root of the population variance, as stddev_pop() takes it';

CREATE AGGREGATE exact_stddev_samp(smallint)
(
    SFUNC = int2_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum,
    MINVFUNC = int2_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(smallint) IS
'the square root of the sample variance, as stddev_samp() takes it';

CREATE AGGREGATE exact_stddev_samp(integer)
(
    SFUNC = int4_accum,
    STYPE = internal,
    SSPACE = 48,
    FINALFUNC = numeric_poly_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_poly_combine,
    SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum,
    MINVFUNC = int4_accum_inv,
    MSTYPE = internal,
    MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(integer) IS
'the square root of the sample variance, as stddev_samp() takes it';

CREATE AGGREGATE exact_stddev_samp(bigint)
(
    SFUNC = int8_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum,
    MINVFUNC = int8_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_stddev_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(bigint) IS
'the square root of the sample variance, as stddev_samp() takes it';

CREATE AGGREGATE exact_stddev_samp(numeric)
(
    SFUNC = numeric_accum,
    STYPE = internal,
    SSPACE = 128,
    FINALFUNC = numeric_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = numeric_combine,
    SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum,
    MINVFUNC = numeric_accum_inv,
    MSTYPE = internal,
    MSSPACE = 128,
    MFINALFUNC = numeric_stddev_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(numeric) IS
'the square root of the sample variance, as stddev_samp() takes it';

-- -------------------- aggregates over any frame, by the order of the values

CREATE FUNCTION moving_median_final_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'moving_median_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_median_final_numeric(internal) IS 'aggregate final function';

CREATE FUNCTION moving_percentile_cont_final_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'moving_percentile_cont_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_cont_final_numeric(internal) IS 'aggregate final function';

CREATE AGGREGATE moving_median(value smallint)
(
    SFUNC = moving_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(smallint) IS
'the median of the frame, exact but for the division by two of a median between two values';

CREATE AGGREGATE moving_median(value integer)
(
    SFUNC = moving_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(integer) IS
'the median of the frame, exact but for the division by two of a median between two values';

CREATE AGGREGATE moving_median(value bigint)
(
    SFUNC = moving_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(bigint) IS
'the median of the frame, exact but for the division by two of a median between two values';

CREATE AGGREGATE moving_median(value numeric)
(
    SFUNC = moving_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(numeric) IS
'the median of the frame, exact but for the division by two of a median between two values';

CREATE AGGREGATE moving_percentile_cont(value smallint, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(smallint, double precision) IS
'the percentile of the frame, between two values if need be, exactly';

CREATE AGGREGATE moving_percentile_cont(value integer, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(integer, double precision) IS
'the percentile of the frame, between two values if need be, exactly';

CREATE AGGREGATE moving_percentile_cont(value bigint, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(bigint, double precision) IS
'the percentile of the frame, between two values if need be, exactly';

CREATE AGGREGATE moving_percentile_cont(value numeric, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(numeric, double precision) IS
'the percentile of the frame, between two values if need be, exactly';

-- ---------------------------------------------------------------- arrays

CREATE FUNCTION array_moving_median("values" smallint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(smallint[], integer, integer) IS
'medians over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_median("values" integer[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(integer[], integer, integer) IS
'medians over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_median("values" bigint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(bigint[], integer, integer) IS
'medians over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_median("values" numeric[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(numeric[], integer, integer) IS
'medians over a window of elements: of so many before and after each';
CREATE FUNCTION exact_add_pair(exact_state, double precision, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair(exact_state, double precision, double precision) IS 'aggregate transition function';

CREATE FUNCTION exact_remove_pair(exact_state, double precision, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_pair' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_pair(exact_state, double precision, double precision) IS 'aggregate inverse transition function';

CREATE FUNCTION exact_add_pair_int8(exact_state, bigint, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_int8(exact_state, bigint, bigint) IS 'aggregate transition function';

CREATE FUNCTION exact_remove_pair_int8(exact_state, bigint, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_pair_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_pair_int8(exact_state, bigint, bigint) IS 'aggregate inverse transition function';

CREATE FUNCTION exact_add_pair_numeric(exact_state, numeric, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_numeric(exact_state, numeric, numeric) IS 'raises an error that says what to write instead';

CREATE FUNCTION exact_combine_pairs(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_combine_pairs' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_combine_pairs(exact_state, exact_state) IS 'aggregate combine function';

CREATE FUNCTION exact_final_covar_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_covar_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_covar_pop(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_covar_samp(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_covar_samp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_covar_samp(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_corr(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_corr' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_corr(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_regr_slope(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_regr_slope' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_regr_slope(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_regr_intercept(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_regr_intercept' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_regr_intercept(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_regr_r2(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_regr_r2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_regr_r2(exact_state) IS 'aggregate final function';

CREATE AGGREGATE exact_covar_pop(y double precision, x double precision)
(
    SFUNC = exact_add_pair,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair,
    MINVFUNC = exact_remove_pair,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(double precision, double precision) IS
'the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y double precision, x double precision)
(
    SFUNC = exact_add_pair,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair,
    MINVFUNC = exact_remove_pair,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(double precision, double precision) IS
'the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y double precision, x double precision)
(
    SFUNC = exact_add_pair,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair,
    MINVFUNC = exact_remove_pair,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_corr,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(double precision, double precision) IS
'the exact correlation coefficient, rounded once: never above 1';

CREATE AGGREGATE exact_regr_slope(y double precision, x double precision)
(
    SFUNC = exact_add_pair,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair,
    MINVFUNC = exact_remove_pair,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_slope,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(double precision, double precision) IS
'the slope of the line of least squares through all (x, y), exact, rounded once';

CREATE AGGREGATE exact_regr_intercept(y double precision, x double precision)
(
    SFUNC = exact_add_pair,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair,
    MINVFUNC = exact_remove_pair,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_intercept,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(double precision, double precision) IS
'where the line of least squares through all (x, y) meets the y axis, exact, rounded once';

CREATE AGGREGATE exact_regr_r2(y double precision, x double precision)
(
    SFUNC = exact_add_pair,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair,
    MINVFUNC = exact_remove_pair,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_r2,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(double precision, double precision) IS
'the square of the exact correlation coefficient, rounded once';

CREATE AGGREGATE exact_covar_pop(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8,
    MINVFUNC = exact_remove_pair_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(bigint, bigint) IS
'the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8,
    MINVFUNC = exact_remove_pair_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_covar_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(bigint, bigint) IS
'the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8,
    MINVFUNC = exact_remove_pair_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_corr,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(bigint, bigint) IS
'the exact correlation coefficient, rounded once: never above 1';

CREATE AGGREGATE exact_regr_slope(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8,
    MINVFUNC = exact_remove_pair_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_slope,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(bigint, bigint) IS
'the slope of the line of least squares through all (x, y), exact, rounded once';

CREATE AGGREGATE exact_regr_intercept(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8,
    MINVFUNC = exact_remove_pair_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_intercept,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(bigint, bigint) IS
'where the line of least squares through all (x, y) meets the y axis, exact, rounded once';

CREATE AGGREGATE exact_regr_r2(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8,
    STYPE = exact_state,
    SSPACE = 448,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8,
    MINVFUNC = exact_remove_pair_int8,
    MSTYPE = exact_state,
    MSSPACE = 448,
    MFINALFUNC = exact_final_regr_r2,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(bigint, bigint) IS
'the square of the exact correlation coefficient, rounded once';

-- Else a numeric would be cast to double precision without a word.
CREATE AGGREGATE exact_covar_pop(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(numeric, numeric) IS
'an error that says what to write instead';

CREATE AGGREGATE exact_covar_samp(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(numeric, numeric) IS
'an error that says what to write instead';

CREATE AGGREGATE exact_corr(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(numeric, numeric) IS
'an error that says what to write instead';

CREATE AGGREGATE exact_regr_slope(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(numeric, numeric) IS
'an error that says what to write instead';

CREATE AGGREGATE exact_regr_intercept(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(numeric, numeric) IS
'an error that says what to write instead';

CREATE AGGREGATE exact_regr_r2(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric,
    STYPE = exact_state,
    FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(numeric, numeric) IS
'an error that says what to write instead';

CREATE FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_date(exact_state, double precision, date)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_date(exact_state, double precision, date) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_date(exact_state, double precision, date, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_date(exact_state, double precision, date, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_int8(exact_state, double precision, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_int8(exact_state, double precision, bigint) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_int8(exact_state, double precision, bigint, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_int8(exact_state, double precision, bigint, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_float8(exact_state, double precision, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_float8(exact_state, double precision, double precision) IS 'aggregate transition function';

CREATE FUNCTION time_average_add_float8(exact_state, double precision, double precision, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_float8(exact_state, double precision, double precision, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_date(internal, double precision, date)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_date(internal, double precision, date) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_date(internal, double precision, date, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_date(internal, double precision, date, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_int8(internal, double precision, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_int8(internal, double precision, bigint) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_int8(internal, double precision, bigint, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_int8(internal, double precision, bigint, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_float8(internal, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_float8(internal, double precision, double precision) IS 'aggregate transition function';

CREATE FUNCTION time_average_enter_float8(internal, double precision, double precision, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_float8(internal, double precision, double precision, text) IS 'aggregate transition function';

CREATE FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone, text) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone, text) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_date(internal, double precision, date)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_date(internal, double precision, date) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_date(internal, double precision, date, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_date(internal, double precision, date, text) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_int8(internal, double precision, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_int8(internal, double precision, bigint) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_int8(internal, double precision, bigint, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_int8(internal, double precision, bigint, text) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_float8(internal, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_float8(internal, double precision, double precision) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_leave_float8(internal, double precision, double precision, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_float8(internal, double precision, double precision, text) IS 'aggregate inverse transition function';

CREATE FUNCTION time_average_combine(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_combine(exact_state, exact_state) IS 'aggregate combine function';

CREATE FUNCTION time_average_final(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_average_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_final(exact_state) IS 'aggregate final function';

CREATE FUNCTION time_average_moving_final(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_average_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_moving_final(internal) IS 'aggregate final function';

-- The order of the rows matters: time_average(value, at ORDER BY at) in a group, the window's ORDER BY over frames.  Over
-- frames that move, the state has the frame's rows.
CREATE AGGREGATE time_average(value double precision, at timestamp with time zone)
(
    SFUNC = time_average_add_timestamptz,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamptz,
    MINVFUNC = time_average_leave_timestamptz,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp with time zone) IS
'the average over time of a value that goes in lines from row to row: write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at timestamp with time zone, method text)
(
    SFUNC = time_average_add_timestamptz,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamptz,
    MINVFUNC = time_average_leave_timestamptz,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp with time zone, text) IS
'the average over time; method linear: the value goes in lines from row to row; previous: it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at timestamp without time zone)
(
    SFUNC = time_average_add_timestamp,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamp,
    MINVFUNC = time_average_leave_timestamp,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp without time zone) IS
'the average over time of a value that goes in lines from row to row: write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at timestamp without time zone, method text)
(
    SFUNC = time_average_add_timestamp,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamp,
    MINVFUNC = time_average_leave_timestamp,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp without time zone, text) IS
'the average over time; method linear: the value goes in lines from row to row; previous: it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at date)
(
    SFUNC = time_average_add_date,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_date,
    MINVFUNC = time_average_leave_date,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, date) IS
'the average over time of a value that goes in lines from row to row: write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at date, method text)
(
    SFUNC = time_average_add_date,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_date,
    MINVFUNC = time_average_leave_date,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, date, text) IS
'the average over time; method linear: the value goes in lines from row to row; previous: it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at bigint)
(
    SFUNC = time_average_add_int8,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_int8,
    MINVFUNC = time_average_leave_int8,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, bigint) IS
'the average over time of a value that goes in lines from row to row: write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at bigint, method text)
(
    SFUNC = time_average_add_int8,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_int8,
    MINVFUNC = time_average_leave_int8,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, bigint, text) IS
'the average over time; method linear: the value goes in lines from row to row; previous: it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at double precision)
(
    SFUNC = time_average_add_float8,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_float8,
    MINVFUNC = time_average_leave_float8,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, double precision) IS
'the average over time of a value that goes in lines from row to row: write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at double precision, method text)
(
    SFUNC = time_average_add_float8,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_float8,
    MINVFUNC = time_average_leave_float8,
    MSTYPE = internal,
    MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, double precision, text) IS
'the average over time; method linear: the value goes in lines from row to row; previous: it holds until the next row';

-- -------------------------------------------------------- administration

CREATE FUNCTION scan_set_schema(schema name)
RETURNS void AS 'MODULE_PATHNAME', 'scan_set_schema_name' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION scan_set_schema(name) IS
'moves the extension to another schema, for its owner: ALTER EXTENSION scan SET SCHEMA is refused to an owner who is not a superuser';
