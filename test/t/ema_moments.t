# ema_moments.t: scan_ema_var, scan_ema_stddev, scan_ema_covar and scan_ema_corr against exact fractions of their
# definition and against the recurrence of pandas, and the same bits on every way that they are computed:
# test/t/ema_moments.py, which prints what it found.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import math; math.isqrt" >/dev/null 2>&1') != 0;

my $server = Server->new('ema_moments');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/ema_moments.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /rows of/ } @lines), '>=', 45, 'all calls were compared on all ways');
my $plan = join "\n",
	$server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET scan.parallel = on; "
	. "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; "
	. "EXPLAIN (COSTS OFF) SELECT scan_ema_var(y, 0.1) OVER (ORDER BY id) FROM d");
like($plan, qr/Gather/, 'the state goes on in other processes');
done_testing();
