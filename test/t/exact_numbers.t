# exact_numbers.t: exact aggregates, medians and percentiles over integers and numerics: whole, in groups, in parallel,
# over frames that move.
#
# The oracle of sums, averages and variances is PostgreSQL's own aggregate of the numbers as numerics; that of medians
# and percentiles an array of the frame's values, sorted, and PostgreSQL's numeric arithmetic.  All of it runs in
# WindowAgg, in PrefixScan, beyond memory and in several processes; every way has the same text.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $rows = $ENV{SCAN_TEST_ROWS} // 40_000;
my $server = Server->new('exact_numbers');
my @types = qw(i2 i4 i8 n w);

# NULLs, ties, the ends of the types, what a double cannot hold; numerics of many scales, with NaN and infinities in
# some places, and far beyond 128 bits in others
$server->lines(<<"SQL");
SELECT setseed(0.32);
CREATE TABLE v AS
       SELECT i AS id, i / 1000 AS p, 
              CASE floor(random() * 12) WHEN 0 THEN NULL WHEN 1 THEN -32768 WHEN 2 THEN 32767
                ELSE floor(random() * 9 - 4) END::int2 AS i2,
       CASE floor(random() * 12) WHEN 0 THEN NULL WHEN 1 THEN -2147483648 WHEN 2 THEN 2147483647 WHEN 3 THEN 0
         ELSE floor(random() * 2000000000) END::int4 AS i4,
       CASE floor(random() * 12) WHEN 0 THEN NULL WHEN 1 THEN -9223372036854775808 WHEN 2 THEN 9223372036854775807
         WHEN 3 THEN 9007199254740993 ELSE floor(random() * 1e9)::int8 * 7777777777 END::int8 AS i8,
       CASE floor(random() * 9) WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 0.1 WHEN 3 THEN 1.00 WHEN 4 THEN 1
         ELSE round((random() * 1e6 - 5e5)::numeric, (random() * 6)::int) END AS n,
       CASE WHEN i % 5000 BETWEEN 100 AND 104 THEN '{NaN,Infinity,-Infinity,Infinity,1}'::numeric[] ELSE NULL END AS s
FROM generate_series(1, $rows) AS i;
ALTER TABLE v ADD w numeric;
UPDATE v SET w = CASE WHEN s IS NOT NULL THEN s[1 + id % 5] WHEN i2 > 3 THEN 1e40 * i4 + 1e-30 ELSE n * i8 END;
VACUUM ANALYZE v;
SQL

