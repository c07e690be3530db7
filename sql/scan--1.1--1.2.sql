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
