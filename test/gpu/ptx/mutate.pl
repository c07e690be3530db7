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

my $FLAG = qr/st\.release\.gpu\.global\.u32[^;]*;/;
my $VALUE = qr/st\.global\.cg\.u32[^;]*;/;

# An instruction in the place of another.
sub instead
{
	my ($new, $old) = @_;
	return $new . ' ' x (length($old) - length($new));
}

my %mutants = (
	# raise_flag() without its release: the flag may be seen before the value
	'no-release' => sub { $_[0] =~ s/st\.release\.gpu/st.relaxed.gpu/g },
	# look_at_flag() without its acquire: the value may have been read before the flag
	'no-acquire' => sub { $_[0] =~ s/ld\.acquire\.gpu/ld.relaxed.gpu/g },
	# leave_value() behind raise_flag()
	'flag-too-early' => sub {
		$_[0] =~ s/($VALUE)((?:(?!\$L__|\bbra\b).)*?$FLAG)/$2$1/gs;
	},
	# the flag of a pair's first word is believed for the second too
	'flag-of-one-word' => sub {
		my $load = 'ld\.relaxed\.gpu\.global\.v2(?:(?!\$L__).)*?';
		my $choice = 'selp\.b32\s+(%\w+), (%\w+), 0, %\w+;';
		$_[0] =~ s/($load)($choice)/$1 . instead("mov.b32 $3, $4;", $2)/gse;
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
