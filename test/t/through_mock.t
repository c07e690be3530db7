# through_mock.t: the regression scripts once more, every job by the mock device and every
# window in the node: the answers are those of the CPU.
#
# scan.debug_require makes it a failure that the CPU takes a job over without a word, but in
# the scripts that have scans which stay in their process, or recurrences that come near ties.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Basename;
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep);
use Cluster;

my %stays = (
	array_recurrence => 'ties',
	array_scan => 'array_scan_product',
	bin => 'scan_bin',
	node_jobs => 'filters, products, and an error',
	product => 'scan_product',
	recipes => 'scan_filter, scan_product',
	recurrence => 'ties, and recurrences of high order',
	total => 'ties',
	tridiagonal_solve => 'ties');

chdir dirname(__FILE__) . '/../..' or die $!;
my @scripts = grep { $_ ne 'setup' } map { basename($_, '.sql') } sort glob 'test/sql/*.sql';
is_deeply([ grep { my $name = $_; !grep { $_ eq $name } @scripts } sort keys %stays ], [], 'the scripts are there');

my $cluster = Cluster->new(<<'CONF');
shared_preload_libraries = 'scan'
scan.gpu_library = 'scan_mock'
scan.device = gpu
scan.prefixscan = force
CONF
my $server = $cluster->{server};
for (1 .. 100)
{
	last if $server->value('SELECT state FROM scan_status') eq 'ready';
	sleep 0.1;
}
is($server->value('SELECT state FROM scan_status'), 'ready', 'the mock device is ready');

# Runs scripts by pg_regress, with results of their own.
sub regress
{
	my ($title, @names) = @_;
	my $results = tempdir('scan-through-XXXXXX', DIR => '/tmp', CLEANUP => 1);

	chomp(my $here = `pwd`);
	symlink "$here/expected", "$results/expected" or die $!;
	my $options = "--inputdir=test --outputdir=$results --encoding=UTF8";
	my $out = `make -s --no-print-directory PG_CONFIG=$ENV{PG_CONFIG} REGRESS="setup @names" \\
		REGRESS_OPTS="$options" installcheck 2>&1`;
	is($?, 0, $title) or diag($out, `head -n 200 $results/regression.diffs`);
	return;
}

sub status
{
	my ($column) = @_;
	return $server->value("SELECT $column FROM scan_status");
}

{
	local $ENV{PGOPTIONS} = '-c scan.debug_require=gpu';
	regress('every job is the device\'s', grep { !$stays{$_} } @scripts);
}
is(status('fallbacks'), 0, 'none was left to the CPU');
my $jobs = status('jobs');
cmp_ok($jobs, '>', 1000, 'there were many');
regress('and where some are not, the answers are the same', sort keys %stays);
cmp_ok(status('jobs'), '>', $jobs + 50, 'there were some');
is(status('free_slots'), status('slots'), 'no slot is left behind');

done_testing();
