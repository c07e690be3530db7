# Leaks.pm: what a session may not keep: memory, descriptors, files, locks, cursors.
#
# Files, locks and cursors are looked for whenever a session is idle.  Memory cannot be
# judged by random queries, which fill caches: so the same trials are run over and over, and
# once the caches are warm the contexts, the process and its descriptors must stay as they are.
package Leaks;

use strict;
use warnings;
use List::Util qw(min);
use Trial;

my $warm = 4;         # rounds that fill caches
my $rounds = 12;      # rounds that may keep nothing
my $measurements = 5; # of as many rounds each
my $bytes = 8192;     # by which a context may differ all the same
my %most = ('pages of the process' => 256, descriptors => $rounds - 1);

# What an idle session has left, in words.
sub left
{
	my ($session, $folder) = @_;
	my ($pid) = $session->ask('SELECT pg_backend_pid();') or return;
	$session->{backend} = $pid; # \connect makes a new one
	my @left = map { "the file $_" }
		glob "$folder/data/base/pgsql_tmp/pgsql_tmp$pid.* $folder/data/pg_tblspc/*/*/pgsql_tmp/pgsql_tmp$pid.*";
	push @left, $session->ask(<<'SQL');
SELECT 'the lock ' || l::text FROM pg_locks AS l WHERE pid = pg_backend_pid() AND locktype <> 'virtualxid'
  AND coalesce(relation, 0) NOT IN ('pg_locks'::regclass, 'pg_cursors'::regclass)
UNION ALL SELECT 'the cursor ' || name FROM pg_cursors;
SQL
	return @left;
}

# What a session has: bytes in contexts by their names, pages of the process's own, descriptors.
# What waits to be told to the statistics comes and goes, and is left out.
sub _size
{
	my ($session) = @_;
	my $sql = "SELECT 'bytes in the context ' || name || E'\\t' || sum(used_bytes) FROM pg_backend_memory_contexts "
		. "WHERE name <> 'PgStat Pending' GROUP BY name;";
	my %size;
	# another process cancels statements: this one, too
	for (1 .. 3) { %size = map { split /\t/ } $session->ask($sql) if !%size }
	my $proc = "/proc/$session->{backend}";
	open my $in, '<', "$proc/statm" or return;
	my (undef, $resident, $shared) = split ' ', readline $in;
	return if !%size || !$session->{alive};
	return { %size, 'pages of the process' => $resident - $shared, descriptors => scalar(() = glob "$proc/fd/*") };
}

# Returns the first eight trials that one session can repeat, or none if there are fewer.
# A trial that needs a new connection leaves nothing behind, and core keeps relations that
# were made and rolled back.
sub fit
{
	my (@trials) = @_;
	my @fit = grep { !$_->{limited} && !$_->{ddl} && !$_->{first} } @trials;
	return @fit >= 8 ? @fit[ 0 .. 7 ] : ();
}

# Runs trials in rounds; returns what grows, in words.
#
# When another session alters a table, core empties the caches of this session, and they
# grow again by 20 kB and more.  So each context is measured by itself, and a leak is only
# what grows in every measurement.  The first measurement without growth is the last.
sub grows
{
	my ($session, @trials) = @_;
	my $script = join '', map { Trial::script($_) } @trials;
	my %least;
	$session->ask($script) for 1 .. $warm;
	for my $measurement (1 .. $measurements)
	{
		my $before = _size($session);
		$session->ask($script) for 1 .. $rounds;
		my $after = _size($session);
		# it may have been ended, but nothing else
		return $session->{alive} ? 'no sizes' : () if !$before || !$after;
		my %growth = map { $_ => $after->{$_} - ($before->{$_} // 0) } keys %$after;
		%least = map { $_ => min($growth{$_}, $least{$_} // $growth{$_}) }
			grep { $measurement == 1 || exists $least{$_} } keys %growth;
		%least = map { $_ => $least{$_} } grep { $least{$_} > ($most{$_} // $bytes) } keys %least;
		return if !%least;
	}
	return map { "$least{$_} $_ in $rounds rounds" } sort keys %least;
}

1;
