# plan_cache.t: a plan of PrefixScan that outlives what it was made of, and expressions of its that have no row.
#
# Each statement runs as WindowAgg runs it (scan.prefixscan = off) and in the node, and the answers are the same; where
# a function has changed under a plan that is kept, the plan is made anew.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Digest::MD5 qw(md5_hex);
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;
use Server;
use Session;

my $server = Server->new('plan_cache');
my $folder = File::Temp->newdir;
$server->lines(<<'SQL');
CREATE TABLE sm AS SELECT i AS id, i % 7 AS a, hashint4(i) % 100 AS v, (i % 50)::numeric AS n
  FROM generate_series(1, 2000) AS i;
CREATE TABLE one AS SELECT i AS id, CASE i WHEN 20 THEN 1e17 ELSE i / 8.0 END::float8 AS x, i % 3 AS p
  FROM generate_series(1, 60) AS i;
ANALYZE sm, one;
SQL

# what a script prints in the node is what it prints in core
sub same
{
	my ($what, $script) = @_;
	my $core = join "\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = off;\n$script");
	is(join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET scan.debug_require = node;\n$script")),
		$core, $what);
	cmp_ok(length $core, '>', 0, "$what: there is an answer");
}

# ---- offsets that equal a column computed below

same('an offset from LATERAL that is a key, too', "SELECT count(x), sum(x) FROM generate_series(0, 6) AS o(g), "
		. "LATERAL (SELECT sum(v) OVER (PARTITION BY o.g, a ORDER BY id ROWS o.g PRECEDING) AS x FROM sm) AS s;\n"
		. "SELECT count(x), sum(x) FROM generate_series(0, 6) AS o(g), LATERAL (SELECT sum(v) OVER "
		. "(PARTITION BY o.g + 1, a ORDER BY id ROWS BETWEEN o.g + 1 PRECEDING AND o.g FOLLOWING) AS x FROM sm) AS s;");
for my $mode ('generic', 'custom')
{
	same("an offset, a key, an argument and a FILTER that are parameters, $mode plan", <<"SQL");
SET plan_cache_mode = force_${mode}_plan;
PREPARE q(int) AS SELECT sum(v) OVER (PARTITION BY \$1 ORDER BY id ROWS \$1 PRECEDING) FROM sm;
EXECUTE q(0); EXECUTE q(3); EXECUTE q(3000);
PREPARE groups(int, int) AS SELECT id, sum(v) FILTER
  (WHERE v > \$2) OVER (PARTITION BY \$1, \$2, a ORDER BY v GROUPS BETWEEN \$2 PRECEDING AND \$1 + \$2 FOLLOWING),
  lag(\$1) OVER (PARTITION BY \$1, \$2, a ORDER BY v, id) FROM sm ORDER BY id;
EXECUTE groups(1, 2); EXECUTE groups(0, 5);
PREPARE range(int) AS SELECT id, count(*) OVER (PARTITION BY \$1 ORDER BY v RANGE \$1 PRECEDING),
  max(\$1) OVER (PARTITION BY \$1 ORDER BY v RANGE \$1 PRECEDING) FROM sm ORDER BY id;
EXECUTE range(4); EXECUTE range(0);
SQL
}

# ---- functions that change under a plan that is kept

