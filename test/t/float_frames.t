# float_frames.t: sums, averages and variances of floats over moving frames as jobs of the mock device: the bits of
# WindowAgg.
#
# scan.debug_require makes it a failure that the CPU evaluates a block which the device could have.
#
#   SCAN_TEST_QUERIES=500 SCAN_TEST_SEED=7 prove test/t/float_frames.t
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Time::HiRes qw(sleep);
use Cluster;

my $queries = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 10 : 40);
my $seed = $ENV{SCAN_TEST_SEED} // 3;
srand $seed;

$ENV{SCAN_MOCK_FAST} = 1;
# a slot holds about 2700 rows, so a job of all rows has two batches or more, whose frames overlap
my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\n"
	. "scan.gpu_slot_size = '64kB'\nscan.gpu_timeout = '3s'\njit = off\n");
my $server = $cluster->{server};

sub wait_for_device
{
	for (1 .. 200)
	{
		last if $server->value('SELECT state FROM scan_status') eq 'ready';
		sleep 0.1;
	}
	return $server->value('SELECT state FROM scan_status');
}
is(wait_for_device(), 'ready', 'the mock device is ready');

# NaNs as a binary COPY brings them: quiet ones, signaling ones, either sign
my $nans = File::Temp->new;
binmode $nans;
print $nans "PGCOPY\n\377\r\n\0", pack 'N2', 0, 0;
my @nans = map { [ pack('N', $_), pack('NN', $_ >> 3 & 0xf000ffff | 0x7ff00000, $_) ] } 0x7fc00000, 0x7fa00001,
	0xffa12345, 0xffc00007;
print $nans pack('n N', 3, 4), pack('N', $_ + 1), pack('N', 4), $nans[$_][0], pack('N', 8), $nans[$_][1]
	for 0 .. $#nans;
print $nans pack 'n', 0xffff;
$nans->flush;

# Columns: of one magnitude, of any, few digits, zeros of both signs, with gaps, with infinities and NaNs; and one with
# values at which a sum or a square overflows.
my $seeded = $seed / 1000;
$server->lines(<<"SQL");
SELECT setseed($seeded);
CREATE TABLE nans (k int, f4 float4, f8 float8);
\\copy nans FROM '@{[ $nans->filename ]}' WITH (FORMAT binary)
CREATE TABLE data AS
SELECT id, id / 700 AS p, floor(random() * 2000) / 7 AS k, random() AS unit,
       (random() - 0.5) * ('1e' || floor(random() * 40 - 20))::float8 AS wide, 1e8 + random() AS near,
       round(random() * 1000) / 100 AS cents,
       CASE WHEN random() < 0.97 THEN '-0'::float8 ELSE 0 END AS zeros,
       CASE WHEN random() < 0.6 THEN random() * 1e3 - 500 END AS holes,
       CASE WHEN random() < 0.1 THEN NULL WHEN random() < 0.0006 THEN 'Infinity' WHEN random() < 0.0006 THEN '-Infinity'
            WHEN random() < 0.0006 THEN n.f8 ELSE random() * 1e3 - 500 END AS odd,
       CASE WHEN random() < 0.0006 THEN n.f4 ELSE random()::float4 END AS odd4,
       CASE WHEN id = 2500 THEN 1.7e308 WHEN id % 900 = 1 THEN 1e160 ELSE random() * 1e300 * (id % 2) END AS large,
       random() < 0.7 AS keep
FROM generate_series(1, 4000) AS id JOIN nans AS n ON n.k = 1 + id % 4;
UPDATE data SET large = 1.7e308 WHERE id = 2501;
ANALYZE data;
SQL

my @columns = ('unit', 'wide', 'near', 'cents', 'zeros', 'holes', 'odd', 'odd4', 'unit::float4', 'zeros::float4',
	'(wide * 1e15)::float4', 'holes::float4');
my @functions = qw(sum avg var_pop var_samp variance stddev_pop stddev_samp stddev);

sub any { return $_[ rand @_ ] }

# An offset of a frame; long ones are rare.
sub offset { return int rand any(3, 20, 100, 100, 400, 700) }

sub rows_or_groups
{
	my ($mode, $partition, $part) = @_;
	my ($from, $to) = (any(-1, -1, 0, 1) * int(offset() / $part), any(-1, 0, 1, 1) * int(offset() / $part));
	($from, $to) = ($to, $from) if $from > $to;
	my ($start, $end) = map { $_ < 0 ? -$_ . ' PRECEDING' : $_ == 0 ? 'CURRENT ROW' : "$_ FOLLOWING" } $from, $to;
	$end = 'UNBOUNDED FOLLOWING' if $partition && rand() < 0.2;
	return "$mode BETWEEN $start AND $end";
}

