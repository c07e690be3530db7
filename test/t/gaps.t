# gaps.t: holes that are filled and areas, scan_locf by age, scan_nocb, scan_interpolate and scan_integral, against
# exact rational arithmetic: Python's fractions, in test/t/gaps.py, which prints what it compared.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import fractions" >/dev/null 2>&1') != 0;

my $server = Server->new("gaps");
$ENV{PGDATABASE} = $server->{database};
my $types = $ENV{SCAN_TEST_TYPES} // '';    # some of them, to see one alone
my @lines = `python3 "$FindBin::Bin/gaps.py" "$Server::psql" $types`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /rows of/ } @lines), '>=', $types ne '' ? 25 : 7 * 25, 'all ways to all types were compared');
done_testing();
