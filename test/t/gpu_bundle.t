# gpu_bundle.t: run.sh of test/gpu ends, whatever its parts do: each has its time and no more, what it leaves behind is
# ended, and the files that come back say so.  The two calls of a first run on a card have their parts in their order,
# and the first stops at a failure and finds the line that failed.
# results.py makes a section of a page from what comes back.
#
# The programs are shell scripts here.  That they hang ends this test only where run.sh does not end them.
use strict;
use warnings;
use Cwd qw(getcwd);
use File::Basename;
use File::Glob ':bsd_glob';
use File::Temp qw(tempdir);
use Test::More;

chdir dirname(__FILE__) . '/../..' or die $!;

my $run = getcwd() . '/test/gpu/run.sh';
my $bundle = tempdir('a bundle XXXXXX', TMPDIR => 1, CLEANUP => 1);
my $out = "$bundle/out";
mkdir "$bundle/programs" or die $!;

sub program
{
	my ($name, $script) = @_;

	open my $file, '>', "$bundle/programs/$name" or die $!;
	print $file "#!/bin/sh\n$script";
	close $file;
	chmod 0755, "$bundle/programs/$name";
}

# What run.sh prints, its exit status, and the files of its results by name.
sub run
{
	my $call = @_ % 2 == 1 ? shift : '';
	my (%environment) = @_;
	local %ENV = (%ENV, SCAN_BUNDLE => '.', KILL_AFTER => 0.2, %environment);
	my $said = `cd '$bundle' && timeout 120 '$run' $call out 2>&1`;
	my $status = $? >> 8;
	my %file;
	for my $name (split /\n/, `tar -tzf '$out/results.tar.gz'`)
	{
		$file{$1} = `tar -xOzf '$out/results.tar.gz' '$name'` if $name =~ m{^results/(.+)};
	}
	return ($said, $status, \%file);
}

sub content
{
	my ($path) = @_;
	open my $file, '<', $path or return '';
	local $/;
	return <$file> // '';
}

# The pid in a file, if its process runs: none that nobody has waited for yet.
sub runs
{
	my ($pid) = content($_[0]) =~ /^(\d+)/ or return 'no pid';
	return content("/proc/$pid/stat") =~ /^\d+ \(.*\) [^ZX]/ ? $pid : '';
}

# smoke ignores signals, and leaves a process of another group and session; jobs leaves one and ends well
my $leave = "setsid sh -c 'trap \"\" TERM; echo \$\$ >\"\$0\"; exec sleep 1000' '$bundle/pid.PART' >/dev/null 2>&1 &\n"
  . "while [ ! -s '$bundle/pid.PART' ]; do sleep 0.01; done\n";
program('check', ($leave =~ s/PART/smoke/gr) . "trap '' TERM\necho looks back\nwhile :; do sleep 0.2; done\n");
program('classics', "echo not ok 1 - a scan\nexit 3\n");
program('soak', "exec sleep 1000\n");
program('jobs', ($leave =~ s/PART/jobs/gr) . "tar -tzf '$out/results.tar.gz' >'$bundle/meanwhile'\n");
program('bench', "echo '| a copy |'\necho 'bench,\"a copy\",7,ms,1.5' >>\"\$SCAN_TABLE\"\n");

my ($said, $status, $file) = run(PARTS => 'smoke soak jobs bench', LIMITS => 'smoke=2 soak=1');
is($status, 1, 'parts hang: all has failed');
my $summary = content("$out/summary.txt");
like($summary, qr/^smoke +KILLED: its 2 s were up/m, 'one that ignores signals is killed');
like($summary, qr/^    looks back$/m, 'and what it said last is told');
like($summary, qr/^soak +KILLED: its 1 s were up/m, 'so is one that does not');
like($summary, qr/^jobs +ok.*\nbench +ok/m, 'the others go on');
is(runs("$bundle/pid.$_"), '', "what $_ left behind is gone") for qw(smoke jobs);
is(substr($said, -length $summary), $summary, 'the summary is printed last');
like(content("$bundle/meanwhile"), qr/^results\/smoke\.txt$/m, 'what is there is handed over after each part');
is($file->{'summary.txt'}, $summary, 'the archive has it');
is($file->{'bench.txt'}, "| a copy |\n", 'and what each part said');
my $table = content("$out/table.csv");
is($file->{'table.csv'}, $table, 'and the table');
like($table, qr/\Apart,what,rows,measure,value\n/, 'which has a heading,');
like($table, qr/^bench,"a copy",7,ms,1\.5$/m, 'figures of a part');
like($table, qr/^run,"smoke",0,s,\d+$/m, 'and how long each took');
is(join(' ', sort map { basename $_ } glob "$out/*"), 'results.tar.gz summary.txt table.csv', 'three files come back');

