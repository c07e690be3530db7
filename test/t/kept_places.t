# kept_places.t: kept scans that move to other places: a standby, a subscriber of logical replication, a database
# restored from a dump, a cluster made by pg_upgrade; and a transaction that is prepared.
#
# Each comparison is that of Kept.pm.  One server is the primary of the standby, the publisher and the subscriber, and
# the cluster that is upgraded in the end.  kept_stress.t stops a server at once, under load.
#
#   SCAN_TEST_UPGRADE_BIN=/path/bin   the programs of the version that pg_upgrade goes to, with scan installed; else
#                                     the same
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;
use Kept;

my $cluster = Cluster->new("wal_level = logical\nmax_wal_senders = 6\nmax_replication_slots = 6\n"
	. "max_prepared_transactions = 5\nautovacuum_naptime = '2s'\n");
my $server = $cluster->use;
my ($folder, $bin, $port) = @{$cluster}{qw(folder PG_BINDIR PGPORT)};
my @started;    # data folders of servers besides the cluster's own
END { local $?; program($bin, 'pg_ctl', '-s', '-m', 'immediate', '-D', $_, 'stop') for @started }

# ---- programs and databases

# Runs a program of a server in the cluster's folder, as the user that has the servers; returns its exit status.
sub program
{
	my ($from, $name, @arguments) = @_;
	my $child = fork // die;
	if (!$child)
	{
		open STDOUT, '>>', "$folder/programs.log" or die $!;
		open STDERR, '>&', \*STDOUT;
		chdir $folder;
		$server->{created} = 0;
		exec $cluster->as_server, "$from/$name", @arguments;
	}
	waitpid $child, 0;
	return $? >> 8;
}

sub runs
{
	my ($what, @program) = @_;
	return is(program(@program), 0, $what) || diag(`tail -n 20 $folder/programs.log`);
}

sub settings
{
	my ($file, $text) = @_;
	open my $out, '>>', $file or die $!;
	print $out $text;
	close $out or die $!;
	return;
}

# What code finds on another port: $server's calls and new sessions go there.
sub on { my ($other, $code) = @_; local $ENV{PGPORT} = $other; return $code->() }

# A database that is there, by a Server that does not remove it.
sub database { my ($name) = @_; return bless { database => $name, owner => 0, maintenance => 'postgres' }, 'Server' }

# What scan_kept says of the two kept scans.
sub reasons
{
	my ($session) = @_;
	return asked($session, "SELECT coalesce(reason, 'used') FROM scan_kept WHERE name LIKE '${name}\\_%' GROUP BY 1");
}

