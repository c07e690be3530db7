# units.t: partitions and peer groups that are too large to be held.
#
# A function that has to know the whole of one looks at its rows before they are shown: from
# where they were sorted, or by way of a file.  The oracle is WindowAgg.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('units');

# A large partition with a large peer group in it, small ones, and a large one of small groups.  What is held
# in any case is 1MB: some 30,000 of these rows.
$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, CASE WHEN i < 80000 THEN 0 ELSE i / 7 END AS p,
  CASE WHEN i BETWEEN 20000 AND 70000 THEN 20000 ELSE i / 3 END AS o,
  (i * 7919) % 1000 AS v, (hashint4(i) % 1000) / 7.0::float8 AS f, 'text ' || i % 100 AS t, repeat('x', i % 70) AS wide
  FROM generate_series(1, 120000) AS i;
INSERT INTO data SELECT i + 120000, 1000000, i / 2, i % 77, i, NULL, NULL FROM generate_series(1, 50000) AS i;
CREATE INDEX ON data (p, o, id);
CREATE TABLE numbers AS SELECT i AS id, i % 50 AS few, hashint4(i) AS o FROM generate_series(1, 300000) AS i;
VACUUM ANALYZE data, numbers;
SQL

my $calm = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off;";
my $windows = 'WINDOW w AS (PARTITION BY p ORDER BY o), a AS (PARTITION BY p), i AS (PARTITION BY p ORDER BY o, id), '
	. 'n AS (), u AS (PARTITION BY id / 9000), k AS (ORDER BY id)';
my $whole = 'RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';
my @functions = (
	'exact_sum(v) OVER w, exact_sum(v) OVER a, exact_avg(v) OVER i',
	'exact_avg(f::numeric) OVER w, exact_var_pop(v) OVER a',
	"scan_fold(v, 'int84pl(int8,int4)', init => 7::int8) OVER i",
	'scan_cost(CASE WHEN id % 3 = 2 THEN -1 ELSE 3 END, v) OVER (PARTITION BY id / 9000 ORDER BY id)',
	'lead(v) OVER i', 'lead(v, 3, -1) OVER i', 'lag(v) OVER i', q{lag(t, 2000, 'none') OVER i},
	q{lead(wide, 2000, 'none') OVER i}, q{lag(wide, 40000) OVER i, lag(wide, 30000, t) OVER n},
	'lag(v, 20000) OVER i, lead(v, 20000) OVER i',
	'lag(v, 0) OVER i, lead(v, 0) OVER i', 'lag(100 / (v + 1), 3) OVER i', 'lead(100 / (v + 1), 3) OVER i',
	'lead(v, 200000) OVER n, lag(v, 250000) OVER n',
	'ntile(4) OVER i', 'ntile(1000000) OVER i', 'percent_rank() OVER w', 'cume_dist() OVER w',
	'percent_rank() OVER w, cume_dist() OVER w, ntile(7) OVER i',
	'sum(v) OVER a', 'sum(f) OVER a', 'count(*) OVER a, max(t) OVER a, min(wide) OVER a',
	'sum(v) OVER n, count(*) OVER n', 'sum(v) OVER w', 'sum(v) OVER w, sum(v) OVER a',
	"sum(f) OVER w, cume_dist() OVER w, sum(v) OVER (w $whole)", 'avg(v::numeric) OVER w, max(f::numeric) OVER a',
	'min(f) FILTER (WHERE v > 990) OVER w', 'bool_and(v < 999) OVER w',
	'last_value(t) OVER w', "last_value(id) OVER (i $whole)", "nth_value(t, 50000) OVER (i $whole)",
	'nth_value(v, 30000) OVER w', 'first_value(wide) OVER i, last_value(v) OVER w',
	"last_value(100 / (v + 1)) OVER (i $whole)", 'sum(100 / (v + 1)) OVER a',
	'row_number() OVER i, rank() OVER w, sum(v) OVER w, sum(v) OVER a, lag(t, 5) OVER i, lead(v, 6) OVER i',
	# NULLs in every third unit
	'count(CASE WHEN id / 9000 % 3 = 0 THEN v END) OVER u, last_value(CASE WHEN id / 9000 % 3 = 0 THEN v END) OVER u, '
		. 'lag(CASE WHEN id / 9000 % 3 = 0 THEN v END) OVER (PARTITION BY id / 9000 ORDER BY id), '
		. 'ntile(3) OVER (PARTITION BY id / 9000 ORDER BY id)',
	(map { ("scan_compact($_, v < 300) OVER i", "scan_compact($_, v % 3 = 0) OVER n") } 'v', 'f',
		't', 'wide', 'v > 500', 'CASE WHEN v % 2 = 0 THEN id END'), 'scan_compact(v, false) OVER i',
	'scan_compact(wide, true) OVER i',
	'scan_split_index(v < 300) OVER i',
	'scan_split_index(v % 3 = 0) OVER i, scan_split_index(v < 1000) OVER n, ntile(3) OVER i',
	'scan_compact(100 / (v + 1), v % 7 < 3) OVER i', 'scan_compact(100 / v, v <> 0) OVER i',
	'scan_compact(wide, 100 / (v + 1) > 3) OVER n', 'scan_split_index(100 / (v + 1) > 3) OVER n',
	'scan_nocb(CASE WHEN v % 7 = 0 THEN wide END) OVER i', 'scan_nocb(nullif(t, t), 3) OVER i',
	'scan_nocb(CASE WHEN id % 1000 = 0 THEN v END) OVER n, '
		. 'scan_nocb(CASE WHEN id % 40000 = 0 THEN t END, 30000, v = 500) OVER n',
	q{scan_match('a b* c', v % 7 = 0, v % 3 > 0, v > 900) OVER i},
	q{scan_match('a (b | c)* d', v = 7, true, v > 900, v = 9) OVER n},
	q{scan_match_variable('a b | c', v % 7 = 0, 100 / (v + 1) > 0, v % 3 = 0) OVER i},
	'scan_nocb(NULL::text) OVER n', 'scan_nocb(100 / (v + 1)) OVER i',
	'scan_nocb(1) OVER i', 'scan_interpolate(CASE WHEN v % 5 = 0 THEN f END, o) OVER i',
	'scan_interpolate(CASE WHEN id % 1000 = 0 THEN f END, o, 300, v = 9) OVER i',
	"scan_interpolate(CASE WHEN id % 30000 = 0 THEN v END, timestamptz '2024-01-01' + id * interval '1 s') OVER k",
	'scan_locf(CASE WHEN v % 7 = 0 THEN wide END, o, 3) OVER i', 'scan_integral(f, o) OVER i, ntile(3) OVER i',
	'scan_sum(v::int8) OVER i, sum(v) OVER a', 'variance(v) OVER w, regr_count(v, f) OVER a');
