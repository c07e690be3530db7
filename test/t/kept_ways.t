# kept_ways.t: ways of writing the table of a kept scan, and of reading it, that are not a client's plain statement:
# limits on the rows of a statement, procedural languages, workers of logical replication, cursors of other roles,
# snapshots that are older than a rewrite, dumps of a plain owner.
#
# The table is entry(id, account, at, amount), with a sum and a count by account.  Each check compares a query that
# reads the kept scan, and a call of its function for totals, with the same sums of expressions that no kept scan has.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;
use Kept ();
use Server;
use Session;

my $cluster = Cluster->new("wal_level = logical\nmax_wal_senders = 6\nmax_replication_slots = 6\n"
	. "max_prepared_transactions = 5\nsession_preload_libraries = 'scan'\n");
my $server = $cluster->use;
my $port = $cluster->{PGPORT};
my $scratch = File::Temp->newdir;
Kept::damage_function($server);

my $definition = 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM entry '
	. 'WINDOW w AS (PARTITION BY account ORDER BY at, id)';
my $rows = "INSERT INTO entry (account, at, amount) SELECT i % 10, "
	. "timestamptz '2026-01-01' + i * interval '10 minutes', 10 + i % 7 FROM generate_series(1, 6000) AS i";
sub table
{
	my (%option) = @_;
	return "CREATE TABLE entry (id bigserial PRIMARY KEY, account int, at timestamptz NOT NULL, amount numeric(12,2), "
		. "note text); CREATE INDEX ON entry (account, at, id);" . ($option{empty} ? '' : "$rows; ANALYZE entry;")
		. ($option{plain} ? '' : "SELECT scan_keep('balance', \$\$$definition\$\$);");
}

sub new_table
{
	my ($in, %option) = @_;
	return $in->lines('SET client_min_messages = error; DROP TABLE IF EXISTS entry CASCADE;' . table(%option));
}

# What is different of all accounts: '' if nothing is.
my $different = <<'SQL';
SELECT coalesce(string_agg(format('%s: plain %s %s, kept %s %s, total() %s %s', a, p.s, p.n, k.s, k.n, t.total, t.n),
  '; ') FILTER (WHERE (p.s, p.n) IS DISTINCT FROM (k.s, k.n) OR (p.s, p.n) IS DISTINCT FROM (t.total, t.n)), '')
