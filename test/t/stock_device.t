# stock_device.t: PostgreSQL's own aggregates with the sorts of the mock device: the bytes of WindowAgg.
#
# scan.debug_require makes it a failure that the CPU sorts rows that the device could have had.  The rows lie in no
# order; where a window gets them in order, no aggregate is a job.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Time::HiRes qw(sleep);
use Cluster;

$ENV{SCAN_MOCK_FAST} = 1;
my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\njit = off\n");
my $server = $cluster->{server};
for (1 .. 100)
{
	last if $server->value('SELECT state FROM scan_status') eq 'ready';
	sleep 0.1;
}
is($server->value('SELECT state FROM scan_status'), 'ready', 'the mock device is ready');

# NaNs as a binary COPY brings them: quiet ones, signaling ones, either sign
my $nans = File::Temp->new;
binmode $nans;
print $nans "PGCOPY\n\377\r\n\0", pack 'N2', 0, 0;
my @nans = map { [ pack('N', $_), pack('NN', $_ >> 3 & 0xf000ffff | 0x7ff00000, $_) ] } 0x7fc00000, 0x7fa00001,
	0xffa12345, 0xffc00007, 0x7f800001;
print $nans pack('n N', 3, 4), pack('N', $_ + 1), pack('N', 4), $nans[$_][0], pack('N', 8), $nans[$_][1]
	for 0 .. $#nans;
print $nans pack 'n', 0xffff;
$nans->flush;

# columns, since an expression that may fail is for its row alone.  Values are seldom, and in one
# partition never, and some partitions begin without; big is about as large as int8 is.
$server->lines(<<"SQL");
CREATE TABLE nans (k int, f4 float4, f8 float8);
\\copy nans FROM '@{[ $nans->filename ]}' WITH (FORMAT binary)
CREATE TABLE data AS
SELECT id, p, g, keep, CASE WHEN has THEN h::int2 END AS i2, CASE WHEN has THEN h END AS i4,
       CASE WHEN has THEN CASE WHEN id % 3 = 0 THEN 9223372036854775807 WHEN id % 1001 = 0 THEN -9223372036854775808
         ELSE h::int8 * 4000000000 END END AS big,
       CASE WHEN has THEN h::int8 * 1000 END AS i8, CASE WHEN has THEN h > 0 END AS b, CASE WHEN has THEN k END AS k,
       CASE WHEN has THEN CASE id % 50 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity'
         ELSE date '2000-01-01' + h % 10000 END END AS d,
       CASE WHEN has THEN CASE id % 50 WHEN 0 THEN 'infinity' WHEN 1 THEN '-infinity'
         ELSE timestamp '2000-01-01' + h * interval '1 s' END END AS t,
       CASE WHEN has THEN coalesce(f4, h % 100 / 8.0, 0) END AS f4,
       CASE WHEN has THEN coalesce(f8, h % 100 / 8.0, 0) END AS f8
FROM (SELECT id, id % 97 * 5 % 23 AS p, id / 7 AS g, hashint4(id) % 3 <> 0 AS keep, h, k,
             id % 97 * 5 % 23 <> 3 AND hashint4(id + 1) % 4 <> 0 AND id % 5000 > 30 * (id % 97 * 5 % 23) AS has,
             CASE WHEN id % 400 = 7 THEN f4 WHEN id % 5 = 0 THEN -0.0 WHEN id % 5 = 1 THEN 0 END AS f4,
             CASE WHEN id % 400 = 7 THEN f8 WHEN id % 5 = 0 THEN -0.0 WHEN id % 5 = 1 THEN 0 END AS f8
      FROM (SELECT id, hashint4(id * 3) >> CASE WHEN id % 100 = 0 THEN 16 ELSE 20 END AS h, 1 + id / 7 % 5 AS k
        FROM generate_series(1, 70000) AS id) AS s
      JOIN nans USING (k)) AS s
ORDER BY hashint4(id * 7);
UPDATE data SET i4 = 2147483647 WHERE id % 700 = 1 AND i4 IS NOT NULL;
UPDATE data SET i4 = -2147483648, i2 = -32768 WHERE id % 7000 = 2 AND i4 IS NOT NULL;
VACUUM ANALYZE data;
SQL

