# entering_rows.t: arguments and FILTERs that may fail, of aggregates over frames that rows leave.
#
# WindowAgg computes them when the row enters a frame, and again in each frame of an aggregate without an inverse
# transition function.  The node computes them once for each row (src/node/evaluate/entering_rows.c), and an error comes
# up at the row at which it does in WindowAgg.  node_random.t (SCAN_TEST_KIND=arguments) draws queries of this kind, and
# test/sql/moving_expressions.sql holds the methods of EXPLAIN.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('entering_rows');

$server->lines(<<'SQL');
CREATE TABLE data AS SELECT i AS id, i % 7 AS p, i * 7919 % 1009 AS x, 'V' || i AS t, i * 3.5::float8 AS f
  FROM generate_series(1, 3000) AS i;
CREATE UNIQUE INDEX ON data (id);
CREATE SEQUENCE calls;
-- a function that does something, though it says that it does not
CREATE FUNCTION counted(int) RETURNS int
  LANGUAGE plpgsql IMMUTABLE COST 1 AS 'BEGIN PERFORM nextval(''calls''); RETURN $1; END';
CREATE FUNCTION slow(int) RETURNS int
  LANGUAGE plpgsql IMMUTABLE COST 1 AS 'BEGIN PERFORM pg_sleep(0.02); RETURN $1; END';
CREATE FUNCTION picky(int, int) RETURNS int LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 1 AS $$ BEGIN
  IF $1 = $2 THEN RAISE 'picky at %', $1; END IF; RETURN $1; END $$;
