# against_scipy.t: filters, averages, moving quantiles, sparse products and tridiagonal systems against SciPy and
# pandas, in test/t/against_scipy.py.  test/bootstrap.sh installs both.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

# a python3 of one's own need not see Debian's packages
my ($python) = grep { system("$_ -c 'import scipy, pandas' >/dev/null 2>&1") == 0 } 'python3', '/usr/bin/python3';
plan skip_all => 'no python3 with scipy and pandas on this machine' unless defined $python;

my $server = Server->new("scipy");
$ENV{PGDATABASE} = $server->{database};
my @lines = `$python "$FindBin::Bin/against_scipy.py" "$Server::psql"`;
is($?, 0, 'the program that compares ran');
for (@lines)
{
	/^(\d+) of (.*), (\d+) wrong$/ or next;
	is($3, 0, "$1 $2");
}
cmp_ok(scalar(grep { / of .* wrong/ } @lines), '==', 62, 'everything was compared');
done_testing();
