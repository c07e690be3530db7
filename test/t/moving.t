# moving.t: the aggregates of src/functions/aggregate/moving.c over random rows and large frames, with
# trees of up to three levels that grow, shrink, and shift, against core's ordered-set
# aggregates over the same rows; and that of equal values the one of a stable sort is shown.
#
#   SCAN_TEST_QUERIES=1000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/moving.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 8 : 40);
my $seed = $ENV{SCAN_TEST_SEED} // 20261122;
my $rows = 50_000;
my $sampled = 25;    # rows of a query whose answers are compared
my $server = Server->new('moving');
srand $seed;

# Where values come and go in the tree: anywhere, a few, one end, both ends, one place after another.
my %column = (
	random => 'hashint8(i)', few => 'hashint8(i) % 50', falling => '-i',
	waves => 'i * (CASE WHEN i / 3000 % 2 = 0 THEN 1 ELSE -1 END)',
	bursts => '(i / 700) * 1000000 + hashint8(i) % 1000',
	holes => 'CASE WHEN i / 1000 % 3 > 0 THEN hashint8(i) % 5000 END');
$server->lines("CREATE TABLE v AS SELECT i, i - i % 1000 * (i / 1000 % 2) AS k, "
	. join(', ', map { "($column{$_})::float8 AS $_" } sort keys %column)
	. ", repeat('x', (i % 7)::int) || hashint8(i) % 3000 AS words, round(hashint8(i) % 40 / 4.0, (i % 4)::int) "
		. "AS scales, (hashint8(i) % 100000) * interval '1 second' AS times FROM generate_series(1, $rows) AS i");
$server->lines('CREATE INDEX ON v (i); CREATE INDEX ON v (k)');
$server->lines('VACUUM ANALYZE v');

# Core's percentile_cont, operator by operator.  On arm64 and s390x, the compiler fuses multiplications and additions in
# core's own function, which changes the last bits.
$server->lines(<<'SQL');
CREATE FUNCTION by_operators(x anyarray, fraction float8) RETURNS anyelement LANGUAGE sql AS $$
  SELECT CASE WHEN ceil(place) = floor(place) THEN x[place + 1]
    ELSE x[floor(place) + 1] + (place - floor(place)) * (x[ceil(place) + 1] - x[floor(place) + 1]) END
  FROM (SELECT fraction * (cardinality(x) - 1) AS place) AS p
$$;
SQL
my $fuses = `uname -m` !~ /x86_64/;

# An expression for core's percentile_cont of a column.
sub percentile_cont
{
	my ($f, $column) = @_;
	return $fuses ? "by_operators(array_agg($column ORDER BY $column) FILTER (WHERE $column IS NOT NULL), $f)"
		: "percentile_cont($f) WITHIN GROUP (ORDER BY $column)";
}

sub pick
{
	return $_[ rand @_ ];
}

# A frame: its clause, and which rows v are in that of row r.
sub frame
{
	my ($a, $b) = map { int(2**rand(15)) } 1 .. 2;
	my $ab = $a + int(rand 300);

	return @{ pick(
			[ "ORDER BY i ROWS $a PRECEDING", "v.i BETWEEN r.i - $a AND r.i" ],
			[ "ORDER BY i ROWS BETWEEN $a PRECEDING AND $b FOLLOWING", "v.i BETWEEN r.i - $a AND r.i + $b" ],
			[ "ORDER BY i ROWS BETWEEN $a FOLLOWING AND $ab FOLLOWING", "v.i BETWEEN r.i + $a AND r.i + $ab" ],
			[ 'ORDER BY i ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'v.i >= r.i' ],
			[ 'ORDER BY i ROWS UNBOUNDED PRECEDING', 'v.i <= r.i' ],
			# its rows come and go by the thousand
			[ "ORDER BY k RANGE BETWEEN $a PRECEDING AND $b FOLLOWING", "v.k BETWEEN r.k - $a AND r.k + $b" ]) };
}

# A call, and what it has to give.
sub call
{
	my $f = pick(0, 0.25, 0.5, 0.999, 1, sprintf '%.6f', rand);
	my $number = pick(sort keys %column);
	my $any = pick($number, 'words', 'scales', 'times');

	return @{ pick(
			[ "moving_median($number)", percentile_cont(0.5, $number) ],
			[ "moving_percentile_cont($number, $f)", percentile_cont($f, $number) ],
			[ "moving_percentile_cont(times, $f)", percentile_cont($f, 'times') ],
			[ "moving_percentile_disc($any, $f)", "(array_agg($any ORDER BY $any, i) FILTER "
					. "(WHERE $any IS NOT NULL))[greatest(ceil(${f}::float8 * count($any)), 1)]" ],
			[ "moving_mode($any)", "(SELECT m FROM (SELECT (array_agg($any ORDER BY i))[1] AS m, count(*) AS c FROM v "
					. "WHERE FRAME AND $any IS NOT NULL GROUP BY $any) AS g ORDER BY c DESC, m LIMIT 1)" ],
			[ "moving_count_distinct($any)", "count(DISTINCT $any)" ]) };
}

my (@wrong, $compared);
for my $query (1 .. $count)
{
	my ($frame, $in_frame) = frame();
	my ($ours, $core) = call();
	my ($every, $first) = (int($rows / $sampled), int(rand($rows / $sampled)));

	# core's mode() may show another of equal values, and an oracle that is a subquery has its own FROM
	$core = $core =~ s/FRAME/$in_frame/ ? "SELECT $core" : "SELECT $core FROM v WHERE $in_frame";
	my ($n, $different) = split /\|/, $server->value(<<"SQL");
SET jit = off; SET max_parallel_workers_per_gather = 0; SET work_mem = '64MB';
WITH r AS MATERIALIZED (SELECT i, k, $ours OVER ($frame) AS y FROM v)
SELECT count(*), count(*) FILTER (WHERE y::text IS DISTINCT FROM (($core))::text) FROM r WHERE i % $every = $first;
SQL
	$compared += $n;
	push @wrong, "$ours OVER ($frame): $different of $n" if $different > 0;
}
is(scalar @wrong, 0, "$compared answers of $count queries (seed $seed)") or diag(join "\n", @wrong);
cmp_ok($compared, '>=', ($sampled - 1) * $count, 'enough are compared');

# Long intervals: fractions of months and days go to the time.  No operator shows what core's function would do unfused.
SKIP:
{
	skip 'core computes intervals otherwise on this processor', 1 if $fuses;
	my $interval =
		"make_interval(months => hashint8(i) / 2, days => hashint8(i + 1) / 3, secs => hashint8(i + 2) / 1e6)";
	is($server->value("SELECT count(*) || ' ' || count(*) FILTER (WHERE ours::text <> core::text) "
			. "FROM (SELECT p, f, moving_percentile_cont(x, f) AS ours FROM (SELECT i / 4 AS p, 0.001 * (i / 4 % 1000) "
			. "AS f, $interval AS x FROM v) AS t GROUP BY p, f) AS a JOIN (SELECT i / 4 AS p, percentile_cont(0.001 "
			. "* (i / 4 % 1000)) WITHIN GROUP (ORDER BY $interval) AS core FROM v GROUP BY i / 4) AS b USING (p)"),
		int($rows / 4) + 1 . ' 0', 'long intervals');
}
done_testing();
