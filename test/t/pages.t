# pages.t: the node reads a table by the page as core reads it by the row.
#
# What pages.c takes on itself is tried: tuples with NULLs, short ones from before a
# column was added, dropped columns, values in front that vary in length, long and
# compressed ones, conditions, dead and newer versions of rows, empty pages, rescans,
# cursors; what it leaves to core is counted: predicate locks, statistics, EXPLAIN's
# rows.  That the pages are read at all is looked up in EXPLAIN (VERBOSE).  The other
# short way to rows is tried here as well: from one node to the next.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('pages');

$server->lines(<<'SQL');
CREATE TABLE plain AS
SELECT i AS id, (i % 7 * 1000 - 3000)::int2 AS s, i * 3 AS n, (i % 5 = 0) AS b, (i % 100)::"char" AS c,
  i * 0.5::float4 AS f4, i * 0.25::float8 AS f8,
       (i % 1000) / 100.0 AS num
FROM generate_series(1, 3000) AS i;
CREATE TABLE mixed (gone int, s int2, t text, n int8, l text, u uuid);
ALTER TABLE mixed ALTER l SET STORAGE EXTERNAL;
INSERT INTO mixed SELECT i, i % 5, repeat('x', i % 9), CASE WHEN i % 3 <> 0 THEN i END,
  repeat(i::text, CASE WHEN i % 50 = 0 THEN 3000 ELSE 1 END),
       md5(i::text)::uuid
FROM generate_series(1, 700) AS i;
ALTER TABLE mixed DROP gone;
ALTER TABLE mixed ADD added int DEFAULT 42;
ALTER TABLE mixed ADD later numeric;
INSERT INTO mixed SELECT i % 5, repeat('y', 300), i, repeat('z', 9000), md5(i::text)::uuid, i, i / 7.0
  FROM generate_series(701, 1400) AS i;
-- versions: some dead, some newer, pages that are all dead
CREATE TABLE moved AS SELECT i AS id, i AS v FROM generate_series(1, 5000) AS i;
UPDATE moved SET v = -v WHERE id % 4 = 0;
DELETE FROM moved WHERE id BETWEEN 1000 AND 3000 OR id % 9 = 0;
CREATE TABLE short AS SELECT i AS id, i % 3 AS v FROM generate_series(1, 500) AS i;
ALTER TABLE short ADD w int DEFAULT 7;
ALTER TABLE short ADD x int8;
INSERT INTO short SELECT i, 1, i, i FROM generate_series(501, 900) AS i;
CREATE TABLE unaligned AS SELECT i::int2 AS id, repeat('a', i % 7) || i AS t, i AS v FROM generate_series(1, 500) AS i;
CREATE TABLE empty (id int, v int);
CREATE TABLE one AS SELECT 1 AS id, 2 AS v;
ANALYZE;
SQL

