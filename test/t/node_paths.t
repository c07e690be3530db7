# node_paths.t: which way to its rows the node takes, where the planner has the choice.
#
# Core reads an index in order where it can, since its sort is dear.  The node's is not:
# it scans the table and sorts; but for a few rows it reads the index, as core does,
# and for very few core is let.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('paths');

$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 100 AS p, hashint4(i) AS r FROM generate_series(1, 100000) AS i;
CREATE INDEX ON data (id);
CREATE INDEX ON data (p, id);
CREATE INDEX ON data (p, id, r);
CREATE TABLE few AS TABLE data;
CREATE INDEX ON few (p);
VACUUM ANALYZE;
SQL

sub explained
{
	my ($settings, $query) = @_;

	return join "\n", $server->lines("LOAD 'scan'; $settings; EXPLAIN (COSTS OFF) $query");
}

my $window = 'sum(r) OVER (PARTITION BY p ORDER BY id)';

for my $node ('auto', 'force')
{
	like(explained("SET scan.prefixscan = $node", "SELECT $window FROM data"), qr/PrefixScan.*sorted here.*Seq Scan/s,
		"$node: a table is scanned and sorted");
	like(explained("SET scan.prefixscan = $node", "SELECT $window FROM data LIMIT 100"),
		qr/Limit.*PrefixScan(?!.*sorted here).*Index/s, "$node: a hundred rows by the index");
	like(explained("SET scan.prefixscan = $node", "SELECT $window FROM data WHERE p = 7"),
		qr/PrefixScan.*(?:Index|Bitmap)/s, "$node: one partition by the index");
}
like(explained('SET scan.prefixscan = auto', "SELECT $window FROM data LIMIT 10"), qr/Limit.*WindowAgg.*Index/s,
	'fewer rows than the first block has are left to core');
like(explained("SET enable_seqscan = off", "SELECT $window FROM data"), qr/PrefixScan(?!.*sorted here).*Index/s,
	'no scan of the table: in order by the index');

# what core's costs have thrown away: an index that is in order by a part of the keys goes before a sort there (of so
# many groups that it is no use to go down the index for the first row of each)
$server->lines(<<'SQL');
CREATE TABLE part AS SELECT i AS id, i % 50000 AS p, hashint4(i) AS r, 0::int8 AS a, 0::int8 AS b
  FROM generate_series(1, 200000) AS i;
CREATE INDEX ON part (p, r) INCLUDE (id);
-- rows so wide that an index without order costs core a little less than the table
CREATE TABLE wide AS SELECT i AS id, i % 100 AS p, hashint4(i) AS r, repeat('x', 130) AS t
  FROM generate_series(1, 200000) AS i;
CREATE INDEX ON wide (r, p, id);
VACUUM ANALYZE part, wide;
SQL
my $latest =
	'SELECT * FROM (SELECT row_number() OVER (PARTITION BY p ORDER BY r DESC) AS n, id FROM part) AS s WHERE n = 1';
like(explained('SET scan.prefixscan = off; SET max_parallel_workers_per_gather = 0', $latest), qr/Incremental Sort/,
	'core sorts by the rest of the keys');
like(explained('SET max_parallel_workers_per_gather = 0', $latest), qr/PrefixScan.*sorted here.*Seq Scan/s,
	'... the node all rows of the table');
like(explained('', 'SELECT r, p, id FROM wide'), qr/Index Only Scan/,
	'an index alone is cheapest by the costs of core');
like(explained('', "SELECT $window FROM wide"), qr/PrefixScan.*sorted here.*Seq Scan/s, '... the table for the node');
like(explained('SET max_parallel_workers_per_gather = 0; SET enable_seqscan = off', "SELECT $window FROM wide"),
	qr/PrefixScan.*sorted here.*Index Only Scan/s, '... unless it is not wanted');
like(explained('SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; '
		. 'SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0',
		"SELECT count(x) FROM (SELECT $window AS x FROM wide) AS s"), qr/Gather.*PrefixScan.*Parallel Seq Scan/s,
	'... and for several processes');
# rows that may fail are not read in another order than core does
like(explained('', "SELECT $window, 1 / (id - 7) FROM wide LIMIT 5"), qr/Limit/,
	'with a LIMIT and rows that may fail there is a plan');
# ... where the query, or one around it, ends early: groups come in the order of an index, or of a hash table
$server->lines('CREATE TABLE grouped AS SELECT i % 500 AS id, i % 2 AS p FROM generate_series(1, 20000) AS i; '
	. 'CREATE INDEX ON grouped (p, id); VACUUM ANALYZE grouped');
my $grouped = 'SELECT count(*) OVER (PARTITION BY p) AS n, 1 / (id - 498) AS x FROM grouped GROUP BY p, id';
for my $ends ("$grouped LIMIT 100", "SELECT n, x FROM ($grouped OFFSET 0) AS s, (VALUES (1), (2)) AS v LIMIT 100")
{
	my $digest = "SELECT count(*), sum(n), sum(x) FROM ($ends) AS s";

	like(explained('SET scan.prefixscan = force', $ends), qr/Limit.*WindowAgg.*Group\n.*Index Only Scan/s,
		"the order of core: $ends");
	is($server->value("LOAD 'scan'; SET scan.prefixscan = force; $digest"),
		$server->value("SET scan.prefixscan = off; $digest"), '... and no error');
}
like(explained('SET scan.prefixscan = force', "SELECT count(n), sum(x) FROM ($grouped OFFSET 0) AS s"),
	qr/Aggregate.*PrefixScan.*sorted here|Aggregate.*PrefixScan.*HashAggregate/s,
	'... any order where an aggregate reads all rows');
