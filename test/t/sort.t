# sort.t: the order that PrefixScan sorts its input to, for keys of every type.
#
# A window's rank() tells where values differ, and its row_number() the order of rows
# that tie: the input's, which is the oracle's last key.  The oracle is WindowAgg over
# PostgreSQL's own sort.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('sort');
my $icu = $server->value(q{SELECT count(*) > 0 FROM pg_collation WHERE collprovider = 'i' AND collname = 'und-x-icu'})
	eq 't';
my $libc = $server->value(q{DO $$ BEGIN CREATE COLLATION english (provider = libc, locale = 'en_US.utf8'); EXCEPTION }
	. q{WHEN OTHERS THEN NULL; END $$; SELECT count(*) > 0 FROM pg_collation WHERE collname = 'english'}) eq 't';

$server->lines(q{CREATE COLLATION ignoring_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)})
	if $icu;
$server->lines(<<'SQL');
CREATE TYPE mood AS ENUM ('sad', 'fine', 'glad');
ALTER TYPE mood ADD VALUE 'bored' BEFORE 'fine';
CREATE TYPE pair AS (a int, b text);
CREATE FUNCTION h(i int, salt int) RETURNS int
  LANGUAGE sql IMMUTABLE AS 'SELECT abs(hashint4(i * 37 + salt) % 1000000007)';
-- one of some values
CREATE FUNCTION one_of(i int, salt int, VARIADIC text[]) RETURNS text
  LANGUAGE sql IMMUTABLE AS 'SELECT $3[1 + h(i, salt) % cardinality($3)]';
SQL

