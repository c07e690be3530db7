# device_value.t: a device that answers as it should, but for one value: whatever travels,
# many times over, each time something else is wrong (gpu/fault.c).  A number may then be a
# wrong one; nothing is written where it should not be, and no query fails for a reason of
# the server's.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Time::HiRes qw(sleep);
use Cluster;

# SCAN_VALUE_ROUNDS: more of them, for a day when something is hunted for
my $rounds = $ENV{SCAN_VALUE_ROUNDS} // 12;

my $cluster = Cluster->new(<<'CONF');
shared_preload_libraries = 'scan'
scan.gpu_library = 'scan_mock'
scan.gpu_slot_size = '64kB'
scan.gpu_timeout = '60s'
CONF
my $server = $cluster->{server};

sub status
{
	my ($columns) = @_;
	return $server->value("SELECT concat_ws('|', $columns) FROM scan_status");
}
for (1 .. 200) { last if status('state') eq 'ready'; sleep 0.1 }
is(status('state'), 'ready', 'the mock device is ready');
my $since = $server->value('SELECT pg_postmaster_start_time()');

$server->lines(<<'SQL');
CREATE TABLE row AS
  SELECT i, i % 7 AS p, (1000 * sin(i))::int2 AS int2, (1e5 * sin(i))::int4 AS int4, (1e9 * sin(i))::int8 AS int8,
         sin(i)::float4 AS float4, sin(i) * 1e10 AS float8, CASE WHEN i % 10 > 0 THEN i END AS holes, i % 3 = 0 AS flag,
         i % 100 = 0 AS again, 0.5 + 0.4 * cos(i) AS a, make_interval(mins => i) AS span, date '2000-01-01' + i AS date,
         time '00:00' + make_interval(secs => i) AS time, timestamp '2000-01-01' + make_interval(hours => i) AS stamp
  FROM generate_series(1, 9000) AS i;
-- of three batches and more, and of few rows, where the one that is wrong is every one in turn
CREATE TABLE long AS
  SELECT array_agg(int2) AS int2, array_agg(int4) AS int4, array_agg(int8) AS int8, array_agg(float4) AS float4,
         array_agg(float8) AS float8, array_agg(holes) AS holes, array_agg(flag) AS flag, array_agg(again) AS again,
         array_agg(a) AS a, array_agg(span) AS span, array_agg(date) AS date, array_agg(time) AS time,
         array_agg(stamp) AS stamp,
         array_agg(i::int8 << 40) AS wide, repeat('01101111', 40000)::varbit AS bits,
         repeat('1', 300000)::varbit AS ones
  FROM row;
CREATE TABLE short AS
  SELECT int2[:5], int4[:5], int8[:5], float4[:5], float8[:5], holes[5:12], flag[:5], again[:5],
  a[:5], span[:5], date[:5],
         time[:5], stamp[:5], wide[:5], B'0110111101' AS bits, B'11111111' AS ones
  FROM long;
SQL

# ---- everything that travels

my @arrays = map { ("array_scan_sum($_)", "array_scan_sum($_, exclusive => true)", "array_scan_min($_)",
	"array_scan_max($_, again)") } qw(int2 int4 int8 float4 float8);
push @arrays,
	map { ("array_scan_bit_and($_)", "array_scan_bit_or($_, again)", "array_scan_bit_xor($_, exclusive => true)",
	"array_scan_clamped_sum($_, -50, 70, 3)", "array_radix_sort($_)") } qw(int2 int4 int8);
push @arrays, map { ("array_scan_min($_)", "array_scan_max($_, exclusive => true)") } qw(date time stamp);
push @arrays, map { ("array_compact($_, flag)", "array_split($_, flag)") } qw(int2 int4 int8 span flag);
push @arrays, ('array_scan_sum(span)', 'array_scan_sum(span, again, true)',
	'array_scan_clamped_sum(float8, -1e10, 1e20, 0.5, again)',
	'array_scan_count(flag)', 'array_scan_count(flag, again, true)', 'array_scan_bool_and(flag)',
	'array_scan_bool_or(flag, again, true)',
	'array_scan_recurrence(a, float8, 1)', 'array_scan_recurrence(a, float8, 1, again)', 'bit_add(bits, ones)',
	'bit_add(ones, ones)',
	'tridiagonal_solve(a, array_scan_sum(a), a, float8)', 'array_radix_sort(wide)',
	'array_radix_sort(array_split(wide, flag))',
	# what is wrong goes on to be an argument
	'array_compact(int4, array_scan_bool_or(flag, again))', 'array_split(float8, array_scan_bool_and(flag))',
	'array_scan_count(array_scan_bool_or(flag))',
	'csr_multiply(array_scan_sum(array_fill(1, ARRAY[5]), exclusive => true), ARRAY[0,1,2,3], a[:4], a)');
