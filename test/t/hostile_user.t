# hostile_user.t: what a user gets who has no rights but those to a schema, and means harm.
#
# Values: planning a query puts some of the values in the statistics of a column into the plan, which debug_print_plan
# prints before anybody checks that the user may read the table.  Rows: functions that tell of each row they are given,
# in queries over a row security policy and over views with security_barrier.  Memory: aggregates that the user makes of
# our functions, at random, and our functions called outside of their aggregates; the oracle is core with PrefixScan
# off. Rights: settings, and the function that moves the extension.  any_user.t has what such a user may do,
# permissions.t who may call functions.
#
#   SCAN_TEST_QUERIES=10000 SCAN_TEST_SEED=0.7 test/cluster.sh prove test/t/hostile_user.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $count = $ENV{SCAN_TEST_QUERIES} // 300;
my $seed = $ENV{SCAN_TEST_SEED} // 0.25;
my $server = Server->new('hostile_user');
my $user = "hostile_user_$$";

$server->lines(<<"SQL");
CREATE ROLE $user LOGIN; CREATE SCHEMA m AUTHORIZATION $user; GRANT USAGE ON SCHEMA public TO $user;
ALTER DATABASE $server->{database} SET jit = off;
SQL

# Runs a script as the user; answers what it prints and its errors.
sub as_user
{
	my ($script) = @_;
	local $ENV{PGUSER} = $user;
	return $server->run("SET client_min_messages = error; LOAD '\$libdir/plugins/scan'; $script", go_on => 1);
}

# The same for what must not fail; answers the lines.
sub lines_of_user
{
	my ($out, $err) = as_user(@_);
	die "psql: $err" if $err ne '';
	return split /\n/, $out;
}

my $processes = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0;';
my $force = 'SET scan.prefixscan = force; SET scan.index_skip = force; SET scan.reduce = force;';

# ---- the values of statistics