is($server->value(
		"LOAD 'scan'; SET scan.prefixscan = $_; SELECT count(*), sum(hashtext(s::text)::int8) FROM ($latest) AS s"),
	$server->value("SELECT count(*), sum(hashtext(s::text)::int8) FROM ($latest) AS s"), "the latest rows: $_")
	for 'auto', 'force';

# two windows, the upper one in an order that core got from the index for nothing
my $two = "SELECT $window, count(*) OVER (PARTITION BY p) FROM data";
like(explained('', $two), qr/PrefixScan(?!.*sorted here.*sorted here).*PrefixScan.*sorted here.*Seq Scan/s,
	'two windows sort once');
like(explained('', "SELECT $window, sum(r) OVER (PARTITION BY p ORDER BY id, r) FROM data"),
	qr/PrefixScan.*PrefixScan.*Seq Scan/s, 'two windows, one order in the other');

# the promise of order above the window is the window's own
like(explained('', "SELECT p, id, $window FROM data ORDER BY p, id"), qr/^Custom Scan/,
	'no sort above where the order is the window\'s');
like(explained('', "SELECT p, id, r, $window FROM data ORDER BY p, id, r"),
	qr/(?:^|\n)(?:Incremental )?Sort.*PrefixScan|^Custom Scan(?!.*sorted here).*Index/s,
	'a longer order is not promised');

# sorting on disk is not thought cheap
like(explained("SET scan.work_mem = '64kB'; SET work_mem = '64kB'", "SELECT $window FROM data"),
	qr/PrefixScan(?!.*sorted here).*Index/s, 'beyond the memory: by the index');

# functions, arguments and FILTERs cost what they cost in WindowAgg, so that plans above compare alike
sub cost
{
	my ($node, $query) = @_;
	my ($total) = $server->value("LOAD 'scan'; SET scan.prefixscan = $node; SET enable_indexscan = off; "
		. "SET enable_indexonlyscan = off; EXPLAIN $query") =~ /\.\.([0-9.]+)/;
	return $total;
}

$server->lines(q(CREATE FUNCTION dear(int) RETURNS int LANGUAGE plpgsql IMMUTABLE COST 4000 AS 'BEGIN RETURN $1; END'));
for my $call ('sum(dear(r))', 'count(*) FILTER (WHERE dear(r) > 0)', 'lag(dear(r))', 'row_number()')
{
	my $query = "SELECT $call OVER (PARTITION BY p ORDER BY id) FROM data";
	my %over = map { $_ => cost($_, $query) - cost($_, 'SELECT count(*) OVER (PARTITION BY p ORDER BY id) FROM data') }
		'off', 'force';
	cmp_ok(abs($over{off} - $over{force}), '<', 0.001 * abs($over{off}) + 1,
		"$call: $over{off} more than count(*) in core, $over{force} in the node");
}

# an index gives the first rows at once, and core stops there; the node would read all of them
$server->lines('CREATE TABLE scattered AS SELECT hashint4(i) AS h, i FROM generate_series(1, 20000) AS i; '
	. 'CREATE INDEX ON scattered (h); VACUUM ANALYZE scattered');
my $first = 'SELECT h, i, n FROM (SELECT h, i, row_number() OVER (ORDER BY h) AS n FROM scattered) AS s WHERE n <= 3';
like(join("\n", $server->lines("LOAD 'scan'; EXPLAIN (COSTS OFF) $first LIMIT 2")),
	qr/WindowAgg\n(?: *Window: .*\n)? *Run Condition: .*\n *->  Index Scan/,
	'a window that core stops early is its own');

# the memory that a sort is expected to take is about what it takes: else an index is read where a sort would be faster
$server->lines("CREATE TABLE sorts AS SELECT hashint4(i) AS i4, hashint8(i)::int8 AS i8, md5(i::text) AS t, "
	. "(hashint4(i) / 7.0)::numeric(12,2) AS num FROM generate_series(1, 60000) AS i; VACUUM ANALYZE sorts");
for my $sort ('sum(i8) OVER (ORDER BY i4)', 'sum(i4) OVER (PARTITION BY i4 ORDER BY i8)', 'count(*) OVER (ORDER BY i8)',
	'sum(i8) OVER (ORDER BY num)', 'lag(i4) OVER (ORDER BY t)')
{
	my $query = "SELECT $sort FROM sorts";
	my ($expected, $taken);
	for (my $kb = 300; $kb < 20000 && !($expected && $taken); $kb = int($kb * 1.1))
	{
		my $start = "LOAD 'scan'; SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = force;";
		my ($fits, $cost) = map { ($server->lines("$start SET scan.work_mem = '$_'; EXPLAIN $query"))[0]
				=~ /cost=[\d.]+\.\.([\d.]+)/ } '2GB', "${kb}kB";
		$expected //= $kb if $fits == $cost;
		$taken //= $kb if join('', $server->lines(
				"$start SET scan.work_mem = '${kb}kB'; EXPLAIN (ANALYZE, COSTS off, TIMING off) $query")) !~ /Disk/;
	}
	my $part = $expected / $taken;
	ok($part > 0.75 && $part < 1.35, "$sort: the sort is expected to need $expected kB, and needs $taken kB");
}

# and the rows are the same
for my $query ($first, "SELECT p, id, $window FROM data", $two, "SELECT p, id, r, $window FROM data ORDER BY p, id, r",
	"SELECT $window, sum(r) OVER (PARTITION BY p ORDER BY id, r) FROM data",
	"SELECT $window, sum(r) OVER (ORDER BY id) FROM data")
{
	my $digest = "SELECT count(*), sum(hashtext(s::text)::int8) FROM ($query) AS s";
	is($server->value("LOAD 'scan'; $digest"), $server->value("SET scan.prefixscan = off; $digest"), $query);
}

done_testing();
