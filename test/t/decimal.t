# decimal.t: the node's sums, averages and extremes of numerics, and what else it
# answers without the function manager, against core's; and our own scan_sum of them.
#
# Every query runs with the node off and with the node forced, and every answer has to
# be the same bytes: as text, as sent, in its size (the header is in it) and in its
# hash.  The columns are made for the places where the arithmetic changes: numbers of
# all scales, totals that leave 128 bits in mid-partition, quotients that end in a
# half, NaN and infinities, values of thousands of digits, compressed and toasted.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('decimal');

$server->lines(<<'SQL');
CREATE FUNCTION h(i int, k int) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT hashint4(i * 64 + k) & 1073741823';
-- so many random decimal digits
CREATE FUNCTION digits(i int, k int, n int) RETURNS text IMMUTABLE LANGUAGE sql AS $$
SELECT left(string_agg(translate(md5(i || '.' || k || '.' || j), 'abcdef', '012345'), '' ORDER BY j), n)
  FROM generate_series(0, n / 32) AS j $$;
CREATE TABLE data AS
SELECT i AS id, CASE WHEN h(i, 0) % 29 > 0 THEN h(i, 1) % 11 END AS p, i / 3 AS small, h(i, 2) % 40 AS o,
  h(i, 3) % 3 > 0 AS b, i * 8 / 3001 AS p8,
       -- money
       (CASE WHEN h(i, 4) % 13 = 0 THEN NULL WHEN h(i, 4) % 17 = 0 THEN 0
         ELSE (h(i, 5) - 500000000) / 100.0 END)::numeric(20, 2) AS money,
       -- of every scale and size, and the same number in other clothes
       CASE h(i, 6) % 29 WHEN 0 THEN NULL WHEN 1 THEN '1.0' WHEN 2 THEN '1.00' WHEN 3 THEN '1' WHEN 4 THEN '0'
         WHEN 5 THEN '-0.000' WHEN 6 THEN '10000.0000'
         WHEN 7 THEN '0.0001' WHEN 8 THEN '0.00010000' WHEN 9 THEN '100000000' WHEN 10 THEN '-9999'
         WHEN 11 THEN '-10000' WHEN 12 THEN '1e-12'
         ELSE CASE WHEN h(i, 7) % 2 = 0 THEN '-' ELSE '' END || digits(i, 1, 1 + h(i, 8) % 25) ||
         CASE WHEN h(i, 9) % 4 > 0 THEN '.' || digits(i, 2, 1 + h(i, 10) % 20) ELSE '' END
       END::numeric AS mixed,
       -- numbers of 36 digits of all signs and places of the point: 2^127 is passed after 171 of them
       (CASE i * 8 / 3001 % 3 WHEN 0 THEN 1 WHEN 1 THEN -1 ELSE sign(h(i, 11) % 3 - 0.5) END *
         (1e36 - 1 - h(i, 12) % 7 * CASE WHEN h(i, 13) % 9 = 0 THEN 1e35 ELSE 1 END)
         / ('1e' || 4 * (i * 8 / 3001 % 5))::numeric(20, 0))::numeric(60, 16) AS limits,
       -- 2^63, 2^64, 2^127 and 10^36, and what is beside them
       CASE h(i, 14) % 12 WHEN 0 THEN '18446744073709551615' WHEN 1 THEN '1' WHEN 2 THEN '-1'
         WHEN 3 THEN '9223372036854775807' WHEN 4 THEN '170141183460469231731687303715884105727'
         WHEN 5 THEN '-170141183460469231731687303715884105728' WHEN 6 THEN '999999999999999999999999999999999999'
         WHEN 7 THEN '1e36' WHEN 8 THEN '-1e36' WHEN 9 THEN '9999999999999999' WHEN 10 THEN '-18446744073709551616'
         ELSE '0.5' END::numeric AS powers,
       -- their averages of two, four and eight end in a half
       (1 + h(i, 15) % 9998 + ('0.' || digits(i, 3, 16))::numeric)::numeric(30, 16) AS halves,
       -- seldom no number
       CASE WHEN h(i, 16) % 90 = 0 THEN (ARRAY['NaN', 'Infinity', '-Infinity'])[1 + h(i, 17) % 3]
         WHEN h(i, 16) % 5 = 0 THEN NULL ELSE (h(i, 18) % 1000)::text END::numeric AS special,
       -- short fractions first, then longer and longer ones
       ((h(i, 19) % 2000 - 1000) * ('1e-' || i / 100)::numeric)::numeric AS finer,
       CASE WHEN h(i, 20) % 7 > 0
         THEN (hashint8extended(i, 5) >> CASE WHEN h(i, 21) % 2 = 0 THEN 40 ELSE 0 END) END AS i8,
       CASE WHEN h(i, 22) % 7 > 0 THEN hashint4(i) END AS i4, (hashint4(i + 1) >> 16)::int2 AS i2,
       (CASE h(i, 23) % 400 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity'
         ELSE (h(i, 24) / 7.0 * (h(i, 25) % 2000 - 1000))::text END)::float8 AS f8,
       (CASE h(i, 26) % 300 WHEN 0 THEN 'NaN' WHEN 1 THEN '-0' WHEN 2 THEN '1e38' WHEN 3 THEN 'Infinity'
         WHEN 4 THEN '-Infinity' ELSE (h(i, 27) / 7.0)::text END)::float4 AS f4,
       CASE h(i, 28) % 8 WHEN 0 THEN NULL WHEN 1 THEN '1 month' WHEN 2 THEN '30 days' WHEN 3 THEN '720 hours'
         WHEN 4 THEN '-1 day 24:00' ELSE (h(i, 29) % 40 - 20) || ' days ' || h(i, 30) || ' seconds' END::interval AS iv
