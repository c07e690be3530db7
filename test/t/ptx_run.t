# ptx_run.t: what nvcc makes of the kernels answers what the CPU answers, instruction by instruction.
#
# No GPU is needed, but nvcc is: test/gpu/ptx interprets its PTX (see test/gpu/README.md).  Every line is run with
# sizes about a warp and a tile, and with several tiles, NULLs, heads and sorted keys.  Then the look-back is
# broken on purpose, and the interpreter has to find it: what it cannot find nobody can rely on.
#
# SCAN_TEST_LARGE=1 runs ten times as many columns.
use strict;
use warnings;
use Test::More;
use File::Basename;
use lib dirname(__FILE__);
use Ptx;

my $build = ptx_build('interpreted', 'nvcc makes the library, and the interpreter is there');

# Runs check; what it says of errors, and how many tests were well.
sub check
{
	my ($library, $size, %environment) = @_;
	# each buffer is an allocation of its own: the interpreter knows where it ends, and what was never written
	local %ENV = (%ENV, SCAN_GPU_CHECK => 2, %environment);
	my @lines = split /\n/, `timeout 3000 $build/check $library $size 2>&1`;
	my $ended = $? == 0 ? '' : "ended with $?";
	my @wrong = grep { /^(not ok|Bail out|#.*: row |ptx: )/ } @lines;

	return (join("\n", @wrong, $ended), scalar(grep { /^ok / } @lines));
}

# ---- every line ----

my $table = "$build/ptx_table.txt";
unlink $table;
my ($wrong, $good) = check("$build/scan_ptx.so", $ENV{SCAN_TEST_LARGE} ? 'few' : 'least', SCAN_PTX_TABLE => $table);
is($wrong, '', 'all lines, bit for bit');
cmp_ok($good, '>', 30, 'lines were run');

my ($blocks, $executed, @not_run) = (0, 0);
open my $file, '<', $table or die "$table: $!";
while (<$file>)
{
	my ($kernel, $launches, $of_blocks, $instructions) = split /\t/;

	push @not_run, $kernel if $launches == 0 && $kernel !~ /EmptyKernel/;
	$blocks += $of_blocks;
	$executed += $instructions;
}
is(join("\n", @not_run), '', 'every kernel ran');
diag("$blocks blocks, $executed instructions of threads");

# other random numbers, and other rubbish where nothing has been written
($wrong) = check("$build/scan_ptx.so", 'least sum', SCAN_PTX_SEED => 2, SCAN_PTX_RUBBISH => '0x5a');
is($wrong, '', 'sums, in another order and on other rubbish');

# ---- errors of CUDA's ----

my $errors = `timeout 1200 $build/errors $build/scan_ptx.so 2>&1`;
is($?, 0, 'errors: ended well');
like($errors, qr/^1\.\.\d+$/m, 'to the end');
unlike($errors, qr/^(not ok|Bail out|ptx: )/m, 'each kind of error has its code, and the next job is right')
	or diag($errors);

# ---- mutants ----

# what is wrong, and the lines that can show it: large accumulators, or those that go out with their flag
my @mutants = (
	[ 'no-release', 'smoke counter' ],
	[ 'no-acquire', 'smoke counter' ],
	[ 'flag-too-early', 'smoke counter' ],
	[ 'flag-of-one-word', 'smoke bit_xor' ],
	[ 'vote-without-lane-0', 'smoke count' ],
	[ 'mask-too-short', 'smoke count' ],
);
for (@mutants)
{
	my ($mutant, $lines) = @$_;
	my ($found, $seed) = ('', 0);

	is(system("$^X test/gpu/ptx/mutate.pl $mutant $build/scan_ptx.so $build/scan_mutant.so"), 0, "$mutant: made");
	($found) = check("$build/scan_mutant.so", $lines, SCAN_PTX_SEED => $seed) while $found eq '' && $seed++ < 4;
	isnt($found, '', "$mutant: found, with seed $seed");
	unlike($found, qr/unknown/, "$mutant: ran");
}

done_testing();
