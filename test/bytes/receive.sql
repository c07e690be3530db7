-- receive.sql: fuzz_bytes() for each type with a receive function, and for the arrays (see receive.c).
-- psql variables: library, seconds for all statements, seed.
\set ON_ERROR_STOP on
SET client_min_messages = warning;
CREATE EXTENSION scan;
CREATE FUNCTION fuzz_bytes(type regtype, statement text, examples bytea[], seed bigint, milliseconds int, OUT rounds bigint, OUT accepted bigint,
                           OUT internal text) AS :'library' LANGUAGE C STRICT;
CREATE FUNCTION fuzz_planted(bytea) RETURNS int AS :'library' LANGUAGE C STRICT;

\if :planted
SELECT fuzz_bytes('bytea', 'SELECT fuzz_planted($1)', ARRAY['\x0001']::bytea[], :seed, 1000 * :seconds);
\quit
\endif

CREATE TABLE example (type regtype, bytes bytea);
CREATE VIEW number AS SELECT (i * i % 97 - 48)::float8 / 8 AS x, i % 13 - 6 AS n, (i * 7919 % 10007 - 5000)::numeric / 100 AS d FROM generate_series(0, 40) AS i;

-- Arrays: usual ones, none, edges, lower bounds, two dimensions.
INSERT INTO example
SELECT 'float8[]'::regtype, array_send(a)
FROM (SELECT array_agg(x) FROM number UNION ALL
      SELECT unnested::float8[] FROM unnest(ARRAY['{}', '{1e308,-1e308,NaN,Infinity,-0,NULL,5e-324}', '[0:1][2:3]={{1,2},{3,NULL}}']) AS unnested) AS s (a);
SELECT format('INSERT INTO example SELECT %1$L::regtype, array_send(%2$L::%1$s)', type, a)
FROM (SELECT 'float4[]', array_agg(x::float4)::text FROM number UNION ALL
      SELECT 'int4[]', array_agg(n)::text FROM number UNION ALL
      SELECT 'int8[]', array_agg(n)::text FROM number UNION ALL
      SELECT 'numeric[]', array_agg(d)::text FROM number UNION ALL
      SELECT 'boolean[]', array_agg(n > 0)::text FROM number UNION ALL
      SELECT 'timestamptz[]', array_agg(timestamptz '2024-03-31 00:30Z' + n * interval '1 h')::text FROM number UNION ALL
      SELECT 'text[]', array_agg(d)::text FROM number UNION ALL
      VALUES ('float4[]', '{3e38,3e38,-3e38,NULL,1e-45}'), ('int4[]', '{}'), ('int4[]', '{2147483647,-2147483648,NULL,0}'), ('int4[]', '[-1:0]={7,8}'),
             ('int8[]', '{9223372036854775807,-9223372036854775808,NULL,0}'), ('numeric[]', '{NaN,Infinity,-Infinity,1e130000,1e-16000,NULL,0.00}'),
             ('boolean[]', '{t,f,NULL}'), ('timestamptz[]', '{infinity,-infinity,NULL}'), ('text[]', '{"",NULL,abc}')) AS t (type, a)
\gexec

-- The functions of the extension, each with its arguments that have no default.
CREATE VIEW member AS
SELECT p.oid, p.oid::regproc AS name, p.prokind, p.pronargs, r.oid::regtype AS result,
       ARRAY(SELECT t::regtype FROM unnest(p.proargtypes) WITH ORDINALITY AS a (t, i) WHERE i <= p.pronargs - p.pronargdefaults ORDER BY i) AS arguments
FROM pg_proc AS p
     JOIN pg_type AS r ON r.oid = p.prorettype
     JOIN pg_depend AS e ON e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e'
     JOIN pg_extension AS x ON x.oid = e.refobjid AND x.extname = 'scan';

-- A value of each type that other arguments have, from a row of `number`.
CREATE TABLE argument AS
SELECT type::regtype, value
FROM (VALUES ('float8', 'x'), ('float4', 'x::float4'), ('numeric', 'd'), ('int8', 'n::int8'), ('int4', 'n'), ('int2', 'n::int2'), ('bool', '(n > 0)'),
             ('timestamptz', $$(timestamptz '2024-03-31 00:30Z' + n * interval '1 h')$$), ('timestamp', $$(timestamp '2024-03-31 00:30' + n * interval '1 h')$$),
             ('date', $$(date '2024-03-31' + n)$$), ('interval', $$(n * interval '1 h')$$), ('text', $$'linear'::text$$)) AS t (type, value);

