# kept_buckets.t: random queries by steps of time (test/fuzz/Buckets.pm) that read a kept scan, and the same ones in
# stock PostgreSQL: the rows, their order where it is fixed, and the errors have to be the same.
#
# Each query runs in a transaction of one snapshot with scan.kept = force and off, some with auto, some prepared
# with a custom or a generic plan and executed in several zones of the session, some after a write in the same
# transaction.  Other writes and compactions stand between.
#
#   SCAN_TEST_QUERIES=100000 SCAN_TEST_SEED=7 test/cluster.sh prove -v test/t/kept_buckets.t
#
# SCAN_TEST_FIRST=17 SCAN_TEST_QUERIES=1 runs query 17 alone, after the writes before it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../fuzz";
use Test::More;
use JSON::PP;
use Server;
use Buckets;

my $count = $ENV{SCAN_TEST_QUERIES} // ($ENV{SCAN_TEST_PART} ? 300 : 600);
my $first = $ENV{SCAN_TEST_FIRST} // 0;
my $seed = $ENV{SCAN_TEST_SEED} // 20261130;
my $server = Server->new('kept_buckets');
my $json = JSON::PP->new->ascii->canonical;

# compiling takes longer than the queries; several processes add floats up in any order
$server->lines("ALTER DATABASE $server->{database} SET jit = off; "
	. "ALTER DATABASE $server->{database} SET max_parallel_workers_per_gather = 0");
