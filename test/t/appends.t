# appends.t: the node skips Append, Result and Subquery Scan, and reads the tables below by the page.
#
# What the skipped nodes do is tried: partitions and children whose columns lie elsewhere, pruning, rescans, constants,
# expressions that nothing reads, conditions and errors in a later table, EXPLAIN's rows, processes that share an
# Append. So is what must not be skipped or read by the page.  Each query runs without the node and with it, and the
# answers, errors included, have to be the same.  EXPLAIN tells the way to the rows.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('appends');
my $role = "scan_appends_$$";

$server->lines(<<"SQL");
ALTER DATABASE $server->{database} SET jit = off;
ALTER DATABASE $server->{database} SET max_parallel_workers_per_gather = 0;
CREATE ROLE $role;
-- children: the same columns at the same places, at other places, after a dropped one, with one of their own
CREATE TABLE parent (id int, k int2, v int8, t text);
CREATE TABLE child_same () INHERITS (parent);
CREATE TABLE child_moved (t text, own float8, v int8, id int, k int2);
ALTER TABLE child_moved INHERIT parent;
CREATE TABLE child_dropped (gone int, k int2, gone_too text, id int, t text, v int8);
ALTER TABLE child_dropped DROP gone, DROP gone_too, INHERIT parent;
INSERT INTO parent SELECT i, i % 7, i * 3, 'p' || i FROM generate_series(1, 300) AS i;
INSERT INTO child_same SELECT i, i % 7, i * 3, 's' || i FROM generate_series(301, 900) AS i;
INSERT INTO child_moved SELECT 'm' || i, i / 2.0, CASE WHEN i % 5 > 0 THEN i END, i, i % 7
  FROM generate_series(901, 1500) AS i;
INSERT INTO child_dropped SELECT i % 7, i, CASE WHEN i % 3 > 0 THEN repeat('d', i % 40) END, i
  FROM generate_series(1501, 2200) AS i;
-- a column that older rows of the children do not have
ALTER TABLE parent ADD added int DEFAULT 42;
ALTER TABLE parent ADD later numeric;
INSERT INTO child_same SELECT i, i % 7, i, 'later', i, i / 7.0 FROM generate_series(2201, 2400) AS i;
-- partitions: an empty one, one of partitions, one whose columns lie elsewhere
CREATE TABLE parted (id int, k int, v int8, t text) PARTITION BY RANGE (id);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (1000);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM (1000) TO (2000) PARTITION BY HASH (k);
CREATE TABLE parted_2_0 PARTITION OF parted_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parted_2_1 (gone int, v int8, t text, k int, id int);
ALTER TABLE parted_2_1 DROP gone;
ALTER TABLE parted_2 ATTACH PARTITION parted_2_1 FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE parted_empty PARTITION OF parted FOR VALUES FROM (2000) TO (3000);
CREATE TABLE parted_4 PARTITION OF parted FOR VALUES FROM (3000) TO (4000);
INSERT INTO parted SELECT i, i % 9, CASE WHEN i % 11 > 0 THEN i END, 't' || i % 30 FROM generate_series(1, 3999) AS i
  WHERE i < 2000 OR i > 2999;
UPDATE parted SET v = -v WHERE id % 10 = 0;
DELETE FROM parted WHERE id % 97 = 0;
CREATE TABLE quote AS SELECT i % 20 AS k, i * 7 % 5003 AS at, i % 1000 AS price FROM generate_series(1, 1500) AS i;
CREATE TABLE trade AS SELECT i AS id, i % 20 AS k, i * 11 % 5003 AS at FROM generate_series(1, 1500) AS i;
CREATE TABLE nothing (k int, at int, price int);
CREATE MATERIALIZED VIEW stored AS SELECT k, at, price FROM quote WHERE k < 5;
CREATE TABLE limits AS SELECT i AS lo, i * 700 AS hi FROM generate_series(0, 6) AS i;
CREATE SEQUENCE seen;
CREATE TABLE secret (id int, owner text, v int);
CREATE TABLE secret_more (v int, owner text, id int);
ALTER TABLE secret_more INHERIT secret;
INSERT INTO secret SELECT i, CASE WHEN i % 2 = 0 THEN '$role' ELSE 'other' END, i FROM generate_series(1, 200) AS i;
INSERT INTO secret_more SELECT i, CASE WHEN i % 2 = 0 THEN '$role' ELSE 'other' END, i
  FROM generate_series(201, 400) AS i;
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON secret USING (owner = current_user);
CREATE VIEW barrier WITH (security_barrier) AS SELECT id, v FROM secret WHERE id % 3 = 0;
CREATE VIEW barrier_more WITH (security_barrier) AS SELECT id, v FROM parent WHERE id % 3 = 0;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO $role;
ANALYZE;
SQL

