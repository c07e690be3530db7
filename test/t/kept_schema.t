# kept_schema.t: kept scans whose triggers, definitions or names change, and scan_kept_check(),
# which makes a kept scan usable again.
#
# The scenes are of the kind of kept_scenes.t.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep);
use Server;
use Kept;

my $server = Server->new('kept_schema');
my ($reader, $writer);
damage_function($server);

# ---- triggers and definitions that change

foreach my $how ('DISABLE TRIGGER ALL', "DISABLE TRIGGER scan_kept_NAME_rows")
{
	$reader = scene($server, $how);
	my $open = session($server, $name);
	$writer = session($server, $name);
	# a transaction whose caches are so warm that nothing but a kept scan would look for news
	done($open, 'BEGIN', "PREPARE p AS SELECT (SELECT k::text FROM ${name}_kept_total(0) AS k) AS kept, "
			. "plain_kept(0, NULL, NULL) AS plain", ('EXECUTE p') x 7);
	my @both = $how =~ /NAME/ ? map { $how =~ s/NAME/${name}_$_/r } 'kept', 'all' : $how;
	done($writer, map({ "ALTER TABLE payment $_" } @both), @changes,
		map { 'ALTER TABLE payment ' . s/DISABLE/ENABLE/r } @both);
	my ($kept, $plain) = split /\|/, asked($open, 'EXECUTE p');
	is($kept, $plain, "$title: in a transaction that has read before");
	done($open, 'COMMIT');
	right($reader, 'in another one');
	is_unused($reader, 'after it');
	done($writer, @changes);
	right($reader, 'after more changes');
}

