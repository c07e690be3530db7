# Valgrind.pm: a slice of the trials in a server under valgrind, without a postmaster.
#
# The server works on a copy of the data folder, by itself (postgres --single).  A server
# from a package knows nothing of valgrind, so what it says of core's own memory is of no
# use: only errors with a frame in scan.so count.
package Valgrind;

use strict;
use warnings;
use Compare;
use Trial;

my $trials = 5;            # in a slice
my $first = 500_000_000;    # their numbers, apart from the sessions'

sub missing
{
	return system('valgrind --version >/dev/null 2>&1') != 0
		? 'valgrind is not installed (test/bootstrap.sh soak)' : undef;
}

# A copy of a server's data while nobody writes; once, at the beginning.
sub copy
{
	my ($cluster) = @_;
	$cluster->{server}->lines('CHECKPOINT');
	# without a word of files that have gone meanwhile: caches
	system("cp -a $cluster->{folder}/data $cluster->{folder}/valgrind 2>/dev/null; "
		. "rm -f $cluster->{folder}/valgrind/postmaster.pid");
}

# Errors in a log of valgrind's that come through scan.so.
sub errors
{
	my ($log) = @_;
	my @blocks = split /^==\d+== *\n/m, $log;
	# hooks of the planner and the executor stand below everything that a query does
	my $hooks = join '|', 'note_demand', '(?:next|follow)_(?:run|finish|utility)', 'plan_query', 'plan_cheaper',
		'rewrite_and_plan', 'explain_query', 'print_and_end';
	s/^.*\b(?:$hooks) \(.*\n//mg for @blocks;
	# a frame with debugging information has the name of its source, and not that of its library
	return grep {
		m{/scan\.so\)|/src/(?!backend/|pl/|port/|common/|timezone/|include/|interfaces/|bin/|fe_utils/)\w+[/.]}
		|| /Process terminating/ } @blocks;
}

sub text_of
{
	my ($file) = @_;
	open my $from, '<', $file or return '';
	local $/;
	return <$from> // '';
}

# Trials from `number` on; answers the lines of their verdicts as a session would, and errors.
sub slice
{
	my ($cluster, $seed, $server, $number, $n, $inferior) = @_;
	my $folder = "$cluster->{folder}";
	my ($in, $out, $log) = map { "$folder/valgrind.$_" } qw(in out log);
	my @numbers = $number .. $number + $n - 1;

	open my $to, '>', $in or die "$in: $!";
	print $to "SET ROLE fuzz\n", map {
		my %job = %{ Trial::of($seed, $_, { %$server, tiny => 0 }) };
		delete @job{qw(timeout live limited)};
		Compare::call(\%job) . "\n"
	} @numbers;
	close $to;
	unlink $log;
	my @command = ('valgrind', '--trace-children=no', '--error-limit=no', '--fullpath-after=', '--num-callers=30',
		"--log-file=$log", "$cluster->{PG_BINDIR}/postgres", '--single', '-D', "$folder/valgrind", '-c',
		'session_preload_libraries=scan', '-c', 'jit=off', '-c', 'shared_preload_libraries=', '-c',
		'statement_timeout=0', '-c', 'log_min_messages=warning', $cluster->{server}{database});
	unshift @command, $cluster->as_server;
	my $pid = fork() // die "fork: $!";
	if (!$pid)
	{
		setpgrp;
		chdir $folder;
		open STDIN, '<', $in;
		open STDOUT, '>', $out;
		open STDERR, '>&', \*STDOUT;
		exec @command or POSIX::_exit(127);
	}
	$inferior->(-$pid);
	waitpid $pid, 0;
	$inferior->(undef);
	my ($said, $complained) = map { text_of($_) } $out, $log;
	my @lines;
	push @lines, $1 while $said =~ /differ = "(.*?)"\t\(typeid/gs;
	return (\@lines, [ errors($complained) ], $said);
}

# Slices until the time is over, with pauses: they are a small share.
sub run
{
	my ($cluster, $until, $seed, $server, $say, $inferior, $take) = @_;
	my $number = $first;
	while (time < $until)
	{
		my $since = time;
		my ($lines, $errors, $said) = slice($cluster, $seed, $server, $number, $trials, $inferior);
		$take->($number, $lines, $errors, $said);
		$say->('count valgrind ' . scalar @$lines);
		$number += $trials;
		my $rest = 4 * (time - $since);
		sleep($rest < $until - time ? $rest : 1 + abs($until - time));
	}
}

1;
