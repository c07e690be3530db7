# index_tuples.t: the node reads the tuples of an index-only scan many at a time as core reads them one by one.
#
# What index_tuples.c takes on itself is tried: tuples with and without NULLs, columns at fixed offsets and others,
# lists of duplicates, pages of the table that are all visible and not, scans backward, with conditions, with keys that
# are computed when the query runs, rescans, tables that change under a cursor.  What it leaves to core is counted:
# predicate locks, statistics, EXPLAIN's rows and heap fetches.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use IndexScans;
use Server;

my $server = Server->new('index_tuples');
# so that all is read by an index, in its order
my $plans = 'SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off; '
	. 'SET enable_incremental_sort = off; SET enable_hashagg = off';

$server->lines(<<"SQL");
ALTER DATABASE $server->{database} SET jit = off;
ALTER DATABASE $server->{database} SET max_parallel_workers_per_gather = 0;
-- all visible
CREATE TABLE log AS SELECT i AS id, i % 7 AS k, i * 3::int8 AS v, 't' || i % 30 AS t, i % 3 = 0 AS b, i / 7.0 AS n
  FROM generate_series(1, 4000) AS i;
CREATE INDEX ON log (id) INCLUDE (v);
CREATE INDEX ON log (k, id) INCLUDE (n, b);
CREATE INDEX ON log (t, id) INCLUDE (v, k);
CREATE INDEX ON log (abs(id - 2000), id);
CREATE INDEX ON log (k);
VACUUM log;
-- NULLs, dead tuples, pages that are not all visible
CREATE TABLE moved (id int, v int, t text) WITH (fillfactor = 60, autovacuum_enabled = off);
INSERT INTO moved SELECT i, CASE WHEN i % 5 > 0 THEN i END, CASE WHEN i % 3 > 0 THEN repeat('m', i % 50) END
  FROM generate_series(1, 3000) AS i;
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
CREATE TABLE wide AS SELECT i AS id, left((SELECT string_agg(md5(i || '.' || j), '') FROM generate_series(1, 70) AS j),
  i * 7) AS t FROM generate_series(1, 300) AS i;
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
	[ 'pages',
		"SELECT t, id, count(v) OVER (PARTITION BY t ORDER BY id) FROM moved WHERE t IS NULL OR length(t) > 30" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM empty" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM parted" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id DESC) FROM parted WHERE v % 3 = 1" ],
	[ 'pages', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM log WHERE id BETWEEN lo * 490 AND hi) AS s" ],
	[ 'pages, on demand', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM moved WHERE id > lo * 490 LIMIT 200) AS s" ],
	[ 'pages', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, lo + sum(v) OVER (ORDER BY id) AS y FROM log WHERE id > 3500) AS s" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM log WHERE id < (SELECT max(hi) FROM limits WHERE lo < 3)" ],
	[ 'pages, on demand', "SELECT id, row_number() OVER (ORDER BY id) FROM log WHERE 10 / (id - 700) < 5 LIMIT 699" ],
	[ 'pages, on demand', "SELECT id, row_number() OVER (ORDER BY id) FROM log WHERE 10 / (id - 700) < 5 LIMIT 700" ],
	[ 'pages', "SELECT id, md5(t), max(t) OVER (ORDER BY id ROWS 1 PRECEDING) FROM wide" ],
	# core makes names of what the index keeps
	[ 'rows', "SELECT nm, id, count(*) OVER (PARTITION BY nm ORDER BY id) FROM names" ],
);

my $scans = IndexScans->new(server => $server, plans => $plans, scan => 'Index Only Scan');

$scans->queries(@cases);
$scans->changes_under_cursor('log', 'moved');
$scans->changes_by_another_session('id, v');
# on pages that are all visible again, and on others
$server->lines('VACUUM log');
$scans->locks_and_statistics('log', 'moved');
like($_, qr/Heap Fetches: \d/, 'EXPLAIN ANALYZE has heap fetches')
	for $scans->explained('SELECT sum(v) OVER (ORDER BY id) FROM moved WHERE v % 3 = 0',
	'SELECT sum(v) OVER (ORDER BY id) FROM log WHERE id BETWEEN 5 AND 2500', 'SELECT lo, max(y) FROM limits, '
		. 'LATERAL (SELECT sum(v) OVER (ORDER BY id) AS y FROM log WHERE id BETWEEN lo * 490 AND hi) AS s GROUP BY lo');
$scans->marks_dead_tuples('id, v');

# Several processes share an index-only scan.
my $several = 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; '
	. 'SET min_parallel_index_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET parallel_leader_participation = off';
$server->lines('CREATE TABLE long AS SELECT i AS id, i % 7 AS k, i AS v FROM generate_series(1, 40000) AS i; '
	. 'CREATE INDEX ON long (k, id, v)');
$server->lines('VACUUM ANALYZE long');
my $shared = 'SELECT count(*), sum(y), sum(id) '
	. 'FROM (SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) AS y FROM long WHERE k > 1) AS s';
is($scans->answer('force', $shared, $several), $scans->answer('off', $shared), 'several processes');
like(join('', $server->lines(
			"LOAD 'scan'; SET scan.prefixscan = force; $plans; $several; EXPLAIN (VERBOSE, COSTS OFF) $shared")),
	qr/Input: pages.*Parallel Index Only Scan/s, 'which read tuples of an index');

done_testing();
