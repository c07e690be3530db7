# bucket_average.t: scan_time_average against Python's fractions, in test/t/bucket_average.py: by buckets, by
# WindowAgg and by PrefixScan.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import fractions" >/dev/null 2>&1') != 0;

my $server = Server->new('bucket_average');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/bucket_average.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /^(\d+) rows of/ && $1 >= 50000 } @lines), '==', 5 * 2 * 2, 'all types were compared');
done_testing();