my $as_of = "SELECT key_, at, is_trade, scan_locf(price) OVER (PARTITION BY key_ ORDER BY at, is_trade) FROM (SELECT k "
	. "AS key_, at, price, false AS is_trade FROM quote UNION ALL SELECT k, at, NULL, true FROM trade) AS both_";
my @cases = (
	# tables below an Append
	[ 'pages', "SELECT id, k, v, sum(v) OVER (PARTITION BY k ORDER BY id) FROM parent" ],
	[ 'pages', "SELECT id, added, later, lag(t) OVER (ORDER BY id), sum(added) OVER (ORDER BY id), "
			. "sum(later) OVER (ORDER BY id) FROM parent" ],
	[ 'pages', "SELECT id, count(*) OVER (ROWS UNBOUNDED PRECEDING) FROM parent" ],
	[ 'pages', "SELECT count(*) OVER () FROM parent" ],
	[ 'pages', "SELECT id, k, v, t, sum(v) OVER (PARTITION BY k ORDER BY id) FROM parted" ],
	[ 'pages', "SELECT id, row_number() OVER (ROWS UNBOUNDED PRECEDING) FROM parted" ],
	[ 'pages', "SELECT id, v, sum(v) OVER (ORDER BY id) FROM parted WHERE v % 3 = 1 AND t < 't2'" ],
	[ 'pages', "SELECT id, v, sum(v) OVER (ORDER BY id) FROM parent WHERE length(t) < 5 AND added = 42" ],
	[ 'pages', "SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM parted WHERE v > 0 LIMIT 1200" ],
	[ 'pages', "SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM parted LIMIT 3" ],
	[ 'pages', "SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE id IN (5, 1500, 2500, 3500)" ],
	[ 'pages', "SELECT id, n FROM (SELECT id, row_number() OVER (PARTITION BY k ORDER BY id DESC) AS n "
			. "FROM parted) AS s WHERE n <= 3" ],
	[ 'blocks', "SELECT DISTINCT ON (k) k, id, v, sum(v) OVER (PARTITION BY k ORDER BY id DESC) "
			. "FROM parted ORDER BY k, id DESC" ],
	# the parent's hidden columns, and whole rows of children that look different
	[ 'pages', "SELECT tableoid::regclass, id, sum(v) OVER (PARTITION BY tableoid ORDER BY id) FROM parted" ],
	[ 'pages', "SELECT tableoid::regclass, ctid, xmin = cmin::text::xid, id, "
			. "count(*) OVER (PARTITION BY tableoid ORDER BY ctid) FROM parent" ],
	[ 'pages', "SELECT p, lag(p) OVER (ORDER BY id) FROM parent AS p" ],
	[ 'pages', "SELECT p, p.tableoid::regclass, max(id) OVER (PARTITION BY k ORDER BY id) "
			. "FROM parted AS p WHERE id % 50 = 1" ],
	# constants, expressions and columns in another order, of arms
	[ 'pages', $as_of ],
	[ 'pages', "SELECT kind, at, k, n, lag(kind) OVER (ORDER BY at, k, kind) FROM (SELECT 'quote'::text AS kind, k, "
			. "at, 1.5 AS n FROM quote UNION ALL SELECT 'trade of some length', k, at, NULL FROM trade) AS s" ],
	[ 'pages', "SELECT k, at, sum(price) OVER (PARTITION BY k ORDER BY at, price) "
			. "FROM (SELECT k, at, price FROM quote UNION ALL SELECT k + 1, at * 2, k * at FROM trade) AS s" ],
	[ 'pages', "SELECT k, at, sum(price) OVER (PARTITION BY k ORDER BY at, price) "
			. "FROM (SELECT k, at, price FROM quote UNION ALL SELECT id % 7, id + at, k FROM trade WHERE at > 300 "
			. "UNION ALL SELECT * FROM nothing UNION ALL SELECT * FROM stored) AS s" ],
	[ 'pages', "SELECT id, v, sum(v) OVER (ORDER BY id, v, src) FROM (SELECT id, v, 1 AS src FROM parted "
			. "UNION ALL SELECT id, v, 2 FROM parent UNION ALL SELECT id, k::int8, 3 FROM trade) AS s" ],
	[ 'pages', "SELECT at, sum(price) OVER (ORDER BY at, k) FROM (SELECT at, k, price FROM (SELECT price, at, k "
			. "FROM quote OFFSET 0) AS q UNION ALL SELECT at, id, k FROM (SELECT * FROM trade OFFSET 0) AS t) AS s" ],
	[ 'pages', "SELECT at, sum(price) OVER (ORDER BY at, k) "
			. "FROM (SELECT price, at, k FROM (SELECT * FROM quote OFFSET 0) AS q OFFSET 0) AS q" ],
	# an arm that is read in another way
	[ 'pages and blocks',
		"SELECT at, sum(price) OVER (ORDER BY at, price) FROM (SELECT at, price::int8 FROM quote UNION ALL SELECT at, "
			. "sum(k) OVER (ORDER BY at, id) FROM trade UNION ALL SELECT id, v FROM parted) AS s" ],
	# a type that has to be converted is converted by a Subquery Scan
	[ 'rows', "SELECT at, sum(price) OVER (ORDER BY at, price) "
			. "FROM (SELECT at, price FROM quote UNION ALL SELECT at, count(*) FROM trade GROUP BY at) AS s" ],
	[ 'pages and rows', "SELECT at, sum(price) OVER (ORDER BY at, price) "
			. "FROM (SELECT at, price FROM quote UNION ALL SELECT at, count(*)::int FROM trade GROUP BY at) AS s" ],
	[ 'pages and rows', "SELECT at, sum(price) OVER (ORDER BY at, price) "
			. "FROM (SELECT at, price FROM quote UNION ALL VALUES (1, 2), (3, 4)) AS s" ],
	[ 'pages and rows', "SELECT at, sum(price) OVER (ORDER BY at, price) "
			. "FROM (SELECT at, price FROM quote UNION ALL SELECT 7, 8) AS s" ],
	[ 'pages and rows', "SELECT at, price, row_number() OVER (ROWS UNBOUNDED PRECEDING) "
			. "FROM ((SELECT at, price FROM quote LIMIT 40) UNION ALL SELECT i, i FROM generate_series(1, 2000) AS i "
			. "UNION ALL SELECT at, k FROM trade) AS s LIMIT 3000" ],
	[ 'rows', "SELECT id, sum(v) OVER (ORDER BY id) FROM parted TABLESAMPLE SYSTEM (100)" ],
	[ 'rows', "SELECT at, sum(price) OVER (ORDER BY at, price) "
			. "FROM (SELECT at, price FROM quote UNION SELECT at, k FROM trade) AS s" ],
	[ 'rows', "SELECT id, sum(v) OVER (ORDER BY id) FROM (SELECT id, v FROM parted FOR UPDATE) AS s" ],
	[ 'rows', "SELECT id, sum(v) OVER (ORDER BY id) FROM (SELECT * FROM parted OFFSET 5) AS s" ],
	[ 'rows', "SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE (SELECT count(*) FROM nothing) = 1" ],
	[ 'rows', "SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE false" ],
	# a condition of the subquery's own
	[ 'rows', "SELECT id, sum(v) OVER (ORDER BY id) "
			. "FROM (SELECT id, v, id % 5 + 0 * random() AS r FROM parted OFFSET 0) AS s WHERE r = 1" ],
	# rescans, with pruning by parameters
	[ 'pages', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, sum(v) OVER (ORDER BY id) AS y FROM parted WHERE id BETWEEN lo * 600 AND hi) AS s" ],
	[ 'pages, on demand', "SELECT lo, id, y FROM limits, LATERAL (SELECT id, "
			. "sum(v) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM parted WHERE k = lo LIMIT 70) AS s" ],
	[ 'pages',
		"SELECT lo, (SELECT max(y) FROM (SELECT sum(price) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM (SELECT price, k "
			. "FROM quote UNION ALL SELECT at, k FROM trade) AS s WHERE k = lo) AS s) FROM limits" ],
	[ 'pages', "SELECT lo, id, y FROM limits, "
			. "LATERAL (SELECT id, lo + count(*) OVER (ROWS UNBOUNDED PRECEDING) AS y FROM parted LIMIT 1500) AS s" ],
	[ 'pages, on demand', "SELECT lo, y FROM limits, LATERAL (SELECT sum(price) OVER (ROWS UNBOUNDED PRECEDING) AS y "
			. "FROM (SELECT price FROM quote WHERE k = lo UNION ALL SELECT at FROM trade) AS s LIMIT 100) AS s" ],
	[ 'pages',
		"SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE id < (SELECT max(hi) FROM limits WHERE lo < 3)" ],
	# errors: of a later table, which a LIMIT does not reach, and which it does
	[ 'pages', "SELECT count(*) OVER (), 1 / (k - 3) FROM trade" ],
	[ 'pages', "SELECT row_number() OVER () FROM (SELECT k FROM quote WHERE k / (at - 5003) < 1 UNION ALL SELECT k "
			. "FROM trade WHERE 1 / (id - 1500) < 1) AS s" ],
	[ 'pages, on demand', "SELECT row_number() OVER () FROM (SELECT k FROM quote WHERE k / (at - 5003) < 1 "
			. "UNION ALL SELECT k FROM trade WHERE 1 / (id - 1500) < 1) AS s LIMIT 2990" ],
	[ 'pages, on demand', "SELECT row_number() OVER () FROM (SELECT k FROM quote WHERE k / (at - 5003) < 1 "
			. "UNION ALL SELECT k FROM trade WHERE 1 / (id - 1500) < 1) AS s LIMIT 3000" ],
	[ 'pages, on demand', "SELECT k, row_number() OVER () "
			. "FROM (SELECT k FROM quote UNION ALL SELECT 1 / (id - 700) FROM trade) AS s LIMIT 2199" ],
	[ 'pages, on demand', "SELECT k, row_number() OVER () "
			. "FROM (SELECT k FROM quote UNION ALL SELECT 1 / (id - 700) FROM trade) AS s LIMIT 2200" ],
);