sub range
{
	my ($partition) = @_;
	my ($from, $to) = (rand any(1, 10, 40), rand any(1, 10, 40));
	return any("RANGE BETWEEN $from PRECEDING AND $to FOLLOWING", "RANGE $from PRECEDING",
		$partition ? "RANGE BETWEEN $to FOLLOWING AND UNBOUNDED FOLLOWING" : (),
		"RANGE BETWEEN $from PRECEDING AND " . $from / 2 . ' PRECEDING');
}

# A query of some functions over a random frame; its rows come in one order.
sub query
{
	my ($exclude) = @_;
	my $by = any('id', 'id', 'k', 'g');
	my $partition = any('', 'PARTITION BY p ');
	my $frame = $by eq 'k'
		? range($partition) : rows_or_groups($by eq 'g' ? ('GROUPS', $partition, 2) : ('ROWS', $partition, 1));
	my $key = $by eq 'g' ? 'k' : $by;
	my $order = join ', ', $partition ? 'p' : (), $key, 'id';
	my $n = 0;
	my @calls = map {
		my $f = any(@functions);
		my $x = any(@columns);
		"${f}($x)" . (rand() < 0.2 ? ' FILTER (WHERE keep)' : '')
	} 1 .. 6;
	my $list = join ', ',
		map { (/^sum\((odd4|.*float4)\)/ ? 'float4send' : 'float8send') . '(' . "$_ OVER w) AS y" . $n++ } @calls;
	return "SELECT id, $list FROM (SELECT * FROM data ORDER BY $order) AS data "
		. "WINDOW w AS (${partition}ORDER BY $key $frame $exclude)";
}

my $core = 'SET scan.prefixscan = off';
my $gpu = 'SET scan.prefixscan = force; SET scan.device = gpu; SET scan.debug_require = gpu';

sub status { return $server->value("SELECT $_[0] FROM scan_status") }

sub same
{
	my ($title, $settings, @queries) = @_;
	my @ones = $server->answers($core, @queries);
	my @others = $server->answers($settings, @queries);
	my @differ = grep { $ones[$_] ne $others[$_] } 0 .. $#queries;
	is(scalar @differ, 0, $title)
		or diag map { "$queries[$_]\n  $ones[$_]\n  $others[$_]\n" } grep { defined } @differ[ 0 .. 2 ];
	return @ones;
}

# ---- random frames ----

my @random = map { query('') } 1 .. $queries;
my @answers = same("$queries queries over random frames", $gpu, @random);
is(scalar(grep { /^\d+ 4000 / } @answers), $queries, 'none of them fails') or diag grep { !/^\d+ 4000 / } @answers;
is(status('fallbacks'), 0, 'none was left to the CPU');
cmp_ok(status('jobs'), '>', 6 * $queries, 'there were many jobs');
same('the same in little memory', "$gpu; SET scan.work_mem = '64kB'", @random[ 0 .. 9 ]);
my $jobs = status('jobs');
same('with EXCLUDE', $gpu, map { query(any('EXCLUDE CURRENT ROW', 'EXCLUDE TIES', 'EXCLUDE GROUP')) } 1 .. 5);
is(status('jobs'), $jobs, 'frames with EXCLUDE are the CPU\'s');
# an array's elements are rows of a block, too
same('functions over arrays', 'SET scan.device = gpu',
	map { "SELECT 1 AS id, float8send(y) FROM (SELECT array_agg(unit ORDER BY id) AS a FROM data) AS d, "
		. "unnest(array_moving_$_(a, 700)) AS y" } qw(avg));

# ---- errors come at their rows ----

my @large = map {
	my $f = $_;
	map { "$f(large) OVER (ORDER BY id ROWS $_ PRECEDING)" } 1, 100, 2000
} 'sum', 'avg', 'var_pop', 'stddev_samp';
my @limited = map {
	my $call = $_;
	map { "SELECT id, float8send($call) FROM data WHERE id % 900 <> 1 OR id < $_ ORDER BY id LIMIT $_" } 100, 2400,
		2499, 2500, 2501
} @large;
@answers = same('errors of overflow, and rows before them', 'SET scan.prefixscan = force; SET scan.device = gpu',
	@limited);
