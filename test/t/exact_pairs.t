# exact_pairs.t: exact_covar_*, exact_corr, exact_regr_* and exact_weighted_avg of pairs against Python's integers, in
# test/t/exact_pairs.py: whole, by groups, in parallel plans and over moving frames, by WindowAgg and by
# PrefixScan.  Sums of more rows than a table can have are made by test/t/exact_pairs.c, which is compiled here.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use File::Temp qw(tempdir);
use Test::More;
use Server;

plan skip_all => 'no python3 on this machine'
	if system('python3 -c "import math; math.nextafter" >/dev/null 2>&1') != 0;

my $folder = tempdir(CLEANUP => 1);
my $cc = $ENV{CC} // 'cc';
is(system("$cc -std=gnu99 -O2 -Wall -I'$FindBin::Bin/../../src' -o '$folder/pairs' '$FindBin::Bin/exact_pairs.c' -lm"),
	0, 'exact_pairs.c compiles');

my $server = Server->new('exact_pairs');
$ENV{PGDATABASE} = $server->{database};
my @lines = `python3 "$FindBin::Bin/exact_pairs.py" "$Server::psql" $folder/pairs`;
is($?, 0, 'the program of the oracle ran');
for (@lines)
{
	/^(\d+) answers of (.*), (\d+) wrong: ?(.*)$/ or next;
	is($3, 0, "$1 answers of $2") or diag($4);
}
cmp_ok(scalar(grep { /answers of/ } @lines), '==', 34, 'all kinds of data were compared');

# that the parallel plans are parallel, and that all six share one transition
my $plan = join "\n", $server->lines(<<'SQL');
CREATE TABLE many AS SELECT i AS y, i % 7 AS x FROM generate_series(1, 10000) AS i;
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT exact_covar_pop(y, x), exact_covar_samp(y, x), exact_corr(y, x), exact_regr_slope(y, x),
  exact_regr_intercept(y, x), exact_regr_r2(y, x) FROM many;
SQL
like($plan, qr/Finalize Aggregate.*Gather.*Partial Aggregate/s, 'they go in parallel');

# that a moving one runs in PrefixScan, by sums, and that no user can mix up the kinds of a state
$plan = join "\n",
	$server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
	. "SELECT exact_corr(y, x) OVER (ORDER BY y ROWS 9 PRECEDING) FROM many");
like($plan, qr/Frame Methods: exact_corr \(exact sums\)/, 'in PrefixScan');
$server->lines(<<'SQL');
CREATE AGGREGATE mixed(float8, float8) (SFUNC = exact_add_pair, STYPE = exact_state, FINALFUNC = exact_final_avg);
CREATE AGGREGATE mixed_back(float8) (SFUNC = exact_add_float8, STYPE = exact_state, FINALFUNC = exact_final_corr);
CREATE AGGREGATE pairs_of(float8, float8) (SFUNC = exact_add_pair, STYPE = exact_state);
CREATE AGGREGATE values_of(float8) (SFUNC = exact_add_float8, STYPE = exact_state);
CREATE AGGREGATE joined(exact_state) (SFUNC = exact_combine_pairs, STYPE = exact_state, FINALFUNC = exact_final_corr);
CREATE AGGREGATE joined_slope(exact_state)
  (SFUNC = exact_combine_pairs, STYPE = exact_state, FINALFUNC = exact_final_regr_slope);
SQL
for my $case ([ 'mixed(y, x)', 'pairs of values, not from values' ],
	[ 'mixed_back(y)', 'values, not from pairs of values' ])
{
	my ($out, $err) = $server->run("SELECT $case->[0] FROM many");
	my $hint = 'HINT:  Pass a state only to functions of the aggregate that made it\.';
	like($err, qr/ERROR:  invalid exact_state value\nDETAIL:  The state was made from $case->[1]\.\n$hint/,
		"$case->[0] is refused");
}
$plan = join "\n",
	$server->lines("LOAD 'scan'; SET scan.prefixscan = force; EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) "
	. "SELECT exact_corr(y::bigint, x::float8) OVER (ORDER BY y ROWS 9 PRECEDING), "
	. "exact_regr_slope(y::float8, x::bigint) OVER (ORDER BY y ROWS 9 PRECEDING) FROM many");
like($plan, qr/Frame Methods: exact_corr \(exact sums\), exact_regr_slope \(exact sums\)/,
	'... of a bigint and a float, too');
is($server->value('SELECT exact_corr(y, x) = exact_corr(y::bigint, x::bigint) AND exact_covar_samp(y, '
		. 'x) = exact_covar_samp(y::float8, x::float8) FROM many'), 't', 'integers of all sizes');
my ($out, $err) = $server->run('SELECT exact_corr(y::numeric, x::numeric) FROM many');
my $hint =
	'HINT:  Cast each numeric to double precision, which rounds it, or convert it to whole units of type bigint\.';
like($err, qr/ERROR:  exact covariances, correlations and regressions do not take numeric\n$hint/,
	'numerics are not rounded without a word');
($out, $err) = $server->run('SELECT joined(s) FROM (SELECT values_of(y) AS s FROM many) AS t');
like($err, qr/ERROR:  invalid exact_state value/, 'a state of the other kind is not joined');

# a state travels as text and as bytes, and adds up elsewhere to the same bits
is($server->value('SELECT joined(s::text::exact_state) = (SELECT exact_corr(y, x) FROM many) '
		. 'AND joined_slope(s::text::exact_state) = (SELECT exact_regr_slope(y, x) FROM many) '
		. 'FROM (SELECT pairs_of(y, x) AS s FROM many GROUP BY y % 11) AS t'), 't', 'pieces as text');
is($server->value('SELECT bool_and(s::text::exact_state::text = s::text) '
		. 'FROM (SELECT pairs_of(y * 1e300, x / 1e300) AS s FROM many GROUP BY y % 11) AS t'), 't', 'in and out again');
my $state = $server->value('SELECT pairs_of(y, x) FROM many WHERE y < 9');
for my $text ('\xffffffffffffffff', '\xfffffffffffffffe' . substr($state, 18), $state . '00', substr($state, 0, -2),
	'\xffffffffffffffff' . '0000000000000001' . substr($state, 34),
	# a sum of x that no doubles make: 60 limbs
	'\xffffffffffffffff' . ('0000000000000001' . '0' x 64 . '003c' . 'f' x (60 * 16 - 16) . '0' x 16 . '0000') x 2
		. '0000')
{
	($out, $err) = $server->run("SELECT '$text'::exact_state");
	like($err, qr/ERROR:  invalid external exact_state value/, 'a text that is none: ' . substr($text, 0, 40));
}
done_testing();