my $kept = "SET plan_cache_mode = force_generic_plan;\n";
my %made = (
	'a transition function that becomes volatile' =>
		[ "CREATE FUNCTION plus(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT coalesce(\$1, "
		. "0) + coalesce(\$2, 0)'; CREATE AGGREGATE plus_all(integer) (SFUNC = plus, STYPE = bigint, INITCOND = '5');",
		'ALTER FUNCTION plus(bigint, integer) VOLATILE' ],
	'one that is replaced' =>
		[ "CREATE FUNCTION plus(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT coalesce(\$1, "
		. "0) + coalesce(\$2, 0)'; CREATE AGGREGATE plus_all(integer) (SFUNC = plus, STYPE = bigint, INITCOND = '5');",
		"CREATE OR REPLACE FUNCTION plus(bigint, integer) RETURNS bigint "
			. "LANGUAGE sql AS 'SELECT coalesce(\$1, 0) - coalesce(\$2, 0)'" ],
	'an inverse that becomes volatile' =>
		[ "CREATE FUNCTION minus(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE STRICT AS 'SELECT \$1 - \$2'; "
		. "CREATE AGGREGATE plus_all(bigint) (SFUNC = int8pl, STYPE = bigint, MSFUNC = int8pl, MINVFUNC = minus, "
		. "MSTYPE = bigint, INITCOND = '0', MINITCOND = '0');", 'ALTER FUNCTION minus(bigint, bigint) VOLATILE' ],
	'a final function that becomes volatile' =>
		[ "CREATE FUNCTION show(bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT \$1 * 2'; "
		. "CREATE AGGREGATE plus_all(integer) (SFUNC = int84pl, STYPE = bigint, FINALFUNC = show, INITCOND = '0');",
		'ALTER FUNCTION show(bigint) VOLATILE' ],
	'an aggregate that is replaced' =>
		[ "CREATE AGGREGATE plus_all(integer) (SFUNC = int84pl, STYPE = bigint, INITCOND = '0');",
		"CREATE OR REPLACE AGGREGATE plus_all(integer) (SFUNC = int84pl, STYPE = bigint, INITCOND = '100')" ],
	'a function of another name that becomes another' =>
		[ "CREATE FUNCTION number() RETURNS bigint LANGUAGE internal WINDOW IMMUTABLE AS 'window_row_number'; "
		. "CREATE FUNCTION plus_all(integer) RETURNS bigint LANGUAGE internal WINDOW IMMUTABLE AS 'window_rank'; ",
		"CREATE OR REPLACE FUNCTION plus_all(integer) RETURNS bigint LANGUAGE internal "
			. "WINDOW IMMUTABLE AS 'window_dense_rank'" ],
);
foreach my $what (sort keys %made)
{
	my ($make, $change) = @{ $made{$what} };
	foreach my $frame ('', ', id ROWS 3 PRECEDING')
	{
		my $script = "BEGIN; $make PREPARE q AS SELECT id, plus_all(v) OVER (PARTITION BY a ORDER BY v % 10$frame) "
			. "FROM sm ORDER BY 1, 2;\nEXECUTE q;\n$change;\nEXECUTE q; EXECUTE q; ROLLBACK;\n";
		my @core = $server->lines("LOAD 'scan'; SET scan.prefixscan = off; $kept$script");
		my @node = $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $kept$script");
		is(md5_hex("@node"), md5_hex("@core"), "$what$frame");
		cmp_ok(scalar @core, '>=', 6000, "$what$frame: there are answers");
	}
}

# whether a plan that is kept has the node, before and after a change
my ($make, $change) = @{ $made{'a transition function that becomes volatile'} };
my @plans = $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $kept BEGIN; $make PREPARE q AS SELECT "
	. "plus_all(v) OVER (ORDER BY id) FROM sm;\nEXPLAIN (COSTS OFF) EXECUTE q; $change; EXPLAIN (COSTS OFF) EXECUTE q; "
	. "ALTER FUNCTION plus(bigint, integer) IMMUTABLE; EXPLAIN (COSTS OFF) EXECUTE q; ROLLBACK;");
is(join(' ', grep { /PrefixScan|WindowAgg/ } map { /(PrefixScan|WindowAgg)/ ? $1 : () } @plans),
	'PrefixScan WindowAgg PrefixScan', 'the plan is made anew each time');

# the op of scan_fold: its parallel safety
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET min_parallel_table_scan_size = 0;';
my $op = "CREATE FUNCTION join_ints(integer, integer) RETURNS integer "
	. "LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT (\$1 + \$2) % 1000';";
