# odd_values.t: values at the edges of types that no random query makes: states, totals and numerics that were written
# by hand, arrays of domains and of core's vectors, gaps of mixed sign near the beginning of time, intervals of nearly
# 2^31 days, large matrices; aggregates and operator classes that a user has made.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(time);
use Server;

my $server = Server->new('odd_values');

sub error_of
{
	my ($query) = @_;
	my ($out, $err) = $server->run("\\set VERBOSITY verbose\n$query", go_on => 1);
	return $err =~ /ERROR:  (\w{5}): (.*)/ ? "$1 $2" : "none: $out";
}

# ---- states

$server->lines("CREATE AGGREGATE state_of(float8) (SFUNC = exact_add_float8, STYPE = exact_state); CREATE AGGREGATE "
	. "joined(exact_state) (SFUNC = exact_combine, STYPE = exact_state, FINALFUNC = exact_final_avg);");
my $state = $server->value("SELECT state_of(x) FROM (VALUES (1.0::float8)) AS t(x)");
my $empty = $server->value("SELECT state_of(x) FROM (VALUES ('NaN'::float8)) AS t(x)");
like(error_of("SELECT 'ab'::total_state"), qr/^22P03 invalid external total_state value|^22P02 .*total_state/,
	'total_state names itself');
like(error_of("SELECT '\\x00'::total_state"), qr/^\w+ .*total_state/, '... where its text is too short');
like(error_of("SELECT '\\x" . 'ff' x 40 . "'::total_state"), qr/^\w+ .*total_state/,
	'... and where its bytes are none');
$server->lines("CREATE AGGREGATE total_of(float8) (SFUNC = total_add_float8, STYPE = total_state)");
(my $total = $server->value("SELECT total_of(x) FROM (VALUES (1.0::float8)) AS t(x)")) =~ s/^(\W*x?)../${1}77/;
is(error_of("SELECT '$total'::total_state"), '22P03 invalid external total_state value',
	'... and of a kind that there is not');
my ($head, $sums) = $empty =~ /^(.*?)(00000000)$/ or diag($empty);
is(error_of("SELECT '$head" . "00000000'::exact_state"), "none: $empty\n", 'a state of no sum') if defined $head;
like(error_of("SELECT '$head" . "01000000'::exact_state"), qr/^22P03 invalid external exact_state value/,
	'a sum of nothing that begins somewhere is none') if defined $head;
like(error_of("SELECT '$head" . "00000500'::exact_state"), qr/^22P03 invalid external exact_state value/,
	'... nor squares') if defined $head;
(my $many = $state) =~ s/^(\W*x?)0{15}1/${1}7fffffffffffffff/;
isnt($many, $state, 'a state of 2^63 - 1 values');
like(error_of("SELECT joined(s) FROM (VALUES ('$many'::exact_state), ('$many')) AS t(s)"),
	qr/^22003 two states together have more values than can be counted/, 'two of them are too many');
is($server->value("SELECT joined(s) FROM (VALUES ('$state'::exact_state), ('$state')) AS t(s)"), '1',
	'two others are not');

# by hand: the counts, and for each sum its first limb, the number of its limbs, and these
my $one = '0' x 15 . '1' . '0' x 64;
my $no_sums = '0' x 8;
like(error_of("SELECT '\\x${one}00013fffffffffffffff0000'::exact_state"), qr/^none: /, 'a limb of 62 bits');
is(error_of("SELECT '\\x${one}0001${_}ffffffffffffff0000'::exact_state"), '22P03 invalid external exact_state value',
	"a limb without head room: $_") for '40', '7f', '80', 'bf';
my $pairs = 'f' x 16;
is(error_of("SELECT '\\x$pairs$one$no_sums$one${no_sums}0000'::exact_state"),
	"none: \\x$pairs$one$no_sums$one${no_sums}0000\n", 'a pair');
is(error_of("SELECT '\\x$pairs$one$no_sums" . $one =~ s/1/2/r . "${no_sums}0000'::exact_state"),
	'22P03 invalid external exact_state value', '... has as many x as y');
is(error_of("SELECT '\\x$pairs$one$no_sums${one}2501" . '0' x 16 . "00000000'::exact_state"),
	'22P03 invalid external exact_state value', '... and a sum of y that ends where a sum of doubles may');
