# spilled_ranges.t: rows beyond scan.work_mem, divided into ranges of the PARTITION BY keys.
#
# The first ranges stay in memory, the others go to disk.  The oracle is WindowAgg; every window has a key that tells
# all rows apart.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('spilled_ranges');

$server->lines(<<'SQL');
CREATE TABLE data AS
SELECT i AS id, CASE WHEN i % 17 > 0 THEN (hashint8extended(i, 1) % 300)::int END AS a,
  (hashint8extended(i, 2) % 7)::int2 AS few,
  CASE WHEN i % 13 > 0 THEN hashint8extended(i, 3) % 1000 END AS v,
  (ARRAY['NaN', '-0', '0', '-Infinity', NULL])[1 + i % 50]::float8 AS odd,
  (hashint8extended(i, 4) / 1e9)::float8 AS f, CASE WHEN i % 5 > 0 THEN repeat('x', i % 40) || i END AS s,
  i * 1.5 AS num, i / 500 AS rising, 1 AS one, hashint8extended(i, 6) % 3 = 0 AS flag,
  CASE WHEN i % 2 = 0 THEN 7 ELSE hashint8extended(i, 5) % 1000 END AS skewed
FROM generate_series(1, 60000) AS i;
ANALYZE data;
-- more and fewer rows than are expected: core takes a condition for rare that all rows meet
CREATE VIEW more AS SELECT * FROM data WHERE id + 0 = id;
CREATE TABLE shrunk WITH (autovacuum_enabled = off) AS SELECT * FROM data UNION ALL SELECT * FROM data
  UNION ALL SELECT * FROM data;
ANALYZE shrunk;
DELETE FROM shrunk WHERE ctid NOT IN (SELECT max(ctid) FROM shrunk GROUP BY id);
SQL

my $calm = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off;";
my @keys = ('a', 'a DESC', 'a NULLS FIRST', 'few, a', 'flag, a', 'a DESC NULLS LAST, s', 'f', 'odd, f DESC',
	'odd NULLS FIRST, a', 'skewed', 'rising', 'rising DESC', 'one', 'few', 's', 'num', 'one, a');
my @shapes = (
	'sum(v) OVER w, row_number() OVER w, lag(s) OVER w, s FROM # WINDOW w AS (PARTITION BY {} ORDER BY f, id)',
	'avg(num) OVER w, max(f) OVER w, num, s, a, few FROM # '
		. 'WINDOW w AS (PARTITION BY {} ORDER BY v, id ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING)',
	'num, a, r FROM (SELECT *, row_number() OVER (PARTITION BY {} ORDER BY f DESC, id) AS r FROM #) AS s WHERE r <= 3',
	'a, r FROM (SELECT *, dense_rank() OVER (PARTITION BY {} ORDER BY v) AS r FROM #) AS s WHERE r <= 2',
	'sum(v) OVER (PARTITION BY {} ORDER BY id), percent_rank() OVER (PARTITION BY {} ORDER BY v), '
		. 'count(*) OVER (PARTITION BY few ORDER BY id) FROM #');

my @queries;
for my $key (@keys)
{
	(my $columns = $key) =~ s/ (?:DESC|NULLS (?:FIRST|LAST))//g;
	for my $shape (@shapes)
	{
		my $query = $shape =~ s/\{\}/$columns/gr;
		push @queries, "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM (SELECT id, " . $query =~ s/#/$_/gr
			. ") AS t" for $key eq 'a' ? qw(data more shrunk) : ('data');
	}
	push @queries,
		"SELECT md5(string_agg(t::text, ',')) "
		. "FROM (SELECT $columns, count(*) OVER (PARTITION BY $columns) FROM data ORDER BY $key) AS t"
	  unless $key =~ /odd/;    # -0 and 0 tie
}
my @core = $server->lines("$calm SET scan.prefixscan = off; SET work_mem = '1GB'; " . join "\n",
	map { "$_;" } @queries);
