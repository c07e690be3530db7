# planning.t: the time that planning takes grows no faster with the library than without it.
#
# Each shape of query is planned with n and with 2n of something: windows, functions, columns, WITH queries, partitions
# and indexes, subqueries, UNION arms, joins, values of an IN list.  With the node, as a multiple of the time without
# it, 2n must not take more than n.  Where work for each pair of things is hidden, the multiple doubles.  Times are
# processor times of the backend (log_planner_stats), the least of several, with the node and without in turn, so that a
# busy machine does not fail the test.

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $tries = 4;
my $growth = 1.5;    # of the multiple, from n to 2n
my $small = 1.6;     # a multiple that needs no second look
my $server = Server->new('planning');
# A multiple that no shape may reach.  Core of 19 plans a window of 200 functions in a quarter of the time.
my $most = $server->value("SELECT current_setting('server_version_num')::int") >= 190000 ? 12 : 8;

# ---- tables

sub partitioned
{
	my ($partitions, $indexes) = @_;
	my $table = "parts$partitions";
	my $sql = "CREATE TABLE $table (device int, at int, a int, b int) PARTITION BY RANGE (at);";

	$sql .= "CREATE TABLE ${table}_$_ PARTITION OF $table FOR VALUES FROM ($_ * 100) TO ($_ * 100 + 100);"
		for 0 .. $partitions - 1;
	$sql .= "INSERT INTO $table SELECT i % 50, i, i, i FROM generate_series(0, $partitions * 100 - 1) AS i;";
	$sql .= "CREATE INDEX ON $table ($_);" for ('device, at DESC', 'device, a', 'device, b', 'device, a, b', 'at', 'a',
		'b', 'device')[ 0 .. $indexes - 1 ];
	return $sql;
}

$server->lines('CREATE TABLE wide AS SELECT i AS id, i AS v, ' . join(', ', map { "i % ($_ + 3) AS c$_" } 0 .. 399)
	. ' FROM generate_series(1, 300) AS i;' . 'CREATE TABLE big AS SELECT i AS id, i % 10 AS p, i AS v '
		. 'FROM generate_series(1, 20000) AS i; ALTER TABLE big ADD PRIMARY KEY (id); CREATE INDEX ON big (p, id);'
	. partitioned(1000, 1) . partitioned(16, 4) . partitioned(32, 8) . 'VACUUM ANALYZE;');

# ---- shapes

