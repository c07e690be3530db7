# format.t: the C and CUDA files have the layout of .clang-format, to which `make format` brings them.
#
# Needs clang-format 14, which test/bootstrap.sh installs on Debian 12; where it is missing, the test is skipped.
use strict;
use warnings;
use FindBin;
use Test::More;
use File::Copy;
use File::Path qw(make_path);
use File::Temp qw(tempdir);

chdir "$FindBin::Bin/../.." or die $!;

my $is_missing = `test/tools/format.sh --check 2>&1 >/dev/null`;
plan skip_all => $is_missing =~ s/^format: |\n//gr if $? >> 8 == 2;

# The places that clang-format would change, as FILE:LINE.
sub differences
{
	my ($root) = @_;
	my $said = `cd '$root' && test/tools/format.sh --check 2>&1`;
	my @places = $said =~ /^(?:\.\/)?([^\s:]+:\d+):\d+: (?:error|warning): code should be clang-formatted/mg;

	# a message that is not about the layout is a failure of the tool
	push @places, $said if $? != 0 && !@places;
	return @places;
}

is(join("\n", differences('.')), '', 'all files have the layout of .clang-format') or diag('`make format` mends that');

# That the test finds a difference, and that `make format` mends it, shows a tree of one file.
my $tree = tempdir(CLEANUP => 1);
make_path("$tree/test/tools", "$tree/src/build", "$tree/gpu");
copy('.clang-format', $tree);
copy('test/tools/format.sh', "$tree/test/tools/format.sh");
chmod 0755, "$tree/test/tools/format.sh";
for my $name ('src/untidy.c', 'src/build/left_alone.c')
{
	open my $out, '>', "$tree/$name" or die $!;
	print $out "static int tidy;\nstatic int   untidy;\n";
	close $out or die $!;
}
is(join("\n", differences($tree)), 'src/untidy.c:2', 'a file and a line that differ are named');
is(system("$tree/test/tools/format.sh"), 0, 'format.sh lays the file out');
is(join("\n", differences($tree)), '', '... and nothing differs after that');

done_testing();
