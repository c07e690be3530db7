# Payments.pm: a table with kept scans, and the comparison of queries that read them with the same queries that do not,
# for kept_queries.t and kept_windows.t.
#
# The table has late rows, NULLs, a partition that is larger than the others, and rows that came after the scans were
# kept.  compare() runs a query with scan.kept = off, auto and force in one session;
# results and SQLSTATEs have to be equal.
package Payments;

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;
use Exporter 'import';

our @EXPORT = qw(any payments program compare_queries @times @times_of_other_types @days @days_of_other_types @numbers);

our @times = map { "timestamptz '$_'" } '2025-01-01', '2025-03-07 13:00', '2025-06-01', '2026-02-01', 'infinity',
	'-infinity', '2030-01-01';
our @days = (map { "date '$_'" } '2025-01-01', '2025-02-07', '2026-02-04', 'infinity', '-infinity', '2024-02-29');
# beyond the years of the other type, infinite, in hours that daylight saving time skips or repeats, and not folded yet
our @times_of_other_types = ("date '2025-04-01'", 'now()', 'current_date', 'current_date - 200',
	"'2025-04-01'::date + 1", "now() - 30 * interval '1 day'", "timestamp '2025-03-09 02:30'",
	"timestamp '2025-11-02 01:30'", "date '294277-01-01'", "date '5874897-12-31'", "date 'infinity'",
	"timestamp '-infinity'", "date '-infinity'", "date '4713-01-01 BC'", "timestamp '294276-12-31 23:59:59'",
	'localtimestamp', "(SELECT timestamptz '2025-09-01')", "(SELECT date '2025-09-01')");
our @days_of_other_types = ("timestamp '2025-03-01 12:00'", "timestamp '2025-03-01'", "timestamptz '2025-03-09 12:00'",
	"timestamptz '2025-11-02 00:00'", "timestamp 'infinity'", "timestamptz '-infinity'", 'now()',
	"current_date - 7 * 30", "timestamp '294276-12-31 23:59:59'", "timestamp '4713-01-01 BC'", "date '5874897-12-31'");
our @numbers = (-500, -1, 0, 1, 77, 499, 2147483647, -2147483648, '9223372036854775807', 2147483648, -2147483649,
	'(-9223372036854775808)', '10 * 7', '(SELECT 50)', '7::int8', 'coalesce(NULL, 99)', "3::int8", "-4::int2");

sub any { return $_[ rand @_ ] }

my $cluster; # until the test ends

