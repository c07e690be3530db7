#!/usr/bin/perl
#
# soak.pl, which is `make soak`: random queries for as long as you like, while everything
# around them goes wrong.  README.md here has the story.
#
#   make soak MINUTES=30 SEED=7          all of it, for half an hour
#   make soak SEED=7 ONLY=1234-1240      these trials of that seed, alone, and shown (ROUNDS times)
#   make soak SEED=7 ONLY=1201-1240 LEAKS=1    these, and then whether the session's memory grows
#   make soak SEED=7 ONLY=1234 SMALLER=1       this one, and a smaller query that fails in the same way
#
# SESSIONS=2; WITHOUT=smith,valgrind,faults,cancel,... leaves parts out; ALLOW=early,other,...
# counts findings of a kind and goes on; KEEP=FILE writes all findings there, keeps the end of the log beside it, and
# goes on. BESIDE=pg_stat_statements,scan,auto_explain loads other extensions too (Beside.pm).
#
# This process conducts: it makes a server, starts the sessions and the troublemakers as
# children, adds up what they tell by pipes, reads the server's log, and stops everything at
# the first finding or when the time is over.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../t";
use File::Temp qw(tempdir);
use IO::Select;
use JSON::PP;
use POSIX ();
use Time::HiRes qw(sleep time);
use Beside;
use Cluster;
use Compare;
use Faults;
use Leaks;
use Log;
use Session;
use Smaller;
use Smith;
use Trial;
use Valgrind;

# The small file system is mounted where nobody else sees it, and goes with the last process.
if ($> == 0 && !$ENV{SCAN_SOAK_MOUNTS} && system('unshare --mount true 2>/dev/null') == 0)
{
	$ENV{SCAN_SOAK_MOUNTS} = 1;
	exec 'unshare', '--mount', $^X, $0, @ARGV;
}

my $batch = 40;         # trials that a session gets at once
my $leak_every = 60;    # batches between two looks for memory
my $hang = 180;         # seconds after which a batch counts as hung

