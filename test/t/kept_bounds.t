# kept_bounds.t: conditions of a plain query in other words than those of the definition (question.c), and values that
# raise errors (question_value.c).
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

# ---- errors

keep("none_$_", "at $_ NOT NULL, v int", 'WHERE v > 0 WINDOW w AS (ORDER BY at)') foreach 'date', 'timestamptz';

# without a parameter the planner has the value, and raises the error in any table
my @wrong = ("to_timestamp('x', 'YYYY')", 'make_date(2026, 13, 1)', "date_trunc('fortnight', now())",
	"now() AT TIME ZONE 'nowhere'");
compared('errors of values without parameters', '', map { my $wrong = $_;
		map { ("SELECT sum(v) FROM none_$_ WHERE v > 0 AND at < $wrong", undef) } 'date', 'timestamptz' } @wrong);
# with one it has not, and the filter of a table without rows is not evaluated
my @errors = ([ "to_timestamp(\$1, 'YYYY')", "text", "'x'", "'2026'" ],
	[ 'to_date($1, $2)', 'text, text', "'x', 'YYYY'", "'2026', 'YYYY'" ],
	[ 'make_date(2026, $1, 1)', 'int', 13, 3 ], [ '(now() AT TIME ZONE $1)::date', 'text', "'nowhere'", "'UTC'" ],
	[ 'date_trunc($1, now())', 'varchar', "'fortnight'", "'day'" ],
	[ '$1::timestamptz', 'text', "'x'", "'2026-03-01'" ],
	[ "date_bin(\$1, now(), '2026-01-01')", 'interval', "'0 s'", "'1 s'" ],
	[ 'now() - ($1 - $2)', 'timestamptz, timestamptz', "'infinity', 'infinity'", "'2026-03-01', '2026-01-01'" ],
	[ 'now() - age($1)', 'timestamp', "'infinity'", "'2026-03-01'" ],
	[ "date '2026-03-01' + length(\$1)", 'text', "'x'", "'x'" ]);
my ($silent, $messages) = $server->run("LOAD 'scan'; SET scan.kept = force; SET plan_cache_mode = force_generic_plan;"
	. join('', map { my ($value, $types, $wrong, $right) = @{ $errors[$_] };
		"PREPARE e$_($types) AS SELECT count(*) FROM none_date WHERE v > 0 AND at < $value; EXECUTE e$_($right); "
		. "EXECUTE e$_($wrong);" } 0 .. $#errors), go_on => 1);
is($messages, '', 'no error of a parameter in a table without rows');
is($silent =~ s/\n//gr, '0' x (2 * @errors), '... but results');

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
