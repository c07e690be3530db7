# fused_scan.t: a window's sort and scans as one job of the mock device.
#
# Slots are small, so that a sort takes many of them: scans go on from one to the next, with partitions that begin and
# end anywhere.  scan.debug_require makes it a failure that the CPU does the job, and EXPLAIN says how many scans went
# with the sort; stock aggregates are held against WindowAgg, scans of ours against the CPU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;

$ENV{SCAN_MOCK_FAST} = 1;
my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\n"
	. "scan.gpu_slot_size = '256kB'\njit = off\n" . "scan.prefixscan = force\n");
my $server = $cluster->{server};

sub becomes
{
	my ($query, $value, $title) = @_;
	for (1 .. 300)
	{
		last if $server->value("SELECT $query FROM scan_status") eq $value;
		sleep 0.1;
	}
	is($server->value("SELECT $query FROM scan_status"), $value, $title);
	return;
}
becomes('state', 'ready', 'the mock device is ready');

# Rows in no order.  One partition has half of all rows and one a single one; same has few values, so that more rows
# than go into a slot are equal in all keys; some partitions have no values at all.
$server->lines(<<'SQL');
CREATE TABLE data AS
SELECT id, CASE WHEN id = 77 THEN 9 WHEN id % 2 = 0 THEN 1 ELSE id % 8 END AS p, id % 3001 AS q,
  id / 9 AS g, id % 2 AS same,
       CASE WHEN h % 5 <> 0 AND id % 8 <> 5 THEN h >> 12 END AS v,
       CASE WHEN id % 8 <> 5 THEN h::int8 * 1000 END AS v8, h % 1000 AS n,
       (h >> 20)::int2 AS n2, h / 7.0::float8 AS w, (h % 200 - 100) / 128.0::float8 AS a, h > 0 AS b,
       nullif(h % 3, 0) = 1 AS nb,
       h % 4 <> 0 AS keep, make_interval(days => h % 50, secs => h % 7) AS iv, date '2000-01-01' + h % 10000 AS d,
       CASE WHEN id % 100 > 3 THEN id END AS gaps, 'k' || id % 9 AS t
FROM (SELECT id, hashint4(id) AS h FROM generate_series(1, 60000) AS id ORDER BY hashint4(id + 1)) AS s;
VACUUM ANALYZE data;
SQL

my $core = 'SET scan.prefixscan = off';
my $cpu = 'SET scan.device = cpu';
my $gpu = 'SET scan.device = gpu; SET scan.debug_require = gpu';

sub query
{
	my ($window, $from, @calls) = @_;
	my $k = 0;
	return "SELECT id, " . join(', ', map { $k++; "$_ OVER w AS y$k" } @calls) . " FROM $from WINDOW w AS ($window)";
}

