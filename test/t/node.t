# node.t: PrefixScan against WindowAgg.
#
# Every query is run twice, with the node off and with the node forced, and has to
# give the same rows or the same error: functions by types, windows, frames and
# filters, over data with NULLs, ties, infinities and many partitions.  Where rows
# tie, only what does not hang on their order is asked.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use Server;
use Calls;

my $server = Server->new('node');

$server->lines(Calls::types() . 'CREATE TABLE data AS ' . Calls::rows(40) . <<'SQL');
FROM generate_series(1, 2600) AS i
ORDER BY hashint4(i);
CREATE INDEX ON data (id);
CREATE INDEX ON data (p, id);
ANALYZE data;
SQL

# Keys at the ends of their types, in units, all NULL, and with few and many values.
$server->lines(<<'SQL');
CREATE TABLE edge AS
SELECT i AS id,
       CASE abs(hashint4(i)) % 9 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 WHEN 2 THEN NULL
         WHEN 3 THEN 0 ELSE hashint8(i) % 5 END AS i8,
       CASE abs(hashint4(i)) % 7 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808
         ELSE hashint8(i + 1)::bigint END AS full8,
       (CASE abs(hashint4(i + 2)) % 11 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '0' WHEN 3 THEN 'Infinity'
         WHEN 4 THEN '-Infinity' WHEN 5 THEN '-5e-324' WHEN 6 THEN '5e-324' WHEN 7 THEN NULL
         ELSE (hashint4(i + 3) % 4)::text END)::float8 AS f8,
       (CASE abs(hashint4(i + 4)) % 8 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 'Infinity'
         ELSE (hashint4(i + 5) % 3)::text END)::float4 AS f4,
       (CASE abs(hashint4(i + 6)) % 6 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity'
         ELSE '2024-02-29' END)::date + 0 AS d,
       timestamptz '2024-01-01 00:00+00' + (abs(hashint4(i + 7)) % 300) * interval '1 hour' AS hours,
       CASE WHEN hashint4(i) % 4 <> 0 THEN timestamp '1970-01-01' - abs(hashint4(i + 8)) * interval '1 ms' END AS ms,
       hashint4(i + 9) % 2 = 0 AS b, (hashint4(i + 10) % 3)::int2 AS i2, NULL::int AS nothing,
       (abs(hashint4(i + 11)) % 7)::oid AS o,
       CASE WHEN hashint4(i) % 5 <> 0 THEN ((hashint4(i + 12) % 20) / 10.0)::numeric END AS num,
       (ARRAY['a', 'A', 'b', 'B', 'ab', '', NULL])[1 + abs(hashint4(i + 13)) % 7] COLLATE "C" AS t,
       time '00:00' + (abs(hashint4(i + 14)) % 5) * interval '1 minute' AS tm
FROM generate_series(1, 700) AS i ORDER BY hashint4(i + 99);
ANALYZE edge;
CREATE TABLE failing AS SELECT k, i, CASE WHEN k = 1 THEN 0 ELSE i / 10 END AS p, CASE WHEN k = 1
  AND i = 40 THEN 9223372036854775807 ELSE 1 END AS v FROM generate_series(1, 2) AS k, generate_series(0, 99) AS i;
SQL

# The calls of Calls.pm, with columns as values.
srand 20261121;
my %column = ((map { $Calls::type{$_} => $_ } sort keys %Calls::type), int4 => 'i4');
my $value = sub
{
	my ($type) = @_;
	# bigints that overflow, and some that do not
	return $type eq 'int8' && rand(2) < 1 ? 'i8 / 1000000000' : $column{$type};
};
my $calls = sub { return map { Calls::each_choice($_, '', $value) } @_ };

