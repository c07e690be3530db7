# exact_powers.t: exact_skewness* and exact_kurtosis* against Python's integers, in test/t/exact_powers.py: whole, by
# groups, in parallel plans and over moving frames, by WindowAgg and by PrefixScan.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine'
	if system('python3 -c "import math; math.nextafter" >/dev/null 2>&1') != 0;

my $server = Server->new('exact_powers');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/exact_powers.py" "$Server::psql"`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 37, 'all kinds of data were compared');

# that the parallel plans are parallel, and that a moving one runs in PrefixScan, by sums
my $plan = join "\n", $server->lines(<<'SQL');
CREATE TABLE many AS SELECT i AS x FROM generate_series(1, 10000) AS i;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT exact_skewness(x), exact_kurtosis_pop(x::bigint), exact_kurtosis(x::numeric) FROM many;
SQL
like($plan, qr/Finalize Aggregate.*Gather.*Partial Aggregate/s, 'they go in parallel');
$plan = join "\n", $server->lines(
	"LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT "
	. "exact_skewness(x) OVER w, exact_kurtosis(x::bigint) OVER w FROM many WINDOW w AS (ORDER BY x ROWS 9 PRECEDING)");
like($plan, qr/Frame Methods: exact_skewness \(exact sums\), exact_kurtosis \(exact sums\)/, 'in PrefixScan');

# no user can mix up the kinds of a state
$server->lines(<<'SQL');
CREATE AGGREGATE mixed(float8) (SFUNC = exact_add_square, STYPE = exact_state, FINALFUNC = exact_final_skewness);
CREATE AGGREGATE powers_of(float8) (SFUNC = exact_add_powers, STYPE = exact_state);
CREATE AGGREGATE powers_of(numeric) (SFUNC = exact_add_powers_numeric, STYPE = exact_state);
CREATE AGGREGATE joined(exact_state)
  (SFUNC = exact_combine_powers, STYPE = exact_state, FINALFUNC = exact_final_skewness);
CREATE AGGREGATE joined_kurtosis(exact_state)
  (SFUNC = exact_combine_powers, STYPE = exact_state, FINALFUNC = exact_final_kurtosis);
SQL
my ($out, $err) = $server->run('SELECT mixed(x) FROM many');
like($err, qr/ERROR:  invalid exact_state value\nDETAIL:  The state was made from values, not from powers of values\./,
	'a state of the other kind is refused');

# a state travels as text and as bytes, and adds up elsewhere to the same bits
is($server->value("SELECT joined(s::text::exact_state) = (SELECT exact_skewness($_) FROM many) "
		. "AND joined_kurtosis(s::text::exact_state) = (SELECT exact_kurtosis($_) FROM many) "
		. "FROM (SELECT powers_of($_) AS s FROM many GROUP BY x % 11) AS t"), 't', "pieces of $_ as text")
	for 'x * 1e-300::float8', '7::float8 / x', '10::numeric ^ (x % 90 - 45)', '1 + x / 1000.0';
is($server->value('SELECT bool_and(s::text::exact_state::text = s::text) '
		. 'FROM (SELECT powers_of(x * 1e300::float8) AS s FROM many GROUP BY x % 11) AS t'), 't', 'in and out again');

# texts that are none: another kind, a unit that no state has, bytes that lack or are too many, sums that no values make
my $state = $server->value('SELECT powers_of(x::numeric) FROM many WHERE x < 9');
like($state, qr/^\\xfffffffffffffffd00000000000000010000000000000000/, 'a state of numerics');
my @none = ('\xfffffffffffffffd', $state . '00', substr($state, 0, -2), $state =~ s/fffd/fffc/r,
	$state =~ s/fffd/ffee/r, $state =~ s/fffd0{15}1/fffd0000000000000002/r,
	$state =~ s/(fffd0{15}1)0{16}/${1}000000000000004f/r,
	$state =~ s/(fffd)0{15}1(0{16})/${1}0000000000000000$2/r =~ s/(fffd0{16})0{16}/${1}0000000000000001/r);
for my $text (@none)
{
	($out, $err) = $server->run("SELECT '$text'::exact_state");
	like($err, qr/ERROR:  invalid external exact_state value/, 'a text that is none: ' . substr($text, 0, 60));
}
my $huge = '\xfffffffffffffffd00000000000000010000000000000000' . '0000000000000001' . '0' x 64 . '1a0a'
	. '0fffffffffffffff' x 10 . '0000' . '6404' . '0fffffffffffffff' x 4 . '8804' . '0fffffffffffffff' x 4;
$server->lines("CREATE TABLE pieces AS SELECT '$huge'::exact_state AS s UNION ALL SELECT powers_of(1e-300)");
($out, $err) = $server->run('SELECT joined(s) FROM pieces');
like($err, qr/ERROR:  invalid exact_state value/, 'sums that cannot be in a smaller unit');
my $full = '\xfffffffffffffffd00000000000000010000000000000000' . '0000000000000001' . '0' x 64 . '0000' x 3
	. '008c0000000000000001' . '0' x 16 x 138 . '3fffffffffffffff';
($out, $err) = $server->run("SELECT joined(s ORDER BY i) FROM (SELECT i, '$full'::exact_state AS s "
		. "FROM generate_series(1, 5) AS i UNION ALL SELECT 6, powers_of(1e-300)) AS t");
like($err, qr/ERROR:  invalid exact_state value/, 'nor sums of such sums, which have more limbs');
done_testing();
