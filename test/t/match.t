# match.t: scan_match and scan_match_variable against a matcher that goes back, on every way that windows are computed:
# test/t/match.py, which prints what it found.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import re" >/dev/null 2>&1') != 0;

my $cluster = Cluster->new("shared_preload_libraries = 'scan'\n");
my $server = $cluster->{server};

$ENV{PGDATABASE} = $server->{database};
my ($rows, $patterns) = (0, 0);
for (`python3 "$FindBin::Bin/match.py" "$Server::psql"`)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
	$rows += $1;
	$patterns++;
}
is($?, 0, 'the program of the oracle ran');
cmp_ok($rows, '>=', 1_000_000, "$rows rows were compared");
cmp_ok($patterns, '>=', 600, 'of all patterns, on all ways');
done_testing();
