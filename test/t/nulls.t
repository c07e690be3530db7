# nulls.t: IGNORE NULLS, which PostgreSQL 19 has: the answers of WindowAgg, by the node where it looks back, and errors
# where a function does not know it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('nulls');
plan skip_all => 'IGNORE NULLS came with PostgreSQL 19' if $server->value('SHOW server_version_num') < 190000;

$server->lines(q{CREATE TABLE t AS SELECT i AS id, i % 7 AS p, CASE WHEN hashint4(i) % 3 = 0 AND i % 7 <> 5 THEN i END }
	. q{AS v, CASE WHEN hashint4(i) % 5 > 0 THEN NULL WHEN i % 2 = 0 THEN repeat('x' || i, i % 40) ELSE '' END AS s }
	. q{FROM generate_series(1, 9000) AS i; ANALYZE t});

my $window = 'OVER (PARTITION BY p ORDER BY id)';
my $declined = qr/IGNORE NULLS is not supported here/;
my @frames = ('', 'ROWS UNBOUNDED PRECEDING', 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
	'GROUPS UNBOUNDED PRECEDING', 'RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING');
my @cases = (
	(map { [ $_, '', 'node' ] } 'lag(v)', 'lag(v, 3, 0)', 'lag(v, 0)', 'lead(v, -2)', 'lag(v, 2, id)', 'lag(s)',
		'lag(v, 1000)'),
	(map {
		my $call = $_;
		map { [ $call, $_, 'node' ] } @frames
	} 'first_value(v)', 'last_value(v)', 'nth_value(v, 2)', 'nth_value(s, 7)', 'first_value(s)', 'last_value(s)',
	'last_value(100 / nullif(1, 2))'),
	(map { [ $_, '', $declined ] } 'lead(v)', 'lead(s, 2)', 'lag(v, -1)', 'lag(v, p)', 'nth_value(v, p + 1)',
		'lag(v, 1001)', 'lag(100 / (v - 7))', 'first_value(100 / (v - 7))'),
	(map { [ 'last_value(v)', $_, $declined ] } 'ROWS 3 PRECEDING',
		'ROWS BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING EXCLUDE TIES', 'GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING'));
for (@cases)
{
	my ($call, $frame, $where) = @$_;
	for my $nulls ('IGNORE NULLS', 'RESPECT NULLS')
	{
		for my $order ('id', 'id / 9')
		{
			my $over = "OVER (PARTITION BY p ORDER BY $order $frame)";
			# of rows that tie, the value may be any one's, but a frame has them all
			next
				if $order ne 'id' && ($nulls =~ /RESPECT/ || $call =~ /lag|lead/ || $call !~ /v\)/ || $frame =~ /ROWS/);
			my $query = "SELECT id, $call $nulls $over AS x, count(*) $over AS s FROM t";
			$query = "SELECT id / 9 AS id, x IS NULL AS x, s FROM ($query) AS q" if $order ne 'id';
			my ($core) = $server->answers('SET scan.prefixscan = off', $query);
			for my $settings ('SET scan.prefixscan = force',
				'SET scan.prefixscan = force; SET scan.work_mem = 64; SET work_mem = 64')
			{
				my ($ours) = $server->answers($settings, $query);
				is($ours, $core, "$call $nulls $frame ORDER BY $order");
			}
			my $plan = join "\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (VERBOSE) $query");
			like($plan, $nulls =~ /RESPECT/ ? qr/PrefixScan|WindowAgg/ : $where eq $declined
					? $declined : qr/Custom Scan \(PrefixScan/, '... and where');
			unlike($plan, qr/Custom Scan \(PrefixScan/, '... not in the node')
				if $nulls =~ /IGNORE/ && $where eq $declined;
		}
	}
}
# several processes go on from each other: over ranges of the order, and over whole partitions
$server->lines('CREATE TABLE wide AS SELECT hashint4(i) AS id, i % 1000 AS p, '
	. 'CASE WHEN hashint4(-i) % 50 = 0 THEN i END AS v, CASE WHEN hashint4(-i) % 70 = 0 THEN repeat(i::text, 9) END '
	. 'AS s FROM generate_series(1, 60000) AS i; ANALYZE wide');
for my $over ('OVER (ORDER BY id)', 'OVER (PARTITION BY p ORDER BY id)')
{
	for my $call ('first_value(v)', 'last_value(v)', 'last_value(s)', 'nth_value(s, 100)', 'lag(v, 2)')
	{
		my $query = "SELECT count(x), sum(hashtext(x::text)), sum(hashtext(x::text) * id::int8 % 1000003) "
			. "FROM (SELECT id, $call IGNORE NULLS $over AS x FROM wide) AS q";
		my $costs = 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;';
		my $plan = join "\n",
			$server->lines("LOAD 'scan'; SET scan.prefixscan = force; $costs EXPLAIN (COSTS OFF) $query");
		my $carries = $call !~ /lag/ || $over =~ /PARTITION/;

		is($server->value("LOAD 'scan'; SET scan.prefixscan = force; $costs $query"),
			$server->value("SET scan.prefixscan = off; $query"), "$call IGNORE NULLS $over in processes");
		$carries ? like($plan, qr/Parallel Custom Scan \(PrefixScan\)/, '... it is in processes')
			: unlike($plan, qr/Parallel Custom Scan/, '... it is not in processes');
	}
}
my ($ignored, $respected) = $server->answers('SET scan.prefixscan = force',
	map { "SELECT id, lag(v) $_ $window AS x FROM t" } 'IGNORE NULLS', 'RESPECT NULLS');
isnt($ignored, $respected, 'it is not the same');

for my $node (qw/off force/)
{
	like($_, qr/does not allow RESPECT\/IGNORE NULLS/, "refused, scan.prefixscan = $node: $_")
		for $server->answers("SET scan.prefixscan = $node",
		map { "SELECT id, $_ $window AS x FROM t" } 'scan_sum(v) IGNORE NULLS', 'scan_locf(v) IGNORE NULLS',
		'scan_ema(v, 0.5) RESPECT NULLS', 'row_number() IGNORE NULLS', 'rank() RESPECT NULLS');
}
done_testing();
