# progress.t: test/progress.sh tells what a script is doing: when a step begins, while it takes long, and how long it
# took; test/run.sh knows which test files run; test/cluster.sh can be told to be quiet.

use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);
use Time::HiRes qw(time);

chdir dirname(__FILE__) . '/../..' or die $!;
my $folder = tempdir(CLEANUP => 1);

# What a script prints that sources progress.sh: standard output and standard error in one.
sub printed
{
	my ($script) = @_;
	my $file = "$folder/script.sh";

	open my $out, '>', $file or die $!;
	print $out "set -euo pipefail\nsource test/progress.sh\n$script";
	close $out;
	return scalar `bash $file 2>&1`;
}

like(printed('begin "cooking (an hour)"; end'), qr/\Ascript: cooking \(an hour\) \.\.\.\nscript: cooking: \d+ s\n\z/,
	'a step that ends at once');
like(printed('detail() { echo "$((6 * 7)) eggs"; }; progress_every=2; begin "cooking (an hour)" detail; sleep 4; end'),
	qr/\Ascript: cooking \(an hour\) \.\.\.\n(script: cooking \.\.\. \d+ s: 42 eggs\n)+script: cooking: \d+ s\n\z/,
	'a step that takes long');
is(printed('progress_after=30; begin cooking; end'), '', 'a step that need not be told of');
like(printed('progress_after=1; begin cooking; sleep 4; end'), qr/\Ascript: cooking \.\.\.\nscript: cooking: \d+ s\n\z/,
	'a step that is told of late');
like(printed('progress_every=1; begin_silently cooking; sleep 3; end'),
	qr/\A(script: cooking \.\.\. \d+ s\n)+script: cooking: \d+ s\n\z/, 'a step without a first line');
is(printed("progress_every=6; progress_log=$folder/log; begin_silently cooking; for i in 1 2 3 4 5 6 7 8; "
		. "do echo \$i | tee -a $folder/log; sleep 1; done; end_silently"), "1\n2\n3\n4\n5\n6\n7\n8\n",
	'nothing is said while there is output');

my $began = time;
like(printed('begin cooking; exit 1'), qr/\Ascript: cooking \.\.\.\n\z/, 'a step that fails');
cmp_ok(time - $began, '<', 30, '... and what watched it has ended with it');

# many steps, because the process that watches has to be ended in its first moments
is(printed('trap "end_silently; echo the end" EXIT; progress_after=30; for i in $(seq 200); '
		. 'do begin cooking; end; done'), "the end\n", 'a step leaves the trap of EXIT to the script');

# run.sh finds the test files by their processes
open my $in, '<', 'test/run.sh' or die $!;
my ($function) = do { local $/; <$in> } =~ /^(running_tests\(\) \{\n.*?^\}\n)/ms;
like(printed("export SCAN_TEST_RUN=\$\$\n$function"
		. "mkdir -p $folder/test/t; cd $folder; echo 'sleep 60' | tee test/t/one.t >test/t/other.t"
		. '; perl test/t/one.t & perl test/t/other.t & sleep 2; running_tests; kill $(jobs -p)'),
	qr/\A(?:one|other)\.t \(\d+ s\), (?:one|other)\.t \(\d+ s\)$/, 'the test files that run');

# a server that does not start
my $slow = 'SCAN_CLUSTER_CONF="no_such_setting = on" test/cluster.sh true 2>&1';
like(scalar `SCAN_CLUSTER_QUIET=1 $slow`, qr/\Acluster: starting the server failed:/,
	'a quiet cluster.sh tells of a failure only');
like(scalar `$slow`, qr/^cluster: starting the server failed:/m, 'and one that is not quiet tells of it too');

done_testing();
