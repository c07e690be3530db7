# presorted.t: input that is in order by the first keys of the window, which is sorted in chunks of whole groups.
#
# The oracle is WindowAgg.  Every window has a key that tells all rows apart, so the order of the rows is compared, too.
# Each query is checked to be sorted in chunks.
#
#   SCAN_TEST_QUERIES=2000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/presorted.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('presorted');
my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 15 : 60);
my $seed = $ENV{SCAN_TEST_SEED} // 20261129;
my $part = $ENV{SCAN_TEST_PART};
srand $seed;

# Groups of one row, of as many as a chunk has, of one less and one more, and one group of all rows, which the planner
# expects to be a thousand groups.  Chunks have 64 rows, then 256 and so on up to 32,768.
my @sizes = (1, 63, 64, 65, 255, 256, 257, 21500, 22000);
my $icu = $server->value("SELECT count(*) FROM pg_collation WHERE collprovider = 'i'") > 0;
my $folds = $icu ? 'COLLATE folds' : 'COLLATE "C"';

$server->lines("CREATE COLLATION folds (provider = icu, locale = 'und-u-ks-level2', deterministic = false)") if $icu;
$server->lines('CREATE TABLE data AS SELECT i AS id, ' . join(', ', map { "i / $_ AS g$_" } @sizes)
	. <<"SQL" . join("\n", map { "CREATE INDEX ON data (g$_);" } @sizes));
, 0 AS one, CASE WHEN i % 11 > 0 THEN i / 700 END AS a, (hashint8extended(i, 2) % 7)::int2 AS few,
  CASE WHEN i % 13 > 0 THEN hashint8extended(i, 3) % 1000 END AS v,
  (ARRAY['NaN', '-0', '0', '-Infinity', '1', NULL])[1 + i % 6]::float8 AS odd,
  (hashint8extended(i, 4) / 1e9)::float8 AS f, CASE WHEN i % 5 > 0 THEN repeat('x', i % 40) || i END AS s,
  (i / 90)::numeric + CASE WHEN i % 2 = 0 THEN 1.0 ELSE 1.00 END AS num,
  ((ARRAY['ab', 'AB', 'Ab', 'b'])[1 + i % 4] || i / 5000)::text $folds AS folded, i % 3 = 0 AS flag
FROM generate_series(0, 39999) AS i;
ALTER TABLE data ALTER one SET (n_distinct = 1000);
CREATE INDEX ON data (one);
CREATE INDEX ON data (a);
CREATE INDEX ON data (a DESC);
CREATE INDEX ON data (a NULLS FIRST);
CREATE INDEX ON data (odd);
CREATE INDEX ON data (num);
CREATE INDEX ON data (folded);
CREATE INDEX ON data (few, a);
CREATE INDEX ON data ((a > 20));
CREATE TABLE other AS SELECT DISTINCT a FROM data WHERE a % 3 > 0;
CREATE TABLE start AS SELECT * FROM data WHERE id < 700;
CREATE INDEX ON start (g63);
CREATE TABLE none AS SELECT * FROM data LIMIT 0;
CREATE INDEX ON none (a);
VACUUM ANALYZE data, other, start, none;
SQL

my $calm = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET enable_seqscan = off; "
	. "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_nestloop = off; SET scan.index_skip = off;";
my $node = "$calm SET scan.prefixscan = force;";
my $core = "$calm SET scan.prefixscan = off; SET work_mem = '256MB';";

# The rows in the order in which they come.
sub digest { return "SELECT md5(string_agg(t::text, ',')), count(*) FROM ($_[0]) AS t" }

