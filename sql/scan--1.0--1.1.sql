/*
 * scan--1.0--1.1.sql: ALTER EXTENSION scan UPDATE, from 1.0.
 *
 * New are the exact averages, variances and deviations, the aggregates moving_... over any
 * frame, and array_moving_...  exact_sum and scan_total stay the same objects, so that views of
 * them live on, but their state is of a type that can be sent, and an exact_sum takes values out
 * again, as frames that move need it.
 * scan_fold may be in a parallel plan, and scan_status has columns more, and a view scan_rates beside it.
 * test/t/upgrade.t proves that what comes of this is what a new database has.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION scan UPDATE TO '1.1'" to load this file. \quit

ALTER FUNCTION scan_fold(anyelement, regprocedure, boolean, boolean) PARALLEL RESTRICTED;

-- A function's columns stay as they are: it has to be another one.  The view is the same, and so
-- are views of it, since there is a moment in which it does without the function.
CREATE OR REPLACE VIEW scan_status AS
SELECT NULL::text AS state, NULL::text AS reason, NULL::text AS device, NULL::text AS driver, NULL::text AS library,
       NULL::bigint AS memory, NULL::integer AS slots, NULL::integer AS free_slots, NULL::bigint AS jobs,
       NULL::bigint AS "rows", NULL::bigint AS bytes, NULL::bigint AS fallbacks, NULL::bigint AS restarts;

DROP FUNCTION scan_status();

CREATE FUNCTION scan_status(OUT state text, OUT reason text, OUT device text, OUT driver text, OUT library text,
                            OUT memory bigint, OUT slots integer, OUT free_slots integer, OUT jobs bigint,
                            OUT "rows" bigint, OUT bytes bigint, OUT fallbacks bigint, OUT restarts bigint,
                            OUT quarantined text[], OUT runtime text, OUT pinned boolean)
RETURNS record AS 'MODULE_PATHNAME', 'scan_status' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_status() IS 'how the GPU is, and what it has done since the server was started';

CREATE OR REPLACE VIEW scan_status AS SELECT * FROM scan_status();

CREATE FUNCTION scan_rates(OUT line text, OUT batch_ns float8, OUT device_ns float8, OUT way_ns float8,
                           OUT cpu_ns float8, OUT break_even bigint, OUT rests_until timestamptz)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'scan_rates' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_rates() IS 'what kinds of jobs take on the GPU and on the CPU, and from how many rows on the GPU is asked';

CREATE VIEW scan_rates AS SELECT * FROM scan_rates();
COMMENT ON VIEW scan_rates IS 'what kinds of jobs take on the GPU and on the CPU, and from how many rows on the GPU is asked';
GRANT SELECT ON scan_rates TO PUBLIC;

CREATE TYPE total_state;

CREATE FUNCTION total_state_in(cstring)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_in(cstring) IS 'I/O';

CREATE FUNCTION total_state_out(total_state)
RETURNS cstring AS 'MODULE_PATHNAME', 'total_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_out(total_state) IS 'I/O';

CREATE FUNCTION total_state_recv(internal)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_recv(internal) IS 'I/O';

CREATE FUNCTION total_state_send(total_state)
RETURNS bytea AS 'MODULE_PATHNAME', 'total_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_send(total_state) IS 'I/O';

-- States have a text and are not internal: a cluster sends what shards have added up.
CREATE TYPE total_state
(
    INPUT = total_state_in,
    OUTPUT = total_state_out,
    RECEIVE = total_state_recv,
    SEND = total_state_send,
    INTERNALLENGTH = 304,
    ALIGNMENT = double
);
COMMENT ON TYPE total_state IS
'what scan_total has taken in so far';

CREATE FUNCTION total_add_float8(total_state, double precision)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_float8(total_state, double precision) IS 'aggregate transition function';

CREATE FUNCTION total_add_total(total_state, scan_total)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_total' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_total(total_state, scan_total) IS 'aggregate transition function';

CREATE FUNCTION total_combine(total_state, total_state)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_combine(total_state, total_state) IS 'aggregate combine function';

CREATE FUNCTION total_final(total_state)
RETURNS scan_total AS 'MODULE_PATHNAME', 'total_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_final(total_state) IS 'aggregate final function';

CREATE OR REPLACE AGGREGATE scan_total(double precision)
(
    SFUNC = total_add_float8,
    STYPE = total_state,
    FINALFUNC = total_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine,
    PARALLEL = SAFE
);

CREATE OR REPLACE AGGREGATE scan_total(scan_total)
(
    SFUNC = total_add_total,
    STYPE = total_state,
    FINALFUNC = total_final,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine,
    PARALLEL = SAFE
);

CREATE TYPE exact_state;

CREATE FUNCTION exact_state_in(cstring)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_in(cstring) IS 'I/O';

CREATE FUNCTION exact_state_out(exact_state)
RETURNS cstring AS 'MODULE_PATHNAME', 'exact_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_out(exact_state) IS 'I/O';

CREATE FUNCTION exact_state_recv(internal)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_recv(internal) IS 'I/O';

CREATE FUNCTION exact_state_send(exact_state)
RETURNS bytea AS 'MODULE_PATHNAME', 'exact_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_send(exact_state) IS 'I/O';

CREATE TYPE exact_state
(
    INPUT = exact_state_in,
    OUTPUT = exact_state_out,
    RECEIVE = exact_state_recv,
    SEND = exact_state_send,
    INTERNALLENGTH = variable,
    ALIGNMENT = double,
    STORAGE = plain
);
COMMENT ON TYPE exact_state IS
'what an exact aggregate has taken in so far';

CREATE FUNCTION exact_add_float8(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_float8(exact_state, double precision) IS 'aggregate transition function';

CREATE FUNCTION exact_add_float4(exact_state, real)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_float4(exact_state, real) IS 'aggregate transition function';

CREATE FUNCTION exact_add_square(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_square' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_square(exact_state, double precision) IS 'aggregate transition function';

CREATE FUNCTION exact_remove_float8(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_float8(exact_state, double precision) IS 'aggregate inverse transition function';

CREATE FUNCTION exact_remove_float4(exact_state, real)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_float4(exact_state, real) IS 'aggregate inverse transition function';

CREATE FUNCTION exact_remove_square(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_square' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_square(exact_state, double precision) IS 'aggregate inverse transition function';

CREATE FUNCTION exact_combine(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_combine(exact_state, exact_state) IS 'aggregate combine function';

CREATE FUNCTION exact_final_sum_float8(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_sum_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_sum_float8(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_sum_float4(exact_state)
RETURNS real AS 'MODULE_PATHNAME', 'exact_final_sum_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_sum_float4(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_avg(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_avg(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_var_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_var_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_var_pop(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_var_samp(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_var_samp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_var_samp(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_stddev_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_stddev_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_stddev_pop(exact_state) IS 'aggregate final function';

CREATE FUNCTION exact_final_stddev_samp(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_stddev_samp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_stddev_samp(exact_state) IS 'aggregate final function';

CREATE OR REPLACE AGGREGATE exact_sum(double precision)
(
    SFUNC = exact_add_float8,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = exact_final_sum_float8,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_float8,
    MINVFUNC = exact_remove_float8,
    MSTYPE = exact_state,
    MSSPACE = 192,
    MFINALFUNC = exact_final_sum_float8,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);

CREATE OR REPLACE AGGREGATE exact_sum(real)
(
    SFUNC = exact_add_float4,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = exact_final_sum_float4,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_float4,
    MINVFUNC = exact_remove_float4,
    MSTYPE = exact_state,
    MSSPACE = 192,
    MFINALFUNC = exact_final_sum_float4,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);

CREATE AGGREGATE exact_avg(double precision)
(
    SFUNC = exact_add_float8,
    STYPE = exact_state,
    SSPACE = 192,
    FINALFUNC = exact_final_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_float8,
    MINVFUNC = exact_remove_float8,
    MSTYPE = exact_state,
    MSSPACE = 192,
    MFINALFUNC = exact_final_avg,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(double precision) IS
'the exact sum over the number of values, rounded once';

CREATE AGGREGATE exact_var_pop(double precision)
(
    SFUNC = exact_add_square,
    STYPE = exact_state,
    SSPACE = 288,
    FINALFUNC = exact_final_var_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square,
    MINVFUNC = exact_remove_square,
    MSTYPE = exact_state,
    MSSPACE = 288,
    MFINALFUNC = exact_final_var_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(double precision) IS
'the exact population variance, rounded once';

CREATE AGGREGATE exact_var_samp(double precision)
(
    SFUNC = exact_add_square,
    STYPE = exact_state,
    SSPACE = 288,
    FINALFUNC = exact_final_var_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square,
    MINVFUNC = exact_remove_square,
    MSTYPE = exact_state,
    MSSPACE = 288,
    MFINALFUNC = exact_final_var_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(double precision) IS
'the exact sample variance, rounded once';

CREATE AGGREGATE exact_stddev_pop(double precision)
(
    SFUNC = exact_add_square,
    STYPE = exact_state,
    SSPACE = 288,
    FINALFUNC = exact_final_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square,
    MINVFUNC = exact_remove_square,
    MSTYPE = exact_state,
    MSSPACE = 288,
    MFINALFUNC = exact_final_stddev_pop,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(double precision) IS
'the square root of the exact population variance, rounded once';

CREATE AGGREGATE exact_stddev_samp(double precision)
(
    SFUNC = exact_add_square,
    STYPE = exact_state,
    SSPACE = 288,
    FINALFUNC = exact_final_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square,
    MINVFUNC = exact_remove_square,
    MSTYPE = exact_state,
    MSSPACE = 288,
    MFINALFUNC = exact_final_stddev_samp,
    MFINALFUNC_MODIFY = READ_ONLY,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(double precision) IS
'the square root of the exact sample variance, rounded once';

CREATE FUNCTION moving_accumulate(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_accumulate(internal, anyelement) IS 'aggregate transition function';

CREATE FUNCTION moving_percentile_accumulate(internal, anyelement, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_percentile_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_accumulate(internal, anyelement, double precision) IS 'aggregate transition function';

CREATE FUNCTION moving_group_accumulate(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_group_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_group_accumulate(internal, anyelement) IS 'aggregate transition function';

CREATE FUNCTION moving_remove(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_remove(internal, anyelement) IS 'aggregate inverse transition function';

CREATE FUNCTION moving_remove(internal, anyelement, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_remove(internal, anyelement, double precision) IS 'aggregate inverse transition function';

CREATE FUNCTION moving_group_remove(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_group_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_group_remove(internal, anyelement) IS 'aggregate inverse transition function';

CREATE FUNCTION moving_percentile_cont_final_float8(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'moving_percentile_cont_final_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_cont_final_float8(internal) IS 'aggregate final function';

CREATE FUNCTION moving_percentile_cont_final_interval(internal)
RETURNS interval AS 'MODULE_PATHNAME', 'moving_percentile_cont_final_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_cont_final_interval(internal) IS 'aggregate final function';

CREATE FUNCTION moving_percentile_disc_final(internal, anyelement, double precision)
RETURNS anyelement AS 'MODULE_PATHNAME', 'moving_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_disc_final(internal, anyelement, double precision) IS 'aggregate final function';

CREATE FUNCTION moving_mode_final(internal, anyelement)
RETURNS anyelement AS 'MODULE_PATHNAME', 'moving_mode_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_mode_final(internal, anyelement) IS 'aggregate final function';

CREATE FUNCTION moving_count_distinct_final(internal)
RETURNS bigint AS 'MODULE_PATHNAME', 'moving_count_distinct_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_count_distinct_final(internal) IS 'aggregate final function';

CREATE AGGREGATE moving_median(value double precision)
(
    SFUNC = moving_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_float8,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_float8,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(double precision) IS
'the median of the frame: percentile_cont(0.5)';

CREATE AGGREGATE moving_median(value interval)
(
    SFUNC = moving_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_interval,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_interval,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(interval) IS
'the median of the frame: percentile_cont(0.5)';

CREATE AGGREGATE moving_percentile_cont(value double precision, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_float8,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_float8,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(double precision, double precision) IS
'the percentile of the frame, between two values if need be';

CREATE AGGREGATE moving_percentile_cont(value interval, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_interval,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_interval,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(interval, double precision) IS
'the percentile of the frame, between two values if need be';

CREATE AGGREGATE moving_percentile_disc(value anyelement, fraction double precision)
(
    SFUNC = moving_percentile_accumulate,
    STYPE = internal,
    SSPACE = 1280,
    FINALFUNC = moving_percentile_disc_final,
    FINALFUNC_EXTRA,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate,
    MSTYPE = internal,
    MSSPACE = 1280,
    MFINALFUNC = moving_percentile_disc_final,
    MFINALFUNC_EXTRA,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_disc(anyelement, double precision) IS
'the first value of the frame that so large a part of it does not exceed';

CREATE AGGREGATE moving_mode(value anyelement)
(
    SFUNC = moving_group_accumulate,
    STYPE = internal,
    SSPACE = 2560,
    FINALFUNC = moving_mode_final,
    FINALFUNC_EXTRA,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_group_accumulate,
    MSTYPE = internal,
    MSSPACE = 2560,
    MFINALFUNC = moving_mode_final,
    MFINALFUNC_EXTRA,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_group_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_mode(anyelement) IS
'the most frequent value of the frame';

CREATE AGGREGATE moving_count_distinct(value anyelement)
(
    SFUNC = moving_group_accumulate,
    STYPE = internal,
    SSPACE = 2560,
    FINALFUNC = moving_count_distinct_final,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_group_accumulate,
    MSTYPE = internal,
    MSSPACE = 2560,
    MFINALFUNC = moving_count_distinct_final,
    MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_group_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_count_distinct(anyelement) IS
'how many different values the frame has';

CREATE FUNCTION array_moving_sum("values" smallint[], before integer, after integer DEFAULT 0)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_moving_sum_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(smallint[], integer, integer) IS
'sums over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_sum("values" integer[], before integer, after integer DEFAULT 0)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_moving_sum_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(integer[], integer, integer) IS
'sums over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_sum("values" bigint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_sum_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(bigint[], integer, integer) IS
'sums over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_sum("values" real[], before integer, after integer DEFAULT 0)
RETURNS real[] AS 'MODULE_PATHNAME', 'array_moving_sum_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(real[], integer, integer) IS
'sums over a window of elements: of so many before and after each, rounded once';

CREATE FUNCTION array_moving_sum("values" double precision[], before integer, after integer DEFAULT 0)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_moving_sum_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(double precision[], integer, integer) IS
'sums over a window of elements: of so many before and after each, rounded once';

CREATE FUNCTION array_moving_sum("values" numeric[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_sum_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(numeric[], integer, integer) IS
'sums over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_avg("values" smallint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(smallint[], integer, integer) IS
'averages over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_avg("values" integer[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(integer[], integer, integer) IS
'averages over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_avg("values" bigint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(bigint[], integer, integer) IS
'averages over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_avg("values" double precision[], before integer, after integer DEFAULT 0)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_moving_avg_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(double precision[], integer, integer) IS
'averages over a window of elements: of so many before and after each, rounded once';

CREATE FUNCTION array_moving_avg("values" numeric[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(numeric[], integer, integer) IS
'averages over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_min("values" anyarray, before integer, after integer DEFAULT 0)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_moving_min_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_min(anyarray, integer, integer) IS
'the least element of so many before and after each';

CREATE FUNCTION array_moving_max("values" anyarray, before integer, after integer DEFAULT 0)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_moving_max_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_max(anyarray, integer, integer) IS
'the greatest element of so many before and after each';

CREATE FUNCTION array_moving_median("values" double precision[], before integer, after integer DEFAULT 0)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_moving_median_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(double precision[], integer, integer) IS
'medians over a window of elements: of so many before and after each';

CREATE FUNCTION array_moving_median("values" interval[], before integer, after integer DEFAULT 0)
RETURNS interval[] AS 'MODULE_PATHNAME', 'array_moving_median_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(interval[], integer, integer) IS
'medians over a window of elements: of so many before and after each';

CREATE FUNCTION scan_explain(query text)
RETURNS TABLE (functions text, "over" text, runs_in text, device text, processes integer, reason text, hint text)
AS 'MODULE_PATHNAME', 'scan_explain_text' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION scan_explain(text) IS
'each window of a query: whether it would run in PrefixScan, where and in how many processes, and if not, why';

-- ------------------------------------------------------------- a cluster

-- The three steps of a scan over the hash shards of Citus: a total of each shard, where its rows are; the exclusive
-- scan of the totals, here; the running total of each shard's rows from what all shards before it add up to, where
-- they are.  Only totals travel.  In PL/pgSQL, for all of it is SQL that the shards run, by Citus's own functions,
-- each in a transaction of the shard's own: what some have written is taken back where another fails.
--
-- The search_path is pg_catalog's, so that no name here, and no operator, is resolved to one that somebody else has
-- made.  What a shard runs has the search_path of the role there, as `value` and `order_by` need: those commands
-- name a schema for all else, and have no operator.
CREATE FUNCTION scan_shards(source regclass, target regclass, value text, order_by text, parallel boolean DEFAULT true)
RETURNS TABLE (shard text, "rows" bigint, total scan_total, carry scan_total)
LANGUAGE plpgsql VOLATILE STRICT PARALLEL UNSAFE ROWS 32
SET search_path = pg_catalog, pg_temp
AS $scan_shards$
#variable_conflict use_column
DECLARE
  here text := (SELECT extnamespace::regnamespace FROM pg_catalog.pg_extension WHERE extname = 'scan');
  answer text;
  columns text;
  placed record;
  totals record;
  done record;
  unsound text;
BEGIN
  IF pg_catalog.to_regproc('pg_catalog.master_run_on_worker') IS NULL THEN
    RAISE EXCEPTION 'scan_shards is for tables that Citus has distributed' USING ERRCODE = 'feature_not_supported',
      HINT = 'On one machine a running total is scan_sum(value) OVER (ORDER BY ...).';
  END IF;
  -- the shards would wait for what this transaction has locked there, and not see what it has changed
  IF pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'scan_shards has to be called in a transaction that has changed nothing' USING ERRCODE = 'active_sql_transaction';
  END IF;
  EXECUTE 'SELECT count(*) FILTER (WHERE partmethod = ''h'' AND colocationid > 0) AS hashed, count(DISTINCT (colocationid, pg_catalog.column_to_column_name(logicalrelid, partkey))) AS groups FROM pg_catalog.pg_dist_partition WHERE logicalrelid IN ($1, $2)'
    INTO placed USING source, target;
  IF placed.hashed <> 2 OR placed.groups <> 1 THEN
    RAISE EXCEPTION 'tables "%" and "%" are not two tables whose shards are side by side', source, target
      USING ERRCODE = 'invalid_parameter_value',
        HINT = pg_catalog.format('SELECT create_distributed_table(%L, <the column that %s is distributed by>, colocate_with => %L) on an empty table.', target, source, source);
  END IF;

  -- what the two have in common is copied; the column that is left takes the running total
  SELECT string_agg(quote_ident(t.attname), ', ' ORDER BY t.attnum) FILTER (WHERE s.attname IS NOT NULL),
         CASE WHEN count(*) FILTER (WHERE s.attname IS NULL) = 1 THEN min(quote_ident(t.attname)) FILTER (WHERE s.attname IS NULL) END
    INTO columns, answer
    FROM pg_catalog.pg_attribute AS t LEFT JOIN pg_catalog.pg_attribute AS s
         ON s.attrelid = source AND s.attname = t.attname AND s.attnum > 0 AND NOT s.attisdropped
    WHERE t.attrelid = target AND t.attnum > 0 AND NOT t.attisdropped AND t.attgenerated = '';
  IF columns IS NULL OR answer IS NULL THEN
    RAISE EXCEPTION 'table "%" must have columns of table "%", and one more for the running total', target, source
      USING ERRCODE = 'invalid_table_definition';
  END IF;

  -- the rows stay as they are between the two reads, and nobody else writes what is to be written
  EXECUTE pg_catalog.format('LOCK TABLE %s IN SHARE MODE', source);
  EXECUTE pg_catalog.format('LOCK TABLE %s IN EXCLUSIVE MODE', target);
  EXECUTE pg_catalog.format('SELECT 1 FROM %s LIMIT 1', target) INTO unsound;
  IF unsound IS NOT NULL THEN
    RAISE EXCEPTION 'table "%" is not empty', target USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = pg_catalog.format('TRUNCATE %s, in a transaction of its own.', target);
  END IF;

  -- up: a total of each shard
  EXECUTE $up$
    WITH shards AS (
      SELECT row_number() OVER (ORDER BY s.shardminvalue::bigint) AS place, pg_catalog.shard_name($1, s.shardid) AS shard, p.nodename, p.nodeport::int
      FROM pg_catalog.pg_dist_shard AS s CROSS JOIN LATERAL (
        SELECT nodename, nodeport FROM pg_catalog.pg_dist_shard_placement AS p WHERE p.shardid = s.shardid AND shardstate = 1 ORDER BY nodename, nodeport LIMIT 1) AS p
      WHERE s.logicalrelid = $1
      ORDER BY place
    ), commands AS (
      SELECT array_agg(shard ORDER BY place) AS shards, array_agg(nodename ORDER BY place) AS names, array_agg(nodeport ORDER BY place) AS ports,
             array_agg(pg_catalog.format('SELECT pg_catalog.concat(pg_catalog.count(*), %L, %s.scan_total((%s)::pg_catalog.float8)) FROM %s', ' ', $2, $3, shard) ORDER BY place) AS commands
      FROM shards
    )
    SELECT shards, array_agg(r.success ORDER BY r.ordinality) AS success, array_agg(r.result ORDER BY r.ordinality) AS result
    FROM commands, LATERAL pg_catalog.master_run_on_worker(names, ports, commands, $4) WITH ORDINALITY AS r GROUP BY shards $up$
    INTO totals USING source, here, value, parallel;
  SELECT pg_catalog.format('%s: %s', totals.shards[i], totals.result[i]) INTO unsound
    FROM generate_subscripts(totals.shards, 1) AS i WHERE NOT totals.success[i] ORDER BY i LIMIT 1;
  IF unsound IS NOT NULL THEN
    RAISE EXCEPTION 'no total of shard %', unsound USING ERRCODE = 'external_routine_exception';
  END IF;

  -- across and down: every shard begins with the total of those before it, or NULL, with nothing
  EXECUTE pg_catalog.format($down$
    WITH carries AS (
      SELECT i AS place, shard, split_part(r, ' ', 1)::bigint AS n, nullif(split_part(r, ' ', 2), '')::%1$s.scan_total AS total,
             %1$s.scan_total(nullif(split_part(r, ' ', 2), '')::%1$s.scan_total) OVER (ORDER BY i ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS carry
      FROM unnest($1, $2) WITH ORDINALITY AS t (shard, r, i)
    ), placements AS (
      SELECT c.*, p.nodename, p.nodeport::int, pg_catalog.shard_name($4, t.shardid) AS target
      FROM carries AS c JOIN (SELECT *, row_number() OVER (ORDER BY shardminvalue::bigint) AS place FROM pg_catalog.pg_dist_shard WHERE logicalrelid = $4) AS t USING (place)
           JOIN pg_catalog.pg_dist_shard_placement AS p ON p.shardid = t.shardid AND p.shardstate = 1
    ), commands AS (
      SELECT array_agg(nodename ORDER BY place, nodename, nodeport) AS names, array_agg(nodeport ORDER BY place, nodename, nodeport) AS ports, array_agg(shard ORDER BY place, nodename, nodeport) AS shards, array_agg(target ORDER BY place, nodename, nodeport) AS targets,
             array_agg(n ORDER BY place, nodename, nodeport) AS n, array_agg(total::text ORDER BY place, nodename, nodeport) AS totals, array_agg(carry::text ORDER BY place, nodename, nodeport) AS carries,
             array_agg(pg_catalog.format('INSERT INTO %%s (%%s, %%s) SELECT %%s, %%s.scan_sum((%%s)::pg_catalog.float8, %%L::%%s.scan_total, false, false) OVER (ORDER BY %%s) FROM %%s',
                                         target, $5, $6, $5, $7, $8, carry, $7, $9, shard) ORDER BY place, nodename, nodeport) AS commands
      FROM placements
    )
    SELECT names, ports, shards, targets, n, totals, carries, array_agg(r.success ORDER BY r.ordinality) AS success, array_agg(r.result ORDER BY r.ordinality) AS result
    FROM commands, LATERAL pg_catalog.master_run_on_worker(names, ports, commands, $3) WITH ORDINALITY AS r GROUP BY names, ports, shards, targets, n, totals, carries $down$, here)
    INTO done USING totals.shards, totals.result, parallel, target, columns, answer, here, value, order_by;
  SELECT pg_catalog.format('%s: %s', done.shards[i], done.result[i]) INTO unsound
    FROM generate_subscripts(done.shards, 1) AS i WHERE NOT done.success[i] OR done.result[i] <> 'INSERT 0 ' || done.n[i] ORDER BY done.success[i], i LIMIT 1;
  IF unsound IS NOT NULL THEN
    EXECUTE 'SELECT count(*) FROM pg_catalog.master_run_on_worker($1, $2, $3, $4)'
      USING done.names, done.ports, (SELECT array_agg('DELETE FROM ' || x ORDER BY i) FROM unnest(done.targets) WITH ORDINALITY AS t (x, i)), parallel;
    RAISE EXCEPTION 'no running total of shard %', unsound USING ERRCODE = 'external_routine_exception',
      DETAIL = pg_catalog.format('Table "%s" has been emptied on every node that can be reached.', target);
  END IF;
  -- a shard once, though it may lie on several nodes
  RETURN QUERY EXECUTE pg_catalog.format('SELECT s, n, t::%1$s.scan_total, c::%1$s.scan_total FROM (SELECT s, n, t, c, min(i) FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS u (s, n, t, c, i) GROUP BY s, n, t, c) AS d (s, n, t, c, i) ORDER BY i', here)
    USING done.shards, done.n, done.totals, done.carries;
END $scan_shards$;
COMMENT ON FUNCTION scan_shards(regclass, regclass, text, text, boolean) IS
'one running total over a table that Citus has distributed, written into a table beside it: a total of each shard is all that travels';

-- what exact_sum went by
DROP FUNCTION scan_total_accumulate_float8(internal, double precision);
DROP FUNCTION scan_total_accumulate_float4(internal, real);
DROP FUNCTION scan_total_accumulate_total(internal, scan_total);
DROP FUNCTION scan_total_combine(internal, internal);
DROP FUNCTION scan_total_serialize(internal);
DROP FUNCTION scan_total_deserialize(bytea, internal);
DROP FUNCTION scan_total_final_total(internal);
DROP FUNCTION scan_total_final_float8(internal);
DROP FUNCTION scan_total_final_float4(internal);
