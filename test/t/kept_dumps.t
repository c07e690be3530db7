# kept_dumps.t: dumps and restores of a database with kept scans by its owner, who is not a superuser.
#
# The extension is trusted, so dbo creates it, and superusers own what is in it.  Whatever was restored, and in whatever
# parts, the results are right, scan_kept lists the kept scan with what to do, and scan_kept_check(), scan_unkeep() and
# scan_keep() leave it in order.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Cluster;
use Server;

my $cluster = Cluster->new('', extension => 'SELECT 1');
my $server = $cluster->use;
my $bin = $cluster->{PG_BINDIR};
my $folder = File::Temp::tempdir('scanXXXXXX', DIR => '/tmp', CLEANUP => 1);
my $databases = 0;

$server->lines('CREATE ROLE dbo LOGIN CREATEDB; CREATE ROLE clerk LOGIN');
$ENV{PGUSER} = 'dbo';

# A new, empty database of dbo.
sub new_database
{
	my $name = "dbo_" . $$ . '_' . ++$databases;
	$server->lines("CREATE DATABASE $name OWNER dbo TEMPLATE template0");
	return bless { database => $name, owner => 0 }, 'Server';
}

sub program
{
	my ($name, @arguments) = @_;
	return is(system("'$bin/$name' @arguments >'$folder/out' 2>&1"), 0, "$name @arguments")
		|| diag(`tail -n 20 '$folder/out'`);
}

# What is different between the kept totals and the plain ones, '' if nothing is.
my $different = "SELECT coalesce(string_agg(a::text, ' ') FILTER (WHERE (p.s, p.n) IS DISTINCT FROM (t.total, t.n)), "
	. "'') FROM generate_series(0, 9) AS a, LATERAL (SELECT sum(amount + 0) AS s, count(*) AS n FROM m.entry "
	. "WHERE account = a) AS p, LATERAL m.balance_total(a) AS t";
