# node_errors.t: errors and side effects that core never comes to, the node must not
# show; those that core comes to it must.
#
# WindowAgg computes what it needs for the row that it gives.  The node computes a block
# at a time, and pulls rows ahead: what may fail it has to put off, or leave to core.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('node_errors');

$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 7 AS p, i * 7919 % 1009 AS x, 'v' || i AS t FROM generate_series(1, 700) AS i;
CREATE UNIQUE INDEX ON data (id);
CREATE INDEX ON data (p, id);
ANALYZE data;
CREATE TABLE shuffled AS SELECT i AS id, CASE WHEN hashint4(i) % 11 <> 0 THEN abs(hashint4(i + 2)) % 12 END AS o,
  repeat('x', 300) AS wide FROM generate_series(1, 180) AS i ORDER BY hashint4(i);
CREATE INDEX ON shuffled (id);
ANALYZE shuffled;
SQL

# what psql prints for a script, errors too
sub printed
{
	my ($node, $script) = @_;
	my ($out, $err) = $server->run("LOAD 'scan'; SET jit = off; SET scan.prefixscan = $node;\n$script", go_on => 1);
	$err =~ s/^psql:\S+ //mg;
	return "$out$err";
}

sub same
{
	my ($what, $expected, $script) = @_;
	my $core = printed('off', $script);
	like($core, $expected, "$what: core");
	is(printed('force', $script), $core, $what);
}

my $rows = qr/\A[^E]+\z/;
my $fails = '(SELECT 1 / (count(*) - 700)::int FROM data)';

# ---- arguments that nobody looks at

same('a subquery behind a FILTER that no row passes', $rows,
	"SELECT id, sum($fails) FILTER (WHERE x > 100000) OVER (ORDER BY id) FROM data");
same('a subquery as the default of lead, behind LIMIT', $rows,
	"SELECT id, lead(x, 1, $fails) OVER (ORDER BY id) FROM data LIMIT 3");
same('a subquery as a default that is never needed', $rows,
	"SELECT id, lag(x, 0, $fails) OVER (ORDER BY id) FROM data");
same('a subquery as a default that is needed', qr/division by zero/,
	"SELECT id, lag(x, 1, $fails) OVER (ORDER BY id) FROM data");
same('a function of constants behind a FILTER', $rows,
	"SELECT id, max(current_setting('no.such')) FILTER (WHERE x > 100000) OVER (ORDER BY id) FROM data");
same('a function of constants in a FILTER', $rows,
	"SELECT count(*) FILTER (WHERE id > 10 AND current_setting('no.such') = 'x') OVER (ORDER BY id) FROM data LIMIT 3");
same('a function of constants as the default of lead', $rows,
	"SELECT lead(t, 1, current_setting('no.such')) OVER (PARTITION BY p ORDER BY id) FROM data LIMIT 3");
same('a function of constants that is needed', qr/no\.such/,
	"SELECT lead(t, 1, current_setting('no.such')) OVER (PARTITION BY p ORDER BY id) FROM data");

# ---- keys of a window that no function uses: WindowAgg computes them with its result

same('the key of an unused window', qr/division by zero/,
	'SELECT id, count(*) OVER (ORDER BY id) FROM data WINDOW unused AS (ORDER BY 100 / (id - 60))');
same('the key of an unused window, beside one that is used', qr/division by zero/,
	'SELECT id, count(*) OVER (PARTITION BY x + 1), sum(x) OVER (ORDER BY id) FROM data '
		. 'WINDOW unused AS (PARTITION BY 100 / (id - 60))');
same('the key of an unused window that is computed below', qr/division by zero/,
	'SELECT id, count(*) OVER (ORDER BY 100 / (id - 60), id) FROM data WINDOW unused AS (ORDER BY 100 / (id - 60))');

# ---- functions that look ahead: an error belongs to the row at which WindowAgg's function comes to it

my $ahead = 'SET scan.debug_require = node; SELECT id,';
same('scan_compact: a value that fails', qr/division by zero/,
	"$ahead scan_compact(100 / (id - 60), id % 3 = 0) OVER (ORDER BY id) FROM data");
same('scan_compact: a value that fails and is not kept', $rows,
	"$ahead scan_compact(100 / (id - 60), id % 3 = 1) OVER (PARTITION BY p ORDER BY id) FROM data");
same('scan_compact: two errors', qr/division by zero|numeric/,
	"$ahead scan_compact(100 / (id - 9), id % 3 = 0) OVER (ORDER BY id), ln(6.0 - id) FROM data");
same('scan_compact: another function fails before', qr/logarithm/,
	"$ahead sum(ln(4.0 - id)) OVER (ORDER BY id), scan_compact(100 / (id - 400), true) OVER (ORDER BY id) FROM data");
