# upgrade.t: from version 1.2 of the catalog to 1.3, with what depends on it.
#
# 1.2's objects work with the library of 1.3 before the upgrade, and what was made of them, views,
# columns, indexes, functions, answers the same after it.  The catalog is then the one that a new
# database has, object for object.  It moves to another schema, and is dumped and restored.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Server;

my $old = Server->new('upgrade_old', extension => "CREATE EXTENSION scan VERSION '1.2'");
my $new = Server->new('upgrade_new');

is($old->value("SELECT extversion FROM pg_extension WHERE extname = 'scan'"), '1.2', 'version 1.2');
is($new->value("SELECT extversion FROM pg_extension WHERE extname = 'scan'"), '1.3', 'a new database has 1.3');

# ---- what users have

my $made = <<'SQL';
CREATE TABLE reading AS SELECT i AS id, i % 5 AS p, hashint4(i) / 7.0::float8 AS v,
  (hashint4(i) % 1000 / 8.0)::float4 AS narrow FROM generate_series(1, 2000) AS i;
CREATE TABLE piece AS SELECT p, scan_total(v) AS total, affine(0.5, v ORDER BY id) AS map FROM reading GROUP BY p;
CREATE INDEX piece_total ON piece USING hash (total);
CREATE VIEW sums AS SELECT p, exact_sum(v) AS v, exact_sum(narrow) AS narrow, exact_var_samp(id) AS var,
  exact_corr(v, narrow) AS corr, time_average(v, id) AS average FROM reading GROUP BY p;
CREATE VIEW running AS SELECT id, scan_sum(v) OVER w AS s, exact_sum(v) OVER w AS e,
  scan_fold(id, 'int4larger(int4,int4)') OVER w AS f, scan_ema(v, 0.25) OVER w AS ema FROM reading
  WINDOW w AS (PARTITION BY p ORDER BY id);
CREATE VIEW moving AS SELECT id, exact_sum(v) OVER (ORDER BY id ROWS 9 PRECEDING) AS e,
  exact_sum(narrow) OVER (ORDER BY id ROWS 9 PRECEDING) AS n FROM reading;
CREATE VIEW filled AS SELECT id, scan_locf(nullif(v, 0), id, 3) OVER w AS aged, scan_nocb(nullif(v, 0), 2) OVER w AS
  next, scan_interpolate(v, id) OVER w AS line, scan_session(date '2026-11-01' + id, interval '2 days') OVER w AS visit,
  scan_counter(narrow) OVER w AS gain, scan_change(p) OVER w AS run, scan_bin(abs(narrow), 1000) OVER w AS bin,
  moving_median(v) OVER (w ROWS 8 PRECEDING) AS median FROM reading WINDOW w AS (ORDER BY id);
CREATE MATERIALIZED VIEW kept AS SELECT id, scan_locf(nullif(v, 0)) OVER (ORDER BY id) AS x FROM reading;
CREATE VIEW device AS SELECT state, reason, jobs FROM scan_status;
CREATE VIEW whole_device AS SELECT * FROM scan_status;
CREATE FUNCTION total_of(int) RETURNS float8 LANGUAGE sql AS 'SELECT exact_sum(v) FROM reading WHERE p = $1';
SQL
my @reads = map { "SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM ($_) AS t" } 'SELECT * FROM piece',
	'SELECT * FROM sums', 'SELECT * FROM running', 'SELECT * FROM moving', 'SELECT * FROM filled', 'SELECT * FROM kept',
	'SELECT * FROM state', 'SELECT sum_of(sum), corr_of(pairs), total_of_states(total) FROM state',
	'SELECT total_of(g) FROM generate_series(0, 5) AS g', 'SELECT scan_total(total) AS all_of_it FROM piece',
	'SELECT a.p, b.p AS q FROM piece AS a JOIN piece AS b USING (total)',
	"SELECT (SELECT total FROM piece WHERE p = 1) = total AS same FROM piece",
	'SELECT p, map * 1.5::float8 AS at FROM piece', 'SELECT exact_sum(v) AS none FROM reading WHERE p > 5',
	'SELECT exact_sum(narrow) AS none FROM reading WHERE p > 5', 'SELECT * FROM device';
my $parallel = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';

sub answers { my ($server, $settings) = @_; return [ $server->lines("LOAD 'scan'; $settings " . join(';', @reads)) ] }

open my $states, '<', "$FindBin::Bin/../package/stored_states.sql" or die "stored_states.sql: $!";
$made .= join '', <$states>;
$_->lines($made . 'ANALYZE') for $old, $new;
my $wanted = answers($new, '');
is(scalar @$wanted, scalar @reads, 'all are answered');
is_deeply(answers($old, $_), $wanted, "before the upgrade: $_")
	for 'SET scan.prefixscan = off;', 'SET scan.prefixscan = force;', $parallel;
$old->lines('REINDEX TABLE piece; REFRESH MATERIALIZED VIEW kept');

# ---- the upgrade

