# kept_windows.t: queries with running windows that begin from a kept scan (src/kept/windows.c) have the results, and the
# order of rows, of those that do not.
#
# Random queries over tables with kept scans, of which the level above shows some rows: from a bound on, the last ones,
# or those of some ids; and near misses of each.
#
#   SCAN_TEST_QUERIES=10000 SCAN_TEST_SEED=7   more, and others
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Payments;

my $queries = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 1500);
my $seed = $ENV{SCAN_TEST_SEED} // 1 + int rand 1e6;
my $server = payments();
srand $seed;
diag("SCAN_TEST_SEED=$seed");
$server->lines('ALTER TABLE payment ADD PRIMARY KEY (id); CREATE TABLE person (account int, name text); INSERT INTO person SELECT i, i::text FROM generate_series(0, 4) AS i; ANALYZE');

my %scan = (
	by_time => { aggregates => [ 'sum(amount)', 'count(*)', 'avg(amount)', 'max(v)', 'exact_sum(f)', 'sum(v) FILTER (WHERE v > 20)' ], where => ['posted'], partition => ['account'], key => 'at', bounds => [ @times, "timestamptz '2025-05-01' + interval '3 days'", 'NULL::timestamptz', "date '2025-04-01'", "now()" ] },
	by_day => { aggregates => [ 'sum(v)', 'count(v)', 'bool_or(v > 90)' ], where => [], partition => [ 'account', 'branch' ], key => 'day', bounds => [ @days, "date '2025-02-01' + 3", 'NULL::date', "timestamp '2025-03-01 12:00'" ] },
	by_number => { aggregates => [ 'sum(amount)', 'count(*)', 'min(amount::numeric(12,2))' ], where => [ 'posted', 'v > 10' ], partition => [], key => 'n', bounds => [ @numbers, 'NULL::int' ] },
);
my %value = (account => [ 0 .. 5, 6, '3::int8', 'NULL' ], branch => [ "'a'", "'b'", "'z'" ]);

sub bound
{
	my ($key, @bounds) = @_;
	return any("$key < $bounds[0]", "$key <= $bounds[0]", "$key > $bounds[0]", "$key >= $bounds[0]", "$key >= $bounds[0]", "$key = $bounds[0]", "$bounds[0] < $key", "$key BETWEEN $bounds[0] AND $bounds[1]", "$key >= $bounds[0] AND $key < $bounds[1]");
}

