# first_start.t: a kernel that crashes, hangs or is refused while the program measures it at its start costs its line,
# not the device; a program that never becomes ready is killed; and the reason of a refused job reaches the user.
#
# The mock device has these faults where the environment of the server asks for them (gpu/mock.c).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep time);
use Cluster;

my $conf = "shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\nscan.gpu_slots = 2\n"
	. "scan.gpu_slot_size = '100kB'\n";

# A server with these variables in its environment, once its device is as `state` says.
sub server
{
	my ($state, %environment) = @_;
	$ENV{$_} = $environment{$_} for keys %environment;
	my $cluster = Cluster->new($conf);

	delete $ENV{$_} for keys %environment;
	becomes($cluster, 'state', $state, join(' ', map { "$_=$environment{$_}" } sort keys %environment) . ": $state");
	return $cluster;
}

sub status
{
	my ($cluster, $columns) = @_;
	return $cluster->{server}->value("SELECT concat_ws('|', $columns) FROM scan_status") // '';
}

sub becomes
{
	my ($cluster, $columns, $expected, $name) = @_;
	my $end = time + 20;
	my $got = '';

	while (time < $end && $got ne $expected)
	{
		sleep 0.05 if $got ne '';
		$got = status($cluster, $columns);
	}
	return is($got, $expected, $name);
}

my $quarantined = q{array_to_string(quarantined, ' ')};

# Why the CPU runs a scan of that type where the GPU has to; '' where the GPU does.
sub why_not
{
	my ($cluster, $function, $type, @settings) = @_;
	my (undef, $err) = $cluster->{server}->run(join '; ', 'SET scan.device = gpu; SET scan.debug_require = gpu',
		@settings, "SELECT array_scan_$function(ARRAY[1,2,3]::$type\[])");

	return $err eq '' ? '' : $err =~ /The reason is that (.*)\.$/m ? $1 : $err;
}

# ---- a line that ends the program

my @crash = ((map { "sum($_)" } qw(float4 float8 int2 int4 int8)), 'sort');
my $left = join ' ', sort @crash, 'max(int8)';
my $crashing = server('ready',
	SCAN_MOCK_MEASURE => join('', map { "$_;" } (map { "crash $_" } @crash), 'lost max(int8)', 'refuse min(int8)'));
is(join(' ', sort split / /, status($crashing, $quarantined)), $left,
	'lines at which it crashes, or loses the device, are left out');
is(status($crashing, 'reason, restarts'), '7', 'seven starts, which are more than five deaths');
my $log = $crashing->log;
my $again = 'scan_gpu will be started again without this line';
like($log, qr/LOG:  scan: scan_gpu was ended by signal 11, while measuring \Q$_\E; $again$/m,
	"the log names $_") for @crash;
my $lost = 'the device could not be opened: a test asked for this fault';
like($log,
	qr/scan: scan_gpu ended with status 3, while measuring max\(int8\): $lost; scan_gpu will be started/,
	'and says why the device was lost');
is($crashing->{server}->value("SELECT count(*) FROM scan_rates WHERE line "
		. "IN ('sum(int8)', 'sort', 'max(int8)', 'min(int8)')"), 0, 'they are not offered, nor a line that is refused');
is($crashing->{server}->value("SELECT count(*) > 40 FROM scan_rates"), 't', 'the others are');
is(why_not($crashing, 'sum', 'int8'), 'the device failed at jobs of this kind: see scan_status', 'the CPU runs them');
is(why_not($crashing, 'min', 'int8'), 'the device library does not run jobs of this kind', '... and what is refused');
is(why_not($crashing, 'max', 'int4'), '', 'the GPU runs the others');
$crashing->{server}->lines('SELECT pg_reload_conf()');
becomes($crashing, 'restarts, state', '15|ready', 'a reload: each is tried again, once');
is(join(' ', sort split / /, status($crashing, $quarantined)), $left, 'and is left out again');
undef $crashing;

# ---- a line that hangs

my $start = time;
my $hanging = server('ready', SCAN_MOCK_MEASURE => 'hang sum(int8);hang sort;', SCAN_GPU_READY_MS => 700);
cmp_ok(time - $start, '<', 30, 'two lines hang: not for ever');
is(status($hanging, "$quarantined, restarts"), 'sum(int8) sort|2', 'both are left out');
like($hanging->log,
	qr/scan: scan_gpu did not become ready within 0\.7 s, while measuring sum\(int8\); $again/,
	'the log says so');
undef $hanging;

my $deaf = server('waiting', SCAN_MOCK_MEASURE => 'hang', SCAN_GPU_READY_MS => 300);
becomes($deaf, q{reason LIKE '%within 0.3 s%' AND reason NOT LIKE '%measuring%'}, 't',
	'a program that hangs before it measures anything: it says so');
becomes($deaf, 'restarts > 1', 't', 'it is started again');
is(status($deaf, $quarantined), '', 'no line is to blame');
undef $deaf;

# ---- one line alone

my $chosen = server('ready', SCAN_MEASURE_LINE => 'bit_or(int4)');
is($chosen->{server}->value('SELECT string_agg(line, $$ $$) FROM scan_rates'), 'bit_or(int4)',
	'one line alone is offered');
undef $chosen;

# ---- jobs that are refused, and a program whose end hangs

my $good = server('ready', SCAN_MOCK_HANG_AT_EXIT => 1);
is($good->{server}->value(q{SELECT round(s.batch_ns - l.batch_ns) FROM scan_rates AS s, scan_rates AS l }
		. q{WHERE s.line = 'sort' AND l.line = 'sum(int8)'}), 20000, 'a sort has a fixed time of its own');
my $sum = 'SELECT array_scan_sum(ARRAY[1,2,3]::int8[])';
my $refused = 'the device refused the job: a test asked for it,?at row 1';
is(why_not($good, 'sum', 'int8', "SET scan.mock_fault = refuse; SET scan.mock_fault_line = 'sum(int8)'"), $refused,
	'a refused job: why');
is(status($good, 'refusals, fallbacks'), '1|1', 'it is counted');
like(($good->{server}->run(
		"SET scan.device = gpu; SET scan.mock_fault = refuse; SET client_min_messages = debug1; $sum"))[1],
	qr/DEBUG:  scan: the CPU continues at row 0: \Q$refused\E$/m, 'DEBUG1 says why');
my $explained = join "\n", $good->{server}->lines(
	"LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = gpu; SET scan.mock_fault = refuse; EXPLAIN (ANALYZE, "
	. "COSTS OFF, TIMING OFF) SELECT scan_sum(i) OVER (ORDER BY i) FROM generate_series(1, 3000) AS i");
like($explained, qr/^  Device: cpu: \Q$refused\E$/m, 'EXPLAIN does');
is(() = $good->log =~ /^scan_gpu: a job of sum\(int8\) was not answered \(code 3\): a test asked for it,$/mg, 1,
	'the log does, once');
$good->{server}->run('SET scan.device = gpu; SET scan.mock_fault = unproven; ' . $sum);
is(status($good, 'refusals > 2, quarantined'), 't|{}', 'what is not proved is not refused');

$start = time;
is($good->{server}->value("SET scan.device = gpu; SET scan.mock_fault = lost; $sum"), '{1,3,6}', 'a lost device');
becomes($good, 'state, restarts', 'ready|1', 'is found again');
cmp_ok(time - $start, '<', 8, 'without the end of the old program, which hangs in exit()');

done_testing();
