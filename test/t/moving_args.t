# moving_args.t: moving_arg_min, moving_arg_max, moving_first and moving_last against plain loops, in
# test/t/moving_args.py: over moving frames, by WindowAgg and by PrefixScan, and by groups.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine' if system('python3 -c "" >/dev/null 2>&1') != 0;

my $server = Server->new('moving_args');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/moving_args.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 17, 'all kinds of rows were compared');

# a moving one runs in PrefixScan by a queue, and a group in several processes
$server->lines(<<'SQL');
CREATE TABLE ticks AS SELECT i AS id, i % 7 AS symbol, (i * 7919) % 100003 AS at, CASE WHEN i % 11 <> 0
  THEN repeat('p', i % 5) || i END AS price, (i % 13)::numeric AS volume FROM generate_series(1, 30000) AS i;
ANALYZE ticks;
SQL
my $plan = join "\n",
	$server->lines("LOAD 'scan'; SET scan.prefixscan = force; "
	. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT moving_arg_min(price, at) OVER w, "
	. "moving_last(price, volume) OVER w FROM ticks WINDOW w AS (ORDER BY id ROWS 9 PRECEDING)");
like($plan, qr/Frame Methods: moving_arg_min \(queue\), moving_last \(queue\)/, 'in PrefixScan');
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; '
	. 'SET min_parallel_table_scan_size = 0; SET enable_sort = off;';
my $query = 'SELECT symbol, moving_first(price, at) AS open, moving_last(price, at) AS close, moving_arg_max(id, at), '
	. 'moving_arg_min(volume, at), moving_first(price, NULL::int) FROM ticks GROUP BY symbol';
like(join("\n", $server->lines("$parallel EXPLAIN (COSTS OFF) $query")), qr/Finalize.*Gather.*Partial/s,
	'groups in several processes');
is(join("\n", $server->lines("$parallel SELECT * FROM ($query) AS t ORDER BY symbol")),
	join("\n", $server->lines("SET max_parallel_workers_per_gather = 0; SELECT * FROM ($query) AS t ORDER BY symbol")),
	'... have the same answers');
is(join("\n", $server->lines("$parallel SELECT symbol, open, close FROM ($query) AS t ORDER BY symbol")), join("\n",
		$server->lines('SELECT symbol, (array_agg(price ORDER BY at))[1], (array_agg(price ORDER BY at DESC))[1] '
			. 'FROM ticks GROUP BY symbol ORDER BY symbol')), '... which are those of a sort');
done_testing();
