# pooler.t: PrefixScan for a user who is not a superuser, behind PgBouncer in transaction mode.
#
# What sql/administration.md says of poolers: a LOAD reaches one of the server's sessions; a setting of the role or of
# the database reaches all that PgBouncer opens from then on.  pooler.sh runs this.
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t";
use Test::More;
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep);
use Cluster;

my $port = 21000 + $$ % 20000;
my $cluster = Cluster->new("max_connections = 50\n");
my $server = $cluster->{server};
my $database = $server->{database};
$server->lines(<<'SQL');
CREATE ROLE someone LOGIN;
CREATE TABLE data AS SELECT i AS id, i % 7 AS p, i % 100 AS x FROM generate_series(1, 20000) AS i;
ANALYZE data; GRANT SELECT ON data TO PUBLIC;
SQL
diag($server->value('SELECT version()'));

# ---- the pooler: four sessions of the server for all clients

my $folder = tempdir('scanXXXXXX', DIR => '/tmp', CLEANUP => 1);
open my $users, '>', "$folder/users.txt" or die $!;
print $users qq{"someone" ""\n"postgres" ""\n};
close $users;
open my $ini, '>', "$folder/pgbouncer.ini" or die $!;
print $ini <<"INI";
[databases]
$database = host=$cluster->{PGHOST} port=$cluster->{PGPORT} dbname=$database
[pgbouncer]
listen_addr =
unix_socket_dir = $folder
listen_port = $port
auth_type = trust
auth_file = $folder/users.txt
admin_users = postgres
pool_mode = transaction
default_pool_size = 4
min_pool_size = 4
ignore_startup_parameters = options,extra_float_digits
logfile = $folder/log
pidfile = $folder/pid
INI
close $ini;
my @user = $cluster->as_server;
if (@user)
{
	my ($uid, $gid) = (getpwnam $user[2])[ 2, 3 ];
	chown $uid, $gid, $folder, "$folder/users.txt", "$folder/pgbouncer.ini";
}
my $pooler = fork() // die $!;
if (!$pooler)
{
	exec @user, 'env', "LD_LIBRARY_PATH=$ENV{LD_LIBRARY_PATH}", "PATH=$ENV{PATH}", 'pgbouncer', '-q',
		"$folder/pgbouncer.ini" or die $!;
}
END { if ($pooler) { my $status = $?; kill 'TERM', $pooler; waitpid $pooler, 0; $? = $status } }

# A script of a client's, through the pooler; several at once, so that they meet several sessions of the server.
sub through
{
	my ($script, %option) = @_;
	local @ENV{qw(PGHOST PGPORT PGUSER)} = ($folder, $port, $option{user} // 'someone');
	local $ENV{PGOPTIONS} = $option{options} // '';
	return Server::_psql($option{database} // $database, $script, 1);
}
for (1 .. 100)
{
	last if (through('SELECT 1'))[2] == 0;
	sleep 0.1;
}
is((through('SELECT 1'))[0], "1\n", 'the pooler answers') or BAIL_OUT("no PgBouncer: " . qx{cat $folder/log});

my $stock = 'SELECT sum(x) OVER (PARTITION BY p ORDER BY id) FROM data';

# Of clients that run at the same time: how many plans have PrefixScan, WindowAgg.
sub plans
{
	my (%option) = @_;
	my @children;
	for (1 .. 8)
	{
		pipe my $out, my $in or die $!;
		my $pid = fork() // die $!;
		if (!$pid)
		{
			$pooler = 0;
			my ($text, $err) = through("BEGIN; EXPLAIN $stock; SELECT pg_sleep(0.3); COMMIT", %option);
			print $in $text =~ /PrefixScan/ ? 'PrefixScan' : $text =~ /WindowAgg/ ? 'WindowAgg' : "neither: $err";
			close $in;
			require POSIX;
			POSIX::_exit(0);
		}
		close $in;
		push @children, [ $pid, $out ];
	}
	my %plans;
	for (@children)
	{
		local $/;
		$plans{ readline $_->[1] }++;
		waitpid $_->[0], 0;
	}
	return join ' ', map { "$_ $plans{$_}" } sort keys %plans;
}
sub reconnect { return (through("RECONNECT $database", user => 'postgres', database => 'pgbouncer'))[2] }

is(plans(), 'WindowAgg 8', 'nothing is set: WindowAgg');
is(plans(options => '-c local_preload_libraries=scan'), 'WindowAgg 8',
	'the pooler does not pass on options of the connection');
through("LOAD '\$libdir/plugins/scan'");
like(plans(), qr/WindowAgg/, 'LOAD reaches one session of the server');

is((through("ALTER ROLE someone SET local_preload_libraries = 'scan'"))[2], 0, 'a user sets it for itself');
is(reconnect(), 0, 'RECONNECT');
is(plans(), 'PrefixScan 8', 'ALTER ROLE: every session');
is((through("ALTER ROLE someone SET scan.prefixscan = off"))[2], 0, 'a user switches it off');
reconnect();
is(plans(), 'WindowAgg 8', '... in every session');
through('ALTER ROLE someone RESET ALL');
$server->lines("ALTER DATABASE $database SET session_preload_libraries = 'scan'");
reconnect();
is(plans(), 'PrefixScan 8', 'ALTER DATABASE: every session');

# the same rows, from sessions that come and go
my $rows = $server->value("SET scan.prefixscan = off; SELECT md5(string_agg(s::text, ',' ORDER BY id)) "
	. "FROM (SELECT id, sum(x) OVER (PARTITION BY p ORDER BY id) AS s FROM data) AS q");
is((through("SELECT md5(string_agg(s::text, ',' ORDER BY id)) FROM (SELECT id, sum(x) OVER (PARTITION BY p "
		. "ORDER BY id) AS s FROM data) AS q"))[0], "$rows\n", 'the rows of stock PostgreSQL') for 1 .. 5;
done_testing();
