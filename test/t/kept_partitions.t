# kept_partitions.t: kept scans of partitioned tables: what happens to partitions, and who writes them.
#
# After each event the results of some queries are those of the plain queries, and EXPLAIN says how many leaf partitions
# were read, and how many of them by their rows.  kept_ways_partitioned.t has every way of writing, and kept_stress.t
# with SCAN_TEST_PARTITIONED=1 all of it at once.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;
use Kept;

my $cluster = Cluster->new("autovacuum = off\nwal_level = logical\nscan.debug_kept_deltas = 40\n"
	. "scan.kept_compact = off\n");
my $server = $cluster->use;
my $session = session($server, 'public');

sub does
{
	my ($what, @statements) = @_;
	is(join(' ', grep { /^ERROR/ } asked($session, @statements)), '', $what)
		|| diag(substr $session->complaints, -800);
	return;
}

my @queries = (
	"SELECT sum(amount), count(*), max(v) FROM sale WHERE account = 3 AND at < '2026-03-10 12:34:56'",
	"SELECT sum(amount), count(*), max(v) FROM sale WHERE account = 2 AND at >= '2026-01-20' AND at <= '2026-04-02'",
	"SELECT account, date_trunc('day', at) AS d, sum(amount), count(*), max(v) FROM sale GROUP BY 1, 2 ORDER BY 1, 2",
	"SELECT date_trunc('month', at) AS d, sum(amount) FROM sale WHERE account IN (1, 3) GROUP BY 1 ORDER BY 1",
	"SELECT * FROM (SELECT account, at, id, sum(amount) OVER w, max(v) OVER w FROM sale WHERE account = 1 "
		. "WINDOW w AS (PARTITION BY account ORDER BY at, id)) AS s WHERE at >= '2026-03-05' ORDER BY at, id",
	"SELECT * FROM (SELECT account, at, id, count(*) OVER w FROM sale WHERE account = 4 "
		. "WINDOW w AS (PARTITION BY account ORDER BY at, id)) AS s ORDER BY at DESC, id DESC LIMIT 20");

