# citus.t: scan on a cluster: Citus with a coordinator and two workers on loopback, which citus.sh has installed.
#
# Every query is asked of a distributed table and of an equal one that is the coordinator's own: the rows, bit for bit,
# are the same.  What is said of each, whether the shards run the window or the coordinator does, whether in
# PrefixScan, and how many bytes travel, is read from its plan.
#
#   SCAN_CITUS_ROWS     rows of the table (20000)
#   SCAN_CITUS_TABLE    a file for the table of RESULTS.md, with times; then that is all
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t";
use Test::More;
use Time::HiRes qw(time);
use Cluster;

my $rows = $ENV{SCAN_CITUS_ROWS} // 20000;
my $base = 20000 + $$ % 20000;
my $conf = <<'CONF';
shared_preload_libraries = 'citus,scan'
listen_addresses = '127.0.0.1'
max_connections = 200
max_prepared_transactions = 100
wal_level = logical
citus.shard_count = 8
citus.stat_statements_track = none
jit = off
CONF
my ($coordinator, @workers) =
	map { Cluster->new($conf, port => $base + $_, extension => 'CREATE EXTENSION citus') } 0 .. 2;
my $server = $coordinator->use;

$server->lines("SELECT citus_set_coordinator_host('127.0.0.1', $base)");
$server->lines("SELECT citus_add_node('127.0.0.1', $_->{PGPORT})") for @workers;
my $citus = $server->value('SHOW citus.version');
diag("Citus $citus, $rows rows");

# ---- the extension is everywhere

$server->lines('CREATE EXTENSION scan');
is(join(' ', $server->lines(q{SELECT result FROM run_command_on_all_nodes($$SELECT extversion }
			. q{FROM pg_extension WHERE extname = 'scan'$$)})), '1.3 1.3 1.3',
	'CREATE EXTENSION on the coordinator creates it on all nodes');
$server->lines('CREATE SCHEMA elsewhere; ALTER EXTENSION scan SET SCHEMA elsewhere');
is(join(' ', $server->lines(q{SELECT result FROM run_command_on_all_nodes($$SELECT extnamespace::regnamespace }
			. q{FROM pg_extension WHERE extname = 'scan'$$)})), 'elsewhere elsewhere elsewhere',
	'and so ALTER EXTENSION ... SET SCHEMA');
$server->lines('ALTER EXTENSION scan SET SCHEMA public');

# ---- data: user_id is what events is distributed by

$server->lines(<<"SQL");
CREATE TABLE plain (user_id int, at int, kind int, amount float8);
INSERT INTO plain SELECT hashint4(i) & 1023, i, i % 7, CASE WHEN i % 11 = 0 THEN NULL
  ELSE hashint4(-i) % 100003 / 7.0::float8 * (2.0 ^ (i % 40)) END FROM generate_series(1, $rows) AS i;
CREATE TABLE events (LIKE plain);
SELECT create_distributed_table('events', 'user_id');
INSERT INTO events SELECT * FROM plain;
CREATE TABLE by_kind (LIKE plain);
SELECT create_distributed_table('by_kind', 'kind', colocate_with => 'none');
INSERT INTO by_kind SELECT * FROM plain;
ANALYZE plain; ANALYZE events; ANALYZE by_kind;
SQL

# ---- queries