sub each_of
{
	my ($n, $between, $text) = @_;
	return join $between, map { $text =~ s/#/$_/gr } 0 .. $n - 1;
}

# A query that is wrapped n times: `#` is the query within.
sub nested
{
	my ($n, $query, $around) = @_;
	$query = $around =~ s/#/$query/r for 1 .. $n;
	return $query;
}

sub with_queries
{
	my ($n, $next, $materialized) = @_;
	my $sql = 'WITH c0 AS (SELECT id FROM big)';
	$sql .= sprintf(", c%d AS $materialized (%s)", $_, $next =~ s/#/$_ - 1/ger) for 1 .. $n;
	return "$sql SELECT id, sum(id) OVER (ORDER BY id) FROM c$n";
}

my $partition = 'OVER (PARTITION BY p ORDER BY id)';
my $first = 'row_number() OVER (PARTITION BY device ORDER BY at DESC)';
my @shapes = (
	[ 'windows of other partitions', 30,
		sub { 'SELECT ' . each_of($_[0], ', ', 'sum(v) OVER (PARTITION BY c# ORDER BY id)') . ' FROM wide' } ],
	[ 'windows of other orders', 40,
		sub { 'SELECT ' . each_of($_[0], ', ', 'lag(v) OVER (ORDER BY c#)') . ' FROM wide' } ],
	[ 'windows of other frames', 50,
		sub { 'SELECT ' . each_of($_[0], ', ', 'sum(v) OVER (ORDER BY id ROWS # PRECEDING)') . ' FROM wide' } ],
	[ 'functions', 100, sub { 'SELECT ' . each_of($_[0], ', ', 'sum(v + #) OVER w')
			. ' FROM wide WINDOW w AS (PARTITION BY c1 ORDER BY id)' } ],
	[ 'columns', 200,
		sub { 'SELECT ' . each_of($_[0], ', ', 'c#') . ', sum(v) OVER (PARTITION BY c1 ORDER BY id) FROM wide' } ],
	[ 'WITH queries that are read twice', 8,
		sub { with_queries($_[0], 'SELECT id FROM c# UNION ALL SELECT id FROM c#', '') } ],
	[ 'WITH queries that are joined with themselves', 8,
		sub { with_queries($_[0], 'SELECT a.id FROM c# AS a JOIN c# AS b USING (id)', 'MATERIALIZED') } ],
	[ 'windows in one another', 15,
		sub { nested($_[0], 'SELECT id, p, v FROM big', "SELECT id, p, sum(v) $partition AS v FROM (#) AS s") } ],
	[ 'subqueries in one another', 40, sub { "SELECT sum(v) $partition FROM (" . nested($_[0],
				'SELECT id, p, v FROM big', 'SELECT id, p, v + 1 AS v FROM (#) AS s OFFSET 0') . ') AS s' } ],
	[ 'arms of a UNION with a window each', 20,
		sub { each_of($_[0], ' UNION ALL ', "SELECT id, sum(v) $partition FROM big WHERE id > #") } ],
	[ 'arms of a UNION below a window', 40, sub { "SELECT sum(v) $partition FROM ("
			. each_of($_[0], ' UNION ALL ', 'SELECT id, p, v FROM big WHERE id > #') . ') AS s' } ],
	[ 'joins', 6, sub { 'SELECT sum(t0.v) OVER (PARTITION BY t0.p ORDER BY t0.id) FROM big AS t0 ' . join ' ',
			map { 'LEFT JOIN big AS t' . $_ . " ON t$_.id = t" . ($_ - 1) . '.id' } 1 .. $_[0] - 1 } ],
	[ 'values of an IN list', 1000,
		sub { "SELECT sum(v) $partition FROM big WHERE id IN (" . each_of($_[0], ', ', '#') . ')' } ],
	[ 'conditions', 60,
		sub { "SELECT sum(v) $partition FROM big WHERE " . each_of($_[0], ' OR ', '(id = # AND v <> #)') } ],
	[ 'conditions above an index skip', 60, sub { 'SELECT DISTINCT ON (p) p, id FROM big WHERE '
			. each_of($_[0], ' AND ', 'v <> #') . ' ORDER BY p, id DESC' } ],
	[ 'subqueries in a WHERE', 6, sub { "SELECT sum(v) $partition FROM big WHERE "
			. each_of($_[0], ' AND ', 'EXISTS (SELECT FROM big AS b# WHERE b#.id = big.id AND b#.v > #)') } ],
	[ 'subqueries with a window', 20,
		sub { 'SELECT ' . each_of($_[0], ', ', '(SELECT max(id) OVER () FROM big WHERE p = # LIMIT 1)') } ],
	[ 'partitions and indexes, DISTINCT ON', 16,
		sub { "SELECT DISTINCT ON (device) device, at FROM parts$_[0] ORDER BY device, at DESC" } ],
	[ 'partitions and indexes, DISTINCT', 16, sub { "SELECT DISTINCT device FROM parts$_[0]" } ],
	[ 'partitions and indexes, first rows', 16,
		sub { "SELECT * FROM (SELECT device, at, $first AS r FROM parts$_[0]) AS s WHERE r = 1" } ],
	[ 'partitions and indexes, running totals', 16,
		sub { "SELECT sum(a) OVER (PARTITION BY device ORDER BY at) FROM parts$_[0]" } ]);

# ---- times

# The least processor time in ms that planning a query takes: without the node, and with it.
sub planning_times
{
	my ($query, $settings) = @_;
	my $start = "LOAD 'scan'; SET statement_timeout = '60s'; SET client_min_messages = log; SET log_planner_stats = on;"
		. ($settings // '');
	my $once = join ' ', map { "SET scan.prefixscan = $_; EXPLAIN $query;" } qw(off auto);
	my (undef, $err) = $server->run($start . $once x $tries);
	my @times;

	push @times, 1000 * ($1 + $2) while $err =~ /PLANNER STATISTICS\n.*\n!\s+(\S+) s user, (\S+) s system/g;
	die "no times of planning: $err" unless @times == 2 * $tries;
	return map { my $way = $_; (sort { $a <=> $b } map { $times[ 2 * $_ + $way ] } 0 .. $tries - 1)[0] } 0, 1;
}

for my $shape (@shapes)
{
	my ($what, $n, $query) = @$shape;
	my ($off, $on) = planning_times($query->($n));
	my ($off_2n, $on_2n) = planning_times($query->(2 * $n));
	my ($before, $after) = ($on / $off, $on_2n / $off_2n);

	ok($after < $small || ($after < $most && $after < $growth * $before),
		sprintf '%s: %.2f times as long as without the node with %d (%.2f ms), %.2f times with %d (%.2f ms)', $what,
		$before, $n, $on, $after, 2 * $n, $on_2n);
}

sub plans_as_fast
{
	my ($query, $settings) = @_;
	my ($off, $on);

	for (1 .. 4)
	{
		($off, $on) = planning_times($query, $settings);
		last if $on <= 1.25 * $off;
	}
	cmp_ok($on, '<=', 1.25 * $off, sprintf '1,000 partitions: %.2f times as long as without the node (%.2f ms): %s%s',
		$on / $off, $on, $settings, $query);
}

# Of 1,000 partitions IndexSkip would go down the index of each for each group, and plan and start some scans of each.
# That is known before a path of it is made.  However many workers there may be, they do not divide 50 groups.
my $distinct = 'DISTINCT ON (device) device, at, a FROM parts1000 ORDER BY device, at DESC';
my $latest = "* FROM (SELECT device, at, $first AS r FROM parts1000) AS s WHERE r = 1";
for my $query ($distinct, "$distinct LIMIT 1", "$distinct LIMIT 10", 'DISTINCT device FROM parts1000',
	'DISTINCT device FROM parts1000 LIMIT 1', $latest, "$latest LIMIT 10",
	'sum(a) OVER (PARTITION BY device ORDER BY at DESC) FROM parts1000')
{
	plans_as_fast("SELECT $query", "SET max_parallel_workers_per_gather = $_;") for 0, 16;
	unlike(join("\n", $server->lines("LOAD 'scan'; EXPLAIN SELECT $query")), qr/IndexSkip/, '... without IndexSkip');
}

# Nor is it made if the pages of the indexes alone cost too much.
plans_as_fast("SELECT $latest", 'SET cpu_operator_cost = 0;');

# Two partitions do not make the node too dear where groups are large.
$server->lines('CREATE TABLE halves (device int, at int) PARTITION BY LIST (device); '
	. 'CREATE TABLE halves_0 PARTITION OF halves FOR VALUES IN (0); '
	. 'CREATE TABLE halves_1 PARTITION OF halves FOR VALUES IN (1); INSERT INTO halves SELECT i % 2, i '
	. 'FROM generate_series(1, 100000) AS i; CREATE INDEX ON halves (device, at); VACUUM ANALYZE halves');
like(join("\n", $server->lines(
			"LOAD 'scan'; EXPLAIN SELECT DISTINCT ON (device) device, at FROM halves ORDER BY device, at LIMIT 1")),
	qr/IndexSkip/, 'two partitions, with IndexSkip');

# ---- memory

# The least number of pages that planning gets from the operating system, in the last of many times.
sub reclaims
{
	my ($tables, $columns, $load) = @_;
	my $query = 'SELECT ' . join(', ', 'count(*)', map { "sum(t1.c$_)" } 1 .. $columns) . ' FROM big AS t0 ' . join ' ',
		map { "JOIN wide AS t$_ ON t$_.id = t0.v AND t$_.c$_ > t0.id" } 1 .. $tables;
	my (undef, $err) = $server->run($load . "EXPLAIN $query;" x 20
		. "SET client_min_messages = log; SET log_planner_stats = on; EXPLAIN $query; EXPLAIN $query; EXPLAIN $query;");
	my @faults = $err =~ /PLANNER STATISTICS\n(?:.*\n)*?!\s+\d+\/(\d+) \[\d+\/\d+\] page faults\/reclaims/g;

	die "no page faults of planning: $err" unless @faults == 3;
	return (sort { $a <=> $b } @faults)[0];
}

# Whether malloc() gives back what a statement has freed depends on what lies behind it: in more than half of these
# joins it does, with the library and without it.  A single join tells nothing: the library moves the others.  Forty
# pages for each take ten microseconds, beside a millisecond of planning.
my ($stock, $loaded) = (0, 0);
for my $tables (1 .. 5)
{
	for my $columns (0, 6, 20)
	{
		$stock += reclaims($tables, $columns, '');
		$loaded += reclaims($tables, $columns, "LOAD 'scan';");
	}
}
cmp_ok($loaded, '<', 1.25 * $stock + 15 * 40,
	"planning 15 joins gets $loaded pages with the library, $stock without it");
done_testing();