-- Transition values: each aggregate whose state has a receive function, without its final function.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT row_number() OVER () AS i, a.*, m.arguments, a.aggtranstype::regtype AS state, t.typsend::regproc AS send,
               (SELECT string_agg(value, ', ' ORDER BY k) FROM unnest(m.arguments) WITH ORDINALITY AS u (type, k) JOIN argument USING (type)) AS given
        FROM pg_aggregate AS a
             JOIN member AS m ON m.oid = a.aggfnoid
             JOIN pg_type AS t ON t.oid = a.aggtranstype
             JOIN member AS r ON r.oid = t.typreceive
        WHERE m.arguments <@ ARRAY(SELECT type FROM argument) AND cardinality(m.arguments) = m.pronargs AND m.pronargs > 0
    LOOP
        EXECUTE format('CREATE AGGREGATE state_%s(%s) (SFUNC = %s, STYPE = %s%s)', one.i, array_to_string(one.arguments, ', '), one.aggtransfn, one.state,
            CASE WHEN one.agginitval IS NOT NULL THEN format(', INITCOND = %L', one.agginitval) ELSE '' END);
        -- some refuse the values of `number`
        BEGIN
        EXECUTE format('INSERT INTO example SELECT %L::regtype, %s(y) FROM (SELECT state_%s(%s) FROM number UNION ALL SELECT state_%3$s(%4$s) FROM number WHERE n > 4) AS s (y)
            WHERE y IS NOT NULL', one.state, one.send, one.i, one.given);
        EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN
            NULL;
        END;
    END LOOP;
END $$;

-- scan_total is what an aggregate returns.
INSERT INTO example
SELECT 'scan_total', scan_total_send(scan_total(y))
FROM (SELECT 1, x FROM number UNION ALL SELECT 2, 1e300 * x FROM number UNION ALL VALUES (3, 'NaN'), (3, '-Infinity'), (4, '-0'), (5, 1e16), (5, 5e-324), (6, '1e308'), (6, '1e308')) AS s (k, y)
GROUP BY k;

-- What is done with a value: every function and aggregate of the extension that takes it, with the other arguments of `argument`.
CREATE TABLE target AS
SELECT DISTINCT e.type,
       CASE m.prokind WHEN 'f' THEN format('SELECT %s(%s)%s FROM number LIMIT 1', m.name, given.list, CASE WHEN m.result::text LIKE 'any%' THEN '' ELSE '::text' END)
       ELSE format('SELECT %s(%s)::text FROM number WHERE n > 4', m.name, given.list) END AS statement
FROM (SELECT DISTINCT type FROM example) AS e
     CROSS JOIN member AS m
     CROSS JOIN LATERAL (
         SELECT string_agg(CASE WHEN is_value THEN '$1' ELSE value END, ', ' ORDER BY k) AS list, bool_or(is_value) AS takes_value, bool_and(is_value OR value IS NOT NULL) AS is_known
         FROM (SELECT k, value, u.type = e.type OR (u.type IN ('anyarray'::regtype, 'anycompatiblearray'::regtype) AND e.type::text LIKE '%[]') AS is_value
               FROM unnest(m.arguments) WITH ORDINALITY AS u (type, k)
                    LEFT JOIN argument AS a ON a.type = u.type) AS one) AS given
WHERE m.prokind IN ('f', 'a') AND given.takes_value AND given.is_known;
-- Functions that combine two states work in an aggregate only.
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT row_number() OVER () AS i, name, result FROM member WHERE prokind = 'f' AND pronargs = 2 AND arguments = ARRAY[result, result] AND result IN (SELECT type FROM example)
    LOOP
        EXECUTE format('CREATE AGGREGATE combine_%s(%s) (SFUNC = %s, STYPE = %2$s)', one.i, one.result, one.name);
        INSERT INTO target VALUES (one.result, format('SELECT combine_%s(y)::text FROM (VALUES ($1), ($1)) AS v (y)', one.i));
    END LOOP;
END $$;
INSERT INTO target SELECT t.oid::regtype, format('SELECT %s($1)', t.typsend::regproc) FROM pg_type AS t WHERE t.oid IN (SELECT type FROM example);

SELECT format('fuzz: receive: %s types, %s examples, %s statements', count(DISTINCT type), count(*), (SELECT count(*) FROM target)) FROM example;
SELECT format('fuzz: receive: the type %s has no example', t.oid::regtype) FROM pg_type AS t JOIN member AS m ON m.oid = t.typreceive WHERE t.oid NOT IN (SELECT type FROM example);

-- \gexec: one statement after the other.  Printed are those that accepted no message, and internal errors but for the one that
-- functions of aggregates raise elsewhere.
CREATE TABLE done (rounds bigint, accepted bigint);
SELECT format('WITH f AS (SELECT * FROM fuzz_bytes(%1$L, %2$L, ARRAY(SELECT bytes FROM example WHERE type = %1$L::regtype), %3$s, %4$s)),
                    d AS (INSERT INTO done SELECT rounds, accepted FROM f)
               SELECT %2$L, f.* FROM f WHERE accepted = 0 OR internal <> ''aggregate function called in non-aggregate context''',
              type, statement, :seed, greatest(1000 * :seconds / (SELECT count(*) FROM target), 50))
FROM target ORDER BY type, statement
\gexec
SELECT format('fuzz: receive: %s messages, %s were accepted', sum(rounds), sum(accepted)) FROM done;