($said, $status) = run(PARTS => 'bench');
is($status, 0, 'no part fails: nor does all');
($said, $status) = run(PARTS => 'classics nonsense bench');
is($status, 1, 'one fails: so does all');
my $failed = 'classics +FAILED \(3\), \d+ s\n    not ok 1 - a scan\nnonsense +FAILED \(2\).*\n.* no part nonsense';
like(content("$out/summary.txt"), qr/^$failed\nbench +ok/m,
	'which is told from those that hang, and so is a part that there is none of');
($said, $status, $file) = run(PARTS => 'bench classics', TOTAL => 0);
is($status, 1, 'no time is left: that is a failure');
like(content("$out/summary.txt"), qr/^bench +NOT RUN.*\nclassics +NOT RUN/m, 'and is said of each part');
ok(!defined $file->{'bench.txt'}, 'which did not run');


# ---- the two calls ----

# programs that are found by their names, before those of the machine
mkdir "$bundle/path" or die $!;
$ENV{PATH} = "$bundle/path:$ENV{PATH}";

sub tool
{
	my ($name, $script) = @_;
	program($name, "[ \"\$1\" != --version ] || exit 0\n$script");
	rename "$bundle/programs/$name", "$bundle/path/$name" or die $!;
}

sub summary_lines
{
	return join "\n", map { s/, \d+ s$//r } grep { /^[a-z0-9.]+ {2,}/ } split /\n/, content("$out/summary.txt");
}

my $telling = "echo \"\$* rows=\$SCAN_MEASURE_ROWS line=\$SCAN_MEASURE_LINE check=\$SCAN_GPU_CHECK "
	. "blocking=\$CUDA_LAUNCH_BLOCKING\" | sed 's|/[^ ]* bundle [^ ]*/||g' >>'$bundle/calls'\n";
program('check', $telling);
run('A', PARTS => 'machine smoke check guarded');
is(summary_lines(), "machine            ok\nsmoke              ok\ncheck              ok\nguarded            ok",
	'call A without a failure');
is(content("$bundle/calls"),
	"scan_cuda.so smoke rows= line= check= blocking=\nscan_cuda.so few rows= line= check= blocking=\nscan_cuda.so tiny "
		. "rows= line= check=1 blocking=\n", 'a check of few columns, and of fewer between red zones');
unlink "$bundle/calls";

# a line fails, among others that do not
tool('compute-sanitizer',
	"${telling}echo '========= Invalid __global__ read of size 8 bytes'\necho '=========     at scan_tiles'\nexit 1\n");
program('check', $telling . <<'END');
[ -z "$SCAN_MEASURE_LINE" ] || { echo "error while running: an illegal memory access"; exit 1; }
echo "# sum(int4)"
echo "ok line sum int4: 10 jobs, 0 not proven"
echo "# max(float8)"
echo "# row 7 differs"
echo "not ok line max float8: 10 jobs, 0 not proven"
echo "# min(int8)"
echo "not ok line min int8: 10 jobs, 0 not proven"
exit 1
END
($said, $status, $file) = run('A');
is($status, 1, 'call A: a line fails');
is( summary_lines(),
	join("\n",
		'machine            ok',
		'smoke              FAILED (1)',
		'diagnose           ok',
		map { sprintf '%-18s not run: smoke failed', $_ } qw(check server guarded)),
	'the first failure ends it, after the diagnosis');
is( content("$bundle/calls"),
	join("\n",
		'scan_cuda.so smoke rows= line= check= blocking=',
		'scan_cuda.so smoke max rows=0 line=max(float8) check= blocking=1',
		'--tool memcheck --error-exitcode 1 check scan_cuda.so smoke max rows=0 line=max(float8) check=2 blocking=',
		''),
	'of the first bad line: by itself, each launch waited for, and under memcheck');
like($said, qr/^\| bad line \| max\(float8\) \|$/m, 'the summary says which line it is');
like($said,
	qr/^\| max\(float8\), CUDA_LAUNCH_BLOCKING=1 \| exit status 1; error while running: an illegal memory access \|$/m,
	'what it says,');
like($said, qr/^\| max\(float8\), memcheck \| exit status 1; Invalid __global__ read of size 8 bytes \|$/m,
	'and what memcheck finds');
like($file->{'table.csv'}, qr/^diagnose,"bad line",0,text,"max\(float8\)"$/m, 'so does the table');
like($file->{'diagnose.txt'}, qr/at scan_tiles/, 'the archive has all of it');

# sorts come after all lines
program('check', "${telling}echo '# min(int8)'\necho 'ok line min int8: 10 jobs, 0 not proven'\necho '# sort'\n"
		. "echo 'not ok a job by keys'\nexit 1\n");
unlink "$bundle/calls";
($said, $status) = run('A');
like($said, qr/^\| bad line \| sort \|$/m, 'a sort is not taken for the last line');
like(content("$bundle/calls"), qr/^scan_cuda\.so smoke none rows=0 line= check= blocking=1\n/m,
	'and runs without scans of lines');

# a line that fails in none but the columns of the part
program('check', "${telling}echo '# sum(int8)'\n[ \$2 = smoke ] && exit 0\n[ \$2 = few ] || exit 0\n"
		. "echo 'not ok line sum int8: 9 jobs, 0 not proven'\nexit 1\n");
tool('compute-sanitizer', "${telling}exit 0\n");
unlink "$bundle/calls";
($said, $status) = run('A');
is(join(' ', map { /^(\w+)/ } split /\n/, summary_lines()), 'machine smoke check diagnose server guarded',
	'the diagnosis follows the part that fails');
my $few = 'scan_cuda\.so few sum rows=0 line=sum\(int8\)';
like(content("$bundle/calls"),
	qr/^$few check= blocking=1\n.*smoke sum .*\n.* least sum rows=0 line=sum\(int8\) check=2 blocking=\n/m,
	'which is run as in that part');

# a check that is good says nothing of what fails after it in the same part
program('check', "echo '# min(int8)'\necho '# all as on the CPU'\n[ \$2 != few ]\n");
($said, $status) = run('A', PARTS => 'smoke check guarded');
like($said, qr/^\| bad line \| not known \|$/m, 'a line that ended well is not the bad one');

# a line hangs; one that hangs again is ended
tool('compute-sanitizer', "exec sleep 1000\n");
program('check',
	"echo '# sum(int4)'\necho 'ok line sum int4: 10 jobs, 0 not proven'\necho '# min(int8)'\nexec sleep 1000\n");
($said, $status) = run('A', LIMITS => 'smoke=1 diagnose=10');
like($said, qr/^\| bad line \| min\(int8\) \|$/m, 'a line that hangs is the last that had begun');
like($said, qr/^\| min\(int8\), CUDA_LAUNCH_BLOCKING=1 \| no end after \d s/m, 'which hangs by itself, too');
like($said, qr/^\| min\(int8\), memcheck \| no (end after \d s|time was left)/m, 'and the diagnosis ends');

tool('compute-sanitizer', $telling);

# the device does not open; other lines would run
program('check', "[ -n \"\$SCAN_MEASURE_ROWS\" ] || "
		. "{ echo 'Bail out! no device: error while measuring ema(float8): unspecified'; exit 1; }\n");
($said, $status) = run('A');
like($said, qr/^\| bad line \| ema\(float8\) \|$/m, 'a line at which the device does not open is named by the reason');
program('check', "[ -n \"\$SCAN_MEASURE_ROWS\" ] || { echo 'Bail out! no device: no driver'; exit 1; }\n");
($said, $status) = run('A');
like($said, qr/^\| check smoke, nothing measured \| no failure;/m,
	'where none is named, all are tried without measurements');

# figures
tool('compute-sanitizer', $telling);
program('check', $telling);
program('bench', <<'END');
echo "$*" >>"$SCAN_TABLE.calls"
echo 'bench,"sum int8",33554432,ms,2' >>"$SCAN_TABLE"
END
program('bench_spin200', "echo 'bench,\"sum int8\",33554432,ms,3' >>\"\$SCAN_TABLE\"\n");
# a line that ends with a backslash goes on in the next
tool('ncu', <<'END' =~ s/\\\n//gr);
cat <<'CSV'
==PROF== Connected to process 1
"ID","Kernel Name","dram__throughput.avg.pct_of_peak_sustained_elapsed","gpu__time_duration.sum",\
"launch__registers_per_thread","smsp__inst_executed.sum"
"","","%","ns","register/thread","inst"
"0","void scan_tiles<sum_int8_binding, (bool)0>(ScanArgs<T1>)","81.5","120,000","46","71,303,168"
"1","void cub::_V_1::DeviceRadixSortOnesweepKernel<cub::Policy<a, b>, false>(T5 *, T6)","70","90000","79","1000"
"2","void cub::_V_1::DeviceRadixSortOnesweepKernel<cub::Policy<a, b>, false>(T5 *, T6)","71","91000","79","1000"
CSV
END
unlink "$bundle/calls";
($said, $status, $file) = run('B', LIMITS => 'soak=1 e2e=2 broker=2 regression=2');
like(
	summary_lines() =~ s/ +.*//mgr =~ s/\n/ /gr,
	qr/^machine e2e bench soak broker jobs profile variants regression memcheck$/,
	'call B: all parts, in their order, although some fail');
like($file->{'variants.txt'}, qr/^\| sum int8 +\| +2\.000 \| +3\.000, +150\.0 % \|$/m,
	'a variant beside the kernels as they are');
like($file->{'variants.txt'}, qr/^bench_checked is not here$/m, 'and that another is not there');
is(scalar(() = $file->{'profile.txt'} =~ /^\| (?!kernel)/mg), 2, 'of each kernel one launch');
like($file->{'profile.txt'}, qr/^\| scan_tiles<sum_int8_binding, 0> +\| +81\.5 \| +120\.0 \| +46\.0 \| +136\.0 \|$/m,
	'with its counters');
like($file->{'table.csv'}, qr/^profile,"DeviceRadixSortOnesweepKernel",16777216,memory %,70$/m,
	'and its name without what it is made of');
is(content("$bundle/calls"),
	"--tool memcheck --error-exitcode 1 check scan_cuda.so least rows=0 line= check=2 blocking=\n",
	'memcheck looks at least');
my %limit = content('test/gpu/run.sh') =~ /^    B\)\n.*?limits='([^']*)'/ms ? map { split /=/ } split ' ', $1 : ();
my ($total) = content('test/gpu/run.sh') =~ /^    B\)\n.*?TOTAL:-(\d+)/ms;
my $sum = 0;
$sum += $_ for values %limit;
is($sum, $total, 'the limits of its parts add up to its time');
tool('ncu', "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'\nexit 1\n");
($said, $status) = run('B', PARTS => 'profile');
is($status, 0, 'counters that the driver keeps to itself are no failure,');
like($said, qr/^profile +not run: the driver keeps the counters/m, 'but said');
tool('ncu', "case \$* in *barrier*) echo 'no such metric'; exit 1;; esac\n"
		. "echo '\"Kernel Name\",\"sm__warps_active.avg.pct_of_peak_sustained_active\"'\n"
		. "echo '\"\",\"%\"'\necho '\"one(int)\",\"50\"'\n");
