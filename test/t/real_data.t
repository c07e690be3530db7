# real_data.t: correlations, drawdowns and averages over time of the VIX, a counter that restarts, and the books of an
# inventory, against definitions in Python's integers and fractions: test/t/real_data.py, which prints what was wrong.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import fractions" >/dev/null 2>&1') != 0;

my $server = Server->new('real_data');
$ENV{PGDATABASE} = $server->{database};
chdir "$FindBin::Bin/../.." or die $!;
my @lines = `python3 test/t/real_data.py "$Server::psql"`;
is($?, 0, 'the program of the definitions ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
is(scalar(grep { /rows of/ } @lines), 22, 'all data were compared');
done_testing();