# The answer of a query, or its error, and the way to the rows that EXPLAIN tells.
sub answer
{
	my ($mode, $query, $before) = @_;
	my ($out, $err) = $server->run("LOAD 'scan'; SET scan.prefixscan = $mode; " . ($before // '') . ";\n$query");

	return $out . join '', $err =~ /(ERROR: .*)/g;
}

sub way
{
	my ($query, $before) = @_;
	my ($out) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; " . ($before // '')
		. ";\nEXPLAIN (VERBOSE, COSTS OFF) $query");

	return ($out =~ /Input: (.*)/)[0] // "no node: $out";
}

for my $case (@cases)
{
	my ($way, $query) = @$case;

	is(answer('force', $query), answer('off', $query), $query);
	is(way($query), $way, "by $way: $query");
}

# Statements in one session, without the node and with it.
sub same
{
	my ($name, $script) = @_;
	my @answers = map { answer($_, $script) } 'off', 'force';

	is($answers[1], $answers[0], $name);
	return $answers[0];
}

# Core computes what nothing reads: a sequence tells.
for my $from ("(SELECT id, v, nextval('seen') AS n FROM parted_1 OFFSET 0) AS s",
	"(SELECT * FROM (SELECT id, v, nextval('seen') AS n FROM parted OFFSET 0) AS a "
		. "UNION ALL SELECT id, v, nextval('seen') FROM parent) AS s")
{
	my $seen = same("a column that nothing reads is computed: $from",
		"SELECT setval('seen', 1); SELECT id, count(*) OVER (ORDER BY id) FROM $from; SELECT last_value FROM seen");
	like($seen, qr/\n\d{3,}$/, 'and is seen');
}

# One plan for all parameters: nodes are pruned when the query starts.
my $prepared = "SET plan_cache_mode = force_generic_plan; "
	. "PREPARE q (int, int) AS SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE id BETWEEN \$1 AND \$2";
same('parameters prune', "$prepared; EXECUTE q (1, 10); EXECUTE q (900, 1100); EXECUTE q (1990, 3010); "
		. "EXECUTE q (5000, 6000); EXECUTE q (2100, 2200)");
like(join('', $server->lines(
			"LOAD 'scan'; SET scan.prefixscan = force; $prepared; EXPLAIN (VERBOSE, COSTS OFF) EXECUTE q (900, 1100)")),
	qr/Input: pages.*Subplans Removed: 2/s, 'and there is one plan');
like(join('', $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $prepared; EXPLAIN (VERBOSE, COSTS OFF) "
			. "EXECUTE q (5000, 6000)")), qr/Input: rows.*Subplans Removed: 5/s, 'no node is left');

