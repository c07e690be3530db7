# kept_hostile.t: plain roles that try, by kept scans, to get the rights of others, to read what is not theirs, to stop
# others, or to crash the server.
#
# Each scene has roles of its own: mallory, who owns a schema and nothing else; staff, of which mallory is a member;
# victim, whose table is not mallory's; dbo, who owns a database.  What a scene must not bring about is that mallory or
# dbo is a superuser in the end, that a function of mallory runs as somebody else,
# or that mallory reads the victim's rows.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use File::Temp;
use Test::More;
use Time::HiRes qw(sleep time);
use Cluster;
use Server;
use Session;

my $cluster = Cluster->new("max_worker_processes = 8\nsession_preload_libraries = 'scan'\n");
my $server = $cluster->use;
my $database = $server->{database};
my $scratch = File::Temp->newdir;

$server->lines(<<'SQL');
CREATE ROLE mallory LOGIN; CREATE ROLE staff; CREATE ROLE victim LOGIN; CREATE ROLE reader LOGIN;
GRANT staff TO mallory;
SQL

# A script of a role, in a new session: its output and its errors.
sub as
{
	my ($role, $script) = @_;
	local $ENV{PGUSER} = $role;
	my ($out, $err) = $server->run($script, go_on => 1);
	return $out . join "\n", map { s/^psql:\S+ //r } split /\n/, $err;
}
sub as_superuser { my ($script) = @_; return as('postgres', $script) }

# Begins a scene: schemas of mallory and victim, and a table of mallory.
sub scene
{
	$server->lines(<<'SQL');
SET client_min_messages = error;
DROP SCHEMA IF EXISTS m, m2, m3, v CASCADE;
CREATE SCHEMA m AUTHORIZATION mallory; CREATE SCHEMA v AUTHORIZATION victim; GRANT USAGE ON SCHEMA m, v TO PUBLIC;
SQL
	return as('mallory', 'CREATE TABLE m.t (id int PRIMARY KEY, account int NOT NULL, '
			. 'day date NOT NULL, amount numeric NOT NULL, v int8); INSERT INTO m.t '
			. 'SELECT i, i % 10, date \'2026-01-01\' + i / 100, 10 + i % 7, 0 FROM generate_series(1, 3000) AS i');
}
my $window = 'WINDOW w AS (PARTITION BY account ORDER BY day, id)';
my $refused = qr/cannot keep a scan that uses .*, which does not belong to a superuser/;

# What must not have happened.
sub is_harmless
{
	my ($what) = @_;
	is($server->value("SELECT string_agg(rolname, ',') FROM pg_roles WHERE rolsuper AND rolname "
			. "IN ('mallory', 'staff', 'victim', 'reader')") // '', '', "$what: nobody has become superuser");
	return;
}

# ---- code of others in a definition

# Each is refused when it is made.
scene();
as('mallory', <<'SQL');
CREATE FUNCTION m.f(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN true; END$$;
CREATE FUNCTION m.s(numeric) RETURNS numeric LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE FUNCTION m.eq(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN true; END$$;
CREATE OPERATOR m.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = m.eq);
CREATE FUNCTION m.chk(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN true; END$$;
CREATE DOMAIN m.dom AS int CHECK (m.chk(VALUE));
CREATE TYPE m.comp AS (a m.dom);
CREATE TYPE m.pair AS (a int, b text);
CREATE TYPE m.mood AS ENUM ('low', 'high');
CREATE FUNCTION m.as_mood(int) RETURNS m.mood LANGUAGE sql IMMUTABLE AS $$SELECT 'low'::m.mood$$;
CREATE CAST (int AS m.mood) WITH FUNCTION m.as_mood(int);
CREATE FUNCTION m.low(int, int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN 1; END$$;
CREATE TYPE m.span AS RANGE (subtype = int, subtype_diff = m.low);
CREATE COLLATION m.c (provider = icu, locale = 'und');
CREATE AGGREGATE m.total(int) (SFUNC = int4_sum, STYPE = int8);
CREATE TYPE m.exact_state AS (a int8, b int8, c int8, d int8, e int8, f int8, g int8, h int8);
CREATE FUNCTION m.add(m.exact_state, int8) RETURNS m.exact_state
  LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN ROW($2,$2,$2,$2,$2,$2,$2,$2)::m.exact_state; END$$;
CREATE FUNCTION m.comb(m.exact_state, m.exact_state) RETURNS m.exact_state
  LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN $1; END$$;
CREATE FUNCTION m.fin(m.exact_state) RETURNS int8 LANGUAGE plpgsql IMMUTABLE AS $$BEGIN RETURN ($1).a; END$$;
CREATE AGGREGATE m.agg(int8) (SFUNC = m.add, STYPE = m.exact_state, FINALFUNC = m.fin, COMBINEFUNC = m.comb,
  MSFUNC = m.add, MINVFUNC = m.add, MSTYPE = m.exact_state, MFINALFUNC = m.fin);
CREATE AGGREGATE m.exact_sum(float8) (SFUNC = public.exact_add_float8, STYPE = public.exact_state,
  FINALFUNC = public.exact_final_sum_float8, COMBINEFUNC = public.exact_combine, MSFUNC = public.exact_add_float8,
  MINVFUNC = public.exact_remove_float8, MSTYPE = public.exact_state, MFINALFUNC = public.exact_final_sum_float8);
ALTER TABLE m.t ADD COLUMN d m.dom, ADD COLUMN p m.pair, ADD COLUMN c m.comp, ADD COLUMN mood m.mood,
  ADD COLUMN s m.span, ADD COLUMN note text COLLATE m.c;
SQL
my %definition = (
	'a function in WHERE' => "SELECT sum(amount) OVER w AS total FROM m.t WHERE m.f(1) $window",
	'an SQL function in an argument' => "SELECT sum(m.s(amount)) OVER w AS total FROM m.t $window",
	'a function in FILTER' => "SELECT sum(amount) FILTER (WHERE m.f(id)) OVER w AS total FROM m.t $window",
	'an operator' => "SELECT sum(amount) OVER w AS total FROM m.t WHERE id OPERATOR(m.===) 7 $window",
	'an operator over an array' =>
		"SELECT sum(amount) OVER w AS total FROM m.t WHERE id OPERATOR(m.===) ANY ('{7}') $window",
	'a cast' => "SELECT count(id::m.mood) OVER w AS total FROM m.t $window",
	'a domain with a check' => "SELECT sum((id::m.dom)::int) OVER w AS total FROM m.t $window",
	'a column of a domain with a check' =>
		'SELECT count(*) OVER w AS total FROM m.t WINDOW w AS (PARTITION BY d ORDER BY day, id)',
	'a composite type with such a domain' => "SELECT sum(amount) OVER w AS total FROM m.t WHERE c IS NOT NULL $window",
	'a constant of such a type' =>
		"SELECT sum(amount) OVER w AS total FROM m.t WHERE '(1)'::m.comp IS NOT NULL $window",
	'a range type with a function' =>
		'SELECT count(*) OVER w AS total FROM m.t WINDOW w AS (PARTITION BY s ORDER BY day, id)',
	'a collation' => 'SELECT count(*) OVER w AS total FROM m.t WINDOW w AS (PARTITION BY note ORDER BY day, id)',
	'a collation in an expression' => "SELECT count(*) FILTER (WHERE 'a' < note) OVER w AS total FROM m.t $window",
	'an aggregate over functions of core' => "SELECT m.total(id) OVER w AS total FROM m.t $window",
	'an aggregate over functions of the extension' =>
		"SELECT m.exact_sum(amount::float8) OVER w AS total FROM m.t $window",
	'an aggregate with a type named as one of the extension' => "SELECT m.agg(v) OVER w AS total FROM m.t $window",
);
like(as('mallory', "SELECT scan_keep('mk', \$\$$definition{$_}\$\$)"), qr/$refused|cannot keep /, "refused: $_")
	for sort keys %definition;
is($server->value('SELECT count(*) FROM scan_kept'), 0, 'refused: nothing is left of them');
# an enum, and a composite type of trusted types, have no code
is(as('mallory', "SET client_min_messages = warning; SELECT scan_keep('mk', \$\$SELECT count(*) OVER w AS total "
			. "FROM m.t WHERE mood IS NULL OR mood > 'low' WINDOW w AS (PARTITION BY mood, p ORDER BY day, id)\$\$); "
			. "SELECT usable FROM scan_kept; SELECT scan_unkeep('mk')"), "3000\nt\n\n",
	'an enum and a composite type are kept');
# a generated column carries what a function computes
is(as('mallory', <<"SQL"), "3000\n3000\n1\nt\n3002\n0\n\n", 'a generated column is kept');
SET client_min_messages = warning;
ALTER TABLE m.t ADD COLUMN checked boolean GENERATED ALWAYS AS (m.f(id)) STORED;
SELECT scan_keep('mk', \$\$SELECT count(*) FILTER (WHERE checked) OVER w AS total FROM m.t
  WINDOW w AS (ORDER BY id)\$\$);
SELECT total FROM m.mk_total();
SELECT scan_kept_check('mk') + 1;
INSERT INTO m.t (id, account, day, amount) VALUES (4001, 1, '2026-01-01', 1), (4002, 1, '2026-01-01', 1);
SELECT usable FROM scan_kept;
SELECT total FROM m.mk_total();
SELECT scan_kept_check('mk');
SELECT scan_unkeep('mk');
SQL
# a function that a superuser has, for now
scene();
$server->lines(
	"CREATE FUNCTION m.f(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS \$\$BEGIN IF current_user <> 'mallory' "
	. "OR current_setting('search_path') NOT IN ('pg_catalog, pg_temp', 'm, pg_catalog') THEN RAISE EXCEPTION 'runs "
	. "as %', current_user; END IF; PERFORM set_config('search_path', 'm, pg_catalog', false); RETURN true; END\$\$");
is(as('mallory', "SET client_min_messages = warning; SELECT scan_keep('mk', \$\$SELECT sum(amount) OVER w AS total, "
			. "count(*) OVER w AS n FROM m.t WHERE m.f(id) $window\$\$)"), "3000\n", "a superuser's function is kept");
as('mallory', 'GRANT ALL ON m.t TO reader');
my $setting = qr/^"\$user", public$/m;
like(as($_->[0], "$_->[1]; SHOW search_path"), $setting,
	"a superuser's function changes no setting of who runs $_->[1]")
	for [ 'reader', "INSERT INTO m.t VALUES (5001, 1, '2026-01-01', 1)" ], [ 'reader',
	'UPDATE m.t SET amount = amount + 1 WHERE id = 5' ], [ 'postgres', "CALL scan_kept_compact('mk')" ], [ 'postgres',
	"SELECT scan_kept_check('mk')" ], [ 'postgres', 'TABLE scan_kept' ], [ 'reader',
	'SELECT m.mk_total(1)' ], [ 'reader', 'SELECT sum(amount) FROM m.t WHERE account = 7 AND m.f(id)' ];
is(as('reader', "SET scan.kept = force; EXPLAIN (COSTS OFF) SELECT sum(amount) FROM m.t WHERE account = 7 AND m.f(id)")
		=~ /Starts From: mk/ ? 1 : 0, 1, '... and a query reads it');
$server->lines('ALTER FUNCTION m.f(int) OWNER TO mallory');
as('mallory', "CREATE OR REPLACE FUNCTION m.f(int) RETURNS boolean "
		. "LANGUAGE plpgsql IMMUTABLE AS \$\$BEGIN RAISE EXCEPTION 'evil as %', current_user; END\$\$");
unlike(as('postgres', $_), qr/evil/, "its new owner's code does not run in $_")
	for "INSERT INTO m.t VALUES (5002, 1, '2026-01-01', 1)", 'TABLE scan_kept', "CALL scan_kept_compact('mk')",
	"SELECT scan_kept_check('mk')", 'SELECT m.mk_total(1)', 'EXPLAIN SELECT sum(amount) FROM m.t WHERE account = 7';
like(as('postgres', 'SELECT reason FROM scan_kept'),
	qr/^its definition uses function m.f\(integer\), which does not belong to a superuser$/,
	'... and scan_kept says why');
$server->lines("CREATE OR REPLACE FUNCTION m.f(int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true'; "
	. "ALTER FUNCTION m.f(int) OWNER TO postgres");
is(as('postgres', "SELECT usable FROM scan_kept; SELECT n FROM m.mk_total(1); SELECT count(*) FROM m.t "
			. "WHERE account = 1; SELECT scan_kept_check('mk') > 0; SELECT usable, n FROM m.mk_total(1), scan_kept"),
	"f\n302\n302\nt\nt|302\n", '... what was not logged meanwhile is not forgotten');
like(as('mallory', "SELECT scan_unkeep('mk')"), qr/^$/, '... and it can be dropped');
is_harmless('code of others');

# ---- the objects of a kept scan

# Nobody alters them, from inside of a statement or outside.
scene();
as('mallory', "SELECT scan_keep('k', 'SELECT sum(amount) OVER w AS total, max(v) OVER w AS mx FROM m.t $window')");
like(as('mallory', $_), qr/ERROR/, "refused: $_") for 'ALTER TABLE m.k_log ALTER total TYPE int8 USING 0',
	'ALTER MATERIALIZED VIEW m.k_log ALTER mx TYPE uuid USING NULL', 'TRUNCATE m.k_log',
	'UPDATE m.k SET scan_rows = 1', 'REFRESH MATERIALIZED VIEW m.k', 'ALTER TABLE m.k ADD COLUMN x int',
	'CREATE TRIGGER x AFTER INSERT ON m.k_log FOR EACH ROW EXECUTE FUNCTION m.f()', 'ALTER TABLE m.k DROP COLUMN mx',
	'DELETE FROM public.scan_kept_definition', 'REFRESH MATERIALIZED VIEW public.scan_kept_definition';
# An index on an expression of the log, made while a row is on its way into it.
as('mallory', <<'SQL');
CREATE FUNCTION m.early() RETURNS trigger
  LANGUAGE plpgsql AS $$BEGIN EXECUTE 'CREATE INDEX ON m.k_log ((scan_rows + 1))'; RETURN NULL; END$$;
CREATE FUNCTION m.late() RETURNS trigger
  LANGUAGE plpgsql AS $$BEGIN EXECUTE 'DROP MATERIALIZED VIEW m.k_log'; RETURN NULL; END$$;
CREATE TRIGGER a_early AFTER INSERT ON m.t FOR EACH ROW WHEN (NEW.id = -1) EXECUTE FUNCTION m.early();
CREATE TRIGGER z_late AFTER INSERT ON m.t FOR EACH ROW WHEN (NEW.id = -2) EXECUTE FUNCTION m.late();
SQL
as('mallory', "INSERT INTO m.t VALUES ($_, 1, '2026-01-05', 3, 0)") for -3, -2, -1, -4;
is($server->value('SELECT count(*) FROM m.t WHERE account = 1') . ' '
	. as('mallory', 'SET scan.kept = off; SELECT count(*) FROM m.t WHERE account = 1'),
	$server->value('SELECT count(*) FROM m.t WHERE account = 1') . ' '
		. $server->value('SELECT count(*) FROM m.t WHERE account = 1') . "\n",
	'objects altered by triggers of the table: the server runs');
is(as('mallory',
		"SELECT total IS NOT DISTINCT FROM (SELECT sum(amount + 0) FROM m.t WHERE account = 1) FROM m.k_total(1)"),
	"t\n", '... and the totals are right');
# A view of somebody else's table.
scene();
$server->lines("CREATE TABLE v.pay (id int PRIMARY KEY, account int NOT NULL, "
	. "day date NOT NULL, amount numeric NOT NULL); ALTER TABLE v.pay OWNER TO victim; "
	. "INSERT INTO v.pay SELECT i, i % 10, date '2026-01-01' + i / 100, 1000 FROM generate_series(1, 3000) AS i");
as('mallory',
	"SELECT scan_keep('mk', 'SELECT sum(amount) OVER w AS total FROM m.t $window'); GRANT SELECT ON m.mk, m.mk_log "
		. "TO PUBLIC; CREATE OR REPLACE VIEW m.mk_definition AS SELECT sum(amount) OVER w AS total FROM v.pay $window");
like(as_superuser('SELECT source, usable, reason FROM scan_kept'),
	qr/^m\.t\|f\|its definition is of another table now$/, "a view of another one's table: scan_kept says so");
like(as_superuser("SELECT scan_kept_check('mk')"), qr/is of another table now/, '... and a check refuses it');
is($server->value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'v.pay'::regclass AND NOT tgisinternal"), 0,
	"... nothing is made on the victim's table");
like(as('mallory', 'SELECT * FROM m.mk_total(7)'), qr/permission denied for table pay/,
	"... and mallory does not read the victim's rows");
like(as('mallory', "SELECT scan_unkeep('mk')"), qr/must be owner of table pay/, '... nor act for the victim');
is_harmless("a view of another one's table");
# A new owner of the table: the grants of the former one are gone,
# and so is a definition that the former one could change.
scene();
as('mallory', "SELECT scan_keep('mk', 'SELECT sum(amount) OVER w AS total FROM m.t $window'); "
		. "SELECT scan_keep('mk2', 'SELECT count(*) OVER w AS total FROM m.t $window'); "
		. "GRANT SELECT ON m.mk, m.mk_log TO PUBLIC; GRANT CREATE ON SCHEMA m TO victim");
$server->lines('ALTER TABLE m.t OWNER TO victim');
as('mallory', "CREATE OR REPLACE VIEW m.mk2_definition AS SELECT count(amount) OVER w AS total FROM m.t $window");
like(as_superuser("SELECT string_agg(reason, ' ' ORDER BY name) FROM scan_kept"),
	qr/^it has another owner than its table it has another owner than its table$/, 'a new owner: scan_kept says so');
is(as('victim', "SELECT scan_kept_check('mk')"), "0\n", '... a check makes it anew');
like(as('victim', "SELECT scan_kept_check('mk2')"), qr/a former owner has changed the definition/,
	'... but not one that was changed since');
is($server->value("SELECT string_agg(DISTINCT relowner::regrole::text || coalesce(relacl::text, ''), ',') "
		. "FROM pg_class WHERE relname IN ('mk', 'mk_log', 'mk_definition')"), 'victim',
	"... without the former owner's grants");
is($server->value("SELECT string_agg(DISTINCT proowner::regrole::text, ',') FROM pg_proc WHERE proname LIKE 'mk\\_%'"),
	'victim', '... the functions, too');
like(as('mallory', 'TABLE m.mk'), qr/permission denied/, '... which mallory does not read');
is(as('victim', "SELECT usable FROM scan_kept WHERE name = 'mk'; SELECT total = (SELECT sum(amount + 0) FROM m.t "
			. "WHERE account = 7) FROM m.mk_total(7)"), "t\nt\n", '... and it is used, and right');
like(as('victim', "SELECT scan_unkeep('mk2'); SELECT count(*) FROM scan_kept"), qr/^\n1$/m,
	'... the other one can be dropped');
# Schemas that are swapped while a check waits for a lock.
scene();
$server->lines("GRANT CREATE ON DATABASE $database TO mallory; CREATE SCHEMA m2 AUTHORIZATION mallory; "
	. "GRANT CREATE, USAGE ON SCHEMA m2 TO victim; GRANT CREATE, USAGE ON SCHEMA m TO staff");
as('victim', "CREATE TABLE m2.mk (secret text); INSERT INTO m2.mk VALUES ('s3cret')");
as('mallory',
	"SELECT scan_keep('mk', 'SELECT sum(amount) OVER w AS total FROM m.t $window'); ALTER TABLE m.t OWNER TO staff");
my %session = map { $_ => Session->new(database => $database, user => $_, name => "hostile $_",
		error => "$scratch/$_") } 'mallory', 'postgres';
$session{mallory}->ask('BEGIN; SELECT count(*) FROM m.mk;');
Session::_write($session{postgres}{in}, "SELECT scan_kept_check('m.mk');\n\\echo over\n");
sleep 1;
$session{mallory}->ask('ALTER SCHEMA m RENAME TO m3; ALTER SCHEMA m2 RENAME TO m; COMMIT;');
$session{postgres}->ask('SELECT 1;');
is($server->value("SELECT relowner::regrole FROM pg_class WHERE relname = 'mk' AND relkind = 'r'"), 'victim',
	"schemas swapped meanwhile: the victim's table is the victim's");
like(as('mallory', 'SELECT * FROM m.mk'), qr/permission denied for table mk/, '... and mallory does not read it');
undef %session;
is_harmless('schemas swapped');

# ---- who reads

scene();
as('mallory', "SELECT scan_keep('mk', 'SELECT sum(amount) OVER w AS total, exact_sum(amount::float8) OVER w AS exact "
		. "FROM m.t $window'); GRANT SELECT ON m.t TO reader");
$server->lines('REVOKE EXECUTE ON FUNCTION exact_sum(float8) FROM PUBLIC');
like(as('reader', "SET scan.kept = $_; SELECT exact_sum(amount::float8) FROM m.t WHERE account = 7"),
	qr/permission denied for (?:aggregate|function) exact_sum/, "EXECUTE of an aggregate is asked for, scan.kept = $_")
	for 'off', 'auto', 'force';
like(as('reader', 'SELECT * FROM m.mk_total(7)'), qr/permission denied for a function of kept scan/,
	'... by the functions, too');
like(as('reader', 'EXPLAIN (COSTS OFF) SELECT sum(amount) FROM m.t WHERE account = 7'), qr/Starts From: mk/,
	'... a query without it reads the kept scan');
$server->lines('GRANT EXECUTE ON FUNCTION exact_sum(float8) TO PUBLIC');

# ---- names in texts that are shown

scene();
as('mallory', "SELECT scan_keep('a''); DROP TABLE x; --', 'SELECT sum(amount) OVER w AS total FROM m.t $window'); "
		. "ALTER TABLE m.t DISABLE TRIGGER ALL");
my $remedy = as_superuser('SELECT remedy FROM scan_kept');
is($remedy, qq{SELECT public.scan_kept_check('m."a''); DROP TABLE x; --"'::pg_catalog.text)\n},
	'a remedy is qualified, quoted and typed');
like(as_superuser("CALL scan_kept_compact('m.\"a''); DROP TABLE x; --\"')"), qr/HINT:  \Q@{[ $remedy =~ s{\n}{}r ]}\E/,
	'... and so is a hint');
is(as_superuser("CREATE FUNCTION m.scan_kept_check(text) RETURNS bigint LANGUAGE sql AS 'SELECT -1'; "
		. "SET search_path = m, public; $remedy"), "0\n", '... and calls ours, whatever is in the way');

# ---- who is stopped

# The owner of a view locks it: nobody waits who lists kept scans.
scene();
as('mallory', "SELECT scan_keep('mk', 'SELECT sum(amount) OVER w AS total FROM m.t $window')");
my $holder = Session->new(database => $database, user => 'mallory', name => 'holder', error => "$scratch/holder");
foreach my $relation ('m.mk_definition', 'm.t')
{
	$holder->ask("BEGIN; LOCK TABLE $relation IN ACCESS EXCLUSIVE MODE;");
	is(as_superuser("SET lock_timeout = '2s'; SELECT name, usable IS NULL, reason FROM scan_kept"),
		"mk|t|another session has locked it or its table\n", "$relation is locked: scan_kept does not wait");
	$holder->ask('ROLLBACK;');
}
undef $holder;
# A definition that cannot be read is one row's reason.
as('mallory', "SELECT scan_keep('mk2', 'SELECT count(*) OVER w AS n FROM m.t $window'); "
		. "CREATE OR REPLACE VIEW m.mk_definition AS SELECT NULL::numeric AS total");
like(as_superuser('SELECT name, usable FROM scan_kept ORDER BY name'), qr/^mk\|f\nmk2\|t$/m,
	'a definition that is none does not hide the others');
# Compactors are not all of the background workers.
scene();
as('mallory', "CREATE TABLE m.t$_ (id int PRIMARY KEY, a int NOT NULL); SELECT scan_keep('k$_', "
		. "'SELECT count(*) OVER w AS n FROM m.t$_ WINDOW w AS (PARTITION BY a ORDER BY id)')") for 1 .. 7;
# Another session gets the lock on their tables as soon as they commit,
# so that each that may work tries for two seconds.
my $writer = Session->new(database => $database, user => 'mallory', name => 'writer', error => "$scratch/writer");
$writer->ask(join '', 'BEGIN;', map { "INSERT INTO m.t$_ SELECT i, i FROM generate_series(1, 30000) AS i;" } 1 .. 7);
$holder = Session->new(database => $database, user => 'mallory', name => 'holder', error => "$scratch/holder");
Session::_write($holder->{in},
	'BEGIN; LOCK TABLE ' . join(', ', map { "m.t$_" } 1 .. 7) . " IN ACCESS EXCLUSIVE MODE;\n");
sleep 0.05 until $server->value("SELECT count(*) FROM pg_locks WHERE NOT granted") > 0;
$writer->ask('COMMIT;');
my $most = 0;
for (1 .. 10)
{
	my $running = $server->value("SELECT count(*) FROM pg_stat_activity "
		. "WHERE backend_type = 'scan compactor' AND backend_start < clock_timestamp() - interval '0.3 s'");
	$most = $running if $running > $most;
	sleep 0.1;
}
undef $holder;
undef $writer;
cmp_ok($most, '>', 0, 'compactors wait for tables that are held');
cmp_ok($most, '<=', 2, 'two compactors at most work at once, of eight workers');
is_harmless('all of it');
done_testing();
