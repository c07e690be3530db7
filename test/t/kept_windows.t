# kept_windows.t: queries with running windows that begin from a kept scan (src/kept/windows.c) have the results, and
# the order of rows, of those that do not.
#
# Random queries over tables with kept scans, of which the level above shows some rows: from a bound on, the last ones,
# or those of some ids; and near misses of each.
#
#   SCAN_TEST_QUERIES=10000 SCAN_TEST_SEED=7   more, and others
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp;
use Test::More;
use Payments;

my $queries = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 1000);
my $seed = $ENV{SCAN_TEST_SEED} // 1 + int rand 1e6;
my $server = payments();
srand $seed;
diag("SCAN_TEST_SEED=$seed");
$server->lines('ALTER TABLE payment ADD PRIMARY KEY (id); CREATE TABLE person (account int, name text); '
	. 'INSERT INTO person SELECT i, i::text FROM generate_series(0, 4) AS i; ANALYZE');

my %scan = (
	by_time => { aggregates => [ 'sum(amount)', 'count(*)', 'count(id)', 'avg(amount)', 'max(v)',
			'exact_sum(f)', 'sum(v) FILTER (WHERE v > 20)', 'stddev(amount)', 'exact_var_samp(v)',
			'stddev_pop(v) FILTER (WHERE v > 20)' ], where => ['posted'], partition => ['account'],
		key => 'at', bounds => [ @times, "timestamptz '2025-05-01' + interval '3 days'", 'NULL::timestamptz',
			@times_of_other_types ] },
	by_day => { aggregates => [ 'sum(v)', 'count(v)', 'bool_or(v > 90)', 'var_pop(n)' ],
		where => [], partition => [ 'account', 'branch' ], key => 'day',
		bounds => [ @days, "date '2025-02-01' + 3", 'NULL::date', @days_of_other_types ] },
	by_number => { aggregates => [ 'sum(amount)', 'count(*)', 'min(amount::numeric(12,2))' ],
		where => [ 'posted', 'v > 10' ], partition => [], key => 'n', bounds => [ @numbers, 'NULL::int' ] },
	# 1.0 and 1.00 are one partition
	by_rate => { aggregates => [ 'sum(n)', 'count(*)', 'count(id)' ], where => [], partition => [ 'account', 'rate' ],
		key => 'at', bounds => [@times] },
);
my %value = (account => [ 0 .. 5, 6, '3::int8', 'NULL', 'o.x' ], rate => [ 1, '1.00', '1::int8', 2, 'NULL' ],
	branch => [ "'a'", "'b'", "'z'" ]);

sub bound
{
	my ($key, @bounds) = @_;
	return any("$key < $bounds[0]", "$key <= $bounds[0]", "$key > $bounds[0]", "$key >= $bounds[0]",
		"$key >= $bounds[0]", "$key = $bounds[0]", "$bounds[0] < $key", "$key BETWEEN $bounds[0] AND $bounds[1]",
		"$key >= $bounds[0] AND $key < $bounds[1]");
}