FROM generate_series(1, 3000) AS i ORDER BY h(i, 40);
CREATE INDEX ON data (p, id);

-- digits by the thousand, in all the ways that a value can be stored
CREATE TABLE long (id int, p int, plain numeric, main numeric, extended numeric, external numeric);
ALTER TABLE long ALTER plain SET STORAGE PLAIN, ALTER extended SET STORAGE EXTENDED,
  ALTER external SET STORAGE EXTERNAL;
INSERT INTO long SELECT i, i % 5, least(x, 1e3000), x, x, x FROM generate_series(1, 150) AS i,
  LATERAL (SELECT CASE h(i, 0) % 16 WHEN 0 THEN digits(i, 1, 5000) WHEN 1 THEN repeat('1234', 2000)
    WHEN 2 THEN '0.' || repeat('0', 16382) || '1' WHEN 3 THEN digits(i, 2, 30) || '.' || digits(i, 3, 6000)
    WHEN 4 THEN repeat('1', 9000) || '.' || repeat('2', 9000) WHEN 5 THEN '-1e3000' WHEN 6 THEN '0.' ||
    repeat('0', 16383) WHEN 7 THEN '1e-300' WHEN 8 THEN '1e300' ELSE (h(i, 2) / 100.0)::text END::numeric AS x) AS l;
-- the whole range: a total that leaves it, and one that comes back
CREATE TABLE far AS SELECT i AS id, i % 2 AS p, CASE WHEN i = 30 THEN 9e131071 WHEN i = 35 THEN 8e131071
  WHEN i = 36 THEN CASE WHEN i % 2 = 0 THEN -8e131071 END ELSE i / 8.0 END AS x,
  CASE WHEN i IN (30, 34) THEN 9e131071 WHEN i = 36 THEN -9e131071 ELSE 1 END AS back,
  CASE WHEN i = 25 THEN 1e200 WHEN i > 3 THEN i ELSE 0 END::float8 AS squares,
  CASE WHEN i > 20 THEN 1.5e308 ELSE -i END::float8 AS sum, CASE i WHEN 28 THEN '2147483647 months'
    WHEN 33 THEN '2147483647 days' WHEN 34 THEN '1 day' ELSE '0' END::interval AS iv