my $fold = 'SELECT count(*) FROM (SELECT scan_fold(v, %s) OVER (PARTITION BY a ORDER BY id) FROM sm OFFSET 0) AS s';
foreach my $call ("'join_ints(integer,integer)'", "op => 'join_ints(integer,integer)'",
	"reset => false, op => 'join_ints(integer,integer)'")
{
	my $query = sprintf $fold, $call;
	my @steps = $server->lines("LOAD 'scan'; $kept $parallel BEGIN; $op PREPARE q AS $query;\n" . join '',
		map { "ALTER FUNCTION join_ints(integer, integer) PARALLEL $_; EXPLAIN (COSTS OFF) EXECUTE q; SELECT '|';\n" }
		qw(SAFE UNSAFE SAFE));
	my @gather = map { /Gather/ ? 1 : 0 } split /\|/, join "\n", @steps;
	is("@gather[0..2]", '1 0 1', "scan_fold with $call is in parallel while its op may be");
}

# the first statement of a session, whose planning loads the library
$server->lines("CREATE FUNCTION noted(integer, integer) RETURNS integer LANGUAGE plpgsql VOLATILE PARALLEL "
	. "UNSAFE AS \$\$ BEGIN INSERT INTO note VALUES (\$2); RETURN \$1 + \$2; END \$\$; CREATE TABLE note (v integer)");
is(join(' ',
		$server->lines("$parallel SELECT count(*), max(x) - min(x) FROM (SELECT scan_fold(v, 'noted(integer,integer)') "
			. "OVER (ORDER BY id) AS x FROM sm) AS s; SELECT count(*) FROM note")), join(' ', $server->lines(
			"SELECT count(*), max(x) - min(x) FROM (SELECT sum(v) OVER (ORDER BY id) AS x FROM sm) AS s; SELECT 1999")),
	'the first statement of a session calls an unsafe op in no parallel plan');
is(join(' ', $server->lines("$parallel SET plan_cache_mode = force_generic_plan; PREPARE q AS SELECT count(*) "
			. "FROM (SELECT scan_fold(v, 'noted(integer,integer)') OVER (ORDER BY id) AS x FROM sm) AS s; EXECUTE q; "
			. "EXECUTE q; SELECT count(*) FROM note")), '2000 2000 5997', 'nor does its plan that is kept');

# a function that changes while its statement is under way: workers that come later see another catalog than the plan's
$server->lines("CREATE FUNCTION steady_plus(bigint, integer) RETURNS bigint LANGUAGE sql IMMUTABLE "
	. "PARALLEL SAFE AS 'SELECT coalesce(\$1, 0) + coalesce(\$2, 0)'; CREATE AGGREGATE steady(integer) "
	. "(SFUNC = steady_plus, STYPE = bigint, INITCOND = '5', PARALLEL = SAFE); CREATE TABLE lots AS SELECT i AS id, "
	. "hashint4(i) % 1000 AS p, hashint4(i * 7) % 1000 AS v FROM generate_series(1, 20000) AS i; ANALYZE lots");
my $again = 'SELECT count(*) FROM generate_series(1, 60) AS g '
	. 'CROSS JOIN LATERAL (SELECT pg_sleep(0.05 + 0 * c + 0 * g) FROM (SELECT count(x) AS c '
	. 'FROM (SELECT steady(v) OVER (PARTITION BY p ORDER BY id) AS x FROM lots) AS s OFFSET 0) AS t OFFSET 0) AS s';
my $settings = "LOAD 'scan'; SET scan.prefixscan = force; SET enable_material = off; SET enable_hashjoin = off; "
	. "SET enable_mergejoin = off; $parallel";
like(join("\n", $server->lines("$settings EXPLAIN (COSTS OFF) $again")),
	qr/Nested Loop.*Function Scan.*Gather.*Parallel Custom Scan/s, 'a Gather that is run again and again');
