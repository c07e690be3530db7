# kept_forms.t: questions that are asked in other words than those of a definition, and read its kept scan: constants
# that are not folded yet, bounds of other types, subqueries as values, comparisons of rows, commuted operators.
#
# Each query runs with scan.kept = off, auto and force (Payments.pm) with the same result, and under force EXPLAIN shows
# which function reads the kept scan.  kept_queries.t and kept_windows.t have these forms in random queries.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Payments;

my $server = payments();
$server->lines('ALTER TABLE payment ADD PRIMARY KEY (id); CREATE TABLE acct (id int, big bigint, name text); '
	. 'INSERT INTO acct SELECT i, i, i::text FROM generate_series(0, 5) AS i; ANALYZE');
my $zone = 'UTC';
sub compared
{
	my ($expected, @queries) = @_;
	my @read = $server->lines("LOAD 'scan'; SET timezone = '$zone';" . join '',
		map { "SELECT compare(\$q\$$_\$q\$);" } @queries);
	is($read[$_], $expected, "$expected, $zone: $queries[$_]") foreach 0 .. $#queries;
}
sub total { my ($where, $scan) = @_; return 'SELECT sum(amount), count(*) FROM payment WHERE posted AND ' . $where }

# ---- constants

compared('kept part', map { total($_) } '1 = 1 AND account = 3',
	'(account = 3 AND true) AND (at < now() AND NOT false)', 'NOT (account <> 3)', 'account = 1 + 2',
	'account = 3 AND at >= now() - 300000 * interval \'1 day\'', "account = 3 AND at < '2025-05-01'::date + 1",
	"account = 3 AND at < date_trunc('month', now())", 'account = 3 AND at < coalesce(NULL, now())');
compared('kept part', "SELECT sum(amount) FROM payment WHERE posted AND 10 < v AND n < 100",
	"SELECT sum(amount) FROM payment WHERE true = posted AND v > 2 * 5 AND 100 > n",
	'SELECT sum(v) FILTER (WHERE 20 < v) FROM payment WHERE posted AND account = 3');
compared('plain', "SELECT sum(amount) FROM payment WHERE posted AND 10 > v AND n < 100", total('account = 3 AND 1 = 2'),
	total('account = 3 AND at < $$2025-01-01$$::text::timestamptz'));
# what core does not compute is not computed
compared('plain', total('account = 3 AND false AND 1 / 0 = 1'));
# a function of a user may change under a plan
$server->lines(q{CREATE FUNCTION last_day() RETURNS timestamptz LANGUAGE sql }
	. q{IMMUTABLE AS $$SELECT timestamptz '2025-05-01 00:00+00'$$; CREATE FUNCTION next_day(t timestamptz) }
	. q{RETURNS timestamptz LANGUAGE sql STABLE AS $$SELECT t + interval '1 day'$$});
compared('plain', total("account = 3 AND at < next_day(now())"));
my $changing = "SET plan_cache_mode = force_generic_plan; PREPARE q(timestamptz) AS "
	. total('account = 3 AND at < next_day($1)') . "; EXECUTE q('2025-05-01'); CREATE OR REPLACE "
	. "FUNCTION next_day(t timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT t'; EXECUTE q('2025-05-01')";
is(join(' ', $server->lines("LOAD 'scan'; SET scan.kept = force; $changing")), join(' ',
		$server->lines('CREATE OR REPLACE FUNCTION next_day(t timestamptz) RETURNS timestamptz LANGUAGE '
			. 'sql STABLE AS $$SELECT t + interval $i$1 day$i$ $$; ' . "SET scan.kept = off; $changing")),
	'a function that changes under a plan');

# ---- values and bounds of other types

