# products.t: exact_product against Python's integers, in test/t/products.py: over moving frames, by WindowAgg and by
# PrefixScan, and by groups.  test/t/products.c, which is compiled here, multiplies numbers whose product is near the
# middle of two doubles.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine'
	if system('python3 -c "import math; math.nextafter" >/dev/null 2>&1') != 0;

my $folder = tempdir(CLEANUP => 1);
my $cc = $ENV{CC} // 'cc';
is(system("$cc -std=gnu99 -O2 -Wall -I'$FindBin::Bin/../../src' -o '$folder/products' '$FindBin::Bin/products.c' -lm"),
	0, 'products.c compiles');

my $server = Server->new('products');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/products.py" "$Server::psql" $folder/products`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 15, 'all kinds of data were compared');
my ($hard) = map { /^(\d+) products took more limbs/ } @lines;
cmp_ok($hard, '>', 100, 'and 128 bits were not always enough');
done_testing();