($said, $status, $file) = run('B', PARTS => 'profile');
like($file->{'profile.txt'}, qr/^\| one +\| +50\.0 \|$/m, 'a counter that ncu does not know leaves the others');

# ---- the section of a page ----

mkdir "$bundle/returned" or die $!;
sub returned
{
	my ($name, $content) = @_;
	open my $to, '>', "$bundle/returned/$name" or die $!;
	print $to $content;
	close $to;
}
my $figures = <<'END';
part,what,rows,measure,value
machine,"date",0,text,"2026-12-01"
machine,"bundle",0,text,"commit 12ab34c Do it"
e2e,"a sum, of keys, cpu",1000000,ms,100
e2e,"a sum, of keys, gpu_16MB",1000000,ms,125
e2e,"a sum, of keys, gpu_512MB",1000000,ms,50.25
e2e,"a sum, of keys, cpu_7_workers",1000000,ms,20
e2e,"a sum, of keys, gpu_512MB",1000000,first ms,75
e2e,"a sum, of keys, gpu_512MB",1000000,jobs on the device,1
e2e,"a sum, of keys, gpu_512MB",1000000,in ms,2.5
e2e,"a sum, of keys, gpu_512MB",1000000,wait ms,3
e2e,"a sum, of keys, gpu_512MB",1000000,gpu ms,1
e2e,"a sum, of keys, gpu_512MB",1000000,out ms,4
e2e,"ema",1000000,cpu,7
e2e,"ema, cpu",1000000,ms,70
e2e,"ema, gpu_16MB",1000000,ms,140
e2e,"ema, gpu_16MB",1000000,why the CPU,"it is slow"
bench,"sum int8",134217728,ms,0.97
bench,"sum int8",134217728,GB/s,2210
bench,"sort by 38 bits",65536,ms,0.123
soak,"sum int8",4194304,not proven,0
END
returned('table.csv', $figures);
returned('summary.txt',
	"smoke              ok, 5 s\nsoak               KILLED: its 50 s were up, 50 s\n    not ok | 1\n");