$server->lines(<<'SQL');
CREATE TABLE secret (k int NOT NULL, id int NOT NULL, tenant name NOT NULL, x int);
INSERT INTO secret SELECT 700000 + (i % 100) * 1111, i, 'other', i FROM generate_series(1, 100000) AS i;
CREATE INDEX ON secret (k, id);
CREATE VIEW barrier WITH (security_barrier) AS SELECT DISTINCT k FROM secret WHERE tenant = current_user;
CREATE VIEW everything AS SELECT DISTINCT k FROM secret;
VACUUM ANALYZE secret;
SQL
# Numbers of the plan that are values of the column k; `rights` come and go.
sub values_shown
{
	my ($rights, $query) = @_;
	$server->lines("$rights->[0]") if $rights->[0] ne '';
	my ($out, $err) = as_user(
		"$force $processes SET debug_print_plan = on; SET client_min_messages = log; EXPLAIN (COSTS off) $query");
	$server->lines("$rights->[1]") if $rights->[1] ne '';
	my %value = map { join(' ', map { $_ > 127 ? $_ - 256 : $_ } unpack 'C4', pack 'V', 700000 + $_ * 1111) => 1 }
		0 .. 99;
	my @shown = grep { $value{$_} } $err =~ /:constvalue 4 \[ (-?\d+ -?\d+ -?\d+ -?\d+) /g;
	return (scalar @shown, $out, $err);
}
my %rights = (
	'no right' => [ '', '' ],
	'another column' => [ "GRANT SELECT (id) ON secret TO $user", "REVOKE SELECT (id) ON secret FROM $user" ],
	'a policy' => [ "GRANT SELECT ON secret TO $user; ALTER TABLE secret ENABLE ROW LEVEL SECURITY; "
		. "CREATE POLICY own ON secret USING (tenant = current_user)", "REVOKE SELECT ON secret FROM $user; "
			. "DROP POLICY own ON secret; ALTER TABLE secret DISABLE ROW LEVEL SECURITY" ]);
for my $right (sort keys %rights)
{
	for my $query ('SELECT DISTINCT k FROM secret', 'SELECT DISTINCT ON (k) k, id FROM secret ORDER BY k, id')
	{
		my ($shown, $out, $err) = values_shown($rights{$right}, $query);
		like($err, qr/CustomScan|CUSTOMSCAN/i, "$right: the plan has an IndexSkip: $query");
		is($shown, 0, '... which shows no value');
	}
}
for my $view ('barrier', 'everything')
{
	my ($shown, $out, $err) = values_shown([ "GRANT SELECT ON $view TO $user", "REVOKE SELECT ON $view FROM $user" ],
		"SELECT k FROM $view");
	like($err, qr/CUSTOMSCAN/i, "the view $view alone: the plan has an IndexSkip");
	is($shown, 0, '... which shows no value');
}
for my $grant ('SELECT', 'SELECT (k, id)')
{
	my ($shown, $out, $err) = values_shown([ "GRANT $grant ON secret TO $user", "REVOKE $grant ON secret FROM $user" ],
		'SELECT DISTINCT k FROM secret');
	cmp_ok($shown, '>', 0, "$grant: several processes divide the groups by values");
	like($out, qr/Gather.*Parallel Custom Scan \(IndexSkip\).*Ranges: \d+/s, '... as EXPLAIN says');
}

# ---- rows that a policy or a view keeps back

$server->lines(<<'SQL');
CREATE TABLE t AS SELECT i AS id, CASE WHEN i % 10 = 0 THEN 'USER' ELSE 'other' END::name AS own, i % 20 AS k,
  i % 13 AS x, 's' || i AS s FROM generate_series(1, 5000) AS i;
ALTER TABLE t ALTER k SET NOT NULL, ALTER id SET NOT NULL; CREATE INDEX ON t (k, id); CREATE INDEX ON t (own, k, id);
SQL
$server->lines("UPDATE t SET own = '$user' WHERE own = 'USER'; VACUUM ANALYZE t; CREATE TABLE u AS TABLE t; "
	. "CREATE INDEX ON u (k, id); CREATE INDEX ON u (k, own, id); VACUUM ANALYZE u");
$server->lines(<<"SQL");
ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON t USING (own = current_user); GRANT SELECT ON t TO $user;
CREATE VIEW above WITH (security_barrier) AS SELECT *
  FROM (SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM u) AS q WHERE own = current_user;
CREATE VIEW below WITH (security_barrier) AS SELECT *, row_number() OVER (PARTITION BY k ORDER BY id) AS n FROM u
  WHERE own = current_user;
CREATE VIEW plain WITH (security_barrier) AS SELECT * FROM u WHERE own = current_user;
CREATE VIEW first WITH (security_barrier) AS SELECT DISTINCT ON (k) * FROM u WHERE own = current_user ORDER BY k, id;
CREATE VIEW firsts WITH (security_barrier) AS SELECT *
  FROM (SELECT DISTINCT ON (k, own) * FROM u ORDER BY k, own, id) AS q WHERE own = current_user;
GRANT SELECT ON above, below, plain, first, firsts TO $user;
SQL
lines_of_user(<<'SQL');
CREATE FUNCTION m.tell(own name, s text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 PARALLEL SAFE IMMUTABLE AS $$
  BEGIN IF own <> current_user THEN RAISE EXCEPTION 'row % of %', s, own; END IF; RETURN true; END $$;
CREATE FUNCTION m.tell(x int, own name) RETURNS int LANGUAGE plpgsql COST 0.0000001 PARALLEL SAFE IMMUTABLE AS $$ BEGIN
  IF own <> current_user THEN RAISE EXCEPTION 'row % of %', x, own; END IF; RETURN x; END $$;
CREATE FUNCTION m.try(q text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE y text; BEGIN EXECUTE q INTO y;
RETURN 'rows ' || coalesce(md5(y), ''); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END $$;
SQL
my @shapes = map {
	my $shape = $_;
	map { (my $query = $shape) =~ s/SOURCE/$_/; $query } 't', 'above', 'below', 'plain', 'first', 'firsts'
} (
	'SELECT count(*), sum(r) FROM (SELECT own, s, row_number() OVER (PARTITION BY k ORDER BY id) AS r '
		. 'FROM SOURCE) AS q WHERE m.tell(own, s)',
	'SELECT count(*), sum(r) FROM (SELECT own, s, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM SOURCE '
		. 'WHERE m.tell(own, s)) AS q WHERE r < 4',
	'SELECT k, count(*), sum(r), max(x) FROM (SELECT own, s, k, x, row_number() OVER (PARTITION BY k ORDER BY id) AS r '
		. 'FROM SOURCE) AS q WHERE m.tell(own, s) GROUP BY k',
	'SELECT k, count(*) FILTER (WHERE m.tell(own, s)) '
		. 'FROM (SELECT own, s, k, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM SOURCE) AS q GROUP BY k',
	'SELECT sum(m.tell(x, own)) '
		. 'FROM (SELECT own, x, row_number() OVER (PARTITION BY k ORDER BY id) AS r FROM SOURCE) AS q WHERE r < 5',
	'SELECT sum(z) FROM (SELECT sum(m.tell(x, own)) OVER (PARTITION BY k ORDER BY id) AS z FROM SOURCE) AS q',
	'SELECT DISTINCT ON (k) k, id, s FROM SOURCE WHERE m.tell(own, s) ORDER BY k, id',
	'SELECT DISTINCT k FROM SOURCE WHERE m.tell(own, s) AND x > 3',
	'SELECT max(z) FROM (SELECT sum(x) FILTER (WHERE m.tell(own, s)) OVER (PARTITION BY k '
		. 'ORDER BY id ROWS 3 PRECEDING) AS z FROM SOURCE) AS q',
	'SELECT k, r FROM (SELECT k, rank() OVER (PARTITION BY k ORDER BY m.tell(id, own)) AS r '
		. 'FROM SOURCE) AS q WHERE r <= 2');
my @asked = map { "SELECT m.try(\$q\$SELECT string_agg(y::text, ',' ORDER BY y::text) FROM ($_) AS y\$q\$);" } @shapes;
my @core = lines_of_user("SET scan.prefixscan = off; SET max_parallel_workers_per_gather = 0; @asked");
for my $way ('SET max_parallel_workers_per_gather = 0;', $processes)
{
	my @ours = lines_of_user("$force $way @asked");
	is(join("\n", map { $ours[$_] eq $core[$_] ? () : "$shapes[$_]: $ours[$_]" } 0 .. $#shapes), '',
		scalar @shapes . " queries with functions that tell of rows, $way");
	my $plans = join "\n", lines_of_user("$force $way " . join ' ', map { "EXPLAIN (COSTS off) $_;" } @shapes);
	my %seen = map { $_ => scalar(() = $plans =~ /$_/g) } qw(PrefixScan IndexSkip WindowReduce);
	cmp_ok($seen{$_}, '>', 5, "... $seen{$_} times in a $_") for sort keys %seen;
}
is(join(' ', grep { /^(?!rows)/ } @core), '', '... no row that is kept back was told of');

# ---- aggregates made of our functions, whatever fits together

lines_of_user(<<'SQL');
CREATE AGGREGATE m.kind_values(float8) (SFUNC = exact_add_square, STYPE = exact_state);
CREATE AGGREGATE m.kind_pairs(float8, float8) (SFUNC = exact_add_pair, STYPE = exact_state);
CREATE AGGREGATE m.kind_powers(float8) (SFUNC = exact_add_powers, STYPE = exact_state);
CREATE AGGREGATE m.kind_total(float8) (SFUNC = total_add_float8, STYPE = total_state);
CREATE TABLE m.start (t regtype, v text);
INSERT INTO m.start SELECT 'exact_state', unnest(ARRAY[m.kind_values(i * 1e300)::text, m.kind_values(i)::text,
  m.kind_pairs(i, i * 1e-300)::text, m.kind_powers(i)::text, time_summary(i, i::bigint ORDER BY i)::text, NULL])
  FROM generate_series(1, 60) AS i;
INSERT INTO m.start SELECT 'total_state', unnest(ARRAY[m.kind_total(i * 1e300)::text, NULL])
  FROM generate_series(1, 60) AS i;
INSERT INTO m.start VALUES ('bytea', '\x'), ('bytea', '\x00'), ('bytea', '\x' || repeat('00', 68)),
  ('bytea', '\x' || repeat('01', 77)), ('bytea', NULL);
CREATE VIEW m.own AS SELECT p.* FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass
  AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'scan';
CREATE TABLE m.transition AS SELECT proname, prorettype AS t,
  ARRAY(SELECT format_type(u, NULL) FROM unnest(proargtypes[1:]) AS u) AS arguments FROM m.own
WHERE prokind = 'f' AND proargtypes[0] = prorettype AND pronargs > 1 AND prorettype IN (SELECT t FROM m.start);
CREATE TABLE m.final AS SELECT proname, proargtypes[0] AS t FROM m.own WHERE prokind = 'f' AND pronargs = 1
  AND proargtypes[0] IN (SELECT t FROM m.start) AND prorettype <> 'cstring'::regtype;
CREATE TABLE m.data AS SELECT i AS id, i % 3 AS p, i * 0.25::float8 AS f, i::float4 AS r, i::int8 AS b,
  i::int2 AS i2, i * 1.5 AS n, date '2026-01-01' + i AS d, timestamp '2026-01-01' + i * interval '1 day' AS ts,
  timestamptz '2026-01-01' + i * interval '1 day' AS tz, i % 2 = 0 AS yes FROM generate_series(1, 40) AS i;
CREATE FUNCTION m.one(VARIADIC a text[]) RETURNS text
  LANGUAGE sql AS 'SELECT a[1 + floor(random() * cardinality(a))::int]';
CREATE FUNCTION m.argument(t text) RETURNS text LANGUAGE sql AS $$ SELECT CASE t
  WHEN 'double precision' THEN m.one('f', 'f * 1e300', 'NULL::float8', '''NaN''::float8', '-f * 1e-300')
  WHEN 'bigint' THEN m.one('b', 'b * 9000000000000000', '-b') WHEN 'numeric' THEN m.one('n', 'n * 1e100')
  WHEN 'real' THEN 'r' WHEN 'integer' THEN 'id' WHEN 'smallint' THEN 'i2' WHEN 'date' THEN 'd'
  WHEN 'timestamp without time zone' THEN 'ts' WHEN 'timestamp with time zone' THEN 'tz'
  WHEN 'interval' THEN 'interval ''3 days'''
  WHEN 'boolean' THEN 'yes' WHEN '"any"' THEN 'yes' WHEN 'text' THEN m.one('''linear''', '''strict_order''')
  WHEN 'scan_total' THEN 'f::scan_total'
  ELSE format('%L::%s', (SELECT v FROM m.start AS s WHERE s.t = $1::regtype ORDER BY random() LIMIT 1), t) END $$;
CREATE TABLE m.answer (query text, core text, ours text);
CREATE FUNCTION m.make(n int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  s m.transition; final name; start text; moving text = ''; command text; arguments text; query text;
  core text; window_ text;
BEGIN
  SELECT * INTO s FROM m.transition ORDER BY random() LIMIT 1;
  SELECT proname INTO final FROM m.final WHERE t = s.t ORDER BY random() LIMIT 1;
  SELECT v INTO start FROM m.start WHERE t = s.t ORDER BY random() LIMIT 1;
  IF random() < 0.7 THEN
    moving = format(', MSFUNC = %I, MINVFUNC = %I, MSTYPE = %s, MFINALFUNC = %I%s', (SELECT proname FROM m.transition
      WHERE t = s.t AND transition.arguments = s.arguments ORDER BY random() LIMIT 1), (SELECT proname FROM m.transition
      WHERE t = s.t AND transition.arguments = s.arguments ORDER BY random() LIMIT 1), s.t::regtype,
      CASE WHEN random() < 0.6 THEN final ELSE (SELECT proname FROM m.final WHERE t = s.t ORDER BY random() LIMIT 1)
        END, CASE WHEN random() < 0.3 THEN format(', MINITCOND = %L', start) ELSE '' END);
  END IF;
  command = format('CREATE AGGREGATE m.made_%s(%s) (SFUNC = %I, STYPE = %s, FINALFUNC = %I%s%s)',
    n, (SELECT string_agg(replace(a, '"any"', 'boolean'), ', ' ORDER BY o)
    FROM unnest(s.arguments) WITH ORDINALITY AS x (a, o)), s.proname, s.t::regtype, final,
    CASE WHEN random() < 0.6 AND start IS NOT NULL THEN format(', INITCOND = %L', start) ELSE '' END, moving);
  BEGIN
    EXECUTE command;
  EXCEPTION WHEN OTHERS THEN
    RETURN false;
  END;
  FOREACH window_ IN ARRAY ARRAY['ORDER BY id', 'PARTITION BY p ORDER BY id', 'ORDER BY id ROWS 3 PRECEDING',
    'ORDER BY id ROWS BETWEEN 2 FOLLOWING AND 5 FOLLOWING', '']
  LOOP
    SELECT string_agg(m.argument(a), ', ' ORDER BY o) INTO arguments
      FROM unnest(s.arguments) WITH ORDINALITY AS x (a, o);
    query = CASE WHEN window_ = '' THEN format('SELECT p AS id, m.made_%s(%s ORDER BY id) AS y FROM m.data GROUP BY p',
      n, arguments) ELSE format('SELECT id, m.made_%s(%s) OVER (%s) AS y FROM m.data', n, arguments, window_) END;
    query = 'SELECT string_agg(y::text, '','' ORDER BY id) FROM (' || query || ') AS q';
    PERFORM set_config('scan.prefixscan', 'off', true);
    core = m.try(query);
    PERFORM set_config('scan.prefixscan', 'force', true);
    INSERT INTO m.answer VALUES (command || '; ' || query, core, m.try(query));
  END LOOP;
  RETURN true;
END $$;
SQL
my ($out, $err) = as_user("SELECT setseed($seed) IS NULL; "
	. "SELECT count(*) FROM (SELECT m.make(i) AS made FROM generate_series(1, $count) AS i) AS s WHERE made");
is($err, '', "$count aggregates (seed $seed): the server lives");
cmp_ok((split /\n/, $out)[1] // 0, '>', $count / 2, '... most were made');
is(join("\n", lines_of_user('SELECT * FROM m.answer WHERE core IS DISTINCT FROM ours LIMIT 5')), '',
	'... PrefixScan answers as core does');
cmp_ok((lines_of_user("SELECT count(*) FROM m.answer WHERE core LIKE 'rows %'"))[0], '>', $count / 2,
	'... often without an error');
is(join("\n", lines_of_user("SELECT DISTINCT core FROM m.answer WHERE core ~ '^XX' "
			. "AND core !~ '^XX001 invalid transition value of scan_funnel'")), '', '... no internal error');
(undef, $err) = as_user('CREATE AGGREGATE m.inside(float8) (SFUNC = exact_product_add_float8, STYPE = internal)');
like($err, qr/cannot be internal|does not exist/, 'a transition value of type internal is for superusers');

# ---- our functions where nobody expects them: alone, with NULLs, as operators

($out, $err) = as_user(<<'SQL');
CREATE TABLE m.called (query text, answer text);
DO $$
DECLARE
  f m.own; arguments text; query text; n int = 0;
BEGIN
  FOR f IN SELECT * FROM m.own WHERE prokind IN ('f', 'w', 'a') AND proname !~ 'kept|keep|shards|set_schema'
  LOOP
    SELECT string_agg(CASE WHEN t IN ('internal'::regtype, '"any"'::regtype) THEN 'NULL'
      ELSE 'NULL::' || CASE WHEN t IN ('anyelement'::regtype, 'anycompatible'::regtype) THEN 'int'
      WHEN t = 'anyarray'::regtype THEN 'int[]' ELSE format_type(t, NULL) END END, ', ' ORDER BY o)
      INTO arguments FROM unnest(f.proargtypes) WITH ORDINALITY AS x (t, o);
    query = format('SELECT %I(%s) %s FROM generate_series(1, 3) LIMIT 9', f.proname, arguments,
      CASE f.prokind WHEN 'w' THEN 'OVER ()' ELSE '' END);
    INSERT INTO m.called VALUES (query, m.try(query));
    CONTINUE WHEN f.pronargs NOT IN (1, 2) OR f.proargtypes::oid[] &&
      ARRAY['internal'::regtype, '"any"'::regtype]::oid[] OR f.prorettype = 'internal'::regtype OR f.proretset;
    n = n + 1;
    query = '@' || translate(lpad(n::text, 4, '0'), '0123456789', '!@#%^&|?~<');
    EXECUTE format('CREATE OPERATOR m.%s (%s RIGHTARG = %s, FUNCTION = %I)', query,
      CASE f.pronargs WHEN 2 THEN format('LEFTARG = %s,', format_type(f.proargtypes[0], NULL)) ELSE '' END,
      format_type(f.proargtypes[f.pronargs - 1], NULL), f.proname);
    query = format('SELECT %s OPERATOR(m.%s) %s', CASE f.pronargs WHEN 2 THEN split_part(arguments, ', ', 1)
      ELSE '' END, query, split_part(arguments, ', ', f.pronargs));
    INSERT INTO m.called VALUES (query, m.try(query));
  END LOOP;
END $$;
SQL
is($err, '', 'our functions with NULLs, and as operators: the server lives');
is(join("\n", lines_of_user("SELECT DISTINCT answer FROM m.called "
			. "WHERE answer ~ '^XX' AND answer !~ 'called in non-aggregate context'")), '', '... no internal error');
cmp_ok((lines_of_user('SELECT count(*) FROM m.called'))[0], '>', 900, '... of that many calls');

# ---- settings

($out, $err) = as_user(<<'SQL');
SET scan.work_mem = '64kB'; SET scan.mock_fault = 'wrong_order'; SET scan.mock_fault_line = 'sort';
SET scan.kept_compact = off; SET scan.debug_kept_deltas = 1; SET scan.gpu_library = 'other'; SET scan.gpu_slots = 64;
SELECT string_agg(name, ' ') FROM pg_settings WHERE name LIKE 'scan.%' AND source <> 'default';
SQL
is($out, "scan.work_mem\n", 'settings of the server are not for users');
{
	local $ENV{PGUSER} = $user;
	($out, $err) = $server->run("SET scan.mock_fault = 'wrong_order'; SET scan.kept_compact = off; "
		. "SET scan.gpu_library = 'other'; LOAD '\$libdir/plugins/scan'; "
		. "SELECT string_agg(name, ' ') FROM pg_settings WHERE name LIKE 'scan.%' AND source <> 'default'", go_on => 1);
	is($out, "\n", '... nor before the library defines them');
}

# ---- the schema of the extension

$server->lines(
	"ALTER DATABASE $server->{database} OWNER TO $user; SET client_min_messages = error; DROP EXTENSION scan CASCADE");
is((as_user('CREATE SCHEMA own; CREATE EXTENSION scan SCHEMA own'))[1], '',
	'the user owns the database now, and makes the extension');
for my $schema ('pg_catalog', 'pg_toast', 'information_schema', 'pg_temp', 'public; DROP TABLE t')
{
	(undef, $err) = as_user("CREATE TEMP TABLE here (a int); SELECT own.scan_set_schema('$schema')");
	like($err, qr/permission denied|temporary schemas|does not exist/, "the extension does not move to $schema");
}
is(join(' ', lines_of_user(
			"SELECT current_user = session_user, extnamespace::regnamespace FROM pg_extension WHERE extname = 'scan'")),
	't|own', '... and the user stays who it was');

done_testing();

END
{
	my $status = $?;
	my $maintenance = $ENV{PGDATABASE} // 'postgres';
	undef $server;
	Server::_psql($maintenance, "DROP ROLE IF EXISTS $user", 0) if defined $user;
	$? = $status;
}
