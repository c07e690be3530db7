# any_user.t: what a user who is not a superuser can do with the extension,
# and what an administrator can do for everyone.
#
# PrefixScan for stock queries: by LOAD, by local_preload_libraries of a connection, a role or a database.  One library
# in a session, whichever name it was loaded by.  Settings: those of scan for the whole server, and those of an
# application that has names of its own behind the prefix.  The extension: into another schema, by its owner.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;
use Server;

my $cluster = Cluster->new("shared_preload_libraries = ''\nmax_worker_processes = 4\n", extension => 'SELECT 1');
my $server = $cluster->{server};
my $database = $server->{database};
my $stock = 'SELECT sum(x) OVER (ORDER BY x) FROM data';

$server->lines(<<"SQL");
CREATE ROLE owner LOGIN; CREATE ROLE other LOGIN; GRANT CREATE ON DATABASE $database TO owner;
CREATE TABLE data AS SELECT i AS x FROM generate_series(1, 1000) AS i; ANALYZE data; GRANT SELECT ON data TO PUBLIC;
CREATE SCHEMA theirs; CREATE SCHEMA closed; GRANT ALL ON SCHEMA theirs TO owner;
GRANT USAGE ON SCHEMA theirs, closed TO PUBLIC;
SQL

# A script of a user's, in a new session.
sub as
{
	my ($user, $script, %option) = @_;
	local $ENV{PGUSER} = $user;
	local $ENV{PGOPTIONS} = $option{options} // '';
	return $server->run($script, go_on => 1);
}

sub has_node
{
	my ($plan) = @_;
	return $plan =~ /PrefixScan/ ? 'PrefixScan' : $plan =~ /WindowAgg/ ? 'WindowAgg' : "neither: $plan";
}

# ---- PrefixScan for a session, a role, a database

is(has_node((as('other', "EXPLAIN $stock"))[0]), 'WindowAgg', 'nothing is loaded: WindowAgg');
my ($out, $err) = as('other', "LOAD 'scan'; EXPLAIN $stock");
like($err, qr/access to library "scan" is not allowed/, "LOAD 'scan' is for superusers");
($out, $err) = as('other', "LOAD '\$libdir/plugins/scan'; EXPLAIN $stock");
is($err . has_node($out), 'PrefixScan', "LOAD '\$libdir/plugins/scan' is for every user");
is(has_node((as('other', "EXPLAIN $stock", options => '-c local_preload_libraries=scan'))[0]), 'PrefixScan',
	'a connection asks for it');

($out, $err) = as('other', "ALTER ROLE other SET local_preload_libraries = 'scan'");
is($err, '', 'a user sets it for itself');
is(has_node((as('other', "EXPLAIN $stock"))[0]), 'PrefixScan', '... and all new sessions have it');
is(has_node((as('owner', "EXPLAIN $stock"))[0]), 'WindowAgg', '... of that user');
as('other', 'ALTER ROLE other RESET local_preload_libraries');
$server->lines("ALTER DATABASE $database SET session_preload_libraries = 'scan'");
is(has_node((as('other', "EXPLAIN $stock"))[0]), 'PrefixScan', 'an administrator sets it for a database');
$server->lines("ALTER DATABASE $database RESET ALL; ALTER DATABASE $database OWNER TO owner");
($out, $err) = as('owner', "ALTER DATABASE $database SET local_preload_libraries = 'scan'");
is($err . has_node((as('other', "EXPLAIN $stock"))[0]), 'PrefixScan', 'the owner of a database, too');
$server->lines("ALTER DATABASE $database OWNER TO postgres; GRANT CREATE ON DATABASE $database TO owner");
$server->lines("ALTER DATABASE $database SET scan.prefixscan = off");
is(has_node((as('other', "EXPLAIN $stock"))[0]), 'WindowAgg', '... and switches it off');
is(has_node((as('other', "SET scan.prefixscan = auto; EXPLAIN $stock"))[0]), 'PrefixScan',
	'... which a session may overrule');
$server->lines("ALTER DATABASE $database RESET ALL");

# one library, not two: a second one would define each setting again, which is an error
$server->lines('CREATE EXTENSION scan; GRANT USAGE ON SCHEMA public TO PUBLIC');
($out, $err) = as('other',
	"SELECT scan_sum(1) OVER (); LOAD '\$libdir/plugins/scan'; SELECT scan_max(1) OVER (); EXPLAIN $stock");
is($err . has_node($out), 'PrefixScan', 'loaded by a call, then by LOAD');
($out, $err) = as('other',
	"LOAD '\$libdir/plugins/scan'; SELECT scan_sum(1) OVER (); SELECT count(*) FROM scan_status; EXPLAIN $stock");
