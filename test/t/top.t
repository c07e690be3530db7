# top.t: conditions that let only the first rows of each partition pass.
#
# PrefixScan keeps no other rows then.  The oracle is WindowAgg over PostgreSQL's own sort,
# with the place in the input as the last key, since rows that tie keep that order here.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('top');

# `place` is the order of the input: no other column is in it but for rising and falling.
$server->lines(<<'SQL');
CREATE FUNCTION h(i int, salt int) RETURNS int
  LANGUAGE sql IMMUTABLE AS 'SELECT abs(hashint4(i * 37 + salt) % 1000000007)';
CREATE TABLE data AS
SELECT i AS place, NULLIF(h(i, 1) % 7, 3) AS few, h(i, 2) % 20000 AS many, h(i, 3) % 900 AS o,
  i / 3 AS rising, -i AS falling,
  (ARRAY['1.0', '1.00', '-0.0', '0', 'NaN', NULL])[1 + h(i, 4) % 6]::numeric AS num,
  (ARRAY['NaN', '-0', '0', 'Infinity', '-Infinity', NULL, '1.5'])[1 + h(i, 5) % 7]::float8 AS f,
  'device ' || h(i, 6) % 300 AS name, repeat(md5(i::text), 1 + h(i, 7) % 4) AS wide, (h(i, 8) % 2 = 0)::bool AS b,
  NULLIF(h(i, 9)::int8 * 5000000000 % 1000, 7) AS i8, 1 AS one, i AS id
FROM generate_series(1, 40000) AS i;
CREATE TABLE ties AS SELECT i AS place, i % 5 AS few, 0 AS o FROM generate_series(1, 40000) AS i;
-- in a third of the rows a value that is new comes late
CREATE TABLE late AS SELECT i AS place, i % 3 AS few, CASE i % 3 WHEN 1 THEN i / 15000 ELSE i % 50 END AS o
  FROM generate_series(1, 44000) AS i;
-- keys that are numbers until NULLs come late
CREATE TABLE nulls AS SELECT i AS place, CASE WHEN i < 25000 OR i % 11 > 0 THEN h(i, 2) % 50 * 40000000 END AS p,
  CASE WHEN i < 30000 OR i % 7 > 0 THEN h(i, 3) % 900 END AS o
FROM generate_series(1, 40000) AS i;
-- so many partitions that 64kB do not have room for the table of their last rows, but for more than twice as many rows
CREATE TABLE narrow AS SELECT place, many % 200 AS p, o FROM data;
-- a limit that is no integer
CREATE FUNCTION at_most(int8, text) RETURNS bool
  LANGUAGE plpgsql IMMUTABLE STRICT AS 'BEGIN RETURN $1 <= $2::int8; END';
CREATE OPERATOR <=~ (LEFTARG = int8, RIGHTARG = text, FUNCTION = at_most);
CREATE OPERATOR FAMILY mixed USING btree;
ALTER OPERATOR FAMILY mixed USING btree ADD OPERATOR 2 <=~ (int8, text);
CREATE TABLE nobody AS SELECT * FROM data WHERE false;
CREATE TABLE someone AS SELECT * FROM data WHERE place = 1;
ANALYZE;
-- and one whose partitions are expected to be few, and one to be many: they are not
CREATE TABLE grown WITH (autovacuum_enabled = off) AS SELECT * FROM data WHERE many < 20;
ANALYZE grown;
INSERT INTO grown SELECT * FROM data;
CREATE TABLE shrunk WITH (autovacuum_enabled = off) AS SELECT * FROM data;
ANALYZE shrunk;
UPDATE shrunk SET many = many % 3;
SQL

my $calm = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off;";
my %settings = (memory => '', disk => "SET scan.work_mem = '64kB';");

# What EXPLAIN says of a query where the node is forced.
sub explained
{
	my ($query, $settings, $options) = @_;
	return join "\n", $server->lines("$calm SET scan.prefixscan = force; $settings EXPLAIN (COSTS OFF$options) $query");
}

