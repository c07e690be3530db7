# moving_rank.t: moving_rank and moving_percent_rank against plain loops, in test/t/moving_rank.py: over moving frames,
# by WindowAgg and by PrefixScan, and by groups.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "" >/dev/null 2>&1') != 0;

my $server = Server->new('moving_rank');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/moving_rank.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 17, 'all kinds of rows were compared');
my $plan = join "\n",
	$server->lines("LOAD 'scan'; SET scan.prefixscan = force; CREATE TABLE many AS SELECT i "
	. "FROM generate_series(1, 3000) AS i; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
	. "SELECT moving_rank(i) OVER w FROM many WINDOW w AS (ORDER BY i ROWS 9 PRECEDING)");
like($plan, qr/Frame Methods: moving_rank \(order statistics\)/, 'in PrefixScan');
done_testing();
