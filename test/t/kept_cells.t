# kept_cells.t: cells of a kept scan where no random query comes (kept_buckets.t): plans that were made before something
# changed, cursors, users who may not see all, odd partitions, direct calls with wrong arguments, a time limit.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('kept_cells');
my $role = "scan_clerk_$$";
my $first = "LOAD 'scan'; SET client_min_messages = warning; SET scan.kept = force; SET timezone = 'UTC'; ";

$server->lines("ALTER DATABASE $server->{database} SET jit = off; CREATE ROLE $role; " . <<'SQL');
CREATE SCHEMA far;
CREATE TABLE far.p (id serial PRIMARY KEY, account text, at timestamptz NOT NULL, amount bigint NOT NULL, v int,
  secret int, gone int);
-- values of 100 kB are partitions, too
INSERT INTO far.p (account, at, amount, v, secret)
  SELECT repeat(chr(97 + i % 3), CASE i % 3 WHEN 0 THEN 100000 ELSE 5 END),
  timestamptz '2024-01-01 00:00Z' + i * interval '10 min', i, i % 10, i FROM generate_series(1, 900) AS i;
INSERT INTO far.p (account, at, amount, v, secret)
  SELECT 'b', timestamptz '2024-01-01 00:00Z' + i * interval '1 min', i, i % 10, i FROM generate_series(1, 9000) AS i;