# Calls whose answer hangs on the order of rows that tie, and those whose does not.  Aggregates have a FILTER now and
# then. The arrays of array_agg would be megabytes.
my @steady_aggregates = $calls->(@Calls::steady_aggregates);
my @aggregates = $calls->(grep { $_->[0] !~ /^array_agg/ } @Calls::aggregates);
my %is_aggregate = map { $_ => 1 } @steady_aggregates, @aggregates;
my @steady = (@steady_aggregates, $calls->(@Calls::steady_functions));
my @in_order = (
	# offsets of each row have choices by the dozen: WindowAgg takes a minute for them
	@aggregates, $calls->((grep { $_->[0] !~ /row_(?:offset|nth)/ } @Calls::functions),
		map { @{ $Calls::scan{$_} } } sort keys %Calls::scan), 'lag(t, 7, id::text)', 'lead(num, 300)', 'lag(t, 1000)',
		'lag(i4, -1)', 'lag(i4, id % 3)', 'lag(t, o - 3)', 'lead(num, i2::int % 5, num)', 'lag(i4, (SELECT 2))',
		'nth_value(t, o + 1)', 'nth_value(arr, CASE WHEN b THEN 2 END)', 'sum(i4 / (id - 5))', 'sum(1e308::float8)',
		'scan_sum(9223372036854775807 / 2)', 'count(random())', 'sum((SELECT 1))');

my %windows = (
	'PARTITION BY p ORDER BY id' => 1,
	'ORDER BY id' => 1,
	'ORDER BY o NULLS FIRST, t DESC, id DESC' => 1,
	'PARTITION BY p, t ORDER BY o DESC NULLS LAST, num, id' => 1,
	'PARTITION BY p ORDER BY o' => 0,
	'PARTITION BY b ORDER BY f8 DESC, ts' => 0,
	'PARTITION BY num' => 0,
	'' => 0,
	'ORDER BY iv' => 0);
my @frames = ('', 'ROWS UNBOUNDED PRECEDING', 'GROUPS UNBOUNDED PRECEDING',
	'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING',
	'RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING', 'ROWS BETWEEN 3 PRECEDING AND CURRENT ROW',
	'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES');

