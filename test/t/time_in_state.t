# time_in_state.t: time_in_state against Python's integers, in test/t/time_in_state.py: by groups, over frames, by
# WindowAgg and by PrefixScan; parts that are joined.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "import fractions" >/dev/null 2>&1') != 0;

my $server = Server->new('time_in_state');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/time_in_state.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) rows of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 rows of $2") or diag($4);
}
cmp_ok(scalar(grep { /^(\d+) rows of/ && $1 >= 100000 } @lines), '==', 6 * 3 * 2, 'all types of times were compared');

my $setup = "LOAD 'scan'; SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; "
	. "SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;";
$server->lines(<<'SQL');
CREATE TABLE pump AS SELECT i AS id, timestamptz '2026-01-01' + i * interval '1 minute' AS at,
  NULLIF(hashint4(i) % 3, 0) = 1 AS runs FROM generate_series(1, 20000) AS i;
ALTER TABLE pump SET (parallel_workers = 2);
ANALYZE pump;
CREATE AGGREGATE part(bool, timestamptz) (SFUNC = time_in_state_add_timestamptz, STYPE = exact_state);
CREATE AGGREGATE joined(exact_state)
  (SFUNC = time_average_combine, STYPE = exact_state, FINALFUNC = time_in_state_final_interval);
SQL
my $wanted = $server->value('SELECT time_in_state(runs, at ORDER BY at) FROM pump');
is($server->value('SELECT joined(s::text::exact_state ORDER BY hour) FROM (SELECT id / 60 AS hour, '
		. 'part(runs, at ORDER BY at) AS s FROM pump GROUP BY id / 60) AS t'), $wanted, 'parts that follow each other');
my $query = "SELECT md5(string_agg(y::text, ' ' ORDER BY id)) "
	. "FROM (SELECT id, time_in_state(runs, at) OVER (ORDER BY at%s) AS y FROM pump) AS t";
for my $frame ('', ' ROWS 9 PRECEDING', " RANGE BETWEEN '1 hour' PRECEDING AND '10 minutes' FOLLOWING",
	' ROWS BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE CURRENT ROW')
{
	my $call = sprintf $query, $frame;
	my ($core) = $server->lines("LOAD 'scan'; SET scan.prefixscan = off; $call");
	is(($server->lines("$setup SET scan.prefixscan = force; $call"))[0], $core, "in several processes$frame");
	is(($server->lines("$setup SET scan.prefixscan = force; SET scan.work_mem = '64kB'; $call"))[0], $core,
		"beyond memory$frame");
}
done_testing();
