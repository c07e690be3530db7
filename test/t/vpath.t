# vpath.t: a build outside of the source's folder, as packagers make one for each version of PostgreSQL.
#
# make is asked for what it would do, and for two objects; the whole build takes minutes.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Temp;
use FindBin;
use Test::More;

my $tree = abs_path("$FindBin::Bin/../..");
my ($source, $folder) = (File::Temp->newdir, File::Temp->newdir);
system("cd '$tree' && tar cf - --exclude='*.[od]' --exclude='*.so' --exclude=scan_gpu Makefile scan.control src gpu "
	. "sql expected test/sql test/specs | tar xf - -C '$source'") == 0 or die;
my $make = "cd '$folder' && make --no-print-directory -f '$source/Makefile' PG_CONFIG='"
	. ($ENV{PG_CONFIG} // 'pg_config') . "' NVCC=";

my $commands = qx{$make -n all </dev/null 2>&1};
my @sources = glob "'$source/src'/*.c '$source/src'/*/*.c '$source/src'/*/*/*.c";
my ($link) = $commands =~ /^(.* -o scan\.so .*)$/m;
cmp_ok(scalar @sources, '>', 300, 'there are sources');
my %compiled = map { $_ => 1 } $commands =~ /-o (\S+\.o) /g;
my @objects = map { s/^\Q$source\E\/(.*)\.c$/$1.o/r } @sources;
is(join(' ', grep { !$compiled{$_} } @objects), '', 'each is compiled');
is(join(' ', grep { $link !~ / \Q$_\E( |$)/ } @objects), '', 'and linked');
is(system("$make -s src/error.o src/library/build.o SCAN_OPTIMIZE=-O0 </dev/null"), 0, 'two of them compile');
ok(-s "$folder/src/error.o" && -s "$folder/src/library/build.o", 'into that folder');
ok(-s "$folder/expected/setup.out", 'the expected output of regression tests is found there');
like(scalar qx{$make -n installcheck </dev/null 2>&1}, qr{pg_regress .*--inputdir=\Q$source\E/test },
	'and their scripts in the source');

system("touch '$source/src/init.o'") == 0 or die;
like(scalar qx{$make -n all 2>&1 </dev/null}, qr/has been built in: run make clean there first/,
	'a source that was built in its folder is refused');

done_testing();