my $user = 'OVER (PARTITION BY user_id ORDER BY at)';
my @queries = (
	[ 'running total by user', 'shards', 'PrefixScan', "SELECT user_id, at, sum(amount) $user FROM %s" ],
	[ 'row_number, lag, rank by user', 'shards', 'PrefixScan',
		"SELECT user_id, at, row_number() $user, lag(amount) $user, rank() $user FROM %s" ],
	[ 'scan_sum, scan_locf, scan_ema by user', 'shards', 'PrefixScan',
		"SELECT user_id, at, scan_sum(amount) $user, scan_locf(amount) $user, scan_ema(amount, 0.1) $user FROM %s" ],
	[ 'exact_avg over 10 rows by user', 'shards', 'PrefixScan',
		'SELECT user_id, at, exact_avg(amount) OVER (PARTITION BY user_id ORDER BY at ROWS 9 PRECEDING) FROM %s' ],
	[ 'latest row of each user', 'shards', 'PrefixScan', "SELECT user_id, at FROM (SELECT user_id, at, "
			. "row_number() OVER (PARTITION BY user_id ORDER BY at DESC) AS n FROM %s) AS s WHERE n = 1" ],
	[ 'sessions, counted by user', 'shards', 'PrefixScan', 'SELECT user_id, count(*), max(s) FROM (SELECT user_id, '
			. 'scan_session(at, 5) OVER (PARTITION BY user_id ORDER BY at) AS s FROM %s) AS t GROUP BY user_id' ],
	[ 'running total of all', 'coordinator', 'PrefixScan', 'SELECT at, scan_sum(amount) OVER (ORDER BY at) FROM %s' ],
	[ 'stock sum and rank by kind', 'coordinator', 'PrefixScan',
		'SELECT at, sum(user_id) OVER w, rank() OVER w FROM %s WINDOW w AS (PARTITION BY kind ORDER BY at)' ],
	[ 'two windows, one by user', 'coordinator', 'PrefixScan',
		"SELECT user_id, at, lag(at) $user, row_number() OVER (ORDER BY at) FROM %s" ],
	[ 'latest row of each kind', 'coordinator', 'WindowAgg', 'SELECT kind, at FROM (SELECT kind, at, '
			. 'row_number() OVER (PARTITION BY kind ORDER BY at DESC) AS n FROM %s) AS s WHERE n = 1' ],
	[ 'exact_sum, exact_avg', 'both', '', 'SELECT exact_sum(amount), exact_avg(amount) FROM %s' ],
	[ 'exact_stddev_samp by kind', 'both', '', 'SELECT kind, exact_stddev_samp(amount), exact_var_pop(amount), '
			. 'exact_sum(amount::real) FROM %s GROUP BY kind' ],
	[ 'exact_corr, exact_regr_slope by kind', 'both', '', 'SELECT kind, exact_corr(amount, at), '
			. 'exact_regr_slope(amount, at), exact_covar_samp(at, amount) FROM %s GROUP BY kind' ],
	[ 'scan_total by kind', 'both', '', 'SELECT kind, scan_total(amount) FROM %s GROUP BY kind' ],
	[ 'affine by kind', 'coordinator', '', 'SELECT kind, affine(0.5, amount ORDER BY at) FROM %s GROUP BY kind' ],
);

# psql's time for the rows to arrive, the least of three, in ms
sub ms
{
	my ($query, $settings) = @_;
	my ($out, $err, $status) = $server->run("$settings\\o /dev/null\n\\timing on\n" . ("$query;\n" x 3));
	is("$err$status", '0', 'timed');
	return (sort { $a <=> $b } $out =~ /^Time: ([\d.]+)/mg)[0];
}

# What each shard sends of the aggregates of a query; the partial aggregates of Citus cannot be run by EXPLAIN.
sub bytes_of_states
{
	my ($query) = @_;
	my @states;
	my $group = $query =~ /(GROUP BY \w+)/ ? $1 : '';
	while ($query =~ /((?:exact|scan)_\w+)\((amount(?:::(real))?)\)/g)
	{
		push @states, sprintf "length(worker_partial_agg('%s(%s)'::regprocedure, %s)::text)", $1, $3 // 'float8', $2;
	}
	my $command = 'SELECT sum(n) FROM (SELECT ' . join(' + ', @states) . " AS n FROM %s $group) AS s";
	return $server->value("SELECT sum(result::int) || ' bytes' FROM run_command_on_shards('events', \$\$$command\$\$)");
}

