# index_tuples.t: the node reads the tuples of an index-only scan many at a time as core reads them one by one.
#
# What index_tuples.c takes on itself is tried: tuples with and without NULLs, columns at fixed offsets and others, lists
# of duplicates, pages of the table that are all visible and not, scans backward, with conditions, with keys that are
# computed when the query runs, rescans, tables that change under a cursor.  What it leaves to core is counted: predicate
# locks, statistics, EXPLAIN's rows and heap fetches.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('index_tuples');
# so that all is read by an index, in its order
my $plans = 'SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off; SET enable_incremental_sort = off; SET enable_hashagg = off';

$server->lines(<<"SQL");
ALTER DATABASE $server->{database} SET jit = off;
ALTER DATABASE $server->{database} SET max_parallel_workers_per_gather = 0;
-- all visible
CREATE TABLE log AS SELECT i AS id, i % 7 AS k, i * 3::int8 AS v, 't' || i % 30 AS t, i % 3 = 0 AS b, i / 7.0 AS n FROM generate_series(1, 4000) AS i;
CREATE INDEX ON log (id) INCLUDE (v);
CREATE INDEX ON log (k, id) INCLUDE (n, b);
CREATE INDEX ON log (t, id) INCLUDE (v, k);
CREATE INDEX ON log (abs(id - 2000), id);
CREATE INDEX ON log (k);
VACUUM log;
-- NULLs, dead tuples, pages that are not all visible
CREATE TABLE moved (id int, v int, t text) WITH (fillfactor = 60, autovacuum_enabled = off);
INSERT INTO moved SELECT i, CASE WHEN i % 5 > 0 THEN i END, CASE WHEN i % 3 > 0 THEN repeat('m', i % 50) END FROM generate_series(1, 3000) AS i;
CREATE INDEX ON moved (id, v);
CREATE INDEX ON moved (t, id, v);
VACUUM moved;
UPDATE moved SET t = t || '.' WHERE id % 40 = 0;
UPDATE moved SET id = id + 5000 WHERE id % 100 = 50;
DELETE FROM moved WHERE id BETWEEN 1000 AND 1400 OR id % 99 = 0;
CREATE TABLE empty (id int, v int);
CREATE INDEX ON empty (id, v);
CREATE TABLE names AS SELECT ('n' || i % 100)::name AS nm, i AS id FROM generate_series(1, 500) AS i;
CREATE INDEX ON names (nm, id);
VACUUM names;
-- tuples of up to a third of a page
CREATE TABLE wide AS SELECT i AS id, left((SELECT string_agg(md5(i || '.' || j), '') FROM generate_series(1, 70) AS j), i * 7) AS t FROM generate_series(1, 300) AS i;
CREATE INDEX ON wide (id) INCLUDE (t);
VACUUM wide;
CREATE TABLE limits AS SELECT i AS lo, i * 500 AS hi FROM generate_series(0, 7) AS i;
CREATE INDEX ON limits (lo, hi);
CREATE TABLE parted (id int, v int8) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 (v int8, id int);
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (1000) TO (3000);
INSERT INTO parted SELECT i, i FROM generate_series(1, 2999) AS i;
CREATE INDEX ON parted (id, v);
ANALYZE;
SQL

