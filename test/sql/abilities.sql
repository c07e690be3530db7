-- abilities: what each aggregate of the extension can do beside a running window and GROUP BY, which all can.  An
-- ability that one lacks has a reason below.  A new aggregate without an ability, or without a reason, changes the output.
\pset null -
SET client_min_messages = error;
CREATE SCHEMA abilities;
SET search_path = abilities, public;
CREATE TABLE t (id int PRIMARY KEY, bool boolean, int2 smallint, int4 int, int8 bigint, float4 real, float8 float8, "numeric" numeric, text text, interval interval, date date, timestamptz timestamptz, timestamp timestamp, scan_total scan_total, affine_map affine_map);
INSERT INTO t (id) SELECT generate_series(1, 20);
ANALYZE t;

-- The aggregates, each with a call over the columns of t.
CREATE TABLE called AS
SELECT p.oid, p.oid::regprocedure::text AS aggregate,
       format('%s(%s)', p.proname, string_agg(CASE WHEN p.proname ~ 'percentile' AND i = 2 THEN '0.5' WHEN p.proname ~ '^time_' AND a = 'text'::regtype THEN '''linear'''
                                                   WHEN p.proname = 'scan_funnel' AND t.typname = 'any' THEN 'bool'
                                                   WHEN p.proname = 'scan_funnel' AND i = 2 THEN CASE t.typname WHEN 'interval' THEN 'interval ''1 h''' ELSE '10::' || quote_ident(t.typname) END
                                                   WHEN p.proname = 'scan_funnel' AND a = 'text'::regtype THEN '''strict'''
                                                   WHEN t.typname LIKE 'any%' THEN 'int4' ELSE quote_ident(t.typname) END, ', ' ORDER BY i)) AS call,
       g.aggminvtransfn <> 0 AS moves, p.proparallel = 's' AND g.aggcombinefn <> 0 AND (g.aggtranstype <> 'internal'::regtype OR g.aggserialfn <> 0) AS several
FROM pg_extension AS e JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e' AND d.classid = 'pg_proc'::regclass
     JOIN pg_proc AS p ON p.oid = d.objid JOIN pg_aggregate AS g ON g.aggfnoid = p.oid, unnest(p.proargtypes) WITH ORDINALITY AS u (a, i) JOIN pg_type AS t ON t.oid = a
WHERE e.extname = 'scan' AND p.proname <> 'scan_kept_merge' AND NOT EXISTS (SELECT FROM pg_proc AS f WHERE f.oid = g.aggtransfn AND f.prosrc ~ '^exact_add_(pair|weighted)_numeric$') -- these refuse every value, with a hint
GROUP BY p.oid, p.proname, p.proparallel, g.aggminvtransfn, g.aggcombinefn, g.aggtranstype, g.aggserialfn;
SELECT count(*) > 120 AS "many aggregates", count(*) FILTER (WHERE call IS NULL) AS "without a call" FROM called;

CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text; plan text = '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP plan = plan || line || E'\n'; END LOOP;
  RETURN plan;
EXCEPTION WHEN others THEN
  RETURN SQLERRM;
END $$;
-- NULL: it is kept.
CREATE FUNCTION why_not_kept(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  PERFORM scan_keep('ability', format('SELECT %s OVER (ORDER BY id) AS y FROM t', call));
  PERFORM scan_unkeep('ability');
  RETURN NULL;
EXCEPTION WHEN others THEN
  RETURN SQLERRM;
END $$;
SET scan.prefixscan = force;
CREATE TABLE able AS
SELECT aggregate, moves, several, why_not_kept(call) IS NULL AS kept,
       substring(plan_of(format('SELECT %s OVER (ORDER BY id ROWS 3 PRECEDING) FROM t', call)) FROM 'Frame Methods: [a-z0-9_]+ \((.*)\)') AS frames FROM called;
RESET scan.prefixscan;
SELECT frames, count(*) FROM able GROUP BY frames ORDER BY frames COLLATE "C";

-- moves: it has an inverse for WindowAgg.  several: groups are aggregated in several processes.  kept: scan_keep() takes it.
-- frames: PrefixScan has a method for frames that move.
CREATE TABLE reason (ability text, pattern text, reason text);
INSERT INTO reason VALUES
('moves', '^scan_total', 'its values never leave, which makes a row cheaper; those of exact_sum do'),
('moves', '^affine', 'it composes maps of all rows in their order'),
('moves', '^time_summary', 'it is made of groups, to be joined'),
('moves', '^scan_funnel', 'its state tells how far the steps came, not by which rows'),
('several', '^moving_(median|percentile|mode|count_distinct)', 'its state has all values of the frame'),
('several', '^moving_(rank|percent_rank)', 'it is of the last row of a frame'),
('several', '^exact_weighted_avg\((bigint|double precision)\)$', 'its weights are the places of the values in the group'),
('several', '^(time_.*,|scan_funnel.)numeric', 'its state is internal: such times are rare'),
('several', '^scan_funnel', 'its rows are taken in their order'),
('several', '^affine', 'its maps are composed in the order of the rows'),
('kept', '^exact_product', 'products have no inverse that loses nothing'),
('kept', '^scan_total\((numeric|scan_total)\)', 'sum() of numerics is kept; a scan_total cannot be taken out'),
('kept', '^time_', 'a row that comes in late changes the area up to the next row'),
('kept', '^moving_', 'its state has all values of the frame'),
('kept', '^exact_weighted_avg\((bigint|double precision)\)$', 'a row that comes in late changes the places of all later ones'),
('kept', '^(affine|scan_funnel)', 'no row is taken out'),
('frames', '^exact_product', 'its state is two stacks itself'),
('frames', '^exact_(var|stddev)_.*\((smallint|integer|bigint|numeric)\)', 'nobody has built it'),
('frames', '^exact_(skewness|kurtosis).*numeric', 'nobody has built it'),
('frames', '^time_.*,numeric', 'such times are rare'),
('frames', '^time_in_state', 'nobody has built it'),
('frames', '^(scan_total|affine|scan_funnel|time_summary)', 'it has no inverse');
CREATE VIEW lack AS
SELECT ability, aggregate FROM able,
       LATERAL (VALUES ('moves', moves), ('several', several), ('kept', kept), ('frames', coalesce(frames !~ '^its own functions', false))) AS a (ability, has) WHERE NOT has;
-- an aggregate that lacks an ability without a reason
SELECT * FROM lack AS l WHERE NOT EXISTS (SELECT FROM reason AS r WHERE r.ability = l.ability AND l.aggregate ~ r.pattern) ORDER BY ability, aggregate COLLATE "C";
-- a reason that is none any more: no aggregate lacks the ability, or one has it
SELECT r.* FROM reason AS r WHERE NOT EXISTS (SELECT FROM lack AS l WHERE r.ability = l.ability AND l.aggregate ~ r.pattern)
   OR EXISTS (SELECT FROM able AS a WHERE a.aggregate ~ r.pattern AND NOT EXISTS (SELECT FROM lack AS l WHERE l.ability = r.ability AND l.aggregate = a.aggregate)) ORDER BY ability, pattern COLLATE "C";
SELECT r.ability, l.lack AS aggregates, r.reason, r.pattern FROM reason AS r, LATERAL (SELECT count(*) AS lack FROM lack AS l WHERE l.ability = r.ability AND l.aggregate ~ r.pattern) AS l ORDER BY r.ability, r.pattern COLLATE "C";
DROP SCHEMA abilities CASCADE;
