# frames.t: frames that move: every mode, every bound, EXCLUDE, NULLs, ties and FILTER, against WindowAgg.
#
# Each query also runs by one of the strategies that scan.debug_strategy can force, whose results have to be the same.
#
# The frames are random, the same for a seed.  Rows that tie come in one order with the node and
# without: a query reads them sorted, from a subquery, whose order the window takes over, or from a
# CTE, whose rows both sort again, and core's sort leaves those as they are that are sorted already.
#
#   SCAN_TEST_QUERIES=200000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/frames.t
use strict;
use warnings;
no warnings "qw";
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Compare;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 150 : 1500);
my $seed = $ENV{SCAN_TEST_SEED} // 20261122;
my $server = Server->new('frames');

$server->lines(<<'SQL');
CREATE COLLATION either (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN day AS date; CREATE DOMAIN moment AS timestamp; CREATE DOMAIN instant AS timestamptz;
CREATE DOMAIN span AS interval; CREATE DOMAIN hour AS time; CREATE DOMAIN whole AS int4;
CREATE TYPE mood AS ENUM ('mood 2', 'mood 0', 'mood 1');
CREATE TABLE d AS SELECT i AS id, CASE WHEN i % 11 > 0 THEN i % 5 END AS p,
  CASE WHEN i % 13 > 0 THEN hashint4(i) % 40 END AS o, CASE WHEN i % 7 > 0 THEN hashint4(i) % 1000 END AS i4,
  CASE i % 101 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN NULL ELSE hashint4(i)::int8 * 1000007 END AS i8,
  (hashint4(i * 3) % 100)::int2 AS i2,
  CASE WHEN i % 37 = 0 THEN 'NaN' WHEN i % 41 = 0 THEN 'infinity' WHEN i % 43 = 0 THEN '-infinity'
    WHEN i % 17 = 0 THEN '-0' WHEN i % 19 = 0 THEN '0' WHEN i % 10 > 0 THEN hashint4(i) / 7.0::float8 END AS f8,
  (hashint4(i) / 1000.0)::float4 AS f4, (hashint4(i) % 40) * 1e306::float8 AS huge,
  CASE WHEN i % 8 > 0 THEN round(hashint4(i) / 1000.0, i % 4) WHEN i % 16 = 0 THEN 'NaN' END AS n,
  CASE WHEN i % 6 > 0 THEN 'text ' || hashint4(i) % 30 END AS t, CASE WHEN i % 9 > 0 THEN i % 3 = 0 END AS b,
  hashint4(i) % 100 * interval '1 hour' + i % 2 * interval '1 month' AS iv,
  CASE i % 47 WHEN 0 THEN NULL WHEN 1 THEN 'infinity' WHEN 2 THEN '-infinity'
    ELSE timestamp '2026-01-01' + hashint4(i) % 5000 * interval '7 minutes' END AS ts,
  timestamptz '2026-03-28' + hashint4(i) % 500 * interval '17 minutes' AS tz, CASE WHEN i % 12 > 0
    THEN date '2026-01-01' + hashint4(i) % 60 END AS dt, time '12:00' + hashint4(i) % 600 * interval '1 minute' AS tm,
  (hashint4(i) % 40)::numeric / 3 AS nu, CASE WHEN i % 53 > 0 THEN hashint4(i) % 50 / 7.0::float8 ELSE 'NaN' END AS fo,
  (hashint4(i) % 50)::int2 AS o2, hashint4(i)::int8 AS o8,
  -- equal values that differ: trailing spaces, letters of either case; and types that have no other place
  CASE WHEN i % 6 > 0 THEN rpad(chr(97 + (hashint4(i) % 5 + 5) % 5), 1 + i % 4)::bpchar END AS bp, CASE WHEN i % 9 > 0
    THEN (CASE WHEN i % 2 = 0 THEN 'word' ELSE 'WORD' END || hashint4(i) % 9) COLLATE either END AS nd,
  CASE WHEN i % 5 > 0 THEN ARRAY[i % 4, hashint4(i) % 9] END AS ar, ('mood ' || (i * 7 % 3))::mood AS e, i::oid AS oi,
  CASE WHEN i % 8 > 0 THEN ('10.0.' || i % 200 || '.0/24')::inet END AS ip
FROM generate_series(1, 3000) AS i;
-- aggregates of a user's own: over any type, with a growing array, with rows that cannot be taken out again
CREATE AGGREGATE own_array(anycompatible) (SFUNC = array_append, STYPE = anycompatiblearray);
CREATE FUNCTION array_code(anyarray) RETURNS int LANGUAGE internal IMMUTABLE STRICT AS 'hash_array';
CREATE FUNCTION array_append_any(anyarray, anyelement) RETURNS anyarray LANGUAGE internal IMMUTABLE AS 'array_append';
CREATE AGGREGATE own_code(anyelement) (SFUNC = array_append_any, STYPE = anyarray, FINALFUNC = array_code);
CREATE FUNCTION minus_most(int8, int4) RETURNS int8
  LANGUAGE sql IMMUTABLE STRICT AS 'SELECT CASE WHEN $2 % 3 <> 0 THEN $1 - $2 END';
CREATE AGGREGATE own_sum(int4) (SFUNC = int84pl, STYPE = int8, INITCOND = '7', MSFUNC = int84pl, MINVFUNC = minus_most,
  MSTYPE = int8, MINITCOND = '9');
-- values at whose rows a bound, or the frame, is out of range
CREATE TABLE far AS SELECT i AS id, 1 AS p, timestamp '294270-01-01' + i * interval '1 month' AS ts,
  (date '5874800-01-01' + i * 30) AS dt, i * 2e306::float8 AS huge, 9223372036854775800 + i % 8 AS i8,
  interval '178000000 years' + i * interval '10000 years' AS iv FROM generate_series(1, 60) AS i;
VACUUM ANALYZE d, far;
SQL
$server->lines("ALTER DATABASE $server->{database} SET timezone = 'Europe/Berlin'; "
	. "ALTER DATABASE $server->{database} SET jit = off;");
$server->lines(Compare::functions());

# ---- random queries

sub one_of { return $_[ int rand @_ ] }

my $largest = $server->takes_largest_offsets ? '9223372036854775807' : '1000000007';

# Offsets for RANGE by each of these columns; some are not valid.
my %offsets = (
	o => [qw(0 1 3 10::int8 2::int2 100000 -1)], o2 => [qw(0 3 5::int2 7::int8)], o8 =>
		[qw(0 1000000 100000000 9223372036854775807)], nu => [qw(0 1.5 4 'NaN')], fo => [qw(0 1.5 0.3 'infinity' -0.5)],
	f8 => [qw(0 1000 'infinity')], tm => [ "'1 hour'", "'5 minutes'" ], iv => [ "'2 hours'", "'1 day'", "'-1 second'" ],
	dt => [ "'3 days'", "'1 month'", "'5 hours'" ],
	(map { $_ => [ "'1 hour'", "'3 days'", "'1 month'", "'0'", '(SELECT interval \'2 days\')' ] } qw(ts tz)));
my @calls = (
	qw/count(*) count(i4) count(t) sum(i2) sum(i4) sum(i8) avg(i2) avg(i4) avg(i8) sum(f4) sum(f8) avg(f4) avg(f8)
		stddev(f8) var_pop(i4) stddev_pop(f4) stddev_samp(f8) variance(fo) var_pop(f8) var_samp(f4) stddev(huge)
		var_pop(huge) sum(huge) avg(huge) sum(n) avg(n) stddev(n) sum(iv) avg(iv)/,
	qw/min(i4) max(i4) min(f8) max(f8) min(t) max(n) min(iv) max(i8) max(ts) min(dt) min(f4) max(f4) min(i2) max(bp)
		min(bp) max(nd) min(nd) max(ar) min(e) max(oi) min(ip) max(t) min(n) max(iv) bool_and(b) bool_or(b) every(i4>0)
		bit_or(i4) bit_and(i8) bit_xor(i2)/,
	qw/exact_sum(f8) exact_sum(f4) exact_sum(huge) exact_avg(f8) exact_var_pop(fo) exact_var_samp(f8)
		exact_stddev_pop(f4) exact_stddev_samp(fo) moving_median(f8) moving_median(iv)/,
	qw/exact_sum(i2) exact_sum(i4) exact_sum(i8) exact_sum(n) exact_avg(i2) exact_avg(i8) exact_avg(n) exact_var_pop(i4)
		exact_stddev_samp(n) moving_median(i4) moving_median(i8) moving_median(n) moving_percentile_cont(i2,0.3)
		moving_percentile_cont(n,0.9)/,
	qw/exact_weighted_avg(f8) exact_weighted_avg(i8) exact_weighted_avg(fo,i4) moving_rank(i4) moving_percent_rank(t)
		moving_arg_min(t,i4) moving_arg_max(i4,f8) moving_first(n,ts) moving_last(t,i2) exact_product(fo)
		exact_product(i2)/,
	qw/exact_skewness(f8) exact_skewness_pop(i8) exact_kurtosis(fo) exact_kurtosis_pop(n)/,
	qw/exact_covar_pop(f8,fo) exact_covar_samp(f4,i4) exact_corr(fo,f8) exact_corr(o2,i2) exact_regr_slope(f4,f8)
		exact_regr_intercept(huge,i2) exact_regr_r2(i4,fo)/,
	qw/moving_percentile_cont(f8,0.3) moving_percentile_cont(iv,0.9) moving_percentile_disc(t,0.8)
		moving_percentile_disc(n,0.5) moving_percentile_disc(i2,0) moving_percentile_cont(f8,2)
		moving_percentile_disc(i4,i2\/200.0)/,
	qw/moving_mode(t) moving_mode(i2) moving_mode(n) moving_mode(dt) moving_count_distinct(i4) moving_count_distinct(t)
		moving_count_distinct(n) moving_median(1.0\/(i2+20))/,
	qw/string_agg(t,',') regr_slope(f8,f4) covar_pop(f8,fo) corr(i4,i2) sum(10\/(i2+20)) max(100\/(i2+90))
		first_value(i4) last_value(t) nth_value(i4,2) nth_value(t,3) first_value(n) last_value(100\/(i2+90))/);
my @unframed = ('row_number()', 'rank()', 'dense_rank()', 'lag(i4)', 'lead(t,3)', 'ntile(3)', 'cume_dist()',
	'percent_rank()', 'scan_sum(i8)');

sub frame
{
	my ($mode, $by) = @_;
	my @bounds = ('UNBOUNDED PRECEDING', 'PRECEDING', 'CURRENT ROW', 'FOLLOWING', 'UNBOUNDED FOLLOWING');
	my ($start, $end) = sort { $a <=> $b } one_of(0, 1, 1, 1, 2, 3), one_of(1, 2, 2, 3, 3, 4);
	my ($from, $to) = map { $_ % 2 ? one_of($mode eq 'RANGE' ? @{ $offsets{$by} } : (qw(0 1 2 3 7 50 1100 1000000),
				$largest, '1+1'), $mode eq 'RANGE' ? () : '(SELECT 2)') . " $bounds[$_]" : $bounds[$_] } $start, $end;
	return "$mode BETWEEN $from AND $to"
		. one_of('', '', '', ' EXCLUDE CURRENT ROW', ' EXCLUDE GROUP', ' EXCLUDE TIES', ' EXCLUDE NO OTHERS');
}

sub call
{
	my $call = rand() < 0.12 ? one_of(@unframed) : one_of(@calls);
	my $aggregate = !grep { $call eq $_ } @unframed;
	my $filter = $aggregate && $call !~ /_value/
		&& rand() < 0.15 ? ' FILTER (WHERE ' . one_of('i2 > 0', 'b', 'i2 > 90', 'i2 % nullif(i4, 5) > 0') . ')' : '';
	return "$call$filter OVER w";
}

sub query
{
	my $mode = one_of('ROWS', 'RANGE', 'GROUPS');
	my $by = one_of($mode eq 'RANGE' ? sort keys %offsets : qw(o ts t));
	my $partition = one_of('', 'p', 'p', 'id % 50', 'id / 700');
	my $order = $by . one_of('', ' DESC') . one_of('', ' NULLS FIRST', ' NULLS LAST') . ($mode eq 'ROWS' ? ', id' : '');
	my $calls = join ', ', map { call() } 1 .. one_of(1, 1, 2, 3);
	# rows in order of time, or seldom out of it
	$calls .= ", time_average(f8, $by" . one_of('', ", 'previous'", ", 'linear'") . ')' . one_of('',
		' FILTER (WHERE b)') . ' OVER w' if $by =~ /^(?:o|o2|o8|tz|dt)$/ && $order !~ /DESC/ && rand() < 0.3;
	my $rows = 'SELECT * FROM d WHERE id <= ' . one_of(0, 1, 2, 17, 100, 400, 400, 400, 3000) . ' ORDER BY '
		. join(', ', grep { $_ ne '' } $partition, $order, 'id');
	my $window = 'WINDOW w AS (' . ($partition ? "PARTITION BY $partition " : '') . "ORDER BY $order "
		. frame($mode, $by) . ')' . one_of('', '', ' LIMIT 5', ' LIMIT 50');
	return one_of("WITH s AS MATERIALIZED ($rows) SELECT id, $calls FROM s $window",
		"SELECT id, $calls FROM ($rows) AS s $window");
}

srand $seed;
my @queries = map { query() } 1 .. $count;

# What random queries come to too seldom.
push @queries, map {
	my $call = $_;
	map { ("SELECT id, $call $_", "SELECT id, $call $_ LIMIT 10") } 'FROM (SELECT * FROM far ORDER BY id) AS far',
		'FROM sorted_here'
}
  map { my $f = $_; map { ("$f OVER (ORDER BY $_) ", "lag(id) OVER (ORDER BY $_), $f OVER (ORDER BY $_) ",
  		"ntile(3) OVER (ORDER BY $_), $f OVER (ORDER BY $_)",
  		"cume_dist() OVER (ORDER BY $_), $f OVER (ORDER BY $_)") }
	"ts RANGE BETWEEN CURRENT ROW AND '2 years' FOLLOWING",
	"ts RANGE BETWEEN '1 day' PRECEDING AND '200 years' FOLLOWING",
	"dt RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW",
	"iv RANGE BETWEEN '1 year' PRECEDING AND '700000 years' FOLLOWING",
	"iv RANGE BETWEEN '178000000 years' PRECEDING AND CURRENT ROW", 'id ROWS 12 PRECEDING',
	'id ROWS BETWEEN 20 PRECEDING AND 3 PRECEDING' } 'count(*)', 'sum(huge)', 'avg(huge)', 'sum(iv)', 'sum(i8)';
s/(.*sorted_here)/WITH sorted_here AS MATERIALIZED (SELECT * FROM far ORDER BY id) $1/ for @queries;
# a partition that is looked at whole first, in pieces, since it is too large for 64kB; or since a bound may fail
push @queries,
	map { my $call = $_; map { "WITH sorted_here AS MATERIALIZED (SELECT * FROM d ORDER BY o, id) "
		. "SELECT id, $call, sum(i4) OVER w, count(*) OVER w FROM sorted_here WINDOW w AS (ORDER BY o$_)" }
	' RANGE BETWEEN CURRENT ROW AND 3 FOLLOWING', ' GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING',
	', id ROWS BETWEEN 1 PRECEDING AND 40 FOLLOWING', ', id ROWS BETWEEN 2500 PRECEDING AND 2000 FOLLOWING' }
		'ntile(7) OVER w', 'cume_dist() OVER w', 'percent_rank() OVER w';
push @queries, map {
	my $call = $_;
	map { "SELECT id, $call FROM (SELECT * FROM d WHERE id < 100 ORDER BY o DESC, id) AS d "
		. "WINDOW w AS (ORDER BY o DESC RANGE BETWEEN $_ PRECEDING AND 1 FOLLOWING) LIMIT 5" } -1, 0, 1
} 'ntile(3) OVER w', 'sum(i4) OVER w, percent_rank() OVER w', 'cume_dist() OVER w, count(*) OVER w';
push @queries, map { ("SELECT id, count(*) OVER (ORDER BY o, id $_) FROM d WHERE id < 40",
	"SELECT id, count(*) OVER (ORDER BY o, id $_) FROM d WHERE id < 0",
	"SELECT id, row_number() OVER (ORDER BY id, o $_) FROM d WHERE id < 40") } map { ("ROWS $_ PRECEDING",
	"ROWS BETWEEN CURRENT ROW AND $_ FOLLOWING", "GROUPS BETWEEN $_ PRECEDING AND 1 FOLLOWING") } 'NULL',
	'(SELECT NULL::int)', '-1', '(SELECT -1)', '(SELECT 3)', "CASE WHEN now() > '2000-01-01' THEN 2 ELSE 3 END";
push @queries,
	map { "SELECT id, time_average(f8, $_) OVER w FROM (SELECT * FROM d WHERE id < 300 ORDER BY o, id) AS d WINDOW "
	. "w AS (ORDER BY o ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)" } 'o', 'id', '-id', 'ts', 'f8', "o, 'previous'",
	"o, t", "o, CASE WHEN id < 290 THEN 'linear' ELSE 'previous' END", "o, CASE WHEN id < 290 THEN 'linear' END";
push @queries,
	map { "SELECT i, $_ OVER (ORDER BY i ROWS 1 PRECEDING) FROM (VALUES (1, 1e300::float8), (2, -1e300), "
	. "(3, 'NaN'), (4, 5)) AS v (i, x)" } 'sum(x)', 'avg(x)', 'max(x)', 'stddev(x)', 'var_pop(x)', 'var_samp(x/ 1e300)';
push @queries,
	map { "SELECT id, $_ FROM (SELECT id, o, i4, CASE WHEN id % 3 > 0 THEN '0' ELSE '-0' END::float8 AS zero FROM d "
	. "WHERE id < 400 ORDER BY o, id) AS s" }
  map {
	my $frame = $_;
	map { "$_ OVER (ORDER BY o $frame)" } 'max(zero)', 'min(zero)', 'nth_value(i4, 2)', 'nth_value(i4, 3)',
		'first_value(i4)', 'last_value(i4)', 'array_agg(id)'
}
  map {
	my $rows = $_;
	map { "$rows EXCLUDE $_" } 'TIES', 'GROUP', 'CURRENT ROW', 'NO OTHERS'
} 'ROWS BETWEEN 7 PRECEDING AND 3 FOLLOWING', 'ROWS BETWEEN 1 FOLLOWING AND 9 FOLLOWING',
'GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING';
# another offset at every scan
push @queries,
	"SELECT g, (SELECT sum(n) FROM (SELECT count(*) OVER (ORDER BY ts RANGE g * interval '1 hour' PRECEDING) AS n "
	. "FROM d WHERE id < 300) AS s) FROM generate_series(0, 40) AS g";
push @queries,
	map { "SELECT g, (SELECT string_agg(coalesce(x::text, '-'), ' ') FROM (SELECT $_ OVER (ORDER BY id "
	. "ROWS 2 PRECEDING) AS x FROM d WHERE id BETWEEN g AND g + 1) AS s) FROM generate_series(3, 30) AS g" } 'max(t)',
	'min(t)', 'stddev(f4)', 'sum(f4)';
push @queries, map { "SELECT id, $_ FROM d WHERE id < 2500" }
  ( map { "sum(i4) OVER (PARTITION BY id / 700 ORDER BY id $_)" } 'ROWS 1023 PRECEDING',
  	'ROWS 1024 PRECEDING', 'ROWS 1025 PRECEDING', 'ROWS BETWEEN 1024 FOLLOWING AND 1025 FOLLOWING',
  	'ROWS BETWEEN UNBOUNDED PRECEDING AND 1024 PRECEDING' ),
  ( map { "$_ OVER (ORDER BY id ROWS BETWEEN 1500 PRECEDING AND 1 PRECEDING)" } 'sum(f4)', 'max(i4)', 'min(t)',
  	'avg(n)', 'stddev(f8)' ),
  ( map { "$_ OVER (ORDER BY id ROWS 300 PRECEDING)" } 'max(CASE WHEN id % 50 > 0 THEN -id END)', 'max(-id::numeric)',
  	'min(id) FILTER (WHERE b)', 'var_pop(f4)', 'stddev_pop(f8)' ),
  # long enough for the widest lanes, whose rows end in the middle of a partition and of a block
  ( map {
	my $frame = $_;
	map { "$_ OVER (PARTITION BY id / 1700 ORDER BY id $frame)" } 'sum(i2 / 7.0::float8)', 'avg(i2 / 7.0::float8)',
		'sum(f4)', 'avg(f4)', 'sum(i2 / 7.0::float8) FILTER (WHERE b)', 'stddev(f4)'
}
	  'ROWS 254 PRECEDING', 'ROWS 255 PRECEDING', 'ROWS 256 PRECEDING', 'ROWS BETWEEN 10 PRECEDING AND 700 FOLLOWING',
	  'ROWS BETWEEN 600 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW', 'RANGE 511 PRECEDING' ),
  'sum(i4) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), '
  	. 'lag(i4, 30) OVER (ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)',
  'sum(i4) OVER (ORDER BY id ROWS 5 PRECEDING), ntile(4) OVER (ORDER BY id ROWS 5 PRECEDING), '
  	. 'sum(i4) OVER (PARTITION BY p)';

# Domains: a bound is computed in the type below.
push @queries,
	map { my $by = $_; map { ("SELECT id, $_ FROM (SELECT *, $by AS x FROM d WHERE id <= 400 ORDER BY x, id) AS s",
		"SELECT id, $_ FROM (SELECT *, $by AS x FROM d ORDER BY x, id) AS s LIMIT 20") }
	map { "count(*) OVER (ORDER BY x $_), sum(i4) OVER (ORDER BY x $_ EXCLUDE TIES)" } $by =~ /whole/
		? ('RANGE BETWEEN 3 PRECEDING AND 2 FOLLOWING') : ("RANGE BETWEEN '3 days' PRECEDING AND '5 hours' FOLLOWING",
		"RANGE '1 month' PRECEDING") } qw(dt::day ts::moment tz::instant iv::span i4::whole tm::hour);
push @queries, map { my $by = $_;
	map { ("SELECT id, count(*) OVER (ORDER BY x $_) FROM (SELECT id, $by AS x FROM far ORDER BY id) AS s",
		"SELECT id, count(*) OVER (ORDER BY x $_) FROM (SELECT id, $by AS x FROM far ORDER BY id) AS s LIMIT 10") }
	"RANGE BETWEEN CURRENT ROW AND '2 years' FOLLOWING",
	"RANGE BETWEEN '1 day' PRECEDING AND '200 years' FOLLOWING" } qw(ts::moment dt::day);

# Aggregates whose types hang on their arguments, and a user's own.
my @own_sum = $server->spares_the_inverse ? ('own_sum(i4)', 'own_sum(i4) FILTER (WHERE i2 % 2 = 0)') : ();
push @queries,
	map { my $f = $_; map { "SELECT id, $f OVER ($_) FROM (SELECT * FROM d WHERE id < 120 ORDER BY p, o, id) AS d" }
	'', 'PARTITION BY p ORDER BY o', 'PARTITION BY p ORDER BY o, id ROWS 5 PRECEDING',
	'ORDER BY p, o GROUPS BETWEEN 3 PRECEDING AND 2 FOLLOWING EXCLUDE TIES',
	'ORDER BY p, o, id ROWS BETWEEN 9 PRECEDING AND 2 PRECEDING' }
  'array_agg(i4)', 'array_agg(t) FILTER (WHERE b)', 'array_agg(ARRAY[i4, i2])', 'json_agg(n)',
  'jsonb_object_agg(id, t)', 'min(ARRAY[i2, i4])', 'own_array(i4)', 'own_array(t)', 'own_code(i4)', 'own_code(n)',
  @own_sum;

# ---- with the node and without

# With little memory what a constant offset reaches may be left to core.
my @ways = ( ['scan.prefixscan force'], [ 'scan.prefixscan force', 'scan.work_mem 64kB' ] );
# and by another strategy, with all memory or little
my @strategies = map { 'scan.debug_strategy ' . $_ } qw(monotonic_queue add_remove call);
my @jobs = map { { sql => $_, ordered => 1, set => [], ways => [ @ways, [ @{ one_of(@ways) }, one_of(@strategies) ] ],
	explain => 1 } } @queries;
my ($out, $err) = $server->run("LOAD 'scan';\n" . join('', map { Compare::call($_) . ";\n" } @jobs), go_on => 1);
my @verdicts = split /^(?=(?:node|core|-|invalid) )/m, $out;

is(scalar @verdicts, scalar @queries, scalar(@queries) . " queries (seed $seed) are answered")
	or diag(($err =~ /(.*)/)[0] // '', "\nat: ", $queries[ scalar @verdicts ] // '');
my @wrong = grep { $verdicts[$_] =~ /DIFFERENT|EARLY ERROR|OTHER ERROR|INTERNAL|LIMIT/ } 0 .. $#verdicts;
my @other = grep { $verdicts[$_] =~ /OTHER ERROR/ } @wrong;
is(scalar @wrong - scalar @other, 0, 'the node answers as core does')
	or diag(map { "$queries[$_]\n   $verdicts[$_]" } @wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
cmp_ok(scalar @other, '<=', 1 + 0.001 * @queries, 'but for which of two errors is first, seldom')
	or diag(map { "$queries[$_]\n   $verdicts[$_]" } @other);
my ($node, $errors, $invalid) = map {
	my $what = $_;
	scalar grep { /^$what/ } @verdicts
} 'node', '\w+ error', 'invalid|\w+ error 42';
diag("$node of " . @queries . " queries ran in PrefixScan, $errors failed in core");
cmp_ok($node, '>', 0.97 * @queries, 'nearly all are evaluated by the node');
cmp_ok($errors, '>', 0.02 * @queries, 'some fail');
is($invalid, 0, 'all are SQL');
# ---- frames that are all as long: the first of two stacks ends before, at and after every place of a partition

$server->lines('CREATE TABLE lengths AS SELECT i AS id, i / 37 % 5 AS p, hashint4(i) AS i4, '
	. '(hashint4(i) % 30000)::int2 AS i2, hashint8(i) * 77777777::int8 AS i8, (hashint4(i) % 9) * -(0::float8) AS f8, '
	. '(hashint4(i) % 3)::float4 AS f4, hashint4(i) & 1 = 0 AS b FROM generate_series(1, 3000) AS i; ANALYZE lengths');
my @joins = map {
	my $f = $_;
	map { "$f($_)" } $f =~ /bit/ ? qw(i2 i4 i8) : qw(i2 i4 i8 f4)
} qw(min max bit_xor bit_and);
push @joins, map { "encode(float8send($_(f8) OVER w), 'hex')" } 'min', 'max';
push @joins, 'bool_or(b)', 'bit_xor(i4) FILTER (WHERE b)', 'max(nullif(i4, i2))';
my $list = join ', ', map { /OVER/ ? $_ : "$_ OVER w" } @joins;
my @lengths;
for my $n (1, 2, 3, 36, 37, 38, 999, 1023, 1024, 1025, 3000)
{
	for my $frame ('0 PRECEDING AND CURRENT ROW', '1 PRECEDING AND 1 FOLLOWING', '6 PRECEDING AND CURRENT ROW',
		'36 PRECEDING AND CURRENT ROW', '35 PRECEDING AND CURRENT ROW', '37 PRECEDING AND CURRENT ROW',
		'9 PRECEDING AND 3 PRECEDING', '2 FOLLOWING AND 20 FOLLOWING', '500 PRECEDING AND 499 FOLLOWING',
		'2 FOLLOWING AND 1 FOLLOWING')
	{
		push @lengths,
			map { "SELECT id, $list FROM lengths WHERE id <= $n WINDOW w AS ($_ ORDER BY id ROWS BETWEEN $frame)" } '',
			'PARTITION BY p', 'PARTITION BY id / 36';
	}
}
my @by_core = $server->answers('SET scan.prefixscan = off', @lengths);
my @by_scans = $server->answers('SET scan.prefixscan = force; SET scan.debug_require = node', @lengths);
is(join("\n", map { $by_core[$_] eq $by_scans[$_] ? () : $lengths[$_] } 0 .. $#lengths), '',
	scalar(@lengths) . ' queries of frames of one length');


# ---- which strategies scan.debug_strategy forces

my %methods = (
	auto => 'sum (difference), max (two stacks), min (queue), avg (lanes), sum (decimals), '
		. 'moving_median (order statistics)',
	monotonic_queue =>
		'sum (difference), max (queue), min (queue), avg (lanes), sum (decimals), moving_median (order statistics)',
	add_remove => 'sum (each frame anew), max (each frame anew), min (queue), avg (each frame anew), sum (decimals), '
		. 'moving_median (order statistics)',
	call => 'sum (its own functions, inverse), max (its own functions), min (its own functions), '
		. 'avg (its own functions), sum (its own functions, inverse), moving_median (its own functions, inverse)');
my $mixed = 'SELECT sum(i4) OVER w, max(i4) OVER w, min(t) OVER w, avg(f8) OVER w, sum(n) OVER w, '
	. 'moving_median(i4) OVER w FROM d WINDOW w AS (ORDER BY id ROWS 3 PRECEDING)';
for my $strategy (sort keys %methods)
{
	my ($shown) = join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; "
			. "SET scan.debug_strategy = $strategy; EXPLAIN (COSTS OFF) $mixed")) =~ /Frame Methods: (.*)/;
	is($shown, $methods{$strategy}, "the methods of $strategy");
}
my $moves = 'SELECT id, max(i4) OVER (ORDER BY id ROWS 40 PRECEDING), '
	. 'sum(i4) OVER (ORDER BY id ROWS 40 PRECEDING) FROM lengths';
is(join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; BEGIN; DECLARE c CURSOR FOR $moves; "
			. "FETCH 100 FROM c; SET scan.debug_strategy = add_remove; FETCH ALL FROM c")), join("\n",
		$server->lines("SET scan.prefixscan = off; $moves")), 'a query goes on by the strategy that it has begun with');

done_testing();
