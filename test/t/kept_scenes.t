# kept_scenes.t: kept scans in scenes of one session: the rows of a table,
# statements that read what they change, and who reads.
#
# Each scene could make a kept scan wrong.  It has a ledger of its own and compares the kept scans with plain queries,
# in one statement and so in one snapshot (Kept.pm).  kept_races.t has scenes of several sessions, kept_schema.t those
# in which triggers and definitions change, and kept_stress.t random writers.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;
use Kept;

my $server = Server->new('kept_scenes');

# ---- a ledger at rest

my $reader = scene($server, 'at rest');
right($reader, 'after the build', sample => 'NULL', accounts => 'all');
is_used($reader, 'after the build');
done($reader, @changes);
right($reader, 'after changes');
compact($reader);
right($reader, 'after the compaction', sample => 'NULL', accounts => 'all');
is_used($reader, 'after the compaction');
is($server->value("SELECT count(*) FROM $name.${name}_kept_log"), '0', 'the log is empty');
done($reader, "INSERT INTO payment (account, at, amount, v) SELECT i % 2, CASE WHEN i % 3 = 0 THEN '-infinity' WHEN i "
		. "% 3 = 1 THEN 'infinity' ELSE timestamptz '294276-12-31' END, money(), i FROM generate_series(1, 60) AS i");
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
done($reader, 'SET plan_cache_mode = force_generic_plan',
	"PREPARE p AS SELECT k::text FROM ${name}_kept_total(\$1) AS k", 'EXECUTE p(1)');

$reader = scene($server, 'infinite keys before the build', kept => 0);
done($reader, "INSERT INTO payment (account, at, amount) SELECT 0, at, 1 FROM (VALUES (timestamptz '-infinity'), "
		. "('infinity'), ('0001-01-01')) AS s(at), generate_series(1, 3)", keep(undef, $name));
right($reader, 'after the build');
cmp_ok($server->value("SELECT smallest FROM scan_kept_definition WHERE name = '${name}_kept'"), '<', 21,
	"$title: the buckets are as small as the other rows need");

# Aggregates without an inverse: a value that leaves makes its interval stale (src/kept/state.c).
$reader = scene($server, 'stale intervals', rows => 2000);
my $extremes = sub { my ($what) = @_; return right($reader, $what, accounts => 'VALUES (NULL::int)', sample => 40) };
my $count_stale = sub {
	my ($what) = @_;
	return $server->value("SELECT count(*) FROM $name.${name}_all$what WHERE scan_stale");
};
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
is(asked($writer, "SELECT low, high FROM ${name}_all_total()"), $low,
	"$title: an older snapshot sees the stale deltas");
done($writer, 'COMMIT');
done($reader, 'BEGIN', 'SAVEPOINT a', 'DELETE FROM payment WHERE v < 10');
$extremes->('in a savepoint');
done($reader, 'ROLLBACK TO a');
is(asked($reader, "SELECT low, high FROM ${name}_all_total()"), $low,
	"$title: a savepoint that was rolled back leaves the values");
done($reader, 'UPDATE payment SET id = id + 1000000 WHERE v < 6 AND id < 1000000');
$extremes->('moved to other intervals');
done($reader, "CALL scan_kept_compact('${name}_all')", 'UPDATE payment SET v = v + 1 WHERE v < 8');
$extremes->('after a compaction in the transaction');
done($reader, 'COMMIT', "CALL scan_kept_compact('${name}_all')");
$extremes->('committed');
done($reader, 'INSERT INTO payment (id, account, at, v, f) SELECT 5000000 + i, 0, moment(), -i, 1e40 * i '
		. 'FROM generate_series(1, 50) AS i', 'DELETE FROM payment WHERE v < -10');
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
is($server->value("SELECT count(*) FROM $name.${name}_all WHERE NOT scan_split OR scan_stale OR scan_rows <> 0"), '0',
	"$title: without rows no node has any");