# A level with windows over the table.  Values do not depend on the order of peers.
sub level
{
	my ($scan, @below) = @_;
	my $key = $scan->{key};
	my @order = any([ $key, 'id' ], [ $key, 'id' ], [ $key, 'id' ], [$key], [ @{ $scan->{partition} }, $key, 'id' ],
		[ $key, 'v', 'id' ], [ $key, 'v DESC', 'id DESC' ], [ 'id', $key ], ["$key DESC"]);
	my $order = join ', ', @{ $order[0] };
	my $partition = join ', ', rand() < 0.05 ? 'branch' : rand() < 0.15
		? splice(@{ [ @{ $scan->{partition} } ] }, 1) : @{ $scan->{partition} };
	my $rows = $order =~ /id/ ? any('', '', 'ROWS UNBOUNDED PRECEDING', 'GROUPS UNBOUNDED PRECEDING',
		'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW') : '';
	$rows = any('ROWS 5 PRECEDING', 'RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW',
		'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING') if rand() < 0.04 && $order =~ /id/;
	my @calls = map { any(@{ $scan->{aggregates} }) } 1 .. 1 + rand 3;
	push @calls, any('row_number()', 'row_number()', 'rank()', 'lag(id)', 'sum(f)') if rand() < 0.12 && $order =~ /id/;
	my @columns = map { rand() < 0.15
			? "coalesce($calls[$_] OVER w::text, 'none') AS c$_" : "$calls[$_] OVER w AS c$_" } 0 .. $#calls;
	return "SELECT id, account, branch, rate, $key, v, "
		. join(', ', map { s/(\S+\(.*?\)(?: FILTER \(.*?\))?) OVER w::text/($1 OVER w)::text/r } @columns)
		. ' FROM ' . (rand() < 0.1 ? any('ONLY payment', 'payment AS p') : 'payment')
		. (@below ? ' WHERE ' . join ' AND ', sort { rand() <=> 0.5 } @below : '') . ' WINDOW w AS ('
		. ($partition ? "PARTITION BY $partition " : '') . "ORDER BY $order $rows)";
}

# A query as above, once for each row of another table if it has a value from there.
sub query
{
	my $query = single_query();
	return $query if $query !~ /o\.x/;
	return "SELECT o.x, q.* FROM (VALUES (0), (1), (3), (NULL)) AS o(x)"
		. any(", LATERAL ($query) AS q", " LEFT JOIN LATERAL ($query) AS q ON true");
}

