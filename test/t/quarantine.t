# quarantine.t: a line at whose jobs the device fails is left to the CPU for a while, and the
# others go on.  gpu.t has the deaths without an answer in between, crashes and time-outs; here
# the line is answered in between, as where some rows of a query are good and others are not,
# it is tried again when its time is over, and is left alone twice as long if it fails again.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;

my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\n"
	. "scan.gpu_quarantine = '100ms'\nscan.device = gpu\n");
my $server = $cluster->{server};

sub becomes
{
	my ($columns, $expected, $name) = @_;
	my $got = '';

	for (1 .. 200)
	{
		$got = $server->value("SELECT concat_ws('|', $columns) FROM scan_status");
		last if $got eq $expected;
		sleep 0.05;
	}
	is($got, $expected, $name);
	return;
}

# Sums of two lines, of which the device loses itself at one: the CPU has to answer that one, and the device the other.
sub fails
{
	my ($name) = @_;
	my @sums = $server->lines(<<'SQL');
SET scan.mock_fault = lost; SET scan.mock_fault_line = 'sum(int4)';
SET scan.debug_require = gpu;
SELECT array_scan_sum(ARRAY[4,5,6]::int8[]);
SET scan.debug_require = allow;
SELECT array_scan_sum(ARRAY[1,2,3]);
SQL
	is("@sums", '{4,9,15} {1,3,6}', "$name: the answers are right");
	return;
}

sub answers
{
	my ($name) = @_;
	is($server->value('SET scan.debug_require = gpu; SELECT array_scan_sum(ARRAY[1,2,3])'), '{1,3,6}', $name);
	return;
}

my $pause = qr/the CPU runs jobs of kind sum\(int4\) for the next (\d+) ms/;

becomes('state, quarantined', 'ready|{}', 'the mock device is ready, and no line is in quarantine');
for my $death (1 .. 3)
{
	fails("death $death");
	becomes('restarts, state', "$death|ready", "death $death: the device is back");
	is(scalar(() = $cluster->log =~ /$pause/g), $death == 3 ? 1 : 0,
		"death $death: " . ($death == 3 ? 'that is enough' : 'it may have had another reason'));
	becomes('quarantined', '{}', 'a quarantine ends') if $death == 3;
	answers("death $death: after it the line is answered by the device");
}
like($cluster->log, qr/scan_gpu ended with status 3: the device is lost: a test asked for this fault/,
	'the log has the reason');
fails('once more');
becomes('restarts, state', '4|ready', 'once more: the device is back');
is(join(' ', $cluster->log =~ /$pause/g), '100 200', 'the second quarantine is twice as long');

my (undef, $err) = $server->run(
	"SET scan.mock_fault = lost; SET scan.mock_fault_line = 'sum(int)'; SELECT array_scan_sum(ARRAY[1,2,3])");
like($err, qr/scan\.mock_fault_line is not the name of a line: "sum\(int\)"/, 'a line that does not exist is no test');

done_testing();