my @functions = ('count(*)', 'count(i4)', 'count(*) FILTER (WHERE keep)', 'count(f8) FILTER (WHERE keep)',
	'sum(big) FILTER (WHERE keep)', 'min(i4) FILTER (WHERE keep)', 'avg(i4) FILTER (WHERE keep)',
	'bit_or(i2) FILTER (WHERE NOT keep)', 'max(1)', 'sum(NULL::int)',
	(map { my $f = $_; map { "$f($_)" } qw(i2 i4 i8 big) } qw(sum avg min max)),
	(map { ("$_(d)", "$_(t)", "float4send($_(f4) ~)", "float8send($_(f8) ~)") } qw(min max)),
	(map { my $f = $_; map { "bit_$f($_)" } qw(i2 i4 i8) } qw(and or xor)),
	'bool_and(b)', 'bool_or(b)', 'every(b)', 'bool_and(b) FILTER (WHERE keep)');

# frames, and the order in which equal rows come to them
my @windows = (
	[ 'ORDER BY id', 'data' ],
	[ 'PARTITION BY p ORDER BY id ROWS UNBOUNDED PRECEDING', 'data' ],
	[ 'PARTITION BY p ORDER BY g', '(SELECT * FROM data ORDER BY p, g, id)' ],
	[ 'PARTITION BY p', '(SELECT * FROM data ORDER BY p, id)' ],
	[ '', '(SELECT * FROM data ORDER BY id)' ]);

# a query of some functions over the first n rows
sub query
{
	my ($n, $window, $from, @calls) = @_;
	my $k = 0;
	# ~ is where the window goes, at the end if nowhere else
	my $list = join ', ', map { $k++; (/~/ ? s/~/OVER w/r : "$_ OVER w") . " AS y$k" } @calls;
	$from = $from eq 'data' ? "data WHERE id <= $n" : $from =~ s/ ORDER/ WHERE id <= $n ORDER/r . ' AS data';
	return "SELECT id, $list FROM $from WINDOW w AS ($window)";
}

my $core = 'SET scan.prefixscan = off';
my $gpu = 'SET scan.prefixscan = force; SET scan.device = gpu; SET scan.debug_require = gpu';

# Two ways to answer queries; what differs is looked at function by function.
sub same
{
	my ($title, $one, $other, @queries) = @_;
	my @ones = $server->answers($one, map { query(@$_) } @queries);
	my @others = $server->answers($other, map { query(@$_) } @queries);
	is("@others", "@ones", $title) and return;
	my ($first) = grep { $ones[$_] ne $others[$_] } 0 .. $#queries;
	my ($n, $window, $from, @calls) = @{ $queries[$first] };
	my @each = map { [ $n, $window, $from, $_ ] } @calls;
	@ones = $server->answers($one, map { query(@$_) } @each);
	@others = $server->answers($other, map { query(@$_) } @each);
	diag("$n rows, $window: $calls[$_]\n  $ones[$_]\n  $others[$_]") for grep { $ones[$_] ne $others[$_] } 0 .. $#calls;
	return;
}

for my $window (@windows)
{
	my @sizes = $ENV{SCAN_TEST_PART} ? (1, 17, 1024, 5000) : (1, 15, 16, 17, 1023, 1024, 1025, 5000, 70000);
	same("OVER ($window->[0])", $core, $gpu, map { [ $_, @$window, @functions ] } @sizes);
}
# partitions that are too large to be held, and are looked at before they are shown
same("OVER ($_->[0]) in little memory", $core, "$gpu; SET scan.work_mem = '64kB'", [ 70000, @$_, @functions ])
	for $ENV{SCAN_TEST_PART} ? () : @windows;
# frames that move: sums by their differences, and what joins by two scans
my @moving = ('sum(i2)', 'sum(i4) FILTER (WHERE keep)', 'sum(big)', 'avg(i4)', 'avg(big)',
	'min(i4) FILTER (WHERE keep)', 'max(big)', 'max(d)', 'min(t)', 'bit_and(i8)', 'bit_xor(i4)', 'bit_or(i2)',
	'bool_and(b)', 'bool_or(b)', 'max(1)',
	# not known when the rows are sorted
	'sum(i2 + 1)', 'max(abs(i2))', 'sum(i8) FILTER (WHERE i2 + 1 > 0)');
