# node_early.t: rows that core never reaches, since somebody above stops early.
#
# Whoever reads a window need not read it to its end: LIMIT, EXISTS, a join whose other
# side is done, a cursor, a loop that is left, a function of which one row is used.  Core
# computes the rows below as they are asked for; an error of a row that was not, or a side
# effect, must not show in the node.  Each kind of expression that can fail stands at some
# row of the input; each reader stops at another; each query runs without the node, with
# it, and forced, and has to come to the same rows or the same error.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('node_early');

$server->lines(<<'SQL');
CREATE TYPE half_comparable AS (a int, j json);
CREATE DOMAIN odd AS int CHECK (VALUE <> 0);
CREATE TABLE data AS
SELECT i AS id, (i - 1) / 3 AS p, (i - 1) / 2 AS o, bad, i - bad AS x,
       CASE WHEN i = bad THEN '<a>' ELSE '<a>1</a>' END AS xml,
       CASE WHEN i = bad THEN 'word' ELSE '7' END AS digits,
       ARRAY[CASE WHEN i = bad THEN 'word' ELSE '7' END] AS list,
       CASE WHEN i = bad THEN '{' ELSE '{"a": 1}' END AS document,
       ROW(CASE WHEN i = bad THEN 1 ELSE 0 END, '{}')::half_comparable AS a, ROW(1, '{}')::half_comparable AS b,
       -- from the bad one on, ten days later is after the last timestamp
       timestamp '294276-12-22 12:00' + least(i - bad, 8) * interval '1 day' + i * interval '1 us' AS t
FROM generate_series(1, 60) AS i, (VALUES (2), (4), (5), (12), (40)) AS v (bad);
CREATE INDEX ON data (bad, id);
CREATE INDEX ON data (bad, t);
ALTER TABLE data CLUSTER ON data_bad_id_idx;
CLUSTER data;
CREATE SEQUENCE effects;
CREATE FUNCTION fail_at(n int, bad int) RETURNS int
  LANGUAGE plpgsql VOLATILE COST 1 AS 'BEGIN IF n = bad THEN RAISE division_by_zero; END IF; RETURN n; END';
