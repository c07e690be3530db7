#!/usr/bin/env perl
# mutate.pl: breaks the look-back in a library that has PTX in it, in one of several ways.
#
#   mutate.pl MUTANT FROM.so TO.so
#
# The text is changed in place, in the kernels of scan_tiles, and stays as long as it was.  Every mutant is wrong
# by PTX's memory model or by its rules for warps; on a device some would be right for years.  test/t/ptx_run.t
# wants `check` to find them all.
use strict;
use warnings;

my $FLAG = qr/st\.volatile\.global\.u32[^;]*;/;
my $VALUE = qr/st\.global\.cg\.u32[^;]*;/;

sub blank { return ' ' x length $_[0] }

my %mutants = (
	# raise_flag() without its fence: the flag may be seen before the value
	'no-fence-before-flag' => sub { $_[0] =~ s/membar\.gl;(?=[^;]*;\s*$FLAG)/blank($&)/ge },
	# flag_seen() without its fence: the value may have been read before the flag
	'no-fence-behind-flag' => sub { $_[0] =~ s/membar\.gl;(?=\s+setp)/blank($&)/ge },
	# leave_value() behind raise_flag()
	'flag-too-early' => sub {
		$_[0] =~ s/($VALUE)((?:(?!\$L__|\bbra\b).)*?membar\.gl;[^;]*;\s*$FLAG)/$2$1/gs;
	},
	# a vote in which the first lane does not take part
	'vote-without-lane-0' => sub { $_[0] =~ s/-1(;\s*vote\.sync\.ballot)/-2$1/g },
	# the mask of the lanes that have to have left something is two lanes too short
	'mask-too-short' => sub { $_[0] =~ s/31(;\s*sub\.s32[^;]*;\s*shr\.u32)/33$1/g },
);

my ($name, $from, $to) = @ARGV;
my $mutate = $mutants{ $name // '' } or die 'usage: mutate.pl ' . join('|', sort keys %mutants) . " FROM.so TO.so\n";

open my $in, '<:raw', $from or die "$from: $!";
my $library = do { local $/; <$in> };
my $length = length $library;
my $changed = 0;

$library =~ s/(\.entry _Z10scan_tiles.*?\n\}\n)/my $kernel = $1; $changed++ if $mutate->($kernel); $kernel/gse;
die "$name: nothing to change\n" if $changed == 0;
die "$name: the text got another length\n" if length $library != $length;
open my $out, '>:raw', $to or die "$to: $!";
print $out $library;
close $out or die "$to: $!";
