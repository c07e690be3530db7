# funnel.t: scan_funnel against its definition, in test/t/funnel.py: by groups, and by rows in WindowAgg and in
# PrefixScan; how PrefixScan reads the conditions; and states that a user's own aggregate makes.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import random" >/dev/null 2>&1') != 0;

my $server = Server->new('funnel');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/funnel.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /^(\d+) rows of/ && $1 >= 80000 } @lines), '==', 14 * 4 * 3, 'all kinds of times were compared');

# ---- the conditions as columns: with NULLs, more than 64, in several processes, beyond memory, over frames that slide

my $setup = "LOAD 'scan'; SET jit = off;";
$server->lines(<<'SQL');
CREATE TABLE visit AS SELECT i AS id, i % 40 AS p, i / 3 AS at,
  CASE WHEN hashint4(i) % 7 <> 0 THEN hashint4(i + 1) % 3 = 0 END AS a, hashint4(i + 2) % 4 = 0 AS b,
  NULLIF(hashint4(i + 3) % 5, 1) AS c, repeat('x', 500) AS wide FROM generate_series(1, 30000) AS i;
ALTER TABLE visit SET (parallel_workers = 2);
ANALYZE visit;
SQL
my $many = join ', ', map { 'a, b' } 1 .. 40;
my $split = join ', ', map { "c = $_" } 1 .. 3;
for my $call ('scan_funnel(at, 9, a, b, c = 2) OVER (PARTITION BY p ORDER BY at)',
	'scan_funnel(at, 90, \'strict_order\', a, NULL, b, true) OVER (PARTITION BY p ORDER BY at)',
	"scan_funnel(at, 900, $many) OVER (PARTITION BY p ORDER BY id)",
	'scan_funnel(at, 9, 1 / (c + 9) = 0 OR a, b) OVER (ORDER BY at)',
	'scan_funnel(at, 9, VARIADIC ARRAY[a, b]) FILTER (WHERE c > 0) OVER (ORDER BY at)',
	'scan_funnel(at, 9::numeric, a, b, a) OVER (PARTITION BY p ORDER BY at)',
	"scan_funnel(at, 9, 'strict_increase', a, $split) OVER (PARTITION BY p ORDER BY at ROWS 7 PRECEDING)",
	'scan_funnel(at, 9, a, b) OVER (PARTITION BY p '
		. 'ORDER BY at GROUPS BETWEEN 3 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW)',
	'scan_funnel(at, 100, a, b, a, b) OVER (ORDER BY id)', 'scan_funnel(at, 9, false, b) OVER (ORDER BY id)')
{
	my $query = "SELECT md5(string_agg(y || length(wide)::text, ' ' ORDER BY id)) "
		. "FROM (SELECT id, wide, $call AS y FROM visit) AS t";
	my ($core) = $server->lines("$setup SET scan.prefixscan = off; $query");
	my $force = "$setup SET scan.prefixscan = force;";
	is(($server->lines("$force $query"))[0], $core, $call);
	is(($server->lines("$force SET scan.work_mem = '64kB'; $query"))[0], $core, "$call, beyond memory");
	is(($server->lines("$force SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; "
			. "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; $query"))[0], $core,
		"$call, in several processes");
}
my $plan = join "\n",
	$server->lines("$setup SET scan.prefixscan = force; SET max_parallel_workers_per_gather = 2; "
	. "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; "
	. "EXPLAIN (COSTS OFF) SELECT scan_funnel(at, 9, a, b) OVER (ORDER BY at) FROM visit");
like($plan, qr/Gather.*PrefixScan/s, 'the state goes from process to process');

# ---- states that the aggregate has not made

for my $state ('', '00', '0102030405060708' x 6, '00000000ffffff7fffffff7fffffff7f' . '00' x 60)
{
	$server->lines(
		"DROP AGGREGATE IF EXISTS forged(int8, int8, boolean[]); CREATE AGGREGATE forged(int8, int8, boolean[]) "
		. "(SFUNC = scan_funnel_add_int8, STYPE = bytea, FINALFUNC = scan_funnel_final, INITCOND = '\\x$state')");
	my (undef, $err) = $server->run("SELECT forged(1, 2, '{t,f}')");
	like($err, qr/ERROR:  invalid transition value of scan_funnel/, 'a state of ' . length($state) / 2 . ' bytes');
}
like(($server->run("SELECT scan_funnel_final('\\x00'::bytea)"))[1], qr/ERROR:  invalid transition value of scan_funnel/,
	'a final value');
like(($server->run("SELECT scan_funnel_add_int8(NULL, 1, 2, '{t}')"))[1],
	qr/ERROR:  aggregate function called in non-aggregate context/, 'no aggregate');
done_testing();
