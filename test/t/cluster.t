# cluster.t: test/cluster.sh keeps its promise to leave nothing behind, however
# it ends: the other tests and the demo trust a server to it on every run.

use strict;
use warnings;
use Test::More;
use File::Basename qw(dirname);
use File::Temp qw(tempdir);

my $cluster = dirname(__FILE__) . '/../cluster.sh';

# Runs cluster.sh with a command that notes its folder; `signal` is sent to the
# script once the command runs.  Returns what waitpid says, and the folder.
sub run_cluster
{
	my ($command, $signal) = @_;
	my $note = tempdir(CLEANUP => 1) . '/folder';
	my $pid = fork() // die "fork: $!";
	if (!$pid)
	{
		open STDERR, '>', '/dev/null' or die "stderr: $!";
		$ENV{SCAN_NOTE} = $note;
		exec $cluster, 'bash', '-c', "dirname \"\$PGHOST\" >\"\$SCAN_NOTE\"; $command" or die "exec: $!";
	}
	if ($signal)
	{
		select(undef, undef, undef, 0.1) until -s $note;
		kill $signal, $pid;
	}
	waitpid $pid, 0;
	my $status = $?;
	open my $in, '<', $note or return ($status, undef);
	chomp(my $folder = <$in>);
	return ($status, $folder);
}

# What `ps` would say, which a bare Debian does not have.
sub command_lines
{
	my @lines;
	foreach my $file (glob '/proc/[0-9]*/cmdline')
	{
		open my $in, '<', $file or next;    # gone meanwhile
		push @lines, scalar <$in> // ();
	}
	return @lines;
}

sub leaves_nothing
{
	my ($folder, $how) = @_;
	like($folder, qr{^/tmp/scan\.\w+$}, "$how: it had a folder of its own");
	ok(!-e $folder, "$how: the folder is gone");
	is_deeply([ grep { /\Q$folder\E/ } command_lines() ], [], "$how: no process is left");
}

my ($status, $folder) = run_cluster('psql -X -c "SELECT 1" >/dev/null; exit 7');
is($status >> 8, 7, 'the exit status of the command is passed on');
leaves_nothing($folder, 'after a failing command');

($status, $folder) = run_cluster('exec sleep 60', 'TERM');
isnt($status, 0, 'a killed run is no success');
leaves_nothing($folder, 'after SIGTERM');

# SIGINT is the postmaster's fast shutdown; pg_ctl would refuse root.
($status, $folder) = run_cluster('cd "$(dirname "$PGHOST")/data"; kill -INT "$(head -n 1 postmaster.pid)";'
	  . ' while [ -e postmaster.pid ]; do sleep 0.1; done');
is($status, 0, 'a command may stop the server');
leaves_nothing($folder, 'after a command that stopped the server');

{
	local $ENV{SCAN_CLUSTER_CONF} = 'no_such_setting = on';
	($status, $folder) = run_cluster('true');
	isnt($status, 0, 'a server that does not start is a failure');
	is($folder, undef, 'and the command is not run');
}

done_testing();
