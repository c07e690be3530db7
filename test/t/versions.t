# versions.t: a PostgreSQL that nobody has looked at is refused when scan is compiled.
#
# A new major version may give windows a clause (19 did: IGNORE NULLS) that the node would
# not see, and so answer wrongly.  Needs a compiler and the server's headers.
use strict;
use warnings;
use FindBin;
use Test::More;
use File::Temp qw(tempdir);

chdir "$FindBin::Bin/../.." or die $!;

my $cc = $ENV{CC} // 'cc';
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my $folder = tempdir(CLEANUP => 1);
chomp(my $include = `$pg_config --includedir-server`);

# What the compiler says to the versions' own header, with the server's headers posing as another version.
sub compiled
{
	my ($version) = @_;
	my $pose = defined $version ? "#undef PG_VERSION_NUM\n#define PG_VERSION_NUM $version\n" : '';
	open my $out, '>', "$folder/code.c" or die $!;
	print $out qq(#include "postgres.h"\n$pose#include "compat.h"\n);
	close $out;
	my $said = `$cc -I'$include' -Isrc -fsyntax-only $folder/code.c 2>&1`;
	return ($? >> 8, $said);
}

my ($status, $said) = compiled();
is($status, 0, 'the server that is here is known') or diag($said);

for ([ 140000, qr/scan needs PostgreSQL 15 or newer/ ], [ 200000, qr/scan knows PostgreSQL 15 to 19/ ],
	[ 210001, qr/scan knows PostgreSQL 15 to 19/ ])
{
	my ($version, $words) = @$_;
	($status, $said) = compiled($version);
	isnt($status, 0, "$version is refused");
	like($said, $words, "$version is refused for what it is");
}

done_testing();
