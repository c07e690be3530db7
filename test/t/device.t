# device.t: the kernels of the CUDA library, run on the CPU.
#
# No GPU is needed: test/gpu/emulate.h gives the words of gpu/port.cuh another meaning, and
# the library that comes of it has to answer what src/cpu answers.  The mock device goes by the
# same check, so that the check itself is known to agree with it.
use strict;
use warnings;
use Test::More;
use File::Basename;

chdir dirname(__FILE__) . '/../..' or die $!;

plan skip_all => 'the emulator is for x86-64' unless `uname -m` eq "x86_64\n";
plan skip_all => 'no C++ compiler' if system('c++ --version >/dev/null 2>&1') != 0;

my $build = 'test/gpu/build';
# one at a time: device.t and ptx_*.t make some of the same files
my $made = `mkdir -p $build && flock $build/lock make -s -j 2 -f test/gpu/Makefile emulated 2>&1`;
is($?, 0, 'the kernels compile as C++') or diag($made), done_testing, exit;

sub check
{
	my ($title, $command) = @_;
	my @lines = split /\n/, `$command 2>&1`;
	is($?, 0, "$title: ended well");
	cmp_ok(scalar(grep { /^ok / } @lines), '>', 0, "$title: something was checked");
	my @wrong = grep { /^(not ok|Bail out|#.*: row )/ } @lines;
	is("@wrong", '', $title);
}

check('the mock device', "$build/check $build/scan_mock.so few");
check('the kernels, many blocks at once', "SCAN_EMULATE_BLOCKS=40 $build/check $build/scan_emulated.so least");
check('the kernels, one block at a time, a ring that cannot be pinned',
	"SCAN_EMULATE_UNPINNED=1 $build/check $build/scan_emulated.so tiny sum");

# each buffer between red zones; and a library that writes one element beside a buffer, which nothing else here sees
check('the kernels, with red zones', "SCAN_GPU_CHECK=1 $build/check $build/scan_emulated.so tiny keys");
for ([ 'past_end', qr/(\d+) of ordered input 1, which has \1/ ],
	[ 'before_begin', qr/-\d+ of ordered input 1, which has \d+/ ])
{
	my ($mutant, $byte) = @$_;
	my $said = `SCAN_GPU_CHECK=1 SCAN_MEASURE_ROWS=0 $build/check $build/scan_$mutant.so tiny keys 2>&1`;
	cmp_ok($?, '>', 0, "$mutant: it fails");
	like($said, qr/: error while writing to byte $byte bytes: another error$/m, "$mutant: it says where");
	my $measuring =
		'error while measuring sort, writing to byte -?\d+ of ordered input 1, which has 8192 bytes';
	like(`SCAN_GPU_CHECK=1 $build/check $build/scan_$mutant.so smoke 2>&1`,
		qr/^Bail out! no device: $measuring: another error$/m,
		"$mutant: also where the device is opened");
}

check('the classical scans', "SCAN_EMULATE_BLOCKS=20 $build/classics_emulated few");

# what a bundle runs before anything else, and a few runs of what it runs for minutes
check('every line once', "$build/check $build/scan_mock.so smoke");
check('the same again', "SCAN_EMULATE_BLOCKS=20 $build/soak $build/scan_emulated.so 9001 4");

check('a ring of more than 1 GiB', "$build/pinned $build/scan_emulated.so");
my @pinned = `SCAN_EMULATE_SAY=1 $build/pinned $build/scan_emulated.so 2>&1` =~ /^emulate: pinned (\d+) bytes$/mg;
is($pinned[4], 21 << 20, 'a job that ends at 20 MiB of its slot has little more than that pinned') or diag("@pinned");
check('a ring of more than 1 GiB that cannot be pinned',
	"SCAN_EMULATE_UNPINNED=1 $build/pinned $build/scan_emulated.so");
check('a ring of which no more than 100 MB of a slot can be pinned',
	"SCAN_EMULATE_UNPINNED=100000000 $build/pinned $build/scan_emulated.so");
# nothing that they time means anything here
my $bench = `SCAN_EMULATE_BLOCKS=20 $build/bench_emulated 10007 2>&1`;
is($?, 0, 'the benchmark');
like($bench, qr/^# all answered$/m, 'it gets to its end');
unlike($bench, qr/^bench:/m, 'the answers agree');
like($bench, qr/^\| $_->[0] +\|.*\| $_->[1] % +\|$/m, "its target for $_->[0]")
	for [ 'sum int8', 75 ], [ 'sum int8, segments', 65 ], [ 'sum float8, exact', 50 ];
my $jobs = `SCAN_EMULATE_BLOCKS=20 $build/jobs $build/scan_emulated.so 10007 2>&1`;
is($?, 0, 'whole jobs');
like($jobs, qr/^In a server a row by keys takes .* more/m, 'to their end, and they say what they leave out');

# Each of them fails where answers are wrong, or there are none: the mock device lies, and has no room.
sub fails
{
	my ($title, $command, $message) = @_;
	my $said = `$command 2>&1`;
	cmp_ok($?, '>', 0, "$title: it fails");
	like($said, $message, "$title: it says why");
}

fails('jobs, a wrong value', "SCAN_FAULT=6 $build/jobs $build/scan_mock.so 4000",
	qr/^jobs: .*: other answers than the CPU's/m);
fails('jobs, no room', "SCAN_FAULT=1 $build/jobs $build/scan_mock.so 4000", qr/^jobs: .*: no answer, code 2$/m);
fails('soak, a wrong value', "SCAN_FAULT=6 $build/soak $build/scan_mock.so 3000 6",
	qr/^# sum int8: row \d+ is not the CPU's/m);
fails('soak, no room', "SCAN_FAULT=1 $build/soak $build/scan_mock.so 3000 6 sum", qr/^# sum int8, run 0: code 2/m);
fails("$_, no device", "SCAN_EMULATE_ABSENT=1 $build/$_", qr/no device: /)
	for 'bench_emulated', map { "$_ $build/scan_emulated.so" } qw(check soak jobs pinned);

# What is proved in some runs and not in others is no failure: fault 9 of every second job.
my $unproven = `SCAN_FAULT=9 SCAN_FAULT_EVERY=2 $build/soak $build/scan_mock.so 3000 6 sum 2>&1`;
is($?, 0, 'soak, every second job not proven: it does not fail');
like($unproven, qr/^ok sum int8: 6 jobs of 3000 rows, 3 not proven$/m, '... and says how many');

my @another = grep { /^# .*, run \d+: row \d+ is another than in the first run, done 3000 of 3000, status 0$/ }
  split /\n/, `SCAN_FAULT=6 SCAN_FAULT_EVERY=7 $build/soak $build/scan_mock.so 3000 20`;
cmp_ok($?, '>', 0, 'soak, another value in every seventh job: it fails');
cmp_ok(scalar(@another), '>=', 40, 'and says where');

# The emulator's clock says a millisecond for everything: what a row takes tells how many were measured.
sub measured
{
	my ($rows) = @_;
	my ($sort) = `SCAN_MEASURE_ROWS=$rows $build/check $build/scan_emulated.so smoke none 2>&1`
		=~ /, a row of a sort ([0-9.]+) ns/;
	return int(1e6 / $sort + 0.5);
}

is(join(' ', map { measured($_) } 'few', 1, 2500, 1000000), '5000 1024 2500 5000', 'SCAN_MEASURE_ROWS');

like(`$build/check $build/scan_emulated.so smoke none 2>&1`, qr/, with keys [1-9]\d* us and [1-9]\d* us an operation,/m,
	'the fixed times of jobs with keys');

# Without a measurement there are nominal rates.  One line can be chosen.
like(`SCAN_MEASURE_ROWS=0 $build/check $build/scan_emulated.so smoke none 2>&1`,
	qr/a job 100 us, .*, a row of a sort 0\.100 ns$/m, 'SCAN_MEASURE_ROWS=0');
my $one = `SCAN_MEASURE_LINE='count(bool)' $build/check $build/scan_emulated.so smoke 2>&1`;
is(join(' ', $one =~ /^ok (?:\d+ - )?line (\w+ \w+): /mg), 'count bool', 'SCAN_MEASURE_LINE: one line runs');
like($one, qr/^ok a job by keys # skip/m, '... and no sort');
like(`SCAN_MEASURE_LINE=count $build/check $build/scan_emulated.so smoke 2>&1`,
	qr/^Bail out! no device: SCAN_MEASURE_LINE is not the name of a line$/m, 'no such line');

# The reason why there is no device says what this user lacks.
use File::Temp;
my $dev = File::Temp->newdir;
system("touch $dev/nvidia0 $dev/nvidia-uvm");
my $absent = `SCAN_EMULATE_DEV=$dev SCAN_EMULATE_ABSENT=1 $build/check $build/scan_emulated.so smoke 2>&1`;
my $none = 'no device is there(?:; libcuda\.so\.1 cannot be loaded)?';
like($absent, qr{^Bail out! no device: error while selecting the device: $none; $dev/nvidiactl is missing$}m,
	'a device file that is missing');
rename "$dev/nvidia0", "$dev/nvidia3" or die $!;
like(`SCAN_EMULATE_DEV=$dev SCAN_EMULATE_ABSENT=1 $build/check $build/scan_emulated.so smoke 2>&1`,
	qr{no device is there(?:; libcuda\.so\.1 cannot be loaded)?; $dev/nvidiactl is missing$}m,
	'a container that has only the card nvidia3');
rename "$dev/nvidia3", "$dev/nvidia0" or die $!;
SKIP:
{
	skip 'root may open any file', 1 if $> == 0;
	chmod 0, "$dev/nvidia0";
	like(`SCAN_EMULATE_DEV=$dev SCAN_EMULATE_ABSENT=1 $build/check $build/scan_emulated.so smoke 2>&1`,
		qr{; $dev/nvidia0 is not accessible; }, 'one that is another user\'s');
}

# Where cores are few, the thread that waits for the device sleeps.
chomp(my $cores = `nproc`);
my $flags = `SCAN_EMULATE_SAY=1 SCAN_MEASURE_ROWS=0 $build/check $build/scan_emulated.so smoke none 2>&1`;
is($flags =~ /^emulate: flags 4, before the context$/m ? 'sleeps' : 'spins', $cores <= 4 ? 'sleeps' : 'spins',
	"how it waits on $cores cores");

done_testing();
