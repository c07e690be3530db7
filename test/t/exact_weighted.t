# exact_weighted.t: exact_weighted_avg(x), whose weights are positions, against Python's integers, in
# test/t/exact_weighted.py: over moving frames, by WindowAgg and by PrefixScan, and by groups.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine'
	if system('python3 -c "import math; math.nextafter" >/dev/null 2>&1') != 0;

my $server = Server->new('exact_weighted');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/exact_weighted.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 28, 'all kinds of data were compared');
my $plan = join "\n", $server->lines(
	"LOAD 'scan'; SET scan.prefixscan = force; CREATE TABLE many AS SELECT i, i::float8 AS x FROM generate_series(1, "
	. "3000) AS i; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT exact_weighted_avg(x) OVER w, "
	. "exact_weighted_avg(i, x) OVER w FROM many WINDOW w AS (ORDER BY i ROWS 9 PRECEDING)");
like($plan, qr/Frame Methods: exact_weighted_avg \(exact sums\), exact_weighted_avg \(exact sums\)/, 'in PrefixScan');
$plan = join "\n",
	$server->lines('SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET min_parallel_table_scan_size = 0; EXPLAIN (COSTS OFF) SELECT exact_weighted_avg(i, x) FROM many');
like($plan, qr/Finalize Aggregate.*Gather.*Partial Aggregate/s, 'weights that are given go in parallel');
done_testing();