my %way = (
	WindowAgg => 'SET scan.prefixscan = off; SET max_parallel_workers_per_gather = 0;',
	PrefixScan =>
		"SET scan.prefixscan = force; SET scan.debug_require = node; SET max_parallel_workers_per_gather = 0;",
	'little memory' => "SET scan.prefixscan = force; SET scan.debug_require = node; SET scan.work_mem = '256kB'; "
		. "SET max_parallel_workers_per_gather = 0;",
	'several processes' => 'SET scan.prefixscan = force; SET max_parallel_workers_per_gather = 2; '
		. 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;');
my @frames = ('PARTITION BY p ORDER BY id', 'PARTITION BY p ORDER BY id ROWS 8 PRECEDING',
	'PARTITION BY p ORDER BY id ROWS BETWEEN 3 PRECEDING AND 4 FOLLOWING EXCLUDE CURRENT ROW',
	'PARTITION BY p ORDER BY id RANGE BETWEEN 12 PRECEDING AND 2 FOLLOWING',
	'ORDER BY id ROWS BETWEEN 30 PRECEDING AND 2 PRECEDING');
# all rows over one frame that moves, and a part of them over the others
sub from { my ($frame) = @_; return $frame =~ /8 PRECEDING/ ? 'v' : '(SELECT * FROM v WHERE id <= 12000) AS v' }
my $calm = "LOAD 'scan'; SET jit = off; SET work_mem = '64MB';";

# ---- sums, averages, variances: core's

my @same = map {
	my $t = $_;
	map { [ "exact_$_($t)", "$_($t" . ($_ eq 'sum' ? '::numeric' : '') . ')' ] }
		qw(sum avg var_pop var_samp stddev_pop stddev_samp)
} @types;
my (@ours, @core);
for my $frame (@frames)
{
	my @of = $frame =~ /ORDER BY id$/ ? @same : grep { $_->[0] =~ /sum|avg|var_samp\(i4|stddev_pop\(n/ } @same;
	push @ours,
		map { "SELECT count(*), md5(string_agg(x::text, '|' ORDER BY id)) "
		. "FROM (SELECT id, $_->[0] OVER ($frame) AS x FROM " . from($frame) . ') AS s' } @of;
	push @core,
		map { "SELECT count(*), md5(string_agg(x::text, '|' ORDER BY id)) "
		. "FROM (SELECT id, $_->[1] OVER ($frame) AS x FROM " . from($frame) . ') AS s' } @of;
}
push @ours, map { ("SELECT $_->[0] FROM v",
	"SELECT md5(string_agg(x::text, '|' ORDER BY p)) FROM (SELECT p, $_->[0] AS x FROM v GROUP BY p) AS s",
	"SELECT $_->[0] FROM v WHERE false", "SELECT $_->[0] FROM v WHERE id < 2",
	"SELECT $_->[0] FILTER (WHERE i2 > 0) FROM v WHERE id < 3000") } @same;
push @core, map { ("SELECT $_->[1] FROM v",
	"SELECT md5(string_agg(x::text, '|' ORDER BY p)) FROM (SELECT p, $_->[1] AS x FROM v GROUP BY p) AS s",
	"SELECT $_->[1] FROM v WHERE false", "SELECT $_->[1] FROM v WHERE id < 2",
	"SELECT $_->[1] FILTER (WHERE i2 > 0) FROM v WHERE id < 3000") } @same;
my @wanted = map { defined $_ ? $_ : '' } answers('WindowAgg', @core);

sub answers
{
	my ($way, @queries) = @_;
	return map { /^(.*)\n?$/ ? $1 : $_ } split /^=== ?\n/m, join("\n",
		$server->lines("$calm $way{$way} \\pset null -\n" . join("\n\\echo ===\n", map { "$_;" } @queries))) . "\n";
}

for my $way (sort keys %way)
{
	my @found = answers($way, @ours);
	is(scalar @found, scalar @ours, "$way: all are answered");
	my @wrong = grep { $found[$_] ne $wanted[$_] } 0 .. $#ours;
	is(scalar @wrong, 0, "$way: " . @ours . ' sums, averages and variances as of numerics')
		or diag(map { "$ours[$_]\n   $found[$_]   $wanted[$_]\n" } @wrong[ 0 .. ($#wrong < 5 ? $#wrong : 5) ]);
}
# over stock sum(integer) these only differ in the type
is($server->value('SELECT bool_and(same) FROM (SELECT exact_sum(i2) = sum(i2) AND exact_sum(i4) = sum(i4) AS same '
		. 'FROM v GROUP BY p) AS s'), 't', 'the same numbers');
is($server->value("SELECT string_agg(DISTINCT pg_typeof(x)::text, ' ') FROM (SELECT unnest(ARRAY[exact_sum(i2), "
		. "exact_avg(i4), exact_var_pop(i8), exact_stddev_samp(n), moving_median(i2), "
		. "moving_percentile_cont(i8, 0.3)]) AS x FROM v WHERE id < 9) AS s"), 'numeric', 'answers are numerics');
is($server->value('SELECT exact_sum(x) FROM (VALUES (9007199254740993::bigint), (0)) AS t (x)'), '9007199254740993',
	'beyond 2^53');
is($server->value('SELECT exact_avg(x) FROM (VALUES (9007199254740993::bigint), (9007199254740995)) AS t (x)'),
	'9007199254740994.0000', 'and so an average');

# ---- medians and percentiles: a sorted array

my @fractions = ('0', '1', '0.3', '0.25', '0.999', '1e-5', '0.123456789012');
my %part = map { $_ => "$_\::numeric" } @fractions;
my @ordered = map { my $t = $_;
	[ "moving_median($t)", 'CASE WHEN c % 2 = 1 THEN a[(c + 1) / 2] ELSE (a[c / 2] + a[c / 2 + 1]) / 2 END', $t ],
	map { [ "moving_percentile_cont($t, $_)", "CASE WHEN place = floor(place) THEN a[floor(place)::int + 1] "
			. "WHEN (a[floor(place)::int + 1] + a[floor(place)::int + 2])::text ~ '[a-z]' THEN a[floor(place)::int "
			. "+ 1] + a[floor(place)::int + 2] ELSE a[floor(place)::int + 1] + (place - floor(place)) * "
			. "(a[floor(place)::int + 2] - a[floor(place)::int + 1]) END", $t, $part{$_} ] } @fractions } @types;
my ($compared, @different) = (0);
for my $frame (@frames[ 1 .. $#frames ], 'PARTITION BY id / 20')
{
	for my $case (@ordered)
	{
		my ($call, $oracle, $t, $fraction) = @$case;
		next if $call =~ /cont/ && $frame =~ /RANGE|EXCLUDE/ && $call !~ /0\.3/;
		$fraction //= '0';
		my ($every, $from) = ($call =~ /median/ ? 1 : 7, from($frame));
		my ($n, $wrong) = split /\|/, $server->value(<<"SQL");
$calm $way{PrefixScan} WITH r AS MATERIALIZED
  (SELECT id, $call OVER ($frame) AS y, array_agg($t\::numeric) OVER ($frame) AS frame FROM $from)
SELECT count(*), count(*) FILTER (WHERE y IS DISTINCT FROM (SELECT $oracle FROM (SELECT a, c,
  $fraction * (c - 1) AS place FROM (SELECT array_agg(x ORDER BY x, row) AS a, count(*)::int AS c FROM unnest(frame)
  WITH ORDINALITY AS u (x, row) WHERE x IS NOT NULL) AS s WHERE c > 0) AS s)) FROM r WHERE id % $every = 0
SQL
		$compared += $n;
		push @different, "$call OVER ($frame): $wrong of $n" if $wrong > 0;
	}
}
is(join("\n", @different), '', "$compared medians and percentiles as of a sorted array");
cmp_ok($compared, '>=', 10 * $rows, 'enough are compared');

# every way the same text
@ours = map {
	my $frame = $_;
	map { "SELECT count(*), md5(string_agg(x::text, '|' ORDER BY id)) FROM (SELECT id, $_->[0] OVER ($frame) AS x FROM "
		. from($frame) . ') AS s' } grep { $_->[0] =~ /median|0\.3|1e-5/ } @ordered
} @frames[ 1 .. $#frames ];
@wanted = answers('WindowAgg', @ours);
for my $way ('PrefixScan', 'little memory', 'several processes')
{
	my @found = answers($way, @ours);
	my @wrong = grep { $found[$_] ne $wanted[$_] } 0 .. $#ours;
	is(scalar @wrong, 0, "$way: " . @ours . ' medians and percentiles as in WindowAgg')
		or diag(map { "$ours[$_]\n   $found[$_]   $wanted[$_]\n" } @wrong[ 0 .. ($#wrong < 5 ? $#wrong : 5) ]);
}

# ---- in PrefixScan as PostgreSQL's own

my $methods = join "\n",
	$server->lines("$calm $way{PrefixScan} EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT "
	. join(', ', map { "$_ OVER w" } 'exact_sum(i2)', 'exact_sum(i4)', 'exact_sum(i8)', 'exact_avg(i2)',
		'exact_avg(i4)', 'exact_avg(i8)', 'moving_median(i8)', 'moving_percentile_cont(n, 0.3)')
	. ' FROM v WINDOW w AS (ORDER BY id ROWS 20 PRECEDING)');
my ($line) = $methods =~ /Frame Methods: (.*)/;
is($line, 'exact_sum (difference), exact_sum (difference), exact_sum (difference), exact_avg (difference), '
		. 'exact_avg (difference), exact_avg (difference), moving_median (order statistics), '
		. 'moving_percentile_cont (order statistics)', 'frames that move');
like(join("\n", $server->lines("$calm $way{'several processes'} EXPLAIN (COSTS OFF) "
			. "SELECT exact_sum(i4), exact_sum(i8), exact_avg(n), exact_var_pop(i2), exact_stddev_samp(n) FROM v")),
	qr/Partial Aggregate/, 'parallel plans');

# An aggregate that a user makes of the same functions, but not all of them, is its own.
$server->lines(<<'SQL');
CREATE AGGREGATE odd_sum(int4) (SFUNC = int4_accum, STYPE = internal, FINALFUNC = numeric_poly_avg, MSFUNC = int4_accum,
  MINVFUNC = int4_accum_inv, MSTYPE = internal, MFINALFUNC = numeric_poly_sum);
CREATE AGGREGATE odd_avg(int4)
  (SFUNC = int4_avg_accum, STYPE = int8[], FINALFUNC = int8_avg, COMBINEFUNC = int4_avg_combine, INITCOND = '{1,100}',
  MSFUNC = int4_avg_accum, MINVFUNC = int4_avg_accum_inv, MSTYPE = int8[], MFINALFUNC = int8_avg, MINITCOND = '{0,0}');
CREATE AGGREGATE odd_mean(int4) (SFUNC = int4_avg_accum, STYPE = int8[], FINALFUNC = int8_avg,
  COMBINEFUNC = int4_avg_combine, INITCOND = '{0,0}', MSFUNC = int4_avg_accum, MINVFUNC = int4_avg_accum_inv,
  MSTYPE = int8[], MFINALFUNC = int8_avg, MINITCOND = '{1,100}');
SQL
# no row leaves the first of the frames
my @odd_frames = @frames[ ($server->spares_the_inverse ? 0 : 1) .. $#frames ];
for my $call ('odd_sum(i4)', 'odd_avg(i4)', 'odd_mean(i4)')
{
	my @odd = map { "SELECT md5(string_agg(x::text, '|' ORDER BY id)) "
		. "FROM (SELECT id, $call OVER ($_) AS x FROM v WHERE id < 3000) AS s" } @odd_frames;
	is(join(' ', answers('PrefixScan', @odd)), join(' ', answers('WindowAgg', @odd)), "$call is not taken for ours");
}

# ---- scan_total

is($server->value('SELECT scan_total(i8)::numeric = sum(i8) FROM v'), 't', 'a total of bigints is exact');
is($server->value('SELECT scan_total(x)::text FROM (VALUES (-9223372036854775808), (9223372036854775807), (NULL), '
		. '(4294967296), (-1)) AS t (x)'), '4294967294', 'ends of bigint');
is($server->value('SELECT scan_total(i4)::numeric = sum(i4) FROM v'), 't', 'of integers');
for my $query ('SELECT scan_total(n) FROM v',
	'SELECT scan_sum(n, init => scan_total(1::float8)) OVER () FROM v GROUP BY n',
	'SELECT scan_sum(i8, init => NULL) OVER (ORDER BY id) FROM v')
{
	my ($out, $err) = $server->run("\\set VERBOSITY verbose\n$query");
	like($err, qr/0A000: .*\n(?:.*\n)*HINT: .*double precision/, "refused: $query");
}
done_testing();
