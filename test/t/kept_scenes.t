# kept_scenes.t: kept scans, in scenes of which each could make a kept scan wrong.
#
# Every scene has a ledger of its own (Kept.pm) and compares the kept scans with plain queries, in one statement and so
# in one snapshot.  used() tells whether the tree was read at all: a kept scan that reads only the table is never wrong.
# kept_stress.t does the same with random writers.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep);
use Server;
use Kept;

my $server = Server->new('kept_scenes');
my $scenes = 0;
my ($name, $title);

# Begins a scene: its title, and a new ledger.
sub scene
{
	($title, my %option) = @_;
	$name = 'ledger' . ++$scenes;
	ledger($server, $name, %option);
	return session($server, $name);
}

sub right { my ($session, $what, %option) = @_; return is(compared($session, %option), '', "$title: $what") }
sub done { my ($session, @statements) = @_; return is(asked($session, @statements) =~ s/^(?!ERROR).*\n?//gmr, '', "$title: no error in " . ($statements[-1] =~ s/\n.*//sr)) }
sub is_used { my ($session, $what, %option) = @_; return is(used($session, $name, %option), 1, "$title: $what, the tree is read") }
sub is_unused { my ($session, $what) = @_; return is(used($session, $name), 0, "$title: $what, the table is read") }
sub compact { my ($session) = @_; return done($session, map { "CALL scan_kept_compact('${name}_$_')" } 'kept', 'all') }

# Some changes of all kinds.
my $changes = 'SELECT fill(40); UPDATE payment SET amount = amount + 0.125, v = v + 1 WHERE id % 7 = 0; UPDATE payment SET at = at + interval \'10 days\' WHERE id % 11 = 0; UPDATE payment SET account = (account + 1) % 5 WHERE id % 13 = 0; DELETE FROM payment WHERE id % 17 = 0;';

# ---- a ledger at rest

my $reader = scene('at rest');
right($reader, 'after the build', sample => 'NULL', accounts => 'all');
is_used($reader, 'after the build');
done($reader, $changes);
right($reader, 'after changes');
compact($reader);
right($reader, 'after the compaction', sample => 'NULL', accounts => 'all');
is_used($reader, 'after the compaction');
is($server->value("SELECT count(*) FROM $name.${name}_kept_log"), '0', 'the log is empty');
done($reader, "INSERT INTO payment (account, at, amount, v) SELECT i % 2, CASE WHEN i % 3 = 0 THEN '-infinity' WHEN i % 3 = 1 THEN 'infinity' ELSE timestamptz '294276-12-31' END, money(), i FROM generate_series(1, 60) AS i");
right($reader, 'with infinite keys');
compact($reader);
right($reader, 'with infinite keys that were compacted', sample => 'NULL', accounts => 'all');
done($reader, 'DELETE FROM payment');
right($reader, 'without rows');
compact($reader);
right($reader, 'without rows, compacted');
done($reader, 'SELECT fill(700)');
compact($reader);
right($reader, 'full again');
done($reader, 'SET plan_cache_mode = force_generic_plan', "PREPARE p AS SELECT k::text FROM ${name}_kept_total(\$1) AS k", 'EXECUTE p(1)');

$reader = scene('infinite keys before the build', kept => 0);
done($reader, "INSERT INTO payment (account, at, amount) SELECT 0, at, 1 FROM (VALUES (timestamptz '-infinity'), ('infinity'), ('0001-01-01')) AS s(at), generate_series(1, 3)", keep(undef, $name));
right($reader, 'after the build');
cmp_ok($server->value("SELECT shift FROM scan_kept_definition WHERE name = '${name}_kept'"), '<', 45, "$title: the buckets are as small as the other rows need");

# Aggregates without an inverse: a value that leaves makes its interval stale (src/kept/state.h).
$reader = scene('stale intervals', rows => 2000);
my $extremes = sub { my ($what) = @_; return right($reader, $what, accounts => 'VALUES (NULL::int)', sample => 40) };
my $count_stale = sub { my ($what) = @_; return $server->value("SELECT count(*) FROM $name.${name}_all$what WHERE scan_stale") };
done($reader, "UPDATE payment SET note = 'y'", 'UPDATE payment SET v = v, f = f, at = at');
is($server->value("SELECT count(*) FROM $name.${name}_all_log"), '0', "$title: the same values make no delta");
done($reader, 'DELETE FROM payment WHERE v < 3 OR f > 900');
cmp_ok($count_stale->('_log'), '>', 0, "$title: deltas are stale");
$extremes->('of the log');
my $low = asked($reader, "SELECT low, high FROM ${name}_all_total()");
is($low, asked($reader, 'SELECT min(v), max(f) FROM payment'), "$title: the next values");
my $writer = session($server, $name);
done($writer, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT 1');
done($reader, "CALL scan_kept_compact('${name}_all')");
$extremes->('compacted');
is($count_stale->(''), '0', "$title: no node is stale after a compaction");
is(asked($writer, "SELECT low, high FROM ${name}_all_total()"), $low, "$title: an older snapshot sees the stale deltas");
done($writer, 'COMMIT');
done($reader, 'BEGIN', 'SAVEPOINT a', 'DELETE FROM payment WHERE v < 10');
$extremes->('in a savepoint');
done($reader, 'ROLLBACK TO a');
is(asked($reader, "SELECT low, high FROM ${name}_all_total()"), $low, "$title: a savepoint that was rolled back leaves the values");
done($reader, 'UPDATE payment SET id = id + 1000000 WHERE v < 6 AND id < 1000000');
$extremes->('moved to other intervals');
done($reader, "CALL scan_kept_compact('${name}_all')", 'UPDATE payment SET v = v + 1 WHERE v < 8');
$extremes->('after a compaction in the transaction');
done($reader, 'COMMIT', "CALL scan_kept_compact('${name}_all')");
$extremes->('committed');
done($reader, 'INSERT INTO payment (id, account, at, v, f) SELECT 5000000 + i, 0, moment(), -i, 1e40 * i FROM generate_series(1, 50) AS i', 'DELETE FROM payment WHERE v < -10');
$extremes->('where the tree has no nodes');
done($reader, 'DELETE FROM payment WHERE v < 0', "CALL scan_kept_compact('${name}_all')");
$extremes->('where there are no rows any more');
is(asked($reader, "SELECT scan_kept_check('${name}_all')"), '0', "$title: the tree agrees with the table");
done($reader, 'DELETE FROM payment WHERE id % 2 = 0', 'BEGIN', 'TRUNCATE payment', 'SELECT fill(20)');
$extremes->('after TRUNCATE');
done($reader, 'ROLLBACK');
$extremes->('after a TRUNCATE that was rolled back');
done($reader, 'DELETE FROM payment');
$extremes->('without rows');
done($reader, "CALL scan_kept_compact('${name}_all')");
is($server->value("SELECT count(*) FROM $name.${name}_all WHERE NOT scan_split OR scan_stale OR scan_rows <> 0"), '0', "$title: without rows no node has any");

# The least key there is, alone in the smallest interval there is.
{
	$title = 'the least key';
	$server->lines("CREATE TABLE least (k bigint NOT NULL, id int NOT NULL, v int, PRIMARY KEY (k, id)); INSERT INTO least SELECT i % 4, i, i FROM generate_series(1, 1000) AS i; SELECT scan_keep('least_kept', 'SELECT sum(v) OVER (ORDER BY k, id) AS total FROM least');"
		. 'INSERT INTO least SELECT k, i, i FROM unnest(ARRAY[-9223372036854775808, 9223372036854775807]) AS k, generate_series(1, 500) AS i;');
	foreach my $compacts (0, 1)
	{
		$server->lines("CALL scan_kept_compact('least_kept')") if $compacts;
		is(join("\n", $server->lines("SELECT k, id, total, plain FROM (SELECT k, id, sum(v) OVER (ORDER BY k, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS plain FROM least) AS s, least_kept_before(k, id) WHERE id % 100 = 1 AND total IS DISTINCT FROM plain")), '', "$title: before a row" . ' after a compaction' x $compacts);
		is(join("\n", $server->lines("SELECT k, total, plain FROM (SELECT k, (SELECT sum(v) FROM least AS l WHERE l.k < b.k) AS plain FROM unnest(ARRAY[-9223372036854775808, -9223372036854775807, 9223372036854775807]) AS b(k)) AS s, least_kept_before(k) WHERE total IS DISTINCT FROM plain")), '', "$title: before a key" . ' after a compaction' x $compacts);
	}
}

# ---- snapshots

$reader = scene('a snapshot that is older than the build', kept => 0);
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, $changes);
keep($server, $name);
right($reader, 'nothing of the tree is used');
done($writer, $changes);
compact($writer);
right($reader, 'after a compaction');
done($reader, 'COMMIT');
right($reader, 'with a new snapshot');
is_used($reader, 'with a new snapshot');

$reader = scene('a snapshot that is older than another build');
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, "SELECT scan_unkeep('${name}_kept'); SELECT scan_unkeep('${name}_all')", $changes);
keep($server, $name);
right($reader, 'after it');
done($reader, 'COMMIT');

$reader = scene("a cursor that is older than its transaction's own build", kept => 0);
done($reader, 'BEGIN', "PREPARE total AS SELECT scan_kept_total('${name}_kept', 0)::text");
done($reader, "CREATE FUNCTION total() RETURNS text LANGUAGE plpgsql STABLE AS \$\$DECLARE t text; BEGIN EXECUTE 'SELECT k::text FROM ${name}_kept_total(0) AS k' INTO t; RETURN t; END \$\$");
done($reader, 'DECLARE c CURSOR FOR SELECT CASE WHEN i = 1 THEN NULL ELSE total() END AS kept, CASE WHEN i = 1 THEN NULL ELSE plain_kept(0, NULL, NULL) END AS plain FROM generate_series(1, 2) AS i', 'FETCH c');
done($reader, $changes, keep(undef, $name));
my ($kept, $plain) = split /\|/, asked($reader, 'FETCH c');
is($kept, $plain, "$title: it sees neither the tree nor what came after it");
done($reader, 'COMMIT');

$reader = scene('a snapshot that is older than a compaction');
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, $changes);
my @before = asked($reader, 'SELECT string_agg(k::text, \'\') FROM generate_series(0, 5) AS a, plain_kept(a, NULL, NULL) AS k');
compact($writer);
right($reader, 'after it');
done($writer, $changes);
compact($writer);
right($reader, 'after another one');
is(asked($reader, "SELECT string_agg(k::text, '') FROM generate_series(0, 5) AS a, ${name}_kept_total(a) AS k"), $before[0], "$title: the old answer");
done($reader, 'COMMIT');
right($reader, 'with a new snapshot');

foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	$reader = scene("a compaction in a transaction with an old snapshot, $level");
	$writer = session($server, $name);
	done($reader, "BEGIN ISOLATION LEVEL $level", 'SELECT count(*) FROM account');
	done($writer, $changes, $changes);
	my $out = asked($reader, "CALL scan_kept_compact('${name}_kept')");
	if ($out =~ /ERROR/)
	{
		is($out, 'ERROR 25001', "$title: refused");
		asked($reader, 'ROLLBACK');
	}
	right($reader, 'reads in it', accounts => 'VALUES (0), (1), (2)');
	done($reader, 'COMMIT');
	right($reader, 'after it');
}

$reader = scene("a cursor that is older than its transaction's compaction");
$writer = session($server, $name);
done($writer, $changes);
done($reader, 'BEGIN', $changes, 'DECLARE c CURSOR FOR SELECT a, c.* FROM generate_series(0, 4) AS a, compare(a) AS c WHERE bad > 0');
compact($reader);
done($reader, $changes);
compact($reader);
is(asked($reader, 'FETCH ALL FROM c'), '', "$title: no difference");
done($reader, 'SAVEPOINT a', $changes);
compact($reader);
right($reader, 'in a savepoint');
done($reader, 'ROLLBACK TO a');
right($reader, 'after the savepoint');
done($reader, 'ROLLBACK');
right($reader, 'rolled back');

$reader = scene('a snapshot that is older than TRUNCATE');
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, 'BEGIN', 'TRUNCATE payment', 'SELECT fill(300)', 'COMMIT');
right($reader, 'after it');
compact($writer);
right($reader, 'after a compaction');
done($reader, 'COMMIT');
right($reader, 'with a new snapshot');
done($writer, 'BEGIN', 'TRUNCATE account CASCADE', 'SELECT 1 FROM account', 'ROLLBACK');
right($reader, 'after one that was rolled back');
done($writer, 'BEGIN', 'SAVEPOINT a', 'TRUNCATE payment', 'SELECT fill(0)', 'ROLLBACK TO a', 'DELETE FROM payment WHERE id % 2 = 0', 'TRUNCATE payment', 'SELECT fill(20)', 'COMMIT');
right($reader, 'after one in a savepoint and one that was not');

# A reader holds its lock on the table, as a query of the table does.
$reader = scene('a reader and TRUNCATE');
$writer = session($server, $name);
done($reader, 'BEGIN', "DECLARE c CURSOR FOR SELECT (SELECT n FROM ${name}_kept_total(i * 0)) FROM generate_series(1, 2) AS i");
my $first = asked($reader, 'FETCH c');
sent($writer, 'TRUNCATE payment');
ok(waits($server, $writer, 2), "$title: TRUNCATE waits for the reader");
is(asked($reader, 'FETCH c'), $first, "$title: the reader goes on");
done($reader, 'COMMIT');
is(asked($writer), '', "$title: TRUNCATE ends");
right($reader, 'after it');

$reader = scene('TRUNCATE while a compaction waits for the table');
$writer = session($server, $name);
done($reader, "INSERT INTO payment (account, at, v) SELECT 9, moment(), i FROM generate_series(1, 400) AS i");
done($writer, 'BEGIN', 'LOCK TABLE payment IN ACCESS EXCLUSIVE MODE');
sent($reader, "CALL scan_kept_compact('${name}_kept')");
ok(waits($server, $reader), "$title: the compaction waits");
is(asked($writer, 'TRUNCATE payment'), '', "$title: no deadlock for the writer");
done($writer, 'COMMIT');
is(asked($reader), '', "$title: and none for the compaction");
right($writer, 'after it');

# ---- builds

$reader = scene('a build and an open writer', kept => 0);
$writer = session($server, $name);
done($writer, 'BEGIN', $changes);
sent($reader, keep(undef, $name));
ok(waits($server, $reader), "$title: the build waits");
my $second = session($server, $name);
sent($second, "SELECT fill(50)");
ok(waits($server, $second), "$title: the next writer waits, too");
done($writer, $changes, 'COMMIT');
unlike(asked($reader), qr/ERROR/, "$title: the build ends");
unlike(asked($second), qr/ERROR/, "$title: and the writer goes on");
right($writer, 'after it');
is_used($writer, 'after it');
done($writer, $changes);
right($second, 'after more changes');

