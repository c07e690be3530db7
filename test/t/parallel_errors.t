# parallel_errors.t: PrefixScan in several processes raises the errors of WindowAgg, and no others.
#
# A range of the order goes on from the totals of the range before, whatever its own first row would do by itself; and
# a row that nobody asks for raises nothing, whoever stops: a LIMIT, a join, EXISTS, a cursor, a function's result.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('parallel_errors');
$server->lines(<<'SQL');
CREATE TABLE big AS SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i * 7) AS v FROM generate_series(1, 300000) AS i;
CREATE UNIQUE INDEX ON big (id);
CREATE TABLE late AS SELECT id, p, timestamp '294276-12-31' - (300000 - id) * interval '1 day' AS t FROM big;
CREATE FUNCTION first_of(integer) RETURNS bigint
  LANGUAGE sql AS 'SELECT x FROM (SELECT sum(1 / (id - $1)) OVER (ORDER BY id) AS x FROM big) AS s';
CREATE TABLE totals AS SELECT (SELECT scan_total(x) FROM (VALUES (1.7e308::float8), (1e308)) AS t(x)) AS large,
  (SELECT scan_total(x) FROM (VALUES (1.797693134862315e308::float8)) AS t(x)) AS largest;
CREATE TABLE few AS SELECT i FROM generate_series(1, 33) AS i;
CREATE TABLE mid AS SELECT id, p, v FROM big WHERE id <= 20000;
CREATE VIEW shown WITH (security_barrier) AS SELECT id, p, v,
  row_number() OVER (PARTITION BY p ORDER BY id) AS r FROM mid;
CREATE VIEW twice WITH (security_barrier) AS SELECT * FROM shown WHERE r > 2;
CREATE INDEX ON mid (p, id);
-- more rows than it has, by its statistics
CREATE TABLE sized WITH (autovacuum_enabled = off) AS SELECT * FROM mid;
VACUUM ANALYZE big, late, few, mid, sized;
DELETE FROM sized;
SQL
my $parallel = "LOAD 'scan'; SET scan.prefixscan = force; SET max_parallel_workers_per_gather = 2; SET "
	. "parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET jit = off;\n";
my $core = "SET max_parallel_workers_per_gather = 0; SET jit = off;\n";

sub answer
{
	my ($settings, $query) = @_;
	my ($out, $err) = $server->run("$settings$query;", go_on => 1);
	return $out . ($err =~ /(ERROR: .*)/ ? $1 : '');
}

sub is_parallel
{
	my ($query) = @_;
	return join("\n", $server->lines("$parallel EXPLAIN (COSTS off) $query")) =~ /Parallel Custom Scan \(PrefixScan\)/
		? 1 : 0;
}

