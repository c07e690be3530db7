# apps.t: csr_multiply, tridiagonal_solve and bit_add against Python's integers and
# fractions, in test/t/apps.py.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import fractions" >/dev/null 2>&1') != 0;

my $server = Server->new("apps");
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/apps.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 of $2") or diag($4);
}
cmp_ok(scalar(grep { / of .* wrong/ } @lines), '==', 16, 'all kinds of data were compared');
done_testing();