# name => [type, expression over i and n]
my %column = (
	i2 => ['int2', q{(h(i, 1) % 30000 - 15000)}],
	i4 => ['int4', q{CASE WHEN h(i, 2) % 7 > 0 THEN hashint4(i) END}],
	i8 => ['int8', q{CASE h(i, 3) % 9 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 }
			. q{WHEN 2 THEN NULL ELSE hashint8(i)::int8 * 1234567891 END}],
	full8 => ['int8', q{CASE h(i, 4) % 5 WHEN 0 THEN 9223372036854775807 WHEN 1 THEN -9223372036854775808 }
			. q{ELSE hashint8extended(i, 5) END}],
	f4 => ['float4', q{one_of(i, 5, 'NaN', '-0', '0', 'Infinity', '-Infinity', '1e-45', '-1e-45', NULL, '1.5', }
			. q{(h(i, 6) / 7.0)::text)}],
	f8 => ['float8', q{one_of(i, 7, 'NaN', '-0', '0', 'Infinity', '-Infinity', '5e-324', '-5e-324', NULL, '1.5', }
			. q{(h(i, 8) / 7.0)::text)}],
	num => ['numeric', q{one_of(i, 9, '1.0', '1.00', '0', '0.000', (h(i, 10) % 1000 / 100.0)::text, }
			. q{(-h(i, 11) % 100000 / 100.0)::text)}],
	num_edge => ['numeric', q{one_of(i, 12, 'NaN', 'Infinity', '-Infinity', NULL, '1e400', '2e400', '-1e400', }
			. q{'1e-200', '2e-200', '-1e-200', '0', '1e332', '9999999999999999e316', '1e-176', h(i, 13)::text)}],
	num_long => ['numeric',
		q{one_of(i, 14, '12345678901234567890', '-12345678901234567890')::numeric + h(i, 15) % 300 / 1e10}],
	num_tiny => ['numeric', q{one_of(i, 69, '0', '1e-200', '2e-200', '-1e-200', (h(i, 70) % 900)::text)}],
	num_huge => ['numeric',
		q{one_of(i, 71, 'Infinity', '1e400', '2e400', '-1e400', '-Infinity', (h(i, 72) % 900)::text)}],
	num_five => ['numeric', q{(1e16 + h(i, 68) % 9000)}],
	num_stored => ['numeric',
		q{CASE WHEN h(i, 79) % 40 = 0 THEN repeat('1234', 3000 + h(i, 80) % 4)::numeric ELSE h(i, 81) % 900 END}],
	num_unique => ['numeric', q{(1e20 + h(i, 16) / 1e12)}],
	money => ['money', q{(h(i, 17) % 5000 / 100.0)::numeric}],
	d => ['date',
		q{one_of(i, 18, 'infinity', '-infinity', '2024-02-29', NULL, (date '2000-01-01' + h(i, 19) % 9000)::text)}],
	ts => ['timestamp', q{one_of(i, 20, 'infinity', '-infinity', '2024-02-29', NULL, }
			. q{(timestamp '2000-01-01' + h(i, 21) * interval '1 ms')::text)}],
	tz => ['timestamptz', q{timestamptz '2024-01-01 00:00+00' + h(i, 22) * interval '1 second'}],
	tm => ['time', q{time '00:00' + h(i, 23) % 86400 * interval '1 second'}],
	ttz => ['timetz', q{one_of(i, 24, '12:00+00', '13:00+01', '12:00:01+02', NULL, '00:00-05')}],
	iv => ['interval',
		q{one_of(i, 25, '1 day', '24 hours', '30 days', '1 month', NULL, (h(i, 26) % 1000)::text || ' minutes')}],
	b => ['bool', q{CASE WHEN h(i, 27) % 5 > 0 THEN h(i, 28) % 2 = 0 END}],
	o => ['oid', q{(h(i, 29)::int8 * 4)::oid}],
	lsn => ['pg_lsn', q{one_of(i, 30, 'FFFFFFFF/FFFFFFFF', '0/0', to_hex(h(i, 31)) || '/' || to_hex(h(i, 32)))}],
	x8 => ['xid8', q{one_of(i, 33, '18446744073709551615', '0', h(i, 34)::text)}],
	mood => ['mood', q{one_of(i, 35, 'sad', 'bored', 'fine', 'glad', NULL)}],
	one => ['"char"', q{chr(1 + h(i, 36) % 127)}],
	bits => ['varbit', q{(h(i, 37) % 64)::bit(6)::varbit(6)}],
	uuid => ['uuid', q{md5(i::text || 'u')}],
	uuid_few => ['uuid', q{md5((h(i, 38) % 20)::text)}],
	uuid_last => ['uuid', q{('01234567-89ab-cdef-' || substr(md5((h(i, 39) % 7)::text), 1, 4) || '-' || }
			. q{substr(md5((h(i, 40) % (n / 4 + 1))::text), 1, 12))}],
	mac => ['macaddr', q{(substr(md5((h(i, 41) % (n / 2 + 1))::text), 1, 12))}],
	mac8 => ['macaddr8', q{(substr(md5((h(i, 42) % (n / 2 + 1))::text), 1, 16))}],
	ip => ['inet', q{CASE h(i, 43) % 4 WHEN 0 THEN '::1'::inet + h(i, 44) WHEN 1 THEN '10.0.0.0/8'::inet + h(i, }
			. q{45) % 16777216 WHEN 2 THEN '192.168.1.7/24' ELSE '192.168.0.0'::inet + h(i, 46) % 65536 END}],
	net => ['cidr', q{one_of(i, 47, '10.0.0.0/8', '10.0.0.0/16', '10.0.0.0/32', '::/0', '2001:db8::/32', NULL)}],
	ints => ['int[]', q{ARRAY[h(i, 48) % 3, NULLIF(h(i, 49) % 50, 7)]}],
	pair => ['pair', q{ROW(h(i, 50) % 4, substr(md5((h(i, 51) % 100)::text), 1, 5))::pair}],
	json => ['jsonb', q{to_jsonb(h(i, 52) % 500)}],
	name => ['name', q{'table_' || h(i, 53) % (n / 3 + 1)}],
	bytes => ['bytea', q{decode(one_of(i, 54, '', '00', '0000', '000000', '00ff', 'ff', 'ff00', NULL, }
			. q{md5((h(i, 55) % 300)::text)), 'hex')}],
	bytes_unique => ['bytea', q{decode(md5(i::text) || md5(i::text || 'x'), 'hex')}],
	padded => ['char(12)',
		q{one_of(i, 56, 'a', 'a ', 'a b', 'ab', '', NULL, substr(md5(i::text), 1, 1 + h(i, 57) % 11), chr(9))}],
	few => ['text', q{one_of(i, 58, 'new', 'open', 'closed', '', NULL, 'a status of many letters, one', }
			. q{'a status of many letters, two')}],
	words => ['text', q{one_of(i, 59, 'Apple', 'apple', 'APPLE', 'äpfel', 'zebra', 'Zebra', 'Ünal', 'co-op', }
			. q{'coop', 'co op', 'straße', 'strasse', '', NULL, 'été', E'e\u0301te\u0301', 'ete') || }
			. q{one_of(i, 60, '', ' ', '_', 's', '1', '-x')}],
	spelling => ['text', q{one_of(i, 73, 'é', E'e\u0301')}],
	hex => ['text', q{md5(i::text)}],
	prefix => ['text', q{'https://www.example.com/customers/' || h(i, 61) % (n * 3 + 1)}],
	longer => ['text', q{repeat('ab', h(i, 62) % 30) || one_of(i, 63, '', 'a', 'b', 'c')}],
	late => ['text', q{repeat('x', 40) || md5((h(i, 64) % (n / 2 + 1))::text)}],
	large => ['text', q{CASE WHEN i % 400 = 7 THEN repeat(md5((i % 3)::text), 300) || h(i, 65) % 3 }
			. q{ELSE substr(md5(i::text), 1, 6) END}],
	mixed => ['text', q{substr(md5((h(i, 66) % (n / 2 + 1))::text), 1, 3) || }
			. q{CASE WHEN h(i, 67) % 2 = 0 THEN upper(md5(i::text)) ELSE 'ß' || md5(i::text) END}],
	rising => ['text', q{'row ' || lpad((i / 2)::text, 9, '0')}],
	falling => ['text', q{'row ' || lpad((n - i)::text, 9, '0')}],
	i2_ends => ['int2', q{one_of(i, 74, '-32768', '32767', '0', NULL)}],
	i4_ends => ['int4', q{one_of(i, 75, '-2147483648', '2147483647', '0', NULL)}],
	o_ends => ['oid', q{one_of(i, 76, '4294967295', '0', '7')}],
	d_ends => ['date', q{one_of(i, 77, 'infinity', '-infinity', '4713-01-01 BC', '5874897-12-31', NULL)}],
	ts_ends => ['timestamp',
		q{one_of(i, 78, 'infinity', '-infinity', '4713-01-01 BC', '294276-12-31 23:59:59.999999')}],
	same => ['int4', q{-7}],
	steps => ['int8', q{(i / 3)::int8 * 1000000}],
	nothing => ['text', q{NULL}],
	nobody => ['int4', q{NULL}]);