foreach (qw(UTC America/New_York Pacific/Apia America/Sao_Paulo))
{
	$zone = $_;
	compared('kept part', map {
		my $b = $_;
		map { total("account = 3 AND at $_ $b") } '<', '<=', '=', '>=', '>'
	} @times_of_other_types[ 2, 6 .. 14 ]);
	compared('kept part', map {
		my $b = $_;
		map { "SELECT sum(v), count(v) FROM payment WHERE account = 3 AND branch = 'b' AND day $_ $b" } '<', '<=', '=',
			'>=', '>'
	} @days_of_other_types[ 0 .. 6, 8, 9 ]);
	compared('kept running', "SELECT * FROM (SELECT id, account, branch, day, "
			. "sum(v) OVER (PARTITION BY account, branch ORDER BY day, id) AS s FROM payment) AS s "
			. "WHERE account = 3::int8 AND branch = 'b' AND day > timestamptz '2026-01-20 12:00'");
}
$zone = 'UTC';
compared('kept part', map {
	my $b = $_;
	map { "SELECT sum(amount), count(*) FROM payment WHERE posted AND v > 10 AND n $_ $b" } '<', '<=', '=', '>=', '>'
} '77::int8', '3::int2', 2147483647, 2147483648, -2147483648, -2147483649, '9223372036854775807',
'(-9223372036854775808)');
compared('kept part', map { total("account = $_") } '3::int8', '2::int2', 4294967299, -4294967293,
	"3::int8 AND at < date '2025-06-01'");
compared('kept part', "SELECT a.big, s.* FROM acct AS a, LATERAL (" . total('account = a.big') . ") AS s",
	"SELECT a.big, s.* FROM acct AS a, LATERAL (" . total("account = a.big AND at >= date '2025-02-01'") . ") AS s");
compared('kept cells', "SELECT account, sum(amount) FROM payment WHERE posted AND account = 3::int8 GROUP BY account",
	"SELECT branch, sum(v) FROM payment WHERE account = 3::int8 AND day < now() GROUP BY branch");

# a timestamp is not in the order of the timestamptz values that it is compared as
$server->lines("CREATE TABLE clock (id int, t timestamp NOT NULL, v int); INSERT INTO clock "
	. "SELECT i, timestamp '2025-03-09 00:00' + i * interval '1 minute', 1 FROM generate_series(0, 600) AS i; "
	. "ANALYZE clock; SELECT scan_keep('clocked', 'SELECT sum(v) OVER w AS a FROM clock WINDOW w AS (ORDER BY t)')");
$zone = 'America/New_York';
compared('kept cells', "SELECT sum(v) FROM clock WHERE t < timestamptz '2025-03-09 03:15'");
compared('plain', "SELECT * FROM (SELECT id, t, sum(v) OVER (ORDER BY t) AS s FROM clock) AS s "
		. "WHERE t >= timestamptz '2025-03-09 03:15'");
compared('kept part', "SELECT sum(v) FROM clock WHERE t < timestamp '2025-03-09 03:15'",
	"SELECT sum(v) FROM clock WHERE t > date '2025-03-09'", "SELECT sum(v) FROM clock WHERE t = date 'infinity'");

# parameters as drivers send them: bigint for integer, date for timestamptz, in custom and generic plans
foreach my $plan ('force_custom_plan', 'force_generic_plan')
{
	my $prepared = sub {
		my ($kept) = @_;
		join(' ', $server->lines(
				"LOAD 'scan'; SET scan.kept = $kept; SET plan_cache_mode = $plan; PREPARE q(bigint, date) AS "
				. total('account = $1 AND at < $2') . ";" . join('', map { "EXECUTE q($_);" } "3, '2025-06-01'",
					"3000000000, '2025-06-01'", "NULL, '2025-06-01'", "3, NULL", "3, 'infinity'", "3, '294277-01-01'",
					"-1, '2025-01-01'") . ($kept eq 'off' ? '' : "EXPLAIN (COSTS OFF) EXECUTE q(3, '2025-06-01')")));
	};
	my ($off, $kept) = map { $prepared->($_) } 'off', 'force';
	like($kept, qr/^\Q$off\E Function Scan on scan_kept_part/, "parameters of other types: $plan");
}
my $called = "DO \$\$ DECLARE a bigint := 3; d date := '2025-06-01'; s numeric; "
	. "BEGIN FOR i IN 1 .. 10 LOOP SELECT sum(amount) INTO s FROM payment WHERE posted AND account = a AND at < d; "
	. "a := (a + 1) % 6; RAISE NOTICE '%', s; END LOOP; END \$\$";