cmp_ok(scalar(grep { /^\d+ 22003 value out of range: overflow/ } @answers), '>', 10, 'there were errors');
cmp_ok(scalar(grep { /^\d+ \d+ [0-9a-f]{32}/ } @answers), '>', 10, 'there were rows');

# the rows before the error are returned before it
my $cursor = "BEGIN; DECLARE c CURSOR FOR SELECT id FROM (SELECT id, "
	. "sum(large) OVER (ORDER BY id ROWS 100 PRECEDING) AS y FROM data) AS s WHERE y >= 0 OR y IS NULL;";
my @rows = map { ($server->run("LOAD 'scan'; $_; $cursor FETCH FORWARD 2500 FROM c; FETCH FORWARD 1 FROM c",
		go_on => 1)) } $core, 'SET scan.prefixscan = force; SET scan.device = gpu';
is($rows[3], $rows[0], 'a cursor: the same rows');
like($rows[$_], qr/ERROR:  value out of range: overflow/, 'and the same error') for 1, 4;

# ---- faults ----

my @few = @random[ 0 .. 4 ];
for my $fault (qw(garbage oom slow))
{
	same("mock_fault = $fault", "SET scan.prefixscan = force; SET scan.device = gpu; SET scan.mock_fault = $fault",
		@few);
}
cmp_ok(status('fallbacks'), '>', 5, 'the CPU continued');
for my $fault (qw(crash lost))
{
	is(wait_for_device(), 'ready', "a device before $fault");
	same("mock_fault = $fault", "SET scan.prefixscan = force; SET scan.device = gpu; SET scan.mock_fault = $fault; "
			. "SET scan.mock_fault_line = 'frame_sum(float8)'", $few[0]);
	$server->lines('SELECT pg_reload_conf()');
	sleep 1.5;
}
is(wait_for_device(), 'ready', 'and a device afterwards');
$server->lines('SELECT pg_reload_conf()');
same('a time-out', "SET scan.prefixscan = force; SET scan.device = gpu; SET scan.gpu_timeout = '100ms'; "
		. "SET scan.mock_fault = timeout; SET scan.mock_fault_line = 'frame_squares(float8)'", $few[1]);
for (1 .. 300) { last if status('free_slots = slots') eq 't'; sleep 0.1 }
is(status('free_slots = slots'), 't', 'no slot is left behind');

# ---- the choice ----

is(wait_for_device(), 'ready', 'a device for the choice');
$server->lines('SELECT pg_reload_conf()');
is(join(' ', $server->lines("SELECT line FROM scan_rates WHERE line LIKE 'frame%' ORDER BY 1")),
	'frame_squares(float8) frame_sum(float4) frame_sum(float8)', 'scan_rates has the lines');

sub explained
{
	my ($settings, $call) = @_;
	return join "\n",
		$server->lines("LOAD 'scan'; SET scan.prefixscan = force; $settings; EXPLAIN (ANALYZE, COSTS off, TIMING off, "
		. "SUMMARY off) SELECT $call FROM (SELECT * FROM data ORDER BY id) AS s");
}
# a row has to take the CPU longer than its copies, so the number of values of a frame decides
my $auto = 'SET scan.device = auto; SET scan.gpu_min_rows = 1000';
like(explained($auto, 'sum(unit) OVER (ORDER BY id ROWS 2 PRECEDING)'), qr/Device: cpu: the CPU is faster|Device: cpu/,
	'auto: a short frame is the CPU\'s');
like(explained("$auto; SET scan.debug_cpu_factor = 1e4", 'stddev(unit) OVER (ORDER BY id ROWS 900 PRECEDING)'),
	qr/Device: gpu/, 'auto: a long one is the device\'s');
like(explained('SET scan.device = cpu', 'sum(unit) OVER (ORDER BY id ROWS 900 PRECEDING)'), qr/Device: cpu/,
	'scan.device = cpu');
# a frame that no slot holds
same('a frame longer than a slot', 'SET scan.prefixscan = force; SET scan.device = gpu',
	'SELECT id, float8send(sum(unit) OVER (ORDER BY id ROWS 3500 PRECEDING)) FROM data');
like(explained('SET scan.device = gpu', 'sum(unit) OVER (ORDER BY id ROWS 3500 PRECEDING)'),
	qr/too many values for scan\.gpu_slot_size/, 'EXPLAIN says so');

unlike($cluster->log, qr/terminated by signal 11.*server process|PANIC|TRAP|Sanitizer/,
	'nothing happened to the server');
done_testing();
