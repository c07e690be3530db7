# fast_math: flags that break the proofs of the floats do not get far.
#
# The build refuses them, as far as the compiler tells by a macro that they are on
# (src/op/fn.h).  And should a compiler not tell, the laws would: with the guard
# disarmed, exact.c fails.  Needs a compiler, and no server.
#
# Not here, since no law fails by it: -ffp-contract=fast (tried with -mfma).  The
# proofs that hold today write out the fma they mean and have no other sum of a
# product that must not be one; the Makefile's -ffp-contract=off keeps it so for code
# to come.

use strict;
use warnings;
use FindBin;
use Test::More;
use File::Temp qw(tempdir);

chdir "$FindBin::Bin/../.." or die $!;

my $cc = $ENV{CC} // 'cc';
my $folder = tempdir(CLEANUP => 1);
my $reassociate = '-fassociative-math -fno-signed-zeros -fno-trapping-math';

# The status of a command, and what it said.
sub run
{
	my ($command) = @_;
	my $said = `$command 2>&1`;
	return ($? >> 8, $said);
}

sub compile
{
	my ($code, $flags) = @_;
	open my $out, '>', "$folder/code.c" or die $!;
	print $out $code;
	close $out;
	return run("$cc -std=gnu99 -O2 $flags -Isrc -fsyntax-only $folder/code.c");
}

# Whether the compiler has the flag, and predefines other macros with it.
sub knows
{
	my ($flags) = @_;
	my ($status) = compile("#include <limits.h>\n#include <math.h>\n", $flags);
	return $status == 0;
}

sub tells
{
	my ($flags) = @_;
	my (undef, $plain) = run("$cc -O2 -dM -E -x c /dev/null | sort");
	my (undef, $with) = run("$cc -O2 $flags -dM -E -x c /dev/null | sort");
	return $plain ne $with;
}

my ($float_flags) = map { /^FLOAT_FLAGS :?= (.*)/ ? $1 : () } do { open my $in, '<', 'Makefile' or die $!; <$in> };
my (undef, $macros) = run("$cc -dM -E -x c /dev/null");
my $is_gcc = $macros =~ /__GNUC__/ && $macros !~ /__clang__/;

plan skip_all => "no compiler: $cc" unless knows('');
ok(defined $float_flags, 'the Makefile says how floats are compiled');

my ($status, $said) = compile(qq{#include "op/fn.h"\n}, $float_flags);
is($status, 0, 'the build takes its own flags') or diag($said);

# ---- what is refused, and how

my $fast = qr/scan must not be built with -ffast-math/;
my $wide = qr/scan needs arithmetic in the type's own precision/;

for (
	[ '-ffast-math', $fast ],
	[ '-Ofast', $fast, 'alone' ],
	[ $reassociate, $fast ],
	[ '-ffinite-math-only', $fast ],
	[ '-freciprocal-math', $fast ],
	[ '-funsafe-math-optimizations', $fast ],
	[ '-mfpmath=387', $wide ],
	[ '-m32 -mfpmath=387', $wide ])
{
	my ($flags, $words, $alone) = @$_;
  SKIP:
	{
		skip "$cc does not know $flags", 2 unless knows($flags);

		# gcc tells of all of them; clang keeps some to itself, and then the laws have to do
		skip "$cc does not tell of $flags", 2 unless $is_gcc || tells($flags);

		# behind the Makefile's own flags, as a user's would be; -Ofast is undone by those
		my ($status, $said) = compile(qq{#include "op/fn.h"\n}, $alone ? $flags : "$float_flags $flags");
		isnt($status, 0, "$flags is refused");
		like($said, $words, "$flags is refused for what it is");
	}
}

# ---- what the laws say to a compiler that does not tell

# The "ok" and "not ok" lines of exact.c, built with some flags.
sub exact_sums
{
	my ($flags) = @_;
	my ($status, $said) =
		run("$cc -std=c99 -D_DEFAULT_SOURCE -O2 $flags -Isrc -o $folder/exact test/law/exact.c src/cpu/*.c -lm");
	is($status, 0, "exact.c compiles with $flags") or diag($said);
	($status, $said) = run("$folder/exact cc few");
	return ($status, scalar(() = $said =~ /^ok /mg), scalar(() = $said =~ /^not ok /mg));
}

my ($good, $right, $wrong) = exact_sums($float_flags);
is($good, 0, 'sums hold with the flags of the Makefile');
is($wrong, 0, 'all of them');
cmp_ok($right, '>', 30, 'and they are many');

SKIP:
{
	skip "$cc does not know $reassociate", 4 unless knows($reassociate);
	my ($bad, $still, $broken) = exact_sums("$float_flags $reassociate -U__ASSOCIATIVE_MATH__");
	isnt($bad, 0, 'sums do not hold where the compiler reassociates');
	cmp_ok($broken, '>', 10, 'most kinds of them');
	is($still + $broken, $right, 'and all kinds were tried');
}

done_testing();