# The least key there is, alone in the smallest interval there is.
{
	$title = 'the least key';
	$server->lines("CREATE TABLE least (k bigint NOT NULL, id int NOT NULL, v int, PRIMARY KEY (k, id)); "
		. "INSERT INTO least SELECT i % 4, i, i FROM generate_series(1, 1000) AS i; "
		. "SELECT scan_keep('least_kept', 'SELECT sum(v) OVER (ORDER BY k, id) AS total FROM least');"
		. 'INSERT INTO least SELECT k, i, i '
			. 'FROM unnest(ARRAY[-9223372036854775808, 9223372036854775807]) AS k, generate_series(1, 500) AS i;');
	foreach my $compacts (0, 1)
	{
		$server->lines("CALL scan_kept_compact('least_kept')") if $compacts;
		is(join("\n", $server->lines("SELECT k, id, total, plain FROM (SELECT k, id, sum(v) OVER (ORDER BY k, "
					. "id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS plain FROM least) AS s, "
					. "least_kept_before(k, id) WHERE id % 100 = 1 AND total IS DISTINCT FROM plain")), '',
			"$title: before a row" . ' after a compaction' x $compacts);
		is(join("\n", $server->lines("SELECT k, total, plain FROM (SELECT k, (SELECT sum(v) FROM least AS l "
					. "WHERE l.k < b.k) AS plain FROM unnest(ARRAY[-9223372036854775808, -9223372036854775807, "
					. "9223372036854775807]) AS b(k)) AS s, least_kept_before(k) WHERE total IS DISTINCT FROM plain")),
			'', "$title: before a key" . ' after a compaction' x $compacts);
	}
}

# ---- statements that read what they change