my $minutes = $ENV{MINUTES} || 30;
my $seed = $ENV{SEED} || int rand 1e9;
my $sessions = $ENV{SESSIONS} // 2;
my %without = map { $_ => 1 } split /,/, $ENV{WITHOUT} // '';
my %allow = map { $_ => 1 } split /,/, $ENV{ALLOW} // '';
my $keep = $ENV{KEEP};
my $json = JSON::PP->new->canonical;
my $folder = tempdir('scan-soak-XXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $folder;

my %server;      # what trials ask: faults, tiny
my %count;       # everything that is added up
my @findings;
my @children;
my $select = IO::Select->new;
my $cluster;
my $conductor = $$;
my $stopped;     # why, when it is not for the time

# ---- the server

sub connection
{
	my ($user, $name) = @_;
	return Session->new(database => $cluster->{server}{database}, user => $user, name => $name,
		error => "$folder/$name.err", options => '-c client_min_messages=error');
}

# A file system that is soon full, for temporary files.
sub make_tiny
{
	my ($server) = @_;
	my $tiny = "$folder/tiny";
	mkdir $tiny;
	return 'only root may mount' if $> != 0;
	return 'mount is refused' if system("mount -t tmpfs -o size=256k tmpfs $tiny 2>/dev/null") != 0;
	$server{tiny} = 1;
	chown +(stat "$cluster->{folder}/data")[ 4, 5 ], $tiny;
	$server->lines("CREATE TABLESPACE tiny LOCATION '$tiny'; GRANT CREATE ON TABLESPACE tiny TO fuzz");
	return undef;
}

sub start_server
{
	$cluster = Cluster->new(Beside::conf() . <<"CONF");
scan.gpu_library = 'scan_mock'
scan.gpu_slots = 3
scan.gpu_slot_size = '256kB'
scan.gpu_timeout = '500ms'
scan.gpu_quarantine = '100ms'
log_line_prefix = '${\ Log::PREFIX}'
log_min_messages = debug1
log_min_error_statement = panic
log_checkpoints = off
jit = off
statement_timeout = '60s'
shared_buffers = '64MB'
autovacuum = off
autovacuum_naptime = '5s'
CONF
	my $server = $cluster->{server};
	my $jobs = '';

	$server->lines(Trial::tables('fuzz') . 'ALTER ROLE fuzz LOGIN;' . Trial::rights('fuzz'));
	$server->lines(Compare::functions());
	$server->lines(Beside::sql());
	$server->lines(<<'SQL');
-- to the end of the stack, so that it is there before memory is refused
CREATE FUNCTION deep(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN deep(n + 1); END $$;
CREATE FUNCTION deepest() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM deep(1);
EXCEPTION WHEN statement_too_complex THEN RETURN 'there'; END $$;
SQL
	$server{faults} = [ grep { $_ ne 'none' }
		$server->lines("SELECT unnest(enumvals) FROM pg_settings WHERE name = 'scan.mock_fault'") ];
	for (1 .. 100)
	{
		last if $server->value('SELECT state FROM scan_status') eq 'ready';
		sleep 0.1;
	}
	my %missing = (tiny => make_tiny($server), smith => Smith::missing(), valgrind => Valgrind::missing());
	for my $part (grep { $missing{$_} && !$without{$_} } sort keys %missing)
	{
		print "soak: without $part: $missing{$part}\n";
		$without{$part} = 1;
	}
	$server->lines(Smith::role());
	Valgrind::copy($cluster) if !$without{valgrind};
	$server->lines('ALTER SYSTEM SET autovacuum = on');
	$server->lines('SELECT pg_reload_conf()');
}

# ---- a session

# What a verdict adds to the counts; a finding for what must not be.
sub weigh
{
	my ($told, $number, $verdict, $state, $message) = @_;
	my $counts = $told->{count};

	# PL/pgSQL copies an error before it rolls a block back; without memory or disk for that,
	# the block's subtransaction stays
	$told->{refused} = 1 if $state =~ /^53[124]00$/ || $verdict =~ /^invalid (?:53[124]00|\w{5} .*: out of memory$)/;
	return $counts->{'left open'}++ if $told->{refused} && $verdict =~ /has left a transaction open$/;
	if ($state ne '00000')
	{
		$counts->{"state $state"}++;
		# cancelled, ended, refused by a limit, or in a transaction that was
		push @{ $told->{found} }, { kind => $state =~ /^XX/ ? 'internal' : 'failed', number => $number,
			text => "$state $message" } if $state !~ /^(?:57014|57P01|53[124]00|55P03|25P02)$/;
		return;
	}
	# refused memory reaches everything
	return $counts->{"state $1"}++
		if $verdict =~ /^invalid (53[124]00) / || $verdict =~ /^invalid (\w{5}) .*: out of memory$/;
	if ($verdict !~ /^(?:node|core|-) (?:rows|error) /)
	{
		$counts->{invalid}++;
		push @{ $told->{found} }, { kind => 'failed', number => $number, text => "no verdict: $verdict" };
		return;
	}
	$counts->{compared}++;
	$counts->{$1}++ if $verdict =~ /^(node|core) /;
	$counts->{"state $1"}++ if $verdict =~ /^\S+ error (\w{5})/;
	$counts->{"met $1"}++ while $verdict =~ / MET (\w+)/g;
	$counts->{'fired slow'}++ while $verdict =~ / MET slow and was/g;
	my $kinds = 'DIFFERENT|EARLY ERROR|OTHER ERROR|INTERNAL|LIMIT|VALUE|BACKWARD';
	while ($verdict =~ / ($kinds) \[[^\]]*\]: core .*?, ours (\w{5})?/gs)
	{
		my $kind = { DIFFERENT => 'different', 'EARLY ERROR' => 'early', 'OTHER ERROR' => 'other',
			INTERNAL => 'internal', LIMIT => 'limit', VALUE => 'value', BACKWARD => 'backward' }->{$1};
		$counts->{$kind}++;
		$counts->{'fired value'}++ if $kind eq 'value';
		$counts->{"state $2"}++ if $2 && $kind eq 'limit';
		push @{ $told->{found} }, { kind => $kind, number => $number, text => $verdict }
			if $kind !~ /^(?:limit|value|other|backward)$/;
		$told->{other} = "$number $verdict" if $kind eq 'other';
	}
}

# Takes what a session says of a batch apart.
sub take
{
	my ($told, @lines) = @_;
	my %seen;
	my $verdict = '';
	for my $line (@lines)
	{
		if ($line =~ /^~ (\d+) (\w{5}) ?(.*)/)
		{
			weigh($told, $1, $verdict, $2, $3);
			$seen{$1} = 1;
			$verdict = '';
		}
		else
		{
			$verdict .= ($verdict eq '' ? '' : "\n") . $line;
		}
	}
	return \%seen;
}

# One that has lost its server: why.
sub lost
{
	my ($told, $session, $number) = @_;
	my $why = $session->complaints;
	$session->end;
	return $told->{count}{ended}++ if $why =~ /57P01/;
	return $told->{count}{'left open'}++ if $told->{refused} && $why =~ /EndTransactionBlock: unexpected state STARTED/;
	return $told->{count}{'ended without memory'}++ if $why =~ /FATAL:  53200|FATAL:  out of memory/;
	# the server's log has the reason
	$told->{lost} = { number => $number, text => substr($why, -500) };
}

# Batches of trials, until the time is over.
sub run_session
{
	my ($k, $until, $say) = @_;
	my $session;
	for (my $turn = $k; time < $until; $turn += $sessions)
	{
		my $told = { count => {}, found => [] };
		my %job = map { $_ => Trial::of($seed, $_, \%server) } map { $turn * $batch + $_ } 1 .. $batch;
		my @left = sort { $a <=> $b } keys %job;

		while (@left)
		{
			if (!$session || !$session->{alive})
			{
				$session = connection('fuzz', "session$k");
				$session->ask('SELECT deepest();');
				sleep(1), next if !$session->{alive};
			}
			my $seen = take($told, $session->ask(join('', map { Trial::script($job{$_}) } @left), $hang));
			@left = grep { !$seen->{$_} } @left;
			if (@left)
			{
				my $number = shift @left;
				push @{ $told->{found} }, { kind => 'hang', number => $number, text => "no answer after $hang seconds" }
					if $session->{late};
				lost($told, $session, $number);
				$session = undef;
			}
		}
		if ($session && $told->{count}{'left open'})
		{
			$session->end;
			$session = undef;
		}
		if ($session && $session->{alive})
		{
			my @kept = Leaks::left($session, $cluster->{folder});
			my @few = Leaks::fit(@job{ sort { $a <=> $b } keys %job });
			if (!@kept && @few && int($turn / $sessions) % $leak_every == 5)
			{
				@kept = Leaks::grows($session, @few);
				$told->{count}{'leak rounds'}++;
			}
			push @{ $told->{found} },
				map { { kind => 'leak', number => $turn * $batch + 1, last => ($turn + 1) * $batch, text => $_ } } @kept
				if $session->{alive};
		}
		$say->($json->encode($told));
	}
	# the backend stays, so that what it keeps of the device is seen
	$say->('count idle 1');
	sleep 1 while 1;
}

# ---- children

# Runs it in a process of its own, whose lines come by a pipe.
sub child
{
	my ($name, $do) = @_;
	pipe my $out, my $in or die "pipe: $!";
	my $pid = fork() // die "fork: $!";
	if (!$pid)
	{
		my $inferior;
		$SIG{$_} = sub { kill 'KILL', $inferior if $inferior; POSIX::_exit(1) } for qw(TERM INT HUP);
		srand;
		close $out;
		my $say = sub { syswrite $in, "$_[0]\n" };
		eval {
			$do->($say, sub { $inferior = shift });
			1
		} or $say->($json->encode({ count => {}, found => [ { kind => 'failed', text => "$name: $@" } ] }));
		POSIX::_exit(0);
	}
	close $in;
	push @children, { name => $name, pid => $pid, out => $out, buffer => '' };
	$select->add($out);
}

# All, or but those whose name begins so.
sub end_children
{
	my ($but) = @_;
	my @end = grep { $_->{pid} && !($but && $_->{name} =~ /^$but/) } @children;
	kill 'TERM', map { $_->{pid} } @end;
	waitpid $_->{pid}, 0 for @end;
	$_->{pid} = 0 for @end;
}

# Adds what a child says.
sub hear
{
	my ($line) = @_;
	if ($line =~ /^count (.+) (\d+)$/)
	{
		$count{$1} += $2;
		return;
	}
	my $told = $json->decode($line);
	$count{$_} += $told->{count}{$_} for keys %{ $told->{count} };
	push @findings, @{ $told->{found} // [] };
	$count{'last other'} = $told->{other} if $told->{other};
	if (my $lost = $told->{lost})
	{
		$count{lost}++;
		push @findings, { kind => 'lost', %$lost };
	}
}

sub listen_for
{
	my ($seconds) = @_;
	for my $out ($select->can_read($seconds))
	{
		my ($child) = grep { $_->{out} == $out } @children;
		if (!sysread $out, $child->{buffer}, 65536, length $child->{buffer})
		{
			$select->remove($out);
			waitpid $child->{pid}, 0;
			$child->{pid} = 0;
		}
		hear($1) while $child->{buffer} =~ s/^(.*)\n//;
	}
}

# ---- findings

sub command
{
	my ($finding) = @_;
	my $numbers = join '-', grep { defined } @$finding{qw(number last)};
	my $leaks = $finding->{kind} eq 'leak' ? ' LEAKS=1' : '';
	return $finding->{command}
		// ($numbers eq '' ? "make soak SEED=$seed MINUTES=$minutes" : "make soak SEED=$seed ONLY=$numbers$leaks");
}

sub told { my ($finding) = @_; return "$finding->{kind}: $finding->{text}\nagain: " . command($finding) . "\n" }

# A statement of sqlsmith's, as a script that has all it needs.
sub write_statement
{
	my ($finding) = @_;
	my $file = "/tmp/scan-soak-$seed-" . ++$count{scripts} . '.sql';
	open my $to, '>', $file or return;
	print $to "CREATE EXTENSION scan;\n", Trial::tables('fuzz'), "LOAD 'scan';\nSET scan.prefixscan = force;\n",
		$finding->{statement} // $finding->{running} // '', ";\n";
	$finding->{command} = "test/cluster.sh psql -X -f $file";
}

# New findings that matter: kept in a file, or the end.
sub judge
{
	my ($log) = @_;
	my ($from_log, $internal) = $log->news;
	for my $finding (@$from_log)
	{
		($finding->{number}) = $finding->{name} =~ /^fuzz (\d+)/;
		write_statement($finding) if !$finding->{number} && $finding->{running};
		push @findings, $finding;
	}
	for my $error (@$internal)
	{
		# a trial's has been weighed against core's; "again" is of_core()
		next if $error->{name} =~ /^(?:fuzz|again)/;
		if ($error->{name} =~ /^sqlsmith/)
		{
			$count{"core's internal errors"}++, next if Smith::of_core(sub { connection('smith', 'again') }, $error);
			write_statement($error);
		}
		push @findings, { kind => 'internal', text => "$error->{name}: $error->{text}", command => $error->{command} };
	}
	while (my $finding = shift @findings)
	{
		$count{"finding $finding->{kind}"}++;
		next if $allow{ $finding->{kind} };
		if (defined $keep)
		{
			open my $to, '>>', $keep or die "$keep: $!";
			print $to told($finding), "\n";
			# what came before: the log itself is given back to the disk
			system "tail -c 4000000 $cluster->{folder}/server.log > "
				. "$keep.$count{\"finding $finding->{kind}\"}.$finding->{kind}.log";
		}
		else
		{
			$stopped //= told($finding);
		}
	}
}

# ---- the end

# What must be so when everybody has gone.
sub last_look
{
	my ($server) = @_;
	my ($slots, $free);
	# a backend whose client has been ended runs its query on: sqlsmith's, for one, and with files
	my $others = "backend_type IN ('client backend', 'parallel worker') AND application_name NOT LIKE 'session%' "
		. "AND pid <> pg_backend_pid()";
	for (1 .. 50)
	{
		last if !$server->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE $others");
		sleep 0.1;
	}
	for (1 .. 50)
	{
		($slots, $free) = split /\|/,
		$server->value("SELECT coalesce(slots, 0) || '|' || coalesce(free_slots, 0) FROM scan_status");
		last if $slots == $free;
		sleep 0.1;
	}
	push @findings, { kind => 'leak', text => "$free of $slots slots are free when all is over" } if $slots != $free;
	my @files = glob "$cluster->{folder}/data/base/pgsql_tmp/* $folder/tiny/*/pgsql_tmp/*";
	push @findings, { kind => 'leak', text => "files are left: @files" } if @files;
}

sub number { my ($what) = @_; return $count{$what} // 0 }

sub summary
{
	my ($log, $took) = @_;
	printf "soak: seed %s, %.1f minutes, %d sessions\n", $seed, $took / 60, $sessions;
	printf "queries compared: %d (%.0f a second); PrefixScan in %d of %d that were asked\n", number('compared'),
		number('compared') / ($took || 1), number('node'), number('node') + number('core');
	for my $fault (@{ $server{faults} })
	{
		my $logged = 0;
		$logged += $_ for values %{ $log->{fallbacks}{$fault} // {} };
		printf "fault %s: in force while jobs ran %d times, fired %d times\n", $fault, number("met $fault"),
			number("fired $fault") + $logged;
	}
	printf "cancels sent %d, statements cancelled %d; sessions ended %d (%d without memory); "
		. "the program killed %d times, the broker ended %d times, brought back %d times; "
		. "memory refused %d times, after which %d trials found a subtransaction open\n", map { number($_) } 'cancel',
		'state 57014', 'ended', 'ended without memory', 'program', 'broker', 'look', 'memory', 'left open';
	printf "limits met %d times; changes to live rows %d; rounds for leaks %d\n", number('limit'), number('writes'),
		number('leak rounds');
	printf "sqlsmith: %d statements in %.1f minutes, %d internal errors that core has too; "
		. "under valgrind: %d queries\n", number('statements'), number('smith') / 60, number("core's internal errors"),
		number('valgrind');
	printf "early errors %d, other errors %d, cursors that only one plan can move backward %d, "
		. "wrong values under the fault \"value\" %d\n", map { number($_) } qw(early other backward value);
	printf "errors by SQLSTATE: %s\n", join ', ', map { /^state (.*)/ ? "$1 $count{$_}" : () } sort keys %count;
	printf "findings: %s\n", join(', ', map { /^finding (.*)/ ? "$1 $count{$_}" : () } sort keys %count) || 'none';
}

# ---- the whole

sub soak
{
	my $since = time;
	my $until = $since + 60 * $minutes;
	my $log = Log->new("$cluster->{folder}/server.log");
	my $of = "usename = 'fuzz'";

	child("session $_", do { my $k = $_; sub { run_session($k, $until, @_) } }) for 0 .. $sessions - 1;
	my %self = (cluster => $cluster, of => $of, without => [ keys %without ],
		connect => sub { connection('postgres', 'faults') });
	child('faults', sub { Faults::disturb(\%self, @_) }) if !$without{faults};
	child('writer', sub { Faults::write_live(sub { connection('postgres', 'writer') }, @_) }) if !$without{writer};
	child('smith', sub { Smith::run($cluster->{server}{database}, $until, $seed, "$folder/smith.out", @_) })
		if !$without{smith};
	child('valgrind', sub {
		my ($say, $inferior) = @_;
		Valgrind::run($cluster, $until, $seed, \%server, $say, $inferior,
			sub { $say->($json->encode(of_valgrind(@_))) });
	}) if !$without{valgrind};
	while (!$stopped && time < $until + $hang + 120)
	{
		listen_for(0.5);
		$log->read;
		judge($log);
		last if number('idle') == $sessions && time >= $until;
	}
	if (!$stopped)
	{
		end_children('session');
		last_look($cluster->{server});
	}
	end_children();
	$log->finish;
	judge($log);
	if (!$stopped && number('other') > 1 + 0.002 * number('compared'))
	{
		$stopped = "other: too often the two errors differ, the last: $count{'last other'}\n";
	}
	summary($log, time - $since);
	print Beside::told($cluster->{server}, $log->{plans}) if !$stopped;
}

# What a slice under valgrind comes to.
sub of_valgrind
{
	my ($number, $lines, $errors, $said) = @_;
	my $told = { count => {}, found => [] };
	weigh($told, $number++, $_, '00000', '') for @$lines;
	push @{ $told->{found} }, map { { kind => 'memory', text => $_,
		command => "VALGRIND=1 make soak SEED=$seed ONLY=" . ($number - @$lines) . "-$number" } } @$errors;
	push @{ $told->{found} }, { kind => 'failed', text => "valgrind: $said" } if !@$lines;
	print scalar @$lines, " trials were run under valgrind\n" if $ENV{VALGRIND};
	return $told;
}

# What Smaller.pm asks: the lines that come, or nothing where the server has died.
my $superuser;

sub ask_superuser
{
	$superuser = connection('postgres', 'smaller') if !$superuser || !$superuser->{alive};
	my @lines = $superuser->ask("$_[0]\nROLLBACK;\n");
	return $superuser->{alive} ? @lines : ();
}

# Some trials alone, shown.
sub only
{
	my ($from, $to) = split /-/, $ENV{ONLY};
	return hear($json->encode(of_valgrind($from,
				Valgrind::slice($cluster, $seed, \%server, $from, ($to // $from) - $from + 1, sub { })))) ,
		judge(Log->new("$cluster->{folder}/server.log")) if $ENV{VALGRIND};
	my $session = connection('fuzz', 'only');
	my $told = { count => {}, found => [] };
	for my $number (($from .. $to // $from) x ($ENV{ROUNDS} // 1))
	{
		my $job = Trial::of($seed, $number, \%server);
		print "$number: $job->{sql}\n", map { exists $job->{$_}
			&& defined $job->{$_} ? "   $_: " . (ref $job->{$_} ? $json->encode($job->{$_}) : $job->{$_}) . "\n" : () }
			qw(oracle parameters ddl scroll fetch beside parallel first must memory_limit set ways live timeout);
		my @lines = $session->ask(Trial::script($job));
		take($told, @lines);
		print "   $_\n" for @lines;
		print Smaller::make_small($job, 'fuzz', \&ask_superuser, \&Compare::call) if $ENV{SMALLER};
		$session = connection('fuzz', 'only') if !$session->{alive};
	}
	my @few = $ENV{LEAKS} ? Leaks::fit(map { Trial::of($seed, $_, \%server) } $from .. $to // $from) : ();
	push @findings, map { { kind => 'leak', number => $from, last => $to, text => $_ } }
		Leaks::left($session, $cluster->{folder}), Leaks::grows($session, @few) if @few;
	my $log = Log->new("$cluster->{folder}/server.log");
	push @findings, @{ $told->{found} };
	$log->finish;
	judge($log);
}

# Also when something has died.
END
{
	local $?;
	if (defined $folder && $$ == $conductor)
	{
		end_children();
		undef $cluster;
		system("umount $folder/tiny") if $server{tiny};
	}
}

my $interrupted = sub { $stopped //= "interrupted\n" };
@SIG{qw(INT TERM HUP)} = ($interrupted) x 3;
$| = 1;
print "soak: SEED=$seed\n";
start_server();
($ENV{ONLY} // '') ne '' ? only() : soak();
end_children();
print $stopped // "soak: nothing was found\n";
undef $cluster;
exit($stopped ? 1 : 0);
