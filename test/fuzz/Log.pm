# Log.pm: what the server's log says while the soak runs.
#
# Each entry begins with the lines' prefix (Log::PREFIX) and goes on up to the next.  What
# must never be there is kept as a finding, with the number of the trial, which is in
# application_name; jobs that the device did not do are counted by the fault that was in
# force.  What has been read is given back to the disk: hours of sqlsmith fill it.
package Log;

use strict;
use warnings;

use constant PREFIX => '~%p~%e~%a~ ';

# Never by a fault: these end the soak.
my $crashes = join '|', 'server process .* was terminated by signal', 'PANIC:', 'TRAP:', 'stuck spinlock',
	'background worker .* was terminated';
my @never = (
	[ crash => qr/$crashes/ ],
	[ leak => qr/WARNING: .*\b(?:leak|still referenced|not closed)/i ]);

sub new
{
	my ($class, $file) = @_;
	return bless { file => $file, at => 0, entry => '', fallbacks => {}, states => {}, plans => 0, findings => [],
		internal => [] }, $class;
}

# Reads on.
sub read
{
	my ($self) = @_;
	my $text;
	open my $in, '<', $self->{file} or return;
	seek $in, $self->{at}, 0;
	while (my $got = sysread $in, $text, 1 << 20)
	{
		$self->{at} += $got;
		$text = $self->{entry} . $text;
		my @entries = split /^(?=~\d+~)/m, $text;
		$self->{entry} = pop @entries // '';
		$self->_take($_) for @entries;
	}
	if ($self->{at} - ($self->{given} // 0) > 64 << 20)
	{
		$self->{given} = $self->{at} >> 20 << 20;
		system 'fallocate', '--punch-hole', '--offset', 0, '--length', $self->{given}, $self->{file};
	}
}

# The last entry too, when nothing more is to come.
sub finish
{
	my ($self) = @_;
	$self->read;
	$self->_take($self->{entry});
	$self->{entry} = '';
}

sub _take
{
	my ($self, $entry) = @_;
	# PostgreSQL begins the further lines of an entry with a tab; the device's program writes between them
	$entry =~ s/^scan_gpu: .*\n?//mg;
	my ($pid, $state, $name, $message) = $entry =~ /^~(\d+)~(\w*)~(.*?)~ (.*)/s or return;
	$message =~ s/\s+$//;
	for my $never (@never)
	{
		push @{ $self->{findings} }, { kind => $never->[0], name => $name, text => $message }
			if $message =~ $never->[1];
	}
	# what ran in a process that died is the next line
	if ($message =~ /^DETAIL:  Failed process was running: (.*)/s && @{ $self->{findings} })
	{
		my $running = $1;
		my $finding = $self->{findings}[-1];
		$finding->{text} .= "\n$message";
		$finding->{name} = "fuzz $1" if $running =~ /"number":"?(\d+)/;
		$finding->{running} = $running;
	}
	if ($message =~ /^DEBUG:  scan: the CPU continues .*: (.*)/)
	{
		my ($fault) = $name =~ /^fuzz \d+ (\w+)/;
		$self->{fallbacks}{ $fault // '-' }{$1}++;
	}
	$self->{plans}++ if $message =~ /^LOG:  duration: [\d.]+ ms  plan:/;
	if ($message =~ /^(?:ERROR|FATAL|PANIC|WARNING): /)
	{
		my $who = $name =~ /^(fuzz|sqlsmith)/ ? $1 : 'others';
		$self->{states}{$who}{$state}++;
		if ($message =~ /^(?:ERROR|FATAL|PANIC): / && $state =~ /^XX/)
		{
			push @{ $self->{internal} }, { name => $name, text => $message, state => $state };
			$self->{pending}{$pid} = $self->{internal}[-1];
		}
		else
		{
			delete $self->{pending}{$pid};
		}
	}
	elsif ($message =~ /^STATEMENT:  (.*)/s && $self->{pending}{$pid})
	{
		(delete $self->{pending}{$pid})->{statement} = $1;
	}
}

# What came up since the last call: findings, and errors of class XX.
sub news
{
	my ($self) = @_;
	# an internal error whose statement has not been read yet waits for it
	my @internal = grep {
		my $one = $_;
		!grep { $_ && $_ == $one } values %{ $self->{pending} // {} }
	} @{ $self->{internal} };
	my @waiting = grep { my $one = $_; !grep { $_ == $one } @internal } @{ $self->{internal} };
	my @findings = @{ $self->{findings} };
	$self->{internal} = \@waiting;
	$self->{findings} = [];
	return (\@findings, \@internal);
}

1;