# Partitions come and go, and columns.
same('a partition is detached and attached', <<'SQL');
BEGIN;
SET plan_cache_mode = force_generic_plan;
PREPARE q AS SELECT count(*), sum(y), max(t) FROM (SELECT t, sum(v) OVER (ORDER BY id) AS y FROM parted) AS s;
EXECUTE q;
ALTER TABLE parted DETACH PARTITION parted_4;
EXECUTE q;
CREATE TABLE parted_5 (t text, id int, own int, v int8, k int);
INSERT INTO parted_5 SELECT 'five', i, NULL, i, 5 FROM generate_series(4000, 4500) AS i;
ALTER TABLE parted_5 DROP own;
ALTER TABLE parted ATTACH PARTITION parted_5 FOR VALUES FROM (4000) TO (5000);
EXECUTE q;
ALTER TABLE parted ATTACH PARTITION parted_4 FOR VALUES FROM (3000) TO (4000);
EXECUTE q;
ALTER TABLE parted ADD w int DEFAULT 5, ALTER v TYPE numeric;
EXECUTE q;
TRUNCATE parted_1;
EXECUTE q;
ROLLBACK;
SQL
same('temporary children', <<'SQL');
CREATE TEMP TABLE t (id int, v int);
CREATE TEMP TABLE u (v int, id int) INHERITS (t);
INSERT INTO t SELECT i, i FROM generate_series(1, 500) AS i;
INSERT INTO u SELECT i + 500, i FROM generate_series(1, 500) AS i;
UPDATE ONLY u SET v = -v WHERE id % 3 = 0;
SELECT id, v, sum(v) OVER (ORDER BY id) FROM t;
SELECT id, v, sum(v) OVER (ORDER BY id) FROM ONLY t;
SQL

