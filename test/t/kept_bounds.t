# kept_bounds.t: the conditions of a plain query that reads a kept scan: bounds of the first key, of every type that
# compares with it, and conditions in other words than those of the definition (question.c, question_value.c, bound.c).
#
# Each query runs with scan.kept = off and force in one session: results, or SQLSTATEs, have to be equal, and EXPLAIN
# says whether the kept scan was read, which has to be as expected.  The rows lie around midnights and the ends of
# daylight saving time, in the hours that come twice or are left out, and at the ends of the types.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Cluster;

my $cluster = Cluster->new("shared_preload_libraries = 'scan'\n");
my $server = $cluster->use;
my $seed = $ENV{SCAN_TEST_SEED} // 1 + int rand 1e6;
srand $seed;
diag("SCAN_TEST_SEED=$seed");

sub any { return $_[ rand @_ ] }

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
    reads := reads OR line ~ 'scan_kept_(part|cells|running)\(';
  END LOOP;
  RETURN CASE WHEN reads = wanted OR wanted IS NULL THEN '' WHEN reads THEN 'read: ' || query
    ELSE 'not read: ' || query END;
EXCEPTION WHEN OTHERS THEN
  RETURN CASE WHEN plain ~ '^[0-9A-Z]{5}$' THEN '' ELSE SQLERRM || ': ' || query END;
END $$;
CREATE TABLE moment (at timestamp);
INSERT INTO moment SELECT t + i * interval '15 minutes' FROM unnest('{2026-03-29 02:00, 2026-10-25 02:00,
  2026-03-08 00:00, 2026-11-01 00:00, 2026-06-01 00:00, 2026-12-31 23:00, now}'::timestamp[]) AS t,
  generate_series(-24, 24) AS i UNION SELECT unnest('{infinity, -infinity, 0044-03-15 BC, 4713-01-01 BC,
  294276-12-31 23:59:59.999999, 2026-03-01, 2026-02-28 23:59:59.999999, 2026-03-01 00:00:00.000001}'::timestamp[]);
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

# ---- bounds of all types

my %types = (
	date => [ "'2026-03-29'", "'infinity'", "'-infinity'", "'5874897-12-31'", "'294277-01-01'", "'4713-01-01 BC'",
		"'0044-03-15 BC'", "'2026-03-08'" ],
	timestamp => [ "'2026-03-29 02:30'", "'2026-10-25 02:30'", "'2026-03-01'", "'2026-03-08 02:15:00.5'", "'infinity'",
		"'-infinity'", "'294276-12-31 23:59:59.999999'", "'4713-01-01 BC'", "'2026-11-01 01:15'" ],
	timestamptz => [ "'2026-03-29 01:00Z'", "'2026-10-25 00:30Z'", "'2026-10-25 01:30Z'", "'2026-03-01'", "'infinity'",
		"'-infinity'", "'2026-03-08 05:30Z'", "'0044-03-15 BC'", "'2026-11-01 04:31Z'" ]);
my %values;
foreach my $type (keys %types)
{
	$values{$type} = [ "(SELECT NULL::$type)", map { "$type $_" } @{ $types{$type} } ];
}
push @{ $values{date} }, 'current_date', 'current_date - 30', "CAST('2026-03-01' AS date) + 1", 'now()::date',
	"(now() AT TIME ZONE 'Europe/Berlin')::date", "to_date('2026-03-01', 'YYYY-MM-DD')", "(SELECT date '2026-03-01')";
push @{ $values{timestamp} }, 'localtimestamp', "current_date - interval '30 days'",
	"now() AT TIME ZONE 'Europe/Berlin'", "date_trunc('month', localtimestamp)",
	"date_bin('1 hour', localtimestamp, '2026-01-01')", 'now()::timestamp';
push @{ $values{timestamptz} }, 'now()', "now() - interval '1 year'", "now() - interval '1 s' * 3600",
	'now() - make_interval(days => 100)', "date_trunc('month', now())", "date_trunc('day', now(), 'Europe/Berlin')",
	"to_timestamp('2026-09-01 00:00:00.000000', 'YYYY-MM-DD HH24:MI:SS.US')", 'to_timestamp(1772323200)',
	"greatest(now() - interval '1 day', '2026-03-01')", "least(now(), NULL, '2026-10-25 01:00Z')";
my @zones = ('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata', 'AAA-100BBB+100,M3.2.0,M11.1.0');