my %input = (
	'sorted in memory' => '', 'sorted on disk' => "SET scan.work_mem = '64kB';",
	'in order' => 'SET enable_seqscan = off; SET enable_sort = off;',
	'in order, little memory' => "SET enable_seqscan = off; SET enable_sort = off; SET scan.work_mem = '64kB';");

sub hash
{
	my ($function) = @_;
	return "SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) "
		. "FROM (SELECT id, $function FROM data $windows) AS s;";
}

my @wanted = $server->lines("$calm SET scan.prefixscan = off; " . join ' ', map { hash($_) } @functions);
for my $input (sort keys %input)
{
	my @found = $server->lines("$calm SET scan.prefixscan = force; $input{$input} " . join ' ',
		map { hash($_) } @functions);
	my @plans = split /^-- /m, join "\n", $server->lines("$calm SET scan.prefixscan = force; $input{$input} "
		. join ' ', map { "SELECT '-- '; EXPLAIN (COSTS OFF) SELECT id, $_ FROM data $windows;" } @functions);
	my @wrong = grep { $found[$_] ne $wanted[$_] } 0 .. $#functions;

	is(scalar @found, scalar @functions, "$input: all are answered");
	# what lag and lead reach has to fit
	my @here = grep { $input{$input} !~ /64kB/ || !/(lag|lead)\(\w+, \d{4}/ } @functions;
	is(scalar(grep { /PrefixScan/ && !/WindowAgg/ } @plans), scalar @here, "$input: by the node");
	is(scalar @wrong, 0, "$input: as WindowAgg does") or diag(map { "$functions[$_]\n" } @wrong);
}

# Units of every size within a piece: wherever one ends.
my $sizes = '(SELECT p, i, p * 10000 + i AS id '
	. 'FROM generate_series(3000, 4030) AS p, LATERAL (SELECT * FROM generate_series(1, p) AS i OFFSET 0) AS s) AS t';
my $ends = "SELECT count(*), sum(l::numeric), sum(n), sum(c) FROM (SELECT last_value(id) OVER w AS l, "
	. "count(*) OVER w AS n, row_number() OVER () AS c FROM $sizes WINDOW w AS (PARTITION BY p)) AS u";
my $expected = join '|',
	$server->value("SELECT sum(p), sum(p::numeric * (p * 10000 + p)), sum(p * p), "
	. "div(sum(p)::numeric * (sum(p) + 1), 2) FROM generate_series(3000::int8, 4030) AS p");
is($server->value("$calm SET scan.prefixscan = force; SET scan.work_mem = '64kB'; SET enable_sort = off; "
		. "SET work_mem = '1GB'; $ends"), $expected, 'units of every size');

# Memory is kept to, in any order of the input, and what does not fit is on disk.
sub analyzed
{
	my ($settings, $query) = @_;
	return join "\n",
		$server->lines("$calm SET scan.prefixscan = force; SET scan.work_mem = '4MB'; "
		. "$settings EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query");
}

for my $function ('lead(o) OVER (PARTITION BY one)', 'ntile(4) OVER (PARTITION BY one)',
	'sum(o) OVER (PARTITION BY one)', 'cume_dist() OVER (PARTITION BY one ORDER BY few)',
	'sum(o) OVER (ORDER BY few)', 'last_value(o) OVER (ORDER BY few)', 'sum(o) OVER ()',
	'scan_compact(o, few < 40) OVER (PARTITION BY one)', 'scan_split_index(few < 40) OVER (PARTITION BY one)',
	'scan_nocb(nullif(o, o)) OVER (PARTITION BY one)', 'scan_interpolate(nullif(o, o), 1) OVER (PARTITION BY one)')
{
	my $from = 'FROM (SELECT id, few, o, id * 0 AS one FROM numbers OFFSET 0) AS s';
	my $plan = analyzed('', "SELECT id, $function $from");
	my ($memory) = $plan =~ /Memory: (\d+)/;

	cmp_ok($memory, '<=', 1.1 * 4096, "$function keeps to 4MB");
	like($plan, qr/Disk: \d+ kB/, 'and the rest is on disk') if $function =~ /few/;
}
is(scalar(grep { /Disk/ } analyzed('', 'SELECT sum(o) OVER (PARTITION BY few) FROM numbers WHERE id < 50000')), 0,
	'what fits needs no disk');

# A row is looked at once, whoever shows it.
$server->lines(q{CREATE SEQUENCE looked; CREATE FUNCTION look(i int) RETURNS int LANGUAGE plpgsql STABLE AS $$ }
	. q{BEGIN PERFORM nextval('looked'); RETURN i; END $$;});
$server->lines("$calm SET scan.prefixscan = force; SET scan.work_mem = '64kB'; SELECT sum(y) FROM (SELECT sum(x) "
	. "OVER () AS y FROM (SELECT look(o) AS x FROM numbers WHERE id <= 100000 OFFSET 0) AS s OFFSET 0) AS t");
is($server->value('SELECT last_value FROM looked'), '100000', 'the input is read once');

# Rescans, LIMIT and errors leave no file.
my $again = 'SELECT sum(hashtextextended(s::text, 1)::numeric) FROM generate_series(1, 3) AS g, LATERAL (SELECT id, '
	. 'sum(o) OVER (), lead(o, g) OVER (ORDER BY id) FROM numbers WHERE id % g = 0 LIMIT 70000) AS s';
is($server->value("$calm SET scan.prefixscan = force; SET scan.work_mem = '64kB'; $again"),
	$server->value("$calm SET scan.prefixscan = off; $again"), 'once an outer row');
my ($out, $err) = $server->run("$calm SET scan.prefixscan = force; SET scan.work_mem = '64kB'; "
	. "SELECT sum(1 / (id - 290000)) OVER () FROM numbers OFFSET 1000000");
like($err, qr/division by zero/, 'an error in a row that is looked at');
($out, $err) = $server->run("$calm SET scan.prefixscan = force; SET scan.work_mem = '64kB'; "
	. "SELECT sum(id) OVER () FROM numbers LIMIT 3; SELECT 1");
is($err, '', 'no file is open when a query stops early');
($out, $err) = $server->run("$calm SET scan.prefixscan = force; SET scan.debug_require = node; "
	. "SET scan.work_mem = '64kB'; SELECT scan_compact(o, few < 40) OVER () FROM numbers LIMIT 3; BEGIN; "
	. "DECLARE c CURSOR FOR SELECT scan_compact(o, few < 40) OVER () FROM numbers; FETCH 2 FROM c; ROLLBACK; SELECT 1");
is($err, '', 'nor one of kept values');
is($server->value("$calm SET scan.prefixscan = force; SET scan.debug_require = node; SET scan.work_mem = '64kB'; "
		. "SET enable_material = off; SELECT string_agg(x::text, ' ') FROM generate_series(1, 3) AS g, LATERAL (SELECT "
		. "scan_compact(id, few < 40) OVER (ORDER BY id) AS x FROM numbers WHERE few <> g OFFSET 200000 LIMIT 1) AS l"),
	$server->value("SELECT string_agg(id::text, ' ') FROM generate_series(1, 3) AS g, LATERAL (SELECT id FROM numbers "
		. "WHERE few < 40 AND few <> g ORDER BY id OFFSET 200000 LIMIT 1) AS l"), 'kept values of each rescan');
($out, $err) = $server->run("$calm SET scan.prefixscan = force; SET scan.work_mem = '64kB'; "
	. "SET statement_timeout = '150ms'; SELECT sum(x) OVER () FROM generate_series(1, 100000000) AS x");
like($err, qr/statement timeout/, 'cancelled');
is($server->files_left, 0, 'no file is left');

# What lag and lead reach has to be held: more than that stays WindowAgg's.
my $far = "$calm SET scan.prefixscan = force; SET scan.work_mem = '1MB'; EXPLAIN (VERBOSE, COSTS OFF)";
like(join("\n", $server->lines("$far SELECT lead(o, 2000) OVER (ORDER BY id) FROM numbers")), qr/PrefixScan/,
	'lead by 2000 rows');
like(join("\n", $server->lines("$far SELECT lag(o, 2000000) OVER (ORDER BY id) FROM numbers")),
	qr/Not in PrefixScan: lag.*: the rows that lag or lead reach may not fit/, 'not lag by two million');

done_testing();
