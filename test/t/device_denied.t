# device_denied.t: what the system denies or takes away from the device is a job of the CPU, and no signal.
#
# A library in front of madvise() (denied_pages.c) denies pages of the slots, or holds a session that has taken a slot.
# The mock device is in the device's place.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp qw(tempdir);
use Time::HiRes qw(sleep);
use Cluster;

plan skip_all => 'the preloaded library needs Linux' if $^O ne 'linux';
my $folder = tempdir('scan-denied-XXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0777, $folder;
is(system("cc -shared -fPIC -O2 -o $folder/denied_pages.so $FindBin::Bin/denied_pages.c"), 0,
	'the library in front of madvise() compiles');
local $ENV{SCAN_CLUSTER_PRELOAD} = "$folder/denied_pages.so";
local $ENV{SCAN_TEST_FOLDER} = $folder;
local $ENV{SCAN_GPU_ABSENT_MS} = 1000;
my $conf = "shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\nscan.gpu_slots = 1\n"
	. "max_parallel_workers_per_gather = 0\n";

sub put
{
	my ($name) = @_;
	open my $file, '>', "$folder/$name" or die $!;
	return;
}

# ---- a ring for which there is no memory at all

put('deny');
{
	my $none = Cluster->new($conf);
	is($none->{server}->value("SELECT state || ': ' || reason FROM scan_status"),
		'off: the shared memory for scan.gpu_slots could not be created: Cannot allocate memory',
		'no page of the ring: no device');
	is($none->{server}->value('SELECT sum(y) FROM unnest(array_scan_sum(ARRAY[1, 2, 3])) AS y'), 10,
		'and a server that runs');
}
unlink "$folder/deny";

# ---- pages of a slot

my $cluster = Cluster->new($conf);
my $server = $cluster->{server};
my $device = "LOAD 'scan'; SET client_min_messages = debug1; SET scan.device = gpu; ";
my $arrays = 'SELECT sum(y) FROM unnest(array_scan_sum((SELECT array_agg(i) FROM generate_series(1, 4030) AS i))) AS y';
my $sort =
	'SELECT array_radix_sort((SELECT array_agg(i * 7919 % 4099) FROM generate_series(1, 4030) AS i)) IS NOT NULL';
my $window = 'SET scan.prefixscan = force; SELECT sum(y) '
	. 'FROM (SELECT scan_sum(i) OVER (ORDER BY -i) AS y FROM generate_series(1, 4030) AS i OFFSET 0) AS s';
my $frames = 'SET scan.prefixscan = force; SELECT sum(y) FROM (SELECT sum(i::float8) '
	. 'OVER (ORDER BY i ROWS 10 PRECEDING) AS y FROM generate_series(1, 4030) AS i OFFSET 0) AS s';
my $started = $server->value('SELECT pg_postmaster_start_time()');

sub status
{
	my ($column) = @_;
	return $server->value("SELECT $column FROM scan_status");
}

ok($server->comes("SELECT state = 'ready' FROM scan_status"), 'the mock device is ready');
for my $query ($arrays, $sort, $window, $frames)
{
	my $fallbacks = status('fallbacks');
	my ($with) = $server->run("$device $query");
	is(status('fallbacks'), $fallbacks, 'the device answers');
	put('deny');
	my ($without, $messages) = $server->run("$device $query");
	unlink "$folder/deny";
	is($without, $with, "no page of the slot: $query");
	like($messages, qr/DEBUG:  scan: the CPU continues .*: the system has no memory for the slot$/m, 'which says why');
	cmp_ok(status('fallbacks'), '>', $fallbacks, 'and is counted');
}
is($server->value('SELECT pg_postmaster_start_time()'), $started, 'no process was ended by a signal');

# ---- a slot that was taken before the program was started again

sub program_again
{
	my ($restarts, $program) = (status('restarts'), $cluster->program);
	kill 'KILL', $program;
	ok($server->comes("SELECT state = 'ready' AND restarts > $restarts FROM scan_status"),
		'the program is started again');
	return;
}

my ($expected) = $server->run($arrays);
my $fallbacks = status('fallbacks');
put('hold');
defined(my $session = fork) or die $!;
if ($session == 0)
{
	open STDOUT, '>', "$folder/out";
	open STDERR, '>', "$folder/messages";
	exec $Server::psql, '-XAtq', '-d', $server->{database}, '-c', "$device $arrays" or die $!;
}
for (1 .. 300) { last if -e "$folder/held"; sleep 0.1; }
ok(-e "$folder/held", 'a session is held while it fills a slot');
program_again();
unlink "$folder/hold";
waitpid $session, 0;
is($?, 0, 'the session goes on');
my ($out, $messages) = map { open my $file, '<', "$folder/$_" or die $!; local $/; <$file> // '' } 'out', 'messages';
is($out, $expected, 'it has the answer');
like($messages, qr/: the device was started again since the slot was taken$/m, 'the new program has not run its job');
is(status('fallbacks'), $fallbacks + 1, 'which is counted');
is(status('free_slots'), 1, 'the slot is free');
($out) = $server->run("$device $arrays");
is($out, $expected, 'the next job');
is(status('fallbacks'), $fallbacks + 1, 'is the new program\'s');

# ---- a device that is absent for a while

my ($library) = glob "$cluster->{folder}/root/usr/lib/postgresql/*/lib/scan_mock.so";
rename $library, "$library.away" or die $!;
kill 'KILL', $cluster->program;
ok($server->comes("SELECT state = 'absent' FROM scan_status"), 'the library is gone: absent');
sleep 3;
my @said = $cluster->log =~ /^.*no GPU is available.*$/mg;
is(scalar(@said), 1, 'it is looked for again and again, and the log says so once') or diag(@said);
rename "$library.away", $library or die $!;
ok($server->comes("SELECT state = 'ready' FROM scan_status"), 'the library is back: ready, without a reload');

done_testing();
