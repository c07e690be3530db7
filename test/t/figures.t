# figures.t: the pictures in test/figures are of the numbers that the extension gives.
#
# Each script of that folder is run, and must print the CSV file beside it; and the
# picture must say that it was drawn from that file.  Drawing takes matplotlib, which CI
# does without.
use strict;
use warnings;
use Test::More;
use Digest::SHA;
use File::Basename;

use lib dirname(__FILE__);
use Server;

chdir dirname(__FILE__) . '/../..' or die $!;

sub content
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	return <$in>;
}

my $server = Server->new('figures');
my @names = map { basename($_, '.sql') } glob 'test/figures/*.sql';
cmp_ok(scalar @names, '>', 2, 'there are scripts');
for my $name (@names)
{
	my ($out, $err, $status) = $server->run("\\pset format csv\n\\pset tuples_only off\n\\i test/figures/$name.sql\n");
	my $csv = content("test/figures/$name.csv");
	my ($digest) = content("test/figures/$name.svg") =~ /<!-- of \Q$name\E\.csv, sha256 (\w+) -->/;

	is($status, 0, "$name.sql runs") or diag($err);
	ok($out eq $csv, "it prints $name.csv") or diag("`make figures` draws $name again");
	is($digest, Digest::SHA::sha256_hex($csv), "$name.svg is of that file");
	like(content('README.md') . content('sql/README.md'), qr{test/figures/\Q$name\E\.svg\)}, 'and is on a page');
}
done_testing();
