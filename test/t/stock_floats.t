# stock_floats.t: PostgreSQL's own window functions over random floats, in PrefixScan and in WindowAgg, to the bit.
#
# On arm64 and s390x, the compiler fuses multiplications and additions in PostgreSQL's functions.  A formula of theirs
# that scan computes again, without fusing, gives other bits there.  test/package/machines.sh runs this test there.
#
#   SCAN_TEST_ROWS=20000 SCAN_TEST_SEED=0.3 test/cluster.sh prove test/t/stock_floats.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $rows = $ENV{SCAN_TEST_ROWS} // 900;
my $seed = $ENV{SCAN_TEST_SEED} // 0.7;
my $server = Server->new('stock_floats');

# columns: between 0 and 1, of any magnitude, large and close to each other, few digits, with NULLs and infinities
$server->lines(<<"SQL");
SELECT setseed($seed);
CREATE TABLE t AS
SELECT id, id / 400 AS p, floor(random() * 300) / 7 AS k, random() AS unit, (random() - 0.5) *
  ('1e' || floor(random() * 40 - 20))::float8 AS wide, 1e8 + random() AS near, round(random() * 1000) / 100 AS cents,
       CASE WHEN random() < 0.1 THEN NULL WHEN random() < 0.003 THEN 'Infinity' WHEN random() < 0.003 THEN 'NaN'
         ELSE random() * 1e3 - 500 END AS odd
FROM generate_series(1, $rows) AS id;
ANALYZE t;
SQL

my @columns = qw(unit wide near cents odd);
my @one = map { ("$_(x)", "$_(x::float4)") } qw(sum avg var_pop var_samp stddev_pop stddev_samp);
my @two = map { "$_(x, unit)" }
	qw(corr covar_pop covar_samp regr_avgx regr_avgy regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy);
my @others = map { ("$_(interval '1 month 3 days' * (x / (1 + abs(x))))", "$_((x / (1 + abs(x)))::numeric)",
	"$_((1000 * (x / (1 + abs(x))))::int8)") } qw(sum avg);
my @ranks = ('percent_rank()', 'cume_dist()', 'min(x)', 'max(x)', 'var_samp((1000 * (x / (1 + abs(x))))::int4)',
	'stddev_pop((x / (1 + abs(x)))::numeric)');
my @frames = ('ORDER BY id', 'ORDER BY k', 'PARTITION BY p ORDER BY k, id ROWS UNBOUNDED PRECEDING',
	'ORDER BY id ROWS 9 PRECEDING', 'ORDER BY id ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING',
	'ORDER BY id ROWS 300 PRECEDING', 'PARTITION BY p ORDER BY id ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING',
	'PARTITION BY p', 'ORDER BY k RANGE 0.5 PRECEDING', 'ORDER BY k RANGE BETWEEN 0.1 PRECEDING AND 1.3 FOLLOWING',
	'ORDER BY k GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW',
	'ORDER BY id ROWS BETWEEN 5 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW');

# A sum depends on the order of its rows.  Rows that tie come in the order of their id, because they are sorted by it.
sub query
{
	my ($column, $frame, @calls) = @_;
	my $n = 0;
	# infinities have no integer
	my $finite = $column eq 'odd' ? "nullif(nullif(odd, 'NaN'), 'Infinity')" : $column;
	my @show = map {
		my $call = $_;
		$call =~ s/\bx\b/$call =~ m{numeric|int} ? $finite : $column/ge;
		"$call OVER w AS r" . $n++
	} @calls;
	return 'SELECT id, ' . join(', ', @show) . " FROM (SELECT * FROM t ORDER BY "
		. ($frame =~ /^ORDER BY k/ ? 'k, id' : 'id') . ") AS t WINDOW w AS ($frame)";
}

my (@names, @queries, @calls);
for my $frame (@frames)
{
	for my $column (@columns)
	{
		for my $calls ([ @one, @ranks ], [ @two, @others ])
		{
			push @names, "$calls->[0] and others of $column OVER ($frame)";
			push @queries, query($column, $frame, @$calls);
			push @calls, [ $column, $frame, @$calls ];
		}
	}
}
my $core = 'SET scan.prefixscan = off';
my %ways = ('forced' => 'SET scan.prefixscan = force; SET scan.debug_require = node',
	'with little memory' => 'SET scan.prefixscan = force; SET scan.work_mem = 64; SET work_mem = 64');
my @stock = $server->answers($core, @queries);
for my $way (sort keys %ways)
{
	my @node = $server->answers($ways{$way}, @queries);
	for my $i (0 .. $#queries)
	{
		next if is($node[$i], $stock[$i], "$names[$i], $way");
		my ($column, $frame, @each) = @{ $calls[$i] };
		my @single = map { query($column, $frame, $_) } @each;
		my ($a, $b) = ([ $server->answers($core, @single) ], [ $server->answers($ways{$way}, @single) ]);
		diag("differs: $each[$_]") for grep { $a->[$_] ne $b->[$_] } 0 .. $#each;
	}
}
is(scalar(grep { /^\d+ \d+ [0-9a-f]{32}$/ } @stock), scalar @stock, 'and no query fails')
	or diag((grep { !/^\d+ \d+ [0-9a-f]{32}$/ } @stock)[0]);
done_testing();