-- dear enough for a join to look at the other side first
CREATE FUNCTION never(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE COST 1000000 AS 'BEGIN RETURN false; END';
VACUUM ANALYZE data;
SQL

# What reads: the rows that a reader of some query has seen, or the error that it met.  A reader
# is a statement in which %s stands for the query, or one of the names below.
$server->lines(<<'SQL');
CREATE FUNCTION read(reader text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record; rows text := ''; state text; message text; c refcursor; n int := 0;
BEGIN
  PERFORM setval('effects', 1);
  IF reader = 'function' THEN
    EXECUTE 'CREATE OR REPLACE FUNCTION pg_temp.one() RETURNS record LANGUAGE sql VOLATILE AS $f$' || query || '$f$';
    SELECT pg_temp.one()::text INTO rows;
  ELSIF reader = 'set function' THEN
    EXECUTE 'CREATE OR REPLACE FUNCTION pg_temp.some() RETURNS SETOF record LANGUAGE sql VOLATILE AS $f$' || query ||
      '$f$';
    FOR r IN SELECT pg_temp.some()::text LIMIT 3 LOOP
      rows := rows || r::text;
    END LOOP;
  ELSIF reader = 'loop' THEN
    FOR r IN EXECUTE query LOOP
      rows := rows || r::text;
      EXIT;
    END LOOP;
  ELSIF reader = 'into' THEN
    EXECUTE query INTO r;
    rows := r::text;
  ELSIF reader = 'cursor' THEN
    OPEN c NO SCROLL FOR EXECUTE query;
    WHILE n < 3 LOOP
      FETCH c INTO r;
      EXIT WHEN NOT FOUND;
      rows := rows || r::text;
      n := n + 1;
    END LOOP;
    CLOSE c;
  ELSIF reader = 'prepared' THEN
    EXECUTE 'PREPARE stops (int) AS SELECT * FROM (' || query || ') AS q LIMIT $1';
    FOR r IN EXECUTE 'EXECUTE stops (3)' LOOP
      rows := rows || r::text;
    END LOOP;
  ELSE
    FOR r IN EXECUTE replace(reader, '%s', query) LOOP
      rows := rows || r::text;
    END LOOP;
  END IF;
  RETURN rows || ' ' || (SELECT last_value FROM effects) || ' ' ||
    (SELECT count(*) FROM data WHERE xmax = pg_current_xact_id()::xid);
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN state || ' ' || message;
END $$;
-- the number of settings under which a reader sees something else than in core
CREATE FUNCTION differs(reader text, query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  core text; ours text; node text;
BEGIN
  FOREACH node IN ARRAY '{off,auto,force}'::text[] LOOP
    PERFORM set_config('scan.prefixscan', node, false);
    ours := read(reader, query);
    IF EXISTS (SELECT FROM pg_prepared_statements WHERE name = 'stops') THEN
      DEALLOCATE stops;
    END IF;
    IF node = 'off' THEN
      core := ours;
    ELSIF ours IS DISTINCT FROM core THEN
      RETURN format('DIFFERENT %s: core %s, ours %s', node, core, ours);
    END IF;
  END LOOP;
  RETURN CASE WHEN core ~ '^[0-9A-Z]{5} [a-z]' THEN 'error ' ELSE 'rows ' END || core;
END $$;
SQL

# ---- what stands below, with a row that fails: FROM and WHERE; # is its number

my $xml = ($server->run("SELECT xmlparse(document '<a/>')"))[2] == 0;
my $major = int($server->value('SHOW server_version_num') / 10000);
my $of = 'FROM data AS d WHERE d.bad = #';

my %below = (
	'nothing' => $of,
	'a function' => "$of AND 100 / d.x IS NOT NULL",
	'a volatile function' => "$of AND fail_at(d.id, d.bad) > 0",
	'a side effect' => "$of AND nextval('effects') > 0",
	'a cast through text' => "$of AND d.digits::int IS NOT NULL",
	'a cast of arrays' => "$of AND d.list::int[] IS NOT NULL",
	'a domain' => "$of AND d.x::odd IS NOT NULL",
	'a document' => "$of AND (d.document::json ->> 'a') IS NOT NULL",
	'GREATEST' => "$of AND greatest(d.a, d.b) IS NOT NULL",
	'a comparison of rows' => "$of AND (d.a, 1) <> (d.b, 1)",
	'CASE' => "$of AND CASE WHEN d.x = 0 THEN 1 / d.x ELSE 1 END IS NOT NULL",
	'a subquery' => "$of AND (SELECT 100 / d.x) IS NOT NULL",
	'an array of arrays' => "$of AND ARRAY[ARRAY[1], CASE WHEN d.x = 0 THEN '{1,2}'::int[] ELSE '{1}' END] IS NOT NULL",
	'an assignment of types' => "$of AND d.a < d.b",
	'a column of a subquery' => 'FROM (SELECT *, 100 / x AS y FROM data WHERE bad = # OFFSET 0) AS d WHERE y <> 0.5',
	'a column that nobody filters by' => 'FROM (SELECT id, p, o, 100 / x AS z FROM data WHERE bad = # OFFSET 0) AS d',
	'locks' => 'FROM (SELECT id, p, o FROM data WHERE bad = # FOR UPDATE) AS d',
	'a function beside it' => 'FROM data AS d, LATERAL generate_series(1, 100 / d.x / 100) AS g WHERE d.bad = #',
	'a list of values' => 'FROM (VALUES '
		. join(', ', map { "($_, fail_at($_, #), ($_ - 1) / 3, ($_ - 1) / 2)" } 1 .. 45) . ') AS d (id, y, p, o)',
	'groups' => 'FROM (SELECT id, p, o, sum(100 / x) AS s FROM data WHERE bad = # GROUP BY bad, id, p, o) AS d',
	'a WITH' =>
		'FROM (WITH w AS MATERIALIZED (SELECT id, p, o, 100 / x AS y FROM data WHERE bad = #) SELECT * FROM w) AS d',
	'a union' => 'FROM (SELECT id, p, o FROM data WHERE bad = # AND id < 3 UNION ALL SELECT id, p, o FROM data '
		. 'WHERE bad = # AND id > 2 AND 100 / x <> 7) AS d',
	'a window' =>
		'FROM (SELECT id, p, o, sum(100 / x) OVER (ORDER BY bad, id) AS s FROM data WHERE bad = # OFFSET 0) AS d',
	'a frame' => "FROM (SELECT id, p, o, max(id) OVER (PARTITION BY bad, id "
		. "ORDER BY t RANGE BETWEEN CURRENT ROW AND '10 days' FOLLOWING) AS s FROM data WHERE bad = # OFFSET 0) AS d",
	$xml ? (
		'XML' => "$of AND xmlparse(document d.xml) IS NOT NULL",
		'a table of XML' => "FROM data AS d, LATERAL xmltable('/a' PASSING xmlparse(document d.xml) COLUMNS v int PATH "
			. "'.') AS g WHERE d.bad = #",
	) : (),
	$major >= 16 ? ('a test for JSON' => "$of AND d.document::text::json IS JSON OBJECT") : (),
	$major >= 17 ? (
		'JSON_VALUE' => "$of AND json_value(d.document::jsonb, '\$.a' RETURNING int ERROR ON ERROR) IS NOT NULL",
		'a table of JSON' => "FROM data AS d, LATERAL json_table(d.document::jsonb, '\$' COLUMNS (v int PATH '\$.a')) "
			. "AS g WHERE d.bad = #",
	) : ());

my @windows = (
	'row_number() OVER ()', 'count(*) OVER (ORDER BY d.id ROWS UNBOUNDED PRECEDING)',
	'rank() OVER (PARTITION BY d.p ORDER BY d.id)',
	'sum(d.id) OVER (ORDER BY d.o)', 'scan_sum(d.id) OVER (ORDER BY d.id)', 'lead(d.id) OVER (ORDER BY d.id)',
	'nth_value(d.id, 3) OVER (ORDER BY d.id)',
	'last_value(d.id) OVER (PARTITION BY d.p)',
	'lag(d.id) OVER (ORDER BY d.id), max(d.id) OVER (ORDER BY d.id ROWS UNBOUNDED PRECEDING)',
	'first_value(d.id) OVER (ORDER BY d.id), row_number() OVER (PARTITION BY d.p ORDER BY d.id)',
	'sum(d.id) OVER (ORDER BY d.id ROWS 2 PRECEDING)',
	'avg(d.id) OVER (ORDER BY d.id ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING)',
	'sum(d.id) OVER (ORDER BY d.id ROWS BETWEEN 1 PRECEDING AND 2 FOLLOWING)',
	'max(d.id) OVER (ORDER BY d.id RANGE BETWEEN 2 PRECEDING AND 1 FOLLOWING)',
	'count(*) OVER (ORDER BY d.o GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING)',
	'min(d.id) OVER (ORDER BY d.o GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW)',
	'first_value(d.id) OVER (ORDER BY d.id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)',
	'last_value(d.id) OVER (ORDER BY d.id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)',
	'sum(d.id) OVER (PARTITION BY d.p ORDER BY d.id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)',
	'sum(d.id) OVER (ORDER BY d.id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING), '
		. 'first_value(d.id) OVER (ORDER BY d.id ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING)',
	'sum(d.id) OVER (ORDER BY d.id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES)',
	'sum(d.id) OVER (ORDER BY d.id RANGE BETWEEN 1 FOLLOWING AND 2 FOLLOWING)',
	'scan_compact(d.id, d.id <> 2) OVER (ORDER BY d.id)',
	'scan_compact(100 / (d.id - 7), d.id <> 2) OVER (PARTITION BY d.p ORDER BY d.id)',
	'scan_split_index(d.id <> 2) OVER (PARTITION BY d.p ORDER BY d.id)',
	'scan_nocb(nullif(d.id, 2)) OVER (ORDER BY d.id)',
	'scan_nocb(100 / (d.id - 7)) OVER (PARTITION BY d.p ORDER BY d.id)',
	'scan_lead(nullif(d.id, 2), 3) OVER (ORDER BY d.id)',
	'scan_interpolate(nullif(d.id, 2), d.id) OVER (ORDER BY d.id)');

# ---- who reads

my %readers = (
	'everybody' => '%s',
	'an aggregate' => 'SELECT count(*), sum(id) FROM (%s) AS q',
	'an aggregate of some' => 'SELECT count(*), sum(id) FROM (SELECT * FROM (%s) AS q LIMIT 3) AS r',
	'an aggregate beside nothing' => 'SELECT * FROM (SELECT count(*) AS id FROM (%s) AS q) AS r '
		. 'JOIN (SELECT id FROM (VALUES (1), (2)) AS v (id) WHERE never(id) OFFSET 0) AS v USING (id)',
	'LIMIT' => 'SELECT * FROM (%s) AS q LIMIT 3',
	'OFFSET' => 'SELECT * FROM (SELECT * FROM (%s) AS q OFFSET 1) AS r LIMIT 1',
	'EXISTS' => 'SELECT EXISTS (%s)',
	'an EXISTS of each row' =>
		'SELECT v FROM (VALUES (1), (2)) AS v (v) WHERE EXISTS (SELECT FROM (%s) AS q WHERE q.id > v - 1)',
	'ANY' => 'SELECT 1 = ANY (SELECT q.id FROM (%s) AS q)',
	'a merge join' => 'SELECT * FROM (%s) AS q JOIN (VALUES (1), (2)) AS v (id) USING (id)',
	'a hash join with nothing' => 'SELECT * FROM (%s) AS q JOIN (SELECT id FROM (VALUES (1), (2)) AS v (id) '
		. 'WHERE never(id) OFFSET 0) AS v USING (id)',
	'a WITH that is read in part' => 'WITH q AS MATERIALIZED (%s) SELECT * FROM q LIMIT 2',
	'an inner join' =>
		'SELECT * FROM (VALUES (1), (2)) AS v (v), LATERAL (SELECT * FROM (%s) AS q WHERE q.id >= v LIMIT 2) AS l',
	'a set that ends' => '(%s) EXCEPT ALL SELECT NULL, NULL WHERE false LIMIT 1',
	map({ $_ => $_ } 'function', 'set function', 'loop', 'into', 'cursor', 'prepared'));
my %settings = (
	'a merge join' => 'SET enable_hashjoin = off; SET enable_nestloop = off;',
	'a hash join with nothing' => 'SET enable_mergejoin = off; SET enable_nestloop = off; SET enable_hashjoin = on;',
	'an aggregate beside nothing' => 'SET enable_mergejoin = off; SET enable_nestloop = off; SET enable_hashjoin = on;',
	'an EXISTS of each row' => 'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_nestloop = on;');

my $plans = "LOAD 'scan'; SET jit = off; SET plan_cache_mode = force_generic_plan; SET search_path = public;";
my %orders = ('by an index' =>
		'SET enable_sort = off; SET enable_hashagg = off; SET enable_seqscan = off; SET enable_bitmapscan = off;',
	'as the planner likes' => '');
my ($queries, $failed) = (0, 0);

for my $reader (sort keys %readers)
{
	for my $order (sort keys %orders)
	{
		my ($script, @asked) = ("$plans $orders{$order} " . ($settings{$reader} // '') . "\n");
		for my $what (sort keys %below)
		{
			for my $bad (2, 4, 5, 12, 40)
			{
				my $window = $windows[ (@asked * 7 + $bad) % @windows ];
				# rows that tie come in any order
				my $first = $window =~ /BY d\.o\b/ && $what eq 'groups' ? 'd.o' : 'd.id';
				# the same
				($first, $window) = ('d.p', 'last_value(d.p) OVER (PARTITION BY d.p)')
					if $window =~ /\(PARTITION BY d.p\)/ && $what eq 'groups';
				$window =~ s/OVER \(\)/OVER (ORDER BY d.id)/ if $what eq 'groups'; # the same
				my $query = "SELECT $first AS id, $window " . $below{$what} =~ s/#/$bad/gr;
				$query = "SELECT $first AS id, $window AS n " . $below{$what} =~ s/#/$bad/gr if $reader =~ /^a set/;
				$query = "SELECT q.id, q.n FROM (SELECT $first AS id, ($window) AS n " . $below{$what} =~ s/#/$bad/gr
					. ') AS q' if $reader =~ /^a set/ && $window !~ /,.*,/;
				push @asked, "$what: $query";
				$script .= "SELECT differs(\$r\$$readers{$reader}\$r\$, \$q\$$query\$q\$);\n";
			}
		}
		my @answers = $server->lines($script);
		my @wrong = grep { $answers[$_] =~ /^DIFFERENT/ } 0 .. $#answers;
		is(scalar @answers, scalar @asked, "$reader, $order: all are answered");
		is(scalar @wrong, 0, "$reader, $order")
			or diag(join "\n", map { "$asked[$_]\n  $answers[$_]" } @wrong[ 0 .. ($#wrong < 5 ? $#wrong : 5) ]);
		$queries += @answers;
		$failed += grep { /^error/ } @answers;
	}
}
note("$queries queries, $failed of them fail in core");
cmp_ok($failed, '>', 0.1 * $queries, 'some come to the row that fails');
cmp_ok($failed, '<', 0.6 * $queries, 'and some do not');

# conditions under which core computes the first rows only,
# of a window below or of the window itself; and a loop that is left
my $frame = q{RANGE BETWEEN CURRENT ROW AND '10 days' FOLLOWING};
my @stops = ('SELECT * FROM (SELECT id, nth_value(o, 3 - id) OVER w AS n, rank() OVER () AS r FROM data WHERE bad = 2 '
	. 'WINDOW w AS (ORDER BY id ROWS 1 PRECEDING)) AS s WHERE r < 1',
	"SELECT count(n) FROM (SELECT n, row_number() OVER () AS r FROM (SELECT max(id) OVER (PARTITION BY id "
		. "ORDER BY t $frame) AS n FROM data WHERE bad = 5) AS s) AS z WHERE r < 3",
	"SELECT n FROM (SELECT max(id) OVER w AS n, row_number() OVER w AS r FROM data WHERE bad = 5 "
		. "WINDOW w AS (PARTITION BY id ORDER BY t $frame)) AS s WHERE r < 3 LIMIT 4",
	# a column of an arm that was merged into the level
	'SELECT z, row_number() OVER () FROM (SELECT 100 / x AS z FROM data UNION ALL SELECT id FROM data) AS s LIMIT 1',
	# planned for all rows, and left after the first
	"SELECT read('loop', \$q\$SELECT row_number() OVER (), n FROM (SELECT max(id) OVER (PARTITION BY id "
		. "ORDER BY t $frame) AS n FROM data WHERE bad = 12 OFFSET 0) AS s\$q\$)");
for my $query (@stops)
{
	my @answers = map { join '', ($server->run("LOAD 'scan'; SET scan.prefixscan = $_; $query", go_on => 1))[0, 1] }
		'off', 'auto', 'force';
	unlike($answers[0], qr/ERROR/, "core stops before the row that fails: $query");
	is($answers[$_], $answers[0], "... and so does the node, " . ('', 'auto', 'force')[$_]) for 1, 2;
}

# How far functions over a moving frame read beyond the row that was fetched last.  A cursor's plan is made for
# some rows, and that of an SQL function for all; but core runs the function for one row after the other.
$server->lines(<<'SQL');
CREATE TABLE tied AS SELECT bad, i AS id, (i * i / 9) / 3 AS o, i - bad AS x
  FROM generate_series(1, 16) AS i, generate_series(2, 14) AS bad;
CREATE INDEX ON tied (bad, o, id);
VACUUM ANALYZE tied;
CREATE FUNCTION fetched(query text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  r record; rows text := '';
BEGIN
  EXECUTE 'CREATE OR REPLACE FUNCTION pg_temp.read() RETURNS SETOF record LANGUAGE sql VOLATILE AS $f$' || query ||
    '$f$';
  FOR r IN EXECUTE 'SELECT pg_temp.read()::text LIMIT ' || n LOOP
    rows := rows || r::text;
  END LOOP;
  RETURN rows;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;
SQL
my (%seen, @planned);
my @frames = map {
	my $frame = $_;
	map { "$frame$_" } '', map { " EXCLUDE $_" } 'GROUP', 'TIES', 'CURRENT ROW'
} 'ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING', 'ROWS BETWEEN 1 PRECEDING AND CURRENT ROW',
'ROWS BETWEEN CURRENT ROW AND CURRENT ROW', 'ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING',
'ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING', 'GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW',
'GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING', 'RANGE BETWEEN 1 PRECEDING AND CURRENT ROW',
'RANGE BETWEEN CURRENT ROW AND 1 FOLLOWING';
for my $node ('off', 'force')
{
	my $script = "$plans $orders{'by an index'} SET scan.prefixscan = $node;\n";
	for my $case (map({ "count(*) OVER w, max(y) OVER w $_" } @frames), map({
		my $function = $_;
		map { "$function(y) OVER w, $function(id) OVER w $_" }
			grep { !/ROWS.*FOLLOWING/ && ($function eq 'last_value' || !/EXCLUDE CURRENT/) } @frames
	} 'first_value', 'last_value'))
	{
		my ($functions, $frame) = $case =~ /^(.* w) (\w+ BETWEEN.*)/;
		my $query = "SELECT id, $functions FROM (SELECT id, o, 100 / x AS y FROM tied WHERE bad = #bad "
			. "ORDER BY o, id OFFSET 0) AS d WINDOW w AS (ORDER BY o $frame)";
		push @planned, join "\n", $server->lines("$script EXPLAIN (COSTS OFF) " . $query =~ s/#bad/5/r)
			if $node ne 'off';
		$script .= "SELECT '$case bad ' || bad || ' rows ' || n || ': ' || fetched(replace(\$q\$$query\$q\$, '#bad', "
			. "bad::text), n) FROM unnest('{2,3,5,6,7,9,12}'::int[]) AS bad, unnest('{1,2,5,6,9,11}'::int[]) AS n;\n";
	}
	$seen{$node} = [ $server->lines($script) ];
}
is(scalar(grep { !/PrefixScan/ || /WindowAgg/ } @planned), 0, 'the node runs functions over each moving frame')
	or diag(@planned);
is(join("\n", map { $seen{force}[$_] eq $seen{off}[$_] ? () : "$seen{force}[$_] not $seen{off}[$_]" }
		0 .. $#{ $seen{off} }), '', '... and whoever stops meets a row that fails when it does in core');
cmp_ok(scalar(grep { /division by zero/ } @{ $seen{off} }), '>', 500, '... often');
cmp_ok(scalar(grep { !/division by zero/ } @{ $seen{off} }), '>', 500, '... and often not');
# first_value() looks at the row behind the one that is excluded;
# without ORDER BY WindowAgg needs no end of the peer group
for my $left ('first_value(y) OVER (ORDER BY o GROUPS BETWEEN 2 PRECEDING AND 1 PRECEDING EXCLUDE CURRENT ROW)',
	'count(y) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE TIES)',
	'first_value(y) OVER (ORDER BY o ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)')
{
	like(join("\n", $server->lines("$plans $orders{'by an index'} SET scan.prefixscan = force; EXPLAIN (COSTS OFF) "
				. "SELECT $left FROM (SELECT o, 100 / x AS y FROM tied WHERE bad = 2 ORDER BY o, id OFFSET 0) AS d")),
		qr/WindowAgg/, "left to WindowAgg: $left");
}
my $two = 'SELECT sum(x::float8) OVER (ORDER BY id ROWS 3 PRECEDING), '
	. 'sum(x::float8) OVER (ORDER BY id ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE TIES) FROM tied';
unlike(join("\n", $server->lines("$plans SET scan.prefixscan = force; EXPLAIN (COSTS OFF) $two")), qr/WindowAgg/,
	'two moving windows, of which the lower one may overflow');

done_testing();