FROM generate_series(0, 9) AS a, LATERAL (SELECT sum(amount + 0) AS s, count(*) AS n FROM entry WHERE account = a) AS p,
LATERAL (SELECT sum(amount) AS s, count(*) AS n FROM entry WHERE account = a) AS k, LATERAL balance_total(a) AS t;
SQL
sub right { my ($what, $in) = @_; $in //= $server; return is($in->value($different) // '', '', "$what: right") }
sub is_used
{
	my ($what, $in) = @_;
	$in //= $server;
	is($in->value("SELECT coalesce(reason, 'used') FROM scan_kept WHERE name = 'balance'"), 'used', "$what: in use");
	return like(join('',
			$in->lines('SET scan.kept = force; EXPLAIN SELECT sum(amount), count(*) FROM entry WHERE account = 7')),
		qr/Starts From: balance/, "$what: a query reads it");
}

# ---- ways of writing

# A limit on the rows of a statement, as SPI_execute() has it: the statement stops before its end.
new_table($server);
is_used('before');
foreach my $command (
	'UPDATE entry SET amount = amount + 1000 WHERE id = 7 RETURNING amount',
		'UPDATE entry SET amount = amount + 1000 WHERE account = 7 RETURNING amount',
		'UPDATE entry SET account = 8 WHERE account = 7 RETURNING id',
	"INSERT INTO entry (account, at, amount) VALUES (7, '2026-01-05', 5000) RETURNING id",
	"INSERT INTO entry (account, at, amount) SELECT 7, '2026-01-05', i FROM generate_series(1, 9) AS i RETURNING id",
	'DELETE FROM entry WHERE account = 7 RETURNING id',
	"INSERT INTO entry (id, account, at, amount) VALUES (8, 7, '2026-01-05', 1) ON CONFLICT (id) DO "
		. "UPDATE SET amount = entry.amount + 77 RETURNING id",
	'WITH d AS (DELETE FROM entry WHERE account = 6 RETURNING *) SELECT * FROM d',
	'WITH d AS (DELETE FROM entry WHERE account = 5 AND id % 3 = 0 RETURNING *), '
		. 'i AS (INSERT INTO entry (account, at, amount) SELECT 4, at, amount FROM d RETURNING id) SELECT * FROM i')
{
	foreach my $limit (1, 2, 3)
	{
		$server->lines("SELECT run_limited(\$\$$command\$\$, $limit)");
		right("$limit rows of $command");
	}
	is_used("after $command");
}
# ... in a transaction that reads between, and in one that a subtransaction's end undoes
is($server->value(<<"SQL") // '', '', 'a limit in a transaction: right before its end');
BEGIN; DO \$\$BEGIN PERFORM run_limited('UPDATE entry SET amount = amount + 1 WHERE account = 3 RETURNING id', 5);
END\$\$;
$different
SQL
$server->lines(<<'SQL');
DO $$BEGIN
  PERFORM run_limited('UPDATE entry SET amount = amount + 1 WHERE account = 3 RETURNING id', 5);
  BEGIN
    PERFORM run_limited('UPDATE entry SET amount = amount + 1 WHERE account = 3 RETURNING id', 5);
    RAISE EXCEPTION 'undo';
  EXCEPTION WHEN OTHERS THEN NULL; END;
  PERFORM run_limited('DELETE FROM entry WHERE account = 3 RETURNING id', 5);
END$$;
SQL
right('limits and an exception');
# Procedural languages with a limit of their own, as far as they are installed.
foreach my $language (
	[ plperl => 'my $r = spi_exec_query("UPDATE entry SET amount = amount + 1000 WHERE id = $_[0] RETURNING amount", '
			. '1); return $r->{rows}[0]{amount};' ],
	[ plpython3u => "return plpy.execute('UPDATE entry SET amount = amount + 1000 WHERE id = %d RETURNING amount' % i, "
			. "1)[0]['amount']" ],
	[ pltcl => 'spi_exec -count 1 "UPDATE entry SET amount = amount + 1000 WHERE id = $1 RETURNING amount"; '
			. 'return $amount' ])
{
SKIP:
	{
		my ($name, $body) = @$language;
		skip "$name is not installed", 1
			if !$server->value("SELECT count(*) FROM pg_available_extensions WHERE name = '$name'");
		$server->lines("CREATE EXTENSION $name; CREATE FUNCTION pay_$name(i int) RETURNS text "
			. "LANGUAGE $name AS \$f\$$body\$f\$; SELECT pay_$name(id::int) FROM entry ORDER BY id LIMIT 5");
		right("$name with a limit");
	}
}
# A function of the session sets session_replication_role while a statement runs.
new_table($server);
$server->lines(<<'SQL');
CREATE FUNCTION switch(i int) RETURNS int LANGUAGE plpgsql AS $$BEGIN IF i = 3 THEN SET session_replication_role =
  replica; END IF; IF i = 6 THEN SET session_replication_role = local; END IF; RETURN i; END$$;
INSERT INTO entry (account, at, amount) SELECT switch(i), '2026-01-07', 1 FROM generate_series(1, 9) AS i;
SQL
right('session_replication_role is set inside of a statement');
is_used('session_replication_role is set inside of a statement');
# A session that its first statement makes load the library:
# what that statement changes waits for the transaction's end.
my $insert = "INSERT INTO entry (account, at, amount) VALUES (1, '2026-01-08', 5)";
my $keep = "SELECT scan_keep('balance', \$\$$definition\$\$)";
my $again = "SELECT scan_unkeep('balance'); $keep";
foreach my $rest ('TRUNCATE entry', "TRUNCATE entry; $insert", 'SAVEPOINT a; TRUNCATE entry; ROLLBACK TO a',
	"SAVEPOINT a; TRUNCATE entry; $insert; RELEASE a; $insert",
	"SAVEPOINT a; SAVEPOINT b; TRUNCATE entry; RELEASE b; ROLLBACK TO a; $insert",
	"DELETE FROM entry WHERE account = 1; SELECT scan_kept_check('balance') = 0",
	map({ "SAVEPOINT a; SELECT scan_kept_check('balance') >= 0; $_ a" } 'ROLLBACK TO', 'RELEASE'),
	"CALL scan_kept_compact('balance')", "$again", "SAVEPOINT a; $again; RELEASE a; $insert",
	'CLUSTER entry USING entry_pkey', "SELECT scan_unkeep('balance')", 'DROP EXTENSION scan CASCADE')
{
	new_table($server);
	local $ENV{PGOPTIONS} = '-c session_preload_libraries=';
	my ($out, $err) = $server->run("BEGIN; $insert; $rest; COMMIT");
	delete $ENV{PGOPTIONS};
	is($out =~ s/^\d*\n//gmr . $err =~ s/^(?:psql:\S+ NOTICE:|DETAIL:|drop cascades).*\n//gmr,
		$rest =~ /check/ ? "t\n" : '', "cold, $rest: no error");
	$server->lines('CREATE EXTENSION scan') if $rest =~ /^DROP/;
	$server->lines($keep) if $rest =~ /^DROP|^SELECT scan_unkeep[^;]*$/;
	right("cold, $rest");
	is($server->value("SELECT scan_kept_check('balance')"), '0', "cold, $rest: the tree agrees with the table");
}
# A row that enters and leaves within one statement: a foreign key's action removes it.  Others have less.
$server->lines(<<'SQL');
CREATE TABLE holder (id int PRIMARY KEY); INSERT INTO holder VALUES (1), (2);
CREATE TABLE item (holder int REFERENCES holder ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, kind int NOT NULL,
  k int NOT NULL, v int); CREATE INDEX ON item (kind, k);
INSERT INTO item SELECT 1, i % 3, i, i % 10 FROM generate_series(1, 100) AS i;
SELECT scan_keep(f, format('SELECT %s(v) OVER w AS x FROM item WINDOW w AS (PARTITION BY kind ORDER BY k)', f))
  FROM unnest('{max,min,bit_or}'::text[]) AS f;
WITH i AS (INSERT INTO item SELECT 2, 1, i, 100 * i FROM generate_series(-1, 5) AS i RETURNING 1) DELETE FROM holder
  WHERE id = 2 AND (SELECT count(*) FROM i) = 7;
SQL
my $extremes = "SELECT ROW(max(v + 0), min(v + 0), bit_or(v + 0))::text = (SELECT ROW(max_total.x, min_total.x, "
	. "bit_or_total.x)::text FROM max_total(1), min_total(1), bit_or_total(1)) FROM item WHERE kind = 1";
is($server->value("SELECT count(*) FROM item WHERE holder = 2"), '0', 'rows that enter and leave: they have left');
is($server->value($extremes), 't', 'rows that enter and leave: extremes are right');
foreach my $change ('CASE v WHEN 9 THEN 3 WHEN 0 THEN 4 ELSE v END', 'v', 'v + 100', 'v - 200', 'v | 1024',
	'nullif(v, 0)', 'coalesce(v, -300)')
{
	$server->lines("UPDATE item SET v = $change");
	is($server->value($extremes), 't', "v becomes $change: extremes are right");
	$server->lines("CALL scan_kept_compact('$_')") for 'max', 'min', 'bit_or';
}
$server->lines('SET client_min_messages = error; DROP TABLE holder, item CASCADE');
# A new owner's check makes the kept scan again, with the table's schema in the search_path of whoever calls.
new_table($server);
$server->lines("CREATE ROLE heir; GRANT CREATE ON SCHEMA public TO heir; ALTER TABLE entry OWNER TO heir");
is($server->value("SELECT usable FROM scan_kept WHERE name = 'balance'"), 'f', 'a new owner: not in use');
is($server->value("SELECT scan_kept_check('balance') >= 0"), 't', 'a new owner: checked');
right('a new owner');
is_used('a new owner');
# A statement that touches more partitions than there is memory for.
$server->lines("SET work_mem = '64kB'; INSERT INTO entry (account, at, amount) "
	. "SELECT i % 3000, timestamptz '2026-01-01' + i * interval '1 hour', 1 FROM generate_series(1, 9000) AS i; "
	. "UPDATE entry SET amount = amount + 1; DELETE FROM entry WHERE account > 9 AND id % 2 = 0");
right('little memory');
is($server->value("SELECT scan_kept_check('balance')"), '0', 'little memory: the tree agrees with the table');
# A COPY, and rows that a trigger changes on their way.
$server->lines(
	"CREATE FUNCTION double() RETURNS trigger LANGUAGE plpgsql AS \$\$BEGIN NEW.amount := NEW.amount * 2; RETURN NEW; "
	. "END\$\$; CREATE TRIGGER doubles BEFORE INSERT OR UPDATE ON entry FOR EACH ROW EXECUTE FUNCTION double()");
$server->lines("COPY entry (account, at, amount) FROM STDIN;\n7\t2026-02-01\t7\n7\t2026-03-01\t9\n\\.\n"
	. "UPDATE entry SET note = 'x' WHERE id % 7 = 0");
right('a trigger that changes rows');
$server->lines('DROP TRIGGER doubles ON entry');
# A change of other columns writes nothing.
$server->lines("SELECT scan_kept_check('balance'); CALL scan_kept_compact('balance'); UPDATE entry SET note = 'y'");
is($server->value('SELECT count(*) FROM balance_log'), '0', 'a change of other columns writes no delta');
# A table that becomes a partition, is written through its parent, and is one no more.
new_table($server);
$server->lines(<<'SQL');
CREATE TABLE whole (id bigint NOT NULL, account int, at timestamptz NOT NULL, amount numeric(12,2), note text)
  PARTITION BY RANGE (at);
CREATE TABLE later PARTITION OF whole FOR VALUES FROM ('2027-01-01') TO ('2030-01-01');
ALTER TABLE whole ATTACH PARTITION entry FOR VALUES FROM ('2020-01-01') TO ('2027-01-01');
SQL
is_used('a table that has become a partition');
foreach my $command ("INSERT INTO whole VALUES (100001, 7, '2026-05-05', 1000)",
	"UPDATE whole SET amount = amount + 1 WHERE account = 7",
	"UPDATE whole SET at = at + interval '1 year' WHERE account = 7 AND id % 5 = 0",
	"UPDATE whole SET at = at - interval '1 year' WHERE account = 7 AND id % 10 = 0",
	'DELETE FROM whole WHERE account = 6 AND id % 3 = 0',
	"COPY whole (id, account, at, amount) FROM STDIN;\n100002\t7\t2026-02-01\t7\n100003\t7\t2028-03-01\t9\n\\.",
	"MERGE INTO whole USING (VALUES (100001)) AS s (i) ON id = i WHEN MATCHED THEN UPDATE SET amount = 5")
{
	$server->lines($command);
	right($command =~ s/\n.*//sr);
}
$server->lines(<<'SQL');
CREATE FUNCTION sees() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN INSERT INTO seen SELECT (SELECT total
  FROM balance_total(7)), (SELECT sum(amount + 0) FROM entry WHERE account = 7); RETURN NULL; END$$;
CREATE TABLE seen (kept numeric, plain numeric);
CREATE TRIGGER a_sees AFTER INSERT ON whole FOR EACH ROW EXECUTE FUNCTION sees();
CREATE TRIGGER z_sees AFTER INSERT ON whole FOR EACH STATEMENT EXECUTE FUNCTION sees();
INSERT INTO whole SELECT 200000 + i, 7, '2026-05-05', 1000 FROM generate_series(1, 5) AS i;
SQL
is($server->value('SELECT count(*) FROM seen WHERE kept IS DISTINCT FROM plain') . ' of '
	. $server->value('SELECT count(*) FROM seen'), '0 of 6', 'triggers that read while the parent is written');
$server->lines('ALTER TABLE whole DETACH PARTITION entry; INSERT INTO entry (account, at, amount) '
	. 'VALUES (7, now(), 1); DROP TABLE whole, seen CASCADE; DROP FUNCTION sees()');
right('a table that was a partition');

# ---- who reads

# A cursor that one role opens and another one fetches: the rows of the one that opened it.
new_table($server);
$server->lines(<<'SQL');
CREATE ROLE teller;
CREATE FUNCTION balance_cursor(a int) RETURNS refcursor LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE c refcursor := 'c';
BEGIN OPEN c FOR SELECT sum(amount), count(*) FROM entry WHERE account = a AND at < '2026-01-20'; RETURN c; END $$;
CREATE FUNCTION ledger_cursor(a int) RETURNS refcursor LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE c refcursor := 'c'; BEGIN OPEN c FOR SELECT *
  FROM (SELECT id, at, sum(amount) OVER (PARTITION BY account ORDER BY at, id) FROM entry) AS s (id, at, total)
  JOIN LATERAL (SELECT 1) AS x ON true WHERE at >= '2026-02-01' LIMIT 3; RETURN c; END $$;
SQL
my %cursor = (
	'an aggregate of a SECURITY DEFINER function' =>
		'SET ROLE teller; BEGIN; SELECT balance_cursor(7); FETCH ALL FROM c; COMMIT',
	'a window of a SECURITY DEFINER function' =>
		'SET ROLE teller; BEGIN; SELECT ledger_cursor(7); FETCH ALL FROM c; COMMIT',
	'SET ROLE between DECLARE and FETCH' => 'BEGIN; DECLARE c CURSOR FOR SELECT sum(amount), count(*) FROM entry '
		. 'WHERE account = 7; SET ROLE teller; FETCH c; COMMIT',
	'SET ROLE between DECLARE and FETCH of the last rows' =>
		'BEGIN; DECLARE c CURSOR FOR SELECT id, sum(amount) OVER (PARTITION BY account ORDER BY at, id) FROM entry '
		. 'WHERE account = 7 ORDER BY at DESC, id DESC LIMIT 4; SET ROLE teller; FETCH ALL FROM c; COMMIT',
	'groups' => 'BEGIN; DECLARE c CURSOR FOR SELECT account, sum(amount) FROM entry WHERE account IN (1, 7) '
		. 'GROUP BY account ORDER BY 1; SET ROLE teller; FETCH ALL FROM c; COMMIT',
	'WITH HOLD' => 'DECLARE c CURSOR WITH HOLD FOR SELECT sum(amount), count(*) FROM entry WHERE account = 7; '
		. 'SET ROLE teller; FETCH ALL FROM c',
	'a prepared statement' => 'PREPARE p AS SELECT sum(amount), count(*) FROM entry WHERE account = 7; EXECUTE p; '
		. 'SET ROLE teller; EXECUTE p; RESET ROLE; EXECUTE p',
);
foreach my $state ('no privilege', 'row security', 'forced row security', 'another owner in between')
{
	$server->lines('GRANT SELECT ON entry TO teller; CREATE POLICY p ON entry FOR SELECT TO teller USING (id % 3 = 0); '
		. 'ALTER TABLE entry ENABLE ROW LEVEL SECURITY') if $state eq 'row security';
	$server->lines('CREATE ROLE banker; GRANT ALL ON SCHEMA public TO banker; '
		. 'CREATE POLICY b ON entry FOR SELECT TO banker USING (true); ALTER TABLE entry FORCE ROW LEVEL SECURITY')
		if $state eq 'forced row security';
	foreach my $kept ('auto', 'force')
	{
		foreach my $how (sort keys %cursor)
		{
			my ($plain, $with) = map { join '', map { s/^psql:\S+ //gmr }
				($server->run("SET scan.kept = $_; $cursor{$how}", go_on => 1))[ 0, 1 ] } 'off', $kept;
			is($with, $plain, "$how, $state, scan.kept = $kept");
		}
	}
}
like(join('', $server->lines('ALTER TABLE entry NO FORCE ROW LEVEL SECURITY; SET scan.kept = force; '
			. 'EXPLAIN SELECT sum(amount), count(*) FROM entry WHERE account = 7 AND at < \'2026-01-20\'')),
	qr/Starts From: balance/, 'the queries of these cursors read the kept scan');
# A view of another owner: the executor asks for the view's owner's privileges, and the kept scan is read.
$server->lines("CREATE VIEW totals AS SELECT account, sum(amount) AS total, count(*) AS n FROM entry GROUP BY account; "
	. "CREATE VIEW seven AS SELECT sum(amount), count(*) FROM entry WHERE account = 7; "
	. "GRANT SELECT ON totals, seven TO teller; REVOKE ALL ON entry FROM teller");
foreach my $query ('TABLE seven', 'SELECT * FROM totals ORDER BY account')
{
	my ($plain, $with) = map { join '',
		($server->run("SET scan.kept = $_; SET ROLE teller; $query", go_on => 1))[ 0, 1 ] } 'off', 'force';
	is($with, $plain, "$query, of a view's owner");
	like(join('', $server->lines("SET scan.kept = force; SET ROLE teller; EXPLAIN $query")), qr/Starts From: balance/,
		'... reads the kept scan');
}
like(($server->run("SET ROLE teller; SELECT * FROM scan_kept_part('balance', '--', 7) AS r(total numeric, n bigint)",
		go_on => 1))[1], qr/permission denied for table entry/,
	'a call that no rewriting has made asks for privileges');
# A query that has the privileges, and a function in it that has not.
$server->lines(<<'SQL');
CREATE ROLE clerk; GRANT ALL ON SCHEMA public TO clerk; SET ROLE clerk;
CREATE FUNCTION peek() RETURNS numeric LANGUAGE plpgsql SECURITY DEFINER AS $$DECLARE t numeric;
BEGIN t := (SELECT total FROM scan_kept_part('balance', '--', 7) AS r(total numeric, n bigint)); RETURN t;
EXCEPTION WHEN insufficient_privilege THEN RETURN -1; END$$;
SQL
is($server->value('SELECT peek() FROM (SELECT sum(amount) FROM entry WHERE account = 7) AS s'), '-1',
	"another role's function in a query that reads the kept scan has no part in its rights");

# ---- snapshots that are older than a rewrite

new_table($server);
foreach my $rewrite ('ALTER TABLE entry ADD COLUMN r float8 DEFAULT random()',
	'BEGIN; CREATE TEMP TABLE c AS TABLE entry; TRUNCATE entry; INSERT INTO entry SELECT * FROM c; COMMIT',
	"BEGIN; COPY entry (account, at, amount) TO '/dev/null'; TRUNCATE entry; "
		. "COPY entry (account, at, amount) FROM STDIN (FREEZE);\n7\t2026-02-01\t7\n7\t2026-03-01\t9\n\\.\nCOMMIT",
	'VACUUM FULL entry', 'CLUSTER entry USING entry_pkey')
{
	my ($old) = map { Session->new(database => $server->{database}, user => 'postgres', name => 'old',
			error => "$scratch/old") } 1;
	$old->ask('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;');
	$server->lines($rewrite);
	my @lines = $old->ask($different);
	is("@lines", '', 'a snapshot that is older than ' . ($rewrite =~ s/\n.*//sr));
	$old->ask('COMMIT;');
	right('after ' . ($rewrite =~ s/\n.*//sr));
	is_used('after ' . ($rewrite =~ s/\n.*//sr));
}

# ---- locks

# A transaction that has read, and writes while another session drops or checks the kept scan, is nobody's victim.
foreach my $command ("SELECT scan_unkeep('balance');", "SELECT scan_kept_check('balance');",
	"SELECT scan_kept_check('balance');")
{
	state_of_triggers($command);
}
sub state_of_triggers
{
	my ($command) = @_;
	our $round++;
	new_table($server);
	$server->lines('ALTER TRIGGER scan_kept_balance_rows ON entry RENAME TO other') if $round == 2;
	$server->lines('ALTER TABLE entry DISABLE TRIGGER USER; ALTER TABLE entry ENABLE TRIGGER USER') if $round == 3;
	my ($a, $b) = map { Session->new(database => $server->{database}, user => 'postgres', name => "locks $_",
			error => "$scratch/locks$_") } 1, 2;
	$a->ask('BEGIN; SELECT count(*) FROM entry WHERE id = 7;');
	Session::_write($b->{in}, "$command\n\\echo over\n");
	sleep 0.5;
	$a->ask("INSERT INTO entry (account, at, amount) VALUES (7, now(), 1); COMMIT;");
	$b->ask('SELECT 1;');
	is($a->complaints . $b->complaints, '', "$command beside a transaction that reads and writes, $round");
	return;
}
# ... and neither is one that has compacted inside of a block.
new_table($server);
my ($a, $b) = map { Session->new(database => $server->{database}, user => 'postgres', name => "locks $_",
		error => "$scratch/locks$_") } 1, 2;
$a->ask("BEGIN; CALL scan_kept_compact('balance');");
Session::_write($b->{in}, "SELECT scan_kept_check('balance');\n\\echo over\n");
sleep 0.5;
$a->ask('INSERT INTO entry (account, at, amount) VALUES (7, now(), 1); COMMIT;');
$b->ask('SELECT 1;');
is($a->complaints . $b->complaints, '', 'a check beside a compaction in a transaction block that writes');
right('after it');

# ---- publications

# FOR ALL TABLES, with the kept scan on one side, on the other one, and on both.
foreach my $sides ('publisher', 'subscriber', 'both')
{
	new_table($server, plain => $sides eq 'subscriber');
	my $subscribed = Server->new("subscribed_$sides");
	new_table($subscribed, empty => 1, plain => $sides eq 'publisher');
	$server->lines('DROP PUBLICATION IF EXISTS p; CREATE PUBLICATION p FOR ALL TABLES');
	is($server->value("SELECT string_agg(tablename, ',') FROM pg_publication_tables WHERE pubname = 'p'"), 'entry',
		"$sides: nothing of a kept scan is published");
	$server->lines("SELECT pg_create_logical_replication_slot('s', 'pgoutput')");
	$subscribed->lines("CREATE SUBSCRIPTION s CONNECTION 'host=$ENV{PGHOST} port=$port user=$ENV{PGUSER} "
		. "dbname=$server->{database}' PUBLICATION p WITH (create_slot = false, slot_name = 's')");
	ok($subscribed->comes("SELECT count(*) = 1 FROM pg_subscription_rel WHERE srsubstate = 'r'"),
		"$sides: the initial copy ends");
	my $arrived = sub {
		my ($what) = @_;
		my $sum = "coalesce(sum(amount), 0) || ' ' || count(*)";
		my $wanted = $server->value("SELECT $sum FROM entry");
		ok($subscribed->comes("SET scan.kept = off; SELECT $sum = '$wanted' FROM entry"), "$sides: $what arrives");
		right("$sides: $what, publisher") if $sides ne 'subscriber';
		right("$sides: $what, subscriber", $subscribed) if $sides ne 'publisher';
	};
	$arrived->('the copy');
	# triggers of the subscriber read between a row and its delta
	if ($sides ne 'publisher')
	{
		$subscribed->lines(<<'SQL');
CREATE TABLE audit (id bigint, kept numeric, total numeric, plain numeric);
CREATE FUNCTION audits() RETURNS trigger LANGUAGE plpgsql SET search_path = public AS $$BEGIN INSERT INTO audit
  SELECT NEW.id, (SELECT sum(amount) FROM entry WHERE account = 7), (SELECT total FROM balance_total(7)),
  (SELECT sum(amount + 0) FROM entry WHERE account = 7); RETURN NULL; END$$;
CREATE TRIGGER audits AFTER INSERT OR UPDATE ON entry FOR EACH ROW EXECUTE FUNCTION audits();
CREATE TRIGGER zaudits AFTER INSERT OR UPDATE ON entry FOR EACH ROW EXECUTE FUNCTION audits();
ALTER TABLE entry ENABLE ALWAYS TRIGGER audits; ALTER TABLE entry ENABLE REPLICA TRIGGER zaudits;
SQL
	}
	$server->lines("INSERT INTO entry (account, at, amount) SELECT 7, '2026-01-06', i FROM generate_series(1, 5) AS i");
	$arrived->('INSERT');
	$server->lines('BEGIN; UPDATE entry SET amount = amount + 1 WHERE account = 7 AND id % 9 = 0; SAVEPOINT a; DELETE '
		. 'FROM entry WHERE account = 6; ROLLBACK TO a; DELETE FROM entry WHERE account = 5 AND id % 2 = 0; COMMIT');
	$arrived->('a transaction');
	if ($sides ne 'subscriber')
	{
		$server->lines("CALL scan_kept_compact('balance'); SELECT scan_kept_check('balance'); INSERT INTO entry "
			. "(account, at, amount) SELECT i % 10, timestamptz '2026-01-01' + i * interval '1 minute', i "
			. "FROM generate_series(1, 3000) AS i; CALL scan_kept_compact('balance'); SELECT scan_unkeep('balance'); "
			. "SELECT scan_keep('balance', \$\$$definition\$\$); DELETE FROM entry WHERE id % 4 = 0");
		$arrived->('after compactions and another build');
		$subscribed->lines('ALTER SUBSCRIPTION s REFRESH PUBLICATION');
	}
	$server->lines('TRUNCATE entry; INSERT INTO entry (account, at, amount) SELECT i % 10, now(), i '
		. 'FROM generate_series(1, 1000) AS i');
	$arrived->('TRUNCATE');
	$server->lines("BEGIN; INSERT INTO entry (account, at, amount) VALUES (7, '2026-01-06', 12345); TRUNCATE entry; "
		. "INSERT INTO entry (account, at, amount) SELECT i % 10, now(), i FROM generate_series(1, 1000) AS i; COMMIT");
	$arrived->('TRUNCATE after other rows');
	if ($sides ne 'publisher')
	{
		$subscribed->lines("SELECT scan_keep('peak', "
			. "'SELECT max(amount) OVER w AS top FROM entry WINDOW w AS (PARTITION BY account ORDER BY at, id)')");
		$server->lines("BEGIN; INSERT INTO entry (account, at, amount) VALUES (7, '2026-01-06', 1e9), "
			. "(8, '2026-01-06', 1e9); DELETE FROM entry WHERE account = 7 AND amount = 1e9; "
			. "UPDATE entry SET amount = 1 WHERE account = 8 AND amount = 1e9; COMMIT");
		$arrived->('rows that enter and leave');
		is($subscribed->value('SELECT count(*) FROM generate_series(0, 9) AS a, LATERAL peak_total(a) AS k '
				. 'WHERE k.top IS DISTINCT FROM (SELECT max(amount + 0) FROM entry WHERE account = a)'), '0',
			"$sides: a row that enters and leaves is no maximum");
	}
	if ($sides ne 'publisher')
	{
		is($subscribed->value('SELECT count(*) FROM audit WHERE kept IS DISTINCT FROM plain OR total '
				. 'IS DISTINCT FROM plain'), '0', "$sides: triggers of the subscriber have read what is there");
		cmp_ok($subscribed->value('SELECT count(*) FROM audit'), '>', 10, "$sides: and there were some");
		is($subscribed->value("SELECT scan_kept_check('balance')"), '0',
			"$sides: the subscriber's tree agrees with its table");
		is_used("$sides: subscriber", $subscribed);
	}
	$subscribed->lines(
		'ALTER SUBSCRIPTION s DISABLE; ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s');
	ok($server->comes('SELECT count(pg_drop_replication_slot(slot_name)) = 1 '
			. 'FROM pg_replication_slots WHERE NOT active'), "$sides: dropped");
}
unlike($cluster->log,
	qr/ERROR:  (?:logical replication target|duplicate key|relation .* does not exist|.* has neither REPLICA IDENTITY)/,
	'no worker has failed');
done_testing();
