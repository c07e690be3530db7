# kept_bounds.t: conditions of a plain query in other words than those of the definition (question.c).
#
# Each query runs with scan.kept = off and force in one session: results, or SQLSTATEs, have to be equal, and EXPLAIN
# says whether the kept scan was read, which has to be as expected.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;

my $cluster = Cluster->new("shared_preload_libraries = 'scan'\n");
my $server = $cluster->use;

$server->lines(<<'SQL');
SET client_min_messages = warning;
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE y text;
BEGIN
  EXECUTE 'SELECT coalesce(string_agg(r::text, '' '' ORDER BY r::text), ''no row'') FROM (' || query || ') AS r' INTO y;
  RETURN y;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END $$;
-- '': as it should be; `wanted` is NULL if it is no matter what is read
CREATE FUNCTION compare(query text, wanted boolean) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plain text; kept text; line text; reads boolean := false;
BEGIN
  PERFORM set_config('scan.kept', 'off', false);
  plain := answer(query);
  PERFORM set_config('scan.kept', 'force', false);
  kept := answer(query);
  IF kept IS DISTINCT FROM plain THEN
    RETURN format('%s: %s: %s, not %s', current_setting('TimeZone'), query, kept, plain);
  END IF;
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP
    reads := reads OR line ~ 'scan_kept_(part|groups|running)\(';
  END LOOP;
  RETURN CASE WHEN reads = wanted OR wanted IS NULL THEN '' WHEN reads THEN 'read: ' || query
    ELSE 'not read: ' || query END;
EXCEPTION WHEN OTHERS THEN
  RETURN CASE WHEN plain ~ '^[0-9A-Z]{5}$' THEN '' ELSE SQLERRM || ': ' || query END;
END $$;
SQL

# Compares pairs of a query and whether the kept scan is read, in one session.
sub compared
{
	my ($what, $settings, @pairs) = @_;
	my $script = "LOAD 'scan'; SET jit = off; $settings;\n";
	$script .= 'SELECT compare($q$' . shift(@pairs) . '$q$, ' . (shift(@pairs) // 'NULL')  . ");\n" while @pairs;
	my @wrong = grep { $_ ne '' } $server->lines($script);
	return is(join("\n", map { $_ // () } @wrong[ 0 .. 4 ]), '', $what);
}

sub keep
{
	my ($name, $columns, $definition, $rows) = @_;
	$server->lines("SET client_min_messages = warning; CREATE TABLE $name ($columns); "
		. ($rows ? "INSERT INTO $name $rows;" : '') . " SELECT scan_keep('kept_$name', \$d\$SELECT sum(v) OVER w "
		. "AS s, count(*) OVER w AS c FROM $name $definition\$d\$)");
}

# ---- conditions in other words

my $kinds = 'SELECT (now() AT TIME ZONE $$UTC$$)::date - i, nullif(i % 7 - 1, 0), nullif(i % 6, 0), '
	. 'nullif(i % 5, 0) > 2 FROM generate_series(1, 400) AS i';
foreach (
	[ 'kind IN (1, 2, 3)',
		[ "kind = ANY ('{3, 2, 1}')", 'kind = 1 OR kind = 3 OR kind = 2', 'kind IN (1, 2, 3, NULL)',
			'kind IN (2, 1, 3) AND kind > 0', 'kind IN (1, 3, 2, 2) AND kind IS NOT NULL' ],
		[ 'kind IN (1, 2)', 'kind = 1', 'kind IN (1, 2, 3, 4)', 'kind < 4', 'kind NOT IN (1, 2, 3)',
			'kind IN (1, 2, 3) AND kind <> 2', 'kind IN (1, 2, 3) AND kind > 1', 'kind IN (1, 2, 3) AND v > 0',
			'kind IN (1, 2, 3) OR v > 0', '(kind IN (1, 2, 3)) IS NOT FALSE' ] ],
	[ 'v > 0',
		[ 'v > 0::bigint', '0 < v', 'NOT (v <= 0)', 'v > 0 AND v > -1', 'v > 0 AND v >= 0 AND v IS NOT NULL',
			'v > 0 AND v <> 0', 'v > 0 AND (v > 0 OR kind = 1)' ],
		[ 'v > 1', 'v >= 0', 'v IS NOT NULL', 'v > 0 AND v <> 1', 'v > 0 AND kind IS NOT NULL', 'true',
			'v > 0 AND (v > 3 OR kind = 1)' ] ],
	[ 'v IS NOT NULL', [ 'v IS NOT NULL', 'NOT v IS NULL' ],
		[ 'v > 0', 'v = v AND v > 0', 'v IS NOT NULL AND v > 0', 'true' ] ],
	[ 'v IS NOT NULL AND v < 4', [ 'v < 4', 'v < 4::bigint', 'v < 5 AND v < 4' ],
		[ 'v < 5', 'v < 3', 'v IS NOT NULL' ] ],
	[ "at > '2020-01-01'",
		[ "at > '2020-01-01'", "at > '2026-01-01'", "at > '2020-01-01' AND at < '2026-09-01'", "at = '2026-11-01'",
			"at >= '2026-01-01' AND at IS NOT NULL" ],
		[ "at > '2019-12-31'", "at < '2026-01-01'", 'true' ] ],
	[ 'flag', [ 'flag', 'flag = true', 'NOT (NOT flag)', 'flag AND flag IS NOT NULL' ],
		[ 'NOT flag', 'flag IS NOT FALSE', 'true' ] ],
	[ 'flag OR kind = 1', [ 'kind = 1 OR flag', 'flag OR (kind = 1 AND kind > 0)' ],
		[ 'flag', 'kind = 1', 'flag OR kind = 2' ] ])
{
	my ($definition, @lists) = @$_;
	keep('kind', 'at date NOT NULL, v int, kind int, flag boolean', "WHERE $definition WINDOW w AS (ORDER BY at)",
		$kinds);
	my @asked;
	foreach my $i (0, 1)
	{
		foreach my $where (@{ $lists[$i] })
		{
			my $reads = $i == 0 ? 'true' : 'false';
			push @asked, "SELECT sum(v), count(*) FROM kind WHERE $where", $reads;
			# what filters below a window is no bound
			push @asked, "SELECT * FROM (SELECT at, sum(v) OVER (ORDER BY at) AS s FROM kind WHERE $where) AS x "
				. 'WHERE at > current_date - 90 AND at >= current_date - 9',
				$where =~ /at [<>=]+ '2026/ ? 'false' : $reads;
		}
	}
	compared("definition with $definition", '', @asked);
	$server->lines('SET client_min_messages = warning; SELECT scan_unkeep($$kept_kind$$); DROP TABLE kind');
}
done_testing();