my @columns = sort keys %column;

my $large = 30000;
my @sizes = (0, 1, 2, 1000, $large);
for my $n (@sizes)
{
	my $columns = join ",\n", map { "($column{$_}[1])" . ($column{$_}[1] eq 'NULL'
			|| $column{$_}[0] !~ /^(pair|int\[\]|varbit)$/ ? "::$column{$_}[0]" : '') . " AS $_" } @columns;
	$server->lines("CREATE TABLE data_$n AS SELECT i, $columns "
		. "FROM (SELECT i, $n AS n FROM generate_series(1, $n) AS i) AS s ORDER BY i; ANALYZE data_$n;");
}

my @collations = ('"C"', '"default"', $icu ? ('"und-x-icu"', 'ignoring_case') : (), $libc ? ('english') : ());
note("collations: @collations");

# The keys of windows; {} stands for a direction.
my @keys;
for my $name (@columns)
{
	my $type = $column{$name}[0];

	push @keys, $type =~ /^text|^char/ ? map { "$name COLLATE $_ {}" } @collations : "$name {}";
}
push @keys, 'few USING ~<~', 'hex USING ~>~', 'padded USING ~<~', 'longer USING ~>~';
my @directions = ('', 'DESC', 'NULLS FIRST', 'DESC NULLS LAST');
my @several = (
	['few', 'tz'], ['few COLLATE "C"', 'hex COLLATE "C" DESC'], ['uuid_few', 'ts DESC', 'num'], ['i2', 'hex'],
	['b', 'words COLLATE "C"', 'f8 DESC'],
	['hex COLLATE "C"', 'i4'], ['late COLLATE "C"', 'num DESC NULLS FIRST', 'late DESC'], ['', 'i8', 'full8'],
	['full8', 'i8 DESC', 'f8', 'f4'],
	['mood', 'prefix', 'mixed DESC'], ['nothing', 'nobody', 'words'], ['num_long', 'num_unique'], ['uuid_last', 'hex'],
	['', 'iv', 'ttz', 'ints', 'pair'],
	['json', 'bytes DESC'], ['steps', 'rising DESC'], ['large', 'mac', 'ip'], ['rising', 'steps'],
	['mac8', 'net', 'one'], ['name', 'bits', 'lsn DESC', 'x8']);