sub keep
{
	my ($name, $columns, $definition, $rows) = @_;
	$server->lines("SET client_min_messages = warning; CREATE TABLE $name ($columns); "
		. ($rows ? "INSERT INTO $name $rows;" : '') . " SELECT scan_keep('kept_$name', \$d\$SELECT sum(v) OVER w "
		. "AS s, count(*) OVER w AS c FROM $name $definition\$d\$)");
}

foreach my $key (sort keys %types)
{
	my $at = $key eq 'date' ? "CASE WHEN at = '294276-12-31 23:59:59.999999' THEN '5874897-12-31' ELSE at::date END"
		: 'at';
	keep("rows_$key", "at $key NOT NULL, v int", 'WHERE v > 0 WINDOW w AS (ORDER BY at)',
		"SELECT $at, nullif((row_number() OVER (ORDER BY at))::int % 97, 5) FROM moment");
	keep("none_$key", "at $key NOT NULL, v int", 'WHERE v > 0 WINDOW w AS (ORDER BY at)');
	# another row and a change, in the log
	$server->lines("INSERT INTO rows_$key VALUES ('2026-03-29', 1000), ('2026-11-01', 10000); "
		. "DELETE FROM rows_$key WHERE v = 50");
}

foreach my $key (sort keys %types)
{
	foreach my $zone (@zones)
	{
		my @pairs;
		foreach my $type (sort keys %types)
		{
			foreach my $value (@{ $values{$type} })
			{
				my $operator = any('<', '<=', '>', '>=');
				my $rows = rand() < 0.05 ? 'none' : 'rows';
				my $from = "SELECT sum(v), count(*) FROM ${rows}_$key WHERE v > 0 AND";
				push @pairs, map { ("$from $_", 'true') } "at < $value", "at >= $value",
					"at = $value", any("at <= $value", "NOT (at > $value)"), "$value $operator at",
					any("at > $value", "NOT at <= $value", "$value < at"),
					"at BETWEEN $value AND $values{$type}[ rand @{ $values{$type} } ]";
			}
		}
		# several bounds of a side: the narrowest ones hold, and NULL lets no row through
		foreach (1 .. 150)
		{
			my @conditions;
			foreach (1 .. 2 + rand 3)
			{
				my $type = any(rand() < 0.6 ? $key : sort keys %types);
				my $value = any(@{ $values{$type} }[ rand() < 0.1 ? 0 : 1 .. $#{ $values{$type} } ]);
				push @conditions, any(map { "at $_ $value" } '<', '<=', '>', '>=', '>', '>=', rand() < 0.1 ? '=' : ());
			}
			push @conditions, 'at IS NOT NULL' if rand() < 0.1;
			push @pairs, "SELECT sum(v), count(*) FROM rows_$key WHERE 0 < v AND " . join(' AND ', @conditions), 'true';
		}
		compared("$key, $zone: bounds of all types", "SET timezone = '$zone'", @pairs);
	}
}

# numbers
keep('number', 'n int NOT NULL, small smallint NOT NULL, big bigint NOT NULL, part bigint, v int',
	'WINDOW w AS (PARTITION BY part ORDER BY n)',
	'SELECT i, i % 100, i::bigint * 4294967296, i % 3, i FROM generate_series(-500, 500) AS i '
		. 'UNION ALL SELECT 2147483647, 32767, 9223372036854775807, 1, 7 '
		. 'UNION ALL SELECT -2147483648, -32768, -9223372036854775808, 1, 7');
foreach my $key ('small', 'big')
{
	$server->lines("SET client_min_messages = warning; SELECT scan_keep('kept_$key', 'SELECT sum(v) OVER w AS s, "
		. "count(*) OVER w AS c FROM number WINDOW w AS (PARTITION BY part ORDER BY $key)')");
}
my @numbers = (0, -3, '7::smallint', '40::bigint', 2147483648, '9223372036854775807', '(-9223372036854775808)', 3.5,
	-3.5, '7.0', "'NaN'::numeric", "'Infinity'::numeric", "'-Infinity'::numeric", '1e30', 'NULL::numeric',
	'NULL::bigint', "extract(epoch FROM now() - interval '1 day')", "extract(epoch FROM now())::bigint * 1000",
	"floor(extract(epoch FROM now()))", '(SELECT 5)', '(SELECT 5.5)', '9223372036854775806.5');
my @pairs;
foreach my $number (@numbers)
{
	foreach my $key ('n', 'small', 'big')
	{
		my ($from, $operator) = ('SELECT sum(v), count(*) FROM number WHERE', any('<', '<=', '>', '>=', '='));
		push @pairs, "$from part = 1 AND $key $operator $number", $number =~ /NULL/ ? undef : 'true',
			"$from part = 1.0 AND $number > $key AND $key >= " . any(@numbers), undef,
			"$from $number = part AND $key <= 100", undef;
	}
}
compared('bounds of integers', '', @pairs);
# a key that is an integer is a cell of its own, so that any condition can be asked of it
compared('what is no bound of integers', '',
	map { ("SELECT sum(v), count(*) FROM number WHERE part = 1 AND $_", /\bv\b|random/ ? 'false' : 'true') }
	'n::numeric(3) < 5', 'n::text::numeric < 5.5', 'abs(n::numeric) < 5', 'n < (v::numeric)', 'n < random()::numeric',
	'n::float8 < 5.5', 'n < 5.5::float8', 'n <> 3.5');

# ---- prepared statements, whose plans are for all values

# Every second printed line is that of a query that reads the table.
sub prepared
{
	my ($what, $least, $script) = @_;
	my ($out, $errors) = $server->run("LOAD 'scan'; SET scan.kept = force; SET plan_cache_mode = force_generic_plan; "
		. $script, go_on => 1);
	my @lines = grep { /\|/ } split /\n/, $out;
	cmp_ok(scalar @lines, '>=', $least, "$what: results") || diag($errors);
	return is(join(' ', grep { $lines[ 2 * $_ ] ne $lines[ 2 * $_ + 1 ] } 0 .. $#lines / 2), '', "$what: the same");
}
my $zoned = '';
foreach my $key ('date', 'timestamptz')
{
	my @conditions = ('at < $1', 'at >= $1::timestamptz', 'at > $1::date', 'at < CAST($1 AS date) + 1',
		'at <= $1::timestamp', "at >= \$1::timestamp - interval '1 day' AND at > date '2026-03-01'",
		"at < date_trunc('day', \$1::timestamptz)");
	foreach my $i (0 .. $#conditions)
	{
		my $from = "SELECT '', sum(v), count(*) FROM rows_$key WHERE";
		$zoned .= "PREPARE ${key}_kept_$i AS $from v > 0 AND $conditions[$i];\n"
			. "PREPARE ${key}_plain_$i AS $from v + 0 > 0 AND $conditions[$i];\n";
		foreach my $zone (@zones, 'UTC')
		{
			$zoned .= "SET timezone = '$zone'; "
				. join('', map { "EXECUTE ${key}_${_}_$i('2026-03-29 02:30');\n" } 'kept', 'plain');
		}
	}
}
prepared('a generic plan follows SET TimeZone', 2 * 2 * 7 * (@zones + 1), $zoned);
my $explained = $zoned =~ s/EXECUTE \w+_plain_\d+\(.*?\);//gr =~ s/EXECUTE/EXPLAIN (VERBOSE) EXECUTE/gr;
my $read = () = join("\n", $server->lines("LOAD 'scan'; SET scan.kept = force; "
		. "SET plan_cache_mode = force_generic_plan; $explained")) =~ /scan_kept_part\(/g;
is($read, 2 * 7 * (@zones + 1), '... and reads the kept scan');

# ---- errors

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
	[ 'now() - age($1)', 'timestamp', "'-infinity'", "'2026-03-01'" ],
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

# what a column that is NOT NULL is never, and what a row with a NULL in it is not
$server->lines('CREATE TYPE pair AS (a int, b int)');
keep('pairs', 'at date NOT NULL, v int, p pair NOT NULL', 'WINDOW w AS (ORDER BY at)',
	"SELECT current_date - i, i, ROW (i, nullif(i % 3, 0))::pair FROM generate_series(1, 100) AS i");
compared('IS NOT NULL', '', map { ("SELECT sum(v) FROM pairs WHERE $$_[0]", $$_[1]) } [ 'at IS NOT NULL', 'true' ],
	[ 'at IS NOT NULL AND at IS NOT NULL AND at > current_date - 9', 'true' ], [ 'v IS NOT NULL', 'false' ],
	[ 'at IS NULL', undef ], [ 'p IS NOT NULL', 'false' ], [ 'NOT p IS NULL', 'false' ],
	[ 'p IS DISTINCT FROM NULL', undef ]);
done_testing();