# NULLs in, and so out
push @arrays, ('array_scan_sum(CASE WHEN cardinality(holes) > 100 THEN holes[:5000] ELSE holes END)',
	'array_scan_max(holes)', 'array_radix_sort(holes)', 'array_scan_sum(holes, exclusive => true)');
my $w = 'OVER (PARTITION BY p ORDER BY i)';
my @windows = map { ("scan_sum($_, again) $w", "scan_sum($_, exclusive => true) $w") }
	qw(int2 int4 int8 float4 float8 holes);
push @windows, map { ("scan_bit_and($_) $w", "scan_bit_or($_, again) $w", "scan_bit_xor($_) $w",
	"scan_clamped_sum($_, -50, 70, 3, again) $w") } qw(int2 int4 int8);
push @windows, map { "$_ $w" } ('scan_count(flag)', 'scan_bool_and(flag, again)', 'scan_bool_or(flag)',
	'scan_compact_index(flag)', 'scan_carry(flag, again)', 'scan_clamped_sum(float8, -1e10, 1e20, 0.5, again)',
	'scan_recurrence(a, float8, 0, again)', 'scan_ema(float8, 0.3)',
	'scan_ema(float8, 0.05, adjust => true)', "scan_recurrence(ARRAY[a / 2, 0.25], float8, '{0,0}', again)",
	"scan_recurrence(ARRAY[0.4, -0.3], float8, '{0,0}')");
# frames of floats that move
push @windows, map {
	my $f = $_;
	map {
		my $x = $_;
		map { "$f($x) OVER (PARTITION BY p ORDER BY i $_)" } 'ROWS 40 PRECEDING',
			'RANGE BETWEEN 90 PRECEDING AND 50 FOLLOWING'
	} qw(float4 float8)
}
  qw(sum avg var_pop stddev_samp);
# sorts
push @windows, ('row_number() OVER (PARTITION BY int2 % 5 ORDER BY float8 DESC, i)',
	'dense_rank() OVER (PARTITION BY flag ORDER BY md5((i % 50)::text))', 'lag(span) OVER (ORDER BY float8)',
	'scan_sum(int4) OVER (ORDER BY int8)');

# ---- and what comes of it

my (%states, @surprises);
sub tried
{
	my ($from, @expressions) = @_;
	my $script = "LOAD 'scan'; SET scan.prefixscan = force; SET scan.device = gpu; SET scan.mock_fault = value;\n"
		. "\\set VERBOSITY sqlstate\n";
	$script .= "SELECT '$_: ' || md5(string_agg(coalesce(y::text, '-'), ' ')) "
		. "FROM (SELECT $expressions[$_] AS y FROM $from OFFSET 0) AS t;\n" for 0 .. $#expressions;
	my ($out, $err) = $server->run($script, go_on => 1);
	for (split /\n/, $err)
	{
		my ($at, $state) = /:(\d+): ERROR:\s+(\w{5})$/ or next;
		$states{$state}++;
		push @surprises, "$state: $expressions[$at - 3]" unless $state =~ /^22/;
	}
	push @surprises, $err =~ /(.*(?:closed|lost|terminat|recovery).*)/ if $err =~ /closed|lost|terminat|recovery/;
	my $errors = () = $err =~ /ERROR:/g;
	my $answers = () = $out =~ /^\d+: /mg;
	return $errors + $answers == @expressions;
}

my $jobs = status('jobs');
for my $round (1 .. $rounds)
{
	ok(tried('long', @arrays), "long arrays, round $round: an answer or an error each");
	ok(tried('short', @arrays), "short arrays, round $round") for 1 .. 3;
	ok(tried('row', @windows), "windows, round $round");
	last if @surprises > 100;
}
is(join("\n", @surprises), '', 'no error but of data');
diag(join ', ', map { "$_: $states{$_}" } sort keys %states);
cmp_ok(status('jobs') - $jobs, '>', 100 * $rounds, 'the device was at it');
is(status('free_slots'), status('slots'), 'no slot is left behind');
is($server->value('SELECT pg_postmaster_start_time()'), $since, 'it still is the same server');
unlike($cluster->log, qr/terminated by signal|reinitializing|PANIC|TRAP|Sanitizer/, 'and it was never restarted');

done_testing();
