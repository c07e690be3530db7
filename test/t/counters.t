# counters.t: scan_change, scan_counter and scan_bin against exact numbers, on every way that windows are
# computed: test/t/counters.py, which prints what it found.
#
# The device is the mock one.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import decimal" >/dev/null 2>&1') != 0;

$ENV{SCAN_MOCK_FAST} = 1;
my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\n");
my $server = $cluster->{server};
for (1 .. 300)
{
	last if $server->value('SELECT state FROM scan_status') eq 'ready';
	sleep 0.1;
}
is($server->value('SELECT state FROM scan_status'), 'ready', 'the mock device is ready');

$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/counters.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /40000 rows of/ } @lines), '>=', 250, 'all calls were compared on all ways');
done_testing();
