# Faults.pm: what goes wrong around the sessions: cancels, kills, refused memory, and a
# writer that changes and vacuums the rows of live.t.
#
# Two processes do it, each with a psql of its own, until they are ended; each tells what it
# has done as lines "count WHAT N" to the conductor (soak.pl).  The device is brought back
# when it has died too often, so that it is there for the next fault.
package Faults;

use strict;
use warnings;
use Time::HiRes qw(sleep time);
use Session;

# ---- cancels and kills

# Shares of a second of the kinds of trouble.
my %every = (cancel => 0.8, end => 40, program => 25, broker => 90, memory => 12, look => 2);

# The actions; each answers how often it did something.
my %do = (
	cancel => sub {
		my ($self) = @_;
		return $self->{session}->ask("SELECT pg_cancel_backend(pid) FROM pg_stat_activity "
			. "WHERE $self->{of} AND state = 'active' ORDER BY random() LIMIT 1;") ? 1 : 0;
	},
	end => sub {
		my ($self) = @_;
		# no parallel worker: core has its leader raise 57P01, an error that a verdict cannot tell from one of ours;
		# a leader that ends takes its workers with it
		return $self->{session}->ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
			. "WHERE $self->{of} AND leader_pid IS NULL AND state = 'active' ORDER BY random() LIMIT 1;") ? 1 : 0;
	},
	program => sub {
		my ($self) = @_;
		return kill 'KILL', $self->{cluster}->program;
	},
	broker => sub {
		my ($self) = @_;
		return kill 'TERM', $self->{cluster}->broker;
	},
	memory => \&refuse_memory,
	look => \&look);

# A session's backend, which has had the time to load what it needs,
# may have so many megabytes more than it has, for a moment.
sub refuse_memory
{
	my ($self) = @_;
	my ($pid) = $self->{session}->ask("SELECT pid FROM pg_stat_activity "
		. "WHERE $self->{of} AND backend_start < now() - interval '3 s' ORDER BY random() LIMIT 1;");
	open my $in, '<', '/proc/' . ($pid // 0) . '/statm' or return 0;
	my ($pages) = split ' ', readline $in;
	my $bytes = $pages * 4096 + (0, 1 << 18, 1 << 20, 1 << 22, 1 << 24)[ rand 5 ];
	my $refuse = sub { return system($self->{cluster}->as_server, 'prlimit', '--pid', $pid, "--as=$_[0]:") == 0 };
	return 0 if !$refuse->($bytes);
	sleep 0.2 + rand 1;
	# it may have ended
	$refuse->('unlimited');
	return 1;
}

# A reload starts a device that has died too often again.
sub look
{
	my ($self) = @_;
	my ($state) = $self->{session}->ask('SELECT state FROM scan_status;');
	return 0 if ($state // '') !~ /^(?:down|waiting)$/;
	$self->{session}->ask('SELECT pg_reload_conf();');
	return 1;
}

# Until it is ended.  of: which sessions, as a condition on pg_stat_activity; without: kinds to leave out.
sub disturb
{
	my ($self, $say) = @_;
	open STDERR, '>', '/dev/null';
	my %next = map { $_ => time + $every{$_} * rand } grep {
		my $kind = $_;
		!grep { $_ eq $kind } @{ $self->{without} }
	} keys %every;
	while (1)
	{
		$self->{session} = $self->{connect}->() if !$self->{session} || !$self->{session}{alive};
		for my $kind (sort keys %next)
		{
			next if time < $next{$kind};
			my $done = $do{$kind}->($self);
			$say->("count $kind $done") if $done;
			$next{$kind} = time + $every{$kind} * (0.2 + rand 1.6);
		}
		sleep 0.05;
	}
}

# ---- the writer

my @changes = (
	'UPDATE live.t SET i4 = -i4, f8 = f8 + 1 WHERE id %% 17 = %1$d',
	'UPDATE live.t SET p = (p + 1) %% 9 WHERE id %% 29 = %1$d',
	'UPDATE live.t SET t = repeat(\'z\', %2$d) WHERE id = %2$d', 'DELETE FROM live.t WHERE id %% 40 = %1$d',
	'INSERT INTO live.t SELECT * FROM public.t AS n WHERE NOT EXISTS (SELECT FROM live.t AS o WHERE o.id = n.id)',
	'BEGIN; DELETE FROM live.t WHERE id %% 5 = %1$d; SELECT pg_sleep(0.02); ROLLBACK',
	'BEGIN; SELECT count(*) FROM (SELECT FROM live.t WHERE id < %2$d FOR UPDATE) AS s; SAVEPOINT a; '
		. 'UPDATE live.t SET o = o WHERE id = %2$d; ROLLBACK TO a; UPDATE live.t SET o = %1$d WHERE id = %2$d; COMMIT',
	'BEGIN; SELECT count(*) FROM (SELECT FROM live.t WHERE id > %2$d FOR SHARE) AS s; SAVEPOINT a; '
		. 'SELECT count(*) FROM (SELECT FROM live.t FOR KEY SHARE) AS s; COMMIT',
	'VACUUM live.t', 'VACUUM (FREEZE) live.t', 'VACUUM (ANALYZE, INDEX_CLEANUP on) live.t', 'VACUUM FULL live.t',
	'ANALYZE live.t', 'REINDEX TABLE live.t',
	'CREATE INDEX IF NOT EXISTS by_i4 ON live.t (i4, id)', 'DROP INDEX IF EXISTS live.by_i4', 'CHECKPOINT');

# Until it is ended.
sub write_live
{
	my ($connect, $say) = @_;
	my $session;
	while (1)
	{
		if (!$session || !$session->{alive})
		{
			$session = $connect->();
			$session->ask("SET lock_timeout = 300; SET client_min_messages = error;");
		}
		no warnings 'redundant';
		$session->ask(join '', map { sprintf "$changes[ rand @changes ];\n", int rand 17, 1 + int rand 180 } 1 .. 10);
		$say->('count writes 10');
		sleep 0.1;
	}
}

1;
