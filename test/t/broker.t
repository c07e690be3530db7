# broker.t: a program that was killed and does not end, as one does that sleeps in a driver
# that hangs: nobody waits for it, neither a shutdown nor a query, and no other program gets
# the ring before it has gone.
#
# What hangs is a tracer's doing: one that asked to be told of exits (PTRACE_O_TRACEEXIT)
# keeps the killed program in the middle of its end, with its memory and files.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use Cluster;

plan skip_all => 'ptrace by number is known on Linux on x86-64 alone' unless `uname -sm` eq "Linux x86_64\n";

my $conf = "shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\nscan.gpu_slots = 2\n"
	. "scan.gpu_timeout = '300ms'\n";

sub programs
{
	my ($cluster) = @_;
	my @found;
	foreach my $file (glob '/proc/[0-9]*/cmdline')
	{
		open my $in, '<', $file or next;
		my $line = readline($in) // next;
		push @found, $file =~ m{/proc/(\d+)/} if $line =~ /^\S*\/scan_gpu\0.*\Q$cluster->{folder}\E\/data/;
	}
	return @found;
}

# Keeps a process from ending once it is killed; the tracer's pid, 0: not allowed here.
sub hold
{
	my ($pid) = @_;
	pipe my $out, my $in or die $!;
	my $tracer = fork() // die $!;
	if (!$tracer)
	{
		my $seized = syscall(101, 0x4206, 0 + $pid, 0, 0x40);
		syswrite $in, $seized == 0 ? 'y' : 'n';
		sleep 1 while 1;
	}
	sysread $out, my $answer, 1;
	return $tracer if $answer eq 'y';
	kill 'KILL', $tracer;
	waitpid $tracer, 0;
	return 0;
}

sub release
{
	my ($tracer) = @_;
	kill 'KILL', $tracer;
	waitpid $tracer, 0;
	return;
}

sub becomes
{
	my ($server, $columns, $expected, $name) = @_;
	my $got = '';
	for (1 .. 160)
	{
		my ($out) = $server->run("SELECT concat_ws('|', $columns) FROM scan_status");
		chomp($got = $out);
		last if $got =~ /^$expected$/;
		sleep 0.05;
	}
	like($got, qr/^$expected$/, $name);
	return;
}

# A job that hangs, in the background.
sub hanging_job
{
	my ($server) = @_;
	my $pid = fork() // die $!;
	return $pid if $pid;
	$server->run('SET scan.device = gpu; SET scan.mock_fault = timeout; SELECT array_scan_sum(ARRAY[1,2,3])',
		go_on => 1);
	require POSIX;
	POSIX::_exit(0);
}

sub new_cluster
{
	my $cluster = Cluster->new($conf);
	becomes($cluster->{server}, 'state', 'ready', 'the mock device is ready');
	return $cluster;
}

# A fast shutdown, and how long it takes.
sub stop_is_quick
{
	my ($cluster, $name) = @_;
	my $file = "$cluster->{folder}/data/postmaster.pid";
	open my $in, '<', $file or die $!;
	chomp(my $postmaster = readline $in);
	my $start = time;
	kill 'INT', $postmaster;
	# a second, if the machine has nothing else to do; without a limit to the wait it never ends
	for (1 .. 200) { last if !-e $file; sleep 0.1 }
	ok(!-e $file, sprintf '%s: the server stops (%.1f s)', $name, time - $start);
	cmp_ok(time - $start, '<', 10, "$name: soon");
	return;
}

# ---- a broker that has to go, and one that comes

my $cluster = new_cluster();
my $server = $cluster->{server};
my ($program) = programs($cluster);
my $tracer = hold($program);
if (!$tracer)
{
	pass('ptrace is not allowed here');
	done_testing();
	exit;
}

open my $stat, '<', "/proc/$program/stat" or die $!;
kill 'TERM', (split ' ', readline $stat)[3];
becomes($server, 'state, reason',
	"waiting\\|scan_gpu \\(PID $program\\), which an earlier broker left running, has not ended yet",
	'a new broker sees the old program');
sleep 1;
is_deeply([ programs($cluster) ], [$program], 'and starts no other');
is($server->value('SET scan.device = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}', 'the CPU answers');
like($cluster->log, qr/scan_gpu \(PID $program\) was killed and does not end: the broker leaves it running/,
	'the log knows');
release($tracer);
becomes($server, 'state, free_slots', 'ready\|2', 'it ends: there is a device again');
isnt((programs($cluster))[0], $program, 'another one');

# ---- stuck, killed, and still there

($program) = programs($cluster);
$tracer = hold($program);
my $job = hanging_job($server);
becomes($server, 'state, reason',
	"waiting\\|scan_gpu \\(PID $program\\) was killed and does not end: its driver may hang",
	'a program that is stuck and does not die');
waitpid $job, 0;
is($server->value('SELECT free_slots FROM scan_status'), 1, 'the slot that it was at is nobody\'s');
my $start = time;
is($server->value('SET scan.device = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}', 'the CPU answers');
cmp_ok(time - $start, '<', 0.3, 'at once');
is_deeply([ programs($cluster) ], [$program], 'no other program is there');
release($tracer);
becomes($server, 'state, free_slots', 'ready\|2', 'it ends: it is started again, and the slot is free');

# ---- shutdowns: stuck, idle, at a job, stopped, a corpse that a debugger keeps

$tracer = hold((programs($cluster))[0]);
$job = hanging_job($server);
becomes($server, 'state, reason', "waiting\\|.*does not end: its driver may hang", 'stuck once more');
waitpid $job, 0;
stop_is_quick($cluster, 'a program that was killed before');
release($tracer);

$cluster = new_cluster();
$tracer = hold((programs($cluster))[0]);
stop_is_quick($cluster, 'an idle program');
like($cluster->log, qr/the broker leaves it running/, 'and the log knows');
release($tracer);

$cluster = new_cluster();
$tracer = hold((programs($cluster))[0]);
$job = hanging_job($cluster->{server});
sleep 0.2;
stop_is_quick($cluster, 'a program at a job');
waitpid $job, 0;
release($tracer);

# a start that is stopped in the middle: whatever it has come to
$cluster = new_cluster();
($program) = programs($cluster);
kill 'KILL', $program;
for (1 .. 2000)
{
	my ($next) = programs($cluster);
	if ($next && $next != $program) { $program = $next; kill 'STOP', $program; last }
	sleep 0.002
}
$tracer = hold($program);
stop_is_quick($cluster, 'a program that starts');
release($tracer);

for (1 .. 50) { last if !programs($cluster); sleep 0.1 }
is_deeply([ programs($cluster) ], [], 'nothing is left in the end');

done_testing();
