# house.t: test/size.py counts what it says, and no more names are defined in two files than the house allows.
#
# A static function whose name stands in several files says nothing in a backtrace.  arrows.t and guide.t hold the other
# limits: the files that name a device, and those that a new function touches.
#
# And no function that only prefetches memory is dropped: GCC takes such a function for one without effects.
#
# And no line of the tests in Perl is longer than a reader's window, which .editorconfig says to editors, too.  A long
# text is broken at a blank, as 'one ' . 'two'; a long regular expression takes its parts from variables.
use strict;
use warnings;
use FindBin;
use Test::More;
use File::Find;
use File::Path qw(make_path);
use File::Temp qw(tempdir);

chdir "$FindBin::Bin/../.." or die $!;

# The numbers that size.py prints of a checkout, by what they count, and the names of those defined twice.
sub counted
{
	my ($root) = @_;
	my $said = `test/size.py $root 2>&1`;
	my %number = map { /^ *(\d+)  (.*)$/ ? ($2 => $1) : () } split /\n/, $said;
	return (\%number, $said =~ /^# twice: (.*)$/m);
}

my ($number, $twice) = counted('.');
cmp_ok($number->{'names defined in two files'}, '<=', 10, "names that are defined twice: $twice");
cmp_ok($number->{'files of src'}, '>', 300, 'the files are found');

# a tree of which the numbers are known
my $tree = tempdir(CLEANUP => 1);
make_path("$tree/src/device", "$tree/sql", "$tree/test/guide");
my %file = (
	'src/one.c' => "/* of the device\n */\nstatic int\ngrow(void)\n{\n\treturn 1; /* one */\n}\n",
	'src/two.c' =>
		"static void\nshrink(void)\n{\n}\n\nstatic int\ngrow(int by)\n{\n\tif (by)\n\t\treturn 2;\n\treturn by;\n}\n",
	'src/two.h' => "extern int grow(int by);\n",
	'src/device/three.h' => "/* the device */\n#define NOT \"/* a comment */\"\n",
	'sql/scan--1.0.sql' => "SELECT 1;\nSELECT 2;\n",
	'test/guide/add_scan_gcd.diff' => "--- a/src/one.c\n+++ b/src/one.c\n");
for my $name (keys %file)
{
	open my $out, '>', "$tree/$name" or die $!;
	print $out $file{$name};
	close $out or die $!;
}
($number, $twice) = counted($tree);
is($twice, 'grow', 'a name that is defined twice is found');
is_deeply(
	$number,
	{
		'files of src' => 4,
		'lines of code in src' => 5 + 11 + 1 + 1,
		'files outside of src/device that name a device' => 1,
		'names defined in two files' => 1,
		'lines of the SQL scripts' => 2,
		'files that a new function touches' => 1,
		'objects compiled after an edit of a header, on average' => 0
	},
	'the numbers of a small tree');

# Functions that only prefetch are named for it.
my @forms;
for my $name (glob 'src/*.[ch] src/*/*.[ch] src/*/*/*.[ch]')
{
	open my $in, '<', $name or die $!;
	local $/;
	my $source = <$in>;
	push @forms, "$name: $2 is $1" while $source =~ /^(\w[\w ]*)\n(\w*prefetch\w*)\(/mg;
}
cmp_ok(scalar @forms, '>=', 3, 'functions that prefetch are found');
is_deeply([ grep { !/pg_attribute_always_inline/ } @forms ], [],
	'each of them is always inlined: a call of it would be dropped');

# The places below some folders at which a line of Perl has more than 120 columns, with tabs of four, as FILE:LINE.
sub long_lines
{
	my ($files, @places) = (0);
	find({ no_chdir => 1, wanted => sub {
		return unless /\.(?:t|pm|pl)$/ && !m{/build/};
		$files++;
		open my $in, '<:encoding(UTF-8)', $_ or die "$_: $!";
		while (my $line = <$in>)
		{
			chomp $line;
			1 while $line =~ s/^([^\t]*)\t/$1 . ' ' x (4 - length($1) % 4)/e;
			push @places, "$_:$." if length $line > 120;
		}
		close $in;
	} }, @_);
	return ($files, @places);
}

my ($files, @long) = long_lines('test');
cmp_ok($files, '>', 150, 'the tests in Perl are found');
is(join("\n", @long), '', 'no line of them has more than 120 columns');

# of one column too many, and of none; a tab ends at the next column that is a multiple of four
my $width = tempdir(CLEANUP => 1);
for my $name ('long.t', 'long.pm', 'long.txt')
{
	open my $out, '>:encoding(UTF-8)', "$width/$name" or die $!;
	print $out 'x' x 120, "\n", 'x' x 121, "\n", "\t", 'x' x 116, "\n\t", 'x' x 117, "\n", "xx\t", "\x{b5}" x 116, "\n";
	close $out or die $!;
}
($files, @long) = long_lines($width);
is(join(' ', sort map { s/.*\///r } @long), 'long.pm:2 long.pm:4 long.t:2 long.t:4',
	'lines that are too long are found');

done_testing();
