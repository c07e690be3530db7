# kept_races.t: kept scans in scenes of several sessions: old snapshots, builds, compactions,
# locks, serializable transactions.
#
# The scenes are of the kind of kept_scenes.t.  The specs in test/specs have the orders in
# which two sessions can meet, step by step.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;
use Kept;

my $server = Server->new('kept_races');
my ($reader, $writer);

# ---- snapshots

$reader = scene($server, 'a snapshot that is older than the build', kept => 0);
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, @changes);
keep($server, $name);
right($reader, 'nothing of the tree is used');
done($writer, @changes);
compact($writer);
right($reader, 'after a compaction');
done($reader, 'COMMIT');
right($reader, 'with a new snapshot');
is_used($reader, 'with a new snapshot');

$reader = scene($server, 'a snapshot that is older than another build');
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, "SELECT scan_unkeep('${name}_kept'); SELECT scan_unkeep('${name}_all')", @changes);
keep($server, $name);
right($reader, 'after it');
done($reader, 'COMMIT');

$reader = scene($server, "a cursor that is older than its transaction's own build", kept => 0);
done($reader, 'BEGIN', "SELECT 1");
done($reader, "CREATE FUNCTION total() RETURNS text LANGUAGE plpgsql STABLE AS \$\$DECLARE t text; "
		. "BEGIN EXECUTE 'SELECT k::text FROM ${name}_kept_total(0) AS k' INTO t; RETURN t; END \$\$");
done($reader, 'DECLARE c CURSOR FOR SELECT CASE WHEN i = 1 THEN NULL ELSE total() END AS kept, CASE WHEN i = 1 '
		. 'THEN NULL ELSE plain_kept(0, NULL, NULL) END AS plain FROM generate_series(1, 2) AS i', 'FETCH c');
done($reader, @changes, keep(undef, $name));
my ($kept, $plain) = split /\|/, asked($reader, 'FETCH c');
is($kept, $plain, "$title: it sees neither the tree nor what came after it");
done($reader, 'COMMIT');

$reader = scene($server, 'a snapshot that is older than a compaction');
$writer = session($server, $name);
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, @changes);
my @before = asked($reader,
	'SELECT string_agg(k::text, \'\') FROM generate_series(0, 5) AS a, plain_kept(a, NULL, NULL) AS k');
compact($writer);
right($reader, 'after it');
done($writer, @changes);
compact($writer);
right($reader, 'after another one');
is(asked($reader, "SELECT string_agg(k::text, '') FROM generate_series(0, 5) AS a, ${name}_kept_total(a) AS k"),
	$before[0], "$title: the old answer");
done($reader, 'COMMIT');
right($reader, 'with a new snapshot');

foreach my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	$reader = scene($server, "a compaction in a transaction with an old snapshot, $level");
	$writer = session($server, $name);
	done($reader, "BEGIN ISOLATION LEVEL $level", 'SELECT count(*) FROM account');
	done($writer, @changes, @changes);
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

$reader = scene($server, "a cursor that is older than its transaction's compaction");
$writer = session($server, $name);
done($writer, @changes);
done($reader, 'BEGIN', @changes,
	'DECLARE c CURSOR FOR SELECT a, c.* FROM generate_series(0, 4) AS a, compare(a) AS c WHERE bad > 0');
compact($reader);
done($reader, @changes);
compact($reader);
is(asked($reader, 'FETCH ALL FROM c'), '', "$title: no difference");
done($reader, 'SAVEPOINT a', @changes);
compact($reader);
right($reader, 'in a savepoint');
done($reader, 'ROLLBACK TO a');
right($reader, 'after the savepoint');
done($reader, 'ROLLBACK');
right($reader, 'rolled back');

$reader = scene($server, 'a snapshot that is older than TRUNCATE');
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
done($writer, 'BEGIN', 'SAVEPOINT a', 'TRUNCATE payment', 'SELECT fill(0)', 'ROLLBACK TO a',
	'DELETE FROM payment WHERE id % 2 = 0', 'TRUNCATE payment', 'SELECT fill(20)', 'COMMIT');
right($reader, 'after one in a savepoint and one that was not');

# A reader holds its lock on the table, as a query of the table does.
$reader = scene($server, 'a reader and TRUNCATE');
$writer = session($server, $name);
done($reader, 'BEGIN',
	"DECLARE c CURSOR FOR SELECT (SELECT n FROM ${name}_kept_total(i * 0)) FROM generate_series(1, 2) AS i");