FROM generate_series(1, 40) AS i;
-- the total of the rows up to the n-th is n times a quotient, and what is left
CREATE TABLE totals AS SELECT *, lag(total, 1, 0) OVER (PARTITION BY k ORDER BY n) AS before
FROM (SELECT k * 1000000 + n AS id, k, n, (CASE WHEN h(n, 60 + k) % 3 = 0 THEN -1 ELSE 1 END
         * ((ARRAY[0, 0, 1, 2, 9, 5000, 9999, 10000, 99999999, 100000000, 999999999999, 99999999999999])[1 +
           h(n, 50 + k) % (k + 1)] * n::int8
            + (ARRAY[0, 1, -1, 2, n / 2, n / 2 + 1, n / 2 - 1, n - 1, n / 3, n / 7, n / 10000, h(n, 51) % n])[1 +
              h(n, 52 + k) % 12]))::int8 AS total
      FROM generate_series(0, 11) AS k, generate_series(1, 1500) AS n UNION ALL
      SELECT 50000000 + n, 50, n, n * 3::int8 + h(n, 53) % 5 FROM generate_series(1, 21000) AS n) AS s;
ANALYZE data; ANALYZE long; ANALYZE far; ANALYZE totals;
SQL

# How an answer of a type is looked at; below an aggregate, which copies the first row it
# gets and makes its header short, so that OFFSET keeps the two apart.
my %look = (
	numeric => 'y, numeric_send(y), pg_column_size(y), hash_numeric_extended(y, 7)',
	float8 => 'y, float8send(y)', float4 => 'y, float4send(y)', interval => 'y, interval_send(y)',
	other => 'y, pg_column_size(y)');
my @queries;

sub ask
{
	my ($type, $call, $window, $from) = @_;
	push @queries, "SELECT id, $look{$type} FROM (SELECT id, $call OVER ($window) AS y FROM $from) AS s OFFSET 0";
}

my @columns = qw(money mixed limits powers halves special finer);
my $once = 'PARTITION BY p ORDER BY id';
my @in_order = ($once, 'ORDER BY id', 'PARTITION BY small ORDER BY id', 'PARTITION BY p8 ORDER BY id',
	'PARTITION BY p8 ORDER BY id DESC', 'PARTITION BY b ORDER BY o, id ROWS UNBOUNDED PRECEDING',
	'PARTITION BY p ORDER BY id GROUPS UNBOUNDED PRECEDING',
	'PARTITION BY p8 ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING');
my @with_ties = ('PARTITION BY p ORDER BY o', 'ORDER BY o DESC GROUPS UNBOUNDED PRECEDING',
	'PARTITION BY p8 RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING', '');
for my $column (@columns)
{
	for my $window (@in_order, @with_ties)
	{
		ask('numeric', "$_($column)", $window, 'data')
			for 'sum', 'avg', (grep { $_ eq $window } @in_order) ? ('min', 'max') : ();
	}
	ask('numeric', "$_($column) FILTER (WHERE b)", $once, 'data') for qw(sum avg min max);
	ask('numeric', "$_($column * 3)", $once, 'data') for qw(sum avg min max);
	ask('numeric', "$_(round($column / 7, o)) FILTER (WHERE 100 / (o + 1) > 3)", $once, 'data') for qw(sum avg min max);
}
for my $column (qw(plain main extended external))
{
	ask('numeric', "$_($column)", 'ORDER BY id', 'long') for qw(sum avg min max);
	ask('numeric', "$_($column)", $once, 'long') for qw(sum avg min max);
	ask('numeric', "$_($column)", 'PARTITION BY p', 'long') for qw(sum avg);
}
for my $window (@in_order, @with_ties)
{
	ask('numeric', "$_", $window, 'data') for map { ("sum($_)", "avg($_)") }
		'i8', 'i8 - 9223372036854775807', '9223372036854775807', '(-9223372036854775807 - 1)';
	ask('numeric', "avg($_)", $window, 'data') for qw(i4 i2);
	ask('other', "sum($_)", $window, 'data') for qw(i4 i2);
	ask('other', "$_", $window, 'data') for (map { ("bit_and($_)", "bit_or($_)", "bit_xor($_)") } 'i2', 'i4', 'i8',
		'i4 | 12'), 'bool_and(b)', 'bool_or(b)', 'every(o > 3)', 'bool_or(i8 > 0) FILTER (WHERE b)';
	ask('interval', "$_(iv)", $window, 'data') for 'sum', (grep { $_ eq $window } @in_order) ? ('min', 'max') : ();
	next unless grep { $_ eq $window } @in_order;
	ask('float8', "sum($_)", $window, 'data') for 'f8', 'f4::float8';
	ask('float4', 'sum(f4)', $window, 'data');
	ask('float8', "avg($_)", $window, 'data') for 'f8', 'f4', 'f8::float4 / 1e30::float4', 'nullif(f8, f8)';
}
# large totals of many rows
ask('numeric', "$_(x)", 'ORDER BY id', '(SELECT i AS id, 1e32 + i AS x FROM generate_series(1, 12000) AS i) AS many')
	for qw(sum avg);