$reader = scene('a build in a transaction with changes of its own', kept => 0);
done($reader, 'BEGIN', $changes, 'SAVEPOINT a', keep(undef, $name));
right($reader, 'in a savepoint');
done($reader, $changes);
right($reader, 'after changes');
done($reader, 'ROLLBACK TO a', keep(undef, $name), $changes);
right($reader, 'after another build');
done($reader, 'COMMIT');
right($reader, 'after the transaction');
is_used($reader, 'after the transaction');

$reader = scene('a build inside of a statement that changes the table', kept => 0);
asked($reader, "WITH i AS (INSERT INTO payment (account, at, v) SELECT 0, moment(), i FROM generate_series(1, 10) AS i RETURNING id), k AS (SELECT scan_keep('${name}_kept', definition) FROM (SELECT 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n, avg(v) OVER w AS mean, exact_sum(f) FILTER (WHERE v > 20) OVER w AS exact, bit_xor(v) OVER w AS bits, bool_or(v > 70) OVER w AS big, scan_sum(v) OVER w AS sum FROM payment WHERE status = ''posted'' WINDOW w AS (PARTITION BY account ORDER BY at, id)' AS definition) AS d) SELECT * FROM i, k");
asked($reader, keep(undef, $name));
right($reader, 'refused, or right after it', accounts => 'VALUES (0), (1)');

# ---- statements that read what they change

