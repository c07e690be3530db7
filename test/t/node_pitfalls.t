# node_pitfalls.t: what has gone wrong, or could, where a plan node takes the place of
# WindowAgg, and what watches over it:
#
#   1  LIMIT reads few rows                          here
#   2  run conditions, which take conditions away    node.t (n <= 3), node_random.t
#   3  EXPLAIN of the functions, and of a Sort above here, node_explain.t
#   4  the same                                      the same
#   5  EXPLAIN of the window                         node_explain.t
#   6  the promised order: ORDER BY, merge joins     here, node.t (random keys)
#   7  equality is the key's own, collations too     here
#   8  outputs that are no columns, keys that are no outputs    here
#   9  FILTER and arguments are computed late        node.t (100 / (id - 7)), node_random.t
#   10 EXECUTE on the function                       node.t
#   11 functions are known by their OID              here
#   12 offsets of frames                             node_random.t: WindowAgg's so far
#   13 rescans; their temporary files                node.t, here
#   14 InitPlans                                     node.t (SELECT 1), node_random.t
#   15 cursors go back                               node.t, node_random.t
#   16 parallel scans below                          node.t
#   17 cancel; errors give back what they held       node.t, here
#   18 whatever else stands above, below and beside   node_random.t, here
#
# (The numbers are those of the design's list.)
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('node_pitfalls');

$server->lines(<<'SQL');
CREATE TABLE data AS
SELECT i AS id, abs(hashint4(i)) % 10 AS p, hashint4(i + 1) % 100 AS x,
  CASE abs(hashint4(i + 2)) % 4 WHEN 0 THEN 'a' WHEN 1 THEN 'A' WHEN 2 THEN 'b' END AS t,
       (ARRAY['1', '1.0', '1.00', '2', 'NaN'])[1 + abs(hashint4(i + 3)) % 5]::numeric AS num,
       (ARRAY['0', '-0', '1', 'NaN'])[1 + abs(hashint4(i + 4)) % 4]::float8 AS f
FROM generate_series(1, 20000) AS i;
CREATE UNIQUE INDEX ON data (id);
CREATE INDEX ON data (p, id);
ANALYZE data;
SQL

my $node = "LOAD 'scan'; SET jit = off; SET scan.prefixscan = force; SET scan.debug_require = node;\n";

# what a script prints in the node, and nowhere else, is what it prints in core
sub same
{
	my ($what, $script) = @_;
	my $core = join "\n", $server->lines("LOAD 'scan'; SET jit = off; SET scan.prefixscan = off;\n$script");
	is(join("\n", $server->lines("$node$script")), $core, $what);
	cmp_ok(length $core, '>', 0, "$what: there is an answer");
}

# ---- 1: LIMIT

