# small_numerics.t: numerics of few digits, which rows that are sorted hold in eight bytes.
#
# They have to come back byte for byte, whatever they are and whichever way their rows go: in memory, to disk by ranges
# or runs, to another process, and through blocks of moving frames.  The oracle is WindowAgg.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('small_numerics');

# one to five digits of base 10000, zeros at either end and between, both signs, scales on either side of 15, weights
# on either side of -3 and 4, what is no number, and values that the table stores compressed or outside
$server->lines(<<'SQL');
CREATE TABLE numbers AS
SELECT row_number() OVER (ORDER BY hashtextextended(n::text, 0), n::text) AS id, n
FROM (SELECT DISTINCT ON (n::text) n
      FROM (SELECT (sign * round(d::numeric * power(10::numeric, e), scale))::numeric AS n
            FROM unnest(ARRAY['0', '1', '7', '9999', '10000', '10001', '99990001', '12345678', '100000000',
              '123400005678', '999999999999',
                              '1000000000000', '1234567890123456', '9999999999999999', '10000000000000000',
                              '12345678901234567890']) AS d,
                 generate_series(-17, 17) AS e, unnest(ARRAY[0, 1, 2, 4, 14, 15, 16, 20, 40]) AS scale,
                 (VALUES (1), (-1)) AS s (sign)
            UNION ALL SELECT unnest(ARRAY['NaN', 'Infinity', '-Infinity', '1e500', '-1e-500',
              '0e0']::numeric[])) AS s) AS s;
CREATE TABLE data AS
SELECT i AS id, (hashint8extended(i, 1) % 50)::int AS p, hashint8extended(i, 2) AS o,
  CASE WHEN i % 11 > 0 THEN a.n END AS n,
  CASE WHEN i % 7 > 0 THEN (i % 1000) / 4.0 END AS price, i AS v, CASE WHEN i % 3 > 0 THEN repeat('x', i % 20) END AS t
FROM generate_series(1, 40000) AS i JOIN numbers AS a ON a.id = 1 + i % (SELECT count(*) FROM numbers);
INSERT INTO data SELECT -1, 1, 1, repeat('12345678', 1000)::numeric, 1.5, 1, 'x'
  UNION ALL SELECT -2, 2, 2, repeat('00001', 10000)::numeric, 0, 1, 'y';
ANALYZE data;
SQL

my ($kinds) = $server->lines('SELECT count(*) FROM numbers;');
cmp_ok($kinds, '>', 2000, 'many numbers');

my @queries = map { "SELECT md5(string_agg(s::text || coalesce(encode(numeric_send(n), 'hex'), ''), ',' ORDER BY id)) "
	. "FROM (SELECT id, n, $_) AS s;" } (
	'pg_column_size(n), r FROM (SELECT *, row_number() OVER (PARTITION BY p ORDER BY o) AS r FROM data OFFSET 0) AS s',
	'pg_column_size(n), r FROM (SELECT *, row_number() OVER (ORDER BY o) AS r FROM data OFFSET 0) AS s',
	'price, lag(n) OVER w, lead(price) OVER w, sum(price) OVER w, t FROM data WINDOW w AS (PARTITION BY p ORDER BY o)',
	'price, max(n) OVER (PARTITION BY p ORDER BY o ROWS BETWEEN 5 PRECEDING AND 2 FOLLOWING), sum(price) '
		. 'OVER (PARTITION BY p ORDER BY o ROWS BETWEEN 30 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM data',
	'price, sum(price) OVER (PARTITION BY p), first_value(n) OVER (PARTITION BY p ORDER BY o), '
		. 'percent_rank() OVER (PARTITION BY p ORDER BY o) FROM data',
	'price, count(*) OVER (PARTITION BY n ORDER BY o), '
		. 'sum(n) OVER (ORDER BY price RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM data WHERE abs(n) < 1e9',
	'a, sum(a) OVER (PARTITION BY p % 7 ORDER BY o, id) '
		. 'FROM (SELECT id, n, p, o, sum(v) OVER (PARTITION BY p ORDER BY o, id) AS a FROM data OFFSET 0) AS s',
	'r FROM (SELECT *, row_number() OVER (PARTITION BY p ORDER BY o) AS r FROM data) AS s WHERE r <= 3',
	'price * 10000, x, sum(x) OVER (PARTITION BY p ORDER BY o) '
		. 'FROM (SELECT *, CASE WHEN id % 100 > 0 THEN price * 8 ELSE n END AS x FROM data WHERE abs(n) < 1e9) AS s');