my $first = asked($reader, 'FETCH c');
sent($writer, 'TRUNCATE payment');
ok(waits($server, $writer, 2), "$title: TRUNCATE waits for the reader");
is(asked($reader, 'FETCH c'), $first, "$title: the reader goes on");
done($reader, 'COMMIT');
is(asked($writer), '', "$title: TRUNCATE ends");
right($reader, 'after it');

$reader = scene($server, 'TRUNCATE while a compaction waits for the table');
$writer = session($server, $name);
done($reader, "INSERT INTO payment (account, at, v) SELECT 9, moment(), i FROM generate_series(1, 400) AS i");
done($writer, 'BEGIN', 'LOCK TABLE payment IN ACCESS EXCLUSIVE MODE');
sent($reader, "CALL scan_kept_compact('${name}_kept')");
ok(waits($server, $reader), "$title: the compaction waits");
is(asked($writer, 'TRUNCATE payment'), '', "$title: no deadlock for the writer");
done($writer, 'COMMIT');
is(asked($reader), '', "$title: and none for the compaction");
right($writer, 'after it');

# A check that builds the tree anew, with the table locked, waits for no reader: that one may want to write the table.
$reader = scene($server, 'a reader that goes on to write, and a check');
$writer = session($server, $name);
my $trigger = "TRIGGER scan_kept_${name}_all_rows";
done($reader, 'BEGIN',
	"DECLARE c CURSOR FOR SELECT (SELECT n FROM ${name}_all_total()) FROM generate_series(1, 2) AS i");
my $seen = asked($reader, 'FETCH c');
# whoever looks at the tree itself has its lock until the end of the transaction
cmp_ok(asked($reader, "SELECT count(*) FROM ${name}_all"), '>', 0, "$title: the reader looks at the tree");
done($writer, 'BEGIN', "ALTER TABLE payment DISABLE $trigger", 'DELETE FROM payment WHERE id % 5 = 0',
	"ALTER TABLE payment ENABLE ALWAYS $trigger", 'COMMIT');
sent($writer, "SELECT scan_kept_check('${name}_all') > 0");
ok(!waits($server, $writer, 1), "$title: the check does not wait");
is(asked($reader, "INSERT INTO payment (account, at, v) VALUES (0, moment(), 5)"), '', "$title: the reader writes");
is(asked($reader, 'FETCH c'), $seen, "$title: and sees what its snapshot saw");
done($reader, 'COMMIT');
# leaf partitions whose triggers were disabled are not compared, but adopted
is(asked($writer), $ENV{SCAN_TEST_PARTITIONED} ? 'f' : 't', "$title: the check has mended the kept scan");
right($reader, 'after it');

# ---- builds

$reader = scene($server, 'a build and an open writer', kept => 0);
$writer = session($server, $name);
done($writer, 'BEGIN', @changes);
sent($reader, keep(undef, $name));
ok(waits($server, $reader), "$title: the build waits");
my $second = session($server, $name);
sent($second, "SELECT fill(50)");
ok(waits($server, $second), "$title: the next writer waits, too");
done($writer, @changes, 'COMMIT');
unlike(asked($reader), qr/ERROR/, "$title: the build ends");
unlike(asked($second), qr/ERROR/, "$title: and the writer goes on");
right($writer, 'after it');
is_used($writer, 'after it');
done($writer, @changes);
right($second, 'after more changes');

$reader = scene($server, 'a build in a transaction with changes of its own', kept => 0);
done($reader, 'BEGIN', @changes, 'SAVEPOINT a', keep(undef, $name));
right($reader, 'in a savepoint');
done($reader, @changes);
right($reader, 'after changes');
done($reader, 'ROLLBACK TO a', keep(undef, $name), @changes);
right($reader, 'after another build');
done($reader, 'COMMIT');
right($reader, 'after the transaction');
is_used($reader, 'after the transaction');

$reader = scene($server, 'a build inside of a statement that changes the table', kept => 0);
asked($reader, "WITH i AS (INSERT INTO payment (account, at, v) SELECT 0, moment(), i "
		. "FROM generate_series(1, 10) AS i RETURNING id), k AS (SELECT scan_keep('${name}_kept', definition) "
		. "FROM (SELECT 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n, avg(v) OVER w AS mean, "
		. "exact_sum(f) FILTER (WHERE v > 20) OVER w AS exact, bit_xor(v) OVER w AS bits, bool_or(v > 70) OVER w "
		. "AS big, scan_sum(v) OVER w AS sum, stddev(amount) OVER w AS spread FROM payment WHERE status = ''posted'' "
		. "WINDOW w AS (PARTITION BY account ORDER BY at, id)' AS definition) AS d) SELECT * FROM i, k");