# Compares a query in the node with another one in WindowAgg.
sub same
{
	my ($what, $query, $oracle) = @_;
	my ($wanted) = $server->lines("$calm SET scan.prefixscan = off; $oracle");

	for my $where (sort keys %settings)
	{
		is($server->value("$calm SET scan.prefixscan = force; $settings{$where} $query"), $wanted, "$what, $where")
			or diag($query);
	}
	return;
}

my %unit = (row_number => 'row number', rank => 'rank', dense_rank => 'dense rank');

# Rows of a window by keys, as far as a condition lets them pass.
sub top
{
	my ($table, $function, $partition, $order, $condition) = @_;
	my $hash = 'SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) FROM';
	my $rows = sub { "$hash (SELECT * FROM (SELECT *, $function() OVER (PARTITION BY $partition "
		. "ORDER BY $order$_[0]) AS r FROM $table) AS t WHERE $condition) AS s" };

	# rows that tie have one rank, and one row number each
	return ($rows->(''), $rows->($function eq 'row_number' ? ', place' : ''));
}

my $trial = 0;
for my $function (sort keys %unit)
{
	for my $keys (['few', 'o'], ['many', 'o DESC'], ['num', 'f NULLS FIRST'], ['f', 'i8 DESC'], ['name', 'num DESC, o'],
		['i8, b', 'name COLLATE "C"'],
		['name COLLATE "C", few', 'wide'], ['few', 'rising DESC'], ['few', 'falling'], ['one', 'o'], ['b', 'name DESC'])
	{
		my $most = (1, 3, 40)[$trial++ % 3];
		my @queries = top('data', $function, @$keys, "r <= $most");
		my $what = "$function by $keys->[0], $keys->[1] <= $most";

		like(explained($queries[0], '', ''), qr/Keeps: rows up to $unit{$function} $most of each partition/,
			"$what: keeps these");
		same($what, @queries);
	}
	same("$function of no rows", top('nobody', $function, 'few', 'o', 'r <= 2'));
	same("$function of one row", top('someone', $function, 'few', 'o', 'r <= 2'));
	same("$function, all equal", top('ties', $function, 'few', 'o', 'r <= 4'));
	same("$function, values that come late", top('late', $function, 'few', 'o', 'r <= 3'));
	same("$function <= $_, NULLs that come late", top('nulls', $function, 'p', 'o NULLS FIRST', "r <= $_")) for 1, 3;
	same("$function, more partitions than are remembered", top('narrow', $function, 'p', 'o', 'r <= 1'));
	same("$function, more partitions than expected", top('grown', $function, 'many', 'o', 'r <= 2'));
	same("$function, fewer partitions than expected", top('shrunk', $function, 'many', 'o', 'r <= 2'));
	same("$function without PARTITION BY",
		map { s/PARTITION BY one //r } top('data', $function, 'one', 'o', 'r <= 20'));
	same("$function without ORDER BY",
		map { s/ORDER BY few/ORDER BY one/r } top('data', $function, 'many', 'few', 'r <= 1'));
}

# Conditions, and what is kept by them.
my $row_number =
	'SELECT * FROM (SELECT *, row_number() OVER (PARTITION BY few ORDER BY o, place) AS r FROM data) AS t WHERE';
for my $case (
	['r <= 3', 3], ['r < 3', 2], ['3 >= r', 3], ['3 > r', 2], ['r = 2', 2], ['2 = r', 2], ['r <= 3::int8', 3],
	['r < 3::int2', 2], ['3::int2 > r', 2],
	['r <= 3 AND r <= 2 AND r < 7', 2], ['r <= 3 AND o > 1', 3], ['r <= 3 AND r >= 2', 3], ['r <= 0', undef],
	['r < 1', undef], ['r <= -1', undef],
	['r >= 3', undef], ['r <> 3', undef], ['r <= o', undef], ['r <= 3.5', undef], ['r IN (1, 2)', undef],
	[q{r <=~ '3'}, undef], ['r <= 3 OR o > 898', undef],
	['r <= 9223372036854775807', undef], ['r < -9223372036854775808', undef], ['r <= NULL::int8', undef])
{
	my ($condition, $most) = @$case;
	my $plan = explained("$row_number $condition", '', '');
	my $hash = "SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) FROM ($row_number $condition) AS s";

	if (defined $most) { like($plan, qr/Keeps: rows up to row number $most of each partition$/m,
			"$condition keeps $most"); }
	else { unlike($plan, qr/Keeps: rows/, "$condition keeps all"); }
	same($condition, $hash, $hash);
}

# Functions beside it: those that need no row beyond those that pass.
my $window = 'WINDOW w AS (PARTITION BY few ORDER BY o, place), peers AS (PARTITION BY few ORDER BY o)';
for my $case (
	['row_number() OVER w', 'lag(o, 2) OVER w', 1], ['row_number() OVER w', 'lead(o) OVER w', 0],
	['row_number() OVER w', 'first_value(wide) OVER w', 1],
	['row_number() OVER w', 'rank() OVER w, dense_rank() OVER w', 1],
	['row_number() OVER w', 'percent_rank() OVER w', 0],
	['row_number() OVER w', 'ntile(3) OVER w', 0], ['row_number() OVER w', 'count(*) OVER (PARTITION BY few)', undef],
	['row_number() OVER (w ROWS UNBOUNDED PRECEDING)', 'count(*) OVER (w ROWS UNBOUNDED PRECEDING)', 1],
	['row_number() OVER w', 'count(*) OVER (w ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)', 0],
	['rank() OVER peers', 'count(*) OVER peers', 1], ['rank() OVER peers',
		'last_value(o) OVER peers, max(wide) OVER peers', 1], ['dense_rank() OVER peers', 'max(o) OVER peers', 1],
	['rank() OVER peers', 'cume_dist() OVER peers', 0],
	['rank() OVER peers', 'max(o) OVER (peers RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)', 0],
	['row_number() OVER w', 'row_number() OVER (PARTITION BY many ORDER BY place)', undef],
	['row_number() OVER (PARTITION BY many ORDER BY o, place)', 'row_number() OVER w', undef],
	['count(*) OVER (w ROWS UNBOUNDED PRECEDING)', 'row_number() OVER w', 0])
{
	my ($function, $beside, $keeps) = @$case;
	my $query = "SELECT * FROM (SELECT *, $function AS r, $beside FROM data $window) AS t WHERE r <= 5";
	my $hash = "SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) FROM ($query) AS s";

	# undef: which window comes last, where two are not one, is core's to say
	like(explained($query, '', ''), qr/Keeps: rows/, "$function beside $beside keeps 5") if $keeps;
	unlike(explained($query, '', ''), qr/Keeps: rows/, "$function beside $beside keeps all")
		if defined $keeps && !$keeps;
	same("$function beside $beside", $hash, $hash);
}

# A row number may end within a group of peers, of which a count shows the whole.
my $within = 'SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) FROM (SELECT * FROM (SELECT row_number() '
	. 'OVER w AS r, count(*) OVER w FROM data WINDOW w AS (PARTITION BY few ORDER BY o)) AS t WHERE r <= 5) AS s';
same('a count of peers', $within, $within);

# A condition is about its own window: the rows of the other one are not left out.
my $two = 'SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY few ORDER BY o, place) AS r, '
	. 'row_number() OVER (PARTITION BY many ORDER BY place) AS q FROM data) AS t WHERE';
for my $condition ('r <= 2', 'q <= 2', 'r <= 400 AND q <= 1')
{
	my $hash = "SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) FROM ($two $condition) AS s";
	same("two windows, $condition", $hash, $hash);
}

# The rows are read anew for each row of an outer query.
my $again = 'SELECT sum(hashtextextended(s::text, 1)::numeric) FROM generate_series(1, 5) AS g, '
	. 'LATERAL (SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY few ORDER BY (o + g * 7) % 50, place) AS r '
	. 'FROM data WHERE place % g = 0) AS t WHERE r <= g % 2 + 2) AS s';
same('once an outer row', $again, $again);
my $constant = 'SELECT sum(hashtextextended(s::text, g)::numeric) FROM generate_series(1, 5) AS g, '
	. 'LATERAL (SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY few ORDER BY (o + g * 7) % 50, place) AS r '
	. 'FROM data WHERE place % g = 0) AS t WHERE r <= 4) AS s';
same('once an outer row, kept', $constant, $constant);

# DISTINCT ON: there is no condition that would leave out a row that the sort has kept too many of.
for my $key ('few', 'many', 'num', 'name', 'one', "'key ' || many % 5000", 'few, many % 50', 'wide')
{
	for my $order ('o, place', 'o DESC, place DESC', 'f NULLS FIRST, place')
	{
		my $distinct = "SELECT count(*), sum(hashtextextended(s::text, 1)::numeric) "
			. "FROM (SELECT DISTINCT ON ($key) $key, o, f, place FROM data ORDER BY $key, $order) AS s";

		same("DISTINCT ON ($key) by $order", $distinct, $distinct);
	}
}
my $distinct = "SELECT DISTINCT ON ('key ' || many % 5000) place FROM data ORDER BY 'key ' || many % 5000, o, place";
like(explained($distinct, $settings{disk}, ', ANALYZE, TIMING OFF, SUMMARY OFF'),
	qr/\(PrefixScan\) \(actual rows=[0-9.]+ .*Disk: /s, 'which is done on disk');

# What EXPLAIN ANALYZE counts, and that rows that are not wanted take no memory and no disk.
my $analyze = ', ANALYZE, TIMING OFF, SUMMARY OFF';
my ($first) = top('data', 'row_number', 'few', 'o', 'r <= 3');
for my $where (sort keys %settings)
{
	my $plan = explained($first, $settings{$where}, $analyze);

	like($plan, qr/Rows Not Kept: 39979$/m, "rows that are not kept, $where");
	unlike($plan, qr/Rows Removed by Filter/, "and the filter sees none of them, $where");
}
my $narrow =
	'SELECT * FROM (SELECT place, row_number() OVER (PARTITION BY few ORDER BY o) AS r FROM data) AS t WHERE r <= 3';
my $budget = explained($narrow, "SET scan.work_mem = '256kB';", $analyze);
unlike($budget, qr/Disk/, 'few rows of many need no disk');
like(explained($narrow =~ s/r <= 3/r > 0/r, "SET scan.work_mem = '256kB';", $analyze), qr/Disk/, 'where all would');
cmp_ok(($budget =~ /Memory: (\d+)/)[0], '<=', 256, 'and memory is kept to');
like(explained('SELECT * FROM (SELECT place, rank() OVER (ORDER BY o) AS r FROM data) AS t WHERE r < 4', '', ''),
	qr/Keeps: rows up to rank 3$/m, 'one partition');
like(join("\n", $server->lines("$calm SET scan.prefixscan = force; EXPLAIN (FORMAT JSON) $narrow")),
	qr/"Keeps": "rows up to row number 3 of each partition"/, 'in JSON');
$server->lines('CREATE INDEX ON data (few, o, place); ANALYZE data');
unlike(explained($narrow, 'SET scan.index_skip = off; SET enable_sort = off; SET enable_seqscan = off;',
		'') =~ s/Index Only Scan/Index Scan/r, qr/Keeps: rows/,
	'input that is in order is not sorted, and so all of it goes through');

# An error of a row that would not be kept is an error all the same: the row is read.
my ($out, $err) = $server->run("$calm SET scan.prefixscan = force; SELECT * FROM (SELECT place, "
	. "row_number() OVER (PARTITION BY few ORDER BY 1 / (place - 39000)) AS r FROM data) AS t WHERE r <= 1");
like($err, qr/division by zero/, 'a row that cannot be computed');
($out, $err) = $server->run(
	"$calm SET scan.prefixscan = force; SET statement_timeout = '200ms'; SELECT * FROM (SELECT x, row_number() "
	. "OVER (PARTITION BY x % 10 ORDER BY x DESC) AS r FROM generate_series(1, 1000000000) AS x) AS t WHERE r <= 1");
like($err, qr/statement timeout/, 'cancelled');
is($server->files_left, 0, 'and no file is left');

done_testing();
