# quotients.t: totals and quotients of number/decimal.h against core's numeric_in and numeric_div, byte for byte.
#
# The totals are of all magnitudes up to 2^127 and of both signs, near powers of ten and of two, and near multiples of
# the counts; the counts go up to 2^40.  test/t/quotients.c, which is compiled here with the files of src/number, draws
# and compares them.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp qw(tempdir);
use Server;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
chomp(my $includedir = qx{$pg_config --includedir-server});
my $folder = tempdir('scanXXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $folder;
my $cc = $ENV{CC} // 'gcc';
my $source = "$FindBin::Bin/../../src";
my $files = join ' ', "'$FindBin::Bin/quotients.c'",
	map { "'$source/number/$_.c'" } qw(decimal decimal_average reciprocal);
is(system("$cc -shared -fPIC -O2 -fwrapv -fno-strict-aliasing -ffp-contract=off -Wall -I'$source' -I'$includedir' "
		. "-I/usr/include/postgresql/internal -o '$folder/quotients.so' $files"), 0, 'a library that divides');

my $server = Server->new('quotients');
$server->lines("CREATE FUNCTION quotients(rounds bigint, seed bigint, OUT stored bigint, OUT refused bigint, "
	. "OUT different text) AS '$folder/quotients' LANGUAGE C;");
for my $seed (1 .. 4, int rand 1e9)
{
	my ($stored, $refused, $different) = split /\|/,
		$server->value("SELECT stored, refused, coalesce(different, '') FROM quotients(200000, $seed)"), -1;

	is($different, '', "seed $seed: the bytes of core");
	is($stored + $refused, 200000, 'all were compared');
	cmp_ok($refused, '<', 40000, 'and few quotients are left to core');
}
done_testing();