$server->lines("SELECT setseed(0.5); " . Buckets::tables());
$server->lines(<<'SQL');
-- the rows of a query, or what it fails with
CREATE FUNCTION answer(job jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record; answers text[] := '{}'; state text; message text; e jsonb;
BEGIN
  IF job ? 'parameters' THEN
    DEALLOCATE ALL;
    EXECUTE format('PREPARE fuzz (%s) AS %s', (SELECT string_agg(p, ', ') FROM
      jsonb_array_elements_text(job->'parameters') AS p), job->>'sql');
    FOR e IN SELECT jsonb_array_elements(job->'executions') LOOP
      PERFORM set_config('TimeZone', e->>'zone', true);
      BEGIN
        FOR r IN EXECUTE format('EXECUTE fuzz (%s)', e->>'values') LOOP
          answers := answers || r::text;
        END LOOP;
      EXCEPTION WHEN OTHERS THEN
        IF SQLSTATE LIKE 'XX%' THEN
          RAISE;
        END IF;
        -- which of two errors is first may differ
        answers := answers || 'error'::text;
      END;
    END LOOP;
  ELSE
    FOR r IN EXECUTE job->>'sql' LOOP
      answers := answers || r::text;
    END LOOP;
  END IF;
  IF NOT job ? 'ordered' THEN
    answers := ARRAY(SELECT a FROM unnest(answers) AS a ORDER BY a COLLATE "C");
  END IF;
  RETURN cardinality(answers) || ' ' || CASE WHEN job ? 'show' THEN answers::text ELSE md5(answers::text) END;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN 'error ' || state || CASE WHEN state IN ('25P02', 'XX000') OR job ? 'show' THEN ' ' || message ELSE '' END;
END $$;
CREATE FUNCTION settled(job jsonb, kept text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE setting text;
BEGIN
  FOR setting IN SELECT jsonb_array_elements_text(job->'set') LOOP
    PERFORM set_config(split_part(setting, ' ', 1), split_part(setting, ' ', 2), true);
  END LOOP;
  PERFORM set_config('scan.kept', kept, true);
END $$;
-- what reads a kept scan in a query's plan, or why nothing does
CREATE FUNCTION reader(job jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := ''; q text := job->>'sql';
BEGIN
  IF job ? 'parameters' THEN
    q := format('EXECUTE fuzz (%s)', job->'executions'->2->>'values');
  END IF;
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF' || CASE WHEN job ? 'analyze' THEN ', ANALYZE, TIMING OFF, '
    'SUMMARY OFF) ' ELSE ') ' END || q LOOP
    plan := plan || line || chr(10);
  END LOOP;
  RETURN coalesce('kept ' || substring(plan FROM 'scan_kept_(?:cells|part|running)') ||
    coalesce(substring(plan FROM 'Starts From: \w+( \(.*\))'), ''),
    'table ' || coalesce(substring(plan FROM 'Kept Scan Not Used: [a-d]_\w+: ([^\n]*)'), ''));
EXCEPTION WHEN OTHERS THEN
  RETURN 'table ' || SQLSTATE;
END $$;
CREATE FUNCTION differ(job jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE core text; ours text; auto text; reads text;
BEGIN
  PERFORM settled(job, 'off');
  core := answer(job);
  PERFORM settled(job, 'force');
  ours := answer(job);
  reads := reader(job);
  IF job ? 'auto' THEN
    PERFORM settled(job, 'auto');
    auto := answer(job);
  END IF;
  RETURN reads || CASE WHEN core LIKE 'error%' AND ours LIKE 'error%' AND core <> ours THEN ' OTHER ERROR ' || ours
    WHEN core <> ours THEN ' DIFFERENT ' || ours || ', not ' || core
    WHEN core <> auto AND core NOT LIKE 'error%' THEN ' DIFFERENT by auto ' || auto || ', not ' || core ELSE '' END ||
    CASE WHEN core LIKE 'error%' THEN ' ' || core WHEN core LIKE '0 %' THEN ' nothing' ELSE '' END;
END $$;
SQL

srand $seed;
my $script = "LOAD 'scan';\n";
my @queries;
for my $i (0 .. $first + $count - 1)
{
	my $query = Buckets::next();
	$query->{show} = 1 if $ENV{SCAN_TEST_SHOW};
	$query->{analyze} = 1 if $i % 8 == 0;
	push @queries, $query if $i >= $first;
	# a write that stays, and a compaction
	my @now = $i % 9 == 0 ? Buckets::write($query->{t}) : ();
	push @now, "CALL scan_kept_compact('" . Buckets::one_of('a', 'b', 'c', 'd') . "_$query->{t}')" if $i % 31 == 0;
	$script .= "SET client_min_messages = warning; $now[0]; " . (@now > 1 ? "$now[1]; " : '') . "\n" if @now;
	next if $i < $first;
	$script .= 'BEGIN ISOLATION LEVEL REPEATABLE READ; ' . ($query->{write} ? "$query->{write}; " : '') . "\n"
		. "SELECT '= ' || differ(\$job\$" . $json->encode($query) . "\$job\$);\nROLLBACK;\n";
}
my ($out, $err) = $server->run($script, go_on => 1);
my @verdicts = map { s/\n\z//r } grep { /\S/ } split /^= /m, $out =~ s/^(?!= )(?:\d*|)\n//gmr;
is(scalar @verdicts, $count, "$count queries (seed $seed) are answered") or diag(($err =~ /(.*)/)[0] // '');

# The first of some queries, with what came of them.
sub shown
{
	my (@which) = @_;
	return join "\n", map { my $query = $queries[$_]; $first + $_ . ": $query->{sql}\n   "
			. $json->encode({ map { $_ => $query->{$_} } grep { exists $query->{$_} }
				qw(set parameters executions write) })
			. "\n   $verdicts[$_]" } @which[ 0 .. ($#which < 9 ? $#which : 9) ];
}

my @wrong = grep { $verdicts[$_] =~ /DIFFERENT|error (?:XX|25P02)/ } 0 .. $#verdicts;
is(scalar @wrong, 0, 'kept scans answer as core does') or diag(shown(@wrong));
my @other = grep { $verdicts[$_] =~ /OTHER ERROR/ } 0 .. $#verdicts;
diag(shown(@other)) if @other;
cmp_ok(scalar @other, '<=', 2 + 0.005 * $count, 'but for which of two errors is first, seldom');
my @invalid = grep { $verdicts[$_] =~ /error 42/ } 0 .. $#verdicts;
cmp_ok(scalar @invalid, '<', 1 + 0.04 * $count, 'few are not SQL') or diag(shown(@invalid));

# and the queries are worth their time
my (%by, %why);
for my $i (0 .. $#verdicts)
{
	next if $verdicts[$i] =~ /error 42/ || $queries[$i]{miss};
	my ($read, $why) = $verdicts[$i] =~ /^(kept|table) ?(.*)/;
	$by{ $queries[$i]{by} }{$read}++;
	$by{all}{$read}++;
	push @{ $why{$why} }, $i if $read eq 'table';
}
for my $by (sort keys %by)
{
	my ($kept, $all) = ($by{$by}{kept} // 0, ($by{$by}{kept} // 0) + ($by{$by}{table} // 0));
	$by{$by}{share} = $kept / $all;
	diag(sprintf '%-14s %5d of %5d read a kept scan', $by, $kept, $all);
}
if ($ENV{SCAN_TEST_WHY})
{
	diag(scalar @{ $why{$_} }, ": $_\n", shown($why{$_}[0])) for sort { @{ $why{$b} } <=> @{ $why{$a} } } keys %why;
}
if ($count >= 100)
{
	cmp_ok($by{all}{share}, '>', 0.5, 'those that kept scans should answer read one');
	my @analyzed = grep { /kept scan_kept_cells \(/ } @verdicts;
	my $nodes = grep { /[( ][1-9]\d* nodes/ } @analyzed;
	diag("$nodes of ", scalar @analyzed, ' read nodes');
	cmp_ok($nodes, '>', 0.15 * @analyzed, 'and nodes of its tree');
	my $errors = grep { /error/ } @verdicts;
	diag("$errors fail, ", scalar(grep { /nothing/ } @verdicts), ' have no rows');
}
done_testing;