is($server->value('SELECT scan_total(x) IS NULL FROM (VALUES (NULL::numeric), (NULL)) AS t(x)'), 't',
	'a total of numerics that are all NULL');

# ---- numerics with more decimals than they display, which core does not make but computes with

# the digits of one, and before them the sign, the scale and the weight of the other
$server->lines(<<'SQL');
CREATE CAST (bytea AS numeric) WITHOUT FUNCTION;
CREATE CAST (numeric AS bytea) WITHOUT FUNCTION;
CREATE TABLE hidden AS SELECT i AS id, i % 2 AS p, (substr('10000000000000000'::numeric::bytea, 1, 2) ||
  substr('10000000000000000.0000000000000001'::numeric::bytea, 3))::numeric AS x
FROM generate_series(1, 4000) AS i;
SQL
is($server->value('SELECT DISTINCT x FROM hidden'), '10000000000000000', 'such a numeric');
for my $query ('avg(x) OVER (PARTITION BY p ORDER BY id)', 'avg(x) OVER (PARTITION BY p)',
	'sum(x) OVER (PARTITION BY p ORDER BY id)')
{
	my ($core, $node) =
		map { [ $server->lines("LOAD 'scan'; SET scan.prefixscan = $_; SET scan.debug_require = node; SELECT id, "
			. "numeric_send(y) FROM (SELECT id, $query AS y FROM hidden) AS s ORDER BY id") ] } 'off', 'force';
	is(scalar @$node, 4000, "all rows have $query");
	is_deeply($node, $core, '... as core computes it');
}

# ---- intervals

# the difference of the two, times the fraction, has too many days or too much time
for my $case ([ '1 month 2147483647 days', '0.9999999999' ], [ '-1 month -2147483647 days', '0.9999999999' ],
	[ '1 day 2562047788:00:54.775807', '0.99999999999' ], [ '1 month 2147483617 days', '0.9999999999' ],
	[ '25 days 23:00', '0.7' ])
{
	my ($high, $fraction) = @$case;
	my $core = error_of(
		"SELECT percentile_cont($fraction) WITHIN GROUP (ORDER BY x) FROM (VALUES (interval '0'), ('$high')) AS t(x)");

	is(error_of("SELECT moving_percentile_cont(x, $fraction) FROM (VALUES (interval '0'), ('$high')) AS t(x)"), $core,
		"$fraction of $high");
	like($core, $high =~ /647|775807/ ? qr/^22008 interval out of range/ : qr/^none/, '... as core computes it');
}

# ---- arrays

# one call for arrays of several types: what it has looked up for one of them is not used for the next one
$server->lines(<<'SQL');
CREATE TABLE several AS SELECT n::numeric AS t1, inet '10.0.0.0' + n AS t2, n * interval '1 hour' AS t3 FROM
  generate_series(1, 600) AS i, LATERAL (SELECT CASE WHEN i % 6 < 3 THEN 2 WHEN i % 6 < 5 THEN 1 ELSE 3 END AS n) AS s;
ANALYZE several;
SQL
is(join(' ', $server->lines("SELECT array_scan_max(v) FROM (SELECT most_common_vals AS v "
			. "FROM pg_stats WHERE tablename = 'several' ORDER BY attname OFFSET 0) AS s")),
	'{2,2,3} {10.0.0.2,10.0.0.2,10.0.0.3} {02:00:00,02:00:00,03:00:00}', 'arrays of several types');
$server->lines("CREATE DOMAIN there AS int NOT NULL; CREATE DOMAIN positive AS int CHECK (VALUE > 0)");
like(error_of("SELECT array_scan_$_(ARRAY[3, 1]::there[], exclusive => true)"),
	qr/^23502 domain there does not allow null values/, "array_scan_$_ puts no NULL into a domain") for 'min', 'max';
like(error_of("SELECT array_moving_$_(ARRAY[3, 1]::there[], 0, 0), array_moving_$_(ARRAY[NULL, 1]::positive[], 0, 0)"),
	qr/^none: \{3,1\}\|\{NULL,1\}/, "array_moving_$_ of domains") for 'min', 'max';
