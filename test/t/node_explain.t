# node_explain.t: what EXPLAIN says of PrefixScan, and of windows that were left to
# WindowAgg; and scan.debug_require, which makes an error of it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('node_explain');

$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 10 AS p, i % 7 AS x, repeat('x', i % 9) AS t
  FROM generate_series(1, 3000) AS i;
CREATE INDEX ON data (id);
ANALYZE data;
CREATE FUNCTION plus(int, int) RETURNS int LANGUAGE internal VOLATILE AS 'int4pl';
CREATE AGGREGATE volatile_sum(int) (SFUNC = plus, STYPE = int, INITCOND = 0);
-- a function of a view has no place in the query's text
CREATE VIEW of_few AS SELECT sum(random()) OVER (ORDER BY id) FROM data WHERE id <= 10;
CREATE VIEW of_all AS SELECT sum((SELECT max(p)::float8 FROM data AS d WHERE d.id = data.x))
  OVER (ORDER BY id) FROM data;
-- ranges by an in_range function that core does not have
CREATE FUNCTION within(int, int, int, bool, bool) RETURNS bool
  LANGUAGE internal IMMUTABLE STRICT AS 'in_range_int4_int4';
CREATE OPERATOR <<# (LEFTARG = int, RIGHTARG = int, FUNCTION = int4lt);
CREATE OPERATOR =# (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq, MERGES, COMMUTATOR = =#);
CREATE OPERATOR CLASS own_order FOR TYPE int USING btree AS OPERATOR 1 <<#, OPERATOR 3 =#,
  FUNCTION 1 btint4cmp(int, int), FUNCTION 3 within(int, int, int, bool, bool);
CREATE FUNCTION plan(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE q LOOP
    RETURN NEXT line;
  END LOOP;
END $$;
CREATE FUNCTION inner_window() RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT max(y) FROM (SELECT max(x) OVER (ORDER BY id ROWS 2 PRECEDING) AS y FROM data) AS s);
END $$;
SQL