my $checks = 'CREATE TABLE seen (place text, bad bigint, example text);
CREATE FUNCTION look(place text, a int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN INSERT INTO seen SELECT place, sum(bad), max(example) FROM compare(a, 1); RETURN a; END $$;
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$DECLARE r record; BEGIN
	PERFORM look(format(\'%s %s %s %s %s\', TG_NAME, TG_TABLE_NAME, TG_WHEN, TG_LEVEL, TG_OP), 0);
	PERFORM look(format(\'%s %s %s %s %s\', TG_NAME, TG_TABLE_NAME, TG_WHEN, TG_LEVEL, TG_OP), NULL);
	IF TG_OP = \'DELETE\' THEN RETURN old; END IF; RETURN new; END $$;';
sub looked
{
	my ($what, $least) = @_;
	is(join("\n", $server->lines("SELECT place || ': ' || example FROM $name.seen WHERE bad > 0")), '', "$title: $what");
	cmp_ok($server->value("SELECT count(*) FROM $name.seen"), '>=', $least, "$title: $what, and it has been looked");
	return;
}
# the changes, of a few rows
my @few = ("INSERT INTO payment (account, at, v) SELECT 0, moment(), i FROM generate_series(1, 3) AS i", 'UPDATE payment SET v = v + 1 WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 3)', 'UPDATE payment SET account = 0 WHERE id IN (SELECT id FROM payment WHERE account = 1 LIMIT 3)',
	'DELETE FROM payment WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 3)', "COPY payment (account, at, v) FROM STDIN;\n0\t2026-02-01\t7\n0\t2026-03-01\t9\n\\.",
	"INSERT INTO payment (id, account, at, v) SELECT max(id) + i * 1000000, 0, moment(), i FROM payment, generate_series(0, 1) AS i GROUP BY i ON CONFLICT (id) DO UPDATE SET v = payment.v + 1, account = 0",
	"MERGE INTO payment AS p USING (SELECT id FROM payment WHERE account = 0 ORDER BY id LIMIT 4) AS s ON p.id = s.id WHEN MATCHED AND p.id % 2 = 0 THEN UPDATE SET at = p.at + interval '1 day' WHEN MATCHED THEN DELETE",
	"WITH d AS (DELETE FROM payment WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 2) RETURNING *) INSERT INTO payment (account, at, v) SELECT 0, at, v FROM d");

foreach my $when ('BEFORE', 'AFTER')
{
	# those of the names come before and after the kept scan's own
	my @names = $when eq 'AFTER' ? ('a', 'z') : 'a';
	$reader = scene("triggers $when");
	done($reader, $checks);
	done($reader, "CREATE TRIGGER ${_}_each $when INSERT OR UPDATE OR DELETE ON payment FOR EACH ROW EXECUTE FUNCTION look()", "CREATE TRIGGER ${_}_all $when INSERT OR UPDATE OR DELETE ON payment FOR EACH STATEMENT EXECUTE FUNCTION look()") for @names;
	done($reader, $_) for @few;
	looked('reads in them', 30 * @names);
	done($reader, "SET session_replication_role = replica", map({ "ALTER TABLE payment ENABLE ALWAYS TRIGGER ${_}_each" } @names), 'TRUNCATE seen', @few);
	looked('reads in them on a replica', 20 * @names);
	right($reader, 'after the statements');
}

$reader = scene('functions called by the statement');
done($reader, $checks, "ALTER TABLE payment ALTER note SET DEFAULT look('a default', 0)");
done($reader, @few);
done($reader, "INSERT INTO payment (account, at, v) SELECT look('select list', 0), moment(), i FROM generate_series(1, 3) AS i", "UPDATE payment SET v = look('set', 0) WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 3)",
	"DELETE FROM payment WHERE account = 0 AND id % 50 = 3 AND look('where', 0) = 0", "WITH i AS (INSERT INTO payment (account, at, v) SELECT 0, moment(), i FROM generate_series(1, 3) AS i RETURNING look('returning', account)) SELECT look('beside a CTE', 0) FROM i",
	"WITH d AS (DELETE FROM payment WHERE account = 0 AND id % 50 = 7 RETURNING id) SELECT sum(bad) FROM d, compare(0, 4)", "DO \$\$DECLARE r record; BEGIN FOR r IN INSERT INTO payment (account, at, v) SELECT 0, moment(), i FROM generate_series(1, 3) AS i RETURNING id LOOP PERFORM look('loop', 0); END LOOP; END \$\$",
	"DO \$\$BEGIN INSERT INTO payment (account, at, v) SELECT look('before an error', 0), moment(), 1 / (3 - i) FROM generate_series(1, 3) AS i; EXCEPTION WHEN division_by_zero THEN PERFORM look('after an error', 0); END \$\$");
looked('reads in them', 20);
is(asked($reader, "INSERT INTO payment (account, at, v) SELECT look('before an error', 0), moment(), 1 / (3 - i) FROM generate_series(1, 3) AS i"), 'ERROR 22012', "$title: an error");
right($reader, 'after the statements');
is_used($reader, 'after an error');

$reader = scene('foreign keys');
done($reader, $checks, 'CREATE TRIGGER zz AFTER UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION look()', 'CREATE TRIGGER zz AFTER UPDATE OR DELETE ON payment FOR EACH ROW EXECUTE FUNCTION look()',
	'CREATE TRIGGER zz_all AFTER UPDATE OR DELETE ON account FOR EACH STATEMENT EXECUTE FUNCTION look()', 'INSERT INTO payment (account, at, v) SELECT 7, moment(), i FROM generate_series(1, 4) AS i');
done($reader, 'UPDATE account SET id = 17 WHERE id = 7', 'UPDATE account SET id = 7 WHERE id = 17', 'DELETE FROM account WHERE id = 7', 'ALTER TABLE payment DISABLE TRIGGER zz', 'UPDATE account SET id = 20 WHERE id = 0', 'INSERT INTO account VALUES (0)', 'UPDATE payment SET account = 0 WHERE account = 20 AND id % 2 = 0', 'DELETE FROM account WHERE id IN (20, 2)');
looked('reads in triggers of both tables', 10);
right($reader, 'after the cascades', accounts => 'all');
done($reader, 'ALTER TABLE payment ENABLE TRIGGER zz', 'SET session_replication_role = replica', 'DELETE FROM account WHERE id = 3', 'SET session_replication_role = origin');
right($reader, 'after a cascade that a replica leaves out', accounts => 'all');

$reader = scene('TRUNCATE with triggers');
done($reader, $checks, 'CREATE TRIGGER a BEFORE TRUNCATE ON payment EXECUTE FUNCTION look()', 'CREATE TRIGGER a_after AFTER TRUNCATE ON payment EXECUTE FUNCTION look()', 'CREATE TRIGGER z_after AFTER TRUNCATE ON payment EXECUTE FUNCTION look()',
	'CREATE TRIGGER a_after AFTER TRUNCATE ON account EXECUTE FUNCTION look()', 'TRUNCATE account CASCADE', 'INSERT INTO account SELECT i FROM generate_series(0, 9) AS i', 'SELECT fill(300)', 'TRUNCATE payment', 'SELECT fill(300)');
looked('reads in them', 10);
right($reader, 'after it');
done($reader, 'SET session_replication_role = replica', 'TRUNCATE payment', 'SELECT fill(30)', 'RESET session_replication_role');
right($reader, 'on a replica');

# A cursor's snapshot is that of the moment when it was opened.
$reader = scene('cursors opened inside of a statement');
done($reader, 'CREATE FUNCTION opens() RETURNS trigger LANGUAGE plpgsql AS $$DECLARE c refcursor; BEGIN
	c := TG_NAME || \'_\' || TG_OP || \'_\' || TG_TABLE_NAME || coalesce((SELECT count(*) FROM pg_cursors), 0); OPEN c FOR SELECT a.a, c.* FROM generate_series(0, 2) AS a, compare(a.a) AS c WHERE bad > 0; RETURN NULL; END $$',
	(map { ("CREATE TRIGGER ${_}_each AFTER INSERT OR UPDATE OR DELETE ON payment FOR EACH ROW EXECUTE FUNCTION opens()", "CREATE TRIGGER ${_}_all AFTER INSERT OR UPDATE OR DELETE ON payment FOR EACH STATEMENT EXECUTE FUNCTION opens()") } 'a', 'z'),
	'CREATE TRIGGER zz AFTER UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION opens()',
	'BEGIN', @few, 'INSERT INTO payment (account, at, v) SELECT 7, moment(), i FROM generate_series(1, 2) AS i', 'UPDATE account SET id = 17 WHERE id = 7', 'DELETE FROM account WHERE id = 17');
my @cursors = split /\n/, asked($reader, 'SELECT name FROM pg_cursors ORDER BY creation_time');
cmp_ok(scalar @cursors, '>', 40, "$title: there are some");
is(join("\n", map { s/\n.*//sr } grep { $_ ne '' } map { my $out = asked($reader, "FETCH ALL FROM \"$_\""); $out eq '' ? '' : "$_: $out" } @cursors), '', "$title: no difference later");
done($reader, 'COMMIT');

$reader = scene('a constraint trigger at the end of the transaction');
done($reader, $checks, 'CREATE CONSTRAINT TRIGGER late AFTER INSERT OR UPDATE OR DELETE ON payment DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION look()', 'BEGIN', @few, 'COMMIT', 'BEGIN', @few, 'SET CONSTRAINTS ALL IMMEDIATE', 'COMMIT');
looked('reads in it', 20);

# The library is loaded by the first call of one of its functions.
foreach my $first ('', 'BEGIN; INSERT INTO account VALUES (100);')
{
	$reader = scene('a session without the library' . ($first ? ', in a transaction' : ''));
	done($reader, $checks);
	my $cold = session($server, $name, cold => 1);
	done($cold, $first . "INSERT INTO payment (account, at, v) SELECT look('select list', 0), moment(), i FROM generate_series(1, 5) AS i");
	done($cold, 'COMMIT') if $first;
	looked('reads in its first statement', 5);
	right($cold, 'later');
	is_used($cold, 'later');
}

# ---- triggers and definitions that change

foreach my $how ('DISABLE TRIGGER ALL', map { "DISABLE TRIGGER scan_kept_NAME_$_" } qw(insert update delete))
{
	$reader = scene($how);
	my $open = session($server, $name);
	$writer = session($server, $name);
	# a transaction whose caches are so warm that nothing but a kept scan would look for news
	done($open, 'BEGIN', "PREPARE p AS SELECT (SELECT k::text FROM ${name}_kept_total(0) AS k) AS kept, plain_kept(0, NULL, NULL) AS plain", ('EXECUTE p') x 7);
	my @both = $how =~ /NAME/ ? map { $how =~ s/NAME/${name}_$_/r } 'kept', 'all' : $how;
	done($writer, map({ "ALTER TABLE payment $_" } @both), $changes, map { 'ALTER TABLE payment ' . s/DISABLE/ENABLE/r } @both);
	my ($kept, $plain) = split /\|/, asked($open, 'EXECUTE p');
	is($kept, $plain, "$title: in a transaction that has read before");
	done($open, 'COMMIT');
	right($reader, 'in another one');
	is_unused($reader, 'after it');
	done($writer, $changes);
	right($reader, 'after more changes');
}

# A commit can be seen a moment before other sessions are told what it has invalidated.  gdb makes the moment longer.
SKIP:
{
	skip 'there is no gdb', 1 if `gdb --version 2>/dev/null` eq '';
	$reader = scene('a commit that is seen before its messages come');
	$writer = session($server, $name);
	done($reader, "PREPARE p AS SELECT (SELECT k::text FROM ${name}_kept_total(0) AS k) AS kept, plain_kept(0, NULL, NULL) AS plain", ('EXECUTE p') x 7);
	done($writer, 'BEGIN', 'ALTER TABLE payment DISABLE TRIGGER ALL', $changes, 'ALTER TABLE payment ENABLE TRIGGER ALL');
	my $moment = File::Temp->newdir;
	open my $commands, '>', "$moment/commands" or die $!;
	print $commands map { "$_\n" } 'set breakpoint pending on', 'break AtEOXact_Inval', "shell touch $moment/ready", 'continue', "shell touch $moment/seen; for i in `seq 100`; do test -e $moment/over && break; sleep 0.1; done", 'detach', 'quit';
	close $commands;
	my $gdb = fork // die;
	if (!$gdb)
	{
		$server->{created} = 0;
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', '/dev/null';
		exec 'gdb', '-nx', '-batch', '-p', $writer->{backend}, '-x', "$moment/commands";
	}
	sub comes { my ($file) = @_; for (1 .. 100) { return 1 if -e $file; sleep 0.1 } return 0 }
	my $ready = comes("$moment/ready");
	sent($writer, 'COMMIT');
	my $seen = $ready && comes("$moment/seen");
	my ($kept, $plain) = split /\|/, asked($reader, 'EXECUTE p');
	open my $over, '>', "$moment/over" or die $!;
	waitpid $gdb, 0;
	is(asked($writer), '', "$title: the commit ends");
	skip 'gdb may not look at the server', 1 if !$seen;
	is($kept, $plain, "$title: no difference");
}

$reader = scene('DISABLE TRIGGER that is rolled back');
done($reader, 'BEGIN', 'ALTER TABLE payment DISABLE TRIGGER ALL', $changes);
right($reader, 'before that');
done($reader, 'ROLLBACK');
right($reader, 'after it');
is_used($reader, 'after it');

$reader = scene('DISABLE TRIGGER in the transaction of the build', kept => 0);
done($reader, 'BEGIN', keep(undef, $name), map({ "ALTER TABLE payment DISABLE TRIGGER scan_kept_${name}_${_}_update" } 'kept', 'all'), $changes, map({ "ALTER TABLE payment ENABLE TRIGGER scan_kept_${name}_${_}_update" } 'kept', 'all'), 'COMMIT');
right($reader, 'after it');

foreach my $which (qw(insert update delete truncate replica))
{
	$reader = scene("DROP TRIGGER, $which");
	done($reader, map { "DROP TRIGGER scan_kept_${name}_${_}_$which ON payment" } 'kept', 'all');
	done($reader, $changes, $which eq 'truncate' ? ('TRUNCATE payment', 'SELECT fill(50)') : (), 'SET session_replication_role = replica', $changes, 'RESET session_replication_role');
	right($reader, 'after changes');
	done($reader, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
}

$reader = scene('session_replication_role = replica');
done($reader, 'SET session_replication_role = replica', $changes, @few, 'RESET session_replication_role');
right($reader, 'after changes');
is_used($reader, 'after changes');
done($reader, 'BEGIN', 'SET LOCAL session_replication_role = replica', $changes, 'SET LOCAL session_replication_role = local', $changes, 'SET LOCAL session_replication_role = origin', $changes);
right($reader, 'in a transaction with all three roles');
done($reader, 'COMMIT');
compact($reader);
right($reader, 'compacted');

# ---- scan_kept_check()

my $check = sub { return "SELECT scan_kept_check('${name}_kept') || ' ' || scan_kept_check('${name}_all')" };
sub check { my ($session) = @_; return asked($session, $check->()) }

# The same while another session's transaction has read; it ends if the check waits for it.
sub check_beside
{
	my ($session, $other) = @_;
	sent($session, $check->());
	my $waits = waits($server, $session, 1);
	ok(!$waits, "$title: does not wait for a reader");
	asked($other, 'COMMIT', 'BEGIN') if $waits;
	return asked($session);
}

$reader = scene('a check');
$writer = session($server, $name);
done($writer, $changes);
is(check($reader), '0 0', "$title: finds no difference");
is_used($reader, 'after it');
done($reader, 'BEGIN', "DECLARE c CURSOR FOR SELECT (SELECT k::text FROM ${name}_kept_total(i * 0) AS k) AS kept, plain_kept(i * 0, NULL, NULL) AS plain FROM generate_series(1, 6) AS i", ('FETCH c') x 3);
done($writer, $changes, map { "UPDATE ${name}_$_ SET n = n + 1" } 'kept', 'all');
like(check_beside($writer, $reader), qr/^[1-9]\d* [1-9]\d*$/, "$title: finds damage");
foreach my $i (asked($reader, 'SELECT name FROM pg_cursors') eq 'c' ? (1 .. 3) : ())
{
	my ($kept, $plain) = split /\|/, asked($reader, 'FETCH c');
	is($kept, $plain, "$title: a cursor that is older, $i");
}
done($reader, 'COMMIT');
right($reader, 'after another one');
is_used($reader, 'after another one');
done($writer, map({ "ALTER TABLE payment DISABLE TRIGGER scan_kept_${name}_${_}_update" } 'kept', 'all'), $changes, map({ "ALTER TABLE payment ENABLE TRIGGER scan_kept_${name}_${_}_update" } 'kept', 'all'));
is_unused($reader, 'after changes without triggers');
like(check($writer), qr/^[1-9]\d* [1-9]\d*$/, "$title: finds what they have not seen");
right($reader, 'after that');
is_used($reader, 'after that');
done($writer, $changes, @few);
right($reader, 'after changes');
foreach my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	done($reader, "BEGIN ISOLATION LEVEL $level", "PREPARE p AS SELECT (SELECT k::text FROM ${name}_kept_total(0) AS k) AS kept, plain_kept(0, NULL, NULL) AS plain", ('EXECUTE p') x 7);
	done($writer, 'BEGIN', map { "UPDATE ${name}_$_ SET n = n + 1" } 'kept', 'all');
	check_beside($writer, $reader);
	sent($reader, 'EXECUTE p');
	ok(waits($server, $reader), "$title: a reader waits for its end, $level");
	done($writer, 'COMMIT');
	my ($kept, $plain) = split /\|/, asked($reader);
	is($kept, $plain, "$title: and sees what its snapshot saw, $level");
	done($reader, 'COMMIT', 'DEALLOCATE p');
}
done($writer, 'ALTER TABLE payment DISABLE TRIGGER ALL', 'ALTER TABLE payment ENABLE TRIGGER ALL');
check($writer);
right($reader, 'after ENABLE TRIGGER ALL');
done($writer, $changes);
right($reader, 'after changes by the triggers that were enabled');
done($writer, 'SET session_replication_role = replica', $changes, 'RESET session_replication_role');
right($reader, 'after changes of a replica');
done($writer, map { "DROP TRIGGER scan_kept_${name}_kept_$_ ON payment" } qw(insert update delete));
check($writer);
done($writer, $changes);
right($reader, 'after triggers were dropped');

# A library that writes other states would say so by the format; these are the same ones, but wrong.
$reader = scene('another format');
done($reader, "UPDATE scan_kept_definition SET format = format + 1 WHERE name LIKE '$name%'", map { "UPDATE ${name}_$_ SET n = n + 1000" } 'kept', 'all');
$writer = session($server, $name);
right($writer, 'the table is read');
like(asked($writer, "SELECT reason FROM scan_kept WHERE name = '${name}_kept'"), qr/^its states have format \d+, and this library reads format \d+$/, "$title: scan_kept says why");
is(asked($writer, "CALL scan_kept_compact('${name}_kept')"), 'ERROR 55000', "$title: it is not compacted");
done($writer, $changes);
right($writer, 'after changes');
like(check($writer), qr/^[1-9]\d* [1-9]\d*$/, "$title: a check builds it anew");
right($writer, 'after a check');
is_used($writer, 'after a check');

$reader = scene('ENABLE ALWAYS TRIGGER');
done($reader, map({ my $which = $_; map { "ALTER TABLE payment ENABLE ALWAYS TRIGGER scan_kept_${name}_${which}_$_" } qw(insert update delete replica) } 'kept', 'all'), $changes, 'SET session_replication_role = replica', $changes, 'RESET session_replication_role');
right($reader, 'after changes');
is(check($reader), '0 0', "$title: each change was logged once");
right($reader, 'after a check');

# ---- names

# What scan_unkeep() leaves of a ledger's kept scans.
sub left
{
	return join ' ', $server->lines("SELECT x FROM (SELECT oid::regclass::text FROM pg_class WHERE relname LIKE '${name}\\_%' UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE proname LIKE '${name}\\_%' UNION ALL SELECT tgname FROM pg_trigger WHERE tgfoid::regproc::text LIKE '%scan\\_kept\\_log' AND tgrelid::regclass::text LIKE '%${name}.%') AS s(x)");
}
sub is_unkept { my ($session) = @_; done($session, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all'); return is(left(), '', "$title: scan_unkeep leaves nothing") }

$reader = scene('names');
my $open = session($server, $name);
done($open, 'BEGIN');
right($open, 'before');
done($open, 'COMMIT');
done($reader, 'ALTER TABLE payment RENAME COLUMN amount TO "Amount"', 'ALTER TABLE payment RENAME COLUMN account TO "the account"', 'ALTER TABLE payment RENAME COLUMN at TO "at ""it"""', 'ALTER TABLE payment RENAME TO "Pay ment"', "CREATE VIEW payment AS SELECT id, \"the account\" AS account, \"at \"\"it\"\"\" AS at, \"Amount\" AS amount, v, f, status, note FROM \"Pay ment\"");
right($open, 'of the table and its columns');
done($open, $changes);
right($open, 'after changes');
compact($reader);
right($open, 'compacted');
is_used($open, 'compacted');
done($reader, 'DROP VIEW payment', 'ALTER TABLE "Pay ment" RENAME TO payment', 'ALTER TABLE payment RENAME COLUMN "the account" TO account', 'ALTER TABLE payment RENAME COLUMN "at ""it""" TO at', 'ALTER TABLE payment RENAME COLUMN "Amount" TO amount');
done($reader, "CREATE SCHEMA ${name}b", "ALTER TABLE payment SET SCHEMA ${name}b", "SET search_path = $name, ${name}b, public");
done($open, "SET search_path = $name, ${name}b, public");
right($open, 'of the schema');
done($open, $changes);
compact($open);
right($open, 'of the schema, compacted');
is_used($open, 'of the schema, compacted');
is_unkept($reader);
done($reader, $changes);

# Objects of one kept scan are not those of another one whose name is longer.
$reader = scene('names that begin in the same way');
done($reader, "SELECT scan_keep('$name', 'SELECT count(*) OVER (ORDER BY id) AS n FROM payment')", "SELECT scan_unkeep('$name')", $changes);
right($reader, 'after scan_unkeep');
is_used($reader, 'after scan_unkeep');

$reader = scene('schemas');
$open = session($server, $name);
right($open, 'before');
done($reader, "ALTER SCHEMA $name RENAME TO \"$name new\"", "SET search_path = \"$name new\", public", 'ALTER FUNCTION fill RESET search_path');
right($reader, 'renamed');
compact($reader);
done($open, "SET search_path = \"$name new\", public");
right($open, 'in a session that has read before');
done($reader, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');

$reader = scene('ALTER TRIGGER ... RENAME');
done($reader, "ALTER TRIGGER scan_kept_${name}_kept_update ON payment RENAME TO other", $changes);
right($reader, 'after changes');
is_unkept($reader);
done($reader, $changes);

$reader = scene('types');
is(asked($reader, $_), 'ERROR 0A000', "$title: $_ is refused") for 'ALTER TABLE payment ALTER amount TYPE numeric USING amount + 1', 'ALTER TABLE payment ALTER account TYPE bigint', 'ALTER TABLE payment ALTER at TYPE timestamp', 'ALTER TABLE payment ALTER status TYPE varchar';
is(asked($reader, 'ALTER TABLE payment DROP COLUMN v'), 'ERROR 2BP01', "$title: DROP COLUMN is refused");
done($reader, 'ALTER TABLE payment ADD COLUMN more int DEFAULT 3', $changes);
right($reader, 'there may be new columns');
done($reader, 'ALTER TABLE payment ALTER note TYPE varchar USING note || \'x\'', $changes);
is(asked($reader, "SELECT k::text = plain_kept(0, NULL, NULL) FROM ${name}_kept_total(0) AS k"), 't', "$title: other columns may change");
is(asked($reader, "SELECT count(*) FROM ${name}_kept_last(0, 5)"), 'ERROR 42804', "$title: but the last rows would have these");
is_used($reader, 'other columns may change');

# No writer waits for another, nor fails because of it.
$reader = scene('a child and two writers');
$writer = session($server, $name);
done($reader, 'CREATE TABLE child () INHERITS (payment)', 'BEGIN', 'UPDATE payment SET v = v + 1 WHERE id = 5');
sent($writer, 'UPDATE payment SET v = v + 1 WHERE id = 6');
ok(!waits($server, $writer, 0.5), "$title: the second does not wait");
done($reader, 'COMMIT');
is(asked($writer), '', "$title: the second has no error");
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, 'UPDATE payment SET v = v + 1 WHERE id = 6');
done($reader, 'UPDATE payment SET v = v + 1 WHERE id = 5', 'COMMIT');
right($reader, 'after them');

# Writers go on, and readers are right, whatever becomes of the table.
my %change = (
	'SET UNLOGGED' => [ 'ALTER TABLE payment SET UNLOGGED' ],
	'SET UNLOGGED and LOGGED' => [ 'ALTER TABLE payment SET UNLOGGED', 'ALTER TABLE payment SET LOGGED' ],
	'DROP NOT NULL' => [ 'ALTER TABLE payment ALTER at DROP NOT NULL' ],
	'DROP NOT NULL and a NULL' => [ 'ALTER TABLE payment ALTER at DROP NOT NULL', 'INSERT INTO payment (account, at, v) VALUES (0, NULL, 1)', 'UPDATE payment SET at = NULL WHERE id % 19 = 0' ],
	'DROP NOT NULL, a NULL, and SET NOT NULL' => [ 'ALTER TABLE payment ALTER at DROP NOT NULL', 'UPDATE payment SET at = NULL WHERE id % 19 = 0', 'DELETE FROM payment WHERE at IS NULL', 'ALTER TABLE payment ALTER at SET NOT NULL' ],
	'a generated column' => [ 'ALTER TABLE payment ADD twice int GENERATED ALWAYS AS (v * 2) STORED' ],
	'a child' => [ 'CREATE TABLE child () INHERITS (payment)', 'INSERT INTO child (id, account, at, v, amount) SELECT -i, 0, moment(), i, i FROM generate_series(1, 20) AS i', 'UPDATE payment SET v = v + 1 WHERE v % 5 = 0' ],
	'a child for a while' => [ 'CREATE TABLE child () INHERITS (payment)', 'INSERT INTO child (id, account, at, v, amount) SELECT -i, 0, moment(), i, i FROM generate_series(1, 20) AS i', 'UPDATE payment SET v = v + 1 WHERE v % 5 = 0', 'DROP TABLE child', 'VACUUM ANALYZE payment' ],
	'a parent' => [ 'CREATE TABLE parent (v int, amount numeric)', 'ALTER TABLE payment INHERIT parent', 'UPDATE parent SET v = 1 WHERE v % 5 = 0', 'DELETE FROM parent WHERE v = 3' ],
	'a parent for a while' => [ 'CREATE TABLE parent (v int, amount numeric)', 'ALTER TABLE payment INHERIT parent', 'UPDATE parent SET v = 1 WHERE v % 5 = 0', 'ALTER TABLE payment NO INHERIT parent' ],
	'a partition for a while' => [ 'CREATE TABLE parent (LIKE payment) PARTITION BY LIST (status)', 'ALTER TABLE parent ATTACH PARTITION payment DEFAULT', 'UPDATE parent SET v = 1 WHERE v % 5 = 0', 'ALTER TABLE parent DETACH PARTITION payment' ],
	'VACUUM FULL and CLUSTER' => [ 'VACUUM FULL payment', 'CLUSTER payment USING payment_order', map({ "VACUUM FULL $_" } 'pg_trigger', 'NAME_kept', 'NAME_kept_log'), 'CLUSTER NAME_kept USING NAME_kept_account_scan_level_scan_bucket_idx' ],
	'REINDEX' => [ 'REINDEX TABLE NAME_kept', 'REINDEX TABLE CONCURRENTLY NAME_kept_log', 'REINDEX INDEX CONCURRENTLY payment_order' ],
	'another index' => [ 'DROP INDEX payment_order', 'CREATE INDEX ON payment (note)' ],
	'a rule' => [ 'CREATE RULE r AS ON DELETE TO payment DO ALSO UPDATE payment SET v = v + 1 WHERE id = old.id + 1' ],
);
foreach my $what (sort keys %change)
{
	$reader = scene($what);
	$open = session($server, $name);
	right($open, 'before');
	# ones that are refused are out of danger
	asked($reader, s/NAME/$name/gr) for @{$change{$what}};
	asked($open, 'ROLLBACK');
	right($open, 'after it');
	done($open, $changes);
	right($open, 'after changes');
	right($reader, 'in its own session');
	like(asked($reader, "CALL scan_kept_compact('${name}_kept')"), qr/^$|^ERROR 55000$/, "$title: compaction, or a refusal");
	right($open, 'after a compaction');
	done($reader, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
}

$reader = scene('DROP TABLE ... CASCADE');
done($reader, 'SET client_min_messages = error', 'DROP TABLE payment CASCADE');
is(left(), '', "$title: nothing is left");
is(asked($reader, "SELECT name FROM scan_kept WHERE name LIKE '$name%'"), '', "$title: nor shown");
done($reader, "CREATE TABLE other (id int PRIMARY KEY, v int)", "SELECT scan_keep('${name}_kept', 'SELECT sum(v) OVER (ORDER BY id) AS total FROM other')", 'INSERT INTO other SELECT i, i FROM generate_series(1, 10) AS i');
is(asked($reader, "SELECT total FROM ${name}_kept_before(5)"), '10', "$title: the name is free again");

# A writer keeps its lock on the log, and a compaction its locks, to the end.
foreach my $command ('VACUUM FULL LOG', 'REINDEX TABLE LOG', 'ALTER TABLE LOG ALTER scan_rows TYPE bigint USING scan_rows + 0')
{
	$reader = scene("$command and an open writer");
	$writer = session($server, $name);
	done($writer, 'BEGIN', $changes);
	sent($reader, $command =~ s/LOG/${name}_kept_log/r);
	ok(waits($server, $reader, 1), "$title: it waits");
	done($writer, $changes, 'COMMIT');
	unlike(asked($reader), qr/ERROR/, "$title: it ends");
	right($reader, 'after it');
	done($writer, 'BEGIN');
	compact($writer);
	sent($reader, $command =~ s/LOG/${name}_kept_log/r);
	ok(waits($server, $reader, 1), "$title: it waits for a compaction");
	done($writer, 'COMMIT');
	unlike(asked($reader), qr/ERROR/, "$title: it ends after the compaction");
	right($reader, 'after the compaction');
}

# ---- races

$reader = scene('two compactions');
$writer = session($server, $name);
my $other = session($server, $name);
foreach my $end ('COMMIT', 'ROLLBACK')
{
	done($writer, $changes, $changes);
	done($writer, 'BEGIN', map { "CALL scan_kept_compact('${name}_$_')" } 'kept', 'all');
	sent($other, "CALL scan_kept_compact('${name}_kept')");
	ok(waits($server, $other, 2), "$title: the second waits for the first, $end");
	right($reader, "meanwhile, $end");
	done($reader, $changes);
	done($writer, $end);
	is(asked($other), '', "$title: the second goes on after $end");
	right($reader, "after both, $end");
	compact($reader);
	right($reader, "after a third, $end", accounts => 'all');
}
is_used($reader, 'in the end');

$reader = scene('a writer and TRUNCATE');
$writer = session($server, $name);
foreach my $end ('COMMIT', 'ROLLBACK')
{
	done($writer, 'BEGIN', $changes);
	sent($reader, 'TRUNCATE payment');
	ok(waits($server, $reader, 2), "$title: TRUNCATE waits for the writer, $end");
	done($writer, 'SELECT fill(10)', $end);
	is(asked($reader), '', "$title: TRUNCATE ends, $end");
	right($reader, "after $end");
	done($reader, 'BEGIN', 'TRUNCATE payment', 'SELECT fill(300)');
	sent($writer, 'SELECT fill(30)');
	ok(waits($server, $writer, 2), "$title: the writer waits for TRUNCATE, $end");
	done($reader, $end);
	unlike(asked($writer), qr/ERROR/, "$title: the writer ends, $end");
	right($reader, "after the $end of TRUNCATE");
	compact($reader);
	right($reader, "compacted after $end");
}
is_used($reader, 'in the end');

$reader = scene('savepoints of a writer and a compaction');
$writer = session($server, $name);
done($writer, 'BEGIN', $changes, 'SAVEPOINT a', $changes, 'SAVEPOINT b', $changes, 'ROLLBACK TO b');
compact($reader);
right($reader, 'the writer is not seen');
right($writer, 'but by itself, without what it has rolled back');
done($writer, 'ROLLBACK TO a', 'SELECT fill(20)', 'RELEASE a');
compact($reader);
right($writer, 'after another one that was rolled back');
done($writer, 'COMMIT');
right($reader, 'after COMMIT');
compact($reader);
right($reader, 'compacted', accounts => 'all');
is_used($reader, 'compacted');

# ---- readers

my $user = "scan_kept_reader_$$";
$reader = scene('grants and policies');
$server->lines("CREATE ROLE $user; GRANT USAGE ON SCHEMA $name TO $user");
END { $server->run("DROP OWNED BY $user; DROP ROLE $user") if $server && $server->{owner} == $$ }
my $total = "SELECT k::text FROM ${name}_kept_total(0) AS k";
$writer = session($server, $name);
done($reader, "SET ROLE $user");
is(asked($reader, $total), 'ERROR 42501', "$title: SELECT is needed");
done($writer, "GRANT SELECT (account, at, id, amount, v, f) ON payment TO $user");
is(asked($reader, $total), 'ERROR 42501', "$title: on all columns of the definition");
done($writer, "GRANT SELECT (status) ON payment TO $user");
my $whole = asked($writer, $total);
is(asked($reader, $total), $whole, "$title: and then it is enough");
is(asked($reader, "SELECT count(*) FROM ${name}_kept_last(0, 3)"), 'ERROR 42501', "$title: but not for the last rows");
done($writer, "GRANT SELECT ON payment TO $user", 'ALTER TABLE payment ENABLE ROW LEVEL SECURITY', "CREATE POLICY odd ON payment FOR SELECT TO $user USING (id % 2 = 1)");
right($reader, 'the user sees the rows of the policy');
isnt(asked($reader, $total), $whole, "$title: which are not all");
is(asked($reader, "SELECT scan_kept_check('${name}_kept')"), 'ERROR 42501', "$title: and may not check");
is(asked($reader, "CALL scan_kept_compact('${name}_kept')"), 'ERROR 42501', "$title: nor compact");
is(asked($reader, "SELECT scan_unkeep('${name}_kept')"), 'ERROR 42501', "$title: nor drop");
right($writer, 'the owner sees all rows');
is_used($writer, 'by the owner');
done($reader, 'SET plan_cache_mode = force_generic_plan', "PREPARE p AS $total", ('EXECUTE p') x 2);
my $some = asked($reader, 'EXECUTE p');
done($writer, 'DROP POLICY odd ON payment', "CREATE POLICY none ON payment FOR SELECT TO $user USING (account = 1)");
isnt(asked($reader, 'EXECUTE p'), $some, "$title: a generic plan follows another policy");
right($reader, 'after another policy');
done($writer, 'ALTER TABLE payment DISABLE ROW LEVEL SECURITY');
is(asked($reader, 'EXECUTE p'), $whole, "$title: and none");
done($writer, "REVOKE SELECT ON payment FROM $user");
is(asked($reader, 'EXECUTE p'), 'ERROR 42501', "$title: and a REVOKE");
done($reader, 'RESET ROLE');

$reader = scene('a hostile search_path');
done($reader, 'CREATE SCHEMA hostile', map({ my ($type, $operator) = @$_; my $f = 'o' . unpack('H*', $operator); ("CREATE FUNCTION hostile.$f($type, $type) RETURNS boolean LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION 'called'; END \$\$", "CREATE OPERATOR hostile.$operator (LEFTARG = $type, RIGHTARG = $type, FUNCTION = hostile.$f)") }
		map({ my $type = $_; map { [ $type, $_ ] } '=', '<', '>=', '<=' } 'int', 'bigint', 'timestamptz', 'oid', 'text', 'name')),
	map({ "CREATE FUNCTION hostile.$_ LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION 'called'; END \$\$" } 'concat(text, text) RETURNS text', 'starts_with(name, text) RETURNS boolean'),
	map { "CREATE TABLE hostile.$_ ()" } 'pg_class', 'pg_proc', 'pg_trigger', 'scan_kept_definition', "${name}_kept", "${name}_kept_log", 'payment');
{
	my $hostile = session($server, $name);
	done($hostile, "SET search_path = hostile, $name, public, pg_catalog");
	is(asked($hostile, "SELECT 1 WHERE 1 = 1"), 'ERROR P0001', "$title: it is hostile");
	my @read = map { asked($_, "SELECT k::text FROM $name.${name}_kept_total(0) AS k", "SELECT k::text FROM $name.${name}_kept_before(0, '2026-02-01', 5) AS k", "SELECT k::text FROM $name.${name}_kept_between(0, '2026-02-01', '2026-03-01') AS k", "SELECT count(k::text) FROM $name.${name}_kept_last(0, 5) AS k", "SELECT usable FROM public.scan_kept WHERE name OPERATOR(pg_catalog.=) '${name}_kept'") } $reader, $hostile;
	is($read[1], $read[0], "$title: the same results");
	done($hostile, "INSERT INTO $name.payment (account, at, v, amount) SELECT 0, '2026-01-01', i, i FROM generate_series(1, 300) AS i", "CALL scan_kept_compact('${name}_kept')");
	right($reader, 'after changes and a compaction there');
	is(asked($hostile, "SELECT scan_kept_check('${name}_all')"), '0', "$title: a check");
	done($hostile, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
	# the other definition has operators, which are those of the path
	my ($kept, $all) = split /;/, keep(undef, $name);
	done($hostile, $all =~ s/FROM payment/FROM $name.payment/r);
	done($reader, $kept);
	right($reader, 'kept again there');
	is_used($reader, 'kept again there');
}

$reader = scene('LATERAL');
foreach my $mode ('force_custom_plan', 'force_generic_plan')
{
	done($reader, "SET plan_cache_mode = $mode", "PREPARE parts(int, timestamptz) AS SELECT count(*), count(*) FILTER (WHERE b::text IS DISTINCT FROM p) FROM (SELECT id FROM account UNION ALL VALUES (NULL), (-1)) AS a(id) LEFT JOIN LATERAL (SELECT at FROM payment WHERE account = a.id AND id % 3 = \$1 ORDER BY at LIMIT 20) AS r ON true LEFT JOIN LATERAL ${name}_kept_between(a.id, \$2, r.at) AS b ON true LEFT JOIN LATERAL plain_kept(a.id, \$2, r.at) AS p ON r.at IS NOT NULL AND \$2 IS NOT NULL WHERE r.at IS NOT NULL");
	foreach my $from ("'-infinity'", "'2026-01-15'", "'2026-01-15 03:04:05.678'")
	{
		my ($n, $bad) = split /\|/, asked($reader, "EXECUTE parts(1, $from)");
		cmp_ok($n, '>', 40, "$title: there are rows from $from, $mode");
		is($bad, '0', "$title: no difference from $from, $mode");
	}
	is(asked($reader, "SELECT count(*) FROM account AS a LEFT JOIN LATERAL ${name}_kept_total(CASE WHEN a.id > 3 THEN a.id END) AS t ON t.n > 0"), '10', "$title: a partition that is NULL, $mode");
	done($reader, 'DEALLOCATE parts');
}

# Text that takes 100 kB, which an index has compressed; what does not fit in an index is an error of the writer.
$title = 'wide partitions';
$server->lines("CREATE TABLE wide (p text, at int NOT NULL, v int); SELECT scan_keep('wide_kept', 'SELECT sum(v) OVER (PARTITION BY p ORDER BY at) AS total, count(*) OVER (PARTITION BY p ORDER BY at) AS n FROM wide');"
	. "INSERT INTO wide SELECT repeat(chr(97 + i % 3), 100000) || i % 2, i, i FROM generate_series(1, 1500) AS i; INSERT INTO wide SELECT NULL, i, i FROM generate_series(1, 300) AS i");
foreach my $what ('logged', 'compacted', 'changed', 'changed and compacted')
{
	$server->lines("UPDATE wide SET v = v + 1, at = at + 1 WHERE at % 7 = 0; UPDATE wide SET p = repeat('z', 100000) WHERE at % 50 = 0; DELETE FROM wide WHERE at % 41 = 0") if $what eq 'changed';
	$server->lines("CALL scan_kept_compact('wide_kept')") if $what =~ /compacted/;
	is($server->value("SELECT count(*) FROM (SELECT p, sum(v) AS total, count(*) AS n FROM wide GROUP BY p) AS w, wide_kept_total(w.p) AS k WHERE (w.total, w.n) IS DISTINCT FROM (k.total, k.n)"), '0', "$title: $what");
}
$server->lines("CREATE FUNCTION random_text() RETURNS text LANGUAGE sql VOLATILE AS 'SELECT string_agg(md5(random()::text), NULL) FROM generate_series(1, 3000)'");
like(($server->run("INSERT INTO wide SELECT random_text(), 1, 1"))[1], qr/index row (?:size|requires)/, "$title: too wide for an index");
is($server->value("SELECT total FROM wide_kept_total('none')"), undef, "$title: a partition without rows");

# ---- serializable

foreach my $compacts (0 .. 3)
{
	$reader = scene("write skew, $compacts");
	$writer = session($server, $name);
	my $compactor = session($server, $name);
	my @out;
	push @out, asked($_->[0], $_->[1]) for [ $reader, 'BEGIN ISOLATION LEVEL SERIALIZABLE' ], [ $writer, 'BEGIN ISOLATION LEVEL SERIALIZABLE' ];
	compact($compactor) if $compacts & 1;
	push @out, asked($reader, "SELECT n FROM ${name}_kept_total(1)"), asked($writer, "SELECT n FROM ${name}_kept_total(2)");
	compact($compactor) if $compacts & 2;
	push @out, asked($_->[0], $_->[1]) for [ $reader, "INSERT INTO payment (account, at, v) VALUES (2, '2026-01-01', 1)" ], [ $writer, "INSERT INTO payment (account, at, v) VALUES (1, '2026-01-01', 1)" ], [ $reader, 'COMMIT' ], [ $writer, 'COMMIT' ];
	is(join(' ', grep { /ERROR/ } @out), 'ERROR 40001', "$title: one of the two fails");
	right($reader, 'after it');
}

# ---- without the extension

$reader = scene('DROP EXTENSION ... CASCADE');
done($reader, 'SET client_min_messages = error', 'DROP EXTENSION scan CASCADE', $changes, @few);

done_testing();