my @queries = (
	"SELECT id, sum(n) OVER (ORDER BY id) FROM plain",
	"SELECT id, s, b, c, f4, f8, num, sum(f8) OVER (PARTITION BY s ORDER BY id DESC) FROM plain",
	"SELECT id, lag(num) OVER (ORDER BY id), lag(b) OVER (ORDER BY id), lag(c) OVER (ORDER BY id), "
		. "lag(f4) OVER (ORDER BY id) FROM plain",
	"SELECT id, row_number() OVER (ROWS UNBOUNDED PRECEDING) FROM plain",
	"SELECT id, count(*) OVER () FROM plain",
	"SELECT id, sum(n) OVER (ROWS UNBOUNDED PRECEDING) FROM plain WHERE n % 4 = 1",
	"SELECT id, sum(n) OVER (ORDER BY s, id) FROM plain WHERE f8 > 700 AND NOT b",
	"SELECT id, sum(n) OVER (ORDER BY id) FROM plain WHERE false",
	"SELECT id, sum(n) OVER (ORDER BY id) FROM plain WHERE id > 5000",
	"SELECT s, t, n, length(l), md5(l), u, added, later, sum(n) OVER (PARTITION BY s ORDER BY u) FROM mixed",
	"SELECT u, sum(added) OVER (ORDER BY u), lag(l) OVER (ORDER BY u) FROM mixed WHERE length(t) < 8",
	"SELECT u, sum(later) OVER (ORDER BY u), lag(t, 3) OVER (ORDER BY u) FROM mixed",
	"SELECT n, count(n) OVER (ORDER BY n, u) FROM mixed",
	"SELECT s, sum(s) OVER (ORDER BY s) FROM mixed",
	"SELECT id, v, sum(v) OVER (ORDER BY id) FROM moved",
	"SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM moved",
	"SELECT id, sum(v) OVER (ORDER BY id) FROM empty",
	"SELECT id, sum(v) OVER (ORDER BY id) FROM one",
	"SELECT o.id, y FROM one AS o, "
		. "LATERAL (SELECT sum(v + o.v) OVER (ORDER BY id) AS y FROM moved WHERE id < 50 + o.id) AS s",
	"SELECT g, y FROM generate_series(1, 3) AS g, "
		. "LATERAL (SELECT sum(v) OVER (ORDER BY id) AS y FROM moved WHERE id <= g * 40) AS s",
	"SELECT g, (SELECT max(y) FROM (SELECT sum(n) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM plain WHERE s = g) AS s) "
		. "FROM generate_series(0, 8) AS g",
	"SELECT g, y FROM generate_series(-3000, 5000, 1000) AS g, "
		. "LATERAL (SELECT sum(id) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM plain WHERE s = g LIMIT 9) AS s",
	"SELECT g, y FROM generate_series(1, 3) AS g, "
		. "LATERAL (SELECT g + sum(id) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM plain LIMIT 9) AS s",
	"SELECT id, sum(n) OVER (ROWS UNBOUNDED PRECEDING) FROM plain LIMIT 130",
	"SELECT id, sum(w) OVER (ORDER BY id), sum(x) OVER (ORDER BY id), sum(v) OVER (ORDER BY id) FROM short",
	"SELECT id, w, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM short",
	"SELECT id, t, v, sum(v) OVER (ORDER BY id) FROM unaligned",
	"SELECT id, lag(t) OVER (ORDER BY id) FROM unaligned",
);