$old->lines('ALTER EXTENSION scan UPDATE');
is($old->value("SELECT extversion FROM pg_extension WHERE extname = 'scan'"), '1.3', 'upgraded');
is_deeply(answers($old, $_), $wanted, "after the upgrade: $_")
	for 'SET scan.prefixscan = off;', 'SET scan.prefixscan = force;', $parallel;

# ---- the name that scan.prefixscan had in 1.0: for a database, a session, and the processes of a query

my $former = Server->new('upgrade_former');
$former->lines("LOAD 'scan'; ALTER DATABASE $former->{database} SET scan.node = off");
is($former->value("LOAD 'scan'; SHOW scan.prefixscan"), 'off', 'a database with the former name set');
is($former->value("LOAD 'scan'; SET scan.prefixscan = force; SHOW scan.node"), 'force', 'the last SET counts');
is($former->value("LOAD 'scan'; SET scan.node = force; RESET scan.node; SHOW scan.prefixscan"), 'off', 'RESET');
unlike(join("\n",
		$old->lines("LOAD 'scan'; SET scan.node = off; EXPLAIN SELECT scan_sum(id) OVER (ORDER BY id) FROM reading")),
	qr/PrefixScan/, 'a session');
unlike(join("\n", $old->lines("LOAD 'scan'; SHOW ALL")), qr/scan\.node/, 'SHOW ALL has the new name alone');

is($old->value("SELECT array_scan_session('{1,5,6}'::int[], 2)"), '{1,2,2}', 'what is new is there');

my $catalog = <<'SQL';
SELECT pg_describe_object(d.classid, d.objid, 0) || ' ' || coalesce(
         (SELECT concat_ws(' ', p.prosrc, p.probin, p.prolang, p.prokind, p.provolatile, p.proparallel,
           p.proisstrict, p.proleakproof, p.procost, p.prorows, p.prosupport, pg_get_function_arguments(p.oid),
           pg_get_function_result(p.oid), p.proacl)
          FROM pg_proc AS p WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid), '')
       || coalesce((SELECT (to_jsonb(a) - 'aggfnoid' - 'aggtranstype' - 'aggmtranstype')::text ||
         format_type(a.aggtranstype, NULL) || format_type(a.aggmtranstype, NULL)
          FROM pg_aggregate AS a WHERE d.classid = 'pg_proc'::regclass AND a.aggfnoid = d.objid), '')
       || coalesce((SELECT (to_jsonb(t) - 'oid' - 'typrelid' - 'typarray' - 'typelem' - 'typnamespace' -
         'typowner')::text FROM pg_type AS t WHERE d.classid = 'pg_type'::regclass AND t.oid = d.objid), '')
       || coalesce((SELECT concat_ws(' ', o.oprname, o.oprleft::regtype, o.oprright::regtype, o.oprcode, o.oprrest,
         o.oprjoin, o.oprcanhash, o.oprcanmerge, o.oprcom::regoperator, o.oprnegate::regoperator)
          FROM pg_operator AS o WHERE d.classid = 'pg_operator'::regclass AND o.oid = d.objid), '')
       || coalesce((SELECT concat_ws(' ', c.castcontext, c.castmethod, c.castfunc::regprocedure) FROM pg_cast AS c
         WHERE d.classid = 'pg_cast'::regclass AND c.oid = d.objid), '')
       || coalesce((SELECT pg_get_viewdef(r.oid) || coalesce(r.relacl::text, '') FROM pg_class AS r
         WHERE d.classid = 'pg_class'::regclass AND r.oid = d.objid AND r.relkind = 'v'), '')
       || ' ' || coalesce(obj_description(d.objid, (SELECT relname FROM pg_class WHERE oid = d.classid)), 'no comment')
FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND d.refclassid = 'pg_extension'::regclass
WHERE e.extname = 'scan' AND d.deptype = 'e' ORDER BY 1
SQL
my ($is, $should) = map { [ $_->lines($catalog) ] } $old, $new;
cmp_ok(scalar @$should, '>', 200, 'the catalog has its objects');
is_deeply($is, $should, 'the catalog is that of a new database, object for object');

# ---- another schema, and another database

$old->lines('CREATE SCHEMA elsewhere; ALTER EXTENSION scan SET SCHEMA elsewhere');
is_deeply(answers($old, 'SET search_path = public, elsewhere;'), $wanted, 'in another schema');

my $bin = defined $ENV{PG_BINDIR} ? "$ENV{PG_BINDIR}/" : '';
my $dump = File::Temp->new;
is(system("${bin}pg_dump -d $old->{database} -f $dump"), 0, 'dumped');
my $restored = Server->new('upgrade_restored', extension => 'SELECT 1');
my ($out, $err) = $restored->run("\\i $dump", go_on => 1);
is($err, '', 'restored');
is_deeply(answers($restored, 'SET search_path = public, elsewhere;'), $wanted,
	'the restored database answers the same');
is($restored->value("SELECT extversion FROM pg_extension WHERE extname = 'scan'"), '1.3', 'with 1.3');
done_testing();
