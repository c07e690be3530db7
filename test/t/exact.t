# exact.t: exact_sum, exact_avg, exact_var_* and exact_stddev_* against Python's integers, in
# test/t/exact.py: whole, by groups, in parallel plans and over moving frames.  Sums of more
# rows than a table can have are made by test/t/moments.c, which is compiled here.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine'
	if system('python3 -c "import math; math.nextafter" >/dev/null 2>&1') != 0;

my $folder = tempdir(CLEANUP => 1);
my $cc = $ENV{CC} // 'cc';
is(system("$cc -std=gnu99 -O2 -Wall -I'$FindBin::Bin/../../src' -o '$folder/moments' '$FindBin::Bin/moments.c' -lm"), 0,
	'moments.c compiles');

my $server = Server->new('exact');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/exact.py" "$Server::psql" $folder/moments`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 37, 'all kinds of data were compared');

# that the parallel plans are parallel
my $plan = join "\n", $server->lines(<<'SQL');
CREATE TABLE many AS SELECT i AS x FROM generate_series(1, 10000) AS i;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT exact_sum(x::real), exact_sum(x), exact_avg(x), exact_var_pop(x), exact_var_samp(x),
  exact_stddev_pop(x), exact_stddev_samp(x) FROM many;
SQL
like($plan, qr/Finalize Aggregate.*Gather.*Partial Aggregate/s, 'they go in parallel');
done_testing();