is($err . has_node($out), 'PrefixScan', 'loaded by LOAD, then by a call');
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; '
	. 'SET scan.prefixscan = force; SET debug_parallel_query = on;';
$parallel =~ s/debug_parallel_query/force_parallel_mode/ if $server->value('SHOW server_version_num') < 160000;
($out, $err) = as('other',
	"LOAD '\$libdir/plugins/scan'; $parallel SELECT max(s) FROM (SELECT sum(x) OVER (ORDER BY x) AS s FROM data) AS q");
is("$err$out", "500500\n", 'worker processes load it by the name that the session has loaded it by');
$server->lines('DROP EXTENSION scan');

# ---- settings for everyone

($out, $err) = $server->run('ALTER SYSTEM SET scan.work_mem = -1', go_on => 1);
like($err, qr/unrecognized configuration parameter "scan.work_mem"/,
	'ALTER SYSTEM before 17: the library has to be loaded') if $server->value('SHOW server_version_num') < 170000;
$server->lines("LOAD 'scan';\nALTER SYSTEM SET scan.work_mem = -1;\nALTER SYSTEM SET scan.prefixscan = off;\n"
	. "SELECT pg_reload_conf(), pg_sleep(0.5)");
is($server->value("LOAD 'scan'; SELECT current_setting('scan.work_mem') || ' ' || current_setting('scan.prefixscan')"),
	'-1 off', 'ALTER SYSTEM, once it is loaded');
is(has_node((as('other', "LOAD '\$libdir/plugins/scan'; EXPLAIN $stock"))[0]), 'WindowAgg', '... is for every session');
$server->lines(
	"LOAD 'scan';\nALTER SYSTEM RESET scan.work_mem;\nALTER SYSTEM RESET scan.prefixscan;\nSELECT pg_reload_conf()");
is($server->value("SET scan.tenant = 'seven'; LOAD 'scan'; SET scan.customer = 'ann'; "
		. "SELECT current_setting('scan.tenant') || ' ' || current_setting('scan.customer')"), 'seven ann',
	"an application's settings live on beside ours");
($out, $err) = $server->run("SET scan.prefixscan = 'maybe'; LOAD 'scan'; SHOW scan.prefixscan", go_on => 1);
like($err, qr/WARNING:  invalid value for parameter "scan.prefixscan": "maybe"/,
	'a wrong value from before the loading: a warning');
is($out, "auto\n", '... and the default');

# ---- a broker only where it has something to do