# Rows that a user may not see: conditions of the policy and of the view.
for my $from ('secret', 'barrier', 'barrier_more',
	'(SELECT id, v FROM secret UNION ALL SELECT id, v FROM barrier_more) AS s')
{
	my $script = "SET ROLE $role; SELECT id, sum(v) OVER (ORDER BY id) FROM $from";
	my $seen = same("what a role may see: $from", $script);
	cmp_ok(scalar(() = $seen =~ /\n/g), '>', 50, 'and it is something');
	isnt($seen, answer('off', $script =~ s/SET ROLE \w+; //r), 'and not what the owner sees') if $from =~ /secret/;
}

# The query's snapshot: the cursor was opened before the changes.
same('a cursor goes on with the rows of its snapshot', <<'SQL');
BEGIN;
DECLARE c CURSOR FOR SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM parted;
FETCH 700 FROM c;
DELETE FROM parted WHERE id % 2 = 0;
UPDATE parted SET v = 0;
FETCH 700 FROM c;
FETCH ALL FROM c;
ROLLBACK;
SQL

# What core counts and locks for a scan of each table.
my $counted = "BEGIN ISOLATION LEVEL SERIALIZABLE; "
	. "SELECT count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS y FROM parted WHERE id < 3000 OFFSET 0) AS s";
for my $what (
	[ 'predicate locks', "SELECT relation::regclass, locktype, page, tuple FROM pg_locks "
			. "WHERE mode = 'SIReadLock' AND pid = pg_backend_pid() ORDER BY 1, 2, 3, 4" ],
	[ 'tuples returned',
		"SELECT relname, seq_scan, seq_tup_read FROM pg_stat_xact_user_tables WHERE relname ~ '^parted' ORDER BY 1" ])
{
	my ($name, $look) = @$what;
	like(same("$name are the same", "$counted; $look; COMMIT"), qr/\nparted_2_1\|/, "and there are $name");
}

# EXPLAIN ANALYZE says of the nodes that are skipped, and of those below, what core says.
sub counted
{
	my ($mode, $query) = @_;
	my ($out) = $server->run("LOAD 'scan'; SET scan.prefixscan = $mode; "
		. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF) $query");
	my @lines = map { s/^ +(?:-> +)?//r } grep { !/Window: / } split /\n/,
		($out =~ /((?:Result|Append|Subquery Scan) .*)/s)[0] // '';
	return join "\n", @lines;
}
for my $query ("SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE v > 0",
	"SELECT id, sum(v) OVER (ROWS UNBOUNDED PRECEDING) FROM parted LIMIT 3",
	"SELECT id, sum(v) OVER (ORDER BY id) FROM parted WHERE id < (SELECT max(hi) FROM limits WHERE lo < 3)",
	"SELECT lo, max(y) FROM limits, LATERAL (SELECT sum(v) OVER (ORDER BY id) AS y FROM parted "
		. "WHERE id BETWEEN lo * 600 AND hi) AS s GROUP BY lo",
	"SELECT at, sum(price) OVER (ORDER BY k, at) FROM (SELECT at, k, price FROM (SELECT price, at, k "
		. "FROM quote OFFSET 0) AS q UNION ALL SELECT at, id, k FROM (SELECT * FROM trade OFFSET 0) AS t) AS s")
{
	my ($off, $force) = map { counted($_, $query) } 'off', 'force';
	# the node reads some rows ahead of a LIMIT
	s{\brows=(?:4|16)\b}{rows=some}g for $query =~ /LIMIT/ ? ($off, $force) : ();
	is($force, $off, "EXPLAIN ANALYZE: $query");
	like($off, qr/Seq Scan.*rows=\w+/s, 'and it says something');
}

# The planner expects to read partitions by the page, as it does a table.
sub own_cost
{
	my ($from) = @_;
	my ($out) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; "
		. "EXPLAIN SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) FROM $from");
	my @costs = $out =~ /cost=[\d.]+\.\.([\d.]+)/g;
	return $costs[0] - $costs[1];
}
$server->lines('CREATE TABLE whole AS SELECT id, k, v FROM parted;
	CREATE TABLE part (id int, k int, v int8) PARTITION BY RANGE (id);
	CREATE TABLE part_1 PARTITION OF part FOR VALUES FROM (0) TO (2000);
	CREATE TABLE part_2 PARTITION OF part FOR VALUES FROM (2000) TO (5000);
	INSERT INTO part SELECT * FROM whole; ANALYZE whole, part');
my ($whole, $part) = map { own_cost($_) } 'whole', 'part';
cmp_ok(abs($part - $whole), '<', 0.02 * abs($whole), "the node costs $whole over a table, $part over its partitions");
$part = own_cost('part WHERE k < 1000');
cmp_ok($part - $whole, '>', 0.0064 * 2900, 'and more with a condition');

# What a condition or an expression leaves behind is freed row by row.
my $left = $server->value(<<'SQL');
LOAD 'scan';
SET scan.prefixscan = force;
BEGIN;
DECLARE c CURSOR FOR SELECT sum(v) OVER (ORDER BY id)
  FROM (SELECT id, length(repeat(t, 10000)) AS v FROM parted WHERE repeat(t, 10000) <> 'x' OFFSET 0) AS s;
MOVE 1 IN c;
SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name = 'ExprContext';
COMMIT;
SQL
cmp_ok($left, '<', 10_000_000, "$left bytes are left of expressions");

# Several processes share an Append.
my $several = "SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; "
	. "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0";
for my $query (
	"SELECT count(*), sum(y), sum(id) FROM (SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) AS y FROM parted) AS s",
	"SELECT count(*), sum(y), sum(id) "
		. "FROM (SELECT id, sum(v) OVER (PARTITION BY k ORDER BY id) AS y FROM parent WHERE v > 10) AS s",
	"SELECT count(price), sum(price), sum(at) FROM ($as_of) AS s (key_, at, is_trade, price)")
{
	is(answer('force', $query, $several), answer('off', $query), "several processes: $query");
	like(join('',
			$server->lines("LOAD 'scan'; SET scan.prefixscan = force; $several; EXPLAIN (VERBOSE, COSTS OFF) $query")),
		qr/Gather.*Input: pages.*Parallel Append/s, 'which read pages');
}

# A foreign table among the children is asked row by row; the others are read by the page.
SKIP:
{
	skip 'no file_fdw', 2 if !$server->value("SELECT count(*) FROM pg_available_extensions WHERE name = 'file_fdw'");
	$server->lines(<<'SQL');
CREATE EXTENSION file_fdw;
CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE child_foreign (k int2, id int, v int8, t text, added int, later numeric) SERVER files OPTIONS
  (program 'seq 1 5 | sed "s/.*/1,&,7,text,8,9/"', format 'csv');
ALTER FOREIGN TABLE child_foreign INHERIT parent;
SQL
	my $query = "SELECT id, v, t, sum(v) OVER (PARTITION BY k ORDER BY id, t) FROM parent";
	is(answer('force', $query), answer('off', $query), $query);
	is(way($query), 'pages and rows', 'a foreign table below');
	$server->lines('DROP FOREIGN TABLE child_foreign');
}

$server->lines("DROP OWNED BY $role; DROP ROLE $role");
done_testing();