my $steady = "CREATE OR REPLACE AGGREGATE steady(integer) (SFUNC = steady_plus, STYPE = bigint, INITCOND = '5'";
my %changed = (
	'it is evaluated otherwise' => 'ALTER FUNCTION steady_plus(bigint, integer) VOLATILE',
	'it has an inverse' => "CREATE FUNCTION steady_minus(bigint, integer) RETURNS bigint "
		. "LANGUAGE sql IMMUTABLE AS 'SELECT coalesce(\$1, 0) - coalesce(\$2, 0)'; "
		. "$steady, MSFUNC = steady_plus, MINVFUNC = steady_minus, MSTYPE = bigint, MINITCOND = '5', PARALLEL = SAFE)",
	'it is not parallel safe' => "$steady, PARALLEL = UNSAFE)",
);
foreach my $what (sort keys %changed)
{
	$server->lines("ALTER FUNCTION steady_plus(bigint, integer) IMMUTABLE; $steady, PARALLEL = SAFE)");
	my $child = fork // die;
	if (!$child)
	{
		select undef, undef, undef, 1.5;
		$server->lines($changed{$what});
		$server->{created} = 0;
		exec 'true';
	}
	my ($out, $err) = $server->run("$settings $again", go_on => 1);
	waitpid $child, 0;
	like($err, qr/ERROR:  function steady\(integer\) has changed since the query was planned/,
		"an error says so: $what");
}
is($server->value('SELECT 1'), '1', '... and the server stands');

# ---- aggregates that are made of ours, or of anything

$server->lines(<<'SQL');
CREATE AGGREGATE begun(float8) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_sum_float8,
  MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, MSTYPE = exact_state, MFINALFUNC = exact_final_sum_float8);
CREATE AGGREGATE state_of(float8) (SFUNC = exact_add_float8, STYPE = exact_state);
DO $$ BEGIN EXECUTE format('CREATE AGGREGATE begun_at(float8) (SFUNC = exact_add_float8, STYPE = exact_state, '
  'FINALFUNC = exact_final_sum_float8, MSFUNC = exact_add_float8, MINVFUNC = exact_remove_float8, '
  'MSTYPE = exact_state, MFINALFUNC = exact_final_sum_float8, MINITCOND = %L)', (SELECT state_of(1000))); END $$;
CREATE AGGREGATE inexact(float8)
  (SFUNC = float8pl, STYPE = float8, MSFUNC = float8pl, MINVFUNC = float8mi, MSTYPE = float8);
CREATE FUNCTION keeps(exact_state, float8) RETURNS exact_state LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE AGGREGATE kept_all(float8) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_avg,
  MSFUNC = exact_add_float8, MINVFUNC = keeps, MSTYPE = exact_state, MFINALFUNC = exact_final_sum_float8);
SQL
my @no_row_leaves = $server->spares_the_inverse ? ('') : ();
foreach my $frame ('ROWS 3 PRECEDING', 'ROWS BETWEEN 2 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW',
	'GROUPS 2 PRECEDING', @no_row_leaves)
{
	same("aggregates of others made of ours, $frame", "SELECT id, begun(x) OVER w, begun_at(x) OVER w, "
			. "kept_all(x) OVER w FROM one WINDOW w AS (PARTITION BY p ORDER BY id $frame) ORDER BY id;");
}
foreach my $k (1, 15, 16, 17, 40)
{
	same("an inverse that is not exact beside lag of $k rows",
		"SELECT id, inexact(x) OVER (ORDER BY id ROWS 3 PRECEDING), lag(x, $k) OVER (ORDER BY id ROWS 3 PRECEDING) "
			. "FROM one ORDER BY id;\n" . "SELECT id, inexact(x) OVER w, lag(x, $k) OVER w, lead(x, $k) OVER w FROM "
			. "one WINDOW w AS (PARTITION BY p ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) ORDER BY id;");
}

# ---- a switch reaches the plans that a session has cached

# Each with a node, a query that has it, and the values that turn it off.
$server->lines('CREATE TABLE grouped AS SELECT i % 50 AS g, i AS ts, i % 9 AS v FROM generate_series(1, 50000) AS i; '
	. 'CREATE INDEX ON grouped (g, ts); VACUUM ANALYZE grouped;'
	. 'CREATE TABLE account (a int NOT NULL, k int NOT NULL, v int, PRIMARY KEY (a, k)); '
		. 'INSERT INTO account SELECT i % 3, i, 1 FROM generate_series(1, 50000) AS i; ANALYZE account;'
	. "SELECT scan_keep('balance', 'SELECT sum(v) OVER (PARTITION BY a ORDER BY k) AS total FROM account')");
