# parallel.t: PrefixScan in several processes: the rows of WindowAgg, however many come, stop or fail.
#
# The windows are random, the same for a seed; their order is total, since rows that tie may come in any
# order in a parallel plan.
#
#   SCAN_TEST_QUERIES=20000 SCAN_TEST_SEED=7 SCAN_TEST_ROWS=1500 test/cluster.sh prove -v test/t/parallel.t
use strict;
use warnings;
no warnings "qw";
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;
use Server;
use Time::HiRes qw(sleep);

my $count = $ENV{SCAN_TEST_QUERIES} // 150;
my $seed = $ENV{SCAN_TEST_SEED} // 20261123;
my $rows = $ENV{SCAN_TEST_ROWS} // 6000;
my $server = Server->new('parallel');

my $tables = <<"SQL";
CREATE COLLATION either (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE AGGREGATE inexact(float8)
  (sfunc = float8pl, stype = float8, msfunc = float8pl, minvfunc = float8mi, mstype = float8, parallel = safe);
CREATE FUNCTION unlabelled(int4, int4) RETURNS int4 LANGUAGE internal AS 'int4larger';
CREATE FUNCTION leaders(int4, int4) RETURNS int4 LANGUAGE internal PARALLEL RESTRICTED AS 'int4larger';
CREATE TYPE mood AS ENUM ('bad', 'fair', 'good');
-- keys of equal values that differ, of many partitions and of few, and one that no process shares
CREATE TABLE t AS SELECT i AS id, hashint4(i) AS h, CASE WHEN i % 11 > 0 THEN hashint4(i) % 7 END AS few,
  hashint4(i) % 900 AS many, 1 AS one, i % 3 = 0 AS b,
  CASE WHEN i % 13 > 0 THEN (CASE WHEN i % 2 = 0 THEN 'key' ELSE 'KEY' END || hashint4(i) % 40) COLLATE either END
  AS nd, 'text ' || repeat('x', i % 40) || hashint4(i) % 50 AS t,
  CASE i % 3 WHEN 0 THEN 1 WHEN 1 THEN 1.0 ELSE 1.00 END * (hashint4(i) % 20) AS n,
  CASE i % 5 WHEN 0 THEN '-0' WHEN 1 THEN '0' WHEN 2 THEN 'NaN' ELSE (hashint4(i) % 9)::text END::float8 AS f,
  CASE WHEN i % 2 = 0 THEN interval '1 month' ELSE '30 days' END * (hashint4(i) % 5) AS iv,
  (ARRAY['bad', 'fair', 'good']::mood[])[1 + i % 3] AS e, ARRAY[i % 4, hashint4(i) % 3] AS ar,
  date '2026-01-01' + hashint4(i) % 30 AS dt, CASE WHEN i % 7 > 0 THEN hashint4(i) % 1000 END AS i4,
  hashint4(i * 3)::int8 * 1000007 AS i8, timestamp '4000-01-01 BC' + hashint4(i) % 86400 * interval '1 second' AS old,
  CASE WHEN i % 10 > 0 THEN hashint4(i) / 7.0::float8 END AS f8
FROM generate_series(1, $rows) AS i;
CREATE TABLE big AS SELECT i AS id, hashint4(i) % 1000 AS p, hashint4(i * 7) AS v FROM generate_series(1, 300000) AS i;
CREATE TABLE none AS SELECT * FROM t LIMIT 0;
VACUUM ANALYZE t, big, none;
SQL
$server->lines($tables);
my $parallel = "LOAD 'scan'; SET scan.prefixscan = force; SET scan.parallel = on; "
	. "SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	. "SET min_parallel_table_scan_size = 0; SET jit = off;\n";

# What each query answers in one session, its SQLSTATE, and whether the plan has a PrefixScan that deals rows.
sub answers
{
	my ($settings, @queries) = @_;
	my $script = $settings . join '',
		map { "\\echo === \nEXPLAIN (COSTS off) $_;\n\\echo ---\n$_;\n\\echo :SQLSTATE\n" } @queries;
	my ($out, $err) = $server->run($script, go_on => 1);
	my @parts = split /^=== ?\n/m, $out;

	shift @parts;
	return map {
		my ($plan, $answer) = split /^---\n/m;
		{ plan => $plan, answer => $answer, deals => scalar(() = $plan =~ /Parallel Custom Scan \(PrefixScan\)/g) }
	} @parts;
}

# What core answers, by query.  Core runs each query once, since core's settings are the same in all calls of same().
my %of_core;

sub same
{
	my ($name, $settings, $deals, @queries) = @_;
	my @new = grep { !$of_core{$_} } @queries;
	@of_core{@new} = answers("SET max_parallel_workers_per_gather = 0; SET jit = off;\n", @new);
	my @core = @of_core{@queries};
	my @ours = answers($parallel . $settings, @queries);
	my @wrong = grep { ($ours[$_]{answer} // 'none') ne $core[$_]{answer} } 0 .. $#queries;

	is(scalar @ours, scalar @core, "$name: all are answered");
	is(scalar @wrong, 0, "$name: the rows of WindowAgg") or diag(map { "$queries[$_]\n   core $core[$_]{answer}   ours "
			. ($ours[$_]{answer} // 'none') . ($ours[$_]{plan} // '') } @wrong[ 0 .. ($#wrong < 4 ? $#wrong : 4) ]);
	my $parallel = grep { $_->{deals} > 0 } @ours;
	cmp_ok($parallel, '>=', $deals * @queries, "$name: $parallel of " . @queries . ' in several processes');
	return @ours;
}

sub one_of { return $_[ int rand @_ ] }

sub all_rows
{
	my ($query) = @_;
	return "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r.id, r::text)) FROM ($query) AS r";
}

my @keys = ('few', 'many', 'nd', 'n', 'f', 'iv', 'e', 'ar', 'dt', 'b', 'one', 'few, b', 'nd, n', 'many, e', 't',
	'id % 50', 'few + many');
my @calls = (qw/row_number() rank() dense_rank() ntile(3) cume_dist() percent_rank() lag(t) lead(i8,2) first_value(t)
		last_value(n) nth_value(i4,3) count(*) sum(i4) sum(i8) avg(i4) sum(f8) avg(f8) min(t) max(n) max(i4)/,
	qw/sum(n) avg(n) bool_or(b) string_agg(t,',') stddev(f8) scan_sum(i8) scan_sum(f8) scan_ema(f8,0.5) scan_max(i4)
		exact_sum(f8) exact_corr(f8,i4) moving_median(f8) scan_sum(i4) exact_sum(i4) exact_avg(n) exact_var_pop(i8)
		moving_median(i8)/);
push @calls, "scan_fold(i4, 'int4larger(int4,int4)')", "scan_fold(t, 'textcat(text,text)', b)",
	"scan_fold(i4, 'int84pl(int8,int4)', init => 7::int8)",
	"scan_cost(CASE WHEN id % 3 = 0 THEN -1 ELSE 1 + id % 5 END, i4)";
push @calls, "scan_match('a b* c', b, i4 > 300, i4 < 100)", "scan_match_variable('(a | b)+', b, i4 > 300)",
	'scan_nocb(t)', 'scan_nocb(i4, 3, b)', 'scan_interpolate(nullif(i4, i4 / 2 * 2), 1)', 'scan_locf(t, 1, 0)',
	'scan_integral(f8, 1)', 'scan_lag(t, 3)', 'scan_lag(i4, 300, b)', 'scan_lead(t, 3, b)',
	'scan_ema_corr(f8, i4, 0.1)', 'scan_counter(abs(i4), 2147483648)';
my @frames = ('', '', '', 'ROWS 5 PRECEDING', 'ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING',
	'ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'ROWS BETWEEN 7 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW',
	'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING');

# One partition, or few: ranges of its order, each of which goes on from where the one before ends.  Of some all rows
# are looked at whose order is total; of those that are alike for peers, in which there are ties, too.
my @going = (qw/row_number() lag(t) lag(i8,7) lag(iv,40) first_value(t) nth_value(iv,4) nth_value(t,4000)
		max(t) min(n) max(n) array_agg(few) string_agg(few::text,',')/, 'scan_sum(i8, exclusive => true)',
	'scan_sum(f8)', 'scan_sum(f8, b)', 'scan_count(b)', 'scan_bit_xor(i8, reset => i4 < 20)',
	'scan_clamped_sum(i4 - 500, 0, 3000)', 'scan_ema(f8, 0.1)', 'scan_ema(f8, 0.001, adjust => true)',
	'scan_ema(i4, 0.5, reset => i4 = 77)', 'scan_recurrence(0.9999, f8)', 'scan_recurrence(i4 / 500.0::float8, 1e-300)',
	'scan_recurrence(ARRAY[0.5, 0.499]::float8[], f8, ARRAY[1, 2]::float8[])',
	'scan_clamped_sum(f8, -1e9, 1e9)', 'scan_min(t)', 'scan_max(n, b)', 'scan_min(iv, exclusive => true)',
	'scan_locf(i4)', 'scan_locf(t, 3)', 'scan_session(h, 10)', 'scan_locf(nullif(n, 3), 1.5, 0)',
	"scan_locf(nullif(t, 'x'), timestamptz '2024-01-01', interval '1 day', b)", 'scan_integral(f8, 1)',
	'scan_integral(f8, 1.5, reset => b)', 'scan_change(i4)', 'scan_change(t)', 'scan_change(n, b)',
	'scan_change(few)', 'scan_change(ROW(few, b))', 'scan_change(f8)', 'scan_counter(i4)', 'scan_counter(f8)',
	'scan_counter(f8, b)', 'scan_counter(n)', 'scan_counter(n * 1e30, b)', 'scan_bin(abs(i4), 3000)',
	'scan_bin(abs(f8), 1e9, true)', 'scan_bin(abs(n), 100)', 'scan_bin(abs(n) * 1e30, 1e34, true, b)',
	'scan_session(n, 3)', "scan_session(dt, '2 days')", 'scan_sum(n)', 'scan_sum(n * 1e30, b)',
	'scan_sum(n, exclusive => true)', 'scan_product(i4 % 3 - 1)', "scan_state(id % 2, '{{1,0},{2,1},{0,2}}', 0)",
	'scan_recurrence(0.5::numeric, n)', 'scan_clamped_sum(n, 0, 100)', 'scan_bit_or(i4::bit(32))',
	'scan_locf(i4, CASE WHEN h < 2000000000 THEN 3 ELSE 4 END)', 'scan_locf(i4, CASE WHEN id < 5000 THEN 3 END)',
	'scan_bool_or(b, b, true)', 'scan_sum(iv)');
my @for_peers = ('rank()', 'dense_rank()', 'count(*)', 'count(i4)', 'sum(i4)', 'sum(i8)', 'avg(i4)', 'avg(i8)',
	'min(i8)', 'max(dt)', 'max(f8)', 'sum(n)', 'avg(n)', 'sum(n * 1e30)', 'stddev(i4)', 'exact_sum(f8)',
	'exact_avg(f8)', 'exact_sum(i4)', 'exact_avg(i8)', 'exact_sum(n)', 'exact_var_pop(i4)', 'exact_regr_slope(f8, i4)',
	'sum(CASE WHEN few = 3 THEN n / 0.7e-300 END)', 'bool_or(b)', 'bit_xor(i8)', 'sum(i8) FILTER (WHERE b)',
	'count(*) FILTER (WHERE i4 > 900)', 'min(i4)');
my @in_order = ('max(iv)', 'time_average(f8, 1)', 'last_value(few)', 'corr(i4, few)', 'stddev(f8)', 'corr(f8, i4)',
	'sum(iv)', "sum(CASE WHEN id % 3000 = 1 THEN 'Infinity' WHEN id % 4000 = 1 THEN '-Infinity' ELSE n END)", 'min(f)',
	'sum(f8)', 'avg(f8)', 'sum(f8) FILTER (WHERE b)', 'avg(f8) FILTER (WHERE i4 < 100)');
my @orders = ('', 'few', 'few DESC', 'i4 NULLS FIRST', 'i4 DESC NULLS LAST', 'h', 'h DESC', 'f', 'f DESC', 'dt',
	'b DESC', 't', 'nd', 'n DESC', 'iv', 'e', 'ar', 'i8', 'f8', 'one', 'many, few DESC');

sub ordered_query
{
	my $from = one_of('t', 't', 't', 't', 't', 't WHERE i4 > 0', 't WHERE id < 40', 't WHERE id = 7', 'none',
		'(SELECT a.*, b.v FROM t AS a JOIN big AS b USING (id)) AS t');
	my $total = rand() < 0.7;
	my @keys = (one_of(@orders), $total ? 'id' . one_of('', ' DESC') : one_of('', '', 'b'));
	my $keys = join(', ', grep { $_ ne '' } @keys) || 'id';
	my $frame = $total ? one_of('', '', 'ROWS UNBOUNDED PRECEDING') : '';
	my @calls = map { $total ? one_of(@going, @for_peers, @in_order) : one_of(@for_peers) } 1 .. one_of(1, 2, 3);
	my $partition = one_of('', '', 'PARTITION BY few', 'PARTITION BY b, one', 'PARTITION BY e', 'PARTITION BY one');
	my @shown = map { "$_ OVER ($partition ORDER BY $keys " . (/scan_/ ? '' : $frame) . ') AS x' . int rand 1e9 }
		@calls;

	return all_rows('SELECT id, ' . one_of('', 't, ', 'few, n, ') . join(', ', @shown) . " FROM $from");
}

# The same with frames that move, which look at rows of the ranges beside their own, or beyond these.
my @framed = (qw/count(*) count(i4) sum(i4) sum(i8) avg(i8) sum(f8) avg(f8) stddev(f8) sum(n) avg(n) min(t) max(n)
	max(i4) min(f8) bit_or(i8) bool_and(b) first_value(t) last_value(i8) nth_value(t,3) array_agg(few) string_agg(t,',')
	exact_sum(f8) exact_avg(f8) exact_stddev_samp(f8) exact_sum(i4) exact_avg(n) exact_var_pop(i8) moving_median(i4)
	exact_corr(f8,i4) exact_covar_samp(i4,few) moving_median(f8) sum(iv) max(iv) corr(f8,i4)/,
	'sum(i4) FILTER (WHERE b)', 'max(t) FILTER (WHERE i4 > 500)');
my @unframed = ('row_number()', 'lag(t, 9)', 'lead(i8, 2)', 'lead(t, 300)', 'rank()', 'scan_sum(i8)',
	'scan_ema(f8, 0.2)');

sub bounds
{
	my ($offset) = @_;
	my @bounds = sort { $a->[0] <=> $b->[0] } map {
		my $n = $offset->();
		one_of([ -$n->[0], "$n->[1] PRECEDING" ], [ -$n->[0], "$n->[1] PRECEDING" ], [ 0, 'CURRENT ROW' ],
			[ $n->[0], "$n->[1] FOLLOWING" ])
	} 1, 2;

	return "BETWEEN $bounds[0][1] AND $bounds[1][1]";
}

sub framed_query
{
	my $from = one_of('t', 't', 't', 't', 't WHERE i4 > 0', 't WHERE id < 40', 't WHERE id = 7', 'none');
	my $number = sub { my $n = one_of(0, 1, 2, 3, 10, 100, 250, 251, 900); [ $n, $n ] };
	my ($keys, $frame) = (one_of('few, ', 'few DESC, ', 'f, ', 't, ', 'nd, ', 'h, ', '', '') . 'id',
		'ROWS ' . bounds($number));
	my @range = (
		[ [ 'id', 'id DESC', 'h % 3000', 'i4 NULLS FIRST', 'i4 DESC', 'h DESC', 'i4' ], sub {
			my $n = one_of(0, 1, 5, 50, 400, 1000000);
			[ $n, $n ];
		} ],
		[ [ 'dt', 'dt DESC', 'old', 'old DESC' ], sub { my $n = one_of(0, 1, 7, 60, 1000); [ $n, "'$n hours'" ] } ],
		[ [ 'f8', 'f8 DESC NULLS FIRST', 'n', 'n DESC' ], sub { my $n = one_of(0, 1.5, 2, 1e7); [ $n, $n ] } ]);

	($keys, $frame) = do {
		my $r = one_of(@range);
		(one_of(@{ $r->[0] }), 'RANGE ' . bounds($r->[1]))
	} if rand() < 0.35;
	($keys, $frame) = (one_of('dt, few', 'few, b', 'i4', 'h % 500', 'id'), 'GROUPS ' . bounds(sub {
		my $n = one_of(0, 1, 2, 5, 20);
		[ $n, $n ];
	})) if rand() < 0.2;
	# of ties, the order counts
	my $timed = $keys eq 'id' ? 'time_average(f8, id)' : $keys =~ /^(few|h), id$/
		? "time_average(f8, $1, 'previous')" : undef;
	my $exclude = one_of('', '', '', '', 'EXCLUDE CURRENT ROW', 'EXCLUDE GROUP', 'EXCLUDE TIES');
	my @calls = $frame =~ /ROWS/ ? map { rand() < 0.2 ? one_of(@unframed) : one_of(@framed) }
		1 .. one_of(1, 2, 3) : map { one_of('count(*)', 'sum(i4)', 'sum(i8)', 'avg(i8)', 'min(i8)', 'max(dt)',
			'sum(n)', 'exact_sum(f8)', 'exact_var_pop(f8)', 'exact_regr_intercept(f8, i4)', 'bool_or(b)', 'count(i4)',
			'max(i4) FILTER (WHERE b)', 'rank()', 'moving_median(f8)', 'bit_xor(i8)') } 1 .. one_of(1, 2);
	my $partition = one_of('', '', '', 'PARTITION BY few', 'PARTITION BY b', 'PARTITION BY one');
	push @calls, $timed if defined $timed && rand() < 0.3;
	my @shown = map { "$_ OVER ($partition ORDER BY $keys " . (/scan_/ ? '' : "$frame $exclude") . ') AS x'
		. int rand 1e9 } @calls;

	return all_rows('SELECT id, ' . one_of('', 't, ', 'few, n, ') . join(', ', @shown) . " FROM $from");
}

sub query
{
	my $from = one_of('t', 't', 't', 't', 't', 't', 't WHERE i4 > 0', 't WHERE i4 > 0', 't WHERE id < 40', 'none',
		'(SELECT a.*, b.v FROM t AS a JOIN big AS b USING (id)) AS t');
	my $windows = one_of(1, 1, 1, 2);
	my $window = sub {
		my $frame = one_of(@frames);
		return 'OVER (PARTITION BY ' . one_of(@keys) . ' ORDER BY ' . one_of('', 'i4, ', 't DESC, ', 'f, ', 'h, ')
			. "id $frame)";
	};
	my @shown;

	for (1 .. $windows)
	{
		my $over = $window->();
		push @shown, map {
			my $call = one_of(@calls);
			my $filter = $call =~ /^(?:sum|count|max|min)/ && rand() < 0.2 ? ' FILTER (WHERE b)' : '';
			($call =~ /^scan/ ? "$call " . $over =~ s/ (?:ROWS|RANGE)[^)]*//r : "$call$filter $over") . " AS x"
				. int rand 1e9
		} 1 .. one_of(1, 2, 3);
	}
	my $query = 'SELECT id, ' . one_of('', 't, ', 'few, n, ') . join(', ', @shown) . " FROM $from";
	return all_rows($query);
}

srand $seed;
my @queries = map { query() } 1 .. $count;
# those that the planner runs in several processes are tried in other ways, too
sub dealt
{
	my ($queries, @answers) = @_;
	my @dealt = map { $queries->[$_] } grep { $answers[$_]{deals} > 0 } 0 .. $#answers;
	return @dealt[ 0 .. ($#dealt < 40 ? $#dealt : 40) ];
}

my @dealt = dealt(\@queries, same('random windows', '', 0.6, @queries));
same('in little memory', "SET scan.work_mem = '64kB';\n", 0.6, @dealt);
same('without the leader', "SET parallel_leader_participation = off;\n", 0.6, @dealt);
same('without a worker', "SET max_parallel_workers = 0;\n", 0.6, @dealt);

my @ordered = map { ordered_query() } 1 .. $count;
my @some = @ordered[ 0 .. ($#ordered < 60 ? $#ordered : 60) ];
same('ranges of an order', '', 0.6, @ordered);
same('ranges in little memory', "SET scan.work_mem = '64kB';\n", 0.6, @some);
same('ranges without the leader', "SET parallel_leader_participation = off;\n", 0.6, @some);
same('ranges without a worker', "SET max_parallel_workers = 0;\n", 0.6, @some);
same('ranges, many processes', "SET max_parallel_workers_per_gather = 6;\n", 0.6, @some);

my @framed_queries = map { framed_query() } 1 .. $count;
my @few = @framed_queries[ 0 .. ($#framed_queries < 60 ? $#framed_queries : 60) ];
# a first key of few values, at the ends of its type, and a second one: the number of a row's range is of both
$server->lines("CREATE TABLE pairs AS SELECT i AS id, i % 2 = 1 AS odd, "
	. "(ARRAY[-32768, 0, 32767, NULL]::int2[])[1 + hashint4(i) % 4 & 3] AS s, CASE hashint4(i) & 63 WHEN 0 "
	. "THEN -9223372036854775808 WHEN 1 THEN 9223372036854775807 WHEN 2 THEN NULL ELSE hashint8(i * 5)::int8 END AS k, "
	. "1.5 * (hashint4(i * 3) % 700) AS n FROM generate_series(1, 30000) AS i; VACUUM ANALYZE pairs");
for my $settings ('', "SET scan.work_mem = '64kB';\n", "SET max_parallel_workers_per_gather = 6;\n")
{
	same('ranges by two keys', $settings, 1, map { "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r.id)) "
			. "FROM (SELECT id, row_number() OVER w, sum(id) OVER w FROM pairs WINDOW w AS ($_)) AS r" }
		'PARTITION BY odd ORDER BY k, id', 'PARTITION BY odd ORDER BY k DESC, id', 'ORDER BY s, k, id',
		'ORDER BY s DESC, k NULLS FIRST, id', 'PARTITION BY s ORDER BY k DESC NULLS LAST, id',
		'ORDER BY s NULLS FIRST, k DESC, id', 'ORDER BY n, id', 'ORDER BY odd DESC, n, id');
}

same('frames over ranges', '', 0.45, @framed_queries);
same('frames over ranges, many processes', "SET max_parallel_workers_per_gather = 6;\n", 0.3, @few);
same('frames over ranges without a worker', "SET max_parallel_workers = 0;\n", 0.3, @few);
same('frames over ranges in little memory', "SET scan.work_mem = '64kB';\n", 0.1, @few);

same('rows that look ahead, and peers', '', 0.6,
	map { "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r::text)) FROM (SELECT $_ AS k, count(*) OVER w, "
		. "rank() OVER w, lead($_) OVER w FROM t WINDOW w AS (ORDER BY $_)) AS r" } 'h % 50', 'few', 'dt');

$server->lines("CREATE TABLE wide (id int, v int, w text); ALTER TABLE wide ALTER w SET STORAGE PLAIN; "
	. "INSERT INTO wide SELECT id, v, repeat(md5(v::text), 59) FROM big WHERE id <= 20000; VACUUM ANALYZE wide");
same('what is handed over goes by a file', '', 1, map {
		"SELECT count(*), sum(hashtext(x)::int8), sum(n) FROM (SELECT $_(w) OVER (ORDER BY v, id ROWS 1000 PRECEDING) "
		. "AS x, row_number() OVER (ORDER BY v, id ROWS 1000 PRECEDING) AS n FROM wide) AS t" } 'max', 'first_value');
same('bounds that might fail', '', 1, all_rows("SELECT id, rank() OVER w, dense_rank() OVER w, sum(i8) OVER w FROM t "
		. "WINDOW w AS (ORDER BY old RANGE BETWEEN '1 hour' PRECEDING AND '10 minutes' FOLLOWING)"));

# What stands above runs in the processes, too; a condition on a rank; stacked windows that share an order; scans again.
my @above = (
	'SELECT count(x), sum(x), min(x) FROM (SELECT sum(i4) OVER (PARTITION BY many ORDER BY id) AS x FROM t) AS s',
	'SELECT few, count(*), max(r) FROM (SELECT few, row_number() OVER (PARTITION BY few ORDER BY h, id) AS r '
		. 'FROM t) AS s GROUP BY few ORDER BY few',
	all_rows('SELECT * FROM (SELECT id, many, row_number() OVER (PARTITION BY many ORDER BY h, id) AS r '
		. 'FROM t) AS s WHERE r <= 2'),
	map({ all_rows("SELECT * FROM (SELECT id, few, t, $_() OVER (PARTITION BY few ORDER BY i4 DESC, id) AS r "
			. "FROM t) AS s WHERE r <= 2") } qw/row_number rank/),
	# so few are wanted of so many that each process looks for them more than once
	all_rows('SELECT * FROM (SELECT id, v, rank() OVER (PARTITION BY p > 0 ORDER BY v DESC, id) AS r '
		. 'FROM big) AS s WHERE r <= 2'),
	all_rows('SELECT id, sum(i4) OVER (PARTITION BY few ORDER BY many, id) AS a, '
		. 'rank() OVER (PARTITION BY few, many ORDER BY id) AS b FROM t'),
	all_rows('SELECT id, sum(new) OVER (PARTITION BY few ORDER BY id) AS session '
		. 'FROM (SELECT *, (h - lag(h) OVER (PARTITION BY few ORDER BY id) > 1000000)::int AS new FROM t) AS s'),
	'SELECT id, sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big WHERE id % 1000 = 7 ORDER BY id',
	'SELECT DISTINCT first_value(few) OVER (PARTITION BY few ORDER BY id) FROM t ORDER BY 1',
	'SELECT avg(x) OVER (PARTITION BY g ORDER BY g) '
		. 'FROM (SELECT few AS g, count(*) AS x FROM t GROUP BY few) AS s ORDER BY 1');
# a window whose rows lie in several of the partitions that are dealt out below it
push @above,
	'SELECT sum(r), count(*) FROM (SELECT rank() OVER (ORDER BY p) AS r, sum(v) OVER (PARTITION BY p ORDER BY id) AS x '
	. 'FROM big) AS s WHERE x % 50 = 0';
# a type without a hash
push @above,
	all_rows("SELECT id, sum(i4) OVER (PARTITION BY bits ORDER BY h, id) AS a "
	. "FROM (SELECT *, (id % 4)::bit(3) AS bits FROM t) AS s");
same('above the windows', '', 0.6, @above);

# Windows of several query levels: where the partitions and the order of a level are those of the level below, or lie
# within them, rows are not dealt again.  Conditions and expressions may stand between.
sub levels_query
{
	my @partition = map { one_of('few', 'many', 'many', 'nd', 'n', 'e', 'dt', 'b', 'f') } 1 .. one_of(1, 1, 2);
	my @order = (one_of('i4', 'h DESC', 'f', 'h'), 'id');
	my ($query, @shown) = one_of('t', 't', 't WHERE i4 > 100', 'none');

	for my $level (1 .. one_of(2, 2, 3))
	{
		my $x = $level == 1 ? one_of('i4', 'h', 'id')
			: one_of("x@{[ $level - 1 ]}::int8", "CASE WHEN x@{[ $level - 1 ]}::int8 > 10 THEN 1 ELSE 0 END");
		# a window of the same keys; of more or fewer keys; of an order that ends earlier,
		# in which rows tie; of other keys
		my ($by, $keys) = ([@partition], [@order]);
		($by, $keys) = @{ one_of([ [ @partition, $order[0] =~ s/ DESC//r ], ['id'] ], [ [ $partition[0] ], [@order] ],
				[ ['b'], [@order] ], [ [ reverse @partition ], [@order] ], [ [@partition], ['id'] ]) } if rand() < 0.4;
		my $ties = $level > 1 && rand() < 0.15;
		pop @$keys if $ties;
		my $call = $ties || @$keys == 0 ? one_of("sum($x)", 'count(*)', 'rank()', "max($x)") : one_of("lag($x)",
			"sum($x)", "count($x)", 'row_number()', "max($x)", "lead($x)", "scan_sum($x)", "first_value($x)");
		my $hidden = $level > 1 && rand() < 0.1
			? 'id, few, nd, n, e, dt, b, f, many, h, i4 + 1 AS i4' : 'id, few, nd, n, e, dt, b, f, many, h, i4';
		$query = "SELECT $hidden" . join('', map { ", $_" } @shown) . ", $call OVER (PARTITION BY " . join(', ', @$by)
			. (@$keys ? ' ORDER BY ' . join(', ', @$keys) : '') . ") AS x$level FROM " . ($level == 1 ? $query
				: "($query) AS s$level" . one_of('', '', " WHERE x@{[ $level - 1 ]}::int8 % 3 > 0", ' WHERE i4 > 200'));
		push @shown, "x$level";
	}
	return all_rows($query);
}

my @levels = map { levels_query() } 1 .. $count;
my @levels_dealt = same('windows of several levels', '', 0.6, @levels);
cmp_ok(scalar(grep { $_->{plan} =~ /^ *->  Custom Scan \(PrefixScan\)/m && $_->{deals} > 0 } @levels_dealt), '>',
	@levels / 4, '... whose rows are dealt once');
# the level above does not know one of the keys, or knows it as another value
same('keys that are hidden', '', 1, map { all_rows($_) }
	'SELECT id, count(*) OVER (PARTITION BY few) AS x '
		. 'FROM (SELECT id, few, row_number() OVER (PARTITION BY few, many ORDER BY id) AS r FROM t) AS s WHERE r > 0',
	'SELECT id, max(r) OVER (PARTITION BY many) AS x '
		. 'FROM (SELECT id, many % 9 AS many, row_number() OVER (PARTITION BY many ORDER BY id) AS r FROM t) AS s',
	'SELECT id, count(*) OVER (PARTITION BY r % 40) AS x '
		. 'FROM (SELECT id, row_number() OVER (PARTITION BY many ORDER BY id) AS r FROM t) AS s');
my @few_levels = dealt(\@levels, @levels_dealt);
same('levels in little memory', "SET scan.work_mem = '64kB';\n", 0.6, @few_levels);
same('levels without the leader', "SET parallel_leader_participation = off;\n", 0.6, @few_levels);
same('levels without a worker', "SET max_parallel_workers = 0;\n", 0.6, @few_levels);
same('levels without WindowReduce', "SET scan.reduce = off;\n", 0.6, @few_levels);

same('above them in little memory', "SET scan.work_mem = '64kB';\n", 0.6, @above);
# Arguments, filters and keys that an outer join below sets to NULL: the planner wraps them (PlaceHolderVar), and no
# plan may hold the wrapping.
my $outer = 'FROM big AS t LEFT JOIN (SELECT id, coalesce(v, 0) AS v, 1 AS one, v & 15 AS k FROM big '
	. 'WHERE id < 200000) AS b USING (id)';
same('below an outer join', '', 1,
	map { "SELECT count(*), sum(hashint8(x)::int8 * (n % 7)) FROM (SELECT $_ AS x, row_number() OVER (PARTITION BY p "
		. "ORDER BY t.id) AS n $outer) AS s" } 'sum(b.v) OVER (PARTITION BY p ORDER BY t.id)',
	'count(*) FILTER (WHERE b.v > 3) OVER (PARTITION BY p ORDER BY t.id)',
	'sum(one) OVER (PARTITION BY p ORDER BY t.id)', 'scan_sum(b.v + one) OVER (PARTITION BY p ORDER BY t.id)',
	'lag(b.v, 2, one) OVER (PARTITION BY k, p ORDER BY t.id)',
	'max(one) OVER (PARTITION BY p ORDER BY t.id ROWS 5 PRECEDING)');
my ($again) = same('scans again', "SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;\n",
	1,
	'SELECT count(*), sum(x * g) FROM generate_series(1, 4) AS g LEFT JOIN '
		. '(SELECT id, sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big WHERE id < 20000 OFFSET 0) AS s ON x > g',
	# rows that a scan which was stopped has left must not come up in the next one
	'SELECT g FROM (VALUES (0), (20000), (5), (20000)) AS v (g) WHERE EXISTS (SELECT FROM (SELECT count(*) '
		. 'OVER (ORDER BY v, id) AS x FROM big WHERE id <= 20000 OFFSET 0) AS s WHERE s.x > g)');
like($again->{plan}, qr/Nested Loop.*Function Scan.*Gather/s, 'a Gather that is run again and again');
same('scans again, stopped early', "SET enable_material = off; SET scan.work_mem = '$_';\n", 1,
	'SELECT g, count(*) FROM generate_series(1, 30) AS g CROSS JOIN LATERAL (SELECT x '
		. 'FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big OFFSET 0) AS s '
		. 'WHERE x IS NOT NULL LIMIT 3) AS s GROUP BY g ORDER BY g') for '1GB', '1MB';
same('ranges again',
	"SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off; SET scan.work_mem = '$_';\n", 1,
	'SELECT count(*), sum(x * g), sum(y) FROM generate_series(1, 4) AS g LEFT JOIN (SELECT id, sum(v) OVER (ORDER '
		. 'BY v, id) AS x, lag(v, 3) OVER (ORDER BY v, id) AS y FROM big WHERE id < 20000 OFFSET 0) AS s ON x > g')
	for '1GB', '64kB';
same('ranges again, stopped early', "SET enable_material = off; SET scan.work_mem = '$_';\n", 1,
	'SELECT g, count(*) FROM generate_series(1, 30) AS g CROSS JOIN LATERAL (SELECT x FROM (SELECT count(v) '
		. 'OVER (ORDER BY v, id) AS x FROM big OFFSET 0) AS s WHERE x IS NOT NULL LIMIT 3) AS s GROUP BY g ORDER BY g')
	for '1GB', '1MB';

# ---- what EXPLAIN says, and where core's rules forbid it

sub plan_of
{
	my ($settings, $query) = @_;
	return join "\n", $server->lines("$parallel$settings EXPLAIN (COSTS off) $query");
}

my $window = 'SELECT id, sum(v) OVER (PARTITION BY p ORDER BY id) FROM big';
like(plan_of('', $window),
	qr/Gather\n\s+Workers Planned: 2\n\s+->  Parallel Custom Scan \(PrefixScan\)\n.*->  Parallel Seq Scan on big/s,
	'the plan');
unlike(plan_of($_->[0], $_->[1]), qr/Parallel Custom Scan/, $_->[2])
  for [ 'SET scan.parallel = off;', $window, 'off' ], [ 'SET max_parallel_workers_per_gather = 0;',
  	$window, 'no workers' ], [ '', 'SELECT id, sum(v) OVER () FROM big', 'no partition and no order' ],
  [ '', 'SELECT id, ntile(4) OVER (ORDER BY id) FROM big', 'no partition, and a function that looks at all of it' ],
  [ '', 'SELECT id, sum(v) OVER (ORDER BY id ROWS 200000 PRECEDING) FROM big', 'frames longer than ranges' ],
  [ '', "SELECT id, sum(v) OVER (ORDER BY id RANGE 200000 PRECEDING) FROM big", 'by the values, too' ],
  [ '', 'SELECT id, sum(v) OVER (ORDER BY id RANGE -1 PRECEDING) FROM big', 'by values that are an error' ],
  [ 'SET plan_cache_mode = force_generic_plan; PREPARE q(int8) AS SELECT id, sum(v) '
  	. 'OVER (ORDER BY id ROWS $1 PRECEDING) FROM big;', 'EXECUTE q(3)', 'frames of a length that is not known yet' ],
  [ '', 'SELECT id, lag(v, 200000) OVER (ORDER BY id) FROM big', 'a lag longer than ranges' ],
  [ 'RESET parallel_tuple_cost; RESET parallel_setup_cost;', $window, 'all rows go up: too dear' ],
  [ '', 'SELECT id, scan_fold(v, \'unlabelled(int4,int4)\') OVER (PARTITION BY p ORDER BY id) FROM big',
  	'a function that is not safe' ],
  [ 'CREATE TEMP TABLE mine AS SELECT * FROM big;', 'SELECT id, sum(v) OVER (PARTITION BY p ORDER BY id) FROM mine',
  	'a temporary table' ];
my $analyzed = join "\n",
	$server->lines("$parallel EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT count(x) "
	. "FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s");
like($analyzed,
	qr/Participants: [123]\n\s+Batches: \d+\n\s+Rows Repartitioned: 300000\n\s+Repartition Memory: \d{4,} kB\n/,
	'ANALYZE') or diag($analyzed);

my $ranges = join '\n\s+', 'Participants: \d', 'Ranges: \d+', 'Rows Repartitioned: 300000', 'Rows In Order: 300000',
	'Repartition Memory: \d+ kB', 'Time of Participants: repartition \d+\.\d+, wait \d+\.\d+, take \d+\.\d+ ms';
like(join("\n", $server->lines("$parallel EXPLAIN (ANALYZE, COSTS off) SELECT count(x) "
			. "FROM (SELECT sum(v) OVER (ORDER BY id) AS x FROM big) AS s")),
	qr/$ranges/,
	'ANALYZE, ranges');

my $json = join ',\n\s+', '"Participants": \d', '"Batches": \d+', '"Rows Repartitioned": 300000',
	'"Repartition Memory": \d+', '"Repartition Disk": \d+', '"Repartition Time of Participants": \d+\.\d+',
	'"Wait Time of Participants": \d+\.\d+', '"Take Time of Participants": \d+\.\d+';
like(join("\n", $server->lines("$parallel SET scan.work_mem = '256kB'; EXPLAIN (ANALYZE, COSTS off, FORMAT JSON) "
			. "SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s")),
	qr/$json,/,
	'ANALYZE in JSON, with rows on disk');

# ---- why a window runs in one process

# how far RANGE reaches is known by a histogram of numbers and dates, not of other types
$server->lines("CREATE TABLE near AS SELECT (i / 100.0)::float4 AS f4, time '00:00' + i * interval '0.8 seconds' AS at "
	. "FROM generate_series(1, 100000) AS i; VACUUM ANALYZE near");

sub reason
{
	my ($settings, $query) = @_;
	return join ' ', map { /In One Process: (.*)/ ? $1 : () }
		$server->lines("$parallel$settings EXPLAIN (VERBOSE, COSTS off) $query");
}

is(reason($_->[0], $_->[1]), $_->[2], "one process: $_->[2]")
  for [ '', $window, '' ], [ 'SET scan.parallel = off;', $window, '' ],
  [ 'SET max_parallel_workers_per_gather = 0;', $window, 'max_parallel_workers_per_gather is 0' ],
  [ 'SET parallel_setup_cost = 1e9;', $window, 'several processes are not expected to be faster' ],
  [ '', 'SELECT ntile(4) OVER (ORDER BY id) FROM big', 'the window has no partitions that processes could share' ],
  [ '', "SELECT scan_fold(v, 'leaders(int4,int4)') OVER (PARTITION BY p ORDER BY id) FROM big",
  	'a function or an expression is not parallel safe' ],
  [ '', 'SELECT leaders(v, 1), sum(v) OVER (PARTITION BY p ORDER BY id) FROM big',
  	'a function or an expression is not parallel safe' ],
  [ '', 'SELECT inexact(v) OVER (ORDER BY id ROWS 5 PRECEDING) FROM big',
  	'the window has no partitions that processes could share' ],
  [ '', "SELECT scan_fold(v, 'unlabelled(int4,int4)') OVER (PARTITION BY p ORDER BY id) FROM big",
  	'the query must not run in parallel' ],
  [ '', 'SELECT * FROM (SELECT sum(v / 3.0::float8) OVER (PARTITION BY p ORDER BY id) FROM big) AS s LIMIT 3',
  	'a row that the query does not fetch may raise an error' ],
  [ '', "SELECT * FROM (SELECT count(*) OVER (PARTITION BY many ORDER BY dt RANGE '1 day' PRECEDING) "
  		. "FROM t) AS s LIMIT 3", 'a row that the query does not fetch may raise an error' ],
  [ '', 'SELECT * FROM (SELECT count(*) OVER (PARTITION BY p ORDER BY id RANGE 5 PRECEDING) FROM big) AS s LIMIT 3',
  	'' ],
  [ "SET scan.work_mem = '4MB';", 'SELECT count(*) OVER (ORDER BY id < 0) FROM big',
  	'too many rows are equal in all columns of PARTITION BY and ORDER BY' ],
  [ '', 'SELECT count(*) OVER (ORDER BY f4 RANGE 1 PRECEDING) FROM near', '' ],
  [ '', 'SELECT count(*) OVER (ORDER BY f4 RANGE 500 PRECEDING) FROM near',
  	'the window has no partitions that processes could share' ],
  [ '', "SELECT count(*) OVER (ORDER BY at RANGE '1 second' PRECEDING) FROM near",
  	'the window has no partitions that processes could share' ],
  [ '', 'SELECT sum(g) OVER (ORDER BY g) FROM generate_series(1, 9) AS g', 'only one process can read the input' ];

# ---- rows that come in the order of the window stay where they are; the first that does not,
# and those after it, are dealt

$server->lines(<<"SQL");
CREATE TABLE filled AS SELECT i AS id, CASE WHEN i % 20000 = 19999 THEN 5 ELSE i / 3 END AS mostly, i / 700 AS ties,
  CASE WHEN i > 30000 THEN i / 5 END AS nulls, 'key ' || to_char(i / 2, '00000000') AS t,
  i / 2000 / 7.0::float8 AS f, hashint4(i) AS v, CASE WHEN i % 5 > 0 THEN hashint4(i) % 1000 END AS few
  FROM generate_series(1, 60000) AS i;
CREATE INDEX ON filled (v, id) INCLUDE (t, few);
CREATE INDEX ON filled (ties, v) INCLUDE (id, t);
CREATE INDEX ON filled (few DESC, v) INCLUDE (id, t);
VACUUM ANALYZE filled;
SQL
my $filled = sub { map { "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r.id)) "
		. "FROM (SELECT id, sum(v) OVER (ORDER BY $_) AS a, lag(t, 3) OVER (ORDER BY $_) AS b, "
		. "avg(few) OVER (ORDER BY $_ ROWS 10 PRECEDING) AS c FROM filled) AS r" } @_ };
my @filled = $filled->('id', 'mostly, id', 'ties, id', 'ties, v, id', 'nulls NULLS FIRST, id', 'nulls, id', 't, id',
	'f, id', 'id DESC', 'v, id', 't DESC, id DESC');
same('in order', '', 1, @filled);
same('in order, little memory', "SET scan.work_mem = '$_';\n", 0.3, @filled) for '64kB', '1MB';
same('in order, many processes', "SET max_parallel_workers_per_gather = 6;\n", 1, @filled);
same('in order without the leader', "SET parallel_leader_participation = off;\n", 1, @filled);
same('in order without a worker', "SET max_parallel_workers = 0;\n", 1, @filled);
same('in order by an index', "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off; "
		. "SET min_parallel_index_scan_size = 0;\n", 1, $filled->('v, id', 'few DESC, v, id', 'v DESC, id DESC'));
# many partitions: without the index whole ones are dealt out, and by it ranges are cut
my $by_index = "SET enable_seqscan = off; SET enable_bitmapscan = off; SET min_parallel_index_scan_size = 0;\n";
my @by_index = map { "SELECT count(*), md5(string_agg(r::text, '|' ORDER BY r.id)) FROM (SELECT id, sum(v) OVER w "
	. "AS a, lag(t, 3) OVER w AS b, rank() OVER w AS c FROM filled WINDOW w AS (PARTITION BY ties ORDER BY v$_)) AS r" }
	'', ', id';
same('in order by an index, in partitions', $by_index . "SET scan.work_mem = '$_';\n", 0.5, @by_index)
	for '1GB', '64kB';
for my $case ([ '', 'Batches' ], [ $by_index, 'Ranges' ])
{
	like(join("\n", $server->lines("$parallel$case->[0] EXPLAIN (ANALYZE, COSTS off) SELECT count(x) "
				. "FROM (SELECT sum(v) OVER (PARTITION BY ties ORDER BY v) AS x FROM filled) AS s")),
		qr/$case->[1]: \d/, "partitions in $case->[1]");
}
same('in order, peers', '', 1, map { "SELECT count(*), sum(n), sum(s) FROM (SELECT rank() OVER (ORDER BY $_) AS n, "
		. "sum(v) OVER (ORDER BY $_) AS s FROM filled) AS r" } 'ties', 'nulls', 'f', 'mostly');
for my $case ([ 'id', '^60000$' ], [ 't', '^60000$' ], [ 'nulls NULLS FIRST', '^60000$' ], [ 'ties', '^60000$' ],
	[ 'v', '^$' ], [ 'id DESC', '^$' ], [ 'nulls', '^\d{5}$' ])
{
	my ($kept) = map { /Rows In Order: (\d+)/ ? $1 : () } $server->lines("$parallel EXPLAIN (ANALYZE, COSTS off) "
		. "SELECT count(x) FROM (SELECT sum(v) OVER (ORDER BY $case->[0]) AS x FROM filled) AS s");

	like($kept // '', qr/$case->[1]/, "by $case->[0]: how many rows stay");
}

# ranges come in their order: no sort
my ($in_order) = same('in order', "SET enable_sort = off;\n", 1,
	'SELECT id, x FROM (SELECT id, v, sum(v) OVER (ORDER BY v DESC, id) AS x FROM big) AS s '
		. 'WHERE x % 500 = 0 ORDER BY v DESC, id');
# partitions that are dealt out are in order in none of the processes
same('in order of partitions', "SET enable_sort = off;\n", 0,
	'SELECT p, id, x FROM (SELECT p, id, sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s '
		. 'WHERE x % 500 = 0 ORDER BY p, id');
my $merged = join '\n\s+', 'Gather Merge', 'Workers Planned: 2', '->  Custom Scan \(WindowReduce\)', 'Keeps: .*',
	'->  Parallel Custom Scan';
like($in_order->{plan}, qr/^$merged/,
	'Gather Merge');

# ---- faults: a clean error, and nothing is left

my $long = "SELECT count(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY v, id) AS x "
	. "FROM (SELECT a.* FROM big AS a, generate_series(1, 40)) AS s) AS s";
my @errors = (
	[ "SET statement_timeout = '500ms';", $long, qr/statement timeout/, 'cancelled' ],
	[ "SET temp_file_limit = '100kB'; SET scan.work_mem = '1MB';", $long,
		qr/temporary file size exceeds "?temp_file_limit"?/, 'temp_file_limit' ],
	[ '', 'SELECT count(x) FROM (SELECT sum(1 / (v % 1000)) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s',
		qr/division by zero/, 'an error in an argument' ],
	[ '', "SELECT count(x) FROM (SELECT sum(CASE WHEN id % 100000 = 7 THEN 1e308::float8 ELSE v END) OVER (ORDER BY "
			. "id) AS x FROM big) AS s", qr/value out of range: overflow/, 'an error in a range that others wait for' ],
	[ "SET statement_timeout = '500ms';", $long =~ s/PARTITION BY p //r, qr/statement timeout/,
		'ranges are cancelled' ],
	[ "SET temp_file_limit = '100kB'; SET scan.work_mem = '1MB';", $long =~ s/PARTITION BY p //r,
		qr/temporary file size exceeds "?temp_file_limit"?/, 'temp_file_limit and ranges' ],
	[ '', 'SELECT sum(1 / (x % 10)) FROM (SELECT count(*) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s',
		qr/division by zero/, 'an error above' ]);
for my $case (@errors)
{
	my ($out, $err) = $server->run("$parallel$case->[0] $case->[1]", go_on => 1);
	like($err, $case->[2], $case->[3]);
}
my ($out, $err) = $server->run("$parallel SELECT pg_sleep(0); DO \$\$ BEGIN EXECUTE 'SELECT 1'; END \$\$; "
	. "SELECT * FROM ($window) AS s LIMIT 3; SELECT 'fine'", go_on => 1);
like($out, qr/fine/, 'stopped early');
is($err, '', '... without a complaint');

# memory that the session keeps for the next query is not given back while that runs, however long it takes
my $slow = "SELECT sum(x) FROM (SELECT id, lag(v) OVER (ORDER BY id) AS x FROM big) AS s "
	. "WHERE id % 100000 <> 7 OR pg_sleep(0.2) IS NOT NULL";
my ($wanted, @kept) = ($server->value("SET max_parallel_workers_per_gather = 0; $slow"),
	$server->lines("$parallel $slow; $slow; SET max_parallel_workers = 0; $slow"));
is_deeply(\@kept, [ ($wanted) x 3 ], 'memory of a query before');

# twenty sessions at once, of whom most get fewer workers than they have planned, or none
my @crowd = ("SELECT sum(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM big) AS s",
	"SELECT sum(x) FROM (SELECT sum(v) OVER (ORDER BY v, id) AS x FROM big) AS s");
my @expected = map { $server->value("SET max_parallel_workers_per_gather = 0; $_") } @crowd;
my @children;
for my $child (1 .. 20)
{
	my $pid = fork // die;

	if (!$pid)
	{
		my @got = $server->lines($parallel . join ';', (@crowd) x 3);
		$server->{created} = 0; # the database is the parent's
		exec "@got" eq "@{[ (@expected) x 3 ]}" ? 'true' : 'false';
	}
	push @children, $pid;
}
is(scalar(grep { waitpid($_, 0); $? != 0 } @children), 0, 'twenty sessions at once');

# a worker is terminated while it runs
for my $killed ($long, $long =~ s/PARTITION BY p //r)
{
	my $victim = fork // die;
	if (!$victim)
	{
		for (1 .. 200)
		{
			my ($killed) = $server->run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
				. "WHERE backend_type = 'parallel worker' AND datname = current_database() LIMIT 1");
			last if $killed =~ /t/;
			select undef, undef, undef, 0.02;
		}
		$server->{created} = 0; # the database is the parent's
		exec 'true';
	}
	($out, $err) = $server->run("$parallel$killed", go_on => 1);
	waitpid $victim, 0;
	like($err, qr/terminating (?:connection|background worker)|parallel worker/, 'a worker is terminated');
}
is($server->files_left, 0, 'no file is left');
is($server->value("SELECT count(*) FROM pg_ls_dir('base') AS d, LATERAL pg_ls_dir('base/' || d) AS f "
		. "WHERE d = 'pgsql_tmp' AND f LIKE '%fileset'"), 0, 'nor a folder');

# ---- where a query has used up the server's DSM segments, each further Gather runs in one process

{
	my $full = Cluster->new("max_connections = 5\nmax_locks_per_transaction = 128\nautovacuum = off\n"
		. "autovacuum_max_workers = 1\nmax_wal_senders = 0\nmax_worker_processes = 2\n");
	my $many = join ' + ', map {
		"(SELECT sum(x) FROM (SELECT sum(v) OVER (PARTITION BY p ORDER BY id) AS x FROM small WHERE id > $_) AS s)" }
		1 .. 250;

	$full->{server}->lines('CREATE TABLE small AS SELECT i AS id, i % 50 AS p, hashint4(i) % 100 AS v '
		. 'FROM generate_series(1, 1000) AS i; VACUUM ANALYZE small');
	# the Gather of each subquery keeps its segment to the end
	my $plan = join "\n",
		$full->{server}->lines("$parallel EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT $many");
	is(scalar(() = $plan =~ /Parallel Custom Scan \(PrefixScan\)/g), 250, 'many Gathers in one query');
	cmp_ok(scalar(() = $plan =~ /Participants: /g), '<', 250, '... some of which have no segment left');
	is($full->{server}->value("$parallel SELECT $many"),
		$full->{server}->value("SET max_parallel_workers_per_gather = 0; SELECT $many"), '... and the same rows');
}

# ---- one device, several processes: each sends its own jobs

my $cluster = Cluster->new(
	"shared_preload_libraries = 'scan'\nscan.gpu_library = 'scan_mock'\nscan.device = gpu\nscan.prefixscan = force\n");
$server = $cluster->{server};
for (1 .. 100)
{
	last if $server->value('SELECT state FROM scan_status') eq 'ready';
	sleep 0.1;
}
$server->lines("CREATE EXTENSION IF NOT EXISTS scan; $tables");
same('with a device', '', 0.5, @queries[ 0 .. ($#queries < 40 ? $#queries : 40) ], @some);
same('with a device, many rows', '', 1, map { "SELECT count(x), sum(x) FROM (SELECT $_ AS x FROM big) AS s" }
	'scan_sum(v) OVER (ORDER BY v, id)', 'sum(v) OVER (PARTITION BY p ORDER BY id)',
	'scan_sum(v::int8) OVER (PARTITION BY p ORDER BY id)', 'max(v) OVER (ORDER BY id)');
cmp_ok($server->value('SELECT jobs FROM scan_status'), '>', 10, 'jobs went there');
is($server->value('SELECT free_slots = slots FROM scan_status'), 't', 'and no slot is held');
done_testing();
