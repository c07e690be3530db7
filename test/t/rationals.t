# rationals.t: recurrences and products against exact rational arithmetic: Python's
# fractions, in test/t/rationals.py, which prints TAP itself.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import fractions" >/dev/null 2>&1') != 0;

my $server = Server->new("rationals");
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/rationals.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /rows of/ } @lines), '>=', 20, 'all kinds of data were compared');
done_testing();