# A query that begins from a kept scan, or that misses it by a condition, a window or a clause.
sub single_query
{
	my $scan = $scan{ any(keys %scan) };
	my $key = $scan->{key};
	my (@below, @above) = @{ $scan->{where} };
	foreach (@{ $scan->{partition} })
	{
		my $condition = rand() < ($_ eq q{rate} ? 0.5 : 0.85) ? "$_ = " . any(@{ $value{$_} }) : $_ eq 'account'
			? any('account IN (0, 3)', 'account > 2', 'account IS NULL', 'account = ANY (ARRAY[1, 2, NULL])')
			: $_ eq 'rate' ? any('rate < 2', 'rate <> 2', 'scale(rate) = 1', "rate::text = '1.0'", 'rate IS NOT NULL')
			: "branch <> 'a'";
		next if rand() < 0.1;
		rand() < 0.4 ? push @below, $condition : push @above, $condition;
	}
	push @above, bound($key, map { any(@{ $scan->{bounds} }) } 1, 2) if rand() < 0.6;
	push @above, '(s.' . "$key, s.id) " . any('<', '<', '<=', '>', '>=') . ' (' . any(@{ $scan->{bounds} }) . ', '
		. any(3, 3000, 'NULL') . ')' if rand() < 0.2;
	push @above, any('1 = 1', 'NOT (1 = 2)') if rand() < 0.1;
	splice @below, rand @below, 1 if @below && rand() < 0.06;
	push @below, any('v < 50', 'scale(rate) = 2', 'id > 100', "$key <> " . $scan->{bounds}[0],
		bound($key, @{ $scan->{bounds} }[ 0, 1 ])) if rand() < 0.05;
	my $id = 1 + int rand 6300;
	push @above, any("s.id = $id", "s.id = ANY (ARRAY[$id, 17, 4000, NULL])", "s.id IN ($id, 2, 3)") if rand() < 0.25;
	push @above, any('c0 IS NOT NULL', 'scale(rate) = 1', 'v > 10', 'c0 = c0', "s.id % 3 = 0", '1 / (v - v) = 1')
		if rand() < 0.1;
	my $level = level($scan, @below);
	# a LIMIT of the level itself decides which rows there are
	$level .= " ORDER BY $key, id" . any(' LIMIT 300', ' OFFSET 40', ' LIMIT 5') if rand() < 0.06;
	$level = any("SELECT * FROM ($level) AS u", "SELECT u.*, c0 AS again FROM ($level) AS u WHERE account >= 0",
		"SELECT * FROM (SELECT * FROM ($level) AS u) AS uu WHERE true",
		"SELECT u.* FROM ($level) AS u JOIN person AS pp ON pp.account = u.account") if rand() < 0.2;
	my $from = any("($level) AS s", "($level) AS s", "($level) AS s LEFT JOIN person ON person.account = s.account",
		"($level) AS s JOIN person ON person.account = s.account",
		"person RIGHT JOIN ($level) AS s ON person.account = s.account",
		"($level) AS s RIGHT JOIN person ON person.account = s.account");
	$from = any("($level) AS s JOIN (VALUES ($id), (17), (4001), (NULL)) AS page(i) ON page.i = s.id",
		"(SELECT id AS i FROM payment WHERE account = 0 ORDER BY id LIMIT 3) AS page, ($level) AS s",
		"unnest(ARRAY[$id, 9, 9]) AS page(i) JOIN ($level) AS s ON s.id = page.i",
		"person JOIN ($level) AS s ON s.id = person.account",
		"(VALUES ($id), (5)) AS page(i) LEFT JOIN ($level) AS s ON s.id = page.i") if rand() < 0.15;
	push @above, 's.id = page.i' if $from =~ /LIMIT 3/;
	# which conditions an order of joins evaluates first is not said
	@above = grep { !m{1 / } } @above if $from =~ /page|person/;
	my $with = rand() < 0.15 && $from =~ s/^\(\Q$level\E\) AS s/s/ ? 'WITH s AS '
		. any('', '', 'MATERIALIZED ', 'NOT MATERIALIZED ') . "($level) " : '';
	my $limit = rand() < 0.5 ? " ORDER BY " . any("s.$key DESC, s.id DESC", "s.$key DESC, s.id DESC",
		"s.$key DESC, s.id", "s.account, s.$key DESC, s.id", "s.$key, s.id")
		. any(' LIMIT 1', ' LIMIT 20', ' LIMIT 2 OFFSET 1', ' LIMIT 7 OFFSET 3', ' OFFSET 2', ' LIMIT 0',
		' LIMIT NULL', ' LIMIT 9223372036854775807 OFFSET 9', ' LIMIT 5 OFFSET -1', ' FETCH FIRST 3 ROWS WITH TIES',
		' LIMIT (SELECT 4)', ' LIMIT 100') : rand() < 0.3 ? " ORDER BY s.$key, s.id" : '';
	my $columns = any('s.*', 's.*', 's.id, s.c0', 's.c0, s.c0::text AS t', $from =~ /person/ ? 's.*, person.name' : 's',
		'count(*) OVER () AS n, s.*', 'sum(s.v) AS v');
	$limit =~ s/ORDER BY .*?(?= LIMIT| OFFSET| FETCH|$)/ORDER BY 1/ if $columns =~ /sum/;
	$level =~ s/ WINDOW /, / if 0;
	return $with . "SELECT $columns FROM $from" . (@above ? ' WHERE '
		. join(' AND ', map { s/^(account|branch|v\b|at|day|n )/s.$1/r } sort { rand() <=> 0.5 } @above) : '') . $limit
		if rand() < 0.85;
	# the level itself has the LIMIT
	return $level . " ORDER BY $key DESC, id DESC" . any(' LIMIT 10', ' LIMIT 3 OFFSET 4', ' OFFSET 1', ' LIMIT 2');
}