# Returns a server that has the table.  The library is preloaded: workers then know nothing of the statement around.
sub payments
{
	$cluster = Cluster->new("shared_preload_libraries = 'scan'\n");
	my $server = $cluster->use;

$server->lines(<<'SQL');
SET client_min_messages = warning;
CREATE TABLE payment (id bigint NOT NULL, account int, branch text COLLATE "C", at timestamptz NOT NULL,
  day date NOT NULL, n int NOT NULL, amount numeric, v int, f float8, posted boolean NOT NULL, rate numeric);
CREATE FUNCTION fill(a int, b int) RETURNS void LANGUAGE sql AS $$
INSERT INTO payment SELECT i, nullif(CASE WHEN i % 3 = 0 THEN 0 ELSE i % 7 END, 6), chr(97 + i % 2), timestamptz
  '2025-01-01' + (i * 7919 % 10000) * interval '1 hour', date '2025-01-01' + i * 7919 % 400, (i * 31 % 1000) - 500,
  nullif((i * 7919 % 2001 - 1000) / 100.0, 0.5), nullif(i % 97, 5), i / 7.0::float8, i % 5 <> 0,
  CASE i % 4 WHEN 0 THEN 2 WHEN 1 THEN 1.0 ELSE 1.00 END FROM generate_series(a, b) AS i $$;
SELECT fill(1, 6000);
CREATE INDEX ON payment (account, at, id);
ANALYZE payment;
SELECT scan_keep('by_time', 'SELECT sum(amount) OVER w AS a, count(*) OVER w AS b, avg(amount) OVER w AS c, '
  'max(v) OVER w AS d, exact_sum(f) OVER w AS e, sum(v) FILTER (WHERE v > 20) OVER w AS g, stddev(amount) OVER w AS h, '
  'exact_var_samp(v) OVER w AS i, stddev_pop(v) FILTER (WHERE v > 20) OVER w AS j FROM payment WHERE posted '
  'WINDOW w AS (PARTITION BY account ORDER BY at, id)');
SELECT scan_keep('by_day', 'SELECT sum(v) OVER w AS a, count(v) OVER w AS b, bool_or(v > 90) OVER w AS c, '
  'var_pop(n) OVER w AS d FROM payment WINDOW w AS (PARTITION BY account, branch ORDER BY day, id)');
SELECT scan_keep('by_number', 'SELECT sum(amount) OVER w AS a, count(*) OVER w AS b, '
  'min(amount::numeric(12,2)) OVER w AS c FROM payment WHERE posted AND v > 10 WINDOW w AS (ORDER BY n, id)');
SELECT scan_keep('by_rate', 'SELECT sum(n) OVER w AS a, count(*) OVER w AS b FROM payment '
  'WINDOW w AS (PARTITION BY account, rate ORDER BY at, id)');
SELECT fill(6001, 6300);
UPDATE payment SET amount = amount + 1 WHERE id % 50 = 0;
DELETE FROM payment WHERE id % 90 = 0;
-- what a query returns, or its SQLSTATE
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE y text;
BEGIN
  -- in the order of the query, if that is one of all rows
  EXECUTE 'SELECT string_agg(r::text, '' ''' ||
    CASE WHEN query ~ 'ORDER BY [^()]*, (s\.)?id( DESC)?( LIMIT.*| OFFSET.*| FETCH.*|)$' THEN ''
    ELSE ' ORDER BY r::text' END || ') FROM (' || query || ') AS r' INTO y;
  RETURN coalesce(y, 'no row');
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
-- the functions by which a query reads a kept scan; '': it reads none
CREATE FUNCTION readers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP
    plan := plan || line;
  END LOOP;
  RETURN (SELECT coalesce(string_agg(DISTINCT m[1], ' '), '')
    FROM regexp_matches(plan, 'scan_kept_(part|cells|running)', 'g') AS m) ||
    CASE WHEN plan ~ 'scan_kept_running.*->  Limit' THEN ' last' ELSE '' END;
END $$;
CREATE FUNCTION compare(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE kept text; plain text; read text;
BEGIN
  PERFORM set_config('scan.kept', 'off', false);
  plain := answer(query);
  PERFORM set_config('scan.kept', 'auto', false);
  kept := answer(query);
  IF kept IS DISTINCT FROM plain THEN
    RETURN format('auto: %s: %s, not %s', query, kept, plain);
  END IF;
  PERFORM set_config('scan.kept', 'force', false);
  kept := answer(query);
  read := readers(query);
  RETURN CASE WHEN plain IS DISTINCT FROM kept THEN format('%s: %s, not %s', query, kept, plain)
    WHEN plain ~ '^[0-9A-Z]{5}$' THEN 'error' WHEN read <> '' THEN 'kept ' || read ELSE 'plain' END;
EXCEPTION WHEN OTHERS THEN
  RETURN 'error';
END $$;
SQL
	return $server;
}

# Returns the path of one of the server's programs.
sub program { return "$cluster->{PG_BINDIR}/$_[0]" }

# Compares queries, before and after the logs are folded into the trees.  `query` returns the next one.
# Returns how many read a kept scan, do not, and raise an error.
sub compare_queries
{
	my ($server, $queries, $query) = @_;
	my (%count, @different);

	foreach my $compacted (0, 1)
	{
		my $script = "LOAD 'scan'; SET jit = off; SET enable_seqscan = " . ($compacted ? 'off' : 'on')
			. ";\nSET timezone = '" . any('UTC', 'America/New_York', 'Pacific/Apia', 'Europe/Berlin', 'Asia/Kolkata')
			. "';\n" . join '', map { my $q = $query->(); "SELECT compare(\$q\$$q\$q\$);\n" } 1 .. $queries / 2;
		foreach ($server->lines($script))
		{
			/^(?:kept [a-z ]+|plain|error)$/ ? $count{$_}++ : ($count{different}++, push @different, $_);
		}
		$server->lines("CALL scan_kept_compact('by_time'); CALL scan_kept_compact('by_day'); "
			. "CALL scan_kept_compact('by_number'); CALL scan_kept_compact('by_rate')");
	}
	is(join("\n", grep { defined } @different[ 0 .. 3 ]), '', 'no query differs');
	diag(join ', ', map { "$_: $count{$_}" } sort keys %count);
	return %count;
}

1;
