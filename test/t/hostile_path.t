# hostile_path.t: nothing of ours runs what others have put into a schema of the caller's search_path.
#
# Whoever may create in a schema that comes before pg_catalog, or makes a function or an operator whose types match a
# call better than core's polymorphic and variadic ones, would have the rights of each caller of ours that names no
# schema. The bait is both: functions and operators that end a statement with an error, in `public`, which the callers
# search first. scan_shards runs on a Citus of this test's own making: its catalogs,
# and a function that runs the commands here.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('hostile_path');

# ---- the bodies that are SQL: whoever calls them, they look in pg_catalog alone

is(join(',', $server->lines(<<'SQL')), '', 'functions in SQL and PL/pgSQL have a search_path of their own');
SELECT oid::regprocedure
  FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'scan')
WHERE prolang NOT IN (SELECT oid FROM pg_language WHERE lanname IN ('c', 'internal'))
  AND 'search_path=pg_catalog, pg_temp' <> ALL (coalesce(proconfig, '{}'));
SQL
is($server->value(<<'SQL'), 0, 'no function has the rights of its owner');
SELECT count(*) FROM pg_proc JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e'
  AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'scan') WHERE prosecdef;
SQL
my @queries = grep {
	!/EXPLAIN \(VERBOSE, COSTS off, FORMAT json\) %s|set_schema\.c:\d+:\tresult = SPI_execute\(command, false, 0\)/ }
	map { split /\n/ } qx{grep -rnE 'SPI_(exec|prep|cursor|plan)' "$FindBin::Bin/../../src" --include=*.c};
is(join(' ', grep { !m{/src/kept/} } @queries), '', 'the library runs two statements: '
		. 'it EXPLAINs the caller\'s query, and moves the extension (any_user.t); but for kept scans (kept_scenes.t)');
