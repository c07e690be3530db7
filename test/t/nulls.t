# nulls.t: IGNORE NULLS, which PostgreSQL 19 has: WindowAgg's answers, and errors where a function does not know it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('nulls');
plan skip_all => 'IGNORE NULLS came with PostgreSQL 19' if $server->value('SHOW server_version_num') < 190000;

$server->lines('CREATE TABLE t AS SELECT i AS id, i % 7 AS p, CASE WHEN hashint4(i) % 3 = 0 THEN i END AS v FROM generate_series(1, 500) AS i; ANALYZE t');

my $window = 'OVER (PARTITION BY p ORDER BY id)';
for my $call ('lag(v)', 'lead(v)', 'first_value(v)', 'last_value(v)', 'nth_value(v, 2)', 'lag(v, 3, 0)')
{
	for my $nulls ('IGNORE NULLS', 'RESPECT NULLS')
	{
		my $query = "SELECT id, $call $nulls $window AS x, sum(v) $window AS s FROM t";
		my ($core) = $server->answers('SET scan.node = off', $query);
		my ($ours) = $server->answers('SET scan.node = force', $query);

		is($ours, $core, "$call $nulls");
		my $plan = join "\n", $server->lines("LOAD 'scan'; SET scan.node = force; EXPLAIN (VERBOSE) $query");
		like($plan, $nulls =~ /RESPECT/ ? qr/PrefixScan/ : qr/$call.*IGNORE NULLS is not supported|: IGNORE NULLS is not supported/s, '... and where');
	}
}
my ($ignored, $respected) = $server->answers('SET scan.node = force', map { "SELECT id, lag(v) $_ $window AS x FROM t" } 'IGNORE NULLS', 'RESPECT NULLS');
isnt($ignored, $respected, 'it is not the same');

for my $node (qw/off force/)
{
	like($_, qr/does not allow RESPECT\/IGNORE NULLS/, "refused, scan.node = $node: $_")
	  for $server->answers("SET scan.node = $node", map { "SELECT id, $_ $window AS x FROM t" } 'scan_sum(v) IGNORE NULLS', 'scan_locf(v) IGNORE NULLS', 'scan_ema(v, 0.5) RESPECT NULLS', 'row_number() IGNORE NULLS', 'rank() RESPECT NULLS');
}
done_testing();