for my $frame ('ROWS 5 PRECEDING', 'ROWS BETWEEN 3 PRECEDING AND 4 FOLLOWING',
	'ROWS BETWEEN 9 PRECEDING AND 2 PRECEDING', 'ROWS BETWEEN 1 FOLLOWING AND 1 FOLLOWING',
	'ROWS BETWEEN 700 PRECEDING AND 1 FOLLOWING', 'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING',
	'ROWS BETWEEN 2 FOLLOWING AND UNBOUNDED FOLLOWING')
{
	for my $window ('PARTITION BY p ORDER BY id', $ENV{SCAN_TEST_PART} ? () : 'ORDER BY id')
	{
		same("OVER ($window $frame)", $core, $gpu, map { [ $_, "$window $frame", 'data', @moving ] } 16, 17, 1025, 3000,
			$frame =~ /^ROWS BETWEEN 700/ ? 20000 : ());
	}
}
for my $frame ('ROWS BETWEEN 5 PRECEDING AND 3 FOLLOWING EXCLUDE TIES', 'RANGE BETWEEN 7 PRECEDING AND CURRENT ROW',
	'GROUPS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW')
{
	same("OVER (ORDER BY id $frame), not all by the device", $core,
		'SET scan.prefixscan = force; SET scan.device = gpu',
		map { [ $_, "ORDER BY id $frame", 'data', @moving, 'max(f8)', 'sum(f4)', 'count(*)' ] } 100, 5000);
}
is($server->value('SELECT fallbacks FROM scan_status'), 0, 'none was left to the CPU');
cmp_ok($server->value('SELECT jobs FROM scan_status'), '>', $ENV{SCAN_TEST_PART} ? 20 : 100, 'there were many');

# many rows are sorted by the device, and few by the CPU
my $auto = 'SET scan.prefixscan = force; SET scan.device = auto; SET scan.gpu_min_rows = 300; '
	. 'SET scan.gpu_sort_min_rows = 300; SET scan.debug_cpu_factor = 1e5';
my @narrow = ('count(*)', 'count(i4) FILTER (WHERE keep)', 'max(i4)', 'min(i2)', 'float4send(max(f4) ~)', 'bit_xor(i2)',
	'bit_or(i4)', 'bool_and(b)');
same("device by the rows, $_->[0]", $core, $auto, [ 10000, @$_, @narrow ], [ 1000, @$_, @narrow ]) for @windows;
like(join(' ', $server->lines(
			"LOAD 'scan'; $auto; EXPLAIN (ANALYZE, FORMAT JSON) SELECT max(i4) OVER (ORDER BY id) FROM data")),
	qr/"Device": "gpu".*"Scans with the Sort": 1/, 'many rows are');
like(join(' ', $server->lines("LOAD 'scan'; $auto; SET scan.gpu_sort_min_rows = 2000; "
			. "EXPLAIN (ANALYZE, FORMAT JSON) SELECT max(i4) OVER (ORDER BY id) FROM data WHERE id <= 1999")),
	qr/"Device": "cpu".*"CPU Reason": "the job has fewer rows than scan.gpu_sort_min_rows"/, 'few are not');

# ---- EXPLAIN, and what has to be left

my $in_order = '(SELECT * FROM data ORDER BY id) AS s';
sub explained
{
	my ($settings, $call, $frame, $from) = @_;
	return join "\n",
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; $settings; "
		. "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT $call OVER (ORDER BY id $frame) FROM $from");
}
for my $frame ('', 'ROWS 9 PRECEDING')
{
	for my $call ('sum(big)', 'avg(i2)', 'max(d)')
	{
		like(explained($gpu, $call, $frame, 'data'), qr/Device: gpu \(1 of 1 jobs\)\n.*Scans with the Sort: 1\n/s,
			"EXPLAIN: $call $frame");
		like(explained($gpu, $call, $frame, $in_order), qr/Device: cpu\n/, "$call $frame over rows in order is no job");
	}
}
like(explained('SET scan.device = cpu', 'sum(i8)', '', 'data'), qr/Device: cpu: scan\.device is "cpu"\n/,
	'EXPLAIN says why not');
like(explained($gpu, $_, '', $in_order), qr/Device: cpu\n/, "$_ is no job")
  for 'sum(f8)', 'avg(f4)', 'sum(i8::numeric)', 'scan_compact(id, keep)', 'scan_split_index(keep)';
like(($server->run("LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = cpu; SET scan.debug_require = gpu; "
		. "SELECT sum(i8) OVER (ORDER BY id) FROM data"))[1], qr/a job runs on the CPU\n.*scan\.device is "cpu"/,
	'scan.debug_require sees a sort of the CPU');
is($server->value('SELECT free_slots = slots FROM scan_status'), 't', 'no slot is left behind');

done_testing();