# Fails for queries of which the node's answers are not core's, or which were not sorted in chunks.
sub same
{
	my ($what, $settings, @queries) = @_;
	my @core = $server->lines("$core " . join "\n", map { digest($_) . ';' } @queries);
	my @ours = $server->lines("$node $settings; " . join "\n", map { digest($_) . ';' } @queries);
	my @wrong = grep { ($ours[$_] // '') ne $core[$_] } 0 .. $#queries;
	my @plans = split /^-\n/m, join("\n",
		$server->lines("$node $settings; " . join("\n", map { "SELECT '-'; EXPLAIN (COSTS OFF) $_;" } @queries)));
	my @whole = grep { $plans[ $_ + 1 ] !~ /^\s*Presorted: /m } 0 .. $#queries;

	is(scalar @ours, scalar @queries, "$what: answers");
	is(scalar @wrong, 0, "$what: as core's") or diag(join "\n", @queries[@wrong]);
	is(scalar @whole, 0, "$what: sorted in chunks") or diag(join "\n", map { "$queries[$_]\n$plans[ $_ + 1 ]" } @whole);
}

# { }: the keys that the index has.
my @windows = (
	'PARTITION BY {} ORDER BY f, id',
	'PARTITION BY {} ORDER BY v DESC NULLS LAST, id',
	'PARTITION BY {}, few ORDER BY id DESC',
	'ORDER BY {}, f, id',
	'ORDER BY {}, s NULLS FIRST, id');
my @functions = (
	'sum(v) OVER w, row_number() OVER w, lag(s) OVER w',
	'avg(num) OVER (w ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING), max(f) OVER (w ROWS 20 PRECEDING)',
	'lag(v, 70) OVER w, lead(s, 65) OVER w, first_value(s) OVER w',
	'percent_rank() OVER w, cume_dist() OVER w, ntile(7) OVER w, '
		. 'last_value(v) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)',
	'scan_sum(v) OVER w, scan_locf(s) OVER w, count(*) OVER (w GROUPS 2 PRECEDING)');

# ---- groups of all sizes ----

for my $memory ($part ? '64kB' : ('64kB', '256kB', '64MB'))
{
	my @queries;
	for my $key ((map { "g$_" } @sizes), 'one')
	{
		push @queries, map { "SELECT id, s, $functions[ $_ % 5 ] FROM data WINDOW w AS ("
			. $windows[ $_ % 4 ] =~ s/\{\}/$key/r . ')' } int rand 20;
	}
	same("groups in $memory", "SET scan.work_mem = '$memory'", @queries);
}

# ---- orders, and equality ----

# [keys of PARTITION BY or ORDER BY that an index is in order by, whether they are of ORDER BY only]
my @keys = ([ 'a', 0 ], [ 'a DESC', 1 ], [ 'a NULLS FIRST', 1 ], [ 'a DESC NULLS LAST', 1 ], [ 'odd', 0 ],
	[ 'odd DESC', 1 ], [ 'num', 0 ], [ 'folded', 0 ], [ 'few, a', 0 ], [ 'few', 0 ], [ '(a > 20)', 0 ], [ 'one', 0 ]);

sub random_query
{
	my $key = $keys[ rand @keys ];
	my $window = $windows[ $key->[1] ? 3 + int rand 2 : int rand 5 ];
	my $functions = $functions[ rand @functions ];
	my $from = rand() < 0.15 ? '(SELECT * FROM data ORDER BY a) AS data' : 'data';
	my $limit = rand() < 0.3 ? ' LIMIT ' . (1, 63, 64, 65, 321, 5000)[ rand 6 ] : '';

	$key = ['a'] if $from ne 'data';
	$window = $windows[ int rand 5 ] if $from ne 'data';
	$window =~ s/\{\}/$key->[0]/;
	return "SELECT id, s, num, $functions FROM $from" . (rand() < 0.2 ? ' WHERE id < 11000 OR id > 23000' : '')
		. " WINDOW w AS ($window)$limit";
}
for my $memory ($part ? '64kB' : ('64kB', '1MB', '64MB'))
{
	same("random queries (seed $seed) in $memory", "SET scan.work_mem = '$memory'",
		map { random_query() } 1 .. $count / 3);
}

# ---- where the order comes from, and goes to ----

my $w = 'PARTITION BY a ORDER BY f, id';
my @places = (
	"SELECT id, sum(v) OVER ($w) FROM (SELECT * FROM data ORDER BY a OFFSET 10) AS s",
	"SELECT id, a, sum(v) OVER ($w) FROM data JOIN other USING (a)",
	"SELECT id, sum(v) OVER ($w) FROM data WHERE a BETWEEN 20 AND 40",
	"SELECT id, sum(v) OVER (PARTITION BY few, a ORDER BY f, id) FROM data WHERE few = 3",
	"SELECT id, r FROM (SELECT id, row_number() OVER ($w) AS r FROM data) AS s WHERE r <= 3",
	"SELECT id, r FROM (SELECT id, rank() OVER (PARTITION BY a ORDER BY v) AS r FROM data) AS s "
		. "WHERE r <= 2 ORDER BY id",
	"SELECT id, r FROM (SELECT id, row_number() OVER (ORDER BY a, f, id) AS r FROM data) AS s WHERE r <= 1000",
	"SELECT a, count(*), max(r) FROM (SELECT a, sum(v) OVER ($w) AS r FROM data) AS s GROUP BY a ORDER BY a",
	"SELECT count(*), max(r), sum(n) "
		. "FROM (SELECT sum(v) OVER ($w) AS r, row_number() OVER ($w) AS n FROM data) AS s WHERE n < 100",
	"SELECT id, sum(v) OVER ($w), sum(f) OVER (PARTITION BY a ORDER BY v, id) FROM data",
	"SELECT id, sum(v) OVER ($w), rank() OVER (PARTITION BY few ORDER BY id) FROM data",
	"SELECT id, sum(v) OVER (PARTITION BY few ORDER BY a, f, id) FROM data",
	"SELECT g, n FROM generate_series(1, 3) AS g "
		. "CROSS JOIN LATERAL (SELECT sum(v) OVER (PARTITION BY g63 ORDER BY f, id) + g AS n FROM start) AS s",
	"SELECT g, n FROM generate_series(1, 3) AS g "
		. "CROSS JOIN LATERAL (SELECT row_number() OVER ($w) + g AS n FROM data LIMIT 3000) AS s",
	"SELECT g, n FROM generate_series(1, 3) AS g "
		. "CROSS JOIN LATERAL (SELECT sum(id) OVER (ORDER BY a, f, id) + g AS n FROM data LIMIT 3000) AS s");
for my $memory ($part ? '64kB' : ('64kB', '64MB'))
{
	same("places in $memory", "SET scan.work_mem = '$memory'; SET enable_material = off; SET enable_memoize = off",
		@places);
}

# Rows that fit in memory only without their keys, which the sort may drop where nobody reads them any more.
same('rows that nearly fill memory', "SET scan.work_mem = '64kB'",
	map { "SELECT sum(v) OVER (ORDER BY one, few, id) FROM data WHERE id < $_" } map { 300 + 100 * $_ } 0 .. 40);

# ---- few rows are read, and little memory is taken ----

sub analyzed { return join "\n", $server->lines("$node $_[0]; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $_[1]") }
sub rows_read { return analyzed('SET enable_material = off', $_[0]) =~ /Index Scan.*?rows=(\d+)/ ? $1 : -1 }
my $query = 'SELECT sum(v) OVER (PARTITION BY g65 ORDER BY f) FROM data';
cmp_ok(rows_read("$query LIMIT 10"), '<=', 130, 'two groups are read for the first rows');
cmp_ok(rows_read('SELECT sum(v) OVER (ORDER BY g65, f) FROM data LIMIT 10'), '<=', 200,
	'... and in a window without PARTITION BY');
cmp_ok(rows_read("SELECT n FROM generate_series(1, 4) AS g CROSS JOIN LATERAL (SELECT sum(v) OVER (PARTITION BY g65 "
		. "ORDER BY f) + g FROM data LIMIT 10) AS s (n)"), '<=', 130, '... and each time that the node begins again');
is(rows_read("SELECT sum(v) OVER (PARTITION BY one ORDER BY f) FROM data LIMIT 10"), 40000,
	'one group is read as a whole');
my ($memory) = analyzed("SET scan.work_mem = '64MB'", $query) =~ /Memory: (\d+) ?kB/;
cmp_ok($memory, '<', 3000, 'memory for a chunk');
($memory) = analyzed("SET scan.work_mem = '256kB'", $query) =~ /Memory: (\d+) ?kB/;
cmp_ok($memory, '<', 400, 'little memory');
unlike(analyzed("SET scan.work_mem = '256kB'", $query), qr/Disk/, '... suffices for small groups');
like(analyzed("SET scan.work_mem = '256kB'", 'SELECT sum(v) OVER (PARTITION BY one ORDER BY f) FROM data'),
	qr/Presorted(?s:.*)Disk/, '... and a large one goes to disk');

# ---- cursors that stop, and files ----

my @fetched = $server->lines("$node SET scan.work_mem = '64kB'; BEGIN;
	DECLARE c CURSOR FOR SELECT id, sum(v) OVER (PARTITION BY g22000 ORDER BY f, id) FROM data;
	MOVE 500 FROM c; FETCH 2 FROM c; CLOSE c; COMMIT;
	SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';");
my @core = $server->lines("$core BEGIN; DECLARE c CURSOR FOR SELECT id, sum(v) OVER (PARTITION BY g22000 "
	. "ORDER BY f, id) FROM data; MOVE 500 FROM c; FETCH 2 FROM c; CLOSE c; COMMIT; SELECT 0");
is(join(' ', @fetched), join(' ', @core), 'a cursor that stops, and no file is left');

# ---- the planner ----

sub planned
{
	return join "\n", $server->lines(
		"LOAD 'scan'; SET max_parallel_workers_per_gather = 0; SET jit = off; $_[0]; EXPLAIN (COSTS OFF) $_[1]");
}

$server->lines(<<'SQL');
CREATE TABLE mixed AS SELECT * FROM data ORDER BY hashint4(id);
CREATE INDEX ON mixed (g65);
CREATE TABLE narrow AS SELECT g65, f, v FROM data;
CREATE INDEX ON narrow (g65);
VACUUM ANALYZE mixed, narrow;
SQL
like(planned('', "$query LIMIT 10"), qr/Limit.*PrefixScan.*Order By \(sorted here\): f\s+Presorted: g65\s.*Index Scan/s,
	'LIMIT: chunks');
like(planned("SET scan.work_mem = '256kB'", $query =~ s/data/narrow/r), qr/PrefixScan.*Presorted: g65\s.*Index Scan/s,
	'beyond memory, the table in order: chunks');
like(planned('', $query =~ s/data/mixed/r), qr/PrefixScan(?!.*Presorted).*Seq Scan/s,
	'the table not in order: a scan and a sort of all rows');
like(planned("SET scan.work_mem = '256kB'", $query =~ s/data/mixed/r), qr/PrefixScan(?!.*Presorted).*Seq Scan/s,
	'... beyond memory, too');
like(planned('SET enable_seqscan = off; SET enable_incremental_sort = off', $query), qr/PrefixScan(?!.*Presorted)/s,
	'enable_incremental_sort = off');
like(join("\n", $server->lines("$node; EXPLAIN (COSTS OFF, FORMAT JSON) $query")),
	qr/"Sorted Here": true,\s+"Presorted": \["g65"\]/, 'JSON');

# rows that may fail are not read in chunks: core's groups are smaller
for my $failing ('SELECT sum(x) OVER (PARTITION BY g65 ORDER BY f) '
	. 'FROM (SELECT g65, f, 10 / (id - 300) AS x FROM data OFFSET 0) AS s',
	'SELECT sum(v) OVER (PARTITION BY g65 ORDER BY f) FROM data WHERE 10 / (id - 300) < 5')
{
	unlike(planned('SET scan.prefixscan = force; SET enable_seqscan = off', $failing),
		qr/Presorted: g65\s+(?:Frame|Device)/, 'not rows that may fail');
	my ($ours, $theirs) = map { ($server->run("$_ SELECT count(*) FROM ($failing LIMIT 100) AS s; $failing;",
			go_on => 1))[1] =~ /(ERROR.*)/ ? $1 : '' } $node, $core;
	is($ours, $theirs, 'and they fail where they fail in core');
}
# an argument that may fail is computed just before its row is returned
my $late = 'SELECT sum(10 / (id - 300)) OVER (PARTITION BY g65 ORDER BY id) FROM data';
like(planned('SET scan.prefixscan = force; SET enable_seqscan = off', $late), qr/Presorted: g65/,
	'an argument that may fail');
is(join(' ', $server->lines("$node SELECT count(*) FROM ($late LIMIT 300) AS s")), '300',
	'... is not computed before its row');
like(($server->run("$node $late LIMIT 301", go_on => 1))[1], qr/division by zero/, '... but there');

done_testing;
