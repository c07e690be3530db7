# Cluster.pm: a PostgreSQL server of a test's own, with scan installed and settings of
# its own, by test/cluster.sh; Server's calls go to it while it is the current one.
package Cluster;

use strict;
use warnings;
use File::Basename;
use IPC::Open2;

use lib dirname(__FILE__);
use Server;

# A server with these lines in its postgresql.conf; gone when the object is.  `port` is its port where it is not to
# have a socket only, `extension` what its database begins with.
sub new
{
	my ($class, $conf, %option) = @_;
	my $self = bless { owner => $$ }, $class;

	local $ENV{SCAN_CLUSTER_CONF} = $conf;
	local $ENV{SCAN_CLUSTER_PORT} = $option{port} // '';
	local $ENV{SCAN_CLUSTER_QUIET} = 1;
	# the command holds the server until its input ends
	$self->{pid} = open2($self->{out}, $self->{in}, dirname(__FILE__) . '/../cluster.sh',
		'sh', '-c', 'echo "$PGHOST|$PGPORT|$PGUSER|$PG_BINDIR"; cat');
	my $line = readline $self->{out} // die "no cluster\n";
	chomp $line;
	@{$self}{qw(PGHOST PGPORT PGUSER PG_BINDIR)} = split /\|/, $line;
	($self->{folder}) = dirname($self->{PGHOST});
	$self->use;
	$self->{server} = Server->new('cluster', %option);
	return $self;
}

# Makes it the one that psql finds; answers its Server.
sub use
{
	my ($self) = @_;

	@ENV{qw(PGHOST PGPORT PGUSER PGDATABASE)} = (@{$self}{qw(PGHOST PGPORT PGUSER)}, 'postgres');
	$Server::psql = "$self->{PG_BINDIR}/psql";
	return $self->{server};
}

# Processes whose command line has `what` in it, as pids.
sub processes
{
	my ($what) = @_;
	my @found;
	foreach my $file (glob '/proc/[0-9]*/cmdline')
	{
		open my $in, '<', $file or next;    # gone meanwhile
		my $line = readline $in;
		push @found, $file =~ m{/proc/(\d+)/} if defined $line && $line =~ /$what/;
	}
	return @found;
}

# The program scan_gpu of this server: its pid, if it runs.
sub program
{
	my ($self) = @_;
	return processes("^[^\\0]*/scan_gpu\\0.*\Q$self->{folder}\E/data");
}

# The broker, the parent of the program.
sub broker
{
	my ($self) = @_;
	my ($program) = $self->program;
	open my $in, '<', '/proc/' . ($program // return) . '/stat' or return;
	my ($parent) = (split ' ', readline $in)[3];
	# not whoever inherits a program whose broker is gone
	return $parent > 1 ? $parent : ();
}

# What a command begins with that the server's user has to run.
sub as_server
{
	my ($self) = @_;
	return $> == 0 ? ('runuser', '-u', scalar getpwuid((stat "$self->{folder}/data")[4]), '--') : ();
}

# The server's log so far.
sub log
{
	my ($self) = @_;
	open my $in, '<', "$self->{folder}/server.log" or die $!;
	local $/;
	return <$in>;
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $@, $!);
	return unless $self->{owner} == $$;
	$self->use;
	delete $self->{server};
	close $self->{in};
	waitpid $self->{pid}, 0;
}

1;
