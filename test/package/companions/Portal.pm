# Portal.pm: as much of PostgreSQL's protocol as a client needs that takes the rows of a portal a few at a time.
#
# psql sends no limit with Execute before version 16, and has no way to come back to a portal.  JDBC does both, with
# setFetchSize.
package Portal;

use strict;
use warnings;
use IO::Socket::UNIX;

# Connects to the server that PGHOST and PGPORT name.
sub new
{
	my ($class, $database) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => "$ENV{PGHOST}/.s.PGSQL.$ENV{PGPORT}") or die "no server: $!\n";
	my $self = bless { socket => $socket, buffer => '' }, $class;
	my $start = pack('N', 196608) . join("\0", user => $ENV{PGUSER}, database => $database, client_encoding => 'UTF8')
		. "\0\0";

	print $socket pack('N', 4 + length $start) . $start;
	$socket->flush;
	$self->until_ready;
	return $self;
}

sub send
{
	my ($self, @messages) = @_;
	print { $self->{socket} } map { $_->[0] . pack('N', 4 + length $_->[1]) . $_->[1] } @messages;
	$self->{socket}->flush;
}

sub bytes
{
	my ($self, $count) = @_;
	while (length $self->{buffer} < $count)
	{
		sysread($self->{socket}, $self->{buffer}, 65536, length $self->{buffer})
			or die "the server has closed the connection\n";
	}
	return substr $self->{buffer}, 0, $count, '';
}

# Reads until the server is ready: the rows as psql prints them, the SQLSTATEs of errors, and how often the portal
# stopped with rows left.
sub until_ready
{
	my ($self) = @_;
	my ($rows, $errors, $stops) = ('', '', 0);

	while (1)
	{
		my ($type, $length) = unpack 'a N', $self->bytes(5);
		my $body = $self->bytes($length - 4);
		return ($rows, $errors, $stops) if $type eq 'Z';
		$stops++ if $type eq 's';
		$errors .= "$1\n" if $type eq 'E' && $body =~ /\0?C(\w{5})\0/;
		next if $type ne 'D';
		my ($count, @values) = (unpack('n', $body));
		my $at = 2;
		for (1 .. $count)
		{
			my $size = unpack 'l>', substr $body, $at, 4;
			push @values, $size < 0 ? '' : substr $body, $at + 4, $size;
			$at += 4 + ($size < 0 ? 0 : $size);
		}
		$rows .= join('|', @values) . "\n";
	}
}

sub query
{
	my ($self, $sql) = @_;
	$self->send([ Q => "$sql\0" ]);
	return $self->until_ready;
}

# Runs a query with integer parameters in a transaction.  Each of the limits is an Execute of its own; 0 takes all rows.
# Between two of them, another statement runs.
sub fetch
{
	my ($self, $sql, $parameters, @limits) = @_;
	my ($rows, $errors, $stops) = ('', '', 0);
	my $types = pack 'n N*', scalar @$parameters, (23) x @$parameters;
	my $values = pack('n', 0) . pack('n', scalar @$parameters) . join('', map { pack('N', length) . $_ } @$parameters)
		. pack('n', 0);
	my @prepare = ([ P => "\0$sql\0$types" ], [ B => "fetched\0\0$values" ]);

	$self->query('BEGIN');
	for my $limit (@limits)
	{
		$self->send(@prepare, [ E => "fetched\0" . pack 'N', $limit ], [ S => '' ]);
		my @answer = $self->until_ready;
		$rows .= $answer[0];
		$errors .= $answer[1];
		$stops += $answer[2];
		last if !$answer[2];
		@prepare = ();
		$rows .= ($self->query("SELECT 'between', 1"))[0];
	}
	$self->query('ROLLBACK');
	return ($rows, $errors, $stops);
}

1;