for my $memory ('64kB', '1MB', '2MB')
{
	my @ours = $server->lines("$calm SET scan.prefixscan = force; SET scan.work_mem = '$memory'; " . join "\n",
		map { "$_;" } @queries);
	my @wrong = grep { $ours[$_] ne $core[$_] } 0 .. $#queries;

	is(scalar @ours, scalar @queries, "answers in $memory");
	is(scalar @wrong, 0, "as core's in $memory") or diag(join "\n", @queries[@wrong]);
}

# What goes to disk, or to memory, in kB.
sub size_in
{
	my ($where, $memory, $query) = @_;
	my $plan = join "\n",
		$server->lines("$calm SET scan.prefixscan = force; SET scan.work_mem = '$memory'; "
		. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $query");
	return $plan =~ /$where: (\d+) ?kB/ ? $1 : 0;
}
sub disk { return size_in('Disk', @_) }
my $query = 'SELECT sum(v) OVER (PARTITION BY a ORDER BY f) FROM data';
my ($most, $half) = (disk('1MB', $query), disk('1500kB', $query));
cmp_ok($most, '>', 300, 'most rows go to disk');
cmp_ok($half, '<', $most * 0.8, 'what fits in memory does not');
is(disk('8MB', $query), 0, 'nothing, where all does');

# Ranges that stay in memory leave it when there are more rows than were expected.
cmp_ok(size_in('Memory', $_,
		'SELECT sum(v) OVER (PARTITION BY a ORDER BY f), v, f, few, odd, rising, skewed, id FROM more'), '<',
	1.2 * 1024 * ($_ =~ s/MB//r), "more rows than expected keep to $_") for '1MB', '2MB';

# A row takes what its values take: there is no gap behind the integer, nor behind the smallint and the boolean.
$server->lines('CREATE TABLE cells AS SELECT i AS id, (i % 300)::int AS a, hashint8(i) AS o, i AS v, i AS w, i::int '
	. 'AS four, (i % 30000)::int2 AS two, i % 2 = 0 AS flag FROM generate_series(1, 60000::int8) AS i; ANALYZE cells;');
my $bytes = sub { size_in('Memory', '1GB', "SELECT v, $_[0] row_number() OVER (PARTITION BY a ORDER BY o) FROM cells")
		* 1024 / 60000 };
my $plain = $bytes->('');
for my $case ([ 8, 'w,' ], [ 4, 'four,' ], [ 4, 'two, flag,' ], [ 12, 'w, four,' ])
{
	my $more = $bytes->($case->[1]) - $plain;
	cmp_ok(abs($more - $case->[0]), '<', 0.3, "$case->[1] $case->[0] bytes a row") or diag($more);
}
cmp_ok(abs($plain - 8 - 4 - 4 - 8 - 0.25), '<', 0.3, 'and a row takes two bits to mark where groups begin')
	or diag($plain);

# Scans again, and stopped early: no file is left.
my @again = $server->lines(
	"$calm SET scan.prefixscan = force; SET scan.work_mem = '1MB'; SET enable_material = off; SET enable_memoize = off;
  SELECT sum(n) FROM generate_series(1, 3) AS g CROSS JOIN LATERAL (SELECT n
      FROM (SELECT row_number() OVER (PARTITION BY a ORDER BY f, id) + g AS n FROM data OFFSET 0) AS s) AS s;
  SELECT count(*) FROM (SELECT sum(v) OVER (PARTITION BY a ORDER BY f) FROM data LIMIT 10) AS s;
  SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';");
my @core_again = $server->lines("$calm SET scan.prefixscan = off;
  SELECT sum(n) FROM generate_series(1, 3) AS g CROSS JOIN LATERAL (SELECT n
      FROM (SELECT row_number() OVER (PARTITION BY a ORDER BY f, id) + g AS n FROM data OFFSET 0) AS s) AS s;");
is($again[0], $core_again[0], 'scans again');
is($again[1], 10, 'stopped early');
is($again[2], 0, 'no file is left');

my ($out, $err) = $server->run(
	"$calm SET scan.prefixscan = force; SET scan.work_mem = '1MB'; SET temp_file_limit = '100kB'; $query;", go_on => 1);
like($err, qr/temporary file size exceeds "?temp_file_limit"?/, 'temp_file_limit');
done_testing;
