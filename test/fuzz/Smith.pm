# Smith.pm: sqlsmith beside the sessions: statements that no grammar of ours would make,
# with the node forced.
#
# It knows no right answer: what it can find are crashes and internal errors, which the
# server's log has (Log.pm).  Core has internal errors of its own: so each is asked for
# again without the node, and with it.
package Smith;

use strict;
use warnings;
use Time::HiRes qw(time);
use Session;

my $slice = 3000;    # statements between two seeds: a catalog is read for each

sub missing
{
	return system('sqlsmith --version >/dev/null 2>&1') != 0
		? 'sqlsmith is not installed (test/bootstrap.sh soak)' : undef;
}

# The role that it works as: it changes what it likes, and rolls back.
sub role
{
	return <<'SQL';
CREATE ROLE smith LOGIN;
GRANT USAGE ON SCHEMA large, live TO smith;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO smith;
GRANT SELECT ON large.t TO smith;
ALTER ROLE smith SET scan.prefixscan = force;
ALTER ROLE smith SET log_min_error_statement = error;
ALTER ROLE smith SET lock_timeout = '200ms';
ALTER ROLE smith SET statement_timeout = '1s';
ALTER ROLE smith SET temp_file_limit = '200MB';
ALTER ROLE smith SET client_min_messages = error;
SQL
}

# Slices until the time is over; inferior is told the process that runs.
sub run
{
	my ($database, $until, $seed, $output, $say, $inferior) = @_;
	srand $seed;
	while (time < $until)
	{
		my $of_slice = int rand 1e9;
		my ($since, $statements) = (time, 0);
		my $pid = fork() // die "fork: $!";
		if (!$pid)
		{
			open STDOUT, '>', $output;
			open STDERR, '>&', \*STDOUT;
			exec 'sqlsmith', '--exclude-catalog', '--verbose', "--max-queries=$slice", "--seed=$of_slice",
				"--target=host=$ENV{PGHOST} port=$ENV{PGPORT} user=smith dbname=$database" or POSIX::_exit(127);
		}
		$inferior->($pid);
		my $next = 0;
		until (waitpid $pid, POSIX::WNOHANG())
		{
			kill 'TERM', $pid if time > $until;
			select undef, undef, undef, 0.2;
			next if time < $next;
			$next = time + 5;
			my $now = _statements($output);
			$say->(join "\n", 'count statements ' . ($now - $statements), 'count smith ' . int(time - $since));
			($statements, $since) = ($now, $since + int(time - $since));
		}
		$inferior->(undef);
		$say->('count statements ' . (_statements($output) - $statements));
		# a server that is away
		sleep 1;
	}
}

sub _statements
{
	my ($output) = @_;
	open my $in, '<', $output or return 0;
	my $n = 0;
	while (my $line = <$in>)
	{
		$n = $1 if $line =~ /^queries: (\d+)/;
	}
	return $n;
}

# What a statement fails with, without the node or with it.
sub fails
{
	my ($connect, $node, $statement) = @_;
	my $session = $connect->();
	$statement =~ s/;\s*$//;
	my ($line) = grep { /^~/ } $session->ask(
		"SET scan.prefixscan = $node;\nBEGIN;\n$statement;\n\\echo ~ :SQLSTATE :LAST_ERROR_MESSAGE\nROLLBACK;", 20);
	return $line // '~ gone';
}

# Whether an internal error is core's own: it has it too, in one of some attempts, since
# a TABLESAMPLE or random() may not come to the row again.  One that nobody has again is not.
sub of_core
{
	my ($connect, $error) = @_;
	return 0 if !defined $error->{statement};
	my $core;
	for (1 .. 10)
	{
		$core = fails($connect, 'off', $error->{statement});
		return 1 if $core =~ /^~ XX/;
	}
	$error->{text} .= "\nagain, ten times without the node: $core\nwith it: "
		. fails($connect, 'force', $error->{statement});
	return 0;
}

1;
