# gpu.t: the way of a job to a device and back, with the mock device: the same bits as
# the CPU's, and no fault of the device, of its program, of the broker or of a backend that
# a query would notice, or that would leave a slot behind.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Time::HiRes qw(sleep time);
use Cluster;
use Server;

# ---- helpers

sub status
{
	my ($server, $columns) = @_;
	return $server->value("SELECT concat_ws('|', $columns) FROM scan_status") // '';
}

# Waits for scan_status to say so, some seconds at most.
sub becomes
{
	my ($server, $column, $expected, $name, $seconds) = @_;
	my $end = time + ($seconds // 8);
	my $got = '';

	while (time < $end)
	{
		my ($out) = $server->run("SELECT $column FROM scan_status");
		chomp($got = $out);
		last if $got eq $expected;
		sleep 0.05;
	}
	is($got, $expected, $name);
}

# A script in a session of its own, in the background; collected by `ended`.
sub started
{
	my ($server, $script) = @_;
	my $out = File::Temp->new;
	my $pid = fork() // die "fork: $!";
	if (!$pid)
	{
		my ($text, $err, $status) = $server->run($script, go_on => 1);
		print $out $text, $err;
		$out->flush;
		require POSIX;
		POSIX::_exit($status);
	}
	return { pid => $pid, out => $out };
}

sub ended
{
	my ($job) = @_;
	waitpid $job->{pid}, 0;
	local $/;
	seek $job->{out}, 0, 0;
	return readline($job->{out}) // '';
}

# ---- without a device

my $plain = Server->new('gpu');
is(status($plain, 'state, reason'), 'off|scan is not in shared_preload_libraries', 'without preload: it says why');
is(status($plain, 'slots, jobs'), '', 'and has nothing to count');
is($plain->value('SET scan.device = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}', 'the CPU answers');
my (undef,
	$err) = $plain->run('SET scan.device = gpu; SET scan.debug_require = gpu; SELECT array_scan_sum(ARRAY[1,2,3])');
like($err, qr/a job runs on the CPU\n.*not in shared_preload_libraries/, 'scan.debug_require: an error that says why');
(undef, $err) = $plain->run('SET scan.debug_require = gpu; SELECT array_scan_sum(ARRAY[1,2,3])');
like($err, qr/fewer rows than scan\.gpu_min_rows/, 'nor does "auto" send three rows there');
(undef, $err) = $plain->run('SET scan.device = cpu; SET scan.debug_require = gpu; SELECT array_scan_sum(ARRAY[1,2,3])');
like($err, qr/scan\.device is "cpu"/, 'and "cpu" none');
undef $plain;

my $conf = "shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\n";

# a file of that name that is no device library: one that is not there has no broker at all (any_user.t)
my $none = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'plpgsql'\n");
becomes($none->{server}, 'state', 'absent', 'a library that cannot be loaded: absent');
like(status($none->{server}, 'reason'), qr/^could not load the device library: .*plpgsql\.so: /, 'and it says why');
is($none->{server}->value('SET scan.device = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}', 'the CPU answers');
is_deeply([ $none->program ], [], 'no program waits for it');
my $detail = "DETAIL:  The value must be the name of a file in PostgreSQL's library directory";
like(($none->{server}->run("ALTER SYSTEM SET scan.gpu_library = '../x'", go_on => 1))[1],
	qr/invalid value for parameter "scan\.gpu_library": "\.\.\/x"\n$detail/,
	'a path is no name of a library');
undef $none;

# ---- the same bits

my $cluster = Cluster->new($conf . "scan.gpu_slots = 3\nscan.gpu_slot_size = '256kB'\nscan.gpu_timeout = '1s'\n");
my $server = $cluster->{server};
my $since = $server->value('SELECT pg_postmaster_start_time()');
becomes($server, 'state', 'ready', 'the mock device is ready');
is(status($server, 'device, driver, library, slots, free_slots, jobs, fallbacks, restarts'),
	'mock device|the CPU|scan_mock|3|3|0|0|0', 'scan_status speaks of it');

$server->lines(<<'SQL');
CREATE TABLE rows AS
  SELECT i, i % 7 AS p,
         CASE WHEN random() < 0.9 THEN (random() * 2000 - 1000)::int END AS n,
         CASE WHEN random() < 0.9 THEN (random() - 0.5) * exp(60 * random()) END AS x,
         random() < 0.5 AS flag, random() < 0.01 AS again, 0.1 + 0.8 * random() AS a
  FROM generate_series(1, 30000) AS i;
-- columns, since a cast that may fail is for its row alone, and keeps the node from jobs
CREATE TABLE typed AS
  SELECT i, p, flag, again, a, x, n::int2 AS int2, n::int4 AS int4, n::int8 AS int8, x::float4 AS float4,
         CASE WHEN i % 5000 = 0 THEN 'NaN' WHEN i % 3 = 0 THEN -0.0 ELSE x END AS float8
  FROM rows;
CREATE TABLE arrays AS
  SELECT array_agg(n ORDER BY i) AS n, array_agg(x ORDER BY i) AS x, array_agg(again ORDER BY i) AS again,
         array_agg(a ORDER BY i) AS a, array_agg(flag ORDER BY i) AS flag
  FROM rows;
CREATE TABLE long AS
  SELECT array_agg(sin(i) * 1e10) AS x, array_agg(i) AS n, array_agg(0.5 + 0.4 * cos(i)) AS a,
  array_agg(hashint4(i)) AS h,
         array_agg(i % 3 = 0) AS flag, array_agg(i = 100) AS again
  FROM generate_series(1, 400000) AS i;
SQL

# md5 of the whole answer, by device
sub answer
{
	my ($device, $expression, $from) = @_;
	my $load =
		"LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = $device; SET scan.debug_require = $device;\n";
	return $server->value("$load SELECT md5(string_agg(coalesce(y::text, '-'), ' ')) "
		. "FROM (SELECT $expression AS y FROM $from OFFSET 0) AS t");
}

my $jobs_before = 0;
sub same_bits
{
	my ($expression, $from) = @_;
	is(answer('gpu', $expression, $from), answer('cpu', $expression, $from), $expression);
	my $jobs = status($server, 'jobs');
	cmp_ok($jobs, '>', $jobs_before, "$expression: by the device");
	$jobs_before = $jobs;
}

for my $type (qw(int2 int4 int8 float4 float8))
{
	my $column = $type =~ /int/ ? 'n' : 'x';
	for my $arguments ('', ', reset => again', ', reset => again, exclusive => true')
	{
		same_bits("array_scan_sum($column\::$type\[]$arguments)", 'arrays');
	}
}
my $w = 'OVER (PARTITION BY p ORDER BY i)';
for my $type (qw(int2 int4 int8 float4 float8))
{
	same_bits("scan_sum($type, reset => again, exclusive => $_) $w", 'typed') for qw(false true);
	next if $type =~ /float/;
	same_bits("scan_$_($type) $w", 'typed') for qw(bit_and bit_or bit_xor);
	same_bits("scan_clamped_sum($type, -500, 700, 3, again) $w", 'typed');
}
same_bits("$_ $w", 'typed') for ('scan_count(flag, exclusive => true)', 'scan_bool_and(flag, again)',
	'scan_bool_or(NOT flag, again)', 'scan_compact_index(flag)', 'scan_clamped_sum(x, -1e10, 1e20, 0.5, again)');
# from 0: other numbers tie now and then at the first row of a segment
same_bits("array_scan_recurrence(a, x, 0$_)", 'arrays') for ('', ', reset => again');
same_bits("scan_recurrence(a, x, 0, again) $w", 'typed');
same_bits('scan_recurrence(a, x, 0) OVER (ORDER BY i)', 'typed');
same_bits('array_scan_recurrence(a, x, 1)', 'long');
same_bits("scan_ema(x, $_, reset => again) $w", 'typed') for qw(0.3 1.0);
same_bits("scan_ema(x, 0.05, adjust => true) $_", 'typed') for ($w, 'OVER (ORDER BY i)');
same_bits("scan_recurrence(ARRAY[a / 2, $_], x, '{0,0}', again) $w", 'typed') for qw(0.25 -0.3);
same_bits("scan_recurrence(ARRAY[0.4, -0.3], x, '{0,0}') OVER (ORDER BY i)", 'typed');
same_bits("array_radix_sort(n::$_\[])", 'arrays') for qw(int2 int4 int8);
same_bits('array_radix_sort(h)', 'long');
same_bits("$_(h, flag)", 'long') for qw(array_split array_compact);
same_bits('row_number() OVER (PARTITION BY int2, p ORDER BY float8 DESC, i)', 'typed');
same_bits('dense_rank() OVER (PARTITION BY flag ORDER BY md5((i % 5000)::text))', 'typed');
is(status($server, 'fallbacks, free_slots'), '0|3', 'none of them was the CPU\'s in the end');
# no device has the registers for more
like(($server->run("LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = gpu; SET scan.debug_require = gpu; "
	  . "SELECT scan_recurrence(ARRAY[0.4, -0.3, 0.2], x, '{0,0,0}') OVER (ORDER BY i) FROM typed"))[1],
	qr/a job runs on the CPU/, 'order 3 is not sent');
is(status($server, 'jobs, fallbacks'), "$jobs_before|0", '... nor tried');

# what few rows are in the way of, the CPU does, and no more of it
sub in_part
{
	my ($expression, $name, $least, $most) = @_;
	my ($jobs, $fallbacks) = split /\|/, status($server, 'jobs, fallbacks');
	my $sum = "SELECT md5(($expression)::text) FROM long";
	is($server->value("SET scan.device = gpu; $sum"), $server->value("SET scan.device = cpu; $sum"),
		"$name: the same bits");
	my ($jobs_now, $fallbacks_now) = split /\|/, status($server, 'jobs, fallbacks');
	cmp_ok($jobs_now - $jobs, '>=', $least, "$name: by the device for the most");
	cmp_ok($fallbacks_now - $fallbacks, '>', 0, "$name: and in part by the CPU");
	cmp_ok($fallbacks_now - $fallbacks, '<=', $most, "$name: not by much");
}
# 1 + 2^-53, a tie, in a chunk that is cut by the end of a batch
$server->lines('UPDATE long SET a[40000] = 0, x[40000] = 1, a[40001] = 1, x[40001] = 2.0::float8 ^ -53');
in_part('array_scan_recurrence(a, x, 1, again)', 'a tie', 40, 2);
# more words that are alike than a slot takes
same_bits('array_radix_sort(n[300000:] || h || array_fill(7, ARRAY[100000]))', 'long');

# an error is raised at its row, by the CPU, and is the same
for my $device (qw(gpu cpu))
{
	my ($out, $message) = $server->run("SET scan.device = $device; SET scan.debug_require = $device; "
		. "SELECT array_scan_sum(n || ARRAY[9223372036854775807, 9223372036854775807]) FROM long");
	like($message, qr/ERROR:  bigint out of range/, "an error: $device");
}
like(($server->run('SET scan.device = gpu; SET scan.debug_require = cpu; SELECT array_scan_sum(n) FROM arrays'))[1],
	qr/a job runs on the GPU/, 'scan.debug_require = cpu sees the GPU');

# by name: jobs of each kind that take many batches
my %call = (x => 'array_scan_sum(x)', n => 'array_scan_sum(n)', recurrence => 'array_scan_recurrence(a, x, 1)',
	sort => 'array_radix_sort(h)');
my %long = map { $_ => $server->value("SET scan.device = cpu; SELECT md5($call{$_}::text) FROM long") } keys %call;

# ---- what EXPLAIN says

sub explained
{
	my ($settings, $options, $query) = @_;
	return join "\n", $server->lines(
		"LOAD 'scan'; SET scan.prefixscan = force; $settings; EXPLAIN ($options, COSTS OFF) SELECT $query FROM typed");
}
my $sorted = 'OVER (PARTITION BY p ORDER BY float8)';
my $quiet = 'ANALYZE, TIMING OFF, SUMMARY OFF';
like(explained('', 'VERBOSE', "scan_sum(int8) $sorted"), qr/^  Device: auto$/m, 'EXPLAIN: "auto" looks at each job');
like(explained('SET scan.device = gpu', 'VERBOSE', "scan_sum(int8) $sorted"), qr/^  Device: gpu$/m, 'EXPLAIN: "gpu"');
like(explained('SET scan.device = cpu', 'VERBOSE', "scan_sum(int8) $sorted"), qr/^  Device: cpu$/m, 'EXPLAIN: "cpu"');
my ($run, $of) = explained('SET scan.device = gpu', $quiet,
	"scan_sum(int8) $sorted") =~ /^  Device: gpu \((\d+) of (\d+) jobs\)$/m;
cmp_ok($run // 0, '>', 1, 'EXPLAIN ANALYZE: the sort and the scans');
is($run, $of, 'all of them were the device\'s');
like(explained('SET scan.device = gpu', $quiet, 'scan_sum(int8) OVER (PARTITION BY p ORDER BY i DESC)'),
	qr/^  Device: gpu \(1 of 1 jobs\)\n.*^  Scans with the Sort: 1$/ms,
	'one job, where the keys are one number of few bits');
like(explained('SET scan.device = gpu', $quiet, "scan_sum(int8) $sorted, scan_product(a) $sorted"),
	qr/^  Device: gpu \(\d+ of \d+ jobs\), cpu: a scan of this kind cannot run on the device$/m, 'or some, and why');
like(explained('SET scan.device = cpu', $quiet, "scan_sum(int8) $sorted"), qr/^  Device: cpu: scan\.device is "cpu"$/m,
	'or none');
like(explained('', $quiet, "scan_sum(int8) $sorted"),
	qr/^  Device: cpu: the job has fewer rows than scan\.gpu_min_rows$/m, 'too few');
like(explained('SET scan.gpu_min_rows = 0', $quiet, "scan_sum(int8) $sorted"), qr/^  Device: cpu: the CPU is faster$/m,
	'too slow');
like(explained('SET scan.device = gpu', $quiet, "sum(float8) OVER (ORDER BY i)"), qr/^  Device: cpu$/m,
	'no job at all: floats add in order');
my $ms = qr/\d+\.\d{3}/;
like(explained('SET scan.device = gpu', 'ANALYZE', "scan_sum(int8) $sorted"),
	qr/^  Time: pull $ms, sort $ms, answer $ms, emit $ms ms; copy in $ms, wait $ms, device $ms, copy out $ms ms$/m,
	'the time');
like(explained('SET scan.device = cpu', 'ANALYZE', "scan_sum(int8) $sorted"),
	qr/^  Time: pull $ms, sort $ms, answer $ms, emit $ms ms$/m, 'of the CPU');
unlike(explained('', $quiet, "scan_sum(int8) $sorted"), qr/Time/, 'no clock without TIMING');
like(explained('SET scan.device = gpu', 'ANALYZE, FORMAT JSON', "scan_sum(int8) $sorted"),
	qr/"Device": "gpu",.*"Jobs": $of,.*"Device Jobs": $of,.*"Pull Time": $ms,.*"Copy In Time": $ms/s, 'JSON');

# ---- auto

sub becomes_rested
{
	my ($rates) = @_;
	for (1 .. 100)
	{
		last if $rates->('coalesce(rests_until::text, 0::text)') eq '0';
		select undef, undef, undef, 0.1;
	}
	is($rates->('coalesce(rests_until::text, 0::text)'), 0, 'a reload ends all rests');
}

# lines whose row costs the CPU something, and sorts
my @dear = ('array_scan_clamped_sum(x, -1e3, 1e3, 0)', 'array_scan_recurrence(a, x, 1)', 'array_radix_sort(h)',
	'array_split(h, flag)');
sub by_itself
{
	my ($server, $from, @set) = @_;
	my $before = status($server, 'jobs');
	# twice: the first time the CPU's rate is not known
	$server->lines(join ';', 'SET scan.gpu_min_rows = 0', @set, map { "SELECT md5($_\::text) FROM $from" } (@dear) x 2);
	return status($server, 'jobs') - $before;
}
is(by_itself($server, 'long'), 0, 'auto: nothing goes to a device that is slower');
$ENV{SCAN_MOCK_FAST} = 1;
my $fast = Cluster->new($conf);
delete $ENV{SCAN_MOCK_FAST};
becomes($fast->{server}, 'state', 'ready', 'a mock device that says it is fast');
my $long = 'CREATE TABLE long AS SELECT array_agg(sin(i) * 1e10) AS x, array_agg(0.5 + 0.4 * cos(i)) AS a, '
	. 'array_agg(hashint4(i)) AS h,' . ' array_agg(i % 3 = 0) AS flag FROM generate_series(1, 400000) AS i';
$fast->{server}->lines($long);
# what it takes beside its own time, copies and wake-ups, is more than a CPU of a factor of one does
my $slow_cpu = 'SET scan.debug_cpu_factor = 1e5';
cmp_ok(by_itself($fast->{server}, 'long', $slow_cpu), '>', @dear, 'auto: to this one jobs go');
is(status($fast->{server}, 'fallbacks'), 0, 'and are done there');
my $few = status($fast->{server}, 'jobs');
$fast->{server}->lines("$slow_cpu; SELECT md5($_\::text) FROM long") for grep !/sort/, @dear;
is(status($fast->{server}, 'jobs'), $few, 'but none of fewer rows than scan.gpu_min_rows');
my $sorts = "$slow_cpu; SELECT md5(array_radix_sort(h)::text) FROM long";
$fast->{server}->lines("SET scan.gpu_sort_min_rows = 400001; $sorts");
is(status($fast->{server}, 'jobs'), $few, 'nor a sort of fewer than scan.gpu_sort_min_rows');
$fast->{server}->lines($sorts);
cmp_ok(status($fast->{server}, 'jobs'), '>', $few, 'which are fewer than those of a scan');

# a line that was slower than it should be, and rates, which other sessions have seen
my $rates = sub { $fast->{server}->value("SELECT $_[0] FROM scan_rates WHERE line = 'clamped_sum(float8)'") };
is($rates->('coalesce(rests_until::text, 0::text)'), 0, 'a line that may be asked');
is($rates->('batch_ns > 0 AND device_ns = 0.01 AND way_ns > 0 AND cpu_ns > 0 AND cpu_ns <> 2'), 't',
	'what it takes, here and there');
is($fast->{server}->value("$slow_cpu; SELECT break_even < 1000 FROM scan_rates WHERE line = 'clamped_sum(float8)'"),
	't', 'from how many rows on it is asked');
is($fast->{server}->value("SET scan.debug_cpu_factor = 1e-6; SELECT count(break_even) FROM scan_rates"), 0,
	'never, if the CPU is fast');
is($fast->{server}->value('SELECT count(*) FROM scan_rates'),
	1 + $fast->{server}->value('SELECT count(*) FROM scan_rates WHERE line LIKE \'%(%)\''), 'sorts are one of them');
my $short = 'SELECT md5(array_scan_clamped_sum(x[:20000], -1e3, 1e3, 0)::text) FROM long';
my $misled = "SET scan.mock_fault = slow; SET scan.gpu_min_rows = 0; SET scan.debug_cpu_factor = 10; $short";
my $begun = status($fast->{server}, 'jobs');
$fast->{server}->lines("SET scan.device = gpu; SET scan.mock_fault = slow; $short") for 1 .. 3;
is($rates->('coalesce(rests_until::text, 0::text)'), 0, 'who asks for the GPU is not told that it is slow');
$fast->{server}->lines($misled) for 1 .. 3;
is($rates->('coalesce(rests_until::text, 0::text)'), 0,
	'nor are the first jobs of sessions counted, which map the slots');
$fast->{server}->lines("$misled; $short; $short; $short");
is(status($fast->{server}, 'jobs'), $begun + 10, 'slower three times');
like($rates->(q{rests_until BETWEEN now() + '9 min' AND now() + '10 min'}), qr/^t$/, 'and not asked for a while');
$fast->{server}->lines($misled);
is(status($fast->{server}, 'jobs'), $begun + 10, 'the CPU does it');
$fast->{server}->lines("SET scan.device = gpu; $short");
is(status($fast->{server}, 'jobs'), $begun + 11, 'but where the GPU is asked for');
$fast->{server}->lines('SELECT pg_reload_conf()');
becomes_rested($rates);
$fast->{server}->lines($misled);
is(status($fast->{server}, 'jobs'), $begun + 12, 'a reload ends it');
undef $fast;
$cluster->use;

# ---- a small device, another server, and one that crashes too often

my $other = Cluster->new($conf . "scan.gpu_memory = '1MB'\nscan.gpu_slot_size = '4MB'\nscan.gpu_slots = 1\n");
my $second = $other->{server};
becomes($second, 'state', 'ready', 'a second server has a device of its own');
is($second->value(<<'SQL'), $long{n}, 'out of memory: the batches are halved');
SET scan.device = gpu; SET scan.debug_require = gpu;
SELECT md5(array_scan_sum(array_agg(i))::text) FROM generate_series(1, 400000) AS i
SQL
is(status($second, 'fallbacks'), 0, 'until they fit');
cmp_ok(status($second, 'jobs'), '>=', 5, 'one after another, in one slot');
my $jobs_of_sums = status($second, 'jobs');
is($second->value(<<'SQL'), $long{sort}, 'and those of a sort');
SET scan.device = gpu; SET scan.debug_require = gpu;
SELECT md5(array_radix_sort(array_agg(hashint4(i)))::text) FROM generate_series(1, 400000) AS i
SQL
is(status($second, 'fallbacks'), 0, 'too');
cmp_ok(status($second, 'jobs') - $jobs_of_sums, '>=', 8, 'of as many words as fit');
is(scalar(() = $_->program), 1, 'each server has one program') for $cluster, $other;

# at jobs of five lines, since it goes on without one at which it dies twice; in the background, since it is
# started again after 1, 2, 4 and 8 seconds
my $crashes = started($second, <<'SQL');
SET scan.device = gpu; SET scan.mock_fault = crash;
DO $$
DECLARE
  n int;
BEGIN
  FOR i IN 1 .. 400 LOOP
    EXIT WHEN (SELECT state = 'down' FROM scan_status);
    SELECT 1 + restarts INTO n FROM scan_status;
    EXECUTE format('SELECT array_scan_sum(ARRAY[1,2,3]::%s[])', ('{int2,int4,int8,float4,float8}'::text[])[n]);
    PERFORM pg_sleep(0.1);
  END LOOP;
END $$;
SQL
$cluster->use;

# ---- faults

sub long_job
{
	my ($fault, $kind) = @_;
	return "SET scan.device = gpu; SET scan.mock_fault = $fault; SELECT md5($call{$kind}::text) FROM long;\n";
}

# a broker that is new has seen no deaths yet
sub new_broker
{
	my ($name) = @_;
	kill 'TERM', $cluster->broker;
	sleep 0.3;
	becomes($server, 'state || free_slots', 'ready3', $name);
}

# by name: what scan_status calls the line of a kind
my %line = (x => 'sum(float8)', recurrence => 'recurrence(float8)', sort => 'sort');
my @quarantined;
for my $kind (qw(x recurrence sort))
{
	my ($fallbacks, $restarts) = split /\|/, status($server, 'fallbacks, restarts');
	for my $fault (qw(oom refuse unproven slow), ('garbage') x ($kind eq 'sort' ? 3 : 7), qw(timeout crash))
	{
		my $start = time;
		# slow is not too late, also where a busy machine keeps a job from its processor for a second
		my $patience = $fault eq 'slow' ? '1min' : '1s';
		my ($out, $message) = $server->run("SET scan.gpu_timeout = '$patience';\n" . long_job($fault, $kind)
			. long_job('none', 'n'));
		is("$out$message", "$long{$kind}\n$long{n}\n", sprintf '%s of %s: the answers are right (%.1f s)', $fault,
			$kind, time - $start);
		my $now = status($server, 'fallbacks');
		# of the seven kinds of garbage one is an error, which the CPU looks for as always
		cmp_ok($now, $fault eq 'slow' ? '==' : '>=', $fallbacks + ($fault =~ /oom|refuse|timeout|crash/),
			"$fault of $kind: the counters know");
		$fallbacks = $now;
		next unless $fault =~ /timeout|crash/;
		$restarts++;
		becomes($server, 'restarts || state || free_slots', "${restarts}ready3",
			"$fault of $kind: the program is started again");
	}

	# two deaths of the line in a row, one of a time-out: they are its own, and six of them are not too many
	push @quarantined, $line{$kind};
	is($server->value("SELECT string_agg(name, ' ' ORDER BY name COLLATE \"C\") "
			. "FROM scan_status, unnest(quarantined) AS name"), join(' ', sort @quarantined), "$kind: in quarantine");
	my (undef, $refusal) = $server->run('SET scan.debug_require = gpu;' . long_job('none', $kind));
	like($refusal, qr/The reason is that the device failed at jobs of this kind: see scan_status\./,
		"$kind: the device does not get it any more");
	is($server->value('SET scan.debug_require = gpu;' . long_job('none', 'n')), $long{n}, "$kind: others go on");
	is(status($server, 'restarts, state'), "$restarts|ready", "$kind: nothing more came of it");
}
# a reload has all of them tried again, and a broker that is new has seen no deaths yet
$server->lines('SELECT pg_reload_conf()');
becomes($server, "array_to_string(quarantined, ' ')", '', 'a reload ends the quarantine');
is($server->value('SET scan.debug_require = gpu;' . long_job('none', $_)), $long{$_}, "$_ goes to the device again")
	for qw(x recurrence sort);
new_broker('another broker');

# Each kind of garbage for each of some lengths, whichever changes faster (29 and 14 have no common factor): a miscount
# must never be the right count.
is($server->value(<<'SQL'), 0, 'garbage of short recurrences: the answers are right');
SET scan.device = gpu;
SET scan.mock_fault = garbage;
SELECT count(*) FROM generate_series(1, 29) AS n, generate_series(1, 14) AS turn
WHERE (array_scan_recurrence(array_fill(0.5::float8, ARRAY[n]), array_fill(1::float8, ARRAY[n])))[n] <> 2 - 2
  ^ (1 - n + 0 * turn)
SQL

# The same where the last row starts a segment and has no value: its carry counts nothing.
is($server->value(<<'SQL'), 0, 'garbage of segments without a value: the answers are right');
SET scan.device = gpu;
SET scan.mock_fault = garbage;
SELECT count(*) FROM generate_series(2, 30) AS n, generate_series(1, 14) AS turn
WHERE (array_scan_recurrence(array_fill(0.5::float8, ARRAY[n]), array_fill(1::float8, ARRAY[n - 1]) || NULL::float8, 0,
                             array_fill(false, ARRAY[n - 1]) || true))[n - 1] <> 2 - 2 ^ (2 - n + 0 * turn)
SQL

# ---- deaths

for my $kind (qw(x recurrence sort))
{
	my $slow = started($server, long_job('slow', $kind));
	sleep 0.4;
	is(scalar(() = $cluster->program), 1, 'there is one program');
	kill 'KILL', $cluster->program;
	is(ended($slow), "$long{$kind}\n", "kill -9 of the program in the middle, $kind: the answer is right");
	becomes($server, "state || free_slots", 'ready3', 'and it is started again');
}

my $slow = started($server, long_job('slow', 'x'));
sleep 0.3;
kill 'TERM', $cluster->broker;
is(ended($slow), "$long{x}\n", 'SIGTERM to the broker in the middle: the answer is right');
becomes($server, "state || free_slots", 'ready3', 'it is started again');
is(scalar(() = $cluster->program), 1, 'and so is its program, once');

$slow = started($server, long_job('slow', 'x'));
sleep 0.3;
is($server->value("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
		. "WHERE query LIKE 'SELECT md5(array_%' AND pid <> pg_backend_pid()"), 1, 'a backend is ended in the middle');
like(ended($slow), qr/terminating connection due to administrator command/, 'it is');
becomes($server, 'free_slots', '3', 'its slots are free again');

# ---- many at once

my @children = map {
	my $script = '';
	$script .= sprintf("SET statement_timeout = %d;\n", rand() < 0.5 ? 0 : 1 + rand 60)
		. long_job($_ % 3 == 0 ? 'slow' : 'none', (sort keys %call)[ rand 4 ]) for 1 .. 10;
	started($server, "\\set VERBOSITY sqlstate\n$script");
} 1 .. 20;
my %seen;
for my $child (@children)
{
	for (split /\n/, ended($child))
	{
		my $line = $_;
		my $what = /^[0-9a-f]{32}$/ ? ((grep { $line eq $_ } values %long) ? 'right' : 'wrong') : /ERROR:\s+57014/
			? 'cancelled' : $_;
		$seen{$what}++;
	}
}
# more than two hundred where a SET, too, took longer than the millisecond that it may have
cmp_ok(($seen{right} // 0) + ($seen{cancelled} // 0), '>=', 200,
	'two hundred queries of twenty sessions are right or cancelled');
is(join(' ', sort keys %seen), 'cancelled right', 'some of each');
becomes($server, 'free_slots', '3', 'no slot is left behind');
is($server->value('SELECT pg_postmaster_start_time()'), $since, 'it still is the same server');
unlike($cluster->log, qr/reinitializing|PANIC|TRAP/, 'and it was never restarted');

# ---- killed outright

# a broker that is killed takes the server down and up, as any worker does, but leaves nothing
$cluster->use;
kill 'KILL', $cluster->broker;
sleep 0.5;
becomes($server, "state || free_slots", 'ready3', 'a killed broker: a new ring');
is($server->value(long_job('none', 'x')), $long{x}, 'which works');
is(scalar(() = $cluster->program), 1, 'one program in the end');

$other->use;
ended($crashes);
# on a busy machine the last end was once seen to be one with status 0
my $ends = '(?:was ended by signal 11|ended with status 0)';
like(status($second, 'state, reason'),
	qr/^down\|scan_gpu $ends; this happened 5 times in 10 minutes, so scan_gpu stays down$/,
	'too many crashes: it stays down');
is($second->value('SET scan.device = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}', 'the CPU answers');
$second->lines('SELECT pg_reload_conf()');
becomes($second, 'state', 'ready', 'a reload starts it again');

# the end of the postmaster, however it comes, is the program's
my $pid_file = "$other->{folder}/data/postmaster.pid";
open my $in, '<', $pid_file or die $!;
kill 'KILL', readline($in) + 0;
unlink $pid_file;    # nobody would wait for a process that its new parent has not collected
for (1 .. 50) { last unless $other->program; sleep 0.1 }
is_deeply([ $other->program ], [], 'the postmaster is killed: the program goes');

done_testing();