# every fifth in make test
sub some_of { return $ENV{SCAN_TEST_PART} ? @_[ grep { $_ % 5 == 0 } 0 .. $#_ ] : @_ }

# ---- state is restored, not made by a call

my @calls =
	('scan_recurrence(CASE WHEN id = 1 THEN 0 WHEN id % 2 = 0 THEN 2 ELSE 0.5 END::float8, 0.0::float8, 1e308::float8)',
	'scan_clamped_sum((CASE WHEN id = 1 THEN -9000000000000000000 ELSE 1 END)::bigint, NULL, NULL, '
		. '9223372036854775807)',
	'scan_clamped_sum((CASE WHEN id = 1 THEN 9000000000000000000 ELSE -1 END)::bigint, NULL, NULL, '
		. '-9223372036854775808)',
	'scan_clamped_sum(CASE WHEN id = 1 THEN -1e308 ELSE 1e302 END::float8, NULL, NULL, 1.797693134862315e308)',
	"scan_sum(CASE WHEN id = 1 THEN -1e308 ELSE 1e290 END::float8, init => (SELECT large FROM totals LIMIT 1))",
	"scan_sum(CASE WHEN id = 1 THEN -1e308 ELSE 1e290 END::float8, "
		. "init => (SELECT largest FROM totals LIMIT 1), exclusive => true)",
	'scan_recurrence((CASE WHEN id = 1 THEN 0 ELSE 1 END)::numeric, '
		. '(CASE WHEN id % 2 = 0 THEN 1e100000 ELSE -1e100000 END)::numeric, 9e131000::numeric)',
	'scan_clamped_sum((CASE WHEN id = 1 THEN -9e131071 ELSE 1 END)::numeric, NULL, NULL, 9e131071::numeric)',
	"scan_recurrence(CASE WHEN id = 1 THEN ARRAY[0, 0] WHEN id % 2 = 0 THEN ARRAY[2, 0] "
		. "ELSE ARRAY[0.5, 0] END::float8[], 0.0::float8, ARRAY[1e308, 1e308]::float8[])",
	'scan_carry(v % 2 = 0, v % 3 = 0, true)', "scan_state(abs(v % 2), ARRAY[[0, 1], [1, 0]], 1)",
	"scan_ema(v::float8, timestamptz '2026-01-01' + id * interval '1 second', interval '1 hour')",
	"scan_session(id * 2, 1)", "scan_locf(nullif(v % 5, 1), id * 2, 1)", "scan_locf(nullif(v % 5, 1), id * 0.5, 0.5)",
	"scan_integral(v, id)", "scan_integral(v, timestamptz '2026-01-01' + id * interval '1 second', 'previous')",
	"scan_integral(v, id * 0.5)", "scan_locf(nullif(v % 1000, 1), 5)",
	'scan_change(v / 1000)', "scan_change(v::text)", 'scan_counter(v)', 'scan_counter(v / 7.0::float8)',
	'scan_counter(v / 7.0)', 'scan_bin(abs(v), 1000000)', 'scan_bin(abs(v) / 7.0::float8, 1000000)',
	'scan_bin(abs(v) / 7.0, 1000000, true)');
foreach my $call (some_of(@calls))
{
	my $query =
		"SELECT count(*), sum(hashtext(x::text)::int8) FROM (SELECT $call OVER (ORDER BY id) AS x FROM big) AS s";
	my $wanted = answer($core, $query);

	is(is_parallel($query), 1, "in several processes: $call");
	unlike($wanted, qr/ERROR/, '... does not fail in WindowAgg');
	is(answer($parallel, $query), $wanted, '... nor in ranges, and has its rows');
}

# ---- rows that nobody asks for

my $fails = 'SELECT id, sum(1 / (id - 30000)) OVER (ORDER BY id) AS x FROM big';
my $dealt = 'SELECT id, p, sum(1 / (id - 290000)) OVER (PARTITION BY p ORDER BY id) AS x FROM big';
my $shown = 'SELECT id, 1 / (id - 30000) AS y, count(*) OVER (ORDER BY id) AS x FROM big';
my $bounds = q{SELECT id, p, count(*) OVER (PARTITION BY p }
	. q{ORDER BY t RANGE BETWEEN '1 day' PRECEDING AND '20 years' FOLLOWING) AS x FROM late};
# each query uses the window's result: the planner drops a column that nobody uses
my @left = (
	map({ my $s = $_; ("SELECT count(x) FROM (SELECT s.x FROM ($s) AS s JOIN (VALUES (1), (2)) AS t(a) ON true "
			. "WHERE s.x IS NOT NULL LIMIT 3) AS z",
		"SELECT count(x) FROM (SELECT x FROM ($s) AS s LIMIT 3) AS z",
		"SELECT EXISTS (SELECT 1 FROM ($s) AS s WHERE x IS NOT NULL)",
		"SELECT count(*) FROM (VALUES (1), (2)) AS t(a) "
			. "WHERE EXISTS (SELECT FROM ($s) AS s WHERE s.x IS NOT NULL OFFSET 0)",
		"SELECT (SELECT x FROM ($s) AS s LIMIT 1)",
		"WITH w AS MATERIALIZED ($s) SELECT count(*) FROM (SELECT * FROM w LIMIT 5) AS z",
		"SELECT count(*) FROM (SELECT x FROM ($s) AS s UNION ALL SELECT 1 LIMIT 4) AS z",
		"SELECT * FROM (SELECT x FROM ($s) AS s FETCH FIRST 2 ROWS ONLY) AS z",
		"SELECT count(x) FROM (SELECT x, row_number() OVER () AS n FROM ($s) AS s) AS z WHERE n <= 2") } $fails, $shown,
		$bounds),
	"SELECT first_of(30000)", "BEGIN; DECLARE c CURSOR FOR $fails; FETCH 3 FROM c; COMMIT",
	"SET enable_hashjoin = off; SET enable_nestloop = off; "
		. "SELECT count(x) FROM ($fails) AS s JOIN (VALUES (1), (2)) AS t(a) ON s.id = t.a",
	"SELECT count(x) FROM (SELECT x FROM ($dealt) AS s WHERE p = -7 LIMIT 2) AS z",
	# core reads such rows by the index, as they are asked for
	map({ "SELECT count(x) FROM (SELECT x FROM (SELECT $_ OVER (ORDER BY id) AS x FROM big "
		. "WHERE 1 / (id - 30000) IS NOT NULL) AS s LIMIT 3) AS z" } 'sum(v)', 'rank()'));
foreach my $query (some_of(@left))
{
	my $wanted = answer($core, $query);

	unlike($wanted, qr/ERROR/, "WindowAgg does not come to it: $query");
	is(answer($parallel, $query), $wanted, '... nor do several processes');
}

# where all rows are asked for, the error comes, and windows that may fail do run in several processes
foreach my $query ("SELECT count(*), sum(x) FROM ($fails) AS s",
	"SELECT max(y) FROM (SELECT x + 1 AS y FROM ($fails) AS s WHERE x > -5) AS t",
	"SELECT sum(n) FROM (SELECT count(x) AS n FROM ($dealt) AS s) AS z, (VALUES (1), (2)) AS t",
	"SELECT p, count(x) FROM ($dealt) AS s GROUP BY p", "SELECT sum(x) FROM ($bounds) AS s")
{
	my $error = $query =~ /FROM late/ ? 'timestamp out of range' : 'division by zero';

	like(answer($parallel, $query), qr/ERROR:  $error/, "the error is raised: $query");
	is(is_parallel($query), 1, '... by several processes')
		or diag(join "\n", $server->lines("$parallel EXPLAIN (VERBOSE, COSTS off) $query"));
}
is(is_parallel("SELECT s.x FROM (SELECT id, count(*) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s "
		. "JOIN big AS b USING (id) WHERE s.x = 3 LIMIT 3"), 1, 'what cannot fail needs no such care');

# ---- subqueries of expressions that no row comes to: a Gather computes them before its processes start

my $never = '(SELECT 1 / (count(*) - 33) FROM few)';
my $many = '(SELECT i FROM few)';
my $unread = 'CASE WHEN id < 0 THEN r > ~ ELSE true END';
my $ranked = 'SELECT id, p, v, row_number() OVER (PARTITION BY p ORDER BY id) AS r FROM mid';
my $reason = qr/In One Process: a subquery whose result no row may read may raise an error/;
sub reasons { return join "\n", $server->lines("$parallel EXPLAIN (VERBOSE, COSTS off) $_[0]") }
# the second: whether a window runs in several processes all the same, below a Gather of its own
my @unreached = (
	[ "SELECT count(*) FROM ($ranked) AS s WHERE $unread", 1 ],
	[ "SELECT count(*) FROM ($ranked) AS s WHERE id < 0 AND r > ~", 1 ],
	[ "SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM mid "
		. "WHERE id < 0 AND v > ~) AS s", 0 ],
	[ "SELECT count(*), sum(n) FROM (SELECT p, count(*) AS n FROM ($ranked) AS s WHERE $unread GROUP BY p) AS g" ],
	[ "SELECT count(*), sum(CASE WHEN id < 0 THEN ~ ELSE r END) FROM ($ranked) AS s", 1 ],
	[ "SELECT count(*), sum(n) FROM (SELECT p, count(*) AS n FROM ($ranked) AS s "
		. "GROUP BY p HAVING CASE WHEN p < -1000 THEN max(r) > ~ ELSE true END) AS g" ],
	[ "SELECT count(*), sum(n) FROM (SELECT p, CASE WHEN p < -1000 THEN ~ ELSE max(r) END AS n "
		. "FROM ($ranked) AS s GROUP BY p) AS g" ],
	[ "SELECT max(CASE WHEN id < 0 THEN ~ + r ELSE r END) FROM ($ranked) AS s JOIN few ON i = r WHERE s.v > 0", 1 ],
	[ "SELECT count(*) FROM ($ranked) AS s JOIN mid AS b USING (id) "
		. "WHERE CASE WHEN id < 0 THEN b.v + r > ~ ELSE true END", 1 ],
	[ "SELECT count(*) FROM (SELECT id, r FROM ($ranked) AS s UNION ALL SELECT id, v FROM mid) AS u WHERE $unread", 1 ],
	[ "SELECT count(*) FROM shown WHERE $unread", 1 ],
	[ "SELECT sum(CASE WHEN id < 0 THEN ~ ELSE r END) FROM twice", 1 ],
	[ "SELECT sum(x) FROM (SELECT CASE WHEN id < 0 THEN ~::int8 ELSE r END AS x FROM shown "
		. "UNION ALL SELECT id::int8 FROM mid) AS u", 1 ],
	[ "SELECT count(*) FROM (SELECT DISTINCT ON (p) p, id, v AS r FROM mid ORDER BY p, id) AS s WHERE $unread", 1 ],
	[ "SELECT count(x) FROM (SELECT sum(CASE WHEN id < 0 THEN ~ ELSE v END) OVER (PARTITION BY p "
		. "ORDER BY id) AS x FROM mid) AS s", 0 ],
	[ "SELECT count(x) FROM (SELECT sum(v) FILTER (WHERE CASE WHEN id < 0 THEN v > ~ ELSE true END) "
		. "OVER (PARTITION BY p ORDER BY id) AS x FROM mid) AS s", 0 ],
	[ "SELECT count(x), count(y) FROM (SELECT sum(v) OVER (ORDER BY id) AS x, CASE WHEN id < 0 THEN ~ ELSE v END AS y "
		. "FROM mid OFFSET 0) AS s", 0 ],
	[ "SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p "
		. "ORDER BY CASE WHEN id < 0 THEN ~ ELSE id END) AS x FROM mid) AS s", 0 ],
	[ "SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM mid "
		. "WHERE CASE WHEN id < 0 THEN v > ~ ELSE true END) AS s", 0 ],
	[ "SELECT count(x) FROM (SELECT p, sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM mid) AS s "
		. "WHERE CASE WHEN p < -1000 THEN p > ~ ELSE true END", 0 ],
	[ "SELECT count(y) FROM (SELECT DISTINCT ON (p) p, id, CASE WHEN v < -2147483648 THEN ~ END AS y FROM mid "
		. "ORDER BY p, id) AS s" ],
	# of an empty table; core would read it in several processes, too
	[ "SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM sized WHERE v > ~) AS s" ],
	[ "SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY p ORDER BY id) AS r FROM sized) AS s WHERE r <= ~",
		0 ]);
foreach my $case (some_of(@unreached))
{
	my ($written, $several) = @$case;
	foreach my $query (map { $written =~ s/~/$_/gr } $never, $many)
	{
		my $wanted = answer($core, $query);
		# where core itself reads the table in several processes, it computes the subquery as well
		my $also = answer("$parallel SET scan.prefixscan = off;", $query);

		unlike($wanted, qr/ERROR/, "no row comes to the subquery: $query");
		foreach my $way ('', 'SET scan.reduce = force;', 'SET scan.index_skip = force; SET enable_hashagg = off;')
		{
			my $answer = answer("$parallel$way", $query);
			is($answer, $answer eq $also ? $also : $wanted, "... in several processes $way");
		}
		is(answer("$parallel SET max_parallel_workers_per_gather = 0; SET scan.reduce = force;", $query), $wanted,
			'... in one process');
		is(is_parallel($query), 1, '... and the window runs below a Gather') if $several;
		like(reasons($query), $reason, '... and EXPLAIN says why one process runs the window')
			if defined $several && !$several;
	}
	unlike(reasons($written =~ s/~/$_/gr), $reason, "a subquery that cannot fail does not matter: $_")
		for '(SELECT max(i) FROM few)', '(SELECT i FROM few WHERE i > 7 LIMIT 1)', '(SELECT 7)',
		'(CASE WHEN EXISTS (SELECT FROM few WHERE i = 7) THEN 1 END)', '((ARRAY(SELECT i FROM few))[2])';
}

done_testing;