my %count = compare_queries($server, $queries, \&query);
cmp_ok($count{"kept $_"} // 0, '>', $queries / 100, "queries that read a kept scan: $_")
	foreach 'part', 'running', 'running last';
cmp_ok($count{plain} // 0, '>', $queries / 10, 'queries that do not');

# ---- what EXPLAIN says

my $sum = 'sum(amount) OVER (PARTITION BY account ORDER BY at, id)';
my $level = "(SELECT id, account, at, $sum AS s FROM payment WHERE posted) AS s";
my $last = "SELECT * FROM $level WHERE account = 0 ORDER BY at DESC, id DESC LIMIT 5";
my $from = "SELECT * FROM $level WHERE account = 0 AND at >= '2026-02-01' ORDER BY at, id";
my $row = "SELECT * FROM $level WHERE id = 4002";

sub explained
{
	my ($settings, $query) = @_;
	return join "\n",
		$server->lines("LOAD 'scan'; SET scan.kept = auto; $settings; EXPLAIN (VERBOSE, COSTS OFF) $query");
}

sub reason
{
	my ($query) = @_;
	return join ' | ', sort(explained('', $query) =~ /^Kept Scan Not Used: (by_time: .*)$/mg);
}

like(explained('', $_->[1]), qr/^Starts From: by_time$/m, "EXPLAIN names the kept scan: $_->[0]")
	foreach [ 'the last rows', $last ], [ 'from a bound', $from ], [ 'a row', $row ];
like($server->value("LOAD 'scan'; EXPLAIN (ANALYZE, FORMAT json) $last") // '', qr/./, 'in another format, too');
like(join("\n", $server->lines("LOAD 'scan'; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) $last")),
	qr/^Starts From: by_time \([1-9]\d* nodes, \d+ deltas, [1-9]\d* rows\)$/m, 'with ANALYZE, what was read');
unlike(explained('SET scan.kept = off', $last), qr/by_time/, 'scan.kept = off');
is(reason($last =~ s/posted/posted AND v > 5/r),
	'by_time: the definition lacks the condition (v > 5), which filters below the window',
	'why not: a filter below the window');
is(reason($last =~ s/WHERE posted//r), 'by_time: the query lacks the condition posted of the definition',
	'why not: a filter that lacks');
is(reason($last =~ s/sum\(amount\)/min(amount)/r), 'by_time: the definition lacks min over the window',
	'why not: another aggregate');
is(reason($last =~ s/at, id\)/at, id ROWS 5 PRECEDING)/r),
	'by_time: the frame of sum does not go from the first row to the current one', 'why not: a frame that moves');
is(reason($last =~ s/PARTITION BY account/PARTITION BY branch/r),
	"by_time: the window of sum has other columns than the definition's", 'why not: other partitions');
is(reason($last =~ s/ LIMIT 5//r), 'by_time: no condition or LIMIT above the window shows few of the rows',
	'why not: all rows are shown');
is(reason('SELECT sum(f), count(*) FROM payment WHERE posted AND account = 0'), 'by_time: the definition lacks sum(f)',
	'why not: another aggregate of the table');
is(reason('SELECT count(f) FROM payment WHERE posted AND account = 0'), 'by_time: the definition lacks count(f)',
	'why not: not all rows are counted');
like(explained('', 'SELECT count(n) FROM payment WHERE posted AND account = 0'), qr/^Starts From: by_time/m,
	'a column that is never NULL counts rows');
like(explained('SET scan.kept = force', 'SELECT count(*) FROM payment WHERE posted AND at < now()'),
	qr/^Starts From: by_time/m, 'without a partition: all of them');
is(reason('SELECT branch, count(*) FROM payment WHERE posted GROUP BY branch'),
	'by_time: branch is not the same in all rows of a bucket', 'why not: other groups');
is(join('; ', $server->lines("LOAD 'scan'; SELECT runs_in, reason FROM scan_explain(\$\$$last\$\$) WHERE runs_in ~ "
			. "'kept|table' AND reason IS NULL")), 'kept scan by_time|', 'scan_explain says so as well');
is(join('; ', $server->lines("LOAD 'scan'; SELECT runs_in, reason FROM scan_explain(\$\$SELECT sum(f) "
			. "FROM payment WHERE posted AND account = 0\$\$) WHERE reason ~ 'by_time'")),
	'table|kept scan by_time: the definition lacks sum(f)', '... and why not');
is(reason("SELECT * FROM $level WHERE account = 0 AND at >= '-infinity'"), 'by_time: reading the table is cheaper',
	'why not: it costs more');

# ---- what a generator cannot reach

unlike(explained('SET scan.kept = force', $last =~ s/AS s FROM/AS s, random() AS r FROM/r), qr/Starts From/,
	'volatile functions are called for each row');

# the same rows as those of queries whose condition below the window no definition has
sub plain { my ($query) = @_; return $query =~ s/posted/posted AND id = id/r }
sub text { my ($query) = @_; return "(SELECT string_agg(t::text, ' ') FROM ($query) AS t)" }

sub differs
{
	my ($query, %option) = @_;
	return $server->value("LOAD 'scan'; SET scan.kept = force; " . ($option{before} // '') . ' SELECT ' . text($query)
		. ' IS DISTINCT FROM ' . text(plain($query))) =~ s/^.*\n//sr;
}

is(differs($_), 'f', 'in one statement beside the plain query') foreach $last, $from, $row;
is(differs($_, before => "BEGIN; UPDATE payment SET amount = amount * 2, at = at + interval '1 minute' WHERE id % 7 = "
			. "0; DELETE FROM payment WHERE id % 11 = 0; INSERT INTO payment SELECT 10000 + id, account, branch, at, "
			. "day, n, 1, v, f, posted FROM payment WHERE id % 13 = 0;"), 'f', 'with changes of the transaction itself')
	foreach $last, $from, $row;

$server->lines('UPDATE payment SET account = NULL WHERE id % 6 = 5');
is(differs($row =~ s/4002/ANY (ARRAY[5, 3005, 4001])/r), 'f', 'rows whose partition is NULL');

my $limited =
	"(SELECT id, account, at, $sum AS s FROM payment WHERE posted AND account = 0 ORDER BY at, id LIMIT 500) AS s";
is(differs("SELECT * FROM $limited $_"), 'f', 'a LIMIT of the level decides which rows there are')
	foreach "WHERE at >= '2025-01-20' ORDER BY at, id", 'ORDER BY at DESC, id DESC LIMIT 5';

is(differs("SELECT s.*, p.b FROM $level RIGHT JOIN (VALUES (1), (2)) AS p(b) ON s.account = p.b "
		. "ORDER BY at DESC, id DESC LIMIT 5"), 'f', 'a join that leaves rows out');
unlike(explained('SET scan.kept = force', "SELECT * FROM (SELECT id, "
			. "row_number() OVER (PARTITION BY account ORDER BY at) FROM payment WHERE posted) AS s WHERE id = 5"),
	qr/scan_kept_part/, 'the number of a row among its peers does not follow from its keys');

# windows without PARTITION BY over one account, whose ties are in another order
# than the definition's: a page by its ids
my $list = "(SELECT id, account, at, sum(amount) OVER (ORDER BY at, branch DESC, id DESC) AS s FROM payment "
	. "WHERE posted AND account = 0) AS s";
foreach my $page ("id IN (4002, 4005, 4008, 3000)", "id = ANY (ARRAY[4002, 77, 1])", "id = 4001",
	"id IN (4002, 4005) AND s > 0")
{
	my $query = "SELECT * FROM $list WHERE $page ORDER BY id";
	is(differs($query), 'f', "a page of a list: $page");
	like(explained('SET scan.kept = force', $query), qr/scan_kept_running.*^Starts From: by_time$/ms,
		'... starts from the kept scan');
}

unlike(explained('SET scan.kept = force', "SELECT * FROM $list WHERE id = (4002 + random() * 0)::bigint"),
	qr/^Starts From/m, 'a volatile value is not computed again for the bounds');

# cursors go forward and backward, and on after changes
foreach my $query ($last, $from)
{
	my $fetch = sub { "BEGIN; DECLARE c SCROLL CURSOR FOR $_[0]; FETCH 3 FROM c; FETCH BACKWARD 2 FROM c; UPDATE "
		. "payment SET amount = 0 WHERE account = 0; FETCH LAST FROM c; FETCH FIRST FROM c; FETCH 2 FROM c; ROLLBACK" };
	is(join("\n", $server->lines("LOAD 'scan'; SET scan.kept = force; " . $fetch->($query))),
		join("\n", $server->lines("LOAD 'scan'; " . $fetch->(plain($query)))), 'a cursor');
}

# parameters, generic plans, and changes of the schema under them
my $keep = "SELECT scan_keep('by_time', 'SELECT sum(amount) OVER w AS a, count(*) OVER w AS b FROM payment "
	. "WHERE posted WINDOW w AS (PARTITION BY account ORDER BY at, id)');";
$server->lines("SELECT scan_unkeep('by_time'); $keep ALTER TABLE payment ADD dropped int; "
	. "ALTER TABLE payment DROP dropped; ALTER TABLE payment ADD added int DEFAULT 7");
my %prepared = (
	'the last rows' => [ 'int, bigint, bigint',
		"SELECT * FROM $level WHERE account = \$1 ORDER BY at DESC, id DESC LIMIT \$2 OFFSET \$3", '0, 7, 3',
		'0, NULL, 2', '3, 0, 0', '0, 9223372036854775807, 9223372036854775807', '77, 5, 0' ],
	'from a bound' => [ 'int, timestamptz', "SELECT * FROM $level WHERE account = \$1 AND at > \$2 ORDER BY at, id",
		"0, '2026-02-01'", "1, 'infinity'", "0, NULL", "3, '-infinity'" ],
	'rows' => [ 'bigint[]', "SELECT * FROM $level WHERE id = ANY (\$1) ORDER BY id", "'{4002,3,17,NULL,3}'", 'NULL',
		"'{}'" ]);
my @changes = ('SELECT 1', "INSERT INTO payment SELECT 20000 + i, 0, 'a', '2026-02-03', '2025-03-01', 1, i, 1, 1, true "
		. "FROM generate_series(1, 5) AS i", 'UPDATE payment SET amount = amount + 3 WHERE account = 0 AND id % 2 = 0',
	'ALTER TABLE payment DISABLE TRIGGER USER', 'UPDATE payment SET amount = 5 WHERE id % 9 = 0',
	'ALTER TABLE payment ENABLE TRIGGER USER', "SELECT scan_kept_check('by_time')", "SELECT scan_unkeep('by_time')",
	'DELETE FROM payment WHERE id % 10 = 0', $keep =~ s/;$//r, 'ALTER TABLE payment RENAME COLUMN amount TO money',
	'ALTER TABLE payment RENAME COLUMN money TO amount', 'ALTER TABLE payment ALTER at DROP NOT NULL',
	'INSERT INTO payment (id, account, n, day, posted, amount) VALUES (30000, 0, 1, now(), true, 5)',
	'DELETE FROM payment WHERE at IS NULL', 'ALTER TABLE payment ALTER at SET NOT NULL',
	"CALL scan_kept_compact('by_time')", 'ALTER TABLE payment DROP CONSTRAINT payment_pkey',
	'ALTER TABLE payment ADD PRIMARY KEY (id)');
my $script = "LOAD 'scan'; SET scan.kept = force; SET plan_cache_mode = force_generic_plan;\n";
foreach my $name (sort keys %prepared)
{
	my ($types, $query) = @{ $prepared{$name} };
	my $id = $name =~ s/ /_/gr;
	$script .= "PREPARE k_$id($types) AS $query;\nPREPARE p_$id($types) AS " . plain($query) . ";\n";
}
foreach my $change (@changes)
{
	$script .= "$change;\n";
	foreach my $name (sort keys %prepared)
	{
		my ($types, $query, @arguments) = @{ $prepared{$name} };
		my $id = $name =~ s/ /_/gr;
		$script .= "\\echo [$name ($_) after $change\nEXECUTE p_$id($_);\n\\echo ~\nEXECUTE k_$id($_);\n\\echo ]\n"
			foreach @arguments;
	}
}
my ($out, $errors) = $server->run($script, go_on => 1);
my @compared = $out =~ /^\[([^\n]*)\n(.*?)~\n(.*?)\]$/msg;
cmp_ok(scalar @compared, '==', 3 * 12 * @changes, 'executions of prepared statements');
is(join("\n", map { $compared[ 3 * $_ + 1 ] eq $compared[ 3 * $_ + 2 ]
				? () : "$compared[3 * $_]: $compared[3 * $_ + 2] not $compared[3 * $_ + 1]" } 0 .. $#compared / 3), '',
	'have the rows of the plain query');
is(join(' ', grep { !/column "amount" does not exist|HINT/ } split /\n/, $errors), '',
	'and no errors but those of the renamed column');

# views, privileges, row security
$server->lines(<<"SQL");
CREATE ROLE clerk; CREATE ROLE auditor;
GRANT USAGE ON SCHEMA public TO clerk, auditor;
CREATE VIEW ledger AS SELECT id, account, at, $sum AS s FROM payment WHERE posted;
CREATE VIEW barrier WITH (security_barrier) AS SELECT id, account, at, $sum AS s FROM payment WHERE posted;
CREATE VIEW twice AS SELECT * FROM ledger WHERE account = 0;
GRANT SELECT ON ledger, barrier TO auditor;
GRANT SELECT (id, account, at, amount) ON payment TO clerk;
SQL
my $of_view = 'SELECT id, account, at, s FROM ledger WHERE account = 0 ORDER BY at DESC, id DESC LIMIT 4';
my $right = join ' ', $server->lines("SET scan.kept = off; $of_view");

sub rows_as
{
	my ($role, $query) = @_;
	return join ' ',
		($server->run("LOAD 'scan'; SET ROLE $role; $query", go_on => 1))[0] =~ s/^SET\n//gmr =~ /^(.*\S)$/mg;
}

like(explained('', $of_view), qr/^Starts From: by_time/m, 'a view of the user');
is(join(' ', $server->lines("LOAD 'scan'; $of_view")), $right, '... has the same rows');
is(rows_as('auditor', $of_view), $right, 'a view of somebody else shows what its owner sees');
unlike(explained('', $of_view =~ s/ledger/barrier/r), qr/Starts From/, 'nothing goes through a security barrier');
is(rows_as('auditor', $of_view =~ s/ledger/barrier/r), $right, '... which has the same rows');
like(explained('', 'SELECT * FROM twice ORDER BY at DESC, id DESC LIMIT 4'), qr/^Starts From: by_time/m,
	'a view of a view starts from it as well');
is(join(' ',
		$server->lines("LOAD 'scan'; SET scan.kept = force; SELECT * FROM twice ORDER BY at DESC, id DESC LIMIT 4")),
	$right, 'a view of a view');
my $direct = "SELECT id, $sum AS s FROM payment WHERE account = 0 ORDER BY at DESC, id DESC LIMIT 4";
like(($server->run("LOAD 'scan'; SET ROLE auditor; $direct", go_on => 1))[1], qr/permission denied for table payment/,
	'privileges on the table are checked');
like(($server->run("LOAD 'scan'; SET ROLE clerk; SELECT n FROM ($direct) AS s, payment LIMIT 1", go_on => 1))[1],
	qr/permission denied for table payment/, '... and on its columns');
$server->lines("SELECT scan_keep('bare', "
	. "'SELECT sum(amount) OVER w AS a FROM payment WINDOW w AS (PARTITION BY account ORDER BY at, id)')");
is(rows_as('clerk', $direct), join(' ', $server->lines("SET scan.kept = off; $direct")),
	'a user with the columns of the definition');
like(explained('SET ROLE clerk', $direct), qr/^Starts From: bare/m, '... reads the kept scan');
$server->lines(
	'ALTER TABLE payment ENABLE ROW LEVEL SECURITY; CREATE POLICY positive ON payment TO clerk USING (amount > 0)');
unlike(explained('SET ROLE clerk', $direct), qr/Starts From/, 'row security: the table is read');
is(rows_as('clerk', $direct), join(' ', $server->lines("SET scan.kept = off; SET ROLE clerk; $direct")),
	'... with its policies');
$server->lines('ALTER TABLE payment DISABLE ROW LEVEL SECURITY');

# what nobody but a rewritten query calls
is(join("\n", map { ($server->run("SELECT $_", go_on => 1))[1] =~ /ERROR:\s+(.*)/ }
		"scan_kept_running('bare', 1, true) OVER ()", "scan_kept_running('bare', 1, true, 1, 2) OVER ()",
		"scan_kept_running(NULL, 1, true, 1) OVER ()",
		"scan_kept_running('bare', NULL, true, id, account, at, amount) OVER () FROM payment",
		"scan_kept_field(ROW(1, 'x'), 1, NULL::text)", "scan_kept_field(ROW(1, 'x'), 3, NULL::text)",
		"* FROM scan_kept_cells('bare', '--', 1) AS r(a int)",
		map { "* FROM scan_kept_cells($_) AS r(account int, at timestamptz, l timestamptz, n bigint, a bytea)" }
			"'bare', '--*', 1.0, 1.0, 7", "'bare', NULL, 1", "'bare', '---t', 1.0, 1.0, 7",
			"'bare', '---x', 1.0, 1.0", "'bare', '---z', 1.0, 1.0"),
	<<'TEXT' =~ s/\n$//r, 'what the functions refuse');
function scan_kept_running(unknown, integer, boolean) does not exist
the arguments are not the columns of kept scan "bare"
a kept scan must not be NULL
the aggregates and the frame of kept scan "bare" must not be NULL
the record has no column 1 of that type
the record has no column 3 of that type
the result of kept scan "bare" has 5 columns
argument 5 has to be an array of values of column "account"
wrong bounds for kept scan "bare"
wrong number of arguments for kept scan "bare"
wrong number of arguments for kept scan "bare"
wrong number of arguments for kept scan "bare"
TEXT

# other sessions write: each statement compares its rows with those of the plain query
my $scratch = File::Temp->newdir;

sub script
{
	my ($name, $text) = @_;
	open my $file, '>', "$scratch/$name" or die $!;
	print $file $text;
	close $file;
	return "$scratch/$name";
}

my $check = join ' ', map { "SELECT 1 / (" . text($_) . ' IS NOT DISTINCT FROM ' . text(plain($_)) . ")::int;\n" }
	$last, $from, $row, "SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 0 AND at > '2025-04-01'",
	'SELECT account, sum(amount), count(*) FROM payment WHERE posted AND account IN (0, 1, 2) '
	. 'GROUP BY account ORDER BY account';
my $reader = script('reader', "BEGIN;\nSET LOCAL scan.kept = force;\n" . $check . "COMMIT;\n");
my $writer = script('writer', <<'SQL');
\set a random(0, 3)
\set i random(1, 6000)
\set r random(40000, 90000000)
BEGIN;
INSERT INTO payment SELECT :r, :a, 'a', timestamptz '2025-01-01' + :i * interval '2 hours', '2025-01-01', 1, :i / 7.0,
  1, 1, true ON CONFLICT DO NOTHING;
UPDATE payment SET amount = amount + 1, at = at + interval '1 day' WHERE id BETWEEN :i AND :i + 3;
SAVEPOINT s;
DELETE FROM payment WHERE id = :i + 5;
ROLLBACK TO s;
UPDATE payment SET account = :a WHERE id = :i + 7;
COMMIT;
SQL
my $compactor = script('compactor',
	"CALL scan_kept_compact('by_time');\nCALL scan_kept_compact('bare');\n\\sleep 50 ms\n");
my $seconds = $ENV{SCAN_TEST_SECONDS} // ($ENV{SCAN_TEST_PART} ? 2 : 6);
my $weights = qq{-f "$reader"\@3 -f "$writer"\@4 -f "$compactor"\@1};
my $bench = qx{"@{[ program('pgbench') ]}" -n -c 6 -j 2 -T $seconds $weights "$server->{database}" 2>&1};
is($?, 0, 'beside writers no row differs') || diag($bench);
cmp_ok($bench =~ /reader\b.*?(\d+) transactions/s ? $1 : 0, '>', 20, 'and readers had their turn');
done_testing();