# What EXPLAIN ANALYZE says of the jobs of a query.
sub jobs
{
	my ($settings, $query) = @_;
	my $plan = join "\n", $server->lines(
		"LOAD 'scan'; $settings; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off, FORMAT JSON) $query");
	my ($jobs) = $plan =~ /"Jobs": (\d+)/;
	my ($device) = $plan =~ /"Device Jobs": (\d+)/;
	my ($scans) = $plan =~ /"Scans with the Sort": (\d+)/;
	return join ' ', map { $_ // 0 } $device, $jobs, $scans;
}

# A query answers what it answers another way, as one job that has so many scans.
sub same
{
	my ($title, $other, $scans, $query) = @_;
	my ($one) = $server->answers($gpu, $query);
	my ($expected) = $server->answers($other, $query);
	like($expected, qr/^0 \d+ [0-9a-f]{32}$/, "$title: there is an answer");
	is($one, $expected, $title);
	is(jobs($gpu, $query), "1 1 $scans", "$title: in one job") if defined $scans;
	return;
}

# ---- stock aggregates, whatever the frame ends with

my @stock = ('count(*)', 'count(v)', 'count(t)', 'sum(v)', 'sum(v8) FILTER (WHERE keep)', 'avg(v)',
	'avg(n2) FILTER (WHERE nb)', 'max(d)', 'min(w)', 'bit_xor(v)', 'bool_and(nb)', 'count(v) FILTER (WHERE nb)',
	'avg(v8)', 'sum(n)');
for my $window ('PARTITION BY p ORDER BY id', 'PARTITION BY q ORDER BY id DESC', 'ORDER BY gaps, id',
	'PARTITION BY p ORDER BY g', 'PARTITION BY q', 'PARTITION BY p',
	'PARTITION BY same ORDER BY p', 'ORDER BY same',
	'PARTITION BY p ORDER BY gaps NULLS FIRST, id ROWS UNBOUNDED PRECEDING',
	'PARTITION BY g, same ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING')
{
	same($window, $core, scalar @stock, query($window, 'data', @stock));
	same("$window in little memory", $core, undef, query($window, 'data', @stock)) if $window =~ /p$/;
}

# ---- frames that move: sums by one scan, extremes by two, a slot ending anywhere in a frame

my @moving = ('sum(v)', 'avg(v8) FILTER (WHERE keep)', 'sum(n2)', 'max(v)', 'min(v8) FILTER (WHERE nb)', 'bit_xor(n)',
	'bool_or(nb)', 'max(d)');
for my $window ('PARTITION BY p ORDER BY id', 'PARTITION BY q ORDER BY id DESC', 'ORDER BY id')
{
	for my $frame ('5 PRECEDING AND CURRENT ROW', '3 PRECEDING AND 4 FOLLOWING', '9 PRECEDING AND 2 PRECEDING',
		'1 FOLLOWING AND 1 FOLLOWING')
	{
		same("$window ROWS BETWEEN $frame", $core, scalar @moving,
			query("$window ROWS BETWEEN $frame", 'data', @moving));
	}
	# the CPU's tree: core would begin each frame anew
	my $long = "$window ROWS BETWEEN 700 PRECEDING AND 1 FOLLOWING";
	same($long, $cpu, scalar @moving, query($long, 'data', @moving));
}
# slots of a few thousand rows are shorter than such frames, whose extremes go block by block
same('frames longer than a slot', $cpu, undef,
	query('ORDER BY id ROWS BETWEEN CURRENT ROW AND 40000 FOLLOWING', 'data', @moving));
like(jobs('SET scan.device = gpu', query('ORDER BY id ROWS BETWEEN CURRENT ROW AND 40000 FOLLOWING', 'data', 'sum(v)',
			'max(v)')), qr/ 1$/, '... and sums with the sort');
same("$_, sums only", $core, 2, query($_, 'data', 'sum(v)', 'avg(n2)'))
	for 'PARTITION BY p ORDER BY id RANGE BETWEEN 50 PRECEDING AND 20 FOLLOWING',
	'ORDER BY g GROUPS BETWEEN 2 PRECEDING AND 1 FOLLOWING EXCLUDE TIES',
	'PARTITION BY q ORDER BY id ROWS BETWEEN 4 PRECEDING AND 2 FOLLOWING EXCLUDE CURRENT ROW';
same("moving frames of $_ rows", $core, 3, query('PARTITION BY p ORDER BY id ROWS BETWEEN 6 PRECEDING AND 2 FOLLOWING',
		"(SELECT * FROM data LIMIT $_) AS s", 'sum(v)', 'min(v)', 'max(n2)')) for 16, 17, 1023, 1025, 4097;
# what has no fixed number of rows goes block by block, and functions beside the frame go with the sort as ever
$server->lines('CREATE TABLE few AS SELECT * FROM data LIMIT 3000');
for my $query (query('PARTITION BY p ORDER BY id RANGE BETWEEN 50 PRECEDING AND CURRENT ROW', 'few', 'max(v)'),
	query('PARTITION BY p ORDER BY id ROWS BETWEEN 5 PRECEDING AND UNBOUNDED FOLLOWING', 'few', 'min(v)'),
	query('PARTITION BY p ORDER BY id ROWS BETWEEN 5 PRECEDING AND 5 FOLLOWING EXCLUDE CURRENT ROW', 'few', 'max(v)',
		'bit_or(n)'),
	query('PARTITION BY p ORDER BY id ROWS BETWEEN 5 FOLLOWING AND 5 PRECEDING', 'few', 'max(v)', 'sum(v)'))
{
	my @answers = map { $server->answers("$_", $query) } $core, 'SET scan.device = gpu';
	is($answers[1], $answers[0], $query =~ s/.*\(//r);
}
for my $n (16, 17, 1023, 1024, 1025, 4095, 4097)
{
	same("$n rows", $core, 3,
		query('PARTITION BY q ORDER BY g, id', "data WHERE id <= $n", 'sum(v)', 'count(*)', 'avg(v8)'));
}
my $most = 'SELECT ' . join(', ', map { "sum(x$_) OVER w" } 1 .. 20)
	. ' FROM wide WINDOW w AS (PARTITION BY p ORDER BY id)';
$server->lines('CREATE TABLE wide AS SELECT id, p' . join('', map { ", n + $_ AS x$_" } 1 .. 20) . ' FROM data');
is((split ' ', jobs('SET scan.device = gpu', $most))[2], 16,
	'a job has so many scans, and the others go by themselves');

# ---- scans of ours

my @ours = ('scan_sum(v)', 'scan_sum(v8, false, true)', 'scan_sum(w)', 'scan_sum(iv)', 'scan_count(nb)',
	'scan_clamped_sum(w, -1e8, 1e8, 0)', 'scan_clamped_sum(v, -100, 100)', 'scan_bit_xor(n2)', 'scan_change(v)',
	'scan_change(nb)', 'scan_change(w)', 'scan_change(d)', 'scan_counter(n2)', 'scan_counter(v8)', 'scan_counter(w)',
	'scan_bool_or(nb, false, true)');
for my $window ('PARTITION BY p ORDER BY id', 'PARTITION BY q ORDER BY id DESC', 'ORDER BY gaps, id',
	'PARTITION BY t ORDER BY id')
{
	same("ours $window", $cpu, undef, query($window, 'data', @ours));
	# an interval is no value in its Datum, and is called row by row
	same("$_ $window", $cpu, 1, query($window, 'data', $_)) for grep { !/iv/ && $window =~ /BY p/ } @ours;
}
# a bound that is no constant of the query, and a numeric that is packed in its row: no scan with the sort
for my $call ('scan_clamped_sum(n::numeric, CASE id WHEN 77 THEN 1.0 ELSE 1.00 END, 100)',
	'scan_session(n2::numeric, CASE id WHEN 77 THEN 1.0 ELSE 1.00 END)')
{
	same("$call is no scan with the sort", $cpu, 0, query('ORDER BY n2, id', 'data', $call));
}
is($server->value('SELECT fallbacks FROM scan_status'), 0, 'none was left to the CPU');
# a clamped start is more than a segment's; recurrences go with as many rows as can be proved
for my $call ('scan_recurrence(a, w)', 'scan_recurrence(a, v::float8)', 'scan_recurrence(a, w, 5)', 'scan_ema(w, 0.25)',
	'scan_clamped_sum(w, -1e8, 1e8, 7)')
{
	my $query = query('PARTITION BY p ORDER BY id', 'data', $call, 'scan_sum(v)');
	my ($one, $expected) = map { $server->answers($_, $query) } 'SET scan.device = gpu', $cpu;
	is($one, $expected, $call);
}

# ---- what the rows are besides

my $w = 'PARTITION BY q ORDER BY id';
same('an argument that is a key', $core, 2, query('PARTITION BY p ORDER BY n, id', 'data', 'sum(n)', 'sum(p)'));
same('shown, too', $core, 2,
	"SELECT id, v, v8, p, q, sum(v) OVER w AS a, max(v8) OVER w AS b FROM data WINDOW w AS ($w)");
same('not shown', $core, 2, "SELECT id, sum(v) OVER w AS a, avg(v8) OVER w AS b FROM data WINDOW w AS ($w)");
same('read by a function that goes by itself', $core, 1,
	"SELECT id, sum(v) OVER w AS a, lag(v) OVER w AS b FROM data WINDOW w AS ($w)");
same('a condition above', $core, 1,
	"SELECT * FROM (SELECT id, v, sum(v) OVER w AS a FROM data WINDOW w AS ($w)) AS s WHERE a % 2 = 0 AND v > 0");
same('constants', $core, undef, query($w, 'data', 'count(1)', 'sum(1)', 'max(2) FILTER (WHERE keep)',
		'sum(v) FILTER (WHERE true)', 'sum(NULL::int)'));
same('keys that are compared', $core, undef,
	query('PARTITION BY t ORDER BY t COLLATE "C" DESC, id', 'data', 'sum(v)', 'count(*)'));
same('keys of many bits', $core, undef, query('PARTITION BY w ORDER BY v8, id', 'data', 'sum(v)', 'count(*)'));
same('one window over another', $core, undef, "SELECT id, sum(s) OVER (PARTITION BY same ORDER BY id) AS x, s "
		. "FROM (SELECT *, sum(v) OVER (PARTITION BY q ORDER BY id) AS s FROM data) AS t");
is((split ' ', jobs($gpu, "SELECT sum(v) OVER (ORDER BY gaps, id) FROM data LIMIT 5"))[2], 0,
	'for a LIMIT nothing is answered ahead');
# scans at which the CPU is faster stay behind, and the CPU sorts where it is faster at that, too
for my $factor (1e6, 1e-6)
{
	my $query = query($w, 'data', 'sum(v)', 'max(v8)');
	my $auto = "SET scan.device = auto; SET scan.gpu_sort_min_rows = 1000; SET scan.debug_cpu_factor = $factor";
	is(($server->answers($auto, $query))[0], ($server->answers($core, $query))[0],
		"a CPU that takes $factor of its time");
	is(jobs($auto, $query) =~ s/^(\d+) \d+ /$1 /r, $factor > 1 ? '1 2' : '0 0',
		'... jobs of the device, and scans with the sort');
}
same('with a LIMIT', $core, undef,
	"SELECT * FROM (SELECT id, sum(v) OVER (ORDER BY gaps, id) AS a FROM data LIMIT 500) AS s");
# the answers of many rows are not those of the few that come next, which no device sorts
same('few rows after many', $core, undef,
	'SELECT k.k AS id, s.* FROM generate_series(1, 3) AS k, LATERAL (SELECT sum(v + k) OVER w AS a, sum(v) OVER w '
		. 'AS b, max(v) OVER m AS c, id AS i FROM data WHERE id % 4 < k AND (k = 1 OR id < 12) WINDOW w AS (PARTITION '
		. 'BY q ORDER BY id), m AS (PARTITION BY q ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING)) AS s');
same('sorted anew for each row', $core, undef,
	'SELECT k.k AS id, s.* FROM generate_series(1, 4) AS k, LATERAL (SELECT sum(v + k) OVER w AS a, '
		. 'sum(v) OVER w AS b, id AS i FROM data WHERE id % 4 < k WINDOW w AS (PARTITION BY q ORDER BY id)) AS s');
is((join ' ', $server->lines("LOAD 'scan'; $gpu; BEGIN; DECLARE c SCROLL CURSOR FOR SELECT sum(v) OVER ($w) FROM data; "
		. "MOVE 100 IN c; FETCH 3 FROM c; MOVE BACKWARD ALL IN c; FETCH 1 FROM c; CLOSE c; COMMIT")), (join ' ',
		$server->lines("LOAD 'scan'; $core; BEGIN; DECLARE c SCROLL CURSOR FOR SELECT sum(v) OVER ($w) FROM data; "
			. "MOVE 100 IN c; FETCH 3 FROM c; MOVE BACKWARD ALL IN c; FETCH 1 FROM c; CLOSE c; COMMIT")), 'a cursor');
my $little = "SET scan.device = gpu; SET scan.work_mem = '3MB'";
my ($spilled, $whole) = map { $server->answers($_, query($w, 'data', 'sum(v)', 'avg(v8)', 'count(t)')) } $little, $core;
is($spilled, $whole, 'where memory is short, too');
my $parallel = "SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; "
	. "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET scan.parallel = on";
my $shared = query($w, 'data', 'sum(v)', 'avg(v8)', 'count(t)', 'max(d)');
is(($server->answers("$gpu; $parallel", $shared))[0], ($server->answers($core, $shared))[0],
	'piles of several processes');
like(join(' ',
		$server->lines("LOAD 'scan'; $gpu; $parallel; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $shared")),
	qr/Batches: .*Scans with the Sort|Scans with the Sort.*Batches: /, 'have their scans with the sort, too');

my $fallbacks_before = $server->value('SELECT fallbacks FROM scan_status');
# ---- errors are for the CPU to come to

my $over = "SELECT id, scan_sum(CASE WHEN id < 59990 THEN id::int8 ELSE 9223372036854775807 END) OVER (ORDER BY gaps, "
	. "id) AS a, sum(v) OVER (ORDER BY gaps, id) AS b FROM (SELECT * FROM data OFFSET 0) AS s";
$server->lines("CREATE TABLE large AS SELECT id, gaps, v, "
	. "CASE WHEN id < 59990 THEN id::int8 ELSE 9223372036854775807 END AS x FROM data");
$over = 'SELECT id, scan_sum(x) OVER (ORDER BY gaps, id) AS a, sum(v) OVER (ORDER BY gaps, id) AS b FROM large';
my ($one, $expected) = map { $server->answers($_, $over) } 'SET scan.device = gpu', $cpu;
like($expected, qr/^0 22003/, 'a total that is out of range');
is($one, $expected, 'is one with a device');
($one, $expected) = map { $server->answers($_, "SELECT * FROM ($over) AS s LIMIT 1000") } 'SET scan.device = gpu', $cpu;
is($one, $expected, 'and where nobody asks for its row it is none');

# ---- faults

is($server->value('SELECT fallbacks FROM scan_status'), $fallbacks_before,
	'the device did what it was asked for, but for the total');
my $faulty = query('PARTITION BY p ORDER BY id', 'data', 'sum(v)', 'avg(v8)', 'max(d)', 'scan_sum(w)',
	'scan_bool_or(nb)', 'count(v)', 'scan_sum(v8, false, true)');
($expected) = $server->answers($cpu, $faulty);
for my $fault ('oom', 'refuse', 'unproven', 'slow', ('garbage') x 10, 'timeout', 'crash')
{
	my ($fallbacks, $restarts) = split /\|/, $server->value('SELECT fallbacks, restarts FROM scan_status');
	my $patience = $fault eq 'slow' ? '1min' : '1s';
	my ($answer, $after) = $server->answers(
		"SET scan.device = gpu; SET scan.gpu_timeout = '$patience'; SET scan.mock_fault = $fault", $faulty);
	is($answer, $expected, "$fault: the answers are right");
	cmp_ok($server->value('SELECT fallbacks FROM scan_status'), '>=',
		$fallbacks + ($fault =~ /oom|refuse|timeout|crash/), "$fault: the counters know");
	next unless $fault =~ /timeout|crash/;
	$server->lines('SELECT pg_reload_conf()'); # and no line is in quarantine
	becomes('restarts > ' . $restarts . ' AND state = \'ready\' AND free_slots = slots', 't',
		"$fault: the program is started again");
}
# killed in the middle
{
	my $pid = fork // die $!;
	if ($pid == 0)
	{
		for (1 .. 25)
		{
			kill 'KILL', $cluster->program;
			sleep 0.05;
		}
		require POSIX;
		POSIX::_exit(0);
	}
	my @answers = $server->answers('SET scan.device = gpu', ($faulty) x 5);
	is(scalar(grep { s/^\d+ //r ne $expected =~ s/^\d+ //r } @answers), 0,
		'a program that is killed over and over: the answers are right');
	waitpid $pid, 0;
}
# whatever it died of, and how often: a reload has it started again
$server->lines('SELECT pg_reload_conf()');
becomes("state || ' ' || (free_slots = slots) || array_to_string(quarantined, ' ')", 'ready true',
	'no slot is left behind, nor a line in quarantine');
# one wrong value is an answer like any other: no more than that may come of it
for (1 .. 8)
{
	my ($answer) = $server->answers('SET scan.device = gpu; SET scan.mock_fault = value', $faulty);
	like($answer, qr/^0 (?:60000 |22003 )/, 'a lying device: all rows are there, or a total is out of range');
}
is(($server->answers($gpu, $faulty))[0], $expected, 'and then it is as good as before');

done_testing();
