/*
 * scan--1.2--1.3.sql: ALTER EXTENSION scan UPDATE, from 1.2; and the second script of CREATE EXTENSION scan, which
 * runs scan--1.2.sql first.
 *
 * So each object of 1.3 is written once, here; functions that are lines of src/op/list.h have the order of that list,
 * which test/t/catalog.t proves.  No object of 1.2 is dropped, so that views of it live on.
 */

-- complain if script is sourced in psql, rather than via ALTER EXTENSION
\echo Use "ALTER EXTENSION scan UPDATE TO '1.3'" to load this file. \quit

-- --------------------------------------------------------- types of arguments

-- PostgreSQL chooses among the forms of a function by the types of the arguments.  These types decide it without making
-- a call ambiguous that a literal without a type is in; src/functions/window/argument_types.c says how.

CREATE TYPE scan_days;

CREATE FUNCTION scan_days_in(cstring)
RETURNS scan_days AS 'MODULE_PATHNAME', 'scan_days_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_days_in(cstring) IS 'internal: input function of type scan_days';

CREATE FUNCTION scan_days_out(scan_days)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_days_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_days_out(scan_days) IS 'internal: output function of type scan_days';

CREATE TYPE scan_days
(
    INPUT = scan_days_in,
    OUTPUT = scan_days_out,
    LIKE = integer,
    CATEGORY = 'T'
);
COMMENT ON TYPE scan_days IS 'internal: a number of days between two dates; an integer is cast to it';

CREATE FUNCTION scan_days_of_int2(smallint)
RETURNS scan_days AS 'MODULE_PATHNAME', 'scan_days_of_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_days_of_int2(smallint) IS 'internal: implementation of the cast from smallint to scan_days';

CREATE CAST (smallint AS scan_days) WITH FUNCTION scan_days_of_int2(smallint) AS IMPLICIT;
COMMENT ON CAST (smallint AS scan_days) IS 'that number of days';
CREATE CAST (integer AS scan_days) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (integer AS scan_days) IS 'that number of days';

CREATE TYPE scan_rows;

CREATE FUNCTION scan_rows_in(cstring)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_in(cstring) IS 'internal: input function of type scan_rows';

CREATE FUNCTION scan_rows_out(scan_rows)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_rows_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_out(scan_rows) IS 'internal: output function of type scan_rows';

CREATE TYPE scan_rows
(
    INPUT = scan_rows_in,
    OUTPUT = scan_rows_out,
    LIKE = bigint,
    CATEGORY = 'S'
);
COMMENT ON TYPE scan_rows IS 'internal: the argument max_gap, if it is a literal without a type';

CREATE FUNCTION scan_rows_refused(date)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_refused(date) IS
'internal: raises an error with a hint, as the implementation of the cast from date to scan_rows';

CREATE FUNCTION scan_rows_refused(timestamp without time zone)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_refused(timestamp without time zone) IS
'internal: raises an error with a hint, as the implementation of the cast from timestamp without time zone to scan_rows';

CREATE FUNCTION scan_rows_refused(timestamp with time zone)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_refused(timestamp with time zone) IS
'internal: raises an error with a hint, as the implementation of the cast from timestamp with time zone to scan_rows';

CREATE FUNCTION scan_rows_refused(real)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_refused(real) IS
'internal: raises an error with a hint, as the implementation of the cast from real to scan_rows';

CREATE FUNCTION scan_rows_refused(double precision)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_refused(double precision) IS
'internal: raises an error with a hint, as the implementation of the cast from double precision to scan_rows';

CREATE FUNCTION scan_rows_refused(numeric)
RETURNS scan_rows AS 'MODULE_PATHNAME', 'scan_rows_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_rows_refused(numeric) IS
'internal: raises an error with a hint, as the implementation of the cast from numeric to scan_rows';

CREATE CAST (date AS scan_rows) WITH FUNCTION scan_rows_refused(date) AS IMPLICIT;
COMMENT ON CAST (date AS scan_rows) IS 'raises an error: max_gap is a number of rows';
CREATE CAST (timestamp without time zone AS scan_rows) WITH FUNCTION scan_rows_refused(timestamp without time zone) AS IMPLICIT;
COMMENT ON CAST (timestamp without time zone AS scan_rows) IS 'raises an error: max_gap is a number of rows';
CREATE CAST (timestamp with time zone AS scan_rows) WITH FUNCTION scan_rows_refused(timestamp with time zone) AS IMPLICIT;
COMMENT ON CAST (timestamp with time zone AS scan_rows) IS 'raises an error: max_gap is a number of rows';
CREATE CAST (real AS scan_rows) WITH FUNCTION scan_rows_refused(real) AS IMPLICIT;
COMMENT ON CAST (real AS scan_rows) IS 'raises an error: max_gap is a number of rows';
CREATE CAST (double precision AS scan_rows) WITH FUNCTION scan_rows_refused(double precision) AS IMPLICIT;
COMMENT ON CAST (double precision AS scan_rows) IS 'raises an error: max_gap is a number of rows';
CREATE CAST (numeric AS scan_rows) WITH FUNCTION scan_rows_refused(numeric) AS IMPLICIT;
COMMENT ON CAST (numeric AS scan_rows) IS 'raises an error: max_gap is a number of rows';

CREATE TYPE scan_flag;

CREATE FUNCTION scan_flag_in(cstring)
RETURNS scan_flag AS 'MODULE_PATHNAME', 'scan_flag_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_flag_in(cstring) IS 'internal: input function of type scan_flag';

CREATE FUNCTION scan_flag_out(scan_flag)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_flag_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_flag_out(scan_flag) IS 'internal: output function of type scan_flag';

CREATE TYPE scan_flag
(
    INPUT = scan_flag_in,
    OUTPUT = scan_flag_out,
    LIKE = boolean,
    CATEGORY = 'S'
);
COMMENT ON TYPE scan_flag IS
'internal: the argument reset of scan_nocb and scan_counter, if it is a literal without a type';

CREATE TYPE scan_adjust;

CREATE FUNCTION scan_adjust_in(cstring)
RETURNS scan_adjust AS 'MODULE_PATHNAME', 'scan_adjust_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_adjust_in(cstring) IS 'internal: input function of type scan_adjust';

CREATE FUNCTION scan_adjust_out(scan_adjust)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_adjust_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_adjust_out(scan_adjust) IS 'internal: output function of type scan_adjust';

CREATE TYPE scan_adjust
(
    INPUT = scan_adjust_in,
    OUTPUT = scan_adjust_out,
    LIKE = boolean,
    CATEGORY = 'B'
);
COMMENT ON TYPE scan_adjust IS 'internal: the argument adjust of scan_ema by time; a boolean is cast to it';

CREATE CAST (boolean AS scan_adjust) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (boolean AS scan_adjust) IS 'that boolean';

CREATE TYPE scan_amount;

CREATE FUNCTION scan_amount_in(cstring)
RETURNS scan_amount AS 'MODULE_PATHNAME', 'scan_amount_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_amount_in(cstring) IS 'internal: input function of type scan_amount';

CREATE FUNCTION scan_amount_out(scan_amount)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_amount_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_amount_out(scan_amount) IS 'internal: output function of type scan_amount';

CREATE TYPE scan_amount
(
    INPUT = scan_amount_in,
    OUTPUT = scan_amount_out,
    LIKE = numeric,
    CATEGORY = 'S'
);
COMMENT ON TYPE scan_amount IS
'internal: an argument of scan_cost, or max_gap of array_scan_interpolate, if it is a literal without a type';

CREATE FUNCTION scan_amount_refused(real)
RETURNS scan_amount AS 'MODULE_PATHNAME', 'scan_amount_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_amount_refused(real) IS
'internal: raises an error with a hint, as the implementation of the cast from real to scan_amount';

CREATE FUNCTION scan_amount_refused(double precision)
RETURNS scan_amount AS 'MODULE_PATHNAME', 'scan_amount_refused' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_amount_refused(double precision) IS
'internal: raises an error with a hint, as the implementation of the cast from double precision to scan_amount';

CREATE CAST (real AS scan_amount) WITH FUNCTION scan_amount_refused(real) AS IMPLICIT;
COMMENT ON CAST (real AS scan_amount) IS 'raises an error: scan_cost takes numeric';
CREATE CAST (double precision AS scan_amount) WITH FUNCTION scan_amount_refused(double precision) AS IMPLICIT;
COMMENT ON CAST (double precision AS scan_amount) IS 'raises an error: scan_cost takes numeric';

CREATE TYPE scan_axis;

CREATE FUNCTION scan_axis_in(cstring)
RETURNS scan_axis AS 'MODULE_PATHNAME', 'scan_axis_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_axis_in(cstring) IS 'internal: input function of type scan_axis';

CREATE FUNCTION scan_axis_out(scan_axis)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_axis_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_axis_out(scan_axis) IS 'internal: output function of type scan_axis';

CREATE TYPE scan_axis
(
    INPUT = scan_axis_in,
    OUTPUT = scan_axis_out,
    LIKE = double precision[],
    CATEGORY = 'S'
);
COMMENT ON TYPE scan_axis IS 'internal: the argument at of array_scan_interpolate, if it is a literal without a type';

-- --------------------------------------------------------------------- totals

