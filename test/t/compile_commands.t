# compile_commands.t: `make compile_commands` names each C file of the library and the programs,
# with a command that works.
use strict;
use warnings;
use FindBin;
use Test::More;
use File::Find;
use File::Temp qw(tempdir);
use JSON::PP;

chdir "$FindBin::Bin/../.." or die $!;

my $folder = tempdir(CLEANUP => 1);
my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my $said = `test/tools/compile_commands.py --out '$folder/commands.json' 'PG_CONFIG=$pg_config' 2>&1`;
is($?, 0, 'the commands are written') or diag($said);

open my $in, '<', "$folder/commands.json" or die $!;
my $entries = decode_json(do { local $/; <$in> });
my %entry = map { $_->{file} => $_ } @$entries;
is(scalar keys %entry, scalar @$entries, 'each file has one command');

my @missing;
find({ no_chdir => 1, wanted => sub { push @missing, $_ if /\.c$/ && !$entry{$_} } }, 'src', 'gpu', 'test/law');
is("@missing", '', 'every C file has a command');

# Each kind once: the library, what knows its build, a file without PostgreSQL, a test program.
for my $file (qw(src/init.c src/library/build.c gpu/job.c test/law/ratio.c))
{
	my @words = @{ $entry{$file}{arguments} };

	# what -MMD writes lies beside the output
	is(system(@words, '-o', "$folder/output.o", '-fsyntax-only'), 0, "$file is compiled by its command");
}

done_testing();