sub queries
{
	my ($window, $order, $n) = @_;
	my $table = "data_$n";
	my $sum = q{SELECT count(*), coalesce(sum(hashint8extended((i::int8 << 40) + (n << 20) + r, 1)::numeric), 0) FROM};

	$window = $window ne '' ? "PARTITION BY $window " : '';
	return (
		"$sum (SELECT i, row_number() OVER w AS n, rank() OVER w AS r "
			. "FROM $table WINDOW w AS (${window}ORDER BY $order)) AS s",
			"$sum (SELECT i, row_number() OVER (${window}ORDER BY $order, i) AS n, "
			. "rank() OVER (${window}ORDER BY $order) AS r FROM $table) AS s");
}

# Runs the cases and compares them; what core answers to a query is asked once.
my %core_answer;
sub compare
{
	my ($what, $settings, @cases) = @_;
	my $calm = 'LOAD \'scan\'; SET jit = off; SET max_parallel_workers_per_gather = 0; SET synchronize_seqscans = off; '
		. 'SET enable_indexscan = off;';
	my @ours = $server->lines("$calm SET scan.prefixscan = force; $settings " . join "\n", map { "$_->[0];" } @cases);
	my @asked = grep { !exists $core_answer{$_} } map { $_->[1] } @cases;
	@core_answer{@asked} = $server->lines("$calm SET scan.prefixscan = off; " . join "\n", map { "$_;" } @asked);
	my @core = map { $core_answer{ $_->[1] } } @cases;
	my @plans = $server->lines("$calm SET scan.prefixscan = force; " . join "\n",
		map { "EXPLAIN (COSTS OFF) $_->[0];" } @cases);
	my @wrong = grep { $ours[$_] ne $core[$_] } 0 .. $#cases;

	is(scalar @ours, scalar @cases, "$what: all " . @cases . ' have answers');
	is(scalar(grep { /Order By \(sorted here\)/ } @plans), scalar @cases, "$what: all are sorted by the node");
	is(scalar @wrong, 0, "$what: in the oracle's order") or diag(map { "$cases[$_][0]\n" } @wrong);
	return;
}