CREATE FUNCTION scan_sum(value numeric, init numeric, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_sum_number' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(numeric, numeric, boolean, boolean) IS
'raises an error with a hint: init must be a scan_total';

CREATE FUNCTION scan_counter(value smallint, reset scan_flag)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_flag_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(smallint, scan_flag) IS
'returns how much a counter has gained so far, where the counter may restart at 0; reset is a literal without a type';

CREATE FUNCTION scan_counter(value integer, reset scan_flag)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_flag_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(integer, scan_flag) IS
'returns how much a counter has gained so far, where the counter may restart at 0; reset is a literal without a type';

CREATE FUNCTION scan_counter(value bigint, reset scan_flag)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_flag_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(bigint, scan_flag) IS
'returns how much a counter has gained so far, where the counter may restart at 0; reset is a literal without a type';

CREATE FUNCTION scan_counter(value double precision, reset scan_flag)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_counter_flag_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(double precision, scan_flag) IS
'returns how much a counter has gained so far, where the counter may restart at 0; reset is a literal without a type';

CREATE FUNCTION scan_counter(value numeric, reset scan_flag)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_counter_flag_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(numeric, scan_flag) IS
'returns how much a counter has gained so far, where the counter may restart at 0; reset is a literal without a type';

CREATE FUNCTION scan_counter(value smallint, wraps_at bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_wraps_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(smallint, bigint, boolean) IS
'returns how much a counter has gained so far that is 0 again when it reaches wraps_at';

CREATE FUNCTION scan_counter(value integer, wraps_at bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_wraps_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(integer, bigint, boolean) IS
'returns how much a counter has gained so far that is 0 again when it reaches wraps_at';

CREATE FUNCTION scan_counter(value bigint, wraps_at bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_wraps_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(bigint, bigint, boolean) IS
'returns how much a counter has gained so far that is 0 again when it reaches wraps_at';

CREATE FUNCTION scan_counter(value double precision, wraps_at double precision, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_counter_wraps_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(double precision, double precision, boolean) IS
'returns how much a counter has gained so far that is 0 again when it reaches wraps_at';

CREATE FUNCTION scan_counter(value numeric, wraps_at numeric, reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_counter_wraps_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(numeric, numeric, boolean) IS
'returns how much a counter has gained so far that is 0 again when it reaches wraps_at';

-- ----------------------------------------------------------------------- fill

CREATE FUNCTION scan_locf(value anyelement, max_gap scan_rows, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_literal' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, scan_rows, boolean) IS
'returns the last non-NULL value so far, carried forward over at most max_gap rows, a literal without a type';

CREATE FUNCTION scan_locf(value anyelement, at date, max_age scan_days, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_days' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, date, scan_days, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age days';

CREATE FUNCTION scan_nocb(value anyelement, max_gap scan_rows, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_literal' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, scan_rows, boolean) IS
'returns the next non-NULL value, from the row itself on, carried backward over at most max_gap rows, a literal without a type';

CREATE FUNCTION scan_nocb(value anyelement, max_gap scan_rows, reset scan_flag)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_literals' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, scan_rows, scan_flag) IS
'returns the next non-NULL value, from the row itself on, carried backward over at most max_gap rows; max_gap and reset are literals without a type';

CREATE FUNCTION scan_nocb(value anyelement, max_gap smallint, reset scan_flag)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_flag_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, smallint, scan_flag) IS
'returns the next non-NULL value, from the row itself on, carried backward over at most max_gap rows; reset is a literal without a type';

CREATE FUNCTION scan_nocb(value anyelement, max_gap integer, reset scan_flag)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_flag_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, integer, scan_flag) IS
'returns the next non-NULL value, from the row itself on, carried backward over at most max_gap rows; reset is a literal without a type';

CREATE FUNCTION scan_nocb(value anyelement, max_gap bigint, reset scan_flag)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_flag_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, bigint, scan_flag) IS
'returns the next non-NULL value, from the row itself on, carried backward over at most max_gap rows; reset is a literal without a type';

CREATE FUNCTION scan_nocb(value anyelement, at bigint, max_age bigint, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, bigint, bigint, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age';

CREATE FUNCTION scan_nocb(value anyelement, at double precision, max_age double precision, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, double precision, double precision, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age';

CREATE FUNCTION scan_nocb(value anyelement, at numeric, max_age numeric, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, numeric, numeric, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age';

CREATE FUNCTION scan_nocb(value anyelement, at date, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, date, interval, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age by the calendar';

CREATE FUNCTION scan_nocb(value anyelement, at date, max_age scan_days, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_days' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, date, scan_days, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age days';

CREATE FUNCTION scan_nocb(value anyelement, at timestamp without time zone, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, timestamp without time zone, interval, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age by the calendar';

CREATE FUNCTION scan_nocb(value anyelement, at timestamp with time zone, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_timestamptz' LANGUAGE C WINDOW STABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, timestamp with time zone, interval, boolean) IS
'returns the next non-NULL value, from the row itself on, or NULL if that value comes after at + max_age by the calendar';

CREATE FUNCTION scan_interpolate(value double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_without_at' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision) IS 'raises an error with a hint: at is missing';
CREATE FUNCTION scan_lag(value anyelement, "offset" bigint DEFAULT 1, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_lag_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_lag(anyelement, bigint, boolean) IS
'returns the offset-th non-NULL value before the row, counted backward, as lag with IGNORE NULLS';

CREATE FUNCTION scan_lead(value anyelement, "offset" bigint DEFAULT 1, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_lead_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_lead(anyelement, bigint, boolean) IS
'returns the offset-th non-NULL value after the row, as lead with IGNORE NULLS';

CREATE FUNCTION scan_interpolate(value double precision, at date, max_gap scan_days, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_days' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, date, scan_days, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap days apart; rounded once';

-- -------------------------------------------------- sessions, patterns, costs

CREATE FUNCTION scan_session(at date, gap scan_days, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_days' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(date, scan_days, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at is after the previous at + gap days';

CREATE FUNCTION scan_match(pattern text, VARIADIC conditions "any")
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_match_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_match(text, VARIADIC "any") IS
    'number of the match that has the row, from 1, of a regular expression over rows whose letters name the conditions';

CREATE FUNCTION scan_match_variable(pattern text, VARIADIC conditions "any")
RETURNS text AS 'MODULE_PATHNAME', 'scan_match_variable_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_match_variable(text, VARIADIC "any") IS
    'letter of the pattern with which scan_match matched the row';

CREATE FUNCTION scan_cost(quantity scan_amount, price scan_amount, method text DEFAULT 'fifo', reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_cost_amounts' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_cost(scan_amount, scan_amount, text, boolean) IS
'returns what scan_cost returns for numeric; an argument of type scan_amount is a literal without a type';

CREATE FUNCTION scan_cost(quantity scan_amount, price numeric, method text DEFAULT 'fifo', reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_cost_quantity' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_cost(scan_amount, numeric, text, boolean) IS
'returns what scan_cost returns for numeric; an argument of type scan_amount is a literal without a type';

CREATE FUNCTION scan_cost(quantity numeric, price scan_amount, method text DEFAULT 'fifo', reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_cost_price' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_cost(numeric, scan_amount, text, boolean) IS
'returns what scan_cost returns for numeric; an argument of type scan_amount is a literal without a type';

-- ----------------------------------------------------------- averages by time

CREATE FUNCTION scan_ema(value double precision, unused money DEFAULT NULL, span double precision DEFAULT NULL, adjust boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_without_alpha' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, money, double precision, boolean, boolean) IS
'raises an error with a hint: alpha is missing';

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

CREATE FUNCTION scan_ema(value double precision, at bigint, half_life double precision, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_by_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, bigint, double precision, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life';

CREATE FUNCTION scan_ema(value double precision, at double precision, half_life double precision, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_by_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, double precision, double precision, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life';

CREATE FUNCTION scan_ema(value double precision, at numeric, half_life double precision, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_by_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, numeric, double precision, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life';

CREATE FUNCTION scan_ema(value double precision, at timestamp with time zone, half_life interval,
                         adjust scan_adjust, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_adjusted_timestamptz' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, timestamp with time zone, interval, scan_adjust, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life; with adjust, divided by the sum of the weights';

CREATE FUNCTION scan_ema(value double precision, at date, half_life interval,
                         adjust scan_adjust, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_adjusted_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, date, interval, scan_adjust, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life; with adjust, divided by the sum of the weights';

CREATE FUNCTION scan_ema(value double precision, at timestamp without time zone, half_life interval,
                         adjust scan_adjust, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_adjusted_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, timestamp without time zone, interval, scan_adjust, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life; with adjust, divided by the sum of the weights';

CREATE FUNCTION scan_ema(value double precision, at bigint, half_life double precision,
                         adjust scan_adjust, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_adjusted_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, bigint, double precision, scan_adjust, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life; with adjust, divided by the sum of the weights';

CREATE FUNCTION scan_ema(value double precision, at double precision, half_life double precision,
                         adjust scan_adjust, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_adjusted_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, double precision, double precision, scan_adjust, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life; with adjust, divided by the sum of the weights';

CREATE FUNCTION scan_ema(value double precision, at numeric, half_life double precision,
                         adjust scan_adjust, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_adjusted_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, numeric, double precision, scan_adjust, boolean) IS
'returns an exponential moving average that halves the weight of older values after each half_life; with adjust, divided by the sum of the weights';
CREATE FUNCTION scan_ema_var(value double precision, alpha double precision, adjust boolean DEFAULT false, bias boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_var_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema_var(double precision, double precision, boolean, boolean, boolean) IS
'returns the exponentially weighted variance, as ewm(alpha, adjust, ignore_na=True).var(bias) of pandas';

CREATE FUNCTION scan_ema_stddev(value double precision, alpha double precision, adjust boolean DEFAULT false, bias boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_stddev_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema_stddev(double precision, double precision, boolean, boolean, boolean) IS
'returns the exponentially weighted standard deviation, as ewm(alpha, adjust, ignore_na=True).std(bias) of pandas';

CREATE FUNCTION scan_ema_covar(y double precision, x double precision, alpha double precision, adjust boolean DEFAULT false, bias boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_covar_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema_covar(double precision, double precision, double precision, boolean, boolean, boolean) IS
'returns the exponentially weighted covariance, as ewm(alpha, adjust, ignore_na=True).cov(bias=bias) of pandas';

CREATE FUNCTION scan_ema_corr(y double precision, x double precision, alpha double precision, adjust boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_corr_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema_corr(double precision, double precision, double precision, boolean, boolean) IS
'returns the exponentially weighted correlation, as ewm(alpha, adjust, ignore_na=True).corr() of pandas';

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
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_covar_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(double precision, bigint) IS
'returns the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_covar_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(double precision, bigint) IS
'returns the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_corr, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(double precision, bigint) IS
'returns the exact correlation coefficient, rounded once and never above 1';

CREATE AGGREGATE exact_regr_slope(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_regr_slope, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(double precision, bigint) IS
'returns the exact slope of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_intercept(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448,
    FINALFUNC = exact_final_regr_intercept, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_regr_intercept, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(double precision, bigint) IS
'returns the exact y-intercept of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_r2(y double precision, x bigint)
(
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_regr_r2, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(double precision, bigint) IS
'returns the square of the exact correlation coefficient, rounded once';

CREATE AGGREGATE exact_covar_pop(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_covar_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(bigint, double precision) IS
'returns the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_covar_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(bigint, double precision) IS
'returns the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_corr, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(bigint, double precision) IS
'returns the exact correlation coefficient, rounded once and never above 1';

CREATE AGGREGATE exact_regr_slope(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_regr_slope, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(bigint, double precision) IS
'returns the exact slope of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_intercept(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448,
    FINALFUNC = exact_final_regr_intercept, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_regr_intercept, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(bigint, double precision) IS
'returns the exact y-intercept of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_r2(y bigint, x double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state,
    MSSPACE = 448, MFINALFUNC = exact_final_regr_r2, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(bigint, double precision) IS
'returns the square of the exact correlation coefficient, rounded once';

CREATE AGGREGATE exact_covar_pop(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y double precision, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_pop(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y numeric, x double precision)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_pop(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(bigint, numeric) IS 'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y bigint, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_pop(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(numeric, bigint) IS 'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y numeric, x bigint)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

-- ----------------------------------------------------------- weighted averages

CREATE FUNCTION exact_add_position(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_position' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_position(exact_state, double precision) IS
'internal: transition function of exact_weighted_avg of one argument';

CREATE FUNCTION exact_remove_position(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_position' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_position(exact_state, double precision) IS
'internal: inverse transition function of exact_weighted_avg of one argument';

CREATE FUNCTION exact_add_position_int8(exact_state, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_position_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_position_int8(exact_state, bigint) IS
'internal: transition function of exact_weighted_avg of one argument';

CREATE FUNCTION exact_remove_position_int8(exact_state, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_position_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_position_int8(exact_state, bigint) IS
'internal: inverse transition function of exact_weighted_avg of one argument';

CREATE FUNCTION exact_add_weighted_numeric(exact_state, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_weighted_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_weighted_numeric(exact_state, numeric) IS
'internal: transition function of exact_weighted_avg of numeric, which raises an error';

CREATE FUNCTION exact_add_weighted_numeric(exact_state, numeric, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_weighted_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_weighted_numeric(exact_state, numeric, numeric) IS
'internal: transition function of exact_weighted_avg of numeric, which raises an error';

CREATE FUNCTION exact_add_weighted_numeric(exact_state, double precision, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_weighted_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_weighted_numeric(exact_state, double precision, numeric) IS
'internal: transition function of exact_weighted_avg of numeric, which raises an error';

CREATE FUNCTION exact_add_weighted_numeric(exact_state, numeric, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_weighted_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_weighted_numeric(exact_state, numeric, double precision) IS
'internal: transition function of exact_weighted_avg of numeric, which raises an error';

CREATE FUNCTION exact_add_weighted_numeric(exact_state, bigint, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_weighted_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_weighted_numeric(exact_state, bigint, numeric) IS
'internal: transition function of exact_weighted_avg of numeric, which raises an error';

CREATE FUNCTION exact_add_weighted_numeric(exact_state, numeric, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_weighted_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_weighted_numeric(exact_state, numeric, bigint) IS
'internal: transition function of exact_weighted_avg of numeric, which raises an error';

CREATE FUNCTION exact_final_position_avg(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_position_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_position_avg(exact_state) IS
'internal: final function of exact_weighted_avg(value)';

CREATE FUNCTION exact_final_weighted_avg(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_weighted_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_weighted_avg(exact_state) IS
'internal: final function of exact_weighted_avg';

CREATE AGGREGATE exact_weighted_avg(value double precision)
(
    SFUNC = exact_add_position, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_position_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = exact_add_position, MINVFUNC = exact_remove_position, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_position_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(double precision) IS
'returns the average weighted by position, 1 for the oldest value, rounded once';

CREATE AGGREGATE exact_weighted_avg(value bigint)
(
    SFUNC = exact_add_position_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_position_avg,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = exact_add_position_int8, MINVFUNC = exact_remove_position_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_position_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(bigint) IS
'returns the average weighted by position, 1 for the oldest value, rounded once';

CREATE AGGREGATE exact_weighted_avg(value double precision, weight double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_weighted_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(double precision, double precision) IS
'returns the sum of weight times value, divided by the sum of the weights, rounded once';

CREATE AGGREGATE exact_weighted_avg(value bigint, weight bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_weighted_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(bigint, bigint) IS
'returns the sum of weight times value, divided by the sum of the weights, rounded once';

CREATE AGGREGATE exact_weighted_avg(value double precision, weight bigint)
(
    SFUNC = exact_add_pair_float8_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_float8_int8, MINVFUNC = exact_remove_pair_float8_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_weighted_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(double precision, bigint) IS
'returns the sum of weight times value, divided by the sum of the weights, rounded once';

CREATE AGGREGATE exact_weighted_avg(value bigint, weight double precision)
(
    SFUNC = exact_add_pair_int8_float8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8_float8, MINVFUNC = exact_remove_pair_int8_float8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_weighted_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(bigint, double precision) IS
'returns the sum of weight times value, divided by the sum of the weights, rounded once';

CREATE AGGREGATE exact_weighted_avg(value numeric)
(
    SFUNC = exact_add_weighted_numeric, STYPE = exact_state, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_weighted_avg(value numeric, weight numeric)
(
    SFUNC = exact_add_weighted_numeric, STYPE = exact_state, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(numeric, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_weighted_avg(value double precision, weight numeric)
(
    SFUNC = exact_add_weighted_numeric, STYPE = exact_state, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(double precision, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_weighted_avg(value numeric, weight double precision)
(
    SFUNC = exact_add_weighted_numeric, STYPE = exact_state, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(numeric, double precision) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_weighted_avg(value bigint, weight numeric)
(
    SFUNC = exact_add_weighted_numeric, STYPE = exact_state, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(bigint, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_weighted_avg(value numeric, weight bigint)
(
    SFUNC = exact_add_weighted_numeric, STYPE = exact_state, FINALFUNC = exact_final_weighted_avg,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_weighted_avg(numeric, bigint) IS
'raises an error with a hint: numeric arguments are not supported';

-- ------------------------------------------------------- aggregates of powers

CREATE FUNCTION exact_add_powers(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_powers' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_powers(exact_state, double precision) IS
'internal: transition function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_remove_powers(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_powers' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_powers(exact_state, double precision) IS
'internal: inverse transition function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_add_powers_int8(exact_state, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_powers_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_powers_int8(exact_state, bigint) IS
'internal: transition function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_remove_powers_int8(exact_state, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_powers_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_powers_int8(exact_state, bigint) IS
'internal: inverse transition function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_add_powers_numeric(exact_state, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_powers_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_powers_numeric(exact_state, numeric) IS
'internal: transition function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_remove_powers_numeric(exact_state, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_powers_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_powers_numeric(exact_state, numeric) IS
'internal: inverse transition function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_combine_powers(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_combine_powers' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_combine_powers(exact_state, exact_state) IS
'internal: combine function of exact_skewness, exact_skewness_pop, exact_kurtosis and exact_kurtosis_pop';

CREATE FUNCTION exact_final_skewness(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_skewness' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_skewness(exact_state) IS
'internal: final function of exact_skewness';

CREATE FUNCTION exact_final_skewness_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_skewness_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_skewness_pop(exact_state) IS
'internal: final function of exact_skewness_pop';

CREATE FUNCTION exact_final_kurtosis(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_kurtosis' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_kurtosis(exact_state) IS
'internal: final function of exact_kurtosis';

CREATE FUNCTION exact_final_kurtosis_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_kurtosis_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_kurtosis_pop(exact_state) IS
'internal: final function of exact_kurtosis_pop';

CREATE AGGREGATE exact_skewness(value double precision)
(
    SFUNC = exact_add_powers, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_skewness,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers, MINVFUNC = exact_remove_powers, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_skewness, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_skewness(double precision) IS 'returns the exact sample skewness, rounded once';

CREATE AGGREGATE exact_skewness_pop(value double precision)
(
    SFUNC = exact_add_powers, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_skewness_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers, MINVFUNC = exact_remove_powers, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_skewness_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_skewness_pop(double precision) IS 'returns the exact population skewness, rounded once';

CREATE AGGREGATE exact_kurtosis(value double precision)
(
    SFUNC = exact_add_powers, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_kurtosis,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers, MINVFUNC = exact_remove_powers, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_kurtosis, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_kurtosis(double precision) IS 'returns the exact sample excess kurtosis, rounded once';

CREATE AGGREGATE exact_kurtosis_pop(value double precision)
(
    SFUNC = exact_add_powers, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_kurtosis_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers, MINVFUNC = exact_remove_powers, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_kurtosis_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_kurtosis_pop(double precision) IS 'returns the exact population excess kurtosis, rounded once';

CREATE AGGREGATE exact_skewness(value bigint)
(
    SFUNC = exact_add_powers_int8, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_skewness,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_int8, MINVFUNC = exact_remove_powers_int8, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_skewness, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_skewness(bigint) IS 'returns the exact sample skewness, rounded once';

CREATE AGGREGATE exact_skewness_pop(value bigint)
(
    SFUNC = exact_add_powers_int8, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_skewness_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_int8, MINVFUNC = exact_remove_powers_int8, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_skewness_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_skewness_pop(bigint) IS 'returns the exact population skewness, rounded once';

CREATE AGGREGATE exact_kurtosis(value bigint)
(
    SFUNC = exact_add_powers_int8, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_kurtosis,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_int8, MINVFUNC = exact_remove_powers_int8, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_kurtosis, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_kurtosis(bigint) IS 'returns the exact sample excess kurtosis, rounded once';

CREATE AGGREGATE exact_kurtosis_pop(value bigint)
(
    SFUNC = exact_add_powers_int8, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_kurtosis_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_int8, MINVFUNC = exact_remove_powers_int8, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_kurtosis_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_kurtosis_pop(bigint) IS 'returns the exact population excess kurtosis, rounded once';

CREATE AGGREGATE exact_skewness(value numeric)
(
    SFUNC = exact_add_powers_numeric, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_skewness,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_numeric, MINVFUNC = exact_remove_powers_numeric, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_skewness, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_skewness(numeric) IS 'returns the exact sample skewness, rounded once';

CREATE AGGREGATE exact_skewness_pop(value numeric)
(
    SFUNC = exact_add_powers_numeric, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_skewness_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_numeric, MINVFUNC = exact_remove_powers_numeric, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_skewness_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_skewness_pop(numeric) IS 'returns the exact population skewness, rounded once';

CREATE AGGREGATE exact_kurtosis(value numeric)
(
    SFUNC = exact_add_powers_numeric, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_kurtosis,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_numeric, MINVFUNC = exact_remove_powers_numeric, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_kurtosis, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_kurtosis(numeric) IS 'returns the exact sample excess kurtosis, rounded once';

CREATE AGGREGATE exact_kurtosis_pop(value numeric)
(
    SFUNC = exact_add_powers_numeric, STYPE = exact_state, SSPACE = 416, FINALFUNC = exact_final_kurtosis_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_powers,
    MSFUNC = exact_add_powers_numeric, MINVFUNC = exact_remove_powers_numeric, MSTYPE = exact_state, MSSPACE = 416,
    MFINALFUNC = exact_final_kurtosis_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_kurtosis_pop(numeric) IS 'returns the exact population excess kurtosis, rounded once';

-- ------------------------------------------------------------------ products

CREATE FUNCTION exact_multiply_float8(internal, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_multiply_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_multiply_float8(internal, double precision) IS
'internal: transition function of exact_product';

CREATE FUNCTION exact_unmultiply_float8(internal, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_unmultiply_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_unmultiply_float8(internal, double precision) IS
'internal: inverse transition function of exact_product';

CREATE FUNCTION exact_product_final_float8(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_product_final_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_product_final_float8(internal) IS
'internal: final function of exact_product';

CREATE FUNCTION exact_product_combine_float8(internal, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_product_combine_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_product_combine_float8(internal, internal) IS
'internal: combine function of exact_product';

CREATE FUNCTION exact_product_serialize_float8(internal)
RETURNS bytea AS 'MODULE_PATHNAME', 'exact_product_serialize_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_product_serialize_float8(internal) IS
'internal: serialization function of exact_product';

CREATE FUNCTION exact_product_deserialize_float8(bytea, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_product_deserialize_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_product_deserialize_float8(bytea, internal) IS
'internal: deserialization function of exact_product';

CREATE FUNCTION exact_multiply_int2(numeric, smallint)
RETURNS numeric AS 'MODULE_PATHNAME', 'exact_multiply_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_multiply_int2(numeric, smallint) IS
'internal: transition function of exact_product';

CREATE FUNCTION exact_enter_int2(internal, smallint)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_enter_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_enter_int2(internal, smallint) IS
'internal: transition function of exact_product over moving frames';

CREATE FUNCTION exact_unmultiply_numeric(internal, smallint)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_unmultiply_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_unmultiply_numeric(internal, smallint) IS
'internal: inverse transition function of exact_product';

CREATE FUNCTION exact_multiply_int4(numeric, integer)
RETURNS numeric AS 'MODULE_PATHNAME', 'exact_multiply_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_multiply_int4(numeric, integer) IS
'internal: transition function of exact_product';

CREATE FUNCTION exact_enter_int4(internal, integer)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_enter_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_enter_int4(internal, integer) IS
'internal: transition function of exact_product over moving frames';

CREATE FUNCTION exact_unmultiply_numeric(internal, integer)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_unmultiply_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_unmultiply_numeric(internal, integer) IS
'internal: inverse transition function of exact_product';

CREATE FUNCTION exact_multiply_int8(numeric, bigint)
RETURNS numeric AS 'MODULE_PATHNAME', 'exact_multiply_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_multiply_int8(numeric, bigint) IS
'internal: transition function of exact_product';

CREATE FUNCTION exact_enter_int8(internal, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_enter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_enter_int8(internal, bigint) IS
'internal: transition function of exact_product over moving frames';

CREATE FUNCTION exact_unmultiply_numeric(internal, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_unmultiply_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_unmultiply_numeric(internal, bigint) IS
'internal: inverse transition function of exact_product';

CREATE FUNCTION exact_enter_numeric(internal, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_enter_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_enter_numeric(internal, numeric) IS
'internal: transition function of exact_product over moving frames';

CREATE FUNCTION exact_unmultiply_numeric(internal, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'exact_unmultiply_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_unmultiply_numeric(internal, numeric) IS
'internal: inverse transition function of exact_product';

CREATE FUNCTION exact_product_final_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'exact_product_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_product_final_numeric(internal) IS
'internal: final function of exact_product';

CREATE AGGREGATE exact_product(value double precision)
(
    SFUNC = exact_multiply_float8, STYPE = internal, SSPACE = 512, FINALFUNC = exact_product_final_float8,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_product_combine_float8,
    SERIALFUNC = exact_product_serialize_float8, DESERIALFUNC = exact_product_deserialize_float8,
    MSFUNC = exact_multiply_float8, MINVFUNC = exact_unmultiply_float8, MSTYPE = internal, MSSPACE = 2048,
    MFINALFUNC = exact_product_final_float8, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_product(double precision) IS 'returns the exact product, rounded once';

CREATE AGGREGATE exact_product(value smallint)
(
    SFUNC = exact_multiply_int2, STYPE = numeric, COMBINEFUNC = numeric_mul,
    MSFUNC = exact_enter_int2, MINVFUNC = exact_unmultiply_numeric, MSTYPE = internal, MSSPACE = 2048,
    MFINALFUNC = exact_product_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_product(smallint) IS 'returns the exact product';

CREATE AGGREGATE exact_product(value integer)
(
    SFUNC = exact_multiply_int4, STYPE = numeric, COMBINEFUNC = numeric_mul,
    MSFUNC = exact_enter_int4, MINVFUNC = exact_unmultiply_numeric, MSTYPE = internal, MSSPACE = 2048,
    MFINALFUNC = exact_product_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_product(integer) IS 'returns the exact product';

CREATE AGGREGATE exact_product(value bigint)
(
    SFUNC = exact_multiply_int8, STYPE = numeric, COMBINEFUNC = numeric_mul,
    MSFUNC = exact_enter_int8, MINVFUNC = exact_unmultiply_numeric, MSTYPE = internal, MSSPACE = 2048,
    MFINALFUNC = exact_product_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_product(bigint) IS 'returns the exact product';

CREATE AGGREGATE exact_product(value numeric)
(
    SFUNC = numeric_mul, STYPE = numeric, COMBINEFUNC = numeric_mul,
    MSFUNC = exact_enter_numeric, MINVFUNC = exact_unmultiply_numeric, MSTYPE = internal, MSSPACE = 2048,
    MFINALFUNC = exact_product_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_product(numeric) IS 'returns the exact product';

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
    SFUNC = time_average_add_numeric, STYPE = internal, SSPACE = 512, FINALFUNC = time_average_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = time_average_enter_numeric, MINVFUNC = time_average_leave_numeric, MSTYPE = internal,
    MSSPACE = 2048, MFINALFUNC = time_average_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, numeric) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at numeric, method text)
(
    SFUNC = time_average_add_numeric, STYPE = internal, SSPACE = 512, FINALFUNC = time_average_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = time_average_enter_numeric, MINVFUNC = time_average_leave_numeric, MSTYPE = internal,
    MSSPACE = 2048, MFINALFUNC = time_average_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, numeric, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';

-- ----------------------------------------------------- averages of buckets

CREATE FUNCTION scan_time_average(summary exact_state, lower timestamp with time zone, upper timestamp with time zone)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_time_average_timestamptz' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_time_average(exact_state, timestamp with time zone, timestamp with time zone) IS
'returns the average over the time from lower to upper, of a bucket that time_summary has summed up, and of the rows next to it';

CREATE FUNCTION scan_time_average(summary exact_state, lower timestamp without time zone, upper timestamp without time zone)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_time_average_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_time_average(exact_state, timestamp without time zone, timestamp without time zone) IS
'returns the average over the time from lower to upper, of a bucket that time_summary has summed up, and of the rows next to it';

CREATE FUNCTION scan_time_average(summary exact_state, lower date, upper date)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_time_average_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_time_average(exact_state, date, date) IS
'returns the average over the time from lower to upper, of a bucket that time_summary has summed up, and of the rows next to it';

CREATE FUNCTION scan_time_average(summary exact_state, lower bigint, upper bigint)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_time_average_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_time_average(exact_state, bigint, bigint) IS
'returns the average over the time from lower to upper, of a bucket that time_summary has summed up, and of the rows next to it';

CREATE FUNCTION scan_time_average(summary exact_state, lower double precision, upper double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_time_average_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_time_average(exact_state, double precision, double precision) IS
'returns the average over the time from lower to upper, of a bucket that time_summary has summed up, and of the rows next to it';

CREATE FUNCTION time_summary_final(exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_summary_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_summary_final(exact_state) IS 'internal: final function of time_summary';

CREATE AGGREGATE time_summary(value double precision, at timestamp with time zone)
(
    SFUNC = time_average_add_timestamptz, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, timestamp with time zone) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at timestamp with time zone, method text)
(
    SFUNC = time_average_add_timestamptz, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, timestamp with time zone, text) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at timestamp without time zone)
(
    SFUNC = time_average_add_timestamp, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, timestamp without time zone) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at timestamp without time zone, method text)
(
    SFUNC = time_average_add_timestamp, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, timestamp without time zone, text) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at date)
(
    SFUNC = time_average_add_date, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, date) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at date, method text)
(
    SFUNC = time_average_add_date, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, date, text) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at bigint)
(
    SFUNC = time_average_add_int8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, bigint) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at bigint, method text)
(
    SFUNC = time_average_add_int8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, bigint, text) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at double precision)
(
    SFUNC = time_average_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, double precision) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE AGGREGATE time_summary(value double precision, at double precision, method text)
(
    SFUNC = time_average_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, double precision, text) IS
'returns what scan_time_average needs of the rows of a bucket; write time_summary(value, at ORDER BY at)';

CREATE FUNCTION time_summary_add_numeric(exact_state, double precision, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_summary_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_summary_add_numeric(exact_state, double precision, numeric) IS
'internal: transition function of time_summary';

CREATE FUNCTION time_summary_add_numeric(exact_state, double precision, numeric, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_summary_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_summary_add_numeric(exact_state, double precision, numeric, text) IS
'internal: transition function of time_summary';

CREATE AGGREGATE time_summary(value double precision, at numeric)
(
    SFUNC = time_summary_add_numeric, STYPE = exact_state, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, numeric) IS
'raises an error with a hint: numeric times are not supported';

CREATE AGGREGATE time_summary(value double precision, at numeric, method text)
(
    SFUNC = time_summary_add_numeric, STYPE = exact_state, FINALFUNC = time_summary_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_summary(double precision, numeric, text) IS
'raises an error with a hint: numeric times are not supported';

-- ------------------------------------------------------------ time in a state

CREATE FUNCTION time_in_state_add_timestamptz(exact_state, boolean, timestamp with time zone)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_in_state_add_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_add_timestamptz(exact_state, boolean, timestamp with time zone) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_add_timestamp(exact_state, boolean, timestamp without time zone)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_in_state_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_add_timestamp(exact_state, boolean, timestamp without time zone) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_add_date(exact_state, boolean, date)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_in_state_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_add_date(exact_state, boolean, date) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_add_int8(exact_state, boolean, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_in_state_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_add_int8(exact_state, boolean, bigint) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_add_float8(exact_state, boolean, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_in_state_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_add_float8(exact_state, boolean, double precision) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_add_numeric(internal, boolean, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_add_numeric(internal, boolean, numeric) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_enter_timestamptz(internal, boolean, timestamp with time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_enter_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_enter_timestamptz(internal, boolean, timestamp with time zone) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_enter_timestamp(internal, boolean, timestamp without time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_enter_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_enter_timestamp(internal, boolean, timestamp without time zone) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_enter_date(internal, boolean, date)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_enter_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_enter_date(internal, boolean, date) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_enter_int8(internal, boolean, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_enter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_enter_int8(internal, boolean, bigint) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_enter_float8(internal, boolean, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_enter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_enter_float8(internal, boolean, double precision) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_enter_numeric(internal, boolean, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_enter_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_enter_numeric(internal, boolean, numeric) IS
'internal: transition function of time_in_state';

CREATE FUNCTION time_in_state_leave_timestamptz(internal, boolean, timestamp with time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_leave_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_leave_timestamptz(internal, boolean, timestamp with time zone) IS
'internal: inverse transition function of time_in_state';

CREATE FUNCTION time_in_state_leave_timestamp(internal, boolean, timestamp without time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_leave_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_leave_timestamp(internal, boolean, timestamp without time zone) IS
'internal: inverse transition function of time_in_state';

CREATE FUNCTION time_in_state_leave_date(internal, boolean, date)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_leave_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_leave_date(internal, boolean, date) IS
'internal: inverse transition function of time_in_state';

CREATE FUNCTION time_in_state_leave_int8(internal, boolean, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_leave_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_leave_int8(internal, boolean, bigint) IS
'internal: inverse transition function of time_in_state';

CREATE FUNCTION time_in_state_leave_float8(internal, boolean, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_leave_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_leave_float8(internal, boolean, double precision) IS
'internal: inverse transition function of time_in_state';

CREATE FUNCTION time_in_state_leave_numeric(internal, boolean, numeric)
RETURNS internal AS 'MODULE_PATHNAME', 'time_in_state_leave_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_leave_numeric(internal, boolean, numeric) IS
'internal: inverse transition function of time_in_state';

CREATE FUNCTION time_in_state_final_interval(exact_state)
RETURNS interval AS 'MODULE_PATHNAME', 'time_in_state_final_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_final_interval(exact_state) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_moving_interval(internal)
RETURNS interval AS 'MODULE_PATHNAME', 'time_in_state_moving_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_moving_interval(internal) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_final_days(exact_state)
RETURNS interval AS 'MODULE_PATHNAME', 'time_in_state_final_days' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_final_days(exact_state) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_moving_days(internal)
RETURNS interval AS 'MODULE_PATHNAME', 'time_in_state_moving_days' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_moving_days(internal) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_final_int8(exact_state)
RETURNS bigint AS 'MODULE_PATHNAME', 'time_in_state_final_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_final_int8(exact_state) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_moving_int8(internal)
RETURNS bigint AS 'MODULE_PATHNAME', 'time_in_state_moving_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_moving_int8(internal) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_final_float8(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_in_state_final_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_final_float8(exact_state) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_moving_float8(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_in_state_moving_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_moving_float8(internal) IS
'internal: final function of time_in_state';

CREATE FUNCTION time_in_state_final_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'time_in_state_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_in_state_final_numeric(internal) IS
'internal: final function of time_in_state';

CREATE AGGREGATE time_in_state(state boolean, at timestamp with time zone)
(
    SFUNC = time_in_state_add_timestamptz, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_in_state_final_interval,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_in_state_enter_timestamptz, MINVFUNC = time_in_state_leave_timestamptz, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_in_state_moving_interval, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_in_state(boolean, timestamp with time zone) IS
'returns the time for which a state is true, from each row to the next; write time_in_state(state, at ORDER BY at)';

CREATE AGGREGATE time_in_state(state boolean, at timestamp without time zone)
(
    SFUNC = time_in_state_add_timestamp, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_in_state_final_interval,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_in_state_enter_timestamp, MINVFUNC = time_in_state_leave_timestamp, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_in_state_moving_interval, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_in_state(boolean, timestamp without time zone) IS
'returns the time for which a state is true, from each row to the next; write time_in_state(state, at ORDER BY at)';

CREATE AGGREGATE time_in_state(state boolean, at date)
(
    SFUNC = time_in_state_add_date, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_in_state_final_days,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_in_state_enter_date, MINVFUNC = time_in_state_leave_date, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_in_state_moving_days, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_in_state(boolean, date) IS
'returns the time for which a state is true, from each row to the next; write time_in_state(state, at ORDER BY at)';

CREATE AGGREGATE time_in_state(state boolean, at bigint)
(
    SFUNC = time_in_state_add_int8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_in_state_final_int8,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_in_state_enter_int8, MINVFUNC = time_in_state_leave_int8, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_in_state_moving_int8, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_in_state(boolean, bigint) IS
'returns the time for which a state is true, from each row to the next; write time_in_state(state, at ORDER BY at)';

CREATE AGGREGATE time_in_state(state boolean, at double precision)
(
    SFUNC = time_in_state_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_in_state_final_float8,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_in_state_enter_float8, MINVFUNC = time_in_state_leave_float8, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_in_state_moving_float8, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_in_state(boolean, double precision) IS
'returns the time for which a state is true, from each row to the next; write time_in_state(state, at ORDER BY at)';

CREATE AGGREGATE time_in_state(state boolean, at numeric)
(
    SFUNC = time_in_state_add_numeric, STYPE = internal, SSPACE = 512, FINALFUNC = time_in_state_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = time_in_state_enter_numeric, MINVFUNC = time_in_state_leave_numeric, MSTYPE = internal,
    MSSPACE = 2048, MFINALFUNC = time_in_state_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_in_state(boolean, numeric) IS
'returns the time for which a state is true, from each row to the next; write time_in_state(state, at ORDER BY at)';

-- -------------------------------------------------------------------- funnels

CREATE FUNCTION scan_funnel_add_timestamptz(bytea, timestamp with time zone, interval, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_timestamptz(bytea, timestamp with time zone, interval, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_timestamptz(bytea, timestamp with time zone, interval, text, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_timestamptz(bytea, timestamp with time zone, interval, text, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_timestamp(bytea, timestamp without time zone, interval, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_timestamp(bytea, timestamp without time zone, interval, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_timestamp(bytea, timestamp without time zone, interval, text, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_timestamp(bytea, timestamp without time zone, interval, text, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_date(bytea, date, interval, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_date(bytea, date, interval, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_date(bytea, date, interval, text, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_date(bytea, date, interval, text, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_int8(bytea, bigint, bigint, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_int8(bytea, bigint, bigint, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_int8(bytea, bigint, bigint, text, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_int8(bytea, bigint, bigint, text, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_float8(bytea, double precision, double precision, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_float8(bytea, double precision, double precision, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_float8(bytea, double precision, double precision, text, VARIADIC "any")
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_funnel_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_float8(bytea, double precision, double precision, text, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_numeric(internal, numeric, numeric, VARIADIC "any")
RETURNS internal AS 'MODULE_PATHNAME', 'scan_funnel_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_numeric(internal, numeric, numeric, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_add_numeric(internal, numeric, numeric, text, VARIADIC "any")
RETURNS internal AS 'MODULE_PATHNAME', 'scan_funnel_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_add_numeric(internal, numeric, numeric, text, VARIADIC "any") IS
'internal: transition function of scan_funnel';

CREATE FUNCTION scan_funnel_final(bytea)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_funnel_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_final(bytea) IS 'internal: final function of scan_funnel';

CREATE FUNCTION scan_funnel_final(internal)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_funnel_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_funnel_final(internal) IS 'internal: final function of scan_funnel';

CREATE AGGREGATE scan_funnel(at timestamp with time zone, within interval, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_timestamptz, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(timestamp with time zone, interval, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at timestamp with time zone, within interval, mode text, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_timestamptz, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(timestamp with time zone, interval, text, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one, with mode strict_order, strict_increase, or both; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at timestamp without time zone, within interval, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_timestamp, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(timestamp without time zone, interval, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at timestamp without time zone, within interval, mode text, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_timestamp, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(timestamp without time zone, interval, text, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one, with mode strict_order, strict_increase, or both; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at date, within interval, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_date, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(date, interval, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at date, within interval, mode text, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_date, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(date, interval, text, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one, with mode strict_order, strict_increase, or both; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at bigint, within bigint, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_int8, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(bigint, bigint, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at bigint, within bigint, mode text, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_int8, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(bigint, bigint, text, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one, with mode strict_order, strict_increase, or both; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at double precision, within double precision, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_float8, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(double precision, double precision, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at double precision, within double precision, mode text, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_float8, STYPE = bytea, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(double precision, double precision, text, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one, with mode strict_order, strict_increase, or both; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at numeric, within numeric, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_numeric, STYPE = internal, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(numeric, numeric, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one; write scan_funnel(at, within, step1, step2 ORDER BY at)';

CREATE AGGREGATE scan_funnel(at numeric, within numeric, mode text, VARIADIC steps "any")
(
    SFUNC = scan_funnel_add_numeric, STYPE = internal, SSPACE = 128, FINALFUNC = scan_funnel_final,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_funnel(numeric, numeric, text, VARIADIC "any") IS
'returns how many steps in order were reached within a time of the first one, with mode strict_order, strict_increase, or both; write scan_funnel(at, within, step1, step2 ORDER BY at)';
-- ---------------------------------------------------- rows with extreme keys

CREATE FUNCTION moving_arg_min_accumulate(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_min_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_min_accumulate(internal, anyelement, anycompatible) IS
'internal: transition function of moving_arg_min and moving_first';

CREATE FUNCTION moving_arg_min_enter(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_min_enter' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_min_enter(internal, anyelement, anycompatible) IS
'internal: transition function of moving_arg_min and moving_first over moving frames';

CREATE FUNCTION moving_arg_max_accumulate(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_max_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_max_accumulate(internal, anyelement, anycompatible) IS
'internal: transition function of moving_arg_max';

CREATE FUNCTION moving_arg_max_enter(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_max_enter' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_max_enter(internal, anyelement, anycompatible) IS
'internal: transition function of moving_arg_max over moving frames';

CREATE FUNCTION moving_last_accumulate(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_last_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_last_accumulate(internal, anyelement, anycompatible) IS
'internal: transition function of moving_last';

CREATE FUNCTION moving_last_enter(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_last_enter' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_last_enter(internal, anyelement, anycompatible) IS
'internal: transition function of moving_last over moving frames';

CREATE FUNCTION moving_arg_leave(internal, anyelement, anycompatible)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_leave' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_leave(internal, anyelement, anycompatible) IS
'internal: inverse transition function of moving_arg_min, moving_arg_max, moving_first and moving_last';

CREATE FUNCTION moving_arg_final(internal, anyelement, anycompatible)
RETURNS anyelement AS 'MODULE_PATHNAME', 'moving_arg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_final(internal, anyelement, anycompatible) IS
'internal: final function of moving_arg_min, moving_arg_max, moving_first and moving_last';

CREATE FUNCTION moving_arg_combine(internal, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_combine(internal, internal) IS
'internal: combine function of moving_arg_min, moving_arg_max, moving_first and moving_last';

CREATE FUNCTION moving_arg_serialize(internal)
RETURNS bytea AS 'MODULE_PATHNAME', 'moving_arg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_serialize(internal) IS
'internal: serialization function of moving_arg_min, moving_arg_max, moving_first and moving_last';

CREATE FUNCTION moving_arg_deserialize(bytea, internal)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_arg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION moving_arg_deserialize(bytea, internal) IS
'internal: deserialization function of moving_arg_min, moving_arg_max, moving_first and moving_last';

CREATE AGGREGATE moving_arg_min(arg anyelement, key anycompatible)
(
    SFUNC = moving_arg_min_accumulate, STYPE = internal, SSPACE = 256, FINALFUNC = moving_arg_final,
    FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = moving_arg_combine,
    SERIALFUNC = moving_arg_serialize, DESERIALFUNC = moving_arg_deserialize,
    MSFUNC = moving_arg_min_enter, MSTYPE = internal, MSSPACE = 2560, MFINALFUNC = moving_arg_final,
    MFINALFUNC_EXTRA, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_arg_leave, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_arg_min(anyelement, anycompatible) IS
'returns arg of the row with the least key; of equal keys, of the first row';

CREATE AGGREGATE moving_arg_max(arg anyelement, key anycompatible)
(
    SFUNC = moving_arg_max_accumulate, STYPE = internal, SSPACE = 256, FINALFUNC = moving_arg_final,
    FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = moving_arg_combine,
    SERIALFUNC = moving_arg_serialize, DESERIALFUNC = moving_arg_deserialize,
    MSFUNC = moving_arg_max_enter, MSTYPE = internal, MSSPACE = 2560, MFINALFUNC = moving_arg_final,
    MFINALFUNC_EXTRA, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_arg_leave, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_arg_max(anyelement, anycompatible) IS
'returns arg of the row with the greatest key; of equal keys, of the first row';

CREATE AGGREGATE moving_first(value anyelement, at anycompatible)
(
    SFUNC = moving_arg_min_accumulate, STYPE = internal, SSPACE = 256, FINALFUNC = moving_arg_final,
    FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = moving_arg_combine,
    SERIALFUNC = moving_arg_serialize, DESERIALFUNC = moving_arg_deserialize,
    MSFUNC = moving_arg_min_enter, MSTYPE = internal, MSSPACE = 2560, MFINALFUNC = moving_arg_final,
    MFINALFUNC_EXTRA, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_arg_leave, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_first(anyelement, anycompatible) IS
'returns value at the earliest at; of equal times, of the first row';

CREATE AGGREGATE moving_last(value anyelement, at anycompatible)
(
    SFUNC = moving_last_accumulate, STYPE = internal, SSPACE = 256, FINALFUNC = moving_arg_final,
    FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = moving_arg_combine,
    SERIALFUNC = moving_arg_serialize, DESERIALFUNC = moving_arg_deserialize,
    MSFUNC = moving_last_enter, MSTYPE = internal, MSSPACE = 2560, MFINALFUNC = moving_arg_final,
    MFINALFUNC_EXTRA, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_arg_leave, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_last(anyelement, anycompatible) IS
'returns value at the latest at; of equal times, of the last row';

-- ------------------------------------------------------- ranks within frames

CREATE FUNCTION moving_rank_accumulate(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_rank_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_rank_accumulate(internal, anyelement) IS
'internal: transition function of moving_rank and moving_percent_rank';

CREATE FUNCTION moving_rank_final(internal)
RETURNS bigint AS 'MODULE_PATHNAME', 'moving_rank_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_rank_final(internal) IS 'internal: final function of moving_rank';

CREATE FUNCTION moving_percent_rank_final(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'moving_percent_rank_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percent_rank_final(internal) IS 'internal: final function of moving_percent_rank';

CREATE AGGREGATE moving_rank(value anyelement)
(
    SFUNC = moving_rank_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_rank_final,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_rank_accumulate, MSTYPE = internal, MSSPACE = 1280, MFINALFUNC = moving_rank_final,
    MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_rank(anyelement) IS
'returns the rank of the value of the last row among the values of the frame';

CREATE AGGREGATE moving_percent_rank(value anyelement)
(
    SFUNC = moving_rank_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_percent_rank_final,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_rank_accumulate, MSTYPE = internal, MSSPACE = 1280, MFINALFUNC = moving_percent_rank_final,
    MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percent_rank(anyelement) IS
'returns the rank of the value of the last row among the values of the frame, from 0 to 1';

-- --------------------------------------------------------------------- arrays

CREATE FUNCTION array_scan_locf("values" anyarray, max_gap bigint DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, bigint, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, over at most max_gap elements';

CREATE FUNCTION array_scan_locf("values" anyarray, at bigint[], max_age bigint, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, bigint[], bigint, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age';

CREATE FUNCTION array_scan_locf("values" anyarray, at double precision[], max_age double precision,
                                reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, double precision[], double precision, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age';

CREATE FUNCTION array_scan_locf("values" anyarray, at numeric[], max_age numeric, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, numeric[], numeric, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age';

CREATE FUNCTION array_scan_locf("values" anyarray, at date[], max_age interval, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, date[], interval, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age by the calendar';

CREATE FUNCTION array_scan_locf("values" anyarray, at date[], max_age scan_days, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_days' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, date[], scan_days, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age days';

CREATE FUNCTION array_scan_locf("values" anyarray, at timestamp without time zone[], max_age interval,
                                reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, timestamp without time zone[], interval, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age by the calendar';

CREATE FUNCTION array_scan_locf("values" anyarray, at timestamp with time zone[], max_age interval,
                                reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_locf_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_locf(anyarray, timestamp with time zone[], interval, boolean[]) IS
'returns scan_locf over the elements of an array: the last element so far that is not NULL, unless it is older than max_age by the calendar';

CREATE FUNCTION array_scan_nocb("values" anyarray, max_gap bigint DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, bigint, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, over at most max_gap elements';

CREATE FUNCTION array_scan_nocb("values" anyarray, at bigint[], max_age bigint, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, bigint[], bigint, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age';

CREATE FUNCTION array_scan_nocb("values" anyarray, at double precision[], max_age double precision,
                                reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, double precision[], double precision, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age';

CREATE FUNCTION array_scan_nocb("values" anyarray, at numeric[], max_age numeric, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, numeric[], numeric, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age';

CREATE FUNCTION array_scan_nocb("values" anyarray, at date[], max_age interval, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, date[], interval, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age by the calendar';

CREATE FUNCTION array_scan_nocb("values" anyarray, at date[], max_age scan_days, reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_days' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, date[], scan_days, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age days';

CREATE FUNCTION array_scan_nocb("values" anyarray, at timestamp without time zone[], max_age interval,
                                reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, timestamp without time zone[], interval, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age by the calendar';

CREATE FUNCTION array_scan_nocb("values" anyarray, at timestamp with time zone[], max_age interval,
                                reset boolean[] DEFAULT NULL)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_nocb_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_nocb(anyarray, timestamp with time zone[], interval, boolean[]) IS
'returns scan_nocb over the elements of an array: the next element that is not NULL, unless it comes after at + max_age by the calendar';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at smallint[], max_gap numeric DEFAULT NULL,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], smallint[], numeric, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at integer[], max_gap numeric DEFAULT NULL,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], integer[], numeric, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at bigint[], max_gap numeric DEFAULT NULL,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_integers' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], bigint[], numeric, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at numeric[], max_gap numeric DEFAULT NULL,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], numeric[], numeric, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at date[], max_gap interval DEFAULT NULL,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], date[], interval, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at date[], max_gap scan_days,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_days' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], date[], scan_days, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap days apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at timestamp without time zone[],
                                       max_gap interval DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], timestamp without time zone[], interval, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at timestamp with time zone[],
                                       max_gap interval DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], timestamp with time zone[], interval, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at scan_axis,
                                       max_gap double precision DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_literal' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], scan_axis, double precision, boolean[]) IS
'returns what array_scan_interpolate returns for an array of double precision; at is a literal without a type';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at scan_axis, max_gap numeric,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_literal_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], scan_axis, numeric, boolean[]) IS
'returns what array_scan_interpolate returns for an array of double precision; at is a literal without a type';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at scan_axis, max_gap scan_amount,
                                       reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_literals' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], scan_axis, scan_amount, boolean[]) IS
'returns what array_scan_interpolate returns for an array of double precision; at and max_gap are literals without a type';

CREATE FUNCTION array_scan_session(at smallint[], gap bigint, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(smallint[], bigint, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at integer[], gap bigint, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(integer[], bigint, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at bigint[], gap bigint, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(bigint[], bigint, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at double precision[], gap double precision, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(double precision[], double precision, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at numeric[], gap numeric, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(numeric[], numeric, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at date[], gap interval, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(date[], interval, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at date[], gap scan_days, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_days' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(date[], scan_days, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at timestamp without time zone[], gap interval, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(timestamp without time zone[], interval, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_session(at timestamp with time zone[], gap interval, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_session_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_session(timestamp with time zone[], interval, boolean[]) IS
'returns scan_session over the elements of an array: the number of the session, from 1';

CREATE FUNCTION array_scan_ema_var("values" double precision[], alpha double precision, adjust boolean DEFAULT false, bias boolean DEFAULT false, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_ema_var_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_ema_var(double precision[], double precision, boolean, boolean, boolean[]) IS
'returns scan_ema_var over the elements of an array: the exponentially weighted variance';

CREATE FUNCTION array_scan_ema_stddev("values" double precision[], alpha double precision, adjust boolean DEFAULT false, bias boolean DEFAULT false, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_ema_stddev_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_ema_stddev(double precision[], double precision, boolean, boolean, boolean[]) IS
'returns scan_ema_stddev over the elements of an array: the exponentially weighted standard deviation';

CREATE FUNCTION array_scan_ema_covar(y double precision[], x double precision[], alpha double precision, adjust boolean DEFAULT false, bias boolean DEFAULT false, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_ema_covar_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_ema_covar(double precision[], double precision[], double precision, boolean, boolean, boolean[]) IS
'returns scan_ema_covar over the elements of two arrays: the exponentially weighted covariance';

CREATE FUNCTION array_scan_ema_corr(y double precision[], x double precision[], alpha double precision, adjust boolean DEFAULT false, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_ema_corr_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_ema_corr(double precision[], double precision[], double precision, boolean, boolean[]) IS
'returns scan_ema_corr over the elements of two arrays: the exponentially weighted correlation';
-- ------------------------------------------------------ the view scan_status

CREATE FUNCTION scan_refusals()
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_refusals' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_refusals() IS
'the column refusals of scan_status: how many batches the GPU has refused since the server started';

CREATE OR REPLACE VIEW scan_status AS SELECT s.*, scan_refusals() AS refusals FROM scan_status() AS s;

-- ------------------------------------------------------------- gaps in time

CREATE FUNCTION scan_gapfill(at timestamp with time zone[], step interval, "from" timestamp with time zone DEFAULT NULL, "to" timestamp with time zone DEFAULT NULL)
RETURNS SETOF timestamp with time zone AS 'MODULE_PATHNAME', 'scan_gapfill_timestamptz' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_gapfill(timestamp with time zone[], interval, timestamp with time zone, timestamp with time zone) IS
'returns the starts of the buckets of a width that hold none of the times of an array';

CREATE FUNCTION scan_gapfill(at timestamp without time zone[], step interval, "from" timestamp without time zone DEFAULT NULL, "to" timestamp without time zone DEFAULT NULL)
RETURNS SETOF timestamp without time zone AS 'MODULE_PATHNAME', 'scan_gapfill_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_gapfill(timestamp without time zone[], interval, timestamp without time zone, timestamp without time zone) IS
'returns the starts of the buckets of a width that hold none of the times of an array';

CREATE FUNCTION scan_gapfill(at date[], step interval, "from" date DEFAULT NULL, "to" date DEFAULT NULL)
RETURNS SETOF date AS 'MODULE_PATHNAME', 'scan_gapfill_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_gapfill(date[], interval, date, date) IS
'returns the starts of the buckets of a width that hold none of the times of an array';

CREATE FUNCTION scan_gapfill(at bigint[], step bigint, "from" bigint DEFAULT NULL, "to" bigint DEFAULT NULL)
RETURNS SETOF bigint AS 'MODULE_PATHNAME', 'scan_gapfill_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_gapfill(bigint[], bigint, bigint, bigint) IS
'returns the starts of the buckets of a width that hold none of the times of an array';

CREATE FUNCTION scan_gapfill(at integer[], step integer, "from" integer DEFAULT NULL, "to" integer DEFAULT NULL)
RETURNS SETOF integer AS 'MODULE_PATHNAME', 'scan_gapfill_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_gapfill(integer[], integer, integer, integer) IS
'returns the starts of the buckets of a width that hold none of the times of an array';

CREATE FUNCTION scan_gapfill(at numeric[], step numeric, "from" numeric DEFAULT NULL, "to" numeric DEFAULT NULL)
RETURNS SETOF numeric AS 'MODULE_PATHNAME', 'scan_gapfill_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_gapfill(numeric[], numeric, numeric, numeric) IS
'returns the starts of the buckets of a width that hold none of the times of an array';

-- --------------------------------------------------------------- kept scans

-- The library alone writes these three: no user can, and neither a dump nor a publication has their rows.
CREATE MATERIALIZED VIEW scan_kept_definition AS
SELECT 0::pg_catalog.oid AS tree, ''::pg_catalog.name AS name, 0::pg_catalog.oid AS definition, 0::pg_catalog.oid AS source,
    0::pg_catalog.oid AS log, 0::pg_catalog.int4 AS smallest, NULL::pg_catalog.interval AS grain, 0::pg_catalog.int4 AS top, 0::pg_catalog.int4 AS format,
    '0'::pg_catalog.xid8 AS built, ''::pg_catalog.text AS stamps, NULL::pg_catalog.timestamptz AS shaped, false AS outgrown,
    NULL::pg_catalog.timestamptz AS compacted, NULL::pg_catalog.text AS error
WHERE false;
CREATE INDEX scan_kept_definition_tree ON scan_kept_definition (tree);
CREATE INDEX scan_kept_definition_source ON scan_kept_definition (source);
COMMENT ON MATERIALIZED VIEW scan_kept_definition IS 'the kept scans of this database; the view scan_kept says whether they are used';

CREATE MATERIALIZED VIEW scan_kept_spoilt AS SELECT 0::pg_catalog.oid AS tree WHERE false;
COMMENT ON MATERIALIZED VIEW scan_kept_spoilt IS 'kept scans that are not used until scan_kept_check(); writers only insert here';

CREATE MATERIALIZED VIEW scan_kept_leaf AS
SELECT 0::pg_catalog.oid AS tree, 0::pg_catalog.oid AS leaf, 0::pg_catalog.oid AS number, 0::pg_catalog.oid AS storage,
    '0'::pg_catalog.xid8 AS built, ''::pg_catalog.text AS stamps
WHERE false;
CREATE INDEX scan_kept_leaf_tree ON scan_kept_leaf (tree);
COMMENT ON MATERIALIZED VIEW scan_kept_leaf IS 'the leaf partitions of which kept scans have nodes';

CREATE FUNCTION scan_keep(name text, definition text, grain interval DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_keep_query' LANGUAGE C;
COMMENT ON FUNCTION scan_keep(text, text, interval) IS
'keeps the running aggregates of a window query under writes; returns the number of rows';

CREATE FUNCTION scan_unkeep(name text)
RETURNS void AS 'MODULE_PATHNAME', 'scan_unkeep_name' LANGUAGE C STRICT;
COMMENT ON FUNCTION scan_unkeep(text) IS 'drops a kept scan and everything that scan_keep created for it';

CREATE PROCEDURE scan_kept_compact(name text)
AS 'MODULE_PATHNAME', 'scan_kept_compact_name' LANGUAGE C;
COMMENT ON PROCEDURE scan_kept_compact(text) IS 'folds the log of a kept scan into its tree';

CREATE FUNCTION scan_kept_check(name text)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_kept_check_name' LANGUAGE C STRICT;
COMMENT ON FUNCTION scan_kept_check(text) IS
'compares a kept scan with its table, builds it anew if anything differs, and makes it usable; returns how many nodes differed';

CREATE FUNCTION scan_kept_no_rows(source regclass, name name)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_kept_no_rows' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION scan_kept_no_rows(regclass, name) IS 'called by the relations of a kept scan, which are not refreshed: false, or an error';

CREATE FUNCTION scan_kept_log()
RETURNS trigger AS 'MODULE_PATHNAME', 'scan_kept_log' LANGUAGE C;
COMMENT ON FUNCTION scan_kept_log() IS 'trigger that logs the changes of the table of a kept scan';

CREATE FUNCTION scan_kept_status(source oid, definition oid, tree oid, log oid, outgrown boolean,
    OUT tree_bytes bigint, OUT log_bytes bigint, OUT deltas bigint, OUT usable boolean, OUT reason text, OUT remedy text)
AS 'MODULE_PATHNAME', 'scan_kept_status' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION scan_kept_status(oid, oid, oid, oid, boolean) IS 'called by the view scan_kept';

-- Where a dump has brought the triggers, and maybe the relations, the library has no row yet.
CREATE VIEW scan_kept AS
WITH trigger AS MATERIALIZED (
    SELECT t.tgrelid AS source, c.relnamespace AS schema,
        pg_catalog.convert_from(pg_catalog.substr(t.tgargs, 1, pg_catalog.length(t.tgargs) OPERATOR(pg_catalog.-) 1), pg_catalog.getdatabaseencoding()) AS name
    FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) t.tgrelid
    WHERE t.tgfoid OPERATOR(pg_catalog.=) 'scan_kept_log()'::pg_catalog.regprocedure::pg_catalog.oid AND t.tgnargs OPERATOR(pg_catalog.=) 1 AND (t.tgtype OPERATOR(pg_catalog.&) 1::pg_catalog.int2) OPERATOR(pg_catalog.=) 1::pg_catalog.int2
        AND t.tgparentid OPERATOR(pg_catalog.=) 0::pg_catalog.oid
), kept AS (
    SELECT d.name, d.source, d.definition, d.tree, d.log, d.compacted, d.error, d.shaped, d.grain, d.outgrown
    FROM scan_kept_definition AS d JOIN pg_catalog.pg_class AS v ON v.oid OPERATOR(pg_catalog.=) d.definition
    UNION ALL
    SELECT t.name::pg_catalog.name, t.source, v.oid, k.oid, l.oid, NULL, NULL, NULL, NULL, false
    FROM trigger AS t
        LEFT JOIN pg_catalog.pg_class AS v ON v.relnamespace OPERATOR(pg_catalog.=) t.schema AND v.relname OPERATOR(pg_catalog.=) pg_catalog.concat(t.name, '_definition')::pg_catalog.name
        LEFT JOIN pg_catalog.pg_class AS k ON k.relnamespace OPERATOR(pg_catalog.=) t.schema AND k.relname OPERATOR(pg_catalog.=) t.name::pg_catalog.name
        LEFT JOIN pg_catalog.pg_class AS l ON l.relnamespace OPERATOR(pg_catalog.=) t.schema AND l.relname OPERATOR(pg_catalog.=) pg_catalog.concat(t.name, '_log')::pg_catalog.name
    WHERE NOT EXISTS (
        SELECT FROM scan_kept_definition AS d JOIN pg_catalog.pg_class AS v ON v.oid OPERATOR(pg_catalog.=) d.definition
        WHERE d.source OPERATOR(pg_catalog.=) t.source AND d.name OPERATOR(pg_catalog.=) t.name::pg_catalog.name)
)
SELECT kept.name, n.nspname AS schema, kept.source::pg_catalog.regclass, kept.definition::pg_catalog.regclass,
    kept.tree::pg_catalog.regclass, kept.log::pg_catalog.regclass, s.tree_bytes, s.log_bytes, s.deltas, kept.compacted,
    kept.error AS compaction_error, kept.shaped, kept.grain, s.usable, s.reason, s.remedy
FROM kept
    LEFT JOIN pg_catalog.pg_class AS c ON c.oid OPERATOR(pg_catalog.=) COALESCE(kept.tree, kept.source)
    LEFT JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
    CROSS JOIN LATERAL scan_kept_status(kept.source, COALESCE(kept.definition, 0::pg_catalog.oid), COALESCE(kept.tree, 0::pg_catalog.oid),
        COALESCE(kept.log, 0::pg_catalog.oid), kept.outgrown) AS s;
COMMENT ON VIEW scan_kept IS 'the kept scans of this database, whether they are used, and what to do if not';
GRANT SELECT ON scan_kept TO PUBLIC;

CREATE FUNCTION scan_kept_part(kept regclass, bounds text, VARIADIC bound "any")
RETURNS record AS 'MODULE_PATHNAME', 'scan_kept_part' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
CREATE FUNCTION scan_kept_part(kept regclass, bounds text)
RETURNS record AS 'MODULE_PATHNAME', 'scan_kept_part' LANGUAGE C STABLE PARALLEL RESTRICTED COST 10000;
COMMENT ON FUNCTION scan_kept_part(regclass, text) IS 'called by the functions of a kept scan without partitions, and by plain queries that read it: its aggregates over all rows';
COMMENT ON FUNCTION scan_kept_part(regclass, text, "any") IS
'called by the functions of a kept scan, and by plain queries that read it: its aggregates over the rows of a partition between bounds';

CREATE FUNCTION scan_kept_cells_support(internal)
RETURNS internal AS 'MODULE_PATHNAME', 'scan_kept_cells_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_kept_cells_support(internal) IS 'internal: how many rows scan_kept_cells returns, and what that costs';

CREATE FUNCTION scan_kept_cells(kept regclass, bounds text, VARIADIC bound "any")
RETURNS SETOF record AS 'MODULE_PATHNAME', 'scan_kept_cells' LANGUAGE C STABLE PARALLEL RESTRICTED
SUPPORT scan_kept_cells_support;
COMMENT ON FUNCTION scan_kept_cells(regclass, text, "any") IS
'called by plain queries that read a kept scan: the states of its aggregates, of each partition and interval of the first key';

CREATE FUNCTION scan_kept_same(step anyelement, other anyelement)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_kept_same' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_kept_same(anyelement, anyelement) IS
'called by plain queries under scan.kept = check: raises an error if an expression has two values in a cell';

CREATE FUNCTION scan_kept_merge_add(state internal, kept regclass, number integer, function oid, cell "any", type anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'scan_kept_merge_add' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION scan_kept_merge_add(internal, regclass, integer, oid, "any", anyelement) IS
'internal: part of the aggregate scan_kept_merge';
CREATE FUNCTION scan_kept_merge_result(state internal, kept regclass, number integer, function oid, cell "any", type anyelement)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_kept_merge_result' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION scan_kept_merge_result(internal, regclass, integer, oid, "any", anyelement) IS
'internal: part of the aggregate scan_kept_merge';
CREATE AGGREGATE scan_kept_merge(kept regclass, number integer, function oid, cell "any", type anyelement) (
	SFUNC = scan_kept_merge_add, STYPE = internal, FINALFUNC = scan_kept_merge_result, FINALFUNC_EXTRA,
	PARALLEL = RESTRICTED
);
COMMENT ON AGGREGATE scan_kept_merge(regclass, integer, oid, "any", anyelement) IS
'called by plain queries that read a kept scan: adds up the states of an aggregate';

CREATE FUNCTION scan_kept_running(kept regclass, wanted bigint, by_rows boolean, VARIADIC columns "any")
RETURNS record AS 'MODULE_PATHNAME', 'scan_kept_running' LANGUAGE C WINDOW STABLE PARALLEL RESTRICTED COST 30;
COMMENT ON FUNCTION scan_kept_running(regclass, bigint, boolean, "any") IS
'called by window queries that begin from a kept scan: its aggregates over a window without the first rows of a partition';

CREATE FUNCTION scan_kept_field(record record, number integer, type anyelement)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_kept_field' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_kept_field(record, integer, anyelement) IS 'a column of the result of scan_kept_running';

CREATE FUNCTION scan_kept_bound(value "any", comparison integer, type anyelement)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_kept_bound' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_kept_bound("any", integer, anyelement) IS
'called by plain queries that read a kept scan: the value of a type that is nearest to one of another type';

CREATE FUNCTION scan_kept_last(kept regclass, columns smallint[], VARIADIC bound "any")
RETURNS SETOF record AS 'MODULE_PATHNAME', 'scan_kept_last' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION scan_kept_last(regclass, smallint[], "any") IS
'called by the functions of a kept scan: the last rows of a partition with the running aggregates of a kept scan, newest first';