is(error_of("SELECT array_scan_min(ARRAY[3, 1]::there[]), array_scan_min(ARRAY[3, 1]::positive[], exclusive => true)"),
	"none: {3,1}|{NULL,3}\n", 'what a domain allows is there');
foreach my $call ('array_scan_min(%s)', 'array_scan_max(%s)', 'array_moving_min(%s, 1, 0)',
	'array_moving_max(%s, 1, 0)', 'array_compact(%s, ARRAY[true, false])', 'array_split(%s, ARRAY[true, false])')
{
	my ($name) = $call =~ /^(\w+)/;
	like(error_of('SELECT ' . sprintf $call, "'1 2'::$_->[0]"), qr/^0A000 type $_->[0] is not supported as an array/,
		"$name of $_->[0]") for [ 'int2vector', 'smallint' ], [ 'oidvector', 'oid' ];
	like(error_of('SELECT ' . sprintf $call, "'1 2'::int2vector::smallint[]"), qr/^none: \{?\[?/,
		'... cast to an array');
}

# ---- sessions near the beginning of time: as core adds up where it can

for my $type ('timestamp', 'timestamptz')
{
	my $query = "SELECT string_agg(s::text, ',' ORDER BY at) FROM (SELECT at, "
		. "scan_session(at, interval '%s') OVER (ORDER BY at) AS s FROM unnest(ARRAY['4714-11-24 00:00:00 BC', "
		. "'4714-12-20 00:00:00 BC', '4713-03-01 00:00:00 BC', '4713-03-02 00:00:01 BC']::$type\[]) AS at) AS s";
	is($server->value("SET timezone = 'UTC'; " . sprintf $query, $_->[0]), $_->[1], "a gap of $_->[0], $type")
		for [ '-5000 years 1826212 days 80 hours', '1,2,3,3' ], [ '-1 month 40 days', '1,2,3,3' ], [ '-1 year 400 days',
		'1,1,2,2' ], [ '1 month -1 day', '1,1,2,2' ], [ '-3 days 97:00:00', '1,2,3,3' ];
}

# later moments, from which the negative part alone leads before the beginning of time
for my $type ('timestamp', 'timestamptz')
{
	my $query = "SELECT string_agg(s::text, ',' ORDER BY at) "
		. "FROM (SELECT at, scan_session(at, interval '%s') OVER (ORDER BY at) AS s FROM unnest(ARRAY['0700-01-01 "
		. "00:00:00 BC', '0700-01-02 00:00:00 BC', '0700-01-20 00:00:00 BC']::$type\[]) AS at) AS s";
	is($server->value("SET timezone = '$_'; " . sprintf $query, '-5000 years 1826212 days 80 hours'), '1,1,2',
		"a gap that leads before the beginning of time, $type, $_") for 'UTC', 'America/Los_Angeles', 'Asia/Tokyo';
}
is($server->value("SELECT string_agg(s::text, ',' ORDER BY at) "
		. "FROM (SELECT at, scan_session(at, interval '-100000 years 36524250 days') OVER (ORDER BY at) AS s "
		. "FROM unnest(ARRAY['2026-01-01', '2026-01-01 00:00:01', '2026-01-03']::timestamp[]) AS at) AS s"), '1,2,3',
	'a gap of nothing in calendar years and days');

# a gap from the first moment nearly to the last one, which a later beginning would lead beyond it
for my $type ('timestamp', 'timestamptz')
{
	my $query = "SELECT string_agg(s::text, ',' ORDER BY at) FROM (SELECT at, scan_session(at, interval '%s') "
		. "OVER (ORDER BY at) AS s FROM unnest(ARRAY['4714-11-24 00:00:00 BC', '%s']::$type\[]) AS at) AS s";
	is($server->value("SET timezone = 'UTC'; " . sprintf $query, '298900 years', $_->[0]), $_->[1],
		"298900 years to $_->[0], $type") for [ '294187-11-24 00:00:00', '1,1' ], [ '294187-11-24 00:00:01', '1,2' ];
}

# ---- interpolation at a numeric time that is beside the middle of two doubles by less than any double can say

for my $case ([ '1.5', 1 ], [ '1.5 + 1e-1100', '1.0000000000000002' ], [ '1.5 - 1e-1100', 1 ],
	[ '1.5 + 1e-30', '1.0000000000000002' ])
{
	my ($at, $y) = @$case;
	is($server->value("SELECT y FROM (SELECT at, scan_interpolate(x, at) OVER (ORDER BY at) AS y "
			. "FROM (VALUES (0::numeric, 1::float8), ($at, NULL), (3, 1.0000000000000002)) AS t(at, x)) AS s "
			. "ORDER BY at OFFSET 1 LIMIT 1"), $y, "at $at of 3");
}

# ---- sizes: a value that was stored packed, alone in its frame or chosen from several

$server->lines("CREATE TABLE packed AS SELECT i AS id, CASE WHEN i % 5 > 0 THEN hashint4(i) % 100 / 8.0 END AS n, "
	. "CASE WHEN i % 4 > 0 THEN md5((i % 7)::text) END AS t, repeat(md5((i % 9)::text), 200) AS long, "
	. "ARRAY[i % 3, 7] AS a FROM generate_series(1, 300) AS i");
foreach my $frame ('ROWS 1 PRECEDING', 'ROWS BETWEEN 3 PRECEDING AND 2 FOLLOWING',
	'ROWS BETWEEN 2 FOLLOWING AND 4 FOLLOWING', 'RANGE 20 PRECEDING')
{
	my $query = 'SELECT id, ' . join(', ', map { "pg_column_size(min($_) OVER w), pg_column_size(max($_) OVER w), "
			. "max($_) FILTER (WHERE id % 3 = 1) OVER w, pg_column_size(max($_) FILTER (WHERE id % 3 = 1) OVER w)" }
		'n', 't', 'long', 'a') . " FROM packed WINDOW w AS (PARTITION BY id % 2 ORDER BY id $frame) ORDER BY id";
	my ($core, $node) =
		map { [ $server->lines("LOAD 'scan'; SET scan.prefixscan = $_; SET scan.debug_require = node; $query") ] }
		'off', 'force';
	is_deeply($node, $core, "sizes of extremes, $frame");
}

# and where frames are empty for more rows than a block has, then full again
$server->lines("CREATE TABLE gaps AS SELECT CASE WHEN i <= 50 THEN i WHEN i <= 20000 THEN i * 10 ELSE 1000000 + i END "
	. "AS id, CASE WHEN i % 3 > 0 AND i NOT BETWEEN 30 AND 20100 THEN (i / 7.0)::numeric END AS n, "
	. "(i / 7.0)::numeric AS m FROM generate_series(1, 20500) AS i");
foreach my $frame ('5 PRECEDING AND 1 PRECEDING', '1 FOLLOWING AND 5 FOLLOWING', '5 PRECEDING AND 2 PRECEDING')
{
	my $query = 'SELECT id, ' . join(', ', map {
			"max($_) OVER w, pg_column_size(max($_) OVER w), pg_column_size(min($_) FILTER (WHERE id % 3 = 1) OVER w)" }
		'n', 'm') . " FROM gaps WINDOW w AS (ORDER BY id RANGE BETWEEN $frame) ORDER BY id";
	my ($core, $node) =
		map { [ $server->lines("LOAD 'scan'; SET scan.prefixscan = $_; SET scan.debug_require = node; $query") ] }
		'off', 'force';
	is_deeply($node, $core, "sizes of extremes over frames that are empty for long, $frame");
}

# the rows that may still become the largest text are more than are expected, and not the first ones
$server->lines("CREATE TABLE falling AS SELECT i AS id, CASE WHEN i <= 100 THEN i ELSE 100 + i / 1000.0 END::float8 "
	. "AS at, lpad((10000 - i)::text, 6, '0') AS t FROM generate_series(1, 1000) AS i");
foreach my $frame ('at RANGE 10 PRECEDING', 'at ROWS 300 PRECEDING', 'at RANGE BETWEEN 5 PRECEDING AND 1 FOLLOWING')
{
	my $query = "SELECT id, max(t) OVER (ORDER BY $frame), min(t) OVER (ORDER BY $frame) FROM falling ORDER BY id";
	my ($core, $node) =
		map { [ $server->lines("LOAD 'scan'; SET scan.prefixscan = $_; SET scan.debug_require = node; $query") ] }
		'off', 'force';
	is_deeply($node, $core, "extremes of falling texts, $frame");
}

# ---- what a user has made

# an inverse transition function that returns another array than the one that has grown
$server->lines('CREATE AGGREGATE window_of(int) '
	. '(SFUNC = array_append, STYPE = int[], MSFUNC = array_append, MINVFUNC = array_remove, MSTYPE = int[])');
is(join(' ', $server->lines("LOAD 'scan'; SET scan.prefixscan = $_; SET scan.debug_require = node; "
			. "SELECT window_of(i) OVER (ORDER BY i ROWS 2 PRECEDING) FROM generate_series(1, 6) AS i ORDER BY i")),
	'{1} {1,2} {1,2,3} {2,3,4} {3,4,5} {4,5,6}', "an aggregate that takes rows out of an array, prefixscan $_")
	for 'off', 'force';

# an in_range function for an operator class of core: ten times as far
$server->lines(<<'SQL');
CREATE FUNCTION ten_times(oid, oid, int, boolean, boolean) RETURNS boolean IMMUTABLE LANGUAGE sql AS
  'SELECT CASE WHEN $5 THEN $1::bigint <= $2::bigint + CASE WHEN $4 THEN -10 ELSE 10 END * $3 '
    'ELSE $1::bigint >= $2::bigint + CASE WHEN $4 THEN -10 ELSE 10 END * $3 END';
ALTER OPERATOR FAMILY oid_ops USING btree ADD FUNCTION 3 (oid, int) ten_times(oid, oid, int, boolean, boolean);
CREATE TABLE spread AS SELECT i AS id, (i * 7)::oid AS at FROM generate_series(1, 50) AS i;
SQL
foreach my $setting ('off', 'force')
{
	my ($own, $plain) = map { [ $server->lines("LOAD 'scan'; SET scan.prefixscan = $setting; SELECT id, "
			. "sum(id) OVER (ORDER BY $_) FROM spread ORDER BY id") ] } 'at RANGE BETWEEN 3 PRECEDING AND 1 FOLLOWING',
		'at::bigint RANGE BETWEEN 30 PRECEDING AND 10 FOLLOWING';
	is_deeply($own, $plain, "RANGE by a function of a user, prefixscan $setting");
}
like(join("\n", $server->lines("LOAD 'scan'; EXPLAIN (VERBOSE, COSTS OFF) "
			. "SELECT sum(id) OVER (ORDER BY at RANGE 3 PRECEDING) FROM spread")),
	qr/Not in PrefixScan: sum .*: RANGE offsets of this type are not supported/, '... which is left to WindowAgg');

# a function that is not as stable as it says: when a row leaves its frame, it has another time than when it came
$server->lines(q{CREATE SEQUENCE turn; CREATE FUNCTION later(int) RETURNS bigint STABLE }
	. q{LANGUAGE plpgsql AS 'DECLARE n bigint := nextval(''turn''); BEGIN RETURN CASE WHEN n > 3 THEN n END; END'});
is($server->value("SET scan.prefixscan = off; SELECT string_agg(coalesce(x::text, '-'), ' ' ORDER BY i) FROM (SELECT "
		. "i, time_average(5, later(i)) OVER (ORDER BY i ROWS 2 PRECEDING) AS x FROM generate_series(1, 7) AS i) AS s"),
	'- - - 5 5 5 5', 'the average of one value over any times');

# ---- a large matrix

my $began = time;
like(error_of("SET statement_timeout = '700ms'; SELECT length(x::text) FROM (SELECT scan_matrix_product(m) "
		. "OVER (ORDER BY i) AS x FROM generate_series(1, 2) AS i, (SELECT array_agg(r) AS m "
		. "FROM (SELECT array_fill(1.5::float8, ARRAY[2500]) AS r FROM generate_series(1, 2500)) AS s) AS s) AS s"),
	qr/^57014 /, 'a product of large matrices is cancelled');
cmp_ok(time - $began, '<', 20, '... soon');

done_testing();