my $calm = "LOAD 'scan'; SET jit = off; SET synchronize_seqscans = off; SET max_parallel_workers_per_gather = 0;";
my $several = "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	. "SET min_parallel_table_scan_size = 0;";
my @core = $server->lines("$calm SET scan.prefixscan = off; SET work_mem = '1GB'; @queries");

for my $case ([ 'in memory', "SET scan.work_mem = '1GB'" ], (map { [ "in $_", "SET scan.work_mem = '$_'" ] } '64kB',
		'1MB', '2MB'), [ 'in three processes', "$several SET scan.work_mem = '1GB'" ],
	[ 'in three processes and 1MB', "$several SET scan.work_mem = '1MB'" ])
{
	my @ours = $server->lines("$calm SET scan.prefixscan = force; $case->[1]; @queries");
	my @wrong = grep { $ours[$_] ne $core[$_] } 0 .. $#queries;

	is(scalar @ours, scalar @queries, "answers $case->[0]");
	is(scalar @wrong, 0, "as core's $case->[0]") or diag(join "\n", @queries[@wrong]);
}

# What EXPLAIN shows of a query, in kB.
sub size_of
{
	my ($what, $memory, $query) = @_;
	my $plan = join "\n",
		$server->lines("$calm SET scan.prefixscan = force; SET scan.work_mem = '$memory'; "
		. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query");
	return $plan =~ /$what: (\d+) ?kB/ ? $1 : 0;
}

$server->lines(<<'SQL');
CREATE TABLE prices AS SELECT i, (i % 100)::int AS p, hashint8(i) AS o, (i % 9000) + 0.25 AS price,
  -(i % 500) / 8.0 AS discount FROM generate_series(1, 100000::int8) AS i;
ANALYZE prices;
SQL
my $sum = 'SELECT sum(%s) OVER (PARTITION BY p ORDER BY o) FROM prices';
my $bigint = size_of('Memory', '1GB', sprintf $sum, 'i');
cmp_ok($bigint, '>', 1000, 'rows are in memory');
cmp_ok(size_of('Memory', '1GB', sprintf $sum, 'price'), '<', $bigint * 1.02,
	'a numeric takes no more memory than a bigint');

# So such rows stay where those of a bigint do, and two numerics do not keep all others from staying.
is(size_of('Disk', ($bigint + 100) . 'kB', sprintf $sum, 'price'), 0, 'they fit where a bigint does');
my $two = 'SELECT sum(price) OVER w, sum(discount) OVER w FROM prices WINDOW w AS (PARTITION BY p ORDER BY o)';
my ($half, $all) = (size_of('Disk', '2700kB', $two), size_of('Disk', '64kB', $two));
cmp_ok($half, '>', 100, 'some rows of two numerics go to disk');
cmp_ok($half, '<', $all * 0.6, 'the others do not');

# Numerics that are not small come late, when rows stay in memory already.
$server->lines(<<'SQL');
INSERT INTO prices SELECT i, (i % 100)::int, hashint8(i), i * 1e20 + 0.25, i / 1e17
  FROM generate_series(100001, 140000::int8) AS i;
ANALYZE prices;
SQL
my $check = "SELECT md5(string_agg(s::text, ',')) FROM (SELECT i, price, discount, sum(price) OVER w, "
	. "sum(discount) OVER w FROM prices WINDOW w AS (PARTITION BY p ORDER BY o) ORDER BY i) AS s;";
my ($wanted) = $server->lines("$calm SET scan.prefixscan = off; $check");
for my $memory ('1MB', '2700kB', '4MB')
{
	my ($got) = $server->lines("$calm SET scan.prefixscan = force; SET scan.work_mem = '$memory'; $check");
	is($got, $wanted, "wide numerics after small ones, in $memory");
	cmp_ok(size_of('Memory', $memory, $two), '<', 1.25 * ($memory =~ /^(\d+)kB/ ? $1 : 1024 * ($memory =~ s/MB//r)),
		"and they keep to $memory");
}

done_testing;
