# gpu_bundle.t: run.sh of test/gpu ends, whatever its parts do: each has its time and no more, what it leaves behind is
# ended, and the files that come back say so.
#
# The programs are shell scripts here.  That they hang ends this test only where run.sh does not end them.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Basename;
use File::Glob ':bsd_glob';
use File::Temp qw(tempdir);
use Test::More;

chdir dirname(__FILE__) . '/../..' or die $!;

my $run = getcwd() . '/test/gpu/run.sh';
my $bundle = tempdir('a bundle XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $out = "$bundle/out";
mkdir "$bundle/programs" or die $!;

sub program
{
	my ($name, $script) = @_;

	open my $file, '>', "$bundle/programs/$name" or die $!;
	print $file "#!/bin/sh\n$script";
	close $file;
	chmod 0755, "$bundle/programs/$name";
}

# What run.sh prints, its exit status, and the files of its results by name.
sub run
{
	my (%environment) = @_;
	local %ENV = (%ENV, SCAN_BUNDLE => '.', KILL_AFTER => 0.2, %environment);
	my $said = `cd '$bundle' && timeout 120 '$run' out 2>&1`;
	my $status = $? >> 8;
	my %file;
	for my $name (split /\n/, `tar -tzf '$out/results.tar.gz'`)
	{
		$file{$1} = `tar -xOzf '$out/results.tar.gz' '$name'` if $name =~ m{^results/(.+)};
	}
	return ($said, $status, \%file);
}

sub content
{
	my ($path) = @_;
	open my $file, '<', $path or return '';
	local $/;
	return <$file> // '';
}

# The pid in a file, if its process runs: none that nobody has waited for yet.
sub runs
{
	my ($pid) = content($_[0]) =~ /^(\d+)/ or return 'no pid';
	return content("/proc/$pid/stat") =~ /^\d+ \(.*\) [^ZX]/ ? $pid : '';
}

# smoke ignores signals, and leaves a process of another group and session; jobs leaves one and ends well
my $leave = "setsid sh -c 'trap \"\" TERM; echo \$\$ >\"\$0\"; exec sleep 1000' '$bundle/pid.PART' >/dev/null 2>&1 &\n"
  . "while [ ! -s '$bundle/pid.PART' ]; do sleep 0.01; done\n";
program('check', ($leave =~ s/PART/smoke/gr) . "trap '' TERM\necho looks back\nwhile :; do sleep 0.2; done\n");
program('classics', "echo not ok 1 - a scan\nexit 3\n");
program('soak', "exec sleep 1000\n");
program('jobs', ($leave =~ s/PART/jobs/gr) . "tar -tzf '$out/results.tar.gz' >'$bundle/meanwhile'\n");
program('bench', "echo '| a copy |'\necho 'bench,\"a copy\",7,ms,1.5' >>\"\$SCAN_TABLE\"\n");

my ($said, $status, $file) = run(PARTS => 'smoke soak jobs bench', LIMITS => 'smoke=2 soak=1');
is($status, 1, 'parts hang: all has failed');
my $summary = content("$out/summary.txt");
like($summary, qr/^smoke +KILLED: its 2 s were up/m, 'one that ignores signals is killed');
like($summary, qr/^    looks back$/m, 'and what it said last is told');
like($summary, qr/^soak +KILLED: its 1 s were up/m, 'so is one that does not');
like($summary, qr/^jobs +ok.*\nbench +ok/m, 'the others go on');
is(runs("$bundle/pid.$_"), '', "what $_ left behind is gone") for qw(smoke jobs);
is(substr($said, -length $summary), $summary, 'the summary is printed last');
like(content("$bundle/meanwhile"), qr/^results\/smoke\.txt$/m, 'what is there is handed over after each part');
is($file->{'summary.txt'}, $summary, 'the archive has it');
is($file->{'bench.txt'}, "| a copy |\n", 'and what each part said');
my $table = content("$out/table.csv");
is($file->{'table.csv'}, $table, 'and the table');
like($table, qr/\Apart,what,rows,measure,value\n/, 'which has a heading,');
like($table, qr/^bench,"a copy",7,ms,1\.5$/m, 'figures of a part');
like($table, qr/^run,"smoke",0,s,\d+$/m, 'and how long each took');
is(join(' ', sort map { basename $_ } glob "$out/*"), 'results.tar.gz summary.txt table.csv', 'three files come back');

($said, $status) = run(PARTS => 'bench');
is($status, 0, 'no part fails: nor does all');
($said, $status) = run(PARTS => 'classics nonsense bench');
is($status, 1, 'one fails: so does all');
like(
	content("$out/summary.txt"),
	qr/^classics +FAILED \(3\), \d+ s\n    not ok 1 - a scan\nnonsense +FAILED \(2\).*\n.* no part nonsense\nbench +ok/m,
	'which is told from those that hang, and so is a part that there is none of');
($said, $status, $file) = run(PARTS => 'bench classics', TOTAL => 0);
is($status, 1, 'no time is left: that is a failure');
like(content("$out/summary.txt"), qr/^bench +NOT RUN.*\nclassics +NOT RUN/m, 'and is said of each part');
ok(!defined $file->{'bench.txt'}, 'which did not run');

done_testing();
