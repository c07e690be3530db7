# Kept.pm: a ledger with kept scans, and the comparison of them with plain queries, for the tests kept_*.t.
#
# A ledger is a schema with the tables account and payment and two kept scans of payment.  Its function compare() reads
# them and the plain window or aggregate in one statement, hence in one snapshot, and compares the texts of the results.
# A scene is a part of a test with a ledger of its own.  It sets $title, which begins the names of its tests, and $name,
# the ledger's schema, by which right(), is_used() and the others find the kept scans.
package Kept;

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep time);
use Session;
use Exporter 'import';

our @EXPORT = qw(damage_function ledger keep session asked sent waits compared used scene right done is_used is_unused
	compact days_right $name $title $days @changes @few);

our ($name, $title);
my $scratch = File::Temp->newdir;
my $scenes = 0;

# Some changes of all kinds.
our @changes = ('SELECT fill(40)', 'UPDATE payment SET amount = amount + 0.125, v = v + 1 WHERE id % 7 = 0',
	'UPDATE payment SET at = at + interval \'10 days\' WHERE id % 11 = 0',
	'UPDATE payment SET account = (account + 1) % 5 WHERE id % 13 = 0', 'DELETE FROM payment WHERE id % 17 = 0');
# Changes of a few rows, by each statement that changes a table.
our @few = ("INSERT INTO payment (account, at, v) SELECT 0, moment(), i FROM generate_series(1, 3) AS i",
	'UPDATE payment SET v = v + 1 WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 3)',
	'UPDATE payment SET account = 0 WHERE id IN (SELECT id FROM payment WHERE account = 1 LIMIT 3)',
	'DELETE FROM payment WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 3)',
	"COPY payment (account, at, v) FROM STDIN;\n0\t2026-02-01\t7\n0\t2026-03-01\t9\n\\.",
	"INSERT INTO payment (id, account, at, v) SELECT max(id) + i * 1000000, 0, moment(), i FROM payment, "
		. "generate_series(0, 1) AS i GROUP BY i ON CONFLICT (id) DO UPDATE SET v = payment.v + 1, account = 0",
	"MERGE INTO payment AS p USING (SELECT id FROM payment WHERE account = 0 ORDER BY id LIMIT 4) AS s ON p.id = s.id "
		. "WHEN MATCHED AND p.id % 2 = 0 THEN UPDATE SET at = p.at + interval '1 day' WHEN MATCHED THEN DELETE",
	"WITH d AS (DELETE FROM payment WHERE id IN (SELECT id FROM payment WHERE account = 0 LIMIT 2) RETURNING *) "
		. "INSERT INTO payment (account, at, v) SELECT 0, at, v FROM d");

# What a ledger's payment is kept for.  The second kept scan has no partition, and aggregates without an inverse.
my $kept = "SELECT sum(amount) OVER w AS total, count(*) OVER w AS n, avg(v) OVER w AS mean, "
	. "exact_sum(f) FILTER (WHERE v > 20) OVER w AS exact, bit_xor(v) OVER w AS bits, bool_or(v > 70) OVER w AS big, "
	. "scan_sum(v) OVER w AS sum, stddev(amount) OVER w AS spread FROM payment WHERE status = 'posted' "
	. "WINDOW w AS (PARTITION BY account ORDER BY at, id)";
my $all = "SELECT count(*) OVER w AS n, sum(v) OVER w AS sum, "
	. "avg(amount) FILTER (WHERE status <> 'open') OVER w AS mean, min(v) OVER w AS low, max(f) OVER w AS high, "
	. "bit_or(v) FILTER (WHERE status <> 'open') OVER w AS bits, max(at) OVER w AS latest, "
	. "exact_var_pop(v) FILTER (WHERE status <> 'open') OVER w AS spread FROM payment WINDOW w AS (ORDER BY id)";

# The same aggregates, as a row's text.
my $plain_kept = "ROW(sum(amount) FILTER (WHERE status = 'posted') W, count(*) FILTER (WHERE status = 'posted') W, "
	. "avg(v) FILTER (WHERE status = 'posted') W, exact_sum(f) FILTER (WHERE status = 'posted' AND v > 20) W, "
	. "bit_xor(v) FILTER (WHERE status = 'posted') W, bool_or(v > 70) FILTER (WHERE status = 'posted') W, "
	. "sum(v) FILTER (WHERE status = 'posted') W, stddev(amount) FILTER (WHERE status = 'posted') W)::text";