CREATE FUNCTION failed(query text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE query; RETURN 'rows';
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;
VACUUM ANALYZE data;
SQL

my $index = 'SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off;';

# what psql prints for a script, errors too
sub printed
{
	my ($node, $script) = @_;
	my ($out, $err) =
		$server->run("LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = $node;"
		. ($node eq 'force' ? ' SET scan.debug_require = node;' : '') . "\n$script", go_on => 1);
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

# ---- each argument is computed once

sub calls
{
	my ($number, $query, $set) = @_;
	my ($out,
		$err) = $server->run("LOAD 'scan'; SET jit = off; SET scan.prefixscan = force; SET scan.debug_require = node; "
		. "SET max_parallel_workers_per_gather = 0; " . ($set // '') . " ALTER SEQUENCE calls RESTART;\n$query;\n"
			. "\\echo calls\nSELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM calls", go_on => 1);
	is(($out =~ /calls\n(\d+)/)[0] // $err, $number, "$number calls: " . ($set // '') . $query);
}

for my $set ('', "SET scan.work_mem = '64kB'; ", $index)
{
	calls(3000, "SELECT count(x) FROM (SELECT $_ OVER (ORDER BY id ROWS 1000 PRECEDING) AS x FROM data) AS s", $set)
		for 'max(counted(x))', 'sum(counted(x))', 'avg(counted(x)::float8)', 'moving_median(counted(x))',
		"string_agg(counted(x)::text, ',')", 'count(*) FILTER (WHERE counted(x) > 3)', 'max(t || counted(x))';
}
calls(3000, "SELECT count(x) FROM (SELECT max(counted(x)) OVER (PARTITION BY p ORDER BY id $_) AS x FROM data) AS s")
	for 'ROWS BETWEEN 40 PRECEDING AND 300 FOLLOWING', 'RANGE 200 PRECEDING',
	'GROUPS BETWEEN 3 PRECEDING AND 3 FOLLOWING', 'ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW',
	'ROWS BETWEEN 30 PRECEDING AND 1 FOLLOWING EXCLUDE TIES', 'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING';
# rows that are in no frame, or that the FILTER rejects
calls(2995, 'SELECT count(x) FROM (SELECT max(counted(x)) OVER (ORDER BY id ROWS BETWEEN 5 FOLLOWING AND 10 FOLLOWING) '
		. 'AS x FROM data) AS s');
calls(2999, 'SELECT count(x) FROM (SELECT max(counted(x)) OVER (ORDER BY id ROWS BETWEEN 5 PRECEDING '
		. 'AND CURRENT ROW EXCLUDE CURRENT ROW) AS x FROM data) AS s');
calls(0, 'SELECT count(x) FROM (SELECT max(counted(x)) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 PRECEDING) '
		. 'AS x FROM data) AS s');
calls(0, 'SELECT count(x) FROM (SELECT max(counted(x)) OVER (ORDER BY id ROWS CURRENT ROW EXCLUDE GROUP) '
		. 'AS x FROM data) AS s');
calls(1000, 'SELECT count(x) FROM (SELECT max(counted(x)) FILTER '
		. '(WHERE id % 3 = 0) OVER (ORDER BY id ROWS 100 PRECEDING) AS x FROM data) AS s');
calls(1000, 'SELECT count(x) FROM (SELECT max(counted(x)) FILTER '
		. '(WHERE 3 / (id % 3 + 1) = 3) OVER (ORDER BY id ROWS 100 PRECEDING) AS x FROM data) AS s');
# who stops: a user's function is not called ahead
calls(8, "SELECT max(counted(x)) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING) FROM data LIMIT 5");
calls(1103,
	'BEGIN; DECLARE c CURSOR FOR SELECT max(counted(x)) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING) '
		. 'FROM data; MOVE 100 FROM c; MOVE 1000 FROM c; COMMIT');
calls(3, "SELECT max(counted(x)) FILTER "
		. "(WHERE 6 / (id % 2) > 0 OR true) OVER (ORDER BY id ROWS 2 PRECEDING) FROM data LIMIT 3");

# ---- where rows come one by one, an aggregate that can take rows out is not begun anew at each

sub method
{
	my ($call, $query) = @_;
	my $plan = join ' ',
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET scan.debug_require = node; "
		. "SET max_parallel_workers_per_gather = 0; EXPLAIN (COSTS off) SELECT $call OVER (ORDER BY id $query");
	return ($plan =~ /Frame Methods: (.*?) *(?:Order|Device|->)/)[0] // $plan;
}

for ([ 'moving_median(counted(x))', 'its own functions, inverse' ], [ 'bool_or(counted(x) > 3)',
		'its own functions, inverse' ], [ 'max(counted(x))', 'two stacks' ], [ 'sum(counted(x))', 'difference' ],
	[ 'moving_median(x + 1)', 'order statistics' ], [ 'bool_or(x + 1 > 3)', 'two stacks' ])
{
	my ($call, $method) = @$_;
	like(method($call, 'ROWS 100 PRECEDING) FROM data'), qr/\($method\)/, "$call: $method");
}
like(method('moving_median(counted(x))', 'ROWS 100 PRECEDING EXCLUDE TIES) FROM data'), qr/\(order statistics\)/,
	'WindowAgg begins anew, too');
like(method('moving_median(x + 1)',
		'ROWS 100 PRECEDING), max(counted(x)) OVER (ORDER BY id ROWS 100 PRECEDING) FROM data'),
	qr/moving_median \(its own functions, inverse\)/, 'beside another aggregate of such a function');

# ---- values that take more memory than they should: those of rows that have left all frames are dropped

my @frames = ('ROWS 20 PRECEDING', 'ROWS BETWEEN 30 PRECEDING AND 9 PRECEDING',
	'ROWS BETWEEN 3 PRECEDING AND 200 FOLLOWING EXCLUDE CURRENT ROW',
	'RANGE BETWEEN 60 PRECEDING AND 20 PRECEDING EXCLUDE TIES', 'GROUPS BETWEEN 2 FOLLOWING AND 5 FOLLOWING',
	'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE GROUP');
for my $frame (@frames)
{
	my $window = "FROM data WINDOW w AS (PARTITION BY id / 1500 ORDER BY id $frame)";

	for my $order ('', $index)
	{
		same("little memory, $frame", $rows,
			"SET scan.work_mem = '64kB'; $order SELECT id, md5(string_agg(repeat(t, x % 60) || id, ',') OVER w), "
				. "md5(max(repeat(t, x % 70) || x) FILTER (WHERE x + 1 > 200) OVER w), "
				. "moving_mode(left(t, x % 4)) OVER w, sum(x * 3.5) OVER w, avg(f * 2) OVER w $window");
		same("little memory, $frame: an error at its row", qr/division by zero/,
			"SET scan.work_mem = '64kB'; $order BEGIN; "
				. "DECLARE c CURSOR FOR SELECT id, md5(min(repeat(t, x % 60) || 100 / (id - 2400)) OVER w), "
				. "moving_mode(left(t, x % 4)) OVER w $window; MOVE 1400 FROM c; FETCH 700 FROM c; FETCH 400 FROM c");
	}
}

# ---- at the very row, wherever it stands in its block, by built-in functions and by a user's

for my $fails ('100 / (id - %d)', 'picky(id, %d)')
{
	for my $row (2, 16, 17, 18, 337, 1024, 1025, 2100)
	{
		my $e = sprintf $fails, $row;
		for my $after (0, 3)
		{
			my ($last, $first) = ($row - $after - 1, $row - $after);
			next if $last < 1;
			my $scan = "max($e) OVER w, sum($e) OVER w, count(*) FILTER (WHERE $e > 0) OVER w, "
				. "avg(f * 2) OVER w, min(lower(t)) OVER w, moving_median($e) OVER w FROM data "
				. "WINDOW w AS (ORDER BY id ROWS BETWEEN 20 PRECEDING AND $after FOLLOWING)";
			same("$e, $after FOLLOWING: the rows before it", $rows, "$index SELECT id, $scan LIMIT $last");
			same("$e, $after FOLLOWING: its row", qr/\AERROR:  (?:division by zero|picky at $row)/,
				"$index SELECT id, $scan LIMIT $first");
			same("$e, $after FOLLOWING: a cursor", qr/^ERROR:  (?:division by zero|picky at $row)/m,
				"BEGIN; DECLARE c CURSOR FOR SELECT id, $scan; MOVE $last FROM c; FETCH 1 FROM c");
		}
	}
}
same("a function of a user, $_", $rows, "SELECT id, sum(picky(id, 9000)) OVER w, max(picky(x, 9000)) OVER w, "
		. "avg(picky(x, 9000)::float8) OVER w, string_agg(t || picky(id, 9000), ',') OVER w "
		. "FROM data WINDOW w AS (PARTITION BY p ORDER BY id $_) LIMIT 300")
	for 'ROWS 20 PRECEDING', 'ROWS BETWEEN 3 PRECEDING AND 4 FOLLOWING EXCLUDE CURRENT ROW',
	'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW',
	'GROUPS BETWEEN 2 FOLLOWING AND 5 FOLLOWING', 'RANGE BETWEEN 60 PRECEDING AND 20 PRECEDING EXCLUDE TIES';
same('an error of another function comes first', qr/\AERROR:  cannot take logarithm/,
	"SELECT lag(ln(40.0 - id)) OVER w, max(100 / (id - 60)) OVER w FROM data "
		. "WINDOW w AS (ORDER BY id ROWS 3 PRECEDING)");
same('an error above comes first', qr/\AERROR:  cannot take logarithm/,
	"SELECT ln(40.0 - id), max(100 / (id - 60)) OVER w FROM data WINDOW w AS (ORDER BY id ROWS 3 PRECEDING)");
same('an error above comes second', qr/\AERROR:  division by zero/, "SELECT ln(40.0 - id), max(100 / (id - 42)) OVER w "
		. "FROM data WINDOW w AS (ORDER BY id ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING)");
same('a sum that overflows first', qr/\AERROR:  value out of range: overflow/,
	"SELECT sum(1e307::float8 * abs(x - 2000)) OVER w, max(100 / (id - 60)) OVER w FROM data "
		. "WINDOW w AS (ORDER BY id ROWS 30 PRECEDING)");
same('of two rows that enter, the first, by the second function', qr/\AERROR:  cannot take logarithm/,
	"SELECT max(100 / (id - 4)) OVER w, max(ln(3.0 - id)) OVER w FROM data "
		. "WINDOW w AS (ORDER BY id ROWS BETWEEN CURRENT ROW AND 9 FOLLOWING)");
same('a FILTER before an argument', qr/\AERROR:  cannot take logarithm/, "SELECT max(100 / (id - 4)) FILTER "
		. "(WHERE ln(5.0 - id) < 9) OVER w FROM data WINDOW w AS (ORDER BY id DESC ROWS 3 PRECEDING)");
same('an argument behind a FILTER that rejects its row', $rows, "SELECT max(100 / (id - 4)) FILTER "
		. "(WHERE id <> 4 AND id + 1 > 0) OVER w FROM data WINDOW w AS (ORDER BY id ROWS 3 PRECEDING)");
same('a row that EXCLUDE keeps out of all frames', $rows, "SELECT max(100 / (id - 3000)) OVER w FROM data "
		. "WINDOW w AS (ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW)");
same('a row that no frame has', $rows,
	"SELECT max(100 / (id - 2)) OVER w FROM data WINDOW w AS (ORDER BY id ROWS BETWEEN 5 FOLLOWING AND 9 FOLLOWING)");
same('a row between frames', $rows, "SELECT id, max(100 / (id - 12)) OVER w FROM data WHERE id "
		. "IN (1, 3, 5, 11, 12, 13, 15) WINDOW w AS (ORDER BY id RANGE BETWEEN 10 FOLLOWING AND 10 FOLLOWING)");

# ---- a row that fails is tried in a subtransaction

same('a cancel is not an error of a row', qr/\AERROR:  canceling statement due to statement timeout/,
	"SET statement_timeout = '150ms'; SELECT count(x) "
		. "FROM (SELECT max(slow(x)) OVER (ORDER BY id ROWS 2 PRECEDING) AS x FROM data WHERE id < 40) AS s");
same('below a savepoint', qr/3000\n.*division by zero/s,
	"BEGIN; SAVEPOINT a; SELECT max(100 / (id - 60)) OVER (ORDER BY id ROWS 9 PRECEDING) FROM data; "
		. "ROLLBACK TO a; SELECT count(x) "
		. "FROM (SELECT max(100 / (id - 6000)) OVER (ORDER BY id ROWS 9 PRECEDING) AS x FROM data) AS s; COMMIT");
same('a block that catches the error', qr/division by zero.*rows/s,
	"SELECT failed('SELECT max(100 / (id - 60)) OVER (ORDER BY id ROWS 9 PRECEDING) FROM data'), "
		. "failed('SELECT max(100 / (id + 60)) OVER (ORDER BY id ROWS 9 PRECEDING) FROM data')");
same('rows that a cursor gives after a rollback', qr/division by zero/,
	"BEGIN; DECLARE c CURSOR FOR SELECT id, max(100 / (id - 60)) OVER (ORDER BY id ROWS 9 PRECEDING) FROM data; "
		. "MOVE 10 FROM c; SAVEPOINT a; FETCH 2 FROM c; SELECT 1 / 0; ROLLBACK TO a; FETCH 2 FROM c; FETCH 100 FROM c");

# ---- where several processes run the query there is no subtransaction

my $several = "LOAD 'scan'; SET jit = off; SET scan.prefixscan = force; SET scan.debug_require = node; "
	. "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	. "SET min_parallel_table_scan_size = 0;";
my $alone = "SET max_parallel_workers_per_gather = 0; LOAD 'scan'; SET scan.prefixscan = off;";
for my $parallel ('on', 'off')
{
	for my $over ('ORDER BY id ROWS 300 PRECEDING',
		'PARTITION BY p ORDER BY id ROWS BETWEEN 9 PRECEDING AND 3 FOLLOWING')
	{
		my $query = "SELECT count(*), sum(a), max(b), sum(c) FROM (SELECT max(abs(x)) OVER w AS a, min(lower(t)) "
			. "OVER w AS b, sum(x * 2) FILTER (WHERE x + 1 > 9) OVER w AS c FROM data WINDOW w AS ($over)) AS s";
		like(join("\n", $server->lines("$several SET scan.parallel = $parallel; EXPLAIN (COSTS off) $query")),
			$parallel eq 'on' ? qr/Parallel Custom Scan \(PrefixScan\)/ : qr/Custom Scan \(PrefixScan\).*Gather/s,
			"the plan: scan.parallel $parallel, $over");
		is(join("\n", $server->lines("$several SET scan.parallel = $parallel; $query")),
			join("\n", $server->lines("$alone $query")), 'its rows');
		my ($out, $err) = $server->run("$several SET scan.parallel = $parallel; "
			. $query =~ s/abs\(x\)/100 \/ (id - 777)/r, go_on => 1);
		like($err, qr/division by zero/, 'its error');
	}
}
# A function is evaluated over a whole range when another one has been, and has dropped values.
# They are wider than the range's rows.
{
	my $query = "SELECT sum(hashtext(a)), sum(hashtext(b)), sum(hashtext(c)) "
		. "FROM (SELECT max(repeat(t, 50)) OVER w AS a, min(repeat(t, 40) || id) OVER w AS b, "
		. "string_agg(t || id, ',') OVER w AS c FROM more WINDOW w AS (ORDER BY id ROWS 20 PRECEDING)) AS s";

	$server->lines("CREATE TABLE more AS SELECT i AS id, 'V' || i * 7919 % 1009 AS t "
		. "FROM generate_series(1, 30000) AS i; VACUUM ANALYZE more");
	is(join("\n", $server->lines("$several SET scan.work_mem = '$_'; $query")),
		join("\n", $server->lines("$alone $query")), "ranges in $_") for '64kB', '1MB';
}
# Gather below, and a LIMIT above: the rows before the error
$several .= ' SET scan.parallel = off; SET enable_indexscan = off; SET enable_indexonlyscan = off; '
	. 'SET enable_bitmapscan = off;';
for my $e ('max(100 / (id - 60))', 'max(picky(id, 60))')
{
	my $query = "SELECT count(x) FROM (SELECT $e OVER (ORDER BY id ROWS 3 PRECEDING) AS x FROM data";
	like(join("\n", $server->lines("$several EXPLAIN (COSTS off) $query LIMIT 59) AS s")),
		qr/Custom Scan \(PrefixScan\).*Gather/s, "$e over a Gather");
	is($server->value("$several $query LIMIT 59) AS s"), 59, 'the rows before the error');
	my ($out, $err) = $server->run("$several $query LIMIT 60) AS s", go_on => 1);
	like($err, qr/division by zero|picky at 60/, 'and its row');
}

# ---- functions of a user that keep something open where they fail

$server->lines(<<'SQL');
CREATE FUNCTION by_table(a int) RETURNS int
  LANGUAGE sql STABLE SECURITY DEFINER AS 'SELECT 100 / (a - 50) FROM data WHERE id = a';
CREATE FUNCTION by_sql(a int) RETURNS int LANGUAGE sql IMMUTABLE SECURITY DEFINER AS 'SELECT 100 / (a - 50)';
CREATE FUNCTION by_query(a int) RETURNS int
  LANGUAGE plpgsql STABLE AS 'DECLARE r int; BEGIN SELECT 100 / (a - 50) INTO r FROM data WHERE id = a; RETURN r; END';
SQL
foreach my $function ('by_table', 'by_sql', 'by_query')
{
	foreach my $frame ('ROWS 5 PRECEDING', 'ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE CURRENT ROW',
		'ROWS BETWEEN 10 FOLLOWING AND 12 FOLLOWING')
	{
		same("$function, $frame: the error", qr/division by zero/,
			"SELECT count(x) FROM (SELECT max($function(id)) OVER (ORDER BY id $frame) AS x FROM data "
				. "WHERE id < 200) AS s;");
		same("$function, $frame: none at other rows", $rows,
			"SELECT count(x), sum(x) FROM (SELECT max($function(id)) OVER (ORDER BY id $frame) AS x FROM data "
				. "WHERE id BETWEEN 51 AND 400) AS s;");
	}
}

done_testing();
