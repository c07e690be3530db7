/*
 * scan--1.2.sql: the first script of CREATE EXTENSION scan.  What is new in 1.3
 * stands in scan--1.2--1.3.sql, which PostgreSQL runs after this one.
 *
 * The functions that are lines of src/op/list.h have the order of that list;
 * test/t/catalog.t proves that the two agree in name, arguments, result and C
 * symbol.  Nothing names a schema, so the extension can live in any of them.
 *
 * None of the window functions is STRICT: PostgreSQL never looks at strictness
 * there, and a NULL is skipped by the function itself.  They are IMMUTABLE but
 * where an answer hangs on a setting (STABLE: calendar steps need the time zone)
 * or on somebody else's function (scan_fold: VOLATILE, since nothing is known of
 * `op`, and PARALLEL RESTRICTED: the planner looks at `op`).
 */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION scan" to load this file. \quit

-- ------------------------------------------------------------ planner

CREATE FUNCTION scan_support(internal)
RETURNS internal AS 'MODULE_PATHNAME', 'scan_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_support(internal) IS
'internal: planner support function, which loads the library while a query is planned';

-- ---------------------------------------------- the view scan_status

CREATE FUNCTION scan_status(OUT state text, OUT reason text, OUT device text, OUT driver text, OUT library text,
                            OUT memory bigint, OUT slots integer, OUT free_slots integer, OUT jobs bigint,
                            OUT "rows" bigint, OUT bytes bigint, OUT fallbacks bigint, OUT restarts bigint,
                            OUT quarantined text[], OUT runtime text, OUT pinned boolean)
RETURNS record AS 'MODULE_PATHNAME', 'scan_status' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_status() IS
'returns one row: the state of the GPU, and what it has done since the server started';

CREATE VIEW scan_status AS SELECT * FROM scan_status();
COMMENT ON VIEW scan_status IS 'the state of the GPU, and what it has done since the server started';
GRANT SELECT ON scan_status TO PUBLIC;

-- ---------------------------------------------- the view scan_rates

CREATE FUNCTION scan_rates(OUT line text, OUT batch_ns float8, OUT device_ns float8, OUT way_ns float8,
                           OUT cpu_ns float8, OUT break_even bigint, OUT rests_until timestamptz)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'scan_rates' LANGUAGE C VOLATILE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_rates() IS
'returns, for each kind of job, its time on the GPU and on the CPU, and the number of rows from which the GPU is used';

CREATE VIEW scan_rates AS SELECT * FROM scan_rates();
COMMENT ON VIEW scan_rates IS
'for each kind of job, its time on the GPU and on the CPU, and the number of rows from which the GPU is used';
GRANT SELECT ON scan_rates TO PUBLIC;

-- ------------------------------------------------- the type scan_total

CREATE TYPE scan_total;

CREATE FUNCTION scan_total_in(cstring)
RETURNS scan_total AS 'MODULE_PATHNAME', 'scan_total_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_in(cstring) IS 'internal: input function of type scan_total';

CREATE FUNCTION scan_total_out(scan_total)
RETURNS cstring AS 'MODULE_PATHNAME', 'scan_total_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_out(scan_total) IS 'internal: output function of type scan_total';

CREATE FUNCTION scan_total_recv(internal)
RETURNS scan_total AS 'MODULE_PATHNAME', 'scan_total_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_recv(internal) IS 'internal: receive function of type scan_total';

CREATE FUNCTION scan_total_send(scan_total)
RETURNS bytea AS 'MODULE_PATHNAME', 'scan_total_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_send(scan_total) IS 'internal: send function of type scan_total';

-- plain and double: the limbs lie where the C code finds them
CREATE TYPE scan_total
(
    INPUT = scan_total_in,
    OUTPUT = scan_total_out,
    RECEIVE = scan_total_recv,
    SEND = scan_total_send,
    INTERNALLENGTH = variable,
    ALIGNMENT = double,
    STORAGE = plain
);
COMMENT ON TYPE scan_total IS
'exact sum of any number of double precision values; the totals of parts add up to the total of the whole';

CREATE FUNCTION scan_total_of_float8(double precision)
RETURNS scan_total AS 'MODULE_PATHNAME', 'scan_total_of_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_of_float8(double precision) IS
'internal: implementation of the cast from double precision to scan_total';

CREATE FUNCTION scan_total_to_float8(scan_total)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_total_to_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_to_float8(scan_total) IS
'internal: implementation of the cast from scan_total to double precision';

CREATE FUNCTION scan_total_to_numeric(scan_total)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_total_to_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_to_numeric(scan_total) IS
'internal: implementation of the cast from scan_total to numeric';

CREATE CAST (double precision AS scan_total) WITH FUNCTION scan_total_of_float8(double precision);
COMMENT ON CAST (double precision AS scan_total) IS 'the total of one value';
CREATE CAST (scan_total AS double precision) WITH FUNCTION scan_total_to_float8(scan_total) AS ASSIGNMENT;
COMMENT ON CAST (scan_total AS double precision) IS 'the total, rounded once';
CREATE CAST (scan_total AS numeric) WITH FUNCTION scan_total_to_numeric(scan_total) AS ASSIGNMENT;
COMMENT ON CAST (scan_total AS numeric) IS 'the exact total';

CREATE FUNCTION scan_total_add(scan_total, scan_total)
RETURNS scan_total AS 'MODULE_PATHNAME', 'scan_total_add' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_add(scan_total, scan_total) IS
'internal: implementation of operator + (scan_total, scan_total)';

CREATE FUNCTION scan_total_eq(scan_total, scan_total)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_total_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_eq(scan_total, scan_total) IS
'internal: implementation of operator = (scan_total, scan_total)';

CREATE FUNCTION scan_total_ne(scan_total, scan_total)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_total_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_ne(scan_total, scan_total) IS
'internal: implementation of operator <> (scan_total, scan_total)';

CREATE FUNCTION scan_total_hash(scan_total)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_total_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_hash(scan_total) IS 'internal: hash function of type scan_total';

CREATE FUNCTION scan_total_hash_extended(scan_total, bigint)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_total_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_total_hash_extended(scan_total, bigint) IS
'internal: hash function of type scan_total, with a seed';

CREATE OPERATOR + (LEFTARG = scan_total, RIGHTARG = scan_total, FUNCTION = scan_total_add, COMMUTATOR = +);
COMMENT ON OPERATOR + (scan_total, scan_total) IS 'the sum of two totals';
CREATE OPERATOR = (LEFTARG = scan_total, RIGHTARG = scan_total, FUNCTION = scan_total_eq, COMMUTATOR = =, NEGATOR = <>,
                   RESTRICT = eqsel, JOIN = eqjoinsel, HASHES);
COMMENT ON OPERATOR = (scan_total, scan_total) IS 'whether two totals are equal; -0 does not equal 0';
CREATE OPERATOR <> (LEFTARG = scan_total, RIGHTARG = scan_total, FUNCTION = scan_total_ne, COMMUTATOR = <>, NEGATOR = =,
                   RESTRICT = neqsel, JOIN = neqjoinsel);
COMMENT ON OPERATOR <> (scan_total, scan_total) IS 'whether two totals differ';

CREATE OPERATOR CLASS scan_total_ops DEFAULT FOR TYPE scan_total USING hash AS
    OPERATOR 1 =,
    FUNCTION 1 scan_total_hash(scan_total),
    FUNCTION 2 scan_total_hash_extended(scan_total, bigint);
COMMENT ON OPERATOR CLASS scan_total_ops USING hash IS 'hashes scan_total by its bytes: equal totals have equal bytes';

-- ---------------------------------------------------------------- totals

