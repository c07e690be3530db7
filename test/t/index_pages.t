# index_pages.t: the node reads the table below an index scan by the page as core reads it by the row.
#
# What index_pages.c takes on itself is tried: runs of tuples on one page and none, HOT chains, dead tuples, pages that
# are all visible and not, scans backward, with keys that are computed when the query runs, rescans, cursors over tables
# that change.  What it leaves to core is counted: predicate locks, statistics, EXPLAIN's rows.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use IndexScans;
use Server;

my $server = Server->new('index_pages');
# so that all is read by an index, in its order
my $plans = 'SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off; '
	. 'SET enable_indexonlyscan = off; SET enable_incremental_sort = off; SET enable_hashagg = off';

$server->lines(<<"SQL");
ALTER DATABASE $server->{database} SET jit = off;
ALTER DATABASE $server->{database} SET max_parallel_workers_per_gather = 0;
-- in the order of the index, and all visible
CREATE TABLE log AS SELECT i AS id, i % 7 AS k, i * 3::int8 AS v, 't' || i % 30 AS t FROM generate_series(1, 4000) AS i;
CREATE INDEX ON log (id);
CREATE INDEX ON log (k, id);
CREATE INDEX ON log (abs(id - 2000), id);
CREATE INDEX ON log (id) WHERE v % 2 = 0;
VACUUM log;
-- versions: HOT chains, dead and newer tuples, NULLs, late columns, rows apart from their neighbours
CREATE TABLE moved (gone int, id int, v int, t text, d int) WITH (fillfactor = 60, autovacuum_enabled = off);
INSERT INTO moved SELECT 1, i, i, CASE WHEN i % 3 > 0 THEN repeat('m', i % 50) END, i % 5
  FROM generate_series(1, 3000) AS i;
ALTER TABLE moved DROP gone;
CREATE INDEX ON moved (id);
CREATE INDEX ON moved (t, id);
CREATE INDEX ON moved (md5(id::text));
UPDATE moved SET v = -v WHERE id % 4 = 0;
UPDATE moved SET v = v + 1 WHERE id % 8 = 0;
UPDATE moved SET id = id + 5000 WHERE id % 100 = 50;
DELETE FROM moved WHERE id BETWEEN 1000 AND 1400 OR id % 9 = 0;
ALTER TABLE moved ADD added int DEFAULT 42;
INSERT INTO moved SELECT i, i, 'late', 3, i FROM generate_series(3001, 3300) AS i;
CREATE TABLE pruned (id int, v int) WITH (fillfactor = 50, autovacuum_enabled = off);
INSERT INTO pruned SELECT i, i FROM generate_series(1, 2000) AS i;
CREATE INDEX ON pruned (id);
UPDATE pruned SET v = v + 1;
VACUUM pruned;
CREATE TABLE empty (id int, v int);
CREATE INDEX ON empty (id);
CREATE TABLE parted (id int, k int, v int8) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 (v int8, id int, k int);
ALTER TABLE parted ATTACH PARTITION parted_2 FOR VALUES FROM (1000) TO (3000);
INSERT INTO parted SELECT i, i % 5, i FROM generate_series(1, 2999) AS i;
CREATE INDEX ON parted (id);
CREATE TABLE limits AS SELECT i AS lo, i * 500 AS hi FROM generate_series(0, 7) AS i;
CREATE INDEX ON limits (lo);
CREATE TABLE places AS SELECT point(i % 50, i / 50) AS at, i AS id FROM generate_series(1, 500) AS i;
CREATE INDEX ON places USING gist (at);
ANALYZE;
SQL

