# parallel_memory.t: several processes keep to scan.work_mem, whatever was estimated.
#
# Each process reads what memory of its own it has (RssAnon) at rows that it gives to the aggregate above, when its
# range or pile is in memory with the results.  The estimates are wrong on purpose.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('parallel_memory');
plan skip_all => 'the memory of a process is read from /proc' if !-e '/proc/self/status';

$server->lines(<<'SQL');
CREATE FUNCTION memory() RETURNS int LANGUAGE plpgsql VOLATILE PARALLEL SAFE AS $$
  BEGIN RETURN (regexp_match(pg_read_file('/proc/self/status'), 'RssAnon:\s*(\d+)'))[1]; END $$;
CREATE TABLE big WITH (autovacuum_enabled = off) AS SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i * 7) AS v,
  repeat(md5(i::text), 4) AS t FROM generate_series(1, 300000) AS i;
CREATE TABLE many WITH (autovacuum_enabled = off) AS SELECT * FROM big;
CREATE AGGREGATE concat_all(text) (SFUNC = textcat, STYPE = text, PARALLEL = SAFE);
CREATE AGGREGATE append_all(anycompatible) (SFUNC = array_append, STYPE = anycompatiblearray, PARALLEL = SAFE);
CREATE TABLE few WITH (autovacuum_enabled = off) AS SELECT * FROM big;
CREATE TABLE text WITH (autovacuum_enabled = off) AS SELECT i AS id, md5(i::text) AS t, repeat(md5(i::text), 60) AS w
  FROM generate_series(1, 6000) AS i;
VACUUM ANALYZE big, many, few, text;
UPDATE pg_class SET reltuples = reltuples / 15 WHERE relname = 'few';
UPDATE pg_class SET reltuples = reltuples * 100000 WHERE relname = 'many';
SQL
my $settings =
	"LOAD 'scan'; SET scan.prefixscan = force; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; "
	. "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET jit = off; SET enable_sort = off;\n";

# the most memory of a process in kB, and what the query answers besides
sub most
{
	my ($work_mem, $window, $each) = @_;
	my $query = "SELECT max(CASE WHEN id % $each = 0 THEN memory() END), count(*), "
		. "sum(hashtext(x::text)::int8) FROM ($window) AS s";
	like(join("\n", $server->lines("$settings EXPLAIN (COSTS off) $query")), qr/Parallel Custom Scan \(PrefixScan\)/,
		"in several processes: $window");
	my ($most, $answer) = $server->value("$settings SET scan.work_mem = '$work_mem'; $query") =~ /^(\d+)\|(.*)/;
	is($answer, $server->value("SET max_parallel_workers_per_gather = 0; "
			. "SELECT count(*), sum(hashtext(x::text)::int8) FROM ($window) AS s"), '... the rows of WindowAgg');
	return $most;
}
my $base = most('64MB', 'SELECT id, count(*) OVER (ORDER BY id) AS x FROM text', 10);

my @cases = (
	[ 'ranges of more rows than were estimated', '2MB', 'SELECT id, count(t) OVER (ORDER BY v, id) AS x FROM few', 100,
		4200 ],
	[ 'ranges of fewer', '2MB', 'SELECT id, count(t) OVER (ORDER BY v, id) AS x FROM many', 100, 6000 ],
	# a range costs the dealer some kB, whatever it has
	[ 'many ranges in little memory', '256kB', 'SELECT id, count(t) OVER (ORDER BY v, id) AS x FROM many', 100, 14000 ],
	[ 'piles', '2MB', 'SELECT id, count(t) OVER (PARTITION BY p ORDER BY id) AS x FROM many', 100, 6000 ],
	[ 'results that grow with the rows', '2MB',
		"SELECT id, length(x) AS x FROM (SELECT id, concat_all(t) OVER (ORDER BY id) AS x FROM text) AS s", 10, 8000 ],
	[ 'arrays that do', '2MB',
		'SELECT id, cardinality(x) AS x FROM (SELECT id, append_all(t) OVER (ORDER BY id) AS x FROM text) AS s', 10,
		12000 ],
	[ 'frames that do', '2MB', "SELECT id, length(x) AS x FROM (SELECT id, "
			. "string_agg(t, ',') OVER (ORDER BY id ROWS 300 PRECEDING) AS x FROM text) AS s", 10, 8000 ],
	[ 'values of wide rows', '2MB',
		'SELECT id, length(x) AS x FROM (SELECT id, lag(w) OVER (ORDER BY id) AS x FROM text) AS s', 10, 8000 ]);
for my $case (@cases)
{
	my ($name, $work_mem, $window, $each, $bound) = @$case;
	my $grown = most($work_mem, $window, $each) - $base;
	cmp_ok($grown, '<', $bound, "$name: $grown kB of " . $work_mem);
}

# and while rows are read and divided: the memory is then read below the window
for my $window ('PARTITION BY p ORDER BY id', 'ORDER BY v, id')
{
	my $below = 'SELECT id, p, v, t, CASE WHEN id % 100 = 0 THEN memory() END AS m FROM many';
	my $query = "SELECT max(m), count(x) FROM (SELECT m, count(t) OVER ($window) AS x FROM ($below) AS b) AS s";
	# no rows go up to one process, to be sorted or added up there
	my $costs = 'SET parallel_tuple_cost = 1; SET scan.reduce = off; SET scan.work_mem = \'2MB\';';
	my ($plan, $answer) = (join("\n", $server->lines("$settings $costs EXPLAIN (COSTS off) $query")),
		$server->value("$settings $costs $query"));
	like($plan, qr/Parallel Custom Scan \(PrefixScan\)/, "in several processes: $window");
	my ($most, $rows) = split /\|/, $answer;
	is($rows, 300000, '... all rows');
	cmp_ok($most - $base, '<', 8000, "... while they are divided: @{[ $most - $base ]} kB of 2MB");
}

# rows that are equal in all keys are one range, in memory: they are not divided into ranges where a value is frequent
$server->lines("CREATE TABLE skewed AS SELECT CASE WHEN id % 2 = 0 THEN 0 ELSE id END AS k, "
	. "CASE WHEN id % 2 = 0 THEN NULL ELSE id END AS n, t FROM big; VACUUM ANALYZE skewed");
for my $key ('k', 'n')
{
	my $plan = join "\n",
		$server->lines("$settings SET scan.work_mem = '2MB'; EXPLAIN (VERBOSE, COSTS off) SELECT count(x) "
		. "FROM (SELECT count(t) OVER (ORDER BY $key ROWS 3 PRECEDING) AS x FROM skewed) AS s");
	unlike($plan, qr/Parallel Custom Scan/, "a frequent value of $key is not a range");
	like($plan, qr/In One Process: too many rows are equal in all columns of PARTITION BY and ORDER BY/,
		'... which EXPLAIN says');
	$plan = join "\n",
		$server->lines("$settings SET scan.work_mem = '512MB'; EXPLAIN (VERBOSE, COSTS off) SELECT count(x) "
		. "FROM (SELECT count(t) OVER (ORDER BY $key ROWS 3 PRECEDING) AS x FROM skewed) AS s");
	like($plan, qr/Parallel Custom Scan/, '... but where there is memory for it');
}

done_testing();