# errors, and totals that only pass by where one would be
for my $window ('ORDER BY id', $once, 'PARTITION BY p', '', 'ORDER BY id / 4', 'ORDER BY id DESC')
{
	for my $rows (29, 30, 33, 34, 35, 36, 40)
	{
		ask('numeric', "$_", $window, "(SELECT * FROM far WHERE id <= $rows) AS far")
			for map { ("sum($_)", "avg($_)") } qw(x back);
		ask('float8', "avg($_)", $window, "(SELECT * FROM far WHERE id <= $rows) AS far") for qw(squares sum);
		ask('interval', 'sum(iv)', $window, "(SELECT * FROM far WHERE id <= $rows) AS far");
	}
}
# frames that slide
my @sliding = ("$once ROWS 5 PRECEDING", "$once ROWS BETWEEN 30 PRECEDING AND 2 FOLLOWING",
	'ORDER BY id ROWS BETWEEN 9 PRECEDING AND 4 PRECEDING',
	'PARTITION BY p8 ORDER BY id ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
	"$once ROWS BETWEEN 7 PRECEDING AND 7 FOLLOWING EXCLUDE CURRENT ROW", 'PARTITION BY b ORDER BY o RANGE 3 PRECEDING',
	'PARTITION BY b ORDER BY o GROUPS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE TIES',
	'ORDER BY id ROWS 1500 PRECEDING');
for my $window (@sliding)
{
	ask('numeric', "$_", $window, 'data') for (map { ("sum($_)", "avg($_)") } @columns, 'i8',
		'money * 1000000'), 'sum(money) FILTER (WHERE b)', 'avg(special) FILTER (WHERE o > 9)', 'avg(i4)', 'avg(i2)';
	ask('numeric', "$_(main)", $window =~ s/PARTITION BY (b|p8)/PARTITION BY p/r =~ s/ORDER BY o/ORDER BY id \/ 4/r,
		'long') for qw(sum avg);
}
# quotients whose digits end in a run of nines or of zeros, or in a half
for my $type ('i8', map { "numeric / '1e$_'::numeric" } 0, 2, 3, 4, 6, 8, 9, 17)
{
	my $value = $type eq 'i8' ? 'total - before' : '((total - before)::' . $type . ')';

	push @queries,
		"SELECT id, y, numeric_send(y), z, numeric_send(z) FROM (SELECT id, avg($value) OVER (PARTITION BY k ORDER BY "
		. "id) AS y, avg($value) OVER (PARTITION BY k ORDER BY id ROWS 99 PRECEDING) AS z FROM totals) AS s OFFSET 0";
}
# several at once
push @queries, map {
	"SELECT id, a, numeric_send(a), b, numeric_send(b), c, numeric_send(c), d, numeric_send(d), e "
		. "FROM (SELECT id, sum($_) OVER w AS a, avg($_) OVER w AS b, min($_) OVER w AS c, max($_) OVER w AS d, "
		. "max(iv) OVER w AS e FROM data WINDOW w AS ($once)) AS s"
} @columns;

