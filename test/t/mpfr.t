# mpfr.t: exact aggregates over groups and over frames that move, running sums and products, and exponentially weighted
# statistics against MPFR, in test/t/mpfr.py.  test/bootstrap.sh installs gmpy2, by which Python has MPFR.
#
#   SCAN_TEST_SERIES=1000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/mpfr.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

# a python3 of one's own need not see Debian's packages
my ($python) = grep { system("$_ -c 'import gmpy2' >/dev/null 2>&1") == 0 } 'python3', '/usr/bin/python3';
plan skip_all => 'no python3 with gmpy2 on this machine' unless defined $python;

my $server = Server->new('mpfr');
$ENV{PGDATABASE} = $server->{database};
my @lines = `$python "$FindBin::Bin/mpfr.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: (.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 27, 'all functions were compared');
done_testing();
