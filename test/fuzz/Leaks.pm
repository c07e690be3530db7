# Leaks.pm: what a session may not keep: memory, descriptors, files, locks, cursors.
#
# Files, locks and cursors are looked for whenever a session is idle.  Memory cannot be
# judged by random queries, which fill caches: so the same trials are run over and over, and
# once the caches are warm the contexts, the process and its descriptors must stay as they are.
package Leaks;

use strict;
use warnings;
use Trial;

my $warm = 4;         # rounds that fill caches
my $rounds = 12;      # rounds that may keep nothing
my $bytes = 8192;     # by which contexts may differ all the same
my $pages = 256;      # and the process

# What an idle session has left, in words.
sub left
{
	my ($session, $folder) = @_;
	my ($pid) = $session->ask('SELECT pg_backend_pid();') or return;
	$session->{backend} = $pid; # \connect makes a new one
	my @left = map { "the file $_" } glob "$folder/data/base/pgsql_tmp/pgsql_tmp$pid.* $folder/data/pg_tblspc/*/*/pgsql_tmp/pgsql_tmp$pid.*";
	push @left, $session->ask(<<'SQL');
SELECT 'the lock ' || l::text FROM pg_locks AS l WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid' AND coalesce(relation, 0) NOT IN ('pg_locks'::regclass, 'pg_cursors'::regclass)
UNION ALL SELECT 'the cursor ' || name FROM pg_cursors;
SQL
	return @left;
}

# Bytes in contexts (but for what waits to be told to the statistics, and comes and goes), pages of the process's own, descriptors.
sub _size
{
	my ($session) = @_;
	my ($contexts) = $session->ask("SELECT sum(used_bytes) FROM pg_backend_memory_contexts WHERE name <> 'PgStat Pending';");
	my $proc = "/proc/$session->{backend}";
	open my $in, '<', "$proc/statm" or return;
	my (undef, $resident, $shared) = split ' ', readline $in;
	return if ($contexts // '') !~ /^\d+$/;
	return ($contexts, $resident - $shared, scalar(() = glob "$proc/fd/*"));
}

# Runs trials in rounds; answers what grows, in words.
sub grows
{
	my ($session, @trials) = @_;
	my $script = join '', map { Trial::script($_) } @trials;
	my @before;
	my @growth;
	$session->ask($script) for 1 .. $warm;
	# twice, since what grows once may be a cache still
	for (1 .. 2)
	{
		@before = _size($session);
		$session->ask($script) for 1 .. $rounds;
		my @after = _size($session);
		# it may have been ended, but nothing else
		return $session->{alive} ? 'no sizes' : () if !@before || !@after;
		push @growth, [ map { $after[$_] - $before[$_] } 0 .. 2 ];
	}
	my @least = map { my $i = $_; $growth[0][$i] < $growth[1][$i] ? $growth[0][$i] : $growth[1][$i] } 0 .. 2;
	my @grows;
	push @grows, "$least[0] bytes in memory contexts" if $least[0] > $bytes;
	push @grows, "$least[1] pages of the process" if $least[1] > $pages;
	push @grows, "$least[2] descriptors" if $least[2] >= $rounds;
	return map { "$_ in $rounds rounds" } @grows;
}

1;