my @cases = (
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log" ],
	[ 'pages', "SELECT id, v, lag(v) OVER (ORDER BY id DESC) FROM log" ],
	[ 'pages', "SELECT k, id, n, b, sum(n) OVER (PARTITION BY k ORDER BY id) FROM log" ],
	[ 'pages', "SELECT t, id, v, max(k) OVER (PARTITION BY t ORDER BY id) FROM log" ],
	[ 'pages', "SELECT k, count(*) OVER (ORDER BY k) FROM log" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id BETWEEN 700 AND 1900 AND v % 2 = 0" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id IN (5, 6, 7, 900, 3999, 8000)" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id > 5000" ],
	[ 'pages', "SELECT k, id, sum(n) OVER (PARTITION BY k ORDER BY id) FROM log WHERE k IN (2, 5) AND id > 3000" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log LIMIT 900" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log LIMIT 1" ],
	[ 'pages', "SELECT count(*) OVER () FROM log WHERE id < 1000" ],
	[ 'pages', "SELECT id, v, sum(v) OVER (ORDER BY id) FROM moved" ],
	[ 'pages', "SELECT id, v, sum(v) OVER (ORDER BY id DESC, v DESC) FROM moved" ],
	[ 'pages', "SELECT t, id, v, lag(v) OVER (ORDER BY t, id) FROM moved" ],
	[ 'pages', "SELECT t, id, count(v) OVER (PARTITION BY t ORDER BY id) FROM moved WHERE t IS NULL OR length(t) > 30" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM empty" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM parted" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id DESC) FROM parted WHERE v % 3 = 1" ],
	[ 'pages', "SELECT lo, id, y FROM limits, LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM log WHERE id BETWEEN lo * 490 AND hi) AS s" ],
	[ 'pages, on demand', "SELECT lo, id, y FROM limits, LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM moved WHERE id > lo * 490 LIMIT 200) AS s" ],
	[ 'pages', "SELECT lo, id, y FROM limits, LATERAL (SELECT id, lo + sum(v) OVER (ORDER BY id) AS y FROM log WHERE id > 3500) AS s" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id < (SELECT max(hi) FROM limits WHERE lo < 3)" ],
	[ 'pages, on demand', "SELECT id, row_number() OVER (ORDER BY id) FROM log WHERE 10 / (id - 700) < 5 LIMIT 699" ],
	[ 'pages, on demand', "SELECT id, row_number() OVER (ORDER BY id) FROM log WHERE 10 / (id - 700) < 5 LIMIT 700" ],
	[ 'pages', "SELECT id, md5(t), max(t) OVER (ORDER BY id ROWS 1 PRECEDING) FROM wide" ],
	# core makes names of what the index keeps
	[ 'rows', "SELECT nm, id, count(*) OVER (PARTITION BY nm ORDER BY id) FROM names" ],
);

sub answer
{
	my ($mode, $query, $before) = @_;
	my ($out, $err) = $server->run("LOAD 'scan'; SET scan.prefixscan = $mode; $plans; " . ($before // '') . ";\n$query");

	return $out . join '', $err =~ /(ERROR: .*)/g;
}

sub same
{
	my ($name, $script) = @_;
	my @answers = map { answer($_, $script) } 'off', 'force';

	is($answers[1], $answers[0], $name);
	return $answers[0];
}

for my $case (@cases)
{
	my ($way, $query) = @$case;
	my ($plan) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; $plans; EXPLAIN (VERBOSE, COSTS OFF) $query");

	same($query, $query);
	is(($plan =~ /Input: (.*)/)[0], $way, "by $way");
	like($plan, qr/Index Only Scan/, '... of an index-only scan');
}

# Rows that change under a scan: those of the snapshot are returned.
for my $table ('log', 'moved')
{
	same("$table changes under a cursor", <<"SQL");
BEGIN;
DECLARE c CURSOR FOR SELECT id, sum(v) OVER (ORDER BY id) FROM $table;
FETCH 500 FROM c;
DELETE FROM $table WHERE id % 2 = 0;
UPDATE $table SET v = 0;
INSERT INTO $table (id, v) SELECT i, i FROM generate_series(1, 2000) AS i;
FETCH 800 FROM c;
FETCH ALL FROM c;
SELECT id, sum(v) OVER (ORDER BY id) FROM $table WHERE id > 900;
ROLLBACK;
SQL
}

# Another session changes the table and vacuums it, while a cursor is open and after it.
my @seen = map {
	my $mode = $_;
	$server->lines("CREATE TABLE busy WITH (autovacuum_enabled = off) AS SELECT i AS id, i AS v FROM generate_series(1, 3000) AS i; CREATE INDEX ON busy (id, v)");
	$server->lines('VACUUM ANALYZE busy');
	my ($out) = $server->run(<<"SQL");
LOAD 'scan'; SET scan.prefixscan = $mode; $plans;
BEGIN ISOLATION LEVEL REPEATABLE READ;
DECLARE c CURSOR FOR SELECT id, v, sum(v) OVER (ORDER BY id) FROM busy;
FETCH 40 FROM c;
\\! $Server::psql -XAtq -d $server->{database} -c "DELETE FROM busy WHERE id % 3 = 0" -c "UPDATE busy SET v = -1 WHERE id % 3 = 1" -c "VACUUM busy" -c "INSERT INTO busy SELECT i, 7 FROM generate_series(1, 3000) AS i" -c "VACUUM busy"
FETCH ALL FROM c;
COMMIT;
SELECT id, v, sum(v) OVER (ORDER BY id, v) FROM busy WHERE id < 100;
\\! $Server::psql -XAtq -d $server->{database} -c "VACUUM busy"
SELECT id, v, sum(v) OVER (ORDER BY id, v) FROM busy;
DROP TABLE busy;
SQL
	$out;
} 'off', 'force';
is($seen[1], $seen[0], 'a table is changed and vacuumed under a cursor');
cmp_ok(length $seen[0], '>', 50_000, 'and there are rows');

# What core counts and locks, on pages that are all visible again, and on others.
$server->lines('VACUUM log');
for my $table ('log', 'moved')
{
	my $counted = "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS y FROM $table WHERE id < 1900 OFFSET 0) AS s";
	for my $what (
		[ 'predicate locks', "SELECT relation::regclass, locktype, page, tuple FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid() ORDER BY 1, 2, 3, 4" ],
		[ 'tuples', "SELECT relname, idx_scan, idx_tup_fetch, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = '$table'" ])
	{
		my ($name, $look) = @$what;
		like(same("$name of $table are the same", "$counted; $look; COMMIT"), qr/\n$table/, "and there are $name");
	}
}
for my $query ('SELECT sum(v) OVER (ORDER BY id) FROM moved WHERE v % 3 = 0', 'SELECT sum(v) OVER (ORDER BY id) FROM log WHERE id BETWEEN 5 AND 2500',
	'SELECT lo, max(y) FROM limits, LATERAL (SELECT sum(v) OVER (ORDER BY id) AS y FROM log WHERE id BETWEEN lo * 490 AND hi) AS s GROUP BY lo')
{
	# the first scan marks what is dead in the index
	my (undef, @counted) = map {
		my ($out) = $server->run("LOAD 'scan'; SET scan.prefixscan = $_; $plans; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) $query");
		($out =~ /(Index Only Scan using (?:log|moved).*)/s)[0] =~ s/^ +//gmr;
	} 'off', 'off', 'force';
	is($counted[1], $counted[0], "EXPLAIN ANALYZE: $query");
	like($counted[0], qr/Heap Fetches: \d/, '... with heap fetches');
}

# Tuples that are dead for all are marked in the index: the next scans skip them.
$server->lines('CREATE TABLE dead WITH (autovacuum_enabled = off) AS SELECT i AS id, i AS v FROM generate_series(1, 20000) AS i; CREATE INDEX ON dead (id, v);
	ANALYZE dead; DELETE FROM dead WHERE id % 10 > 0');
my ($visited) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; $plans;" . (
		"SELECT count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS y FROM dead OFFSET 0) AS s;
		SELECT pg_stat_force_next_flush(); SELECT idx_tup_read FROM pg_stat_user_indexes WHERE relname = 'dead'; " x 3));
my @visited = $visited =~ /^2000\n+(\d+)$/mg;
cmp_ok($visited[0], '>=', 20000, 'the first scan finds all tuples, also dead ones');
cmp_ok($visited[2] - $visited[1], '<', 4000, 'the third finds few dead ones') or diag($visited);

# Several processes share an index-only scan.
my $several = 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET parallel_leader_participation = off';
$server->lines('CREATE TABLE long AS SELECT i AS id, i % 7 AS k, i AS v FROM generate_series(1, 40000) AS i; CREATE INDEX ON long (k, id, v)');
$server->lines('VACUUM ANALYZE long');
my $shared = 'SELECT count(*), sum(y), sum(id) FROM (SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) AS y FROM long WHERE k > 1) AS s';
is(answer('force', $shared, $several), answer('off', $shared), 'several processes');
like(join('', $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $plans; $several; EXPLAIN (VERBOSE, COSTS OFF) $shared")), qr/Input: pages.*Parallel Index Only Scan/s, 'which read tuples of an index');

done_testing();