# what they run has the schema of each name: no name of pg_catalog, and no operator, stands alone
my $unqualified = '"[^"]*(\b(count|max|min|concat|starts_with|percentile_disc)\(| (=|<|>|<>) (\$|%|ANY))';
my @alone = map { split /\n/ } qx{grep -rnE '$unqualified' "$FindBin::Bin/../../src/kept" --include=*.c};
is(join("\n", grep { !/pg_catalog\.\w+\(/ } @alone), '', 'kept scans call nothing without its schema');

# ---- the bait

$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 3 AS p, i / 4.0::float8 AS x FROM generate_series(1, 100) AS i;
CREATE FUNCTION public.bitten() RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'bitten'
  USING ERRCODE = 'ZZ000'; END $$;
SQL
sub bait
{
	my ($name, @types) = @_;
	my $arguments = join ', ', @types;
	return qq{CREATE FUNCTION public.$name($arguments) RETURNS text }
		. qq{LANGUAGE sql IMMUTABLE AS 'SELECT public.bitten()';\n};
}
sub bait_operator
{
	my ($operator, $left, $right, $result) = @_;
	my $name = 'own_' . unpack('H*', "$operator$left$right");
	return "CREATE FUNCTION public.$name($left, $right) RETURNS $result "
		. "LANGUAGE sql AS 'SELECT public.bitten()::$result';\n"
		. "CREATE OPERATOR public.$operator (LEFTARG = $left, RIGHTARG = $right, FUNCTION = public.$name);\n";
}
my $bait = '';
$bait .= bait('concat_ws', ('text') x $_) for 2 .. 5;
$bait .= bait('concat', @$_) for [ 'bigint', 'text', 'scan_total' ];
$bait .= bait('format', 'text', ('text') x $_) for 1 .. 9;
$bait .= bait('quote_ident', 'name') . bait('split_part', 'text', 'text', 'int') . bait('row_number')
	. bait('nullif', 'text', 'text') . bait('to_regproc', 'text');
$bait .= bait('unnest', $_) for 'text[]', 'bigint[]';
$bait .= bait('unnest', 'text[]', 'text[]') . bait('generate_subscripts', 'text[]', 'int')
	. bait('shard_name', 'regclass', 'bigint');
$bait .= bait("json_array_elements$_", 'json') for '', '_text';
$bait .= "CREATE FUNCTION public.bitten_$_->[0](text, $_->[1]) RETURNS text LANGUAGE sql AS 'SELECT public.bitten()'; "
	for [ 'name', 'name' ], [ 'text', 'text' ], [ 'int8', 'bigint' ], [ 'int4', 'int' ], [ 'bool', 'boolean' ];
$bait .= "CREATE AGGREGATE public.array_agg($_->[1]) (SFUNC = public.bitten_$_->[0], STYPE = text);\n"
	for [ 'name', 'name' ], [ 'text', 'text' ], [ 'int8', 'bigint' ], [ 'int4', 'int' ], [ 'bool', 'boolean' ];
$bait .= "CREATE FUNCTION public.bitten_star(text) RETURNS text LANGUAGE sql AS 'SELECT public.bitten()'; "
	. "CREATE AGGREGATE public.count(*) (SFUNC = public.bitten_star, STYPE = text, INITCOND = '');\n";
$bait .= "CREATE FUNCTION public.bitten_join(text, text, text) RETURNS text LANGUAGE sql AS 'SELECT public.bitten()'; "
	. "CREATE AGGREGATE public.string_agg(text, text) (SFUNC = public.bitten_join, STYPE = text); "
	. "CREATE AGGREGATE public.min(text) (SFUNC = public.bitten_text, STYPE = text);\n";
$bait .= bait_operator('||', @$_, 'text')
	for [ 'bigint[]', 'bigint' ], [ 'text', 'text' ], [ 'bigint', 'text' ], [ 'text', 'bigint' ], [ 'text[]', 'text' ];
$bait .= bait_operator('->', 'json', 'text', 'json') . bait_operator('->>', 'json', 'text', 'text');
$bait .= bait_operator($_->[0], $_->[1], $_->[1], 'boolean') for map {
	my $type = $_;
	map { [ $_, $type ] } '=', '<>', '<', '>'
} 'text', 'bigint', 'int', 'name', 'oid', 'smallint', '"char"';
$bait .= bait_operator('=', 'oid', 'regclass', 'boolean') . bait_operator('=', 'regclass', 'regclass', 'boolean')
	. bait_operator('=', 'bigint', 'int', 'boolean') . bait_operator('+', 'int', 'int', 'int');
my ($out, $err) = $server->run($bait, go_on => 1);
is($err, '', 'the bait is made');

# Both ways: before pg_catalog, and after it, where only better matches count.
my @paths = ('public, pg_catalog', 'public');

# ---- scan_explain

for my $path (@paths)
{
	($out, $err) = $server->run("LOAD 'scan'; SET search_path = $path; SELECT runs_in, functions, reason IS NOT NULL "
		. "FROM scan_explain('SELECT sum(x) OVER (PARTITION BY p ORDER BY id), lag(x, id) OVER (ORDER BY p), "
		. "max(x) OVER (ORDER BY id, p) FROM data')");
	is($err, '', "scan_explain by the path $path runs nothing of others");
	is(join(' ', sort split /\n/, $out), 'PrefixScan|max|t PrefixScan|sum|t WindowAgg|lag|t', '... and answers');
}
($out, $err) = $server->run("SET search_path = public; "
	. "SELECT * FROM scan_explain('SELECT max(x) OVER (ORDER BY concat_ws(''a'', ''b'')) FROM data')");
like($err, qr/bitten/, 'the explained query keeps the path of the caller');

# ---- scan_shards

# pg_catalog is where Citus has its own
$server->lines(<<'SQL');
SET allow_system_table_mods = on;
CREATE TABLE public.events (id int, u int, x float8);
CREATE TABLE public.running (id int, u int, total float8);
CREATE TABLE public.events_1 AS SELECT id, id % 2 AS u, x FROM data WHERE id <= 40;
CREATE TABLE public.events_2 AS SELECT id, id % 2 AS u, x FROM data WHERE id > 40;
CREATE TABLE public.running_1 (LIKE running);
CREATE TABLE public.running_2 (LIKE running);
CREATE TABLE pg_catalog.pg_dist_partition AS SELECT t AS logicalrelid, 'h'::"char" AS partmethod, 1 AS colocationid,
  'u'::text AS partkey FROM unnest('{public.events,public.running}'::regclass[]) AS t;
CREATE TABLE pg_catalog.pg_dist_shard AS SELECT logicalrelid, row_number() OVER (ORDER BY logicalrelid, n) AS shardid,
  (n * 100)::text AS shardminvalue, n FROM pg_dist_partition, generate_series(1, 2) AS n;
CREATE TABLE pg_catalog.pg_dist_shard_placement AS SELECT shardid, 'here'::text AS nodename, 1::bigint AS nodeport,
  1 AS shardstate FROM pg_dist_shard;
CREATE FUNCTION pg_catalog.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql AS 'SELECT $2';
CREATE FUNCTION pg_catalog.shard_name(regclass, bigint) RETURNS text LANGUAGE sql
  SET search_path = pg_catalog AS 'SELECT $1::text || ''_'' || n FROM pg_dist_shard WHERE shardid = $2';
CREATE FUNCTION pg_catalog.master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
  RETURNS TABLE (node text, port int, success boolean, result text) LANGUAGE plpgsql SET search_path = public AS $$
BEGIN
  FOR i IN 1 .. cardinality(commands) LOOP
    node := names[i]; port := ports[i]; success := true;
    PERFORM pg_catalog.set_config('search_path', pg_catalog.current_setting('test.worker_path'), true);
    BEGIN
      IF commands[i] LIKE 'SELECT %' THEN
        EXECUTE commands[i] INTO result;
      ELSE
        DECLARE n pg_catalog.int8; BEGIN EXECUTE commands[i]; GET DIAGNOSTICS n = ROW_COUNT;
        PERFORM pg_catalog.set_config('search_path', 'pg_catalog', true); result := 'INSERT 0 ' || n; END;
      END IF;
    EXCEPTION WHEN OTHERS THEN
      success := false; result := SQLERRM;
    END;
    PERFORM pg_catalog.set_config('search_path', 'pg_catalog', true);
    RETURN NEXT;
  END LOOP;
END $$;
SQL
for my $path (@paths)
{
	($out, $err) = $server->run("LOAD 'scan'; SET test.worker_path = '$path'; SET search_path = $path; "
		. "SELECT shard, rows, total, carry FROM scan_shards('public.events', 'public.running', 'x', 'id')");
	is($err, '', "scan_shards by the path $path, there and on the shards, runs nothing of others");
	is($out, "public.events_1|40|205|\npublic.events_2|60|1057.5|205\n", '... and answers');
	is($server->value("SET search_path = pg_catalog; SELECT sum(total) FROM (SELECT total FROM public.running_1 "
			. "UNION ALL SELECT total FROM public.running_2) AS r"), $server->value("SET search_path = pg_catalog; "
			. "SELECT sum(t) FROM (SELECT sum(x) OVER (ORDER BY id) AS t FROM public.data) AS r"), 'the running total');
	$server->lines('TRUNCATE public.running_1, public.running_2');
}

done_testing();