# A kept scan that has moved: the table alone is read, until scan_kept_check() has found that nothing is wrong.
sub has_moved
{
	my ($session, %option) = @_;
	is(reasons($session), $option{why} // 'it was restored from a dump', "$title: scan_kept says why it is not used");
	is(asked($session, "SELECT remedy FROM scan_kept WHERE name = '${name}_kept'"),
		"SELECT public.scan_kept_check('$name.${name}_kept'::pg_catalog.text)", "$title: and what to call");
	is_unused($session, 'not checked yet');
	right($session, 'before a check');
	is(asked($session, "CALL scan_kept_compact('${name}_kept')"), 'ERROR 55000', "$title: it is not compacted");
	done($session, @changes) if $option{changes};
	right($session, 'after changes') if $option{changes};
	my $differences = asked($session,
		"SELECT scan_kept_check('${name}_kept') || ' ' || scan_kept_check('${name}_all')");
	is($differences, '0 0', "$title: the check finds no difference");
	is(reasons($session), 'used', "$title: scan_kept says that it is used after it");
	is_used($session, 'after the check');
	right($session, 'after the check', sample => $option{briefly} ? 4 : 100);
	return if $option{briefly};
	done($session, @changes);
	right($session, 'after more changes');
	compact($session);
	right($session, 'compacted', accounts => 'all');
	is_used($session, 'compacted');
	return;
}

# ---- what a kept scan leaves behind

# The objects of a database and what depends on what, without the numbers in names of the system.
sub inventory
{
	my ($in) = @_;
	return [ sort map { s/(pg_toast_|ConstraintTrigger_[ac]_)\d+/$1/gr } $in->lines(<<'SQL') ];
SET search_path = '';
SELECT 'class ' || oid::regclass || ' ' || relkind::text || ' ' || relpersistence::text || ' ' || relhasrules ||
  coalesce(relacl::text, '') FROM pg_class WHERE oid >= 16384;
SELECT 'column ' || attrelid::regclass || ' ' || attname || ' ' || attnum FROM pg_attribute WHERE attrelid >= 16384;
SELECT 'function ' || oid::regprocedure FROM pg_proc WHERE oid >= 16384;
SELECT 'type ' || oid::regtype FROM pg_type WHERE oid >= 16384;
SELECT 'trigger ' || tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text FROM pg_trigger;
SELECT 'rule ' || ev_class::regclass || ' ' || rulename FROM pg_rewrite WHERE oid >= 16384;
SELECT 'constraint ' || conname FROM pg_constraint WHERE oid >= 16384;
SELECT 'comment ' || description || ' on ' || pg_describe_object(classoid, objoid, objsubid) FROM pg_description
  WHERE objoid >= 16384;
SELECT 'depends ' || pg_describe_object(classid, objid, objsubid) || ' on ' ||
  pg_describe_object(refclassid, refobjid, refobjsubid) || ' ' || deptype::text FROM pg_depend WHERE objid >= 16384;
SELECT 'owned ' || pg_describe_object(classid, objid, objsubid) || ' ' || refobjid::regrole || ' ' || deptype::text
  FROM pg_shdepend WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database());
SELECT 'kept ' || name FROM public.scan_kept_definition;
SELECT 'spoilt ' || tree FROM public.scan_kept_spoilt;
SQL
}

# The lines of the one that the other has not.
sub without
{
	my ($some, $others) = @_;
	my %other = map { $_ => 1 } @$others;
	return join "\n", grep { !$other{$_} } @$some;
}

