# large_batches.t: rows that come in order go to a device in large jobs, if the query wants them all.
#
# A job takes a fixed time, so that many small ones are slower on a device than on the CPU.  Rows that were sorted go
# with their sort, and do not need this.  EXPLAIN counts the jobs; the answers are those of the CPU.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;

$ENV{SCAN_MOCK_FAST} = 1;
my $cluster = Cluster->new("shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\njit = off\n"
	. "scan.prefixscan = force\n" . "max_parallel_workers_per_gather = 0\n");
my $server = $cluster->{server};
my $rows = 300_000;
ok($server->comes("SELECT state = 'ready' FROM scan_status"), 'the mock device is ready');
$server->lines(<<"SQL");
CREATE TABLE data AS SELECT id, id * 2654435761 % 1000003 AS v, id * 2654435761 % 1000003 / 7.0::float8 AS f,
                            CASE WHEN id % 3 > 0 THEN id % 7 END AS g, id / 1000 AS p, 'row ' || id AS t
FROM generate_series(1::int8, $rows) AS id;
CREATE INDEX ON data (id);
VACUUM ANALYZE data;
SQL

my $gpu = 'SET scan.device = gpu; SET scan.debug_require = gpu';
my $auto = 'SET scan.device = auto; SET scan.debug_cpu_factor = 1e6';

# What EXPLAIN ANALYZE says of a query.
sub explained
{
	my ($settings, $query) = @_;
	return join "\n",
		$server->lines("LOAD 'scan'; $settings; EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) $query");
}

# The jobs of a device and all jobs of a query.
sub jobs
{
	my ($settings, $query) = @_;
	return explained($settings, $query) =~ /Device: gpu \((\d+) of (\d+) jobs\)/ ? ($1, $2) : (0, 0);
}

sub answer
{
	my ($settings, $query) = @_;
	return $server->value(
		"LOAD 'scan'; $settings; SELECT count(*) || ' ' || sum(hash_record_extended(r, 0)) FROM ($query) AS r");
}

# ---- every kind of function, whose rows lie in order in the table or come from an index

for my $input ('', 'SET enable_sort = off; SET enable_seqscan = off;')
{
	for my $call (
		'scan_sum(v) OVER w', 'scan_sum(f) OVER w', 'scan_ema(f, 0.1) OVER w', 'scan_recurrence(0.5, f) OVER w',
		'scan_change(v) OVER w', 'scan_sum(v) OVER w, lead(v, 3) OVER w AS z', 'scan_sum(v) OVER w, t',
		'scan_sum(g) OVER (PARTITION BY p ORDER BY id)',
		'sum(f) OVER (w ROWS 100 PRECEDING)', 'sum(f) OVER (w ROWS BETWEEN 10 PRECEDING AND 50 FOLLOWING)')
	{
		my ($first, @more) = split /(?<= w), /, $call;
		my $query = 'SELECT id, ' . join(', ', "$first AS y", @more) . ' FROM data'
			. ($call =~ /PARTITION/ ? '' : ' WINDOW w AS (ORDER BY id)');
		my $from = $input ? 'by an index' : 'in the order of the table';
		my ($device, $all) = jobs("$gpu; $input", $query);

		ok($device == $all && $all >= 1 && $all <= 4, "$call $from: 1 to 4 jobs") or diag("$device of $all jobs");
		is(answer("$gpu; $input", $query), answer("SET scan.device = cpu; $input", $query),
			"$call $from: the CPU's answers");
	}
}

# ---- when there are few rows, little memory, or rows that nobody wants

my $sum = 'SELECT id, scan_sum(v) OVER (ORDER BY id) AS y FROM data';
is_deeply([ jobs("$auto; SET scan.gpu_min_rows = 200000", $sum) ], [ 1, 2 ],
	'auto: all but the first rows are one job');
is_deeply([ jobs("$auto; SET scan.gpu_min_rows = 300000", $sum) ], [ 0, 0 ],
	'auto: no job if there are fewer rows than it takes');
my ($few) = jobs("$gpu; SET scan.work_mem = '4MB'; SET enable_sort = off; SET enable_seqscan = off", $sum);
cmp_ok($few, '>', 4, 'little memory: more jobs');
cmp_ok($few, '<', 60, 'little memory: but not one for each thousand rows');
like(explained("$gpu; SET enable_sort = off; SET enable_seqscan = off", "$sum LIMIT 20"),
	qr/Index Scan.* \(actual rows=80(\.00)? /, 'LIMIT: few rows are read');
my $answered = $server->value('SELECT rows FROM scan_status');
$server->lines("LOAD 'scan'; $gpu; SET enable_sort = off; SET enable_seqscan = off; BEGIN; "
	. "DECLARE c CURSOR FOR $sum; FETCH 20 FROM c");
cmp_ok($server->value('SELECT rows FROM scan_status') - $answered, '<', 1000, 'a cursor: few rows are read');

# ---- what is copied, against the same rows with their sort

sub copied
{
	my ($order) = @_;
	my $before = $server->value('SELECT bytes FROM scan_status');
	$server->lines("LOAD 'scan'; $gpu; SELECT count(y) "
		. "FROM (SELECT scan_sum(v) OVER (ORDER BY $order) AS y FROM data OFFSET 0) AS s");
	return ($server->value('SELECT bytes FROM scan_status') - $before) / $rows;
}
my ($in_order, $sorted) = (copied('id'), copied('-id'));
cmp_ok($in_order, '<=', 1.2 * $sorted, sprintf 'in order: %.1f bytes are copied for a row, with a sort %.1f', $in_order,
	$sorted);

is($server->value('SELECT fallbacks FROM scan_status'), 0, 'none was left to the CPU');
done_testing();