my ($plain, $kept) = map { ($server->run("LOAD 'scan'; SET scan.kept = $_; $called"))[1] =~ s/^.*NOTICE://mgr } 'off',
	'force';
is($kept, $plain, 'variables of PL/pgSQL');

# ---- subqueries

compared('kept part', map { total($_) } "account = (SELECT id FROM acct WHERE name = '3')",
	"account = (SELECT big FROM acct WHERE name = '3')", "account = (SELECT id FROM acct WHERE name = 'none')",
	"account = 3 AND at < (SELECT max(at) FROM payment WHERE id < 100)",
	"at < (SELECT date '2025-06-01') AND (SELECT 3) = account");
compared('kept part', total("account = 3") =~ s/count\(\*\)/(SELECT name FROM acct WHERE id = 3)/r,
	"SELECT a.id, s.* FROM acct AS a, LATERAL (" . total('account = (SELECT a.id)') . ") AS s",
	"WITH a AS (SELECT 3 AS id) " . total('account = (SELECT id FROM a)'));
compared('error', total("account = (SELECT id FROM acct)"));
compared('kept cells', "SELECT account, sum(amount) FROM payment "
		. "WHERE posted AND account = (SELECT id FROM acct WHERE name = '3') GROUP BY account",
	"SELECT branch, sum(v) FROM payment WHERE account = (SELECT id FROM acct WHERE name = '3') GROUP BY branch");
compared('plain', total("account = (SELECT a.id FROM acct AS a WHERE a.id = payment.v)"),
	total('account = (SELECT (random() * 0)::int)'),
	total('account = 3 AND EXISTS (SELECT 1 FROM acct AS a WHERE a.id = payment.v)'),
	"SELECT account, (SELECT max(name) FROM acct AS a WHERE a.id = payment.account), sum(amount) FROM payment "
		. "WHERE posted GROUP BY account");

# ---- comparisons of rows: pages of a ledger

my $ledger = '(SELECT id, account, at, sum(amount) OVER (PARTITION BY account ORDER BY at, id) AS s '
	. 'FROM payment WHERE posted) AS s';
my $where = 'WHERE account = 3 AND';
compared('kept running last', map { "SELECT * FROM $ledger $where $_ ORDER BY at DESC, id DESC LIMIT 20" }
	"(at, id) < ('2025-09-01', 100)", "(at, id) <= (date '2025-09-01', 5943)", "(at, id) < ('2025-09-01', NULL)",
	"(at, id) < (now(), 3000)", "(at, id) > ('2025-09-01', 100)");
compared('kept running',
	map { "SELECT * FROM $ledger $where $_" } "(at, id) > ('2026-02-01', 100) ORDER BY at, id LIMIT 20",
	"(at, id) >= ('2026-02-01', 100) AND (at, id) < ('2026-02-10', 3) ORDER BY at, id");
# a page that ends in the middle of rows of one time
$server->lines("INSERT INTO payment SELECT 20000 + i, 3, 'a', '2026-01-01', '2026-01-01', 1, i, i, 1, true "
	. "FROM generate_series(1, 40) AS i");
compared('kept running last',
	map { "SELECT * FROM $ledger $where (at, id) < ('2026-01-01', $_) ORDER BY at DESC, id DESC LIMIT 20" } 20001,
	20005, 20030, 30000);
compared('kept running', map { "SELECT * FROM $ledger $where (at, id) > ('2026-01-01', $_) ORDER BY at, id LIMIT 20" }
	20001, 20005, 20030, 30000);
# where rows behind the bound are peers of rows that are shown, they may not be left out
my $by_time = $ledger =~ s/at, id\)/at)/r;
compared('plain',
	map { "SELECT * FROM $by_time $where (at, id) < ('2026-01-01', $_) ORDER BY at DESC, id DESC LIMIT 20" } 20005);