for my $n (@sizes)
{
	my @cases;

	for my $key (@keys)
	{
		for my $direction ($key =~ /\{\}/ ? ($n == 1000 ? @directions : @directions[ $n < $large ? 0 : (), 3 ]) : (''))
		{
			push @cases, [ queries('', $key =~ s/\{\}/$direction/r, $n) ];
		}
	}
	push @cases, map { [ queries($_->[0], join(', ', @$_[ 1 .. $#$_ ]), $n) ] } @several;
	compare("$n rows", '', @cases);
}

# Keys that are shown: had back from the words that rows were sorted by where these have all of a key, and else
# as they came in.  Several fit in one word, or fill it with the first of them; one is there twice, or has one value,
# or is known to be one before.
my @shown = (
	(map { [ '', "$_ {}" ] } qw(i2 i2_ends i4 i4_ends i8 full8 money d d_ends ts ts_ends tz tm b o o_ends lsn x8 steps
			same nobody f4 f8 num few)),
	['b', 'i2_ends DESC', 'd {}'], ['i4_ends', 'o {}'], ['i2', 'full8 {}'], ['b', 'd_ends', 'full8 {}', 'i2'],
	['full8', 'i2_ends {}'],
	['i2', 'ts_ends {}', 'tz'], ['same', 'i4 {}'], ['nobody', 'tm {}', 'same'], ['i4', 'i4 {}', 'b'],
	['b', 'i2 {}', 'b DESC'],
	['i2_ends', 'few {}'], ['b', 'hex COLLATE "C" {}', 'i2'], ['i2', 'f8 {}', 'd'], ['i2', 'i8 {}', 'full8'],
	['one_value', 'i2 {}']);
for my $n (@sizes)
{
	my @cases;

	for my $keys (@shown)
	{
		for my $direction ($n < $large ? @directions : @directions[ 1, 2 ])
		{
			my ($partition, @order) = map { s/\{\}/$direction/r } @$keys;
			my @columns = grep { $_ ne '' } $partition, map { /^(\w+)/ } @order;
			my $shown = 'i, ' . join(', ', map { "$columns[$_] AS k$_" } 0 .. $#columns);
			my $text = join ' || ', map { "coalesce(k$_\::text, '-')" } 0 .. $#columns;
			my $over = ($partition ne '' ? "PARTITION BY $partition " : '') . 'ORDER BY ' . join(', ', @order);
			my ($ours, $core) =
				map { "SELECT count(*), coalesce(sum(hashtextextended(i || '|' || n || $text, 1)::numeric), 0) "
				. "FROM (SELECT $shown, row_number() OVER ($over$_) AS n "
				. "FROM (SELECT *, 5 AS one_value FROM data_$n OFFSET 0) AS d) AS s" } '', ', i';

			push @cases, [ $ours, $core ];
		}
	}
	compare("$n rows, keys shown", '', @cases);
	compare("$n rows, keys shown, on disk", "SET scan.work_mem = '64kB';", @cases) if $n == $large;
}

# Beyond scan.work_mem the order is the same: of a few runs, and of more than are merged at once.
for my $memory ('1MB', '64kB')
{
	compare("on disk, $memory", "SET scan.work_mem = '$memory';",
		map { [ queries($_->[0], join(', ', @$_[ 1 .. $#$_ ]), $large) ] } @several);
}

# All that is sorted counts: rows that fit alone, but not with what their sort takes.
sub disk
{
	my ($memory) = @_;
	my $plan = join "\n",
		$server->lines("LOAD 'scan'; SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = force; "
		. "SET work_mem = '64kB'; SET scan.work_mem = '$memory'; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
		. "SELECT row_number() OVER (ORDER BY tz) FROM data_$large;");
	return $plan =~ /Disk: \d+/ ? 'disk' : $plan =~ /Memory: (\d+)/ ? $1 : $plan;
}
is(disk('450kB'), 'disk', 'the rows and the arrays of the sort are more than scan.work_mem');
cmp_ok(disk('2MB'), '>', $large * 16.25 / 1024, 'both are in the memory that EXPLAIN shows');

# A bigint over a key of four bytes and one of eight, which nobody sees: 26 bytes a row suffice, of which
# the smaller key's go on the way.  But not those that are compared in the end, as f, which has all numbers and NULL,
# and not a key that stands there twice, whose second half may be in another stage.  Keys that are shown are had
# back from the words: no more bytes are needed for them.
my $rows = 400000;
$server->lines(<<"SQL");
CREATE TABLE wide AS
SELECT i, (hashint8(i) % 1000)::int AS p, hashint4(i % 1000) / 2 AS a, hashint8extended(i, 3) AS o,
  hashint8(i + 1)::int8 AS v, 1 AS one,
       CASE WHEN i % 7 > 0 THEN
         (ARRAY['-9223372036854775808', 9223372036854775807, hashint8extended(i, 5)])[1 + i % 3] END AS f
FROM generate_series(1, $rows) AS i;
ANALYZE wide;
SQL
for (['p ORDER BY o', 26, 'less than the rows and their sort, but keys can go'],
	['p ORDER BY o', 26, 'keys that are shown go too, one has a stage of its own', undef, 'p', 'o'],
	['p ORDER BY i', 22, 'and all are in one word', undef, 'p', 'i'],
	['p ORDER BY i DESC NULLS LAST, o', 34, 'or all but the last', undef, 'p', 'i', 'o'],
	['p ORDER BY f', 34, 'keys that are compared stay, and those before them', undef, 'p', 'f'],
	['a ORDER BY a', 19, 'a key that is there twice and is shown', 'disk', 'a'],
	['p ORDER BY o', 32, 'enough'], ['p ORDER BY f, one', 32, 'some keys can go'],
	['a ORDER BY a', 19, 'a key that is there twice stays', 'disk'])
{
	my ($keys, $bytes, $what, $disk, @shown) = @$_;
	my $columns = join '', map { ", $_" } @shown;
	my $settings = "SET max_parallel_workers_per_gather = 0; SET work_mem = '64kB'; SET scan.work_mem = '"
		. int($bytes * $rows / 1024) . "kB';";
	my $window = "sum(v) OVER (PARTITION BY $keys)";
	my $sums = "SELECT md5(string_agg(concat_ws(' ', s$columns), ',' ORDER BY s$columns)) "
		. "FROM (SELECT $window AS s$columns FROM wide) AS q";
	my $plan = join "\n",
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; "
		. "$settings EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT $window$columns FROM wide");

	is($plan =~ /Disk/ ? 'disk' : undef, $disk, "$bytes bytes a row: " . ($disk // 'in memory'));
	my ($memory) = $plan =~ /Memory: (\d+)/;
	cmp_ok($memory * 1024, '<', ($bytes + 1) * $rows, 'and so it says');
	is($server->value("LOAD 'scan'; SET scan.prefixscan = force; $settings $sums"),
		$server->value("SET scan.prefixscan = off; $sums"), $what);
}

# Rows that come after all rows of the last run continue it: of input in order, with ties where a run ends, with NULLs
# at the end, with values of any length or NULL, and with rows that are late.
my %written;
for (['in order', 'i'], ['ties', 'i / 7000'], ['NULLs', 'CASE WHEN i < 50000 THEN i END'],
	['NULLs first', 'CASE WHEN i >= 50000 THEN i END NULLS FIRST'],
	['late rows', 'CASE WHEN i % 9000 = 0 THEN i - 8000 ELSE i END'],
	['late at last', 'CASE WHEN i = 100000 THEN 0 ELSE i END'], ['texts', 't COLLATE "C", i'], ['backward', 'i DESC'],
	['one value', 'one'])
{
	my ($what, $keys) = @$_;
	my $from = q{(SELECT i, one, CASE WHEN i % 3 > 0 THEN repeat('x', i % 50) END AS v, to_char(i, '000000') AS t }
		. q{FROM wide WHERE i <= 100000 OFFSET 0) AS d};
	my ($ours, $core) = map { "SELECT md5(string_agg(concat_ws(' ', i, n, v), ',' ORDER BY i)) "
		. "FROM (SELECT i, v, row_number() OVER (ORDER BY $keys$_) AS n FROM $from) AS q;" } '', ', i';
	my $forced = "LOAD 'scan'; SET max_parallel_workers_per_gather = 0; SET scan.prefixscan = force; "
		. "SET scan.work_mem = '64kB';";

	is($server->value("$forced $ours"), $server->value("SET scan.prefixscan = off; $core"), "on disk, $what");
	($written{$what}) = join("\n", $server->lines("$forced EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
			. "SELECT i, v, row_number() OVER (ORDER BY $keys) FROM $from")) =~ /Disk: (\d+)/;
}
cmp_ok($written{$_} * 1.5, '<', $written{backward}, "$_: rows are written once")
	for 'in order', 'ties', 'NULLs', 'NULLs first', 'one value';

# At the numbers of rows at which words are sorted another way, and are told of; in no order, in order,
# and in one but for the last row.
for my $n (1023, 1024, 1025, 16383, 16384, 16385, 65536, 65537)
{
	my @queries = map { "SELECT md5(string_agg(i::text || ' ' || n, ',' ORDER BY i)) "
		. "FROM (SELECT i, row_number() OVER (PARTITION BY $_) AS n FROM wide WHERE i <= $n) AS q;" } 'p ORDER BY o',
		'p > 0 ORDER BY i', "i < $n ORDER BY o", "one ORDER BY i % $n", 'one ORDER BY (i % 2)::bool, o';
	is(join(' ', $server->lines("LOAD 'scan'; SET scan.prefixscan = force; @queries")),
		join(' ', $server->lines("SET scan.prefixscan = off; @queries")), "$n rows");
}

# Text is told by its bytes under a collation of the C library without rules: under C.UTF-8, from glibc 2.35 on.
my ($glibc) = `getconf GNU_LIBC_VERSION 2>/dev/null` =~ /glibc 2\.(\d+)/;
SKIP:
{
	skip 'the C library may have rules for C.UTF-8', 4 if ($glibc // 0) < 35
		|| $server->value(q{SELECT datcollate FROM pg_database WHERE datname = current_database()}) !~ /^C\.UTF-?8$/i;
	$server->lines(q{CREATE COLLATION plain (provider = libc, locale = 'C.UTF-8')});
	my $bits = sub {
		my ($key) = @_;
		my $plan = join "\n",
			$server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, "
			. "SUMMARY OFF) SELECT rank() OVER (ORDER BY $key) FROM data_$large");
		return $plan =~ /Sort Bits: (\d+)$/m ? $1 : 0;
	};
	for my $type (qw(text char(40)))
	{
		my $c = $bits->(qq{hex::$type COLLATE "C"});
		cmp_ok($c, '>', 30, "$type under C is told by its bytes");
		is(join(' ', map { $bits->("hex::$type COLLATE $_") } '"default"', 'plain'), "$c $c",
			"$type under C.UTF-8 as well");
	}
	is($bits->('hex COLLATE "und-x-icu"'), 0, 'and compared under ICU') if $icu;
}

# Errors of comparisons come through, and a sort can be cancelled.
$server->lines(<<'SQL');
CREATE FUNCTION pair_compare(pair, pair) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
  IF $1.a = 3 THEN RAISE 'no order here'; END IF; RETURN btint4cmp($1.a, $2.a); END $$;
CREATE FUNCTION pair_below(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT pair_compare($1, $2) < 0';
CREATE FUNCTION pair_same(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT pair_compare($1, $2) = 0';
CREATE OPERATOR <<< (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_below);
CREATE OPERATOR === (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_same, MERGES, COMMUTATOR = ===);
CREATE OPERATOR CLASS pair_odd FOR TYPE pair USING btree AS OPERATOR 1 <<<, OPERATOR 3 ===,
  FUNCTION 1 pair_compare(pair, pair);
SQL
for my $n (1000, $large)
{
	my ($out, $err) = $server->run("LOAD 'scan'; SET scan.prefixscan = force; "
		. "SELECT row_number() OVER (ORDER BY pair USING <<<) FROM data_$n OFFSET 100000;");
	like($err, qr/no order here/, "the error of a comparison, $n rows");
}
my ($merged, $merge_error) =
	$server->run("LOAD 'scan'; SET scan.prefixscan = force; SET scan.work_mem = '64kB'; SELECT row_number() "
	. "OVER (ORDER BY ROW(i, 1 / ($large - i))) FROM (SELECT i FROM data_$large ORDER BY i) AS s OFFSET 100000;");
like($merge_error, qr/division by zero/, 'an error while runs are being written');
is($server->files_left, 0, 'and no file is left');
my ($out, $err) = $server->run(qq{LOAD 'scan'; SET scan.prefixscan = force; SET statement_timeout = '300ms'; }
	. qq{SELECT row_number() OVER (ORDER BY repeat(hex, 100) COLLATE "default", pg_sleep(0)::text) }
	. qq{FROM data_$large, generate_series(1, 100) OFFSET 10000000;});
like($err, qr/statement timeout/, 'a sort is cancelled');

done_testing();