returned('page.md',
	"# Page\n\nNo figure on this page was measured on a GPU; so\n\n<!-- cost: by cost_report.py -->\n\n## Costs\n");
my $results = "test/gpu/results.py '$bundle/returned' --page '$bundle/returned/page.md' 2>&1";
like(`$results`, qr/no card is named/, 'a table without a card gives no section');
unlike(content("$bundle/returned/page.md"), qr/Measured/, 'and the page stays');
returned('table.csv', $figures . "machine,\"Product Name\",0,text,\"A Card\"\n");
is(`$results`, '', 'with one it does');
my $page = content("$bundle/returned/page.md");
my $card = '2026-12-01, by commit 12ab34c:.*^- card: A Card\n';
like($page,
	qr/## Measured on a device\n.*$card.*<!-- end of device -->\n\n<!-- cost/ms,
	'before the costs, with the card, the date and the commit');
like($page,
	qr/^\| a sum, of keys \| 1,000,000 \| 100\.0 \| 125\.0 \(0\.80\) \| 50\.2 \(1\.99\) \| 20\.0 \(5\.00\) \|$/m,
	'whole queries');
like($page, qr/^- The device is slower than the CPU in one process in 1 of 2 queries: ema \(0\.50 times\)\.$/m,
	'those that the device loses are named');
like($page,
	qr/^- The device is slower than the CPU with 7 workers in 1 of 2 queries: a sum, of keys \(0\.40 times\)\.$/m,
	'beside several processes as well');
like($page, qr/^\| a sum, of keys \| 1,000,000 \| – \| – \| 75\.0 \| – \|$/m, 'and the first of a session');
like($page, qr/^\| a sum, of keys \| 512 MB slots \| 1 \| 2\.5 \| 3\.0 \| 1\.0 \| 4\.0 \|  \|$/m, 'what its jobs took');
like($page, qr/^\| sum int8 \| 134,217,728 \| 0\.97 \| 2,210 \|$/m, 'kernels');
like($page, qr/^\| returned \| soak \| KILLED: its 50 s were up, 50 s \|$/m, 'and how each part ended');
like($page, qr/^Only the figures of \[Measured on a device\]\(#measured-on-a-device\) come from a GPU; so$/m,
	'the page no longer says that there are none');
`$results`;
is(content("$bundle/returned/page.md"), $page, 'a second time nothing is added');

done_testing();