is($server->value("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'scan broker'"), 0,
	'not preloaded: no broker');
{
	my $none = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_nosuch'\n");
	is($none->{server}->value('SELECT state || $$|$$ || reason FROM scan_status'),
		'off|the device library "scan_nosuch" is not installed', 'no device library: scan_status says so');
	is($none->{server}->value("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'scan broker'"), 0,
		'... and no worker process is taken');
	is($none->{server}->value('SET scan.device = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}',
		'... and the CPU answers');
	is($none->{server}->value('SELECT count(*) FROM scan_rates()'), 0, '... and the device has no rates');
	undef $none;
}
$cluster->use;

# ---- into another schema

($out, $err) = as('owner', 'CREATE EXTENSION scan SCHEMA theirs');
is($err, '', 'a user without a superuser creates the extension');
$server->lines('CREATE VIEW totals AS SELECT theirs.scan_sum(x) OVER (ORDER BY x) AS total FROM data WHERE x <= 3; '
	. 'CREATE TABLE kept AS SELECT theirs.scan_total(x) AS t FROM data');
# what scan_set_schema() is for: if core ever allows this, the function has no purpose any more
$server->lines('CREATE SCHEMA owned AUTHORIZATION owner');
($out, $err) = as('owner', 'ALTER EXTENSION scan SET SCHEMA owned');
like($err, qr/ERROR:  must be owner of /, 'ALTER EXTENSION is refused to its owner');

sub schema
{
	return $server->value("SELECT extnamespace::regnamespace || ' ' || count(DISTINCT pronamespace) "
		. "FROM pg_extension, pg_proc WHERE extname = 'scan' AND proname ~ '^scan_' GROUP BY extnamespace");
}

for my $case (
	[ 'other', 'theirs.scan_set_schema(\'theirs\')', qr/must be owner of extension scan/, 'another user' ],
	[ 'owner', 'theirs.scan_set_schema(\'closed\')', qr/permission denied for schema closed/,
		'a schema in which the owner may not create' ],
	[ 'owner', 'theirs.scan_set_schema(\'nowhere\')', qr/schema "nowhere" does not exist/, 'no such schema' ],
	[ 'owner', 'theirs.scan_set_schema(\'pg_catalog\')', qr/permission denied for schema pg_catalog/, 'pg_catalog' ],
	[ 'owner', 'theirs.scan_set_schema(\'pg_temp\')', qr/cannot move objects into or out of temporary schemas/,
		'a temporary schema' ],
	[ 'owner', 'theirs.scan_set_schema(NULL), current_user', qr/^\|owner\n$/, 'NULL: nothing' ])
{
	my ($user, $call, $expected, $what) = @$case;
	($out, $err) = as($user, "SELECT $call");
	like($err . $out, $expected, "scan_set_schema: $what");
	is(schema(), 'theirs 1', '... nothing is moved');
}

# an event trigger of a superuser's runs while the extension moves: not with names of the caller's
$server->lines(<<'SQL');
CREATE TABLE public.seen (what text); GRANT ALL ON public.seen TO PUBLIC;
CREATE FUNCTION public.note() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.seen
  VALUES (lower(TG_TAG) || ' ' || current_user || ' ' || current_setting('search_path')); END $$;
CREATE EVENT TRIGGER note ON ddl_command_end EXECUTE FUNCTION public.note();
SQL
$server->lines(
	"CREATE SCHEMA \"My Schema\" AUTHORIZATION owner; DELETE FROM seen; GRANT USAGE ON SCHEMA \"My Schema\" TO PUBLIC");
($out, $err) = as('owner', <<'SQL');
CREATE FUNCTION owned.lower(text) RETURNS text LANGUAGE sql AS $$ SELECT 'bitten ' || current_user $$;
SET search_path = owned, theirs, pg_catalog;
SELECT scan_set_schema('My Schema');
SELECT current_user, current_setting('search_path');
SQL
is($err, '', 'scan_set_schema: the owner');
is((split /\n/, $out)[-1], 'owner|owned, theirs, pg_catalog', '... who is who it was, with its search_path');
is(schema(), '"My Schema" 1', '... and all is moved');
is(join('|', grep { /alter/ } $server->lines('SELECT what FROM seen')), 'alter extension postgres pg_catalog, pg_temp',
	'event triggers see the command, and no name of the caller');
is(join(' ', $server->lines('SELECT total FROM totals')), '1 3 6', 'views live on');
is($server->value('SELECT t FROM kept'), '500500', '... and values');
($out, $err) = as('owner', <<'SQL');
SET search_path = "My Schema", public;
DO $$ BEGIN PERFORM scan_set_schema('closed');
EXCEPTION WHEN insufficient_privilege THEN RAISE NOTICE 'caught as %', current_user; END $$;
SELECT current_user;
BEGIN; SELECT scan_set_schema('theirs'); ROLLBACK;
BEGIN READ ONLY; SELECT scan_set_schema('theirs');
SQL
like("$err$out", qr/NOTICE:  caught as owner/, 'an error leaves the user who it was');
like($err, qr/cannot execute ALTER EXTENSION in a read-only transaction/, 'not in a read-only transaction');
is(schema(), '"My Schema" 1', 'rolled back');
is($server->value('SELECT "My Schema".scan_sum(x) OVER (ORDER BY x) FROM data LIMIT 1'), 1, 'and it goes on');

# a schema that was checked, and has another one's name when the extension moves
$server->lines(<<'SQL');
CREATE FUNCTION public.swap() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN ALTER SCHEMA theirs RENAME TO former;
CREATE SCHEMA theirs; END $$;
CREATE EVENT TRIGGER swap ON ddl_command_start WHEN TAG IN ('ALTER EXTENSION') EXECUTE FUNCTION public.swap();
SQL
($out, $err) = as('owner', 'SELECT "My Schema".scan_set_schema(\'theirs\')');
like($err, qr/ERROR:  schema "theirs" was renamed while extension "scan" was moved to it/,
	'scan_set_schema: a schema that is renamed meanwhile');
is(schema(), '"My Schema" 1', '... nothing is moved');
$server->lines('DROP EVENT TRIGGER swap');
($out, $err) = as('owner',
	'SELECT "My Schema".scan_set_schema(\'theirs\'); ALTER EXTENSION scan UPDATE; DROP EXTENSION scan CASCADE');
unlike($err, qr/ERROR/, 'the owner moves, updates and drops it');
$server->lines('DROP EVENT TRIGGER note; DROP OWNED BY owner CASCADE; REVOKE ALL ON DATABASE ' . $database
	. ' FROM owner; DROP ROLE owner, other');
done_testing();
