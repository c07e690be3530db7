# unread_arguments.t: an argument that a function does not read at a row raises no error there.
#
# WindowAgg evaluates an argument where the function asks for its value: scan_nocb() asks for `reset` only at rows that
# it reads ahead, and a function may return before it has read all of its arguments, as at a NULL.  So does PrefixScan
# (call/call_context.h: late arguments).  Each argument of each function fails at some row, with each pattern of NULLs
# around it, and the query is run without the node and in it: the rows or the error have to be the same.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('unread_arguments');

# v is NULL by the bits of `pattern`; row `bad` is where fails() fails.
$server->lines(<<'SQL');
CREATE TABLE data AS
SELECT pattern, bad, i, CASE WHEN pattern >> (i - 1) & 1 = 0 THEN i END AS v
FROM generate_series(0, 63) AS pattern, generate_series(1, 6) AS bad, generate_series(1, 6) AS i;
CREATE FUNCTION fails(i int, bad int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 10 / (i - bad)';
CREATE FUNCTION result(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  rows text;
BEGIN
  EXECUTE 'SELECT string_agg(y::text, '' '' ORDER BY i) FROM (' || query || ') AS s' INTO rows;
  RETURN rows;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- One partition a query, for an error ends it.
CREATE FUNCTION differences(call text) RETURNS TABLE (partition text, core text, node text) LANGUAGE plpgsql AS $$
BEGIN
  FOR partition IN SELECT format('pattern = %s AND bad = %s', p, b)
    FROM generate_series(0, 63) AS p, generate_series(1, 6) AS b LOOP
    PERFORM set_config('scan.prefixscan', 'off', true);
    core = result(format('SELECT i, %s OVER (ORDER BY i) AS y FROM data WHERE %s', call, partition));
    PERFORM set_config('scan.prefixscan', 'force', true);
    node = result(format('SELECT i, %s OVER (ORDER BY i) AS y FROM data WHERE %s', call, partition));
    RETURN NEXT;
  END LOOP;
END $$;
SQL

my $number = 'fails(i, bad)';
my $time = "(date '2026-01-01' + $number)";
my $flag = "($number < -99)";
my @calls = (
	"scan_nocb(v, NULL, reset => $flag)", "scan_nocb(v, 2, reset => $flag)", "scan_nocb($number, 1)",
	"scan_lead(v, 2, reset => $flag)", "scan_lead($number, 2)", "scan_lag($number, 2, $flag)",
	"scan_nocb(v, at => date '2026-01-01' + i, max_age => 2, reset => $flag)",
	"scan_nocb(v, at => date '2026-01-01' + $number * 0 + i, max_age => 2)",
	"scan_interpolate(v, i, NULL, reset => $flag)", "scan_interpolate(v, i + 0 * $number)",
	"scan_interpolate($number, i)",
	"scan_locf(v, 2, reset => $flag)", "scan_locf($number, 2)",
	"scan_locf(v, at => date '2026-01-01' + i + 0 * $number, max_age => 2)",
	"scan_sum(v, reset => $flag)", "scan_sum($number)", "scan_sum(v::numeric, reset => $flag)",
	"scan_product(v, reset => $flag)",
	"scan_counter(v, reset => $flag)", "scan_session(v, 1, reset => $flag)", "scan_session($number + i, 1)",
	"scan_clamped_sum(v, 0, 9, reset => $flag)", "scan_clamped_sum($number, 0, 9)",
	"scan_ema(v, alpha => 0.5)", "scan_ema($number, alpha => 0.5)",
	"scan_ema(v, date '2026-01-01' + i + 0 * $number, interval '2 days')",
	"scan_cost(v, $number)", "scan_cost($number * 0 + 1, v)", "scan_integral(v, i + 0 * $number)",
	"scan_integral($number, v)",
	"scan_bin(v, 7, reset => $flag)", "scan_change(v)", "scan_change($number)", "scan_count(v > 2, reset => $flag)",
	"scan_fold(v, 'int4larger(int4,int4)', reset => $flag)", "scan_compact(v, $flag)", "scan_compact($number, v > 2)");
for my $call (@calls)
{
	my @found = map { [ split /\|/, $_, -1 ] }
		$server->lines("SELECT partition, coalesce(core, 'NULL'), coalesce(node, 'NULL') FROM differences('"
		. $call =~ s/'/''/gr . "')");
	my @different = grep { $_->[1] ne $_->[2] } @found;

	is(scalar @found, 384, "$call: is compared");
	cmp_ok(scalar(grep { $_->[1] !~ /^\d{5} / || $_->[1] =~ /^22012 / } @found), '>', 0, '... and is a call');
	is(join("\n", map { join ' | ', @$_ } @different[ 0 .. ($#different < 3 ? $#different : 3) ]), '',
		'... with the rows and errors of WindowAgg') or diag(scalar(@different) . ' differ');
}
is($server->value("SET scan.prefixscan = force; SELECT count(*) FROM (SELECT scan_nocb(v, NULL, "
		. "reset => 10 / (i - bad) < 0) OVER (ORDER BY i) FROM data WHERE pattern = 0 AND bad = 3) AS s"), 6,
	'reset is not read after a row with a value');
done_testing();
