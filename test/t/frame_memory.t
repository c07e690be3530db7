# frame_memory.t: the rows that a moving frame, or an offset of each row, reaches, beyond scan.work_mem:
# on disk, with the same answers.
#
# Each query runs with 1MB and with 2GB: the answers must be the same, and the first run must have used the
# disk.  Then the backend's peak, temp_file_limit, and that an error leaves no file behind.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('frame_memory');
my $rows = 300_000;

$server->lines(<<"SQL");
CREATE TABLE d AS SELECT i AS id, i % 3 AS p, i / 1000 AS o, CASE WHEN i % 7 > 0 THEN hashint4(i) % 1000 END AS i4,
  hashint4(i)::int8 AS i8,
  hashint4(i) / 7.0::float8 AS f8, 'text ' || hashint4(i) % 50 AS t,
  timestamp '2026-01-01' + i * interval '1 second' AS ts
FROM generate_series(1, $rows) AS i;
VACUUM ANALYZE d;
SQL

my $start = "LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = force; "
	. "SET scan.debug_require = node;";

my @queries = (
	[ 'sum(i8)', 'ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING' ],
	[ 'count(i4)',
		'PARTITION BY p ORDER BY id ROWS BETWEEN 1000000 PRECEDING AND 50000 FOLLOWING EXCLUDE CURRENT ROW' ],
	[ 'max(f8)', q{ORDER BY ts RANGE BETWEEN '1 day' PRECEDING AND '1 hour' FOLLOWING} ],
	[ 'max(i4) FILTER (WHERE i8 > 0)', 'ORDER BY o GROUPS BETWEEN 100 PRECEDING AND 100 FOLLOWING EXCLUDE GROUP' ],
	[ 'exact_sum(f8)', 'ORDER BY id ROWS BETWEEN 100000 PRECEDING AND 100 FOLLOWING' ],
	[ 'moving_median(f8)', 'ORDER BY id ROWS BETWEEN 100000 PRECEDING AND 100000 FOLLOWING' ],
	[ 'moving_mode(t)', 'ORDER BY id ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW' ],
	[ 'moving_count_distinct(i4)', 'ORDER BY id DESC ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING' ],
	[ 'first_value(t)', 'ORDER BY id ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW' ],
	[ 'nth_value(t, 3)', 'PARTITION BY p ORDER BY id ROWS BETWEEN 60000 FOLLOWING AND UNBOUNDED FOLLOWING' ],
	[ 'lag(t, i4)', 'ORDER BY id' ],
	[ 'lead(t, id % 200000, t)', 'PARTITION BY p ORDER BY id' ],
	[ 'nth_value(t, nullif(id % 200000, 0))', 'ORDER BY id' ],
	[ 'sum(i8::numeric)', 'ORDER BY id ROWS BETWEEN 100000 PRECEDING AND CURRENT ROW' ],
	[ 'avg(f8)', 'ORDER BY id ROWS BETWEEN 200000 PRECEDING AND 199990 PRECEDING' ]);

for my $query (@queries)
{
	my ($call, $over) = @$query;
	my $statement = "SELECT id, $call OVER ($over) AS x FROM d";
	my $sum = "SELECT md5(string_agg(concat(id, ' ', x), ',' ORDER BY id)) FROM ($statement) AS s;";
	my ($small, $large) = map { $server->value("$start SET scan.work_mem = '$_'; $sum") } '1MB', '2GB';
	my ($explained) = $server->run("$start SET scan.work_mem = '1MB'; EXPLAIN (ANALYZE, COSTS OFF) $statement;");

	is($small, $large, "$call $over");
	like($explained, qr/Disk: [1-9]\d* kB/, '... on disk');
}

# ---- the peak

SKIP:
{
	skip 'the peak of a backend is read from /proc on the server', 2
	  if $server->value(q{SELECT count(*) FROM pg_ls_dir('/proc/self', true, false) AS f WHERE f = 'status'}) == 0;
	my $peak = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+)'))[1];};
	# in memory the rows and the frames would take some 300 MB
	for my $call ('sum(i) OVER (ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)', 'lag(i, hashint8(i)) OVER ()')
	{
		my $scan =
			sub { "SELECT count(x) FROM (SELECT $call AS x FROM generate_series(1::int8, $_[0]) AS i OFFSET 0) AS t;" };
		my (undef, $before, undef, $after) = $server->lines(join "\n", "$start SET scan.work_mem = '16MB';",
			$scan->(20000), $peak, $scan->(3_000_000), $peak);
		my $grown = $after - $before;

		cmp_ok($grown, '<', 60 * 1024, "three million rows at 16MB, $call: $grown kB");
	}
}

# ---- no more of the disk than allowed, and nothing is left of it

# Core counts the files of a sort and those that are mapped for frames together: of three sorts the last two run while
# frames are on disk.
my ($out, $err);
my $framed = 'SELECT count(x) FROM (SELECT max(f8) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW '
	. 'AND UNBOUNDED FOLLOWING) AS x, t FROM d';
my %query = ('the sort of the rows' => "$framed OFFSET 0) AS s;",
	'a sort above' => "$framed ORDER BY t OFFSET 0) AS s;");
for ([ '2MB', 'the sort of the rows' ], [ '15MB', 'the sort of the rows' ], [ '60MB', 'the sort of the rows', 'fits' ],
	[ '60MB', 'a sort above', 'fits' ], [ '30MB', 'the sort of the rows', 'fits' ], [ '30MB', 'a sort above' ])
{
	my ($limit, $what, $fits) = @$_;
	($out, $err) = $server->run(
		"$start SET scan.work_mem = '1MB'; SET work_mem = '1MB'; SET temp_file_limit = '$limit'; $query{$what}",
		go_on => 1);
	like($err, $fits ? qr/^$/ : qr/temporary file size exceeds "?temp_file_limit"?/,
		"temp_file_limit of $limit, $what: " . ($fits ? 'fits' : 'does not fit'));
}
($out, $err) = $server->run("$start SET scan.work_mem = '1MB'; SELECT count(1 / (x - x)) "
	. "FROM (SELECT max(f8) OVER (ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS x FROM d OFFSET 0) "
	. "AS s; SELECT count(*) FROM pg_ls_tmpdir() WHERE name LIKE 'pgsql_tmp' || pg_backend_pid() || '.%';", go_on => 1);
like($err, qr/division by zero/, 'a query fails above the frame');
like($out, qr/^0$/m, '... and leaves no file');

done_testing();