sub is_unkept
{
	my ($session, $in, $before) = @_;
	done($session, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
	# a dump has no columns that were dropped
	my ($after, $was) = map { [ grep { !/^column \w+\.payment_third / } @$_ ] } inventory($in), $before;
	is(without($after, $was), '', "$title: scan_unkeep leaves nothing behind");
	is(without($was, $after), '', "$title: and takes nothing else away");
	is(scalar @$after, scalar @$was, "$title: as many as before");
	return done($session, @changes);
}

# ---- dump and restore

($title, $name) = ('without a dump', 'ledger');
my $dumped = Server->new('dumped');
ledger($dumped, $name, rows => 300, kept => 0);
my $before = inventory($dumped);
keep($dumped, $name);
my $keeper = session($dumped, $name);
cmp_ok(scalar @{inventory($dumped)}, '>', @$before + 60, "$title: scan_keep makes objects");
# some nodes, some rows of the log
done($keeper, @changes);
compact($keeper);
done($keeper, @changes);
my $rows = asked($keeper, 'SELECT count(*) FROM payment');

my $dumps = "$folder/socket";    # the servers' user may write there
my %restore = (
	plain => sub {
		my ($to) = @_;
		return runs("$title: restored", $bin, 'psql', '-Xq', '-v', 'ON_ERROR_STOP=1', '-d', $to, '-f', "$dumps/plain");
	},
	custom => sub {
		my ($to) = @_;
		return runs("$title: restored", $bin, 'pg_restore', '-e', '-j2', '-d', $to, "$dumps/custom");
	},
	'in one transaction' => sub {
		my ($to) = @_;
		return runs("$title: restored", $bin, 'pg_restore', '-1', '-d', $to, "$dumps/custom");
	},
	'sections' => sub {
		my ($to) = @_;
		runs("$title: $_", $bin, 'pg_restore', '-e', "--section=$_", '-d', $to, "$dumps/custom")
			for 'pre-data', 'data', 'post-data';
		return;
	},
	'schema, then data without triggers' => sub {
		my ($to) = @_;
		runs("$title: $_->[0]", $bin, 'pg_restore', '-e', '-d', $to, @$_, "$dumps/custom")
			for [ '--schema-only' ], [ '--data-only', '--disable-triggers' ];
		return;
	},
	# the triggers fire while the rows come
	'schema, then data with triggers' => sub {
		my ($to) = @_;
		runs("$title: $_->[0]", $bin, 'pg_restore', '-e', '-d', $to, @$_, "$dumps/custom")
			for [ '--schema-only' ], [ '--data-only' ];
		return;
	},
);
runs("$title: dumped, plain", $bin, 'pg_dump', '-f', "$dumps/plain", $dumped->{database});
runs("$title: dumped, custom", $bin, 'pg_dump', '-Fc', '-f', "$dumps/custom", $dumped->{database});
foreach my $how (sort keys %restore)
{
	$title = "restored, $how";
	my $restored = Server->new('restored', extension => 'SELECT 1');
	$restore{$how}->($restored->{database});
	my $session = session($restored, $name);
	is(asked($session, 'SELECT count(*) FROM payment'), $rows, "$title: all rows are there");
	has_moved($session, changes => $how ne 'custom', briefly => $how ne 'custom');
	# scan_kept_check() has made the dependencies again, which a dump loses in part
	is(asked($session, 'BEGIN', 'SET LOCAL client_min_messages = error', 'DROP TABLE payment CASCADE',
			"SELECT count(*) FROM (SELECT relname FROM pg_class UNION ALL SELECT proname FROM pg_proc) AS s(n) WHERE n "
				. "~ '^${name}_(kept|all)'", 'ROLLBACK') =~ s/\n//gr, '0', "$title: DROP TABLE leaves nothing behind");
	is_unkept($session, $restored, $before);
	undef $session;
}
$title = 'after the dumps';
right($keeper, 'the dumped one is right');
is_used($keeper, 'after the dumps');
is_unkept($keeper, $dumped, $before);
undef $keeper;
undef $dumped;

# ---- a transaction that is prepared

($title, $name) = ('prepared', 'prepared');
ledger($server, $name);
{
	my ($writer, $reader) = map { session($server, $name) } 1, 2;
	foreach my $end ('COMMIT', 'ROLLBACK')
	{
		done($writer, 'BEGIN', @changes, 'SAVEPOINT a', @changes, 'ROLLBACK TO a', @changes, "PREPARE TRANSACTION 'p'");
		right($reader, "not seen before $end");
		compact($writer);
		right($reader, "nor after a compaction before $end");
		done($writer, 'SELECT fill(30)');
		compact($writer);
		done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
		done($writer, "$end PREPARED 'p'");
		right($reader, "not seen by an older snapshot after $end");
		right($writer, "after $end");
		compact($writer);
		right($reader, "not seen by an older snapshot after a compaction and $end");
		right($writer, "compacted after $end", accounts => 'all');
		is_used($writer, "after $end");
		done($reader, 'COMMIT');
	}
	# what a compaction has changed cannot be prepared away
	done($writer, 'BEGIN', @changes, map({ "CALL scan_kept_compact('${name}_$_')" } 'kept', 'all'),
		"PREPARE TRANSACTION 'p'");
	right($reader, 'a compaction that is prepared is not seen');
	sent($reader, "CALL scan_kept_compact('${name}_kept')");
	ok(waits($server, $reader, 2), "$title: another one waits for it");
	done($writer, "COMMIT PREPARED 'p'");
	is(asked($reader), '', "$title: and goes on");
	right($reader, 'after both');
}

# ---- a standby

($title, $name) = ('standby', 'ledger');
ledger($server, $name, rows => 1000);
damage_function($server);
my ($standby, $standby_port) = ("$folder/standby", $port + 1);
mkdir $standby;
chown +(stat "$folder/data")[ 4, 5 ], $standby;
chmod 0700, $standby;
runs("$title: copied", $bin, 'pg_basebackup', '-D', $standby, '-R', '-c', 'fast', '-X', 'stream');
settings("$standby/postgresql.conf", "port = $standby_port\nhot_standby_feedback = on\n"
		. "wal_receiver_status_interval = 1\nmax_standby_streaming_delay = -1\n");
push @started, $standby;
runs("$title: started", $bin, 'pg_ctl', '-s', '-w', '-D', $standby, '-l', "$standby/log", 'start');

# Waits until the standby has what the primary has.
sub replayed
{
	my $at = $server->value('SELECT pg_current_wal_flush_lsn()');
	return ok(on($standby_port, sub { $server->comes("SELECT pg_last_wal_replay_lsn() >= '$at'") }),
		"$title: the standby has all of it");
}

{
	my $writer = session($server, $name);
	my ($reader, $old) = on($standby_port, sub { map { session($server, $name) } 1, 2 });
	right($reader, 'after the copy', accounts => 'all');
	done($writer, @changes);
	replayed();
	right($reader, 'after changes', accounts => 'all');
	done($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
	my $seen = asked($old,
		"SELECT string_agg(k::text, '') FROM generate_series(0, 5) AS a, plain_kept(a, NULL, NULL) AS k");
	compact($writer);
	done($writer, @changes);
	replayed();
	right($old, 'in a snapshot that is older than a compaction');
	days_right($old, 'in a snapshot that is older than a compaction');
	right($reader, 'after a compaction');
	days_right($reader, 'after a compaction');
	done($writer, @changes);
	compact($writer);
	done($writer, 'VACUUM payment', "VACUUM ${name}_kept", "VACUUM ${name}_kept_log");
	replayed();
	right($old, 'in a snapshot that is older than two compactions and VACUUM');
	days_right($old, 'in a snapshot that is older than two compactions and VACUUM');
	is(asked($old, "SELECT string_agg(k::text, '') FROM generate_series(0, 5) AS a, ${name}_kept_total(a) AS k"), $seen,
		"$title: the answer has not changed there");
	done($old, 'COMMIT');
	is(reasons($reader), 'used', "$title: scan_kept says that it is used");
	# a tree that is wrong tells that it is read
	done($writer, "SELECT public.damage('${name}_kept', 'n', 1000000)");
	replayed();
	is(asked($reader, "SELECT n > 900000 FROM ${name}_kept_total(0)"), 't', "$title: the tree is read");
	like(asked($reader, "SET scan.kept = 'check'", "SELECT account, count(*) FROM payment WHERE status = 'posted' "
			. 'AND account IN (0, 1) GROUP BY account', 'RESET scan.kept'), qr/^ERROR XX001/m, "$title: and by cells");
	done($writer, "SELECT public.damage('${name}_kept', 'n', -1000000)");
	replayed();
	right($reader, 'after that');
	is(asked($reader, "CALL scan_kept_compact('${name}_kept')"), 'ERROR 25006', "$title: a compaction is refused");
	like($reader->complaints, qr/cannot execute scan_kept_compact\(\) (?:during recovery|in a read-only transaction)/,
		"$title: and says why");
	like(asked($reader, $_), qr/^ERROR (?:25006|55000)$/, "$title: $_ is refused")
		for "SELECT scan_kept_check('${name}_kept')", "SELECT scan_unkeep('${name}_kept')",
		"SELECT scan_keep('more', 'SELECT count(*) OVER (ORDER BY id) AS n FROM payment')";
	# whose triggers are disabled for a while
	done($writer, "ALTER TABLE payment DISABLE TRIGGER scan_kept_${name}_kept_rows", 'UPDATE payment SET v = v + 1',
		"ALTER TABLE payment ENABLE TRIGGER scan_kept_${name}_kept_rows");
	replayed();
	right($reader, 'after changes without triggers');
	days_right($reader, 'after changes without triggers');
	like(reasons($reader), qr/its triggers were changed/, "$title: scan_kept says why it is not used there");
	done($writer, "SELECT scan_kept_check('${name}_kept')", "SELECT scan_kept_check('${name}_all')");
	replayed();
	is(reasons($reader), 'used', "$title: a check on the primary lets it be used");
	right($reader, 'after a check');
	days_right($reader, 'after a check');
	# readers while the primary writes and compacts
	foreach my $round (1 .. 6)
	{
		sent($writer, join '; ', 'BEGIN', @changes, $round % 3 == 0 ? ('TRUNCATE payment', 'SELECT fill(900)') : (),
			'COMMIT', map({ "CALL scan_kept_compact('${name}_$_')" } 'kept', 'all'), @changes);
		right($reader, "while the primary writes, $round.$_") for 1 .. 3;
		unlike(asked($writer), qr/ERROR/, "$title: the primary has written, $round");
	}
	replayed();
	done($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
	# of new rows, so that no other transaction has to wait for it
	done($writer, 'BEGIN', 'SELECT fill(20)', 'SAVEPOINT a', 'SELECT fill(20)', 'ROLLBACK TO a', 'SELECT fill(20)',
		"PREPARE TRANSACTION 'promoted'");
	replayed();
	runs("$title: promoted", $bin, 'pg_ctl', '-s', '-w', '-D', $standby, 'promote');

	$title = 'promoted';
	ok(on($standby_port, sub { $server->comes('SELECT NOT pg_is_in_recovery()') }), "$title: it is a primary");
	right($old, 'in a snapshot that is older');
	done($old, 'COMMIT');
	right($reader, 'in a session that has read before', accounts => 'all');
	is_used($reader, 'in a session that has read before');
	done($reader, @changes);
	right($reader, 'after changes');
	compact($reader);
	right($reader, 'compacted');
	done($reader, "COMMIT PREPARED 'promoted'");
	right($reader, 'with a transaction that was prepared on the primary');
	compact($reader);
	right($reader, 'compacted', accounts => 'all');
	is_used($reader, 'compacted');
	is(asked($reader, map { "SELECT scan_kept_check('${name}_$_')" } 'kept', 'all'), "0\n0",
		"$title: the tree agrees with the table");
	done($writer, "ROLLBACK PREPARED 'promoted'", @changes);
	compact($writer);
	$title = 'the old primary';
	right($writer, 'goes its own way', accounts => 'all');
	is_used($writer, 'goes its own way');
}
program($bin, 'pg_ctl', '-s', '-w', '-m', 'fast', '-D', $standby, 'stop');
pop @started;

# ---- a subscriber

# Publisher and subscriber are databases of one cluster, so the slot has to be there before the subscription.
($title, $name) = ('subscriber', 'published');
my $subscribed = Server->new('subscribed');
ledger($server, $name);
ledger($subscribed, $name, rows => 0);
{
	my $publisher = session($server, $name);
	my $reader = session($subscribed, $name);
	# rows of its own, and a log that is not empty
	done($reader, "INSERT INTO payment (id, account, at, amount, v, f) "
			. "SELECT -i, i % 5, moment(), money(), i, number() FROM generate_series(1, 300) AS i");
	$server->lines("CREATE PUBLICATION p FOR TABLE $name.payment, $name.account");
	$server->lines("SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
	$subscribed->lines("DELETE FROM $name.payment; DELETE FROM $name.account; "
		. "INSERT INTO $name.account VALUES (500), (501); INSERT INTO $name.payment (id, account, at, amount, v) "
		. "SELECT -i, 500 + i % 2, $name.moment(), i * 0.25, i FROM generate_series(1, 600) AS i");
	compact($reader);
	my $log = asked($reader, "SELECT count(*) FROM ${name}_kept_log");
	$subscribed->lines("CREATE SUBSCRIPTION s CONNECTION 'host=$ENV{PGHOST} port=$port user=$ENV{PGUSER} "
		. "dbname=$server->{database}' PUBLICATION p WITH (create_slot = false, slot_name = 's')");
	ok($subscribed->comes("SELECT count(*) > 1 AND bool_and(srsubstate = 'r') FROM pg_subscription_rel"),
		"$title: the initial copy ends");
	my @accounts = (accounts => 'VALUES (0), (1), (4), (500), (NULL)');
	# what the publisher's sessions have written, with the subscriber's own rows
	my $arrived = sub {
		my ($what) = @_;
		my $sum = "count(*) || ' ' || coalesce(sum(hashtext(p::text)), 0)";
		my $wanted = asked($publisher, "SELECT $sum FROM payment AS p");
		ok($subscribed->comes("SELECT $sum = '$wanted' FROM $name.payment AS p WHERE id > 0"), "$title: $what arrives");
	};
	$arrived->('the copy');
	cmp_ok(asked($reader, "SELECT count(*) FROM ${name}_kept_log"), '>', $log, "$title: the copy was logged");
	right($reader, 'after the copy', @accounts);
	is(reasons($reader), 'used', "$title: scan_kept says that it is used");
	compact($reader);
	is_used($reader, 'after the copy');
	foreach my $what (@changes, "COPY payment (account, at, v) FROM STDIN;\n0\t2026-02-01\t7\n0\t2026-03-01\t9\n\\.",
		'BEGIN; SELECT fill(20); SAVEPOINT a; DELETE FROM payment WHERE id % 3 = 0; ROLLBACK TO a; '
			. 'UPDATE payment SET v = 5 WHERE id % 3 = 0; COMMIT', "UPDATE payment SET note = 'x' WHERE id % 5 = 0",
		'DELETE FROM account WHERE id = 3', 'UPDATE account SET id = 30 WHERE id = 4',
		'INSERT INTO account VALUES (3), (4)')
	{
		done($publisher, $what);
		$arrived->($what =~ s/\n.*//sr);
		right($reader, 'after ' . ($what =~ s/\n.*//sr), @accounts);
	}
	is_used($reader, 'after changes');
	compact($reader);
	right($reader, 'compacted', @accounts);
	is_used($reader, 'compacted');
	done($reader, "UPDATE payment SET amount = amount + 1, at = at + interval '1 day' WHERE id < 0 AND id % 3 = 0",
		'DELETE FROM payment WHERE id < 0 AND id % 4 = 0');
	right($reader, 'after changes of its own', @accounts);
	# compactions beside the workers
	foreach my $round (1 .. 5)
	{
		done($publisher, @changes);
		compact($reader);
		right($reader, "while changes come, $round", @accounts);
	}
	$arrived->('all of it');
	is(asked($reader, map { "SELECT scan_kept_check('${name}_$_')" } 'kept', 'all'), "0\n0",
		"$title: the tree agrees with the table");
	# TRUNCATE is that of the whole table
	done($publisher, 'TRUNCATE payment', 'SELECT fill(400)');
	$arrived->('TRUNCATE');
	is(asked($reader, 'SELECT count(*) FROM payment WHERE id < 0'), '0', "$title: its own rows are gone, too");
	right($reader, 'after TRUNCATE', @accounts);
	compact($reader);
	right($reader, 'compacted again', @accounts);
	is_used($reader, 'compacted again');
	is(asked($reader, map { "SELECT scan_kept_check('${name}_$_')" } 'kept', 'all'), "0\n0",
		"$title: the tree agrees with the table again");
	is($server->value("SELECT active FROM pg_replication_slots WHERE slot_name = 's'"), 't',
		"$title: the workers have gone on");
}
unlike($cluster->log, qr/logical replication .*(?:error|exited with exit code 1)/, "$title: no worker has failed");
$subscribed->lines('ALTER SUBSCRIPTION s DISABLE; ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s');
ok($server->comes("SELECT count(pg_drop_replication_slot(slot_name)) = 1 FROM pg_replication_slots WHERE NOT active"),
	"$title: dropped");
undef $subscribed;

# ---- pg_upgrade

SKIP:
{
	my $new_bin = $ENV{SCAN_TEST_UPGRADE_BIN} // $bin;
	skip "there is no $new_bin/pg_upgrade", 1 if !-x "$new_bin/pg_upgrade";
	($title, $name) = ('upgraded', 'ledger');
	my $upgraded = "$folder/upgraded";
	mkdir $upgraded;
	chown +(stat "$folder/data")[ 4, 5 ], $upgraded;
	my $keeper = session($server, $name);
	ledger($server, 'bare', kept => 0);
	done($keeper, @changes);
	right($keeper, 'before it');
	is_used($keeper, 'before it');
	$rows = asked($keeper, 'SELECT count(*) FROM payment');
	undef $keeper;
	my @same = (-U => 'postgres', -E => 'UTF8', '--locale=C.UTF-8', '--no-sync');
	push @same, '--locale-provider=libc', $server->value('SHOW data_checksums') eq 'on' ? () : '--no-data-checksums'
		if `$new_bin/postgres --version` =~ /(\d+)/ && $1 >= 18;
	runs("$title: a new cluster", $new_bin, 'initdb', '-A', 'trust', '-D', $upgraded, @same);
	settings("$upgraded/postgresql.conf",
		"port = $port\nlisten_addresses = ''\nunix_socket_directories = '$ENV{PGHOST}'\nfsync = off\ntimezone = "
			. "'Asia/Kathmandu'\ndatestyle = 'SQL, DMY'\nintervalstyle = 'sql_standard'\nbytea_output = 'escape'\n"
			. "extra_float_digits = -3\ndefault_toast_compression = 'pglz'\nmax_prepared_transactions = 5\n");
	runs("$title: the old cluster stops", $bin, 'pg_ctl', '-s', '-w', '-m', 'fast', '-D', "$folder/data", 'stop');
	my @upgrade = ('-b' => $bin, '-B' => $new_bin, '-d' => "$folder/data", '-D' => $upgraded, '-s' => $ENV{PGHOST},
		'-U' => 'postgres');
	chdir '/';
	push @upgrade, '-N' if `$new_bin/pg_upgrade --help` =~ /--no-sync/;
	# its files are written where it runs
	chown +(stat "$folder/data")[ 4, 5 ], $folder;
	runs("$title: $_->[0]", $new_bin, 'pg_upgrade', @upgrade, @{$_->[1]})
		for [ 'pg_upgrade --check', [ '--check' ] ], [ 'pg_upgrade', [] ];
	push @started, $upgraded;
	runs("$title: started", $new_bin, 'pg_ctl', '-s', '-w', '-D', $upgraded, '-l', "$upgraded/log", 'start');
	$keeper = session($server, $name);
	is(asked($keeper, 'SELECT count(*) FROM payment'), $rows, "$title: all rows are there");
	has_moved($keeper, changes => 1,
		why => 'its definition or its triggers were changed, dropped, disabled or restored from a dump');
	is(asked($keeper, "SELECT reason IS NULL FROM scan_kept WHERE name = 'prepared_kept'"), 'f',
		"$title: others wait for their checks");
	my $kept = inventory($server);
	done($keeper, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
	is(join("\n", grep { /\b${name}[._](?:kept|all)|scan_kept_${name}_/ } @{inventory($server)}), '',
		"$title: scan_unkeep leaves nothing behind");
	cmp_ok(scalar @{inventory($server)}, '<', @$kept - 60, "$title: what was there before");
	done($keeper, @changes);
	keep($server, $name);
	right($keeper, 'kept again', accounts => 'all');
	is_used($keeper, 'kept again');
	undef $keeper;
	undef $server;    # its database goes
	program($new_bin, 'pg_ctl', '-s', '-w', '-m', 'fast', '-D', $upgraded, 'stop');
	pop @started;
	runs('the old cluster starts again', $bin, 'pg_ctl', '-s', '-w', '-D', "$folder/data", '-l',
		"$folder/data/again.log", 'start');
}

done_testing();