same('scan_split_index: NULL', qr/argument "bit" must not be NULL.*row 5 of the partition/s,
	"$ahead scan_split_index(nullif(id, 5) > 3) OVER (ORDER BY id) FROM data");
same('scan_split_index: NULL in a later partition', qr/argument "bit" must not be NULL/,
	"$ahead scan_split_index(CASE WHEN id < 300 THEN true END) OVER (PARTITION BY id / 100 ORDER BY id) FROM data");
same('scan_split_index: a bit that fails', qr/division by zero/,
	"$ahead scan_split_index(100 / (id - 60) > 0) OVER (ORDER BY id) FROM data");
same("scan_split_index: rows before the error's partition", qr/division by zero|must not be NULL/,
	'SET scan.debug_require = node; DECLARE c CURSOR WITH HOLD FOR SELECT id, '
		. 'scan_split_index(CASE WHEN id < 300 THEN true END) OVER (PARTITION BY id / 100 ORDER BY id) FROM data');

same('scan_nocb: a value that fails', qr/division by zero/,
	"$ahead scan_nocb(CASE WHEN id % 9 = 0 THEN 100 / (id - 63) END) OVER (ORDER BY id) FROM data");
same('scan_nocb: a value that fails and is not needed', qr/logarithm/,
	"$ahead scan_nocb(CASE WHEN id % 9 = 0 THEN 100 / (id - 63) END) OVER (ORDER BY id), ln(20.0 - id) FROM data");
same('scan_lead: a value that fails', qr/division by zero/,
	"$ahead scan_lead(CASE WHEN id % 9 = 0 THEN 100 / (id - 63) END, 3) OVER (ORDER BY id) FROM data");
same('scan_lead: a flag that fails', qr/division by zero/,
	"$ahead scan_lead(x, 2, 100 / (id - 60) < 0) OVER (PARTITION BY p ORDER BY id) FROM data");
same('scan_lag: a value that fails', qr/division by zero/,
	"$ahead scan_lag(CASE WHEN id % 9 = 0 THEN 100 / (id - 63) END, 3) OVER (ORDER BY id) FROM data");
same('scan_counter: a value that is too large', qr/a counter that wraps at 400 cannot be 400/,
	"$ahead scan_counter(id, 400) OVER (ORDER BY id) FROM data");
same('scan_nocb: a flag that fails', qr/division by zero/,
	"$ahead scan_nocb(nullif(x, x), reset => 100 / (id - 60) < 0) OVER (PARTITION BY p ORDER BY id) FROM data");
same('scan_match: a condition that fails', qr/division by zero/,
	"$ahead scan_match('a b*', id % 9 = 0, 100 / (id - 63) < 9) OVER (ORDER BY id) FROM data");
same('scan_match: a condition that fails and is not needed', qr/logarithm/,
	"$ahead scan_match('a b', id % 9 = 0, 100 / (id - 63) < 9) OVER (ORDER BY id), ln(20.0 - id) FROM data");
same('scan_match: a condition that no letter names', $rows,
	"$ahead scan_match('a b?', id % 9 = 0, id % 2 = 0, 100 / (id - 63) < 9) OVER (ORDER BY id) FROM data");
same('scan_interpolate: at runs backwards', qr/argument "at" must not run backwards/,
	"$ahead scan_interpolate(CASE WHEN id % 9 = 0 THEN id END, abs(id - 400)) OVER (ORDER BY id DESC) FROM data");
same('scan_interpolate: at of the next known row', qr/argument "at" must not run backwards/,
	"$ahead scan_interpolate(CASE WHEN id % 9 = 0 THEN id END, CASE WHEN id = 63 THEN 0 ELSE id END) "
		. "OVER (ORDER BY id) FROM data");
same('scan_interpolate: at that fails', qr/division by zero/,
	"$ahead scan_interpolate(CASE WHEN id % 9 = 0 THEN id END, 1 + 0 / (id - 63)) OVER (ORDER BY id) FROM data");
same('scan_locf: at runs backwards', qr/argument "at" must not run backwards/,
	"$ahead scan_locf(id, CASE WHEN id = 63 THEN 0 ELSE id END, 3) OVER (ORDER BY id) FROM data");
same('scan_integral: overflow', qr/out of range: overflow/,
	"$ahead scan_integral(1e307, id, 'previous') OVER (ORDER BY id) FROM data");

# ---- aggregates whose functions break the rules

$server->lines(<<'SQL');
CREATE FUNCTION add(bigint, bigint) RETURNS bigint
  LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $2 > 1000 THEN NULL ELSE $1 + $2 END';