my $plain_all = "ROW(count(*) W, sum(v) W, avg(amount) FILTER (WHERE status <> 'open') W, min(v) W, max(f) W, "
	. "bit_or(v) FILTER (WHERE status <> 'open') W, max(at) W, var_pop(v) FILTER (WHERE status <> 'open') W)::text";
sub over { return $_[0] =~ s/ W/ OVER w/gr }
sub whole { return $_[0] =~ s/ W//gr }

# The cells of some accounts and each day by a plain query, beside one that no kept scan answers.  It prints what
# compare() does; scan.kept = check compares trees and labels once more.  Accounts are named so that the tree is read,
# however few rows others have.
our $days = <<'SQL';
WITH k AS (SELECT account, date_trunc('day', at AT TIME ZONE 'Europe/Berlin') AS d, ROW(sum(amount), count(*), avg(v),
  bit_xor(v), stddev(amount), exact_sum(f) FILTER (WHERE v > 20), count(*) FILTER (WHERE account > 2))::text AS r
  FROM payment WHERE status = 'posted' AND account IN (0, 1, 2, 3) GROUP BY 1, 2),
p AS (SELECT account, date_trunc('day', at AT TIME ZONE 'Europe/Berlin') AS d, ROW(sum(amount + 0), count(*),
  avg(v + 0), bit_xor(v + 0), stddev(amount + 0), exact_sum(f + 0) FILTER (WHERE v > 20),
  count(*) FILTER (WHERE account > 2))::text AS r
  FROM payment WHERE status = 'posted' AND account IN (0, 1, 2, 3) GROUP BY 1, 2)
SELECT 'days', count(*), count(*) FILTER (WHERE k.r IS DISTINCT FROM p.r),
  min(format('%s %s: plain %s, kept %s', p, k, p.r, k.r)) FILTER (WHERE k.r IS DISTINCT FROM p.r)
FROM k FULL JOIN p ON k.account = p.account AND k.d = p.d
SQL
$days =~ s/\s+/ /g;

# Scripts begin with this; the comparisons are with core's windows.
sub _path
{
	return "LOAD 'scan'; SET search_path = $_[0], public; SET scan.prefixscan = off; SET scan.kept = off; "
		. "SET check_function_bodies = off;";
}

# Creates the functions of damage.c.
sub damage_function
{
	my ($server) = @_;
	chomp(my $includedir = qx{${\($ENV{PG_CONFIG} // 'pg_config')} --includedir-server});
	my $folder = File::Temp::tempdir('scanXXXXXX', DIR => '/tmp', CLEANUP => 1);

	chmod 0755, $folder;
	die 'damage.c does not compile' if system(($ENV{CC} // 'gcc') . " -shared -fPIC -Wall -I'$includedir' "
			. "-I/usr/include/postgresql/internal -o '$folder/damage.so' '$FindBin::Bin/damage.c'");
	$server->lines("CREATE FUNCTION public.damage(regclass, text, bigint) RETURNS bigint "
		. "LANGUAGE C AS '$folder/damage', 'damage'; CREATE FUNCTION public.run_limited(text, bigint) RETURNS bigint "
		. "LANGUAGE C AS '$folder/damage', 'run_limited'");
	return;
}

# The leaf partitions of a ledger's payment: one of them has its columns in another order, two lie below a partition.
my $leaves = <<'SQL';
CREATE TABLE payment_first PARTITION OF payment FOR VALUES FROM (1) TO (200);
CREATE TABLE payment_second PARTITION OF payment FOR VALUES FROM (200) TO (500) PARTITION BY HASH (id);
CREATE TABLE payment_even PARTITION OF payment_second FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE payment_odd PARTITION OF payment_second FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE payment_third (gone int, note text, v int, f float8, status text NOT NULL DEFAULT 'posted',
  account int NOT NULL, amount numeric, id bigint NOT NULL, at timestamptz NOT NULL);
ALTER TABLE payment_third DROP COLUMN gone;
ALTER TABLE payment ATTACH PARTITION payment_third FOR VALUES FROM (500) TO (900);
CREATE TABLE payment_rest PARTITION OF payment DEFAULT;
SQL

# Makes a ledger of some rows in a schema, with its scans kept unless `kept` is 0.  SCAN_TEST_PARTITIONED=1 lets all of
# them be partitioned.
sub ledger
{
	my ($server, $name, %option) = @_;
	my $rows = $option{rows} // 600;
	my ($over_kept, $over_all, $whole_kept, $whole_all) = (over($plain_kept), over($plain_all), whole($plain_kept),
		whole($plain_all));
	my ($by, $leaves) = $option{partitioned} // $ENV{SCAN_TEST_PARTITIONED} ? (' PARTITION BY RANGE (id)',
		$leaves) : ('') x 2;
	my $read_kept = sub { "(SELECT k::text FROM ${name}_kept_$_[0] AS k)" };
	my $read_all = sub { "(SELECT k::text FROM ${name}_all_$_[0] AS k)" };

	$server->lines("CREATE SCHEMA $name;" . _path($name) . <<"SQL");
CREATE TABLE account (id int PRIMARY KEY, note text);
CREATE TABLE payment (id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  account int NOT NULL REFERENCES account ON UPDATE CASCADE ON DELETE CASCADE,
	at timestamptz NOT NULL, amount numeric, v int, f float8, status text NOT NULL DEFAULT 'posted', note text)$by;
$leaves
CREATE INDEX payment_order ON payment (account, at, id);
INSERT INTO account SELECT i FROM generate_series(0, 9) AS i;
-- amounts of many display scales, and a few that are special or NULL
CREATE FUNCTION money() RETURNS numeric LANGUAGE sql VOLATILE SET search_path = $name
  AS \$\$SELECT CASE WHEN r < 0.005 THEN 'NaN' WHEN r < 0.01 THEN 'Infinity' WHEN r < 0.015 THEN '-Infinity'
	WHEN r < 0.03 THEN NULL WHEN r < 0.05 THEN (random() * 1e25)::numeric
	ELSE round((random() * 2000 - 1000)::numeric, (random() * 6)::int) END FROM random() AS r\$\$;
CREATE FUNCTION number() RETURNS float8 LANGUAGE sql VOLATILE AS \$\$SELECT CASE WHEN r < 0.01 THEN 'NaN' WHEN r < 0.015
  THEN 'Infinity' WHEN r < 0.03 THEN NULL WHEN r < 0.1 THEN r * 1e30 ELSE r * 1e3 END FROM random() AS r\$\$;
-- half of the moments are shared by some rows
CREATE FUNCTION moment() RETURNS timestamptz LANGUAGE sql VOLATILE
  AS \$\$SELECT CASE WHEN r < 0.5 THEN date_trunc('hour', timestamptz '2026-01-01' + random() * interval '100 days')
  ELSE timestamptz '2025-01-01' + random() * interval '500 days' END FROM random() AS r\$\$;
CREATE FUNCTION status() RETURNS text
  LANGUAGE sql VOLATILE AS \$\$SELECT CASE WHEN random() < 0.2 THEN 'open' ELSE 'posted' END\$\$;
CREATE FUNCTION fill(rows int) RETURNS void LANGUAGE sql VOLATILE SET search_path = $name AS
\$\$INSERT INTO payment (account, at, amount, v, f, status)
  SELECT CASE WHEN i % 2 = 0 THEN 0 ELSE i % 5 END, moment(), money(), i % 77, number(), status()
  FROM generate_series(1, rows) AS i\$\$;
SELECT setseed(0.5);
SELECT fill($rows);

-- the plain aggregates of an account, from one key up to another key, or up to a row
CREATE FUNCTION plain_kept(a int, low timestamptz, high timestamptz, last bigint DEFAULT NULL) RETURNS text
  LANGUAGE sql STABLE AS
\$\$SELECT $whole_kept FROM payment WHERE account = a AND (low IS NULL OR at >= low)
  AND (high IS NULL OR at < high OR (at = high AND id < last))\$\$;
CREATE FUNCTION plain_all(low bigint, high bigint) RETURNS text LANGUAGE sql STABLE AS
\$\$SELECT $whole_all FROM payment WHERE (low IS NULL OR id >= low) AND (high IS NULL OR id < high)\$\$;

-- all comparisons of an account, at a sample of its rows; sample NULL: at all of them.  A snapshot may have two
-- rows with one id: a row that another transaction deletes, and the one that this transaction has inserted since.
-- Hence GROUPS, not ROWS.
CREATE FUNCTION comparisons(a int, sample int) RETURNS TABLE (kind text, point text, plain text, kept text)
  LANGUAGE sql STABLE AS \$\$
WITH s AS (SELECT * FROM (SELECT at, id, $over_kept AS plain FROM payment WHERE account = a
	WINDOW w AS (PARTITION BY account ORDER BY at, id GROUPS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS s
	WHERE at IS NOT NULL ORDER BY CASE WHEN sample IS NULL THEN 0 ELSE random() END LIMIT sample),
few AS (SELECT * FROM s LIMIT 2)
SELECT 'before a row', at || ' ' || id, plain, ${\$read_kept->('before(a, at, id)')} FROM s
UNION ALL SELECT 'before a key', at::text, plain_kept(a, NULL, at), ${\$read_kept->('before(a, at)')} FROM few
UNION ALL SELECT 'before an odd row', at || ' 1000', plain_kept(a, NULL, at, 1000),
  ${\$read_kept->('before(a, at, 1000)')} FROM (SELECT at + interval '1 us' AS at FROM few
  UNION ALL SELECT odd::timestamptz FROM unnest('{-infinity, infinity, 1900-01-01, 2100-01-01}'::text[]) AS odd) AS f
UNION ALL SELECT 'between', low || ' ' || high, plain_kept(a, low, high), ${\$read_kept->('between(a, low, high)')}
  FROM (SELECT lag(at, 1, '-infinity') OVER (ORDER BY at) AS low, at AS high FROM few
  UNION ALL VALUES (timestamptz '2026-02-01', timestamptz '2026-03-01'), ('-infinity', 'infinity')) AS f
UNION ALL SELECT 'total', '', plain_kept(a, NULL, NULL), ${\$read_kept->('total(a)')}
UNION ALL SELECT 'last', '', (SELECT string_agg(id || plain, ' ' ORDER BY at DESC, id DESC)
  FROM (SELECT at, id, $over_kept AS plain FROM payment WHERE account = a AND status = 'posted'
  WINDOW w AS (PARTITION BY account ORDER BY at, id) ORDER BY at DESC, id DESC LIMIT 5) AS s),
	(SELECT string_agg(id || ROW(total, n, mean, exact, bits, big, sum, spread)::text, ' ' ORDER BY at DESC, id DESC)
	  FROM ${name}_kept_last(a, 5))
\$\$;
CREATE FUNCTION comparisons_of_all(sample int) RETURNS TABLE (kind text, point text, plain text, kept text)
  LANGUAGE sql STABLE AS \$\$
WITH s AS (SELECT * FROM (SELECT id, $over_all AS plain FROM payment WINDOW w AS (ORDER BY id GROUPS BETWEEN UNBOUNDED
  PRECEDING AND 1 PRECEDING)) AS s ORDER BY CASE WHEN sample IS NULL THEN 0 ELSE random() END LIMIT sample)
SELECT 'before a row of all', id::text, plain, ${\$read_all->('before(id)')} FROM s
UNION ALL SELECT 'between of all', low || ' ' || high, plain_all(low, high), ${\$read_all->('between(low, high)')}
  FROM (SELECT min(id) AS low, max(id) AS high FROM (SELECT id FROM s LIMIT 2) AS f) AS f
UNION ALL SELECT 'total of all', '', plain_all(NULL, NULL), ${\$read_all->('total()')}
\$\$;
-- how many of these there are of each kind, how many differ, and one that does; a NULL: the scan without a partition
CREATE FUNCTION compare(a int, sample int DEFAULT 8) RETURNS TABLE (kind text, n bigint, bad bigint, example text)
  LANGUAGE plpgsql STABLE AS \$\$
BEGIN
	RETURN QUERY SELECT c.kind, count(*), count(*) FILTER (WHERE plain IS DISTINCT FROM kept),
	  min(format('account %s, %s: plain %s, kept %s', a, point, plain, kept)) FILTER (WHERE plain IS DISTINCT FROM kept)
	FROM (SELECT * FROM comparisons(a, sample) WHERE a IS NOT NULL UNION ALL SELECT * FROM comparisons_of_all(sample)
	  WHERE a IS NULL) AS c GROUP BY c.kind;
END \$\$;
SQL
	keep($server, $name) if $option{kept} // 1;
	return;
}

# Keeps the two scans of a ledger; returns the script where there is no server.
sub keep
{
	my ($server, $name) = @_;
	my $script = "SELECT scan_keep('${name}_kept', \$q\$$kept\$q\$); SELECT scan_keep('${name}_all', \$q\$$all\$q\$);";
	return defined $server ? $server->lines(_path($name) . $script) : $script;
}

# ---- sessions

# A psql that stays; `cold`: without the library, until something loads it.
sub session
{
	my ($server, $name, %option) = @_;
	my $session = Session->new(database => $server->{database}, user => $ENV{PGUSER} // 'postgres', name => 'kept',
		error => "$scratch/" . time . rand);
	$session->ask(($option{cold} ? '' : "LOAD 'scan';")
		. "SET search_path = $name, public; SET jit = off; SET max_parallel_workers_per_gather = 0; SET seed = 0.25;"
		. ($option{cold} ? '' : 'SET scan.prefixscan = off; SET scan.kept = off;'));
	return $session;
}

my $status = "\n\\r\n\\if :ERROR\n\\echo ERROR :SQLSTATE\n\\endif";

sub _statement { return $_[0] =~ /;\s*$|\\\.$/ ? $_[0] : "$_[0];" }

# What a session prints of statements, of one that was sent if there are none; of the first that fails, its SQLSTATE.
sub asked
{
	my ($session, @statements) = @_;
	my @out = @statements ? () : $session->ask('', 60);
	foreach (@statements)
	{
		push @out, $session->ask(_statement($_) . $status, 60);
		last if @out && $out[-1] =~ /^ERROR/;
	}
	return join "\n", @out;
}

# Sends a statement that may wait; asked($session) tells what it printed.
sub sent
{
	my ($session, $statement) = @_;
	Session::_write($session->{in}, _statement($statement) . "$status\n");
	return;
}

# True when a session waits for a lock; false if it does not do so within some seconds.
sub waits
{
	my ($server, $session, $seconds) = @_;
	my $until = time + ($seconds // 5);
	while (time < $until)
	{
		return 1 if $server->value("SELECT count(*) FROM pg_locks WHERE pid = $session->{backend} AND NOT granted");
		sleep 0.05;
	}
	return 0;
}

# ---- comparisons

# Compares in a session; returns what differs, '' if nothing does.  `accounts`: a query for
# others than a few, or 'all'; `sample` => 'NULL': at each row.
sub compared
{
	my ($session, %option) = @_;
	my $accounts = $option{accounts} // 'VALUES (0), (1), (4), (9), (NULL)';
	$accounts = 'SELECT id FROM account UNION SELECT account FROM payment UNION ALL SELECT NULL' if $accounts eq 'all';
	my $sample = $option{sample} // 12;
	return asked($session, "SELECT coalesce(string_agg(format('%s of %s %s: %s', bad, n, kind, example), E'\\n') "
			. "FILTER (WHERE bad > 0), '') || CASE WHEN count(*) = 0 THEN 'nothing compared' ELSE '' END "
			. "FROM ($accounts) AS s(a), compare(a, $sample)");
}

# True if the kept scan is read from its tree: then the index of the tree is scanned,
# as the transaction's statistics say.
sub used
{
	my ($session, $name, %option) = @_;
	my ($tree, $total) = ($option{tree} // "${name}_kept", $option{total} // "${name}_kept_total");
	my $scans = "SELECT 'scans ' || sum(pg_stat_get_xact_numscans(indexrelid)) FROM pg_index "
		. "WHERE indrelid = '$tree'::regclass";
	my $out = asked($session, 'BEGIN', $scans, "SELECT FROM $total(0)", $scans, 'ROLLBACK');
	asked($session, 'ROLLBACK') if $out =~ /ERROR/;
	return $out =~ /^scans (\d+)\n+scans (\d+)$/ ? $2 > $1 ? 1 : 0 : $out;
}

# ---- scenes

# Begins a scene: its title, and a new ledger.
sub scene
{
	(my $server, $title, my %option) = @_;
	$name = 'ledger' . ++$scenes;
	ledger($server, $name, %option);
	return session($server, $name);
}

sub right
{
	my ($session, $what, %option) = @_;
	return is(compared($session, %option), '', "$title: $what") || diag(substr $session->complaints, -1500);
}

# Compares the cells of days in the snapshot of a session.
sub days_right
{
	my ($session, $what) = @_;
	return like(asked($session, "SET scan.kept = 'check'", $days, 'RESET scan.kept'), qr/^days\|[1-9]\d*\|0\|/m,
		"$title: days, $what") || diag(substr $session->complaints, -1500);
}

sub done
{
	my ($session, @statements) = @_;
	return is(asked($session, @statements) =~ s/^(?!ERROR).*\n?//gmr, '',
		"$title: no error in " . ($statements[-1] =~ s/\n.*//sr));
}

sub is_used
{
	my ($session, $what, %option) = @_;
	return is(used($session, $name, %option), 1, "$title: $what, the tree is read");
}

sub is_unused { my ($session, $what) = @_; return is(used($session, $name), 0, "$title: $what, the table is read") }
sub compact { my ($session) = @_; return done($session, map { "CALL scan_kept_compact('${name}_$_')" } 'kept', 'all') }

1;