CREATE FUNCTION scan_sum(value smallint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_sum_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(smallint, boolean, boolean) IS
'returns the sum of value over the rows so far; reset starts the sum again, and exclusive leaves out the row itself';

CREATE FUNCTION scan_sum(value integer, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_sum_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(integer, boolean, boolean) IS
'returns the sum of value over the rows so far; reset starts the sum again, and exclusive leaves out the row itself';

CREATE FUNCTION scan_sum(value bigint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_sum_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(bigint, boolean, boolean) IS
'returns the sum of value over the rows so far, and raises an error at the first row where that sum is out of range for bigint';

CREATE FUNCTION scan_sum(value real, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS real AS 'MODULE_PATHNAME', 'scan_sum_float4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(real, boolean, boolean) IS
'returns the exact sum of value over the rows so far, rounded once to real';

CREATE FUNCTION scan_sum(value double precision, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_sum_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(double precision, boolean, boolean) IS
'returns the exact sum of value over the rows so far, rounded once';

CREATE FUNCTION scan_sum(value double precision, init scan_total, reset boolean DEFAULT false,
                         exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_sum_total' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(double precision, scan_total, boolean, boolean) IS
'returns the exact sum of init and of value over the rows so far, rounded once';

CREATE FUNCTION scan_sum(value bigint, init scan_total, reset boolean DEFAULT false,
                         exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_sum_total_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(bigint, scan_total, boolean, boolean) IS
'raises an error: with a total as init, the value must be of type double precision';

CREATE FUNCTION scan_sum(value numeric, init scan_total, reset boolean DEFAULT false,
                         exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_sum_total_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(numeric, scan_total, boolean, boolean) IS
'raises an error: with a total as init, the value must be of type double precision';

CREATE FUNCTION scan_sum(value numeric, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_sum_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(numeric, boolean, boolean) IS
'returns the sum of value over the rows so far; reset starts the sum again, and exclusive leaves out the row itself';

CREATE FUNCTION scan_sum(value interval, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS interval AS 'MODULE_PATHNAME', 'scan_sum_interval' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_sum(interval, boolean, boolean) IS
'returns the sum of value over the rows so far; months, days and time are added up separately, as interval addition does';

CREATE FUNCTION scan_product(value smallint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_product_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_product(smallint, boolean, boolean) IS
'returns the exact product of value over the rows so far';

CREATE FUNCTION scan_product(value integer, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_product_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_product(integer, boolean, boolean) IS
'returns the exact product of value over the rows so far';

CREATE FUNCTION scan_product(value bigint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_product_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_product(bigint, boolean, boolean) IS 'returns the exact product of value over the rows so far';

CREATE FUNCTION scan_product(value double precision, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_product_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_product(double precision, boolean, boolean) IS
'returns the product of value over the rows so far, exact within chunks of 4096 rows and rounded once; a product may leave the range of double precision and come back';

CREATE FUNCTION scan_product(value numeric, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_product_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_product(numeric, boolean, boolean) IS
'returns the product of value over the rows so far, by numeric multiplication';

CREATE FUNCTION scan_count(flag boolean, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_count_bool' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_count(boolean, boolean, boolean) IS
'returns the number of rows so far where flag is true; the number is never NULL';

CREATE FUNCTION scan_counter(value smallint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(smallint, boolean) IS
'returns how much a counter has gained so far, where the counter may restart at 0';

CREATE FUNCTION scan_counter(value integer, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(integer, boolean) IS
'returns how much a counter has gained so far, where the counter may restart at 0';

CREATE FUNCTION scan_counter(value bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_counter_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(bigint, boolean) IS
'returns how much a counter has gained so far, where the counter may restart at 0';

CREATE FUNCTION scan_counter(value double precision, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_counter_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(double precision, boolean) IS
'returns how much a counter has gained so far, where the counter may restart at 0; the exact gain is rounded once';

CREATE FUNCTION scan_counter(value numeric, reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_counter_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_counter(numeric, boolean) IS
'returns how much a counter has gained so far, where the counter may restart at 0';

-- -------------------------------------------------------------- extremes

CREATE FUNCTION scan_min(value anyelement, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_min_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_min(anyelement, boolean, boolean) IS
'returns the smallest value so far, by the default order of its type, with the rules of min() for NaN and ties';

CREATE FUNCTION scan_max(value anyelement, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_max_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_max(anyelement, boolean, boolean) IS
'returns the largest value so far, by the default order of its type, with the rules of max() for NaN and ties';

-- ----------------------------------------------------------------- logic

CREATE FUNCTION scan_bool_and(value boolean, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_bool_and_bool' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bool_and(boolean, boolean, boolean) IS 'returns whether every value so far is true';

CREATE FUNCTION scan_bool_or(value boolean, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_bool_or_bool' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bool_or(boolean, boolean, boolean) IS 'returns whether any value so far is true';

CREATE FUNCTION scan_bit_and(value smallint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS smallint AS 'MODULE_PATHNAME', 'scan_bit_and_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_and(smallint, boolean, boolean) IS 'returns the bitwise AND of the values so far';

CREATE FUNCTION scan_bit_and(value integer, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_bit_and_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_and(integer, boolean, boolean) IS 'returns the bitwise AND of the values so far';

CREATE FUNCTION scan_bit_and(value bigint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bit_and_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_and(bigint, boolean, boolean) IS 'returns the bitwise AND of the values so far';

CREATE FUNCTION scan_bit_and(value bit, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bit AS 'MODULE_PATHNAME', 'scan_bit_and_bit' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_and(bit, boolean, boolean) IS
'returns the bitwise AND of the bit strings so far, which must have the same length';

CREATE FUNCTION scan_bit_or(value smallint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS smallint AS 'MODULE_PATHNAME', 'scan_bit_or_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_or(smallint, boolean, boolean) IS 'returns the bitwise OR of the values so far';

CREATE FUNCTION scan_bit_or(value integer, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_bit_or_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_or(integer, boolean, boolean) IS 'returns the bitwise OR of the values so far';

CREATE FUNCTION scan_bit_or(value bigint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bit_or_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_or(bigint, boolean, boolean) IS 'returns the bitwise OR of the values so far';

CREATE FUNCTION scan_bit_or(value bit, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bit AS 'MODULE_PATHNAME', 'scan_bit_or_bit' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_or(bit, boolean, boolean) IS
'returns the bitwise OR of the bit strings so far, which must have the same length';

CREATE FUNCTION scan_bit_xor(value smallint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS smallint AS 'MODULE_PATHNAME', 'scan_bit_xor_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_xor(smallint, boolean, boolean) IS 'returns the bitwise exclusive OR of the values so far';

CREATE FUNCTION scan_bit_xor(value integer, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_bit_xor_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_xor(integer, boolean, boolean) IS 'returns the bitwise exclusive OR of the values so far';

CREATE FUNCTION scan_bit_xor(value bigint, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bit_xor_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_xor(bigint, boolean, boolean) IS 'returns the bitwise exclusive OR of the values so far';

CREATE FUNCTION scan_bit_xor(value bit, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS bit AS 'MODULE_PATHNAME', 'scan_bit_xor_bit' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bit_xor(bit, boolean, boolean) IS
'returns the bitwise exclusive OR of the bit strings so far, which must have the same length';

-- ----------------------------------------------- fill, compaction, split

CREATE FUNCTION scan_locf(value anyelement, max_gap bigint DEFAULT NULL, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, bigint, boolean) IS
'returns the last non-NULL value so far, carried forward over at most max_gap rows';

CREATE FUNCTION scan_locf(value anyelement, at bigint, max_age bigint, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, bigint, bigint, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age';

CREATE FUNCTION scan_locf(value anyelement, at double precision, max_age double precision, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, double precision, double precision, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age';

CREATE FUNCTION scan_locf(value anyelement, at numeric, max_age numeric, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, numeric, numeric, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age';

CREATE FUNCTION scan_locf(value anyelement, at date, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, date, interval, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age by the calendar';

CREATE FUNCTION scan_locf(value anyelement, at timestamp without time zone, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, timestamp without time zone, interval, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age by the calendar';

CREATE FUNCTION scan_locf(value anyelement, at timestamp with time zone, max_age interval, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_locf_timestamptz' LANGUAGE C WINDOW STABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_locf(anyelement, timestamp with time zone, interval, boolean) IS
'returns the last non-NULL value so far, or NULL if that value is older than max_age by the calendar';

CREATE FUNCTION scan_nocb(value anyelement, max_gap bigint DEFAULT NULL, reset boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_nocb_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_nocb(anyelement, bigint, boolean) IS
'returns the next non-NULL value, from the row itself on, carried backward over at most max_gap rows';

CREATE FUNCTION scan_interpolate(value double precision, at bigint, max_gap bigint DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, bigint, bigint, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at double precision, max_gap double precision DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, double precision, double precision, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at numeric, max_gap numeric DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, numeric, numeric, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at date, max_gap interval DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, date, interval, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at timestamp without time zone, max_gap interval DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, timestamp without time zone, interval, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION scan_interpolate(value double precision, at timestamp with time zone, max_gap interval DEFAULT NULL, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_interpolate_timestamptz' LANGUAGE C WINDOW STABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_interpolate(double precision, timestamp with time zone, interval, boolean) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION scan_compact_index(keep boolean)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_compact_index_bool' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_compact_index(boolean) IS
'returns the number of the row among the kept rows, from 1, or NULL if the row is not kept';

CREATE FUNCTION scan_compact(value anyelement, keep boolean)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_compact_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_compact(anyelement, boolean) IS
'returns the kept values, moved up to the first rows of the partition, and NULL in the rows after them';

CREATE FUNCTION scan_split_index("bit" boolean)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_split_index_bool' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_split_index(boolean) IS
'returns the position of the row, from 1, after moving rows with a false bit before rows with a true bit without changing the order of either (one pass of a radix sort)';

-- ----------------------------------------- clamps, sessions and automata

CREATE FUNCTION scan_clamped_sum(value smallint, lower bigint, upper bigint, init bigint DEFAULT 0, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_clamped_sum_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_clamped_sum(smallint, bigint, bigint, bigint, boolean) IS
'returns the running sum of value, kept between lower and upper after each row; NULL means no bound';

CREATE FUNCTION scan_clamped_sum(value integer, lower bigint, upper bigint, init bigint DEFAULT 0, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_clamped_sum_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_clamped_sum(integer, bigint, bigint, bigint, boolean) IS
'returns the running sum of value, kept between lower and upper after each row; NULL means no bound';

CREATE FUNCTION scan_clamped_sum(value bigint, lower bigint, upper bigint, init bigint DEFAULT 0, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_clamped_sum_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_clamped_sum(bigint, bigint, bigint, bigint, boolean) IS
'returns the running sum of value, kept between lower and upper after each row; NULL means no bound';

CREATE FUNCTION scan_clamped_sum(value double precision, lower double precision, upper double precision, init double precision DEFAULT 0, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_clamped_sum_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_clamped_sum(double precision, double precision, double precision, double precision, boolean) IS
'returns the running sum of value, kept between lower and upper after each row, exact and rounded once; NULL means no bound';

CREATE FUNCTION scan_clamped_sum(value numeric, lower numeric, upper numeric, init numeric DEFAULT 0, reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_clamped_sum_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_clamped_sum(numeric, numeric, numeric, numeric, boolean) IS
'returns the running sum of value, kept between lower and upper after each row; NULL means no bound';

CREATE FUNCTION scan_bin(value smallint, capacity bigint, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(smallint, bigint, boolean, boolean) IS
'returns the number of the bin, from 1; the next bin begins at the row that would exceed capacity, or with overfill after the row that reaches capacity';

CREATE FUNCTION scan_bin(value integer, capacity bigint, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(integer, bigint, boolean, boolean) IS
'returns the number of the bin, from 1; the next bin begins at the row that would exceed capacity, or with overfill after the row that reaches capacity';

CREATE FUNCTION scan_bin(value bigint, capacity bigint, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(bigint, bigint, boolean, boolean) IS
'returns the number of the bin, from 1; the next bin begins at the row that would exceed capacity, or with overfill after the row that reaches capacity';

CREATE FUNCTION scan_bin(value double precision, capacity double precision, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(double precision, double precision, boolean, boolean) IS
'returns the number of the bin, from 1; the next bin begins at the row that would exceed capacity, or with overfill after the row that reaches capacity';

CREATE FUNCTION scan_bin(value numeric, capacity numeric, overfill boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_bin_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_bin(numeric, numeric, boolean, boolean) IS
'returns the number of the bin, from 1; the next bin begins at the row that would exceed capacity, or with overfill after the row that reaches capacity';

CREATE FUNCTION scan_session(at smallint, gap bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_int2' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(smallint, bigint, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at exceeds the previous at by more than gap';

CREATE FUNCTION scan_session(at integer, gap bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(integer, bigint, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at exceeds the previous at by more than gap';

CREATE FUNCTION scan_session(at bigint, gap bigint, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(bigint, bigint, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at exceeds the previous at by more than gap';

CREATE FUNCTION scan_session(at double precision, gap double precision, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(double precision, double precision, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at exceeds the previous at by more than gap, computed exactly';

CREATE FUNCTION scan_session(at numeric, gap numeric, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(numeric, numeric, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at exceeds the previous at by more than gap';

CREATE FUNCTION scan_session(at date, gap interval, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(date, interval, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at is after the previous at + gap, by the calendar';

CREATE FUNCTION scan_session(at timestamp without time zone, gap interval, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(timestamp without time zone, interval, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at is after the previous at + gap, by the calendar';

CREATE FUNCTION scan_session(at timestamp with time zone, gap interval, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_session_timestamptz' LANGUAGE C WINDOW STABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_session(timestamp with time zone, interval, boolean) IS
'returns the number of the session, from 1; a session begins at a row whose at is after the previous at + gap, by the calendar';

CREATE FUNCTION scan_change(value anyelement, reset boolean DEFAULT false)
RETURNS bigint AS 'MODULE_PATHNAME', 'scan_change_any' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_change(anyelement, boolean) IS
'returns the number, from 1, of the run of equal values that the row belongs to; NULLs count as equal';

CREATE FUNCTION scan_state(input integer, transitions integer[], start integer DEFAULT 0, reset boolean DEFAULT false)
RETURNS integer AS 'MODULE_PATHNAME', 'scan_state_int4' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_state(integer, integer[], integer, boolean) IS
'returns the state of a finite automaton after the row, which is transitions[state + 1][input + 1]';

CREATE FUNCTION scan_carry(generate boolean, propagate boolean, carry_in boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS boolean AS 'MODULE_PATHNAME', 'scan_carry_bool' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_carry(boolean, boolean, boolean, boolean) IS
'returns the carry out of the row, which is generate OR (propagate AND the carry out of the row before)';

CREATE FUNCTION scan_matrix_product(m double precision[], reset boolean DEFAULT false)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'scan_matrix_product_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_matrix_product(double precision[], boolean) IS
'returns the product of the square matrices so far, the newest on the left; each entry is a dot product, rounded once';

CREATE FUNCTION scan_fold(value anyelement, op regprocedure, reset boolean DEFAULT false, exclusive boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_fold_any' LANGUAGE C WINDOW VOLATILE PARALLEL RESTRICTED
SUPPORT scan_support;
COMMENT ON FUNCTION scan_fold(anyelement, regprocedure, boolean, boolean) IS
'returns the values so far, combined as op(previous result, value); op is any function of two arguments that the caller may execute';

CREATE FUNCTION scan_fold(value anycompatible, op regprocedure, init anyelement, reset boolean DEFAULT false,
                          exclusive boolean DEFAULT false)
RETURNS anyelement AS 'MODULE_PATHNAME', 'scan_fold_init' LANGUAGE C WINDOW VOLATILE PARALLEL RESTRICTED
SUPPORT scan_support;
COMMENT ON FUNCTION scan_fold(anycompatible, regprocedure, anyelement, boolean, boolean) IS
'returns the state after the row, which is op(previous state, value) and begins with init; op need not be associative';

CREATE FUNCTION scan_cost(quantity numeric, price numeric, method text DEFAULT 'fifo', reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_cost_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_cost(numeric, numeric, text, boolean) IS
'returns what the units that go out at the row (quantity < 0) cost when they came in (quantity > 0), by method fifo, lifo or average';

-- ----------------------------------------------------------- recurrences

CREATE FUNCTION scan_recurrence(a double precision, b double precision, init double precision DEFAULT 0, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_recurrence_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_recurrence(double precision, double precision, double precision, boolean) IS
'returns a times the result of the row before, plus b; exact within chunks of 4096 rows, and each result is rounded once';

CREATE FUNCTION scan_recurrence(a numeric, b numeric, init numeric DEFAULT 0, reset boolean DEFAULT false)
RETURNS numeric AS 'MODULE_PATHNAME', 'scan_recurrence_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_recurrence(numeric, numeric, numeric, boolean) IS
'returns a times the result of the row before, plus b; each result is rounded to max(16, scale of b, scale of init) digits after the point';

CREATE FUNCTION scan_recurrence(a double precision[], b double precision, init double precision[], reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_recurrence_vector' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_recurrence(double precision[], double precision, double precision[], boolean) IS
'returns b plus a[1] times the result of the row before, up to a[k] times the result k rows before (a recurrence of order k)';

CREATE FUNCTION scan_filter(value double precision, numerator double precision[], denominator double precision[], reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_filter_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_filter(double precision, double precision[], double precision[], boolean) IS
'returns the output of a linear digital (IIR) filter, as SciPy''s lfilter from a state of zeros';

CREATE FUNCTION scan_ema(value double precision, alpha double precision, adjust boolean DEFAULT false, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, double precision, boolean, boolean) IS
'returns the exponential moving average of value, as ewm(alpha, adjust, ignore_na=True) of pandas';

CREATE FUNCTION scan_ema(value double precision, at timestamp with time zone, half_life interval, reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_ema_by_time' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_ema(double precision, timestamp with time zone, interval, boolean) IS
'returns the exponential moving average of value at irregular times; the weight of a value halves with each half_life';

CREATE FUNCTION scan_integral(value double precision, at bigint, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_int8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, bigint, text, boolean) IS
'returns the area so far under the line or the steps through the values, in value times units of at, rounded once';

CREATE FUNCTION scan_integral(value double precision, at double precision, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_float8' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, double precision, text, boolean) IS
'returns the area so far under the line or the steps through the values, in value times units of at, rounded once';

CREATE FUNCTION scan_integral(value double precision, at numeric, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_numeric' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, numeric, text, boolean) IS
'returns the area so far under the line or the steps through the values, in value times units of at, rounded once';

CREATE FUNCTION scan_integral(value double precision, at date, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_date' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, date, text, boolean) IS
'returns the area so far under the line or the steps through the values, in value times seconds, rounded once';

CREATE FUNCTION scan_integral(value double precision, at timestamp without time zone, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_timestamp' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, timestamp without time zone, text, boolean) IS
'returns the area so far under the line or the steps through the values, in value times seconds, rounded once';

CREATE FUNCTION scan_integral(value double precision, at timestamp with time zone, method text DEFAULT 'linear', reset boolean DEFAULT false)
RETURNS double precision AS 'MODULE_PATHNAME', 'scan_integral_timestamptz' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE
SUPPORT scan_support;
COMMENT ON FUNCTION scan_integral(double precision, timestamp with time zone, text, boolean) IS
'returns the area so far under the line or the steps through the values, in value times seconds, rounded once';

-- ------------------------------------------------------------ aggregates

CREATE TYPE total_state;

CREATE FUNCTION total_state_in(cstring)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_in(cstring) IS 'internal: input function of type total_state';

CREATE FUNCTION total_state_out(total_state)
RETURNS cstring AS 'MODULE_PATHNAME', 'total_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_out(total_state) IS 'internal: output function of type total_state';

CREATE FUNCTION total_state_recv(internal)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_recv(internal) IS 'internal: receive function of type total_state';

CREATE FUNCTION total_state_send(total_state)
RETURNS bytea AS 'MODULE_PATHNAME', 'total_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION total_state_send(total_state) IS 'internal: send function of type total_state';

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
COMMENT ON TYPE total_state IS 'internal: transition value of aggregate scan_total';

CREATE FUNCTION total_add_float8(total_state, double precision)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_float8(total_state, double precision) IS 'internal: transition function of scan_total';

CREATE FUNCTION total_add_total(total_state, scan_total)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_total' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_total(total_state, scan_total) IS 'internal: transition function of scan_total';

CREATE FUNCTION total_combine(total_state, total_state)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_combine(total_state, total_state) IS 'internal: combine function of scan_total';

CREATE FUNCTION total_final(total_state)
RETURNS scan_total AS 'MODULE_PATHNAME', 'total_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_final(total_state) IS 'internal: final function of scan_total';

CREATE AGGREGATE scan_total(double precision)
(
    SFUNC = total_add_float8, STYPE = total_state, FINALFUNC = total_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_total(double precision) IS
'returns the exact sum as a total, to which other totals can be added';

CREATE AGGREGATE scan_total(scan_total)
(
    SFUNC = total_add_total, STYPE = total_state, FINALFUNC = total_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_total(scan_total) IS 'returns the sum of totals';

CREATE FUNCTION total_add_int8(total_state, bigint)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_int8(total_state, bigint) IS 'internal: transition function of scan_total';

CREATE FUNCTION total_add_numeric(total_state, numeric)
RETURNS total_state AS 'MODULE_PATHNAME', 'total_add_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION total_add_numeric(total_state, numeric) IS 'internal: transition function of scan_total';

CREATE AGGREGATE scan_total(bigint)
(
    SFUNC = total_add_int8, STYPE = total_state, FINALFUNC = total_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_total(bigint) IS 'returns the exact sum as a total, to which other totals can be added';

CREATE AGGREGATE scan_total(numeric)
(
    SFUNC = total_add_numeric, STYPE = total_state, FINALFUNC = total_final, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = total_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE scan_total(numeric) IS
'raises an error: a total cannot hold every numeric value, so use exact_sum';

CREATE TYPE exact_state;

CREATE FUNCTION exact_state_in(cstring)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_in(cstring) IS 'internal: input function of type exact_state';

CREATE FUNCTION exact_state_out(exact_state)
RETURNS cstring AS 'MODULE_PATHNAME', 'exact_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_out(exact_state) IS 'internal: output function of type exact_state';

CREATE FUNCTION exact_state_recv(internal)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_recv(internal) IS 'internal: receive function of type exact_state';

CREATE FUNCTION exact_state_send(exact_state)
RETURNS bytea AS 'MODULE_PATHNAME', 'exact_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION exact_state_send(exact_state) IS 'internal: send function of type exact_state';

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
COMMENT ON TYPE exact_state IS 'internal: transition value of the exact aggregates and time_average';

CREATE FUNCTION exact_add_float8(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_float8(exact_state, double precision) IS
'internal: transition function of exact_sum and exact_avg';

CREATE FUNCTION exact_add_float4(exact_state, real)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_float4(exact_state, real) IS 'internal: transition function of exact_sum';

CREATE FUNCTION exact_add_square(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_square' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_square(exact_state, double precision) IS
'internal: transition function of exact_var_pop, exact_var_samp, exact_stddev_pop and exact_stddev_samp';

CREATE FUNCTION exact_remove_float8(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_float8(exact_state, double precision) IS
'internal: inverse transition function of exact_sum and exact_avg';

CREATE FUNCTION exact_remove_float4(exact_state, real)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_float4(exact_state, real) IS 'internal: inverse transition function of exact_sum';

CREATE FUNCTION exact_remove_square(exact_state, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_square' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_square(exact_state, double precision) IS
'internal: inverse transition function of exact_var_pop, exact_var_samp, exact_stddev_pop and exact_stddev_samp';

CREATE FUNCTION exact_combine(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_combine(exact_state, exact_state) IS
'internal: combine function of exact_sum, exact_avg, exact_var_pop, exact_var_samp, exact_stddev_pop and exact_stddev_samp';

CREATE FUNCTION exact_final_sum_float8(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_sum_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_sum_float8(exact_state) IS 'internal: final function of exact_sum';

CREATE FUNCTION exact_final_sum_float4(exact_state)
RETURNS real AS 'MODULE_PATHNAME', 'exact_final_sum_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_sum_float4(exact_state) IS 'internal: final function of exact_sum';

CREATE FUNCTION exact_final_avg(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_avg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_avg(exact_state) IS 'internal: final function of exact_avg';

CREATE FUNCTION exact_final_var_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_var_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_var_pop(exact_state) IS 'internal: final function of exact_var_pop';

CREATE FUNCTION exact_final_var_samp(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_var_samp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_var_samp(exact_state) IS 'internal: final function of exact_var_samp';

CREATE FUNCTION exact_final_stddev_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_stddev_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_stddev_pop(exact_state) IS 'internal: final function of exact_stddev_pop';

CREATE FUNCTION exact_final_stddev_samp(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_stddev_samp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_stddev_samp(exact_state) IS 'internal: final function of exact_stddev_samp';

CREATE FUNCTION exact_add_pair(exact_state, double precision, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair(exact_state, double precision, double precision) IS
'internal: transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_remove_pair(exact_state, double precision, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_pair' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_pair(exact_state, double precision, double precision) IS
'internal: inverse transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_add_pair_int8(exact_state, bigint, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_int8(exact_state, bigint, bigint) IS
'internal: transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_remove_pair_int8(exact_state, bigint, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_remove_pair_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_remove_pair_int8(exact_state, bigint, bigint) IS
'internal: inverse transition function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_add_pair_numeric(exact_state, numeric, numeric)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_add_pair_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_add_pair_numeric(exact_state, numeric, numeric) IS
'internal: transition function of the exact covariances, correlations and regressions of numeric, which raises an error';

CREATE FUNCTION exact_combine_pairs(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'exact_combine_pairs' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_combine_pairs(exact_state, exact_state) IS
'internal: combine function of exact_covar_pop, exact_covar_samp, exact_corr, exact_regr_slope, exact_regr_intercept and exact_regr_r2';

CREATE FUNCTION exact_final_covar_pop(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_covar_pop' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_covar_pop(exact_state) IS 'internal: final function of exact_covar_pop';

CREATE FUNCTION exact_final_covar_samp(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_covar_samp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_covar_samp(exact_state) IS 'internal: final function of exact_covar_samp';

CREATE FUNCTION exact_final_corr(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_corr' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_corr(exact_state) IS 'internal: final function of exact_corr';

CREATE FUNCTION exact_final_regr_slope(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_regr_slope' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_regr_slope(exact_state) IS 'internal: final function of exact_regr_slope';

CREATE FUNCTION exact_final_regr_intercept(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_regr_intercept' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_regr_intercept(exact_state) IS 'internal: final function of exact_regr_intercept';

CREATE FUNCTION exact_final_regr_r2(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'exact_final_regr_r2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION exact_final_regr_r2(exact_state) IS 'internal: final function of exact_regr_r2';

-- Where a frame moves, the rows that leave it are taken out again.  A real is a double
-- precision as it is, but for a sum, whose type it gives.
CREATE AGGREGATE exact_sum(double precision)
(
    SFUNC = exact_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = exact_final_sum_float8,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state, MSSPACE = 192,
    MFINALFUNC = exact_final_sum_float8, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(double precision) IS
'returns the exact sum, rounded once: the same bits in any order of the rows';

CREATE AGGREGATE exact_sum(real)
(
    SFUNC = exact_add_float4, STYPE = exact_state, SSPACE = 192, FINALFUNC = exact_final_sum_float4,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_float4, MINVFUNC = exact_remove_float4, MSTYPE = exact_state, MSSPACE = 192,
    MFINALFUNC = exact_final_sum_float4, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(real) IS 'returns the exact sum, rounded once: the same bits in any order of the rows';

CREATE AGGREGATE exact_avg(double precision)
(
    SFUNC = exact_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = exact_final_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state, MSSPACE = 192,
    MFINALFUNC = exact_final_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(double precision) IS
'returns the exact sum divided by the number of values, rounded once';

CREATE AGGREGATE exact_var_pop(double precision)
(
    SFUNC = exact_add_square, STYPE = exact_state, SSPACE = 288, FINALFUNC = exact_final_var_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square, MINVFUNC = exact_remove_square, MSTYPE = exact_state, MSSPACE = 288,
    MFINALFUNC = exact_final_var_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(double precision) IS 'returns the exact population variance, rounded once';

CREATE AGGREGATE exact_var_samp(double precision)
(
    SFUNC = exact_add_square, STYPE = exact_state, SSPACE = 288, FINALFUNC = exact_final_var_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square, MINVFUNC = exact_remove_square, MSTYPE = exact_state, MSSPACE = 288,
    MFINALFUNC = exact_final_var_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(double precision) IS 'returns the exact sample variance, rounded once';

CREATE AGGREGATE exact_stddev_pop(double precision)
(
    SFUNC = exact_add_square, STYPE = exact_state, SSPACE = 288, FINALFUNC = exact_final_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square, MINVFUNC = exact_remove_square, MSTYPE = exact_state, MSSPACE = 288,
    MFINALFUNC = exact_final_stddev_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(double precision) IS
'returns the square root of the exact population variance, rounded once';

CREATE AGGREGATE exact_stddev_samp(double precision)
(
    SFUNC = exact_add_square, STYPE = exact_state, SSPACE = 288, FINALFUNC = exact_final_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine,
    MSFUNC = exact_add_square, MINVFUNC = exact_remove_square, MSTYPE = exact_state, MSSPACE = 288,
    MFINALFUNC = exact_final_stddev_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(double precision) IS
'returns the square root of the exact sample variance, rounded once';

-- Integers and numerics are added up by PostgreSQL's own functions, which are exact, and their
-- results are numerics.  But for two sums these are the stock aggregates under another name,
-- and PrefixScan knows them by that.
CREATE AGGREGATE exact_sum(smallint)
(
    SFUNC = int2_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_sum,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum, MINVFUNC = int2_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_sum, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(smallint) IS 'returns the exact sum';

CREATE AGGREGATE exact_sum(integer)
(
    SFUNC = int4_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_sum,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum, MINVFUNC = int4_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_sum, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(integer) IS 'returns the exact sum';

CREATE AGGREGATE exact_sum(bigint)
(
    SFUNC = int8_avg_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_sum,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = int8_avg_combine, SERIALFUNC = int8_avg_serialize,
    DESERIALFUNC = int8_avg_deserialize,
    MSFUNC = int8_avg_accum, MINVFUNC = int8_avg_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_sum, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(bigint) IS 'returns the exact sum';

CREATE AGGREGATE exact_sum(numeric)
(
    SFUNC = numeric_avg_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_sum,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_avg_combine, SERIALFUNC = numeric_avg_serialize,
    DESERIALFUNC = numeric_avg_deserialize,
    MSFUNC = numeric_avg_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_sum, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_sum(numeric) IS 'returns the exact sum';

CREATE AGGREGATE exact_avg(smallint)
(
    SFUNC = int2_avg_accum, STYPE = int8[], FINALFUNC = int8_avg, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = int4_avg_combine, INITCOND = '{0,0}',
    MSFUNC = int2_avg_accum, MINVFUNC = int2_avg_accum_inv, MSTYPE = int8[], MFINALFUNC = int8_avg,
    MFINALFUNC_MODIFY = READ_ONLY, MINITCOND = '{0,0}', PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(smallint) IS 'returns the exact sum divided by the number of values, as avg() divides';

CREATE AGGREGATE exact_avg(integer)
(
    SFUNC = int4_avg_accum, STYPE = int8[], FINALFUNC = int8_avg, FINALFUNC_MODIFY = READ_ONLY,
    COMBINEFUNC = int4_avg_combine, INITCOND = '{0,0}',
    MSFUNC = int4_avg_accum, MINVFUNC = int4_avg_accum_inv, MSTYPE = int8[], MFINALFUNC = int8_avg,
    MFINALFUNC_MODIFY = READ_ONLY, MINITCOND = '{0,0}', PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(integer) IS 'returns the exact sum divided by the number of values, as avg() divides';

CREATE AGGREGATE exact_avg(bigint)
(
    SFUNC = int8_avg_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = int8_avg_combine, SERIALFUNC = int8_avg_serialize,
    DESERIALFUNC = int8_avg_deserialize,
    MSFUNC = int8_avg_accum, MINVFUNC = int8_avg_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(bigint) IS 'returns the exact sum divided by the number of values, as avg() divides';

CREATE AGGREGATE exact_avg(numeric)
(
    SFUNC = numeric_avg_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_avg,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_avg_combine, SERIALFUNC = numeric_avg_serialize,
    DESERIALFUNC = numeric_avg_deserialize,
    MSFUNC = numeric_avg_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_avg, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_avg(numeric) IS 'returns the exact sum divided by the number of values, as avg() divides';

CREATE AGGREGATE exact_var_pop(smallint)
(
    SFUNC = int2_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_var_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum, MINVFUNC = int2_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(smallint) IS
'returns the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_pop(integer)
(
    SFUNC = int4_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_var_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum, MINVFUNC = int4_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(integer) IS
'returns the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_pop(bigint)
(
    SFUNC = int8_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_var_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum, MINVFUNC = int8_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_var_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(bigint) IS
'returns the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_pop(numeric)
(
    SFUNC = numeric_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_var_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_var_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_pop(numeric) IS
'returns the exact population variance, rounded once, as var_pop() divides';

CREATE AGGREGATE exact_var_samp(smallint)
(
    SFUNC = int2_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_var_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum, MINVFUNC = int2_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(smallint) IS
'returns the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_var_samp(integer)
(
    SFUNC = int4_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_var_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum, MINVFUNC = int4_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_var_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(integer) IS
'returns the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_var_samp(bigint)
(
    SFUNC = int8_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_var_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum, MINVFUNC = int8_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_var_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(bigint) IS 'returns the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_var_samp(numeric)
(
    SFUNC = numeric_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_var_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_var_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_var_samp(numeric) IS
'returns the exact sample variance, rounded once, as var_samp() divides';

CREATE AGGREGATE exact_stddev_pop(smallint)
(
    SFUNC = int2_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum, MINVFUNC = int2_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(smallint) IS
'returns the square root of the population variance, as stddev_pop() computes it';

CREATE AGGREGATE exact_stddev_pop(integer)
(
    SFUNC = int4_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum, MINVFUNC = int4_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(integer) IS
'returns the square root of the population variance, as stddev_pop() computes it';

CREATE AGGREGATE exact_stddev_pop(bigint)
(
    SFUNC = int8_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum, MINVFUNC = int8_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_stddev_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(bigint) IS
'returns the square root of the population variance, as stddev_pop() computes it';

CREATE AGGREGATE exact_stddev_pop(numeric)
(
    SFUNC = numeric_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_stddev_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_stddev_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_pop(numeric) IS
'returns the square root of the population variance, as stddev_pop() computes it';

CREATE AGGREGATE exact_stddev_samp(smallint)
(
    SFUNC = int2_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int2_accum, MINVFUNC = int2_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(smallint) IS
'returns the square root of the sample variance, as stddev_samp() computes it';

CREATE AGGREGATE exact_stddev_samp(integer)
(
    SFUNC = int4_accum, STYPE = internal, SSPACE = 48, FINALFUNC = numeric_poly_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_poly_combine, SERIALFUNC = numeric_poly_serialize,
    DESERIALFUNC = numeric_poly_deserialize,
    MSFUNC = int4_accum, MINVFUNC = int4_accum_inv, MSTYPE = internal, MSSPACE = 48,
    MFINALFUNC = numeric_poly_stddev_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(integer) IS
'returns the square root of the sample variance, as stddev_samp() computes it';

CREATE AGGREGATE exact_stddev_samp(bigint)
(
    SFUNC = int8_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = int8_accum, MINVFUNC = int8_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_stddev_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(bigint) IS
'returns the square root of the sample variance, as stddev_samp() computes it';

CREATE AGGREGATE exact_stddev_samp(numeric)
(
    SFUNC = numeric_accum, STYPE = internal, SSPACE = 128, FINALFUNC = numeric_stddev_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = numeric_combine, SERIALFUNC = numeric_serialize,
    DESERIALFUNC = numeric_deserialize,
    MSFUNC = numeric_accum, MINVFUNC = numeric_accum_inv, MSTYPE = internal, MSSPACE = 128,
    MFINALFUNC = numeric_stddev_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_stddev_samp(numeric) IS
'returns the square root of the sample variance, as stddev_samp() computes it';

-- -------------------- aggregates over any frame, by the order of the values

CREATE AGGREGATE exact_covar_pop(y double precision, x double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_covar_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(double precision, double precision) IS
'returns the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y double precision, x double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_covar_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(double precision, double precision) IS
'returns the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y double precision, x double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_corr, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(double precision, double precision) IS
'returns the exact correlation coefficient, rounded once and never above 1';

CREATE AGGREGATE exact_regr_slope(y double precision, x double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_regr_slope, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(double precision, double precision) IS
'returns the exact slope of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_intercept(y double precision, x double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_regr_intercept, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(double precision, double precision) IS
'returns the exact y-intercept of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_r2(y double precision, x double precision)
(
    SFUNC = exact_add_pair, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair, MINVFUNC = exact_remove_pair, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_regr_r2, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(double precision, double precision) IS
'returns the square of the exact correlation coefficient, rounded once';

CREATE AGGREGATE exact_covar_pop(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_covar_pop, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(bigint, bigint) IS
'returns the exact population covariance of y and x, rounded once';

CREATE AGGREGATE exact_covar_samp(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_covar_samp, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(bigint, bigint) IS 'returns the exact sample covariance of y and x, rounded once';

CREATE AGGREGATE exact_corr(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_corr, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(bigint, bigint) IS
'returns the exact correlation coefficient, rounded once and never above 1';

CREATE AGGREGATE exact_regr_slope(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_regr_slope, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(bigint, bigint) IS
'returns the exact slope of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_intercept(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_regr_intercept, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(bigint, bigint) IS
'returns the exact y-intercept of the least-squares line through all (x, y), rounded once';

CREATE AGGREGATE exact_regr_r2(y bigint, x bigint)
(
    SFUNC = exact_add_pair_int8, STYPE = exact_state, SSPACE = 448, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = exact_combine_pairs,
    MSFUNC = exact_add_pair_int8, MINVFUNC = exact_remove_pair_int8, MSTYPE = exact_state, MSSPACE = 448,
    MFINALFUNC = exact_final_regr_r2, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(bigint, bigint) IS
'returns the square of the exact correlation coefficient, rounded once';

-- Else a numeric would be cast to double precision without a word.
CREATE AGGREGATE exact_covar_pop(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_pop,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_pop(numeric, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_covar_samp(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_covar_samp,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_covar_samp(numeric, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_corr(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_corr,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_corr(numeric, numeric) IS 'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_slope(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_slope,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_slope(numeric, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_intercept(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_intercept,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_intercept(numeric, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE AGGREGATE exact_regr_r2(y numeric, x numeric)
(
    SFUNC = exact_add_pair_numeric, STYPE = exact_state, FINALFUNC = exact_final_regr_r2,
    FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE exact_regr_r2(numeric, numeric) IS
'raises an error with a hint: numeric arguments are not supported';

CREATE FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamptz(exact_state, double precision, timestamp with time zone, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_timestamp(exact_state, double precision, timestamp without time zone, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_date(exact_state, double precision, date)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_date(exact_state, double precision, date) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_date(exact_state, double precision, date, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_date(exact_state, double precision, date, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_int8(exact_state, double precision, bigint)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_int8(exact_state, double precision, bigint) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_int8(exact_state, double precision, bigint, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_int8(exact_state, double precision, bigint, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_float8(exact_state, double precision, double precision)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_float8(exact_state, double precision, double precision) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_add_float8(exact_state, double precision, double precision, text)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_add_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_add_float8(exact_state, double precision, double precision, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamptz(internal, double precision, timestamp with time zone, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_timestamp(internal, double precision, timestamp without time zone, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_date(internal, double precision, date)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_date(internal, double precision, date) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_date(internal, double precision, date, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_date(internal, double precision, date, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_int8(internal, double precision, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_int8(internal, double precision, bigint) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_int8(internal, double precision, bigint, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_int8(internal, double precision, bigint, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_float8(internal, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_float8(internal, double precision, double precision) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_enter_float8(internal, double precision, double precision, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_enter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_enter_float8(internal, double precision, double precision, text) IS
'internal: transition function of time_average';

CREATE FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamptz' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamptz(internal, double precision, timestamp with time zone, text) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_timestamp' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_timestamp(internal, double precision, timestamp without time zone, text) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_date(internal, double precision, date)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_date(internal, double precision, date) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_date(internal, double precision, date, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_date' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_date(internal, double precision, date, text) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_int8(internal, double precision, bigint)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_int8(internal, double precision, bigint) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_int8(internal, double precision, bigint, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_int8(internal, double precision, bigint, text) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_float8(internal, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_float8(internal, double precision, double precision) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_leave_float8(internal, double precision, double precision, text)
RETURNS internal AS 'MODULE_PATHNAME', 'time_average_leave_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_leave_float8(internal, double precision, double precision, text) IS
'internal: inverse transition function of time_average';

CREATE FUNCTION time_average_combine(exact_state, exact_state)
RETURNS exact_state AS 'MODULE_PATHNAME', 'time_average_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_combine(exact_state, exact_state) IS 'internal: combine function of time_average';

CREATE FUNCTION time_average_final(exact_state)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_average_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_final(exact_state) IS 'internal: final function of time_average';

CREATE FUNCTION time_average_moving_final(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'time_average_moving_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION time_average_moving_final(internal) IS 'internal: final function of time_average';

-- The order of the rows matters: time_average(value, at ORDER BY at) in a group, the window's ORDER BY over frames.  Over
-- frames that move, the state has the frame's rows.
CREATE AGGREGATE time_average(value double precision, at timestamp with time zone)
(
    SFUNC = time_average_add_timestamptz, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamptz, MINVFUNC = time_average_leave_timestamptz, MSTYPE = internal,
    MSSPACE = 1536, MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp with time zone) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at timestamp with time zone, method text)
(
    SFUNC = time_average_add_timestamptz, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamptz, MINVFUNC = time_average_leave_timestamptz, MSTYPE = internal,
    MSSPACE = 1536, MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp with time zone, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at timestamp without time zone)
(
    SFUNC = time_average_add_timestamp, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamp, MINVFUNC = time_average_leave_timestamp, MSTYPE = internal,
    MSSPACE = 1536, MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp without time zone) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at timestamp without time zone, method text)
(
    SFUNC = time_average_add_timestamp, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_timestamp, MINVFUNC = time_average_leave_timestamp, MSTYPE = internal,
    MSSPACE = 1536, MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, timestamp without time zone, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at date)
(
    SFUNC = time_average_add_date, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_date, MINVFUNC = time_average_leave_date, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, date) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at date, method text)
(
    SFUNC = time_average_add_date, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_date, MINVFUNC = time_average_leave_date, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, date, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at bigint)
(
    SFUNC = time_average_add_int8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_int8, MINVFUNC = time_average_leave_int8, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, bigint) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at bigint, method text)
(
    SFUNC = time_average_add_int8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_int8, MINVFUNC = time_average_leave_int8, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, bigint, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';

CREATE AGGREGATE time_average(value double precision, at double precision)
(
    SFUNC = time_average_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_float8, MINVFUNC = time_average_leave_float8, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, double precision) IS
'returns the average over time of a value that changes in a straight line from row to row; write time_average(value, at ORDER BY at)';

CREATE AGGREGATE time_average(value double precision, at double precision, method text)
(
    SFUNC = time_average_add_float8, STYPE = exact_state, SSPACE = 192, FINALFUNC = time_average_final,
    FINALFUNC_MODIFY = READ_ONLY, COMBINEFUNC = time_average_combine,
    MSFUNC = time_average_enter_float8, MINVFUNC = time_average_leave_float8, MSTYPE = internal, MSSPACE = 1536,
    MFINALFUNC = time_average_moving_final, MFINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE time_average(double precision, double precision, text) IS
'returns the average over time; with method linear, the value changes in a straight line from row to row, and with previous, it holds until the next row';

CREATE FUNCTION moving_accumulate(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_accumulate(internal, anyelement) IS 'internal: transition function of moving_median';

CREATE FUNCTION moving_percentile_accumulate(internal, anyelement, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_percentile_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_accumulate(internal, anyelement, double precision) IS
'internal: transition function of moving_percentile_cont and moving_percentile_disc';

CREATE FUNCTION moving_group_accumulate(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_group_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_group_accumulate(internal, anyelement) IS
'internal: transition function of moving_mode and moving_count_distinct';

CREATE FUNCTION moving_remove(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_remove(internal, anyelement) IS 'internal: inverse transition function of moving_median';

CREATE FUNCTION moving_remove(internal, anyelement, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_remove(internal, anyelement, double precision) IS
'internal: inverse transition function of moving_percentile_cont and moving_percentile_disc';

CREATE FUNCTION moving_group_remove(internal, anyelement)
RETURNS internal AS 'MODULE_PATHNAME', 'moving_group_remove' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_group_remove(internal, anyelement) IS
'internal: inverse transition function of moving_mode and moving_count_distinct';

CREATE FUNCTION moving_percentile_cont_final_float8(internal)
RETURNS double precision AS 'MODULE_PATHNAME', 'moving_percentile_cont_final_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_cont_final_float8(internal) IS
'internal: final function of moving_median and moving_percentile_cont';

CREATE FUNCTION moving_percentile_cont_final_interval(internal)
RETURNS interval AS 'MODULE_PATHNAME', 'moving_percentile_cont_final_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_cont_final_interval(internal) IS
'internal: final function of moving_median and moving_percentile_cont';

CREATE FUNCTION moving_median_final_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'moving_median_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_median_final_numeric(internal) IS 'internal: final function of moving_median';

CREATE FUNCTION moving_percentile_cont_final_numeric(internal)
RETURNS numeric AS 'MODULE_PATHNAME', 'moving_percentile_cont_final_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_cont_final_numeric(internal) IS
'internal: final function of moving_percentile_cont';

CREATE FUNCTION moving_percentile_disc_final(internal, anyelement, double precision)
RETURNS anyelement AS 'MODULE_PATHNAME', 'moving_percentile_disc_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_percentile_disc_final(internal, anyelement, double precision) IS
'internal: final function of moving_percentile_disc';

CREATE FUNCTION moving_mode_final(internal, anyelement)
RETURNS anyelement AS 'MODULE_PATHNAME', 'moving_mode_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_mode_final(internal, anyelement) IS 'internal: final function of moving_mode';

CREATE FUNCTION moving_count_distinct_final(internal)
RETURNS bigint AS 'MODULE_PATHNAME', 'moving_count_distinct_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION moving_count_distinct_final(internal) IS 'internal: final function of moving_count_distinct';

CREATE AGGREGATE moving_median(value double precision)
(
    SFUNC = moving_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_percentile_cont_final_float8,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_float8, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(double precision) IS
'returns the median of the frame, which is percentile_cont(0.5)';

CREATE AGGREGATE moving_median(value interval)
(
    SFUNC = moving_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_interval, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_interval, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(interval) IS 'returns the median of the frame, which is percentile_cont(0.5)';

CREATE AGGREGATE moving_median(value smallint)
(
    SFUNC = moving_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate, MSTYPE = internal, MSSPACE = 1280, MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(smallint) IS
'returns the median of the frame, exact except for the division by two if the median lies between two values';

CREATE AGGREGATE moving_median(value integer)
(
    SFUNC = moving_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate, MSTYPE = internal, MSSPACE = 1280, MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(integer) IS
'returns the median of the frame, exact except for the division by two if the median lies between two values';

CREATE AGGREGATE moving_median(value bigint)
(
    SFUNC = moving_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate, MSTYPE = internal, MSSPACE = 1280, MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(bigint) IS
'returns the median of the frame, exact except for the division by two if the median lies between two values';

CREATE AGGREGATE moving_median(value numeric)
(
    SFUNC = moving_accumulate, STYPE = internal, SSPACE = 1280, FINALFUNC = moving_median_final_numeric,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_accumulate, MSTYPE = internal, MSSPACE = 1280, MFINALFUNC = moving_median_final_numeric,
    MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_median(numeric) IS
'returns the median of the frame, exact except for the division by two if the median lies between two values';

CREATE AGGREGATE moving_percentile_cont(value double precision, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_float8, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_float8, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(double precision, double precision) IS
'returns the percentile of the frame, interpolated between two values if necessary';

CREATE AGGREGATE moving_percentile_cont(value interval, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_interval, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_interval, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(interval, double precision) IS
'returns the percentile of the frame, interpolated between two values if necessary';

CREATE AGGREGATE moving_percentile_cont(value smallint, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(smallint, double precision) IS
'returns the exact percentile of the frame, interpolated between two values if necessary';

CREATE AGGREGATE moving_percentile_cont(value integer, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(integer, double precision) IS
'returns the exact percentile of the frame, interpolated between two values if necessary';

CREATE AGGREGATE moving_percentile_cont(value bigint, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(bigint, double precision) IS
'returns the exact percentile of the frame, interpolated between two values if necessary';

CREATE AGGREGATE moving_percentile_cont(value numeric, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_cont_final_numeric, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_cont_final_numeric, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_cont(numeric, double precision) IS
'returns the exact percentile of the frame, interpolated between two values if necessary';

CREATE AGGREGATE moving_percentile_disc(value anyelement, fraction double precision)
(
    SFUNC = moving_percentile_accumulate, STYPE = internal, SSPACE = 1280,
    FINALFUNC = moving_percentile_disc_final, FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_percentile_accumulate, MSTYPE = internal, MSSPACE = 1280,
    MFINALFUNC = moving_percentile_disc_final, MFINALFUNC_EXTRA, MFINALFUNC_MODIFY = READ_ONLY,
    MINVFUNC = moving_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_percentile_disc(anyelement, double precision) IS
'returns the first value of the sorted frame whose position reaches the given fraction of the frame';

CREATE AGGREGATE moving_mode(value anyelement)
(
    SFUNC = moving_group_accumulate, STYPE = internal, SSPACE = 2560, FINALFUNC = moving_mode_final,
    FINALFUNC_EXTRA, FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_group_accumulate, MSTYPE = internal, MSSPACE = 2560, MFINALFUNC = moving_mode_final,
    MFINALFUNC_EXTRA, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_group_remove, PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_mode(anyelement) IS 'returns the most frequent value of the frame';

CREATE AGGREGATE moving_count_distinct(value anyelement)
(
    SFUNC = moving_group_accumulate, STYPE = internal, SSPACE = 2560, FINALFUNC = moving_count_distinct_final,
    FINALFUNC_MODIFY = READ_ONLY,
    MSFUNC = moving_group_accumulate, MSTYPE = internal, MSSPACE = 2560,
    MFINALFUNC = moving_count_distinct_final, MFINALFUNC_MODIFY = READ_ONLY, MINVFUNC = moving_group_remove,
    PARALLEL = SAFE
);
COMMENT ON AGGREGATE moving_count_distinct(anyelement) IS 'returns the number of different values in the frame';

-- ----------------------------------------------------------- affine maps

CREATE TYPE affine_map AS (a double precision, b double precision);
COMMENT ON TYPE affine_map IS 'the map y -> a * y + b, by which the rows of a recurrence together change any y';

CREATE FUNCTION affine_compose(newer affine_map, older affine_map)
RETURNS affine_map AS 'MODULE_PATHNAME', 'affine_compose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION affine_compose(affine_map, affine_map) IS
'internal: implementation of operator * (affine_map, affine_map)';

CREATE FUNCTION affine_apply(map affine_map, y double precision)
RETURNS double precision AS 'MODULE_PATHNAME', 'affine_apply' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION affine_apply(affine_map, double precision) IS
'internal: implementation of operator * (affine_map, double precision)';

CREATE FUNCTION affine_accumulate(internal, double precision, double precision)
RETURNS internal AS 'MODULE_PATHNAME', 'affine_accumulate' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION affine_accumulate(internal, double precision, double precision) IS
'internal: transition function of affine';

CREATE FUNCTION affine_final(internal)
RETURNS affine_map AS 'MODULE_PATHNAME', 'affine_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION affine_final(internal) IS 'internal: final function of affine';

CREATE FUNCTION affine_then(affine_map, affine_map)
RETURNS affine_map AS 'MODULE_PATHNAME', 'affine_then' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION affine_then(affine_map, affine_map) IS 'internal: transition function of affine';

CREATE OPERATOR * (LEFTARG = affine_map, RIGHTARG = affine_map, FUNCTION = affine_compose);
COMMENT ON OPERATOR * (affine_map, affine_map) IS 'the map that applies the right map first and then the left map';
CREATE OPERATOR * (LEFTARG = affine_map, RIGHTARG = double precision, FUNCTION = affine_apply);
COMMENT ON OPERATOR * (affine_map, double precision) IS 'the result of applying the map to a number';

-- No combine functions: maps compose in the order of the rows, and the workers of a
-- parallel plan do not keep it.
CREATE AGGREGATE affine(a double precision, b double precision)
(
    SFUNC = affine_accumulate, STYPE = internal, SSPACE = 4096, FINALFUNC = affine_final,
    FINALFUNC_MODIFY = READ_ONLY
);
COMMENT ON AGGREGATE affine(double precision, double precision) IS
'returns the map of all rows y = a * y'' + b together, in their order; write affine(a, b ORDER BY ...)';

CREATE AGGREGATE affine(map affine_map)
(
    SFUNC = affine_then, STYPE = affine_map
);
COMMENT ON AGGREGATE affine(affine_map) IS
'returns the map of all maps together, in their order; write affine(m ORDER BY ...)';

-- ---------------------------------------------------------------- arrays

CREATE FUNCTION array_scan_sum("values" smallint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_sum_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(smallint[], boolean[], boolean) IS
'returns the running sums of an array; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_sum("values" integer[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_sum_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(integer[], boolean[], boolean) IS
'returns the running sums of an array; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_sum("values" bigint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_sum_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(bigint[], boolean[], boolean) IS
'returns the running sums of an array; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_sum("values" real[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS real[] AS 'MODULE_PATHNAME', 'array_scan_sum_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(real[], boolean[], boolean) IS
'returns the running sums of an array, each exact and rounded once; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_sum("values" double precision[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_sum_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(double precision[], boolean[], boolean) IS
'returns the running sums of an array, each exact and rounded once; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_sum("values" numeric[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_sum_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(numeric[], boolean[], boolean) IS
'returns the running sums of an array; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_sum("values" interval[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS interval[] AS 'MODULE_PATHNAME', 'array_scan_sum_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_sum(interval[], boolean[], boolean) IS
'returns the running sums of an array; a true element of reset starts the sum again';

CREATE FUNCTION array_scan_product("values" smallint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_product_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_product(smallint[], boolean[], boolean) IS
'returns the running products of an array; a true element of reset starts the product again';

CREATE FUNCTION array_scan_product("values" integer[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_product_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_product(integer[], boolean[], boolean) IS
'returns the running products of an array; a true element of reset starts the product again';

CREATE FUNCTION array_scan_product("values" bigint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_product_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_product(bigint[], boolean[], boolean) IS
'returns the running products of an array; a true element of reset starts the product again';

CREATE FUNCTION array_scan_product("values" double precision[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_product_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_product(double precision[], boolean[], boolean) IS
'returns the running products of an array, each rounded once; a true element of reset starts the product again';

CREATE FUNCTION array_scan_product("values" numeric[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_product_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_product(numeric[], boolean[], boolean) IS
'returns the running products of an array; a true element of reset starts the product again';

CREATE FUNCTION array_scan_count("values" boolean[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_count_bool' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_count(boolean[], boolean[], boolean) IS
'returns, for each element, how many elements so far are true; a true element of reset starts the count again';

CREATE FUNCTION array_scan_counter("values" smallint[], reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_counter_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(smallint[], boolean[]) IS
'returns scan_counter over the elements of an array: how much a counter has gained so far';

CREATE FUNCTION array_scan_counter("values" integer[], reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_counter_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(integer[], boolean[]) IS
'returns scan_counter over the elements of an array: how much a counter has gained so far';

CREATE FUNCTION array_scan_counter("values" bigint[], reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_counter_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(bigint[], boolean[]) IS
'returns scan_counter over the elements of an array: how much a counter has gained so far';

CREATE FUNCTION array_scan_counter("values" double precision[], reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_counter_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(double precision[], boolean[]) IS
'returns scan_counter over the elements of an array: how much a counter has gained so far';

CREATE FUNCTION array_scan_counter("values" numeric[], reset boolean[] DEFAULT NULL)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_counter_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_counter(numeric[], boolean[]) IS
'returns scan_counter over the elements of an array: how much a counter has gained so far';

CREATE FUNCTION array_scan_min("values" anyarray, reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_min_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_min(anyarray, boolean[], boolean) IS
'returns, for each element, the smallest element so far; a true element of reset starts again';

CREATE FUNCTION array_scan_max("values" anyarray, reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_scan_max_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_max(anyarray, boolean[], boolean) IS
'returns, for each element, the largest element so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bool_and("values" boolean[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS boolean[] AS 'MODULE_PATHNAME', 'array_scan_bool_and_bool' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bool_and(boolean[], boolean[], boolean) IS
'returns, for each element, whether all elements so far are true; a true element of reset starts again';

CREATE FUNCTION array_scan_bool_or("values" boolean[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS boolean[] AS 'MODULE_PATHNAME', 'array_scan_bool_or_bool' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bool_or(boolean[], boolean[], boolean) IS
'returns, for each element, whether any element so far is true; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_and("values" smallint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS smallint[] AS 'MODULE_PATHNAME', 'array_scan_bit_and_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_and(smallint[], boolean[], boolean) IS
'returns, for each element, the bitwise AND of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_and("values" integer[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS integer[] AS 'MODULE_PATHNAME', 'array_scan_bit_and_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_and(integer[], boolean[], boolean) IS
'returns, for each element, the bitwise AND of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_and("values" bigint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_bit_and_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_and(bigint[], boolean[], boolean) IS
'returns, for each element, the bitwise AND of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_and("values" bit[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bit[] AS 'MODULE_PATHNAME', 'array_scan_bit_and_bit' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_and(bit[], boolean[], boolean) IS
'returns, for each element, the bitwise AND of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_or("values" smallint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS smallint[] AS 'MODULE_PATHNAME', 'array_scan_bit_or_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_or(smallint[], boolean[], boolean) IS
'returns, for each element, the bitwise OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_or("values" integer[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS integer[] AS 'MODULE_PATHNAME', 'array_scan_bit_or_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_or(integer[], boolean[], boolean) IS
'returns, for each element, the bitwise OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_or("values" bigint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_bit_or_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_or(bigint[], boolean[], boolean) IS
'returns, for each element, the bitwise OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_or("values" bit[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bit[] AS 'MODULE_PATHNAME', 'array_scan_bit_or_bit' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_or(bit[], boolean[], boolean) IS
'returns, for each element, the bitwise OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_xor("values" smallint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS smallint[] AS 'MODULE_PATHNAME', 'array_scan_bit_xor_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_xor(smallint[], boolean[], boolean) IS
'returns, for each element, the bitwise exclusive OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_xor("values" integer[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS integer[] AS 'MODULE_PATHNAME', 'array_scan_bit_xor_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_xor(integer[], boolean[], boolean) IS
'returns, for each element, the bitwise exclusive OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_xor("values" bigint[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_bit_xor_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_xor(bigint[], boolean[], boolean) IS
'returns, for each element, the bitwise exclusive OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_bit_xor("values" bit[], reset boolean[] DEFAULT NULL, exclusive boolean DEFAULT false)
RETURNS bit[] AS 'MODULE_PATHNAME', 'array_scan_bit_xor_bit' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_bit_xor(bit[], boolean[], boolean) IS
'returns, for each element, the bitwise exclusive OR of the elements so far; a true element of reset starts again';

CREATE FUNCTION array_scan_interpolate("values" double precision[], at double precision[],
                                       max_gap double precision DEFAULT NULL, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_interpolate_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_interpolate(double precision[], double precision[], double precision, boolean[]) IS
'returns the value, or in place of NULL the point on the straight line between the values before and after, if they are at most max_gap apart; rounded once';

CREATE FUNCTION array_scan_clamped_sum("values" smallint[], lower bigint, upper bigint,
                                       init bigint DEFAULT 0, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_clamped_sum_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_clamped_sum(smallint[], bigint, bigint, bigint, boolean[]) IS
'returns the running sums of an array, each kept between lower and upper; a true element of reset starts again at init';

CREATE FUNCTION array_scan_clamped_sum("values" integer[], lower bigint, upper bigint,
                                       init bigint DEFAULT 0, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_clamped_sum_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_clamped_sum(integer[], bigint, bigint, bigint, boolean[]) IS
'returns the running sums of an array, each kept between lower and upper; a true element of reset starts again at init';

CREATE FUNCTION array_scan_clamped_sum("values" bigint[], lower bigint, upper bigint,
                                       init bigint DEFAULT 0, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_clamped_sum_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_clamped_sum(bigint[], bigint, bigint, bigint, boolean[]) IS
'returns the running sums of an array, each kept between lower and upper; a true element of reset starts again at init';

CREATE FUNCTION array_scan_clamped_sum("values" double precision[], lower double precision, upper double precision,
                                       init double precision DEFAULT 0, reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_clamped_sum_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_clamped_sum(double precision[], double precision, double precision, double precision, boolean[]) IS
'returns the running sums of an array, each kept between lower and upper; a true element of reset starts again at init';

CREATE FUNCTION array_scan_clamped_sum("values" numeric[], lower numeric, upper numeric,
                                       init numeric DEFAULT 0, reset boolean[] DEFAULT NULL)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_clamped_sum_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_clamped_sum(numeric[], numeric, numeric, numeric, boolean[]) IS
'returns the running sums of an array, each kept between lower and upper; a true element of reset starts again at init';

CREATE FUNCTION array_scan_change("values" anyarray, reset boolean[] DEFAULT NULL)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_scan_change_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_change(anyarray, boolean[]) IS
'returns scan_change over the elements of an array: the number, from 1, of the run of equal elements';

CREATE FUNCTION array_scan_recurrence(a double precision[], b double precision[], init double precision DEFAULT 0,
                                      reset boolean[] DEFAULT NULL)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_scan_recurrence_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_recurrence(double precision[], double precision[], double precision, boolean[]) IS
'returns, for each element, a times the result before, plus b, as scan_recurrence';

CREATE FUNCTION array_scan_recurrence(a numeric[], b numeric[], init numeric DEFAULT 0, reset boolean[] DEFAULT NULL)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_scan_recurrence_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_scan_recurrence(numeric[], numeric[], numeric, boolean[]) IS
'returns, for each element, a times the result before, plus b, as scan_recurrence';

-- ---------------------------------------------------------------- arrays whose elements change places

-- moving windows over arrays

CREATE FUNCTION array_moving_sum("values" smallint[], before integer, after integer DEFAULT 0)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_moving_sum_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(smallint[], integer, integer) IS
'returns, for each element, the sum over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_sum("values" integer[], before integer, after integer DEFAULT 0)
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_moving_sum_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(integer[], integer, integer) IS
'returns, for each element, the sum over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_sum("values" bigint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_sum_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(bigint[], integer, integer) IS
'returns, for each element, the sum over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_sum("values" real[], before integer, after integer DEFAULT 0)
RETURNS real[] AS 'MODULE_PATHNAME', 'array_moving_sum_float4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(real[], integer, integer) IS
'returns, for each element, the exact sum over the element itself and the given numbers of elements before and after it, rounded once';

CREATE FUNCTION array_moving_sum("values" double precision[], before integer, after integer DEFAULT 0)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_moving_sum_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(double precision[], integer, integer) IS
'returns, for each element, the exact sum over the element itself and the given numbers of elements before and after it, rounded once';

CREATE FUNCTION array_moving_sum("values" numeric[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_sum_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_sum(numeric[], integer, integer) IS
'returns, for each element, the sum over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_avg("values" smallint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(smallint[], integer, integer) IS
'returns, for each element, the average over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_avg("values" integer[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(integer[], integer, integer) IS
'returns, for each element, the average over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_avg("values" bigint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(bigint[], integer, integer) IS
'returns, for each element, the average over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_avg("values" double precision[], before integer, after integer DEFAULT 0)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_moving_avg_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(double precision[], integer, integer) IS
'returns, for each element, the exact average over the element itself and the given numbers of elements before and after it, rounded once';

CREATE FUNCTION array_moving_avg("values" numeric[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_avg_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_avg(numeric[], integer, integer) IS
'returns, for each element, the average over the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_min("values" anyarray, before integer, after integer DEFAULT 0)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_moving_min_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_min(anyarray, integer, integer) IS
'returns, for each element, the smallest of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_max("values" anyarray, before integer, after integer DEFAULT 0)
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_moving_max_any' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_max(anyarray, integer, integer) IS
'returns, for each element, the largest of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_median("values" double precision[], before integer, after integer DEFAULT 0)
RETURNS double precision[] AS 'MODULE_PATHNAME', 'array_moving_median_float8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(double precision[], integer, integer) IS
'returns, for each element, the median of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_median("values" interval[], before integer, after integer DEFAULT 0)
RETURNS interval[] AS 'MODULE_PATHNAME', 'array_moving_median_interval' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(interval[], integer, integer) IS
'returns, for each element, the median of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_median("values" smallint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_int2' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(smallint[], integer, integer) IS
'returns, for each element, the median of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_median("values" integer[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_int4' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(integer[], integer, integer) IS
'returns, for each element, the median of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_median("values" bigint[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_int8' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(bigint[], integer, integer) IS
'returns, for each element, the median of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_moving_median("values" numeric[], before integer, after integer DEFAULT 0)
RETURNS numeric[] AS 'MODULE_PATHNAME', 'array_moving_median_numeric' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION array_moving_median(numeric[], integer, integer) IS
'returns, for each element, the median of the element itself and the given numbers of elements before and after it';

CREATE FUNCTION array_compact("values" anyarray, keep boolean[])
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_compact_any' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_compact(anyarray, boolean[]) IS
'returns the elements whose keep is true, in their order, as an array of one dimension';

CREATE FUNCTION array_split("values" anyarray, bits boolean[])
RETURNS anyarray AS 'MODULE_PATHNAME', 'array_split_any' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_split(anyarray, boolean[]) IS
'returns the elements whose bit is false, followed by the elements whose bit is true, each in their order';

CREATE FUNCTION array_radix_sort("values" smallint[])
RETURNS smallint[] AS 'MODULE_PATHNAME', 'array_radix_sort_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_radix_sort(smallint[]) IS 'returns the elements in ascending order, NULLs last';

CREATE FUNCTION array_radix_sort("values" integer[])
RETURNS integer[] AS 'MODULE_PATHNAME', 'array_radix_sort_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_radix_sort(integer[]) IS 'returns the elements in ascending order, NULLs last';

CREATE FUNCTION array_radix_sort("values" bigint[])
RETURNS bigint[] AS 'MODULE_PATHNAME', 'array_radix_sort_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION array_radix_sort(bigint[]) IS 'returns the elements in ascending order, NULLs last';

-- ---------------------------------------------------------- applications

CREATE FUNCTION csr_multiply(row_ptr integer[], col_idx integer[], "values" double precision[], x double precision[])
RETURNS double precision[] AS 'MODULE_PATHNAME', 'csr_multiply_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION csr_multiply(integer[], integer[], double precision[], double precision[]) IS
'returns the product of a sparse matrix, in compressed rows numbered from 0, and a vector; each entry is rounded once';

CREATE FUNCTION csr_multiply(row_ptr bigint[], col_idx integer[], "values" double precision[], x double precision[])
RETURNS double precision[] AS 'MODULE_PATHNAME', 'csr_multiply_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION csr_multiply(bigint[], integer[], double precision[], double precision[]) IS
'returns the product of a sparse matrix, in compressed rows numbered from 0, and a vector; each entry is rounded once';

CREATE FUNCTION tridiagonal_solve(lower double precision[], diagonal double precision[], upper double precision[],
                                  rhs double precision[])
RETURNS double precision[] AS 'MODULE_PATHNAME', 'tridiagonal_solve_float8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tridiagonal_solve(double precision[], double precision[], double precision[], double precision[]) IS
'returns the solution of a tridiagonal system; lower[1] and the last element of upper are not used';

CREATE FUNCTION bit_add(a bit varying, b bit varying)
RETURNS bit varying AS 'MODULE_PATHNAME', 'bit_add_varbit' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION bit_add(bit varying, bit varying) IS
'returns the binary sum, one bit wider than the wider argument';

-- --------------------------------------------------------- a look inside

CREATE FUNCTION scan_network(kind text, n integer, k integer DEFAULT NULL)
RETURNS TABLE (level integer, source integer, target integer)
AS 'MODULE_PATHNAME', 'scan_network_text' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION scan_network(text, integer, integer) IS
'returns the operators of a parallel scan of n places: each is target := join(source, target), and all of one level run at once';

CREATE FUNCTION scan_trace(algorithm text, "values" bigint[])
RETURNS TABLE (step integer, phase text, work bigint, span bigint, state bigint[])
AS 'MODULE_PATHNAME', 'scan_trace_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION scan_trace(text, bigint[]) IS
'returns the array after every step of hillis_steele or blelloch, with the numbers of additions and steps so far';

CREATE FUNCTION scan_explain(query text)
RETURNS TABLE (functions text, "over" text, runs_in text, device text, processes integer, reason text, hint text)
AS 'MODULE_PATHNAME', 'scan_explain_text' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED ROWS 10;
COMMENT ON FUNCTION scan_explain(text) IS
'returns a row for each window of a query: whether it would run in PrefixScan, on which device, in how many processes, and if not, why';

-- -------------------------------------------------------- administration

CREATE FUNCTION scan_set_schema(schema name)
RETURNS void AS 'MODULE_PATHNAME', 'scan_set_schema_name' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION scan_set_schema(name) IS
'moves the extension to another schema, for its owner; PostgreSQL refuses ALTER EXTENSION scan SET SCHEMA to an owner who is not a superuser';

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
    RAISE EXCEPTION 'scan_shards requires tables that Citus has distributed' USING ERRCODE = 'feature_not_supported',
      HINT = 'Without Citus, write scan_sum(value) OVER (ORDER BY ...) for a running total.';
  END IF;
  -- the shards would wait for what this transaction has locked there, and not see what it has changed
  IF pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL THEN
    RAISE EXCEPTION 'scan_shards must be called in a transaction that has not changed anything' USING ERRCODE = 'active_sql_transaction';
  END IF;
  EXECUTE 'SELECT count(*) FILTER (WHERE partmethod = ''h'' AND colocationid > 0) AS hashed, count(DISTINCT (colocationid, pg_catalog.column_to_column_name(logicalrelid, partkey))) AS groups FROM pg_catalog.pg_dist_partition WHERE logicalrelid IN ($1, $2)'
    INTO placed USING source, target;
  IF placed.hashed <> 2 OR placed.groups <> 1 THEN
    RAISE EXCEPTION 'tables "%" and "%" are not two colocated tables', source, target
      USING ERRCODE = 'invalid_parameter_value',
        HINT = pg_catalog.format('Distribute an empty table: SELECT create_distributed_table(%L, <the column that %s is distributed by>, colocate_with => %L).', target, source, source);
  END IF;

  -- what the two have in common is copied; the column that is left takes the running total
  SELECT string_agg(quote_ident(t.attname), ', ' ORDER BY t.attnum) FILTER (WHERE s.attname IS NOT NULL),
         CASE WHEN count(*) FILTER (WHERE s.attname IS NULL) = 1 THEN min(quote_ident(t.attname)) FILTER (WHERE s.attname IS NULL) END
    INTO columns, answer
    FROM pg_catalog.pg_attribute AS t LEFT JOIN pg_catalog.pg_attribute AS s
         ON s.attrelid = source AND s.attname = t.attname AND s.attnum > 0 AND NOT s.attisdropped
    WHERE t.attrelid = target AND t.attnum > 0 AND NOT t.attisdropped AND t.attgenerated = '';
  IF columns IS NULL OR answer IS NULL THEN
    RAISE EXCEPTION 'table "%" must have columns of table "%" and exactly one other column, for the running total', target, source
      USING ERRCODE = 'invalid_table_definition';
  END IF;

  -- the rows stay as they are between the two reads, and nobody else writes what is to be written
  EXECUTE pg_catalog.format('LOCK TABLE %s IN SHARE MODE', source);
  EXECUTE pg_catalog.format('LOCK TABLE %s IN EXCLUSIVE MODE', target);
  EXECUTE pg_catalog.format('SELECT 1 FROM %s LIMIT 1', target) INTO unsound;
  IF unsound IS NOT NULL THEN
    RAISE EXCEPTION 'table "%" is not empty', target USING ERRCODE = 'object_not_in_prerequisite_state',
      HINT = pg_catalog.format('Run TRUNCATE %s first, in a transaction of its own.', target);
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
    RAISE EXCEPTION 'could not compute the total of shard %', unsound USING ERRCODE = 'external_routine_exception';
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
    RAISE EXCEPTION 'could not write the running total of shard %', unsound USING ERRCODE = 'external_routine_exception',
      DETAIL = pg_catalog.format('Table "%s" has been emptied on every node that could be reached.', target);
  END IF;
  -- a shard once, though it may lie on several nodes
  RETURN QUERY EXECUTE pg_catalog.format('SELECT s, n, t::%1$s.scan_total, c::%1$s.scan_total FROM (SELECT s, n, t, c, min(i) FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS u (s, n, t, c, i) GROUP BY s, n, t, c) AS d (s, n, t, c, i) ORDER BY i', here)
    USING done.shards, done.n, done.totals, done.carries;
END $scan_shards$;
COMMENT ON FUNCTION scan_shards(regclass, regclass, text, text, boolean) IS
'writes one running total over a table that Citus has distributed into a table beside it, and returns a row for each shard; only totals of shards travel';