CREATE FUNCTION take(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT $1 - $2';
CREATE AGGREGATE moving_total(bigint)
  (sfunc = add, stype = bigint, initcond = 0, msfunc = add, minvfunc = take, mstype = bigint, minitcond = 0);
CREATE FUNCTION greater(bigint, integer) RETURNS bigint
  LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 > $2 THEN $1 ELSE $2 END';
CREATE AGGREGATE greatest_of(integer) (sfunc = greater, stype = bigint);
SQL
same('a transition that gives NULL', qr/moving-aggregate transition function must not return null/,
	'SET scan.debug_require = node; SELECT moving_total(x) OVER (ORDER BY id ROWS 2 PRECEDING) FROM data');
same('a transition that gives NULL, and rows that stay', $rows,
	'SET scan.debug_require = node; SELECT moving_total(x) OVER (ORDER BY id) FROM data')
	if $server->spares_the_inverse;
$server->lines('CREATE OR REPLACE FUNCTION take(bigint, bigint) RETURNS bigint '
	. 'LANGUAGE sql IMMUTABLE STRICT AS $$SELECT $1 - $2$$');
same('a strict inverse of a transition that is not',
	qr/strictness of aggregate's forward and inverse transition functions must match/,
	'SET scan.debug_require = node; SELECT moving_total(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM data');
same('a transition that is not strict, of another type', $rows,
	'SET scan.debug_require = node; SELECT greatest_of(x) OVER (ORDER BY id) FROM data');
$server->lines('CREATE OR REPLACE FUNCTION greater(bigint, integer) RETURNS bigint '
	. 'LANGUAGE sql IMMUTABLE STRICT AS $$SELECT 1::bigint$$');
same('a strict transition without a start, of another type',
	qr/aggregate \d+ needs to have compatible input type and transition type/,
	'SET scan.debug_require = node; SELECT greatest_of(x) OVER (ORDER BY id) FROM data');

$server->lines(<<'SQL');
CREATE FUNCTION while_small(integer, integer) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $2 < 900 THEN $1 + $2 END';
CREATE AGGREGATE small_total(integer) (sfunc = while_small, stype = integer);
CREATE ROLE node_errors_owner;
CREATE FUNCTION private(integer, integer) RETURNS integer LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE AGGREGATE private_total(integer) (sfunc = private, stype = integer, initcond = 0);
ALTER AGGREGATE private_total(integer) OWNER TO node_errors_owner;
REVOKE EXECUTE ON FUNCTION private FROM PUBLIC;
SQL
same('a strict transition that gives NULL', $rows,
	'SET scan.debug_require = node; SELECT small_total(x) OVER (PARTITION BY p ORDER BY id) FROM data');
same('a transition that the owner may not call', qr/permission denied for function private/,
	'SET scan.debug_require = node; SELECT private_total(x) OVER (ORDER BY id) FROM data');
$server->lines('DROP AGGREGATE private_total(integer); DROP ROLE node_errors_owner');

# ---- at the row whose answer is out of range

same('a sum of intervals', qr/interval out of range/,
	'SET scan.debug_require = node; SELECT sum(make_interval(months => 2000000000)) OVER (ORDER BY id) FROM data');
same('an exact sum', qr/out of range: overflow/,
	'SET scan.debug_require = node; SELECT exact_sum(1e308::float8) OVER (ORDER BY id) FROM data');

# ---- frames of functions that have none

for my $function ('lead(x)', 'lag(x)', 'scan_sum(x)')
{
	same("$function: a negative offset", qr/must not be negative/,
		"SELECT $function OVER (ORDER BY id ROWS -1 PRECEDING) FROM data");
	same("$function: a negative end", qr/must not be negative/,
		"SELECT $function OVER (ORDER BY id GROUPS BETWEEN CURRENT ROW AND -1 FOLLOWING) FROM data");
	same("$function: no offset", qr/must not be null/,
		"SELECT $function OVER (ORDER BY id ROWS NULL::int PRECEDING) FROM data");
	same("$function: a negative RANGE", qr/invalid preceding or following size/,
		"SELECT $function OVER (ORDER BY id RANGE -3 PRECEDING) FROM data");
	same("$function: an offset that fails", qr/division by zero/,
		"SELECT $function OVER (ORDER BY id ROWS $fails PRECEDING) FROM data");
	same("$function: a parameter", qr/must not be null.*must not be negative/s, <<"SQL");
SET plan_cache_mode = force_generic_plan;
PREPARE framed (int) AS SELECT id, $function OVER (ORDER BY id ROWS \$1 PRECEDING) FROM data;
EXECUTE framed (NULL); EXECUTE framed (-1); EXECUTE framed (3);
SQL
	same("$function: an offset", $rows,
		"SET scan.debug_require = node; SELECT $function OVER (ORDER BY id ROWS 3 PRECEDING) FROM data");
}

# PostgreSQL 16 takes the frame of such functions away
same('row_number(): a negative offset', qr/./, 'SELECT row_number() OVER (ORDER BY id ROWS -1 PRECEDING) FROM data');

# ---- rows after a LIMIT

my $by_index =
	'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; SET enable_hashagg = off;';

same('groups', $rows,
	"$by_index SELECT id, sum(100 / (id - 12)), row_number() OVER (ORDER BY id) FROM data GROUP BY id LIMIT 3");
same('groups in a window', $rows,
	"$by_index SELECT id, sum(sum(100 / (id - 12))) OVER (ORDER BY id) FROM data GROUP BY id LIMIT 3");
same('groups that are left out', $rows, "$by_index SELECT id, row_number() OVER (ORDER BY id) FROM data "
		. "GROUP BY id HAVING sum(100 / (id - 12)) IS NOT NULL LIMIT 3");
same('the window below', $rows, "$by_index SELECT sum(100 / (id - 12)) OVER (ORDER BY id), "
		. "count(*) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM data LIMIT 3");
same('one of ours below', $rows, "$by_index SELECT scan_sum(9223372036854770000 / 4 + x) OVER (ORDER BY id), "
		. "count(*) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM data LIMIT 3");
same('a LIMIT above a join', $rows, "$by_index SELECT * FROM (SELECT id, row_number() OVER (ORDER BY id) FROM data "
		. "WHERE 100 / (id - 12) IS NOT NULL) AS s, (VALUES (1), (2)) AS v LIMIT 3");
same('a LIMIT above a WITH', $rows, "$by_index WITH s AS MATERIALIZED (SELECT id, row_number() OVER (ORDER BY id) "
		. "FROM data WHERE 100 / (id - 12) IS NOT NULL) SELECT * FROM s LIMIT 3");
same('a WITH below', $rows, "$by_index WITH s AS MATERIALIZED (SELECT id, 100 / (id - 12) AS y FROM data) "
		. "SELECT y, row_number() OVER () FROM s LIMIT 3");
same('EXISTS', $rows, "$by_index SELECT y FROM (VALUES (1), (2)) AS v (y) "
		. "WHERE EXISTS (SELECT row_number() OVER (ORDER BY id) FROM data WHERE 100 / (id - 12) IS NOT NULL OFFSET y)");
same('a sequence below', $rows, "$by_index CREATE TEMP SEQUENCE s; "
		. "SELECT row_number() OVER (ORDER BY id) FROM data WHERE nextval('s') > 0 LIMIT 3; SELECT currval('s')");
same('all rows are taken above', qr/division by zero/, "$by_index SELECT count(*) "
		. "FROM (SELECT row_number() OVER (ORDER BY id) FROM data WHERE 100 / (id - 12) IS NOT NULL) AS s LIMIT 1");

# beside the window: core computes it for the rows that it gives, in the order of an index
# (17 computes it for rows that it does not give)
my $given = $server->value('SHOW server_version_num') < 170000 ? $rows : qr/./;
for my $limit (1, 3, 4)
{
	same("a column beside a window, $limit rows", $given,
		"SELECT g.n, l.* FROM generate_series(1, 4) AS g (n), LATERAL (SELECT id, bit_and(o) OVER (), "
			. "9223372036854775807 - 80 + id FROM shuffled WHERE o < g.n ORDER BY id LIMIT $limit) AS l");
	same("a sum beside a window, $limit rows", $given,
		"SELECT id, bit_and(o) OVER (), scan_sum(9223372036854775807 - 40000 + id) OVER (), 1 FROM shuffled "
			. "WHERE o < 4 ORDER BY id LIMIT $limit") if $limit < 2;
}

# where nothing can fail the node is not kept away
for my $query ('SELECT id, count(*), sum(count(*)) OVER (ORDER BY id) FROM data GROUP BY id LIMIT 3',
	'SELECT max(x) OVER (ORDER BY id), count(*) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) FROM data LIMIT 3',
	'SELECT count(*) FROM (SELECT row_number() OVER (ORDER BY id) AS n FROM data '
		. 'WHERE 100 / (id - 1000) IS NOT NULL OFFSET 0) AS s LIMIT 1')
{
	same("in the node: $query", $rows, "$by_index SET scan.debug_require = node; $query");
}

# ---- at the very row, wherever it stands in its block: 16, 64, 256 rows and more

for my $row (2, 16, 17, 18, 79, 80, 81, 82, 336, 337, 338, 600)
{
	my $scan = "scan_sum(CASE WHEN id = $row THEN 9223372036854775807 ELSE 1 END) OVER (ORDER BY id) FROM data";
	same("the rows before row $row", $rows, "$by_index SELECT $scan LIMIT $row - 1");
	same("row $row", qr/\AERROR:  bigint out of range/, "$by_index SELECT $scan LIMIT $row");
	same("row $row, sorted", qr/\AERROR:  bigint out of range/, "SELECT max(s) FROM (SELECT $scan) AS t (s)");
}

done_testing();
