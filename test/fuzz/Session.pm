# Session.pm: a psql that stays, by pipes.
#
# The soak sends scripts to it and reads what comes until a mark.  Each statement's end
# can be told with its SQLSTATE (psql's \echo), so that nothing has to be guessed from
# messages.  A session that has lost its server says so, and is simply made anew.
package Session;

use strict;
use warnings;
use IO::Select;
use IPC::Open3;
use Time::HiRes qw(time);
use Server;

# database, user, name: application_name; error: a file for what psql complains of; options: for PGOPTIONS
sub new
{
	my ($class, %option) = @_;
	my $self = bless { %option, buffer => '', alive => 1, owner => $$ }, $class;

	local $ENV{PGOPTIONS} = $option{options} // '';
	local $ENV{PGAPPNAME} = $option{name};
	open my $err, '>', $option{error} or die "$option{error}: $!";
	my $err_name = '>&' . fileno $err;
	$self->{pid} = open3($self->{in}, $self->{out}, $err_name, $Server::psql, '-XAtq', '-d', $option{database}, '-U',
		$option{user});
	# an error in a statement leaves its SQLSTATE here, and the script goes on
	my @lines = $self->ask("\\set VERBOSITY verbose\nSELECT pg_backend_pid();");
	$self->{backend} = $lines[0];
	return $self;
}

# Sends a script; answers its lines, or as many as there were when the server went.
sub ask
{
	my ($self, $script, $seconds) = @_;
	my $mark = '~~' . ++$self->{marks};
	my @lines;
	my $end = time + ($seconds // 600);

	local $SIG{PIPE} = 'IGNORE';
	$self->{alive} = 0 if !_write($self->{in}, "$script\n\\echo $mark\n");
	while ($self->{alive})
	{
		while ($self->{buffer} =~ s/^(.*)\n//)
		{
			return @lines if $1 eq $mark;
			push @lines, $1;
		}
		$self->{late} = time > $end and last;
		next if !IO::Select->new($self->{out})->can_read(1);
		sysread($self->{out}, $self->{buffer}, 65536, length $self->{buffer}) or $self->{alive} = 0;
	}
	return @lines;
}

# What psql has complained of, and what becomes of it then.
sub complaints
{
	my ($self) = @_;
	open my $in, '<', $self->{error} or return '';
	local $/;
	my $text = <$in> // '';
	truncate $self->{error}, 0 if length $text > 1_000_000;
	# psql writes on behind what was cut off
	return $text =~ tr/\0//dr;
}

sub end
{
	my ($self) = @_;
	return if !$self->{pid} || $self->{owner} != $$;
	close $self->{in};
	# one that waits for the server would wait for ever
	kill 'TERM', $self->{pid} if $self->{late};
	waitpid $self->{pid}, 0;
	$self->{pid} = undef;
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $@, $!);
	$self->end;
}

sub _write
{
	my ($to, $text) = @_;
	while (length $text)
	{
		my $n = syswrite $to, $text;
		return 0 if !$n;
		substr $text, 0, $n, '';
	}
	return 1;
}

1;
