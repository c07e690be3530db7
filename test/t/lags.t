# lags.t: scan_lag and scan_lead against a plain loop, on every way that windows are computed: test/t/lags.py, which
# prints what it found.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import hashlib" >/dev/null 2>&1') != 0;

my $server = Server->new('lags');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/lags.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /100000 rows of/ } @lines), '>=', 96, 'all calls were compared on all ways');

# the state of scan_lag goes on in other processes, unless it keeps many values
for my $call ('scan_lag(i4, 3)', 'scan_lag(t, 256)', 'scan_lag(i4, 257)')
{
	my $plan = join "\n",
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET scan.parallel = on; "
		. "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; "
		. "EXPLAIN (COSTS OFF) SELECT $call OVER (ORDER BY id) FROM d");
	my $shared = $call =~ /257/ ? 0 : 1;
	is($plan =~ /Gather/ ? 1 : 0, $shared, "$call by several processes: $shared") or diag($plan);
}
done_testing();
