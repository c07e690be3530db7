# scan_explain.t: what becomes of each window of a query, and what would change it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('scan_explain');
$server->lines('CREATE TABLE t AS SELECT i AS id, i % 10 AS p, i AS v FROM generate_series(1, 100000) AS i; '
	. 'CREATE TABLE small AS SELECT * FROM t LIMIT 10; CREATE SEQUENCE s; VACUUM ANALYZE t, small');

# The rows of a query: fields joined by |
sub explained
{
	my ($query, $settings) = @_;
	return $server->lines(($settings // '') . ";SELECT * FROM scan_explain(\$q\$$query\$q\$)");
}

my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	. 'SET max_parallel_workers_per_gather = 2';
my $counted = 'SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM t) AS q';

is_deeply([ explained($counted, $parallel) ],
	['sum|PARTITION BY t.p ORDER BY t.id RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW|PrefixScan|cpu|3||'],
	'in several processes');
like((explained($counted, 'SET max_parallel_workers_per_gather = 0'))[0],
	qr/\|PrefixScan\|cpu\|1\|max_parallel_workers_per_gather is 0\|Set max_parallel_workers_per_gather to 1 or more\.$/,
	'why in one');
like((explained('SELECT sum(v) OVER (ORDER BY id) FROM small'))[0],
	qr/\|1\|only one process can read the input\|Several processes read a table/, '... for its input');
is_deeply([ explained('SELECT v FROM t') ], [], 'no windows, no rows');
is_deeply([ explained('CREATE TABLE IF NOT EXISTS small AS SELECT sum(v) OVER (ORDER BY id) FROM t') ], [],
	'no plan, no rows');

$server->lines(q{CREATE FUNCTION far_ntile(bigint) RETURNS int LANGUAGE internal WINDOW AS 'window_ntile'});
my @two = explained('SELECT sum(v) OVER (ORDER BY id), far_ntile(p) OVER w FROM t WINDOW w AS (PARTITION BY p)');
is(scalar @two, 2, 'a row for each window');
is(scalar(grep { /^sum\|ORDER BY t\.id .*\|PrefixScan\|/ } @two), 1, 'one is ours');
my $far = 'far_ntile\|PARTITION BY t\.p\|WindowAgg\|cpu\|1\|far_ntile: argument 1 is not supported';
is(scalar(grep { /^$far\|Window functions of other extensions/ } @two), 1, 'and why the other is not');
like((explained('SELECT sum(v) OVER (ORDER BY id ROWS (random() * 3)::int PRECEDING) FROM small'))[0],
	qr/\|WindowAgg\|cpu\|1\|an offset of the frame is volatile\|/, 'a volatile offset');
like((explained('SELECT sum(v) OVER (ORDER BY id ROWS '
		. 'CASE WHEN 3 IN (SELECT p FROM small) THEN 2 ELSE 1 END PRECEDING) FROM small'))[0],
	qr/\|WindowAgg\|cpu\|1\|an offset of the frame has a subquery\|/, 'an offset with a subquery');
# ---- windows that have no name are known by their clauses

for my $case ([ 'PARTITION BY p, v % 3 ORDER BY id', 'PARTITION BY t.p, ((t.v % 3)) ORDER BY t.id' ], [ '', '' ],
	[ 'ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE TIES',
		"ORDER BY t.id ROWS BETWEEN '2'::bigint PRECEDING AND '1'::bigint FOLLOWING EXCLUDE TIES" ],
	[ 'ORDER BY id RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
		'ORDER BY t.id RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING' ],
	[ 'ORDER BY id GROUPS BETWEEN UNBOUNDED PRECEDING AND 3 PRECEDING EXCLUDE GROUP',
		"ORDER BY t.id GROUPS BETWEEN UNBOUNDED PRECEDING AND '3'::bigint PRECEDING EXCLUDE GROUP" ])
{
	my ($over, $shown) = @$case;
	my $query = "SELECT sum(v) OVER ($over) FROM t";
	my $off = 'SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = off';

	is((split /\|/, (explained($query, $off))[0])[1], $shown, "left to WindowAgg: OVER ($over)");
	# 18 gives each window a name, and shows what it stands for
	my $named = $server->value('SHOW server_version_num') >= 180000 ? 'w1' : "($shown)";
	is((grep { /^Not in/ } $server->lines("LOAD 'scan'; $off; EXPLAIN (VERBOSE, COSTS OFF) $query"))[0],
		"Not in PrefixScan: sum OVER $named: scan.prefixscan is off", '... and what EXPLAIN says of it');
}
my @alike = explained('SELECT far_ntile(v) OVER (PARTITION BY p), far_ntile(v) OVER (ORDER BY id), '
	. 'far_ntile(v) OVER (ORDER BY q.x) FROM t, (SELECT max(v) AS x FROM small) AS q');
is_deeply([ sort map { (split /\|/)[1] } grep { /^far_ntile/ } @alike ],
	[ 'ORDER BY (max(small.v))', 'ORDER BY t.id', 'PARTITION BY t.p' ], 'windows of one function are told apart');

# what the keys are made of: other queries' columns, subqueries, whole rows, groups, system columns
$server->lines(
	'CREATE TABLE parts (id int, p int) PARTITION BY LIST (p); CREATE TABLE parts_1 PARTITION OF parts DEFAULT');
for my $query (
	'SELECT * FROM small AS o, LATERAL (SELECT ntile(v) OVER (PARTITION BY p + o.id) FROM small WHERE p = o.p) AS s',
	'SELECT (SELECT max(x) FROM (SELECT sum(v) OVER (PARTITION BY o.p ORDER BY v ROWS o.id PRECEDING) AS x '
		. 'FROM small) AS s) FROM small AS o',
	'SELECT rank() OVER (ORDER BY (SELECT max(id) FROM t AS z WHERE z.p = small.p)) FROM small',
	'SELECT p, sum(count(*)) OVER (ORDER BY grouping(p), p) FROM small GROUP BY ROLLUP (p)',
	'SELECT sum(id) OVER (PARTITION BY p ORDER BY tableoid, ctid) FROM parts',
	'SELECT count(*) OVER (PARTITION BY x.*) FROM (SELECT p, v FROM small OFFSET 0) AS x',
	'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) '
		. 'SELECT sum(n) OVER (ORDER BY n) FROM r')
{
	my @rows = explained($query, 'SET scan.prefixscan = off');
	like(join("\n", @rows), qr/^\w+\|[^|]+\|WindowAgg\|/, "printed: $query");
}

# ---- DISTINCT ON by an index has no window, and a row all the same

$server->lines('CREATE INDEX t_p_id ON t (p, id); VACUUM ANALYZE t');
is_deeply([ explained('SELECT DISTINCT ON (p) p, v FROM t ORDER BY p, id', 'SET max_parallel_workers_per_gather = 0') ],
	['|PARTITION BY t.p|IndexSkip|cpu|1||'], 'IndexSkip');

my @skip = $server->lines("LOAD 'scan'; SET max_parallel_workers_per_gather = 0; "
	. "SET scan.index_skip = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * "
	. "FROM (SELECT p, id, rank() OVER (PARTITION BY p ORDER BY id) AS r FROM t) AS s WHERE r <= 2");
like(join(' ', map { /^\s*(Keeps|Descents|Rows Not Kept): (.*)/ ? "$1 $2" : () } @skip),
	qr/^Keeps rows up to rank 2 of each group Descents 11 Rows Not Kept \d+$/, 'what IndexSkip says of what it read');
$server->lines('DROP INDEX t_p_id');

like((explained('SELECT sum(v) OVER (ORDER BY id) FROM t', 'SET scan.prefixscan = off'))[0],
	qr/\|WindowAgg\|cpu\|1\|scan\.prefixscan is off\|SET scan\.prefixscan = auto\.$/, 'off');

my $exact = 'Write exact_sum\(\(v\)::double precision\) instead of sum\(\(v\)::double precision\)\. '
	. 'The exact aggregates take a time that does not grow with the 10000 rows of a frame\.';
for my $case ([ 'sum(v::float8)', 9999, qr/\|Set max_parallel_workers_per_gather to 1 or more\. $exact$/,
	'a long frame' ],
	[ 'stddev(v::float4), avg(v::float8)', 9999,
		qr/Write exact_stddev_samp\(.*\) instead of stddev\(.*\), exact_avg\(.*\) instead of avg\(/, 'two functions' ],
	[ 'sum(v::float8)', 99, qr/\|Set max_parallel_workers_per_gather to 1 or more\.$/, 'a short one' ],
	[ 'sum(v)', 9999, qr/\|Set max_parallel_workers_per_gather to 1 or more\.$/, 'integers' ])
{
	my ($calls, $rows, $hint, $what) = @$case;
	my $over = "OVER (ORDER BY id ROWS $rows PRECEDING)";
	like((explained('SELECT ' . join(', ', map { "$_ $over" } split /, /, $calls) . ' FROM t',
			'SET max_parallel_workers_per_gather = 0'))[0], $hint, "hint at an exact aggregate: $what");
}

# rows below that may fail: where all of them are read, nothing keeps the window from the node; the hint names a LIMIT
# only where there is one
my $moving = 'SELECT avg(r) OVER (PARTITION BY p ORDER BY id ROWS 3 PRECEDING) AS a '
	. 'FROM (SELECT id, p, v::float8 / lag(v) OVER (PARTITION BY p ORDER BY id) - 1 AS r FROM t) AS s';
my $first = sub {
	my ($query) = @_;
	my ($row) = grep { /^avg\|/ }
		explained($query, 'SET max_parallel_workers_per_gather = 0; SET enable_sort = off; SET enable_seqscan = off;');
	return $row;
};
$server->lines('CREATE INDEX t_by_p ON t (p, id)');
like($first->($_), qr/^avg\|[^|]*\|PrefixScan\|/, "a moving average of a return is ours: $_")
	for "SELECT max(a) FROM ($moving) AS x", $moving, "INSERT INTO small SELECT a FROM ($moving) AS x",
	"SELECT count(*) FROM ($moving) AS x WHERE a > 0";
my $raises = 'might raise an error that WindowAgg does not raise';
like($first->("SELECT * FROM ($moving) AS x LIMIT 3"),
	qr/\|WindowAgg\|.*$raises\|Leave out the LIMIT, or the expression that may raise an error\.$/,
	'... but below a LIMIT, which the hint names');
my $or_store =
	'Leave out the expression that may raise an error, or store the rows below the window in a table first';
like($first->("SELECT * FROM small WHERE EXISTS (SELECT FROM ($moving) AS x WHERE a > small.id)"),
	qr/\|WindowAgg\|.*$raises\|$or_store\.$/,
	'... or where not all rows may be read, and there is no LIMIT');
$server->lines('DROP INDEX t_by_p');

is(scalar(explained("INSERT INTO small SELECT id, p, nextval('s') + sum(v) OVER (ORDER BY id) FROM t")), 1,
	'a statement that writes');
is($server->value("SELECT count(*) || ' ' || (SELECT is_called FROM s) FROM small"), '10 false', '... is not run');

for my $case ([ 'SELECT 1; DROP TABLE t', qr/argument "query" must be one statement/ ],
	[ '', qr/argument "query" has no statement\nHINT:  Give the text of a query/ ],
	[ ' ; -- nothing', qr/has no statement/ ], [ 'SELECT nothing FROM t', qr/column "nothing" does not exist/ ],
	[ 'SELECT 1 +', qr/syntax error at end of input/ ], [ 'ANALYZE t', qr/syntax error/ ])
{
	my ($out, $err) = $server->run("SELECT * FROM scan_explain('$case->[0]')", go_on => 1);
	like($err, $case->[1], "an error: $case->[0]");
	unlike($err, qr/LINE 1: SELECT \* FROM scan_explain/, '... whose place is in the query');
}
is($server->value("SELECT count(*) FROM scan_explain(NULL)"), 0, 'NULL: no rows');
is($server->value('SELECT count(*) FROM t'), 100000, 'nothing is dropped');
done_testing();