# A level with windows over the table.  Values do not depend on the order of peers.
sub level
{
	my ($scan, @below) = @_;
	my $key = $scan->{key};
	my @order = any([ $key, 'id' ], [ $key, 'id' ], [ $key, 'id' ], [$key], [ @{ $scan->{partition} }, $key, 'id' ], [ $key, 'v', 'id' ], [ 'id', $key ], ["$key DESC"]);
	my $order = join ', ', @{ $order[0] };
	my $partition = join ', ', rand() < 0.05 ? 'branch' : @{ $scan->{partition} };
	my $rows = $order =~ /id/ ? any('', '', 'ROWS UNBOUNDED PRECEDING', 'GROUPS UNBOUNDED PRECEDING', 'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW') : '';
	$rows = any('ROWS 5 PRECEDING', 'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW', 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING') if rand() < 0.04 && $order =~ /id/;
	my @calls = map { any(@{ $scan->{aggregates} }) } 1 .. 1 + rand 3;
	push @calls, any('row_number()', 'row_number()', 'rank()', 'lag(id)', 'sum(f)') if rand() < 0.12 && $order =~ /id/;
	my @columns = map { rand() < 0.15 ? "coalesce($calls[$_] OVER w::text, 'none') AS c$_" : "$calls[$_] OVER w AS c$_" } 0 .. $#calls;
	return "SELECT id, account, branch, $key, v, " . join(', ', map { s/(\S+\(.*?\)(?: FILTER \(.*?\))?) OVER w::text/($1 OVER w)::text/r } @columns) . ' FROM ' . (rand() < 0.1 ? any('ONLY payment', 'payment AS p') : 'payment')
		. (@below ? ' WHERE ' . join ' AND ', sort { rand() <=> 0.5 } @below : '') . ' WINDOW w AS (' . ($partition ? "PARTITION BY $partition " : '') . "ORDER BY $order $rows)";
}

# A query that begins from a kept scan, or that misses it by a condition, a window or a clause.
sub query
{
	my $scan = $scan{ any(keys %scan) };
	my $key = $scan->{key};
	my (@below, @above) = @{ $scan->{where} };
	foreach (@{ $scan->{partition} })
	{
		my $condition = rand() < 0.85 ? "$_ = " . any(@{ $value{$_} }) : $_ eq 'account' ? any('account IN (0, 3)', 'account > 2', 'account IS NULL', 'account = ANY (ARRAY[1, 2, NULL])') : "branch <> 'a'";
		next if rand() < 0.1;
		rand() < 0.4 ? push @below, $condition : push @above, $condition;
	}
	push @above, bound($key, map { any(@{ $scan->{bounds} }) } 1, 2) if rand() < 0.6;
	splice @below, rand @below, 1 if @below && rand() < 0.06;
	push @below, any('v < 50', 'id > 100', "$key <> " . $scan->{bounds}[0], bound($key, @{ $scan->{bounds} }[ 0, 1 ])) if rand() < 0.05;
	my $id = 1 + int rand 6300;
	push @above, any("s.id = $id", "s.id = ANY (ARRAY[$id, 17, 4000, NULL])", "s.id IN ($id, 2, 3)") if rand() < 0.25;
	push @above, any('c0 IS NOT NULL', 'v > 10', 'c0 = c0', "s.id % 3 = 0", '1 / (v - v) = 1') if rand() < 0.1;
	my $level = level($scan, @below);
	my $from = any("($level) AS s", "($level) AS s", "($level) AS s LEFT JOIN person ON person.account = s.account", "($level) AS s JOIN person ON person.account = s.account", "person RIGHT JOIN ($level) AS s ON person.account = s.account");
	my $with = rand() < 0.15 && $from =~ s/^\(\Q$level\E\) AS s/s/ ? 'WITH s AS ' . any('', '', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($level) " : '';
	my $limit = rand() < 0.5 ? " ORDER BY " . any("s.$key DESC, s.id DESC", "s.$key DESC, s.id DESC", "s.$key DESC, s.id", "s.account, s.$key DESC, s.id", "s.$key, s.id") . any(' LIMIT 1', ' LIMIT 20', ' LIMIT 7 OFFSET 3', ' OFFSET 2', ' LIMIT 0', ' LIMIT NULL', ' LIMIT 9223372036854775807 OFFSET 9', ' LIMIT 5 OFFSET -1', ' FETCH FIRST 3 ROWS WITH TIES', ' LIMIT (SELECT 4)', ' LIMIT 100') : rand() < 0.3 ? " ORDER BY s.$key, s.id" : '';
	my $columns = any('s.*', 's.*', 's.id, s.c0', 's.c0, s.c0::text AS t', $from =~ /person/ ? 's.*, person.name' : 's', 'count(*) OVER () AS n, s.*', 'sum(s.v) AS v');
	$limit =~ s/ORDER BY .*?(?= LIMIT| OFFSET| FETCH|$)/ORDER BY 1/ if $columns =~ /sum/;
	$level =~ s/ WINDOW /, / if 0;
	return $with . "SELECT $columns FROM $from" . (@above ? ' WHERE ' . join(' AND ', map { s/^(account|branch|v\b|at|day|n )/s.$1/r } sort { rand() <=> 0.5 } @above) : '') . $limit if rand() < 0.85;
	# the level itself has the LIMIT
	return $level . " ORDER BY $key DESC, id DESC" . any(' LIMIT 10', ' LIMIT 3 OFFSET 4', ' OFFSET 1', ' LIMIT 2');
}

my %count = compare_queries($server, $queries, \&query);
cmp_ok($count{"kept $_"} // 0, '>', $queries / 100, "queries that read a kept scan: $_") foreach 'part', 'running', 'running last';
cmp_ok($count{plain} // 0, '>', $queries / 10, 'queries that do not');
done_testing();
