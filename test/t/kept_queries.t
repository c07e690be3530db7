# kept_queries.t: plain aggregate queries that read a kept scan (src/kept/totals.c)
# have the results of those that do not.
#
# Random queries over tables with kept scans: aggregates, conditions and bounds of which the definitions have most, and
# near misses.  Each runs with scan.kept = off and auto in one session; results and SQLSTATEs have to be equal.
#
#   SCAN_TEST_QUERIES=10000 SCAN_TEST_SEED=7   more, and others
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Payments;

my $queries = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 1000);
my $seed = $ENV{SCAN_TEST_SEED} // 1 + int rand 1e6;
my $server = payments();
srand $seed;
diag("SCAN_TEST_SEED=$seed");

my %scan = (
	by_time => { aggregates => [ 'sum(amount)', 'count(*)', 'count(id)', 'avg(amount)', 'max(v)',
			'exact_sum(f)', 'sum(v) FILTER (WHERE v > 20)', 'stddev(amount)', 'exact_var_samp(v)',
			'stddev_pop(v) FILTER (WHERE v > 20)', 'sum(v) FILTER (WHERE 20 < v)' ], where => ['posted'],
		partition => ['account'], key => 'at', bounds => [ @times, "timestamptz '2025-05-01' + interval '3 days'",
			'NULL::timestamptz', @times_of_other_types ] },
	by_day => { aggregates => [ 'sum(v)', 'count(v)', 'bool_or(v > 90)', 'var_pop(n)' ],
		where => [], partition => [ 'account', 'branch' ], key => 'day',
		bounds => [ @days, "date '2025-02-01' + 3", 'NULL::date', @days_of_other_types ] },
	by_number => { aggregates => [ 'sum(amount)', 'count(*)', 'min(amount::numeric(12,2))' ],
		where => [ 'posted', 'v > 10' ], partition => [], key => 'n', bounds => [ @numbers, 'NULL::int' ] },
	# 1.0 and 1.00 are one partition
	by_rate => { aggregates => [ 'sum(n)', 'count(*)', 'count(id)' ], where => [], partition => [ 'account', 'rate' ],
		key => 'at', bounds => [@times] },
);
my %value = (account => [ 0 .. 5, 6, '3::int8', '2::int2', '99999999999', '-99999999999', 'NULL', 'o.x',
		'o.x::int8', '1 + 2', 'abs(-3)', '(SELECT 1)', '(SELECT account FROM payment WHERE id = 5)', '(SELECT o.x)',
		'(SELECT account::int8 FROM payment WHERE id = 7)', '(SELECT 1 WHERE false)', '(SELECT account FROM payment)' ],
	rate => [ 1, '1.00', '1::int8', 2, 'NULL' ], branch => [ "'a'", "'b'", "'z'", "'a'::varchar", 'NULL' ]);

