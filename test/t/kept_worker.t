# kept_worker.t: the background worker that compacts kept scans, and compactions of several transactions.
#
# The server logs each process that it starts, so that the tests can tell how many workers there were.  A log is long
# from 40 rows on.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use Cluster;
use Kept;

my $conf = "autovacuum = off\nlog_min_messages = debug1\nmax_prepared_transactions = 2\nscan.debug_kept_deltas = 40\n"
	. "max_worker_processes = ";
my $cluster = Cluster->new("${conf}8");
our $server = $cluster->{server};
my $mark;

sub waiting { return $server->value('SELECT count(*) FROM ' . ($_[0] // "$name.${name}_kept") . '_log') }

# What the server has logged since mark().
sub mark { $mark = length $cluster->log; return }
sub logged { return substr $cluster->log, $mark }
sub started { return scalar(() = logged() =~ /starting background worker process "scan compactor"/g) }

# True when a condition holds; false if it does not within some seconds.
sub soon
{
	my ($condition, $seconds) = @_;
	my $until = time + ($seconds // 20);
	while (time < $until)
	{
		return 1 if $condition->();
		sleep 0.05;
	}
	return 0;
}

my $workers = "FROM pg_stat_activity WHERE backend_type = 'scan compactor'";
sub running { return $server->value("SELECT count(*) $workers AND query LIKE 'scan: compacts kept scan %'") }
sub none_runs { return soon(sub { $server->value("SELECT count(*) $workers") == 0 }) }
# Waits until a log is empty and the worker is gone.
sub emptied
{
	my ($log) = @_;
	return soon(sub { waiting($log) == 0 }) && none_runs() ? 1 : waiting($log) . ' rows are left';
}

# A kept scan whose definition calls a function, which does what `body` says where the worker calls it.
sub worked
{
	my ($table, $body, %option) = @_;
	my $owner = $option{owner} // 'postgres';
	$server->lines(<<"SQL");
CREATE FUNCTION worked_$table(v int) RETURNS int LANGUAGE plpgsql IMMUTABLE SET search_path = public AS \$\$
BEGIN IF current_setting('application_name') = 'scan compactor' THEN $body END IF; RETURN v; END \$\$;
CREATE TABLE $table (account int, k bigint NOT NULL, v int, PRIMARY KEY (account, k));
ALTER TABLE $table OWNER TO $owner;
SELECT scan_keep('${table}_kept',
  'SELECT sum(worked_$table(v)) OVER (PARTITION BY account ORDER BY k) AS total FROM $table');
SQL
	return;
}

sub heal
{
	my ($table) = @_;
	$server->lines("CREATE OR REPLACE FUNCTION worked_$table(v int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT v'");
	return;
}

sub fill
{
	my ($table, $accounts, $from) = @_;
	return "INSERT INTO $table SELECT a, $from + i * 1000::bigint, 1 "
		. "FROM generate_series(1, $accounts) AS a, generate_series(1, 300) AS i";
}

sub wrong
{
	my ($table) = @_;
	return $server->value("SELECT count(*) FROM (SELECT account, sum(v) AS plain FROM $table GROUP BY account) AS s, "
		. "${table}_kept_total(account) AS k WHERE k.total IS DISTINCT FROM plain");
}

# ---- by itself

my $reader = scene($server, 'by itself', rows => 6000);
mark();
done($reader, 'SELECT fill(20)');
right($reader, 'before');
is(started(), 0, "$title: a short log starts no worker");
my $old = session($server, $name);
done($old, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM payment');
done($reader, 'BEGIN', 'SELECT fill(900)');
sleep 0.3;
is(started(), 0, "$title: no worker before the commit");
done($reader, 'COMMIT');
is(emptied(), 1, "$title: a worker has emptied the log");
cmp_ok(started(), '<=', 2, "$title: and no further one was started");
right($reader, 'after the compaction', sample => 60, accounts => 'all');
is(used($reader, $name), 1, "$title: the tree is read");
right($old, 'an older snapshot');
done($old, 'ROLLBACK');
is($server->value("SELECT scan_kept_check('${name}_all')"), 0, "$title: nothing differs");
cmp_ok($server->value("SELECT count(DISTINCT xmin::text) FROM $name.${name}_kept"), '>', 2,
	"$title: it took several transactions");
is($server->value("SELECT reloptions FROM pg_class WHERE relname = '${name}_kept_log'"),
	'{autovacuum_vacuum_scale_factor=0,autovacuum_vacuum_threshold=10000,'
		. 'autovacuum_vacuum_insert_threshold=-1,vacuum_truncate=off}',
	"$title: the log is vacuumed in time");

mark();
done($reader, 'BEGIN', 'SELECT fill(900)', 'ROLLBACK', 'BEGIN', 'SELECT fill(900)', "PREPARE TRANSACTION '$name'",
	"ROLLBACK PREPARED '$name'");
done($reader, 'SET scan.kept_compact = off', 'SELECT fill(900)');
sleep 1;
is(started(), 0, "$title: no worker after ROLLBACK and PREPARE TRANSACTION, and where it is off");
cmp_ok(waiting(), '>', 40, "$title: rows wait");
right($reader, 'with a long log');
done($reader, 'RESET scan.kept_compact', 'INSERT INTO payment (account, at, amount) VALUES (0, now(), 1)');
is(emptied(), 1, "$title: a session with a few rows of its own finds the log of others");

$title = 'short sessions';
mark();
ledger($server, $name = 'short');
foreach my $i (1 .. 80)
{
	$server->lines("INSERT INTO short.payment (account, at, amount) SELECT i % 5, '2026-01-01'::timestamptz + i * "
		. "interval '1 day' + $i * interval '1 hour', 1 FROM generate_series(1, 5) AS i");
}
is(soon(sub { waiting() < 80 }), 1, "$title: together they start a worker");
ok(none_runs(), "$title: which ends");
cmp_ok(started(), '<=', 20, "$title: and not one for each");
right(session($server, $name), 'after them');

# ---- the owner

$title = 'an owner that cannot log in';
$server->lines('CREATE ROLE bookkeeper; GRANT CREATE ON SCHEMA public TO bookkeeper; REVOKE CONNECT ON DATABASE '
	. $server->{database} . ' FROM PUBLIC');
worked('owned', "IF v = 1 THEN RAISE LOG 'the worker is % in %', current_user, current_setting('search_path'); END IF; "
		. "IF v = 2 THEN PERFORM set_config('role', 'postgres', false); END IF;", owner => 'bookkeeper');
mark();
$server->lines(fill('owned', 3, 0));
is(emptied('owned_kept'), 1, "$title: the worker compacts");
$server->lines('INSERT INTO owned VALUES (4, 7, 2);' . fill('owned', 4, 1));
ok(soon(sub { logged() =~ /the worker is bookkeeper in public/ }), "$title: as the owner");
my $refusal = 'LOG:  cannot set parameter "role" within security-restricted operation';
ok(soon(sub { logged() =~ /$refusal\n.*(?:\n\t.*)*\n?.*compaction of kept scan "owned_kept"/ }),
	"$title: and cannot become another role");
heal('owned');
ok(none_runs(), "$title: the worker ends");
$server->lines(fill('owned', 1, 2));
is(emptied('owned_kept'), 1, "$title: then it goes on");
is(wrong('owned'), 0, "$title: the totals are right");

$title = 'row security';
$server->lines('ALTER TABLE owned ENABLE ROW LEVEL SECURITY; ALTER TABLE owned FORCE ROW LEVEL SECURITY');
mark();
$server->lines(fill('owned', 1, 3));
sleep 1;
is(started(), 0, "$title: there is no worker where a policy applies to the owner");

# ---- errors

$title = 'a function that fails';
worked('failing', "RAISE EXCEPTION 'no luck';");
mark();
$server->lines($_) foreach fill('failing', 2, 0), map { "INSERT INTO failing VALUES (1, $_, 1)" } 1 .. 5;
ok(soon(sub { logged() =~ /LOG:  no luck\n/ }), "$title: the error is in the server's log");
like(logged(), qr/compaction of kept scan "failing_kept"/, "$title: with what it was");
is(scalar(() = logged() =~ /no luck/g), 1, "$title: once");
ok(none_runs(), "$title: the worker ends");
unlike(logged(), qr/terminated by signal|server process|exit code [^0]/, "$title: without a crash");
cmp_ok(waiting('failing_kept'), '>', 40, "$title: the log is as it was");
is($server->value("SELECT compaction_error FROM scan_kept WHERE name = 'failing_kept'"), 'no luck',
	"$title: scan_kept has the error");
is(wrong('failing'), 0, "$title: the totals are right");
heal('failing');
sleep 1.1;
$server->lines('INSERT INTO failing VALUES (1, 100, 1)');
is(emptied('failing_kept'), 1, "$title: a later worker has luck");
is(wrong('failing'), 0, "$title: the totals are right again");
is($server->value("SELECT compaction_error IS NULL AND compacted IS NOT NULL FROM scan_kept "
		. "WHERE name = 'failing_kept'"), 't', "$title: and no error any more");

# ---- a slow worker

worked('slow', 'PERFORM pg_sleep(0.005);');
foreach my $end (qw(cancel terminate))
{
	$title = "pg_${end}_backend()";
	mark();
	$server->lines(fill('slow', 2, $end eq 'cancel' ? 0 : 500));
	ok(soon(\&running), "$title: the worker runs");
	like($server->value("SELECT query || application_name $workers"),
		qr/^scan: compacts kept scan "slow_kept"scan compactor$/, "$title: and says what it does");
	$server->lines("SELECT pg_${end}_backend(pid) $workers");
	ok(soon(sub { logged() =~ ($end eq 'cancel' ? qr/LOG:  canceling statement due to user request/
						: qr/FATAL:  terminating background worker "scan compactor" due to administrator command/) }),
		"$title: it is told so");
	ok(none_runs(), "$title: it ends");
	cmp_ok(waiting('slow_kept'), '>', 40, "$title: the log is as it was");
	is(wrong('slow'), 0, "$title: the totals are right");
}
$title = 'a busy tree';
my $holder = session($server, 'public');
heal('slow');
done($holder, 'BEGIN', "CALL scan_kept_compact('slow_kept')");
mark();
$server->lines(fill('slow', 1, 100));
sleep 0.5;
is(started(), 0, "$title: no worker begins while another process has the tree");
done($holder, 'COMMIT');
heal('slow');
sleep 1.1;
$server->lines('INSERT INTO slow VALUES (1, 1, 1)');
is(emptied('slow_kept'), 1, "$title: a worker begins afterwards");
is(wrong('slow'), 0, "$title: the totals are right");
is($server->value("SELECT scan_kept_check('slow_kept')"), 0, "$title: nothing differs");

my $drops = 0;
foreach my $drop ('DROP TABLE dropped%d CASCADE', "SELECT scan_unkeep('dropped%d_kept')",
	'DROP VIEW dropped%d_kept_definition CASCADE; DROP TABLE dropped%d CASCADE')
{
	my $table = 'dropped' . ++$drops;
	$title = $drop =~ s/%d/$drops/gr;
	worked($table, 'PERFORM pg_sleep(0.005);');
	mark();
	$server->lines(fill($table, 4, 0));
	ok(soon(\&running), "$title: the worker runs");
	my $begin = time;
	$server->lines($title);
	cmp_ok(time - $begin, '<', 8, "$title: waits for one transaction");
	ok(none_runs(), "$title: the worker ends");
	unlike(logged(), qr/ERROR|deadlock|compaction of kept scan/, "$title: without an error");
}

$title = 'DROP DATABASE';
$server->lines('CREATE DATABASE other TEMPLATE template0');
{
	my $here = $server;
	local $server = bless { %$server, database => 'other', created => 0 }, 'Server';
	$server->lines('CREATE EXTENSION scan');
	worked('slow', 'PERFORM pg_sleep(0.003);');
	$server->lines(fill('slow', 20, 0));
	ok(soon(\&running), "$title: the worker runs");
	mark();
	my (undef, $error) = $here->run('DROP DATABASE other');
	is($error, '', "$title: it succeeds");
	unlike(logged(), qr/FATAL/, "$title: without ending a process");
}

# ---- CALL

$reader = scene($server, 'CALL', rows => 6000);
done($reader, 'SET scan.kept_compact = off', 'SELECT fill(1500)', 'DELETE FROM payment WHERE id % 3 = 0',
	'SELECT fill(500)');
cmp_ok(waiting(), '>', 300, "$title: the log is long");
my $versions = sub { return $server->value("SELECT count(DISTINCT xmin::text) FROM $name.${name}_$_[0]") };
my $before = $versions->('kept');
done($reader, 'BEGIN', "CALL scan_kept_compact('${name}_kept')");
right($reader, 'in a transaction block');
is(asked($reader, "SELECT count(*) FROM ${name}_kept_log"), '0', "$title: all of the log in one transaction");
is(asked($reader, "SELECT count(DISTINCT xmin::text) <= 2 FROM ${name}_kept"), 't', "$title: which is one");
done($reader, 'ROLLBACK');
cmp_ok(waiting(), '>', 300, "$title: and it can be rolled back");
done($reader, "CALL scan_kept_compact('${name}_kept')", "CALL scan_kept_compact('${name}_all')");
is(waiting() + waiting("$name.${name}_all"), 0, "$title: the logs are empty");
cmp_ok($versions->($_), '>', 3, "$title: $_ in several transactions") foreach 'kept', 'all';
right($reader, 'after the compaction', sample => 60, accounts => 'all');
is($server->value("SELECT scan_kept_check('${name}_all')"), 0, "$title: nothing differs");

# Each transaction leaves the rest of a partition: right at every point in between.
done($reader, 'SET scan.debug_kept_deltas = 1');
my $caller = session($server, $name);
done($caller, 'SET scan.debug_kept_deltas = 1');
my ($between, $bad) = (0, '');
foreach my $round (1 .. 10)
{
	asked($reader, 'SELECT fill(300)', "DELETE FROM payment WHERE id % 19 = $round",
		"UPDATE payment SET at = at + interval '3 days', amount = amount + 1 WHERE id % 23 = $round");
	my $long = waiting();
	sent($caller, "DO 'BEGIN CALL scan_kept_compact(''${name}_kept''); CALL scan_kept_compact(''${name}_all''); END'");
	for (1 .. 1000) { last if asked($reader, "SELECT count(*) < $long FROM ${name}_kept_log") eq 't' }
	my ($left) = asked($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', "SELECT count(*) FROM ${name}_kept_log");
	$between++ if $left > 0 && $left < $long;
	$bad ||= compared($reader, accounts => 'VALUES (0), (1), (NULL)', sample => 3);
	asked($reader, 'COMMIT');
	$bad ||= asked($caller);
}
is($bad, '', "$title: right while it runs, also in DO");
cmp_ok($between, '>', 0, "$title: $between times in the middle of a compaction");
right($reader, 'after it', sample => 60, accounts => 'all');
is($server->value("SELECT scan_kept_check('${name}_all')"), 0, "$title: nothing differs");
done($reader, 'SELECT fill(60)',
	"CREATE FUNCTION atomic() RETURNS void LANGUAGE plpgsql AS 'BEGIN CALL scan_kept_compact(''${name}_kept''); END'",
	'SELECT atomic()');
is(waiting(), 0, "$title: in a function");
is(asked($reader, 'SET default_transaction_isolation = serializable', "CALL scan_kept_compact('${name}_kept')"),
	'ERROR 25001', "$title: not with one snapshot");

# ---- a kept scan of an empty table, whose rows come later

$title = 'a shape that is outgrown';
$server->lines(<<'SQL');
CREATE TABLE late (id bigserial PRIMARY KEY, account int NOT NULL, at timestamptz NOT NULL, amount numeric NOT NULL);
CREATE INDEX ON late (account, at, id);
SELECT scan_keep('late_kept', 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM late '
  'WINDOW w AS (PARTITION BY account ORDER BY at, id)');
SQL
my $shaped = $server->value("SELECT shaped FROM scan_kept WHERE name = 'late_kept'");
sleep 0.5;
$server->lines("INSERT INTO late (account, at, amount) SELECT i % 2, "
	. "timestamptz '2026-01-01' + i * interval '10 milliseconds', i % 7 FROM generate_series(1, 20000) AS i");
$server->lines('INSERT INTO late (account, at, amount) VALUES ' . join ', ',
	map { "($_ % 2, timestamptz '2026-02-01' + $_ * interval '2 hours', 1)" } 1 .. 100);
ok(soon(sub { $server->value("SELECT shaped > '$shaped' FROM scan_kept WHERE name = 'late_kept'") eq 't' }),
	"$title: the worker has chosen another one");
is(emptied('late_kept'), 1, "$title: and has folded the log");
my $read = join "\n",
	$server->lines("LOAD 'scan'; SET scan.kept = force; "
	. "EXPLAIN (ANALYZE, COSTS OFF) SELECT sum(amount) FROM late WHERE account = 1 AND at < '2026-01-01 00:01:00.005'");
like($read, qr/Starts From: late_kept \(\d+ nodes, \d+ deltas, \d{1,3} rows\)/,
	"$title: a reader reads few rows of the table");
is($server->value("SELECT bool_and(t.total = p.s AND t.n = p.n) FROM (SELECT account, sum(amount + 0) AS s, "
		. "count(*) AS n FROM late GROUP BY account) AS p, LATERAL late_kept_total(account) AS t"), 't',
	"$title: the totals are right");
is($server->value("SELECT usable || ' ' || coalesce(reason, '') || (compacted > shaped - interval '1 minute') || "
		. "coalesce(compaction_error, '') FROM scan_kept WHERE name = 'late_kept'"), 'true true',
	"$title: scan_kept has the time of the compaction");
is($server->value("SELECT scan_kept_check('late_kept')"), 0, "$title: nothing differs");

# A table with a row for each minute, which is kept; and rows of one moment, whose statements start the worker.
sub minutes
{
	my ($table) = @_;
	return $server->lines(<<"SQL");
CREATE TABLE $table (id bigserial PRIMARY KEY, account int NOT NULL, at timestamptz NOT NULL, amount numeric NOT NULL);
CREATE INDEX ON $table (account, at, id);
INSERT INTO $table (account, at, amount) SELECT 1, timestamptz '2026-01-01' + i * interval '1 minute', i % 7
  FROM generate_series(1, 20000) AS i;
SELECT scan_keep('${table}_kept', 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM $table '
  'WINDOW w AS (PARTITION BY account ORDER BY at, id)');
SQL
}

sub one_by_one
{
	my ($table) = @_;
	$server->lines("DO 'BEGIN FOR i IN 1..700 LOOP INSERT INTO $table (account, at, amount) "
		. "VALUES (1, timestamptz ''2026-01-05'', 1); END LOOP; END'") for 1 .. 3;
	return;
}

# The worker would choose intervals of half the size, which is near enough for it to leave the tree as it is.
$title = 'a shape that is outgrown in one place';
minutes('place');
$shaped = $server->value("SELECT shaped FROM scan_kept WHERE name = 'place_kept'");
sleep 0.5;
$server->lines("INSERT INTO place (account, at, amount) SELECT 1, "
	. "timestamptz '2026-01-01 00:00:30' + i * interval '1 minute', i % 7 FROM generate_series(1, 20000) AS i");
$server->lines(
	"INSERT INTO place (account, at, amount) SELECT 1, timestamptz '2026-01-05', 1 FROM generate_series(1, 9000)");
one_by_one('place');
ok(soon(sub { $server->value("SELECT shaped > '$shaped' FROM scan_kept WHERE name = 'place_kept'") eq 't' }),
	"$title: the worker has looked at it");
is(emptied('place_kept'), 1, "$title: and has folded the log");
is($server->value("SELECT count(*) FROM generate_series(1, 200) AS i, LATERAL (SELECT timestamptz '2026-01-01' "
		. "+ i * interval '100 minutes' AS at) AS p, LATERAL place_kept_before(1, at) AS k "
		. "WHERE k.total IS DISTINCT FROM (SELECT sum(amount + 0) FROM place WHERE place.at < p.at)"), 0,
	"$title: totals before 200 moments are right");
is($server->value("SELECT scan_kept_check('place_kept')"), 0, "$title: nothing differs");

# The worker waits to note its compaction, since the catalog's row is held.
# Meanwhile a trigger is disabled for a while.
$title = 'a trigger disabled before a shape is chosen';
damage_function($server);
minutes('dense');
$shaped = $server->value("SELECT shaped FROM scan_kept WHERE name = 'dense_kept'");
sleep 2;
my $row = session($server, $name);
done($row, 'BEGIN', "SELECT public.damage('scan_kept_definition', 'format', 0)");
# as many rows in one place as no interval has
$server->lines(
	"INSERT INTO dense (account, at, amount) SELECT 1, timestamptz '2026-01-05', 1 FROM generate_series(1, 5000)");
one_by_one('dense');
ok(soon(sub { $server->value("SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) "
				. "WHERE backend_type = 'scan compactor' AND NOT granted") > 0 }), "$title: the worker waits");
$server->lines("BEGIN; ALTER TABLE dense DISABLE TRIGGER scan_kept_dense_kept_rows; "
	. "INSERT INTO dense (account, at, amount) SELECT 1, timestamptz '2026-01-03', 1 FROM generate_series(1, 7); "
	. "ALTER TABLE dense ENABLE ALWAYS TRIGGER scan_kept_dense_kept_rows; COMMIT");
done($row, 'ROLLBACK');
sleep 2;
is($server->value("SELECT usable FROM scan_kept WHERE name = 'dense_kept'"), 'f',
	"$title: the kept scan is not usable");
is($server->value("SELECT t.total = p.s AND t.n = p.n FROM (SELECT sum(amount + 0) AS s, count(*) AS n "
		. "FROM dense) AS p, dense_kept_total(1) AS t"), 't', "$title: the total is right");

# ---- no worker is free

undef $_ foreach $reader, $caller, $holder, $old;
$server = undef;
$cluster = undef;
$cluster = Cluster->new("${conf}1");
$server = $cluster->{server};
$title = 'no worker is free';
$reader = scene($server, $title, rows => 10);
mark();
done($reader, 'SELECT fill(900)') foreach 1 .. 5;
sleep 1.1;
done($reader, 'SELECT fill(10)');
is(started(), 0, "$title: none is started");
unlike(logged(), qr/WARNING|ERROR|FATAL|compact|too many/, "$title: and nothing is logged");
right($reader, 'with a long log');

done_testing();
