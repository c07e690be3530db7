# skip_parallel.t: an IndexSkip whose groups several processes divide: core's rows, whoever takes which range.
#
# Random queries of test/fuzz/FirstRows.pm run with small costs of a parallel plan, so that processes divide the groups
# of small tables, too.  Then follow cases that the generator does not reach: more groups than statistics know, so that
# a process starts anew in the middle; scans again; a limit above; workers that do not start.
#
#   SCAN_TEST_QUERIES=20000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/skip_parallel.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Compare;
use Queries;
use FirstRows;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 100 : 300);
my $seed = $ENV{SCAN_TEST_SEED} // 20261129;
my $server = Server->new('skip_parallel');
my $role = "scan_skip_parallel_$$";
my @costs = ('parallel_setup_cost 0', 'parallel_tuple_cost 0', 'min_parallel_table_scan_size 0',
	'min_parallel_index_scan_size 0');

$server->lines("ALTER DATABASE $server->{database} SET jit = off");
$server->lines(FirstRows::tables($role, $seed));
$server->lines(Compare::functions());

# ---- random queries

my $generator = bless {}, 'FirstRows';
my @queries;
while (@queries < $count)
{
	my $query = $generator->next;

	# several processes read ahead, and come to errors that one would not
	push @queries, $query if !$query->{parameters} && !$query->{fetch} && $query->{sql} !~ m{100? / };
}
my $script = "LOAD 'scan'; SET ROLE $role;\n";
foreach my $query (@queries)
{
	my @force = ('scan.prefixscan force', 'scan.index_skip force',
		'max_parallel_workers_per_gather ' . (1 + int rand 3));
	my @ways = ([@force]);
	push @ways, [ @force, 'random_page_cost 30' ] if Queries::chance(30);
	push @ways, [ @force, 'max_parallel_workers 0' ] if Queries::chance(20);
	push @ways, [ @force, 'parallel_leader_participation off' ] if Queries::chance(20);
	push @ways, [ @force, 'enable_hashagg off', 'enable_sort off' ] if Queries::chance(20);
	$script .= Compare::call({ %$query, parallel => 1, set => [ @costs, grep { !/parallel/ } split /, /,
			$query->{set} ], ways => \@ways, explain => 1, skip => 1 }) . ";\n";
}
my ($out, $err) = $server->run($script, go_on => 1);
my @verdicts = split /^(?=(?:skip|reduce|node|core|-|invalid) )/m, $out;
is(scalar @verdicts, $count, "$count queries (seed $seed) are answered") or diag($err);
my @wrong = grep { $verdicts[$_] =~ /DIFFERENT|EARLY ERROR|INTERNAL|LIMIT|MEMORY/ } 0 .. $#verdicts;
is(scalar @wrong, 0, 'processes answer as core does') or diag(
	map { "$queries[$_]{sql}\n   $queries[$_]{set}\n   $verdicts[$_]" } @wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
my $divided = grep { / DIVIDED/ } @verdicts;
cmp_ok($divided, '>=', 0.05 * $count, "processes divide the groups of $divided queries");
$server->run("DROP OWNED BY $role; DROP ROLE $role", go_on => 1);

# ---- cases

$server->lines(<<'SQL');
-- 300 groups when statistics were made, and many more behind, between and before them since
CREATE TABLE grown_since (g int, h text, o int) WITH (autovacuum_enabled = off);
INSERT INTO grown_since SELECT 1000 * (i % 300), 'x', i FROM generate_series(1, 30000) AS i;
ANALYZE grown_since;
INSERT INTO grown_since SELECT i, CASE WHEN i % 5 > 0 THEN (i % 3)::text END, i % 7
  FROM generate_series(-20000, 60000) AS i;
INSERT INTO grown_since SELECT NULL, NULL, i FROM generate_series(1, 500) AS i;
INSERT INTO grown_since SELECT 10000000 + i % 40000, 'y', i FROM generate_series(1, 80000) AS i;
CREATE INDEX ON grown_since (g, o);
CREATE INDEX ON grown_since (g DESC NULLS LAST, h, o);
CREATE TABLE text_keys (k text, s int NOT NULL, o int);
INSERT INTO text_keys SELECT CASE WHEN i % 11 > 0 THEN md5((i % 9000)::text) END, i % 3, i
  FROM generate_series(1, 60000) AS i;
CREATE INDEX ON text_keys (k COLLATE "C", s, o);
CREATE INDEX ON text_keys (k DESC, s DESC, o);
CREATE TABLE one_group AS SELECT 5 AS g, i AS o FROM generate_series(1, 20000) AS i;
CREATE INDEX ON one_group (g, o);
CREATE TABLE all_null AS SELECT NULL::int AS g, i AS o FROM generate_series(1, 20000) AS i;
CREATE INDEX ON all_null (g, o);
CREATE TABLE empty_now (g int, o int);
INSERT INTO empty_now SELECT i, i FROM generate_series(1, 20000) AS i;
CREATE INDEX ON empty_now (g, o);
VACUUM ANALYZE text_keys, one_group, all_null, empty_now;
DELETE FROM empty_now;
SQL

my $small = join ' ', map { 'SET ' . s/ / = /r . ';' } @costs;
my $divide = "LOAD 'scan'; SET scan.index_skip = force; SET scan.prefixscan = force; "
	. "SET max_parallel_workers_per_gather = 2; $small";
sub hashed { my ($query) = @_; return "SELECT count(*), sum(hashtextextended(r::text, 0)) FROM ($query) AS r" }
my @cases = (
	hashed('SELECT g, o FROM (SELECT g, o, row_number() OVER (PARTITION BY g ORDER BY o) AS r '
		. 'FROM grown_since) AS s WHERE r <= 1'),
	hashed('SELECT g, o FROM (SELECT g, o, rank() OVER (PARTITION BY g ORDER BY o DESC) AS r '
		. 'FROM grown_since) AS s WHERE r <= 2'),
	hashed('SELECT g, h, o FROM (SELECT g, h, o, dense_rank() OVER (PARTITION BY g, h ORDER BY o) AS r '
		. 'FROM grown_since) AS s WHERE r <= 2'),
	hashed('SELECT g, o FROM (SELECT g, o, row_number() OVER (PARTITION BY g ORDER BY o) AS r FROM grown_since '
		. 'WHERE g > 5000) AS s WHERE r <= 1'),
	hashed('SELECT DISTINCT ON (g) g, o FROM grown_since ORDER BY g, o'),
	hashed('SELECT DISTINCT g, h FROM grown_since'),
	hashed('SELECT DISTINCT ON (k, s) k, s, o FROM text_keys ORDER BY k DESC, s DESC, o'),
	hashed('SELECT k, s, o FROM (SELECT k COLLATE "C" AS k, s, o, '
		. 'row_number() OVER (PARTITION BY k COLLATE "C", s ORDER BY o) AS r FROM text_keys) AS s WHERE r <= 1'),
	hashed('SELECT k, s, o FROM (SELECT k, s, o, row_number() OVER (PARTITION BY k, s ORDER BY o) AS r '
		. 'FROM text_keys) AS s WHERE r <= 3'),
	map { hashed("SELECT g, o FROM (SELECT g, o, row_number() OVER (PARTITION BY g ORDER BY o) AS r "
			. "FROM $_) AS s WHERE r <= 1") } 'one_group', 'all_null', 'empty_now');
my %ways = ('in three processes' => '', 'without the leader' => 'SET parallel_leader_participation = off;',
	'without a worker' => 'SET max_parallel_workers = 0;',
	'in seven processes' => 'SET max_parallel_workers_per_gather = 6;');
foreach my $case (@cases)
{
	my $core = join '|', $server->lines("SET max_parallel_workers_per_gather = 0; $case");

	is(join('|', $server->lines("$divide $ways{$_} $case")), $core, "$_: $case") for sort keys %ways;
}
my $plan = sub { return join "\n", $server->lines("$divide $_[0]") };
my $first = $plan->("EXPLAIN (ANALYZE, COSTS off, TIMING off) $cases[0]");
like($first, qr/Parallel Custom Scan \(IndexSkip\).*Ranges: \d+\n/s, 'the groups are divided');
like($plan->("SET scan.index_skip = auto; SET scan.prefixscan = auto; EXPLAIN (COSTS off) $cases[0]"),
	qr/^(?!.*Parallel Custom Scan \(IndexSkip\))/s, 'not if there are few groups');
unlike($plan->("EXPLAIN (COSTS off) $_"), qr/Parallel Custom Scan \(IndexSkip\)/, 'not without bounds') for $cases[-2];

# A process whose descents cost more than half of core's plan starts anew, and takes the ranges that are left.  Where
# random pages are dear, core sorts.
$server->lines('CREATE TABLE behind WITH (autovacuum_enabled = off) AS SELECT i % 100 AS g, i AS o, i AS v '
	. 'FROM generate_series(1, 20000) AS i; ANALYZE behind; INSERT INTO behind SELECT hashint4(i) % 3000, i, i '
	. 'FROM generate_series(1, 200000) AS i; INSERT INTO behind SELECT NULL, i, i FROM generate_series(1, 50) AS i; '
	. 'CREATE INDEX ON behind (g, o); CREATE INDEX ON behind (g DESC NULLS LAST, o)');
my $anew = 0;
foreach my $query (
	'SELECT g, o, v FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY o) AS r FROM behind) AS s WHERE r <= 1',
	'SELECT g, o, v FROM (SELECT *, rank() OVER (PARTITION BY g ORDER BY o DESC) AS r FROM behind) AS s WHERE r <= 2',
	'SELECT g, o, v FROM (SELECT *, row_number() OVER (PARTITION BY g ORDER BY o) AS r FROM behind '
		. 'WHERE g <> 7) AS s WHERE r <= 3', 'SELECT DISTINCT ON (g) g, o, v FROM behind ORDER BY g, o')
{
	my $core = join '|', $server->lines('SET max_parallel_workers_per_gather = 0; ' . hashed($query));

	foreach my $way (sort keys %ways)
	{
		my $set = "SET random_page_cost = 30; $ways{$way}";
		my $shown = $plan->("$set EXPLAIN (ANALYZE, COSTS off, TIMING off) " . hashed($query));

		like($shown, qr/Parallel Custom Scan \(IndexSkip\)/, "$way: divided");
		$anew++ if $shown =~ /Started Anew: [1-9]/;
		is(join('|', $server->lines("$divide $set " . hashed($query))), $core, '... and the rows of core') for 1 .. 3;
	}
}
cmp_ok($anew, '>=', 12, "a process starts anew in $anew of 16 plans");

# the order of the index, by Gather Merge; a limit; scans again
my $ordered = 'SELECT g, o FROM (SELECT g, o, row_number() OVER (PARTITION BY g ORDER BY o) AS r '
	. 'FROM grown_since) AS s WHERE r <= 1 ORDER BY g';
like($plan->("SET enable_sort = off; EXPLAIN (COSTS off) $ordered"),
	qr/Gather Merge.*Parallel Custom Scan \(IndexSkip\)/s, 'in order, by a Gather Merge');
foreach my $query ($ordered, "$ordered LIMIT 10", "SELECT count(*) FROM ($ordered LIMIT 1000) AS s",
	"SELECT n, (SELECT sum(o) FROM ($ordered OFFSET 5) AS s WHERE g % 3 <> n) FROM generate_series(1, 3) AS n",
	"SELECT n, g, o FROM generate_series(1, 3) AS n, "
		. "LATERAL (SELECT g, o FROM ($ordered) AS s WHERE g % 1000 = n) AS x ORDER BY 1, 2, 3")
{
	is(join('|', $server->lines("$divide SET enable_sort = off; SET enable_material = off; $query")),
		join('|', $server->lines("SET max_parallel_workers_per_gather = 0; $query")), "in order: $query");
}
is(join('|', $server->lines("$divide PREPARE q(int) AS SELECT count(*), sum(o), min(g) FROM (SELECT g, o, "
			. "row_number() OVER (PARTITION BY g ORDER BY o) AS r FROM grown_since WHERE g > \$1) AS s WHERE r <= 1; "
			. "SET plan_cache_mode = force_generic_plan; EXECUTE q(-5); EXECUTE q(50000)")), join('|',
		map { $server->lines("SELECT count(*), sum(o), min(g) FROM (SELECT DISTINCT ON (g) g, o FROM grown_since "
				. "WHERE g > $_ ORDER BY g, o) AS s") } -5, 50000), 'prepared, with a parameter');

# costs: not below 10,000 groups for each worker, and divided above.  Where pages in sequence are cheap, the few rows of
# a group are sorted.
$server->lines('CREATE TABLE many AS SELECT hashint4(i) % 20000 AS g, i AS o, i AS v '
	. 'FROM generate_series(1, 1000000) AS i; CREATE INDEX ON many (g, o) INCLUDE (v); VACUUM ANALYZE many');
my $by =
	'SELECT count(v) FROM (SELECT v, row_number() OVER (PARTITION BY g ORDER BY o) AS r FROM many) AS s WHERE r <= 1';
my $auto = "LOAD 'scan'; SET max_parallel_workers_per_gather = 4; SET seq_page_cost = 4;";
like(join("\n", $server->lines("$auto EXPLAIN (COSTS off) $by")),
	qr/Workers Planned: [1-3]\n.*Parallel Custom Scan \(IndexSkip\)/s, 'many groups are divided by themselves');
unlike(join("\n", $server->lines("$auto SET scan.parallel = off; EXPLAIN (COSTS off) $by")),
	qr/Parallel Custom Scan \(IndexSkip\)/, 'not with scan.parallel off');
is($server->value("$auto $by"),
	$server->value("SET max_parallel_workers_per_gather = 0; SELECT count(DISTINCT g) FROM many"), '... all of them');

like(join("\n", $server->lines("$auto EXPLAIN (COSTS off) SELECT DISTINCT ON (g) g, v FROM many ORDER BY g, o")),
	qr/Gather.*Parallel Custom Scan \(IndexSkip\)/s, 'so are those of DISTINCT ON');

done_testing();