for my $query ('SELECT sum(x) OVER (ORDER BY id) FROM data LIMIT 10',
	'SELECT lag(t) OVER w, row_number() OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) LIMIT 10')
{
	my $plan = join "\n",
		$server->lines("${node}SET enable_seqscan = off; SET enable_bitmapscan = off; "
		. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
	my ($rows) = $plan =~ /Index.* Scan .*\(actual rows=(\d+)/;
	cmp_ok($rows // 1e9, '<', 200, "few rows are read: $query") or diag($plan);
}

# ---- 3, 4: EXPLAIN

my $plan = join "\n",
	$server->lines("${node}EXPLAIN (VERBOSE, COSTS OFF) SELECT x, lag(x + 1) OVER w FROM data "
	. "WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY lag(x + 1) OVER w, sum(x) FILTER (WHERE x > 3) OVER w");
like($plan, qr/Sort Key: \(?lag\(\(data\.x \+ 1\)\).*sum\(data\.x\).*\n(?:.*\n)*.*PrefixScan/,
	'a Sort above by answers');

# ---- 6: order

same('ORDER BY and DISTINCT above', <<'SQL');
SELECT id, sum(x) OVER (PARTITION BY p ORDER BY id DESC) FROM data WHERE id < 400 ORDER BY p, id DESC;
SELECT id, sum(x) OVER (ORDER BY t DESC NULLS LAST, id) FROM data WHERE id < 400 ORDER BY t DESC NULLS LAST, id;
SELECT DISTINCT p, count(*) OVER (PARTITION BY p ORDER BY x NULLS FIRST) FROM data WHERE id < 400 ORDER BY 1, 2;
SQL
same('a merge join above', <<'SQL');
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT a.id, a.s, b.s FROM (SELECT id, sum(x) OVER (ORDER BY id) AS s FROM data) AS a
  JOIN (SELECT id, count(*) OVER (ORDER BY id DESC) AS s FROM data) AS b USING (id) ORDER BY a.id LIMIT 300;
SELECT count(*), sum(n)
  FROM (SELECT p, id, row_number() OVER (PARTITION BY p ORDER BY id) AS n FROM data) AS a JOIN data AS b USING (p, id);
SQL

# ---- 7: equality

same('keys that are equal with other bytes', <<'SQL');
SELECT id, count(*) OVER (PARTITION BY num), dense_rank() OVER (ORDER BY num), count(*) OVER (PARTITION BY f),
  rank() OVER (ORDER BY f DESC) FROM data ORDER BY id LIMIT 3000;
SQL
SKIP:
{
	skip 'the server has no ICU', 2
		if $server->value("SELECT count(*) FROM pg_collation WHERE collprovider = 'i'") == 0;
	$server->lines("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
	same('a collation in which a is A', <<'SQL');
SELECT id, count(*) OVER (PARTITION BY t COLLATE nocase), rank() OVER (ORDER BY t COLLATE nocase), row_number()
  OVER (PARTITION BY t COLLATE nocase ORDER BY id), dense_rank() OVER (ORDER BY t) FROM data ORDER BY id LIMIT 3000;
SQL
}

# ---- 8: outputs

same('outputs that are no columns, keys that are no outputs', <<'SQL');
SELECT sum(x) OVER (PARTITION BY p ORDER BY id), 7, 'c', NULL::int, x * 2 AS twice FROM data ORDER BY id LIMIT 500;
SELECT max(y) FROM (SELECT count(*) OVER (PARTITION BY p % 3, x / 10 ORDER BY id % 7) AS y FROM data) AS s;
SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY p) FROM data) AS s;
SELECT 1 FROM (SELECT rank() OVER (ORDER BY p), x FROM data WHERE id < 4) AS s;
SQL

# a tuple has 1664 columns at most, rows of the node more: a key stands twice, and so does what is computed
my $columns = join ', ', map { "id % $_ AS c$_" } 1 .. 1598;
$server->lines("CREATE TABLE wide AS SELECT id, $columns FROM data WHERE id <= 3");
my $small = "SET scan.work_mem = '64kB'; SET work_mem = '64kB';";
for my $keys (127, 128, 129, 800)
{
	my $order = join ', ', map { "c$_" } 1 .. $keys;
	same("$keys keys on disk", "$small SELECT id, g, row_number() OVER (ORDER BY $order, id DESC, g) "
			. "FROM wide, generate_series(1, 60) AS g ORDER BY id, g");
}
{
	my $script = "$small SELECT wide.*, " . join(', ', map { "lag(c${_}::int8) OVER w" } 1 .. 60)
		. ' FROM wide WINDOW w AS (ORDER BY c2, c3, id)';
	my $core = join "\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = off; $script");
	is(join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; $script")), $core,
		'more columns than a tuple has');
}

# ---- 11: functions by OID

$server->lines(<<'SQL');
CREATE SCHEMA mine;
CREATE FUNCTION mine.row_number() RETURNS int8 LANGUAGE internal WINDOW AS 'window_rank';
CREATE AGGREGATE mine.sum(int) (SFUNC = int4mul, STYPE = int, INITCOND = 1);
SQL
same('others of the same names',
	'SELECT mine.row_number() OVER w, mine.sum(p % 2 + 1) OVER w FROM data WHERE id < 30 WINDOW w AS (ORDER BY p, x);');

# ---- 13: temporary files of rescans

my $files = join '|', $server->lines(<<"SQL");
${node}SET scan.work_mem = '64kB'; SET work_mem = '64kB'; SET enable_material = off; SET enable_memoize = off;
SELECT sum(l.y) FROM generate_series(1, 4) AS g,
  LATERAL (SELECT sum(x + g) OVER (PARTITION BY p ORDER BY t, id) AS y FROM data WHERE id % 5 <> g) AS l;
BEGIN;
SELECT sum(l.y) FROM generate_series(1, 4) AS g,
  LATERAL (SELECT sum(x + g) OVER (PARTITION BY p ORDER BY t, id) AS y FROM data WHERE id <> g LIMIT 10) AS l;
SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
COMMIT;
SQL
like($files, qr/\|0$/, 'no temporary file is left');

# ---- 17: errors give back

my @bytes = $server->lines(<<"SQL");
${node}SET scan.work_mem = '64kB'; SET work_mem = '64kB';
CREATE FUNCTION pg_temp.fail(times int) RETURNS void LANGUAGE plpgsql AS \$\$
BEGIN
  FOR turn IN 1 .. times LOOP
    BEGIN
      PERFORM sum(100 / (id - 9000)) OVER (PARTITION BY p ORDER BY t, id),
        scan_sum(9223372036854775807 / 2) OVER (ORDER BY id) FROM data WHERE id > 8000 AND id < 12000;
    EXCEPTION WHEN division_by_zero OR numeric_value_out_of_range THEN
      NULL;
    END;
  END LOOP;
END \$\$;
SELECT pg_temp.fail(5);
SELECT 'bytes ' || sum(total_bytes) FROM pg_backend_memory_contexts;
SELECT pg_temp.fail(40);
SELECT 'bytes ' || sum(total_bytes) FROM pg_backend_memory_contexts;
SELECT 'files ' || count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';
SQL
my ($before, $after) = map { /^bytes (\d+)/ ? $1 : () } @bytes;
cmp_ok($after - $before, '<', 200_000, 'errors leave no memory behind');
is((grep { /^files/ } @bytes)[0], 'files 0', 'nor files');

# ---- 7: keys that core takes for redundant, and that a grouping set makes NULL

# Up to PostgreSQL 17, rows are neither sorted by such a key nor told apart by DISTINCT; our nodes would be right.
# 16 and 17 even take the key out of the window, so that rows tie which differ in it: rank() does not tell them apart.
my $version = $server->value("SELECT current_setting('server_version_num')::int / 10000");
my $numbers = $version == 16 || $version == 17 ? 'rank' : 'row_number';
for my $sets ('GROUPING SETS ((p, x), (p, q, x))', 'ROLLUP (p, q, x)', 'CUBE (p, q)')
{
	for my $equal ('p = q', 'q = 5')
	{
		my $from = "FROM (SELECT p, p AS q, x, id FROM data OFFSET 0) AS d WHERE $equal GROUP BY $sets";
		for my $query (
			"SELECT count(*), sum(n) FROM (SELECT DISTINCT ON (p, q) p, q, count(*) AS n $from "
				. "ORDER BY p, q, count(*)) AS s",
				"SELECT count(*), sum(n) FROM (SELECT DISTINCT ON (p, q) p, q, "
				. "count(*) OVER (PARTITION BY p, q) AS n $from) AS s",
			"SELECT count(*) FROM (SELECT DISTINCT p, q $from) AS s",
			"SELECT p, q, c, max(n), count(*) FROM (SELECT p, q, count(*) AS c, $numbers() OVER (PARTITION BY p, q "
				. "ORDER BY count(*)) AS n $from) AS s GROUP BY 1, 2, 3 ORDER BY 1, 2, 3",
			"SELECT p, q, max(n), count(*) FROM (SELECT p, q, rank() OVER (ORDER BY p, q) AS n $from) AS s "
				. "GROUP BY 1, 2 ORDER BY 1, 2")
		{
			my ($core, @ours) = map { join "\n", $server->lines(
					"LOAD 'scan'; SET jit = off; SET scan.prefixscan = $_; SET scan.index_skip = $_; $query") } 'off',
				'auto', 'force';
			is($_, $core, "$sets, $equal: $query") for @ours;
		}
	}
}
my $reason = $server->value("LOAD 'scan'; SET scan.prefixscan = force; "
	. "SELECT coalesce(reason, '') FROM scan_explain('SELECT count(*) OVER (PARTITION BY p, q) "
	. "FROM (SELECT p, p AS q FROM data OFFSET 0) AS d WHERE p = q GROUP BY GROUPING SETS ((p), (p, q))')");
$version >= 16 ? unlike($reason, qr/redundant/, 'a window over grouping sets is not left for its keys') : like($reason,
	qr/takes a key for redundant that a grouping set makes NULL/, 'a window over grouping sets says why it is left');

# ---- 18: the hooks of a library that was loaded before

my ($out, $err) = $server->run("LOAD 'auto_explain'; SET auto_explain.log_min_duration = 0; "
	. "SET auto_explain.log_analyze = on; SET auto_explain.log_level = notice; "
	. "$node SELECT max(n) FROM (SELECT row_number() OVER (ORDER BY id) AS n FROM data WHERE id <= 50) AS s");
is($out, "50\n", 'a query beside auto_explain');
like($err, qr/Custom Scan \(PrefixScan\).*rows=50 /, 'which shows its plan');

done_testing();