# The results are right, and so many leaves are read for the first query, so many of them by rows.
sub right_by
{
	my ($what, $leaves, $by_rows) = @_;
	my @differ;
	foreach my $query (@queries)
	{
		my @out = map { asked($session, "SET scan.kept = '$_'", $query) } 'off', 'force', 'check';
		push @differ, "$query\nplain: $out[0]\nkept: $out[1]\nchecked: $out[2]"
			if $out[0] ne $out[1] || $out[0] ne $out[2];
	}
	my $plan = asked($session, 'SET scan.kept = force',
		"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $queries[0]",
		'SET scan.kept = off');
	is(substr(join("\n", @differ), 0, 3000), '', "$what: right");
	is($plan =~ /Starts From: sale_kept \((?:(\d+) leaves, )?(?:(\d+) of them by rows, )?/ ? ($1 // 0) . ' ' . ($2 // 0)
		: $plan, "$leaves $by_rows", "$what: $leaves leaves, $by_rows by rows");
	return;
}

my $compact = "CALL scan_kept_compact('sale_kept')";
my $keep = "SELECT scan_keep('sale_kept', 'SELECT sum(amount) OVER w AS total, count(*) OVER w AS n, "
	. "max(v) OVER w AS high "
	. "FROM sale WINDOW w AS (PARTITION BY account ORDER BY at, id)')";
sub month { my ($name, $month) = @_;
	return "$name FOR VALUES FROM ('2026-0$month-01') TO ('2026-0" . ($month + 1) . "-01')" }
my $id = 0;
sub rows
{
	my ($table, $month, $n) = @_;
	$id += $n;
	return "INSERT INTO $table (id, account, at, amount, v) SELECT $id - $n + i, i % 5, timestamptz '2026-0$month-01' "
		. "+ i * interval '28 days' / ($n + 1), i % 89 - 40.25, i % 61 FROM generate_series(1, $n) AS i";
}

# One leaf has another order of columns, two lie below a partition.
does('a partitioned table', 'CREATE TABLE sale (id bigint NOT NULL, account int NOT NULL, at timestamptz NOT NULL, '
		. 'amount numeric(12,2), v int, note text) PARTITION BY RANGE (at)',
	'CREATE TABLE ' . month('sale_1 PARTITION OF sale', 1),
	'CREATE TABLE ' . month('sale_2 PARTITION OF sale', 2) . ' PARTITION BY LIST (account)',
	'CREATE TABLE sale_2_few PARTITION OF sale_2 FOR VALUES IN (0, 1, 3)',
	'CREATE TABLE sale_2_rest PARTITION OF sale_2 DEFAULT',
	'CREATE TABLE sale_3 (v int, gone int, note text, amount numeric(12,2), at timestamptz NOT NULL, '
		. 'account int NOT NULL, '
		. 'id bigint NOT NULL)', 'ALTER TABLE sale_3 DROP COLUMN gone',
	'ALTER TABLE sale ATTACH PARTITION ' . month('sale_3', 3),
	'CREATE INDEX ON sale (account, at, id)',
	map({ rows('sale', $_, 4000) } 1 .. 3));
does('a kept scan', $keep);
right_by('kept', 4, 0);

# ---- writes

does('writes of the table', rows('sale', 2, 600), "UPDATE sale SET amount = amount + 1 WHERE id % 10 = 3",
	'DELETE FROM sale WHERE id % 11 = 5');
right_by('written', 4, 0);
does('writes of leaves', rows('sale_3', 3, 500), 'UPDATE sale_2_few SET v = v + 100 WHERE id % 7 = 1',
	'DELETE FROM sale_3 WHERE id % 13 = 1', 'COPY sale_1 (id, account, at, amount, v) FROM STDIN;' . "\n"
		. join('', map { 100000 + $_ . "\t" . $_ % 5 . "\t2026-01-0" . (1 + $_ % 9) . "\t$_.5\t$_\n" } 1 .. 50) . '\.');
right_by('leaves written', 4, 0);
does('rows move to other leaves', "UPDATE sale SET at = at + interval '1 month' WHERE id % 9 = 2 AND at < '2026-03-01'",
	'UPDATE sale_2 SET account = (account + 2) % 5 WHERE id % 8 = 3');
right_by('moved', 4, 0);
does('a compaction', $compact);
right_by('compacted', 4, 0);
does('more of both', rows('sale', 3, 300), rows('sale_2_rest', 2, 1) =~ s/i % 5/4/r,
	"UPDATE sale SET at = at - interval '1 month' WHERE id % 9 = 2 AND at > '2026-03-01'");
right_by('written again', 4, 0);
is(asked($session, "SELECT scan_kept_check('sale_kept')"), '0', 'the nodes agree with the rows');
does('a transaction that is rolled back', 'BEGIN', rows('sale_3', 3, 50), 'SAVEPOINT s', 'DELETE FROM sale_1',
	'ROLLBACK TO s', 'DELETE FROM sale_2_few WHERE id % 3 = 0');
right_by('in a transaction', 4, 0);
does('rolled back', 'ROLLBACK');
right_by('rolled back', 4, 0);

# ---- functions that see some of the rows that a statement changes

does('a function that compares', q{CREATE FUNCTION seen() RETURNS bigint LANGUAGE plpgsql VOLATILE AS
	$$ BEGIN RETURN (SELECT n FROM sale_kept_total(3)) - (SELECT count(*) FROM sale WHERE account = 3); END $$});
foreach my $table ('sale', 'sale_3')
{
	my $mark = $id;
	does("INSERT into $table with it", rows($table, 3, 20) =~ s/i % 61/seen()/r,
		"UPDATE $table SET v = seen() WHERE account = 3 AND id % 50 = 1");
	is(asked($session, "SELECT count(*), min(v), max(v) FROM sale WHERE id BETWEEN $mark + 1 AND $mark + 20"), '20|0|0',
		"$table: the function sees the rows of its statement");
}
right_by('written by such statements', 4, 0);

# ---- partitions come and go

does('DETACH, with rows in the log', rows('sale', 3, 20), 'ALTER TABLE sale DETACH PARTITION sale_3');
right_by('detached', 3, 0);
does('written while detached', rows('sale_3', 3, 200), 'UPDATE sale_3 SET amount = amount * 2 WHERE id % 5 = 1');
does('ATTACH', 'ALTER TABLE sale ATTACH PARTITION ' . month('sale_3', 3));
right_by('attached again', 4, 1);
is(asked($session, "SELECT usable, reason, remedy FROM scan_kept"),
	"t|1 of its table's 4 leaf partitions are read by their rows|"
		. "CALL public.scan_kept_compact('public.sale_kept'::pg_catalog.text)",
	'scan_kept says so');
does('written while its rows are read', rows('sale_3', 3, 40), rows('sale', 3, 40));
right_by('attached and written', 4, 1);
is(asked($session, 'SELECT count(*) FROM sale_kept_log WHERE scan_leaf NOT IN (SELECT number FROM scan_kept_leaf)'),
	'0',
	'what changes in it is not logged');
does('adopted', $compact);
right_by('adopted', 4, 0);
is(asked($session, 'SELECT count(*), (SELECT reason FROM scan_kept) FROM scan_kept_leaf'), '4|',
	'nothing of its former life is left');
does('DETACH and ATTACH in a transaction', 'BEGIN', 'ALTER TABLE sale DETACH PARTITION sale_3',
	'DELETE FROM sale_3 WHERE id % 2 = 0', 'ALTER TABLE sale ATTACH PARTITION ' . month('sale_3', 3));
right_by('detached for a while', 4, 1);
does('a compaction in it', $compact);
right_by('not adopted in the transaction that made the trigger', 4, 1);
does('COMMIT', 'COMMIT', $compact);
right_by('adopted by the next one', 4, 0);
does('DETACH CONCURRENTLY', 'ALTER TABLE sale DETACH PARTITION sale_1 CONCURRENTLY');
right_by('detached concurrently', 3, 0);
does('a table with rows', 'ALTER TABLE sale ATTACH PARTITION ' . month('sale_1', 1), $compact);
right_by('attached and adopted', 4, 0);

does('TRUNCATE of a leaf that is undone', 'BEGIN', 'TRUNCATE sale_1');
right_by('truncated', 4, 1);
does('undone', 'ROLLBACK');
right_by('not truncated', 4, 0);
does('TRUNCATE, and TRUNCATE of the same storage', 'BEGIN', 'TRUNCATE sale_1', rows('sale', 1, 300), $compact,
	'TRUNCATE sale_1', rows('sale', 1, 30));
right_by('truncated twice in a transaction', 4, 1);
does('undone, too', 'ROLLBACK');
does('TRUNCATE of a leaf', 'TRUNCATE sale_1', rows('sale', 1, 700));
right_by('truncated and written', 4, 1);
does('compacted', $compact);
right_by('truncated and adopted', 4, 0);
does('a leaf that is made and truncated in one transaction', 'BEGIN', 'CREATE TABLE '
	. month('sale_4 PARTITION OF sale', 4),
	rows('sale', 4, 300), $compact, 'TRUNCATE sale_4', rows('sale', 4, 30), $compact, 'COMMIT');
# the bounds of the first query leave it out
right_by('made and truncated', 4, 0);
is(asked($session, "SELECT reason FROM scan_kept"), "1 of its table's 5 leaf partitions are read by their rows",
	'a new leaf is not adopted by the transaction that has made it');
does('adopted', $compact, rows('sale', 4, 30));
is(asked($session, "SELECT reason FROM scan_kept"), '', 'but by the next one');
right_by('with a new leaf', 4, 0);
does('DROP', 'DROP TABLE sale_1');
right_by('dropped', 3, 0);
does('what was dropped is forgotten', $compact);
is(asked($session, 'SELECT count(*) FROM scan_kept_leaf',
		'SELECT count(*) FROM sale_kept WHERE scan_leaf NOT IN (SELECT number FROM scan_kept_leaf)'), "4\n0",
	'and its nodes are deleted');
does('a partition of the same name', 'CREATE TABLE ' . month('sale_1 PARTITION OF sale', 1), rows('sale', 1,
	100), $compact);
right_by('made again', 4, 0);
does('VACUUM FULL', 'VACUUM FULL sale_1');
right_by('rewritten', 4, 1);
does('and adopted', $compact);
right_by('rewritten and adopted', 4, 0);
does('a default partition', 'CREATE TABLE sale_rest PARTITION OF sale DEFAULT', $compact,
	"INSERT INTO sale (id, account, at, amount, v) SELECT 200000 + i, i % 5, timestamptz '2026-05-01' + i * "
		. "interval '1 hour', "
		. "i, i FROM generate_series(1, 600) AS i");
right_by('with a default partition', 5, 0);
does('rows leave the default partition', 'BEGIN', 'CREATE TEMPORARY TABLE moving AS SELECT * FROM sale_rest',
	'DELETE FROM sale_rest', 'CREATE TABLE ' . month('sale_5 PARTITION OF sale', 5),
		'INSERT INTO sale SELECT * FROM moving',
	'COMMIT', 'DROP TABLE moving');
right_by('without rows in it', 5, 0);
does('a partition with partitions', "CREATE TABLE old (LIKE sale) PARTITION BY RANGE (at)",
	"CREATE TABLE old_6 PARTITION OF old FOR VALUES FROM ('2026-06-01') TO ('2026-06-15')",
	"CREATE TABLE old_7 PARTITION OF old FOR VALUES FROM ('2026-06-15') TO ('2026-07-01')", rows('old', 6, 900),
	'ALTER TABLE sale ATTACH PARTITION ' . month('old', 6));
right_by('attached', 5, 0);
is(asked($session, "SELECT reason FROM scan_kept"), "3 of its table's 9 leaf partitions are read by their rows",
	'as many leaves as it has');
does('adopted', $compact);
is(asked($session, "SELECT scan_kept_check('sale_kept'), (SELECT reason FROM scan_kept)"), '0|',
	'adopted, and the nodes agree with the rows');
does('TRUNCATE of the table', 'BEGIN', 'TRUNCATE sale', rows('sale', 2, 100));
right_by('truncated as a whole', 5, 5);
does('undone', 'ROLLBACK');
right_by('and back', 5, 0);

# ---- a snapshot of the transaction that builds nodes: it sees the rows, but not the nodes

my $cursor = "DECLARE c CURSOR FOR SELECT n FROM generate_series(1, 2) AS i, LATERAL sale_kept_total(i * 0 + 3)";
my $n = asked($session, 'SELECT count(*) FROM sale WHERE account = 3');
does('a leaf that is rewritten', 'VACUUM FULL sale_3');
is(asked($session, 'BEGIN', $cursor, 'FETCH c', $compact, 'FETCH c', 'COMMIT'), "$n\n$n",
	'a cursor that is older than an adoption by its transaction');
does('a disabled trigger', 'ALTER TABLE sale DISABLE TRIGGER scan_kept_sale_kept_rows',
	'DELETE FROM sale WHERE id % 19 = 0',
	'ALTER TABLE sale ENABLE ALWAYS TRIGGER scan_kept_sale_kept_rows');
$n = asked($session, 'SELECT count(*) FROM sale WHERE account = 3');
is(asked($session, 'BEGIN', $cursor, 'FETCH c', "SELECT FROM scan_kept_check('sale_kept')", 'FETCH c', 'COMMIT'),
	"$n\n\n$n" =~ s/\n\n/\n/r, 'and than a check that builds the tree anew');
right_by('built anew', 5, 0);

# ---- triggers

does('a clone is disabled', 'ALTER TABLE sale_3 DISABLE TRIGGER scan_kept_sale_kept_rows',
	'DELETE FROM sale_3 WHERE id % 6 = 0');
right_by('disabled', 5, 1);
does('a compaction does not adopt it', $compact);
right_by('still disabled', 5, 1);
does('enabled', 'ALTER TABLE sale_3 ENABLE ALWAYS TRIGGER scan_kept_sale_kept_rows');
right_by('enabled', 5, 1);
does('and adopted', $compact);
right_by('enabled and adopted', 5, 0);
does('disabled again', 'ALTER TABLE sale_3 DISABLE TRIGGER scan_kept_sale_kept_rows',
	'DELETE FROM sale_3 WHERE id % 6 = 1');
is(asked($session, "SELECT scan_kept_check('sale_kept')"), '0', 'a check enables it');
right_by('checked, and adopted', 5, 0);
does('the trigger of the table is disabled', 'ALTER TABLE sale DISABLE TRIGGER scan_kept_sale_kept_rows',
	'UPDATE sale SET v = v + 1 WHERE id % 4 = 0');
is(asked($session, 'SET scan.kept = force', "EXPLAIN (VERBOSE, COSTS OFF) $queries[0]", 'SET scan.kept = off')
	=~ /Not Used: (.*)/
	? $1 : '', 'sale_kept: its definition or its triggers were changed, dropped, disabled or restored from a dump',
	'nobody reads the kept scan');
asked($session, "SELECT scan_kept_check('sale_kept')");
does('checked', $compact);
right_by('in use again', 5, 0);

# ---- leaves that others may own, read or lose

does('an unlogged leaf', 'CREATE UNLOGGED TABLE ' . month('sale_7 PARTITION OF sale', 7), rows('sale', 7, 50),
	$compact);
is(asked($session, "SELECT reason FROM scan_kept"), "1 of its table's 10 leaf partitions are read by their rows",
	'an unlogged leaf is not adopted');
right_by('with an unlogged leaf', 5, 0);
does('logged', 'ALTER TABLE sale_7 SET LOGGED', $compact);
is(asked($session, "SELECT reason FROM scan_kept"), '', 'one that was made logged is');
foreach (
	[ 'row security', 'ALTER TABLE sale_3 ENABLE ROW LEVEL SECURITY', 'ALTER TABLE sale_3 DISABLE ROW LEVEL SECURITY',
		'partition "sale_3" has row security of its own' ],
	[ 'another owner', 'CREATE ROLE other', 'ALTER TABLE sale_3 OWNER TO other', 'ALTER TABLE sale_3 OWNER TO postgres',
		'partition "sale_3" has another owner' ],
	[ 'a foreign table', 'CREATE EXTENSION file_fdw', 'CREATE SERVER files FOREIGN DATA WRAPPER file_fdw',
		"CREATE FOREIGN TABLE sale_8 (id bigint NOT NULL, account int NOT NULL, at timestamptz NOT NULL, "
			. "amount numeric(12,2), "
			. "v int, note text) SERVER files OPTIONS (filename '/dev/null')",
		'ALTER TABLE sale ATTACH PARTITION ' . month('sale_8', 8), 'ALTER TABLE sale DETACH PARTITION sale_8',
		'partition "sale_8" is a foreign table' ])
{
	my ($what, @does) = @$_;
	my ($reason, $undo) = (pop @does, pop @does);
	does("a leaf with $what", @does);
	is(asked($session, 'SET scan.kept = force', "EXPLAIN (VERBOSE, COSTS OFF) $queries[0]", 'SET scan.kept = off')
			=~ /Not Used: (.*)/ ? $1 : '', "sale_kept: $reason", "$what: the reason");
	is(asked($session, 'SELECT usable, reason FROM scan_kept'), "f|$reason", "$what: scan_kept says so");
	is(asked($session, 'SELECT total FROM sale_kept_total(3)'), asked($session,
		'SELECT sum(amount) FROM sale WHERE account = 3'),
		"$what: the functions read the rows");
	does("$what: undone", $undo);
	right_by("without $what", 5, 0);
}
does('a foreign leaf', 'ALTER TABLE sale ATTACH PARTITION ' . month('sale_8', 8));
like(asked($session, $keep =~ s/sale_kept/other_kept/r) . $session->complaints,
	qr/cannot keep a scan of "sale": partition "sale_8" is a foreign table/, 'scan_keep() refuses a foreign leaf');
does('gone', 'ALTER TABLE sale DETACH PARTITION sale_8');

# ---- leaves that are renamed, that are not to be read, and that change while a reader or a compaction is at work

does('leaves swap their names', 'ALTER TABLE sale_1 RENAME TO swap', 'ALTER TABLE sale_3 RENAME TO sale_1',
	'ALTER TABLE swap RENAME TO sale_3');
right_by('renamed', 5, 0);
does('and back', 'ALTER TABLE sale_1 RENAME TO swap', 'ALTER TABLE sale_3 RENAME TO sale_1',
	'ALTER TABLE swap RENAME TO sale_3');
does('a leaf of another role that shows some of its rows', 'ALTER TABLE sale_3 OWNER TO other',
	'ALTER TABLE sale_3 ENABLE ROW LEVEL SECURITY', 'CREATE POLICY high ON sale_3 USING (v > 30)', 'VACUUM FULL sale_3',
	$compact);
does('of the owner again', 'ALTER TABLE sale_3 OWNER TO postgres', 'ALTER TABLE sale_3 DISABLE ROW LEVEL SECURITY',
	'DROP POLICY high ON sale_3');
right_by('not adopted meanwhile', 5, 1);
does('adopted, and rows for the next one', $compact, rows('sale_2', 2, 100));
my $other = session($server, 'public');
my $counted = 'SELECT sum(amount), count(*), max(v) FROM sale WHERE account = 3';
asked($session, 'SET scan.kept = force', "$counted AND at < '2026-02-20'");
asked($other, 'BEGIN', 'ALTER TABLE sale_2 DETACH PARTITION sale_2_few');
sent($session, $counted);
ok(waits($server, $session), 'a reader waits for a partition of a partition');
asked($other, 'COMMIT');
my ($got) = asked($session) =~ /(.*)$/;
is($got, asked($session, 'SET scan.kept = off', $counted), 'and reads the partitions that there are then');
does('attached again', 'ALTER TABLE sale_2 ATTACH PARTITION sale_2_few FOR VALUES IN (0, 1, 3)', $compact);
# Somebody who reads the tree keeps a rebuild from emptying it, so that its rows are deleted.  Then the build fails: the
# function is called for each row twice before, in the comparison, which finds a difference.
my $fails = q{FUNCTION fails(numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
	IF nextval('public.calls') > current_setting('x.calls')::bigint THEN RAISE 'fails'; END IF; RETURN $1 + };
does('a function that fails', 'CREATE SEQUENCE calls', 'SET x.calls = 1000000000', "CREATE ${fails}0; END \$\$",
	"SELECT scan_keep('fails_kept', 'SELECT sum(fails(amount)) OVER w AS total, count(*) OVER w AS n FROM sale "
		. "WINDOW w AS (PARTITION BY account ORDER BY at, id)')", "CREATE OR REPLACE ${fails}1; END \$\$",
	'SELECT FROM fails_kept_total(3)');
my $calls = asked($session, 'SELECT last_value + (SELECT count(*) FROM sale) + 100 FROM calls');
asked($other, 'SET x.calls = 1000000000', 'BEGIN', 'SELECT count(*) FROM fails_kept');
like(asked($session, "SET x.calls = $calls", "SELECT scan_kept_check('fails_kept')") . $session->complaints,
	qr/ERROR: .*fails/, 'a rebuild that fails');
asked($other, 'COMMIT');
does('writes after it', 'SET x.calls = 1000000000', rows('sale', 3, 40));
is(asked($session, 'SELECT n FROM fails_kept_total(3)'), asked($session, 'SELECT count(*) FROM sale WHERE account = 3'),
	'are logged');
is(asked($other, 'SELECT n FROM fails_kept_total(3)'), asked($other, 'SELECT count(*) FROM sale WHERE account = 3'),
	'and others see them');
does('no more of it', "SELECT scan_unkeep('fails_kept')");
right_by('afterwards', 5, 0);
$other->end;

# ---- queries of ONLY the table, and of a leaf

is(asked($session, 'SET scan.kept = force', 'SELECT count(*) FROM ONLY sale'), '0', 'ONLY the table has no rows');
is(asked($session, 'SELECT sum(amount), count(*) FROM sale_3 WHERE account = 3'),
	asked($session, 'SET scan.kept = off', 'SELECT sum(amount), count(*) FROM sale_3 WHERE account = 3'),
		'a leaf has its own');
like(asked($session, "SELECT scan_keep('x', 'SELECT count(*) OVER (ORDER BY at) FROM ONLY sale')")
	. $session->complaints,
	qr/cannot keep a scan of ONLY a partitioned table/, 'scan_keep() refuses ONLY');
like(asked($session, "SELECT scan_keep('x', 'SELECT count(sale) OVER (ORDER BY at) FROM sale')") . $session->complaints,
	qr/the definition has whole rows of a partitioned table/, 'and whole rows');
like(asked($session, 'REFRESH MATERIALIZED VIEW sale_kept') . $session->complaints,
	qr/the relations of kept scan "sale_kept" cannot be refreshed/, 'the tree cannot be refreshed');

# ---- the worker adopts small leaves

$server->lines('ALTER SYSTEM SET scan.kept_compact = auto; SELECT pg_reload_conf()');
asked($session, 'SET scan.kept_compact = auto');
does('a new partition', 'CREATE TABLE ' . month('sale_8 PARTITION OF sale', 8) =~ s/sale_8 /sale_9 /r,
	rows('sale', 8, 100));
ok($server->comes('SELECT bool_and(reason IS NULL) FROM scan_kept'), 'the worker has adopted it');
right_by('adopted by the worker', 5, 0);

# ---- the end

does('scan_unkeep()', "SELECT scan_unkeep('sale_kept')");
is(asked($session, 'SELECT count(*) FROM scan_kept_leaf',
	"SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'scan_kept%'"),
	"0\n0", 'nothing is left');
$session->end;
done_testing();