my @core = $server->answers('SET scan.prefixscan = off', @queries);
is(scalar @core, scalar @queries, 'core answers every query');
cmp_ok(scalar(grep { /^\d+ 22003/ } @core), '>', 40, 'some by an error');
for my $settings ('SET scan.prefixscan = force',
	'SET scan.prefixscan = force; SET enable_indexscan = off; SET enable_bitmapscan = off')
{
	my @node = $server->answers($settings, @queries);
	my @wrong = grep { $core[$_] ne ($node[$_] // 'nothing') } 0 .. $#core;
	is(scalar @wrong, 0, "$settings: the answers of core to " . scalar @queries . ' queries')
		or diag(join "\n", map { "$queries[$_]\n   core: $core[$_]\n   node: " . ($node[$_] // 'nothing') }
		@wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
}
my @plans = split /^next$/m, join "\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force;\n" . join '',
	map { "EXPLAIN (COSTS OFF) $_;\nSELECT 'next';\n" } @queries);
is(scalar(grep { /PrefixScan/ } @plans), scalar @queries, 'and it was the node that did');

like(join("\n", $server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (COSTS OFF) "
			. "SELECT sum(money) OVER w, avg(money) OVER w FROM data WINDOW w AS ($once ROWS 5 PRECEDING)")),
	qr/Frame Methods: sum \(decimals\), avg \(decimals\)/, 'frames that slide do not call core');

# the stored bytes, not what an output function says of them
my $image = '';
for my $node ('off', 'force')
{
	$image .= "SET scan.prefixscan = $node;\nCREATE TEMP TABLE image_$node AS SELECT id, " . join(', ', map {
		my $c = $_;
		map { "$_($c) OVER w AS ${_}_$c" } qw(sum avg min max)
	} @columns) . " FROM data WINDOW w AS ($once);\n";
}
is($server->value("LOAD 'scan';\n$image SELECT count(*) FILTER (WHERE a *= b) || ' of ' || count(*) "
		. "FROM image_off AS a JOIN image_force AS b USING (id);"), '3000 of 3000', 'the same images of records');

# ---- scan_sum, and array_scan_sum, add as sum does, whichever node calls them

my (@sums, @scans);
for my $from ((map { [ 'data', $_ ] } @columns), (map { [ 'long', $_ ] } qw(plain extended external)),
	(map { [ "(SELECT * FROM far WHERE id <= $_) AS far", 'x' ],
			[ "(SELECT * FROM far WHERE id <= $_) AS far", 'back' ] } 34, 35, 36, 40))
{
	my ($table, $column) = @$from;
	# a segment begins with some rows of every partition, and one in the middle of a total beyond 128 bits
	my $segments = "(SELECT *, count(*) FILTER (WHERE r) OVER (PARTITION BY p ORDER BY id) AS s "
		. "FROM (SELECT *, NULLIF(id % 23 IN (0, 12), id % 5 = 0) AS r FROM $table) AS t) AS t";
	my @of_segments = ("PARTITION BY p, s ORDER BY id ROWS UNBOUNDED PRECEDING",
		"PARTITION BY p, s ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING");

	for my $pair (
		[ $table, "sum($column) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING)", "scan_sum($column) OVER (ORDER BY id)" ],
		[ $table, "sum($column) OVER ($once ROWS UNBOUNDED PRECEDING)", "scan_sum($column) OVER ($once)" ],
		[ $table, "sum($column * 3) OVER ($once ROWS UNBOUNDED PRECEDING)", "scan_sum($column * 3) OVER ($once)" ],
		[ $table, "coalesce(sum($column) OVER ($once ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0)",
			"scan_sum($column, exclusive => true) OVER ($once)" ],
		[ $segments, "sum($column) OVER ($of_segments[0])", "scan_sum($column, r) OVER ($once)" ],
		[ $segments, "coalesce(sum($column) OVER ($of_segments[1]), 0)", "scan_sum($column, r, true) OVER ($once)" ],
		[ $segments, "coalesce(sum($column) OVER ($of_segments[1]), 0)",
			"unnest(array_scan_sum(array_agg($column ORDER BY id), array_agg(r ORDER BY id), true))", 'GROUP BY p' ],
		[ $segments, "sum($column) OVER ($of_segments[0])",
			"unnest(array_scan_sum(array_agg($column ORDER BY id), array_agg(r ORDER BY id)))", 'GROUP BY p' ])
	{
		my ($rows, $sum, $scan, $group) = @$pair;
		my ($id, $tail) = defined $group ? ('unnest(array_agg(id ORDER BY id)) AS id', " $group") : ('id', '');

		push @sums, "SELECT id, $look{numeric} FROM (SELECT id, $sum AS y FROM $rows) AS s OFFSET 0";
		push @scans, "SELECT id, $look{numeric} FROM (SELECT $id, $scan AS y FROM $rows$tail) AS s OFFSET 0";
	}
}
@core = $server->answers('SET scan.prefixscan = off', @sums);
cmp_ok(scalar(grep { /^\d+ 22003/ } @core), '>', 20, 'some sums are out of range');
for my $settings ('SET scan.prefixscan = off', 'SET scan.prefixscan = force')
{
	my @scanned = $server->answers($settings, @scans);
	my @wrong = grep { $core[$_] ne ($scanned[$_] // 'nothing') } 0 .. $#core;
	is("@wrong", '', "$settings: scan_sum gives what sum does, " . scalar @sums . ' times')
		or diag(join "\n", map { "$scans[$_]\n   sum: $core[$_]\n   scan_sum: " . ($scanned[$_] // 'nothing') }
		@wrong[ 0 .. ($#wrong < 9 ? $#wrong : 9) ]);
}

# ---- an error belongs to its row

for my $call ('sum(x)', 'scan_sum(x)', 'scan_sum(x, exclusive => true)', 'scan_sum(x, id = 25)', 'avg(x)',
	'avg(squares)', 'avg(sum)', 'sum(iv)')
{
	my @printed = map {
		my $script = "LOAD 'scan'; SET scan.prefixscan = $_;\nBEGIN;\n"
			. "DECLARE c CURSOR FOR SELECT id, $call OVER (ORDER BY id) FROM far ORDER BY id;\n" . "FETCH c;\n" x 40;
		my ($out, $err) = $server->run($script, go_on => 1);
		$out . "\n" . ($err =~ s/^.*?ERROR/ERROR/mgr =~ s/^.*?:\d+: //mgr)
	} 'off', 'force';
	is($printed[1], $printed[0], "$call: the rows before the error, and the error");
	like($printed[0], qr/out of range|overflow/, "$call: there is one");
}

# ---- memory: it does not grow with the rows

my ($out, $err) = $server->run(<<'SQL');
LOAD 'scan'; SET scan.prefixscan = force;
CREATE TEMP TABLE many AS SELECT i AS id, 0 AS p,
  CASE WHEN i % 3 = 0 THEN 1e30 ELSE i / 100.0 END AS x, repeat('12345678', 800)::numeric AS toasted,
  CASE WHEN i = 1 THEN 'NaN' ELSE repeat('12345678', 800) END::numeric AS after_nan FROM generate_series(1, 2000) AS i;
BEGIN;
DECLARE c CURSOR FOR SELECT sum(x) OVER w, sum(toasted) OVER w, avg(toasted) OVER w, max(toasted) OVER w,
  min(x) OVER w, avg(x) OVER w, scan_sum(toasted, id % 3 = 0) OVER w, scan_sum(after_nan) OVER w FROM many
  WINDOW w AS (ORDER BY id ROWS UNBOUNDED PRECEDING);
MOVE 100 FROM c;
CREATE TEMP TABLE at AS SELECT sum(used_bytes) AS used FROM pg_backend_memory_contexts
  WHERE name ~ '^scan (partition|results|scratch|sum)' OR name = 'ExecutorState';
MOVE 1000 FROM c;
SELECT 'grew ' || greatest(0, (SELECT sum(used_bytes) FROM pg_backend_memory_contexts
  WHERE name ~ '^scan (partition|results|scratch|sum)' OR name = 'ExecutorState') - used) / 100000 FROM at;
CLOSE c;
DECLARE c CURSOR FOR SELECT sum(x) OVER w, sum(toasted) OVER w, avg(toasted) OVER w, max(toasted) OVER w,
  min(-toasted) OVER w, sum(after_nan) OVER w FROM many WINDOW w AS ();
MOVE 1 FROM c;
SELECT 'in a partition ' || sum(used_bytes) / 200000 FROM pg_backend_memory_contexts
  WHERE name ~ '^scan (results|scratch|sum)';
SQL
like($out, qr/^grew 0\b/m, 'memory stays what it is') or diag $err;
like($out, qr/^in a partition 0\b/m, 'while a partition is seen, too') or diag $out;

done_testing();
