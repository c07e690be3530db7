# memory: a window function keeps nothing of the rows behind it.  Each scans one
# large partition, with so much work_mem that rows, were they kept, would stay in
# memory; the backend's peak must hardly rise over that of a small partition.  Input
# that PrefixScan has to sort is held up to scan.work_mem, which is work_mem here.
# SCAN_TEST_LARGE=1 takes ten million rows instead of 400,000.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use Test::More;
use Server;

my $rows = $ENV{SCAN_TEST_LARGE} ? 10_000_000 : 400_000;
my $bound = 6 * 1024;    # kB; a million kept rows would take 30 times as much
my $server = Server->new('memory');
my $folder = tempdir(CLEANUP => 1);

plan skip_all => 'the peak of a backend is read from /proc on the server'
  if $server->value(q{SELECT count(*) FROM pg_ls_dir('/proc/self', true, false) AS f WHERE f = 'status'}) == 0;

# The growth of the backend's peak, in kB, from 20000 rows to $rows.  The rows come
# one by one: a series in a select list is not stored.
sub growth
{
	my ($call, %option) = @_;
	my $over = $option{over} // '';
	my $peak = q{SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+)'))[1];};
	my $scan = sub {
		"SELECT count(y) > 0 FROM (SELECT $call OVER ($over) AS y "
			. "FROM (SELECT generate_series(1, $_[0]) AS i) AS s OFFSET 0) AS t;";
	};
	my ($few, $before, $many, $after) = $server->lines(join "\n",
		"SET jit = off; SET scan.work_mem = -1; SET work_mem = '" . ($option{work_mem} // '2GB') . "';", $scan->(20000),
		$peak, $scan->($option{rows} // $rows), $peak);
	die "no answers from $call" unless $few eq 't' && $many eq 't';
	return $after - $before;
}

# What must be small can be large: this one keeps its rows.
cmp_ok(growth('count(*)', rows => 1_000_000), '>', 3 * $bound, 'a function that keeps the rows is seen to');

for my $call (
	'scan_sum(i)', 'scan_sum(i, i % 1000 = 0)', 'scan_sum(i, exclusive => true)',
	'scan_sum(i::numeric)', 'scan_sum(i::numeric, false, true)', q{scan_sum(i % 1000 * interval '1 second')},
	'scan_sum(i::float8)', 'scan_sum(power(2::float8, i % 2000 - 1000))', 'scan_sum(1e10 / i)',
	'scan_product(CASE WHEN i % 2 = 0 THEN 0.5 ELSE 2 END, i % 1000 = 0)',
	'scan_min(md5(i::text))', 'scan_max(i::text, i % 1000 = 0, true)', 'scan_max(i::numeric)', 'scan_min(-i)',
	'scan_max(ARRAY[i, 1])',
	'scan_bool_or(i < 0)', 'scan_bit_xor(i::bit(32))', 'scan_count(i % 2 = 0)',
	q{scan_locf(CASE WHEN i % 3 = 0 THEN repeat('x', i % 200) END)}, 'scan_locf(i, 10)',
	q{scan_locf(CASE WHEN i % 3 = 0 THEN repeat('x', i % 200) END, i::numeric, 1)},
	q{scan_lag(CASE WHEN i % 3 = 0 THEN repeat('x', i % 200) END, 20)}, 'scan_lag(i::numeric, 3, i % 1000 = 0)',
	'scan_ema_corr(i, i % 7, 0.1)', 'scan_counter(i % 1000 * 1e40, 1e44)',
	'scan_integral(i, i)', 'scan_integral(i, i::numeric)',
	'scan_compact_index(i % 2 = 0)',
	'scan_clamped_sum(i % 7 - 3, 0, 1000)', 'scan_clamped_sum(i % 7 - 3.5, 0, 1000)',
	'scan_change(i / 3)', 'scan_change((i / 3)::text)', 'scan_counter(i % 1000)', 'scan_counter(i % 1000 / 7.0)',
	'scan_counter(i % 1000 * 1e40)', 'scan_bin(i % 100, 300)', 'scan_bin(i % 100 * 1e40, 3e42)',
	'scan_session(i, 2)', 'scan_session(i::numeric, 2)',
	q{scan_session('2000-01-01'::timestamptz + i * interval '1 minute', '2 minutes')},
	q{scan_state(i % 2, '{{0,1},{1,0}}')}, 'scan_carry(i % 2 = 0, i % 3 = 0)',
	q{scan_matrix_product('{{0,1,0},{0,0,1},{1,0,0}}')},
	q{scan_fold(i, 'int4larger(int4,int4)')}, q{scan_fold(i::numeric, 'numeric_add(numeric,numeric)')},
	q{scan_fold(md5(i::text), 'text_larger(text,text)', i % 1000 = 0, true)},
	q{scan_fold(i::text, 'textcat(text,text)', init => 'x'::text, reset => i % 50 = 0)},
	'scan_cost(CASE WHEN i % 3 > 0 THEN 1 ELSE -2 END, i)',
	q{scan_cost(CASE WHEN i % 3 > 0 THEN 1e30 ELSE -2e30 END, i * 1e20, 'lifo')},
	q{scan_cost(CASE WHEN i % 3 > 0 THEN 1 ELSE -2 END, i, 'average')},
	'scan_cost(CASE WHEN i % 100 = 99 THEN -1e30 ELSE 1e30 END, i, reset => i % 100 = 0)')
{
	my $growth = growth($call);

	# what a backend gives back, and when, differs by some kB from one to the next
	$growth = growth($call) if $growth >= $bound;
	cmp_ok($growth, '<', $bound, "$call: $growth kB");
}

# These look ahead, by PrefixScan to the end of the partition: of the rows they have read, 8 to 14 bytes each stay in
# memory up to work_mem, and go to disk beyond.
for my $call (
	q{scan_nocb(CASE WHEN i % 3 = 0 THEN repeat('x', i % 200) END)},
		q{scan_lead(CASE WHEN i % 3 = 0 THEN repeat('x', i % 200) END, 20)},
	q{scan_match('a b* c', i % 3 = 0, i % 5 > 0, i % 7 = 0)}, q{scan_match_variable('a b', i % 3 = 0, i % 3 = 1)},
	'scan_compact(md5(i::text), i % 2 = 0)', 'scan_split_index(i % 2 = 0)',
	'scan_interpolate(CASE WHEN i % 3 = 0 THEN i END, i)',
	'scan_interpolate(CASE WHEN i % 3 = 0 THEN i END, i::numeric)')
{
	my $growth = growth($call, work_mem => '1MB');
	cmp_ok($growth, '<', $bound, "$call, work_mem 1MB: $growth kB");
}

# Aggregates over a moving frame keep its rows, and nothing of those that have left it.
for my $call ('moving_median(i)', 'moving_median(-i::float8)', 'moving_percentile_cont(hashint4(i), 0.9)',
	'moving_percentile_cont(i / 7.0, 0.3)', 'exact_sum(i)', 'exact_avg(i / 7.0)',
	q{moving_median(i * interval '1 second')},
	'moving_percentile_disc(md5(i::text), 0.5)', 'moving_mode(md5((i % 10)::text))', 'moving_mode(hashint4(i))',
	'moving_count_distinct(md5((i / 2)::text))',
	'exact_sum(power(2::float8, i % 2000 - 1000))', 'exact_stddev_samp(power(2::float8, i % 800 - 400))',
	'exact_corr(power(2::float8, i % 800 - 400), i)', 'exact_kurtosis(power(2::float8, i % 800 - 400))',
	'exact_kurtosis(i / 7.0)', 'exact_weighted_avg(i / 7.0::float8)',
	'exact_product(1 + i % 9 / 1e5::float8)', 'exact_product(i % 9 + 1)', 'moving_arg_min(i::text, hashint4(i))',
	'moving_last(i, md5(i::text))', 'moving_rank(md5(i::text))', 'time_average(power(2::float8, i % 2000 - 1000), i)')
{
	my $growth = growth($call, over => 'ROWS 99 PRECEDING', work_mem => '1MB');
	cmp_ok($growth, '<', $bound, "$call over 100 rows: $growth kB");
}

# Of 20000 values ever more come evenly from where all values came from once, one for 60 of those:
# the nodes of the tree that they are in must not stay as many as they were.  The frame is longer,
# so that one has come before the one in its place leaves.
my $sparse = 'CASE WHEN i % 20000 < i / 20000 * 333 THEN i % 20000 / 333 + (i % 333) / 333.0 '
	. 'ELSE i / 20000 + (hashint4(i) % 100000 + 100000) / 200000.0 END';
my $growth = growth("moving_median($sparse)", over => 'ROWS 24999 PRECEDING', rows => 1_000_000);
# The argument may fail, so its values are kept beside those of two blocks: 2 MB that 20,000 rows do not need, and four
# million rows no more of.
cmp_ok($growth, '<', $bound + 4 * 1024, "a tree that gets sparse: $growth kB");

# Nor does anything of a partition outlive it: as many partitions as rows.
for my $call (
	'exact_var_pop(1e10 / i)', 'scan_sum(i)', 'scan_sum(1e10 / i)', 'scan_sum(i::numeric)', 'scan_min(i::text)',
		'scan_locf(i::text)', 'scan_compact(i::text, true)', 'scan_split_index(true)',
	'scan_clamped_sum(i::numeric, 0, 100)', q{scan_session(i::numeric, 1)}, q{scan_state(0, '{{0,1},{1,0}}')},
	q{scan_matrix_product('{{0,1},{1,0}}')},
	q{scan_fold(i::numeric, 'numeric_add(numeric,numeric)')},
	'moving_median(i)', 'moving_mode(i::text)', 'exact_weighted_avg(i::float8)', 'moving_arg_max(i::text, i::text)',
	'moving_rank(i::text)', 'exact_product(i::numeric)', 'exact_product(i::float8)',
	q{scan_fold(i, (CASE i % 2 WHEN 0 THEN 'int4larger(int4,int4)' ELSE 'int4smaller(int4,int4)' END)::regprocedure)})
{
	my $growth = growth($call, over => 'PARTITION BY i', work_mem => '1MB');
	cmp_ok($growth, '<', $bound, "$call, a partition a row: $growth kB");
}

# PrefixScan's large arrays go back to the system when the session is idle, or does something
# else: what stays mapped counts as committed, used or not.  An error ends a query as well.
# But they serve the query that follows at once.
sub sorted
{
	my ($rows, $end) = @_;
	return "SELECT count(y$end) FROM (SELECT scan_sum(i) OVER (ORDER BY -i) AS y "
		. "FROM generate_series(1, $rows) AS i OFFSET 0) AS t;\n";
}

# A file of the session in /proc, read by another one at once, or by itself.
sub told
{
	my ($by, $name, $file, $pattern) = @_;
	my $read = sub { "SELECT '$name', (regexp_match(pg_read_file('/proc/$_[0]/$file'), '$pattern'))[1]" };

	return $read->('self') . ";\n" if $by eq 'itself';
	return '\setenv SCAN_PID :pid'
		. "\n\\! $Server::psql -XAtq -d $server->{database} -v pid=\$SCAN_PID -f $folder/$name.sql\n"
		if write_file("$folder/$name.sql", $read->(q{' || :'pid' || '}) . ";\n");
}

sub write_file
{
	my ($path, $text) = @_;
	open my $file, '>', $path or die "$path: $!";
	print $file $text;
	close $file or die "$path: $!";
	return 1;
}

# core's own memory for generate_series() stays small: glibc keeps tens of megabytes of it, or not
my $start = "SET jit = off; SET work_mem = '1MB'; SET scan.prefixscan = force; SELECT pg_backend_pid() AS pid \\gset\n";
my $mapped = 'VmData:\s*(\d+)';
for my $end ('', ' + 1 / (y - y)')
{
	my $many = sorted(2_000_000, $end);
	my ($out) = $server->run($start . sorted(20000, $end) . told('itself', 'before', 'status', $mapped)
		. $many . told('itself', 'after', 'status', $mapped) . $many . "\\! sleep 1\n"
		. told('another', 'idle', 'status', $mapped), go_on => 1);
	my %kB = $out =~ /^(before|after|idle)\|(\d+)$/mg;
	my $name = $end eq '' ? 'a sort' : 'a sort that fails';

	cmp_ok($kB{after} - $kB{before}, '<', 20 * 1024, sprintf '%s: the next query that has no window finds %d kB', $name,
		$kB{after} - $kB{before});
	cmp_ok($kB{idle} - $kB{before}, '<', 20 * 1024, sprintf '%s: an idle session keeps %d kB', $name,
		$kB{idle} - $kB{before});
}
{
	my $many = sorted(2_000_000, '');
	my $touched = sub {
		my ($out) = $server->run($start . sorted(20000, '') . told('another', 'before', 'stat', '^(?:\S+ ){9}(\d+)')
			. $_[0] . told('another', 'after', 'stat', '^(?:\S+ ){9}(\d+)'));
		my %pages = $out =~ /^(before|after)\|(\d+)$/mg;
		return $pages{after} - $pages{before};
	};
	my ($together, $apart) = map { $touched->($_) } "$many$many", "$many\\! sleep 1\n$many";

	# the sort takes 34 MB, the series below it, which is core's, several times as much each time
	cmp_ok($apart - $together, '>', 5_000, "two sorts touch $together new pages, $apart with a pause between them");
}

# Where the process may have no more addresses, a temporary file cannot be mapped: that is a lack of memory, as any
# other that core reports, and none of the disk.
SKIP:
{
	skip 'there is no prlimit on this machine', 2 if system('prlimit --version >/dev/null 2>&1') != 0;
	# root without all of root's rights may limit only what is its own
	my $limit = q{owner=$(stat -c %u /proc/$SCAN_PID); as=; [ $(id -u) = $owner ] || as="setpriv --reuid=$owner }
		. q{--regid=$(stat -c %g /proc/$SCAN_PID) --clear-groups"; } . q{$as prlimit --pid $SCAN_PID }
		. q{--as=$(($(sed -nE 's/^VmSize:[^0-9]*([0-9]+) kB/\1/p' /proc/$SCAN_PID/status) * 1024 + 30000000))};
	my $query = sub { "SELECT sum(s) FROM (SELECT sum(i) OVER (ORDER BY i DESC ROWS 2000000 PRECEDING) AS s "
		. "FROM generate_series(1, $_[0]) AS i) AS t;\n" };
	my ($out) = $server->run("LOAD 'scan'; SET jit = off; SET scan.work_mem = '64kB'; SET scan.prefixscan = force;\n"
		. $query->(1000) . "SELECT pg_backend_pid() AS pid \\gset\n\\setenv SCAN_PID :pid\n\\! $limit\n"
		. $query->(2_000_000) . "\\echo :SQLSTATE :LAST_ERROR_MESSAGE\n" . $query->(1000), go_on => 1);
	my ($before, $error, $after) = split /\n/, $out;

	like($error, qr/^53200 could not reserve a temporary file of \d+ bytes: /,
		'a map that the process has no addresses for');
	is($after, $before, 'and the session goes on');
}

# Windows of a query that sort share its memory.
$server->lines('CREATE TABLE orders AS SELECT i, hashint4(i) AS a, hashint4(i + 1) AS b, hashint4(i + 2) AS c, '
	. 'hashint4(i + 3) AS d FROM generate_series(1, 500000) AS i; ANALYZE orders');
sub peak_of
{
	my @over = map { "sum(i) OVER (ORDER BY $_)" } @_;
	my $peak = q{SELECT 'peak ' || (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+)'))[1];};
	my $query = 'SELECT count(*) FROM (SELECT ' . join(', ', map { "$over[$_] AS x$_" } 0 .. $#over)
		. ' FROM orders OFFSET 0) AS s WHERE ' . join(' + ', map { "x$_" } 0 .. $#over) . ' IS NOT NULL;';
	my ($before, $after) = map { /^peak (\d+)/ ? $1 : () }
		$server->lines("LOAD 'scan'; SET jit = off; SET max_parallel_workers_per_gather = 0; "
		. "SET scan.prefixscan = force; SET scan.work_mem = '16MB'; SELECT count(*) FROM orders; $peak $query $peak");
	return $after - $before;
}
my ($one, $four) = (peak_of('a'), peak_of('a' .. 'd'));
cmp_ok($four, '<', $one + 12 * 1024, "four windows: $four kB, one: $one kB");

done_testing();