my @table;
for (@queries)
{
	my ($name, $where, $node, $query) = @$_;
	my %hash = map { $_ => $server->value(sprintf "SET scan.prefixscan = %s; "
				. "SELECT count(*) || ' ' || sum(hashtextextended(r::text, 0)) FROM (%s) AS r",
			$_ eq 'stock' ? 'off' : 'auto', sprintf $query, $_ eq 'events' ? 'events' : 'plain') } 'events', 'plain';
	is($hash{events}, $hash{plain}, "$name: the rows of one node");
	my $plan = join "\n", $server->lines('SET citus.propagate_set_commands = local; EXPLAIN (VERBOSE, COSTS OFF) '
		. sprintf $query, 'events');
	my ($above, $below) = $plan =~ /^(.*?)\n(\s*Tasks Shown.*)$/s or die $plan;
	my $two = $plan =~ /coord_combine_agg/ && $plan =~ /worker_partial_agg/;
	my $is = $two ? 'both' : $below =~ /PrefixScan|WindowAgg/
		&& $above !~ /PrefixScan|WindowAgg/ ? 'shards' : 'coordinator';
	is($is, $where, "$name: done by the $where");
	my ($runs) = ($is eq 'shards' ? $below : $above) =~ /(PrefixScan|WindowAgg)/;
	is($runs // '', $node, "$name: in " . ($node || 'an aggregate')) or diag($plan);
	my ($out, $err) = $server->run('EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ' . sprintf($query, 'events'), go_on => 1);
	# Citus cannot explain partial aggregates by running them, nor rows of a composite type in binary
	my ($bytes) = $out =~ /Tuple data received from nodes: (\d+ \w+)/;
	$bytes //= bytes_of_states($query) if $is eq 'both';
	push @table, [ $name, $is, $node || 'aggregate', $bytes, ms(sprintf($query, 'events'), ''),
		ms(sprintf($query, 'plain'), ''), ms(sprintf($query, 'plain'), 'SET scan.prefixscan = off;') ]
		if $ENV{SCAN_CITUS_TABLE};
}

if (my $file = $ENV{SCAN_CITUS_TABLE})
{
	open my $table, '>', $file or die $!;
	print $table "Citus $citus, $rows rows, 8 shards on two workers:\n\n| query | runs on | runs in | bytes moved | "
		. "cluster, ms | one node, ms | one node, PrefixScan off, ms |\n|---|---|---|---|---|---|---|\n";
	printf $table "| %s | %s | %s | %s | %.0f | %.0f | %.0f |\n", @$_ for @table;
	close $table;
	undef $server;
	done_testing();
	exit;
}

# ---- three steps: the pieces are what the table is distributed by; and over hash shards

my $three = <<'SQL';
WITH totals AS MATERIALIZED (SELECT kind, scan_total(amount) AS total FROM %1$s GROUP BY kind),
     carries AS MATERIALIZED (SELECT kind,
       scan_total(total) OVER (ORDER BY kind ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS carry FROM totals)
SELECT kind, at, scan_sum(amount, carry) OVER (PARTITION BY kind ORDER BY at) AS total
  FROM %1$s JOIN carries USING (kind)
SQL
my $whole = "SELECT md5(string_agg(row(kind, at, t)::text, '|' ORDER BY kind, at)) "
	. "FROM (SELECT kind, at, scan_sum(amount) OVER (ORDER BY kind, at) AS t FROM plain) AS s";
is($server->value("SELECT md5(string_agg(row(kind, at, total)::text, '|' ORDER BY kind, at)) FROM (" . sprintf($three,
			'by_kind') . ') AS s'), $server->value($whole), 'three steps over pieces: the bits of one scan');

$server->lines("CREATE TABLE running (at int, user_id int, total float8); "
	. "SELECT create_distributed_table('running', 'user_id', colocate_with => 'events')");
my @shards = $server->lines("SELECT * FROM scan_shards('events', 'running', 'amount', 'user_id, at')");
is(scalar @shards, 8, 'scan_shards: a row for each shard');
is($server->value('SELECT count(*) FROM running'), $rows, 'scan_shards: all rows');
my $in_order = 'FROM plain JOIN (SELECT DISTINCT user_id, get_shard_id_for_distribution_column($$events$$, user_id) '
	. 'AS shardid FROM plain) AS u USING (user_id) JOIN pg_dist_shard USING (shardid)';
is($server->value("SELECT md5(string_agg(row(user_id, at, t)::text, '|' ORDER BY at)) FROM (SELECT user_id, "
		. "at, scan_sum(amount) OVER (ORDER BY shardminvalue::int, user_id, at) AS t $in_order) AS s"),
	$server->value("SELECT md5(string_agg(row(user_id, at, total)::text, '|' ORDER BY at)) FROM running"),
	'scan_shards: the bits of one scan');
like($server->value("SELECT total::float8 || ' ' || (SELECT exact_sum(amount) FROM plain) "
		. "FROM (SELECT scan_total(split_part(x, '|', 3)::scan_total) AS total FROM unnest(ARRAY[" . join(',',
			map { "'$_'" } @shards) . ']) AS x) AS t'), qr/^(\S+) \1$/, 'scan_shards: its totals are that of all');

my ($out, $err);

sub refused
{
	my ($what, $like, $call) = @_;
	($out, $err) = $server->run($call);
	like($err, $like, "scan_shards: $what");
}

refused('a table with rows', qr/table "public.running" is not empty/,
	"SELECT scan_shards('events', 'running', 'amount', 'at')");
$server->lines('TRUNCATE running');
refused('an expression that is wrong',
	qr/could not compute the total of shard (?:public\.)?events_\d+: .*column "amunt" does not exist/s,
	"SELECT scan_shards('events', 'running', 'amunt', 'at')");
refused('an order that is wrong',
	qr/could not write the running total of shard (?:public\.)?events_\d+: .*division by zero/s,
	"SELECT scan_shards('events', 'running', 'amount', '1 / (user_id - ' || (SELECT min(user_id) FROM plain) || ')')");
is($server->value('SELECT count(*) FROM running'), 0, 'scan_shards: what other shards had written is gone');
refused('a table that is elsewhere', qr/not two colocated tables/,
	"SELECT scan_shards('by_kind', 'running', 'amount', 'at')");
refused('a table that is not distributed', qr/not two colocated tables/,
	"SELECT scan_shards('events', 'plain', 'amount', 'at')");
$server->lines("CREATE TABLE narrow (user_id int, at int); "
	. "SELECT create_distributed_table('narrow', 'user_id', colocate_with => 'events')");
refused('a table without a place for the total',
	qr/must have columns of table "public.events" and exactly one other column/,
	"SELECT scan_shards('events', 'narrow', 'amount', 'at')");
$server->lines(
	"CREATE TABLE none (LIKE events); SELECT create_distributed_table('none', 'user_id', colocate_with => 'events')");
is($server->value("SELECT count(*) || ' ' || sum(rows) || ' ' || count(carry) "
		. "FROM scan_shards('none', 'running', 'amount', 'at')"), '8 0 0', 'scan_shards: a table without rows');

$server->lines("TRUNCATE running; INSERT INTO none SELECT i, i, 0, '-0' FROM generate_series(1, 100) AS i");
is($server->value("SELECT string_agg(DISTINCT concat_ws(' ', total, carry), ', ') FROM scan_shards('none', 'running', "
		. "'amount', 'at', parallel => false)"), '-0, -0 -0', 'scan_shards: -0 stays -0');
is($server->value("SELECT string_agg(DISTINCT total::text, ', ') FROM running"), '-0', 'in the rows, too');
$server->lines('TRUNCATE running');

# NULLs before the first value, in its shard and in whole shards before it, have no total
$server->lines("TRUNCATE none; INSERT INTO none "
	. "SELECT user_id, at, kind, CASE WHEN at = (SELECT max(at) FROM plain) THEN 1 END FROM plain");
is($server->value("SELECT sum(rows) FROM scan_shards('none', 'running', 'amount', 'user_id, at')"), $rows,
	'scan_shards: NULLs');
is($server->value("SELECT count(total) < count(*) FROM running") . $server->value("SELECT md5(string_agg(row(user_id, "
		. "at, t)::text, '|' ORDER BY at)) FROM (SELECT user_id, at, scan_sum(CASE WHEN at = (SELECT max(at) "
		. "FROM plain) THEN 1.0::float8 END) OVER (ORDER BY shardminvalue::int, user_id, at) AS t $in_order) AS s"),
	't' . $server->value("SELECT md5(string_agg(row(user_id, at, total)::text, '|' ORDER BY at)) FROM running"),
	'scan_shards: NULL until the first value');
$server->lines('TRUNCATE running');
refused('a transaction that has changed something', qr/a transaction that has not changed anything/,
	"BEGIN; TRUNCATE running; SELECT scan_shards('events', 'running', 'amount', 'at')");
$server->lines("CREATE TABLE other (at int, user_id int, total float8); "
	. "SELECT create_distributed_table('other', 'at', colocate_with => 'events')");
refused('a table that is distributed by another column', qr/not two colocated tables/,
	"SELECT scan_shards('events', 'other', 'amount', 'at')");

# names and expressions that have to be quoted
$server->lines(<<'SQL');
CREATE SCHEMA "odd %s schema";
CREATE TABLE "odd %s schema"."Log's" ("User %" int, at int, amount numeric, note text);
CREATE TABLE "odd %s schema"."Total %L"
  ("User %" int, at int, "The ""sum""" float8, extra text GENERATED ALWAYS AS ('x') STORED);
SELECT create_distributed_table('"odd %s schema"."Log''s"', 'User %');
SELECT create_distributed_table('"odd %s schema"."Total %L"', 'User %', colocate_with => '"odd %s schema"."Log''s"');
INSERT INTO "odd %s schema"."Log's" SELECT i % 50, i, i / 8.0, 'it''s ' || i FROM generate_series(1, 500) AS i;
SQL
is($server->value(q{SELECT sum(rows) FROM scan_shards('"odd %s schema"."Log''s"', '"odd %s schema"."Total %L"', }
		. q{$$CASE WHEN at % 2 = 0 AND note LIKE 'it''s %' THEN amount ELSE '0' END$$, '"User %", at')}), 500,
	'scan_shards: odd names');
is($server->value('SELECT max("The ""sum""") FROM "odd %s schema"."Total %L"'),
	$server->value('SELECT sum(i / 8.0)::float8 FROM generate_series(2, 500, 2) AS i'),
	'scan_shards: and an expression with a % in it');

# shards that lie on both workers: a row for each shard, and the answers on both
$server->lines(<<'SQL');
SET citus.shard_replication_factor = 2; SET citus.shard_count = 4;
CREATE TABLE twice (LIKE plain);
CREATE TABLE twice_total (at int, user_id int, total float8);
SELECT create_distributed_table('twice', 'user_id', colocate_with => 'none');
SELECT create_distributed_table('twice_total', 'user_id', colocate_with => 'twice');
INSERT INTO twice SELECT * FROM plain;
SQL
is($server->value("SELECT count(*) || ' ' || sum(rows) FROM scan_shards('twice', 'twice_total', "
		. "'amount', 'user_id, at')"), "4 $rows", 'scan_shards: shards that lie on two nodes');
is($server->value(
		"SELECT count(DISTINCT (shardid, result)) || ' ' || count(*) FROM run_command_on_placements('twice_total', "
		. "'SELECT md5(string_agg(t::text, chr(10) ORDER BY at)) FROM %s AS t')"), '4 8', 'the same on both');

# ---- what sql/cluster.md shows

open my $readme, '<', "$FindBin::Bin/../../sql/cluster.md" or die $!;
my $page = do { local $/; <$readme> };
my @examples = $page =~ /^```citus\n(.*?)^```\n\n```text\n(.*?)^```/gms;
cmp_ok(scalar @examples, '>', 0, 'sql/cluster.md has examples');
while (my ($example, $shown) = splice @examples, 0, 2)
{
	($out, $err) = $server->run(
		"SET citus.next_shard_id = 1000;\n\\pset format aligned\n\\pset tuples_only off\n$example", go_on => 1);
	s/[ \t]+$//mg, s/\n+\z// for $out, $shown;
	is("$err$out", $shown, 'sql/cluster.md shows what comes of it');
}

# ---- a crash that a node in a step would set off

my $since = $server->value('SELECT pg_postmaster_start_time()');
my @steps = ('SELECT * FROM (SELECT kind, row_number() OVER (PARTITION BY kind ORDER BY amount DESC) AS n '
	. 'FROM events) AS s WHERE n <= 2', 'WITH c AS MATERIALIZED (SELECT kind, sum(at) OVER (ORDER BY at) AS s '
		. 'FROM events) SELECT count(*), max(s) FROM c JOIN by_kind USING (kind)', 'SELECT user_id, count(*) '
		. 'FROM events WHERE at IN (SELECT lag(at) OVER (ORDER BY at) FROM events WHERE at < 1000) GROUP BY user_id');
for my $step (@steps)
{
	for my $settings ('', 'SET scan.prefixscan = force;')
	{
		($out, $err) = $server->run("$settings EXPLAIN (ANALYZE, COSTS OFF) $step");
		is($err, '', "EXPLAIN ANALYZE of steps: $step");
		like($out, qr/Distributed Subplan/, 'which are steps');
		($out, $err) = $server->run("LOAD 'auto_explain'; SET auto_explain.log_analyze = on; "
			. "SET auto_explain.log_min_duration = 0; $settings $step;");
		is($err, '', 'and auto_explain');
	}
}
like((join "\n", $server->lines("EXPLAIN (COSTS OFF) $steps[0]")), qr/WindowAgg/, 'they are left to WindowAgg');
($out, $err) = $server->run("SET scan.debug_require = node; $steps[0]");
like($err, qr/is left to WindowAgg: Citus plans the window as a step of its own/, 'and it is said why');
is($server->value('SELECT pg_postmaster_start_time()'), $since, 'the server has not restarted');

# ---- settings that travel

like((join "\n", $server->lines("SET citus.propagate_set_commands = 'local'; BEGIN; SET LOCAL scan.prefixscan = off; "
		. "SELECT 1 FROM events LIMIT 1; EXPLAIN (COSTS OFF) " . sprintf($queries[0][3], 'events') . '; COMMIT')),
	qr/WindowAgg/, 'SET LOCAL reaches the shards with citus.propagate_set_commands');

# ---- a worker that dies

my ($first) = @workers;

sub pg_ctl
{
	my (@what) = @_;
	return system($first->as_server, "$first->{PG_BINDIR}/pg_ctl", '-s', '-w', '-D', "$first->{folder}/data", '-l',
		"$first->{folder}/data/again.log", @what);
}

is(pg_ctl('stop', '-m', 'immediate'), 0, 'a worker stops');
for my $query (sprintf($queries[0][3], 'events'), sprintf($queries[6][3], 'events'), sprintf($queries[10][3], 'events'),
	"SELECT scan_shards('events', 'running', 'amount', 'at')")
{
	($out, $err) = $server->run("$query;");
	like($err, qr/ERROR: .*(connection to the remote node|could not connect|could not compute the total of shard)/s,
		"an error: $query");
}
is($server->value('SELECT pg_postmaster_start_time()'), $since, 'the coordinator goes on');
is(pg_ctl('start'), 0, 'the worker starts');
is($server->value('SELECT count(*) FROM (' . sprintf($queries[0][3], 'events') . ') AS s'), $rows,
	'and all is well again');
is($server->value("SELECT sum(rows) FROM scan_shards('events', 'running', 'amount', 'at')"), $rows, 'scan_shards, too');

# ---- Citus alone preloaded: the first statement of a connection loads the library in the middle of its planning

$server->lines("ALTER SYSTEM SET shared_preload_libraries = 'citus'");
$first = $coordinator;
is(pg_ctl('restart', '-m', 'fast'), 0, 'the coordinator starts with Citus alone');
$since = $server->value('SELECT pg_postmaster_start_time()');
for my $what ('EXPLAIN (ANALYZE, COSTS OFF)', '')
{
	($out, $err) = $server->run("$what WITH c AS MATERIALIZED (SELECT kind, scan_sum(at) OVER (ORDER BY at) AS s "
		. "FROM events) SELECT count(*), max(s) FROM c JOIN by_kind USING (kind);");
	is($err, '', "a step that loads the library: $what");
}
is($server->value('SELECT pg_postmaster_start_time()'), $since, 'the server has not restarted');

undef $server;
done_testing();