asked($reader, keep(undef, $name));
right($reader, 'refused, or right after it', accounts => 'VALUES (0), (1)');

# ---- writers

# No writer waits for another, nor fails because of it.
$reader = scene($server, 'a child and two writers');
$writer = session($server, $name);
done($reader, 'CREATE TABLE child () INHERITS (payment)') if !$ENV{SCAN_TEST_PARTITIONED};
done($reader, 'BEGIN', 'UPDATE payment SET v = v + 1 WHERE id = 5');
sent($writer, 'UPDATE payment SET v = v + 1 WHERE id = 6');
ok(!waits($server, $writer, 0.5), "$title: the second does not wait");
done($reader, 'COMMIT');
is(asked($writer), '', "$title: the second has no error");
done($reader, 'BEGIN ISOLATION LEVEL REPEATABLE READ', 'SELECT count(*) FROM account');
done($writer, 'UPDATE payment SET v = v + 1 WHERE id = 6');
done($reader, 'UPDATE payment SET v = v + 1 WHERE id = 5', 'COMMIT');
right($reader, 'after them');

# A writer keeps its lock on the log, and a compaction its locks, to the end.
foreach my $command ('VACUUM FULL LOG', 'REINDEX TABLE LOG', 'CREATE INDEX ON LOG (scan_rows)')
{
	$reader = scene($server, "$command and an open writer");
	$writer = session($server, $name);
	done($writer, 'BEGIN', @changes);
	sent($reader, $command =~ s/LOG/${name}_kept_log/r);
	ok(waits($server, $reader, 1), "$title: it waits");
	done($writer, @changes, 'COMMIT');
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

$reader = scene($server, 'two compactions');
$writer = session($server, $name);
my $other = session($server, $name);
foreach my $end ('COMMIT', 'ROLLBACK')
{
	done($writer, @changes, @changes);
	done($writer, 'BEGIN', map { "CALL scan_kept_compact('${name}_$_')" } 'kept', 'all');
	sent($other, "CALL scan_kept_compact('${name}_kept')");
	ok(waits($server, $other, 2), "$title: the second waits for the first, $end");
	right($reader, "meanwhile, $end");
	done($reader, @changes);
	done($writer, $end);
	is(asked($other), '', "$title: the second goes on after $end");
	right($reader, "after both, $end");
	compact($reader);
	right($reader, "after a third, $end", accounts => 'all');
}
is_used($reader, 'in the end');

$reader = scene($server, 'a writer and TRUNCATE');
$writer = session($server, $name);
foreach my $end ('COMMIT', 'ROLLBACK')
{
	done($writer, 'BEGIN', @changes);
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

$reader = scene($server, 'savepoints of a writer and a compaction');
$writer = session($server, $name);
done($writer, 'BEGIN', @changes, 'SAVEPOINT a', @changes, 'SAVEPOINT b', @changes, 'ROLLBACK TO b');
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

# ---- serializable

foreach my $compacts (0 .. 3)
{
	$reader = scene($server, "write skew, $compacts");
	$writer = session($server, $name);
	my $compactor = session($server, $name);
	my @out;
	push @out, asked($_->[0], $_->[1])
		for [ $reader, 'BEGIN ISOLATION LEVEL SERIALIZABLE' ], [ $writer, 'BEGIN ISOLATION LEVEL SERIALIZABLE' ];
	compact($compactor) if $compacts & 1;
	push @out, asked($reader, "SELECT n FROM ${name}_kept_total(1)"),
		asked($writer, "SELECT n FROM ${name}_kept_total(2)");
	compact($compactor) if $compacts & 2;
	push @out, asked($_->[0], $_->[1])
		for [ $reader, "INSERT INTO payment (account, at, v) VALUES (2, '2026-01-01', 1)" ], [ $writer,
		"INSERT INTO payment (account, at, v) VALUES (1, '2026-01-01', 1)" ], [ $reader, 'COMMIT' ], [ $writer,
		'COMMIT' ];
	is(join(' ', grep { /ERROR/ } @out), 'ERROR 40001', "$title: one of the two fails");
	right($reader, 'after it');
}

done_testing();