my @queries;
my ($turn, $place) = (0, 0);
for my $window (sort keys %windows)
{
	# of the windows with one order, each call has three
	$place++ if $windows{$window};
	for my $call (@steady, $windows{$window} ? @in_order[ grep { ($_ + $place) % 5 < 3 } 0 .. $#in_order ] : ())
	{
		# frames and filters take turns over the calls; GROUPS asks for an ORDER BY
		my $frame = $frames[ $turn++ % 7 ];
		next if $frame =~ /GROUPS/ && $window !~ /ORDER BY/;
		next if $frame =~ /3 PREC|^ROWS UNB/ && !$windows{$window};
		my $filter = $is_aggregate{$call} && $turn % 3 == 0 ? ' FILTER (WHERE i4 > 0)' : '';
		push @queries, "SELECT id, $call$filter OVER ($window $frame) AS y FROM data";
	}
}
@queries = @queries[ grep { $_ % 4 == 0 } 0 .. $#queries ] if $ENV{SCAN_TEST_PART};
# several functions and windows, conditions, projections, order above, limits, joins, nothing
push @queries,
  'SELECT id, sum(i4) OVER w + 1 AS y, count(*) OVER w, rank() OVER w, lag(t) OVER (PARTITION BY p ORDER BY id) '
  	. 'FROM data WINDOW w AS (PARTITION BY p ORDER BY o)',
  "SELECT id, scan_sum(num) OVER w AS y, scan_fold(t, 'textcat(text,text)') OVER w, string_agg(t, ',') OVER w, "
  	. "scan_max(t) OVER w, sum(num) OVER w, lag(t) OVER w FROM data WINDOW w AS (PARTITION BY p ORDER BY id)",
  'SELECT id, row_number() OVER (ORDER BY id) AS a, row_number() OVER (ORDER BY id DESC) AS b, '
  	. 'row_number() OVER (PARTITION BY o ORDER BY t, id) AS c FROM data',
  'SELECT id, ntile(nullif(1 + id % 9, 4)) OVER (PARTITION BY p ORDER BY id) AS y, '
  	. 'ntile(nullif(o, o / 2 * 2)) OVER (ORDER BY o, id DESC) FROM data WHERE o > 0',
  'SELECT id, ntile(nullif(o % 5, 0) + 1) OVER (PARTITION BY p ORDER BY id) AS y, '
  	. 'ntile(10 / nullif(o, 7)) OVER (ORDER BY o NULLS FIRST, id) FROM data',
  'SELECT id, ntile(o) OVER (PARTITION BY p ORDER BY o DESC, id) AS y FROM data',
  'SELECT id, ntile(NULL) OVER (PARTITION BY p ORDER BY id) AS y, '
  	. 'scan_compact((id % 100)::int2, b) OVER (PARTITION BY p ORDER BY id) FROM data',
  'SELECT * FROM (SELECT id, p, row_number() OVER (PARTITION BY p ORDER BY id) AS n FROM data) AS s WHERE n <= 3',
  'SELECT * FROM (SELECT id, p, row_number() OVER (ORDER BY id) AS n FROM data) AS s WHERE n <= 3',
  'SELECT * FROM (SELECT id, p, rank() OVER (PARTITION BY p ORDER BY o) AS n, '
  	. 'count(*) OVER (PARTITION BY o ORDER BY id) AS m FROM data) AS s WHERE n <= 3 AND m < 5',
  'SELECT DISTINCT p AS id, count(*) OVER (PARTITION BY p) AS y FROM data',
  'SELECT id, sum(sum(i4)) OVER (ORDER BY id) AS y FROM data GROUP BY id',
  'SELECT p AS id, sum(count(*)) OVER (ORDER BY p) AS y FROM data GROUP BY p',
  'SELECT id, first_value(id) OVER (ORDER BY id) + (SELECT 1) AS y FROM data',
  'SELECT a.id, s.y FROM data AS a, LATERAL (SELECT sum(b.i2) OVER (ORDER BY b.id) AS y FROM data AS b '
  	. 'WHERE b.p = a.p AND b.id < 60) AS s WHERE a.id < 20',
  'SELECT id, count(*) OVER (ORDER BY id) AS y FROM data WHERE false',
  'SELECT id, count(*) OVER (PARTITION BY p) AS y FROM data WHERE id = 7',
  "SELECT id, string_agg(t, '') OVER (ORDER BY id) AS y FROM data WHERE id < 100",
  'SELECT id, lag(d) OVER w, d - lag(d) OVER w AS y, sum(CASE WHEN b THEN 1 ELSE 0 END) OVER w FROM data '
  	. 'WINDOW w AS (PARTITION BY p ORDER BY ts, id)',
  'SELECT id, sum(s) OVER (PARTITION BY p ORDER BY id) AS y FROM (SELECT id, p, '
  	. 'CASE WHEN id - lag(id) OVER (PARTITION BY p ORDER BY id) > 30 THEN 1 ELSE 0 END AS s FROM data) AS f';

# keys whose Datums have other bits than a stored value's; arguments that core does not look at
push @queries,
  'SELECT id, row_number() OVER (ORDER BY hashint4(id), id) AS y, '
  	. 'lag(id) OVER (PARTITION BY b ORDER BY hashtext(t), id) AS z FROM data',
  'SELECT id, rank() OVER (ORDER BY hashint4(id % 50)) AS y, count(*) OVER (PARTITION BY hashint4(p)) AS z FROM data',
  q[SELECT o::text AS id, count(*) OVER (PARTITION BY o) AS y ]
  	. q[FROM (SELECT id, CASE WHEN id % 2 = 0 THEN (4000000000 + id % 3)::text::oid ELSE '4000000001' END AS o ]
  	. q[FROM edge UNION ALL SELECT id, (-294967295)::oid FROM edge) AS s],
  'SELECT id, sum(100 / (id - 7)) FILTER (WHERE id <> 7) OVER (ORDER BY id) AS y FROM data',
  'SELECT id, lag(id, 1, 100 / (id - 5)) OVER (ORDER BY id) AS y, lag(100 / (2600 - id)) OVER (ORDER BY id) AS z, '
  	. 'first_value(100 / (2600 - id)) OVER (ORDER BY id) AS f FROM data',
  'SELECT id, y FROM (SELECT id, sum(100 / (50 - id)) OVER (ORDER BY id) AS y FROM data LIMIT 5) AS s',
  'SELECT id, sum(CASE WHEN b THEN id ELSE NULL END) OVER (ORDER BY id) AS y, count(coalesce(i4, i2)) '
  	. 'OVER (ORDER BY id) AS z, max(i2::int8) OVER (PARTITION BY p ORDER BY id) AS m FROM data',
  'SELECT id, lag(100 / (id - 7)) OVER w AS y, lead(t || id, 2, repeat(t, id - 2590)) OVER w AS z, last_value(t || i4) '
  	. 'OVER w AS l, nth_value(t || id, 3) OVER w AS n, sum(id / (i4 - 5)) FILTER (WHERE 7 / id >= 0) OVER w AS f '
  	. 'FROM data WHERE id > 7 WINDOW w AS (PARTITION BY p ORDER BY id)',
  (map { "SELECT id, $_ OVER (ORDER BY id) AS y FROM data" } 'lag(100 / (id - 2600))',
  	'lag(100 / (id - 2599))', 'lead(100 / (id - 1))', 'lead(100 / (id - 2))', 'nth_value(100 / (id - 3), 3)',
  	'nth_value(100 / (id - 3), 4)', 'first_value(100 / (id - 1))', 'last_value(100 / (id - 2600))',
  	'regr_count(f8, 1 / (id - 9))', 'sum(iv * (id % 5))', 'scan_max(t || id)', 'scan_sum(i4 / (id - 70))',
  	'sum(1 / (id - 5)) FILTER (WHERE 1 / (id - 4) > 0)'),
  (map { "SELECT id, y FROM (SELECT id, $_ OVER (ORDER BY id) AS y FROM data ORDER BY id LIMIT 20) AS s" }
  	'lag(100 / (id - 20))', 'lag(100 / (id - 19))', 'lead(100 / (id - 21))', 'lead(100 / (id - 22))',
  	'scan_sum(i4 / (id - 20))', 'scan_sum(i4 / (id - 21))', 'min(i4 / (id - 21))'),
  # which of two errors at a row: window functions come before aggregates
  'SELECT id, sum(1 / (id - 5)) OVER (ORDER BY id) AS y, first_value(power(-1, id / 2.0)) '
  	. 'OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS z, sum(power(id - 5, -1)) OVER (ORDER BY id) AS x, '
  	. 'lag(id, 1, (id - 6) / 0) OVER (ORDER BY id DESC) AS w FROM data',
  'SELECT id, sum(1 / (id - 5)) OVER w AS y, lag(sqrt(5 - id), 0) OVER w AS z FROM data WINDOW w AS (ORDER BY id)',
  'SELECT id, sum(1 / (id - 5)) OVER w AS y, lag(sqrt(4 - id), 0) OVER w AS z FROM data WINDOW w AS (ORDER BY id)',
  # errors of rows that core does not come to: a condition on the answer ends it
  'SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY p ORDER BY id) AS n, 100 / (id - 2000) AS x '
  	. 'FROM data) AS s WHERE n <= 3',
  'SELECT * FROM (SELECT id, row_number() OVER w AS n, sum(100 / (id - 2000)) OVER w AS x FROM data '
  	. 'WINDOW w AS (PARTITION BY p ORDER BY id)) AS s WHERE n <= 3',
  'SELECT * FROM (SELECT id, rank() OVER (ORDER BY p, id) AS n, ntile(2) OVER (PARTITION BY p ORDER BY o, id) AS m, '
  	. 'sqrt(2000 - id) AS x FROM data) AS s WHERE n <= 1',
  # an error that a LIMIT left in one scan must not come up in the next
  'SELECT k AS id, count(*) AS y, max(s) FROM generate_series(1, 2) AS k, '
  	. 'LATERAL (SELECT i, scan_sum(v) OVER (PARTITION BY p ORDER BY i) AS s FROM failing WHERE failing.k = k.k '
  	. 'ORDER BY p, i LIMIT CASE WHEN k.k = 1 THEN 30 ELSE 100 END) AS l GROUP BY k',
  # large values: a block ends sooner
  "SELECT id, max(repeat(t, 20000)) OVER (ORDER BY id) AS y FROM data WHERE id < 200",
  "SELECT id, lag(r, 3) OVER (ORDER BY id) AS y, max(r) OVER (PARTITION BY b ORDER BY id) AS z, md5(string_agg(r, '') "
  	. "OVER (ORDER BY id)) AS s FROM (SELECT id, b, repeat(t, 3000) AS r FROM data WHERE id < 300 OFFSET 0) AS q";

# a value that a function hands on as it is, computed when its row was asked for,
# while another function asks for another row
push @queries,
	"SELECT id, scan_fold(b::text || t, 'textcat(text,text)') OVER w AS y, scan_locf(t || id) OVER w AS z, "
	. "scan_max(t || id) OVER w AS m, lead(t || id) OVER w AS l, string_agg(t || id, ',') OVER w FROM data "
	. "WINDOW w AS (PARTITION BY p ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)";

# random keys: the place of a row among all, and what ties and partitions make of it
srand 20261121;
my @key_columns = qw(i8 full8 f8 f4 d hours ms b i2 nothing o num t tm);
for (1 .. ($ENV{SCAN_TEST_PART} ? 60 : 250))
{
	my $key = sub { $key_columns[ rand @key_columns ] . (('', ' ASC', ' DESC')[ rand 3 ])
		. (('', ' NULLS FIRST', ' NULLS LAST')[ rand 3 ]) };
	my @partition = map { $key_columns[ rand @key_columns ] } 1 .. rand 3;
	my @order = map { $key->() } 1 .. 1 + rand 4;
	my $partition = @partition ? 'PARTITION BY ' . join(', ', @partition) : '';
	my $order = 'ORDER BY ' . join ', ', @order;
	push @queries,
		"SELECT id, row_number() OVER ($partition $order, id) AS y, rank() OVER ($partition $order) AS r, "
		. "count(*) OVER ($partition $order) AS c, sum(id) OVER ($partition) AS s FROM edge";
}

my @core = $server->answers('SET scan.prefixscan = off', @queries);
is(scalar @core, scalar @queries, 'core answers every query');
is(join("\n", map { "$queries[$_]: $core[$_]" } grep { $core[$_] =~ /^\d+ 42(?!P20)/ } 0 .. $#core), '', 'all are SQL');
cmp_ok(scalar(grep { /^\d+ [0-9A-Z]{5} / } @core), '<', 0.25 * @core, 'few fail')
	or diag(join "\n", map { "$queries[$_]: $core[$_]" } grep { $core[$_] =~ /^\d+ [0-9A-Z]{5} / } 0 .. $#core);
# all of them, and half in either of two other ways
my @half = map { my $odd = $_; [ grep { $_ % 2 == $odd } 0 .. $#queries ] } 0, 1;
for my $way ([ 'SET scan.prefixscan = force', 0 .. $#queries ],
	[ "SET scan.prefixscan = force; SET scan.work_mem = '64kB'", @{ $half[0] } ],
	[ 'SET scan.prefixscan = force; SET enable_indexscan = off; SET enable_bitmapscan = off', @{ $half[1] } ])
{
	my ($settings, @asked) = @$way;
	my %ours;
	@ours{@asked} = map { s/^\d+ //r } $server->answers($settings, @queries[@asked]);
	my @wrong = grep { ($core[$_] =~ s/^\d+ //r) ne ($ours{$_} // 'nothing') } @asked;
	is(scalar @wrong, 0, "$settings: the answers of core to " . scalar @asked . ' queries')
		or diag(join "\n", map { "$queries[$_]\n   core: $core[$_]\n   node: " . ($ours{$_} // 'nothing') }
		@wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
}

# and it was the node that did: all windows of a query, or else the query says why
my @reasons = $server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET scan.debug_require = node;\n"
	. <<'SQL' . join '', map { "SELECT pg_temp.left_to_core(\$q\$$_\$q\$);\n" } @queries);
CREATE FUNCTION pg_temp.left_to_core(q text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE 'EXPLAIN ' || q;
  RETURN 'no';
EXCEPTION WHEN feature_not_supported THEN
  RETURN SQLERRM;
END $$;
SQL
my @aside = grep { $reasons[$_] ne 'no' } 0 .. $#queries;
cmp_ok(scalar @aside, '<', 0.35 * @queries,
	(@queries - @aside) . ' of ' . scalar @queries . ' queries ran in the node');
is(join("\n", map { "$queries[$_]: $reasons[$_]" } grep { $queries[$_]
				!~ /3 PREC|EXCLUDE|random|SELECT 1\)\)|-1\)|id % 3\)|nth_value\([^,]+, i4\)|n <= 3|n <= 1|WHERE false/ }
		@aside), '', 'all that it is meant for');

# ---- loading

# the first statement of a session that calls one of ours has the node; stock SQL has it
# once the library is loaded
like(join("\n", $server->lines('EXPLAIN (COSTS OFF) SELECT scan_sum(id) OVER (ORDER BY id) FROM data')), qr/PrefixScan/,
	'a new session: our functions');
unlike(join("\n", $server->lines('EXPLAIN (COSTS OFF) SELECT sum(id) OVER (ORDER BY id) FROM data')), qr/PrefixScan/,
	'a new session: stock functions are left to core');
like(join("\n", $server->lines("LOAD 'scan'; EXPLAIN (COSTS OFF) SELECT sum(id) OVER (ORDER BY id) FROM data")),
	qr/PrefixScan/, 'after LOAD');
like(join("\n", $server->lines("SELECT set_config('scan.prefixscan', 'off', false); EXPLAIN (COSTS OFF) "
			. "SELECT scan_sum(id) OVER (ORDER BY id) FROM data")), qr/WindowAgg/, 'scan.prefixscan = off');

# a partition that has to be seen whole, and is too large for the memory there is, is looked at in pieces (units.t)
unlike(join("\n", $server->lines(
			"LOAD 'scan'; SET scan.work_mem = '64kB'; EXPLAIN (COSTS OFF) SELECT *, count(*) OVER () FROM data")),
	qr/WindowAgg/, 'partitions beyond the memory');
like(join("\n", $server->lines("LOAD 'scan'; SET scan.work_mem = '64kB'; EXPLAIN (COSTS OFF) "
			. "SELECT count(*) OVER (PARTITION BY id) FROM data")), qr/PrefixScan/, 'small partitions are not');

# ---- how it is asked

# what a script prints with the node forced is what it prints with the node off
sub same
{
	my ($what, $script) = @_;
	my @answers = map { join "\n", $server->lines("LOAD 'scan'; SET jit = off; SET scan.prefixscan = $_;\n$script") }
		qw(off force);
	is($answers[1], $answers[0], $what);
	cmp_ok(length $answers[0], '>', 0, "$what: there is an answer");
}

same('a cursor, to and fro', <<'SQL');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT id, sum(i4) OVER (PARTITION BY p ORDER BY id) FROM data ORDER BY p, id;
FETCH 3 FROM c; FETCH BACKWARD 2 FROM c; FETCH ABSOLUTE 2000 FROM c; FETCH PRIOR FROM c;
FETCH ALL FROM c; FETCH LAST FROM c;
COMMIT;
SQL
same('prepared statements, custom and generic plans', <<'SQL');
PREPARE q(int, float8) AS SELECT id, sum(i4 + $1) OVER (ORDER BY id), scan_ema(i4, $2) OVER (ORDER BY id) FROM data
  WHERE id < 50 ORDER BY id;
EXECUTE q(1, 0.5); EXECUTE q(2, 0.25);
SET plan_cache_mode = force_generic_plan;
EXECUTE q(1, 0.5); EXECUTE q(2, 0.25); EXECUTE q(NULL, 1);
SQL
same('rescans, with another parameter and without', <<'SQL');
SET enable_material = off; SET enable_memoize = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT g, s.* FROM generate_series(1, 5) AS g, LATERAL (SELECT id, count(*) OVER (ORDER BY id),
  lag(t, 2) OVER (ORDER BY id) FROM data WHERE id < g * 4) AS s ORDER BY g, id;
SELECT g, count(*), sum(n) FROM generate_series(1, 5) AS g LEFT JOIN (SELECT id,
  row_number() OVER (PARTITION BY p ORDER BY t, id) AS n FROM data) AS s ON s.id % 5 < g GROUP BY g ORDER BY g;
SELECT (SELECT max(y) FROM (SELECT sum(i2) OVER (ORDER BY id) AS y FROM data AS d WHERE d.p = o.p) AS s)
  FROM (SELECT DISTINCT p FROM data) AS o ORDER BY p;
SQL
same('limits', join '', map { "SELECT id, sum(i4) OVER (ORDER BY id), lead(id) OVER (PARTITION BY p ORDER BY id) "
		. "FROM data ORDER BY id LIMIT $_;\n" } 0, 1, 63, 64, 65, 1000);
same('an error below that a LIMIT leaves behind', <<'SQL');
SET enable_seqscan = off; SET enable_bitmapscan = off;
SELECT id, sum(x) OVER (ORDER BY id) AS y
  FROM (SELECT id, 100 / (id - 50) AS x FROM data ORDER BY id OFFSET 0) AS q LIMIT 5;
BEGIN;
DECLARE c CURSOR FOR SELECT id, sum(id) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS y FROM data
  WHERE 100 / (id - 50) < 1000 ORDER BY id;
FETCH 5 FROM c;
COMMIT;
SQL
same('in a function, a view, a CTE, INSERT, UPDATE, DELETE', <<'SQL');
CREATE TEMP VIEW v AS SELECT id, p, sum(i4) OVER w AS s, rank() OVER w AS r FROM data
  WINDOW w AS (PARTITION BY p ORDER BY id);
WITH c AS MATERIALIZED (SELECT * FROM v) SELECT p, max(s), max(r) FROM c GROUP BY p ORDER BY p;
CREATE TEMP TABLE u AS SELECT * FROM v;
UPDATE u SET s = v.s + v.r FROM v WHERE v.id = u.id;
DELETE FROM u USING v WHERE v.id = u.id AND v.r > 3;
INSERT INTO u SELECT id, p, s, r FROM v WHERE p = 3;
SELECT * FROM u ORDER BY id, r;
SQL
same('above a parallel scan', <<'SQL');
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
SET min_parallel_index_scan_size = 0;
SELECT id, sum(i4) OVER (PARTITION BY p ORDER BY id) FROM data ORDER BY id;
SELECT count(*), sum(y) FROM (SELECT rank() OVER (PARTITION BY p ORDER BY o) AS y FROM data) AS s;
SQL
same('an error belongs to its row', <<'SQL');
BEGIN;
DECLARE c CURSOR FOR SELECT id, scan_sum(CASE WHEN id < 2000 THEN 1 ELSE 9223372036854775807 END) OVER (ORDER BY id)
  FROM data ORDER BY id;
FETCH 1 FROM c; MOVE 1997 FROM c; FETCH 1 FROM c;
COMMIT;
SQL

# ---- aggregates that a line of op/list.h has answered by the loops of another type

$server->lines(<<'SQL');
CREATE TABLE priced AS SELECT id, p, (CASE id % 61 WHEN 0 THEN 92233720368547758.07 WHEN 1 THEN -92233720368547758.08
  WHEN 2 THEN 0 ELSE i4 % 100 / 8.0 END)::money AS m FROM data;
ANALYZE priced;
SQL
for my $frame ('ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING',
	'ROWS BETWEEN 9 PRECEDING AND 2 PRECEDING EXCLUDE CURRENT ROW', 'RANGE BETWEEN 20 PRECEDING AND 50 FOLLOWING',
	'ROWS UNBOUNDED PRECEDING')
{
	my $query = "SELECT id, min(m) OVER w, max(m) OVER w, max(m) FILTER (WHERE id > 700) OVER w FROM priced "
		. "WINDOW w AS (PARTITION BY p ORDER BY id $frame);";

	same("extremes of money: $frame", $query);
	like(join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN $query")),
		qr/Frame Methods: min \(two stacks\), max \(two stacks\), max \(two stacks\)$/m, 'by the loops of int8')
		if $frame !~ /UNBOUNDED/;
}

# ---- a type whose values are sorted as the numbers that they are, however few: "char", as unsigned bytes

$server->lines('CREATE TABLE lettered AS SELECT id, i4, '
	. '(CASE WHEN id % 11 > 0 THEN hashint4(id) % 128 END)::"char" AS c FROM data; ANALYZE lettered');
for my $window ('ORDER BY c', 'ORDER BY c DESC NULLS LAST', 'PARTITION BY c ORDER BY id % 7 NULLS FIRST')
{
	my $query = "SELECT id, c::int, rank() OVER w, count(*) OVER w, sum(i4) OVER w FROM lettered WHERE id < 60 "
		. "WINDOW w AS ($window)";

	same("\"char\": $window", "$query ORDER BY id; " . $query =~ s/WHERE id < 60//r . ' ORDER BY id;');
	my ($bits) = join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; "
			. "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) $query")) =~ /Sort Bits: (\d+)$/m;
	cmp_ok($bits, '>=', 8, 'no value is compared');
}

# ---- rights, cancel, memory

my ($out, $err) = $server->run(<<'SQL', go_on => 1);
LOAD 'scan'; SET scan.prefixscan = force;
CREATE ROLE scan_node_user; GRANT SELECT ON data TO scan_node_user;
REVOKE EXECUTE ON FUNCTION sum(bigint), int8_avg_accum(internal, bigint) FROM PUBLIC;
SET ROLE scan_node_user;
SELECT sum(i8) OVER (ORDER BY id) FROM data LIMIT 1;
RESET ROLE; GRANT EXECUTE ON FUNCTION sum(bigint), int8_avg_accum(internal, bigint) TO PUBLIC;
DROP OWNED BY scan_node_user; DROP ROLE scan_node_user;
SQL
like($err, qr/permission denied for (?:aggregate|function) sum/, 'EXECUTE is asked for');

my @explained =
	$server->lines("LOAD 'scan'; SET scan.prefixscan = force; SET scan.work_mem = '64kB'; SET work_mem = '64kB';
EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT sum(i4) OVER (PARTITION BY p ORDER BY ts, id),
  scan_sum(i4) OVER (PARTITION BY p ORDER BY ts, id) FROM data;");
like(join("\n", @explained),
	qr/Functions: scan_sum, sum\n.*Partition By: p\n.*Order By.*: ts, id\n(?:.*\n)*?.*Disk: \d+ ?kB/,
	'EXPLAIN ANALYZE says what it did, on disk too');

(undef, $err) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; SET statement_timeout = '300ms';
SELECT count(*) FROM (SELECT sum(i) OVER (ORDER BY -i) FROM generate_series(1, 100000000) AS i) AS s;", go_on => 1);
like($err, qr/canceling statement due to statement timeout/, 'it can be cancelled');

done_testing();
