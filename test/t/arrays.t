# arrays.t: the functions over arrays against numpy and SciPy, at sizes up to four million
# elements, in test/t/arrays.py.  test/bootstrap.sh installs both.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

# a python3 of one's own need not see Debian's packages
my ($python) = grep { system("$_ -c 'import numpy, scipy.sparse' >/dev/null 2>&1") == 0 } 'python3', '/usr/bin/python3';
plan skip_all => 'no python3 with numpy and scipy on this machine' unless defined $python;

my $server = Server->new("arrays");
$ENV{PGDATABASE} = $server->{database};
my @lines = `$python "$FindBin::Bin/arrays.py" "$Server::psql"`;
is($?, 0, 'the program that compares ran');
for (@lines)
{
	/^(\d+) of (.*), (\d+) wrong$/ or next;
	is($3, 0, "$1 $2");
}
cmp_ok(scalar(grep { / of .* wrong/ } @lines), '==', 65, 'everything was compared');
done_testing();