# A query that a kept scan answers, or that misses one by a condition, an aggregate or a clause.
sub query
{
	my $scan = $scan{ any(keys %scan) };
	my @where = (@{ $scan->{where} },
		map { rand() < 0.1 ? any(@{ $value{$_} }) . " = $_" : "$_ = " . any(@{ $value{$_} }) } @{ $scan->{partition} });
	# with GROUP BY the partition's columns, and any conditions of them
	my @groups = rand() < 0.3 ? sort { rand() <=> 0.5 } @{ $scan->{partition} } : ();
	if (@groups)
	{
		@where = @{ $scan->{where} };
		push @where, any("account = ANY (ARRAY[0, 3, 3, 77, NULL])", 'account IN (1, 2)', "account = " . any(0 .. 6),
			'account = ANY (NULL::int[])', "account = ANY ('{}'::int[])", 'account = ANY (ARRAY[1::int8, 2])',
			'account > 2', 'account IS NULL', "account = any(ARRAY[o.x, 2])") if rand() < 0.7;
		push @where, any("branch = 'a'", "branch IN ('b', 'z')", "branch < 'b'") if rand() < 0.3 && @groups > 1;
		push @where, any('rate = 1', 'rate IN (1.0, 5)', 'rate < 2', 'scale(rate) = 1', "rate::text = '1.0'",
			'rate IS DISTINCT FROM 2', 'scale(rate) < 2') if rand() < 0.8 && grep { $_ eq 'rate' } @groups;
		# a column that has one value need not be grouped by
		push @where, map { $_ eq 'account' ? 'account = ' . any(0 .. 4) : any(@{ $value{$_} }) . " = $_" }
			$groups[0] eq 'rate' || rand() < 0.4 ? shift @groups : () if @groups > 1;
		pop @groups if rand() < 0.04;
		push @groups, 'id' if rand() < 0.03;
	}
	my ($key, @bounds) = ($scan->{key}, map { any(@{ $scan->{bounds} }) } 1, 2);
	push @where, any("$key < $bounds[0]", "$key <= $bounds[0]", "$key > $bounds[0]", "$key >= $bounds[0]",
		"$key = $bounds[0]", "$bounds[0] > $key", "$key BETWEEN $bounds[0] AND $bounds[1]",
		"$key >= $bounds[0] AND $key < $bounds[1]", "$key > $bounds[0] AND $bounds[1] >= $key") if rand() < 0.8;
	# several bounds of a side, and conditions that follow from the others
	push @where, map { "$key $_ " . any(@{ $scan->{bounds} }) } any('<', '>'), any('<=', '>=') if rand() < 0.1;
	push @where, any("$key IS NOT NULL", map { $_ eq 'v > 10' ? ('v > 9', 'v > 10::bigint', 'v > 11', 'v IS NOT NULL')
		: "$_ IS NOT NULL" } @{ $scan->{where} }) if rand() < 0.1;
	push @where, any('1 = 1', 'true', 'NOT false', '(1 = 1 OR account = 5)', 'NOT (1 = 2)') if rand() < 0.15;
	s/^v > 10$/10 < v/, s/^account = (\d)$/any("account = $1", "NOT (account <> $1)", "(1 = 1 AND account = $1)")/e
		foreach @where;
	splice @where, rand @where, 1 if @where && rand() < 0.08;
	push @where, any('v < 50', 'scale(rate) = 1', "rate::text = '1.00'", 'id > 100', 'account IS NOT NULL',
		"$key <> $bounds[0]", 'true', 'random() > 2', '1 / (v - v) = 1') if rand() < 0.08;
	my @aggregates = map { any(@{ $scan->{aggregates} }) } 1 .. 1 + rand 3;
	push @aggregates, any('sum(f)', 'count(DISTINCT v)', 'string_agg(id::text, NULL ORDER BY id)', 'count(account)')
		if rand() < 0.05;
	my $select = join ', ', map { rand() < 0.2
			? "coalesce($aggregates[$_]::text, 'none') AS c$_" : "$aggregates[$_] AS c$_" } 0 .. $#aggregates;
	$select .= ', (SELECT max(name) FROM pg_am AS a(x, name)) AS h' if rand() < 0.05;
	$select .= rand() < 0.8 ? ", $_" : ", $_ IS NULL AS g$_" foreach @groups;
	my $having = rand() < 0.1 ? ' HAVING ' . any('count(*) > 10', "$aggregates[0] IS NOT NULL", 'false') : '';
	my $from = rand() < 0.1 ? any('ONLY payment', 'payment AS p', '(SELECT * FROM payment) AS s') : 'payment';
	my $plain = "SELECT $select FROM $from" . (@where ? ' WHERE ' . join(' AND ', sort { rand() <=> 0.5 } @where) : '')
		. (@groups ? ' GROUP BY ' . join(', ', @groups) : '') . $having . (rand() < 0.05
			? any(@groups ? '' : ' LIMIT 1', ' LIMIT 0', @groups ? ' ORDER BY 1' : ' OFFSET 1', ' FOR UPDATE') : '');
	return "SELECT c0::text, count(*), " . any('count(c0)', 'min(c0::text)') . " FROM ($plain) AS s GROUP BY "
		. any('c0', 'c0::text', '1') if @groups && $plain !~ /o\.x/ && rand() < 0.1;
	return $plain !~ /o\.x/ ? $plain : "SELECT o.x, s.* FROM (VALUES (0), (1), (3), (NULL)) AS o(x)"
		. any(", LATERAL ($plain) AS s", " LEFT JOIN LATERAL ($plain) AS s ON true");
}