my $window = 'SELECT sum(v) OVER (PARTITION BY g ORDER BY ts) AS s FROM grouped';
foreach my $switch (
	[ 'scan.prefixscan', 'PrefixScan', $window, 'off', 'false', 'no', '0' ],
	[ 'scan.node', 'PrefixScan', $window, 'off' ],
	[ 'scan.index_skip', 'IndexSkip', 'SELECT DISTINCT ON (g) g, ts FROM grouped ORDER BY g, ts DESC', 'off', 'no' ],
	[ 'scan.reduce', 'WindowReduce', "SELECT count(*), sum(s) FROM ($window) AS q WHERE s > 10", 'off', 'false' ],
	[ 'scan.kept', 'scan_kept_part', 'SELECT sum(v) FROM account WHERE a = 1', 'off', '0' ])
{
	my ($setting, $node, $query, @off) = @$switch;
	my $explained = 'EXPLAIN (COSTS OFF, VERBOSE) EXECUTE q; SELECT 1, 2, 3;';
	foreach my $off (@off)
	{
		my @plans = split /^1\|2\|3$/m, join "\n",
			$server->lines("LOAD 'scan'; SET plan_cache_mode = force_generic_plan; PREPARE q AS $query; "
			. "$explained SET $setting = '$off'; $explained SET $setting = 'on'; $explained BEGIN; "
			. "SET LOCAL $setting = off; $explained ROLLBACK; $explained");
		is(join(' ', map { /$node/ ? 1 : 0 } @plans[ 0 .. 4 ]), '1 0 1 0 1',
			"$setting = $off: plans that are cached follow it");
	}
	my (undef, $err) = $server->run("LOAD 'scan'; SET $setting = 'of'");
	like($err, qr/Available values: auto, off, force(?:, check)?\.$/m, "$setting: its other names are not told of");
}
like(join("\n", $server->lines(
			"LOAD 'scan'; SET scan.prefixscan = off; SET scan.work_mem = '1MB'; EXPLAIN (SETTINGS) SELECT 1")),
	qr/Settings: scan\.prefixscan = 'off', scan\.work_mem = '1MB'/, 'EXPLAIN (SETTINGS) has what plans are chosen by');

# A function in PL/pgSQL, and a change of the configuration file; auto_explain tells which plan runs.
{
	my $cluster = Cluster->new("session_preload_libraries = 'scan, auto_explain'\nauto_explain.log_min_duration = 0\n"
		. "auto_explain.log_nested_statements = on\n");
	my $other = $cluster->use;
	$other->lines('CREATE TABLE sm AS SELECT i AS id, i % 7 AS a FROM generate_series(1, 2000) AS i; ANALYZE sm;'
		. 'CREATE FUNCTION asked() RETURNS bigint LANGUAGE plpgsql AS $$DECLARE x bigint; BEGIN SELECT count(s) INTO x '
			. 'FROM (SELECT sum(id) OVER (PARTITION BY a ORDER BY id) AS s FROM sm OFFSET 0) AS q; RETURN x; END$$');
	my $session = Session->new(database => $other->{database}, user => $cluster->{PGUSER}, name => 'cached',
		error => "$folder/cached");
	my $ran = sub {
		my $before = length $cluster->log;
		$session->ask('SELECT asked();');
		return substr($cluster->log, $before) =~ /(PrefixScan|WindowAgg)/ ? $1 : 'neither';
	};
	$ran->() for 1 .. 7;
	is($ran->(), 'PrefixScan', 'a function has the node');
	$other->lines('ALTER SYSTEM SET scan.prefixscan = off; SELECT pg_reload_conf()');
	is((grep { sleep 0.05; $ran->() eq 'WindowAgg' } 1 .. 20) > 0, 1, 'and none after a reload');
	$session->end;
}

done_testing;