# A commit can be seen a moment before other sessions are told what it has invalidated.  gdb makes the moment longer.
SKIP:
{
	skip 'there is no gdb', 1 if `gdb --version 2>/dev/null` eq '';
	$reader = scene($server, 'a commit that is seen before its messages come');
	$writer = session($server, $name);
	done($reader, "PREPARE p AS SELECT (SELECT k::text FROM ${name}_kept_total(0) AS k) AS kept, "
			. "plain_kept(0, NULL, NULL) AS plain", ('EXECUTE p') x 7);
	done($writer, 'BEGIN', 'ALTER TABLE payment DISABLE TRIGGER ALL', @changes,
		'ALTER TABLE payment ENABLE TRIGGER ALL');
	my $moment = File::Temp->newdir;
	open my $commands, '>', "$moment/commands" or die $!;
	print $commands map { "$_\n" } 'set breakpoint pending on', 'break AtEOXact_Inval', "shell touch $moment/ready",
		'continue', "shell touch $moment/seen; for i in `seq 100`; do test -e $moment/over && break; sleep 0.1; done",
		'detach', 'quit';
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

$reader = scene($server, 'DISABLE TRIGGER that is rolled back');
done($reader, 'BEGIN', 'ALTER TABLE payment DISABLE TRIGGER ALL', @changes);
right($reader, 'before that');
done($reader, 'ROLLBACK');
right($reader, 'after it');
is_used($reader, 'after it');

$reader = scene($server, 'DISABLE TRIGGER in the transaction of the build', kept => 0);
done($reader, 'BEGIN', keep(undef, $name),
	map({ "ALTER TABLE payment DISABLE TRIGGER scan_kept_${name}_${_}_rows" } 'kept', 'all'), @changes,
	map({ "ALTER TABLE payment ENABLE TRIGGER scan_kept_${name}_${_}_rows" } 'kept', 'all'), 'COMMIT');
right($reader, 'after it');

foreach my $which (qw(rows truncate))
{
	$reader = scene($server, "DROP TRIGGER, $which");
	done($reader, map { "DROP TRIGGER scan_kept_${name}_${_}_$which ON payment" } 'kept', 'all');
	done($reader, @changes, $which eq 'truncate' ? ('TRUNCATE payment', 'SELECT fill(50)') : (),
		'SET session_replication_role = replica', @changes, 'RESET session_replication_role');
	right($reader, 'after changes');
	done($reader, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
}

$reader = scene($server, 'session_replication_role = replica');
done($reader, 'SET session_replication_role = replica', @changes, @few, 'RESET session_replication_role');
right($reader, 'after changes');
is_used($reader, 'after changes');
done($reader, 'BEGIN', 'SET LOCAL session_replication_role = replica', @changes,
	'SET LOCAL session_replication_role = local', @changes, 'SET LOCAL session_replication_role = origin', @changes);
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

$reader = scene($server, 'a check');
$writer = session($server, $name);
done($writer, @changes);
is(check($reader), '0 0', "$title: finds no difference");
is_used($reader, 'after it');
done($reader, 'BEGIN', "DECLARE c CURSOR FOR SELECT (SELECT k::text FROM ${name}_kept_total(i * 0) AS k) AS kept, "
		. "plain_kept(i * 0, NULL, NULL) AS plain FROM generate_series(1, 6) AS i", ('FETCH c') x 3);
done($writer, @changes, map { "SELECT public.damage('${name}_$_', 'n', 1)" } 'kept', 'all');
like(check_beside($writer, $reader), qr/^[1-9]\d* [1-9]\d*$/, "$title: finds damage");
foreach my $i (asked($reader, 'SELECT name FROM pg_cursors') eq 'c' ? (1 .. 3) : ())
{
	my ($kept, $plain) = split /\|/, asked($reader, 'FETCH c');
	is($kept, $plain, "$title: a cursor that is older, $i");
}
done($reader, 'COMMIT');
right($reader, 'after another one');
is_used($reader, 'after another one');
done($writer, map({ "ALTER TABLE payment DISABLE TRIGGER scan_kept_${name}_${_}_rows" } 'kept', 'all'), @changes,
	map({ "ALTER TABLE payment ENABLE TRIGGER scan_kept_${name}_${_}_rows" } 'kept', 'all'));
is_unused($reader, 'after changes without triggers');
like(check($writer), qr/^[1-9]\d* [1-9]\d*$/, "$title: finds what they have not seen");
right($reader, 'after that');
is_used($reader, 'after that');
done($writer, @changes, @few);
right($reader, 'after changes');
foreach my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	done($reader, "BEGIN ISOLATION LEVEL $level", "PREPARE p AS SELECT (SELECT k::text "
			. "FROM ${name}_kept_total(0) AS k) AS kept, plain_kept(0, NULL, NULL) AS plain", ('EXECUTE p') x 7);
	done($writer, 'BEGIN', map { "SELECT public.damage('${name}_$_', 'n', 1)" } 'kept', 'all');
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
done($writer, @changes);
right($reader, 'after changes by the triggers that were enabled');
done($writer, 'SET session_replication_role = replica', @changes, 'RESET session_replication_role');
right($reader, 'after changes of a replica');
done($writer, map { "DROP TRIGGER scan_kept_${name}_kept_$_ ON payment" } qw(rows truncate));
check($writer);
done($writer, @changes);
right($reader, 'after triggers were dropped');

# A library that writes other states would say so by the format; these are the same ones, but wrong.
$reader = scene($server, 'another format');
done($reader, "SELECT public.damage('scan_kept_definition', 'format', 1)",
	map { "SELECT public.damage('${name}_$_', 'n', 1000)" } 'kept', 'all');
$writer = session($server, $name);
right($writer, 'the table is read');
like(asked($writer, "SELECT reason FROM scan_kept WHERE name = '${name}_kept'"),
	qr/^its states have format \d+, and this library reads format \d+$/, "$title: scan_kept says why");
is(asked($writer, "CALL scan_kept_compact('${name}_kept')"), 'ERROR 55000', "$title: it is not compacted");
done($writer, @changes);
right($writer, 'after changes');
like(check($writer), qr/^[1-9]\d* [1-9]\d*$/, "$title: a check builds it anew");
right($writer, 'after a check');
is_used($writer, 'after a check');

$reader = scene($server, 'ENABLE TRIGGER, which fires less often');
done($reader, map({
	my $which = $_;
	map { "ALTER TABLE payment ENABLE TRIGGER scan_kept_${name}_${which}_$_" } qw(rows truncate)
} 'kept', 'all'), @changes, 'SET session_replication_role = replica', @changes, 'RESET session_replication_role');
right($reader, 'after changes');
like(check($reader), qr/^[1-9]\d* [1-9]\d*$/, "$title: what a replica changed was not logged");
right($reader, 'after a check');

# ---- names

# What scan_unkeep() leaves of a ledger's kept scans.
sub left
{
	return join ' ',
		$server->lines("SELECT x FROM (SELECT oid::regclass::text FROM pg_class WHERE relname LIKE '${name}\\_%' "
		. "UNION ALL SELECT oid::regprocedure::text FROM pg_proc WHERE proname LIKE '${name}\\_%' "
		. "UNION ALL SELECT tgname FROM pg_trigger WHERE tgfoid::regproc::text LIKE '%scan\\_kept\\_log' "
		. "AND tgrelid::regclass::text LIKE '%${name}.%') AS s(x)");
}

sub is_unkept
{
	my ($session) = @_;
	done($session, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
	return is(left(), '', "$title: scan_unkeep leaves nothing");
}

$reader = scene($server, 'names');
my $open = session($server, $name);
done($open, 'BEGIN');
right($open, 'before');
done($open, 'COMMIT');
done($reader, 'ALTER TABLE payment RENAME COLUMN amount TO "Amount"',
	'ALTER TABLE payment RENAME COLUMN account TO "the account"', 'ALTER TABLE payment RENAME COLUMN at TO "at ""it"""',
	'ALTER TABLE payment RENAME TO "Pay ment"', "CREATE VIEW payment AS SELECT id, \"the account\" AS account, "
		. "\"at \"\"it\"\"\" AS at, \"Amount\" AS amount, v, f, status, note FROM \"Pay ment\"");
right($open, 'of the table and its columns');
done($open, @changes);
right($open, 'after changes');
compact($reader);
right($open, 'compacted');
is_used($open, 'compacted');
done($reader, 'DROP VIEW payment', 'ALTER TABLE "Pay ment" RENAME TO payment',
	'ALTER TABLE payment RENAME COLUMN "the account" TO account', 'ALTER TABLE payment RENAME COLUMN "at ""it""" TO at',
	'ALTER TABLE payment RENAME COLUMN "Amount" TO amount');
done($reader, "CREATE SCHEMA ${name}b", "ALTER TABLE payment SET SCHEMA ${name}b",
	'ALTER FUNCTION fill RESET search_path', "SET search_path = $name, ${name}b, public");
done($open, "SET search_path = $name, ${name}b, public");
right($open, 'of the schema');
done($open, @changes);
compact($open);
right($open, 'of the schema, compacted');
is_used($open, 'of the schema, compacted');
is_unkept($reader);
done($reader, @changes);

# Objects of one kept scan are not those of another one whose name is longer.
$reader = scene($server, 'names that begin in the same way');
done($reader, "SELECT scan_keep('$name', 'SELECT count(*) OVER (ORDER BY id) AS n FROM payment')",
	"SELECT scan_unkeep('$name')", @changes);
right($reader, 'after scan_unkeep');
is_used($reader, 'after scan_unkeep');

$reader = scene($server, 'schemas');
$open = session($server, $name);
right($open, 'before');
done($reader, "ALTER SCHEMA $name RENAME TO \"$name new\"", "SET search_path = \"$name new\", public",
	'ALTER FUNCTION fill RESET search_path');
right($reader, 'renamed');
compact($reader);
done($open, "SET search_path = \"$name new\", public");
right($open, 'in a session that has read before');
done($reader, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');

$reader = scene($server, 'ALTER TRIGGER ... RENAME');
done($reader, "ALTER TRIGGER scan_kept_${name}_kept_rows ON payment RENAME TO other", @changes);
right($reader, 'after changes');
is_unkept($reader);
done($reader, @changes);

$reader = scene($server, 'types');
is(asked($reader, $_), 'ERROR 0A000', "$title: $_ is refused")
	for 'ALTER TABLE payment ALTER amount TYPE numeric USING amount + 1',
	'ALTER TABLE payment ALTER account TYPE bigint', 'ALTER TABLE payment ALTER at TYPE timestamp',
	'ALTER TABLE payment ALTER status TYPE varchar';
is(asked($reader, 'ALTER TABLE payment DROP COLUMN v'), 'ERROR 2BP01', "$title: DROP COLUMN is refused");
done($reader, 'ALTER TABLE payment ADD COLUMN more int DEFAULT 3', @changes);
right($reader, 'there may be new columns');
done($reader, 'ALTER TABLE payment ALTER note TYPE varchar USING note || \'x\'', @changes);
is(asked($reader, "SELECT k::text = plain_kept(0, NULL, NULL) FROM ${name}_kept_total(0) AS k"), 't',
	"$title: other columns may change");
is(asked($reader, "SELECT count(*) FROM ${name}_kept_last(0, 5)"), 'ERROR 42804',
	"$title: but the last rows would have these");
is_used($reader, 'other columns may change');

# Writers go on, and readers are right, whatever becomes of the table.
my %change = (
	'SET UNLOGGED' => [ 'ALTER TABLE payment SET UNLOGGED' ],
	'SET UNLOGGED and LOGGED' => [ 'ALTER TABLE payment SET UNLOGGED', 'ALTER TABLE payment SET LOGGED' ],
	'DROP NOT NULL' => [ 'ALTER TABLE payment ALTER at DROP NOT NULL' ],
	'DROP NOT NULL and a NULL' => [ 'ALTER TABLE payment ALTER at DROP NOT NULL',
		'INSERT INTO payment (account, at, v) VALUES (0, NULL, 1)', 'UPDATE payment SET at = NULL WHERE id % 19 = 0' ],
	'DROP NOT NULL, a NULL, and SET NOT NULL' => [ 'ALTER TABLE payment ALTER at DROP NOT NULL',
		'UPDATE payment SET at = NULL WHERE id % 19 = 0', 'DELETE FROM payment WHERE at IS NULL',
		'ALTER TABLE payment ALTER at SET NOT NULL' ],
	'a generated column' => [ 'ALTER TABLE payment ADD twice int GENERATED ALWAYS AS (v * 2) STORED' ],
	'a child' => [ 'CREATE TABLE child () INHERITS (payment)',
		'INSERT INTO child (id, account, at, v, amount) SELECT -i, 0, moment(), i, i FROM generate_series(1, 20) AS i',
		'UPDATE payment SET v = v + 1 WHERE v % 5 = 0' ],
	'a child for a while' => [ 'CREATE TABLE child () INHERITS (payment)',
		'INSERT INTO child (id, account, at, v, amount) SELECT -i, 0, moment(), i, i FROM generate_series(1, 20) AS i',
		'UPDATE payment SET v = v + 1 WHERE v % 5 = 0', 'DROP TABLE child', 'VACUUM ANALYZE payment' ],
	'a parent' => [ 'CREATE TABLE parent (v int, amount numeric)', 'ALTER TABLE payment INHERIT parent',
		'UPDATE parent SET v = 1 WHERE v % 5 = 0', 'DELETE FROM parent WHERE v = 3' ],
	'a parent for a while' => [ 'CREATE TABLE parent (v int, amount numeric)', 'ALTER TABLE payment INHERIT parent',
		'UPDATE parent SET v = 1 WHERE v % 5 = 0', 'ALTER TABLE payment NO INHERIT parent' ],
	'a partition for a while' => [ 'CREATE TABLE parent (LIKE payment) PARTITION BY LIST (status)',
		'ALTER TABLE parent ATTACH PARTITION payment DEFAULT', 'UPDATE parent SET v = 1 WHERE v % 5 = 0',
		'ALTER TABLE parent DETACH PARTITION payment' ],
	'VACUUM FULL and CLUSTER' => [ 'VACUUM FULL payment', 'CLUSTER payment USING payment_order',
		map({ "VACUUM FULL $_" } 'pg_trigger', 'NAME_kept', 'NAME_kept_log'),
		'CLUSTER NAME_kept USING NAME_kept_account_scan_level_scan_bucket_idx' ],
	'REINDEX' => [ 'REINDEX TABLE NAME_kept', 'REINDEX TABLE CONCURRENTLY NAME_kept_log',
		'REINDEX INDEX CONCURRENTLY payment_order' ],
	'another index' => [ 'DROP INDEX payment_order', 'CREATE INDEX ON payment (note)' ],
	'a rule' => [ 'CREATE RULE r AS ON DELETE TO payment DO ALSO UPDATE payment SET v = v + 1 WHERE id = old.id + 1' ],
);
foreach my $what (sort keys %change)
{
	$reader = scene($server, $what);
	$open = session($server, $name);
	right($open, 'before');
	# ones that are refused are out of danger
	asked($reader, s/NAME/$name/gr) for @{$change{$what}};
	asked($open, 'ROLLBACK');
	right($open, 'after it');
	done($open, @changes);
	right($open, 'after changes');
	right($reader, 'in its own session');
	like(asked($reader, "CALL scan_kept_compact('${name}_kept')"), qr/^$|^ERROR 55000$/,
		"$title: compaction, or a refusal");
	right($open, 'after a compaction');
	done($reader, map { "SELECT scan_unkeep('${name}_$_')" } 'kept', 'all');
}

$reader = scene($server, 'DROP TABLE ... CASCADE');
done($reader, 'SET client_min_messages = error', 'DROP TABLE payment CASCADE');
is(left(), '', "$title: nothing is left");
is(asked($reader, "SELECT name FROM scan_kept WHERE name LIKE '$name%'"), '', "$title: nor shown");
done($reader, "CREATE TABLE other (id int PRIMARY KEY, v int)",
	"SELECT scan_keep('${name}_kept', 'SELECT sum(v) OVER (ORDER BY id) AS total FROM other')",
	'INSERT INTO other SELECT i, i FROM generate_series(1, 10) AS i');
is(asked($reader, "SELECT total FROM ${name}_kept_before(5)"), '10', "$title: the name is free again");

done_testing();