my @cases = (
	[ 'pages', "SELECT id, k, v, t, sum(v) OVER (ORDER BY id) FROM log" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id DESC) FROM log" ],
	[ 'pages', "SELECT k, id, count(*) OVER (PARTITION BY k ORDER BY id) FROM log" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id BETWEEN 700 AND 1900 AND t > 't2'" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id IN (5, 6, 7, 900, 3999, 8000)" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id > 5000" ],
	[ 'pages', "SELECT k, id, sum(v) OVER (PARTITION BY k ORDER BY id) FROM log WHERE k IN (2, 5) AND id > 3000" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log LIMIT 900" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log LIMIT 1" ],
	[ 'pages', "SELECT tableoid::regclass, ctid, id, count(*) OVER (ORDER BY id) FROM log WHERE id < 300" ],
	[ 'pages', "SELECT log, count(*) OVER (ORDER BY id) FROM log WHERE id < 300" ],
	[ 'pages', "SELECT id, v, t, d, added, sum(v) OVER (ORDER BY id) FROM moved" ],
	[ 'pages', "SELECT id, v, added, sum(v) OVER (ORDER BY id DESC) FROM moved WHERE d < 3" ],
	[ 'pages', "SELECT t, id, lag(v) OVER (ORDER BY t, id) FROM moved" ],
	[ 'pages', "SELECT t, id, lag(v) OVER (ORDER BY t, id) FROM moved WHERE t IS NULL AND id < 2000" ],
	[ 'pages', "SELECT id, v, sum(v) OVER (ORDER BY id) FROM pruned" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM empty" ],
	[ 'pages', "SELECT id, k, sum(v) OVER (ORDER BY id) FROM parted" ],
	[ 'pages', "SELECT id, k, sum(v) OVER (ORDER BY id) FROM parted LIMIT 1100" ],
	[ 'pages', "SELECT id, k, sum(v) OVER (ORDER BY id DESC) FROM parted WHERE k = 3" ],
	[ 'pages', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM log WHERE id BETWEEN lo * 490 AND hi) AS s" ],
	[ 'pages, on demand', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM moved WHERE id > lo * 490 LIMIT 200) AS s" ],
	[ 'pages', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, lo + sum(v) OVER (ORDER BY id) AS y FROM log WHERE id > 3500) AS s" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id < (SELECT max(hi) FROM limits WHERE lo < 3)" ],
	[ 'pages, on demand', "SELECT id, row_number() OVER (ORDER BY id) FROM log WHERE 10 / (id - 700) < 5 LIMIT 699" ],
	[ 'pages, on demand', "SELECT id, row_number() OVER (ORDER BY id) FROM log WHERE 10 / (id - 700) < 5 LIMIT 700" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY md5(id::text)) FROM moved" ],
	# indexes that are no B-trees
	[ 'rows',
		"SELECT id, count(*) OVER (ROWS UNBOUNDED PRECEDING) FROM places WHERE at <@ box(point(3, 3), point(20, 9))" ],
	[ 'rows', "SELECT id, row_number() OVER (ROWS UNBOUNDED PRECEDING) "
			. "FROM (SELECT * FROM places ORDER BY at <-> point(7, 3)) AS s" ],
);

my $scans = IndexScans->new(server => $server, plans => $plans, scan => 'Index Scan');

$scans->queries(@cases);
$scans->changes_under_cursor('log', 'moved', 'pruned');
$scans->changes_by_another_session('id');
# on pages that are all visible again, and on others
$server->lines('VACUUM log');
$scans->locks_and_statistics('log', 'moved');
$scans->explained('SELECT sum(v) OVER (ORDER BY id) FROM moved WHERE d < 3',
	'SELECT sum(v) OVER (ORDER BY id) FROM log WHERE id BETWEEN 5 AND 2500', 'SELECT lo, max(y) FROM limits, '
		. 'LATERAL (SELECT sum(v) OVER (ORDER BY id) AS y FROM log WHERE id BETWEEN lo * 490 AND hi) AS s GROUP BY lo');
$scans->marks_dead_tuples('id');

# Several processes share an index scan.
my $several = 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; '
	. 'SET min_parallel_index_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET parallel_leader_participation = off';
$server->lines('CREATE TABLE long AS SELECT i AS id, i % 7 AS k, i AS v FROM generate_series(1, 40000) AS i; '
	. 'CREATE INDEX ON long (k, id); ANALYZE long');
my $shared = 'SELECT count(*), sum(y), sum(id) '
	. 'FROM (SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) AS y FROM long WHERE k > $1) AS s';
for my $least (1, 'generic')
{
	my $prepare = $least eq 'generic'
		? "SET plan_cache_mode = force_generic_plan; PREPARE q (int) AS $shared" : 'SELECT';
	my $execute = $least eq 'generic' ? 'EXECUTE q (1)' : $shared =~ s/\$1/$least/r;

	is($scans->answer('force', $execute, "$several; $prepare"), $scans->answer('off', $execute, $prepare),
		"several processes: $execute");
	like(join('', $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $plans; $several; $prepare; EXPLAIN "
				. "(VERBOSE, COSTS OFF) $execute")), qr/Input: pages.*Parallel Index Scan/s, 'which read pages');
}

done_testing();