my $checks = 'CREATE TABLE seen (place text, bad bigint, example text);
CREATE FUNCTION look(place text, a int) RETURNS int LANGUAGE plpgsql VOLATILE AS $$BEGIN
	INSERT INTO seen SELECT place, sum(bad), max(example) FROM compare(a, 1); RETURN a; END $$;
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$DECLARE r record; BEGIN
	PERFORM look(format(\'%s %s %s %s %s\', TG_NAME, TG_TABLE_NAME, TG_WHEN, TG_LEVEL, TG_OP), 0);
	PERFORM look(format(\'%s %s %s %s %s\', TG_NAME, TG_TABLE_NAME, TG_WHEN, TG_LEVEL, TG_OP), NULL);
	IF TG_OP = \'DELETE\' THEN RETURN old; END IF; RETURN new; END $$;';
sub looked
{
	my ($what, $least) = @_;
	is(join("\n", $server->lines("SELECT place || ': ' || example FROM $name.seen WHERE bad > 0")), '',
		"$title: $what");
	cmp_ok($server->value("SELECT count(*) FROM $name.seen"), '>=', $least, "$title: $what, and it has been looked");
	return;
}

foreach my $when ('BEFORE', 'AFTER')
{
	# those of the names come before and after the kept scan's own
	my @names = $when eq 'AFTER' ? ('a', 'z') : 'a';
	$reader = scene($server, "triggers $when");
	done($reader, $checks);
	done($reader,
		"CREATE TRIGGER ${_}_each $when INSERT OR UPDATE OR DELETE ON payment FOR EACH ROW EXECUTE FUNCTION look()",
		"CREATE TRIGGER ${_}_all $when "
			. "INSERT OR UPDATE OR DELETE ON payment FOR EACH STATEMENT EXECUTE FUNCTION look()") for @names;
	done($reader, $_) for @few;
	looked('reads in them', 30 * @names);
	done($reader, "SET session_replication_role = replica",
		map({ "ALTER TABLE payment ENABLE ALWAYS TRIGGER ${_}_each" } @names), 'TRUNCATE seen', @few);
	looked('reads in them on a replica', 20 * @names);
	right($reader, 'after the statements');
}

$reader = scene($server, 'functions called by the statement');
done($reader, $checks, "ALTER TABLE payment ALTER note SET DEFAULT look('a default', 0)");
done($reader, @few);
done($reader,
	"INSERT INTO payment (account, at, v) SELECT look('select list', 0), moment(), i FROM generate_series(1, 3) AS i",
	"UPDATE payment SET v = look('set', 0) WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 3)",
	"DELETE FROM payment WHERE account = 0 AND id % 50 = 3 AND look('where', 0) = 0",
	"WITH i AS (INSERT INTO payment (account, at, v) SELECT 0, moment(), i "
		. "FROM generate_series(1, 3) AS i RETURNING look('returning', account)) SELECT look('beside a CTE', 0) FROM i",
	"WITH d AS (DELETE FROM payment WHERE account = 0 AND id % 50 = 7 RETURNING id) "
		. "SELECT sum(bad) FROM d, compare(0, 4)",
	"DO \$\$DECLARE r record; BEGIN FOR r IN INSERT INTO payment (account, at, v) SELECT 0, moment(), i "
		. "FROM generate_series(1, 3) AS i RETURNING id LOOP PERFORM look('loop', 0); END LOOP; END \$\$",
	"DO \$\$BEGIN INSERT INTO payment (account, at, v) "
		. "SELECT look('before an error', 0), moment(), 1 / (3 - i) FROM generate_series(1, 3) AS i; "
		. "EXCEPTION WHEN division_by_zero THEN PERFORM look('after an error', 0); END \$\$");
looked('reads in them', 20);
is(asked($reader, "INSERT INTO payment (account, at, v) SELECT look('before an error', 0), moment(), 1 / (3 - i) "
			. "FROM generate_series(1, 3) AS i"), 'ERROR 22012', "$title: an error");
right($reader, 'after the statements');
is_used($reader, 'after an error');

$reader = scene($server, 'foreign keys');
done($reader, $checks, 'CREATE TRIGGER zz AFTER UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION look()',
	'CREATE TRIGGER zz AFTER UPDATE OR DELETE ON payment FOR EACH ROW EXECUTE FUNCTION look()',
	'CREATE TRIGGER zz_all AFTER UPDATE OR DELETE ON account FOR EACH STATEMENT EXECUTE FUNCTION look()',
	'INSERT INTO payment (account, at, v) SELECT 7, moment(), i FROM generate_series(1, 4) AS i');
done($reader, 'UPDATE account SET id = 17 WHERE id = 7', 'UPDATE account SET id = 7 WHERE id = 17',
	'DELETE FROM account WHERE id = 7', 'ALTER TABLE payment DISABLE TRIGGER zz',
	'UPDATE account SET id = 20 WHERE id = 0', 'INSERT INTO account VALUES (0)',
	'UPDATE payment SET account = 0 WHERE account = 20 AND id % 2 = 0', 'DELETE FROM account WHERE id IN (20, 2)');
looked('reads in triggers of both tables', 10);
right($reader, 'after the cascades', accounts => 'all');
done($reader, 'ALTER TABLE payment ENABLE TRIGGER zz', 'SET session_replication_role = replica',
	'DELETE FROM account WHERE id = 3', 'SET session_replication_role = origin');
right($reader, 'after a cascade that a replica leaves out', accounts => 'all');

$reader = scene($server, 'TRUNCATE with triggers');
done($reader, $checks, 'CREATE TRIGGER a BEFORE TRUNCATE ON payment EXECUTE FUNCTION look()',
	'CREATE TRIGGER a_after AFTER TRUNCATE ON payment EXECUTE FUNCTION look()',
	'CREATE TRIGGER z_after AFTER TRUNCATE ON payment EXECUTE FUNCTION look()',
	'CREATE TRIGGER a_after AFTER TRUNCATE ON account EXECUTE FUNCTION look()', 'TRUNCATE account CASCADE',
	'INSERT INTO account SELECT i FROM generate_series(0, 9) AS i', 'SELECT fill(300)', 'TRUNCATE payment',
	'SELECT fill(300)');
looked('reads in them', 10);
right($reader, 'after it');
done($reader, 'SET session_replication_role = replica', 'TRUNCATE payment', 'SELECT fill(30)',
	'RESET session_replication_role');
right($reader, 'on a replica');

# A cursor's snapshot is that of the moment when it was opened.
$reader = scene($server, 'cursors opened inside of a statement');
done($reader, 'CREATE FUNCTION opens() RETURNS trigger LANGUAGE plpgsql AS $$DECLARE c refcursor; BEGIN
	c := TG_NAME || \'_\' || TG_OP || \'_\' || TG_TABLE_NAME || coalesce((SELECT count(*) FROM pg_cursors), 0);
	OPEN c FOR SELECT a.a, c.* FROM generate_series(0, 2) AS a, compare(a.a) AS c WHERE bad > 0;
	RETURN NULL; END $$',
	(map { ("CREATE TRIGGER ${_}_each AFTER INSERT OR UPDATE OR DELETE ON payment FOR "
			. "EACH ROW EXECUTE FUNCTION opens()", "CREATE TRIGGER ${_}_all AFTER "
				. "INSERT OR UPDATE OR DELETE ON payment FOR EACH STATEMENT EXECUTE FUNCTION opens()") } 'a', 'z'),
	'CREATE TRIGGER zz AFTER UPDATE OR DELETE ON account FOR EACH ROW EXECUTE FUNCTION opens()',
	'BEGIN', @few, 'INSERT INTO payment (account, at, v) SELECT 7, moment(), i FROM generate_series(1, 2) AS i',
	'UPDATE account SET id = 17 WHERE id = 7', 'DELETE FROM account WHERE id = 17');
my @cursors = split /\n/, asked($reader, 'SELECT name FROM pg_cursors ORDER BY creation_time');
cmp_ok(scalar @cursors, '>', 40, "$title: there are some");
is(join("\n", map { s/\n.*//sr } grep { $_ ne '' } map {
	my $out = asked($reader, "FETCH ALL FROM \"$_\"");
	$out eq '' ? '' : "$_: $out"
} @cursors), '', "$title: no difference later");
done($reader, 'COMMIT');

$reader = scene($server, 'a constraint trigger at the end of the transaction');
done($reader, $checks, 'CREATE CONSTRAINT TRIGGER late AFTER '
		. 'INSERT OR UPDATE OR DELETE ON payment DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION look()',
	'BEGIN', @few, 'COMMIT', 'BEGIN', @few, 'SET CONSTRAINTS ALL IMMEDIATE', 'COMMIT');
looked('reads in it', 20);

# The library is loaded by the first call of one of its functions.
foreach my $first ('', 'BEGIN; INSERT INTO account VALUES (100);')
{
	$reader = scene($server, 'a session without the library' . ($first ? ', in a transaction' : ''));
	done($reader, $checks);
	my $cold = session($server, $name, cold => 1);
	done($cold, $first . "INSERT INTO payment (account, at, v) SELECT look('select list', 0), moment(), i "
			. "FROM generate_series(1, 5) AS i");
	done($cold, 'COMMIT') if $first;
	looked('reads in its first statement', 5);
	right($cold, 'later');
	is_used($cold, 'later');
}

# ---- readers

my $user = "scan_kept_reader_$$";
$reader = scene($server, 'grants and policies');
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
done($writer, "GRANT SELECT ON payment TO $user", 'ALTER TABLE payment ENABLE ROW LEVEL SECURITY',
	"CREATE POLICY odd ON payment FOR SELECT TO $user USING (id % 2 = 1)");
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

$reader = scene($server, 'a hostile search_path');
done($reader, 'CREATE SCHEMA hostile', map({
	my ($type, $operator) = @$_;
	my $f = 'o' . unpack('H*', $operator);
	("CREATE FUNCTION hostile.$f($type, $type) RETURNS boolean LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION 'called'; "
		. "END \$\$", "CREATE OPERATOR hostile.$operator (LEFTARG = $type, RIGHTARG = $type, FUNCTION = hostile.$f)")
}
		map({
			my $type = $_;
			map { [ $type, $_ ] } '=', '<', '>=', '<='
		} 'int', 'bigint', 'timestamptz', 'oid', 'text', 'name')),
	map({ "CREATE FUNCTION hostile.$_ LANGUAGE plpgsql AS \$\$BEGIN RAISE EXCEPTION 'called'; END \$\$" }
		'concat(text, text) RETURNS text', 'starts_with(name, text) RETURNS boolean'),
	map { "CREATE TABLE hostile.$_ ()" } 'pg_class', 'pg_proc', 'pg_trigger', 'scan_kept_definition', "${name}_kept",
	"${name}_kept_log", 'payment');
{
	my $hostile = session($server, $name);
	done($hostile, "SET search_path = hostile, $name, public, pg_catalog");
	is(asked($hostile, "SELECT 1 WHERE 1 = 1"), 'ERROR P0001', "$title: it is hostile");
	my @read = map { asked($_, "SELECT k::text FROM $name.${name}_kept_total(0) AS k",
			"SELECT k::text FROM $name.${name}_kept_before(0, '2026-02-01', 5) AS k",
			"SELECT k::text FROM $name.${name}_kept_between(0, '2026-02-01', '2026-03-01') AS k",
			"SELECT count(k::text) FROM $name.${name}_kept_last(0, 5) AS k",
			"SELECT usable FROM public.scan_kept WHERE name OPERATOR(pg_catalog.=) '${name}_kept'") } $reader, $hostile;
	is($read[1], $read[0], "$title: the same results");
	done($hostile, "INSERT INTO $name.payment (account, at, v, amount) SELECT 0, '2026-01-01', i, i "
			. "FROM generate_series(1, 300) AS i", "CALL scan_kept_compact('${name}_kept')");
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

$reader = scene($server, 'LATERAL');
foreach my $mode ('force_custom_plan', 'force_generic_plan')
{
	done($reader, "SET plan_cache_mode = $mode",
		"PREPARE parts(int, timestamptz) AS SELECT count(*), count(*) FILTER (WHERE b::text IS DISTINCT FROM p) "
			. "FROM (SELECT id FROM account UNION ALL VALUES (NULL), (-1)) AS a(id) LEFT JOIN LATERAL (SELECT at "
			. "FROM payment WHERE account = a.id AND id % 3 = \$1 ORDER BY at LIMIT 20) AS r ON true "
			. "LEFT JOIN LATERAL ${name}_kept_between(a.id, \$2, r.at) AS b ON true LEFT JOIN LATERAL plain_kept(a.id, "
			. "\$2, r.at) AS p ON r.at IS NOT NULL AND \$2 IS NOT NULL WHERE r.at IS NOT NULL");
	foreach my $from ("'-infinity'", "'2026-01-15'", "'2026-01-15 03:04:05.678'")
	{
		my ($n, $bad) = split /\|/, asked($reader, "EXECUTE parts(1, $from)");
		cmp_ok($n, '>', 40, "$title: there are rows from $from, $mode");
		is($bad, '0', "$title: no difference from $from, $mode");
	}
	is(asked($reader, "SELECT count(*) FROM account AS a LEFT JOIN LATERAL ${name}_kept_total(CASE WHEN a.id > 3 "
				. "THEN a.id END) AS t ON t.n > 0"), '10', "$title: a partition that is NULL, $mode");
	done($reader, 'DEALLOCATE parts');
}

# Text that takes 100 kB, which an index has compressed; what does not fit in an index is an error of the writer.
$title = 'wide partitions';
$server->lines("CREATE TABLE wide (p text, at int NOT NULL, v int); SELECT scan_keep('wide_kept', 'SELECT sum(v) "
	. "OVER (PARTITION BY p ORDER BY at) AS total, count(*) OVER (PARTITION BY p ORDER BY at) AS n FROM wide');"
	. "INSERT INTO wide SELECT repeat(chr(97 + i % 3), 100000) || i % 2, i, i FROM generate_series(1, 1500) AS i; "
		. "INSERT INTO wide SELECT NULL, i, i FROM generate_series(1, 300) AS i");
foreach my $what ('logged', 'compacted', 'changed', 'changed and compacted')
{
	$server->lines("UPDATE wide SET v = v + 1, at = at + 1 WHERE at % 7 = 0; UPDATE wide SET p = repeat('z', 100000) "
		. "WHERE at % 50 = 0; DELETE FROM wide WHERE at % 41 = 0") if $what eq 'changed';
	$server->lines("CALL scan_kept_compact('wide_kept')") if $what =~ /compacted/;
	is($server->value("SELECT count(*) FROM (SELECT p, sum(v) AS total, count(*) AS n FROM wide GROUP BY p) AS w, "
			. "wide_kept_total(w.p) AS k WHERE (w.total, w.n) IS DISTINCT FROM (k.total, k.n)"), '0', "$title: $what");
}
$server->lines("CREATE FUNCTION random_text() RETURNS text "
	. "LANGUAGE sql VOLATILE AS 'SELECT string_agg(md5(random()::text), NULL) FROM generate_series(1, 3000)'");
# The first statement of a session loads the library, so its changes are written at the end of the transaction; core
# fetches no value from a TOAST table there unless a snapshot is active.
$server->lines("CREATE TABLE outside (p text, at int NOT NULL, v int, q text); "
	. "ALTER TABLE outside ALTER p SET STORAGE EXTERNAL, ALTER q SET STORAGE EXTERNAL;"
	. "SELECT scan_keep('outside_kept', 'SELECT sum(v) OVER (PARTITION BY p ORDER BY at) AS total FROM outside')");
foreach my $first (
	"INSERT INTO outside SELECT left(random_text(), 2500), i, i, random_text() FROM generate_series(1, 20) AS i",
	'UPDATE outside SET p = reverse(p) WHERE at < 9', 'DELETE FROM outside WHERE at % 3 = 0')
{
	is(($server->run($first))[1], '', "$title: first in its session, $first");
	is($server->value("SELECT count(*) FROM outside AS o, outside_kept_total(o.p) AS k "
			. "WHERE o.v IS DISTINCT FROM k.total"), '0', "$title: and right");
}
like(($server->run("INSERT INTO wide SELECT random_text(), 1, 1"))[1], qr/index row (?:size|requires)/,
	"$title: too wide for an index");
is($server->value("SELECT total FROM wide_kept_total('none')"), undef, "$title: a partition without rows");

# ---- without the extension

$reader = scene($server, 'DROP EXTENSION ... CASCADE');
done($reader, 'SET client_min_messages = error', 'DROP EXTENSION scan CASCADE', @changes, @few);

done_testing();