CREATE INDEX ON far.p (at);
SELECT scan_keep('k', 'SELECT sum(amount) OVER w AS s, count(*) OVER w AS n, min(v) OVER w AS lo, avg(v) OVER w AS a,
  exact_sum(amount / 7.0::float8) OVER w AS e FROM far.p WINDOW w AS (PARTITION BY account ORDER BY at)');
ANALYZE far.p;
SQL

# What a script prints, the same with scan.kept = off, and whether a plan of it that is explained reads cells.
sub both
{
	my ($script) = @_;
	my ($kept, $error) = $server->run("$first $script", go_on => 1);
	my ($plain, $plain_error) = $server->run("$first $script" =~ s/scan.kept = force/scan.kept = off/r, go_on => 1);
	my $is_read = $kept =~ /scan_kept_cells/ ? 1 : 0;
	s/^!.*\n//mg for $kept, $plain;
	s/^psql:\S+ |^CONTEXT:.*\n//mg for $error, $plain_error;
	return ("$kept$error", "$plain$plain_error", $is_read);
}

# EXPLAIN, as lines that begin with a '!'.
my $explain = <<'SQL';
CREATE FUNCTION pg_temp.plan(q text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || q LOOP RETURN NEXT '!' || line; END LOOP;
END $$;
SQL

sub same
{
	my ($what, $is_read, $script) = @_;
	my ($kept, $plain, $read) = both($explain . $script);
	is($kept, $plain, "$what: the same");
	is($read, $is_read, "$what: " . ($is_read ? 'cells are read' : 'the table is read')) if defined $is_read;
	return;
}

my $months = 'SELECT date_trunc(\'month\', at), sum(amount), count(*), min(v) FROM far.p GROUP BY 1 ORDER BY 1';
my $days = 'SELECT date_trunc(\'day\', at) AS d, left(account, 3), length(account), sum(amount), avg(v) '
	. 'FROM far.p GROUP BY 1, account ORDER BY 1, 2, 3';
same('wide partitions', 1, "SELECT pg_temp.plan(\$\$$days\$\$); $days;");
same('lists of them', 1, map { "SELECT pg_temp.plan(\$\$$_\$\$); $_;" }
		$days =~ s/GROUP/WHERE account IN ('b', repeat('a', 100000)) GROUP/r);

# ---- plans that were made before

my $prepare = "SET plan_cache_mode = force_generic_plan; PREPARE q AS $months; EXECUTE q; ";
same('a plan and SET TimeZone', 1, "$prepare SET timezone = 'Asia/Kolkata'; EXECUTE q; "
		. "SELECT pg_temp.plan('EXECUTE q'); SET timezone = 'America/St_Johns'; EXECUTE q");
foreach my $change ('ALTER TABLE far.p ADD COLUMN z int', 'ALTER TABLE far.p DROP COLUMN gone',
	'ALTER TABLE far.p ALTER secret TYPE bigint', 'UPDATE far.p SET v = -5 WHERE id = 7',
	'DELETE FROM far.p WHERE v = 0',
	"ALTER TABLE far.p DISABLE TRIGGER USER; INSERT INTO far.p (at, amount) VALUES ('2024-01-02', 1000000)",
	'TRUNCATE far.p', 'VACUUM FULL far.p', "SELECT length(scan_kept_check('k')::text)",
	"SELECT 1 FROM scan_unkeep('k')",
	'DROP TABLE far.p CASCADE; CREATE TABLE far.p (at timestamptz, amount bigint, v int)',
	'ALTER TABLE far.p RENAME amount TO money', 'ALTER SCHEMA far RENAME TO near',
	"SET search_path = ''", 'SAVEPOINT s; TRUNCATE far.p; EXECUTE q; ROLLBACK TO s')
{
	my ($begin, $end) = $change =~ /VACUUM/ ? ('', '') : ('BEGIN;', 'ROLLBACK; EXECUTE q;');
	# what the change itself prints differs
	same($change, undef, "$prepare $begin " . ($change =~ /^SELECT/ ? '\o /dev/null' . "\n$change;\n\\o\n" : "$change;")
			. " EXECUTE q; $end");
}

# ---- cursors

my $change = "INSERT INTO far.p (account, at, amount) SELECT 'b', '2024-01-05', 1000000 FROM generate_series(1, 300); "
	. "DELETE FROM far.p WHERE at < '2024-01-02'; ";
same('a cursor before changes', 1, "SELECT pg_temp.plan(\$\$$days\$\$); BEGIN; DECLARE c CURSOR FOR $days; "
		. "FETCH 2 FROM c; $change FETCH ALL FROM c; $months; ROLLBACK");
same('a cursor that was not fetched from', undef,
	"BEGIN; DECLARE c CURSOR FOR $days; $change FETCH ALL FROM c; ROLLBACK");
same('a cursor that is held', undef, "BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR $days; COMMIT; BEGIN; $change "
		. "FETCH 3 FROM c; FETCH PRIOR FROM c; ROLLBACK");

# ---- users

my $sums = 'SELECT date_trunc(\'month\', at), sum(amount) FROM far.p GROUP BY 1 ORDER BY 1';
$server->lines("GRANT USAGE ON SCHEMA far TO $role; GRANT SELECT (at, amount, account) ON far.p TO $role; "
	. "CREATE VIEW far.view AS $months; CREATE VIEW far.denied AS $months; GRANT SELECT ON far.view TO $role");
same('columns that may be read', 1, "SET ROLE $role; SELECT pg_temp.plan(\$\$$sums\$\$); $sums");
same('a column that may not', 0, "SET ROLE $role; $months; SELECT count(*) FROM far.denied; "
		. 'SELECT date_trunc(\'day\', at), sum(amount) FILTER (WHERE v > 3) FROM far.p GROUP BY 1');
same('a view of the owner', 1, "SET ROLE $role; SELECT pg_temp.plan('SELECT * FROM far.view'); SELECT * FROM far.view");
like(($server->run("$first SET ROLE $role; SELECT * FROM "
			. "scan_kept_cells('far.k', '---', 1, 1) "
			. 'AS r(a text, b timestamptz, l timestamptz, c bigint, d bytea, e bigint, f int, g bytea, '
			. 'h exact_state)'))[1],
	qr/permission denied for table p/,
	'the function itself asks for all columns');
$server->lines("ALTER TABLE far.p ENABLE ROW LEVEL SECURITY; CREATE POLICY clerks ON far.p USING (account = 'b')");
same('row security', 0, "$prepare SET ROLE $role; SELECT pg_temp.plan(\$\$$sums\$\$); $sums");
same('a plan of another role', undef, "GRANT SELECT ON far.p TO $role; $prepare SET ROLE $role; EXECUTE q; "
		. "RESET ROLE; EXECUTE q; REVOKE SELECT ON far.p FROM $role");
$server->lines('ALTER TABLE far.p DISABLE ROW LEVEL SECURITY');

# ---- conditions of the level above, which choose groups of the level below

my $groups = "SELECT account, date_trunc('week', at) AS week, sum(amount) AS total FROM far.p GROUP BY 1, 2";
$server->lines("CREATE VIEW far.weeks AS $groups; CREATE VIEW far.barrier WITH (security_barrier) AS $groups; "
	. 'CREATE VIEW far.weeks_of_b AS SELECT * FROM far.weeks WHERE account = \'b\'');

# Whether the partitions are chosen by a list of the call.
sub chosen
{
	my ($wanted, @queries) = @_;
	foreach my $query (map { s/GROUPS/$groups/r } @queries)
	{
		same($query, undef, "SELECT md5(string_agg(x::text, ',' ORDER BY x)), count(*) FROM ($query) AS x");
		my ($plan) = $server->run("$first EXPLAIN (VERBOSE, COSTS OFF) $query");
		is($plan =~ /scan_kept_cells\([^)]*'[-\[\]()]{2}\*/ ? 1 : 0, $wanted,
			$wanted ? '... of the partition' : '... of all') or diag("$query\n$plan");
	}
	return;
}

chosen(1, "SELECT * FROM (GROUPS) AS x WHERE account = 'b'", "SELECT * FROM far.weeks WHERE account = 'b'",
	"SELECT sum(total) FROM far.weeks WHERE account IN ('b', 'x') AND week > '2024-01-04' AND total > 5",
	"SELECT * FROM far.weeks_of_b", "SELECT DISTINCT ON (account) * FROM far.weeks WHERE account = 'b' ORDER BY 1, 2",
	"SELECT x.* FROM far.weeks AS x, generate_series(1, 2) WHERE 'b' = x.account",
	"SELECT (SELECT sum(total) FROM far.weeks WHERE account = 'b' AND week >= w) FROM generate_series(timestamptz "
		. "'2024-01-01', '2024-01-05', '1 day') AS w",
	"SELECT * FROM (GROUPS HAVING count(*) > 3) AS x WHERE account = chr(98)");
chosen(0, "SELECT * FROM (GROUPS ORDER BY 3 LIMIT 4) AS x WHERE account = 'b'",
	"SELECT * FROM (GROUPS ORDER BY 3 OFFSET 1) AS x WHERE account = 'b'",
	"SELECT * FROM (SELECT account, row_number() OVER (ORDER BY account) AS r, count(*) FROM far.p GROUP BY 1) AS x "
		. "WHERE account = 'b'",
	"SELECT * FROM (SELECT account, sum(amount) AS total FROM far.p GROUP BY ROLLUP (1)) AS x WHERE account = 'b'",
	"SELECT * FROM (SELECT DISTINCT account, count(*) FROM far.p GROUP BY account, date_trunc('week', at)) AS x "
		. "WHERE account = 'b'",
	"SELECT g, x.* FROM generate_series(1, 2) AS g LEFT JOIN far.weeks AS x ON true WHERE account = 'b'",
	"SELECT g, x.* FROM generate_series(1, 2) AS g LEFT JOIN far.weeks AS x ON account = 'b'",
	"SELECT g, total FROM generate_series(1, 2) AS g LEFT JOIN far.weeks AS x ON total < 0 WHERE account IS NULL",
	"SELECT * FROM far.barrier WHERE account = 'b'", "SELECT * FROM far.weeks WHERE account = 'b' OR total > 5",
	"SELECT x.* FROM far.weeks AS x, far.p AS p WHERE x.account = p.account AND p.id = 7",
	"SELECT * FROM (SELECT max(account) AS account, count(*) FROM far.p) AS x WHERE account = 'b'",
	"SELECT * FROM far.weeks WHERE account = chr((97 + random() * 0)::int)",
	"SELECT * FROM far.weeks WHERE account = (SELECT min(account) FROM far.p)");
# an error of theirs is one of rows that the level's own conditions let through
my $error = '10 / (length(account) - 5) < 9';
my $holds = '(length(account) + 0) % 5 > 0';
my $below = "(SELECT * FROM far.p WHERE $holds) AS y";
foreach my $own ("far.p WHERE $holds GROUP BY 1", "far.p GROUP BY 1 HAVING $holds", "$below GROUP BY 1",
	"$below WHERE $error GROUP BY 1")
{
	my $query = "SELECT * FROM (SELECT account, sum(amount) AS s FROM $own) AS x WHERE $error";
	same("a condition that fails for other groups: $own", 1, "SELECT pg_temp.plan(\$\$$query\$\$); $query");
}
same('the condition of a MERGE', undef, 'CREATE TEMP TABLE t (account text, s numeric); MERGE INTO t USING '
		. '(SELECT account, sum(amount) AS s FROM far.p GROUP BY 1) AS x ON t.account = x.account AND x.account = '
		. "'b' WHEN NOT MATCHED THEN INSERT VALUES (x.account, x.s); SELECT left(account, 9), s FROM t ORDER BY 1");

# ---- conditions that keep others from failing

$server->lines($first . <<'SQL');
CREATE TABLE guards (account int NOT NULL, i int, at timestamptz NOT NULL);
INSERT INTO guards SELECT a, CASE WHEN a = 77 THEN 1 ELSE k % 10 END, timestamptz '2026-01-01' + k * interval '1 hour'
  FROM unnest('{1, 2, 77}'::int[]) AS a, generate_series(1, 300) AS k;
SELECT scan_keep('guards_kept', 'SELECT sum(i) FILTER (WHERE i > 5) OVER w AS s, count(*) FILTER (WHERE i > 5) OVER w
  AS c, count(*) FILTER (WHERE (i > 5) IS NOT TRUE) OVER w AS d FROM guards WINDOW w AS (PARTITION BY account
  ORDER BY at)');
SQL
foreach ([ 0, 'sum(CASE WHEN 1 / (account - 77) > -5 THEN i END) FILTER (WHERE i > 5) FROM guards' ],
	[ 0, 'sum(CASE WHEN i > 5 AND 1 / (account - 77) > -5 THEN 1 ELSE 0 END) FROM guards' ],
	[ 0, 'sum(i) FILTER (WHERE i > 5 AND 1 / (account - 77) > -5) FROM guards' ],
	[ 1, q{sum(i) FILTER (WHERE i > 5 AND at > '2026-01-03' AND account IN (1, 2) AND extract(dow FROM at) > 3) }
			. 'FROM guards' ], [ 1, 'sum(CASE WHEN i > 5 AND account < 2 THEN i END) FROM guards' ],
	[ 0, 'count(*) FROM (SELECT * FROM guards WHERE account <> 77) AS s JOIN (VALUES (1)) AS v(a) '
			. 'ON 10 / (account - 77) > -20' ])
{
	same($_->[1], $_->[0], "SELECT pg_temp.plan(\$\$SELECT $_->[1]\$\$); SELECT $_->[1]");
}

# ---- numeric columns

$server->lines($first . <<'SQL');
CREATE TABLE rates (id numeric(10) NOT NULL, rate numeric NOT NULL, at timestamp NOT NULL, amount int);
INSERT INTO rates SELECT i % 3, (ARRAY[1.0, 1.00, 2])[i % 3 + 1], timestamp '2024-01-01' + i * interval '1 hour', i
  FROM generate_series(1, 2000) AS i;
SELECT scan_keep('rates_kept', 'SELECT sum(amount) OVER w AS s FROM rates
  WINDOW w AS (PARTITION BY id, rate ORDER BY at)');
SQL
foreach ([ 1, '1', 'id' ], [ 1, '1, 2', "id, date_trunc('day', at)", 'id IN (1.0, 2)' ],
	[ 1, '1, 2', 'id * 1.5, id::text', 'id = 2.000' ], [ 0, '1', 'rate' ], [ 0, '1', 'scale(rate)' ],
	[ 1, '1, 2', 'id, rate = 1' ], [ 1, '1', 'id', 'rate = 1 AND id > 0' ],
	[ 1, '1', "at < timestamptz '2024-01-05'" ])
{
	my ($is_read, $by, $shown, $where) = @$_;
	my $query = "SELECT $shown, sum(amount) FROM rates WHERE " . ($where // 'true') . " GROUP BY $by";
	same($query, $is_read, "SELECT pg_temp.plan(\$\$$query\$\$); "
			. "SELECT x::text FROM ($query) AS x ORDER BY 1");
}
# ---- direct calls

my $columns = 'account text, at timestamptz, scan_last timestamptz, scan_rows bigint, s bytea, n bigint, lo int, '
	. 'a bytea, e "exact_state"';

# The rows and cells of a call, or its SQLSTATE.
sub called
{
	my ($expected, $call, @arguments) = @_;
	my $script = $first . <<'SQL';
CREATE FUNCTION pg_temp.tried(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text;
BEGIN
  EXECUTE q INTO r;
  RETURN coalesce(r, 'NULL');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
SQL
	my @said = $server->lines($script
			. join '', map { "SELECT pg_temp.tried(\$q\$" . ($call =~ s/ARGUMENTS/$_/r) . "\$q\$);\n" } @arguments);
	is(join("\n", map { "$arguments[$_]: $said[$_]" } 0 .. $#arguments), $expected =~ s{\n\z}{}r, $call =~ s{\(.*}{}sr);
	return;
}

my $list = <<'LIST';
'---', 1, 1: 9900
'---', NULL::int, 'x'::text: 9900
'', 1, 1: 22023
'x--', 1, 1: 22023
'--=', 1, 1: 22023
'--*', 1, 1: 42804
'--*', 1, 1, 7: 42804
'--*', 1, 1, '{1}'::int[]: 42804
'--*', 1, 1, '{b,b,NULL,z}'::text[]: 9000
'--*', 1, 1, '{{b},{c}}'::text[]: 9000
'--*', 1, 1, '{}'::text[]: NULL
'[)-', 1, 1, now(): 42804
'[)-', 1, 1, 5, 6: 42804
'[)-', 1, 1, NULL::timestamptz, NULL::timestamptz: NULL
'[]-', 1, 1, '-infinity'::timestamptz, 'infinity'::timestamptz: 9900
'---t', 1, 1: 22023
'---t', 1, 1, 5: 22023
'---t', 1, 1, 'day'::text, 'day'::text: 22023
'---t', 1, 1, 'nonsense'::text: 9900
'---t', 1, 1, NULL::text: 9900
'---q', 1, 1: 22023
'---zt', 1, 1, repeat('x', 100000), 'day'::text: 9900
'---llllluuuuullllt', 1, 1, 'day'::text: 9900
'---b', 1, 1, interval '-1 day', now(): 9900
'---b', 1, 1, interval '178000000 years', now(): 9900
'---b', 1, 1, interval '1 day', 'infinity'::timestamptz: 9900
'---b', 1, 1, interval '1 day', interval '1 day': 22023
'---e', 1, 1, 'NaN'::numeric: 9900
'---e', 1, 1, 1e-300: 9900
'---e', 1, 1, 60: 22023
'---/', 1, 1, 0: 9900
'---/', 1, 1, (-9223372036854775808)::bigint: 9900
'---c', 1, 1, 'infinity'::date: 9900
'---+t', 1, 1, interval '2147483647 days', 'day'::text: 9900
'---Mt', 1, 1, interval '-2147483648 days', 'day'::text: 9900
'---f', 1, 1, repeat('Y', 1000000): 9900
LIST
$server->lines('DELETE FROM far.p WHERE account IS NULL');
called($list, "SELECT sum(scan_rows) FROM scan_kept_cells('far.k', ARGUMENTS) AS r($columns)",
	map { /(.*): / } split /\n/, $list);

$list = <<'LIST';
'far.k', 0, 'sum(bigint)'::regprocedure, s, NULL::numeric: 40909950
'far.k', 3, 'sum(int)'::regprocedure, a, NULL::bigint: 44550
'far.k', 3, 'count("any")'::regprocedure, a, NULL::bigint: 9900
NULL, 0, 'sum(bigint)'::regprocedure, s, NULL::numeric: 22004
'far.p', 0, 'sum(bigint)'::regprocedure, s, NULL::numeric: 42704
'far.k', 5, 'sum(bigint)'::regprocedure, s, NULL::numeric: 22023
'far.k', -2, 'sum(bigint)'::regprocedure, s, NULL::numeric: 22023
'far.k', 0, 0, s, NULL::numeric: 42804
'far.k', 0, 'now'::regproc, s, NULL::numeric: 42804
'far.k', 0, 'sum(bigint)'::regprocedure, s, NULL::bigint: 42804
'far.k', 0, 'sum(bigint)'::regprocedure, n, NULL::numeric: 42804
'far.k', 0, 'sum(bigint)'::regprocedure, a, NULL::numeric: 44550
'far.k', 0, 'sum(bigint)'::regprocedure, ''::bytea, NULL::numeric: XX001
'far.k', 0, 'sum(bigint)'::regprocedure, NULL::bytea, NULL::numeric: NULL
'far.k', -1, 0, scan_rows, NULL::bigint: 9900
'far.k', -1, 0, scan_rows, NULL::text: 42804
LIST
called($list, "SELECT scan_kept_merge(ARGUMENTS) FROM scan_kept_cells('far.k', '---', 1, 1) AS r($columns)",
	map { /(.*): / } split /\n/, $list);

# ---- changes of rows at the ends of time, which are in the log

foreach my $type ('timestamptz', 'date')
{
	$server->lines($first . <<"SQL");
CREATE TABLE ends_$type AS SELECT CASE i % 4 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity' ELSE date '2024-01-01' + i
  END::$type AS at, i AS amount FROM generate_series(1, 2000) AS i;
ALTER TABLE ends_$type ALTER at SET NOT NULL;
SELECT scan_keep('ends_${type}_kept', 'SELECT sum(amount) OVER w AS s, count(*) OVER w AS n FROM ends_$type
  WINDOW w AS (ORDER BY at)');
UPDATE ends_$type SET amount = amount - 7;
DELETE FROM ends_$type WHERE amount > 1900;
SQL
	# a value is among the last rows, so that the last interval that was looked at is not that of the infinite ones
	my $tiles = join ', ', map { "sum(amount) FILTER (WHERE $_)" } "at >= '2029-05-01'", "at < '2025-01-01'",
		"at::timestamp >= '2024-05-05'";
	same("ends of $type, $_", 1, "SELECT pg_temp.plan(\$\$SELECT $_ FROM ends_$type\$\$); SELECT $_ FROM ends_$type")
		foreach "sum(amount) FILTER (WHERE at >= '2029-05-01')",
		"sum(amount) FILTER (WHERE at::timestamp >= '2029-05-01')",
		$tiles;
	same("ends of $type, grouped", undef, "SELECT at >= '2029-05-01', sum(amount), count(*) FROM ends_$type GROUP BY 1 "
		. "ORDER BY 1; SELECT at::timestamp >= '2029-05-01', count(*) FROM ends_$type GROUP BY 1 ORDER BY 1");
}

# ---- many cells

$server->lines($first . <<'SQL');
CREATE TABLE many AS SELECT timestamptz '2024-01-01 00:00Z' + i * interval '1 min' AS at, i AS amount
  FROM generate_series(1, 60000) AS i;
ALTER TABLE many ALTER at SET NOT NULL;
SELECT scan_keep('many_kept', 'SELECT sum(amount) OVER w AS s FROM many WINDOW w AS (ORDER BY at)');
SQL
my $minutes = "SELECT date_trunc('minute', at), sum(amount) FROM many GROUP BY 1";
same('a cell for each row', 1, "SELECT pg_temp.plan(\$\$$minutes\$\$); "
		. "SELECT md5(string_agg(x::text, ',' ORDER BY x)) FROM ($minutes) AS x");
my (undef, $late) = $server->run("$first SET statement_timeout = 20; SELECT count(*) FROM ($minutes) AS x");
like($late, qr/canceling statement due to statement timeout/, 'a time limit is kept');

$server->lines("DROP OWNED BY $role; DROP ROLE $role");
done_testing;