my %count = compare_queries($server, $queries, \&query);
cmp_ok($count{"kept $_"} // 0, '>', $queries / 30, "queries that read a kept scan: $_") foreach 'part', 'cells';
cmp_ok($count{plain} // 0, '>', $queries / 20, 'queries that do not');

# ---- what a generator cannot reach

my $sum = "SELECT sum(amount), count(*) FROM payment WHERE posted AND account = 0 AND at < '2025-06-01'";

sub explained
{
	my ($settings, $query) = @_;
	return join "\n", $server->lines("LOAD 'scan'; $settings; EXPLAIN (VERBOSE, COSTS OFF) $query");
}

like(explained('', $sum), qr/scan_kept_part\('by_time'::regclass, '-\)'::text, 0, /,
	'EXPLAIN names the kept scan and what is read of it');
unlike(explained('SET scan.kept = off', $sum), qr/scan_kept_part/, 'scan.kept = off reads the table');
unlike(explained('ALTER TABLE payment DISABLE TRIGGER USER', $sum), qr/scan_kept_part/, 'a stale one is not asked');
$server->lines(
	'ALTER TABLE payment ENABLE TRIGGER USER; ALTER TABLE payment ENABLE ALWAYS TRIGGER scan_kept_by_time_truncate;');
unlike(explained('', $sum), qr/scan_kept_part/, 'nor one whose triggers were disabled');
$server->lines("SELECT scan_unkeep('by_time')");
my $keep = "SELECT scan_keep('by_time', 'SELECT sum(amount) OVER w AS a, count(*) OVER w AS b FROM payment "
	. "WHERE posted WINDOW w AS (PARTITION BY account ORDER BY at, id)');";
$server->lines($keep);

# the triggers of others are left alone, even if their libraries have gone
$server->lines("CREATE FUNCTION gone() RETURNS trigger LANGUAGE C AS 'scan', 'scan_kept_log'; "
	. "UPDATE pg_proc SET probin = '/no/such/library' WHERE proname = 'gone'; "
	. "CREATE TRIGGER a_gone AFTER DELETE ON payment EXECUTE FUNCTION gone('by_time')");
like(explained('', $sum), qr/scan_kept_part/, 'a trigger whose library is missing does no harm');
$server->lines('DROP FUNCTION gone CASCADE');

# a prepared statement with a generic plan, before and after changes of the schema and of rows
my $prepared = 'SET plan_cache_mode = force_generic_plan; PREPARE q(int) AS SELECT sum(amount) AS s, count(*) AS n '
	. 'FROM payment WHERE posted AND account = $1 AND at >= \'2025-02-01\';';
my @changes = ("INSERT INTO payment SELECT 9000, 0, 'a', '2025-03-01', '2025-03-01', 1, 1000000, 1, 1, true",
	'UPDATE payment SET amount = 7 WHERE id = 9000', "SELECT scan_unkeep('by_time')",
	'DELETE FROM payment WHERE id = 9000', $keep, 'ALTER TABLE payment RENAME COLUMN amount TO money',
	'ALTER TABLE payment RENAME COLUMN money TO amount', 'UPDATE payment SET amount = amount + 1 WHERE account = 0',
	"SELECT scan_kept_check('by_time')", "CALL scan_kept_compact('by_time')", 'ALTER TABLE payment ALTER v TYPE bigint',
	"SELECT scan_unkeep('by_day'), scan_unkeep('by_number'), scan_unkeep('by_time')",
	'ALTER TABLE payment ALTER v TYPE bigint', $keep, 'TRUNCATE payment', 'SELECT fill(1, 3000)');
my ($out) = $server->run("LOAD 'scan';" . $prepared . join("\n",
		map { "$_;\nSELECT 'plain', sum(amount), count(*) FROM payment WHERE posted AND account = 0 AND at >= "
			. "'2025-02-01' AND id = id;\nSELECT 'kept'; EXECUTE q(0);\n" } map { s/;$//r } @changes), go_on => 1);
my @pairs = $out =~ /^plain\|(.*)\nkept\n(.*)$/mg;
cmp_ok(scalar @pairs, '>', 20, 'results of a prepared statement');
is(join(' ', grep { $pairs[ 2 * $_ ] ne $pairs[ 2 * $_ + 1 ] } 0 .. $#pairs / 2), '', 'are right after each change');

# a parallel worker plans the query of a function, while the statement around changes the table
$server->lines(<<'SQL');
CREATE FUNCTION balance(a int) RETURNS numeric LANGUAGE plpgsql STABLE PARALLEL
  SAFE AS 'BEGIN RETURN (SELECT sum(amount) FROM payment WHERE posted AND account = a); END';
CREATE FUNCTION called(a int) RETURNS numeric
  LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN (SELECT k.a FROM by_time_total(a) AS k); END';
CREATE TABLE many AS SELECT i % 3 AS a FROM generate_series(1, 20000) AS i;
CREATE TABLE seen (by text, kept numeric, plain numeric);
CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE kept numeric; plain numeric; f text;
BEGIN
  FOREACH f IN ARRAY ARRAY['balance', 'called'] LOOP
    -- a statement that writes, or that wants one row, has no workers; what a worker misses makes its sum smaller
    EXECUTE format('SELECT min(%s(a)) FROM many WHERE a = 0', f) INTO kept;
    SELECT sum(amount) INTO plain FROM payment WHERE posted AND account + 0 = 0;
    INSERT INTO seen VALUES (f, kept, plain);
  END LOOP;
  RETURN NEW;
END $$;
CREATE TRIGGER a_look AFTER INSERT ON payment FOR EACH ROW EXECUTE FUNCTION look();
SQL
my $parallel = "LOAD 'scan'; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; "
	. "SET min_parallel_table_scan_size = 0; SET max_parallel_workers_per_gather = 2;";
like(join("\n", $server->lines("$parallel EXPLAIN SELECT max(balance(a)) FROM many")), qr/Gather/,
	'workers call the function');
is(join(' ', $server->lines("$parallel SELECT scan_kept_check('by_time');
	INSERT INTO payment SELECT 9200, 0, 'a', '2025-03-01', '2025-03-01', 1, 5000000, 1, 1, true;
	DELETE FROM payment WHERE id = 9200; SELECT by FROM seen WHERE kept IS DISTINCT FROM plain;
	SELECT count(*) FROM seen")),
	'0 2', 'and read what is right');
$server->lines('DROP TRIGGER a_look ON payment');
is(join("\n", map { ($server->run("SELECT * FROM scan_kept_part($_) AS r(a numeric, b bigint)", go_on => 1))[1]
				=~ /ERROR:\s+(.*)/ } "'by_time', 'x)', 0", "'by_time', '[', 0", "'by_time', NULL, 0", "'by_time', '--'",
		"'by_time', '-)', 0", "'by_time', '--', 0, 1"), <<'TEXT' =~ s/\n$//r, 'what scan_kept_part() refuses');
wrong bounds for kept scan "by_time"
wrong bounds for kept scan "by_time"
wrong bounds for kept scan "by_time"
argument 3 has to be of type integer, as column "account"
argument 4 has to be of type timestamp with time zone, as column "at"
wrong number of arguments for kept scan "by_time"
TEXT

# privileges: of a user who may not read the table, of a view's owner, of row security
$server->lines(<<'SQL');
CREATE ROLE clerk; CREATE ROLE auditor;
GRANT USAGE ON SCHEMA public TO clerk, auditor;
GRANT SELECT (account, at, amount, posted) ON payment TO clerk;
CREATE VIEW part AS SELECT sum(amount) AS s FROM payment WHERE posted AND account = 0;
GRANT SELECT ON part TO auditor;
SQL
my $total = 'SELECT sum(amount) AS s FROM payment WHERE posted AND account = 0';
my $right = $server->value("SET scan.kept = off; $total");
is($server->value("LOAD 'scan'; SET ROLE auditor; SELECT s FROM part"), $right, 'a view shows what its owner sees');
like(($server->run("LOAD 'scan'; SET ROLE auditor; $total", go_on => 1))[1], qr/permission denied for table payment/,
	'the table is protected as before');
my ($clerk, $complaints) = $server->run("LOAD 'scan'; SET ROLE clerk; $total", go_on => 1);
is($clerk =~ s/SET\n|\n//gr, $right, 'the columns of a query are enough, even where the definition reads more')
	|| diag($complaints);
($clerk, $complaints) = $server->run("LOAD 'scan'; SET plan_cache_mode = force_generic_plan; PREPARE s AS $total; "
	. "EXECUTE s; SET ROLE clerk; EXECUTE s; RESET ROLE; EXECUTE s", go_on => 1);
is($clerk =~ s/[A-Z].*\n//gr, "$right\n" x 3, '... and with the plan of another role') || diag($complaints);
$server->lines('GRANT SELECT (id) ON payment TO clerk');
like(explained('SET ROLE clerk', $total), qr/scan_kept_part/, 'with those of the definition the kept scan is read');
$server->lines(
	'ALTER TABLE payment ENABLE ROW LEVEL SECURITY; CREATE POLICY positive ON payment TO clerk USING (amount > 0)');
is(($server->run("LOAD 'scan'; SET ROLE clerk; $total", go_on => 1))[0] =~ s/SET\n|\n//gr,
	$server->value("SET scan.kept = off; $total AND amount > 0"), 'row security counts');
is($server->value("LOAD 'scan'; $total"), $right, 'but not for the owner');

# a query that reads what its own transaction has written
cmp_ok($server->value("LOAD 'scan'; BEGIN; INSERT INTO payment SELECT 9100, 0, 'a', '2025-03-01', '2025-03-01', 1, "
		. "sum(amount), 1, 1, true FROM payment WHERE posted AND account = 0; $total; ROLLBACK"), '==', 2 * $right,
	'rows of the transaction count');
$server->lines('DROP VIEW part; DROP OWNED BY clerk, auditor; DROP ROLE clerk, auditor');
done_testing();