my $by_pages = 0;
for my $query (@queries)
{
	my ($off) = $server->run("SET scan.prefixscan = off;\n$query");
	my ($force) = $server->run("LOAD 'scan'; SET scan.prefixscan = force;\n$query");

	is($force, $off, $query);
	$by_pages++
		if join('', $server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (VERBOSE, COSTS OFF) $query"))
		=~ /Input: pages/;
}
is($by_pages, scalar @queries - 1, 'all but the one with an expression of two tables read pages');

# A row that another transaction has changed since the snapshot, and one of our own command.
is(join(' ', $server->lines(<<'SQL')), '1 -2 3', 'what the own transaction changed is seen');
LOAD 'scan'; SET scan.prefixscan = force;
BEGIN;
CREATE TEMP TABLE t AS SELECT i AS v FROM generate_series(1, 3) AS i;
UPDATE t SET v = -v WHERE v = 2;
SELECT v FROM (SELECT v, sum(v) OVER (ORDER BY abs(v)) FROM t) AS s ORDER BY abs(v);
COMMIT;
SQL

# The query's snapshot: the cursor was opened before the deletion.
is($server->value(<<'SQL'), 5000 - 3 * 500, 'a cursor goes on with the rows of its snapshot');
LOAD 'scan'; SET scan.prefixscan = force;
CREATE TABLE snap AS SELECT i AS v FROM generate_series(1, 5000) AS i;
BEGIN;
DECLARE c CURSOR FOR SELECT sum(v) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM snap;
MOVE 1500 IN c;
DELETE FROM snap;
CREATE TEMP TABLE got (y int8);
DO $$
DECLARE c refcursor := 'c'; y int8;
BEGIN
	LOOP
		FETCH c INTO y;
		EXIT WHEN NOT FOUND;
		INSERT INTO got VALUES (y);
	END LOOP;
END $$;
SELECT count(*) FROM got;
ROLLBACK;
SQL

# What core counts and locks for a scan.
for my $what (
	[ 'predicate locks', "SELECT count(*) FROM pg_locks WHERE mode = 'SIReadLock' AND pid = pg_backend_pid()" ],
	[ 'tuples returned', "SELECT seq_tup_read FROM pg_stat_xact_user_tables WHERE relname = 'moved'" ])
{
	my ($name, $look) = @$what;
	my @seen = map {
		($server->lines("LOAD 'scan'; SET scan.prefixscan = $_; BEGIN ISOLATION LEVEL SERIALIZABLE;
			SELECT count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS y FROM moved WHERE v > 0 OFFSET 0) AS s;
			$look; COMMIT"))[-1]
	} ('off', 'force');
	is($seen[1], $seen[0], "$name are the same");
	cmp_ok($seen[0], '>', 0, "and there are $name");
}

# EXPLAIN ANALYZE counts the scan's rows and what its condition removed.
my @plans = map {
	my $plan = join "\n", $server->lines(
		"LOAD 'scan'; SET scan.prefixscan = $_; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF)
		SELECT sum(v) OVER (ORDER BY id) FROM moved WHERE v > 0");
	$plan =~ /(Seq Scan.*)/s ? $1 : '';
} ('off', 'force');
s/^ +//gm for @plans;
is($plans[1], $plans[0], 'the scan says the same in EXPLAIN ANALYZE');
like($plans[0], qr/rows=\d+.*Rows Removed by Filter: \d+/s, 'and it says something');

# Not by the page: samples, a condition that is checked once, expressions of the node, lists of values.
for my $query ("SELECT sum(v) OVER (ORDER BY id) FROM moved TABLESAMPLE SYSTEM (100)",
	"SELECT sum(v) OVER (ORDER BY id) FROM moved WHERE (SELECT v FROM one) = 2",
	"SELECT count(id = 1) OVER (ORDER BY id) FROM moved",
	"SELECT sum(v) OVER (ORDER BY id) FROM (VALUES (1, 2)) AS s (id, v)")
{
	like(join('', $server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (VERBOSE, COSTS OFF) $query")),
		qr/Input: rows/, "by the row: $query");
}

# Blocks of a node go to the node above as they are, through a subquery that only passes
# them on; not where something is computed in between.
for my $case (
	[ 'blocks', "SELECT id, sum(n) OVER (ORDER BY id), sum(n) OVER (ORDER BY s, f8 DESC, id) FROM plain" ],
	[ 'blocks', "SELECT num, y, max(y) OVER (ORDER BY num, y) "
			. "FROM (SELECT num, s, b, sum(n) OVER (ORDER BY id) AS y FROM plain OFFSET 0) AS q" ],
	[ 'blocks', "SELECT t, y, lag(t) OVER (ORDER BY y DESC) "
			. "FROM (SELECT row_number() OVER (ORDER BY u) AS y, t, l FROM mixed OFFSET 0) AS q" ],
	[ 'blocks', "SELECT g, y FROM generate_series(-3000, 5000, 1000) AS g, "
			. "LATERAL (SELECT sum(z) OVER (ROWS UNBOUNDED PRECEDING) AS y "
			. "FROM (SELECT count(*) OVER (ORDER BY id) AS z FROM plain WHERE s = g OFFSET 0) AS q LIMIT 7) AS s" ],
	[ 'rows', "SELECT num, max(y) OVER (ORDER BY num, y) "
			. "FROM (SELECT num, 1 + sum(n) OVER (ORDER BY id) AS y FROM plain OFFSET 0) AS q" ],
	[ 'rows', "SELECT num, max(y) OVER (ORDER BY num, y) "
			. "FROM (SELECT num, sum(n) OVER (ORDER BY id) AS y FROM plain OFFSET 0) AS q WHERE y % 3 = 0" ],
	[ 'pages', "SELECT num, max(f8) OVER (ORDER BY num, f8) FROM (SELECT f8, num FROM plain OFFSET 0) AS q" ])
{
	my ($input, $query) = @$case;
	my ($off) = $server->run("SET scan.prefixscan = off;\n$query");
	my ($force) = $server->run("LOAD 'scan'; SET scan.prefixscan = force;\n$query");
	my ($plan) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (VERBOSE, COSTS OFF) $query");

	is($force, $off, $query);
	is(($plan =~ /Input: (\w+)/)[0], $input, "... by $input");
}
my ($through) =
	$server->run("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF)
	SELECT num, max(y) OVER (ORDER BY num, y)
	FROM (SELECT num, s, sum(n) OVER (ORDER BY id) AS y FROM plain OFFSET 0) AS q");
is(() = $through =~ /rows=3000(?:\.00)? loops=1/g, 4, 'EXPLAIN ANALYZE counts the rows of those that are left out');

done_testing();
