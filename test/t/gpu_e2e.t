# gpu_e2e.t: e2e.sh of test/gpu runs whole queries by four ways, with the mock device in a GPU's place: it compares
# their answers and fails where they differ, has figures of all of them,
# and the tables of what there is where its time is up.
use strict;
use warnings;
use File::Basename;
use File::Temp qw(tempdir);
use Test::More;

chdir dirname(__FILE__) . '/../..' or die $!;

my $folder = tempdir(CLEANUP => 1);

# What e2e.sh prints, its exit status, and its figures.  With a pattern: it is ended when it has printed a line of it.
sub e2e
{
	my ($until, %environment) = @_;
	local %ENV = (%ENV, E2E_LIBRARY => 'scan_mock', E2E_ROWS => 3000, E2E_ROUNDS => 2, E2E_SLOT => '32MB',
		%environment);
	unlink "$folder/table.csv";
	my $pid = open(my $from, '-|') // die $!;
	if ($pid == 0)
	{
		setpgrp;
		exec "SCAN_CLUSTER_QUIET=1 SCAN_TABLE='$folder/table.csv' test/gpu/e2e.sh 2>&1" or die $!;
	}
	my $said = '';
	while (my $line = <$from>)
	{
		$said .= $line;
		kill TERM => -$pid if defined $until && $line =~ $until;
	}
	close $from;
	my $status = $? >> 8 || $? & 127;
	open my $file, '<', "$folder/table.csv" or return ($said, $status, '');
	local $/;
	return ($said, $status, <$file>);
}

my ($said, $status, $table) = e2e(undef);
is($status, 0, 'whole queries by four ways') or diag $said;
like($said, qr/^the answers of all ways to 11 queries have the same bits$/m, 'have the same answers');
my $ms = qr/[0-9.]+/;
for my $name ('row_number()', 'sum(int8)', 'three scans of one column', 'three scans of three columns', 'six functions',
	'scan_ema(float8), rows in order', 'two sums, of 1,000 and of many keys', 'top 3 of each key',
	'sum(int8) by key and timestamp')
{
	my @of = map { $table =~ /^e2e,"\Q$name\E, $_",3000,ms,$ms$/m ? $_ : () } qw(cpu gpu_16MB gpu_512MB cpu_7_workers);
	is(scalar @of, 4, "$name: a time by each way");
	my ($jobs) = $table =~ /^e2e,"\Q$name\E, gpu_512MB",3000,jobs on the device,(\d+)$/m;
	cmp_ok($jobs // 0, '>', 0, 'and the device takes part');
	like($table, qr/^e2e,"\Q$name\E, gpu_16MB",3000,out ms,$ms$/m, 'as long as EXPLAIN says');
	like($table, qr/^e2e,"\Q$name\E, gpu_512MB",3000,first ms,$ms$/m,
		'and the time as the first query of a session is told apart');
}
like($table, qr/^e2e,"stddev\(float8\), ROWS 9999 PRECEDING, cpu",300,ms,$ms$/m,
	'frames of floats over a tenth of the rows');
like($table, qr/^e2e,"sum\(int8\), cpu_7_workers",3000,launched,[1-7]$/m, 'workers take part');
like($said, qr/^\| sum\(int8\) +\| +3000 \| +$ms \| +$ms +${ms}x \| +$ms +${ms}x \| +$ms +${ms}x \|$/m,
	'a table of the times');
like($said, qr/^\| sum\(int8\) +\| +3000 \| +$ms \| +$ms \| +$ms \| +$ms \|$/m, 'one of first queries,');
like($said, qr/^\| sum\(int8\) +\| 512MB +\| +1 of 1 \| +$ms \| +$ms \| +$ms \| +$ms \|/m, 'and one of the jobs');
is(($table =~ /^e2e,"rounds",3000,number,(\d)$/m)[0], 2, 'two rounds');

# a device that is wrong
($said, $status) = e2e(undef, E2E_CONF => "scan.mock_fault = 'value'", E2E_ROUNDS => 1);
is($status, 1, 'a device whose answers are wrong');
like($said, qr{^DIFFERENT: three scans of three columns, gpu_(16|512)MB: }m, 'is seen');
unlike($said, qr/^DIFFERENT: [^:]*, cpu_7_workers: /m, 'and told from the CPU');

# a card that only one process may use
open my $smi, '>', "$folder/nvidia-smi" or die $!;
print $smi "#!/bin/sh\necho Exclusive_Process\n";
close $smi;
chmod 0755, "$folder/nvidia-smi";
($said, $status, $table) = e2e(undef, PATH => "$folder:$ENV{PATH}", E2E_ROUNDS => 1, E2E_ROWS => 1000);
is($status, 0, 'a card for one process: one server') or diag $said;
like($said, qr/^\| sum\(int8\) +\| +1000 \| +$ms \| +- \| +$ms +${ms}x \| +$ms +${ms}x \|$/m, 'without slots of 16 MB');
unlike($table, qr/gpu_16MB/, 'which the table says');

# its time is up
($said, $status, $table) = e2e(qr/^round 1: /, E2E_ROUNDS => 1000);
isnt($status, 0, 'its time is up');
like($said, qr/^\| sum\(int8\) +\| +3000 \| +$ms \| +$ms +${ms}x \| +$ms +${ms}x \| +$ms +${ms}x \|$/m,
	'the table is there');
like($table, qr/^e2e,"sum\(int8\), gpu_512MB",3000,ms,$ms$/m, 'and so are the figures');
($said, $status, $table) = e2e(undef, SCAN_PART_SECONDS => 10);
like($said, qr/^no time for round 2$/m, 'a round that would not end in time does not begin');
is(($table =~ /^e2e,"rounds",3000,number,(\d)$/m)[0], 1, 'which the table says');

done_testing();