compared('plain',
	map { "SELECT * FROM $ledger $where (at, $_) < ('2026-01-01', 20005) ORDER BY at DESC, id DESC LIMIT 20" }
	'account', 's', 'id + 0');
compared('plain', "SELECT * FROM $ledger $where (at, id) < ('2026-01-01', account) ORDER BY at DESC, id DESC LIMIT 20");
compared('kept running', "SELECT * FROM $by_time $where (at, id) > ('2026-01-01', 20005) ORDER BY at, id");

# ---- what pays

sub reads
{
	my ($query, $before) = @_;
	return (join "\n", $server->lines("LOAD 'scan'; SET scan.kept = auto; "
			. ($before // '') . " EXPLAIN (VERBOSE, COSTS OFF) $query"))
		=~ /scan_kept_(part|groups|running)|(reading the table is cheaper)/ ? $1 // $2 : 'nothing';
}

my $range = "account = 0 AND at >= '2025-06-01' AND at < ";
is(reads(total("$range '2025-06-02'")), 'reading the table is cheaper',
	'few rows between two bounds are read from the table');
is(reads(total("$range '2026-02-01'")), 'part', 'many are not');
is(reads(total("account = 0 AND at < '2025-01-05'")), 'reading the table is cheaper', 'few rows before a bound');
is(reads(total("account = 0 AND at >= '2026-02-20'")), 'reading the table is cheaper', 'few rows from a bound on');
is(reads('SELECT * FROM (' . total("$range '2025-06-02'") . ') AS s, acct'), 'part', 'a level below is not compared');
my $prepare = 'PREPARE r(timestamptz) AS ' . total("$range \$1") . ';';
is(reads("EXECUTE r('2025-06-02')", "SET plan_cache_mode = force_custom_plan; $prepare"), 'nothing',
	'a parameter whose value is known');
is(reads("EXECUTE r('2025-06-02')", "SET plan_cache_mode = force_generic_plan; $prepare"), 'part',
	'a plan for any values reads the kept scan');
# many rows of one first key: each row that is looked up by its keys reads these
$server->lines("CREATE TABLE posting (id int PRIMARY KEY, account int, day date NOT NULL, v int); "
	. "INSERT INTO posting SELECT i, 1, date '2026-01-01' + i / 2000, 1 FROM generate_series(1, 20000) AS i; "
	. "CREATE INDEX ON posting (account, day, id); ANALYZE posting; SELECT scan_keep('posted', "
	. "'SELECT sum(v) OVER w AS a FROM posting WINDOW w AS (PARTITION BY account ORDER BY day, id)'); ANALYZE");
my $postings = '(SELECT id, account, day, sum(v) OVER (PARTITION BY account ORDER BY day, id) AS s FROM posting) AS s';
my $ids = join ', ', map { 400 * $_ } 1 .. 40;
is(reads("SELECT * FROM $postings WHERE $_->[1]"), $_->[0], "many rows of one key: $_->[1]")
	foreach [ 'part', 'id = 400' ], [ 'part', 'id IN (400, 8000)' ], [ 'nothing', "id IN ($ids)" ], [ 'nothing',
	"id = ANY (ARRAY[$ids])" ];
is(reads("SELECT * FROM $postings JOIN (VALUES " . ($ids =~ s/(\d+)/($1)/gr) . ') AS p(i) ON p.i = s.id'), 'nothing',
	'many rows of one key: a join');
is(reads("SELECT * FROM $postings JOIN (VALUES (400), (800)) AS p(i) ON p.i = s.id"), 'part', 'a join with few');
compared('kept part', "SELECT * FROM $postings WHERE id IN ($ids)");
done_testing();