my $state = "SELECT usable || coalesce(' ' || reason, '') FROM scan_kept WHERE name = 'balance'";
sub is_in_order
{
	my ($in, $what) = @_;
	is($in->value($state), 'true', "$what: in use");
	is($in->value($different) // '', '', "$what: right");
	$in->lines("INSERT INTO m.entry (account, at, amount) SELECT i % 10, now(), i FROM generate_series(1, 100) AS i; "
		. "CALL scan_kept_compact('m.balance')");
	is($in->value($different) // '', '', "$what: right after changes");
	return is($in->value("SELECT scan_kept_check('m.balance')"), '0', "$what: the tree agrees");
}

# A node for each six hours of an account, which has a few dozen rows in them.
sub has_grain
{
	my ($in, $what) = @_;
	return is($in->value(<<'SQL'), 't', "$what: the nodes of the grain are there");
SELECT bool_or(k.n = d.n) FROM (SELECT count(*) AS n FROM m.balance GROUP BY scan_level) AS k,
  (SELECT count(*) AS n FROM (SELECT DISTINCT account, date_bin('6 hours', at, '2000-01-01 UTC') FROM m.entry) AS s) d
WHERE (SELECT grain = interval '6 hours' FROM scan_kept WHERE name = 'balance')
SQL
}
sub is_restored
{
	my ($in, $what) = @_;
	is($in->value($state), 'false it was restored from a dump', "$what: scan_kept says so");
	is($in->value($different) // '', '', "$what: right before a check");
	$in->lines('INSERT INTO m.entry (account, at, amount) SELECT i % 10, now(), i FROM generate_series(1, 100) AS i; '
		. 'UPDATE m.entry SET amount = amount + 1 WHERE id % 7 = 0');
	is($in->value($different) // '', '', "$what: right after changes");
	is($in->value($in->value("SELECT remedy FROM scan_kept WHERE name = 'balance'")), '0', "$what: the remedy helps");
	is_in_order($in, $what);
	return has_grain($in, $what);
}

# ---- without a kept scan

my $empty = new_database();
$empty->lines('CREATE EXTENSION scan; CREATE TABLE t (id int)');
program('pg_dump', "-Fp -f $folder/empty", $empty->{database});
my $copy = new_database();
program('psql', "-Xq1 -v ON_ERROR_STOP=1 -d $copy->{database} -f $folder/empty");

# ---- with one

my $from = new_database();
$from->lines(<<'SQL');
CREATE EXTENSION scan; CREATE SCHEMA m;
CREATE TABLE m.entry (id bigserial PRIMARY KEY, account int, at timestamptz NOT NULL, amount numeric(12,2), note text);
CREATE INDEX ON m.entry (account, at, id);
INSERT INTO m.entry (account, at, amount)
  SELECT i % 10, timestamptz '2026-01-01' + i * interval '10 minutes', 10 + i % 7 FROM generate_series(1, 3000) AS i;
SELECT scan_keep('balance', $$SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM m.entry
  WINDOW w AS (PARTITION BY account ORDER BY at, id)$$, grain => '6 hours');
INSERT INTO m.entry (account, at, amount) SELECT i % 10, now(), i FROM generate_series(1, 100) AS i;
CREATE VIEW m.report AS SELECT a, t.* FROM generate_series(0, 9) AS a, LATERAL m.balance_total(a) AS t;
GRANT SELECT ON m.report TO clerk;
CREATE UNLOGGED TABLE m.quick (id int PRIMARY KEY, v int);
INSERT INTO m.quick SELECT i, i FROM generate_series(1, 1000) AS i;
SELECT scan_keep('quick_kept', 'SELECT sum(v) OVER w AS s FROM m.quick WINDOW w AS (ORDER BY id)');
SQL
is_in_order($from, 'before');
has_grain($from, 'before');
program('pg_dump', "-Fp -f $folder/plain", $from->{database});
program('pg_dump', "-Fc -f $folder/custom", $from->{database});
program('pg_dump', "-Fp --clean --if-exists -f $folder/clean", $from->{database});
program('pg_dump', "-Fp -t m.entry -f $folder/entry", $from->{database});
program('pg_dump', "-Fp --schema-only -f $folder/schema", $from->{database});
program('pg_dump', "-Fp --data-only -f $folder/data", $from->{database});
program('pg_dump', "-Fp -n m -f $folder/namespace", $from->{database});
is_in_order($from, 'after the dumps');

my %restore = (
	'plain, in one transaction' => [ 'psql', "-Xq1 -v ON_ERROR_STOP=1 -f $folder/plain -d" ],
	'custom' => [ 'pg_restore', "-e -j2 $folder/custom -d" ],
	'custom, in one transaction' => [ 'pg_restore', "-1 $folder/custom -d" ],
	'schema and data apart' => [ 'psql', "-Xq -v ON_ERROR_STOP=1 -f $folder/schema -f $folder/data -d" ],
);
foreach my $how (sort keys %restore)
{
	my $to = new_database();
	program($restore{$how}[0], $restore{$how}[1], $to->{database});
	is_restored($to, $how);
	is($to->value("SELECT scan_kept_check('m.quick_kept')"), '0', "$how: one of an unlogged table");
	is($to->value('SELECT count(*) FROM m.report'), '10', "$how: a view over its functions");
	# over what is there now, in use
	next if $how ne 'custom';
	program('psql', "-Xq1 -v ON_ERROR_STOP=1 -f $folder/clean -d", $to->{database});
	is_restored($to, "$how, then with --clean over it");
	$to->lines("SELECT scan_unkeep('m.quick_kept'); DROP VIEW m.report; SELECT scan_unkeep('m.balance')");
	is($to->value("SELECT count(*) FROM pg_class WHERE relname ~ '^(balance|quick_kept)'")
			+ $to->value("SELECT count(*) FROM pg_proc WHERE proname ~ '^(balance|quick_kept)_'")
			+ $to->value("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'scan_kept%'")
			+ $to->value('SELECT count(*) FROM scan_kept'), 0, "$how: scan_unkeep leaves nothing");
}

# ---- what is restored is dropped, or made again, without a check before

my $to = new_database();
program('pg_restore', "-1 $folder/custom -d", $to->{database});
$to->lines("DROP VIEW m.report; SELECT scan_unkeep('m.balance')");
is($to->value("SELECT count(*) FROM pg_class WHERE relname LIKE 'balance%'"), '0', 'restored: scan_unkeep drops it');
$to->lines('SELECT scan_keep(\'balance\', $$SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM m.entry '
	. 'WINDOW w AS (PARTITION BY account ORDER BY at, id)$$)');
is_in_order($to, 'restored, dropped, kept again');

# ---- the table alone, with its triggers

$to = new_database();
$to->lines('CREATE EXTENSION scan; CREATE SCHEMA m');
program('psql', "-Xq1 -v ON_ERROR_STOP=1 -f $folder/entry -d", $to->{database});
is($to->value($state), 'false its relations were not restored with its table', 'the table alone: scan_kept says so');
$to->lines('INSERT INTO m.entry (account, at, amount) VALUES (7, now(), 1); TRUNCATE m.entry; '
	. 'INSERT INTO m.entry (account, at, amount) VALUES (7, now(), 1)');
$to->lines("SELECT scan_unkeep('balance')");
is($to->value("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'scan_kept%'"), '0',
	'the table alone: scan_unkeep drops the triggers');
program('psql', "-Xq1 -v ON_ERROR_STOP=1 -c 'DROP TABLE m.entry' -f $folder/entry -d", $to->{database});
$to->lines('SELECT scan_keep(\'balance\', $$SELECT sum(amount) OVER w AS total, count(*) OVER w AS n FROM m.entry '
	. 'WINDOW w AS (PARTITION BY account ORDER BY at, id)$$)');
is_in_order($to, 'the table alone, kept again');

# ---- a copy of the table in another schema of the same database

system("sed -e 's/\\bm\\./m2./g' '$folder/entry' >'$folder/entry2'");
$from->lines('CREATE SCHEMA m2');
program('psql', "-Xq1 -v ON_ERROR_STOP=1 -f $folder/entry2 -d", $from->{database});
$from->lines('INSERT INTO m2.entry (account, at, amount) VALUES (7, now(), 1); '
	. 'UPDATE m2.entry SET amount = 1; TRUNCATE m2.entry');
is_in_order($from, 'the original of a copy');
is($from->value("SELECT string_agg(schema || ' ' || usable, ', ' ORDER BY schema) FROM scan_kept "
		. "WHERE name = 'balance'"), 'm true, m2 false', 'the copy is listed');
$from->lines("SELECT scan_unkeep('m2.balance')");
is($from->value("SELECT string_agg(schema || ' ' || usable, ', ' ORDER BY schema) FROM scan_kept "
		. "WHERE name = 'balance'"), 'm true', '... and dropped, without the original');
is_in_order($from, 'the original, again');

# ---- rows that are restored into a table whose kept scan is in use

$from->lines("TRUNCATE m.entry; DROP TABLE m2.entry CASCADE");
program('pg_restore', "--data-only -t entry $folder/custom -d", $from->{database});
is_in_order($from, 'rows restored with triggers');
$ENV{PGUSER} = 'postgres';
$from->lines('TRUNCATE m.entry');
program('pg_restore', "--data-only --disable-triggers -t entry $folder/custom -d", $from->{database});
is($from->value($different) // '', '', 'rows restored without triggers: right');
is($from->value("SELECT scan_kept_check('m.balance') > 0"), 't', 'rows restored without triggers: a check finds them');
is_in_order($from, 'rows restored without triggers');
$server->lines("DROP DATABASE dbo_${$}_$_") for 1 .. $databases;
$server->lines('DROP ROLE dbo, clerk');
done_testing();