sub text
{
	my ($settings, $query, $options) = @_;
	my $plan = join "\n", $server->lines("LOAD 'scan'; SET jit = off; $settings;\n" . "EXPLAIN ("
		. ($options // 'VERBOSE, COSTS OFF') . ") $query;");
	# from PostgreSQL 18 on a window has a name always
	$plan =~ s/ OVER w1\b/ OVER (?)/g;
	return $plan;
}

# ---- the first statement of a connection, whose planning loads the library

for my $query ('SELECT scan_sum(x) OVER w, sum(x) FILTER (WHERE x > 1) OVER w FROM data WINDOW w AS (ORDER BY id)',
	'SELECT scan_max(x) OVER w, y FROM (SELECT x, id, scan_sum(x) OVER w AS y FROM data '
		. 'WINDOW w AS (PARTITION BY p ORDER BY id)) AS s WINDOW w AS (ORDER BY id) ORDER BY scan_max(x) OVER w')
{
	for my $options ('COSTS OFF', 'VERBOSE, COSTS OFF', 'ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF')
	{
		my ($first, $second) = map {
			my $plan = join "\n", $server->lines("$_ EXPLAIN ($options) $query");
			$plan =~ s/Memory: \d+kB|Buffers: .*//g;
			$plan
		} '', "LOAD 'scan';";
		like($first, qr/PrefixScan/, "in the node: $options");
		is($first, $second, 'as it is later');
	}
}

# ---- how rows come in

for ([ 'SELECT rank() OVER (ORDER BY id) FROM data WHERE x / p > 0', 'pages', 'sorted: all of them' ],
	[ 'SELECT row_number() OVER () FROM data WHERE x / p > 0', 'pages', 'all are asked for' ],
	[ 'SELECT row_number() OVER () FROM data WHERE x > 0 LIMIT 100', 'pages', 'none can fail' ],
	[ 'SELECT row_number() OVER () FROM data WHERE x / p > 0 LIMIT 100', 'pages, on demand',
		'some may fail, and not all are asked for' ],
	[ 'SELECT count(n) FROM (SELECT row_number() OVER () AS n FROM data WHERE x / p > 0 OFFSET 0) AS s', 'pages',
		'all are counted' ],
	[ 'SELECT 1 WHERE EXISTS (SELECT row_number() OVER () FROM data WHERE x / p > 0 OFFSET 1)', 'pages, on demand',
		'EXISTS' ],
	[ 'SELECT id FROM data AS d WHERE EXISTS (SELECT FROM (SELECT row_number() OVER () AS n FROM data '
		. 'WHERE x / p > 0) AS q WHERE q.n > d.id)', 'pages, on demand', 'a join that asks for the first match' ])
{
	my ($query, $input, $what) = @$_;
	my $plan = text('SET scan.prefixscan = force', $query);
	like($plan, qr/Input: \Q$input\E$/m, "rows that come in: $what");
}

# ---- the reasons

# core's function, declared with another type
$server->lines(q{CREATE FUNCTION far_ntile(bigint) RETURNS int LANGUAGE internal WINDOW AS 'window_ntile'});

my $framed = 'an offset of the frame is volatile';
my $unsupported = 'the function is not supported';
my $reads_ahead = 'PrefixScan reads rows ahead and might raise an error that WindowAgg does not raise';
my $fails = 'may raise an error at a row that WindowAgg does not reach';
my $names_windows = $server->value('SHOW server_version_num') >= 180000;
my @reasons = (
	[ '', 'SELECT max(x) OVER (ORDER BY id ROWS random()::int PRECEDING) FROM data',
		"max OVER (ORDER BY data.id ROWS BETWEEN (random())::integer PRECEDING AND CURRENT ROW): $framed",
		"max is left to WindowAgg: $framed" ],
	[ '', 'SELECT volatile_sum(x) OVER (ORDER BY id) FROM data', "volatile_sum OVER (ORDER BY data.id): $unsupported",
		"volatile_sum is left to WindowAgg: $unsupported" ],
	[ '', 'SELECT far_ntile(p) OVER "a w", lag(x) OVER "a w" FROM data WINDOW "a w" AS (ORDER BY id)',
		'far_ntile, lag OVER "a w": far_ntile: argument 1 is not supported',
		'far_ntile is left to WindowAgg: argument 1 is not supported' ],
	[ '', 'SELECT volatile_sum(x) OVER w, lag(x) OVER w FROM data WINDOW w AS (ORDER BY id)',
		"lag, volatile_sum OVER w: volatile_sum: $unsupported", "volatile_sum is left to WindowAgg: $unsupported" ],
	[ '', 'SELECT lag(x, (random() * 3)::int, x) OVER (ORDER BY id) FROM data',
		'lag OVER (ORDER BY data.id): argument 2 is volatile', 'lag is left to WindowAgg: argument 2 is volatile' ],
	[ '', 'SELECT sum(x) FILTER (WHERE random() < 2) OVER (ORDER BY id) FROM data',
		'sum OVER (ORDER BY data.id): the FILTER is volatile', 'sum is left to WindowAgg: the FILTER is volatile' ],
	[ 'SET scan.prefixscan = force; SET enable_seqscan = off; SET enable_bitmapscan = off',
		'SELECT row_number() OVER w, lag(x, p) OVER w FROM data WHERE x / p > 0 WINDOW w AS (ORDER BY id) LIMIT 1',
		"row_number, lag OVER w: lag: $reads_ahead", "lag is left to WindowAgg: $reads_ahead" ],
	[ '', 'SELECT scan_compact(x / p, x > 0) OVER (PARTITION BY p ORDER BY id) FROM data LIMIT 1',
		"scan_compact OVER (PARTITION BY data.p ORDER BY data.id): argument 1 $fails",
		"scan_compact is left to WindowAgg: argument 1 $fails" ],
	[ '', 'SELECT sum(random()) OVER (ORDER BY id) FROM data', 'sum OVER (ORDER BY data.id): argument 1 is volatile',
		'sum is left to WindowAgg: argument 1 is volatile' ],
	[ '', 'SELECT count((SELECT max(p) FROM data AS d WHERE d.id = data.x)) OVER (ORDER BY id) FROM data',
		'count OVER (ORDER BY data.id): argument 1 has a subquery',
		'count is left to WindowAgg: argument 1 has a subquery' ],
	[ 'SET scan.prefixscan = auto',
		'SELECT * FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM data) AS s WHERE n < 4',
		"row_number OVER (ORDER BY data.id): WindowAgg stops at the first row that the query's condition leaves out",
		"row_number is left to WindowAgg: WindowAgg stops at the first row that the query's condition leaves out" ],
	[ "SET scan.prefixscan = force; SET scan.work_mem = '64kB'",
		'SELECT data.*, lag(x, 100000) OVER (ORDER BY id) FROM data',
		'lag OVER (ORDER BY data.id): the rows that lag or lead reach may not fit in scan.work_mem',
		'lag is left to WindowAgg: the rows that lag or lead reach may not fit in scan.work_mem' ],
	[ '', 'SELECT sum(x) OVER (ORDER BY id USING <<# RANGE 2 PRECEDING) FROM data',
		'sum OVER (ORDER BY data.id RANGE BETWEEN 2 PRECEDING AND CURRENT ROW): RANGE offsets of this '
			. 'type are not supported', 'sum is left to WindowAgg: RANGE offsets of this type are not supported' ],
	[ 'SET scan.prefixscan = auto', 'SELECT count(*) OVER (ORDER BY p) FROM data LIMIT 0',
		undef, undef ],
	[ 'SET scan.prefixscan = auto; SET enable_seqscan = off; SET enable_bitmapscan = off',
		'SELECT sum(x) OVER (ORDER BY id) FROM data LIMIT 1',
		'sum OVER (ORDER BY data.id): WindowAgg is estimated to cost less',
		'sum is left to WindowAgg: WindowAgg is estimated to cost less' ],
	[ 'SET scan.prefixscan = off', 'SELECT count(*) OVER (ORDER BY p) FROM data',
		'count OVER (ORDER BY data.p): scan.prefixscan is off', undef ],
);
for my $case (@reasons)
{
	my ($settings, $query, $explained, $refused) = @$case;
	$settings = 'SET scan.prefixscan = force' if $settings eq '';
	my $plan = text($settings, $query);
	my @left = $plan =~ /^Not in PrefixScan: (.*)$/mg;

	# 16 and later run ranks over such a frame, whatever the query says
	s/ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW// && s/ \)/)/ for @left;
	# 18 gives each window a name, and shows what it stands for; text() has taken it away
	$explained =~ s/ OVER \(.*\): / OVER (?): / if defined $explained && $names_windows;
	is(join('|', @left), $explained // '', "why: $query");
	unlike(text($settings, $query, 'COSTS OFF'), qr/Not in PrefixScan/, 'without VERBOSE: nothing');
	my (undef, $err) = $server->run(
		"LOAD 'scan'; SET scan.debug_require = node; $settings;\n\\set VERBOSITY verbose\n$query;", go_on => 1);
	if (defined $refused)
	{
		like($err, qr/ERROR:  0A000: the window of \Q$refused\E\nDETAIL:  scan\.debug_require is "node"/,
			'scan.debug_require = node');
	}
	else
	{
		is($err, '', 'scan.debug_require = node');
	}
}

# ---- several windows, and where they stand

my $stacked = text('SET scan.prefixscan = force', 'SELECT sum(x) OVER (PARTITION BY p ORDER BY id), max(x) OVER w, '
		. 'rank() OVER (ORDER BY id DESC) FROM data WINDOW w AS (ORDER BY t, id ROWS random()::int PRECEDING)');
is(scalar(() = $stacked =~ /PrefixScan\)/g), 2, 'windows above and below one that is left are taken');
is(join('|', $stacked =~ /^Not in PrefixScan: (.*)$/mg), "max OVER w: $framed", 'and the one is named');

my $union = text('SET scan.prefixscan = force', <<'SQL');
WITH c AS MATERIALIZED (SELECT id, max(x) OVER (ORDER BY id ROWS random()::int PRECEDING) AS y FROM data)
SELECT y FROM c UNION ALL SELECT sum(x) OVER (ORDER BY id ROWS random()::int PRECEDING) FROM data
  UNION ALL SELECT count(*) OVER (ORDER BY id) FROM data
UNION ALL SELECT (SELECT max(n) FROM (SELECT min(x) OVER (ORDER BY id ROWS random()::int PRECEDING) AS n FROM data AS d
  WHERE d.p = data.p) AS s) FROM data
SQL
is(join('|', sort($union =~ /^Not in PrefixScan: (\w+)/mg)), 'max|min|sum', 'CTEs, unions, subqueries');

my $views = text('SET scan.prefixscan = force', 'SELECT * FROM of_few UNION ALL SELECT * FROM of_all');
is(join('|', sort($views =~ /^Not in PrefixScan: sum OVER .*(?:argument 1|offset of the frame) (.*)/mg)),
	'has a subquery|is volatile', 'windows that look alike: the number of their rows tells them apart');

my $nested = text('SET scan.prefixscan = force',
	'SELECT min(x + inner_window()) OVER (ORDER BY id ROWS random()::int PRECEDING) FROM data LIMIT 3',
	'ANALYZE, VERBOSE, COSTS OFF, TIMING OFF, SUMMARY OFF');
is(join('|', $nested =~ /^Not in PrefixScan: (\w+)/mg), 'min',
	"EXPLAIN ANALYZE: not the windows of functions that it runs");

# ---- formats

my $query = 'SELECT sum(x) OVER (PARTITION BY p ORDER BY id), max(x + random()::int) OVER w FROM data '
	. 'WINDOW w AS (ORDER BY id ROWS 2 PRECEDING)';
is(join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; SELECT j->0->'Not in PrefixScan' FROM (SELECT "
			. "string_agg(l, '')::json AS j FROM plan(\$\$EXPLAIN (VERBOSE, FORMAT JSON) $query\$\$) AS l) AS s")),
	'[
      {
        "Window Name": "w",
        "Over": "ORDER BY data.id ROWS BETWEEN \'2\'::bigint PRECEDING AND CURRENT ROW",
        "Functions": ["max"],
        "Function": "max",
        "Reason": "argument 1 is volatile",
        "Hint": "Compute the argument or the FILTER condition in a subquery in FROM, and use a constant offset."
      }
    ]', 'JSON');
my $properties = join '', map { "(?=.*$_)" } '"Device": "cpu"', '"Blocks": \d+', '"Memory": \d+', '"Sort Bits": \d+',
	'"Sorted Here": true', '"Frame": "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"';
like($server->value("LOAD 'scan'; SET scan.prefixscan = force; SELECT (j->0->'Plan')::text FROM "
		. "(SELECT string_agg(l, '')::jsonb AS j FROM plan(\$\$EXPLAIN (ANALYZE, FORMAT JSON) $query\$\$) AS l) AS s"),
	qr/^$properties/,
	'JSON: the node');
my $yaml = join '\n', '  Not in PrefixScan: *', '    - Window Name: "w"',
	q{      Over: "ORDER BY data\.id ROWS BETWEEN '2'::bigint PRECEDING AND CURRENT ROW"}, '      Functions: *',
	'        - "max"', '      Function: "max"', '      Reason: "argument 1 is volatile"';
like(join("\n",
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (VERBOSE, COSTS OFF, FORMAT YAML) $query")),
	qr/^$yaml$/m,
	'YAML');
is($server->value("LOAD 'scan'; SET scan.prefixscan = force; "
		. "SELECT (xpath('//e:Not-in-PrefixScan/e:Window/e:Window-Name/text()', "
		. "string_agg(l, '')::xml, ARRAY[ARRAY['e', 'http://www.postgresql.org/2009/explain']]))[1] "
		. "FROM plan(\$\$EXPLAIN (VERBOSE, FORMAT XML) $query\$\$) AS l"), 'w', 'XML');

# ---- the node

my $node = join '\n  ', 'Custom Scan \(PrefixScan\).*', 'Functions: lag, avg', 'Partition By: p',
	'Order By \(sorted here\): x, id', 'Frame: ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW', 'Device: cpu',
	'Sort Bits: \d+', 'Blocks: \d+', 'Memory: \d+ ?kB';
like(text('SET scan.prefixscan = force', 'SELECT lag(t) OVER w, avg(x) OVER w FROM data WINDOW w AS (PARTITION BY p '
			. 'ORDER BY x, id ROWS UNBOUNDED PRECEDING)', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF'),
	qr/^$node\n/,
	'EXPLAIN ANALYZE');
like(text("SET scan.prefixscan = force; SET scan.work_mem = '64kB'; SET work_mem = '64kB'",
		'SELECT sum(x) OVER (ORDER BY t, id) FROM data', 'ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF'),
	qr/^  Disk: \d+ ?kB$/m, 'on disk');
unlike(text('SET scan.prefixscan = force', 'SELECT rank() OVER (ORDER BY id) FROM data'), qr/Frame/,
	'a frame that does not matter is not shown');

# ---- the functions, where nodes show their answers

like(text('SET scan.prefixscan = force', "SELECT count(*) FILTER (WHERE x > 1) OVER w, lag(t, 2) OVER w || 'a', "
			. "rank() OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id) ORDER BY 2"),
	qr/^Sort
  Output: \(count\(\*\) FILTER \(WHERE \(x > 1\)\)\), \(\(\(lag\(t, 2\)\) \|\| 'a'::text\)\), \(rank\(\)\), .*
  Sort Key: \(\(\(lag\(data.t, 2\)\) \|\| 'a'::text\)\)
  ->  Custom Scan \(PrefixScan\)
        Output: \(count\(\*\) FILTER \(WHERE \(x > 1\)\)\), \(\(lag\(t, 2\)\) \|\| 'a'::text\), \(rank\(\)\), /,
        'in outputs and sort keys');
like(text('SET scan.prefixscan = force',
		'SELECT * FROM (SELECT id, rank() OVER (PARTITION BY p ORDER BY x) AS r FROM data) AS s WHERE r < 3',
		'COSTS OFF'), qr/Custom Scan \(PrefixScan\)\n +Filter: \(\(rank\(\)\) < 3\)\n/, 'in conditions');
like(text('SET scan.prefixscan = force',
		'SELECT max(n) OVER (ORDER BY p) FROM (SELECT p, rank() OVER (ORDER BY x) AS n FROM data UNION ALL SELECT id, '
			. '(SELECT max(m) FROM (SELECT sum(x) OVER (ORDER BY id) AS m FROM data) AS s) FROM data) AS s'),
	qr/^(?=.* \(max\(s\.n\)\))(?=.* \(rank\(\)\))(?=.* \(sum\(data_2\.x\)\))/s, 'below unions and in subqueries');
is(join("|", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET plan_cache_mode = force_generic_plan;
PREPARE q(int) AS SELECT string_agg(s::text, ',')
  FROM (SELECT sum(x) FILTER (WHERE x > \$1) OVER (ORDER BY id) AS s FROM data WHERE id < 5) AS d;
EXECUTE q(1); EXECUTE q(2)")), "2,5,9|3,7", 'a cached plan runs as often as wanted');

# ---- keys that nobody sees: NULLs, unless somebody above the node looks at them

$server->lines("CREATE TABLE sparse AS SELECT i AS id, i % 10 AS p, nullif(i % 7, 3) AS x, repeat('x', i % 9) AS t "
	. "FROM generate_series(1, 5000) AS i");
for ([ 'SELECT x, sum(x) OVER (ORDER BY p) FROM sparse ORDER BY id', 'x, (sum(x)), id, NULL::integer',
	'one of the window alone' ],
	[ 'SELECT x, sum(x) OVER (ORDER BY p) FROM sparse ORDER BY p DESC, id', 'x, (sum(x)), p, id',
		'one that the query is sorted by' ],
	[ 'SELECT x, sum(x) OVER (PARTITION BY t ORDER BY p) FROM sparse ORDER BY p DESC, id',
		'x, (sum(x)), p, id, NULL::text', 'one of each' ],
	[ 'SELECT p, sum(x) OVER (ORDER BY p) FROM sparse ORDER BY id', 'p, (sum(x)), id', 'one that is shown' ],
	[ 'SELECT DISTINCT x, sum(x) OVER (ORDER BY p) FROM sparse ORDER BY 1, 2', 'x, (sum(x)), p', 'DISTINCT' ])
{
	my ($query, $output, $what) = @$_;
	my ($off, $forced) = map { join "\n",
		$server->lines("LOAD 'scan'; SET jit = off; SET scan.prefixscan = $_; $query;") } qw(off force);
	like(text('SET scan.prefixscan = force', $query), qr/Custom Scan \(PrefixScan\)\n *Output: \Q$output\E\n/,
		"a hidden key: $what");
	is($forced, $off, "its rows: $what");
}

# ---- a hint, if the frame is known to be long; a parameter is known only when the query runs

like(text("SET plan_cache_mode = force_generic_plan; PREPARE later(int) AS SELECT sum(f) OVER (ORDER BY i "
		. "ROWS $_ PRECEDING) FROM (SELECT i, i::float8 AS f FROM generate_series(1, 20000) AS i OFFSET 0) AS s",
		'EXECUTE later(9)'), $_ eq '$1' ? qr/Frame: ROWS BETWEEN \$1 PRECEDING/ : qr/Frame Hint: Write exact_sum/,
	"a frame of $_ rows") for '$1', '10000';

# ---- scan.debug_require

my (undef, $err) = $server->run("SET scan.debug_require = gpu; SELECT array_scan_sum('{1,2}'::int[]);", go_on => 1);
like($err,
	qr/ERROR:  a job runs on the CPU\nDETAIL:  The reason is that the job has fewer rows than scan\.gpu_min_rows\./,
	'scan.debug_require = gpu');
is($server->value("SET scan.debug_require = cpu; SELECT array_scan_sum('{1,2}'::int[])"), '{1,3}',
	'scan.debug_require = cpu');
($err) = ($server->run("LOAD 'scan'; SET scan.debug_require = disk", go_on => 1))[1];
like($err,
	qr/invalid value for parameter "scan.debug_require": "disk"\nHINT:  Available values: allow, node, cpu, gpu\./,
	'no other value');

# a failure leaves nothing behind in the session
is(join('|', $server->run("LOAD 'scan'; SET scan.prefixscan = force; SET scan.debug_require = node;
$reasons[0][1]; EXPLAIN VERBOSE $reasons[0][1];
RESET scan.debug_require; SELECT count(*) FROM (SELECT sum(x) OVER () FROM data) AS s;
EXPLAIN (VERBOSE, COSTS OFF) SELECT sum(x) OVER () FROM data LIMIT 1;",
go_on => 1)) =~ /3000\nLimit\n(?!.*Not in)/ ? 1 : 0, 1, 'after an error');

done_testing();
